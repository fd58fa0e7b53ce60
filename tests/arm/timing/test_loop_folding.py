"""Folded loops against the plain model, to the last column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from neonsim.arm.timing import (
    CoreFilter,
    InstructionStream,
    StaticInstruction,
    cores,
    load_core,
    loop_heads,
    requirements_of,
    simulate,
)
from neonsim.arm.timing.stream import from_loop, from_order
from neonsim.errors import BadArgument, TimingError
from neonsim.ukernel import kernels

CORES = sorted(cores())
def nest(counts: tuple[int, ...], seed: int) -> InstructionStream:
    """Loops in loops of a few instructions each, some of them before and after the inner one."""
    rng = np.random.default_rng(seed)
    pool = [StaticInstruction("asimd_mul", "mul", "q", 32, reads=(("n", "v0"), ("m", "v1")), writes=(("d", "v2"),)),
            StaticInstruction("asimd_add_acc_pair", "uadalp", "q", 8, reads=(("n", "v2"), ("a", "v7")),
                              writes=(("d", "v7"),)),
            StaticInstruction("ldr", "ldr", reads=(("base", "x0"),), writes=(("t", "x1"), ("base", "x0")), nbytes=8),
            StaticInstruction("str_simd", "str", "q", reads=(("t", "v7"), ("base", "x2")), nbytes=16),
            StaticInstruction("alu", "add", reads=(("n", "x1"),), writes=(("d", "x3"),)),
            StaticInstruction("mul", "mul", reads=(("n", "x3"), ("m", "x3")), writes=(("d", "x3"),))]
    ops: list[StaticInstruction] = []

    def piece(depth: int) -> list[tuple[int, bool]]:
        def some() -> list[tuple[int, bool]]:
            found = []
            for k in rng.integers(0, len(pool), rng.integers(0, 3)):
                ops.append(pool[k])
                found.append((len(ops) - 1, False))
            return found

        before = some()
        inner = piece(depth + 1) if depth + 1 < len(counts) else some()
        after = some()
        ops.append(StaticInstruction("branch", "b.ne", reads=(("nzcv", "nzcv"),)))
        jump = len(ops) - 1
        turn = before + inner + after
        return [*[*turn, (jump, True)] * (counts[depth] - 1), *turn, (jump, False)]

    path = piece(0)
    return InstructionStream("aarch64", tuple(ops), [k for k, _ in path], [taken for _, taken in path])


@pytest.mark.parametrize("core, counts, seed", [("cortex-a53", (30, 9, 2), 2), ("cortex-a76", (3, 40), 1)])
def test_nests_of_loops(core: str, counts: tuple[int, ...], seed: int) -> None:
    stream, model = nest(counts, seed), load_core(core)
    plain = simulate(stream, model, method="plain")
    assert simulate(stream, model) == plain
    assert sum(plain.slots.values()) + plain.filled == plain.width * plain.cycles


@pytest.mark.nightly
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("counts, seed", [((2, 3, 4, 5), 3), ((100, 12), 4), ((17, 33), 5), ((9, 9, 9), 6), ((700,), 7),
                                          ((50, 1, 20), 8), ((11, 64), 9), ((12, 2, 11), 10)])
def test_nests_of_loops_on_all_cores(core: str, counts: tuple[int, ...], seed: int) -> None:
    """Also with branches that are predicted wrongly at the ends of loops."""
    model = load_core(core)
    stream = replace(nest(counts, seed), isa=model.isas[-1])
    for each in (model, replace(model, mispredict=9, learned=10)):
        plain = simulate(stream, each, method="plain")
        assert simulate(stream, each) == plain


@pytest.mark.nightly
@pytest.mark.parametrize("core", CORES)
def test_all_kernels(core: str) -> None:
    """Every loop of every kernel of the catalogue, on every core that can run it: the same cycles, slots, columns."""
    model, able, seen = load_core(core), CoreFilter(), 0
    for one in kernels():
        program = one.program()
        if not able.runs(model, requirements_of(program)):
            continue
        for head in loop_heads(program):
            stream = from_loop(program, head, 12)
            plain = simulate(stream, model, method="plain")
            assert simulate(stream, model) == plain, f"{one.name}: {head}"
            seen += 1
    assert seen > 10 or model.teaching


def test_what_the_plain_model_refuses() -> None:
    stream = InstructionStream.of_ops([StaticInstruction("no_such_class", "what")] * 500)
    with pytest.raises(TimingError, match="no_such_class"):
        simulate(stream, load_core("cortex-a53"))
    with pytest.raises(BadArgument, match="must be folded, plain"):
        simulate(stream, load_core("cortex-a53"), method="fast")


def test_whole_layers_cost_little() -> None:
    """A path of many calls: the time is that of its length, not of its cycles."""
    program = next(k for k in kernels() if k.isa == "aarch64" and "gemm" in k.name).program()
    heads = loop_heads(program)
    first, last = max(heads.values(), key=lambda span: span[1] - span[0])
    turn = np.arange(first, last + 1)
    order = np.tile(turn, 4000)
    stream = from_order(program, order, np.append(np.diff(order) != 1, True))
    run = simulate(stream, load_core("cortex-a76"))
    one = simulate(from_loop(program, None if len(heads) == 1 else max(heads, key=lambda h: heads[h][1] - heads[h][0]),
                             200), load_core("cortex-a76"), method="plain")
    per = (one.issue[-1] - one.issue[100 * len(turn)]) / (len(one.issue) - 1 - 100 * len(turn)) * len(turn)
    assert run.cycles == pytest.approx(4000 * per, rel=0.02)
