"""The networks in real numbers, and quantised from there."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.graph import FLOWS, MODELS, model, quantize
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.partition import SegmentPlan
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.nn.graph.quantize.integer_only import growth
from neonsim.quant.calibration import similarity
from tests.tiers import every

SMALL: dict[str, dict[str, Any]] = {
    "mobilenet_v1": {"size": 32, "width": 0.25}, "mobilenet_v2": {"size": 32, "width": 0.25},
    "squeezenet": {"size": 64}, "resnet18": {"size": 64}, "shufflenet_v1": {"size": 64},
    "inception_v3": {"size": 75, "width": 0.125}}


@pytest.mark.nightly
@pytest.mark.parametrize("name", every(len(SMALL), SMALL))
def test_a_network_and_its_flows(name: str) -> None:
    graph = model(name, quantization="f32", **SMALL[name])
    assert graph.macs == model(name, quantization="qc8w", **SMALL[name]).macs
    rng = np.random.default_rng(0)
    x = [rng.uniform(-1, 1, graph.tensors["input"].shape).astype(np.float32) for _ in range(2)]
    real = graph.plan("reference").run(x[0])
    assert np.isfinite(real).all() and real.std() > 0
    for flow, least in (("tflite", 0.97), ("qnnpack", 0.9)):
        made = quantize(graph, flow, calibration=x)
        found = made.plan("reference").run(x[0])
        assert similarity(real, found) > least, flow
        assert made.plan(("native", "reference")).run(x[0], threads=2).tobytes() == found.tobytes()


NETWORKS = ["digits", *(name for name in SMALL if name != "inception_v3")]


PARTED = ("tflite", "qnnpack", "shift-only", "tengine", "tengine-reference")


@pytest.mark.parametrize(("name", "flow", "seed"), [
    pytest.param(*one, marks=pytest.mark.slow if one == ("digits", "tflite", 0) else pytest.mark.nightly)
    for one in product(NETWORKS, FLOWS, range(2))])
def test_every_flow_on_three_backends(name: str, flow: str, seed: int) -> None:
    """Equal bytes; the native backend has one network, and no operator of the emulated one is left to the definition.
    Of onnxruntime's flow edges and sums in single precision are. ShuffleNet's averages over the edge lie between native
    networks where integers are divided by the pixels inside the image."""
    graph = model(name, quantization="f32", **SMALL.get(name, {}), **({} if name == "digits" else {"seed": seed}))
    rng = np.random.default_rng(seed)
    shape = graph.tensors[graph.inputs[0]].shape
    x = [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(2)]
    made = quantize(graph, flow, calibration=x[:1])
    wanted = made.plan("reference").run(x[1])
    whole = flow != "onnxruntime"
    plans = [made.plan("emulated" if whole else ("emulated", "reference"), isa=isa) for isa in ("aarch32", "aarch64")]
    parted = name == "shufflenet_v1" and flow in PARTED
    if parted:
        with pytest.raises(BackendError, match=r"stage2_1_pool: .*segments=True"):
            made.plan("native")
    native = made.plan("native" if whole else ("native", "reference"), **({"segments": True} if parted else {}))
    assert isinstance(native, SegmentPlan if parted else NativePlan if whole else OperatorPlan)
    for plan in (*plans, native):
        for threads in (1, 2):
            assert plan.run(x[1], threads).tobytes() == wanted.tobytes()
    if whole:
        x[1].reshape(-1)[5] = np.nan
        for backend in ("reference", "emulated", "native"):
            plan = {"emulated": plans[1], "native": native}.get(backend) or made.plan(backend)
            with pytest.raises(BadArgument, match="NaN"):
                plan.run(x[1])


@pytest.mark.parametrize("flow", [flow for flow in FLOWS if flow != "onnxruntime"])
def test_times_are_taken_of_whatever_lies_in_the_arena(flow: str) -> None:
    """Also where that is no number, which is refused in what is given."""
    graph = model("digits", quantization="f32")
    x = np.random.default_rng(0).uniform(0, 1, graph.tensors[graph.inputs[0]].shape).astype(np.float32)
    plan = quantize(graph, flow, calibration=[x]).plan("native")
    assert isinstance(plan, NativePlan)
    wanted = plan.run(x)
    plan.network.arena[...] = 0xFF      # as float32 a NaN
    with pytest.raises(BadArgument, match="NaN"):
        plan.network.run()
    assert set(plan.profile(2, runs=2)) == {node.name for node in plan.graph.nodes}
    plan.network.arena[...] = 0xFF
    plan.network.rerun(2)
    assert plan.run(x).tobytes() == wanted.tobytes()


def test_every_network_has_a_real_twin() -> None:
    assert {*SMALL, "digits"} == set(MODELS)


def test_digits_in_real_numbers() -> None:
    graph = model("digits", quantization="f32", batch=20)
    images = digits.sample()[0][:20]
    found = graph.plan("reference").run(images.astype(np.float32) / np.float32(255))
    assert abs(found - digits.to_float32(images)["classifier"]).max() < 1e-4


@pytest.mark.parametrize(("flow", "method"), every(5, [
    ("tflite", "minmax"), ("tflite", "kl"), ("qnnpack", "minmax"), ("tflite", "mse"), ("shift-only", "minmax")]))
def test_digits_quantized_are_as_good(flow: str, method: str) -> None:
    """On the hundred digits that are here: at most two answers other than in real numbers."""
    images, labels = digits.sample()
    x = images.astype(np.float32) / np.float32(255)
    graph = model("digits", quantization="f32", batch=100)
    made = quantize(graph, flow, calibration=[x], method=method)
    answers = made.plan(("native", "reference")).run(x).argmax(1)
    assert (answers == digits.to_float32(images)["classifier"].argmax(1)).sum() >= 98
    assert (answers == labels).mean() >= 0.93


@pytest.mark.nightly
def test_ends_only_on_digits() -> None:
    graph = model("digits", quantization="f32")
    x = digits.sample()[0][:2].astype(np.float32) / np.float32(255)
    rows = growth(graph, [x[:1], x[1:]])
    assert [row.name for row in rows] == ["conv", "dw1", "pw1", "dw2", "pw2", "classifier"]
    assert all(row.observed <= row.with_weights <= row.worst_case for row in rows if row.observed)
    assert rows[0].worst_case == 19 and rows[-1].worst_case > 64
