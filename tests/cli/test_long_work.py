"""Long work says on a terminal that it goes on, and Ctrl-C ends it in a sentence, with no half of a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from neonsim.cli import cost, main, progress
from neonsim.machine import Machine
from neonsim.machine.trace import Trace
from tests.until import until

LOOP = "f: add x2, x2, x0\nsubs x1, x1, #1\nb.ne f\nmov x0, x2\nret\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "loop.s"
    path.write_text(LOOP)
    return str(path)


@pytest.mark.parametrize(("command", "said"), [("time", "timing 122 steps ..."), ("trace", "listing ...")])
def test_what_comes_behind_the_call_is_said(command: str, said: str, program: str,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only running takes long: so do timing and listing what has run."""
    monkeypatch.setattr(progress, "AFTER", 0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())

    def wait(*_: object, **__: object) -> None:
        until(lambda: said in terminal.getvalue(), "the line on the terminal")
        raise KeyboardInterrupt
    monkeypatch.setattr(cost, "time", wait)
    monkeypatch.setattr(Trace, "text", wait)
    core = ["--core", "cortex-a53"] if command == "time" else []
    assert main([command, program, "1", "40", "0", "--isa", "aarch64", *core]) == 130
    assert "\r\x1b[K" in terminal.getvalue(), "and taken away again"


@pytest.mark.parametrize("command", ["run", "trace", "time"])
def test_an_interrupt_is_one_sentence(command: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt
    if command == "time":
        monkeypatch.setattr(cost, "time", stop)
    else:
        monkeypatch.setattr(Machine, "call", stop)
    page = tmp_path / "page.html"
    options = [] if command == "run" else ["--html", str(page)]
    assert main([command, program, "1", "40", "0", "--isa", "aarch64", *options]) == 130
    assert capsys.readouterr().err == "neonsim: interrupted\n"
    assert not page.exists()
