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
from neonsim.nn import ops
from neonsim.nn.formats import check_writable, load_model, onnx_bytes, write_graph, write_onnx
from neonsim.nn.formats.onnx.write import WRITERS
from neonsim.nn.graph import Concat, Graph, Reshape, model, quantize
from neonsim.nn.graph.gather import GatherIndices, slice_indices, transpose_indices
from neonsim.nn.graph.models import digits
from neonsim.nn.ops.arithmetics import onnxruntime
from neonsim.nn.ops.float32.operators import (
    BatchNorm,
    Float32Add,
    Float32AvgPool2d,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32LeakyRelu,
    Float32MaxPool2d,
    Float32Softmax,
)
from neonsim.quant.scheme import Quantized, Scheme
from tests.float_graph import float_graph, float_images
from tests.needs import needs
from tests.tiers import every

needs("onnx", install="pip install 'neonsim[models]'")
Reals = NDArray[np.float32]
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")


def runtime(path: Path) -> Any:
    ort = pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install "
                                                    "'neonsim[outside]'")
    options = ort.SessionOptions()
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(x: Reals) -> list[Reals]:
        found = session.run(None, {name: _first(x)})
        return [one.transpose(0, 2, 3, 1) if one.ndim == 4 else one for one in found]
    return run


def _all(found: Any) -> tuple[Reals, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize(("seed", "method"), [
    (0, "minmax"), *(pytest.param(seed, method, marks=pytest.mark.nightly)
                     for seed, method in enumerate(("mse", "kl", "percentile", "aciq"), 1))])
def test_quantized_networks_have_onnx_runtime_s_bytes(tmp_path: Path, seed: int, method: str) -> None:
    made = quantize(float_graph(seed), "onnxruntime", calibration=float_images(seed, 5), method=method)
    path = write_graph(made, tmp_path / "int8.onnx")
    theirs, again, plan = runtime(path), load_model(path), made.plan("reference")
    assert not again.report().missing
    for x in float_images(seed + 10, 4):
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
    made = quantize(graph, "onnxruntime", calibration=inputs)
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
    graph = float_graph(seed)
    path = write_onnx(graph, tmp_path / "real.onnx")
    theirs, again, plan = runtime(path), load_model(path), graph.plan("reference")
    assert not again.report().missing
    for x in float_images(seed, 3):
        ours = _all(plan.run(x))
        reach = max(float(abs(plan.tensor(name)).max()) for name in graph.tensors)
        read = again.run(np.ascontiguousarray(x.transpose(0, 3, 1, 2)), "reference")
        for one, other, third in zip(ours, theirs(x), read, strict=True):
            assert one.tobytes() == np.ascontiguousarray(third.transpose(0, 2, 3, 1) if third.ndim == 4
                                                         else third).tobytes()
            assert abs(one - other).max() <= 2 * 180 * reach * 2.0**-24


def test_a_network_read_from_onnx_is_quantized(tmp_path: Path) -> None:
    """As the graph that was written: the same scales, the same bytes."""
    graph = float_graph(0)
    read = load_model(write_onnx(graph, tmp_path / "real.onnx")).graph
    one, other = (quantize(each, "onnxruntime", calibration=float_images(0, 3)) for each in (graph, read))
    for x in float_images(7, 2):
        for a, b in zip(_all(one.plan("reference").run(x)), _all(other.plan("reference").run(x)), strict=True):
            assert a.tobytes() == b.tobytes()


def test_the_bytes_of_a_file_are_always_the_same() -> None:
    made = quantize(float_graph(0), "onnxruntime", calibration=float_images(0, 2))
    assert onnx_bytes(made) == onnx_bytes(made)


@pytest.mark.parametrize(("flow", "words"), [
    ("tflite", "flow tflite cannot be written as .onnx: input .quantised. of .* with its rounding"),
    ("qnnpack", "flow qnnpack cannot be written as .onnx"),
    ("ncnn", "flow ncnn cannot be written as .onnx: .* Files: .npz of any flow"),
])
def test_flows_that_it_cannot_hold(tmp_path: Path, flow: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        check_writable(float_graph(0), flow, tmp_path / "a.onnx")
    assert not list(tmp_path.iterdir())


def test_what_onnx_has_no_word_for() -> None:
    graph = Graph("cut", (1, 4, 4, 2), dtype="float32")
    graph.add_node("cut", slice_indices("float32", (1, 4, 4, 2), [range(1), range(0, 4, 2), range(4), range(2)]),
                   "input")
    with pytest.raises(ModelError, match="cut of cut, slice: of moves that pick elements, transposes are written"):
        onnx_bytes(graph)
    graph = Graph("beta", (1, 4), dtype="float32")
    graph.add_node("shares", Float32Softmax(2.0), "input")
    with pytest.raises(ModelError, match=r"its beta is 2; \.onnx has 1"):
        onnx_bytes(graph)


# ---- every operator alone --------------------------------------------------------------------------------------------

def _scheme(rng: Any, dtype: str, scale: float = 0.03) -> Scheme:
    low = np.iinfo(dtype).min
    return Scheme(float(np.float32(scale * rng.uniform(0.5, 2))), int(low + rng.integers(90, 166)), dtype)


def _weights(rng: Any, dtype: str, *shape: int) -> Quantized:
    values = rng.integers(-127, 128, shape).astype(np.int8)
    if dtype == "uint8":
        return Quantized(rng.integers(0, 256, shape).astype(np.uint8), 0.01, 120)
    return Quantized(values, rng.uniform(0.002, 0.01, shape[0]).astype(np.float32), axis=0)


def _in_integers(rng: Any, dtype: str) -> dict[type, tuple[tuple[int, ...], Any]]:
    """{operator: (shape of what it reads, a function of the graph that adds it)}."""
    x, out, low = _scheme(rng, dtype), _scheme(rng, dtype, 0.05), np.iinfo(dtype).min
    image, rows = (2, 5, 6, 4), (2, 9)
    dealt: tuple[tuple[int, ...], int] = ((image, 2), (rows, 3))[int(rng.integers(2))]
    cut: dict[str, Any] = {"output_min": low + 100, "output_max": low + 180} if rng.integers(2) else {}
    bias = rng.integers(-900, 900, 6).astype(np.int32)

    def one(operator: Any, *more: str) -> Any:
        return lambda graph: graph.add_node("y", operator, "input", *more)

    return {
        ops.Conv2d: (image, one(ops.Conv2d(x, _weights(rng, dtype, 6, 3, 2, 2), bias, out=out, stride=(2, 1), groups=2,
                                           padding=((0, 1), (1, 0)), requantization="fp32", **cut))),
        ops.FullyConnected: (rows, one(ops.FullyConnected(x, _weights(rng, dtype, 6, 9), bias, out=out,
                                                          requantization="fp32", **cut))),
        ops.MaxPool2d: (image, one(ops.MaxPool2d(x, pool=(3, 2), stride=(2, 1), padding=((1, 0), (0, 1))))),
        ops.Clamp: (image, one(ops.Clamp(x, output_min=low + 60, output_max=low + 200))),
        ops.Add: (image, one(ops.Add(x, x, out=out, rounding="onnxruntime", **cut), "input")),
        ops.Multiply: (image, one(ops.Multiply(x, x, out=out, requantization="onnxruntime", **cut), "input")),
        onnxruntime.OrtMean: (image, one(onnxruntime.OrtMean(
            x, pool=(3, 3), out=out, stride=(2, 2), padding=((1, 1), (0, 1)), counts_padding=bool(rng.integers(2))))),
        onnxruntime.OrtGlobalMean: (image, one(onnxruntime.OrtGlobalMean(x, out=out, image=image[1:]))),
        onnxruntime.OrtActivation: (image, one(onnxruntime.OrtActivation(x, out, "LEAKY_RELU", slope=0.3))),
        onnxruntime.OrtSoftmax: (rows, one(onnxruntime.OrtSoftmax(x, out=Scheme(1 / 256, low, dtype)))),
        ops.Dequantize: (image, one(ops.Dequantize(x))),
        ops.ChannelShuffle: (dealt[0], one(ops.ChannelShuffle(x, groups=dealt[1]))),
        Reshape: (image, one(Reshape(x, (3, 4, 10, 2)))),
        Concat: (image, one(Concat(x, int(rng.integers(4))), "input")),
        GatherIndices: (image, one(transpose_indices(x, image, tuple(int(n) for n in rng.permutation(4))))),
    }


def _in_reals(rng: Any) -> dict[type, tuple[tuple[int, ...], Any]]:
    image, rows = (2, 5, 6, 4), (2, 9)
    w = rng.normal(size=(6, 3, 2, 2))

    def one(operator: Any, *more: str) -> Any:
        return lambda graph: graph.add_node("y", operator, "input", *more)

    return {
        onnxruntime.OrtQuantize: (image, one(onnxruntime.OrtQuantize(out=_scheme(rng, "int8")))),
        Float32Conv2d: (image,
                        one(Float32Conv2d(w, rng.normal(size=6), groups=2, padding=1, dilation=(1, 2), low=-1.5))),
        Float32FullyConnected: (rows, one(Float32FullyConnected(rng.normal(size=(5, 9)), high=0.75))),
        Float32Add: (image, one(Float32Add(low=0.0), "input")), Float32Clamp: (image, one(Float32Clamp(-0.5, 0.25))),
        BatchNorm: (image, one(BatchNorm(rng.normal(size=4), rng.normal(size=4)))),
        Float32LeakyRelu: (image, one(Float32LeakyRelu(0.2))),
        Float32MaxPool2d: (image, one(Float32MaxPool2d((2, 3), stride=(1, 2), padding=1))),
        Float32AvgPool2d: (image, one(Float32AvgPool2d((2, 3), stride=(1, 2), padding=1))),
        Float32GlobalAvgPool: (image, one(Float32GlobalAvgPool())), Float32Softmax: (rows, one(Float32Softmax())),
    }


def _written_and_read(graph: Graph, path: Path, x: Any, exact: bool) -> None:
    """ONNX Runtime, the file read again, and that written once more: all have the bytes of the graph."""
    theirs, ours = runtime(write_onnx(graph, path)), _all(graph.plan("reference").run(x))
    given = np.asarray(getattr(x, "values", x))
    again = load_model(path)
    assert not again.report().missing, again.report().missing[0].reason
    for one, other, read in zip(ours, theirs(given), again.run(_first(given), "reference"), strict=True):
        mine = np.asarray(getattr(one, "values", one))
        assert mine.dtype == other.dtype and mine.tobytes() == np.ascontiguousarray(_last(read)).tobytes()
        assert np.array_equal(mine, other) if exact else np.allclose(mine, other, atol=1e-5)
    twice = load_model(write_onnx(again.graph, path.with_name("twice.onnx")))
    for one, other in zip(again.run(_first(given)), twice.run(_first(given)), strict=True):
        assert one.tobytes() == other.tobytes()


def _first(x: Any) -> Any:
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x


def _last(x: Any) -> Any:
    return x.transpose(0, 2, 3, 1) if x.ndim == 4 else x


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 40))])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_every_operator_of_integers(dtype: str, seed: int, tmp_path: Path) -> None:
    made = _in_integers(np.random.default_rng(seed), dtype)
    assert set(made) | set(_in_reals(np.random.default_rng(0))) == set(WRITERS)
    for shape, add in made.values():
        rng = np.random.default_rng(seed)
        x = _scheme(rng, dtype)
        graph = Graph("one", shape, x)
        graph.finish(add(graph))
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        given = rng.integers(low, high + 1, shape).astype(dtype)
        _written_and_read(graph, tmp_path / "one.onnx", Quantized(given, x.scale, x.zero_point), True)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 20))])
