"""Which nodes of quantised tensors LiteRT's delegate, XNNPACK's, takes; all others run by the runtime's own kernels.

The conditions are those that the delegate asks before it takes a node (`xnnpack_delegate.cc` of LiteRT 2.3). A node
that it leaves gets the rules of the built-in kernels here too, which are those of
`RuntimeArithmetic.fallback`. Kinds of nodes
that are not here are the same either way, or the delegate's or the kernels' always: their rules stand in `Arithmetic`.

Source: (M50).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor

__all__ = ["refusal"]

_BYTES = ("uint8", "int8")
# Scales below it are not normal in single precision.
_LEAST = float(np.finfo(np.float32).tiny)


def refusal(record: ModelIR, entry: IRNode) -> str:
    """Why the delegate leaves a node to the runtime's own kernels, in words that follow its name; "" if it takes it."""
    if not entry.outputs:
        return ""
    inputs = [None if number is None else record.tensors[number] for number in entry.inputs]
    results = [record.tensors[number] for number in entry.outputs]
    if why := _axis_of_one(entry, inputs, results):
        return why
    if entry.kind not in _CONDITIONS:
        return ""
    return _CONDITIONS[entry.kind](entry, inputs, record.tensors[entry.outputs[0]])


_Given = list[StoredTensor | None]
_PRODUCTS = ("conv2d", "depthwise", "fully_connected", "transpose_conv")


def _axis_of_one(entry: IRNode, inputs: _Given, results: list[StoredTensor]) -> str:
    """A tensor of one scale whose file names another axis for it than 0; of int8 weights the delegate allows that."""
    for which, one in enumerate([*inputs, *results]):
        weights = which == 1 and entry.kind in _PRODUCTS
        if _scale(one) is not None and one is not None and one.axis and not (weights and one.dtype == "int8"):
            return f"{one.name!r} names axis {one.axis} for its one scale"
    return ""


def _at(inputs: _Given, which: int) -> StoredTensor | None:
    return inputs[which] if which < len(inputs) else None


def _scale(tensor: StoredTensor | None) -> np.float32 | None:
    """Of a tensor with one."""
    if tensor is None or tensor.dtype not in _BYTES or tensor.scale is None or tensor.scale.size != 1:
        return None
    return np.float32(tensor.scale[0])


def _ratio(x: StoredTensor | None, out: StoredTensor | None) -> np.float32 | None:
    """Of the scales of tensors of one type."""
    a, b = _scale(x), _scale(out)
    if a is None or b is None or x is None or out is None or x.dtype != out.dtype:
        return None
    with np.errstate(all="ignore"):
        return np.float32(a / b)


