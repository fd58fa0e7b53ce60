"""`neonsim step`: commands through a pipe and through a terminal of its own (a pty)."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.cli.step import COMMANDS, _Stepper
from tests.until import HANGS

ROWS = """f:      movi    v2.8h, #0
        mov     x3, #3
0:      ld1     {v0.8b}, [x0]           // a row
        uxtl    v1.8h, v0.8b
        add     v2.8h, v2.8h, v1.8h
        subs    x3, x3, #1
        b.ne    0b
        st1     {v2.8h}, [x1]
        ret
"""
CALL = ("--isa", "aarch64", "row=u8:1,2,3,4,5,6,7,8", "sum=out:16")
KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "rows.s"
    path.write_text(ROWS)
    return str(path)


Say = Callable[..., list[str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, program: str) -> Say:
    """What is printed at the start, then for each of some commands that are piped in."""
    def said(*lines: str, words: Sequence[str] = (program, *CALL)) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"next?\n{line}\n" for line in lines)))
        assert main(["step", *words]) == 0
        shown = capsys.readouterr()
        assert not shown.err
        found = shown.out.split("'next?' is no command here; h lists them\n")
        assert len(found) == 1 + len(lines)
        return found
    return said


def test_a_step_says_what_it_reads_and_writes_and_what_comes_next(say: Say) -> None:
    start, one, five, back, first, last, end = say("s", "s 4", "b", "b 99", "g 17", "s 5")
    assert start.splitlines() == ["rows; h lists the commands", "step 0 of 19", "  next: line 1: movi v2.8h, #0"]
    assert one.splitlines()[:2] == ["step 1 of 19", "  line 1: movi v2.8h, #0  One constant in every lane."]
    assert [line.split() for line in five.splitlines()] == [
        ["step", "5", "of", "19"], ["line", "5:", "add", "v2.8h,", "v2.8h,", "v1.8h", "Add."],
        ["reads", "v2", "u16", *"00000000"], ["reads", "v1", "u16", *"87654321"], ["writes", "v2", "u16", *"87654321"],
        ["v2.h[0]", "=", "0", "+", "1"], ["next:", "line", "6:", "subs", "x3,", "x3,", "#1"]]
    assert "step 4 of 19" in back and "v1.h[0] = 1" in back and first == start.partition("\n")[2]
    assert "step 17 of 19" in last and "not executed" not in last
    assert "step 19 of 19" in end and "the run ends here" in end


def test_memory_registers_and_types(say: Say) -> None:
    _, load, buffers, row, there, unwritten, registers, wraps, bytes_, store, stored = say(
        "s 3", "m", "m row", "m x0 + 6", "m sum", "r", "w", "t s8", "g 18", "m sum")
    assert "loads 8 bytes from row" in load and "row: 8 bytes of u8 at 0x" in buffers and "sum: 16 bytes" in buffers
    assert row.splitlines()[1] == "  1 2 3 4 5 6 7 8" and there.startswith("row + 6: u8") and "  7 8\n" in there
    assert "-- has not been written" in unwritten and re.search(r"( --){8}\n", unwritten)
    assert re.search(r"^x0 .*\(row\)$", registers, re.M) and re.search(r"^v1 .*--$", registers, re.M)
    assert re.search(r"^flags +--$", registers, re.M)
    assert wraps == "no lane wrapped, saturated or lost bits\n"
    assert " s8 " in bytes_ and "stores 16 bytes to sum" in store and "3  6  9 12 15 18 21 24" in stored


def test_values(say: Say) -> None:
    found = say("g 18", *(f"p {text}" for text in (
        "x3", "v2.h[7]", "v2.h", "sum(v2.h)", "row", "row[2] == 3 and not x3", "row[2] == 3 && !x3", "max(row) / 0",
        "v9", "step + line", "2 << 40", "0.1")))[2:]
    assert [text.strip() for text in found] == ["0", "24", "24 21 18 15 12 9 6 3", "108", "1 2 3 4 5 6 7 8", "1", "1",
                                                "inf", "nan nan nan nan", "27", str(2 << 40), "0.1"]


def test_stops(say: Say, program: str) -> None:
    found = say("stop sum[0] > 2", "stop write v2.h[0] if x3 < 3 && step > 1", "c", "cb", "cb", "cb", "stop",
                "stop x3 == 1", "c", "g 19", "c", "c 3", words=(program, *CALL, "--stop", "x3 == 1", "--at", "12"))
    start, one, two, far, near, nearest, none, listed, gone, again, _, end, words = found
    assert "step 12 of 19" in start and one == "stop at sum[0] > 2: reached once\n" and "reached 2 times" in two
    assert "step 15 of 19" in far and far.endswith("stopped: write v2.h[0] if x3 < 3 && step > 1\n")
    assert near.endswith("stopped: x3 == 1\n") and "step 11 of 19" in near and "step 10 of 19" in nearest
    assert none == "no stop is reached before here\n"
    assert listed.splitlines()[0] == "stop at x3 == 1: reached once" and len(listed.splitlines()) == 3
    assert gone == "no stop at x3 == 1\n" and "step 15 of 19" in again and end == "no stop is reached after here\n"
    assert words == "c and cb take no arguments. Set a stop with stop, then continue with c\n"
    assert say("c", "stop")[1:] == ["there is no stop. Set one, as stop x2 == 8\n", "there is no stop\n"]


def test_wrong_input_gives_one_sentence(say: Say) -> None:
    wrong = {"z": "'z' is no command here", "s x": "a number of steps, not 'x'", "b -1": "not '-1'",
             "g": "not ''", "s 99999999999": "not '99999999999'", "p": "write something like",
             "p x99": "not a register",
             "p x3 = 1": "= is not valid here", "p v2": "", "p stack": "has 65536 values. Use m to show a buffer",
             "m nowhere": "'nowhere' is neither a region", "m 0x10": "is not in any region", "t q": "t needs used",
             "stop x3": "alone is not a condition", "stop x3 == ": "cannot be read",
             "stop line 99": "has no instruction",
             "p __import__('os').system('true')": "is not valid here", "p 9**9**9": "is not valid here",
             "p (lambda: 1)()": "cannot be read", "!ls": "no command", "\x1b[A": "no command"}
    for (line, part), text in zip(wrong.items(), say(*wrong)[1:], strict=True):
        assert part in text and text.count("\n") == 1, (line, text)


def test_every_command_is_listed(say: Say) -> None:
    listed = say("h", "help", "?")
    assert listed[1] == listed[2] == listed[3] and "write c[0,3]" in listed[1]
    words = " ".join(line[:17] for line in COMMANDS.splitlines()).split()
    assert {name[3:] for name in dir(_Stepper) if name.startswith("do_")} - {"EOF", "help"} <= set(words)


@pytest.mark.parametrize("core", ["", "cortex-a53"])
def test_a_kernel_by_name_with_its_names_and_cycles(say: Say, core: str) -> None:
    start, = say(words=(KERNEL, "--at", "60", *(["--core", core] if core else [])))
    assert "a case of qu8_gemm_q31" in start and " vb1 " in start and "step 60 of" in start
    assert ("(modelled, cortex-a53)" in start) == bool(core)


def test_a_run_that_fails_is_shown_up_to_there(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "far.s"
    path.write_text("f: ld1 {v0.16b}, [x0], #16\n b f\n")
    start, back = say("b", words=(str(path), "--isa", "aarch64", "u8*32"))
    assert "step 4 of 4" in start and "stops after here: " in start and "step 3 of 4" in back


def test_a_saved_run_that_was_changed_by_hand(say: Say, tmp_path: Path) -> None:
    result = ns.Machine().call(ns.assemble("f: mov x5, #3\n mov x6, x5\n ret\n", isa="aarch64"), trace=True)
    changed = result.changed(2, {"x6": 40}).trace
    assert changed is not None
    start, after, value = say("s 2", "p x6", words=(str(changed.save(tmp_path / "run.neontrace")),))
    assert "recorded before, read from" in start and "x6" in after.splitlines()[-2] and "40" in after.splitlines()[-2]
    assert value == "40\n"


def test_names_from_a_file_do_not_steer_the_terminal(say: Say, tmp_path: Path) -> None:
    machine = ns.Machine()
    row = machine.memory.place(np.arange(4, dtype=np.int32), name="a\x1b[2Jb")
    trace = machine.call(ns.assemble("f: ldr w1, [x0]\n ret\n", isa="aarch64"), row, trace=True).trace
    assert trace is not None
    found = say("s", "m", "m x0", "p zz", words=(str(trace.save(tmp_path / "run.neontrace")),))
    assert all("a\\x1b[2Jb" in text and "\x1b" not in text for text in found[1:])


def test_a32_and_conditions_that_fail(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "a32.s"
    path.write_text("mov r1, #2\n cmp r0, #3\n addne r1, r1, #1\n vmov.i32 d3, #7\n vadd.i16 d2, d3, d3\n bx lr\n")
    failed, added = say("s 3", "s 2", words=(str(path), "--isa", "aarch32", "3"))[1:]
    assert "not executed: condition ne does not hold" in failed and "writes" not in failed
    assert re.search(r"writes  q1 +u16 +0 +7 +0 +7 +0 +14 +0 +14\n", added)


def test_what_is_refused_before_a_command_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
                                                  program: str) -> None:
    for words, part in ((["--at", "20"], "--at must be 0 to 19; got 20"), (["--stop", "x3 = 1"], "=="),
                        (["--stop", "x3 == 1", "--stop", "x3 == 1"], "is given twice")):
        assert main(["step", program, *CALL, *words]) == 2
        shown = capsys.readouterr()
        assert part in shown.err and shown.err.count("\n") == 1 and not shown.out
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["step", program, *CALL]) == 2 and "which is closed" in capsys.readouterr().err


# ---- a pipe and a terminal

def test_a_pipe_of_bytes_that_are_no_text(program: str) -> None:
    done = subprocess.run([sys.executable, "-m", "neonsim", "step", program, *CALL], input=b"s 4\n\n\xff\xfe\n\0\n",
                          capture_output=True, check=False)
    assert done.returncode == 0 and not done.stderr
    text = done.stdout.decode()
    assert "step 8 of 19" in text, "an empty line repeats the last command"
    assert text.count("is no command here") == 2 and "(step)" not in text


class Terminal:
    """`neonsim step` behind a pty."""

    def __init__(self, *words: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a suite in the background ignores it
            os.execve(sys.executable, [sys.executable, "-m", "neonsim", "step", *words],
                      {**os.environ, "TERM": "dumb"})
        self.text, self.status = "", -1

    def read(self, keys: bytes = b"") -> bool:
        """Whether something came. `keys` are typed again while nothing does: what interrupts may come too early."""
        end = time.monotonic() + HANGS
        while not select.select([self.fd], [], [], 1)[0]:
            assert time.monotonic() < end, self.text
            os.write(self.fd, keys)
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            data = b""
        self.text += data.decode("utf-8", "replace").replace("\r", "")
        return bool(data)

    def type(self, keys: str) -> str:
        """What is said until the next prompt, or to the end."""
        os.write(self.fd, keys.encode())
        return self.answer(keys.encode() if keys == "\x03" else b"")

    def answer(self, keys: bytes = b"") -> str:
        self.text = ""
        while not self.text.endswith("(step) "):
            if not self.read(keys):
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
                break
        return self.text

    def close(self) -> None:
        if self.status < 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal(program: str) -> Iterator[Terminal]:
    made = Terminal(program, *CALL)
    yield made
    made.close()


def test_in_a_terminal_and_ended_by_ctrl_d(terminal: Terminal) -> None:
    assert "step 0 of 19" in terminal.answer()
    assert "step 5 of 19" in terminal.type("s 5\n")
    assert "'z' is no command here" in terminal.type("z\n")
    terminal.type("\x04")
    assert terminal.status == 0 and "Traceback" not in terminal.text


@pytest.mark.nightly
@pytest.mark.parametrize(("keys", "status"), [("q\n", 0), ("\x03", 130)])
def test_other_ends(terminal: Terminal, keys: str, status: int) -> None:
    terminal.answer()
    assert ("interrupted" in terminal.type(keys)) == (status == 130)
    assert terminal.status == status and "Traceback" not in terminal.text
