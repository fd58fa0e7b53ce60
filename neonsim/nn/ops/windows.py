"""Windows of images: their sizes, how a layer of networks is told of them, and copies of what they see."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from neonsim.errors import BadArgument
from neonsim.nn.backends import Gather, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.ukernel.packing import OUTSIDE, ConvShape, conv_shape, conv_taps, pixel_offsets
from neonsim.ukernel.packing.im2col import Padding, Pair, as_pair

__all__ = ["PoolWindows", "copy_framed", "copy_windows", "whole_image_fields", "window_fields"]

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


def whole_image_fields(batch: int, height: int, width: int) -> dict[str, Any]:
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
    build.gather(Gather(Pointer(source or x.name), matrix,
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
    build.gather(Gather(Pointer(x.name), target, np.where(inside, offsets, OUTSIDE).reshape(-1), pixel_bytes, outside,
                        description))
    return target
