"""Every refusal between a file's record and a graph is produced, and is a sentence in words of the file."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.lowering import (
    base,
    data_movement,
    elementwise,
    float32,
    lower,
    onnxruntime,
    pooling,
    unquantized,
    variables,
    weights,
)
from neonsim.quant.scheme import Scheme

S = Scheme(0.5, 3, "int8")
OTHER = Scheme(0.25, 3, "int8")
IMAGE, ROWS = (1, 4, 4, 2), (2, 3)
WINDOW: dict[str, Any] = {"padding": "valid", "stride_height": 1, "stride_width": 1, "activation": "none"}
CONV: dict[str, Any] = {**WINDOW, "dilation_height": 1, "dilation_width": 1}
POOL: dict[str, Any] = {**WINDOW, "pool_height": 2, "pool_width": 2}
MASKS = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)


def t(shape: Any, scheme: Any = S, data: Any = None, axis: int = 0) -> StoredTensor:
    """A tensor: scheme, or the name of a type; (scales, zero points) of weights, whose type is that of the data."""
    if isinstance(scheme, str):
        return StoredTensor("t", tuple(shape), scheme, data=data)
    if isinstance(scheme, tuple):
        scale, zero = (np.asarray(one).reshape(-1) for one in scheme)
        return StoredTensor("t", tuple(shape), data.dtype.name, scale.astype(np.float32), zero.astype(np.int64), axis,
                            data)
    return StoredTensor("t", tuple(shape), scheme.dtype, np.array([scheme.scale], np.float32),
                        np.array([scheme.zero_point], np.int64), 0, data)


def c(values: Any, dtype: Any = np.int32) -> StoredTensor:
    """A constant."""
    data = np.array(values, dtype)
    return StoredTensor("c", data.shape, data.dtype.name, data=data)


def w(shape: Any, scales: Any = 0.1, zeros: Any = 0, axis: int = 0, dtype: Any = np.int8) -> StoredTensor:
    """Weights."""
    return t(shape, (scales, zeros), np.ones(shape, dtype), axis)


X, U, ROW, REAL = t(IMAGE), t(IMAGE, Scheme(0.5, 3)), t(ROWS), t(IMAGE, "float32")
# kind, what it reads, what it writes, attributes, what is said; and the arithmetic.
CASES: list[tuple[Any, ...]] = [
    ("", [X], [X], {}, "this operator is not supported"),
    ("conv2d", [REAL, c(np.ones((2, 1, 1, 2)), np.float32)], [REAL], CONV,
     "arithmetic 'tflite' is for integers only; use 'xnnpack'", "tflite"),
    ("reshape", [U], [t((4, 8), Scheme(0.25, 3))], {},
     r"its result would be \[4, 8\] of uint8 \(scale 0.5, zero point 3\); the file", "qnnpack"),
    ("conv2d", [None, w((2, 1, 1, 2))], [X], CONV, "its input 0 is missing"),
    ("conv2d", [X, t((2, 1, 1, 2), S)], [X], CONV, "its weights must be constant; 't1' is computed"),
    ("mean", [X, c([1.0], np.float32)], [X], {"keep_dims": True}, "its axes must be integers; 'c1' is float32"),
    ("arg_max", [X, c([9])], [t((1, 4, 4), "int32")], {}, r"its axis is \[9\]; supported: one number of -4 to 3"),
    ("quantize", [REAL], [], {}, "it has no result"),
    ("reshape", [c([1.0], np.float16)], [t((1,), "float16")], {}, "is float16; it must be one of"),
    ("relu", [t(IMAGE, "int8")], [X], {}, r"'t' is int8 \[1, 4, 4, 2\], not 8-bit integers with one scale"),
    ("relu", [t(IMAGE, Scheme(0.5, 0, "int16"))], [X], {}, "for 16 bits only convolutions, data movement"),
    ("relu", [X], [X], {}, "arithmetic 'qnnpack' is of uint8", "qnnpack"),
    ("multiply", [U, U], [U], {"activation": "none"}, "arithmetic 'qnnpack' has no element-wise product", "qnnpack"),
    ("conv2d", [X, w((2, 1, 1, 2))], [X], {**CONV, "activation": "tanh"},
     "its activation is TANH; supported: NONE, RELU, RELU6, REL"),
    ("conv2d", [X, w((2, 1, 1, 2))], [X], {**CONV, "stride_height": 0}, "its stride is 0x1; supported: at least 1"),
    ("conv2d", [ROW, w((2, 1, 1, 3))], [X], CONV,
     r"'t' has shape \[2, 3\]; an image is \[batch, height, width, channels\]"),
    # ---- element by element
    ("quantize", [t(IMAGE, Scheme(0.5, 0, "int16"))], [U], {},
     "it converts int16 to uint8, which LiteRT does not support"),
    ("quantize", [t(IMAGE, Scheme(0.5, 0, "int16"))], [t(IMAGE, Scheme(0.5, 7, "int16"))], {},
     "its int16 have the zero points 0 and 7; LiteRT takes 0 only"),
    ("softmax", [X], [X], {"beta": 1.0}, "LiteRT takes steps of 1/256 from -128, within a thousandth"),
    ("maximum", [U, t(IMAGE, Scheme(0.25, 3))], [U], {},
     r"its operands are uint8 \(scale 0.5, zero point 3\) and uint8 \(scale 0.25", "qnnpack"),
    ("arg_max", [X, c([3])], [t((1, 4, 4), "float32")], {}, "its result is float32; supported: int32"),
    ("relu", [U], [t(IMAGE, Scheme(0.25, 3))], {},
     r"it reads uint8 \(scale 0.5, zero point 3\) and writes uint8 \(scale 0.25", "qnnpack"),
    ("elu", [t(IMAGE, Scheme(0.5, 3))], [t(IMAGE, Scheme(0.5, 3))], {}, "LiteRT has no ELU of uint8; supported: int8"),
    ("softmax", [t(ROWS, Scheme(0.5, 3))], [t(ROWS, Scheme(1 / 256, 0))], {"beta": 2.0}, "its beta is 2; QNNPACK has 1",
     "qnnpack"),
    # ---- moves
    ("pad", [X, c([[1, 1]])], [X], {}, r"its amounts are int32 \[1, 2\]; supported: integers \[4, 2\]"),
    ("pad", [X, c([[0, 0]] * 4), c([1.0, 2.0], np.float32)], [X], {},
     r"its value is float32 \[2\]; supported: one number of int8"),
    ("mirror_pad", [X, c([[0, 0]] * 4)], [X], {"mode": 7}, "its mode is 7; supported: 0"),
    ("gather", [X, c([0])], [X], {"axis": 1, "batch_dims": 1}, "its batch_dims is 1; supported: 0"),
    ("gather", [X, c([0.5], np.float32)], [X], {"axis": 1, "batch_dims": 0}, "supported: integers along an axis"),
    ("resize_nearest", [X, c([7, 7])], [X], {"align_corners": False, "half_pixel": False},
     r"it makes \[1, 4, 4, 2\] \[7, 7"),
    ("resize_bilinear", [X, c([4, 4])], [X], {"align_corners": True, "half_pixel": True},
     "align_corners and half_pixel_ce"),
    ("pack", [ROW], [t((1, 2, 3))], {"axis": 5}, r"it puts \[2, 3\] together along axis 5 of 3"),
    ("unpack", [ROW], [t((3,))], {"axis": 0}, r"it takes \[2, 3\] apart along axis 0, into 1"),
    ("shape", [X], [t((4,), "float32")], {}, "its result is float32; supported: int32 and int64"),
    ("concatenation", [X, X], [t((1, 4, 4, 4))], {"axis": 3, "activation": "relu"},
     "its activation is RELU; joined tensors"),
    ("concatenation", [X, t(IMAGE, OTHER)], [t((1, 4, 4, 4))], {"axis": 3, "activation": "none"},
     "only of uint8 scales may"),
    ("split", [c([0]), ROW], [t((1, 3))], {"parts": 2}, "it has 1 results; 2 parts were made"),
    ("slice", [ROW, c([0]), c([1])], [ROW], {}, r"it has 1 begins and 1 sizes for \[2, 3\]"),
    ("slice", [ROW, c([0, 0]), c([9, 1])], [ROW], {}, "more than there is, or nothing"),
    ("strided_slice", [ROW, c([0]), c([1, 1]), c([1])], [ROW], MASKS, "it has 1 begins, 2 ends and 1 strides"),
    ("strided_slice", [ROW, c([0]), c([1]), c([1])], [ROW], {**MASKS, "new_axis_mask": 1},
     "its ellipsis_mask or new_axis"),
    ("strided_slice", [ROW, c([0]), c([1]), c([0])], [ROW], MASKS, "its stride along axis 0 is 0"),
    ("strided_slice", [ROW, c([9]), c([1]), c([1])], [ROW], {**MASKS, "shrink_axis_mask": 1},
     "takes index 9 of axis 0, whi"),
    ("strided_slice", [ROW, c([1]), c([0]), c([1])], [ROW], MASKS, "it takes nothing of axis 0: 1 to 0 by 1 of 2"),
    # ---- windows and means
    ("max_pool", [X], [X], {**POOL, "padding": ((1, 0), (0, 0)), "pool_height": 1, "pool_width": 1},
     "windows are of one pix"),
    ("mean", [X, c([9])], [X], {"keep_dims": True},
     r"its axes are \[9\]; supported: at least one of the 4 axes"),
    ("reduce_max", [X, c([1])], [t((1, 4, 2), OTHER)], {"keep_dims": False}, "supported: one scale and zero point",
     "tflite"),
    # ---- products
    ("conv2d", [X, c(np.ones((2, 1, 1, 2)), np.int8)], [X], CONV,
     "are int8 .* without scales; supported: 8-bit integers"),
    ("conv2d", [X, w((2, 1, 1, 2), [0.1, 0.1], [0, 0], 3)], [X], CONV,
     "scales along axis 3; axis 0 counts the results"),
    ("conv2d", [X, w((2, 1, 1, 2), -0.1)], [X], CONV, "a scale of its weights is negative or no number"),
    ("conv2d", [X, w((2, 1, 1, 2), [0.1, 0.1], [0, 1])], [X], CONV,
     "its weights have several zero points; supported: one"),
    ("conv2d", [X, w((2, 1, 1, 2), [0.1] * 3, [0] * 3)], [X], CONV, "its weights have 3 scales for 2 channels"),
    ("conv2d", [X, w((2, 1, 1, 2)), c([1, 2], np.int64)], [X], CONV,
     r"its bias is int64 \[2\]; supported: int32 \[2\]"),
    ("conv2d", [X, w((2, 1, 1, 3))], [X], CONV, r"its weights are \[2, 1, 1, 3\], which do not fit 2 channels"),
    ("depthwise", [X, w((2, 1, 1, 2))], [X], CONV, r"its weights are \[2, 1, 1, 2\], which do not fit 2 channels"),
    ("conv2d", [t(IMAGE, Scheme(0.5, 0, "int16")), w((2, 1, 1, 2), 0.1, 1)], [t(IMAGE, Scheme(0.5, 0, "int16"))], CONV,
     "its weights are int8 with zero point 1; int16 is multiplied by int8 without one"),
    ("conv2d", [t(IMAGE, Scheme(0.5, 0, "int16")), w((2, 1, 1, 2), [0.1] * 3, [0] * 3)],
     [t(IMAGE, Scheme(0.5, 0, "int16"))], CONV, "its weights have 3 scales for 2 channels"),
    ("conv2d", [t(IMAGE, Scheme(0.5, 0, "int16")), w((2, 1, 1, 2)), c([1, 2])],
     [t(IMAGE, Scheme(0.5, 0, "int16"))], CONV,
     r"its bias is int32 \[2\]; int64 \[2\] is needed"),
    ("transpose_conv", [c([1, 8, 8, 5]), w((2, 2, 2, 2)), X], [t((1, 8, 8, 2))], CONV, "do not fit the image"),
    ("fully_connected", [ROW, w((4, 3))], [t((2, 4))], {"activation": "none", "weights_format": 1, "keep_dims": False},
     "its weights are shuffled for one kernel"),
    ("fully_connected", [ROW, w((4, 3, 1))],
     [t((2, 4))], {"activation": "none", "weights_format": 0, "keep_dims": False},
     r"its weights are \[4, 3, 1\]; supported: \[out, in\]"),
    ("fully_connected", [t(ROWS, Scheme(0.5, 0, "int16")), w((4, 3))], [t((2, 4), Scheme(0.5, 0, "int16"))],
     {"activation": "none", "weights_format": 0, "keep_dims": False},
     "LiteRT rounds fully connected layers of int16 in f"),
    # ---- real numbers
    ("conv2d", [REAL, c(np.ones((2, 1, 1, 2)), np.float32)], [REAL], {**CONV, "activation": "tanh"},
     "its activation is TANH"),
    ("conv2d", [REAL, c(np.ones((2, 2)), np.float32)], [REAL], CONV,
     r"its weights are float32 \[2, 2\]; supported: float32 of 4 axes"),
    ("conv2d", [REAL, c(np.ones((2, 1, 1, 3)), np.float32)], [REAL], CONV, "which do not fit 2 channels"),
    ("depthwise", [REAL, c(np.ones((2, 1, 1, 2)), np.float32)], [REAL], CONV, "which do not fit 2 channels"),
    ("mean", [REAL, c([3])], [t((1, 4, 4), "float32")], {"keep_dims": False},
     r"it takes the mean over axes \[3\] of \[1, 4"),
    ("arg_max", [None, c([0])], [t((1, 4, 4), "int32")], {}, "its input 0 is missing"),
    # ---- variables
    ("call_once", [], [], {"why": "node 0 does more than give variables constants."}, "node 0 does more than give"),
    ("variable", [], [t((), "resource"), t((), "resource")], {"variable": "v"}, "it has one result: the variable"),
    ("read_variable", [X], [X], {}, "its first input is not a variable"),
    # ---- of .onnx
    ("integer_conv", [t(IMAGE, "uint8"), w((2, 1, 1, 2), dtype=np.uint8), None, c([1, 2, 3], np.uint8)],
     [t(IMAGE, "int32")], CONV, r"its weights \[2, 1, 1, 2\] have 3 zero points", "onnxruntime"),
    ("conv2d", [X, w((2, 1, 1, 2), 0.1, 1)],
     [X], CONV, "its weights are int8 with zero point 1; of int8 it multiplies wei",
     "onnxruntime"),
    ("conv2d", [X, w((2, 1, 1, 2), 1e4)],
     [X], CONV, "input scale . weight scale / output scale is .*; supported: less than 25",
     "onnxruntime"),
    ("max_pool", [X],
     [X], {**POOL, "dilation_height": 2, "dilation_width": 1, "padding": ((1, 1), (0, 0)), "sizes": (4, 3)},
     "its windows have gaps, 2x1, and padding; supported: one of both", "onnxruntime"),
    ("quantize", [t(ROWS, "int32")], [ROW], {}, "'t' is int32; supported: float32", "onnxruntime"),
]
MODULES = base, elementwise, data_movement, unquantized, pooling, weights, float32, onnxruntime, variables
INNER = re.compile(r"\b\w+=(True|False|None|'|\d)|Error\b|object|<|>|Scheme|TensorType")
# Reached where the record before it is read in part only.
ELSEWHERE = ("which is not computed", "is not computed", "nothing has written the variable", "it begins as",
             "is written to it", "its first input is not a variable", "without one scale", "take more than")


def why(case: Any) -> str:
    """What is said of a record of one node."""
    kind, reads, writes, attributes, _, *arithmetic = case
    tensors = [one for one in reads if one is not None] + writes
    named = tuple(replace(one, name=f"{one.name}{place or ''}") for place, one in enumerate(tensors))
    numbers = iter(range(len(tensors)))
    inputs = tuple(None if one is None else next(numbers) for one in reads)
    outputs = tuple(numbers)
    rules = arithmetic[0] if arithmetic else "xnnpack"
    given = tuple(i for i in inputs if i is not None and tensors[i].data is None)[:1]
    entry = IRNode(kind, kind.upper() or "MAGIC", 0, inputs, outputs, attributes)
    more = tuple(i for i in inputs if i is not None and tensors[i].data is None and i not in given)
    record = ModelIR("f", "onnx" if rules == "onnxruntime" else "tflite", named, (entry,), given + more, outputs)
    return next(iter(lower(record, rules).refusals.values())).reason


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[4][:40])
def test_what_is_said(case: Any) -> None:
    said = why(case)
    assert re.search(case[4], said), said
    assert not INNER.search(said) and said.endswith(".") and ".." not in said, said


def _places(module: ModuleType) -> dict[int, str]:
    source = inspect.getsource(module)
    return {one.lineno: ast.unparse(one) for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Call)
            and getattr(one.func, "id", "") == "Cannot"}


def test_every_refusal_is_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[str, int]] = set()

    class Recorded(base.Cannot):
        def __init__(self, *words: Any) -> None:
            frame = sys._getframe(1)
            seen.add((frame.f_globals["__name__"], frame.f_lineno))
            super().__init__(*words)

    for module in MODULES:
        monkeypatch.setattr(module, "Cannot", Recorded)
    for case in CASES:
        why(case)
    missed = [f"{module.__name__}:{line}: {text}" for module in MODULES for line, text in _places(module).items()
              if (module.__name__, line) not in seen and not any(words in text for words in ELSEWHERE)]
    assert not missed
