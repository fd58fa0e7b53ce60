"""Sums of 64 bits back to int16: how TensorFlow Lite requantises int16 activations with int8 weights, "16x8".

    multiplier, shift   of 31 bits, as of every product (`quantize_multiplier`)
    reduced             its upper 15 bits: min((multiplier + 2**15) >> 16, 32767), as soon as it is below 0x7FFF0000
    y                   (sum * reduced + 2**(14 + shift)) >> (15 + shift), once, half up

where scale ~ multiplier / 2**(31 + shift). Both operands are symmetric, zero point 0; the bias is int64, in steps of
input scale * weight scale; sums are taken to be of 48 bits.

Source: (M45).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import Lanes, narrow, s64, wide
from neonsim.errors import BadArgument
from neonsim.quant.readings import read_fixed
from neonsim.quant.requant.double_scale import quantize_multiplier
from neonsim.quant.rounding import limits

__all__ = ["SUM_BITS", "Int16x8Params", "Reduced", "check_accumulators", "reduce_scale", "requantize_accumulators"]

Int64 = NDArray[np.int64]
SUM_BITS = 48                       # of sums, the sign counted
_MAX_MULTIPLIER, _FULL = 0x7FFF, 0x7FFF0000


class Reduced(NamedTuple):
    """scale ~ multiplier / 2**shift.

    multiplier   int64   0..32767
    shift        int64   8..46
    """

    multiplier: Int64
    shift: Int64


def reduce_scale(scale: ArrayLike) -> Reduced:
    """The multiplier of 15 bits and the shift of scales in double precision.

    scale   float64 [] or [n]   0 <= scale < 2**7

    Raises BadArgument for other scales.

    >>> [int(n) for n in reduce_scale(0.75)], [int(n) for n in reduce_scale(1 / 3)]
    ([24576, 15], [21845, 16])
    """
    real = np.asarray(scale, np.float64)
    if not (real < 2.0**7).all():
        raise BadArgument(f"a requantisation scale of 64-bit sums must be less than 2**7; got {real.tolist()}.")
    fixed = quantize_multiplier(real)
    reduced = np.where(fixed.multiplier < _FULL, fixed.multiplier + (1 << 15) >> 16, _MAX_MULTIPLIER)
    if (fixed.shift < -7).any():
        raise BadArgument(f"a requantisation scale of 64-bit sums is less than 2**7; got {real.tolist()}.")
    return Reduced(reduced.astype(np.int64), 15 + fixed.shift)


def check_accumulators(w: NDArray[Any], bias: Int64) -> None:
    """Refuse sums that may leave 48 bits: those of int16 by these weights [out, ...], plus the bias.

    Raises BadArgument naming the channel and its bits.
    """
    most = (1 << 15) * np.abs(w.astype(np.int64)).reshape(w.shape[0], -1).sum(axis=1).astype(object) + [
        abs(int(value)) for value in bias]
    worst = int(np.argmax(most)) if len(most) else 0
    if len(most) and most[worst] >= 1 << SUM_BITS - 1:
        raise BadArgument(f"sums of channel {worst} can need {int(most[worst]).bit_length() + 1} bits with int16 "
                          f"inputs; 16x8 takes {SUM_BITS}. Its bias is too large for the scales of input and weights.")


@dataclass(frozen=True, eq=False)
class Int16x8Params:
    """Parameters of a 16x8 product: multipliers of 15 bits, one or one per channel, and limits of int16.

    >>> Int16x8Params.from_scale(0.5, -5, 9).requantize(np.array([3, -3, 40, -40])).tolist()
    [2, -1, 9, -5]
    """

    reduced: Reduced
    output_min: int
    output_max: int

    @classmethod
    def from_scale(cls, scale: ArrayLike, output_min: int | None = None,
                   output_max: int | None = None) -> Int16x8Params:
        """From scales in double precision. Raises BadArgument as `reduce_scale` and `limits`."""
        return cls(reduce_scale(scale), *limits("int16", output_min, output_max))

    def requantize(self, acc: ArrayLike) -> NDArray[np.int16]:
        """int64 [..., n] -> int16 [..., n]."""
        scaled = requantize_accumulators(acc, self.reduced.multiplier, self.reduced.shift)
        return np.clip(scaled, self.output_min, self.output_max).astype(np.int16)


def requantize_accumulators(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike) -> Int64:
    """int64 [..., n] -> int64 [..., n] before limits, wrapped to 32 bits as the C code returns them.

    >>> requantize_accumulators([3, -3, 1 << 40], 16384, 15).tolist()
    [2, -1, 0]
    """
    return read_fixed(_body, np.asarray(acc, np.int64), multiplier, shift, s64)


def _body(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    return wide(narrow((acc * multiplier >> shift - 1) + 1 >> 1))
