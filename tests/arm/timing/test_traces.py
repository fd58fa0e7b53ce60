"""Real traces: recorded runs priced as they ran, lock-step runs like single ones, the faces' page."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.timing import count, load_core
from neonsim.arm.timing.stream import from_trace
from neonsim.errors import BadArgument, TimingError
from tests.work import calls

DOT = """
.global dot
dot:                                    // x0: n bytes, x1: n, x2: n bytes, x3: result
        movi    v4.4s, #0
0:      ld1     {v0.8b}, [x0], #8
        ld1     {v1.8b}, [x2], #8
        umull   v2.8h, v0.8b, v1.8b
        uadalp  v4.4s, v2.8h
        subs    x1, x1, #8
        b.ne    0b
        addv    s0, v4.4s
        str     s0, [x3]
        ret
"""
PICK = """
.global pick
pick:   cmp     r0, r1
        movlo   r0, r1                  @ the condition fails when r0 is the larger
        bx      lr
"""


def run(n: int, grid: ns.Grid | None = None) -> ns.CallResult:
    machine = ns.Machine(isa="aarch64")
    a = machine.memory.place(np.arange(n, dtype=np.uint8), name="a")
    b = machine.memory.place(np.full(n, 3, np.uint8), name="b")
    tiles = grid.rows * grid.cols if grid else 1
    c = machine.memory.alloc(4 * tiles, name="c")
    program = ns.assemble(DOT, isa="aarch64")
    if grid is None:
        return machine.call(program, a, n, b, c, entry="dot", trace=True)
    places = c + 4 * np.arange(tiles).reshape(grid.rows, grid.cols)
    return machine.call(program, a, n, b, places, entry="dot", trace=True, tiles=grid)


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "ideal-1", "ideal-mul-add"])
def test_trace_is_timed_as_it_ran(core: str) -> None:
    result = run(64)
    timing = ns.time(result.trace, core=core)
    assert timing.instructions == result.steps == 1 + 8 * 6 + 3
    assert timing.macs == 64
    assert timing.cycles >= timing.bounds.highest
    assert ns.time(result, core=core).cycles == timing.cycles


def test_taken_branches_are_those_that_jumped() -> None:
    stream = ns.time(run(24).trace).stream
    jumps = [stream.ops[index].text for index, taken in zip(stream.order, stream.taken, strict=True) if taken]
    assert [text.split()[0] for text in jumps] == ["b.ne", "b.ne", "ret"]


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_lock_step_is_priced_like_a_single_run(core: str) -> None:
    single, many = run(64), run(64, ns.Grid(rows=3, cols=2))
    one, all_ = ns.time(single.trace, core=core), ns.time(many.trace, core=core)
    assert (one.cycles, one.slots, one.instructions) == (all_.cycles, all_.slots, all_.instructions)


def test_counts_of_a_trace() -> None:
    counted = count(run(64).trace)
    assert (counted.macs, counted.multiplies, counted.classes["asimd_add_acc_pair"]) == (64, 8, 8)


def test_failed_condition_takes_its_slot() -> None:
    machine = ns.Machine(isa="aarch32")
    result = machine.call(ns.assemble(PICK, isa="aarch32"), 7, 3, entry="pick", trace=True)
    assert result.returned == 7
    assert ns.time(result.trace, core="ideal-1").cycles == 3


def test_trace_of_the_wrong_instruction_set(tmp_path: Path) -> None:
    text = Path(load_core("ideal-1").path).read_text(encoding="utf-8").replace('["aarch32", "aarch64"]', '["aarch32"]')
    path = tmp_path / "old.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TimingError, match=r"runs aarch32, but .* is aarch64"):
        ns.time(run(8).trace, core=path)


def test_trace_takes_no_loop_arguments() -> None:
    with pytest.raises(BadArgument, match="do not apply to a trace"):
        ns.time(run(8).trace, iterations=3)


def test_cold_timing_pickles() -> None:
    timing = ns.time(run(64).trace, core="cortex-a72", caches="cold")
    again = pickle.loads(pickle.dumps(timing))
    assert (again.cycles, again.traffic, str(again)) == (timing.cycles, timing.traffic, str(timing))


def test_page(tmp_path: Path) -> None:
    path = ns.time(run(16).trace, core="cortex-a72").to_html(tmp_path / "timing.html")
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text and "cortex-a72" in text and "modelled" in text


@pytest.mark.parametrize(("isa", "line", "register"), [
    ("aarch64", "ld1 {v0.b}[1], [x0], #1", "v0"), ("aarch32", "vld1.8 {d0[1]}, [r0]!", "d0"),
    ("aarch32", "vmov.32 d0[0], r1", "d0"), ("aarch32", "vld2.8 {d0[1], d1[1]}, [r0]!", "d1"),
], ids=["a64_lane", "a32_lane", "a32_move", "a32_structure"])
def test_what_a_lane_is_put_into_is_read(isa: str, line: str, register: str) -> None:
    program = ns.assemble(f"top: {line}\nb top", isa=isa)
    op = ns.time(program, core="cortex-a72").stream.ops[0]
    assert ("d", register) in op.reads


def test_lanes_merge_after_the_load() -> None:
    """A chain of lane loads into one register: on the A72 the merge of 3 cycles, not the whole 8 of the load."""
    program = ns.assemble("top: ld1 {v0.b}[1], [x0]\nb top", isa="aarch64")
    assert ns.time(program, core="cortex-a72").cycles_per_iteration == 3


@pytest.mark.parametrize(("line", "timing"), [
    ("add x0, x1, x2, lsl #3", "alu_shift_light"), ("add x0, x1, x2, lsl #5", "alu_shift"),
    ("add x0, x1, w2, uxtw", "alu_shift"), ("and x0, x1, x2, lsr #9", "alu_shift_light"),
    ("ands x0, x1, x2, lsl #1", "alu_shift"), ("add x0, x1, x2", "alu"), ("movz x0, #1, lsl #16", "mov"),
    ("lsl x0, x1, #3", "shift_imm"), ("lsl x0, x1, x2", "shift_reg"), ("bfi x0, x1, #3, #4", "bitfield_insert"),
], ids=lambda value: value)
def test_shifted_operands_have_classes_of_their_own(line: str, timing: str) -> None:
    program = ns.assemble(f"top: {line}\nb top", isa="aarch64")
    assert ns.time(program, core="cortex-a53").stream.ops[0].timing == timing


def test_a_trace_becomes_a_stream_without_an_object_a_step() -> None:
    """The instructions of a loop are made once, whatever its turns, and its columns stay arrays."""
    text = "f: ldr x3, [x0], #8\nadd x2, x2, x3\nprfm pldl1keep, [x0]\nsubs x1, x1, #1\nb.ne f\nret"
    program = ns.assemble(text, isa="aarch64")

    def trace(turns: int) -> ns.Trace:
        machine = ns.Machine()
        at = machine.memory.place(np.arange(turns + 1, dtype=np.uint64), name="a")
        return machine.call(program, at, turns, 0).trace
    few = trace(20)
    stream = from_trace(few)
    assert list(stream.taken) == [few.instruction(k).is_branch and few.branch_taken(k) for k in range(few.steps)]
    loads = [row[:2] for k in range(few.steps) for row in few.accesses(k)]
    assert [touch for touch in stream.touches if touch[1] == 8] == loads
    assert stream.touches[2] == (loads[1][0], 1), "a prefetch: its address, and no access"
    assert list(stream.touches) == [stream.touches[k] for k in range(few.steps)]
    program = ns.assemble(text.replace("prfm pldl1keep, [x0]\n", ""), isa="aarch64")
    few, many = trace(200), trace(2000)
    from_trace(few)
    assert calls(lambda: from_trace(many)) <= calls(lambda: from_trace(few)) + 5
