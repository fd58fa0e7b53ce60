"""Values changed by hand at a step: the run goes on with them, and the trace says so."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import rerun_with_edits
from neonsim.errors import BadArgument, MachineError, MemoryFault
from neonsim.render.stepper.cursor import TraceCursor

# Two passes: c[i] = a[i] + 1, summed into v3; x0 counts down.
TEXT = """
        movi v1.4s, #1
        movi v3.4s, #0
        mov w9, #2
pass:   ldr q0, [x1], #16
        add v2.4s, v0.4s, v1.4s
        add v3.4s, v3.4s, v2.4s
        str q2, [x2], #16
        subs w9, w9, #1
        b.ne pass
        umov w0, v3.s[1]
        ret
"""
A = np.arange(8, dtype=np.int32).reshape(2, 4)
AFTER_PASS = 9   # steps: the first pass is done


def called(poison: int = 0) -> Any:
    machine = ns.Machine("aarch64", poison=poison)
    a = machine.memory.place(A, name="a")
    c = machine.memory.alloc(32, name="c")
    return machine.call(ns.assemble(TEXT, "aarch64"), 0, a, c)


def lanes(trace: Any, step: int, register: str, kind: str = "<i4") -> list[Any]:
    return np.frombuffer(trace.state(step)[register], kind).tolist()


def test_a_lane() -> None:
    result = called()
    assert result.returned == (1 + 1) + (5 + 1)
    changed = result.changed(AFTER_PASS, {"v3.s32[1]": -40})
    trace = changed.trace
    assert changed.returned == 2 ** 32 - 40 + 6
    assert lanes(trace, AFTER_PASS, "v3") == [1, -40, 3, 4]
    assert trace.state(AFTER_PASS, edits=False) == result.trace.state(AFTER_PASS)
    assert trace.state(AFTER_PASS - 1) == result.trace.state(AFTER_PASS - 1)
    assert np.array_equal(trace.pc, result.trace.pc)
    assert [str(one) for one in trace.changes] == [f"changed by hand at step {AFTER_PASS}: v3.s32[1] 2 -> -40"]
    assert f"changed by hand at step {AFTER_PASS}: v3.s32[1] 2 -> -40" in trace.to_text()
    assert result.returned == 8 and result.trace.changes == ()  # the run itself stays


@pytest.mark.parametrize(("name", "value", "step", "want"), [
    ("v3.s[1]", 7, AFTER_PASS, 7 + 6), ("v3.u32[1]", 2 ** 32 - 1, AFTER_PASS, 5), ("v3.b[4]", 127, AFTER_PASS, 133),
    ("v3.u16[3]", 1, AFTER_PASS, 0x10002 + 6), ("v3.d[0]", 5 << 32, AFTER_PASS, 5 + 6), ("v3", 9 << 32, AFTER_PASS, 15),
    ("v3.f32[1]", 1.5, AFTER_PASS, 0x3FC00000 + 6), ("v3.f16[2]", "1.5", AFTER_PASS, 0x3E00 + 6),
    ("q3", np.array([1, 2, 3, 4], np.int32), AFTER_PASS, 2 + 6), ("d3", 3 << 32, AFTER_PASS, 3 + 6),
    ("a[1,1]", 100, AFTER_PASS, 2 + 101), ("a[5]", "0x64", AFTER_PASS, 103), ("a.u8[20]", 255, 0, 2 + 256),
    ("w9", 1, 4, 2), ("x9", 1, 4, 2), ("z", 1, AFTER_PASS - 1, 2), ("nzcv", 4, AFTER_PASS - 1, 2),
    ("v1.s[1]", 10, 0, 2 + 6), ("v1.s[1]", 10, 1, 11 + 15),
])
def test_places(name: str, value: Any, step: int, want: int) -> None:
    assert called().changed(step, {name: value}).returned == want


def test_memory_goes_on() -> None:
    result = called()
    trace = result.changed(AFTER_PASS, {"c.s32[1]": 77, "a[1,0]": -1}).trace
    assert [(one.name, one.was, one.now, one.place, one.offset) for one in trace.changes] == [
        ("c.s32[1]", "2", "77", "c", 4), ("a[1,0]", "4", "-1", "a", 16)]
    assert [one.before for one in trace.buffers] == [one.before for one in result.trace.buffers]
    assert lanes(trace, trace.steps, "v2") == [0, 6, 7, 8]
    first = result.changed(0, {"a[0,0]": 9}).trace
    assert [one.before[:4] for one in first.buffers if one.name == "a"] == [b"\x09\0\0\0"]


def test_on_and_on() -> None:
    """Changes pile up; one before an earlier one drops it, for the run goes on from there."""
    result = called(poison=3)
    two = result.changed(0, {"x9": 5}).changed(AFTER_PASS, {"v3.s[1]": 7}).changed(12, {"v3.s[2]": 1})
    assert [(one.step, one.was, one.now) for one in two.trace.changes] == [
        (0, "unwritten", "5"), (AFTER_PASS, "2", "7"), (12, "10", "1")]
    assert two.returned == 13
    earlier = two.changed(5, {"v3.s[1]": 1})
    assert [one.step for one in earlier.trace.changes] == [0, 5] and earlier.returned == 9
    assert two.trace.initial["v7"] == result.trace.initial["v7"]  # junk included


def test_what_nobody_wrote_is_said_so() -> None:
    trace = called().changed(4, {"c.s32[7]": 1, "v9.s[0]": 2, "qc": 1}).trace
    assert [(one.was, one.now) for one in trace.changes] == [("unwritten", "1"), ("unwritten", "2"), ("0", "1")]
    flags = called().changed(1, {"n": 1, "v": 1}).trace
    assert [one.was for one in flags.changes] == ["unwritten"] * 2
    assert flags.state(1)["nzcv"][0] & 9 == 9


@pytest.mark.parametrize(("name", "value", "words"), [
    ("v3.s32[1]", 2 ** 31, "v3.s32[1] (s32) must be in -2147483648..2147483647; got 2147483648."),
    ("v3.u8[1]", -1, "v3.u8[1] (u8) must be in 0..255; got -1."), ("v3.s[1]", 2 ** 32, "-2147483648..4294967295"),
    ("v3.s[1]", 1.5, "must be an integer"), ("v3.s[1]", "1.5", "must be an integer; got '1.5'"),
    ("v3.f32[1]", 1e39, "must be -3.40282e+38 to 3.40282e+38"), ("v3.f16[1]", 65520.0, "-65504 to 65504"),
    ("v3.f32[1]", "x", "must be a number"), ("v3.s[4]", 0, "lanes 0 to 3"), ("v32.s[0]", 0, "unknown register 'v32'"),
    ("v3.s", 0, "lanes 0 to 3 of 32 bits: write v3.s[0]"), ("v3.k[0]", 0, "is not an element type"),
    ("x2.s[0]", 0, "has no lanes"), ("n", 2, "must be in 0..1"), ("pc", 0, "current location of the run"),
    ("a[1,4]", 0, "elements 0 to 3"), ("a[8]", 0, "a has 8 elements of s32, the last is a[7]"), ("a", 0, "name one of"),
    ("nowhere[0]", 0, "unknown register 'nowhere'"), ("", 0, "is not a register"), ("x2", 2 ** 64, "must be in"),
    ("a[1][2]", 0, "is not a register"), ("a[x]", 0, "the index must be one number or two"),
    ("r.o[0]", 1, "unknown register"),
    ("q3", np.zeros(3, np.int32), "an array of 16 bytes"), (3, 4, "is not a register"),
])
def test_refused_in_a_sentence_and_nothing_changed(name: Any, value: Any, words: str) -> None:
    result = called()
    with pytest.raises(BadArgument) as caught:
        result.changed(4, {"x9": 1, name: value})
    assert words in str(caught.value) and "\n" not in str(caught.value)
    machine = ns.Machine()
    machine.start(ns.assemble("mov x9, #3\n ret", "aarch64"))
    machine.step()
    with pytest.raises(BadArgument):
        machine.change({"x9": 1, "x99": 1})
    assert machine.registers["x9"] == 3 and machine.trace().changes == ()


def test_refused_runs() -> None:
    result = called()
    with pytest.raises(BadArgument, match=f"the step of a change must be in 0..{result.steps - 1}"):
        result.changed(result.steps, {"x0": 1})
    with pytest.raises(BadArgument, match="at least one"):
        result.changed(1, {})
    result.trace = None
    with pytest.raises(BadArgument, match="has no trace"):
        result.changed(1, {"x0": 1})
    machine = ns.Machine()
    machine.memory.place(np.zeros(4, np.uint8), name="fixed", readonly=True)
    program = ns.assemble("nop\n ret", "aarch64")
    with pytest.raises(BadArgument, match="read-only"):
        machine.call(program).changed(0, {"fixed[0]": 1})
    machine.start(program)
    machine.run()
    with pytest.raises(MachineError, match="no instruction would use"):
        machine.change({"x0": 1})


def test_a_run_that_fails_with_it_is_shown_up_to_there() -> None:
    result = called()
    with pytest.raises(MemoryFault):
        result.changed(AFTER_PASS, {"x1": 64})
    trace, problem = rerun_with_edits(result.trace, AFTER_PASS, {"x1": 64})
    assert isinstance(problem, MemoryFault) and trace.steps == AFTER_PASS and len(trace.changes) == 1


def test_back_takes_a_change_with_its_step() -> None:
    machine = ns.Machine()
    machine.memory.place(A, name="a")
    machine.start(ns.assemble("mov x9, #3\n add x0, x9, #1\n ret", "aarch64"))
    machine.step()
    machine.change({"x9": 10, "a[0]": 50})
    machine.step()
    assert machine.registers["x0"] == 11
    machine.back()
    machine.change({"x19": 1})
    machine.back()
    assert machine.trace().changes == () and machine.memory.fetch("a")[0, 0] == 0
    machine.step(2)
    assert machine.registers["x0"] == 4
    machine.back()
    machine.change({"x9": 20})  # after going back it is noted as well
    machine.run()
    assert machine.registers["x0"] == 21 and [one.now for one in machine.trace().changes] == ["20"]
    assert machine.trace().state(1)["x9"][0] == 20 and machine.trace().state(1, edits=False)["x9"][0] == 3


def test_a_program_with_data_of_its_own_and_arm_state() -> None:
    text = """
        .data
