"""Elements picked axis by axis: slices, transposes, padding, other sizes and the rest of what only moves them.

    node               what
    sliced             every k-th element of each axis, also backwards
    transposed         axes in another order
    padded             a value, or the tensor's own elements reflected, at the ends of axes
    stretched          axes of size 1 repeated, as numpy broadcasts
    tiled              the whole of it repeated
    taken              some indices of an axis, in any order, again and again
    nearest            images of another size, each pixel the nearest one
    depth_to_space     blocks of channels laid out as squares of pixels          space_to_depth     the other way
    space_to_batch     every k-th row and column as a separate image         batch_to_space     the other way

All are one move, `GatherIndices`: the elements in a finer shape (`view`), of each of its axes some indices, the axes in
another order, the result in its shape. So one layer of the C library does them all, by a table for each axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.argument_types import check_arguments
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_INDICES, MAX_TENSOR_BYTES
from neonsim.common.terminal import short_repr
from neonsim.errors import BadArgument
from neonsim.nn.graph.data_movement import DataMovement, along
from neonsim.quant.scheme import Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = [
    "NOTHING",
    "GatherIndices",
    "batch_to_space",
    "broadcast_indices",
    "depth_to_space",
    "nearest",
    "nearest_of",
    "pad_indices",
    "slice_indices",
    "space_to_batch",
    "space_to_depth",
    "take_indices",
    "tile_indices",
    "transpose_indices",
]

Shape = tuple[int, ...]
Elements = Scheme | TensorType | str
NOTHING = -1        # the index of what is no element: `fill` stands there


class GatherIndices(DataMovement):
    """Elements picked axis by axis.

    elements   Scheme, TensorType, or a type by its name
    shape      (int, ...)           of the input
    picks      {axis: indices}      of axes of the view: int [...], NOTHING for the fill; an array of several axes gives
                                    the result n. Axes that are not here stay as they are
    view       (int, ...)           the input's shape, or a finer one of as many elements
    order      (int, ...)           of the axes after picking; None: as they are
    result     (int, ...)           its shape; None: that of the axes after ordering
    fill       int or float         what stands where there is nothing
    kind       str                  for readers
    made_with  anything             what the functions below were asked for: files say it so

    Raises BadArgument for shapes that do not go together, indices that are not there, and sizes that no tensor has.
    """

    kind, layout, dense = "pick", "gather", True

    def __init__(self, elements: Elements, shape: Shape, picks: Mapping[int, ArrayLike], *, view: Shape | None = None,
                 order: Sequence[int] | None = None, result: Shape | None = None, fill: float = 0,
                 kind: str = "pick", **made_with: Any) -> None:
        super().__init__(elements)
        self.shape, self.kind = tuple(shape), kind  # type: ignore[misc]
        self.fill = _filling(fill, self.type, kind)
        self.made_with: Mapping[str, Any] = made_with
        self.view = self.shape if view is None else tuple(view)
        if max(len(self.view), len(self.shape), 0 if result is None else len(result)) > _MAX_VIEWED:
            raise BadArgument(f"a {kind} looks at {_MAX_VIEWED} axes at most.")
        if math.prod(self.view) != math.prod(self.shape) or min((*self.view, *self.shape), default=1) < 1:
            raise BadArgument(f"a {kind} looks at {list(self.shape)} as {list(self.view)}: other elements, or none.")
        self.picks = {axis: _indices(given, self.view[axis], kind) for axis, given in picks.items()}
        axes = [self.picks[axis].shape if axis in self.picks else (size,) for axis, size in enumerate(self.view)]
        self.axes: Shape = tuple(size for one in axes for size in one)
        self.order = tuple(range(len(self.axes)) if order is None else order)
        if sorted(self.order) != list(range(len(self.axes))):
            raise BadArgument(f"the order of {len(self.axes)} axes must be each of them once; got {list(self.order)}.")
        ordered = tuple(self.axes[axis] for axis in self.order)
        self.result = ordered if result is None else tuple(result)
        if not self.result or 0 in self.result:
            raise BadArgument(f"a {kind} of {list(self.shape)} gives {list(self.result)}, in which there is nothing.")
        if math.prod(self.result) != math.prod(ordered) or math.prod(ordered) * 8 > MAX_TENSOR_BYTES:
            raise BadArgument(f"a {kind} of {list(self.shape)} gives {list(ordered)}, which is not or cannot be "
                              f"{list(self.result)}.")

    def quantized(self, scheme: Scheme) -> Self:
        """With the nearest integer where there is nothing."""
        found = super().quantized(scheme)
        found.fill = int(scheme.quantize([self.fill]).values[0])
        return found

    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        """The one that it was made for."""
        if shapes[0] != self.shape:
            raise BadArgument(f"this {self.kind} was made for {list(self.shape)}; got {list(shapes[0])}.")
        return (self.result,)

    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Axis after axis, first those that get shorter: nothing on the way is larger than both ends."""
        found, grown = values[0].reshape(self.view), lambda axis: self.picks[axis].size / self.view[axis]
        for axis in sorted(self.picks, key=grown):
            # In the place of its axis, whatever became of others: several axes are told apart at the end.
            found = np.take(found, self.picks[axis].reshape(-1), axis=axis)     # -1 takes the last, written over below
        for axis, indices in self.picks.items():
            if (indices == NOTHING).any():
                found[(slice(None),) * axis + (indices.reshape(-1) == NOTHING,)] = self.fill
        found = found.reshape(self.axes)
        return (np.array(found.transpose(self.order), order="C").reshape(self.result),)

    def tables(self) -> tuple[int, list[NDArray[np.int64]]]:
        """For the C library: bytes of a run, and for every axis where its indices begin, in bytes, or NOTHING.

        The result is run after run, the last axis fastest; what lies together is one run, or one axis.
        """
        steps = [math.prod(self.view[axis + 1:]) * self.type.itemsize for axis in range(len(self.view))]
        tables: list[NDArray[np.int64]] = []
        for axis, size in enumerate(self.view):
            tables += _parted(self.picks.get(axis, np.arange(size, dtype=np.int64)), steps[axis])
        if len(tables) != len(self.order):
            # Indices of several axes that do not add up: no operator makes such.
            raise BadArgument(f"the indices of this {self.kind} cannot be told axis by axis.")
        run, left = self.type.itemsize, [tables[axis] for axis in self.order]
        while left and np.array_equal(left[-1], np.arange(left[-1].size) * run):
            run *= left.pop().size
        joined: list[NDArray[np.int64]] = []
        for table in reversed(left):
            if joined and (table.size == 1 or table.size * joined[0].size <= _MAX_JOINED):
                both = table[:, np.newaxis] + joined[0]
                outside = (table[:, np.newaxis] == NOTHING) | (joined[0] == NOTHING)
                joined[0] = np.where(outside, NOTHING, both).reshape(-1)
            else:
                joined.insert(0, table)
        return run, joined or [np.zeros(1, np.int64)]


