"""Windows of images: their sizes, how a layer of networks is told of them, and copies of what they see."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import CopyRows, Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_shape, conv_taps, pixel_offsets, row_indirection
from neonsim.ukernel.packing.im2col import Padding, Pair, as_pair

__all__ = [
    "PoolWindows",
    "copy_framed",
    "copy_windows",
    "image_fields",
    "part_windows",
    "parts_alike",
    "window_fields",
]

Index = NDArray[np.int64]
_LARGE = (1 << 30, 1 << 30)     # an image large enough for any window, so that a wrong window is refused early


class PoolWindows:
    """Of an operator: windows of images, every channel by itself.

    pool                         (height, width); None: the whole image, [batch, height, width, channels] ->
                                 [batch, channels]
    stride, padding, dilation    as they were given
    """

    kind: ClassVar[str]
    pool: Any

    def _settle(self, pool: Pair | None, stride: Pair | None, padding: Padding, dilation: Pair = 1, *,
                inside: bool = False) -> None:
        """Settle everything but the size of the image. stride: None is the pool; inside: every window needs a pixel."""
        self.pool = None if pool is None else as_pair(pool, "pool", 1)
        self.stride, self.padding, self.dilation = self.pool if stride is None else stride, padding, dilation
        if pool is None:
            return
        found = conv_shape(_LARGE, self.pool, stride=self.stride, padding=padding, dilation=dilation)
        for axis, name in enumerate(("height", "width")):
            if inside and max(found.padding[axis]) >= (self.pool[axis] - 1) * found.dilation[axis] + 1:
                raise BadArgument(f"padding {list(found.padding[axis])} of {name} leaves windows of {self.pool[axis]} "
                                  "without a pixel.")

    def _check_image(self, x: tuple[int, ...]) -> None:
        if len(x) != 4 or 0 in x:
            raise BadArgument(f"x of {self.kind} must be [batch, height, width, channels], with all sizes at least 1; "
                              f"got {list(x)}.")

    def shape(self, x: tuple[int, ...]) -> ConvShape:
        """Sizes for an image [batch, height, width, channels]."""
        self._check_image(x)
        return conv_shape((x[1], x[2]), self.pool or (x[1], x[2]), stride=self.stride or 1, padding=self.padding,
                          dilation=self.dilation)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[batch, height, width, channels] -> [batch, oh, ow, channels]."""
        found = self.shape(shapes[0])
        return (shapes[0][0], *(found.output if self.pool else ()), shapes[0][3])


def window_fields(shape: ConvShape) -> dict[str, Any]:
    """Windows as fields of a layer of the C library's networks."""
    return {"kernel_height": shape.kernel[0], "kernel_width": shape.kernel[1], "stride_height": shape.stride[0],
            "stride_width": shape.stride[1], "dilation_height": shape.dilation[0], "dilation_width": shape.dilation[1],
            "pad_top": shape.padding[0][0], "pad_left": shape.padding[1][0]}


def image_fields(batch: int, height: int, width: int) -> dict[str, Any]:
    """One window that is the whole image, likewise."""
    return {"batch": batch, "input_height": height, "input_width": width, "kernel_height": height,
            "kernel_width": width, "output_height": 1, "output_width": 1}


def copy_windows(build: Builder, shape: ConvShape, *, groups: int, depth: int, outside: int,
                 source: str | None = None) -> tuple[Pointer, int]:
    """Copy the windows of all groups side by side: where they lie, [groups, pixels of the result, row]; bytes of a row.

    depth     int   bytes of a group's channels of one pixel
    outside   int   the byte that stands for pixels outside the image
    source    str   region of the image; None: the first input
    """
    x, pixels, row_bytes = build.inputs[0], build.output.pixels, shape.kernel[0] * shape.kernel[1] * depth
    matrix = build.scratch("im2col", groups * pixels * row_bytes, operand=True)
    offsets = pixel_offsets(conv_taps(shape), x.shape[0], x.stride).reshape(1, -1)
    group = np.arange(groups, dtype=np.int64)[:, np.newaxis] * depth
    build.gather(CopyRows(Pointer(source or x.name), matrix,
                        np.where(offsets == OUTSIDE, OUTSIDE, offsets + group).reshape(-1), depth, outside,
                        f"{pixels} rows of {row_bytes} bytes for each group"))
    return matrix, row_bytes


