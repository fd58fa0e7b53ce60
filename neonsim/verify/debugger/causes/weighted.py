"""Convolutions, deconvolutions and fully connected layers with one thing done wrongly.

A layer is a window over an image: for every pixel of the result some pixels of the input, or the padding. Everything is
computed from the definition for some pixels at a time, so that what is not the cause is found out on a few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.fixedpoint import wrap
from neonsim.quant.requant.double_scale import DoubleScale
from neonsim.quant.requant.int16x8 import Int16x8Params
from neonsim.quant.requant.lab import SCHEMES, result
from neonsim.quant.rounding import scheme_name
from neonsim.ukernel.packing import OUTSIDE, Taps, deconv_taps
from neonsim.verify.debugger.causes.requantization import Ending, RoundingCause

__all__ = ["Window", "ending_of", "flattened", "laid_out", "orders", "sums", "window_of"]

Int = NDArray[np.int64]
Adding = Callable[[NDArray[np.int64]], Int]         # numbers of pixels to sums [pixels, out]

INT16 = np.iinfo(np.int16)
_VECTORS = (2, 4, 8, 16, 32)
MAX_ORDERED_CHANNELS = 256          # channels whose order is searched
FEW_CHANNELS = 4            # of an image, all of whose orders are tried


@dataclass(frozen=True, eq=False)
class Window:
    """A layer of products.

    image       [batch, height, width, channels]    as stored
    taps        Taps            which pixels each pixel of the result reads
    weights     int64 [groups, out / group, taps * depth]   as stored, the channels of a tap next to each other
    x_zero, w_zero   int
    bias        int64 [out]
    pad         int             what is read outside the image, as stored
    shape       (out, kh, kw, depth)    of the weights
    operator    Multiplying
    """

    image: NDArray[Any]
    taps: Taps
    weights: Int
    x_zero: int
    w_zero: int
    bias: Int
    pad: int
    shape: tuple[int, int, int, int]
    operator: WeightedOperator

    @property
    def groups(self) -> int:
        """Parts of the channels that do not see one another."""
        return int(self.weights.shape[0])

    @property
    def depth(self) -> int:
        """Channels of a tap."""
        return self.shape[3]

    @property
    def pixels(self) -> int:
        """Of the result, of all images."""
        return len(self.image) * len(self.taps.rows) * len(self.taps.columns)

    @property
    def padded(self) -> bool:
        """Does any tap lie outside the image?"""
        return bool((self.taps.rows == OUTSIDE).any() or (self.taps.columns == OUTSIDE).any())

    def x(self, pixels: NDArray[np.int64]) -> Int:
        """Return what pixels read, as stored: [pixels, groups, taps * depth]."""
        batch, oy, ox = np.unravel_index(pixels, (len(self.image), len(self.taps.rows), len(self.taps.columns)))
        rows, columns = self.taps.rows[oy][:, :, None], self.taps.columns[ox][:, None, :]
        outside = (rows == OUTSIDE) | (columns == OUTSIDE)
        seen = self.image[batch[:, None, None], rows, columns].astype(np.int64)
        seen = np.where(outside[..., None], self.pad, seen)
        split = seen.reshape(len(pixels), -1, self.groups, self.depth)
        return np.asarray(split.transpose(0, 2, 1, 3).reshape(len(pixels), self.groups, -1))

    def products(self, x: NDArray[Any], w: NDArray[Any]) -> Int:
        """[pixels, groups, k] times [groups, out / group, k], added up exactly: [pixels, out]."""
        made = np.matmul(x.transpose(1, 0, 2).astype(np.float64), w.transpose(0, 2, 1).astype(np.float64))
        return np.asarray(made.transpose(1, 0, 2).reshape(len(x), -1)).astype(np.int64)

    def accumulators(self, pixels: NDArray[np.int64]) -> Int:
        """bias + sum of (x - x_zero) * (w - w_zero): [pixels, out]."""
        return self.products(self.x(pixels) - self.x_zero, self.weights - self.w_zero) + self.bias


def window_of(operator: WeightedOperator, values: Any) -> Window:
    """Return what an operator multiplies."""
    w, zero = operator.by_group(operator.w.values.astype(np.int64)), int(operator.schemes[0].zero_point)
    groups, each, kh, kw, depth = w.shape
    return Window(operator.as_images(values[0]), operator.taps(values[0].shape), w.reshape(groups, each, -1), zero,
                  int(operator.w.zero_point), operator.bias.astype(np.int64), zero, (groups * each, kh, kw, depth),
                  operator)


def ending_of(operator: WeightedOperator) -> Ending:
    """Its way from sums to bytes."""
    x, w, out = (np.asarray(np.asarray(one.scale, np.float32), np.float64).reshape(-1 if np.ndim(one.scale) else ())
                 for one in (operator.schemes[0], operator.w, operator.out))
    real = x * w / out if operator.finish.wide(operator) is None else np.asarray(operator.scale, np.float64)
    return Ending(np.asarray(real), RoundingCause("", _own(operator)), operator.out.zero_point, operator.output_min,
                  operator.output_max, operator.out.dtype, (x, w, out), operator.finish.sum_type == "int32")


def _own(operator: WeightedOperator) -> Any:
    right = operator.scale

    def step(added: Int, scale: NDArray[np.float64]) -> Int:
        if operator.finish.wide(operator) is not None:
            return DoubleScale(operator.requantization, scale).round(added)
        name = scheme_name(operator.requantization)
        if name in SCHEMES:
            x, w, out = (np.asarray(one.scale, np.float32) for one in (operator.schemes[0], operator.w, operator.out))
            # The layer's own product of scales in single precision, unless another scale is asked for.
            same = np.array_equal(scale, x.astype(np.float64) * w / out.astype(np.float64))
            return result(added, np.asarray(right if same else scale, np.float32), name)
        if operator.finish.sum_type == "int64":
            return Int16x8Params.from_scale(scale).requantize(added).astype(np.int64)
        magnitude = np.floor(np.abs(added * scale) + 0.5)
        return np.asarray(np.copysign(magnitude, added * scale)).astype(np.int64)
    return step


# ---- sums

def sums(window: Window) -> Iterator[tuple[str, Adding]]:
    """Every wrong way to the sums, in words."""
    for words, other in _windows(window):
        yield words, other.accumulators
    yield from _narrow(window)
    yield from _pairs(window)
    out = len(window.bias)
    if 1 < window.groups < out:
        order = np.argsort(np.arange(out) % window.groups, kind="stable")
        yield "filter n takes group n % groups of the input's channels: groups are counted through, not side by side", \
            partial(_through, window, order)


def _through(window: Window, order: Int, pixels: NDArray[np.int64]) -> Int:
    whole = window.weights.reshape(len(order), -1)[order].reshape(window.weights.shape)
    return replace(window, weights=whole, bias=window.bias[order]).accumulators(pixels)[:, np.argsort(order)]


def _windows(window: Window) -> Iterator[tuple[str, Window]]:
    yield from _zero_points(window)
    yield from _biases(window)
    yield from _outside(window)
    yield from _geometry(window)
    yield from _images(window)
    yield from _weights(window)
    yield from _types(window)
    yield from _tails(window)


def _zero_points(window: Window) -> Iterator[tuple[str, Window]]:
    zero, own = window.x_zero, window.w_zero
    if zero:
        yield "the input's zero point is forgotten", replace(window, x_zero=0)
        if window.padded:
            yield "the input's zero point is forgotten", replace(window, x_zero=0, pad=0)
        yield "the input's zero point is added, not subtracted", replace(window, x_zero=-zero)
        yield "the input's zero point is subtracted twice", replace(window, x_zero=2 * zero, pad=2 * zero)
        yield "the input's zero point is subtracted twice", replace(window, x_zero=2 * zero)
    if own:
        yield "the weights' zero point is forgotten", replace(window, w_zero=0)
        yield "the weights' zero point is added, not subtracted", replace(window, w_zero=-own)
    if zero and own:
        yield "both zero points are forgotten", replace(window, x_zero=0, w_zero=0)
        yield "the zero points of input and weights are exchanged", replace(window, x_zero=own, w_zero=zero)
        both = window.weights.shape[2] * zero * own
        yield "the product of both zero points is forgotten", replace(window, bias=window.bias - both)
    if window.image.dtype == np.uint8 and zero != 128:
        yield f"the input's zero point is taken as 128, not {zero}", replace(window, x_zero=128, pad=128)
    if window.operator.w.dtype == np.uint8 and own != 128:
        yield f"the weights' zero point is taken as 128, not {own}", replace(window, w_zero=128)


def _biases(window: Window) -> Iterator[tuple[str, Window]]:
    bias = window.bias
    if not bias.any():
        return
    yield "the bias is forgotten", replace(window, bias=np.zeros_like(bias))
    yield "the bias is added twice", replace(window, bias=2 * bias)
    yield "the bias is subtracted, not added", replace(window, bias=-bias)
    if np.unique(bias).size > 1:
        yield "the bias of the first channel is taken for all", replace(window, bias=np.full_like(bias, bias[0]))
    yield "the bias is cut to 16 bits", replace(window, bias=bias.astype(np.int16).astype(np.int64))
    yield "the bias is held to what 16 bits can show", replace(window, bias=np.clip(bias, INT16.min, INT16.max))
    yield "the bias is cut to 8 bits", replace(window, bias=bias.astype(np.int8).astype(np.int64))
    taps = window.weights.sum(axis=2).reshape(-1)
    if window.x_zero:
        yield "the bias holds the correction for the zero point already: it is corrected twice", replace(
            window, bias=bias - window.x_zero * (taps - window.weights.shape[2] * window.w_zero))


def _outside(window: Window) -> Iterator[tuple[str, Window]]:
    if not window.padded:
        return
    info = np.iinfo(window.image.dtype)
    for value in dict.fromkeys((0, info.min, 128 if info.min == 0 else -1, info.max)):
        if value != window.x_zero:
            yield f"the padding holds {value} in place of the input's zero point {window.x_zero}", replace(
                window, pad=value)
    operator: Any = window.operator
    if operator.product_kind != "windows":
        return
    shape = operator.shape(window.image.shape)
    lasts = [size - 1 for size in shape.input]
    places = [_at(shape, axis, shape.padding[axis][0]) for axis in (0, 1)]
    for words, inside in (
            ("repeats the image's edge", places),
            ("mirrors the image", [last - np.abs(last - np.abs(at)) for at, last in zip(places, lasts, strict=True)]),
            ("goes on at the image's other side", [at % (last + 1) for at, last in zip(places, lasts, strict=True)])):
        rows, columns = (np.clip(at, 0, last) for at, last in zip(inside, lasts, strict=True))
        yield f"the padding {words}", replace(window, taps=Taps(shape.input, rows, columns))


def _at(shape: Any, axis: int, before: int, stride: int | None = None, dilation: int | None = None) -> Int:
    """Where taps lie along an axis, outside the image too."""
    return np.asarray(np.arange(shape.output[axis])[:, None] * (stride or shape.stride[axis])
                      + np.arange(shape.kernel[axis]) * (dilation or shape.dilation[axis]) - before)


def _geometry(window: Window) -> Iterator[tuple[str, Window]]:
    """Padding on another side, strides and dilations."""
    operator: Any = window.operator
    if operator.product_kind == "transposed windows":
        for words, by in (("too early", 1), ("too late", -1)):
            for axis, name in ((0, "row"), (1, "column")):
                shape = operator.shape(window.image.shape)
                pads = list(shape.padding)
                pads[axis] = (pads[axis][0] + by, pads[axis][1] - by)
                yield f"every window begins one {name} {words}", replace(window, taps=deconv_taps(
                    replace(shape, padding=(pads[0], pads[1]))))
        return
    if operator.product_kind != "windows":
        return
    shape = operator.shape(window.image.shape)
    (top, bottom), (left, right) = shape.padding

    def moved(first: int, second: int, stride: Any = None, dilation: Any = None) -> Window:
        tables = []
        for axis, before in enumerate((first, second)):
            at = _at(shape, axis, before, None if stride is None else stride[axis],
                     None if dilation is None else dilation[axis])
            tables.append(np.where((at < 0) | (at >= shape.input[axis]), OUTSIDE, at))
        return replace(window, taps=Taps(shape.input, tables[0], tables[1]))

    seen = {(top, left)}
    for words, first, second in (
            ("the odd row and column of padding lie on the other side", bottom, right),
            ("the odd row of padding lies on the other side", bottom, left),
            ("the odd column of padding lies on the other side", top, right),
            ("all of the padding lies below and on the right", 0, 0),
            ("all of the padding lies above and on the left", top + bottom, left + right),
            ("the paddings of height and width are exchanged", left, top),
            ("every window begins one row too early", top + 1, left),
            ("every window begins one row too late", top - 1, left),
            ("every window begins one column too early", top, left + 1),
            ("every window begins one column too late", top, left - 1),
            ("every window begins one row and one column too early", top + 1, left + 1),
            ("every window begins one row and one column too late", top - 1, left - 1)):
        if (first, second) not in seen:
            seen.add((first, second))
            yield words, moved(first, second)
    if shape.stride != (1, 1):
        yield "the stride is forgotten", moved(top, left, (1, 1))
        yield "the strides of height and width are exchanged", moved(top, left, shape.stride[::-1])
    if shape.dilation != (1, 1):
        yield "the dilation is forgotten", moved(top, left, None, (1, 1))
        middle = [before - (gap - 1) * (taps - 1) // 2 for before, gap, taps in zip(
            (top, left), shape.dilation, shape.kernel, strict=True)]
        yield "the dilation is forgotten", moved(middle[0], middle[1], None, (1, 1))
        yield "the dilations of height and width are exchanged", moved(top, left, None, shape.dilation[::-1])


def _images(window: Window) -> Iterator[tuple[str, Window]]:
    image = window.image
    batch, height, width, channels = image.shape
    if channels > 1 and height * width > 1:
        yield "the input lies with its channels last (NHWC) and is read as if they came first (NCHW)", replace(
            window, image=image.reshape(batch, channels, height, width).transpose(0, 2, 3, 1))
        yield "the input lies with its channels first (NCHW) and is read as if they came last (NHWC)", replace(
            window, image=np.ascontiguousarray(image.transpose(0, 3, 1, 2)).reshape(image.shape))
    if height == width > 1:
        yield "rows and columns of the input are exchanged", replace(window, image=image.transpose(0, 2, 1, 3))
    if height > 1:
        yield "the input stands on its head", replace(window, image=image[:, ::-1])
    if width > 1:
        yield "the input is mirrored", replace(window, image=image[:, :, ::-1])
    for order in _channel_orders(channels, window.groups):
        words = "the input's channels are reversed (BGR for RGB)" if order == tuple(range(channels))[::-1] else \
            f"the input's channels are in another order: {', '.join(map(str, order[:8]))}{', ...' * (channels > 8)}"
        yield words, replace(window, image=image[..., list(order)])
    if window.operator.product_kind == "rows":
        for words, flat in flattened(channels):
            yield words, replace(window, image=image[..., flat])


def _channel_orders(channels: int, groups: int) -> Iterator[tuple[int, ...]]:
    """Orders of channels that happen."""
    straight = tuple(range(channels))
    if 1 < channels <= FEW_CHANNELS:
        yield from (order for order in permutations(straight) if order != straight)
        return
    found = [straight[::-1]] if channels > 1 else []
    for parts in dict.fromkeys((2, groups, channels // groups)):
        if 1 < parts < channels and channels % parts == 0:
            found.append(tuple(np.arange(channels).reshape(parts, -1).T.reshape(-1).tolist()))
    for by in (1, -1):
        found.append(tuple(np.roll(straight, by).tolist()))
    yield from (order for order in dict.fromkeys(found) if order != straight)


_LAYOUTS = {"out, height, width, in": (0, 1, 2, 3), "out, in, height, width": (0, 3, 1, 2),
            "height, width, in, out": (1, 2, 3, 0), "height, width, out, in": (1, 2, 0, 3),
            "in, height, width, out": (3, 1, 2, 0), "in, out, height, width": (3, 0, 1, 2)}


def laid_out(weights: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Weights [out, kh, kw, depth] that lie in another order, in words."""
    out, height, width, depth = weights.shape
    if height * width > 1:
        yield "the windows of weights are turned by 180 degrees", weights[:, ::-1, ::-1]
        if height > 1:
            yield "the rows of the weights are in reverse order", weights[:, ::-1]
        if width > 1:
            yield "the columns of the weights are in reverse order", weights[:, :, ::-1]
        if height == width:
            yield "rows and columns of the weights are exchanged", weights.transpose(0, 2, 1, 3)
    if out == depth > 1:
        yield "the weights are transposed: inputs and outputs are exchanged", weights.transpose(3, 1, 2, 0)
    if depth > 1:
        yield "the weights' input channels are in reverse order", weights[..., ::-1]
    for lies, written in list(_LAYOUTS.items())[:4]:
        memory = np.ascontiguousarray(weights.transpose(written)).reshape(-1)
        for read, axes in _LAYOUTS.items():
            turned = memory.reshape([weights.shape[axis] for axis in axes]).transpose(np.argsort(axes))
            if not np.array_equal(turned, weights):
                words = "the weights are transposed: inputs and outputs are exchanged" if height * width == 1 else \
                    f"the weights lie as [{lies}] and are read as [{read}]"
                yield words, turned


