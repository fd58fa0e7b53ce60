"""Pooling and means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, Pair, image_of, in_words, padding_of, pair
from neonsim.nn.graph import Reshape, gather

__all__ = ["KINDS", "one_pixel"]


def one_pixel(lowering: Lowering, entry: IRNode, padding: tuple[Pair, Pair], **limits: Any) -> None:
    """Windows of one pixel: every pixel that their steps come to, cut to limits."""
    x, (down, right) = lowering.stored(entry, 0), pair(entry, "stride")
    image = image_of(x)
    if any(map(any, padding)):
        raise Cannot(f"its windows are of one pixel, and padded by {padding}; supported: no padding.")
    pick = gather.slice_indices(lowering.type_of(x), image,
                                (range(image[0]), range(0, image[1], down), range(0, image[2], right),
                                 range(image[3])))
    if any(bound is not None for bound in limits.values()):
        lowering.add(entry, ops.Clamp(lowering.scheme(x), **limits),
                     lowering.between(entry, "pixels", pick, lowering.name(entry, 0)))
    else:
        lowering.add(entry, pick, lowering.name(entry, 0))


def _average_pool(of: Lowering, entry: IRNode) -> None:
    x, pool, stride = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride")
    if pool == (1, 1) and of.rules.integer_pools:
        one_pixel(of, entry, padding_of(entry, image_of(x), pool, stride, (1, 1)), **of.limits(entry))
        return
    integer = of.rules.integer_pools
    operator = ops.AvgPool2d(of.scheme(x), pool=pool, out=of.scheme(x if integer else of.result(entry)), stride=stride,
                             integer=integer,
                             padding=padding_of(entry, image_of(x), pool, stride, (1, 1)), **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _max_pool(of: Lowering, entry: IRNode) -> None:
    x, pool, stride = of.stored(entry, 0), pair(entry, "pool"), pair(entry, "stride")
    padding = padding_of(entry, image_of(x), pool, stride, (1, 1))
    if pool == (1, 1):
        one_pixel(of, entry, padding, **of.limits(entry))
        return
    operator = ops.MaxPool2d(of.scheme(x), pool=pool, stride=stride, padding=padding, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _axes(of: Lowering, entry: IRNode) -> tuple[str, tuple[int, int, int], list[int]]:
    """What a node reads, with the axes that it goes along as one, in the middle: name, shape, and the axes."""
    name = of.name(entry, 0)
    shape, type_ = of.graph.tensors[name].shape, of.graph.tensors[name].type
    given = of.constant_integers(entry, 1, "axes")
    if not given or any(not -len(shape) <= axis < len(shape) for axis in given):
        raise Cannot(f"its axes are {given}; supported: at least one of the {len(shape)} axes.")
    axes = sorted({axis % len(shape) for axis in given})
    first, last = axes[0], axes[-1]
    if len(axes) != last - first + 1:       # not side by side
        order = [*axes, *(axis for axis in range(len(shape)) if axis not in axes)]
        name, shape = of.between(entry, "axes first", gather.transpose_indices(type_, shape, order), name), tuple(
            shape[axis] for axis in order)
        first, last = 0, len(axes) - 1
    flat = math.prod(shape[:first]), math.prod(shape[first:last + 1]), math.prod(shape[last + 1:])
    return of.shaped(entry, "rows", name, flat), flat, axes


def _finished(of: Lowering, entry: IRNode, operator: ops.Operator, name: str) -> None:
    """The node, and its result in the shape that the file says."""
    wanted = of.result(entry).shape or (1,)
    if operator.output_shape(of.graph.tensors[name].shape) == wanted:
        of.add(entry, operator, name)
    else:
        of.add(entry, Reshape(operator.output_type, wanted), of.between(entry, operator.kind, operator, name))


def _mean(of: Lowering, entry: IRNode) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    shape = of.stored(entry, 0).shape
    axes = sorted(axis % max(len(shape), 1) for axis in of.constant_integers(entry, 1, "axes"))
    if of.rules.name != "xnnpack":
        images, kept = len(shape) == 4 and axes == [1, 2], bool(entry.attributes["keep_dims"])
        rule = of.rules.kept_means if images and kept else of.rules.means
        operator = ops.GlobalAvgPool(x, out=out, requantization=rule)
        _finished(of, entry, operator, of.name(entry, 0) if images else _axes(of, entry)[0])
        return
    mean = ops.Mean(x, out=out)
    if len(shape) == 4 and axes == [1, 2] and _as_kernels(mean, shape[1] * shape[2]):
        _finished(of, entry, ops.GlobalAvgPool(x, out=out), of.name(entry, 0))
        return
    name, _, _ = _axes(of, entry)
    _finished(of, entry, mean, name)


def _as_kernels(mean: ops.Mean, count: int) -> bool:
    """Whether kernels have the same byte for every sum that n bytes can have: ties they round another way."""
    if count > _MAX_COMPARED:
        return False
    x, out = mean.schemes[0], mean.out
    try:
        kernels = ops.GlobalAvgPool(x, out=out)
    except BadArgument:
        return False
    info = np.iinfo(out.dtype)
    sums = np.arange(count * info.min, count * info.max + 1, dtype=np.int64)
    return np.array_equal(mean.requantize(sums, count), kernels.requantize(sums, count))


_MAX_COMPARED = 1 << 14    # elements of a mean: four million sums


def _sum(of: Lowering, entry: IRNode) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    if of.rules.totals is None:
        raise of.no_operator("sum along axes")
    name, _, _ = _axes(of, entry)
    _finished(of, entry, ops.Mean(x, out=out, total=True, rule=of.rules.totals), name)


def _largest(of: Lowering, entry: IRNode) -> None:
    """The largest of a window of all rows."""
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    if x != out and of.rules.fallback is None:        # the delegate takes the integers as they are
        raise Cannot(f"it reads {in_words(x)} and writes {in_words(out)}; supported: one scale and zero point.")
    name, (batch, rows, channels), _ = _axes(of, entry)
    image = of.shaped(entry, "image", name, (batch, rows, 1, channels))
    if rows == 1:
        of.add(entry, Reshape(of.graph.tensors[image].type, of.result(entry).shape or (1,)), image)
    else:
        _finished(of, entry, ops.MaxPool2d(x, pool=(rows, 1)), image)


KINDS: dict[str, Kind] = {
    "average_pool": _average_pool, "max_pool": _max_pool, "mean": _mean, "reduce_max": _largest, "sum": _sum,
}
