"""Winograd's convolution of 8-bit integers: how an image is cut, what it costs, and what it cannot take.

A window of one row or one column is transformed along its other axis alone. Numbers are whole and exact: where any
could leave its type the algorithm is refused, with the bits it would need (F18); modulo 2**32 sums may on their way.

What is called in which order: `neonsim.nn.ops.lowering.winograd`.

Source: (E04, E13, F18).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.rounding import limits
from neonsim.quant.winograd import balanced_transforms, growth, shift_of
from neonsim.quant.winograd.straightline import transform_program
from neonsim.ukernel.packing import ConvShape

if TYPE_CHECKING:
    from neonsim.nn.ops.quantized.conv import Conv2d

__all__ = ["Tiling", "WinogradCandidate", "candidate", "is_winograd", "largest_sum", "overflow", "refusal",
           "sums_overflow", "tile_of", "transformed"]

_NAME = re.compile(r"winograd-f([1-9])([1-9])")


def is_winograd(lowering: str | None) -> bool:
    """Whether a lowering is meant to be one of Winograd's."""
    return lowering is not None and lowering.startswith("winograd")


def tile_of(lowering: str, window: tuple[int, int]) -> int:
    """n of a lowering `winograd-fNK`: results along every axis on which the window has more than one tap.

    Raises BadArgument for another name and a K that is not the window's longer side.

    >>> tile_of("winograd-f23", (3, 3)), tile_of("winograd-f27", (1, 7))
    (2, 2)
    """
    match = _NAME.fullmatch(lowering)
    if match is None:
        raise BadArgument(f"Winograd's lowerings must be called winograd-fNK, N results of K taps, as winograd-f23; "
                          f"got {lowering!r}.")
    if int(match[2]) != max(window):
        raise BadArgument(f"{lowering} is for windows of {match[2]} taps; this one is {window[0]}x{window[1]}: use "
                          f"winograd-f{match[1]}{max(window)}.")
    return int(match[1])