def _product(x_at: int, bias_at: int, needs_bias: bool = False) -> Callable[[IRNode, _Given, StoredTensor], str]:
    """Convolutions and fully connected layers; which of their inputs are the image and the bias."""
    def product(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
        w, bias = _at(inputs, 1), _at(inputs, bias_at)
        if w is None or w.scale is None or w.dtype not in _BYTES or (x := _at(inputs, x_at)) is None or \
                x.dtype not in _BYTES:
            return ""
        if not (w.scale >= _LEAST).all():
            return f"a scale of its weights is {w.scale.min():g}, no normal number"
        if entry.kind == "fully_connected" and w.dtype == "int8" and w.zero_point is not None and w.zero_point[0]:
            return f"its int8 weights have the zero point {int(w.zero_point[0])}"
        if bias is None:
            return "it has no bias" if needs_bias else ""
        if bias.scale is None:
            return "its bias has no scale"
        return "" if (bias.scale >= _LEAST).all() else f"a scale of its bias is {bias.scale.min():g}, no normal number"
    return product


def _transpose_conv(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    left = _product(2, 3)(entry, inputs, out)
    w, x = _at(inputs, 1), _at(inputs, 2)
    if left or w is None or x is None or not len(w.shape) == len(x.shape) == len(out.shape) == 4:
        return left
    stride = int(entry.attributes["stride_height"]), int(entry.attributes["stride_width"])
    window, image, made = w.shape[1:3], x.shape[1:3], out.shape[1:3]
    if entry.attributes["padding"] == "valid":
        wide = any(size > whole for size, whole in zip(window, made, strict=True))
        return f"its window {window} is larger than its result {made}" if wide else ""
    if any(size < step for size, step in zip(window, stride, strict=True)):
        return f"its window {window} is smaller than its stride {stride}"
    apart = any(min(stride) > 0 and size != -(-whole // step)
                for size, whole, step in zip(image, made, stride, strict=True))
    return f"its image {image} is not its result {made} divided by its stride {stride}" if apart else ""


def _sum(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    for which, name in ((0, "first"), (1, "second")):
        ratio = _ratio(_at(inputs, which), out)
        if ratio is not None and not 2.0**-10 <= ratio < 2.0**8:
            return f"the scale of its {name} operand / that of its result is {ratio:.4g}, not in [1/1024, 256)"
    return ""


def _multiply(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    a, b, c = _scale(_at(inputs, 0)), _scale(_at(inputs, 1)), _scale(out)
    if a is None or b is None or c is None:
        return ""
    with np.errstate(all="ignore"):
        ratio = np.float32(a * b / c)
    if 2.0**-16 <= ratio < 2.0**8:
        return ""
    return f"the product of its scales / that of its result is {ratio:.4g}, not in [1/65536, 256)"


def _quantize(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    x = _at(inputs, 0)
    if x is None or (x.dtype == "float32" and out.dtype in _BYTES):
        return ""
    if x.dtype not in _BYTES or out.dtype != x.dtype:
        return f"it makes {out.dtype} of {x.dtype}"
    ratio = _ratio(x, out)
    if ratio is None or 2.0**-8 <= ratio <= 2.0**7:
        return ""
    return f"the scale of its input / that of its result is {ratio:.4g}, not in [1/256, 128]"


def _schemes(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    """What the delegate never takes, or of one scheme only."""
    given = [one for one in inputs if one is not None and one.dtype in _BYTES]
    if all(one.scheme == out.scheme for one in given):
        return ""
    return f"its input{'s' * (len(given) > 1)} and result have several schemes"


def _where(condition: Callable[[IRNode, _Given], bool]) -> Callable[[IRNode, _Given, StoredTensor], str]:
    """What the delegate takes otherwise, and LiteRT refuses then, of several schemes."""
    return lambda entry, inputs, out: _schemes(entry, inputs, out) if condition(entry, inputs) else ""


def _skips(entry: IRNode, inputs: _Given) -> bool:
    said = entry.attributes
    return bool(said["stride_height"] > said["pool_height"] or said["stride_width"] > said["pool_width"])


def _constant(inputs: _Given, which: int) -> NDArray[Any]:
    found = _at(inputs, which)
    return np.zeros(0) if found is None or found.data is None else found.data.reshape(-1)


def _strides(entry: IRNode, inputs: _Given) -> bool:
    masks = any(entry.attributes[f"{name}_mask"] for name in ("ellipsis", "new_axis", "shrink_axis"))
    strides, x = _constant(inputs, 3), _at(inputs, 0)
    return masks or bool((strides != 1).any()) or x is None or strides.size != len(x.shape)


def _leaky_relu(entry: IRNode, inputs: _Given, out: StoredTensor) -> str:
    ratio, slope = _ratio(_at(inputs, 0), out), np.float32(entry.attributes["slope"])
    if not _LEAST <= abs(slope) < np.inf:
        return f"its slope is {slope:g}"
    if ratio is None:
        return ""
    if not 2.0**-8 <= ratio <= 2.0**7:
        return f"the scale of its input / that of its result is {ratio:.4g}, not in [1/256, 128]"
    steep = np.float32(ratio * slope)
    if -127.99609375 <= steep <= 2.0**7 and abs(steep) >= 2.0**-8:
        return ""
    return f"the same times its slope is {steep:.4g}, not in [1/256, 128] in magnitude"


_CONDITIONS: dict[str, Callable[[IRNode, _Given, StoredTensor], str]] = {
    "add": _sum, "conv2d": _product(0, 2), "depthwise": _product(0, 2, needs_bias=True),
    "fully_connected": _product(0, 2), "leaky_relu": _leaky_relu, "multiply": _multiply, "quantize": _quantize,
    "subtract": _sum, "transpose_conv": _transpose_conv,
    **dict.fromkeys(("average_pool", "broadcast", "gather", "maximum", "minimum", "relu", "relu6", "relu_n1_to_1",
                     "reshape", "resize_nearest", "split_sizes", "tile"), _schemes),
    "max_pool": _where(_skips), "slice": _where(lambda entry, inputs: bool((_constant(inputs, 2) <= 0).any())),
    "split": _where(lambda entry, inputs: not 2 <= len(entry.outputs) <= 4), "strided_slice": _where(_strides),
}
