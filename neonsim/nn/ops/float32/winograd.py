"""Winograd's convolution of float32: an operator of its own, since its bits are not those of the direct way.

Its definition, operation by operation:

    pixels        the image with zeros around it, in tiles of t = n + k - 1 that overlap
    source        the program of B^T down the columns, then along the rows; every operation rounded by itself
    weights       G w G^T in float64, down then along, each sum from its first term on; rounded once to float32
    products      one a number of a tile: chains of fused multiply-adds over the channels, from the bias on where the
                  interpolation point is 1 along both axes, from 0 elsewhere
    destination   the program of A^T down the columns, then along the rows; then the limits

A has a row of ones at the point 1, so that the bias comes once into every result. An axis with one tap is not
transformed. Points are half steps apart from six numbers on, whole steps below (E16, Z15).

Compared with sums in float64 an error is below `error_bound`: what rounding can add up to at worst.

Source: (E13, E15, E16, E17); N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3, for the bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.float32.operators import Float32Conv2d, Shape
from neonsim.nn.ops.job_builder import Builder, parts, tile_grid
from neonsim.nn.ops.lowering.gemm_calls import concatenated
from neonsim.nn.ops.lowering.gemm_conv import kernel_for
from neonsim.nn.ops.lowering.winograd import Phase, Transforms
from neonsim.nn.ops.lowering.winograd_tiling import Tiling
from neonsim.nn.ops.windows import copy_framed
from neonsim.quant import float32
from neonsim.quant.params.float32 import FloatParams
from neonsim.quant.winograd import transforms
from neonsim.quant.winograd.bytecode import evaluate, words_of
from neonsim.quant.winograd.straightline import best_step, transform_program
from neonsim.ukernel.kernelgen.winograd_c import TILES, unit_point
from neonsim.ukernel.packing import pack_f32
from neonsim.ukernel.packing.im2col import Padding
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["Float32WinogradConv2d", "transformed_weights"]

Reals = NDArray[np.float32]
_WORD = 4


def transformed_weights(w: Reals, n: tuple[int, int]) -> Reals:
    """[out, kh, kw, in] -> G w G^T, [t * t, out, in]: in float64, rounded once."""
    values = w.astype(np.float64)
    for axis in (0, 1):
        k = w.shape[1 + axis]
        _, _, g = transforms(n[axis], k, best_step(n[axis], k))
        rows = []
        for row in g:
            total = float(row[0]) * np.take(values, 0, 1 + axis)
            for tap in range(1, k):
                total = total + float(row[tap]) * np.take(values, tap, 1 + axis)
            rows.append(total)
        values = np.stack(rows, 1 + axis)
    return np.ascontiguousarray(values.transpose(1, 2, 0, 3).reshape(-1, len(w), w.shape[3]), np.float32)


class Float32WinogradConv2d(Float32Conv2d):
    """A convolution of float32 by F(n, k), the taps k of each axis.

    w         [out, kh, kw, in]
    n         results of a tile along every axis with more than one tap, 2 to 8
    others    as Float32Conv2d: bias, padding, low, high

    Raises BadArgument for windows of one tap and tiles of more than 16 numbers.

    >>> box = Float32WinogradConv2d(np.ones((1, 3, 3, 1)), n=2, padding=1)
    >>> box(np.ones((1, 2, 2, 1), np.float32)).tolist()
    [[[[4.0], [4.0]], [[4.0], [4.0]]]]
    """

    kind = "convolution by Winograd's algorithm"

    def __init__(self, w: ArrayLike, bias: ArrayLike | None = None, *, n: int = 4, padding: Padding = 0,
                 low: float = -np.inf, high: float = np.inf) -> None:
        super().__init__(w, bias, padding=padding, low=low, high=high)
        self.n = as_int(n, "n", 2, 8)
        if max(self.window) == 1:
            raise BadArgument("Winograd's algorithm saves nothing for a window of one tap. Use Float32Conv2d.")
        if self.n + max(self.window) - 1 > 16:
            raise BadArgument(f"F({self.n}, {max(self.window)}) takes tiles of {self.n + max(self.window) - 1} "
                              f"numbers; the limit is 16.")
        self.per_axis = (self.n if self.window[0] > 1 else 1, self.n if self.window[1] > 1 else 1)
        self.transformed = transformed_weights(self.w, self.per_axis)

    def tiling(self, x: Shape) -> Tiling:
        """How an image is cut."""
        return Tiling.from_shape(self.shape(x), self.n, x[0])

    @property
    def ones(self) -> int:
        """The number of a tile that the bias is added to."""
        rows = [unit_point(n, k) for n, k in zip(self.per_axis, self.window, strict=True)]
        return int(rows[0] * (self.per_axis[1] + self.window[1] - 1) + rows[1])

    def _words(self, side: str, axis: int) -> NDArray[np.int32]:
        return words_of(transform_program(side, self.per_axis[axis], self.window[axis]))

    def biases(self) -> Reals:
        """Where the chains of every number of a tile begin, [t * t, out]."""
        found = np.zeros(self.transformed.shape[:2], np.float32)
        found[self.ones] = self.bias
        return found

    def before_limits(self, *values: Reals) -> Reals:
        """By the definition above."""
        x, tiling, shape = values[0], self.tiling(values[0].shape), self.shape(values[0].shape)
        (top, _), (left, _) = shape.padding
        rows, columns = tiling.padded
        padded = np.zeros((x.shape[0], rows, columns, x.shape[3]), np.float32)
        seen = x[:, :rows - top, :columns - left]
        padded[:, top:top + seen.shape[1], left:left + seen.shape[2]] = seen
        (ty, tx), (ny, nx), (th, tw) = tiling.tiles, tiling.n, tiling.t
        # [t, batch, ty, columns, in], then [t, t, batch, ty, tx, in]
        down = np.stack([padded[:, i:i + ny * (ty - 1) + 1:ny] for i in range(th)])
        if tiling.k[0] > 1:
            down = evaluate(self._words("source", 0), down, th)
        along = np.stack([down[:, :, :, j:j + nx * (tx - 1) + 1:nx] for j in range(tw)])
        if tiling.k[1] > 1:
            along = evaluate(self._words("source", 1), along, tw)
        numbers = along.transpose(1, 0, 2, 3, 4, 5).reshape(th * tw, tiling.count, x.shape[3])
        sums = np.stack([float32.product(v, u, b) for v, u, b in
                         zip(numbers, self.transformed, self.biases(), strict=True)])
        made = sums.reshape(th, tw, x.shape[0], ty, tx, self.outputs)
        if tiling.k[0] > 1:
            made = evaluate(self._words("destination", 0), made, ny)
        made = made.swapaxes(0, 1)
        if tiling.k[1] > 1:
            made = evaluate(self._words("destination", 1), made, nx)
        # [nx, ny, batch, ty, tx, out]
        whole = made.transpose(2, 3, 1, 4, 0, 5).reshape(x.shape[0], ty * ny, tx * nx, self.outputs)
        return np.ascontiguousarray(whole[:, :shape.output[0], :shape.output[1]])

    def error_bound(self, x: Reals) -> NDArray[np.float64]:
        """How far any result can be from the sum in float64, before limits: [batch, oh, ow, out].

        Every result is a sum of products of |A|, |G|, |B| with what they multiply; each passes at most n
        roundings, of 2**-24 of its size each.
        """
        tiling, u = self.tiling(x.shape), 2.0**-24
        roundings = self.depth + 2
        matrices = []
        for axis in (0, 1):
            a, b, g = transforms(tiling.n[axis], tiling.k[axis], best_step(tiling.n[axis], tiling.k[axis]))
            matrices.append([np.abs(np.array(one, dtype=np.float64)) for one in (a, b, g)])
            for side in ("source", "destination"):
                if tiling.k[axis] > 1:
                    roundings += transform_program(side, tiling.n[axis], tiling.k[axis]).depth
        large = np.abs(x.astype(np.float64)).max()
        weights = np.abs(self.w.astype(np.float64)).transpose(0, 3, 1, 2).sum(axis=1)     # [out, kh, kw]
        (ay, by, gy), (ax, bx, gx) = matrices
        # Factored sums cancel nothing here: of absolute values they are at most the products of row sums.
        inner = np.einsum("ik,okl,jl->oij", gy, weights, gx) * np.outer(by.sum(axis=0), bx.sum(axis=0)) * large
        size = np.einsum("in,oij,jm->onm", ay, inner, ax).max(axis=(1, 2)) + np.abs(self.bias.astype(np.float64))
        growth = roundings * u / (1 - roundings * u)
        return np.broadcast_to(growth * size, self.output_shape(x.shape)).copy()

    # ---- kernels
    def lower(self, build: Builder, lowering: str | None = None, **options: Any) -> None:
        """Transforms made by rule, products of float32, limits."""
        if lowering is not None or build.kernel is not None:
            raise BackendError(f"{self.kind} has a fixed lowering and kernel. Omit lowering and kernel.")
        _Lowering(self, build).all()

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """A layer of tiles."""
        if not all(k == 1 or self.n in TILES.get(k, ()) for k in self.window):
            there = ", ".join(f"F({sizes[0]}, {k}) to F({sizes[-1]}, {k})" for k, sizes in TILES.items())
            raise BackendError(f"networks have {there}; this is F({self.n}, {max(self.window)}) for "
                               f"{self.window[0]}x{self.window[1]}")
        made = super().network_layer(*shapes)
        return NativeLayer(made.kind, {**made.fields, "weights": self.transformed,
                                       "algorithm": self.n - 1})

    def macs(self, *shapes: Shape) -> int:
        """Of its products: fewer than the direct way's."""
        tiling = self.tiling(shapes[0])
        return int(tiling.positions * tiling.count * self.depth * self.outputs)

    def direct_macs(self, *shapes: Shape) -> int:
        """Of the direct way."""
        return super().macs(*shapes)

    def details(self) -> list[str]:
        return [f"F({self.per_axis[0]}x{self.per_axis[1]}, {self.window[0]}x{self.window[1]}), {len(self.transformed)} "
                "products a tile and channel"]


