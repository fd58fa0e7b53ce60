"""Products by the newer kernels, which walk over the columns by themselves: one call takes mr rows by all columns.

                 one call
    rows    +-------------------------+      The grid of calls is [rows / mr, columns / tile width]; by itself the tile
      mr at | NR | NR | NR | NR | rest|      is as wide as the matrix (one thread: one task over all N), so that a
      a time+-------------------------+      row of activations is read once and its calls are few (X42).

Rows come as they lie (gemm), or through a table of pointers (igemm). The table is that of one image and one group: what
differs between images and groups is an offset that the kernel adds to every pointer but that of the zero row.
"""

from __future__ import annotations

import numpy as np

from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, TileSpan, parts, tile_grid
from neonsim.nn.ops.lowering.gemm_tiles import Grouped
from neonsim.nn.ops.lowering.kernel_families import KernelParams, ZeroPoint
from neonsim.quant.params.float32 import FloatParams
from neonsim.ukernel.packing import (
    IndirectionBuffer,
    PackedDepthwise,
    Taps,
    pixel_offsets,
    row_indirection,
    tile_indirection,
)
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["call_channelwise", "call_gathered", "call_phase", "call_rows"]


def _element(params: KernelParams | FloatParams) -> int:
    """Bytes of an element of operands and result."""
    return 4 if isinstance(params, FloatParams) else 1


def call_rows(build: Builder, one: Implementation, weights: Grouped, params: KernelParams | FloatParams, *,
              source: Pointer, m: int, k: int, a_stride: int, group_bytes: int) -> None:
    """A matrix product for every group: result [m, n] <- source [m, k] by weights [k, n].

    a_stride      bytes from one row of the source to the next
    group_bytes   bytes from one group's source to the next group's
    """
    size, block = _results(build, params)
    begin, out_stride, n = int(np.asarray(source.offset)), build.output.stride, weights.n
    for high in parts(m, one.mr):
        group, _, row = tile_grid(weights.groups, 1, high)
        build.call(
            one, len(row), 1, f"{high.size} rows x {n} columns of depth {k}", mr=high.size, nc=n, kc=k,
            a=Pointer(source.region, begin + group * group_bytes + row * a_stride), a_stride=a_stride,
            w=Pointer(weights.place.region, group * weights.group_bytes),
            c=Pointer(build.result, size * group * n + row * out_stride), cm_stride=out_stride, cn_stride=size * one.nr,
            **block)


