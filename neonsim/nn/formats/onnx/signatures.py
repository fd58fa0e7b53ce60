"""What operators of `.onnx` take: inputs by their names in ONNX, attributes by the kind of their values, results.

A node that has anything else is refused when the file is read, as ONNX Runtime refuses it. So an attribute is taken as
it is wherever it is read, and none goes unread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["misfit"]

_KINDS: dict[str, tuple[type[Any], type[Any] | None, str]] = {
    "i": (int, None, "an integer"), "f": (float, None, "a real number"), "s": (str, None, "a word"),
    "t": (np.ndarray, None, "a tensor"), "ii": (list, int, "integers"), "ff": (list, float, "real numbers"),
}


class _Signature(NamedTuple):
    """inputs: names, ? behind those that may be left out, * behind any number; attributes: {name: kind};
    results: how many at most."""

    inputs: tuple[str, ...]
    attributes: Mapping[str, str]
    results: int = 1


def _of(inputs: str, attributes: str = "", results: int = 1) -> _Signature:
    return _Signature(tuple(inputs.split()), dict(one.split(":", 1) for one in attributes.split()), results)


_WINDOW = "auto_pad:s dilations:ii kernel_shape:ii pads:ii strides:ii"
_POOL = f"{_WINDOW} ceil_mode:i"
_A, _B, _Y = "A A_scale A_zero_point?", "B B_scale B_zero_point?", "Y_scale Y_zero_point?"
_X = "X X_scale X_zero_point?"
_SIGNATURES = {
    "Add": _of("A B"), "AveragePool": _of("X", f"{_POOL} count_include_pad:i"),
    "BatchNormalization": _of("X scale B mean var", "epsilon:f momentum:f spatial:i training_mode:i", 5),
    "Cast": _of("input", "to:i saturate:i round_mode:s"), "Clip": _of("input min? max?", "min:f max:f"),
    "Concat": _of("inputs*", "axis:i"),
    "Constant": _of("", "value:t value_float:f value_floats:ff value_int:i value_ints:ii"),
    "Conv": _of("X W B?", f"{_WINDOW} group:i"),
    "ConvInteger": _of("x w x_zero_point? w_zero_point?", f"{_WINDOW} group:i"),
    "DequantizeLinear": _of("x x_scale x_zero_point?", "axis:i block_size:i output_dtype:i"),
    "DynamicQuantizeLinear": _of("x", "", 3), "Flatten": _of("input", "axis:i"),
    "Gather": _of("data indices", "axis:i"), "Gemm": _of("A B C?", "alpha:f beta:f transA:i transB:i"),
    "GlobalAveragePool": _of("X"), "Identity": _of("input"), "LeakyRelu": _of("X", "alpha:f"), "MatMul": _of("A B"),
    "MatMulInteger": _of("A B a_zero_point? b_zero_point?"), "MaxPool": _of("X", f"{_POOL} storage_order:i", 2),
    "Mul": _of("A B"), "Pad": _of("data pads? constant_value? axes?", "mode:s pads:ii value:f"),
    "QLinearConv": _of("x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?", f"{_WINDOW} group:i"),
    "QLinearMatMul": _of("a a_scale a_zero_point b b_scale b_zero_point y_scale y_zero_point"),
    "QuantizeLinear": _of("x y_scale y_zero_point?", "axis:i block_size:i output_dtype:i saturate:i"),
    "Relu": _of("X"), "Reshape": _of("data shape", "allowzero:i"), "Shape": _of("data", "start:i end:i"),
    "Sigmoid": _of("X"), "Softmax": _of("input", "axis:i"), "Squeeze": _of("data axes?", "axes:ii"),
    "Sub": _of("A B"), "Transpose": _of("data", "perm:ii"), "Unsqueeze": _of("data axes?", "axes:ii"),
    **{f"com.microsoft.{word}": made for word, made in {
        "QGemm": _of("A A_scale A_zero_point B B_scale B_zero_point C? Y_scale? Y_zero_point?",
                     "alpha:f transA:i transB:i"),
        "QLinearAdd": _of(f"{_A} {_B} C_scale C_zero_point?"), "QLinearMul": _of(f"{_A} {_B} C_scale C_zero_point?"),
        "QLinearAveragePool": _of(f"{_X} {_Y}", f"{_POOL} channels_last:i count_include_pad:i"),
        "QLinearConcat": _of("Y_scale Y_zero_point inputs*", "axis:i"),
        "QLinearGlobalAveragePool": _of(f"{_X[:-1]} {_Y[:-1]}", "channels_last:i"),
        "QLinearLeakyRelu": _of(f"{_X} {_Y}", "alpha:f"), "QLinearSigmoid": _of(f"{_X} {_Y}"),
        "QLinearSoftmax": _of(f"{_X} {_Y[:-1]}", "axis:i opset:i"),
    }.items()},
}


def misfit(word: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any]) -> str:
    """Why a node is none of its kind, in a sentence; "" if it is, or if the kind is not known here."""
    signature = _SIGNATURES.get(word)
    if signature is None:
        return ""
    many = bool(signature.inputs) and signature.inputs[-1].endswith("*")
    names = signature.inputs[:-1] if many else signature.inputs
    for which, name in enumerate(names):
        if not name.endswith("?") and (which >= len(inputs) or not inputs[which]):
            return f"its input {name} is missing."
    if many and not all(inputs[len(names):]):
        return "one of its inputs is missing."
    if (len(inputs) > len(names) and not many) or (many and len(inputs) == len(names)):
        return f"it has {len(inputs)} inputs; {', '.join(one.rstrip('?*') for one in signature.inputs)} are taken."
    if not outputs or not outputs[0] or len(outputs) > signature.results:
        return f"it has {len(outputs)} results, or the first is left out; {signature.results} at most are taken."
    for name, value in attributes.items():
        if name not in signature.attributes:
            known = ", ".join(sorted(signature.attributes)) or "no attributes"
            return f"its attribute {name!r:.60} is not known: such a node has {known}."
        kind, of, said = _KINDS[signature.attributes[name]]
        if not isinstance(value, kind) or (of is not None and not all(isinstance(one, of) for one in list(value))):
            return f"its attribute {name!r} is {value!r:.60}; {said} {'are' if of else 'is'} taken."
    return ""
