"""Fixed-point words: a scale as an integer mantissa and a shift, and the few integer operations everything is made of.

    operation           formula (floor division, then saturation)           ties            Arm's name
    decompose           scale = multiplier / 2**(31 + shift), exact         none
    srdhm(a, b)         (a*b + 2**30) // 2**31                              up              SQRDMULH
    rdivpot(x, s)       nearest x / 2**s                                    away from zero  (bias by -1, then SRSHL)
    rounding_shift      (x + 2**(s-1)) // 2**s                              up              SRSHL by -s
    saturating_shift    min(max(x * 2**s, -2**31), 2**31 - 1)               none            SQSHL

All take int32 values (any numpy integer dtype, checked range is the caller's business) and give int64 arrays holding
values of 32 bits, so that later computations cannot overflow by accident. Nothing here knows of registers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument

__all__ = ["INT32_MAX", "INT32_MIN", "FixedPoint", "compose", "decompose", "int32_accumulators", "rdivpot",
           "rounding_shift", "saturate", "saturating_shift", "srdhm", "wrap"]

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
_MANTISSA_BITS = 23          # stored bits of a float32 mantissa; one more is implied
_EXPONENT_OF_ONE = 126       # biased exponent of [0.5, 1), where the shift is 0
_LEAST = np.finfo(np.float32).tiny

Int64 = NDArray[np.int64]


class FixedPoint(NamedTuple):
    """A float32 scale as integers: scale = multiplier / 2**(31 + shift), without error.

    multiplier   int64 [] or [n]   Q31 mantissa, 2**30 <= multiplier < 2**31 (its low 7 bits are 0)
    shift        int64 [] or [n]   to the right, in bits; negative for scales of 1 and more
    """

    multiplier: Int64
    shift: Int64


def check_scale(scale: ArrayLike, name: str = "scale") -> NDArray[np.float32]:
    """The scale as float32, or BadArgument if it is not positive, finite and normal in single precision."""
    try:
        given = np.asarray(scale, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadArgument(f"{name} must be a number or an array of numbers; got {scale!r}.") from None
    with np.errstate(over="ignore", under="ignore"):
        single = given.astype(np.float32)
    good = (single >= _LEAST) & (single < np.inf)
    if not good.all():
        bad = np.asarray(~good)
        where = "" if given.ndim == 0 else f" at channel {int(np.argmax(bad.reshape(-1)))}"
        value = given if given.ndim == 0 else given.reshape(-1)[int(np.argmax(bad.reshape(-1)))]
        raise BadArgument(
            f"{name} must be positive, finite and normal in float32 (1.18e-38 to 3.4e38); got {float(value)!r}{where}."
        )
    return single


def decompose(scale: ArrayLike) -> FixedPoint:
    """Split float32 scales into mantissa and shift: what QNNPACK and XNNPACK store in their parameter blocks.

    multiplier = m23 * 2**7,  shift = 126 - e
    with m23 the 24-bit mantissa including the hidden bit and e the biased exponent of the float32 number.

    scale   float [] or [n]   rounded to float32 first
    ->      FixedPoint(multiplier, shift)

    Raises BadArgument if a scale is not positive, finite and normal.
    Source: (R01, R04): QNNPACK ``qnnp_compute_requantization_params``.

    >>> decompose(0.75)
    FixedPoint(multiplier=array(1610612736), shift=array(0))
    >>> decompose(1 / 256).shift.item(), hex(decompose(1 / 256).multiplier.item())
    (7, '0x40000000')
    """
    bits = check_scale(scale).view(np.uint32).astype(np.int64)
    mantissa = (bits & (1 << _MANTISSA_BITS) - 1) | 1 << _MANTISSA_BITS
    exponent = bits >> _MANTISSA_BITS
    return FixedPoint(np.asarray(mantissa << 30 - _MANTISSA_BITS), np.asarray(_EXPONENT_OF_ONE - exponent))


def compose(multiplier: ArrayLike, shift: ArrayLike) -> NDArray[np.float64]:
    """The scale that a multiplier and a shift stand for: multiplier / 2**(31 + shift), exact in float64.

    >>> float(compose(1610612736, 1))
    0.375
    """
    factor, steps = np.asarray(multiplier, np.float64), np.asarray(shift, np.int64)
    if factor.ndim and steps.ndim and factor.shape != steps.shape:
        raise BadArgument(f"there must be a shift for each multiplier; got {list(factor.shape)} and "
                          f"{list(steps.shape)}.")
    return np.asarray(np.ldexp(factor, -31 - steps))


def int32_accumulators(acc: ArrayLike) -> Int64:
    """Accumulators as int64, after checking that they are integers that fit 32 bits.

    Raises BadArgument for floats and for values outside int32: an accumulator register cannot hold them.
    """
    given = np.asarray(acc)
    if given.dtype.kind not in "iu":
        if given.size == 0:
            return given.astype(np.int64)
        raise BadArgument(f"Accumulators must be int32; got {given.dtype}. Convert on purpose: acc.astype(np.int32).")
    if given.dtype.itemsize > 4 or given.dtype == np.uint32:
        outside = (given < INT32_MIN) | (given > INT32_MAX) if given.dtype.kind == "i" else given > INT32_MAX
        if outside.any():
            first = given.reshape(-1)[int(np.argmax(outside.reshape(-1)))]
            raise BadArgument(f"Accumulators are int32; {int(first)} does not fit.")
    return given.astype(np.int64)


def _int64(x: Any) -> Int64:
    """As int64."""
    return np.asarray(x, np.int64)


def saturate(x: Int64, low: int = INT32_MIN, high: int = INT32_MAX) -> Int64:
    """The nearest value within low..high."""
    return np.clip(x, low, high)


def wrap(x: ArrayLike) -> NDArray[np.int32]:
    """Keep the low 32 bits, as a 32-bit register does when a sum overflows.

    >>> wrap(2**31).item()
    -2147483648
    """
    return np.asarray(np.asarray(x, np.int64) & 0xFFFFFFFF, np.int64).astype(np.uint32).view(np.int32)


def srdhm(a: ArrayLike, b: ArrayLike) -> Int64:
    """Saturating rounding doubling high multiply: the high half of 2*a*b, rounded half-up.

    d = sat32((a*b + 2**30) >> 31);   only INT32_MIN * INT32_MIN saturates.

    Source: (Y09): gemmlowp writes it as a truncating division with a nudge of 2**30 or 1 - 2**30; same values.

    >>> srdhm([3, -3, -2**31], [2**30, 2**30, -2**31]).tolist()
    [2, -1, 2147483647]
    """
    return saturate(_int64(a) * _int64(b) + (1 << 30) >> 31)


def rdivpot(x: ArrayLike, shift: ArrayLike) -> Int64:
    """Rounding division by 2**shift, to nearest, ties away from zero.

    y = (x >> s) + [ (x & mask) > (mask >> 1) + [x < 0] ],   mask = 2**s - 1

    shift   0..31
    Source: (Y10): gemmlowp ``RoundingDivideByPOT``; in NEON: add -1 to negative x when shift != 0, then SRSHL.

    >>> rdivpot([5, -5, 6, -6], 2).tolist()
    [1, -1, 2, -2]
    """
    value, s = _int64(x), np.asarray(shift, np.int64)
    mask = (np.int64(1) << s) - 1
    return _int64((value >> s) + ((value & mask) > (mask >> 1) + (value < 0)))


def rounding_shift(x: ArrayLike, shift: ArrayLike) -> Int64:
    """Rounding shift right, to nearest, ties up (towards plus infinity): (x + 2**(s-1)) >> s, and x for s = 0.

    >>> rounding_shift([5, -5, 6, -6], 2).tolist()
    [1, -1, 2, -1]
    """
    value, s = _int64(x), np.asarray(shift, np.int64)
    return _int64(value + (np.int64(1) << s >> 1) >> s)


def saturating_shift(x: ArrayLike, shift: ArrayLike) -> Int64:
    """Shift left, saturating to 32 bits.

    shift   0..31

    >>> saturating_shift([3, 2**30, -2**30, -2**30 - 1], 1).tolist()
    [6, 2147483647, -2147483648, -2147483648]
    """
    return saturate(_int64(x) << np.asarray(shift, np.int64))
