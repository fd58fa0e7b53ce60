"""Engines of the emulated backend: which one a job gets, and that all leave the same bytes and steps."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.arm.machine import compiler
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import emulated
from neonsim.nn.backends.emulated import ENGINES, EmulatedBackend, EmulatedJob
from neonsim.nn.graph import MODELS, Graph, model, random_input
from neonsim.nn.graph.models import options_of
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.nn.ops import Conv2d, Plan
from neonsim.quant import Quantized, Scheme
from tests.nn.operator_cases import OPERATORS, operator_cases

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler: install gcc or clang")
RANDOM = np.random.default_rng(3)
X = Quantized(RANDOM.integers(0, 256, (1, 9, 8, 16), np.uint8), 0.5, 120)


W = Quantized(RANDOM.integers(0, 256, (24, 3, 3, 16), np.uint8), 0.1, 99)


def _conv() -> Conv2d:
    return Conv2d(X.scheme, W, np.arange(24, dtype=np.int32), out=Scheme(40.0, 100), padding=1)


def _plan(engine: str | None = None, isa: str = "aarch32") -> Plan:
    return _conv().plan(X.shape, backend=EmulatedBackend(isa, engine=engine))


def _job(plan: Plan) -> EmulatedJob:
    assert isinstance(plan.loaded, EmulatedJob)
    return plan.loaded


# ---- which engine

def test_little_work_is_not_compiled() -> None:
    plan = _plan()
    assert _job(plan).engine == "interpreter" and "too little work to compile for" in _job(plan).reason
    assert "tiles run on the interpreter" in plan.explain()


@needs_compiler
def test_much_work_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "WORTH", 2)
    plan = _plan()
    assert _job(plan).engine == "compiled"
    np.testing.assert_array_equal(plan.run(X).values, _plan("interpreter").run(X).values)


@pytest.mark.nightly
def test_without_a_compiler_the_interpreter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "WORTH", 2)
    monkeypatch.setenv("NEONSIM_CC", "no-such-compiler")
    monkeypatch.setattr("neonsim.arm.machine.machine.engine_for", _never_in_memory)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = _plan()
    assert _job(plan).engine == "interpreter" and "with a C compiler: install gcc or clang" in _job(plan).reason
    np.testing.assert_array_equal(plan.run(X).values, _plan("interpreter").run(X).values)
    with pytest.raises(BackendError, match="needs a C compiler: install gcc or clang"):
        _plan("compiled")
    network = model("mobilenet_v1", size=32, width=0.25)
    made = network.plan("emulated")
    assert isinstance(made, OperatorPlan)
    assert made.engine.startswith("interpreter") and "install gcc" in made.engine
    with pytest.raises(BackendError, match="needs a C compiler"):
        network.plan("emulated", engine="compiled")


def test_a_compiler_that_fails_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho no headers here >&2\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setattr(emulated, "WORTH", 2)
    monkeypatch.setenv("NEONSIM_CC", str(broken))
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))
    # The translation of another test's may be in memory.
    monkeypatch.setattr("neonsim.arm.machine.machine.engine_for", _never_in_memory)
    with pytest.warns(RuntimeWarning, match="tiles are interpreted: .*no headers here"):
        plan = _plan()
    assert _job(plan).engine == "interpreter" and "no headers here" in _job(plan).reason
    with pytest.raises(BackendError, match="no headers here"):
        _plan("compiled")


def _never_in_memory(program: Any, kind: str, entry: str | None) -> Any:
    from neonsim.arm.machine.engines.compiled_engine import CompiledEngine
    return CompiledEngine(program, entry)


def test_a_wrong_name() -> None:
    with pytest.raises(BadArgument, match="unknown engine 'fast' for kernels: interpreter, compiled"):
        EmulatedBackend(engine="fast")
    graph = model("mobilenet_v1", size=32, width=0.25)
    with pytest.raises(BadArgument, match="engine, isa and core apply only to the emulated backend"):
        graph.plan("reference", engine="compiled")


# ---- the same bytes

@needs_compiler
@pytest.mark.parametrize("isa", ["aarch32", pytest.param("aarch64", marks=pytest.mark.nightly)])
def test_engines_agree(isa: str) -> None:
    found = {}
    for engine in ENGINES:
        plan = _plan(engine, isa)
        values = plan.run(X, threads=2).values
        found[engine] = values.tobytes(), _job(plan).steps
    assert len({bytes_ for bytes_, _ in found.values()}) == 1 and len({steps for _, steps in found.values()}) == 1
    assert found["interpreter"][1] > 1000


def _run(graph: Graph, engine: str, isa: str, threads: int = 1) -> tuple[Any, int, Any]:
    plan = graph.plan("emulated", engine=engine, isa=isa)
    assert isinstance(plan, OperatorPlan)
    y = plan.run(random_input(graph, 1), threads)
    tensors = {name: plan.tensor(name).values for node in graph.nodes for name in node.results}
    return tensors, sum(job.steps for job in plan.jobs.values()), y


EVERY = [(name, q, isa) for name in MODELS for q in ("qu8", "qc8w") for isa in ("aarch32", "aarch64")]


@needs_compiler
@pytest.mark.slow
def test_a_network_is_compiled_when_it_is_worth_it() -> None:
    """All its operators together, also those that are little work alone."""
    graph = model("mobilenet_v1", size=32, width=0.25)
    x = random_input(graph, 1)
    plan = graph.plan("emulated")
    assert isinstance(plan, OperatorPlan) and plan.engine.startswith("compiled engine (work of ")
    assert min(job.work for job in plan.jobs.values()) < emulated.WORTH // 4
    assert {job.engine for job in plan.jobs.values()} == {"compiled"} and "compiled engine" in repr(plan)
    again = graph.plan("emulated", engine="compiled")
    assert isinstance(again, OperatorPlan) and str(again.compilation) == "all kernels were in memory"
    np.testing.assert_array_equal(plan.run(x, 2).values, graph.plan("reference").run(x).values)


@needs_compiler
@pytest.mark.nightly
@pytest.mark.parametrize("name, quantization, isa", EVERY)
def test_whole_networks(name: str, quantization: str, isa: str) -> None:
    """Every tensor, and the count of instructions, interpreted and compiled, one thread and three."""
    narrow = {"width": 0.25} if "width" in options_of(name) else {}
    sized = {"size": {"mobilenet": 32, "inception": 75}.get(name[:9], 64)} if "size" in options_of(name) else {}
    graph = model(name, quantization=quantization, **sized, **narrow)
    by_steps, steps, _ = _run(graph, "interpreter", isa)
    for threads in (1, 3):
        compiled, same_steps, y = _run(graph, "compiled", isa, threads)
        assert same_steps == steps and y.backend == "emulated"
        for tensor, values in by_steps.items():
            np.testing.assert_array_equal(compiled[tensor], values, err_msg=tensor)


@needs_compiler
@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch32", "aarch64"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator(operator: str, isa: str) -> None:
    """The shared cases. (Every kernel on its contract's cases: tests/ukernel/test_families.py.)"""
    done = 0
    for case in operator_cases(operator):
        found = []
        for engine in ("interpreter", "compiled"):
            try:
                y = OPERATORS[operator](*case.inputs, **case.options, backend=EmulatedBackend(isa, engine=engine))
            except BackendError as problem:     # no kernel for it
                found.append(str(problem))
            else:
                found.append(y.values.tolist())
                done += 1
        assert found[0] == found[1], case.name
    assert done or operator in ("pad", "copy", "flip", "transpose"), "no case has a kernel"


# ---- threads

@needs_compiler
def test_threads_share_a_plan() -> None:
    """Many Python threads on one plan, tiles shared by two threads each: everybody gets the answer to his input."""
    plan = _plan("compiled")
    inputs = [Quantized(np.roll(X.values, n, 2), X.scheme.scale, X.scheme.zero_point) for n in range(6)]
    expected = [_conv_values(plan, x) for x in inputs]
    wrong: list[int] = []

    def work(n: int) -> None:
        for _ in range(5):
            if not np.array_equal(plan.run(inputs[n], threads=2).values, expected[n]):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def _conv_values(plan: Plan, x: Quantized) -> Any:
    return plan.operator.reference(x.values)