def call_gathered(build: Builder, one: Implementation, weights: Grouped, params: KernelParams | FloatParams, *,
                  taps: Taps, batch: int, channels: int) -> None:
    """A convolution or deconvolution through pointers.

    taps       which pixel each tap reads
    channels   input channels of a group
    """
    x, n, out_stride = build.inputs[0], weights.n, build.output.stride
    zero, (size, block) = _shared(build, one, params, channels), _results(build, params)
    pointers = build.table("indirection", tile_indirection(taps, 1, mr=one.mr, pixel_stride=x.stride),
                           Pointer(x.name), zero)
    pixels, tile_bytes = taps.output[0] * taps.output[1], taps.count * one.mr * one.pointer_bytes
    for high in parts(pixels, one.mr):
        group, image, pixel = tile_grid(weights.groups, batch, high)
        build.call(
            one, len(pixel), 1, f"{high.size} pixels x {n} channels, {taps.count} taps of {channels}",
            mr=high.size, nc=n, kc=channels, ks=taps.count, a=Pointer(pointers.region, pixel // one.mr * tile_bytes),
            w=Pointer(weights.place.region, group * weights.group_bytes),
            c=Pointer(build.result, size * group * n + (image * pixels + pixel) * out_stride), cm_stride=out_stride,
            cn_stride=size * one.nr, zero=zero, **block,
            a_offset=image * _image_bytes(build, taps) + group * channels * _element(params))


def call_channelwise(build: Builder, one: Implementation, packed: PackedDepthwise, params: KernelParams, *, taps: Taps,
                     batch: int, step: int) -> None:
    """A depthwise convolution, one output row a call; the table is that of one image.

    step   columns of pointers from one output pixel to the next
    """
    x, out, channels = build.inputs[0], build.output, packed.layout.channels
    zero, (size, block) = _shared(build, one, params, channels), _results(build, params)
    table = row_indirection(taps, 1, step=step, pixel_stride=x.stride)
    pointers = build.table("indirection", table, Pointer(x.name), zero)
    weights = build.constant("weights", packed.data)
    (height, width), row_bytes = taps.output, table.offsets.shape[2] * one.pointer_bytes
    _, image, row = tile_grid(1, batch, TileSpan(0, height, 1))
    build.call(
        one, len(row), 1, f"an output row of {width} pixels, {taps.count} taps of {channels} channels",
        channels=channels, output_width=width, input=Pointer(pointers.region, row * row_bytes), w=weights,
        output=Pointer(build.result, (image * height + row) * width * out.stride),
        input_stride=step * taps.kernel[0] * one.pointer_bytes, output_increment=out.stride - size * channels,
        input_offset=image * _image_bytes(build, taps), zero=zero, **block)


def call_phase(build: Builder, one: Implementation, weights: Grouped, params: KernelParams, *, taps: Taps, batch: int,
               channels: int, phase: tuple[int, int], stride: tuple[int, int], output: tuple[int, int]) -> None:
    """One phase of a deconvolution: the output pixels (phase + stride * i), a row of them at a time.

    taps     of this phase only: [rows of the phase, taps that reach it], columns likewise
    output   height and width of the whole result
    """
    x, n, out_stride = build.inputs[0], weights.n, build.output.stride
    zero, (size, block) = _shared(build, one, params, channels), _results(build, params)
    rows, columns = taps.output
    # One table: every output row of the phase is an "image" of its own, a row high.
    name, tiles = f"indirection {phase[0]},{phase[1]}", -(-columns // one.mr)
    pixels = pixel_offsets(taps, 1, x.stride).reshape(rows, columns, taps.count)
    order = np.minimum(np.arange(tiles * one.mr), columns - 1).reshape(tiles, one.mr)
    entries = pixels[:, order].transpose(0, 1, 3, 2)[np.newaxis]
    pointers = build.table(name, IndirectionBuffer("tiles", entries, taps, x.stride), Pointer(x.name), zero)
    tile_bytes, step = taps.count * one.mr * one.pointer_bytes, stride[1] * out_stride
    for high in parts(columns, one.mr):
        group, line, column = tile_grid(weights.groups, batch * rows, high)
        image, row = line // rows, line % rows
        place = (image * output[0] + phase[0] + row * stride[0]) * output[1] + phase[1] + column * stride[1]
        build.call(
            one, len(column), 1, f"{high.size} pixels x {n} channels of phase {phase}, {taps.count} taps of {channels}",
            mr=high.size, nc=n, kc=channels, ks=taps.count,
            a=Pointer(pointers.region, (row * tiles + column // one.mr) * tile_bytes),
            w=Pointer(weights.place.region, group * weights.group_bytes),
            c=Pointer(build.result, size * group * n + place * out_stride), cm_stride=step, cn_stride=size * one.nr,
            a_offset=image * _image_bytes(build, taps) + group * channels, zero=zero, **block)


def _shared(build: Builder, one: Implementation, params: KernelParams | FloatParams, channels: int) -> Pointer:
    """The row of zero points, or of zeros, that taps outside the image read."""
    zero = 0 if isinstance(params, FloatParams) else params.a_zero_point & 0xFF
    row = np.full(channels * _element(params), zero, np.uint8)
    return build.constant("zero", row, before=one.reads_before)


def _results(build: Builder, params: KernelParams | FloatParams) -> tuple[int, dict[str, Pointer]]:
    """Bytes of a result, and the parameters of kernels that read some."""
    size = np.dtype(build.output.dtype).itemsize
    return size, {} if isinstance(params, ZeroPoint) else {"params": build.constant("params", block_of(params))}


def _image_bytes(build: Builder, taps: Taps) -> int:
    return taps.size[0] * taps.size[1] * build.inputs[0].stride
