"""How sums of products become kernel calls: a matrix product, a convolution through pointers, one channel at a time.

All groups of channels run in one grid: its rows are (group, tile of pixels), its columns tiles of output channels.

                 columns: output channels, nr at a time
    group 0   +----+----+--+
      tiles   | 1  | 1  |2 |     1 full tiles       2 the last output channels
              | 3  | 3  |4 |     3 the last pixels  4 both
    group 1   +----+----+--+
              | 1  | ...         tiles of one size run together, whatever group they are of
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, parts, tile_grid
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.packing import (
    PackedDepthwise,
    PackedFloats,
    PackedWeights,
    Taps,
    pack_depthwise,
    row_indirection,
    tile_indirection,
    zero_buffer,
)
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["PASSES", "Grouped", "call_depthwise", "call_gemm", "call_indirect", "concatenated", "pack_channels"]

Index = NDArray[np.int64]

# Taps that each pass of a depthwise kernel takes, by contract and by the taps of its tile (K28, K29, A38).
PASSES: dict[tuple[str, int], tuple[int, ...]] = {
    ("qu8_dwconv_q31", 9): (9,),
    ("qu8_dwconv_mp_q31", 25): (10, 10, 5),
    ("qu8_dwconv_mp_q31", 9): (1,) * 9,
}


@dataclass(frozen=True, eq=False)
class Grouped:
    """The weights of all groups, packed one after the other.

    place         Pointer    of the first group
    group_bytes   int        from one group to the next
    block_bytes   int        from one block of nr output channels to the next
    n             int        output channels of a group
    groups        int
    """

    place: Pointer
    group_bytes: int
    block_bytes: int
    n: int
    groups: int


def concatenated(build: Builder, packed: Sequence[PackedWeights] | Sequence[PackedFloats],
                 name: str = "weights") -> Grouped:
    """Put the packed weights of all groups into one region."""
    place = build.constant(name, np.concatenate([p.data for p in packed]))
    return Grouped(place, packed[0].layout.nbytes, packed[0].layout.block_bytes, packed[0].n, len(packed))


def call_gemm(build: Builder, one: Implementation, weights: Grouped, params: Q31Params, *, source: Pointer, m: int,
                 k: int, a_stride: int, group_bytes: int, row_sums: Implementation | None = None) -> None:
    """A matrix product for every group: result [m, n] <- source [m, k] by weights [k, n].

    a_stride      bytes from one row of the source to the next
    group_bytes   bytes from one group's source to the next group's
    row_sums      the kernel that makes row sums, for kernels that take them (A31)
    """
    block = build.constant("params", block_of(params))
    start = int(np.asarray(source.offset))
    sums = build.scratch("row sums", 4 * weights.groups * m) if row_sums is not None else Pointer("")
    if row_sums is not None:
        for high in parts(m, row_sums.mr):
            group, _, row = tile_grid(weights.groups, 1, high)
            build.call(row_sums, len(row), 1, f"sums of {high.size} rows, times -{params.w_zero_point}",
                       a=Pointer(source.region, start + group * group_bytes + row * a_stride), m=high.size, k=k,
                       stride=a_stride, multiplier=-params.w_zero_point,
                       sums=Pointer(sums.region, 4 * (group * m + row)))
    out_stride = build.output.stride
    for high, wide in itertools.product(parts(m, one.mr), parts(weights.n, one.nr)):
        (group, _, row), column = tile_grid(weights.groups, 1, high), wide.columns
        build.call(
            one, len(row), wide.tiles, f"{high.size} x {wide.size} results of depth {k}",
            mr=high.size, nr=wide.size, kc=k, a=Pointer(source.region, start + group * group_bytes + row * a_stride),
            a_stride=a_stride, a_sum=Pointer(sums.region, 4 * (group * m + row)),
            w=Pointer(weights.place.region, group * weights.group_bytes + column // one.nr * weights.block_bytes),
            c=Pointer(build.result, group * weights.n + row * out_stride + column), c_stride=out_stride, params=block)


def call_indirect(build: Builder, one: Implementation, weights: Grouped, params: Q31Params, *, taps: Taps, batch: int,
                  channels: int) -> None:
    """A convolution or deconvolution through pointers.

    taps       which pixel each tap reads
    channels   input channels of a group
    """
    x = build.inputs[0]
    table = tile_indirection(taps, batch, mr=one.mr, pixel_stride=x.stride, groups=weights.groups,
                             group_channels=channels)
    pointers = build.table("indirection", table, Pointer(x.name), _zero(build, channels, params.a_zero_point))
    block = build.constant("params", block_of(params))
    pixels, out_stride = taps.output[0] * taps.output[1], build.output.stride
    tile_bytes = taps.count * one.mr * one.pointer_bytes
    tiles = -(-pixels // one.mr)
    # The images of a batch stand below each other, as the groups do.
    for high in parts(pixels, one.mr):
        group, image, pixel = tile_grid(weights.groups, batch, high)
        for wide in parts(weights.n, one.nr):
            column = wide.columns
            build.call(
                one, len(pixel), wide.tiles,
                f"{high.size} pixels x {wide.size} channels, {taps.count} taps of {channels}",
                mr=high.size, nr=wide.size, kc=channels, ks=taps.count,
                a=Pointer(pointers.region, ((group * batch + image) * tiles + pixel // one.mr) * tile_bytes),
                w=Pointer(weights.place.region, group * weights.group_bytes + column // one.nr * weights.block_bytes),
                c=Pointer(build.result, group * weights.n + (image * pixels + pixel) * out_stride + column),
                c_stride=out_stride, params=block)


def _zero(build: Builder, channels: int, value: int) -> Pointer:
    """The row of zeros that pointers outside the image point at."""
    row, start = zero_buffer(channels, value)
    return Pointer(build.constant("zero", row).region, start)


def pack_channels(one: Implementation, weights: NDArray[np.uint8], bias: NDArray[np.int32],
                  params: Q31Params) -> PackedDepthwise:
    """Weights [channels, kh, kw] for a depthwise kernel: taps column by column, in the passes of the kernel."""
    passes = PASSES[one.contract, one.nr]
    taps = np.ascontiguousarray(weights.transpose(2, 1, 0).reshape(-1, weights.shape[0]))
    return pack_depthwise(taps, bias, passes=passes, a_zero_point=params.a_zero_point,
                          w_zero_point=params.w_zero_point, fold=len(passes) == 1)


def call_depthwise(build: Builder, one: Implementation, weights: NDArray[np.uint8], bias: NDArray[np.int32],
                   params: Q31Params, *, taps: Taps, batch: int, step: int) -> None:
    """A depthwise convolution, one output row a call.

    weights   uint8 [channels, kh, kw]
    step      columns of pointers from one output pixel to the next
    """
    x, out = build.inputs[0], build.output
    channels = weights.shape[0]
    table = row_indirection(taps, batch, step=step, pixel_stride=x.stride)
    pointers = build.table("indirection", table, Pointer(x.name), _zero(build, channels, params.a_zero_point))
    packed = build.constant("weights", pack_channels(one, weights, bias, params).data)
    block = build.constant("params", block_of(params))
    rows, ow = batch * taps.output[0], taps.output[1]
    row = np.arange(rows, dtype=np.int64)[:, np.newaxis]
    sums = -(-channels // 8) * 32
    several = one.contract == "qu8_dwconv_mp_q31"
    more = {"buffer": Pointer(build.scratch("sums", rows * sums).region, row * sums)} if several else {}
    build.call(
        one, rows, 1, f"an output row of {ow} pixels, {taps.count} taps of {channels} channels",
        channels=channels, output_width=ow,
        input=Pointer(pointers.region, row * table.offsets.shape[2] * one.pointer_bytes), w=packed,
        output=Pointer(build.result, row * ow * out.stride), input_stride=step * taps.kernel[0] * one.pointer_bytes,
        output_increment=out.stride - channels, params=block, **more)

