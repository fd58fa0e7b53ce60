"""Long work says on a terminal that it goes on, and Ctrl-C ends it in a sentence, with no half of a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from neonsim.cli import cost, main, progress
from neonsim.machine import Machine

LOOP = "f: add x2, x2, x0\nsubs x1, x1, #1\nb.ne f\nmov x0, x2\nret\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "loop.s"
    path.write_text(LOOP)
    return str(path)


@pytest.mark.parametrize(("command", "said"), [("time", "timing (122 steps) ..."),
                                               ("trace", "listing (122 steps) ...")])
def test_many_steps_are_said(command: str, said: str, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MANY", 100)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    core = ["--core", "cortex-a53"] if command == "time" else []
    assert main([command, program, "1", "40", "0", "--isa", "aarch64", *core]) == 0
    assert said in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K"), "and taken away again"
    terminal.truncate(0)
    assert main([command, program, "1", "20", "0", "--isa", "aarch64", *core]) == 0
    assert "steps)" not in terminal.getvalue()


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