_MAX_VIEWED = 32       # axes of a view: numpy's own bound was this for long
_MAX_JOINED = 1024     # numbers of a table that stands for several axes


def _filling(fill: Any, type_: TensorType, kind: str) -> Any:
    """What stands where there is nothing, of the tensor's type."""
    if type_.dtype == "float32":
        if isinstance(fill, bool) or not isinstance(fill, Real) or fill != fill:
            raise BadArgument(f"the fill of a {kind} of float32 must be a number; got {short_repr(fill)}.")
        return fill
    info = np.iinfo(type_.dtype)
    return as_int(fill, f"the fill of a {kind} of {type_.dtype}", int(info.min), int(info.max))


def _indices(given: ArrayLike, size: int, kind: str) -> NDArray[np.int64]:
    # A range is not counted out before its length is known: numpy would, for ever.
    found = _spread(given, kind) if isinstance(given, range) else np.asarray(given, np.int64)
    if found.ndim == 0 or not 0 < found.size <= MAX_INDICES:
        raise BadArgument(f"a {kind} takes 1 to {MAX_INDICES:,} indices of an axis; got {found.size:,}.")
    if found.min() < NOTHING or found.max() >= size:
        raise BadArgument(f"a {kind} takes indices 0 to {size - 1} of an axis; got {found.min()} to {found.max()}.")
    return found