count:  .word 5
        .text
        ldr r1, =count
        ldr r0, [r1]
        add r0, r0, #1
        str r0, [r1]
        bx lr"""
    machine = ns.Machine("aarch32")
    program = ns.assemble(text, "aarch32")
    machine.call(program)
    second = machine.call(program)  # begins with the 6 of the first call
    assert second.returned == 7
    changed = second.changed(2, {"r0": 40})
    assert changed.returned == 41 and second.changed(0, {"q2.s16[0]": 1}).returned == 7
    assert second.changed(1, {".data.s32[0]": 10}).returned == 11


def test_in_a_file(tmp_path: Path) -> None:
    trace = called().changed(AFTER_PASS, {"v3.s32[1]": -40, "a[1,1]": 5}).trace
    assert pickle.loads(pickle.dumps(trace)).changes == trace.changes
    again = ns.load_trace(trace.save(tmp_path / "a.neontrace"))
    assert again.changes == trace.changes and again.state(AFTER_PASS) == trace.state(AFTER_PASS)


def test_walked_through_in_a_terminal() -> None:
    trace = called().changed(AFTER_PASS, {"c[4]": 65, "v3.s32[1]": -40, "a[1,1]": 5}).trace
    walk = TraceCursor(trace)
    for step in (AFTER_PASS, trace.steps, AFTER_PASS - 1, AFTER_PASS):
        walk.goto(step)
        known = (walk.memory["a"].tobytes()[20:24], walk.memory["c"].tobytes()[4])
        assert (known[1] == 65) == (step >= AFTER_PASS) and [one.name for one in walk.edits()] == [
            "c[4]", "v3.s32[1]", "a[1,1]"] * (step == AFTER_PASS), step
    assert walk.state()["v3"] == trace.state(AFTER_PASS)["v3"] and walk.written_locations() == []
