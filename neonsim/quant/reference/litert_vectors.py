"""What LiteRT's optimised kernels compute in vectors of eight elements, and otherwise in plain C: where the two differ.

    quantize     whole eights   q = rint(x * (1 / scale)), both in single precision, ties to even
                 the rest       q = x / scale in double precision, ties away from zero
    dequantize   whole eights   q * scale + (-zero_point * scale), both products and the sum in single precision
                 the rest       (q - zero_point) * scale
    Narrowing    whole vectors  sums and products of two are cut to 16 bits, then again with their zero point
                 the rest       32 bits

Eights are counted from a tensor's first element, vectors of `Narrowing` from that of a row that is computed at once.
On x86 its NEON intrinsics are SSE by NEON_2_SSE: the same numbers.

Source: (Y21, Y22).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.fixedpoint import Int64
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["MAX_STEPS", "Narrowing", "dequantize", "narrowing_of", "quantize", "rows_of"]

MAX_STEPS = 2.0**30    # of floats: integers of 32 bits have a place for these, whatever the zero point


def _in_eights(size: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which elements lie in whole eights."""
    return (np.arange(size) < size // 8 * 8).reshape(shape)


def quantize(x: NDArray[np.float32], out: Scheme) -> NDArray[Any]:
    """float32 [...] of less than 2**30 steps -> integers of a scheme [...].

    >>> quantize(np.array([0.5] * 9, np.float32), Scheme(1.0, 10)).tolist()
    [10, 10, 10, 10, 10, 10, 10, 10, 11]
    """
    scale, (low, high) = np.float32(out.scale), limits(out.dtype)
    with np.errstate(over="ignore", under="ignore"):
        product = np.rint(x * (np.float32(1) / scale)).astype(np.float64)
    quotient = x.astype(np.float64) / np.float64(scale)
    away = np.copysign(np.floor(np.abs(quotient) + 0.5), quotient)
    steps = np.where(_in_eights(x.size, x.shape), product, away)
    return np.asarray(np.clip(steps + out.zero_point, low, high)).astype(out.dtype)


def dequantize(q: NDArray[Any], x: Scheme) -> NDArray[np.float32]:
    """Integers [...] of a scheme -> float32 [...].

    >>> dequantize(np.full(9, 255, np.uint8), Scheme(0.1, 254)).tolist()[7:]
    [0.10000038146972656, 0.10000000149011612]
    """
    scale = np.float32(x.scale)
    vectors = q.astype(np.float32) * scale + np.float32(-x.zero_point * np.float64(scale))
    plain = Quantized(q, x.scale, x.zero_point).dequantize()
    return np.where(_in_eights(q.size, q.shape), vectors, plain)


@dataclass(frozen=True)
class Narrowing:
    """How sums and products of two become 16 bits, before they become bytes.

    lanes       int    elements of a vector: 8 or 16
    row         int    elements that are computed at once, in the order of memory
    saturates   bool   the sum is held to 16 bits, else it wraps; with the zero point it always wraps

    >>> Narrowing(8, 9, saturates=False).add(np.array([40_000] * 9), 0).tolist()[7:]
    [-25536, 40000]
    """

    lanes: int
    row: int
    saturates: bool

    def add(self, rounded: Int64, zero_point: int) -> Int64:
        """int64 [...], the zero point added."""
        held = np.clip(rounded, -(1 << 15), (1 << 15) - 1) if self.saturates else rounded
        wrapped = (held + zero_point).astype(np.int16).astype(np.int64)     # of a sum that wraps twice: once
        place = np.arange(rounded.size).reshape(rounded.shape) % self.row
        return np.where(place < self.row // self.lanes * self.lanes, wrapped, rounded + zero_point)


def narrowing_of(kind: str, dtype: str, a: Sequence[int], b: Sequence[int]) -> Narrowing | None:
    """Of "add" or "multiply" of operands of these shapes; None: plain C does it.

    >>> narrowing_of("multiply", "int8", [1, 8], [1, 8])
    Narrowing(lanes=16, row=8, saturates=True)
    """
    found = rows_of(a, b)
    if found is None:
        return None
    row, one_value = found
    if kind == "add":
        return Narrowing(16 if dtype == "int8" and not one_value else 8, row, saturates=False)
    return Narrowing(16 if dtype == "int8" else 8, row, saturates=dtype == "int8" or not one_value)


def rows_of(a: Sequence[int], b: Sequence[int]) -> tuple[int, bool] | None:
    """How many elements LiteRT computes at once of two operands that are broadcast, and whether one is a single value
    meanwhile; None: one by one.

    a, b   their shapes

    >>> rows_of([2, 3, 4], [2, 3, 4]), rows_of([2, 3, 4], [4]), rows_of([2, 1], [1, 3]), rows_of([2, 3, 4], [3, 1])
    ((24, False), (4, False), (3, True), None)
    """
    rank = max(len(a), len(b))
    first, second = ((*(1,) * (rank - len(shape)), *shape) for shape in (a, b))
    if first == second:
        return math.prod(first), False
    unlike = max(axis for axis in range(rank) if first[axis] != second[axis])
    small, large = (first, second) if first[unlike] == 1 else (second, first)
    rest = [*zip(small, large, strict=True)]

    def taken(kind: str) -> int:
        """The size of the last axes of a kind."""
        size = 1
        while rest and {"alike": rest[-1][0] == rest[-1][1], "small": rest[-1][0] == 1,
                        "large": rest[-1][1] == 1}[kind]:
            size *= max(rest.pop())
        return size

    inner, repeated = taken("alike"), taken("small")
    for kind in ("alike", "large", "alike"):
        taken(kind)
    return None if rest else (inner, False) if inner > 1 else (repeated, True)