def test_every_operator_of_real_numbers(seed: int, tmp_path: Path) -> None:
    for shape, add in _in_reals(np.random.default_rng(seed)).values():
        graph = Graph("one", shape, dtype="float32")
        graph.finish(add(graph))
        x = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
        _written_and_read(graph, tmp_path / "one.onnx", x, False)


def test_reshapes_of_images_and_rows(tmp_path: Path) -> None:
    """There and back, of three, four and five axes: the file's order of elements is another."""
    for shapes in ([(2, 3, 4, 5), (2, 60)], [(2, 60), (2, 3, 4, 5), (4, 5, 6, 1)], [(1, 2, 3, 4), (1, 2, 3, 2, 2),
                   (12, 2)], [(4, 6), (2, 3, 4), (2, 2, 3, 2), (1, 4, 2, 3)]):
        graph = Graph("shapes", shapes[0], Scheme(0.5, 3))
        name = "input"
        for number, shape in enumerate(shapes[1:]):
            name = graph.add_node(f"y{number}", Reshape(Scheme(0.5, 3), shape), name)
        graph.finish(name)
        x = np.arange(np.prod(shapes[0])).astype(np.uint8).reshape(shapes[0])
        _written_and_read(graph, tmp_path / "one.onnx", Quantized(x, 0.5, 3), True)


