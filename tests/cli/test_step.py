"""`neonsim step` on a terminal of its own (a pty), key by key; and what it says where there is none."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from neonsim.cli import main
from tests.until import HANGS

DOT = """f:      mov     x3, #3
0:      ld1     {v0.8b}, [x0]           // a row
        uxtl    v1.8h, v0.8b
        add     v2.8h, v2.8h, v1.8h
        subs    x3, x3, #1
        b.ne    0b
        st1     {v2.8h}, [x1]
        ret
"""
SEEN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """`neonsim step` behind a pty; `text` is the last screen."""

    def __init__(self, *words: str, environment: dict[str, str] | None = None) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a suite in the background ignores it
            os.execve(sys.executable, [sys.executable, "-m", "neonsim", "step", *words],
                      {**os.environ, "TERM": "xterm", **(environment or {})})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.output = b""
        self.status: int | None = None

    def wait(self, said: str) -> str:
        """The screen, when it says this and is drawn to its end, or when nothing more comes."""
        while said not in self.text or ("\x1b[J" not in self.frame and "\x1b[?1049l" not in self.frame):
            assert select.select([self.fd], [], [], HANGS)[0], self.text
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                break
            self.output += data
        assert said in self.text, self.text
        return self.text

    def press(self, keys: str, said: str) -> str:
        os.write(self.fd, keys.encode())
        return self.wait(said)

    @property
    def raw(self) -> str:
        return self.output.decode("utf-8", "replace")

    @property
    def frame(self) -> str:
        return self.raw.rsplit("\x1b[H", 1)[-1]

    @property
    def text(self) -> str:
        return SEEN.sub("", self.frame)

    def end(self) -> int:
        """The exit status; whatever it writes last is in `output`."""
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.output += data
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def close(self) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "rows.s"
    path.write_text(DOT.replace("f:", "f:      movi    v2.8h, #0\n"))
    return str(path)


CALL = ("--isa", "aarch64", "row=u8:1,2,3,4,5,6,7,8", "sum=out:16")


@pytest.fixture
def terminal(program: str) -> Iterator[Terminal]:
    made = Terminal(program, *CALL, "--core", "cortex-a53", environment={"NO_COLOR": ""})
    yield made
    made.close()


def test_keys(terminal: Terminal) -> None:
    assert "comes first" in terminal.wait("step 0 of 19")
    assert "\x1b[?1049h" in terminal.raw and "(modelled, cortex-a53)" in terminal.text
    terminal.press("n", "step 1 of 19")
    terminal.press("\x1b[C\x1b[C\x1b[C\x1b[C", "step 5 of 19")
    assert "v2.h[0] = 0 + 1 = 1, was 0" in terminal.text
    assert re.search(r"v2 .*u16 #     8#     7#     6#     5#     4#     3#     2#     1", terminal.text)
    assert "\x1b[1;33m" in terminal.raw, "written lanes are coloured"
    terminal.press("p", "step 4 of 19")
    terminal.press("]", "step 9 of 19")
    terminal.press("[", "step 4 of 19")
    terminal.press("[", "not executed before")
    terminal.press("t", "registers u8")
    terminal.press("o", "lane 0 left")
    terminal.press("m", "met no memory")
    terminal.press("p", "loads 8 bytes from row")
    terminal.press("m", "registers u8")
    terminal.press("g17\r", "step 17 of 19")
    terminal.press("g99\r", "there is no step 99")
    terminal.press("\x1b[H", "step 0 of 19")
    terminal.press("l7\r", "step 7 of 19")
    terminal.press("l2\r", "line 2 is not executed after here")
    terminal.press("l99\r", "holds no instruction")
    terminal.press("wv1\r", "step 9 of 19")
    terminal.press("W\r", "step 4 of 19")
    terminal.press("wv77\r", "there is no register v77")
    terminal.press("@sum + 4\r", "is sum + 4")
    terminal.press("@nowhere\r", "'nowhere' is no region and no general register")
    terminal.press("m", "registers u8")
    terminal.press("b", "line 5: a breakpoint")
    terminal.press("c", "step 9 of 19")
    terminal.press("?", "run to a line")
    terminal.press("x", "step 9 of 19")
    terminal.press("z", "'z' is no key here")
    terminal.press("\x1b[F", "step 19 of 19")
    terminal.press(" ", "step 1 of 19")
    terminal.press(" x", "is no key here")
    os.write(terminal.fd, b"q")
    assert terminal.end() == 0 and terminal.raw.endswith("\x1b[0m\x1b[?25h\x1b[?1049l")


@pytest.mark.nightly
def test_without_colour_and_interrupted(program: str) -> None:
    """Ctrl-C gives the terminal back as it was: keys are echoed and come in lines again."""
    terminal = Terminal(program, *CALL, environment={"NO_COLOR": "1"})
    try:
        before = termios.tcgetattr(terminal.fd)
        terminal.wait("step 0 of 19")
        terminal.press("nnnnn", "step 5 of 19")
        assert "#     8#     7" in terminal.text and not re.search(r"\x1b\[[\d;]*[1-9]m", terminal.raw)
        assert not termios.tcgetattr(terminal.fd)[3] & termios.ECHO
        fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 30, 0, 0))
        terminal.wait("the terminal has 30 x 10")
        os.write(terminal.fd, b"\x03")
        terminal.wait("interrupted")
        assert termios.tcgetattr(terminal.fd)[3] == before[3]
        assert terminal.end() == 130 and "\x1b[?1049l" in terminal.raw
    finally:
        terminal.close()


@pytest.mark.nightly
def test_a_run_that_fails_is_shown_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "far.s"
    path.write_text("f: ld1 {v0.16b}, [x0], #16\n b f\n")
    terminal = Terminal(str(path), "--isa", "aarch64", "u8*32")
    try:
        assert "stops after here" in terminal.wait("step 4 of 4")
        terminal.press("p", "step 3 of 4")
        os.write(terminal.fd, b"q")
        assert terminal.end() == 0
    finally:
        terminal.close()


def test_not_a_terminal(capsys: pytest.CaptureFixture[str], program: str) -> None:
    assert main(["step", program, *CALL]) == 2
    assert "needs a terminal" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_kernel_by_name() -> None:
    terminal = Terminal("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "--at", "60")
    try:
        assert "vacc" in terminal.wait("step 60 of") and "a case of qu8_gemm_q31" in terminal.text
        os.write(terminal.fd, b"q")
        assert terminal.end() == 0
    finally:
        terminal.close()


@pytest.mark.nightly
def test_stops(program: str) -> None:
    terminal = Terminal(program, *CALL, "--stop", "x3 == 1", environment={"NO_COLOR": "1"})
    try:
        terminal.wait("step 0 of 19")
        terminal.press("c", "stopped: x3 == 1")
        assert "step 11 of 19" in terminal.text
        terminal.press("ssum[0] > 7\r", "stop at sum[0] > 7: ")
        terminal.press("swrite v2.h[0] if x3 < 3 && step > 1\r", "reached 2 times")
        terminal.press("c", "step 15 of 19")
        terminal.press("C", "step 11 of 19")
        terminal.press("C", "step 10 of 19")
        terminal.press("C", "no breakpoint is reached before here")
        terminal.press("sx3 = 8\r", "character 4: = means nothing here: == compares")
        terminal.press("S", "1   on  x3 == 1  (reached once)")
        terminal.press("1", "1  off  x3 == 1")
        terminal.press("x", "step 10 of 19")
        terminal.press("c", "step 15 of 19")
        terminal.press("sx3 == 1\r", "no stop at x3 == 1")
        terminal.press("\x1b[H", "step 0 of 19")
        terminal.press(" ", "stopped: write v2.h[0] if x3 < 3 && step > 1")
        assert "step 10 of 19" in terminal.text
        os.write(terminal.fd, b"q")
        assert terminal.end() == 0
    finally:
        terminal.close()


@pytest.mark.nightly
def test_a_wrong_stop_is_refused_before_anything_is_drawn(program: str) -> None:
    terminal = Terminal(program, *CALL, "--stop", "x3 = 1")
    try:
        assert terminal.end() == 2
        assert "character 4: = means nothing here: == compares" in terminal.raw and "\x1b[?1049h" not in terminal.raw
    finally:
        terminal.close()
