"""Convolutions and fully connected layers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn import ops
from neonsim.nn.formats.ir import IRNode, StoredTensor
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, image_of, in_rows, limits_of, padding_of, pair
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["KINDS"]


def _weights(of: Lowering, entry: IRNode, axis: int) -> tuple[StoredTensor, NDArray[Any]]:
    stored, values = of.stored(entry, 1), of.constant(entry, 1, "weights")
    if stored.dtype not in ("uint8", "int8") or stored.scale is None or stored.zero_point is None:
        raise Cannot(f"its weights, {stored.name!r}, are {stored} without scales; supported: 8-bit integers.")
    if stored.scale.size > 1 and stored.axis != axis:
        raise Cannot(f"its weights have their scales along axis {stored.axis}; axis {axis} counts the results.")
    if not (np.isfinite(stored.scale) & (stored.scale >= 0)).all():
        raise Cannot("a scale of its weights is negative or no number.")
    if (stored.zero_point != stored.zero_point[0]).any():
        raise Cannot("its weights have several zero points; supported: one.")
    return stored, values


def _product_operands(of: Lowering, entry: IRNode, stored: StoredTensor, values: NDArray[Any], requantization: str,
                      x_at: int = 0, bias_at: int = 2) -> dict[str, Any]:
    """Weights [out, ...] and bias of a product. In single precision, channels with scales next to nothing get other
    weights, of the same byte.

    x_at, bias_at   which inputs of the node they are
    """
    assert stored.scale is not None and stored.zero_point is not None
    x, out = of.scheme(of.stored(entry, x_at), True), of.scheme(of.result(entry), True)
    if x.dtype == "int16":
        return _sixteen(of, entry, stored, values, out, bias_at)
    channels, zero_point = values.shape[0], int(stored.zero_point[0])
    if entry.kind == "depthwise" and of.rules.wide and values.dtype == np.int8:
        zero_point = 0      # its kernels of int8 read none
    values, zero_point = _of_type(values, zero_point, x.dtype)
    scale, bias = stored.scale, _bias(of, entry, channels, bias_at)
    if scale.size not in (1, channels):
        raise Cannot(f"its weights have {scale.size} scales for {channels} channels.")
    if of.rules.wide:
        single = requantization != "fp64" and (x.dtype == "uint8" or (entry.kind == "fully_connected"
                                                                      and scale.size == 1))
        return {"w": _quantized(values, scale, zero_point), "bias": bias, "out": out, "requantization": requantization,
                "scale": _wide_scale(x, scale, out, single), **of.limits(entry)}
    if of.rules.single:
        _check_single(stored, scale, zero_point, x, out)
    values, scale, bias = _revived(values, zero_point, scale, bias, x, out)
    return {"w": _quantized(values, scale, zero_point), "bias": bias, "out": out, "requantization": requantization,
            **of.limits(entry)}


def _check_single(stored: StoredTensor, scale: NDArray[np.float32], zero_point: int, x: Scheme, out: Scheme) -> None:
    """What no rule here takes, in words of the file."""
    assert stored.zero_point is not None
    if x.dtype == "int8" and zero_point:
        raise Cannot(f"its weights are {stored.dtype} with zero point {int(stored.zero_point[0])}; of int8 it "
                     f"multiplies weights with zero point {0 if stored.dtype == 'int8' else 128}.")
    with np.errstate(over="ignore", under="ignore"):
        factor = np.float32(x.scale) * scale / np.float32(out.scale)
    if (factor >= 256).any():
        raise Cannot(f"input scale * weight scale / output scale is {float(factor.max()):.6g}; supported: less than "
                     f"256.")


def _sixteen(of: Lowering, entry: IRNode, stored: StoredTensor, values: NDArray[Any], out: Scheme,
             bias_at: int) -> dict[str, Any]:
    """Of int16 by int8: sums of 64 bits (M45)."""
    assert stored.scale is not None and stored.zero_point is not None
    if stored.dtype != "int8" or stored.zero_point.any():
        raise Cannot(f"its weights are {stored.dtype} with zero point {int(stored.zero_point[0])}; int16 is multiplied "
                     "by int8 without one.")
    if stored.scale.size not in (1, values.shape[0]):
        raise Cannot(f"its weights have {stored.scale.size} scales for {values.shape[0]} channels.")
    there = len(entry.inputs) > bias_at and entry.inputs[bias_at] is not None
    bias = of.constant(entry, bias_at, "bias") if there else np.zeros(values.shape[0], np.int64)
    if bias.dtype != np.int64 or bias.shape != values.shape[:1]:
        raise Cannot(f"its bias is {bias.dtype} {list(bias.shape)}; int64 [{values.shape[0]}] is needed, because int32 "
                     f"sums of int16 are rounded in another way.")
    return {"w": _quantized(values, stored.scale, 0), "bias": bias, "out": out, "requantization": "s64",
            **limits_of(entry.attributes.get("activation", "none"), out)}


def _quantized(values: NDArray[Any], scale: NDArray[np.float32], zero_point: int) -> Quantized:
    """Scales of 0, and those that are not normal numbers, are said as the least one that is: sums are rounded by scales
    in double precision then, which are given by themselves."""
    many, scale = scale.size > 1, np.maximum(scale, np.finfo(np.float32).tiny)
    return Quantized(values, scale if many else float(scale[0]), zero_point, axis=0 if many else None)


def _wide_scale(x: Scheme, scale: NDArray[np.float32], out: Scheme, single: bool) -> NDArray[np.float64]:
    """input scale * weight scale / output scale in double precision; single: but for the product (Y15)."""
    a, b = np.float32(x.scale), np.float32(out.scale)
    with np.errstate(over="ignore", under="ignore"):
        product = (a * scale).astype(np.float64) if single else np.float64(a) * scale.astype(np.float64)
        found = product / np.float64(b)
    return found if scale.size > 1 else found[0]


def _of_type(values: NDArray[Any], zero_point: int, dtype: str) -> tuple[NDArray[Any], int]:
    """Weights of the type of what they multiply: 128 more or less, zero point and all, is the same number."""
    if values.dtype == dtype:
        return values, zero_point
    moved = 128 if dtype == "uint8" else -128
    return (values.astype(np.int16) + moved).astype(dtype), zero_point + moved


def _bias(of: Lowering, entry: IRNode, channels: int, which: int) -> NDArray[np.int32]:
    if len(entry.inputs) <= which or entry.inputs[which] is None:
        return np.zeros(channels, np.int32)
    bias = of.constant(entry, which, "bias")
    if bias.dtype != np.int32 or bias.shape != (channels,):
        raise Cannot(f"its bias is {bias.dtype} {list(bias.shape)}; supported: int32 [{channels}].")
    return bias


def _revived(values: NDArray[Any], zero_point: int, scale: NDArray[np.float32], bias: NDArray[np.int32], x: Scheme,
             out: Scheme) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.int32]]:
    """Quantisers give channels that are always next to zero scales below what can be multiplied with. Below 2**-32 no
    sum of 32 bits comes to half a step: the zero point is left, as of weights and bias of 0 with any scale (M12)."""
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        dead = np.float32(x.scale) * scale / np.float32(out.scale) < 2.0**-32
        if not dead.any():
            return values, scale, bias
        which = np.broadcast_to(dead, bias.shape)
        other = np.float32(out.scale) / np.float32(x.scale) * np.float32(2.0**-16)
    kept = ~which.reshape(-1, *(1,) * (values.ndim - 1))
    return (np.where(kept, values, values.dtype.type(zero_point)), np.where(dead, other, scale),
            np.where(which, np.int32(0), bias))


def _convolution(of: Lowering, entry: IRNode, depthwise: bool) -> None:
    stored, values = _weights(of, entry, 3 if depthwise else 0)
    x = of.stored(entry, 0)
    image, stride, dilation = image_of(x), pair(entry, "stride"), pair(entry, "dilation")
    if values.ndim != 4 or (values.shape[0] != 1 or values.shape[3] % image[3] if depthwise else
                            image[3] % values.shape[3]):
        raise Cannot(f"its weights are {list(values.shape)}, which do not fit {image[3]} channels.")
    groups, rule = image[3] if depthwise else image[3] // values.shape[3], of.rules.products
    if depthwise:
        rule = of.rules.depthwise.get(x.dtype, rule)
    elif groups > 1:
        rule = of.rules.grouped or rule
    kernels = np.ascontiguousarray(values.transpose(3, 1, 2, 0)) if depthwise else values
    operator = ops.Conv2d(of.scheme(x, True), stride=stride, dilation=dilation, groups=groups,
                          padding=padding_of(entry, image, values.shape[1:3], stride, dilation),
                          **_product_operands(of, entry, stored, kernels, rule))
    of.add(entry, operator, of.name(entry, 0))


def _transpose_conv(of: Lowering, entry: IRNode) -> None:
    """Its inputs: the shape of the result, weights [out, kh, kw, in], the image, and a bias that may be left out."""
    stored, values = _weights(of, entry, 0)
    x, said = of.stored(entry, 2), of.constant_integers(entry, 0, "shape of the result")
    image, stride = image_of(x), pair(entry, "stride")
    if values.ndim != 4 or values.shape[3] != image[3] or len(said) != 4 or (said[0], said[3]) != (
            image[0], values.shape[0]):
        raise Cannot(f"its weights {list(values.shape)} and result {said} do not fit the image {list(image)}.")
    padding, more = [], []
    for axis in (0, 1):
        whole = (image[axis + 1] - 1) * stride[axis] + values.shape[axis + 1]
        cut = max(whole - said[axis + 1], 0) if entry.attributes["padding"] == "same" else 0
        padding.append((cut // 2, cut - cut // 2))
        more.append(said[axis + 1] - whole + cut)
    of.scheme(x)
    rule = of.rules.transposed.get(x.dtype, of.rules.products)
    operands = _product_operands(of, entry, stored, values, rule, 2, 3)
    w = operands.pop("w")
    turned = Quantized(np.ascontiguousarray(w.values.transpose(3, 1, 2, 0)), w.scale, w.zero_point,
                       axis=None if w.axis is None else 3)
    operator = ops.Deconv2d(of.scheme(x), turned, stride=stride, padding=padding, adjustment=(more[0], more[1]),
                            **operands)
    of.add(entry, operator, of.name(entry, 2))


def _fully_connected(of: Lowering, entry: IRNode) -> None:
    stored, values = _weights(of, entry, 0)
    if entry.attributes["weights_format"] != 0:
        raise Cannot("its weights are shuffled for one kernel; supported: plain rows.")
    if values.ndim != 2 or not values.size:
        raise Cannot(f"its weights are {list(values.shape)}; supported: [out, in].")
    if of.stored(entry, 0).dtype == "int16":
        raise Cannot("LiteRT rounds fully connected layers of int16 in float64; supported: a 1x1 convolution.")
    operator = ops.FullyConnected(of.scheme(of.stored(entry, 0)),
                                  **_product_operands(of, entry, stored, values, of.rules.connected))
    in_rows(of, entry, operator, values.shape[1])


KINDS: dict[str, Kind] = {
    "conv2d": partial(_convolution, depthwise=False), "depthwise": partial(_convolution, depthwise=True),
    "fully_connected": _fully_connected, "transpose_conv": _transpose_conv,
}