def _parted(indices: NDArray[np.int64], step: int) -> list[NDArray[np.int64]]:
    """Tables of bytes whose sums are those of indices; one table for each of their axes."""
    found = []
    if indices.ndim == 1:
        return [np.where(indices == NOTHING, NOTHING, indices * step)]
    origin = indices.flat[0]
    for axis in range(indices.ndim):
        line = indices[(0,) * axis + (slice(None),) + (0,) * (indices.ndim - axis - 1)]
        found.append((line - (0 if axis == 0 else origin)) * step)
    whole = sum(np.ix_(*found)[1:], np.ix_(*found)[0])
    return found if np.array_equal(whole, indices * step) and min(map(np.min, found)) >= 0 else []


# ---- what users of graphs ask for ------------------------------------------------------------------------------------

def slice_indices(elements: Elements, shape: Shape, ranges: Sequence[range], result: Shape
                  | None = None) -> GatherIndices:
    """Of every axis the indices of a range.

    result   (int, ...)   the shape, where axes of size 1 are left out or put in

    >>> slice_indices("int8", (4, 3), (range(3, 0, -2), range(3))).reference(np.arange(12).reshape(4, 3))[0].tolist()
    [[9, 10, 11], [3, 4, 5]]
    """
    if len(ranges) != len(shape):
        raise BadArgument(f"a slice of {list(shape)} has a range for each axis; got {len(ranges)}.")
    picks = {axis: _spread(one, "slice") for axis, (one, size) in enumerate(zip(ranges, shape, strict=True))
             if one != range(size)}
    return GatherIndices(elements, shape, picks, result=result, kind="slice", ranges=tuple(ranges))