def flattened(channels: int) -> Iterator[tuple[str, Int]]:
    """Other orders in which an image of square sides can have become a row."""
    for side in range(2, int(np.sqrt(channels)) + 1):
        if channels % (side * side) or channels == side * side:
            continue
        for words, grid, axes in (("first", (side, side, channels // side**2), (2, 0, 1)),
                                  ("last", (channels // side**2, side, side), (1, 2, 0))):
            yield f"the image was flattened with its channels {words}, not as the file does it ({side} x {side} " \
                  "pixels)", np.arange(channels).reshape(grid).transpose(axes).reshape(-1)


def _weights(window: Window) -> Iterator[tuple[str, Window]]:
    whole = window.weights.reshape(window.shape)

    def by(values: Int) -> Window:
        return replace(window, weights=np.ascontiguousarray(values).reshape(window.weights.shape))

    for words, values in laid_out(whole):
        yield words, by(values)
    out = window.shape[0]
    groups = window.groups
    if groups > 1 and out > groups:
        order = np.arange(out).reshape(groups, -1).T.reshape(-1)
        yield "the filters of a group are apart, not next to each other", by(whole[order])
        yield "the filters of a group are apart, not next to each other", by(whole[np.argsort(order)])


def _types(window: Window) -> Iterator[tuple[str, Window]]:
    """Signed for unsigned bytes."""
    def other(dtype: Any) -> str:
        name = np.dtype(dtype).name
        return name.removeprefix("u") if name.startswith("u") else f"u{name}"

    image = window.image
    there = [np.dtype(image.dtype).name, window.operator.w.dtype.name]
    if image.dtype.itemsize == 1:
        seen = np.ascontiguousarray(image).view(other(image.dtype))
        zero = int(np.asarray(window.x_zero).astype(image.dtype).view(other(image.dtype)))
        words = f"the input's bytes are read as {other(image.dtype)}, the file says {there[0]}"
        for at in dict.fromkeys((window.x_zero, zero)):
            yield words, replace(window, image=seen, x_zero=at, pad=at)
        yield f"the input is 128 off, as if it were {other(image.dtype)}", replace(
            window, image=(image.astype(np.int64) + (128 if image.dtype == np.int8 else -128)).astype(np.int16))
    weights = window.operator.w.values
    if weights.dtype.itemsize == 1:
        made = weights.view(other(weights.dtype)).astype(np.int64)
        operator: Any = window.operator
        if operator.product_kind == "transposed windows":
            made = made.reshape(window.groups, window.depth, *operator.window, -1).transpose(0, 4, 2, 3, 1)
        zero = int(np.asarray(window.w_zero).astype(weights.dtype).view(other(weights.dtype)))
        for at in dict.fromkeys((window.w_zero, zero)):
            yield f"the weights' bytes are read as {other(weights.dtype)}, the file says {there[1]}", replace(
                window, weights=np.ascontiguousarray(made).reshape(window.weights.shape), w_zero=at)


def _tails(window: Window) -> Iterator[tuple[str, Window]]:
    """Terms that are left out."""
    count, depth = window.weights.shape[2], window.depth
    place = np.arange(count)

    def without(gone: NDArray[np.bool_]) -> Window:
        return replace(window, weights=np.where(gone, window.w_zero, window.weights))

    for vector in _VECTORS:
        if depth % vector and depth > 1:
            yield f"channels behind the last whole {vector} are left out of the sums", without(
                place % depth >= depth // vector * vector)
        if count % vector and depth != count:
            yield f"terms behind the last whole {vector} are left out of the sums", without(
                place >= count // vector * vector)
    if count > 1:
        yield "the last term of every sum is left out", without(place == count - 1)
        yield "the first term of every sum is left out", without(place == 0)
    height, width = window.shape[1:3]
    for axis, name, size in ((0, "row", height), (1, "column", width)):
        at = place // depth // width if axis == 0 else place // depth % width
        if size > 1:
            yield f"the window's last {name} is left out", without(at == size - 1)
            yield f"the window's first {name} is left out", without(at == 0)


def _narrow(window: Window) -> Iterator[tuple[str, Adding]]:
    """Sums of fewer bits."""
    def short(added: Int) -> Int:
        return added.astype(np.int16).astype(np.int64)

    def held(added: Int) -> Int:
        return np.clip(added, INT16.min, INT16.max)

    for words, keep in (("wrap", short), ("saturate", held)):
        said = f"the sums {words} in 16 bits"
        yield said, partial(_kept, window, keep, "whole")
        yield said, partial(_kept, window, keep, "before the bias")
        yield said, partial(_kept, window, keep, "raw")
    for from_bias in (False, True):
        yield "the sums saturate in 16 bits, product by product", partial(_running, window, held, from_bias)
    yield "every product wraps in 16 bits", partial(_each, window, short)
    yield "every product saturates in 16 bits", partial(_each, window, held)
    yield ("the sums wrap in 24 bits",
           lambda pixels: ((window.accumulators(pixels) + (1 << 23)) & ((1 << 24) - 1)) - (1 << 23))
    if window.operator.finish.sum_type == "int64":
        yield "the sums wrap in 32 bits", lambda pixels: np.asarray(wrap(window.accumulators(pixels)), np.int64)
        yield ("the sums saturate in 32 bits",
               lambda pixels: np.clip(window.accumulators(pixels), -(1 << 31), (1 << 31) - 1))


def _kept(window: Window, keep: Callable[[Int], Int], when: str, pixels: NDArray[np.int64]) -> Int:
    """Sums with few bits: with the bias, before it, or of the bytes as they are stored, corrected afterwards."""
    whole = window.accumulators(pixels)
    if when == "whole":
        return keep(whole)
    narrow = whole - window.bias if when == "before the bias" else window.products(window.x(pixels), window.weights)
    return np.asarray(keep(narrow) + (whole - narrow))


def _grouped(window: Window, x: Int, w: Int) -> Int:
    """Products one by one: [pixels, groups, out / group, k]."""
    return np.asarray(x[:, :, None, :] * w)


def _each(window: Window, keep: Callable[[Int], Int], pixels: NDArray[np.int64]) -> Int:
    made = keep(_grouped(window, window.x(pixels) - window.x_zero, window.weights - window.w_zero))
    return np.asarray(made.sum(axis=3).reshape(len(pixels), -1) + window.bias)


def _running(window: Window, keep: Callable[[Int], Int], from_bias: bool, pixels: NDArray[np.int64]) -> Int:
    x, w = window.x(pixels) - window.x_zero, window.weights - window.w_zero
    start = window.bias.reshape(window.groups, -1) if from_bias else np.zeros(1, np.int64)
    total = np.broadcast_to(keep(start), (len(pixels), *w.shape[:2]))
    for k in range(w.shape[2]):
        total = keep(total + x[:, :, None, k] * w[:, :, k])
    return np.asarray(total.reshape(len(pixels), -1) + (0 if from_bias else window.bias))


# ---- pairs

def _pairs(window: Window) -> Iterator[tuple[str, Adding]]:
    """Sums of two products in 16 bits: VPMADDUBSW of x86, and what works like it."""
    count, depth = window.weights.shape[2], window.depth
    orders = {"": np.arange(count)}
    if depth < count and depth > 1:
        orders["window"] = np.arange(count).reshape(-1, depth).T.reshape(-1)
        if depth % 2:
            full = np.full((count // depth, depth + 1), -1)
            full[:, :depth] = np.arange(count).reshape(-1, depth)
            orders["tap"] = full.reshape(-1)
    for order in orders.values():
        for sides in ("x", "w", "centered"):
            for size, words in ((2, "sums of two products saturate in 16 bits"),
                                (4, "sums of four products saturate in 16 bits")):
                yield words, partial(_paired, window, order, sides, size, False)
            yield "sums of two products wrap in 16 bits", partial(_paired, window, order, sides, 2, True)


def _paired(window: Window, order: Int, sides: str, size: int, wraps: bool, pixels: NDArray[np.int64]) -> Int:
    """sides: whose bytes are unsigned, the others are signed; or both with their zero points taken off."""
    x, w, x_zero, w_zero = window.x(pixels), window.weights, window.x_zero, window.w_zero
    if sides == "centered":
        x, w, x_zero, w_zero = x - x_zero, w - w_zero, 0, 0
    else:
        for name, signed in (("x", window.image.dtype == np.int8), ("w", window.operator.w.dtype == np.int8)):
            move = (128 if signed else 0) if name == sides else (0 if signed else -128)
            if name == "x":
                x, x_zero = x + move, x_zero + move
            else:
                w, w_zero = w + move, w_zero + move
    rest = window.products(x - x_zero, w - w_zero) - window.products(x, w) + window.bias
    length = -(-len(order) // size) * size
    places = np.concatenate([order, np.full(length - len(order), -1)])
    there = places >= 0
    products = _grouped(window, np.where(there, x[..., places], 0), np.where(there, w[..., places], 0))
    pairs = products.reshape(*products.shape[:-1], -1, 2).sum(axis=-1)
    kept = pairs.astype(np.int16).astype(np.int64) if wraps else np.clip(pairs, INT16.min, INT16.max)
    if size == 4:
        kept = np.clip(kept.reshape(*kept.shape[:-1], -1, 2).sum(axis=-1), INT16.min, INT16.max)
    return np.asarray(kept.sum(axis=-1).reshape(len(pixels), -1) + rest)


# ---- orders of channels that are found, not guessed

def _matched(fits: NDArray[np.bool_]) -> Int | None:
    """For every row a column of its own that fits, its own number first where that does; None if there is no such."""
    count = len(fits)
    taken = np.full(count, -1)              # of a column: by which row

    def place(row: int, seen: set[int]) -> bool:
        for column in sorted(np.flatnonzero(fits[row]).tolist(), key=lambda one: one != row):
            if column not in seen:
                seen.add(column)
                if taken[column] < 0 or place(int(taken[column]), seen):
                    taken[column] = row
                    return True
        return False

    return np.argsort(taken) if all(place(row, set()) for row in range(count)) else None


def orders(window: Window, ending: Ending, pixels: NDArray[np.int64], theirs: NDArray[Any]
           ) -> Iterator[tuple[str, Adding, Ending]]:
    """Filters, biases, scales in another order, which the bytes of some pixels tell."""
    out = len(window.bias)
    if not 1 < out <= MAX_ORDERED_CHANNELS:
        return
    x, w = window.x(pixels) - window.x_zero, window.weights - window.w_zero
    scale = np.broadcast_to(ending.scale, (out,))
    own = window.products(x, w)
    depthwise = window.groups == out and w.shape[1] == 1 and window.groups > 1
    filters = np.einsum("pgk,ok->pgo", x, w[:, 0]) if depthwise else \
        np.broadcast_to(own[:, None], (len(pixels), out, out)) if window.groups == 1 else None

    def found(every: Callable[[int], tuple[Int, NDArray[np.float64]]]) -> Int | None:
        fits = np.zeros((out, out), bool)
        for channel in range(out):
            added, by = every(channel)
            fits[channel] = (replace(ending, scale=by).result(added) == theirs[:, channel, None]).all(axis=0)
            if not fits[channel].any():
                return None
        order = _matched(fits)
        return None if order is None or (order == np.arange(out)).all() else order

    bias, spread = window.bias, np.ones(out)
    searches: list[tuple[str, Any, Any]] = [
        ("the biases are", lambda o: (own[:, o, None] + bias, scale[o] * spread),
         lambda order: (replace(window, bias=bias[order]).accumulators, ending))]
    if ending.scale.ndim:
        searches.append(("the scales of the channels are", lambda o: ((own[:, o] + bias[o])[:, None] * np.ones(
            out, np.int64), scale), lambda order: (window.accumulators, replace(ending, scale=scale[order]))))
    if filters is not None:
        def filtered(order: Int) -> tuple[Adding, Ending]:
            moved = window.weights.reshape(out, -1)[order].reshape(window.weights.shape)
            return replace(window, weights=moved).accumulators, ending

        searches.append(("the filters are", lambda o: (filters[:, o] + bias[o], scale[o] * spread), filtered))
        if depthwise:
            searches.append(("the filters are, with their biases and scales,", lambda o: (filters[:, o] + bias, scale),
                             lambda order: (replace(window, weights=window.weights[order],
                                                    bias=bias[order]).accumulators,
                                            replace(ending, scale=scale[order]))))
            searches.append(("the input's channels are", lambda o: (filters[:, :, o] + bias[o], scale[o] * spread),
                             lambda order: (replace(window, image=window.image[..., order]).accumulators, ending)))
    for words, every, made in searches:
        order = found(every)
        if order is not None:
            first = int(np.flatnonzero(order != np.arange(out))[0])
            yield f"{words} in another order: channel {first} has those of channel {order[first]}", *made(order)
