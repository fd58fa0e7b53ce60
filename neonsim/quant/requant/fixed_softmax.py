"""Softmax in fixed point, as the reference kernels of TensorFlow Lite have it (Y19).

    d = x - max(x), times beta * scale in Q5.26      exp(d) in Q0.31      sum in Q12.19      share = exp(d) / sum

Exponentials are a polynomial on [-1/4, 0), times exp(-2**k) for every bit of what is left; the reciprocal is three
steps of Newton's method. Raw words are int64 arrays holding values of 32 bits; Qn has n bits before the point.

Source: gemmlowp (Y20) for the functions, (Y19) for what is done with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import INT32_MAX, Int64, rdivpot, saturating_shift, srdhm
from neonsim.quant.requant.double_scale import quantize_multiplier
from neonsim.quant.rounding import gemmlowp

__all__ = ["ROUNDING", "exp_negative", "exponentials", "one_minus_over_one_plus", "reciprocal", "softmax"]

ROUNDING = gemmlowp.row                 # of its products
_DIGITS, _SUM_DIGITS = 5, 12            # bits before the point of scaled differences, and of the sum
_ONE = INT32_MAX                        # 1 in Q0
_EIGHTH = 1 << 28                       # 1/8 in Q0
# exp(-2**k) in Q0 for k = -2 .. 4.
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EXP_EIGHTH, _THIRD = 1895147668, 715827883     # exp(-1/8), 1/3
_48_17, _32_17 = 1515870810, 1010580540         # 48/17 and 32/17 in Q2


def _near(x: Int64) -> Int64:
    """exp(x) for -1/4 <= x < 0 in Q0: four terms of a series at -1/8."""
    x = x + _EIGHTH
    x2 = srdhm(x, x)
    x3, x4 = srdhm(x2, x), srdhm(x2, x2)
    tail = rdivpot(srdhm(rdivpot(x4, 2) + x3, _THIRD) + x2, 1)
    return _EXP_EIGHTH + srdhm(_EXP_EIGHTH, x + tail)


def exp_negative(x: ArrayLike, digits: int = _DIGITS) -> Int64:
    """exp(x) for x <= 0 in Q5, or with 1 to 5 digits before the point, in Q0.

    >>> (exp_negative([0, -(1 << 26)]) / 2**31).round(6).tolist()
    [1.0, 0.36788]
    """
    raw, quarter = np.asarray(x, np.int64), 1 << 29 - digits
    within = (raw & quarter - 1) - quarter
    found, left = _near(saturating_shift(within, digits)), within - raw
    for k, power in enumerate(_POWERS[:digits + 2]):
        found = np.where(left & quarter << k, srdhm(found, power), found)
    return np.where(raw == 0, _ONE, found)


def exponentials(scale: float, beta: float) -> Int64:
    """exp(-scale * beta * d) in Q0 for differences d of 0..255 between the largest byte of a row and another.

    Those that Q5 does not hold are 0: what falls short of the largest by so much counts for nothing.

    Raises BadArgument for less than 2**-26, which its multiplier does not hold.

    >>> exponentials(0.1, 1.0)[:3].tolist()
    [2147483647, 1943123572, 1758210936]
    """
    if not scale * beta >= 2.0**-26:
        raise BadArgument(f"scale * beta of softmax in fixed point must be at least 2**-26; got {scale * beta:g}.")
    real = min(float(np.float32(beta)) * float(np.float32(scale)) * 2.0 ** (31 - _DIGITS), 2.0**31 - 1)
    multiplier, shift = quantize_multiplier(real / 2.0**31)
    left = 31 - int(shift)          # 0 and more
    d = np.arange(256, dtype=np.int64)
    most = ((1 << _DIGITS) - 1 << 31 - _DIGITS) // (1 << left)
    kept = np.where(d <= most, d, 0)
    return np.where(d <= most, exp_negative(srdhm(-kept << left, multiplier)), 0)


def _double_reciprocal(whole: Int64) -> Int64:
    """2 / (1 + x) in Q2, of 1 + x with both in Q0: Newton's method."""
    half = np.sign(whole | 1) * (np.abs(whole) + 1 >> 1)
    x = _48_17 + srdhm(half, -_32_17)
    for _ in range(3):
        x = x + saturating_shift(srdhm(x, (1 << 29) - srdhm(half, x)), 2)
    return x


def one_minus_over_one_plus(x: ArrayLike) -> Int64:
    """(1 - x) / (1 + x) for 0 <= x <= 1, all in Q0.

    >>> (one_minus_over_one_plus([0, 1 << 30]) / 2**31).round(6).tolist()
    [1.0, 0.333333]
    """
    return saturating_shift(_double_reciprocal(np.asarray(x, np.int64) + _ONE) - (1 << 29), 2)


def reciprocal(total: ArrayLike) -> tuple[Int64, Int64]:
    """1 / sum for sums of at least 1 in Q12: (r in Q0, bits), 1 / sum = r / 2**(31 + bits).

    >>> [int(n) for n in reciprocal(3 << 19)]
    [1431655762, 1]
    """
    raw = np.asarray(total, np.int64)
    headroom = 32 - np.frexp(raw.astype(np.float64))[1].astype(np.int64)
    fraction = (raw << headroom) - (1 << 31)
    return saturating_shift(_double_reciprocal(fraction + _ONE), 1), _SUM_DIGITS - headroom


def softmax(x: NDArray[Any], table: Int64, *, zero_point: int) -> NDArray[Any]:
    """Shares of the last axis in steps of 1/256, by a table of `exponentials`.

    x    uint8 or int8 [..., channels]; up to 2**12 channels, so that no sum leaves Q12
    ->   of the same type, 0 at the zero point

    (The kernels themselves end the process where the sum of a row is 512 or more; here shares go on to be rounded.)

    >>> softmax(np.array([3, 3], np.int8), exponentials(0.5, 1.0), zero_point=-128).tolist()
    [0, 0]
    """
    wide = x.astype(np.int64)
    exps = table[wide.max(axis=-1, keepdims=True) - wide]
    unit, bits = reciprocal(rdivpot(exps, _SUM_DIGITS).sum(axis=-1, keepdims=True))
    shares = rdivpot(srdhm(unit, exps), bits + 31 - 8)
    info = np.iinfo(x.dtype)
    return np.asarray(np.clip(shares + zero_point, info.min, info.max), x.dtype)
