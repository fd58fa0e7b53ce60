"""Uninitialized data, through long loops: as step by step, in steps that do not grow with the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.binder import BoundInstruction
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.session import Session
from neonsim.arm.machine.trace import definedness_masks as rounds
from neonsim.arm.machine.trace.definedness import compute_definedness, known_bytes

ROUNDS = 3000
SUM = """
        {clear}
1:      ld1     {{v0.16b}}, [x0], #16
        uadalp  v1.8h, v0.16b
        {more}
        subs    x1, x1, #1
        b.ne    1b
        {end}
        ret
"""
MISSING = {"clear": "", "more": "mul v2.8h, v1.8h, v0.8h\nadd x5, x5, x1"}
ENDS = {
    "kept": "addv h0, v1.8h",
    "returned": "addv h0, v1.8h\nfmov w0, s0",
    "stored": "str q1, [x2]",
    "of the same": "eor v1.16b, v1.16b, v1.16b\nstr q1, [x2]",
    "decides": "cmp x5, #3\nb.ne 2f\n2:",
    "outside": "ldr q1, [x0, #256]",
    "saved": "mov x19, #1",
}


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    step = Session._step

    def counted(self: Session, *arguments: Any) -> None:
        found.append(1)
        step(self, *arguments)
    monkeypatch.setattr(Session, "_step", counted)
    return found


def outcome(rounds: int, engine: str | None = None, **text: str) -> tuple[Any, ns.Trace]:
    machine = ns.Machine()
    at = machine.memory.place(np.ones(16 * rounds, np.uint8), name="a")
    out = machine.memory.alloc(16, name="out")
    said: Any
    try:
        done = machine.call(ns.assemble(SUM.format(**text), isa="aarch64"), at, rounds, out, engine=engine)
        said = done.returned, done.warnings
    except ns.NeonsimError as problem:
        said = str(problem)
    return said, machine.trace()


@pytest.mark.parametrize("end", ENDS)
def test_a_register_that_nobody_has_cleared_costs_no_more_in_a_longer_loop(end: str, interpreted: list[int]) -> None:
    """The beginner's missing MOVI, and what comes of it: the interpreter does no more than some steps, with the trace
    up to there also of a run that fails."""
    _, trace = outcome(ROUNDS, end=ENDS[end], **MISSING)
    assert trace.steps >= 6 * ROUNDS
    assert len(interpreted) < 2_000, "the first ones, a look for repetition, the last ones"


SUM32 = "sum: vld1.8 {d0-d1}, [r0]!\n vpadal.u8 q8, q0\n subs r1, r1, #1\n bne sum\n vst1.8 {d16-d17}, [r2]\n bx lr"


def test_aarch32_costs_no_more_and_says_the_same(interpreted: list[int]) -> None:
    said = []
    for engine, many in ((None, ROUNDS), (None, 400), ("interpreter", 400)):
        machine, before = ns.Machine("aarch32"), len(interpreted)
        memory = machine.memory
        with pytest.raises(ns.NeonsimError, match=f"step {4 * many + 1}, vst1") as caught:
            machine.call(ns.assemble(SUM32, isa="aarch32"), memory.place(np.ones(16 * many, np.uint8), name="a"), many,
                         memory.alloc(16, name="out"), engine=engine)
        assert engine or len(interpreted) - before < 2_000
        said.append(str(caught.value))
    assert said[1] == said[2] and "d16" in said[1]


@pytest.mark.parametrize("end", ENDS)
def test_it_is_told_as_the_interpreter_tells_it(end: str) -> None:
    said, trace = outcome(300, end=ENDS[end], **MISSING)
    expected, other = outcome(300, "interpreter", end=ENDS[end], **MISSING)
    assert said == expected
    assert trace.defined == other.defined
    assert np.array_equal(trace.pc, other.pc)
    assert vars(trace.knowledge) == vars(other.knowledge)


@pytest.fixture
def instructions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often an instruction was done, for one step or for many."""
    found: list[int] = []
    once = BoundInstruction.__call__

    def counted(self: BoundInstruction, state: State) -> None:
        found.append(1)
        once(self, state)
    monkeypatch.setattr(BoundInstruction, "__call__", counted)
    return found


def test_what_was_known_is_found_in_lock_step(instructions: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """With each step done for itself it is the same; in lock-step a loop of twice the length takes hardly more."""
    counts = []
    for many in (200, 400):
        _, trace = outcome(many, end=ENDS["returned"], **MISSING)
        instructions.clear()
        found = compute_definedness(trace)
        counts.append(len(instructions))
    assert counts[0] < 150
    assert counts[1] < counts[0] + 10
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 1)
    monkeypatch.setattr(rounds, "LOOK", 1)
    instructions.clear()
    assert vars(compute_definedness(trace)) == vars(found)
    assert len(instructions) > 800


ALIASES = {     # what is known of two registers that hold one unknown value, in one block, in two, and from before
    "one block": "1: eor x7, x7, x6\neor x6, x6, x7\nmvn x6, x7\nadd x5, x5, #1\nsubs x1, x1, #1\nb.ne 1b",
    "two blocks": "1: add x7, x7, #1\nmov x6, x7\ncbz x1, 2f\n2: eor x5, x6, x7\nsubs x1, x1, #1\nb.ne 1b",
    "from before": "mvn x6, x7\n1: eor x5, x6, x7\nadd x4, x4, x7\nsubs x1, x1, #1\nb.ne 1b",
    "vectors": "ext v7.16b, v6.16b, v6.16b, #0\n1: sub v5.16b, v6.16b, v7.16b\nadd v4.8h, v4.8h, v7.8h\n"
               "subs x1, x1, #1\nb.ne 1b",
}


@pytest.mark.parametrize("name", ALIASES)
def test_two_registers_that_hold_one_unknown_value(name: str) -> None:
    """The interpreter knows that n ^ n is 0 whatever n is; so do the runs that are recorded."""
    found = []
    for engine in (None, "interpreter"):
        machine = ns.Machine()
        done = machine.call(ns.assemble(f"{ALIASES[name]}\nmov x0, x5\nret", isa="aarch64"), 0, 300, engine=engine)
        assert done.trace is not None
        found.append(([known_bytes(value) for value in machine.state.slots], done.warnings, vars(done.trace.knowledge)))
    assert found[0] == found[1]
