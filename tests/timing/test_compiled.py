"""The compiled model and folded loops against the plain model, to the last column."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument, TimingError
from neonsim.machine import Machine
from neonsim.timing import Able, Op, Stream, cores, load_core, loop_heads, needs_of, simulate
from neonsim.timing.caches import MemoryHierarchy
from neonsim.timing.compiled import Built, built, engine, why_not
from neonsim.timing.compiled.kinds import Refused
from neonsim.timing.compiled.translate import translate
from neonsim.timing.feed import AHEAD
from neonsim.timing.inorder import InOrder
from neonsim.timing.op import from_loop, from_order, from_trace
from neonsim.timing.outoforder import OutOfOrder
from neonsim.timing.pipeline import Execution, Latencies, decode
from neonsim.timing.simulate import pipeline_of
from neonsim.ukernel import kernels

PIPELINES = (InOrder, OutOfOrder)
needs_compiler = pytest.mark.usefixtures("a_compiler")
CORES = sorted(cores())
MANY = 5000     # instructions that are as good as none on a library's way to being built
SUM = """
sum:    movi    v4.4s, #0
0:      ld1     {v0.16b}, [x0], #16
        st1     {v0.16b}, [x2], #16
        ldr     q1, [x2, #-24]
        uaddlp  v1.8h, v0.16b
        uadalp  v4.4s, v1.8h
        prfm    pldl1keep, [x0, #128]
        subs    x1, x1, #16
        b.ne    0b
        ret
"""


@pytest.fixture
def a_compiler() -> None:
    """Only where there is one: it is asked when a test needs it, not when tests are collected."""
    why = why_not(InOrder)
    if why.startswith(("no C++ compiler", "cannot")) or "cc1plus" in why:
        pytest.skip(f"{why}: install g++")


def compiled(stream: Stream, core: Any, memory: Any = None) -> Any:
    """By the library, whatever its length, without folding."""
    decoded = decode(stream, core)
    pipeline: Any = pipeline_of(core)
    machine = pipeline(stream, core, decoded, memory)
    library = built(pipeline, 1 << 40)
    assert library is not None
    found = library.run(machine, machine.latency, memory)
    assert found is not None
    return found[0]


def nest(counts: tuple[int, ...], seed: int) -> Stream:
    """Loops in loops of a few instructions each, some of them before and after the inner one."""
    rng = np.random.default_rng(seed)
    pool = [Op("asimd_mul", "mul", "q", 32, reads=(("n", "v0"), ("m", "v1")), writes=(("d", "v2"),)),
            Op("asimd_add_acc_pair", "uadalp", "q", 8, reads=(("n", "v2"), ("a", "v7")), writes=(("d", "v7"),)),
            Op("ldr", "ldr", reads=(("base", "x0"),), writes=(("t", "x1"), ("base", "x0")), nbytes=8),
            Op("str_simd", "str", "q", reads=(("t", "v7"), ("base", "x2")), nbytes=16),
            Op("alu", "add", reads=(("n", "x1"),), writes=(("d", "x3"),)),
            Op("mul", "mul", reads=(("n", "x3"), ("m", "x3")), writes=(("d", "x3"),))]
    ops: list[Op] = []

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
        ops.append(Op("branch", "b.ne", reads=(("nzcv", "nzcv"),)))
        jump = len(ops) - 1
        turn = before + inner + after
        return [*[*turn, (jump, True)] * (counts[depth] - 1), *turn, (jump, False)]

    path = piece(0)
    return Stream("aarch64", tuple(ops), [k for k, _ in path], [taken for _, taken in path])


@needs_compiler
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_plain_text_is_translated_whole(pipeline: type) -> None:
    text = translate(pipeline, MemoryHierarchy, Latencies).text
    assert "::run(" in text and "::mark(" in text and "load_py(" in text and not why_not(pipeline)


@needs_compiler
@pytest.mark.parametrize("core, counts, seed", [("cortex-a53", (30, 9, 2), 2), ("cortex-a76", (3, 40), 1)])
def test_nests_of_loops(core: str, counts: tuple[int, ...], seed: int) -> None:
    stream, model = nest(counts, seed), load_core(core)
    plain = simulate(stream, model, way="plain")
    assert compiled(stream, model) == plain == simulate(stream, model, way="folded") == simulate(stream, model)
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
        plain = simulate(stream, each, way="plain")
        assert simulate(stream, each, way="folded") == plain
        if not why_not(pipeline_of(each)):
            assert compiled(stream, each) == plain


@pytest.mark.nightly
@needs_compiler
@pytest.mark.parametrize("core", CORES)
def test_all_kernels(core: str) -> None:
    """Every loop of every kernel of the catalogue, on every core that can run it: the same cycles, slots, columns."""
    model, able, seen = load_core(core), Able(), 0
    for one in kernels():
        program = one.program()
        if not able.runs(model, needs_of(program)):
            continue
        for head in loop_heads(program):
            stream = from_loop(program, head, 12)
            plain = simulate(stream, model, way="plain")
            assert compiled(stream, model) == plain, f"{one.name}: {head}"
            assert simulate(stream, model) == plain, f"{one.name}: {head}"
            seen += 1
    assert seen > 10 or model.teaching


@needs_compiler
@pytest.mark.parametrize("core, caches", [("cortex-a53", True), ("cortex-a72", False), ("cortex-a76", True)])
def test_a_run_with_addresses(core: str, caches: bool) -> None:
    """Loads that are not aligned, of what was just stored, lines asked for: cycles, and the caches afterwards."""
    machine = Machine("aarch64")
    at, to = machine.memory.place(np.zeros(1024, np.uint8), name="a"), machine.memory.place(np.zeros(1040, np.uint8))
    trace = machine.call(ns.assemble(SUM, "aarch64"), at, 1024, to + 16, trace=True).trace
    assert trace is not None
    stream, model = from_trace(trace), load_core(core)
    assert model.memory is not None
    one, other = (MemoryHierarchy(model.memory, caches=caches, regions=stream.regions) for _ in range(2))
    assert compiled(stream, model, one) == simulate(stream, model, other, way="plain")
    for name in ("traffic", "log", "_arrives", "_stores", "_last"):
        assert getattr(one, name) == getattr(other, name), name
    assert [list(s.items()) for s in one.l1.sets] == [list(s.items()) for s in other.l1.sets]
    assert not caches or (one.log and one.traffic["a"].l1_misses)


@needs_compiler
def test_threads_share_a_library() -> None:
    stream, model = nest((40, 9), 11), load_core("cortex-a76")
    plain = simulate(stream, model, way="plain")
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(compiled(stream, model) == plain)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 6


def test_what_the_plain_model_refuses() -> None:
    stream = Stream.of_ops([Op("no_such_class", "what")] * 500)
    with pytest.raises(TimingError, match="no_such_class"):
        simulate(stream, load_core("cortex-a53"))
    with pytest.raises(BadArgument, match="one of best, folded, plain"):
        simulate(stream, load_core("cortex-a53"), way="fast")


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain model runs, and says why."""
    monkeypatch.setenv("NEONSIM_CC", "no-such-compiler")
    stream, model = nest((40, 12), 12), load_core("cortex-a53")
    assert why_not(InOrder).startswith("no C++ compiler here: install g++")
    assert simulate(stream, model) == simulate(stream, model, way="plain")


def test_a_compiler_of_c_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the compiler says is the reason."""
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo cc 1 && exit\necho cannot execute cc1plus >&2\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setenv("NEONSIM_CC", str(script))
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))
    assert "cannot execute cc1plus" in why_not(OutOfOrder)
    stream, model = nest((30, 9), 13), load_core("cortex-a72")
    assert simulate(stream, model) == simulate(stream, model, way="plain")


class Unknown(InOrder):
    """A pipeline with a rule that is not translated."""

    def run(self) -> Execution:
        self.fetch.next = len(f"{0.5:g}")
        return self.result


@needs_compiler
def test_a_rule_that_is_not_translated() -> None:
    with pytest.raises(Refused, match=r"test_compiled.py:\d+: no translation of"):
        translate(Unknown, MemoryHierarchy, Latencies)
    assert "a rule of the plain model that is not translated (test_compiled.py" in why_not(Unknown)
    assert built(Unknown, 1 << 40) is None


class Later(InOrder):
    """Starts each run three cycles late: another rule than the plain model's, in the same words."""

    def run(self) -> Execution:
        """Until every instruction has finished."""
        now = 3
        self.feed.more(AHEAD)
        while self.fetch.next < len(self.feed.order):
            self.fetch.cycle(now)
            self.issue.cycle(now)
            now += 1
            self.feed.more(self.fetch.next + AHEAD)
        return self.result


@pytest.mark.nightly
@needs_compiler
def test_a_changed_rule_is_in_both() -> None:
    """The translation follows the plain text: nothing of it is written twice."""
    stream, model = nest((5, 8), 14), load_core("cortex-a55")
    machine = Later(stream, model, decode(stream, model), None)
    found = Built(Later).run(machine, machine.latency, None)
    assert found is not None
    plain = Later(stream, model, decode(stream, model), None).run()
    assert found[0].issue == plain.issue and found[0].issue[0] == 3


def test_a_library_is_made_where_it_pays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On a machine that has none, short runs do not wait for a compiler."""
    asked: list[type] = []

    def refuse(pipeline: type, using: object) -> str:
        asked.append(pipeline)
        return "not here"

    monkeypatch.setattr(engine, "_plain", engine._Plain())
    monkeypatch.setattr(engine, "_ready", lambda *_: False)
    monkeypatch.setattr(engine, "_try", refuse)
    assert built(InOrder, MANY) is None and not asked
    assert built(InOrder, engine.WORTH) is None and asked == [InOrder]


def test_whole_layers_cost_little() -> None:
    """A path of many calls: the time is that of its length, not of its cycles."""
    program = next(k for k in kernels() if k.isa == "aarch64" and "gemm" in k.name).program()
    heads = loop_heads(program)
    first, last = max(heads.values(), key=lambda span: span[1] - span[0])
    turn = np.arange(first, last + 1)
    order = np.tile(turn, 4000)
    stream = from_order(program, order, np.append(np.diff(order) != 1, True))
    run = simulate(stream, load_core("cortex-a76"), way="folded")
    one = simulate(from_loop(program, None if len(heads) == 1 else max(heads, key=lambda h: heads[h][1] - heads[h][0]),
                             200), load_core("cortex-a76"), way="plain")
    per = (one.issue[-1] - one.issue[100 * len(turn)]) / (len(one.issue) - 1 - 100 * len(turn)) * len(turn)
    assert run.cycles == pytest.approx(4000 * per, rel=0.02)
