"""Operators on float32. Their order of sums is ours: runtimes add in orders of their own, so last bits differ."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import (
    ACTIVATION_LIMITS,
    Cannot,
    Kind,
    Lowering,
    float_limits_of,
    image_of,
    in_rows,
    padding_of,
    pair,
)
from neonsim.nn.graph import Reshape
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

__all__ = ["KINDS"]


def _limits(entry: IRNode) -> dict[str, Any]:
    return dict(zip(("low", "high"), float_limits_of(entry.attributes.get("activation", "none")), strict=True))


def _weights(of: Lowering, entry: IRNode, axes: int) -> tuple[NDArray[Any], NDArray[Any] | None]:
    w = of.constant(entry, 1, "weights")
    if w.dtype != np.float32 or w.ndim != axes or not w.size:
        raise Cannot(f"its weights are {w.dtype} {list(w.shape)}; supported: float32 of {axes} axes.")
    there = len(entry.inputs) > 2 and entry.inputs[2] is not None
    return w, of.constant(entry, 2, "bias") if there else None


def _convolution(of: Lowering, entry: IRNode, depthwise: bool) -> None:
    w, bias = _weights(of, entry, 4)
    image, stride, dilation = image_of(of.stored(entry, 0)), pair(entry, "stride"), pair(entry, "dilation")
    if w.shape[3] % image[3] or w.shape[0] != 1 if depthwise else image[3] % w.shape[3]:
        raise Cannot(f"its weights are {list(w.shape)}, which do not fit {image[3]} channels.")
    kernels = w.transpose(3, 1, 2, 0) if depthwise else w
    of.add(entry, Float32Conv2d(kernels, bias, stride=stride, dilation=dilation, groups=image[3] // kernels.shape[3],
                                padding=padding_of(entry, image, w.shape[1:3], stride, dilation), **_limits(entry)),
           of.name(entry, 0))


def _fully_connected(of: Lowering, entry: IRNode) -> None:
    w, bias = _weights(of, entry, 2)
    in_rows(of, entry, Float32FullyConnected(w, bias, **_limits(entry)), w.shape[1])


def _add(of: Lowering, entry: IRNode) -> None:
    of.add(entry, Float32Add(**_limits(entry)), of.name(entry, 0), of.name(entry, 1))


def _cut(activation: str) -> Kind:
    def cut(of: Lowering, entry: IRNode) -> None:
        of.add(entry, Float32Clamp(*float_limits_of(activation)), of.name(entry, 0))
    return cut


def _clip(of: Lowering, entry: IRNode) -> None:
    of.add(entry, Float32Clamp(entry.attributes["lowest"], entry.attributes["highest"]), of.name(entry, 0))


def _norm(of: Lowering, entry: IRNode) -> None:
    gamma, beta, mean, variance = (of.constant(entry, which, what) for which, what in enumerate(
        ("scale", "bias", "mean", "variance"), 1))
    of.add(entry, BatchNorm.from_statistics(mean, variance, gamma, beta, entry.attributes["epsilon"]),
           of.name(entry, 0))


def _leaky_relu(of: Lowering, entry: IRNode) -> None:
    of.add(entry, Float32LeakyRelu(float(entry.attributes["slope"])), of.name(entry, 0))


def _softmax(of: Lowering, entry: IRNode) -> None:
    of.add(entry, Float32Softmax(float(entry.attributes["beta"])), of.name(entry, 0))


def _pool(kind: type[Float32MaxPool2d | Float32AvgPool2d]) -> Kind:
    def pool(of: Lowering, entry: IRNode) -> None:
        window, stride = pair(entry, "pool"), pair(entry, "stride")
        padding = padding_of(entry, image_of(of.stored(entry, 0)), window, stride, (1, 1))
        of.add(entry, kind(window, stride=stride, padding=padding, **_limits(entry)), of.name(entry, 0))
    return pool


def _mean(of: Lowering, entry: IRNode) -> None:
    image = image_of(of.stored(entry, 0))
    axes = sorted(axis % 4 for axis in of.constant_integers(entry, 1, "axes"))
    if axes != [1, 2]:
        raise Cannot(f"it takes the mean over axes {axes} of {list(image)}; supported: over height and width.")
    if not entry.attributes["keep_dims"]:
        of.add(entry, Float32GlobalAvgPool(), of.name(entry, 0))
        return
    of.add(entry, Reshape("float32", of.result(entry).shape),
           of.between(entry, "mean", Float32GlobalAvgPool(), of.name(entry, 0)))


KINDS: dict[str, Kind] = {
    "add": _add, "average_pool": _pool(Float32AvgPool2d), "batch_norm": _norm, "clip": _clip,
    "conv2d": partial(_convolution, depthwise=False), "depthwise": partial(_convolution, depthwise=True),
    "fully_connected": _fully_connected, "leaky_relu": _leaky_relu, "max_pool": _pool(Float32MaxPool2d), "mean": _mean,
    **{activation: _cut(activation) for activation in ACTIVATION_LIMITS if activation != "none"}, "softmax": _softmax,
}
