"""Every refusal of the reader of `.onnx` is produced, and says what is wrong in words of the file."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from typing import Any

import numpy as np
import pytest

from neonsim.nn.formats.onnx import convert, data_movement, elementwise, pooling, products

from .test_onnx_values import T, file, model, node

F: Any = np.float32
I8: Any = np.int8
U8: Any = np.uint8
I32: Any = np.int32
IMAGE, ROW = [1, 2, 4, 4], [2, 3]
RULE: dict[str, Any] = {"s": F(0.5), "z": I8(3), "t": F(0.25), "u": I8(1)}
Q: dict[str, Any] = {**RULE, "w": np.ones((2, 2, 3, 3), I8), "ws": F(0.1), "wz": I8(0)}
M: dict[str, Any] = {**RULE, "w": np.ones((3, 4), I8), "ws": F(0.1), "wz": I8(0)}
X = ["x", "s", "z"]
MS = {"domain": "com.microsoft"}


def conv(*, weights: tuple[str, ...] = ("w", "ws", "wz"), **more: Any) -> list[Any]:
    return [node("QLinearConv", [*X, *weights, "s", "z"], ["y"], **more)]


def pairs(word: str, *inputs: str, **more: Any) -> list[Any]:
    return [node("DequantizeLinear", X, ["r"]), node(word, ["r", *inputs], ["f"], **more),
            node("QuantizeLinear", ["f", "t", "u"], ["y"])]


def one(word: str, *inputs: str, **more: Any) -> list[Any]:
    return [node(word, ["x", *inputs], ["y"], **more)]


def by_axis(axis: int) -> list[Any]:
    """A product between pairs whose weights have scales along an axis."""
    return [node("DequantizeLinear", X, ["r"]), node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=axis),
            node("MatMul" if axis == 0 else "Conv", ["r", "v"], ["f"]), node("QuantizeLinear", ["f", "t", "u"], ["y"])]


# nodes, shape and type of x, constants, what is said of a node.
CASES: list[tuple[Any, ...]] = [
    # ---- operands
    (one("Relu"), IMAGE, T.INT8, {}, "'x' is int8; supported: float32"),
    ([node("Relu", ["c"], ["y"])], IMAGE, T.FLOAT, {"c": F([1])}, "'c' is a constant; it must be computed"),
    ([*one("Erf"), node("Relu", ["y"], ["v"])], IMAGE, T.FLOAT, {}, "it needs 'y', which is not computed"),
    ([node("QLinearSigmoid", [*X, "t", "u"], ["y"], **MS)], IMAGE, T.FLOAT, RULE,
     "'x' is float32; supported: 8-bit integers"),
    ([node("Relu", ["x"], ["v"]), *one("QuantizeLinear", "v", "z")], [], T.FLOAT, RULE,
     "of its result, 'y': its scale, 'v', is computed; it must be constant"),
    (one("DequantizeLinear", "s", "z"), IMAGE, T.INT8, {"s": np.float16(1), "z": I8(0)}, "its scale is float16, its z"),
    (one("DequantizeLinear", "s", "z"), IMAGE, T.INT8, {"s": F(1), "z": I32(0)},
     "its zero point int32; supported: float32"),
    (one("DequantizeLinear", "s", "z"), IMAGE, T.INT8, {"s": F([1, 2]), "z": I8([1, 1])},
     "it has 2 scales; only weights"),
    (one("DequantizeLinear", "s", "z"), IMAGE, T.INT8, {"s": F([[1]]), "z": I8(0)}, r"its scale has shape \[1, 1\]"),
    (one("DequantizeLinear", "s", "z"), IMAGE, T.INT8, {"s": F(0), "z": I8(0)},
     "its scale is 0; it must be a positive, normal"),
    (one("DequantizeLinear", "s"), IMAGE, T.INT8, RULE, "'x' is int8, the zero point by which it is read uint8"),
    (one("QuantizeLinear", "s", "z", output_dtype=T.UINT8), IMAGE, T.FLOAT, RULE, "its output_dtype is uint8, its zer"),
    ([node("DequantizeLinear", X, ["v"]), *one("DequantizeLinear", "t", "u")], IMAGE, T.INT8, RULE,
     "it reads 'x' by int8, scale 0.25, zero point 1; another node does by int8, scale 0.5, zero point 3"),
    (one("Magic", domain="other.domain"), IMAGE, T.FLOAT, {}, "operators of 'other.domain' are not known here"),
    (one("Erf"), IMAGE, T.FLOAT, {}, "this operator is not supported"),
    (one("Sigmoid"), IMAGE, T.FLOAT, {}, "there is no Sigmoid of float32. It runs in integers if"),
    # ---- constants
    ([node("Relu", ["x"], ["v"]), *one("Conv", "v")], IMAGE, T.FLOAT, {}, "its weights, 'v', is computed; it must be"),
    ([node("Add", ["c", "c"], ["v"]), *one("Relu")], IMAGE, T.FLOAT, {"c": np.zeros(5000, F)}, "it computes with cons"),
    ([node("Mul", ["c", "d"], ["v"]), *one("Relu")], IMAGE, T.FLOAT,
     {"c": np.zeros((100, 1), F), "d": np.zeros((1, 100), F)}, "it computes with constants, and large ones; fold them"),
    ([node("Add", ["c", "d"], ["v"]), *one("Relu")], IMAGE, T.FLOAT, {"c": np.zeros(2, F), "d": np.zeros(3, F)}, "its"),
    (one("Reshape", "c"), IMAGE, T.FLOAT, {"c": F([32])}, "its shape are float32; supported: integers"),
    # ---- products
    (conv(), IMAGE, T.INT8, {**Q, "w": np.ones((2, 2, 3, 3), F)}, "its weights are float32; supported: 8-bit integers"),
    (conv(), IMAGE, T.INT8, {**Q, "ws": F([0.1, 0.2]), "wz": I8([0, 1])}, "of its weights: its zero points differ"),
    (conv(), IMAGE, T.INT8, {**Q, "ws": F([0.1] * 3), "wz": I8([0] * 3)}, "have 3 scales along axis 0"),
    ([node("QLinearConv", [*X, "w", "ws", "wz", "s", "z", "b"], ["y"])], IMAGE, T.INT8, {**Q, "b": F([1, 2])},
     r"its bias is float32 \[2\]; supported: int32 \[2\]"),
    (conv(), IMAGE, T.INT8, {**Q, "w": np.ones((2, 2), I8)},
     r"its weights are \[2, 2\]; supported: \[out, in, height, width\]"),
    (conv(), IMAGE, T.INT8, {**Q, "w": np.ones((2, 3, 1, 1), I8)}, "do not fit 2 channels in 1 groups"),
    (by_axis(1), IMAGE, T.INT8, {**Q, "ws": F([0.1, 0.2]), "wz": I8([0, 0])}, "along axis 1; axis 0 counts the result"),
    (by_axis(0), ROW, T.INT8, {**M, "ws": F([0.1] * 3), "wz": I8([0] * 3)}, "its weights have their scales along the "),
    (pairs("MatMul", "v"), IMAGE, T.INT8, {**M, "v": np.ones((4, 2), F)}, "there is no MatMul of float32|rows by"),
    ([node("QLinearMatMul", [*X, "w", "ws", "wz", "s", "z"], ["y"])], IMAGE, T.INT8, M, "supported: rows by a matrix"),
    ([node("QLinearMatMul", [*X, "w", "ws", "wz", "s", "z"], ["y"])], [2, 5], T.INT8, M, r"multiplies .* by .3, 4.;"),
    ([node("QGemm", [*X, "w", "ws", "wz", "", "s", "z"], ["y"], alpha=0.5, **MS)], ROW, T.INT8, M, "its alpha is 0.5;"),
    (one("Gemm", "w", transA=1), ROW, T.FLOAT, {"w": np.ones((2, 3), F)}, "its transA is 1; supported: 0"),
    (one("MatMul", "w"), ROW, T.FLOAT, {"w": np.ones((2, 3), F)}, "supported: rows by a matrix"),
    (one("MatMul", "w"), ROW, T.FLOAT, {"w": np.ones((3, 3))}, "its weights are float64"),
    (one("Gemm", "w", "b"), ROW, T.FLOAT, {"w": np.ones((3, 3), F), "b": np.ones(2, F)}, r"its bias is float32 \[2\];"),
    (one("Gemm", "w", "b"), [3, 3], T.FLOAT, {"w": np.ones((3, 3), F), "b": np.ones((3, 1), F)}, r"its bias is float3"),
    (one("Conv", "w"), IMAGE, T.FLOAT, {"w": np.ones((2, 3, 1, 1), F)}, "do not fit 2 channels in 1 groups"),
    (one("ConvInteger", "w"), IMAGE, T.UINT8, {"w": np.ones((2, 3, 1, 1), U8)}, "do not fit 2 channels in 1 groups"),
    (one("MatMulInteger", "w"), ROW, T.UINT8, {"w": np.ones((2, 3), U8)},
     "supported: rows by a matrix"),
    (one("MatMulInteger", "w"), ROW, T.UINT8, {"w": np.ones((3, 3), F)}, "it multiplies uint8 by float32"),
    (one("MatMulInteger", "w", "z"), ROW, T.UINT8, {"w": np.ones((3, 3), U8), "z": F(1)},
     "its zero point 'z' is floa"),
    (one("MatMulInteger", "w", "", "z"), ROW, T.UINT8, {"w": np.ones((3, 3), U8), "z": F(1)}, "zero points of its wei"),
    (conv(), IMAGE, T.INT8, {**Q, "wz": I8(5)}, "its weights are int8 with zero point 5; of int8 it multiplies weight"),
    (conv(), IMAGE, T.INT8, {**Q, "ws": F(1000)},
     "input scale . weight scale / output scale is 1000; supported: less than 256"),
    # ---- windows
    (one("MaxPool", kernel_shape=[2, 2, 2]), IMAGE, T.FLOAT, {},
     r"its kernel_shape is \[2, 2, 2\]; it must be two integers"),
    (one("Conv", "w"), [1, 2, 4], T.FLOAT, {"w": np.ones((2, 2, 3, 3), F)},
     r"'x' has shape \[1, 2, 4\]; an image is"),
    (one("Conv", "w", kernel_shape=[1, 1]), IMAGE, T.FLOAT, {"w": np.ones((2, 2, 3, 3), F)}, "its weights have"),
    (one("MaxPool", kernel_shape=[1, 1], strides=[3, 3], auto_pad="SAME_UPPER"), [1, 2, 6, 6], T.FLOAT, {},
     "omit pixels at the ends, which ONNX Runtime refuses"),
    (one("MaxPool", kernel_shape=[2, 2], pads=[1, 1]), IMAGE, T.FLOAT, {},
     r"its pads are \[1, 1\]; supported: four integer"),
    (one("MaxPool", kernel_shape=[2, 2], auto_pad="MORE"), IMAGE, T.FLOAT, {},
     "its auto_pad is 'MORE', which is unknown"),
    (one("MaxPool", kernel_shape=[5, 5]), IMAGE, T.FLOAT, {}, "its windows of 5 do not fit an image of 4"),
    ([node("QLinearAveragePool", [*X, "t", "u"], ["y"], kernel_shape=[2, 2], channels_last=1, **MS)], IMAGE, T.INT8,
     RULE, "its channels come last"),
    (pairs("AveragePool", kernel_shape=[2, 2], dilations=[2, 2]), IMAGE, T.INT8, RULE, r"its dilations are \[2, 2\]; "),
    ([node("QLinearGlobalAveragePool", [*X, "t", "u"], ["y"], channels_last=1, **MS)], IMAGE, T.INT8, RULE, "come las"),
    ([*one("DequantizeLinear", "s", "z"), node("MaxPool", ["x"], ["v", "p"], kernel_shape=[2, 2])], IMAGE, T.INT8,
     RULE,
     "its second result, where the largest lies, is not there"),
    (one("MaxPool", kernel_shape=[2, 2]), IMAGE, T.INT32, {}, "'x' is int32; supported: 8-bit integers and float32"),
    (one("MaxPool", kernel_shape=[2, 2]), IMAGE, T.INT8, {}, "no node says by which scale the integers of 'x'"),
    ([node("MaxPool", ["x"], ["y", "p"], kernel_shape=[2, 2])], IMAGE, T.FLOAT, {}, "its second result, where the lar"),
    (one("AveragePool", kernel_shape=[2, 2], ceil_mode=1), IMAGE, T.FLOAT, {},
     "it has ceil_mode 1, which is supported for integers"),
    # ---- two operands, curves
    ([node("QLinearAdd", ["c", "s", "z", "c", "s", "z", "t", "u"], ["y"], **MS)], ROW, T.INT8, {**RULE, "c": I8([1])},
     "both of its operands are constants"),
    ([node("QLinearAdd", [*X, "c", "s", "z", "t", "u"], ["y"], **MS)], ROW, T.INT8, {**RULE, "c": I8([1, 2, 3])},
     r"one of its operands is a constant of shape \[3\]; supported: of integers a single value"),
    ([node("QLinearAdd", [*X, "c", "s", "z", "t", "u"], ["y"], **MS)], [3], T.INT8, {**RULE, "c": I8([[1]])},
     "its constant has more axes than the other operand"),
    ([node("Flatten", ["x"], ["v"]), node("QLinearMul", [*X, "v", "s", "z", "t", "u"], ["y"], **MS)], [2, 2, 2], T.INT8,
     RULE, r"its operands are \[2, 2, 2\] and \[2, 4\]; supported: as many axes"),
    ([node("Flatten", ["x"], ["v"]), node("QLinearAdd", [*X, "v", "s", "z", "t", "u"], ["y"], **MS)], [2, 2, 2], T.INT8,
     RULE,
     "supported: one shape, because sums that broadcast are rounded in another order there"),
    (one("Add", "c"), ROW, T.FLOAT, {"c": np.ones(3)}, "its operands are float32 and float64; supported: float32"),
    (one("Add", "c"), ROW, T.FLOAT, {"c": np.ones(2, F)}, r"its operands \[2, 3\] and \[2\] do not broadcast"),
    (one("Add", "c"), ROW, T.FLOAT, {"c": np.ones((1, 1, 2, 3), F)},
     "its operands have 2 and 4 axes; supported: as many"),
    (pairs("Clip", "c"), ROW, T.INT8, {**RULE, "c": np.ones(())},
     r"its limit 'c' is float64 \[\]; supported: one float32"),
    (one("Clip", "c"), ROW, T.FLOAT, {"c": F(np.nan)}, "a limit is NaN; supported: numbers"),
    ([node("Relu", ["x"], ["v"]), *one("Clip", "v")], [], T.FLOAT, {}, "its limit 'v' is computed; it must be constan"),
    (pairs("Softmax", axis=0), ROW, T.INT8, RULE,
     r"it runs along axis 0 of \[2, 3\]; supported: the last axis of rows"),
    (one("Softmax", axis=0), ROW, T.FLOAT, {}, "supported: the last axis of rows"),
    (one("Softmax"), ROW, T.INT8, {}, "'x' is int8; supported: float32"),
    (one("BatchNormalization", *"bbbb", training_mode=1), IMAGE, T.FLOAT, {"b": F([1, 1])}, "by the batch that it is "),
    (one("BatchNormalization", *"bbbb", spatial=0), IMAGE, T.FLOAT, {"b": F([1, 1])}, "its spatial is 0, each pixel h"),
    (one("BatchNormalization", *"bbbb"), IMAGE, T.FLOAT, {"b": F([1])}, r"its constants are not float32 \[2\], one nu"),
    (one("BatchNormalization", *"bbbb"), [1, 2, 3], T.FLOAT, {"b": F([1, 1])}, "supported: rows or an image"),
    # ---- moves
    ([node("DequantizeLinear", X, ["v"]), node("Flatten", ["x"], ["q"]),
      node("DequantizeLinear", ["q", "t", "u"], ["y"])], ROW, T.INT8, RULE,
     "it leaves integers as they are, but 'x' is of int8, scale 0.5, zero point 3, its result of int8"),
    (one("Reshape", "c"), ROW, T.FLOAT, {"c": np.array([4])}, r"\[2, 3\] does not make \[4\]"),
    (one("Reshape", "c"), ROW, T.FLOAT, {"c": np.ones(9, int)}, "its new shape has 9 axes; the limit is 8"),
    (one("Reshape", "c"), ROW, T.FLOAT, {"c": np.array([2, 3, 0])}, r"its new shape \[2, 3, 0\] keeps axis 2 of \[2, "),
    (one("Flatten", axis=7), ROW, T.FLOAT, {}, "its axis is 7; what it reads has 2"),
    (one("Squeeze", "c"), ROW, T.FLOAT, {"c": np.array([0])}, r"its axes are \[0\]; the shape \[2, 3\] does not have "),
    (one("Unsqueeze", "c"), ROW, T.FLOAT, {"c": np.array([7])}, r"its axes are \[7\]; of 3 in all, each is named once"),
    (one("Transpose", perm=[0, 0]), ROW, T.FLOAT, {}, r"its axes are \[0, 0\]; each of 2 is named once"),
    ([node("Sigmoid", ["x"], ["v"]), node("QuantizeLinear", ["x", "s", "z"], ["q"]),
      node("QuantizeLinear", ["x", "t", "u"], ["p"]), node("Concat", ["q", "p"], ["y"], axis=0)], ROW, T.FLOAT, RULE,
     "it joins integers of several scales as they are; supported: one scale"),
    ([node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("Concat", ["x", "q"], ["y"], axis=0)], ROW, T.FLOAT,
     RULE,
     "it joins float32, int8 to float32; supported: one type"),
    ([node("QLinearConcat", ["t", "u", *X, "x"], ["y"], axis=0, **MS)], ROW, T.INT8, RULE, "a tensor, a scale and"),
    (one("Concat", "", axis=0), ROW, T.FLOAT, {},
     "one of its inputs is missing"),
    (one("Concat", "x", axis=2), ROW, T.FLOAT, {}, "cannot be joined along axis 2"),
    (one("Pad", "c", mode="reflect"), ROW, T.FLOAT, {"c": np.zeros(4, int)},
     "its mode is 'reflect'; supported: 'constant'"),
    (one("Pad", "c", "", "c"), ROW, T.FLOAT, {"c": np.zeros(4, int)}, "it names axes; supported: pads of all axes"),
    (one("Pad", "c"), ROW, T.FLOAT, {"c": np.zeros(3, int)}, r"its pads are \[0, 0, 0\]; each axis needs integers"),
    (one("Pad", "c", "v"), ROW, T.FLOAT, {"c": np.zeros(4, int), "v": np.ones(())},
     r"its value is float64 \[\]; supported: one "),
    # ---- edges
    (one("QuantizeLinear", "s", "z"), ROW, T.INT32, RULE, "'x' is int32; supported: float32"),
    ([node("DynamicQuantizeLinear", ["x"], ["y", "a", "b"])], ROW, T.INT32, {}, "'x' is int32; supported: float32"),
    ([node("DynamicQuantizeLinear", ["x"], ["y", "a"])], ROW, T.FLOAT, {}, "it has three results, and one is left out"),
    ([node("DynamicQuantizeLinear", ["x"], ["q", "a", "b"]), node("DequantizeLinear", ["q", "s", "w"], ["y"])], ROW,
     T.FLOAT, {"s": F(1), "w": U8(0)}, "another node reads its result by a constant scale; supported: what it finds "),
    (one("Cast", to=T.INT64), ROW, T.INT32, {},
     "it makes int64 of int32; supported: float32 of int32"),
    (one("Cast", to=T.BFLOAT16), ROW, T.INT32, {}, "it makes bfloat16 of int32"),
    # ---- none of its kind
    (one("Conv"), IMAGE, T.FLOAT, {}, "its input W is missing"),
    (one("Relu", "x"), IMAGE, T.FLOAT, {}, "it has 2 inputs; X are supported"),
    ([node("Relu", ["x"], ["y", "v"])], IMAGE, T.FLOAT, {},
     "it has 2 results, or the first is missing; the limit is 1"),
    (one("Cast", too=1), ROW, T.INT32, {}, "its attribute 'too' is not known: such a node has round_mode, saturate, t"),
]
# Words of this code, and of Python's.
INNER = re.compile(r"\b\w+=(True|False|None|'|\d)|Error\b|object|<|>|\bself\b|schema")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[-1][:40])
def test_what_is_said(case: Any) -> None:
    nodes, shape, dtype, constants, said = case
    missing = model(file(nodes, shape, 8 if "spatial" in said else 19, dtype, **constants)).report().missing
    assert any(re.search(said, row.reason) for row in missing), [row.reason for row in missing]
    for row in missing:
        assert not INNER.search(row.reason) and row.reason.endswith(".") and ".." not in row.reason, row.reason


def test_every_refusal_is_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """But one of memory, which another test asks for (`test_onnx.py`)."""
    modules = (convert, data_movement, elementwise, pooling, products)
    places = {(module.__name__, one.lineno) for module in modules for one in ast.walk(ast.parse(
        inspect.getsource(module))) if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call)
        and getattr(one.exc.func, "id", "") == "Misfit" and "take more than" not in ast.unparse(one)}
    seen: set[tuple[str, int]] = set()

    class Recorded(convert.Misfit):
        def __init__(self, *words: Any) -> None:
            frame = sys._getframe(1)
            seen.add((frame.f_globals["__name__"], frame.f_lineno))
            super().__init__(*words)

    for module in modules:
        monkeypatch.setattr(module, "Misfit", Recorded)
    for nodes, shape, dtype, constants, said in CASES:
        model(file(nodes, shape, 8 if "spatial" in said else 19, dtype, **constants))
    assert not sorted(places - seen)
