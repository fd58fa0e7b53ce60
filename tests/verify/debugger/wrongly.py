"""Layers computed wrongly on purpose, by code of their own: nothing of the debugger's is used.

Each mistake is made twice. `by_windows` adds up windows of numpy over a .tflite's images (channels last, signed bytes,
products rounded in single precision). `by_loops` adds integers of Python one by one over an .onnx's images (channels
first, unsigned bytes, products rounded in double precision).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass
class Layer:
    """A convolution: image [batch, height, width, channels], weights [out, kh, kw, in / groups]."""

    x: Array
    w: Array
    bias: Array
    x_scale: float
    w_scale: Any
    out_scale: float
    x_zero: int = 0
    w_zero: int = 0
    out_zero: int = 0
    low: int = -128
    high: int = 127
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)      # top, left, bottom, right
    groups: int = 1
    does: dict[str, Any] = field(default_factory=dict)  # what is done wrongly

    @property
    def scales(self) -> Array:
        """Of every output channel, in double precision."""
        one = np.float64(np.float32(self.x_scale)) * np.asarray(self.w_scale, np.float32).astype(np.float64)
        return np.broadcast_to(one / np.float64(np.float32(self.out_scale)), (len(self.w),))

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the result."""
        height, width = ((self.x.shape[1 + i] + self.pads[i] + self.pads[2 + i]
                          - self.dilation[i] * (self.w.shape[1 + i] - 1) - 1) // self.stride[i] + 1 for i in (0, 1))
        return height, width


def _short(value: int) -> int:
    return (value + 32768) % 65536 - 32768


def by_windows(layer: Layer) -> Array:
    """[batch, height, width, out]: windows of numpy, in single precision."""
    does, (oh, ow) = layer.does, layer.size
    x = layer.x.astype(np.int64)
    top, left, bottom, right = does.get("pads", layer.pads)
    (sy, sx), (dy, dx) = does.get("stride", layer.stride), does.get("dilation", layer.dilation)
    kh, kw, depth = layer.w.shape[1:]
    outside = does.get("outside", layer.x_zero)
    # Room enough below and on the right for any stride.
    room = ((0, 0), (top, bottom + 40), (left, right + 40), (0, 0))
    x = np.pad(x, room, constant_values=outside) - does.get("x_zero", layer.x_zero)
    w = does.get("w", layer.w).astype(np.int64) - does.get("w_zero", layer.w_zero)
    made = np.zeros((len(x), oh, ow, len(w)), np.int64)
    per = len(w) // layer.groups
    for o in range(len(w)):
        group = o // per
        columns = []
        for ky in range(kh):
            for kx in range(kw):
                part = x[:, ky * dy:ky * dy + sy * oh:sy, kx * dx:kx * dx + sx * ow:sx]
                columns.append(part[..., group * depth:(group + 1) * depth])
        seen, weights = np.concatenate(columns, axis=-1), w[o].reshape(-1)
        if "keeps" in does:
            weights = np.where(does["keeps"], weights, 0)
        if does.get("pairs"):
            unsigned = seen + layer.x_zero + 128
            rest = ((seen - unsigned) * weights).sum(axis=-1)
            products = unsigned * weights
            if products.shape[-1] % 2:
                products = np.concatenate([products, np.zeros_like(products[..., :1])], axis=-1)
            pairs = products.reshape(*products.shape[:-1], -1, 2).sum(axis=-1)
            made[..., o] = np.minimum(np.maximum(pairs, -32768), 32767).sum(axis=-1) + rest
        else:
            made[..., o] = (seen * weights).sum(axis=-1)
    made += does.get("bias", layer.bias)
    if does.get("short"):
        made = made.astype(np.int16).astype(np.int64)
    scales = np.asarray(does.get("scales", layer.scales)).astype(np.float32)
    real = made.astype(np.float32) * scales
    if "twice" in does:
        real = np.rint(real * np.float32(2 ** does["twice"])) / np.float32(2 ** does["twice"])
    whole = {None: np.rint, "floor": np.floor, "trunc": np.trunc, "ceil": np.ceil}[does.get("rounds")](real)
    whole = whole.astype(np.int64) + does.get("out_zero", layer.out_zero)
    if does.get("wraps"):
        return whole.astype(layer.x.dtype)
    return np.minimum(np.maximum(whole, does.get("low", layer.low)), does.get("high", layer.high)).astype(layer.x.dtype)


def by_loops(layer: Layer) -> Array:
    """The same, one product after the other, in double precision."""
    does, (oh, ow) = layer.does, layer.size
    top, left = does.get("pads", layer.pads)[:2]
    (sy, sx), (dy, dx) = does.get("stride", layer.stride), does.get("dilation", layer.dilation)
    w = does.get("w", layer.w)
    out, kh, kw, depth = layer.w.shape
    x_zero, w_zero = does.get("x_zero", layer.x_zero), does.get("w_zero", layer.w_zero)
    outside, bias = does.get("outside", layer.x_zero), does.get("bias", layer.bias)
    scales = np.broadcast_to(np.asarray(does.get("scales", layer.scales), np.float64), (out,))
    images, height, width, _ = layer.x.shape
    x, weights, per = layer.x.tolist(), w.tolist(), out // layer.groups
    signed = layer.x.dtype == np.int8
    made = np.zeros((images, oh, ow, out), layer.x.dtype)
    for at in np.ndindex(made.shape):
        image, oy, ox, o = at
        base, terms, place = (o // per) * depth, [], 0
        for ky in range(kh):
            for kx in range(kw):
                y, xx = oy * sy + ky * dy - top, ox * sx + kx * dx - left
                inside = 0 <= y < height and 0 <= xx < width
                for c in range(depth):
                    value = x[image][y][xx][base + c] if inside else outside
                    if "keeps" not in does or does["keeps"][place]:
                        terms.append((value, weights[o][ky][kx][c]))
                    place += 1
        total = 0
        if does.get("pairs"):
            unsigned = [(value + (128 if signed else 0), weight) for value, weight in terms] + [(0, 0)]
            for first in range(0, len(terms), 2):
                pair = sum(value * weight for value, weight in unsigned[first:first + 2])
                total += min(max(pair, -32768), 32767)
            total -= sum((x_zero + (128 if signed else 0)) * weight for _, weight in terms)
        else:
            for value, weight in terms:
                total += (value - x_zero) * (weight - w_zero)
        total += int(bias[o])
        if does.get("short"):
            total = _short(total)
        real = total * float(scales[o])
        if "twice" in does:
            real = round(real * 2 ** does["twice"]) / 2 ** does["twice"]
        rounds = does.get("rounds")
        whole = math.floor(real) if rounds == "floor" else math.trunc(real) if rounds == "trunc" else \
            math.ceil(real) if rounds == "ceil" else round(real)
        whole += does.get("out_zero", layer.out_zero)
        if does.get("wraps"):
            made[at] = np.array(whole).astype(layer.x.dtype)
        else:
            made[at] = min(max(whole, does.get("low", layer.low)), does.get("high", layer.high))
    return made
