"""Cycles of whole networks: what is summed up, what is left out, and how near published times are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.arm.machine import compiler
from neonsim.arm.timing import steady, time
from neonsim.cli.network_options import check_networks
from neonsim.errors import BackendError, NeonsimError, TimingError
from neonsim.nn.graph import Graph, model, random_input
from neonsim.nn.graph.plan.cycles import network_cycles
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.studies.kernels import Bars
from neonsim.studies.networks.networks import BOARDS, PUBLISHED, WAYS, network_study

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler: install gcc or clang")


def _plan(graph: Graph, backend: Any = "emulated", **options: Any) -> OperatorPlan:
    plan = graph.plan(backend, **options)
    assert isinstance(plan, OperatorPlan)
    return plan


@pytest.mark.slow
@needs_compiler
def test_a_network() -> None:
    """Instructions without a run are those of a run; MACs are the graph's; layers that are alike take as long."""
    graph = model("mobilenet_v1", size=32, width=0.25)
    plan = _plan(graph)
    before = network_cycles(plan, "cortex-a53")
    plan.run(random_input(graph))
    found = network_cycles(plan, "cortex-a53")
    assert found == before and found.instructions == sum(job.steps for job in plan.jobs.values())
    assert found.macs == graph.macs and not found.without and found.isa == "aarch32"
    assert found.cycles == sum(layer.cycles or 0 for layer in found.layers)
    layers = {layer.name: layer for layer in found.layers}
    assert layers["pw7"].cycles == layers["pw8"].cycles and layers["dw7"].cycles == layers["dw8"].cycles
    assert 0.2 < found.macs_per_cycle < 4
    assert found.milliseconds(1.4, 4) == pytest.approx(found.cycles / 5.6e6)
    assert found.to_dict()["layers"][0]["calls"] == plan.jobs["stem"].tiles


def test_a_plan_without_kernels() -> None:
    with pytest.raises(BackendError, match="Cycles are modelled of kernels that run emulated"):
        network_cycles(_plan(model("mobilenet_v1", size=32, width=0.25), "reference"), "cortex-a72")


@needs_compiler
@pytest.mark.nightly
def test_layers_without_kernels_have_no_cycles() -> None:
    graph = model("shufflenet_v1", size=64)
    found = network_cycles(_plan(graph, ("emulated", "reference")), "cortex-a72")
    moves = {node.name for node in graph.nodes if node.kind in ("concatenation", "split", "reshape")}
    assert moves and moves <= set(found.without)


@pytest.mark.nightly
@needs_compiler
def test_a_core_that_cannot_run_the_kernels() -> None:
    graph = model("mobilenet_v1", size=32, width=0.25, quantization="qc8w")
    with pytest.raises(TimingError, match=r"cortex-a53.*dotprod|dotprod.*cortex-a53"):
        network_cycles(_plan(graph, isa="aarch64", core="cortex-a76"), "cortex-a53")


@pytest.mark.nightly
def test_without_a_compiler_traces_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slower, and the same."""
    monkeypatch.setenv("NEONSIM_CC", "no-such-compiler")
    graph = model("mobilenet_v1", size=32, width=0.25)
    job = _plan(graph, engine="interpreter").jobs["dw13"]
    trace = job.trace(0).trace
    np.testing.assert_array_equal(job.execution_path(0), trace.pc)


@needs_compiler
@pytest.mark.nightly
@pytest.mark.parametrize("core, isa, quantization", [
    ("cortex-a53", "aarch32", "qu8"), ("cortex-a72", "aarch64", "qc8w"), ("cortex-a76", "aarch64", "qc8w")])
def test_layers_against_whole_traces(core: str, isa: str, quantization: str) -> None:
    """Every call's tile, each instruction simulated: 1 %, and the pipeline's start and end of a call alone."""
    graph = model("mobilenet_v1", size=64, width=0.25, quantization=quantization)
    plan = _plan(graph, isa=isa, core=core)
    seen = 0
    for job in plan.jobs.values():
        for number, call in enumerate(job.job.calls):
            kernel = call.implementation.kernel
            assert kernel is not None
            order = job.execution_path(number)
            if len(order) > 20_000:
                continue
            trace = job.trace(number).trace
            np.testing.assert_array_equal(order, trace.pc)
            whole, found = time(trace, core=core), steady(kernel.program(), order, core)
            assert abs(found.cycles - whole.cycles) <= 0.01 * whole.cycles + 60, (kernel.name, found, whole.cycles)
            seen += 1
    assert seen > 20


@needs_compiler
@pytest.mark.nightly
@pytest.mark.parametrize("core", BOARDS)
def test_the_boards(core: str) -> None:
    """Modelled times are 0.7 to 1.2 of the published ones: what is left out takes time, and how deep the queues of the
    Cortex-A72 are is known from one published call only; uint8 on AArch32 comes out slower than measured with it."""
    study = network_study(["mobilenet_v1", "mobilenet_v2"], [core], quiet=True)
    ratios = [r.ratio for r in study.data if r.ratio is not None]
    assert len(ratios) == sum(where == core for where, *_ in PUBLISHED)
    assert all(0.7 < ratio < 1.2 for ratio in ratios), ratios
    assert "dot product is left out" in study.remarks and "published" in str(study)
    head, rows = study.table
    assert len(rows) == 8 and all(len(row) == len(head) for row in rows)
    assert isinstance(study.figure, Bars) and len(study.figure.groups) == 2 and str(study.picture()).startswith("<svg")


def test_the_ways_are_named_once() -> None:
    names = [way.name for way in WAYS]
    assert len(set(names)) == len(names) and {way for _, way, _ in PUBLISHED} <= set(names)
    assert {core for core, *_ in PUBLISHED} == set(BOARDS)


def test_a_wrong_network() -> None:
    with pytest.raises(NeonsimError, match="unknown network 'lenet'"):
        check_networks("mobilenet_v1,lenet")
