"""Work that makes somebody wait says so, on a terminal only, and Ctrl+C ends it with a word."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import neonsim.cli.check
import neonsim.cli.prove
from neonsim.arm.machine import Machine
from neonsim.cli import main, progress, time, trace
from tests.until import until

SUMS = "qu8_sumrows_4x__aarch32_neon"
LOOP = "f: add x2, x2, x0\nsubs x1, x1, #1\nb.ne f\nmov x0, x2\nret\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """In the test itself: pytest takes standard error once more when a test begins."""
    made = _Terminal()
    monkeypatch.setattr("sys.stderr", made)
    return made


def _options(json: bool = False) -> argparse.Namespace:
    return argparse.Namespace(json=json)


def test_what_takes_long_is_said_and_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    with progress.waiting("proving 4x8x\x1b9", _options()):
        until(lambda: terminal.getvalue() == "proving 4x8x\\x1b9 ...", "the line", 30.0)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_what_is_soon_done_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "AFTER", 3600.0)
    with progress.waiting("saving", _options()):
        pass
    monkeypatch.setattr(progress, "AFTER", 0.0)
    with progress.waiting("saving", _options(json=True)):
        pass
    assert not terminal.getvalue()


@pytest.mark.parametrize(("module", "name", "line", "said"), [
    (neonsim.cli.check, "check", f"check {SUMS}", ""),
    (neonsim.cli.prove, "same", f"prove kernels {SUMS} {SUMS} --shapes 1x1x1", "proving 1x1x1"),
    (neonsim.cli.prove, "safe", f"prove safe {SUMS}", "proving")])
def test_interrupted(module: Any, name: str, line: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "AFTER", 0.0)

    def stopped(*given: Any, **options: Any) -> None:
        if said:
            until(lambda: said in terminal.getvalue(), "the line", 30.0)
        raise KeyboardInterrupt
    monkeypatch.setattr(module, name, stopped)
    assert main(line.split()) == 130
    assert terminal.getvalue().endswith((f"{said} ...\r\x1b[K" if said else "") + "neonsim: interrupted\n")


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "loop.s"
    path.write_text(LOOP)
    return str(path)


@pytest.mark.parametrize(("module", "command", "said"), [
    (time, "time --core cortex-a53", "timing (122 steps)"), (trace, "trace", "listing (122 steps)")])
def test_steps_are_said(module: Any, command: str, said: str, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []

    @contextmanager
    def waiting(text: str, options: argparse.Namespace) -> Iterator[None]:
        texts.append(text)
        yield
    monkeypatch.setattr(module, "waiting", waiting)
    assert main([*command.split(), program, "1", "40", "0", "--isa", "aarch64"]) == 0
    assert texts == [said]


@pytest.mark.parametrize("command", ["run", "trace", "time"])
def test_an_interrupt_is_one_sentence(command: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt
    if command == "time":
        monkeypatch.setattr(time, "time", stop)
    else:
        monkeypatch.setattr(Machine, "call", stop)
    page = tmp_path / "page.html"
    options = [] if command == "run" else ["--html", str(page)]
    assert main([command, program, "1", "40", "0", "--isa", "aarch64", *options]) == 130
    assert capsys.readouterr().err == "neonsim: interrupted\n"
    assert not page.exists()
