"""Winograd's convolution of 8-bit integers as kernel calls: the bytes of the direct way, with fewer multiplications.

    pixels, padded        Gather              [batch, rows, columns, in]            a zero point outside
    source, down          q*8_winograd_source [batch, tile rows, t, columns, in]    int16
    source, along         s16_winograd_source [t * t, tiles, in]                    stored where the product reads
    product               s16_gemm_s32        [t * t, tiles, out]                   int32; the bias at the point 1
    destination, down     s32_winograd_...    [n, t, tiles, out]                    without the factor's odd part
    destination, along    s32_winograd_...    [batch, rows, columns, out]           shifted: the sums of the direct way
    requantisation        qu8_requantize_*    bytes

The bias is added where the product is that of the interpolation point 1: there every number of A's row is the same, so
what is added comes out that number of times in every result.

Source: (E15, E17).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, KernelFileError
from neonsim.nn.backends import CopyRows, Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, KernelChoice, parts, tile_grid
from neonsim.nn.ops.lowering.winograd_tiling import Tiling, overflow, refusal, tile_of, transformed
from neonsim.nn.ops.windows import copy_framed
from neonsim.quant.rounding import ROUNDINGS
from neonsim.quant.winograd import balanced_transforms, shift_of
from neonsim.quant.winograd.bytecode import words_of
from neonsim.quant.winograd.straightline import StraightLineProgram, transform_program
from neonsim.ukernel import kernel
from neonsim.ukernel.packing import OUTSIDE, ConvShape
from neonsim.ukernel.packing.param_blocks import block_of

if TYPE_CHECKING:
    from neonsim.nn.ops.quantized.conv import Conv2d, Deconv2d
    from neonsim.nn.ops.quantized.weighted import WeightedOperator

__all__ = ["Phase", "Transforms", "choose_transform", "lower_deconvolution_winograd", "lower_winograd"]

Index = NDArray[np.int64]
_TASK = 1024    # sums of one call of requantisation


def choose_transform(build: Builder, contract: str, n: int, k: int, kind: str) -> Implementation:
    """The kernel of a transform: made by rule where kernels are texts, else the one that takes any program."""
    isa = getattr(build.backend, "isa", None)
    if isa is None:
        return build.choose(contract, kind, main=False)
    try:
        found = build.backend.find(contract, kernel(f"{contract}_{n}x{k}__{isa}_neon_generated"))
    except KernelFileError as problem:
        raise BackendError(str(problem)) from None
    build.choices.append(KernelChoice(contract, found[0].name, found[0].isa, kind))
    return found[0]


class Phase(NamedTuple):
    """Which pixels of the result a layer makes: first + step * i along each axis.

    name     str   in front of the names of regions
    output   height and width of the whole result; room: of the sums in memory, with the unused ones
    """

    name: str
    first: tuple[int, int]
    step: tuple[int, int]
    output: tuple[int, int]
    room: tuple[int, int]


class Transforms:
    """The calls that transform the pixels and the sums of one layer.

    depth, outputs   channels of the image, of the result
    sizes            bytes of a number of the image, of a transformed one
    contracts        of the source's first transform, of its second, of the destination's
    whole            programs of integers
    """

    sizes: tuple[int, int]
    contracts: tuple[str, str, str]
    whole: bool
    by_rows = False     # a destination along one axis takes whole rows in a call
    result = "sums"

    def __init__(self, build: Builder, tiling: Tiling, depth: int, outputs: int, phase: Phase) -> None:
        self.build, self.tiling, self.depth, self.outputs, self.phase = build, tiling, depth, outputs, phase

    def _kernel(self, contract: str, side: str, axis: int) -> tuple[Implementation, str, dict[str, Any]]:
        """The kernel of a transform, its name, the arguments that every call has."""
        n, k = self.tiling.n[axis], self.tiling.k[axis]
        found: StraightLineProgram = transform_program(side, n, k, integer=self.whole)
        words, name = words_of(found), f"F({n}, {k})"
        place = self.build.constant(f"{self.phase.name}{side} program {axis}", words.view(np.uint8).reshape(-1))
        one = choose_transform(self.build, contract, n, k, f"{side} transform of {name} "
                               f"{('down the columns', 'along the rows')[axis]}")
        return one, name, {"inputs": found.inputs, "outputs": len(found.outputs), "steps": len(words), "program": place}

    def source(self, image: Pointer, **more: Any) -> Pointer:
        """Transformed pixels [positions, tiles, in] of a padded image; more: what the first transform is given."""
        tiling, build, (size, made_size) = self.tiling, self.build, self.sizes
        (_, pw), (ty, tx), batch, c = tiling.padded, tiling.tiles, tiling.batch, self.depth * made_size
        made = build.scratch(self.phase.name + "transformed pixels", tiling.positions * tiling.count * c)
        lines, each, contract = image, tiling.t[0], self.contracts[0]
        if tiling.k[0] > 1:
            strip = np.arange(batch * ty, dtype=np.int64)[:, np.newaxis]
            one, name, words = self._kernel(contract, "source", 0)
            first = (strip // ty * tiling.padded[0] + strip % ty * tiling.n[0]) * pw * self.depth * size
            alone = tiling.k[1] == 1
            lines = made if alone else build.scratch(self.phase.name + "transformed down", batch * ty * each * pw * c)
            build.call(one, len(strip), 1, f"{name} down the columns of {pw} pixels", count=pw * self.depth,
                       x=Pointer(image.region, first), x_stride=pw * self.depth * size,
                       y=Pointer(lines.region, strip * (1 if alone else each) * pw * c),
                       y_stride=c * (tiling.count if alone else pw), **more, **words)
            if alone:
                return made
            size, contract, more = made_size, self.contracts[1], {}
        one, name, words = self._kernel(contract, "source", 1)
        line = np.arange(batch * ty * each, dtype=np.int64)[:, np.newaxis]
        column = np.arange(tx, dtype=np.int64)[np.newaxis, :]
        build.call(one, len(line), tx, f"{name} along a row of a tile", count=self.depth,
                   x=Pointer(lines.region, (line * pw + column * tiling.n[1]) * self.depth * size),
                   x_stride=self.depth * size,
                   y=Pointer(made.region, (line % each * tiling.t[1] * tiling.count + line // each * tx + column) * c),
                   y_stride=c * tiling.count, **more, **words)
        return made

    def destination(self, sums: Pointer, **shift: int) -> Pointer:
        """The sums of the direct way [batch, rows, columns, out]; shift: what the last transform is given."""
        tiling, build, outputs = self.tiling, self.build, 4 * self.outputs
        (ty, tx), (ny, nx), (_, t) = tiling.tiles, tiling.n, tiling.t
        (high, wide), (y0, x0), (sy, sx) = self.phase.room, self.phase.first, self.phase.step
        made, plane = build.scratch(self.result, tiling.batch * high * wide * outputs), tiling.count * outputs
        column = np.arange(tx, dtype=np.int64)[np.newaxis, :]
        if tiling.k[0] > 1:
            one, name, words = self._kernel(self.contracts[2], "destination", 0)
            if tiling.k[1] == 1:
                strip = np.arange(tiling.batch * ty, dtype=np.int64)[:, np.newaxis]
                column, each = (column[:, :1], wide) if self.by_rows else (column, 1)
                first = (strip // ty * high + strip % ty * ny * sy + y0) * wide + column * sx + x0
                build.call(one, len(strip), column.size, f"{name} down the columns", count=each * self.outputs,
                           x=Pointer(sums.region, (strip * tx + column) * outputs), x_stride=plane,
                           y=Pointer(made.region, first * outputs), y_stride=sy * wide * outputs, **shift, **words)
                return made
            target = build.scratch(self.phase.name + "sums, transformed down", ny * t * plane)
            number = np.arange(t, dtype=np.int64)[:, np.newaxis] * plane
            build.call(one, t, 1, f"{name} down the columns of all tiles", count=plane // 4,
                       x=Pointer(sums.region, number), x_stride=t * plane, y=Pointer(target.region, number),
                       y_stride=t * plane, **dict.fromkeys(shift, 0), **words)
            sums = target
        one, name, words = self._kernel(self.contracts[2], "destination", 1)
        line = np.arange(tiling.batch * ty * ny, dtype=np.int64)[:, np.newaxis]     # of the result
        strip, row = line // ny, line % ny
        build.call(one, len(line), tx, f"{name} along a row of a tile", count=self.outputs,
                   x=Pointer(sums.region, row * t * plane + (strip * tx + column) * outputs), x_stride=plane,
                   y=Pointer(made.region, ((line // (ty * ny) * high + line % (ty * ny) * sy + y0) * wide
                                           + column * nx * sx + x0) * outputs),
                   y_stride=sx * outputs, **shift, **words)
        return made


class _Lowering(Transforms):
    """The calls of one layer. Regions are named after what lies in them."""

    sizes, whole = (1, 2), True

    def __init__(self, layer: Conv2d, build: Builder, shape: ConvShape, n: int, phase: Phase | None = None) -> None:
        self.layer, self.shape, self.isa = layer, shape, getattr(build.backend, "isa", None)
        kind = "qs8" if layer.schemes[0].dtype == "int8" else "qu8"
        self.contracts = f"{kind}_winograd_source", "s16_winograd_source", "s32_winograd_destination"
        super().__init__(build, Tiling.from_shape(shape, n, build.inputs[0].shape[0]), layer.depth, layer.outputs,
                         phase or Phase("", (0, 0), (1, 1), shape.output, Tiling.from_shape(shape, n, 1).results))

    def sums(self) -> Pointer:
        """Those of the direct way."""
        zero = self.layer.schemes[0].zero_point
        image = copy_framed(self.build, self.phase.name + "padded", self.tiling.padded, self.shape,
                            pixel_bytes=self.depth, outside=zero & 0xFF,
                            description="the image with what its tiles reach beyond it")
        return self.destination(self.product(self.source(image, zero_point=zero)),
                                shift=sum(map(shift_of, self.tiling.n, self.tiling.k)))

    # ---- product
    def product(self, pixels: Pointer) -> Pointer:
        """Sums [positions, tiles, out], int32."""
        tiling, build, layer = self.tiling, self.build, self.layer
        one = build.choose("s16_gemm_s32", f"{tiling.positions} products of int16, one a number of a tile", main=False,
                           isa=self.isa)
        c, outputs, blocks = layer.depth, layer.outputs, -(-layer.outputs // 8)
        weights = transformed(layer.w.values.astype(np.int64) - layer.w.zero_point, tiling)
        packed = np.zeros((tiling.positions, blocks * 8, c), np.int16)
        packed[:, :outputs] = weights.reshape(outputs, -1, c).transpose(1, 0, 2)
        packed = np.ascontiguousarray(packed.reshape(-1, blocks, 8, c).transpose(0, 1, 3, 2))
        w = build.constant(self.phase.name + "weights", packed.reshape(-1).view(np.uint8))
        bias = np.zeros((tiling.positions, blocks * 8), np.int32)
        point, times = self.point_one()
        bias[point, :outputs] = (layer.bias.astype(np.int64) * times).astype(np.int32)
        where = build.constant(self.phase.name + "bias", bias.reshape(-1).view(np.uint8))
        sums = build.scratch(self.phase.name + "sums of products", 4 * tiling.positions * tiling.count * outputs)
        for high in parts(tiling.count, one.mr):
            p, _, row = tile_grid(tiling.positions, 1, high)
            at = p * tiling.count + row
            for wide in parts(outputs, 8):
                column = wide.columns
                build.call(one, len(p), wide.tiles, f"{high.size} tiles x {wide.size} channels of depth {c}",
                           mr=high.size, nr=wide.size, kc=c, a=Pointer(pixels.region, at * c * 2), a_stride=2 * c,
                           w=Pointer(w.region, (p * blocks + column // 8) * c * 16),
                           bias=Pointer(where.region, (p * blocks + column // 8) * 32),
                           c=Pointer(sums.region, (at * outputs + column) * 4), c_stride=4 * outputs)
        return sums

    def point_one(self) -> tuple[int, int]:
        """Which number of a tile comes into every result alike, and how often the bias has to be in it."""
        found, times = [], 1
        for n, k in zip(self.tiling.n, self.tiling.k, strict=True):
            rows, _, _, factor = balanced_transforms(n, k)
            found.append(next(i for i, row in enumerate(rows) if row[0] != 0 and len(set(row)) == 1))
            times *= factor // rows[found[-1]][0]
        return found[0] * self.tiling.t[1] + found[1], times

    # ---- bytes
    def requantized(self, sums: Pointer) -> None:
        """Sums of the wanted pixels to bytes, all channels by one scale or each by its own."""
        build, layer, (oh, ow) = self.build, self.layer, self.phase.output
        contract, blocks = _requantizers(layer)
        one = build.choose(contract, "sums in memory to bytes", main=False, isa=self.isa)
        high, wide = self.phase.room
        pixel = ((np.arange(self.tiling.batch, dtype=np.int64)[:, np.newaxis, np.newaxis] * high
                  + np.arange(oh, dtype=np.int64)[:, np.newaxis]) * wide + np.arange(ow, dtype=np.int64)).reshape(-1)
        many = len(blocks)
        each = layer.outputs // many            # channels that share a scale, next to each other
        length = -(-len(pixel) * each // 16) * 16
        offsets = np.full((many, length // each + 1 if each > 1 else length), OUTSIDE, np.int64)
        offsets[:, :len(pixel)] = pixel * layer.outputs * 4 + 4 * each * np.arange(many)[:, np.newaxis]
        ordered = build.scratch("ordered sums", offsets.size * each * 4)
        build.gather(CopyRows(sums, ordered, offsets.reshape(-1), each * 4, 0, "sums with one scale side by side"))
        values = np.frombuffer(b"".join(block_of(one) for one in blocks), np.uint8)
        params = build.constant("params", values)
        made = build.scratch("bytes", many * length)
        scale = np.arange(many, dtype=np.int64)
        for part in parts(length, _TASK):
            start = part.columns
            build.call(one, many, part.tiles, f"{part.size} sums to bytes", n=part.size,
                       x=Pointer(ordered.region, (scale[:, np.newaxis] * offsets.shape[1] * each + start) * 4),
                       y=Pointer(made.region, scale[:, np.newaxis] * length + start),
                       params=Pointer(params.region, scale[:, np.newaxis] * (values.size // many)))
        self.placed(made, (scale * length + np.arange(len(pixel), dtype=np.int64)[:, np.newaxis] * each).reshape(-1),
                    each)

    def placed(self, made: Pointer, offsets: Index, each: int) -> None:
        """Bytes to where the result has them: as they are, or through a table that flips signs of int8."""
        build, out = self.build, self.build.output
        signed = self.layer.out.dtype == "int8"
        if not signed and out.stride == out.channels:
            build.gather(CopyRows(made, Pointer(build.result), offsets, each, 0, "bytes of a pixel side by side"))
            return
        pixels = build.scratch("pixels", out.pixels * out.channels)
        build.gather(CopyRows(made, pixels, offsets, each, 0, "bytes of a pixel side by side"))
        table = build.constant("table", (np.arange(256) ^ (0x80 if signed else 0)).astype(np.uint8))
        one = build.choose("x8_lut", "signs of int8 flipped on the way to the result" if signed else
                           "pixels put apart", main=False, isa=self.isa)
        pixel = np.arange(out.pixels, dtype=np.int64)[:, np.newaxis]
        build.call(one, out.pixels, 1, f"a pixel of {out.channels} bytes", n=out.channels,
                   x=Pointer(pixels.region, pixel * out.channels), t=table, y=Pointer(build.result, pixel * out.stride))


def _requantizers(layer: WeightedOperator) -> tuple[str, list[Any]]:
    """The contract of requantisation, and the block of every scale; int8 as bytes, 128 more.

    Raises BackendError for a requantisation that has no such kernel.
    """
    moved = 128 if layer.out.dtype == "int8" else 0
    common = {"output_zero_point": layer.out.zero_point + moved, "output_min": layer.output_min + moved,
              "output_max": layer.output_max + moved}
    made = layer.finish.vector_blocks(layer, common)
    if made is None:
        raise BackendError(f"there is no kernel that requantises sums by {layer.requantization!r}: Winograd's "
                           f"convolution takes {', '.join(dict.fromkeys(row.word for row in ROUNDINGS.values()))}.")
    return f"qu8_requantize_{layer.finish.word}", made


def lower_winograd(layer: Conv2d, build: Builder, shape: ConvShape, lowering: str) -> None:
    """A convolution of 8-bit integers by F(n, k): its bytes are those of the direct way.

    lowering   `winograd-fNK`

    Raises BackendError, saying why, for layers that it does not suit and numbers that would not fit their types.
    """
    if build.kernel is not None:
        raise BackendError(f"{lowering} has a fixed kernel for each part. Omit kernel.")
    n = tile_of(lowering, layer.window)
    why = refusal(layer, shape, n)
    if why:
        raise BackendError(f"{lowering} cannot compute this {layer.kind}: {why}.")
    work = _Lowering(layer, build, shape, n)
    work.requantized(work.sums())


# ---- deconvolutions --------------------------------------------------------------------------------------------------

def _taps(size: int, window: int, stride: int, before: int, phase: int) -> tuple[NDArray[np.int64], int, int]:
    """Of the results phase, phase + stride ... along one axis: their taps in the order of the input, the padding in
    front of it, how many results there are."""
    last = (phase + before) % stride
    taps = np.arange(last, window, stride, dtype=np.int64)[::-1]
    return taps, len(taps) - 1 - (phase + before - last) // stride, -(-(size - phase) // stride)


def lower_deconvolution_winograd(layer: Deconv2d, build: Builder, shape: ConvShape, lowering: str) -> None:
    """A deconvolution of 8-bit integers: every phase of the result is a convolution with stride 1 by some of the taps,
    and each of those goes through F(n, its taps) (E18).

    Raises BackendError, saying why, for layers that it does not suit and numbers that would not fit their types.
    """
    if build.kernel is not None:
        raise BackendError(f"{lowering} has kernels of its own for each part: leave kernel out.")
    n = tile_of(lowering, layer.window)
    why = "" if layer.groups == 1 else f"{layer.groups} groups: each would be a product of its own"
    if shape.dilation != (1, 1):
        why = f"its windows are dense; this one has a dilation of {shape.dilation[0]}x{shape.dilation[1]}"
    if any(step > taps for step, taps in zip(shape.stride, layer.window, strict=True)):
        why = "its stride is larger than the window: some results have no tap"
    if why:
        raise BackendError(f"{lowering} cannot compute this {layer.kind}: {why}.")
    works = []
    for y in range(min(shape.stride[0], shape.output[0])):
        for x in range(min(shape.stride[1], shape.output[1])):
            rows, top, high = _taps(shape.output[0], layer.window[0], shape.stride[0], shape.padding[0][0], y)
            columns, left, wide = _taps(shape.output[1], layer.window[1], shape.stride[1], shape.padding[1][0], x)
            part = ConvShape((len(rows), len(columns)), (1, 1), (1, 1), ((top, 0), (left, 0)), shape.input,
                             (high, wide))
            one = layer.phase(rows, columns)
            if why := overflow(one, Tiling.from_shape(part, n, 1)):
                raise BackendError(f"{lowering} cannot compute phase {y}, {x} of this {layer.kind}: {why}.")
            works.append((one, part, (y, x)))
    room = [max(Tiling.from_shape(part, n, 1).results[axis] for _, part,
                _ in works) * shape.stride[axis] for axis in (0, 1)]
    for one, part, first in works:
        phase = Phase(f"phase {first[0]}, {first[1]}: ", first, shape.stride, shape.output, (room[0], room[1]))
        work = _Lowering(one, build, part, n, phase)
        sums = work.sums()
    work.requantized(sums)
