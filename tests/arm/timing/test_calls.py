"""Calls: what taken branches of each kind cost, and calls in a row, as who measures with checkasm makes them."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.timing import InstructionStream, StaticInstruction, load_core, simulate
from neonsim.arm.timing.stream import from_trace
from neonsim.errors import BadArgument

SCALE = """
.global scale
scale:  dup     v1.4s, w1                 // x0: n words, x1: n, in place
0:      ldr     q0, [x0]
        sqrdmulh v0.4s, v0.4s, v1.4s
        sqrdmulh v0.4s, v0.4s, v1.4s
        str     q0, [x0], #16
        subs    x1, x1, #4
        b.ne    0b
        ret
"""
SAVED = """
.global saved
saved:  push    {r4, lr}
        ldr     r4, [r0]
        add     r4, r4, #1
        str     r4, [r0]
        pop     {r4, pc}
"""


def trace_of(text: str, isa: str, *more: int) -> ns.Trace:
    machine = ns.Machine(isa=isa)
    a = machine.memory.place(np.arange(16, dtype=np.int32), name="a")
    result = machine.call(ns.assemble(text, isa=isa), a, *more, trace=True)
    assert result.trace is not None
    return result.trace


def pairs(first: str, second: str, count: int = 60) -> InstructionStream:
    """Two branches, both taken, over and over, none to where it has been."""
    ops = [StaticInstruction("branch_return" if text in ("ret", "br x1") else "branch", text) for text
           in (first, second) * count]
    return InstructionStream("aarch64", tuple(ops), range(len(ops)), [True] * len(ops))


@pytest.mark.parametrize(("core", "first", "second", "measured"), [
    ("cortex-a53", "bl f", "ret", 6.05), ("cortex-a53", "blr x1", "ret", 8.04), ("cortex-a53", "b f", "b f", 2 * 3.03),
    ("cortex-a53", "br x1", "br x1", 2 * 4.03), ("cortex-a72", "bl f", "ret", 6.48),
    ("cortex-a72", "blr x1", "ret", 11.98), ("cortex-a72", "br x1", "br x1", 2 * 3.02),
    ("neoverse-n1", "bl f", "ret", 6.26), ("neoverse-n1", "blr x1", "ret", 10.34),
    ("neoverse-n1", "b f", "b f", 2 * 2.76),
])
def test_taken_branches_as_measured(core: str, first: str, second: str, measured: float) -> None:
    """insn_bench: bl-ret, blr-ret, b (pc+8), adr -> br (pc+4); within a tenth."""
    start = simulate(pairs(first, second), load_core(core)).issue
    cycles = 2 * (start[-1] - start[20]) / (len(start) - 21)
    print(core, first, second, measured, cycles)
    assert cycles == pytest.approx(measured, rel=0.1)


def test_kinds_of_jumps() -> None:
    words = {"ret": "return", "bx lr": "return", "br x3": "indirect", "bx r3": "indirect", "blr x9": "call",
             "blx r3": "call", "bl f": "", "b.ne f": ""}
    for text, kind in words.items():
        plain = text.split()[0] in ("bl", "b.ne", "blr", "blx")
        assert StaticInstruction("branch" if plain else "branch_return", text).jump == kind, text
    assert [op.jump for op in from_trace(trace_of(SAVED, "aarch32")).ops] == ["", "", "", "", "return"]


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "neoverse-n1"])
def test_calls_in_a_row_overlap_out_of_order(core: str) -> None:
    """The tail of a call waits for its products; the next one is under way by then, but not on an in-order core."""
    trace = trace_of(SCALE, "aarch64", 4)
    one, four = ns.time(trace, core=core), ns.time(trace, core=core, calls=4)
    assert four.instructions == 4 * (one.instructions + 3)             # two arguments and BL
    assert four.instructions + sum(four.slots.values()) == four.core.width * four.cycles
    assert four.cycles_per_call == four.cycles / 4 and one.cycles_per_call == one.cycles
    assert "4 in a row" in str(four) and "in a row" not in str(one)
    assert four.cycles_per_call < one.cycles if core != "cortex-a53" else four.cycles > 3.5 * one.cycles


def test_calls_meet_in_memory() -> None:
    """The call works in place: each waits for what the one before it stored."""
    trace = trace_of(SCALE, "aarch64", 4)
    stream = from_trace(trace).in_a_row(2)
    apart = InstructionStream(stream.isa, stream.ops, stream.order, stream.taken, name=stream.name, calls=2)
    core = load_core("neoverse-n1")
    assert simulate(stream, core).cycles > simulate(apart, core).cycles


def test_what_makes_no_sense_is_refused() -> None:
    program = ns.assemble(SCALE, isa="aarch64")
    with pytest.raises(BadArgument, match="not a call"):
        ns.time(program, calls=4)
    with pytest.raises(BadArgument, match="calls"):
        ns.time(trace_of(SCALE, "aarch64", 4), calls=0)