@pytest.mark.parametrize("suffix", every(5, [
    "(real 0)", "(result)", "(whole)", "(whole, real)", "(cut)", "(weights)", "(bias)", "(weights) (scale)",
    "(scale)", "(zero point)", "(channels first)", "(rows)", "(lowest)", "(shape)", "(channels last)",
    "(channels last again)"]))
def test_names_that_the_writer_and_the_reader_take_themselves(suffix: str, tmp_path: Path) -> None:
    """A layer, and tensors that are called like what stands around it in the file."""
    rng = np.random.default_rng(1)
    x, out, shape = _scheme(rng, "int8"), _scheme(rng, "int8", 0.05), (1, 4, 3, 2)
    graph = Graph("names", shape, x)
    w, bias = _weights(rng, "int8", 3, 1, 1, 2), rng.integers(-900, 900, 3).astype(np.int32)
    first = graph.add_node(f"conv {suffix}", ops.Conv2d(x, w, bias, out=out, requantization="fp32"), "input")
    flat = graph.add_node(f"flat {suffix}", Reshape(out, (1, 36)), first)
    conv = graph.add_node("conv", ops.Conv2d(x, _weights(rng, "int8", 3, 1, 1, 2), bias, out=out, output_min=-100,
                                             requantization="fp32"), "input")
    last = graph.add_node("flat", Reshape(out, (1, 36)), conv)
    back = graph.add_node("back", Reshape(out, (1, 3, 4, 3)), last)
    graph.finish(flat, last, back)
    given = rng.integers(-128, 128, shape).astype(np.int8)
    _written_and_read(graph, tmp_path / "one.onnx", Quantized(given, x.scale, x.zero_point), True)


