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

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.elementwise import call_elements, call_rows_of
from neonsim.nn.ops.lowering.gemm_conv import kernel_for
from neonsim.nn.ops.lowering.gemm_rows import call_gathered, call_rows
from neonsim.nn.ops.lowering.gemm_tiles import concatenated
from neonsim.nn.ops.quantized.pooling import parts_alike
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_taps, pack_f32, window_indirection
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["LOWERINGS", "call_windows", "lower_average", "lower_channels", "lower_convolution", "lower_global_average",
           "lower_largest", "lower_matrix", "lower_shares", "lower_vector"]

LOWERINGS = ("depthwise", "gemm", "indirect")
WORD = 4
TASK = 4096     # bytes
TAPS = 9        # of the depthwise kernels

Reals = NDArray[np.float32]


def lower_matrix(build: Builder, w: Reals, bias: Reals, params: FloatParams) -> None:
    """x [..., in] by w [out, in]."""
    x = build.inputs[0]
    one = kernel_for(build, "f32_gemm", "a fully connected layer is a matrix product, rows are the batch",
                     rows=x.pixels)
    packed = concatenated(build, [pack_f32(w, bias, nr=one.nr)])
    call_rows(build, one, packed, params, source=Pointer(x.name), m=x.pixels, k=w.shape[1], a_stride=x.stride,
              group_bytes=0)


def _by_itself(shape: ConvShape, depthwise: bool, taps: int) -> tuple[str, str]:
    if depthwise and taps == TAPS:
        return "depthwise", f"groups of one channel each and {taps} taps: each channel by itself"
    if shape.is_plain:
        return "gemm", "1x1, stride 1, no padding: the image is the left-hand matrix as it lies"
    why = f"{taps} taps are not {TAPS}" if depthwise else "1x1 with a stride or padding skips pixels" if taps == 1 \
        else f"a window of {taps} taps"
    return "indirect", f"{why}: a matrix product through pointers, no copied matrix"


def lower_convolution(build: Builder, w: Reals, bias: Reals, shape: ConvShape, *, groups: int, depthwise: bool,
                      params: FloatParams, lowering: str | None) -> None:
    """A convolution of weights [out, kh, kw, in / groups]; lowering: asked for by name, or None."""
    if lowering not in (None, *LOWERINGS):
        raise BadArgument(f"lowering of a convolution of float32 is one of {', '.join(LOWERINGS)}; got {lowering!r}.")
    x, depth, taps = build.inputs[0], w.shape[3], w.shape[1] * w.shape[2]
    natural, reason = _by_itself(shape, depthwise, taps)
    asked = {"f32_gemm": "gemm", "f32_igemm": "indirect", "f32_dwconv": "depthwise", None: natural}[
        build.requested_contract("f32_gemm", "f32_igemm", "f32_dwconv")]
    chosen = lowering or asked
    if chosen != natural:
        reason = f"lowering {chosen!r} was asked for; by itself it would be {natural!r}"
    if chosen == "gemm" and not shape.is_plain:
        raise BackendError("lowering 'gemm' takes a 1x1 window, stride 1 and no padding; take 'indirect'.")
    if chosen == "depthwise":
        if not depthwise or taps != TAPS:
            raise BackendError(f"lowering 'depthwise' takes groups of one channel in and one out, and {TAPS} taps; "
                               f"this has {depth} in, {len(w) // groups} out and {taps} taps.")
        _channelwise(build, w.reshape(len(w), -1), bias, conv_taps(shape), params, reason)
        return
    contract = "f32_gemm" if chosen == "gemm" else "f32_igemm"
    one = kernel_for(build, contract, reason, rows=x.pixels if chosen == "gemm" else None)
    packed = concatenated(build, [pack_f32(part, b, nr=one.nr) for part, b in
                                  zip(np.split(w, groups), np.split(bias, groups), strict=True)])
    if chosen == "gemm":
        call_rows(build, one, packed, params, source=Pointer(x.name), m=x.pixels, k=depth, a_stride=x.stride,
                  group_bytes=WORD * depth)
    else:
        call_gathered(build, one, packed, params, taps=conv_taps(shape), batch=x.shape[0], channels=depth)


def _channelwise(build: Builder, w: Reals, bias: Reals, taps: Taps, params: FloatParams, reason: str) -> None:
    """A depthwise convolution of weights [channels, taps], one output row a call; the table is that of one image."""
    x, out, channels = build.inputs[0], build.output, len(w)
    one = kernel_for(build, "f32_dwconv", reason)
    weights = build.constant("weights", pack_f32(w, bias, nr=one.mr).data)
    zero = build.constant("zero", np.zeros(WORD * channels, np.uint8))
    table = window_indirection(taps, 1, pixel_stride=x.stride)
    pointers = build.table("indirection", table, Pointer(x.name), zero)
    (height, width), step = taps.output, taps.count * one.pointer_bytes
    line = np.arange(x.shape[0] * height, dtype=np.int64)[:, np.newaxis]
    image, row = line // height, line % height
    build.call(
        one, len(line), 1, f"an output row of {width} pixels, {taps.count} taps of {channels} channels",
        channels=channels, output_width=width, input=Pointer(pointers.region, row * width * step), w=weights,
        output=Pointer(build.result, line * width * out.stride), input_stride=step,
        output_increment=out.stride - out.channels, input_offset=image * taps.size[0] * taps.size[1] * x.stride,
        zero=zero, params=build.constant("params", block_of(params)))


def lower_vector(build: Builder, contract: str, params: FloatParams | FloatSlopeParams) -> None:
    """One kernel over everything: in tasks of bytes where all pixels touch, else a pixel a call."""
    call_elements(build, contract, "the only one", params, TASK // WORD)


def lower_shares(build: Builder, beta: float) -> None:
    """Softmax: a row a call."""
    call_rows_of(build, "f32_softmax", "exponentials by a polynomial, added up in order", FloatShareParams(beta))


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
        raise BackendError("a window misses the image: there is nothing to take the largest of.")
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
