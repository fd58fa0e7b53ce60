"""How operators on float32 become calls of the kernels of float32.

    operator                   contract                       a call
    Float32FullyConnected         f32_gemm                       rows of a tile by all columns
    Float32Conv2d                 f32_gemm                       1x1, stride 1, no padding: the same, pixels for rows
                               f32_dwconv                     groups of one channel in and out, 9 taps: an output row
                               f32_igemm                      all others: pixels of a tile through pointers
    Float32Add, Float32Clamp         f32_vadd, f32_clamp            4096 bytes, or a pixel where pixels lie apart
    Float32LeakyRelu              f32_vlrelu                     the same
    BatchNorm                  f32_vmulcaddc                  all pixels
    Float32MaxPool2d              f32_maxpool                    an output row; a tap outside reads another of its
                                                                 window
    Float32AvgPool2d              f32_avgpool                    an output row of windows that see as many pixels
    Float32GlobalAvgPool          f32_gavgpool                   an image
    Float32Softmax                f32_softmax                    a row

Taps come row after row of a window, in all of them: that is the order of the chains of `quant.float32`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.nn.backends import Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_conv import kernel_for
from neonsim.nn.ops.windows import parts_alike
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_taps, pack_f32, window_indirection
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["call_windows", "lower_average", "lower_channels", "lower_global_average", "lower_largest"]

Reals = NDArray[np.float32]


def lower_channels(build: Builder, gain: Reals, offset: Reals, params: FloatParams) -> None:
    """Every channel times its gain, plus its offset: all pixels in one call."""
    x, out = build.inputs[0], build.output
    one = kernel_for(build, "f32_vmulcaddc", "the only one")
    weights = build.constant("weights", pack_f32(gain[:, np.newaxis], offset, nr=one.mr).data)
    build.call(one, 1, 1, f"{x.pixels} pixels of {x.shape[-1]} channels", m=x.pixels, n=x.shape[-1], x=Pointer(x.name),
               x_stride=x.stride, w=weights, y=Pointer(build.result), y_stride=out.stride,
               params=build.constant("params", block_of(params)))


def call_windows(build: Builder, contract: str, taps: Taps, params: Any, name: str, first: tuple[int, int]) -> None:
    """Windows of a part of the result whose first pixel is `first`; name: of its tables, beside the others'."""
    x, out = build.inputs[0], build.output
    one = kernel_for(build, contract, "any number of channels and taps: row after row")
    table = window_indirection(taps, x.shape[0], pixel_stride=x.stride)
    pointers = build.table(f"indirection{name}", table, Pointer(x.name), Pointer(x.name))
    (height, width), step, whole = taps.output, taps.count * one.pointer_bytes, out.shape[1:-1] or (1, 1)
    line = np.arange(x.shape[0] * height, dtype=np.int64)[:, np.newaxis]
    image, row = line // height, line % height
    pixel = (image * whole[0] + first[0] + row) * whole[1] + first[1]
    build.call(one, len(line), 1, f"an output row of {width} pixels, {taps.count} taps of {x.shape[3]} channels",
               n=width, ks=taps.count, kc=x.shape[3], input=Pointer(pointers.region, line * width * step),
               y=Pointer(build.result, pixel * out.stride), x_increment=step, y_increment=out.stride - out.channels,
               params=build.constant(f"params{name}", block_of(params)))


def _inside(indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows or columns [outputs, taps] with those outside replaced by the first that the window holds."""
    inside = indices != OUTSIDE
    if not inside.any(axis=1).all():
        raise BackendError("a window is outside the image, so it has no maximum.")
    held = np.take_along_axis(indices, inside.argmax(axis=1)[:, np.newaxis], axis=1)
    return np.where(inside, indices, held)


def lower_largest(build: Builder, shape: ConvShape, params: FloatParams) -> None:
    """Max pooling: a tap outside the image reads a pixel that its window holds anyhow."""
    taps = conv_taps(shape)
    call_windows(build, "f32_maxpool", Taps(taps.size, _inside(taps.rows), _inside(taps.columns)), params, "", (0, 0))


def lower_average(build: Builder, shape: ConvShape, low: float, high: float) -> None:
    """Average pooling that does not count what lies outside: part by part, each of windows that see as many pixels."""
    for part in parts_alike(conv_taps(shape)):
        params = FloatMeanParams.from_rows(part.taps.count, low, high)
        call_windows(build, "f32_avgpool", part.taps, params, f" from {part.first[0]}, {part.first[1]}", part.first)


def lower_global_average(build: Builder, low: float, high: float) -> None:
    """All pixels of an image are one window."""
    x, out = build.inputs[0], build.output
    one = kernel_for(build, "f32_gavgpool", "any number of channels and rows: row after row")
    rows = x.shape[1] * x.shape[2]
    image: Any = np.arange(x.shape[0], dtype=np.int64)[:, np.newaxis]
    build.call(one, len(image), 1, f"an image of {rows} pixels of {x.shape[3]} channels", m=rows, n=x.shape[3],
               x=Pointer(x.name, image * rows * x.stride), x_stride=x.stride,
               y=Pointer(build.result, image * out.stride),
               params=build.constant("params", block_of(FloatMeanParams.from_rows(rows, low, high))))