@pytest.mark.parametrize("flat", [True, False])
def test_convolution_flatten_and_product_there_and_back(flat: bool, tmp_path: Path) -> None:
    """Read from a file whose images lie the other way, quantised, written, read again."""
    onnx = pytest.importorskip("onnx")
    node, value, rng = onnx.helper.make_node, onnx.helper.make_tensor_value_info, np.random.default_rng(0)
    constants = {"w": rng.normal(0, 0.2, (4, 3, 3, 3)).astype(np.float32), "to": np.array([1, 144]),
                 "v": rng.normal(0, 0.1, (144, 5)).astype(np.float32), "b": rng.normal(size=5).astype(np.float32)}
    made = onnx.helper.make_graph(
        [node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
         node("Flatten", ["c"], ["f"]) if flat else node("Reshape", ["c", "to"], ["f"]),
         node("Gemm", ["f", "v", "b"], ["y"])], "g", [value("x", 1, [1, 3, 6, 6])], [value("y", 1, None)],
        [onnx.numpy_helper.from_array(one, name) for name, one in constants.items()])
    onnx.save(onnx.helper.make_model(made, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8),
              tmp_path / "real.onnx")
    inputs = [rng.normal(size=(1, 6, 6, 3)).astype(np.float32) for _ in range(4)]
    graph = quantize(load_model(tmp_path / "real.onnx").graph, "onnxruntime", calibration=inputs)
    _written_and_read(graph, tmp_path / "one.onnx", inputs[0], True)
