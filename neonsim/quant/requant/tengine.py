"""Tengine's arithmetic: int8 without zero points, in -127..127; scales in single precision, one for each result
channel.

    to_bytes           floats to int8            clip(round(x / scale), -127, 127), ties away from zero
    to_sums            a bias to int32, in steps of s_w * s_in, so that it is added to the sums (F08)
    through_real       sums to int8 as its reference kernels have it: sum * (s_w * s_in), a real number, which the
                       activation cuts off; divided by s_out; rounded, ties away from zero (F10)
    by_multiplier      as its kernels for Arm have it: m, e = frexp(s_w * s_in / s_out), SQRDMULH by m * 2**31, SRSHL
                       by e (to the left where e > 0); the activation cuts off integers (F10, Z14)
    activation_limit   what an activation's limit is in integers (F13): rounded, or the bytes at the limit are others

The two differ where a product lies next to a half: `through_real` rounds the sum to 24 bits, the product and the
quotient before it rounds to an integer, ties away from zero; `by_multiplier` rounds up twice.

A float's own bits are multiplier and shift: 24 bits of mantissa and the exponent, so SQRDMULH loses nothing of the
scale.

Source: (F08, F09, F10, F13, R11, Z14): Tengine `source/device/cpu/op/conv/conv_kernel_ref_int8.c`,
`source/device/cpu/op/conv/cortex-a/conv_kernel_int8_arm.c`, `.../armv8/i8gemm_4x16_a72_int8.S`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import Lanes, f32, float_div, float_from_int, float_mul, float_to_int, narrow, s32, wide
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import Int64, check_scale, decompose, int32_accumulators
from neonsim.quant.readings import read_fixed, read_float
from neonsim.quant.rounding import Packed8, doubled_high, leftward, limits, rightward, shifted_up
from neonsim.quant.scheme import Scheme

__all__ = ["MAX_INT8", "RULES", "TengineParams", "activation_limit", "by_multiplier", "check_symmetric", "half_away",
           "tengine_rounding",
           "through_real", "to_bytes", "to_sums"]

MAX_INT8 = 127       # of an int8; the smallest is its negative
_SMALLEST_FACTOR, _MAX_FACTOR = 2.0**-32, 256.0

Reals = NDArray[np.float32]


def half_away(real: ArrayLike) -> NDArray[np.float64]:
    """C's `round` of numbers in single precision: to the nearest integer, ties away from zero.

    >>> half_away(np.float32([-1.5, 0.49999997, 0.5, 2.5])).tolist()
    [-2.0, 0.0, 1.0, 3.0]
    """
    wide = np.asarray(real, np.float64)     # 24 bits and a half more fit
    return np.asarray(np.copysign(np.floor(np.abs(wide) + 0.5), wide) + 0.0)


def check_symmetric(scheme: Scheme, name: str) -> Scheme:
    """The scheme. Raises BadArgument for what is not int8 without a zero point."""
    if scheme.dtype != "int8" or scheme.zero_point != 0 or scheme.axis is not None:
        raise BadArgument(f"{name} of Tengine's operators must be int8 with one scale and zero point 0; got {scheme}.")
    return scheme


def to_bytes(real: ArrayLike, scale: ArrayLike) -> NDArray[np.int8]:
    """Floats to int8.

    real    float [...]         infinite ones become the ends
    scale   float [] or [...]   broadcast

    Raises BadArgument for NaN.

    >>> to_bytes([0.25, -0.25, 99.0, -99.0], 0.5).tolist()
    [1, -1, 127, -127]
    """
    given = np.asarray(real, np.float32)
    if np.isnan(given).any():
        raise BadArgument("values to quantise contain NaN, which has no integer.")
    with np.errstate(over="ignore"):
        steps = given / np.asarray(scale, np.float32)
    return np.clip(half_away(steps), -MAX_INT8, MAX_INT8).astype(np.int8)


def to_sums(bias: ArrayLike, scale: ArrayLike) -> NDArray[np.int32]:
    """A bias in steps of sums.

    bias    float32 [out]
    scale   float32 [] or [out]   s_w * s_in

    Raises BadArgument for one that is no int32, with its channel.

    >>> to_sums([1.0, -0.5], [0.5, 1.0]).tolist()
    [2, -1]
    """
    with np.errstate(over="ignore"):
        steps = half_away(np.asarray(bias, np.float32) / np.asarray(scale, np.float32))
    worst = int(np.argmax(np.abs(steps))) if steps.size else 0
    if steps.size and abs(steps.reshape(-1)[worst]) >= 2.0**31:
        raise BadArgument(f"its bias is {steps.reshape(-1)[worst]:.3g} steps at channel {worst}; the limit is "
                          "2**31. The scales of input and weights are too small for it.")
    return steps.astype(np.int32)


def through_real(acc: ArrayLike, factor: ArrayLike, divisor: float = 1.0) -> Int64:
    """int32 [..., n] times s_w * s_in, divided by s_out, in single precision: int64 [..., n].

    factor    float32 [] or [n]
    divisor   float32; 1.0 where the factor is s_w * s_in / s_out already, as its fully connected layers have it

    >>> through_real([5, -5, 4], 0.25, 0.5).tolist()
    [3, -3, 2]
    """
    return read_float(_through_real, int32_accumulators(acc), np.asarray(factor, np.float32),
                      np.asarray(divisor, np.float32))


def _through_real(acc: Lanes, factor: Lanes, divisor: Lanes) -> Lanes:
    real, _ = float_mul(float_from_int(acc, f32, 0, 0)[0], factor, 0)
    return wide(float_to_int(float_div(real, divisor, 0)[0], s32, "a", 0, 0)[0])


def by_multiplier(acc: ArrayLike, factor: ArrayLike) -> Int64:
    """int32 [..., n] times s_w * s_in / s_out by multiplier and shift: int64 [..., n].

    factor   float32 [] or [n]

    >>> by_multiplier([6, -6, 5, -5], 0.25).tolist()
    [2, -1, 2, -1]
    >>> by_multiplier([3, -3], 1.5).tolist()        # 0.75 * 3, rounded, then shifted to the left
    [4, -4]
    """
    return read_fixed(tengine_rounding, int32_accumulators(acc), *decompose(factor))


def tengine_rounding(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Its body: rounded twice, ties up; a shift to the left comes last."""
    high = narrow(doubled_high(acc, multiplier))
    # SRSHL to the left loses what leaves 32 bits.
    return shifted_up(wide(high << leftward(shift)), rightward(shift))


