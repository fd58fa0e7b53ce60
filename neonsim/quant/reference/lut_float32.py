"""Functions of one quantised value in single precision, as runtimes fill their tables of 256 entries.

    y = clip(steps(f(float32(x.scale) * (x - zx))))        f, and all that follows, in single precision

    ties    steps of a real number r                  who
    even    rint(r * (1 / out.scale) + zy)            XNNPACK
    away    round(r * (1 / out.scale)) + zy           TensorFlow Lite's own kernels; round: half away from zero

    sigmoid   1 / (1 + exp(-r)); "even": rounded once, "away": after each of three steps
    tanh      as C libraries have it (glibc up to 2.40): from expm1, wrong in the last bit now and then
    elu       r, expm1(r) below zero

The two differ, and from `neonsim.quant.reference.lut_functions` in double precision, where a result lies next to a
half.

Source: (M25, M73).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TIES", "elu", "sigmoid", "tanh"]

Floats = NDArray[np.float32]
TIES = ("even", "away")
_ONE, _TWO, _HALF = np.float32(1), np.float32(2), np.float32(0.5)


def _real(x: NDArray[Any], scale: float, zero_point: int) -> Floats:
    return np.asarray(np.float32(scale) * (x.astype(np.int64) - zero_point).astype(np.float32))


def _finish(real: Floats, dtype: Any, scale: float, zero_point: int, ties: str) -> NDArray[Any]:
    info = np.iinfo(dtype)
    with np.errstate(over="ignore"):
        steps = real * (_ONE / np.float32(scale))
    if ties == "even":
        whole = np.rint(steps + np.float32(zero_point)).astype(np.float64)
    else:
        whole = np.copysign(np.floor(np.abs(steps.astype(np.float64)) + 0.5), steps) + zero_point
    return np.asarray(np.clip(whole, info.min, info.max)).astype(dtype)


def sigmoid(x: NDArray[Any], *, x_scale: float, x_zero_point: int, out_scale: float, out_zero_point: int,
            ties: str) -> NDArray[Any]:
    """1 / (1 + exp(-r)), of the type of x.

    >>> sigmoid(np.array([-128, 0, 127], np.int8), x_scale=0.125, x_zero_point=0, out_scale=1 / 256,
    ...         out_zero_point=-128, ties="away").tolist()
    [-128, 0, 127]
    """
    real = _real(x, x_scale, x_zero_point)
    with np.errstate(over="ignore"):
        powers = np.exp(-real.astype(np.float64))
        found = (1 / (1 + powers)).astype(np.float32) if ties == "even" else _ONE / (_ONE + powers.astype(np.float32))
    return _finish(found, x.dtype, out_scale, out_zero_point, ties)


def tanh(x: NDArray[Any], *, x_scale: float, x_zero_point: int, out_scale: float, out_zero_point: int,
         ties: str) -> NDArray[Any]:
    """The hyperbolic tangent, of the type of x.

    >>> tanh(np.array([-128, -4, 0, 4, 127], np.int8), x_scale=0.125, x_zero_point=0, out_scale=1 / 128,
    ...      out_zero_point=0, ties="even").tolist()
    [-128, -59, 0, 59, 127]
    """
    return _finish(_tanh(_real(x, x_scale, x_zero_point)), x.dtype, out_scale, out_zero_point, ties)


def elu(x: NDArray[Any], *, x_scale: float, x_zero_point: int, out_scale: float, out_zero_point: int,
        ties: str) -> NDArray[Any]:
    """r, and below zero exp(r) - 1, of the type of x (M25).

    >>> elu(np.array([-100, -10, 0, 60], np.int8), x_scale=0.1, x_zero_point=0, out_scale=0.05, out_zero_point=0,
    ...     ties="even").tolist()
    [-20, -13, 0, 120]
    """
    real = _real(x, x_scale, x_zero_point)
    bent = np.expm1(np.minimum(real, 0).astype(np.float64)).astype(np.float32)
    return _finish(np.where(real < 0, bent, real), x.dtype, out_scale, out_zero_point, ties)


# ---- the hyperbolic tangent, step by step ----------------------------------------------------------------------------

def _bits(*words: int) -> Floats:
    return np.array(words, np.uint32).view(np.float32)


# ln 2 in two parts, its inverse, what 1 / (exp(x) - 1) is near 0, and half of ln 2 above which ln 2 is taken off.
_LN2, _LN2_REST, _PER_LN2 = _bits(0x3F317180, 0x3717F7D1, 0x3FB8AA3B)
_SERIES = _bits(0xB457EDBB, 0x36867E54, 0xB8A670CD, 0x3AD00D01, 0xBD088889)
_HALF_LN2, = _bits(0x3EB17218)


def _tanh(x: Floats) -> Floats:
    """Below 1 by exp(-2|x|) - 1, from there by exp(2|x|) - 1; 1 from 22 on.

    >>> _tanh(np.array([0.25, -2, 30], np.float32)).tolist()
    [0.24491865932941437, -0.9640275835990906, 1.0]
    """
    size = np.minimum(np.abs(x), np.float32(22))
    small, large = _expm1(-_TWO * np.minimum(size, _ONE)), _expm1(_TWO * np.maximum(size, _ONE))
    found = np.where(size < 1, -small / (small + _TWO), _ONE - _TWO / (large + _TWO))
    return np.copysign(np.where(size == 22, _ONE, found), x)


def _expm1(x: Floats) -> Floats:
    """exp(x) - 1 of -2 to 0 and of 2 to 44, by x = k ln 2 + r: exact to an ulp."""
    k = np.where(np.abs(x) <= _HALF_LN2, np.float32(0), np.trunc(_PER_LN2 * x + np.copysign(_HALF, x)))
    k = np.where((np.abs(x) > _HALF_LN2) & (np.abs(x) < 3 * _HALF_LN2), np.sign(x), k)
    high, low = x - k * _LN2, k * _LN2_REST
    r = high - low
    lost, half = (high - r) - low, _HALF * r
    square, series = r * half, np.zeros_like(r)
    for factor in _SERIES:
        series = square * (series + factor)
    series = _ONE + series
    t = np.float32(3) - series * half
    e = square * ((series - t) / (np.float32(6) - r * t))
    rest = (r * (e - lost) - lost) - square
    power = np.ldexp(_ONE, -k.astype(np.int32))
    back = k.astype(np.int32)
    return np.select([np.abs(x) < 2.0**-25, k == 0, k == -1, (k < 0) | (k > 56), k < 23], [
        x, r - (r * e - square), _HALF * (r - rest) - _HALF, np.ldexp(_ONE - (rest - r), back) - _ONE,
        np.ldexp((_ONE - power) - (rest - r), back)], np.ldexp((r - (rest + power)) + _ONE, back))
