"""By the rules of runtimes that go through floats in single precision: everything but products and moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, image_of, padding_of, pair
from neonsim.nn.formats.lowering.pooling import one_pixel
from neonsim.nn.graph import Concat
from neonsim.nn.ops import Add, Clamp, MaxPool2d, Multiply
from neonsim.nn.ops.arithmetics.onnxruntime import (
    OrtActivation,
    OrtGlobalMean,
    OrtMean,
    OrtQuantize,
    OrtSoftmax,
    TableFunction,
)
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.nn.ops.quantized.pair import Pair
from neonsim.quant.scheme import Scheme

__all__ = ["KINDS"]

Floats = NDArray[np.float32]


_SUM, _PRODUCT = partial(Add, rounding="onnxruntime"), partial(Multiply, requantization="onnxruntime")


def _two(kind: Callable[..., Pair]) -> Kind:
    def two(of: Lowering, entry: IRNode) -> None:
        a, b = of.scheme(of.stored(entry, 0)), of.scheme(of.stored(entry, 1))
        operator = kind(a, b, out=of.scheme(of.result(entry)), **of.limits(entry))
        of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))
    return two


def _by_constant(kind: Callable[..., Pair]) -> Kind:
    """The other operand is one value: 256 results."""
    def one(of: Lowering, entry: IRNode) -> None:
        x, value, out = of.scheme(of.stored(entry, 0)), of.scheme(of.stored(entry, 1)), of.scheme(of.result(entry))
        constant = of.constant(entry, 1, "operand").reshape(-1)[:1]
        first = bool(entry.attributes["first"])
        operator = kind(*((value, x) if first else (x, value)), out=out)
        of.add(entry, TableFunction.from_table(x, out, operator.params.by_constant(constant, first), operator.kind),
               of.name(entry, 0))
    return one


def _curve(kind: str, function: Callable[[IRNode], Callable[[Floats], Floats]]) -> Kind:
    def curve(of: Lowering, entry: IRNode) -> None:
        x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
        made = TableFunction(x, out, function(entry), kind)
        of.add(entry, _as_limits(made) or made, of.name(entry, 0))
    return curve


def _as_limits(table: TableFunction) -> Clamp | None:
    """The same as limits, where it does nothing else."""
    x, = table.schemes
    every = np.arange(256, dtype=np.uint8).view(x.dtype)
    made = table.reference(every)
    low, high = int(made.min()), int(made.max())
    if x != table.out or low >= high or not np.array_equal(made, np.clip(every, low, high)):
        return None
    return Clamp(x, output_min=low, output_max=high)


def _activation(word: str) -> Kind:
    """One of the table."""
    def activation(of: Lowering, entry: IRNode) -> None:
        x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
        attributes = {name: entry.attributes[name] for name in ACTIVATIONS[word].attributes}
        of.add(entry, OrtActivation(x, out, word, **attributes), of.name(entry, 0))
    return activation


def _relu(entry: IRNode) -> Callable[[Floats], Floats]:
    return lambda real: np.maximum(real, np.float32(0))


def _clip(entry: IRNode) -> Callable[[Floats], Floats]:
    low, high = (np.float32(entry.attributes[name]) for name in ("lowest", "highest"))
    return lambda real: np.asarray(np.minimum(np.maximum(real, low), high), np.float32)


def _average_pool(of: Lowering, entry: IRNode) -> None:
    x, pool, stride = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride")
    padding = _grown(entry, padding_of(entry, image_of(x), pool, stride, (1, 1)), image_of(x), pool, stride)
    operator = OrtMean(of.scheme(x), pool=pool, out=of.scheme(of.result(entry)), stride=stride, padding=padding,
                          counts_padding=entry.attributes["counts_padding"])
    of.add(entry, operator, of.name(entry, 0))


def _grown(entry: IRNode, padding: Any, image: tuple[int, ...], pool: tuple[int, int],
           stride: tuple[int, int]) -> Any:
    """More padding at the ends where sizes are rounded up, so that the last window is there."""
    sizes = entry.attributes["sizes"]
    return tuple((before, max(behind, (sizes[i] - 1) * stride[i] + pool[i] - image[1 + i] - before))
                 for i, (before, behind) in enumerate(padding))


def _max_pool(of: Lowering, entry: IRNode) -> None:
    x, pool, stride, dilation = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride"), pair(entry, "dilation")
    reach = (pool[0] - 1) * dilation[0] + 1, (pool[1] - 1) * dilation[1] + 1
    padding = _grown(entry, padding_of(entry, image_of(x), pool, stride, dilation), image_of(x), reach, stride)
    if dilation != (1, 1) and any(map(any, padding)):
        # Taps outside read the image's edge, which lies inside the window only if that has no gaps.
        raise Cannot(f"its windows have gaps, {dilation[0]}x{dilation[1]}, and padding; supported: one of both.")
    if pool == (1, 1):
        one_pixel(of, entry, padding)
        return
    operator = MaxPool2d(of.scheme(x), pool=pool, stride=stride, dilation=dilation, padding=padding)
    of.add(entry, operator, of.name(entry, 0))


def _global_mean(of: Lowering, entry: IRNode) -> None:
    x = of.stored(entry, 0)
    image = image_of(x)
    operator = OrtGlobalMean(of.scheme(x), out=of.scheme(of.result(entry)), image=image[1:4])
    of.add(entry, operator, of.name(entry, 0))


def _softmax(of: Lowering, entry: IRNode) -> None:
    of.add(entry, OrtSoftmax(of.scheme(of.stored(entry, 0)), out=of.scheme(of.result(entry))), of.name(entry, 0))


def _quantize(of: Lowering, entry: IRNode) -> None:
    x, out = of.stored(entry, 0), of.scheme(of.result(entry))
    if x.dtype != "float32":
        raise Cannot(f"{x.name!r} is {x.dtype}; supported: float32.")
    of.add(entry, OrtQuantize(out=out), of.name(entry, 0))


def _concatenation(of: Lowering, entry: IRNode) -> None:
    """Inputs of another scheme are converted first, each by a table."""
    out = of.type_of(of.result(entry))
    names = []
    for which in range(len(entry.inputs)):
        name, type_ = of.name(entry, which), of.type_of(of.stored(entry, which))
        if type_ != out and isinstance(type_.scheme, Scheme) and isinstance(out.scheme, Scheme):
            name = of.between(entry, f"part {which}", TableFunction(type_.scheme, out.scheme, lambda real: real,
                                                             "conversion"), name)
        names.append(name)
    of.add(entry, Concat(out, int(entry.attributes["axis"])), *names)


KINDS: dict[str, Kind] = {
    "add": _two(_SUM), "add_constant": _by_constant(_SUM), "average_pool": _average_pool,
    "clip": _curve("clip", _clip), "concatenation": _concatenation, "global_mean": _global_mean,
    "max_pool": _max_pool, **{word.lower(): _activation(word) for word, row in ACTIVATIONS.items() if row.onnx},
    "multiply": _two(_PRODUCT), "multiply_constant": _by_constant(_PRODUCT), "quantize": _quantize,
    "relu": _curve("ReLU", _relu), "softmax": _softmax,
}