def activation_limit(limit: float, scale: float, *, single: bool, rounded: bool = True) -> int:
    """What a limit of an activation is in int8: round(limit / scale), within -127..127.

    single    the quotient is one of single precision, as in the reference kernels, where the limit itself is divided;
              else of double precision, as the kernels for Arm have it
    rounded   False: cut off towards zero, what one gets without thinking

    >>> [activation_limit(6.0, 0.05, single=True), activation_limit(6.0, 0.0621, single=True)]
    [120, 97]
    >>> activation_limit(6.0, 0.0621, single=True, rounded=False)
    96
    """
    if not np.isfinite(limit):
        return MAX_INT8 if limit > 0 else -MAX_INT8
    with np.errstate(over="ignore"):
        quotient = (np.float64(np.float32(limit) / np.float32(scale)) if single
                    else np.float64(limit) / np.float64(np.float32(scale)))
    found = half_away(quotient) if rounded else np.trunc(quotient)
    return int(np.clip(found, -MAX_INT8, MAX_INT8))


# A rule of requantisation: (sums, s_w * s_in, s_out) to integers.
RULES: dict[str, Callable[[ArrayLike, Any, float], Int64]] = {
    "tengine": lambda acc, factor, divisor: by_multiplier(acc, _quotient(factor, divisor)),
    "tengine-reference": through_real,
}


def _quotient(factor: ArrayLike, divisor: float) -> Reals:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.asarray(factor, np.float32) / np.float32(divisor), np.float32)


@dataclass(frozen=True, eq=False)
class TengineParams:
    """Parameters of a product.

    rule                    str                 a name of RULES
    factor                  float32 [] or [n]   s_w * s_in
    divisor                 float               s_out
    a_zero_point ... dtype                      as SchemeParams

    Raises BadArgument for another rule, for a factor or divisor that is no normal positive number, and for a quotient
    outside of 2**-32 .. 256.

    >>> TengineParams("tengine", np.float32(0.25), 0.5, 0, 0, 0, -127, 127).requantize([3, -3, 999]).tolist()
    [2, -1, 127]
    """

    rule: str
    factor: NDArray[Any]
    divisor: float
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "int8"

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BadArgument(f"a rule of Tengine's must be {' or '.join(map(repr, RULES))}; got {self.rule!r}.")
        check_scale(self.factor, "input scale * weight scale")
        check_scale(self.divisor, "output scale")
        limits(self.dtype, self.output_min, self.output_max, self.output_zero_point)
        quotient = self.quotient.reshape(-1)
        wrong = ~((quotient >= _SMALLEST_FACTOR) & (quotient < _MAX_FACTOR))
        if wrong.any():
            worst = int(np.argmax(wrong))
            where = "" if quotient.size == 1 else f" at channel {worst}"
            raise BadArgument(f"input scale * weight scale / output scale is {float(quotient[worst]):.9g}{where}; "
                              f"{self.rule!r} takes 2**-32 up to 256.")

    @property
    def quotient(self) -> Reals:
        """s_w * s_in / s_out, each step in single precision: float32 [] or [n]."""
        return _quotient(self.factor, self.divisor)

    def requantize(self, acc: ArrayLike) -> Packed8:
        """int32 [..., n] -> dtype [..., n]."""
        found = RULES[self.rule](acc, self.factor, self.divisor) + self.output_zero_point
        return np.asarray(np.clip(found, self.output_min, self.output_max)).astype(self.dtype)
