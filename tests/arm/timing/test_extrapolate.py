"""A long loop put together from a short one is the loop simulated in full, to the last column."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest

from neonsim.arm.timing import InstructionStream, StaticInstruction, cores, load_core, load_cores, loop_heads, simulate
from neonsim.arm.timing.pipeline.base import decode
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.pipeline.unaligned import without_addresses
from neonsim.arm.timing.simulation import pipeline_of
from neonsim.arm.timing.stream import from_loop
from neonsim.ukernel import kernels
from tests.tiers import every
from tests.work import calls

KERNELS = kernels()
# Multiplies that hold their pipe for two cycles, chains and loads, an odd number of instructions: states that take
# several iterations to come back.
ODD = [
    *[StaticInstruction("asimd_mul", "mul", "q", 32, reads=(("n", "v0"), ("m", "v1")), writes=(("d", f"v{k}"),)) for k
      in (2, 3, 4)],
    StaticInstruction("asimd_add", "add", "q", 32, reads=(("n", "v2"),), writes=(("d", "v5"),)),
    StaticInstruction("ldr", "ldr", reads=(("base", "x0"),), writes=(("t", "x1"), ("base", "x0")), nbytes=8),
    StaticInstruction("asimd_ext", "ext", "q", 8, reads=(("n", "v5"), ("m", "v6")), writes=(("d", "v6"),)),
    StaticInstruction("asimd_add_acc_pair", "uadalp", "q", 8, reads=(("n", "v6"), ("a", "v7")), writes=(("d", "v7"),)),
]


def in_full(stream: InstructionStream, core: str) -> object:
    """The plain model leaves nothing out."""
    return simulate(stream, load_core(core), method="plain")


@pytest.mark.parametrize(("core", "iterations"), every(5, (
    (core, (60, 101)[at // 2 % 2]) for at, core in enumerate(sorted(cores())))))
def test_kernels(core: str, iterations: int) -> None:
    program = next(k for k in KERNELS[iterations % len(KERNELS):] if k.isa in load_core(core).isas).program()
    heads = loop_heads(program)
    stream = from_loop(program, max(heads, key=lambda head: heads[head][1] - heads[head][0]), iterations)
    assert simulate(stream, load_core(core)) == in_full(stream, core)


@pytest.mark.parametrize("core", every(5, sorted(cores(), reverse=True)))
def test_states_that_come_back_late(core: str) -> None:
    for length in range(1, 8):
        stream = InstructionStream.of_ops(ODD[-length:], iterations=97, isa=load_core(core).isas[-1])
        assert simulate(stream, load_core(core)) == in_full(stream, core), length


def test_an_iteration_more_of_a_loop_is_no_iteration_to_simulate() -> None:
    """Three calls of functions are left for each: its columns are put together from those of another."""
    core = load_core("cortex-a72")

    def long(iterations: int) -> None:
        run = simulate(InstructionStream.of_ops(ODD, iterations=iterations), core)
        assert len(run.issue) == len(ODD) * iterations
    few, many = (calls(partial(long, count)) for count in (1_000, 10_000))
    assert many - few < 5 * 9_000


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "neoverse-n1"])
def test_loops_in_loops_are_left_out_in_one_run(core: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run with a small part of the path in it, inner loops left out in outer ones, the same to the last column."""
    found: list[tuple[int, int]] = []
    pipeline: Any = pipeline_of(load_core(core))
    run = pipeline.run

    def counted(self: Any) -> Any:
        done = run(self)
        found.append((len(done.issue), len(self.skips)))
        return done

    monkeypatch.setattr(pipeline, "run", counted)
    inner, edge = list(range(len(ODD))), [0, 3, 4]
    row = [*edge, *(inner * 40), *edge]
    order = row * 30
    ends = [*([False] * 2), True, *(([False] * (len(ODD) - 1) + [True]) * 40), *([False] * 2), True]
    stream = InstructionStream("aarch64", tuple(ODD), order, ends * 30)
    folded = simulate(stream, load_core(core))
    assert len(found) == 1 and 5 * found[0][0] < len(order) and found[0][1] > 2
    assert folded == in_full(stream, core)