def _spread(one: range, kind: str) -> NDArray[np.int64]:
    """A range as an array; its length is checked first, which len() cannot say above 63 bits."""
    count = max(0, -(-(one.stop - one.start) // one.step))
    if not 0 < count <= MAX_INDICES:
        raise BadArgument(f"a {kind} takes 1 to {MAX_INDICES:,} indices of an axis; got {count:,}.")
    return np.arange(one.start, one.stop, one.step, dtype=np.int64)


def transpose_indices(elements: Elements, shape: Shape, order: Sequence[int]) -> GatherIndices:
    """Axis i of the result is axis order[i]."""
    axes = [along(axis, shape) for axis in order]
    return GatherIndices(elements, shape, {}, order=axes, kind="transpose", axes=axes)


def pad_indices(elements: Elements, shape: Shape, amounts: Sequence[tuple[int, int]], fill: float = 0,
                mode: str = "constant") -> GatherIndices:
    """Something before and behind each axis: `fill`, or for mode "reflect" and "symmetric" what numpy puts there.

    Raises BadArgument for as much and more than the axis has to reflect.
    """
    picks = {}
    for axis, ((before, after), size) in enumerate(zip(amounts, shape, strict=True)):
        before, after = (as_int(n, f"padding of axis {axis}", 0, MAX_INDICES) for n in (before, after))
        if before + after + size > MAX_INDICES and before + after:
            raise BadArgument(f"padding makes axis {axis} {before + after + size:,} long; the limit is "
                              f"{MAX_INDICES:,}.")
        if mode != "constant" and max(before, after) > size - (mode == "reflect"):
            raise BadArgument(f"there is not enough of axis {axis}, {size}, to reflect {max(before, after)}.")
        if before or after:
            inner = np.arange(size, dtype=np.int64)
            picks[axis] = (np.pad(inner, (before, after), constant_values=NOTHING) if mode == "constant" else
                           np.pad(inner, (before, after), mode=mode))  # type: ignore[call-overload]
    return GatherIndices(elements, shape, picks, fill=fill, kind="padding", amounts=tuple(amounts), mode=mode)


def broadcast_indices(elements: Elements, shape: Shape, result_shape: Shape) -> GatherIndices:
    """As numpy broadcasts to a shape."""
    view = (1,) * (len(result_shape) - len(shape)) + tuple(shape)
    if len(view) != len(result_shape) or any(have not in (1, want) for have,
                                             want in zip(view, result_shape, strict=True)):
        raise BadArgument(f"{list(shape)} does not broadcast to {list(result_shape)}.")
    if max(result_shape) > MAX_INDICES:
        raise BadArgument(f"an axis of {max(result_shape):,} is too long to broadcast to; the limit is "
                          f"{MAX_INDICES:,}.")
    picks = {axis: np.zeros(want, np.int64) for axis, (have, want) in enumerate(zip(view, result_shape, strict=True))
             if have != want}
    return GatherIndices(elements, shape, picks, view=view, kind="broadcast")


def tile_indices(elements: Elements, shape: Shape, times: Sequence[int]) -> GatherIndices:
    """Each axis n times, as numpy.tile."""
    if len(times) != len(shape) or any(n < 1 or n * size > MAX_INDICES for n, size in zip(times, shape, strict=True)
                                       if n != 1):
        raise BadArgument(f"{list(shape)} cannot be repeated {list(times)} times.")
    picks = {axis: np.tile(np.arange(size, dtype=np.int64), n)
             for axis, (n, size) in enumerate(zip(times, shape, strict=True)) if n != 1}
    return GatherIndices(elements, shape, picks, kind="tile", times=tuple(times))


def take_indices(elements: Elements, shape: Shape, axis: int, indices: ArrayLike, result: Shape
                 | None = None) -> GatherIndices:
    """Some indices of an axis; an array of several axes puts them in its place."""
    found = np.asarray(indices, np.int64)
    if found.size and found.min() < 0:
        raise BadArgument(f"indices count from 0; got {found.min()}.")
    flat = GatherIndices(elements, shape, {along(axis, shape): found.reshape(-1)}, kind="gather")
    at = along(axis, shape)
    return GatherIndices(elements, shape, flat.picks, kind="gather",
                         result=(*shape[:at], *found.shape, *shape[at + 1:]) if result is None else result, axis=at,
                         indices=found)


def nearest(elements: Elements, shape: Shape, size: Sequence[int], *, align_corners: bool = False,
            half_pixel: bool = False) -> GatherIndices:
    """Images of another size, each pixel the nearest one (M17).

    size            (height, width)
    align_corners   the outermost pixels stay where they are
    half_pixel      a pixel is a square, and lies where its middle does
    """
    if len(shape) != 4 or len(size) != 2:
        raise BadArgument(f"images must be [batch, height, width, channels] and sizes two; got {list(shape)}, "
                          f"{list(size)}.")
    integers = TensorType.from_any(elements).itemsize == 1
    lines = {axis: nearest_of(shape[axis], as_int(after, "new size", 1, MAX_INDICES), align_corners, half_pixel,
                              integers) for axis, after in zip((1, 2), size, strict=True)}
    return GatherIndices(elements, shape, lines, kind="nearest", size=tuple(size), align_corners=align_corners,
                         half_pixel=half_pixel)


def nearest_of(before: int, after: int, align_corners: bool, half_pixel: bool, integers: bool) -> NDArray[np.int64]:
    """The row that each row is nearest to, as the runtime works it out: of 8-bit integers without those flags in steps
    of 1/65536, else in single precision (M17).

    >>> nearest_of(3, 6, False, False, True).tolist(), nearest_of(3, 5, True, False, True).tolist()
    ([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2])
    """
    at = np.arange(after, dtype=np.int64)
    if integers and not align_corners and not half_pixel:
        return np.asarray(np.minimum(at * ((before << 16) // after + 1) >> 16, before - 1))
    corners = int(align_corners and after > 1)
    scale = np.float32(before - corners) / np.float32(after - corners)
    real = (at.astype(np.float32) + np.float32(0.5 if half_pixel else 0)) * scale
    rounded = np.floor(real + np.float32(0.5) if align_corners else real).astype(np.int64)
    return np.asarray(np.clip(rounded, 0, before - 1))


def _image(shape: Shape, block: int, kind: str) -> tuple[int, int, int, int]:
    if len(shape) != 4 or block < 1:
        raise BadArgument(f"{kind} takes images [batch, height, width, channels] and blocks of 1 and more; got "
                          f"{list(shape)} and {block}.")
    n, h, w, c = shape
    return n, h, w, c


def depth_to_space(elements: Elements, shape: Shape, block: int) -> GatherIndices:
    """Channels [block][block][the rest] of a pixel become a square of pixels."""
    n, h, w, c = _image(shape, block, "depth to space")
    if c % (block * block):
        raise BadArgument(f"{c} channels do not make squares of {block} by {block}.")
    inner = c // (block * block)
    return GatherIndices(elements, shape, {}, view=(n, h, w, block, block, inner), order=(0, 1, 3, 2, 4, 5),
                         result=(n, h * block, w * block, inner), kind="depth to space", block=block)


def space_to_depth(elements: Elements, shape: Shape, block: int) -> GatherIndices:
    """A square of pixels becomes the channels [block][block][channel] of one."""
    n, h, w, c = _image(shape, block, "space to depth")
    if h % block or w % block:
        raise BadArgument(f"{h} by {w} pixels are not made of squares of {block} by {block}.")
    return GatherIndices(elements, shape, {}, view=(n, h // block, block, w // block, block, c),
                         order=(0, 1, 3, 2, 4, 5),
                         result=(n, h // block, w // block, block * block * c), kind="space to depth", block=block)


def space_to_batch(elements: Elements, shape: Shape, blocks: Sequence[int], amounts: Sequence[tuple[int, int]],
                   fill: float = 0) -> tuple[GatherIndices, ...]:
    """Padding, then a separate batch of every k-th index of the axes behind the first: one move, or two."""
    if not 0 < len(blocks) == len(amounts) < len(shape) or min(blocks) < 1:
        raise BadArgument(f"there are {len(blocks)} blocks and {len(amounts)} amounts for {list(shape)}.")
    many = len(blocks)
    before = pad_indices(elements, shape, [(0, 0), *amounts, *[(0, 0)] * (len(shape) - many - 1)], fill)
    n, *sizes = before.result
    if any(size % block for size, block in zip(sizes, blocks, strict=False)):
        raise BadArgument(f"{sizes[:many]} is not made of blocks of {list(blocks)}.")
    split = [part for size, block in zip(sizes, blocks, strict=False) for part in (size // block, block)]
    rest = sizes[many:]
    inner, outer = [1 + 2 * i for i in range(many)], [2 + 2 * i for i in range(many)]
    view = (n, *split, *rest)
    move = GatherIndices(elements, before.result, {}, view=view, kind="space to batch",
                         order=(*outer, 0, *inner, *range(2 * many + 1, len(view))),
                         result=(n * math.prod(blocks),
                                 *(size // block for size, block in zip(sizes, blocks, strict=False)),
                                 *rest), blocks=tuple(blocks))
    return (move,) if not before.picks else (before, move)


def batch_to_space(elements: Elements, shape: Shape, blocks: Sequence[int],
                   crops: Sequence[tuple[int, int]]) -> tuple[GatherIndices, ...]:
    """The other way, and then something cut off: one move, or two."""
    if not 0 < len(blocks) == len(crops) < len(shape) or min(blocks) < 1 or shape[0] % math.prod(blocks):
        raise BadArgument(f"{list(shape)} is no {list(blocks)} blocks, or {len(crops)} crops do not fit.")
    many, n = len(blocks), shape[0] // math.prod(blocks)
    sizes, rest = shape[1:1 + many], shape[1 + many:]
    order = [many, *(axis for i in range(many) for axis in (many + 1 + i, i)),
             *range(2 * many + 1, 2 * many + 1 + len(rest))]
    whole = (n, *(size * block for size, block in zip(sizes, blocks, strict=True)), *rest)
    move = GatherIndices(elements, shape, {}, view=(*blocks, n, *sizes, *rest), order=order, result=whole,
                         kind="batch to space", blocks=tuple(blocks))
    ranges = [range(n), *(range(a, size - b) for size, (a, b) in zip(whole[1:], crops, strict=False)),
              *map(range, rest)]
    if any(a < 0 or b < 0 for a, b in crops):
        raise BadArgument(f"crops of {list(map(list, crops))}: none is negative.")
    cut = slice_indices(elements, whole, ranges)
    return (move, cut) if cut.picks else (move,)


check_arguments(globals())
