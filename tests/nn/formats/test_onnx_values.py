"""Constants and attributes of `.onnx` are taken as they are: none is cut, none goes unread (ONNX Runtime)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.nn.formats import Model, read_npz, write_npz
from neonsim.nn.formats.onnx import read_onnx

from .onnx_chance import theirs

onnx = pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")
OUTSIDE = "the outside check needs ONNX Runtime: pip install 'neonsim[outside]'"
T = onnx.TensorProto
PADS = np.array([0, 0, 1, 0, 0, 0, 0, 1])
VALUES = [0.0, -0.0, 1.0, 1.5, -0.5, 0.25, -3.4, 3e38, 1e-45, -np.inf, np.inf]


def file(nodes: list[Any], shape: Any, opset: int = 13, dtype: int = T.FLOAT, out: int | None = None,
         **constants: Any) -> bytes:
    """Of x to y."""
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "g", [value("x", dtype, shape)], [value("y", out or dtype, None)], [
        onnx.numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items()])
    made = onnx.helper.make_model(graph, opset_imports=[
        onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    return bytes(made.SerializeToString())


def model(data: bytes) -> Model:
    return Model(read_onnx(data, "f.onnx"))


node = onnx.helper.make_node
X = np.arange(-2, 10, dtype=np.float32).reshape(1, 1, 3, 4)


@pytest.mark.parametrize("value", VALUES)
def test_the_value_of_a_padding(value: float, tmp_path: Path) -> None:
    """In real numbers, of old files, and between pairs."""
    pytest.importorskip("onnxruntime", reason=OUTSIDE)
    real = file([node("Pad", ["x", "p", "v"], ["y"])], [1, 1, 3, 4], p=PADS, v=np.float32(value))
    old = file([node("Pad", ["x"], ["y"], pads=PADS.tolist(), value=value)], [1, 1, 3, 4], 10)
    rule = ["s", "z"]
    pair = file([node("DequantizeLinear", ["x", *rule], ["r"]), node("Pad", ["r", "p", "v"], ["f"]),
                 node("QuantizeLinear", ["f", *rule], ["y"])], [1, 1, 3, 4], dtype=T.UINT8, p=PADS,
                v=np.float32(value), s=np.float32(0.05), z=np.uint8(128))
    for data, x in ((real, X), (old, X), (pair, X.astype(np.int8).view(np.uint8))):
        wanted, made = theirs(data, {"x": x})["y"], model(data)
        for backend in ("reference", None):
            found, = made.run(x, backend)
            assert found.tobytes() == wanted.tobytes() and found.shape == wanted.shape
    again = read_npz(write_npz(model(real).graph, tmp_path / "p.npz"))
    found = again.plan("reference").run(X.reshape(1, 3, 4, 1))
    assert np.asarray(found).tobytes() == theirs(real, {"x": X})["y"].tobytes()


def test_padding_with_nan_is_refused_in_a_sentence() -> None:
    data = file([node("Pad", ["x", "p", "v"], ["y"])], [1, 1, 3, 4], p=PADS, v=np.float32(np.nan))
    assert "be a number; got nan" in model(data).report().missing[0].reason


FOLDED: list[tuple[Any, dict[str, Any]]] = [
    # Shapes that are computed of constants: word, inputs, attributes; and the constants.
    (("Squeeze", ["c", "axes"], {}), {"c": np.array([[12, 1]]), "axes": np.array([0])}),
    (("Squeeze", ["c"], {}), {"c": np.array([[[12, 1]]])}),
    (("Reshape", ["c", "to"], {}), {"c": np.array([[3, 4]]), "to": np.array([-1])}),
    (("Reshape", ["c", "to"], {}), {"c": np.array([3, 2, 2]), "to": np.array([0])}),
    (("Cast", ["c"], {"to": 7}), {"c": np.array([2.9, 6.0], np.float32)}),
    (("Cast", ["c"], {"to": 7}), {"c": np.array([-1.9], np.float32)}),
    (("Gather", ["c", "axes"], {}), {"c": np.array([4, 3, 12]), "axes": np.array([-2, 0])}),
    (("Unsqueeze", ["c", "axes"], {}), {"c": np.array(12), "axes": np.array([0])}),
    (("Mul", ["c", "c"], {}), {"c": np.array([2, 1]) + 0, "m": np.array([1])}),
    (("Concat", ["c", "d"], {"axis": 0}), {"c": np.array([6]), "d": np.array([2])}),
    (("Sub", ["c", "d"], {}), {"c": np.array([5, 5]), "d": np.array([1, 2])}),
]


@pytest.mark.parametrize("one", FOLDED, ids=lambda one: one[0][0])
def test_constants_that_are_computed_while_reading(one: Any) -> None:
    pytest.importorskip("onnxruntime", reason=OUTSIDE)
    (word, inputs, attributes), constants = one
    x = np.arange(12 if word != "Mul" else 4, dtype=np.float32)
    data = file([node(word, inputs, ["shape"], **attributes), node("Reshape", ["x", "shape"], ["y"])], x.shape,
                **constants)
    wanted = theirs(data, {"x": x})["y"]
    found, = model(data).run(x)
    assert found.shape == wanted.shape and np.array_equal(found, wanted)


def test_the_type_of_integers_that_only_an_attribute_says() -> None:
    pytest.importorskip("onnxruntime", reason=OUTSIDE)
    data = file([node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=T.INT8)], [1, 1, 3, 4], 21, out=T.INT8,
                s=np.float32(0.5))
    found, wanted = model(data).run(X)[0], theirs(data, {"x": X})["y"]
    assert found.dtype == wanted.dtype == np.int8 and np.array_equal(found, wanted)


IMAGE, W = [1, 2, 4, 4], np.ones((2, 2, 3, 3), np.float32)
REFUSED: list[tuple[list[Any], dict[str, Any], str]] = [
    ([node("Conv", ["x", "w"], ["y"], group=1.0)], {"w": W}, "its attribute 'group' is 1.0; it must be an integer"),
    ([node("Conv", ["x", "w"], ["y"], pads=[0.5, 0.5, 0.5, 0.5])], {"w": W}, r"'pads' is \[0.5.*; it must be integers"),
    ([node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 1])], {"w": W}, r"its kernel_shape is \[1, 1\]; its weights "),
    ([node("Conv", ["x", "w"], ["y"], padding=1)], {"w": W}, "its attribute 'padding' is not known: such a node has"),
    ([node("Conv", ["x"], ["y"])], {}, "its input W is missing"),
    ([node("Relu", ["x", "x"], ["y"])], {}, "it has 2 inputs; X are supported"),
    ([node("Flatten", ["x"], ["y"], axis=1.5)], {}, "its attribute 'axis' is 1.5; it must be an integer"),
    ([node("Transpose", ["x"], ["y"], perm=[0.0, 2.0, 3.0, 1.0])], {}, "'perm' is .*; it must be integers"),
    ([node("LeakyRelu", ["x"], ["y"], alpha=1)], {}, "'alpha' is 1; it must be a float"),
    ([node("Pad", ["x", "p", "v"], ["y"])], {"p": np.zeros(8, np.int64), "v": np.int64(1)},
     "its value is int64 .*; supported: one of float32"),
    ([node("Pad", ["x", "p"], ["y"])], {"p": np.full(8, 0.5)}, "its pads are float64; supported: integers"),
    ([node("Clip", ["x", "v"], ["y"])], {"v": np.float32(np.nan)}, "a limit is NaN"),
    ([node("Squeeze", ["c", "v"], ["s"]), node("Reshape", ["x", "s"], ["y"])],
     {"c": np.array([[32]]), "v": np.array([0.5])}, "its constants do not fit: float64 where integers belong"),
    ([node("Cast", ["c"], ["s"], to=7), node("Reshape", ["x", "s"], ["y"])], {"c": np.array([np.inf], np.float32)},
     "a number that no int64 is"),
    ([node("BatchNormalization", ["x", "b", "b", "b", "b"], ["y"], spatial=0)], {"b": np.ones(2, np.float32)},
     "its spatial is 0"),
]


@pytest.mark.parametrize(("nodes", "constants", "said"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_what_cannot_be_taken_as_it_is_is_refused(nodes: list[Any], constants: dict[str, Any], said: str) -> None:
    missing = model(file(nodes, IMAGE, 8 if "spatial" in said else 13, **constants)).report().missing
    assert missing
    assert re.search(said, missing[0].reason), missing[0].reason


def test_zero_points_that_are_no_integers() -> None:
    data = file([node("MatMulInteger", ["x", "w", "z"], ["y"])], [2, 3], dtype=T.UINT8, out=T.INT32,
                w=np.ones((3, 2), np.uint8), z=np.float32(1.5))
    assert "its zero point 'z' is float32; supported: uint8" in model(data).report().missing[0].reason
    data = file([node("MatMulInteger", ["x", "w", "", "z"], ["y"])], [2, 3], dtype=T.UINT8, out=T.INT32,
                w=np.ones((3, 2), np.uint8), z=np.float32(1.5))
    assert "zero points of its weights are float32" in model(data).report().missing[0].reason
