"""A loop of very many iterations, of which some are simulated: the timing of all of them, to the cycle."""

from __future__ import annotations

from typing import Any, cast

import pytest

from neonsim.arm.timing import (
    CoreFilter,
    InstructionStream,
    StaticInstruction,
    Timing,
    cores,
    load_core,
    loop_heads,
    requirements_of,
    simulate,
    time,
)
from neonsim.arm.timing import stream as ops
from neonsim.arm.timing.counts import count_stream
from neonsim.arm.timing.long_loops import LongTiming, time_long
from neonsim.arm.timing.stream import from_loop
from neonsim.ukernel import kernels
from tests.tiers import every
from tests.work import calls

NEW = ("simulated_iterations", "steady_state")


def in_full(stream: InstructionStream, core: str) -> Timing:
    model = load_core(core)
    return Timing(model, stream, simulate(stream, model), count_stream(stream))


def said(timing: Timing) -> dict[str, Any]:
    """All that is said of a loop, without what only a long one says."""
    found = timing.to_dict()
    modeled = cast("dict[str, Any]", found["modeled"])
    found["modeled"] = {name: value for name, value in modeled.items() if name not in (*NEW, "lines")}
    return found | {"filled": timing.run.filled, "stalls": dict(timing.stalls), "per": timing.macs_per_cycle}


def compare(core: str, seed: int, monkeypatch: pytest.MonkeyPatch, most: int) -> bool:
    """A loop of the catalogue, of an odd number of iterations; whether the state came back."""
    model, able, found = load_core(core), CoreFilter(), kernels()
    program = next(p for k in found[seed % len(found):] + found if able.runs(model, requirements_of(p := k.program()))
                   and loop_heads(p))
    heads = loop_heads(program)
    head = sorted(heads, key=lambda head: heads[head][1] - heads[head][0])[seed % len(heads)]
    body, turns = heads[head][1] - heads[head][0] + 1, 4 * most + seed % 37
    monkeypatch.setattr(ops, "MAX_SIMULATED", turns * body)
    whole = in_full(from_loop(program, head, turns), core)
    monkeypatch.setattr(ops, "MAX_SIMULATED", most * body)
    long = time(program, core=core, entry=head, iterations=turns)
    assert isinstance(long, LongTiming)
    assert long.last.stream.iterations <= most
    if long.exact:
        assert said(long) == said(whole), f"{program.path}: {head}"
        assert {x.number: x.cycles for x in long.lines()} == pytest.approx({x.number: x.cycles for x in whole.lines()})
        assert "to the cycle" in str(long)
    else:
        assert long.cycles == pytest.approx(whole.cycles, rel=0.02), f"{program.path}: {head}"
        assert "no steady state was met" in str(long)
    assert sum(long.slots.values()) + long.run.filled == long.core.width * long.cycles
    return long.exact


@pytest.mark.parametrize(("core", "seed"), every(6, ((core, 7 * at) for at, core in enumerate(sorted(cores())))))
def test_as_simulated_in_full(core: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(core, seed, monkeypatch, 50)


@pytest.mark.nightly
@pytest.mark.parametrize("core", sorted(cores()))
def test_many_loops_as_simulated_in_full(core: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With enough iterations to come into the steady state, most are told to the cycle."""
    exact = []
    for seed in range(12):
        monkeypatch.undo()
        exact.append(compare(core, 31 * seed, monkeypatch, 200))
    assert sum(exact) > 6


def test_the_work_does_not_grow_with_the_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ops, "MAX_SIMULATED", 8_000)
    program = next(k for k in kernels() if k.isa == "aarch64" and "gemm" in k.name).program()
    head = max(heads := loop_heads(program), key=lambda head: heads[head][1] - heads[head][0])
    body = heads[head][1] - heads[head][0] + 1

    def work(iterations: int) -> int:
        timing = time(program, entry=head, iterations=iterations)
        assert timing.stream.iterations == iterations
        assert timing.instructions == iterations * body
        assert timing.counts.instructions == iterations * body
        assert len(timing.stream.order) <= ops.MAX_SIMULATED
        return calls(lambda: str(time(program, entry=head, iterations=iterations)))
    assert work(10**9) < 1.1 * work(10**5)


def test_a_loop_without_a_steady_state_says_so() -> None:
    """A chain that is longer than what else there is, by less than a cycle each time: its distance grows and grows."""
    chain = StaticInstruction("fp_mul", "fmul", bits=32, reads=(("n", "v0"),), writes=(("d", "v0"),))
    stream = InstructionStream.of_ops([chain, *[StaticInstruction("alu", "add", writes=(("d", f"x{k}"),)) for k
                                                in range(6)]], iterations=16)
    long = time_long(InstructionStream(stream.isa, stream.ops, stream.order, stream.taken, stream.body,
                                       loop_count=1600),
                     load_core("cortex-a76"))
    assert not long.exact
    assert "no steady state was met" in long.describe_loops()
