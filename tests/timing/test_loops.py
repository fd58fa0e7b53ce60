"""A long loop put together from a short one is the loop simulated in full, to the last column."""

from __future__ import annotations

import pytest

from neonsim.timing import Op, Stream, cores, load_core, loop_heads, simulate
from neonsim.timing.op import from_loop
from neonsim.ukernel import kernels

KERNELS = kernels()
# Multiplies that hold their pipe for two cycles, chains and loads, an odd number of instructions: states that take
# several iterations to come back.
ODD = [
    *[Op("asimd_mul", "mul", "q", 32, reads=(("n", "v0"), ("m", "v1")), writes=(("d", f"v{k}"),)) for k in (2, 3, 4)],
    Op("asimd_add", "add", "q", 32, reads=(("n", "v2"),), writes=(("d", "v5"),)),
    Op("ldr", "ldr", reads=(("base", "x0"),), writes=(("t", "x1"), ("base", "x0")), nbytes=8),
    Op("asimd_ext", "ext", "q", 8, reads=(("n", "v5"), ("m", "v6")), writes=(("d", "v6"),)),
    Op("asimd_add_acc_pair", "uadalp", "q", 8, reads=(("n", "v6"), ("a", "v7")), writes=(("d", "v7"),)),
]


def in_full(stream: Stream, core: str) -> object:
    """The plain model leaves nothing out."""
    return simulate(stream, load_core(core), way="plain")


@pytest.mark.parametrize("core", sorted(cores()))
@pytest.mark.parametrize("iterations", [60, 101])
def test_kernels(core: str, iterations: int) -> None:
    program = next(k for k in KERNELS[iterations % len(KERNELS):] if k.isa in load_core(core).isas).program()
    heads = loop_heads(program)
    stream = from_loop(program, max(heads, key=lambda head: heads[head][1] - heads[head][0]), iterations)
    assert simulate(stream, load_core(core)) == in_full(stream, core)


@pytest.mark.parametrize("core", sorted(cores()))
@pytest.mark.parametrize("length", range(1, 8))
def test_states_that_come_back_late(core: str, length: int) -> None:
    stream = Stream.of_ops(ODD[-length:], iterations=157, isa=load_core(core).isas[-1])
    assert simulate(stream, load_core(core)) == in_full(stream, core)


def test_long_loop_costs_no_more_than_a_short_one() -> None:
    from time import process_time

    begin = process_time()
    run = simulate(Stream.of_ops(ODD, iterations=100_000), load_core("cortex-a72"))
    assert len(run.issue) == 700_000 and process_time() - begin < 5


def test_loops_in_loops_are_cut_back_and_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a trial showed to repeat is kept no longer than that when the next trial has more of another loop."""
    from importlib import import_module

    module = import_module("neonsim.timing.simulate")
    lengths: list[int] = []
    run = module._run

    def counted(piece: Stream, *rest: object) -> object:
        lengths.append(len(piece))
        return run(piece, *rest)

    monkeypatch.setattr(module, "_run", counted)
    inner, edge = list(range(len(ODD))), [0, 3, 4]
    row = [*edge, *(inner * 40), *edge]
    order = row * 30
    ends = [*([False] * 2), True, *(([False] * (len(ODD) - 1) + [True]) * 40), *([False] * 2), True]
    stream = Stream("aarch64", tuple(ODD), order, ends * 30)
    assert simulate(stream, load_core("cortex-a72"), way="folded") == in_full(stream, "cortex-a72")
    short = lengths[:-1]
    assert len(short) > 1 and all(3 * later < short[0] for later in short[1:]), lengths
