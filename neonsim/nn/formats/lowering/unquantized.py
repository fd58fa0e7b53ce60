"""Sums of products that stay sums, schemes found at run time, and floats around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, image_of, padding_of, pair
from neonsim.nn.ops.float32 import unquantized

__all__ = ["KINDS"]


def _zero_point(of: Lowering, entry: IRNode) -> tuple[int | None, list[str]]:
    """Of x: a number, or the tensor that it is in."""
    if len(entry.inputs) < 3 or entry.inputs[2] is None:
        return 0, []
    if of.stored(entry, 2).data is None:
        return None, [of.name(entry, 2)]
    return of.constant_integer(entry, 2, "zero point", -128, 255), []


def _weights(of: Lowering, entry: IRNode) -> NDArray[Any]:
    """Without their zero points."""
    values = of.constant(entry, 1, "weights")
    if len(entry.inputs) < 4 or entry.inputs[3] is None:
        return values.astype(np.int16)
    zero = of.constant(entry, 3, "zero points").reshape(-1)
    if zero.size not in (1, values.shape[0]):
        raise Cannot(f"its weights {list(values.shape)} have {zero.size} zero points.")
    return values.astype(np.int16) - zero.astype(np.int16).reshape(-1, *(1,) * (values.ndim - 1))


def _conv(of: Lowering, entry: IRNode) -> None:
    x, values = of.stored(entry, 0), _weights(of, entry)
    image, stride, dilation = image_of(x), pair(entry, "stride"), pair(entry, "dilation")
    zero, more = _zero_point(of, entry)
    operator = unquantized.AccumulatorConv2d(of.type_of(x), values, zero, groups=image[3] // values.shape[3],
                                             stride=stride,
                                             padding=padding_of(entry, image, values.shape[1:3], stride, dilation),
                                             dilation=dilation)
    of.add(entry, operator, of.name(entry, 0), *more)


def _product(of: Lowering, entry: IRNode) -> None:
    zero, more = _zero_point(of, entry)
    operator = unquantized.AccumulatorMatmul(of.type_of(of.stored(entry, 0)), _weights(of, entry), zero)
    of.add(entry, operator, of.name(entry, 0), *more)


def _dynamic(of: Lowering, entry: IRNode) -> None:
    x = of.name(entry, 0)
    of.add(entry, unquantized.Dynamic("quantization"), x)
    for which, operator in ((1, unquantized.Dynamic("scale")), (2, unquantized.Dynamic("zero point"))):
        number = entry.outputs[which]
        made = of.graph.add_node(of.tensors[number].name, operator, x)
        of.made.append(made)
        of.names[number] = made


def _binary(word: str) -> Kind:
    def binary(of: Lowering, entry: IRNode) -> None:
        of.add(entry, unquantized.FloatPair(word), of.name(entry, 0), of.name(entry, 1))
    return binary


def _cast(of: Lowering, entry: IRNode) -> None:
    of.add(entry, unquantized.CastToFloat32(), of.name(entry, 0))


KINDS: dict[str, Kind] = {
    "dynamic_quantize": _dynamic, "integer_conv": _conv, "integer_product": _product,
    "real_add": _binary("addition"), "real_multiply": _binary("multiplication"),
    "to_real": _cast,
}