def test_a_loop_that_is_left_late_is_predicted_wrongly_as_in_full() -> None:
    """Turns that are left out count for the branch that ends the loop, also within other loops."""
    branch = StaticInstruction("branch", "b.ne", reads=(("flags", "nzcv"),))
    ops = (*ODD, branch)
    turn = list(range(len(ops)))
    for turns in (6, 9, 40):            # the Cortex-A53 learns eight
        taken = ([False] * len(ODD) + [True]) * (turns - 1) + [False] * len(ops) + [False, False, True]
        order = turn * turns + [0, 1, len(ODD)]
        stream = InstructionStream("aarch64", ops, order * 25, taken * 25)
        for core in ("cortex-a53", "cortex-a72"):
            assert simulate(stream, load_core(core)) == in_full(stream, core)


WORK = (StaticInstruction("ldr", "ldr", bits=64, reads=(("base", "x0"),), writes=(("t", "x1"),), nbytes=8),
        StaticInstruction("ldr", "ldr", bits=64, reads=(("base", "x1"),), writes=(("t", "x2"),), nbytes=4),
        StaticInstruction("str", "str", bits=64, reads=(("t", "x1"), ("base", "x0")), nbytes=8),
        StaticInstruction("str", "str", bits=64, reads=(("t", "x4"), ("base", "x5")), nbytes=8),
        StaticInstruction("alu", "add", bits=64, reads=(("n", "x2"),), writes=(("d", "x4"),)),
        StaticInstruction("branch", "b.ne"))


def walk(random: Random, turns: int, apart: bool) -> InstructionStream:
    """A loop whose accesses walk on by a stride each; not always aligned. apart: stores are read by nobody."""
    body = [*(random.randrange(len(WORK) - 1) for _ in range(12)), len(WORK) - 1]
    first = [8 * random.randrange(60) + random.choice((0, 0, 4, 1)) for _ in body]
    stride = [random.choice((0, 4, 8, 16, 64)) for _ in body]
    away = 1 << 20 if apart else 0
    touches = [(4096 + first[k] + stride[k] * turn + away * ("str" in WORK[at].text), WORK[at].nbytes)
               if WORK[at].nbytes else (0, 0) for turn in range(turns) for k, at in enumerate(body)]
    taken = ([False] * (len(body) - 1) + [True]) * (turns - 1) + [False] * len(body)
    return InstructionStream("aarch64", WORK, body * turns, taken, touches=touches,
                             regions=((4096, 4500, "a"), (4500, 9000, "b")))


@pytest.mark.parametrize("core", every(4, [core.name for core in load_cores()
                                           if core.memory is not None and "aarch64" in core.isas]))
def test_loops_with_addresses(core: str) -> None:
    """Loads that are not aligned are dearer in every turn that has them; loads of what was just stored end folding."""
    model, random = load_core(core), Random(7)
    assert model.memory is not None
    for turn in range(8):
        stream = walk(random, 40, apart=turn % 2 == 0)
        short, long = (MemoryHierarchy(model.memory, regions=stream.regions) for _ in range(2))
        assert simulate(stream, model, short) == simulate(stream, model, long, method="plain"), turn
        assert short.traffic == long.traffic and list(short.traffic) == list(long.traffic)
        alone = without_addresses(stream, decode(stream, model), model, model.memory)
        assert (alone is not None) >= (turn % 2 == 0)


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_an_iteration_more_with_addresses_is_none_to_simulate(core: str) -> None:
    model = load_core(core)
    few, many = (calls(partial(simulate, walk(Random(2), turns, apart=True), model)) for turns in (1_000, 3_000))
    assert many - few < 3 * 2_000       # of 26,000 instructions