@dataclass(frozen=True)
class Tiling:
    """How an image is cut into tiles; pairs are (height, width).

    n, k, t   results, taps, numbers of a tile along each axis
    tiles     how many along each axis
    batch     images
    """

    n: tuple[int, int]
    k: tuple[int, int]
    t: tuple[int, int]
    tiles: tuple[int, int]
    batch: int

    @classmethod
    def from_shape(cls, shape: ConvShape, n: int, batch: int) -> Tiling:
        """For n results along every axis with more than one tap."""
        each = (n if shape.kernel[0] > 1 else 1, n if shape.kernel[1] > 1 else 1)
        return cls(each, shape.kernel, (each[0] + shape.kernel[0] - 1, each[1] + shape.kernel[1] - 1),
                   (-(-shape.output[0] // each[0]), -(-shape.output[1] // each[1])), batch)

    @property
    def count(self) -> int:
        """Tiles of all images."""
        return self.batch * self.tiles[0] * self.tiles[1]

    @property
    def padded(self) -> tuple[int, int]:
        """Rows and columns that the tiles of an image read."""
        return self.tiles[0] * self.n[0] + self.k[0] - 1, self.tiles[1] * self.n[1] + self.k[1] - 1

    @property
    def results(self) -> tuple[int, int]:
        """Rows and columns that they give, some more than wanted."""
        return self.tiles[0] * self.n[0], self.tiles[1] * self.n[1]

    @property
    def positions(self) -> int:
        """Numbers of a tile, which is also the number of products."""
        return prod(self.t)


class WinogradCandidate(NamedTuple):
    """What Winograd's algorithm would be for a layer, to choose algorithms.

    name              str     as the keyword lowering= takes it
    multiplications   int     of the product
    direct            int     of the direct way
    additions         int     of both transforms, with their multiplications by constants
    scratch           int     bytes of all intermediate tensors
    refusal           str     why it cannot be taken; "" if it can
    """

    name: str
    multiplications: int
    direct: int
    additions: int
    scratch: int
    refusal: str


def candidate(layer: Conv2d, x: tuple[int, ...], n: int) -> WinogradCandidate:
    """The record of F(n, k) for a layer of 8-bit integers and an input [batch, height, width, channels]."""
    shape = layer.shape(x)
    n = as_int(n, "n", 1, 9)
    tiling = Tiling.from_shape(shape, n, x[0])
    steps = 0
    for side, channels in (("source", layer.depth), ("destination", layer.outputs)):
        for axis in (0, 1):
            if tiling.k[axis] > 1:
                program = transform_program(side, tiling.n[axis], tiling.k[axis], integer=True)
                other = tiling.t[1 - axis] if (axis == 0) else tiling.t[0] if side == "source" else tiling.n[0]
                steps += len(program.steps) * other * channels * tiling.count
    direct = prod(shape.output) * x[0] * prod(layer.window) * layer.depth * layer.outputs
    return WinogradCandidate(f"winograd-f{n}{max(layer.window)}",
                             tiling.positions * tiling.count * layer.depth * layer.outputs, direct, steps,
                             _scratch(tiling, layer), refusal(layer, shape, n))


def _scratch(tiling: Tiling, layer: Conv2d) -> int:
    ph, pw = tiling.padded
    down = 2 * tiling.batch * tiling.tiles[0] * tiling.t[0] * pw * layer.depth
    numbers = tiling.positions * tiling.count
    sums = 4 * tiling.batch * prod(tiling.results) * layer.outputs
    return (tiling.batch * ph * pw * layer.depth + down * all(k > 1 for k in tiling.k) + 2 * numbers * layer.depth
            + 4 * numbers * layer.outputs + 4 * tiling.n[0] * tiling.t[1] * tiling.count * layer.outputs + 2 * sums)


# ---- what it takes ---------------------------------------------------------------------------------------------------

def refusal(layer: Conv2d, shape: ConvShape, n: int) -> str:
    """Why a layer cannot be computed so; "" if it can, in every bit."""
    if max(layer.window) == 1:
        return "a window of one tap has nothing to save"
    if layer.groups > 1:
        return f"{layer.groups} groups: each would be a product of its own, {layer.depth} deep; take the direct way"
    if shape.stride != (1, 1):
        return f"its tiles overlap for a stride of 1; this one is {shape.stride[0]}x{shape.stride[1]}"
    if shape.dilation != (1, 1):
        return f"its windows are dense; this one has a dilation of {shape.dilation[0]}x{shape.dilation[1]}"
    tiling = Tiling.from_shape(shape, n, 1)
    if max(tiling.t) > 9:
        return f"tiles of {max(tiling.t)} numbers need more bits than int16 has"
    return overflow(layer, tiling)


def overflow(layer: Conv2d, tiling: Tiling) -> str:
    """Which number could leave its type, of the actual weights and any data."""
    zero, (low, high) = layer.schemes[0].zero_point, limits(layer.schemes[0].dtype)
    data = max(zero - low, high - zero)
    sizes = [balanced_transforms(n, k) for n, k in zip(tiling.n, tiling.k, strict=True)]
    column = [np.abs(np.array(b, object)).sum(axis=0) for _, b, _, _ in sizes]
    source = data * int(max(column[0])) * int(max(column[1]))
    made = transformed(layer.w.values.astype(np.int64) - layer.w.zero_point, tiling)
    weights = int(abs(made).max())
    for what, value in (("source", source), ("weights", weights)):
        if value > 32767:
            worst = growth(max(tiling.n), max(tiling.k), data=data) if max(tiling.k) > 1 else None
            any_of = "weights" if what == "weights" else "data"
            said = f" (any {any_of}: {worst.bits()[what]})" if worst is not None and min(tiling.k) > 1 else ""
            return (f"its transformed {what} {'need' if what == 'weights' else 'needs'} {value.bit_length() + 1} bits"
                    f"{said}; int16 has 16")
    return sums_overflow(largest_sum(layer), sum(map(shift_of, tiling.n, tiling.k)))


def largest_sum(layer: Conv2d) -> int:
    """No sum is further from 0, whatever the data: of its weights' sizes, the data's largest, and the bias."""
    zero, (low, high) = layer.schemes[0].zero_point, limits(layer.schemes[0].dtype)
    taps = np.abs(layer.w.values.astype(np.int64) - layer.w.zero_point).sum(axis=(1, 2, 3))
    return int((taps * max(zero - low, high - zero) + np.abs(layer.bias.astype(np.int64))).max())


def sums_overflow(largest: int, shift: int) -> str:
    """Why sums that are shifted last do not fit; "" if they do: modulo 2**32 what is larger on the way comes back."""
    bits = largest.bit_length() + 1 + shift
    return f"its sums need {bits} bits before they are divided; there are 32" if bits > 32 else ""


def _apply(values: NDArray[np.int64], matrix: Any, axis: int) -> NDArray[np.int64]:
    """A matrix applied along one axis."""
    return np.moveaxis(np.tensordot(np.array(matrix, np.int64), values, (1, axis)), 0, axis)


def transformed(weights: NDArray[np.int64], tiling: Tiling) -> NDArray[np.int64]:
    """[out, kh, kw, in] -> G w G^T, [out, t, t, in]."""
    for axis in (0, 1):
        weights = _apply(weights, balanced_transforms(tiling.n[axis], tiling.k[axis])[2], 1 + axis)
    return weights
