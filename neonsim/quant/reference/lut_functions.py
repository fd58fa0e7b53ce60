"""Functions of one quantised value, by their definitions: logistic function, hyperbolic tangent, ELU.

    y = clip(steps(f(x.scale * (x - zx))))

    ties    precision       steps of a real number r                 who
    None    double          rint(r / out.scale) + zy                 here (K10, X23)
    even    single, all of  rint(r * (1 / out.scale) + zy)           XNNPACK
    away    what follows    round(r * (1 / out.scale)) + zy          TensorFlow Lite's own kernels; round: halves away

    sigmoid   1 / (1 + exp(-r)); "even": rounded once, "away": after each of three steps
    tanh      in single precision as C libraries have it (glibc up to 2.40): from expm1, now and then wrong in a bit
    elu       r, expm1(r) below zero

They differ where a result lies next to a half.

Source: (K10, M25, M73, X23).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.scheme import Scheme

__all__ = ["SOFT_SCHEMES", "TIES", "lut_function"]

Floats = NDArray[np.float32]
TIES = ("even", "away")
_ONE, _TWO, _HALF = np.float32(1), np.float32(2), np.float32(0.5)

# (scale, zero point) of the only results these functions have, by function and type.
SOFT_SCHEMES: dict[tuple[str, str], tuple[float, int]] = {
    **{(name, dtype): (1 / 256, zero) for name in ("sigmoid", "softargmax", "softmax")
       for dtype, zero in (("uint8", 0), ("int8", -128))},
    ("tanh", "uint8"): (1 / 128, 128), ("tanh", "int8"): (1 / 128, 0),
}


def lut_function(name: str, x: NDArray[Any], given: Scheme, out: Scheme, ties: str | None) -> NDArray[Any]:
    """Bytes of a scheme to those of another one of their type.

    name   "sigmoid", "tanh", "elu"
    ties   one of TIES, or None

    >>> x, values = Scheme(0.125, 0, "int8"), np.array([-128, -4, 0, 4, 127], np.int8)
    >>> lut_function("tanh", values, x, Scheme(1 / 128, 0, "int8"), "even").tolist()
    [-128, -59, 0, 59, 127]
    >>> lut_function("sigmoid", values, x, Scheme(1 / 256, -128, "int8"), None).tolist()
    [-128, -31, 0, 31, 127]
    """
    if x.dtype.itemsize == 1 and x.size > 256:      # a byte has 256 values
        every = np.arange(256, dtype=np.uint8).view(x.dtype)
        return np.asarray(lut_function(name, every, given, out, ties)[x.view(np.uint8)])
    info, precision = np.iinfo(x.dtype), "float64" if ties is None else "float32"
    scale = np.array(np.float32(given.scale), precision)
    real = np.asarray(scale * (x.astype(precision) - scale.dtype.type(given.zero_point)))
    with np.errstate(over="ignore"):
        found = _FUNCTIONS[name](real, ties)
        steps = found / out.scale if ties is None else found * (_ONE / np.float32(out.scale))
    if ties == "away":
        whole = np.copysign(np.floor(np.abs(steps.astype(np.float64)) + 0.5), steps) + out.zero_point
    elif ties == "even":
        whole = np.rint(steps + np.float32(out.zero_point)).astype(np.float64)
    else:
        whole = np.rint(steps) + out.zero_point
    return np.asarray(np.clip(whole, info.min, info.max)).astype(x.dtype)


def _sigmoid(real: NDArray[Any], ties: str | None) -> NDArray[Any]:
    powers = np.exp(-real.astype(np.float64))
    if ties == "away":
        return np.asarray(_ONE / (_ONE + powers.astype(np.float32)))
    return np.asarray(1 / (1 + powers), real.dtype)


def _elu(real: NDArray[Any], ties: str | None) -> NDArray[Any]:
    bent = np.expm1(np.minimum(real, 0).astype(np.float64)).astype(real.dtype)
    return np.where(real < 0, bent, real)


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


_FUNCTIONS: dict[str, Callable[[NDArray[Any], str | None], NDArray[Any]]] = {
    "sigmoid": _sigmoid, "elu": _elu, "tanh": lambda real, ties: np.tanh(real) if ties is None else _tanh(real)}
