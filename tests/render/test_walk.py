"""A place in a run, and the rows of text that a terminal shows of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import neonsim as ns
from neonsim.render.terminal import KEYS, KINDS, View, screen
from neonsim.render.walk import Walk

SMLAL = 7  # steps done when the first SMLAL has been executed


def text(view: View, columns: int = 80, rows: int = 24) -> str:
    made = screen(view, columns, rows)
    assert len(made) == rows
    lines = ["".join(part for part, _ in row) for row in made]
    assert all(len(line) <= columns and line.isprintable() for line in lines)
    return "\n".join(lines)


def shown(view: View, register: str) -> list[tuple[str, int]]:
    """(sign, value) of each lane of a register, lane 0 first, from a screen that has all."""
    row = next(r for r in text(view, 200, 60).splitlines() if re.match(rf"{register} ", r))
    lanes = re.findall(r"([ :*#])\s*(-?\d+)(?=[ :*#]|$)", row[16:])
    return [(sign, int(value)) for sign, value in reversed(lanes)]


def test_every_state_and_memory_forwards_and_backwards(dot: ns.Trace) -> None:
    walk = Walk(dot)
    before = {b.name: b.before for b in dot.buffers}
    for step in (0, 3, SMLAL, dot.steps, SMLAL, 0):
        walk.goto(step)
        assert walk.state() == dot.state(step)
    walk.goto(dot.steps)
    assert walk.memory["c"].tobytes() == dot.state(dot.steps)["v16"]
    walk.goto(0)
    assert {name: data.tobytes() for name, data in walk.memory.items()} == before


def test_lanes_types_and_marks(dot: ns.Trace) -> None:
    view = View(Walk(dot))
    view.walk.goto(SMLAL)
    state = dot.state(SMLAL)
    assert shown(view, "v16") == [("#", int(v)) for v in np.frombuffer(state["v16"], np.int32)]
    v0 = [int(v) for v in np.frombuffer(state["v0"], np.int16)]
    assert shown(view, "v0") == [(":" if lane == 2 else " ", v) for lane, v in enumerate(v0)]
    for kind in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        view.kind = kind
        values = np.frombuffer(state["v16"], np.dtype({"u": "u", "s": "i"}[kind[0]] + str(int(kind[1:]) // 8)))
        assert [value for _, value in shown(view, "v16")] == values.tolist(), kind
    view.kind, view.lane0 = "s32", "left"
    assert [v for _, v in reversed(shown(view, "v16"))] == np.frombuffer(state["v16"], np.int32).tolist()
    assert set(KINDS) >= {"as used", "hex"}


def test_words_of_a_step(dot: ns.Trace) -> None:
    view = View(Walk(dot), "dot", {"v16": "vacc"}, ns.time(dot, core="cortex-a53"))
    assert "comes first" in text(view)
    view.walk.goto(SMLAL)
    before, after = (np.frombuffer(dot.state(s)["v16"], np.int32) for s in (SMLAL - 1, SMLAL))
    said = text(view)
    assert "smlal v16.4s, v1.4h, v0.h[2]" in said and "Multiply long" in said and "vacc" in said
    assert f"= {after[0]}, was {before[0]}" in said and "(modelled, cortex-a53)" in said
    view.lane = 3
    assert f"v16.s[3] = ({before[3]})" in text(view)
    assert ">   13" in said and ".   14" in said
    view.memory = True
    assert "met no memory" in text(view)
    view.walk.goto(dot.steps - 1)
    assert "stores 16 bytes to c" in text(view)
    assert all(str(v) in text(view) for v in np.frombuffer(dot.state(dot.steps)["v16"], np.int32))


def test_searches(dot: ns.Trace) -> None:
    walk = Walk(dot)
    pcs = walk.pcs_of_line(13)
    passes = [k + 1 for k, pc in enumerate(dot.pc) if pc == pcs[0]]
    assert (walk.next_of(pcs), passes[0]) == (SMLAL, SMLAL)
    walk.goto(passes[-1])
    assert (walk.next_of(pcs), walk.next_of(pcs, -1)) == (None, passes[-2])
    assert (walk.writer("v2", -1), walk.writer("v2"), walk.writer("v99")) == (1, None, None)


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (200, 60)])
def test_every_step_fits(dot: ns.Trace, size: tuple[int, int]) -> None:
    for memory in (False, True):
        view = View(Walk(dot), memory=memory)
        for step in range(dot.steps + 1):
            view.walk.goto(step)
            text(view, *size)
    view.help = True
    assert "run to a line" in text(view, *size)


def test_too_small(dot: ns.Trace) -> None:
    with pytest.raises(ns.BadArgument, match="make it larger"):
        screen(View(Walk(dot)), 40, 24)


def test_a_kernel_of_each_instruction_set() -> None:
    """Core registers, d registers, conditions that fail: nothing is out of place."""
    a32 = "mov r1, #2\n cmp r0, #3\n addne r1, r1, #1\n vmov.i32 d3, #7\n vadd.i16 d2, d3, d3\n bx lr"
    a64 = "mov x1, #2\n fmov s1, #1.5\n sub sp, sp, #16\n str s1, [sp]\n add sp, sp, #16\n ret"
    for source, isa in ((a32, "aarch32"), (a64, "aarch64")):
        trace = ns.Machine(isa=isa).call(ns.assemble(source, isa=isa), 3, trace=True).trace
        view = View(Walk(trace))
        said = []
        for step in range(trace.steps + 1):
            view.walk.goto(step)
            said.append(text(view))
        assert "not executed: condition ne" in said[3] if isa == "aarch32" else "stack + " in said[4]


def test_the_list_of_keys_fits_a_small_terminal(dot: ns.Trace) -> None:
    shown = text(View(Walk(dot), help=True))
    assert all(what in shown for _, what in KEYS)
