"""How sums of products become kernel calls: a matrix product, a convolution through pointers, one channel at a time.

All groups of channels run in one grid. Its rows are (group, tile of pixels), its columns tiles of output channels: nr
at a time, or, of kernels that walk over the columns by themselves (`nc` of their contract), all at once, so that a row
of activations is read once and its calls are few (X42).

                 columns: output channels, nr at a time
    group 0   +----+----+--+
      tiles   | 1  | 1  |2 |     1 full tiles       2 the last output channels
              | 3  | 3  |4 |     3 the last pixels  4 both
    group 1   +----+----+--+
              | 1  | ...         tiles of one size run together, whatever group they are of

Rows come as they lie, or through a table of pointers. Where the contract has an `a_offset` the table is that of one
image and one group: the kernel adds the offset to every pointer but that of the zero row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, TileSpan, parts, tile_grid
from neonsim.nn.ops.operand import Operand
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.packing import (
    IndirectionBuffer,
    PackedFloats,
    PackedWeights,
    Taps,
    pixel_offsets,
    row_indirection,
    tile_indirection,
    window_indirection,
    zero_buffer,
)
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["Grouped", "ZeroPoint", "call_channelwise", "call_gathered", "call_phase", "call_rows", "concatenated",
           "sum_rows"]


class ZeroPoint(NamedTuple):
    """In place of parameters, for kernels that read none: what is folded into the bias, and lies outside images."""

    a_zero_point: int


@dataclass(frozen=True, eq=False)
class Grouped:
    """The packed weights of all groups, one after the other.

    place         Pointer    of the first group
    group_bytes   int        from one group to the next
    block_bytes   int        from one block of nr output channels to the next
    n             int        output channels of a group
    groups        int
    beside        {argument: (Pointer, bytes of a block)}   what kernels read for a block besides its weights
    """

    place: Pointer
    group_bytes: int
    block_bytes: int
    n: int
    groups: int
    beside: Mapping[str, tuple[Pointer, int]] = field(default_factory=dict)


def concatenated(build: Builder, packed: Sequence[PackedWeights] | Sequence[PackedFloats],
                 name: str = "weights") -> Grouped:
    """Put the packed weights of all groups into one region."""
    place = build.constant(name, np.concatenate([p.data for p in packed]))
    return Grouped(place, packed[0].layout.nbytes, packed[0].layout.block_bytes, packed[0].n, len(packed))


@cache
def _reads(contract: str, argument: str) -> bool:
    return any(one.name == argument for one in contract_named(contract).arguments)


def _itemsize(operand: Operand) -> int:
    return np.dtype(operand.dtype).itemsize


def _block(build: Builder, params: Any) -> dict[str, Pointer]:
    """The parameters of kernels that read some."""
    return {} if isinstance(params, ZeroPoint) else {"params": build.constant("params", block_of(params))}


def _columns(build: Builder, one: Implementation, weights: Grouped, group: NDArray[np.int64],
             wide: TileSpan, row: NDArray[np.int64], step: int) -> dict[str, Any]:
    """Of a tile's columns: how many, its weights, its results.

    row    bytes from the first result of a group to those of each tile
    step   bytes from one row of results to the next
    """
    size, column = _itemsize(build.output), wide.columns
    block = group * (weights.group_bytes // weights.block_bytes) + column // one.nr
    found = {"c": Pointer(build.result, size * (group * weights.n + column) + row),
             **{name: Pointer(place.region, block * each)
                for name, (place, each) in (("w", (weights.place, weights.block_bytes)), *weights.beside.items())}}
    if _reads(one.contract, "nc"):
        return {**found, "nc": wide.size, "cm_stride": step, "cn_stride": size * one.nr}
    return {**found, "nr": wide.size, "c_stride": step}


def _spans(one: Implementation, weights: Grouped) -> list[TileSpan]:
    return [TileSpan(0, 1, weights.n)] if _reads(one.contract, "nc") else list(parts(weights.n, one.nr))


def call_rows(build: Builder, one: Implementation, weights: Grouped, params: Any, *, source: Pointer, m: int, k: int,
              a_stride: int, group_bytes: int, more: dict[str, tuple[Pointer, int]] | None = None,
              **constants: int) -> None:
    """A matrix product for every group: result [m, n] <- source [m, k] by weights [k, n].

    a_stride      bytes from one row of the source to the next
    group_bytes   bytes from one group's source to the next group's
    more          what else a call reads for its rows: where that of the first begins, bytes of a row; groups of m rows
    constants     what else all calls are given
    """
    block, begin, step = _block(build, params), int(np.asarray(source.offset)), build.output.stride
    for high in parts(m, one.mr):
        for wide in _spans(one, weights):
            group, _, row = tile_grid(weights.groups, 1, high)
            others = {name: Pointer(place.region, size * (group * m + row))
                      for name, (place, size) in (more or {}).items()}
            build.call(
                one, len(row), wide.tiles, f"{high.size} x {wide.size} results of depth {k}", mr=high.size, kc=k,
                a=Pointer(source.region, begin + group * group_bytes + row * a_stride), a_stride=a_stride,
                **_columns(build, one, weights, group, wide, row * step, step), **others, **constants, **block)


def sum_rows(build: Builder, one: Implementation, zero_point: int, *, groups: int, source: Pointer, m: int, k: int,
             a_stride: int, group_bytes: int) -> Pointer:
    """Sums of the rows of a product, times minus the zero point of the weights: int32 [groups, m] (A31)."""
    begin, sums = int(np.asarray(source.offset)), build.scratch("row sums", 4 * groups * m)
    for high in parts(m, one.mr):
        group, _, row = tile_grid(groups, 1, high)
        build.call(one, len(row), 1, f"sums of {high.size} rows, times -{zero_point}",
                   a=Pointer(source.region, begin + group * group_bytes + row * a_stride), m=high.size, k=k,
                   stride=a_stride, multiplier=-zero_point, sums=Pointer(sums.region, 4 * (group * m + row)))
    return sums


def _zero(build: Builder, one: Implementation, channels: int, value: int) -> Pointer:
    """The row of zero points, or of zeros, that taps outside the image read."""
    if not _reads(one.contract, "zero"):
        row, start = zero_buffer(channels, value)
        return Pointer(build.constant("zero", row).region, start)
    row = np.full(channels * _itemsize(build.inputs[0]), value & 0xFF, np.uint8)
    return build.constant("zero", row, before=one.reads_before)


def _image_bytes(build: Builder, taps: Taps) -> int:
    return taps.size[0] * taps.size[1] * build.inputs[0].stride


def call_gathered(build: Builder, one: Implementation, weights: Grouped, params: Any, *, taps: Taps, channels: int,
                  zero: int, more: dict[str, tuple[Pointer, int]] | None = None) -> None:
    """A convolution or deconvolution through pointers.

    taps       which pixel each tap reads
    channels   input channels of a group
    zero       the byte that taps outside the image read
    more       what else a call reads for its image: where that of the first begins, bytes of an image
    """
    x, batch, shared = build.inputs[0], build.inputs[0].shape[0], _reads(one.contract, "a_offset")
    row, step = _zero(build, one, channels, zero), build.output.stride
    repeat = {} if shared else {"groups": weights.groups, "group_channels": channels}
    table = tile_indirection(taps, 1 if shared else batch, mr=one.mr, pixel_stride=x.stride, **repeat)
    pointers = build.table("indirection", table, Pointer(x.name), row)
    block = _block(build, params)
    pixels, tile_bytes = taps.output[0] * taps.output[1], taps.count * one.mr * one.pointer_bytes
    # The images of a batch stand below each other, as the groups do.
    for high in parts(pixels, one.mr):
        for wide in _spans(one, weights):
            group, image, pixel = tile_grid(weights.groups, batch, high)
            first = 0 if shared else (group * batch + image) * -(-pixels // one.mr)
            offset = image * _image_bytes(build, taps) + group * channels * _itemsize(x)
            moved: dict[str, Any] = {"a_offset": offset, "zero": row} if shared else {}
            others = {name: Pointer(place.region, size * image) for name, (place, size) in (more or {}).items()}
            build.call(
                one, len(pixel), wide.tiles,
                f"{high.size} pixels x {wide.size} channels, {taps.count} taps of {channels}",
                mr=high.size, kc=channels, ks=taps.count,
                a=Pointer(pointers.region, (first + pixel // one.mr) * tile_bytes),
                **_columns(build, one, weights, group, wide, (image * pixels + pixel) * step, step),
                **moved, **others, **block)


def call_phase(build: Builder, one: Implementation, weights: Grouped, params: Any, *, taps: Taps, channels: int,
               zero: int, phase: tuple[int, int], stride: tuple[int, int], output: tuple[int, int]) -> None:
    """One phase of a deconvolution: the output pixels (phase + stride * i), a row of them at a time.

    taps     of this phase only: [rows of the phase, taps that reach it], columns likewise
    output   height and width of the whole result
    others   as call_gathered
    """
    x, out_stride = build.inputs[0], build.output.stride
    row_of_zeros, block = _zero(build, one, channels, zero), _block(build, params)
    rows, columns = taps.output
    # One table: every output row of the phase is an "image" of its own, a row high.
    name, tiles = f"indirection {phase[0]},{phase[1]}", -(-columns // one.mr)
    pixels = pixel_offsets(taps, 1, x.stride).reshape(rows, columns, taps.count)
    order = np.minimum(np.arange(tiles * one.mr), columns - 1).reshape(tiles, one.mr)
    entries = pixels[:, order].transpose(0, 1, 3, 2)[np.newaxis]
    pointers = build.table(name, IndirectionBuffer("tiles", entries, taps, x.stride), Pointer(x.name), row_of_zeros)
    tile_bytes, whole = taps.count * one.mr * one.pointer_bytes, TileSpan(0, 1, weights.n)
    for high in parts(columns, one.mr):
        group, line, column = tile_grid(weights.groups, x.shape[0] * rows, high)
        image, row = line // rows, line % rows
        place = (image * output[0] + phase[0] + row * stride[0]) * output[1] + phase[1] + column * stride[1]
        build.call(
            one, len(column), 1,
            f"{high.size} pixels x {weights.n} channels of phase {phase}, {taps.count} taps of {channels}",
            mr=high.size, kc=channels, ks=taps.count,
            a=Pointer(pointers.region, (row * tiles + column // one.mr) * tile_bytes),
            **_columns(build, one, weights, group, whole, place * out_stride, stride[1] * out_stride),
            a_offset=image * _image_bytes(build, taps) + group * channels, zero=row_of_zeros, **block)


def call_channelwise(build: Builder, one: Implementation, weights: Pointer, params: Any, *, taps: Taps, channels: int,
                     zero: int, step: int | None) -> None:
    """A depthwise convolution, one output row a call.

    step   columns of pointers from one output pixel to the next; None: taps come row after row, none is shared
    """
    x, out, shared = build.inputs[0], build.output, _reads(one.contract, "input_offset")
    batch, (height, width), size = x.shape[0], taps.output, _itemsize(out)
    row_of_zeros, images = _zero(build, one, channels, zero), 1 if shared else batch
    table = (window_indirection(taps, images, pixel_stride=x.stride) if step is None else
             row_indirection(taps, images, step=step, pixel_stride=x.stride))
    pointers = build.table("indirection", table, Pointer(x.name), row_of_zeros)
    line = np.arange(batch * height, dtype=np.int64)[:, np.newaxis]
    image, row = (line // height, line % height) if shared else (0, line)
    row_bytes = table.offsets[0, 0].size * one.pointer_bytes
    more: dict[str, Any] = {}
    if shared:
        more = {"input_offset": image * _image_bytes(build, taps), "zero": row_of_zeros}
    if _reads(one.contract, "buffer"):
        sums = -(-channels // 8) * 32
        more["buffer"] = Pointer(build.scratch("sums", len(line) * sums).region, line * sums)
    build.call(
        one, len(line), 1, f"an output row of {width} pixels, {taps.count} taps of {channels} channels",
        channels=channels, output_width=width, input=Pointer(pointers.region, row * row_bytes), w=weights,
        output=Pointer(build.result, line * width * out.stride),
        input_stride=(taps.count if step is None else step * taps.kernel[0]) * one.pointer_bytes,
        output_increment=out.stride - size * channels, **more, **_block(build, params))