class _Lowering(Transforms):
    sizes, whole, by_rows, result = (_WORD, _WORD), False, True, "results"
    contracts = "f32_winograd_source", "f32_winograd_source", "f32_winograd_destination"

    def __init__(self, layer: Float32WinogradConv2d, build: Builder) -> None:
        x = build.inputs[0].shape
        self.layer, self.shape, tiling = layer, layer.shape(x), layer.tiling(x)
        super().__init__(build, tiling, layer.depth, layer.outputs,
                         Phase("", (0, 0), (1, 1), self.shape.output, tiling.results))

    def all(self) -> None:
        image = copy_framed(self.build, "padded", self.tiling.padded, self.shape, pixel_bytes=self.depth * _WORD,
                            outside=0, description="the image with zeros around it")
        self._limits(self.destination(self._product(self.source(image))))

    def _product(self, pixels: Pointer) -> Pointer:
        tiling, build, layer = self.tiling, self.build, self.layer
        one = kernel_for(build, "f32_gemm", f"{tiling.positions} products, one a number of a tile", rows=tiling.count)
        outputs, c = layer.outputs * _WORD, layer.depth * _WORD
        sums = build.scratch("sums of products", tiling.positions * tiling.count * outputs)
        packed = concatenated(build, [pack_f32(w, b, nr=one.nr) for w, b in
                                      zip(layer.transformed, layer.biases(), strict=True)])
        params = build.constant("no limits", block_of(FloatParams(-math.inf, math.inf)))
        for high in parts(tiling.count, one.mr):
            position, _, row = tile_grid(tiling.positions, 1, high)
            at = position * tiling.count + row
            build.call(one, len(row), 1, f"{high.size} tiles x {layer.outputs} channels of depth {layer.depth}",
                       mr=high.size, nc=layer.outputs, kc=layer.depth, a=Pointer(pixels.region, at * c), a_stride=c,
                       w=Pointer(packed.place.region, position * packed.group_bytes),
                       c=Pointer(sums.region, at * outputs),
                       cm_stride=outputs, cn_stride=one.nr * _WORD, params=params)
        return sums

    def _limits(self, made: Pointer) -> None:
        """Wanted pixels into the result, cut off."""
        build, (oh, ow) = self.build, self.shape.output
        high, wide = self.tiling.results
        one = kernel_for(build, "f32_clamp", "limits, on the way to the result")
        pixel = np.arange(build.output.pixels, dtype=np.int64)[:, np.newaxis]
        image, y, x = pixel // (oh * ow), pixel // ow % oh, pixel % ow
        build.call(one, len(pixel), 1, "a pixel within limits", n=self.layer.outputs,
                   x=Pointer(made.region, ((image * high + y) * wide + x) * build.output.channels),
                   y=Pointer(build.result, pixel * build.output.stride),
                   params=build.constant("limits", block_of(self.layer.limits)))