def copy_framed(build: Builder, name: str, size: tuple[int, int], shape: ConvShape, *, pixel_bytes: int, outside: int,
                description: str) -> Pointer:
    """Copy the first input's images with what lies around them: [batch, *size, pixel].

    name   str          of the region
    size   (int, int)   height and width of the copy, whose first pixel lies as far outside as the padding
    """
    x = build.inputs[0]
    height, width = x.shape[1:3]
    rows, columns = (np.arange(size[axis], dtype=np.int64) - shape.padding[axis][0] for axis in (0, 1))
    inside = ((rows >= 0) & (rows < height))[:, np.newaxis] & ((columns >= 0) & (columns < width))
    image = np.arange(x.shape[0], dtype=np.int64)[:, np.newaxis, np.newaxis] * height * width
    offsets = (image + rows[:, np.newaxis] * width + columns) * x.stride
    target = build.scratch(name, x.shape[0] * size[0] * size[1] * pixel_bytes)
    build.gather(CopyRows(Pointer(x.name), target, np.where(inside, offsets, OUTSIDE).reshape(-1), pixel_bytes, outside,
                        description))
    return target


class _Part(NamedTuple):
    """A rectangle of the result: its first pixel, and the taps of its windows that lie inside the image."""

    first: tuple[int, int]
    taps: Taps


def _runs(indices: Index) -> list[tuple[int, int, Index]]:
    """Stretches of windows [first, behind) along an axis that hold the same taps; those: numbers of taps.

    indices   [outputs, taps], OUTSIDE where a tap misses the image
    """
    inside = indices != OUTSIDE
    edges = [0, *(np.flatnonzero((inside[1:] != inside[:-1]).any(axis=1)) + 1).tolist(), len(inside)]
    return [(a, b, np.flatnonzero(inside[a])) for a, b in itertools.pairwise(edges)]


def parts_alike(taps: Taps) -> list[_Part]:
    """The result cut into rectangles whose windows hold the same taps inside the image.

    Raises BackendError for a window that misses the image.
    """
    found = []
    for top, bottom, ky in _runs(taps.rows):
        for left, right, kx in _runs(taps.columns):
            if not ky.size or not kx.size:
                raise BackendError("a window is outside the image, so it has no mean.")
            found.append(_Part((top, left), Taps(taps.size, taps.rows[top:bottom][:, ky],
                                                 taps.columns[left:right][:, kx])))
    return found


def part_windows(build: Builder, taps: Taps, one: Implementation, *, zero: Pointer, name: str, first: tuple[int, int],
                  step: int, whole: tuple[int, ...]) -> tuple[dict[str, Any], Index]:
    """Pointers of pooling windows, and the arguments that walk over them, one row of a part of the result a call.

    name    of the table, beside that of other parts
    first   the pixel of the result that the part begins with; whole: height and width of the result
    step    columns from one window of a row to the next; those that overlap share columns of pointers (P08)
    """
    x, out = build.inputs[0], build.output
    step = min(step, taps.kernel[1])
    table = row_indirection(taps, x.shape[0], step=step, pixel_stride=x.stride)
    pointers = build.table(f"indirection{name}", table, Pointer(x.name), zero)
    height, width = taps.output
    line = np.arange(x.shape[0] * height, dtype=np.int64)[:, np.newaxis]
    image, row = line // height, line % height
    arguments: dict[str, Any] = {
        "n": width, "ks": taps.count, "kc": x.channels,
        "input": Pointer(pointers.region, line * table.offsets.shape[2] * one.pointer_bytes),
        "y": Pointer(build.result, ((image * whole[0] + first[0] + row) * whole[1] + first[1]) * out.stride),
        "x_increment": step * taps.kernel[0] * one.pointer_bytes, "y_increment": out.stride - out.channels,
    }
    return arguments, line
