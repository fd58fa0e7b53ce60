"""Channels, branches and inputs that are next to nothing: quantised as the libraries' own tools do it, never refused.

Bytes of such networks are the runtimes': `tests/nn/formats/test_dead_networks.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.nn.graph import Graph, quantize
from neonsim.nn.graph.quantize.quantize import FLOWS
from neonsim.nn.graph.quantize.recipes import SCHEMES
from neonsim.nn.graph.quantize.tengine import quantize_by_tengine
from neonsim.nn.ops.float32.operators import (
    Float32Add,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32LeakyRelu,
)
from neonsim.quant.calibration import Range, scheme_of
from tests.needs import needs
from tests.tiers import every

SIZES = (1e-8, 1e-12, 1e-20, 1e-38, 0.0)


def dead(seed: int, size: float) -> Graph:
    """Channels of that size, a branch of it, what reads it, adds it, and takes its mean."""
    rng = np.random.default_rng(seed)

    def conv(outputs: int, depth: int) -> Float32Conv2d:
        w, bias = rng.normal(size=(outputs, 1, 1, depth)), 0.3 * rng.normal(size=outputs)
        w[1] *= size
        w[2] *= size / 1000
        bias[2] = 0
        return Float32Conv2d(w, bias, low=0.0)
    graph = Graph("dead", (1, 5, 5, 4), dtype="float32")
    a = graph.add_node("a", conv(6, 4), "input")
    w, bias = size * rng.normal(size=(6, 1, 1, 4)), size * rng.normal(size=6)
    b = graph.add_node("b", Float32Conv2d(w, bias, low=0.0), "input")
    c = graph.add_node("sum", Float32Add(low=0.0), a, b)
    each = rng.normal(size=(6, 3, 3, 1)) * np.array([1, size, 1, 1, 0, 1]).reshape(-1, 1, 1, 1)
    d = graph.add_node("depthwise", Float32Conv2d(each, rng.normal(size=6), groups=6, padding=1), c)
    e = graph.add_node("dense", Float32FullyConnected(rng.normal(size=(4, 6)) * np.array([[1], [size], [0], [1]]),
                                                      rng.normal(size=4)),
                       graph.add_node("means", Float32GlobalAvgPool(), d))
    f = graph.add_node("leaky", Float32LeakyRelu(0.25), b)
    return graph.finish(e, graph.add_node("behind", conv(5, 6), f), graph.add_node("rest", Float32GlobalAvgPool(), b))


def images(seed: int, count: int = 2, size: float = 1.0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [(size * rng.normal(size=(1, 5, 5, 4))).astype(np.float32) for _ in range(count)]


@pytest.mark.parametrize("flow", [flow for flow in FLOWS if flow != "qnnpack"])     # it adds no such operands
@pytest.mark.parametrize("size", every(3, SIZES))
def test_no_flow_refuses_what_is_dead(flow: str, size: float) -> None:
    graph, inputs = dead(0, size), images(0)
    made, real = quantize(graph, flow, calibration=inputs).plan("reference"), graph.plan("reference")
    found, wanted = made.run(inputs[0]), real.run(inputs[0])
    assert abs(found[0] - wanted[0]).max() < (0.5 if flow == "shift-only" else 0.2) * abs(wanted[0]).max()
    assert abs(found[2] - wanted[2]).max() < 1e-6       # no less than what the converter takes for nothing


@pytest.mark.parametrize("flow", SCHEMES)
@pytest.mark.parametrize("size", (1e-8, 1e-30, 0.0))
def test_no_flow_refuses_inputs_and_results_that_are_next_to_nothing(flow: str, size: float) -> None:
    graph = Graph("small", (1, 5, 5, 4), dtype="float32")
    rng = np.random.default_rng(1)
    graph.finish(graph.add_node("conv", Float32Conv2d(rng.normal(size=(3, 1, 1, 4)), size * rng.normal(size=3)),
                                "input"))
    quantize(graph, flow, calibration=[image + np.float32(size or 1) for image in images(1, size=size)])
    # A result that a limit leaves next to nothing of.
    nearly = Graph("nearly", (1, 5, 5, 4), dtype="float32")
    nearly.finish(nearly.add_node("conv", Float32Conv2d(rng.normal(size=(3, 1, 1, 4)), rng.normal(size=3), low=-size,
                                                        high=size or 1e-38), "input"))
    quantize(nearly, flow, calibration=images(1))


def test_the_converter_of_tensorflow_lite() -> None:
    """Its formulas: half a range is at least 5e-7, a bias at most half of 2**31 steps."""
    w, bias = np.array([[0.5], [1e-7], [1e-3], [0.0]]).reshape(4, 1, 1, 1), np.array([0.25, 0.25, 0.25, 0.0])
    graph = Graph("one", (1, 1, 2, 1), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(w, bias), "input"))
    x = np.array([-1, 1], np.float32).reshape(1, 1, 2, 1)
    operator: Any = quantize(graph, "tflite", calibration=[x]).node("conv").operator
    s_x = np.float32(2 / 255)
    least = np.float32(0.25) / (2**31 // 2) / float(s_x)
    wanted = [0.5 / 127, max(5e-7 / 127, least), 1e-3 / 127, 5e-7 / 127]
    assert least > 5e-7 / 127 and operator.w.scale == pytest.approx(wanted, rel=1e-6)
    assert operator.bias[1] == pytest.approx(2**30, rel=1e-6) and operator.bias[3] == 0
    # An output of nothing is 1e-6 wide.
    silent = Graph("silent", (1, 1, 2, 1), dtype="float32")
    silent.finish(silent.add_node("conv", Float32Conv2d(1e-9 * w), "input"))
    out: Any = quantize(silent, "tflite", calibration=[x]).node("conv").operator
    assert out.out.scale == pytest.approx(1e-6 / 255) and out.out.zero_point in (0, -1)


def test_onnx_runtime_s_tool(tmp_path: Path) -> None:
    """Scales of weights and biases of `quantize_static`, to the last bit but one."""
    needs("onnx", install="pip install 'neonsim[models]'")
    pytest.importorskip("onnxruntime", reason="needs a package: pip install onnxruntime")
    import onnx
    from onnx import numpy_helper
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    from neonsim.nn.formats import write_onnx
    rng = np.random.default_rng(2)
    w, bias = rng.normal(size=(5, 1, 1, 4)), rng.normal(size=5)
    w[1:4] *= np.array([1e-8, 1e-12, 0.0]).reshape(3, 1, 1, 1)
    graph = Graph("one", (1, 5, 5, 4), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(w, bias), "input"))
    inputs = images(2)
    write_onnx(graph, tmp_path / "real.onnx")

    class Reader(CalibrationDataReader):    # type: ignore[misc]
        def __init__(self) -> None:
            self.left = iter([{"input": np.ascontiguousarray(x.transpose(0, 3, 1, 2))} for x in inputs])

        def get_next(self) -> Any:
            return next(self.left, None)
    quantize_static(tmp_path / "real.onnx", tmp_path / "int8.onnx", Reader(), per_channel=True,
                    activation_type=QuantType.QInt8, weight_type=QuantType.QInt8)
    held = {one.name: numpy_helper.to_array(one) for one in onnx.load(tmp_path / "int8.onnx").graph.initializer}
    theirs = {what: next(value for name, value in held.items() if value.size == 5 and value.dtype == kind
                         and ("bias" in name) == of_bias and "zero" not in name)
              for what, kind, of_bias in (("scale", np.float32, False), ("bias", np.int32, True))}
    ours: Any = quantize(graph, "onnxruntime", calibration=inputs).node("conv").operator
    assert ours.w.scale == pytest.approx(theirs["scale"], rel=3e-7)
    assert abs(ours.bias - theirs["bias"].astype(np.int64)).max() <= 256     # of 2**31: a scale's last bit
    assert abs(theirs["bias"].astype(np.int64)).max() > 2**30


def test_tengine_s_scales_of_weights_hold_the_bias() -> None:
    graph = Graph("one", (1, 1, 1, 1), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(np.array([0.5, 1e-12]).reshape(2, 1, 1, 1), [0.25, -0.25]),
                                "input"))
    x = np.ones((1, 1, 1, 1), np.float32)
    for flow in ("tengine", "tengine-reference"):
        made = quantize_by_tengine(graph, flow, calibration=[x])
        operator: Any = made.node("conv").operator
        assert operator.w.scale[0] == np.float32(0.5) / np.float32(127) and abs(operator.bias[1]) <= 2**30
        assert made.plan("reference").run(x).reshape(-1).tolist() == pytest.approx([0.75, -0.25], abs=0.01)


def test_a_range_of_too_few_digits_is_none() -> None:
    """As ONNX Runtime's compute_scale_zp has it."""
    assert scheme_of(Range(0.0, 1e-37)).scale == scheme_of(Range(0.0, 0.0)).scale == 1.0


@pytest.mark.parametrize("flow", FLOWS)
def test_calibrating_on_zeros_warns(flow: str) -> None:
    graph = Graph("one", (1, 1, 1, 1), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(np.ones((1, 1, 1, 1)), [0.5]), "input"))
    with pytest.warns(RuntimeWarning, match="one: every calibration value of 'input' is 0"):
        quantize(graph, flow, calibration=[np.zeros((1, 1, 1, 1), np.float32)])
