"""Functions of one quantised value, by their definitions: logistic function, hyperbolic tangent; hard swish.

    y = clip(rint(f(x.scale * (x - zx)) / out.scale) + zy, lo, hi)        in double precision, ties to even

    function   results     scheme of the result
    sigmoid    0 .. 1      1/256, zero point 0 (uint8) or -128 (int8)
    tanh       -1 .. 1     1/128, zero point 128 (uint8) or 0 (int8)

hard_swish   x * relu6(x + 3) / 6      in 16-bit fixed point, five roundings: TensorFlow Lite's (M24)

Runtimes compute in single precision: `neonsim.quant.reference.lut_float32`. Source: the table of 256 entries
(K10, X23).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument

__all__ = ["SOFT_SCHEMES", "hard_swish", "hard_swish_factors", "sigmoid", "tanh"]

# (scale, zero point) of the only results these functions have, by function and type.
SOFT_SCHEMES: dict[tuple[str, str], tuple[float, int]] = {
    ("sigmoid", "uint8"): (1 / 256, 0), ("sigmoid", "int8"): (1 / 256, -128),
    ("softargmax", "uint8"): (1 / 256, 0), ("softargmax", "int8"): (1 / 256, -128),
    ("softmax", "uint8"): (1 / 256, 0), ("softmax", "int8"): (1 / 256, -128),
    ("tanh", "uint8"): (1 / 128, 128), ("tanh", "int8"): (1 / 128, 0),
}


def _finish(real: NDArray[np.float64], kind: str, dtype: Any, lo: int, hi: int) -> NDArray[Any]:
    scale, zero = SOFT_SCHEMES[kind, np.dtype(dtype).name]
    return np.asarray(np.clip(np.rint(real / scale) + zero, lo, hi).astype(dtype))


def sigmoid(x: NDArray[Any], *, x_scale: float, x_zero_point: int, output_min: int, output_max: int) -> NDArray[Any]:
    """1 / (1 + exp(-real)) in steps of 1/256, of the type of x.

    >>> sigmoid(np.array([-128, 0, 127], np.int8), x_scale=0.125, x_zero_point=0, output_min=-128,
    ...         output_max=127).tolist()
    [-128, 0, 127]
    """
    real = float(np.float32(x_scale)) * (x.astype(np.float64) - x_zero_point)
    with np.errstate(over="ignore"):
        return _finish(1.0 / (1.0 + np.exp(-real)), "sigmoid", x.dtype, output_min, output_max)


def tanh(x: NDArray[Any], *, x_scale: float, x_zero_point: int, output_min: int, output_max: int) -> NDArray[Any]:
    """tanh(real) in steps of 1/128, of the type of x.

    >>> tanh(np.array([-128, -4, 0, 4, 127], np.int8), x_scale=0.125, x_zero_point=0, output_min=-128,
    ...      output_max=127).tolist()
    [-128, -59, 0, 59, 127]
    """
    real = float(np.float32(x_scale)) * (x.astype(np.float64) - x_zero_point)
    return _finish(np.tanh(real), "tanh", x.dtype, output_min, output_max)


class HardSwishFactors(NamedTuple):
    """Fixed-point factors of a hard swish: scale = multiplier / 2**15 * 2**exponent.

    output     (int, int)   of x / 2**7 to steps of the result; its exponent is not positive
    reluish    (int, int)   of x / 2**7 to steps of 3 / 2**15
    """

    output: tuple[int, int]
    reluish: tuple[int, int]


def _half_word(real: float) -> tuple[int, int]:
    """A positive factor as (multiplier of 15 bits and a sign, exponent): rounded to 31 bits first."""
    mantissa, exponent = math.frexp(real)
    whole = math.floor(mantissa * 2.0**31 + 0.5)
    if whole == 1 << 31:
        whole, exponent = 1 << 30, exponent + 1
    return min((whole + (1 << 15)) >> 16, (1 << 15) - 1), exponent


def hard_swish_factors(x_scale: float, out_scale: float) -> HardSwishFactors:
    """Factors of two scales; raises BadArgument where the result's steps are finer than 1/128 of the input's.

    >>> hard_swish_factors(0.05, 0.05)
    HardSwishFactors(output=(16384, -6), reluish=(17476, 3))
    """
    hires = np.float32(1 / 128) * np.float32(x_scale)
    output = _half_word(float(hires / np.float32(out_scale)))
    if output[1] > 0:
        raise BadArgument(f"hard swish takes steps of the result of {float(hires):.9g} and more, 1/128 of those of x; "
                          f"got {out_scale:.9g}.")
    return HardSwishFactors(output, _half_word(float(hires / np.float32(np.float32(3) / np.float32(32768)))))


def _rounding_product(a: NDArray[np.int64], b: int) -> NDArray[np.int64]:
    """SQRDMULH of 16 bits, but for ties of negative products: to nearest, those away from zero."""
    product = a * b
    nudged = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    found = np.where(nudged >= 0, nudged >> 15, -(-nudged >> 15))       # towards zero
    return np.asarray(np.minimum(found, (1 << 15) - 1))


def _shifted(x: NDArray[np.int64], left: int) -> NDArray[np.int64]:
    return np.asarray(np.clip(x << left, -(1 << 15), (1 << 15) - 1))


def _divided(x: NDArray[np.int64], exponent: int) -> NDArray[np.int64]:
    """x / 2**exponent, to nearest, ties away from zero."""
    if exponent == 0:
        return x
    return np.asarray(np.sign(x) * (np.abs(x) + (1 << exponent - 1) >> exponent))


def hard_swish(x: NDArray[Any], *, x_scale: float, x_zero_point: int, out_scale: float,
               out_zero_point: int) -> NDArray[Any]:
    """x * relu6(x + 3) / 6 in 16-bit fixed point, of the type of x (M24).

    >>> hard_swish(np.array([-128, -40, 0, 40, 127], np.int8), x_scale=0.05, x_zero_point=0, out_scale=0.05,
    ...            out_zero_point=0).tolist()
    [0, -7, 0, 33, 127]
    """
    (output, right), (reluish, exponent) = hard_swish_factors(x_scale, out_scale)
    hires = (x.astype(np.int64) - x_zero_point) << 7
    scaled = _rounding_product(hires, output)
    share = _shifted(hires, exponent - 1) if exponent > 0 else hires
    share = _rounding_product(share, reluish)
    share = _shifted(share, 1) if exponent > 0 else _divided(share, -exponent)
    share = share + (1 << 15) >> 1          # 0 .. 2**15 - 1 for -3 .. 3
    product = share * scaled
    found = np.where(product >= 0, product >> 15, -(-product >> 15))    # towards zero: cancels the rounding up before
    info = np.iinfo(x.dtype)
    return np.asarray(np.clip(_divided(found, -right) + out_zero_point, info.min, info.max), x.dtype)
