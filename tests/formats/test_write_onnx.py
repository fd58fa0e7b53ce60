"""Graphs as .onnx: integers that ONNX Runtime computes to the same bytes, real numbers to the last bits.

On x86 the runtime is told to run int8 in integers with `session.qdqisint8allowed` (M34), as it does on Arm by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import ModelError
from neonsim.formats import check_writable, load_model, onnx_bytes, write_graph, write_onnx
from neonsim.graph import Concat, Graph, Reshape, model, quantise
from neonsim.graph.models import digits
from neonsim.graph.picks import sliced, transposed
from neonsim.ops.floating import (
    BatchNorm,
    RealAdd,
    RealAvgPool2d,
    RealClamp,
    RealConv2d,
    RealFullyConnected,
    RealGlobalAvgPool,
    RealLeakyRelu,
    RealMaxPool2d,
    RealSoftmax,
)
from tests.needs import needs

needs("onnx", install="pip install 'neonsim[models]'")
Reals = NDArray[np.float32]
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")


def network(seed: int) -> Graph:
    """All operators of real numbers, limits of all kinds, moves of images and rows."""
    rng = np.random.default_rng(seed)

    def w(*shape: int) -> NDArray[np.float64]:
        return rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    graph = Graph("written", (1, 11, 10, 3), dtype="float32")
    first = RealConv2d(w(8, 3, 3, 3), rng.normal(size=8), stride=2, padding=((0, 1), (1, 1)))
    a = graph.add_node("conv", first, "input")
    a = graph.add_node("norm", BatchNorm(rng.uniform(0.5, 2, 8), rng.normal(size=8)), a)
    a = graph.add_node("relu6", RealClamp(0, 6), a)
    b = graph.add_node("depthwise", RealConv2d(w(8, 3, 3, 1), padding=2, dilation=2, groups=8, low=-0.5), a)
    b = graph.add_node("leaky", RealLeakyRelu(0.3), b)
    c = graph.add_node("sum", RealAdd(low=-1.0, high=1.5), a, b)
    c = graph.add_node("grouped", RealConv2d(w(6, 1, 1, 4), rng.normal(size=6), groups=2), c)
    d = graph.add_node("join", Concat("float32"), graph.add_node("largest", RealMaxPool2d(3, stride=2, padding=1), c),
                       graph.add_node("average", RealAvgPool2d(3, stride=2, padding=1), c))
    e = graph.add_node("turn", transposed("float32", graph.tensors[d].shape, (0, 2, 1, 3)), d)
    e = graph.add_node("flat", Reshape("float32", (1, -1)), e)
    e = graph.add_node("dense", RealFullyConnected(w(10, graph.tensors[e].size), rng.normal(size=10), low=0.0), e)
    graph.add_node("means", RealGlobalAvgPool(), c)
    return graph.finish(graph.add_node("shares", RealSoftmax(), e), "means", d)


def images(seed: int, count: int) -> list[Reals]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(1, 11, 10, 3)).astype(np.float32) for _ in range(count)]


def runtime(path: Path) -> Any:
    ort = pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install "
                                                    "'neonsim[outside]'")
    options = ort.SessionOptions()
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(x: Reals) -> list[Reals]:
        found = session.run(None, {name: np.ascontiguousarray(x.transpose(0, 3, 1, 2))})
        return [one.transpose(0, 2, 3, 1) if one.ndim == 4 else one for one in found]
    return run


def _all(found: Any) -> tuple[Reals, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize(("seed", "method"), [
    (0, "minmax"), *(pytest.param(seed, method, marks=pytest.mark.nightly)
                     for seed, method in enumerate(("mse", "kl", "percentile", "aciq"), 1))])
def test_quantised_networks_have_onnx_runtime_s_bytes(tmp_path: Path, seed: int, method: str) -> None:
    made = quantise(network(seed), "onnxruntime", calibration=images(seed, 5), method=method)
    path = write_graph(made, tmp_path / "int8.onnx")
    theirs, again, plan = runtime(path), load_model(path), made.plan("reference")
    assert not again.report().missing
    for x in images(seed + 10, 4):
        ours = _all(plan.run(x))
        read = again.run(np.ascontiguousarray(x.transpose(0, 3, 1, 2)), "reference")
        for one, other, third in zip(ours, theirs(x), read, strict=True):
            assert one.tobytes() == np.ascontiguousarray(other).tobytes()
            assert one.tobytes() == np.ascontiguousarray(third.transpose(0, 2, 3, 1) if third.ndim == 4
                                                         else third).tobytes()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["digits", "mobilenet_v1", "mobilenet_v2", "resnet18", "shufflenet_v1", "squeezenet"])
def test_networks_of_the_house(tmp_path: Path, name: str) -> None:
    size = 28 if name == "digits" else 64
    graph = digits.digits("f32") if name == "digits" else model(name, size=size, quantization="f32")
    rng = np.random.default_rng(5)
    inputs = [rng.uniform(-1, 1, graph.tensors["input"].shape).astype(np.float32) for _ in range(3)]
    made = quantise(graph, "onnxruntime", calibration=inputs)
    theirs, plan = runtime(write_onnx(made, tmp_path / "int8.onnx")), made.plan(("native", "reference"))
    for x in inputs:
        for one, other in zip(_all(plan.run(x)), theirs(x), strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_real_networks(tmp_path: Path, seed: int) -> None:
    """Ours to the bit when read again; the runtime's sums are in another order.

    Two orders of k sums of numbers of at most s differ by 2 k s 2**-24 at most; s is the largest number that flows, k
    the longest sum with all that is before it.
    """
    graph = network(seed)
    path = write_onnx(graph, tmp_path / "real.onnx")
    theirs, again, plan = runtime(path), load_model(path), graph.plan("reference")
    assert not again.report().missing
    for x in images(seed, 3):
        ours = _all(plan.run(x))
        reach = max(float(abs(plan.tensor(name)).max()) for name in graph.tensors)
        read = again.run(np.ascontiguousarray(x.transpose(0, 3, 1, 2)), "reference")
        for one, other, third in zip(ours, theirs(x), read, strict=True):
            assert one.tobytes() == np.ascontiguousarray(third.transpose(0, 2, 3, 1) if third.ndim == 4
                                                         else third).tobytes()
            assert abs(one - other).max() <= 2 * 180 * reach * 2.0**-24


def test_a_network_read_from_onnx_is_quantised(tmp_path: Path) -> None:
    """As the graph that was written: the same scales, the same bytes."""
    graph = network(0)
    read = load_model(write_onnx(graph, tmp_path / "real.onnx")).graph
    one, other = (quantise(each, "onnxruntime", calibration=images(0, 3)) for each in (graph, read))
    for x in images(7, 2):
        for a, b in zip(_all(one.plan("reference").run(x)), _all(other.plan("reference").run(x)), strict=True):
            assert a.tobytes() == b.tobytes()


def test_the_bytes_of_a_file_are_always_the_same() -> None:
    made = quantise(network(0), "onnxruntime", calibration=images(0, 2))
    assert onnx_bytes(made) == onnx_bytes(made)


@pytest.mark.parametrize(("flow", "words"), [
    ("tflite", "flow tflite cannot be written as .onnx: input .quantised. of .* as it rounds here"),
    ("qnnpack", "flow qnnpack cannot be written as .onnx"),
    ("ncnn", "flow ncnn cannot be written as .onnx: .* Files: .npz of any flow"),
])
def test_flows_that_it_cannot_hold(tmp_path: Path, flow: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        check_writable(network(0), flow, tmp_path / "a.onnx")
    assert not list(tmp_path.iterdir())


def test_what_onnx_has_no_word_for() -> None:
    graph = Graph("cut", (1, 4, 4, 2), dtype="float32")
    graph.add_node("cut", sliced("float32", (1, 4, 4, 2), [range(1), range(0, 4, 2), range(4), range(2)]), "input")
    with pytest.raises(ModelError, match="cut of cut, slice: of moves that pick elements, transposes are written"):
        onnx_bytes(graph)
    graph = Graph("beta", (1, 4), dtype="float32")
    graph.add_node("shares", RealSoftmax(2.0), "input")
    with pytest.raises(ModelError, match=r"its beta is 2; \.onnx has 1"):
        onnx_bytes(graph)
