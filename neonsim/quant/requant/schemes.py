"""Requantisation: int32 accumulators back to 8 bits, exactly as the quantised-kernel libraries do it.

    q = clip(round(acc * scale) + zero_point, lo, hi)

The schemes differ in `round` alone, and there in how often and which way they round:

    scheme       roundings   ties                                        scales        used by
    precise      1           away from zero                              [2**-32,256)  the oracle; pooling
    rndnu        1           up                                          [2**-32,256)  XNNPACK on Arm
    fp32_lrint   up to 3     to even (of the float32 product)            [2**-32,256)  AArch64, FCVTNS
    fp32_magic   up to 3     to even, same values as fp32_lrint          [2**-32,256)  AArch32 and scalar code
    q31          2           up, then away from zero (shift 0: only up)  [2**-32,1)    QNNPACK's kernels
    gemmlowp     2           as q31, same values                         [2**-32,1)    gemmlowp, early TensorFlow Lite

Integer schemes see the scale as `multiplier / 2**(31 + shift)` (fixedpoint.decompose), which loses nothing: all the
difference is rounding. `scale`, `multiplier` and `shift` may be arrays [n] for one value per output channel; they then
run along the last axis of the accumulators.

Source: QNNPACK, gemmlowp and XNNPACK (R01, R02, R03, R04, R05, R08); tie rules (Z10, Z11, R17).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import Int64, int32_accumulators
from neonsim.quant.rounding import (
    MAGIC_BITS,
    derive,
    gemmlowp_step,
    limits,
    precise_step,
    q31_step,
    rndnu_neon_step,
    rndnu_step,
    rounding,
)

__all__ = ["clamped", "fp32_lrint", "fp32_magic", "gemmlowp", "largest_error", "precise", "q31", "requantize", "rndnu",
           "rndnu_neon", "unclamped"]

_MAGIC = np.int32(MAGIC_BITS).view(np.float32)  # 1.5 * 2**23: adding it leaves the integer in the low mantissa bits

Packed8 = NDArray[Any]  # uint8 or int8


def clamped(rounded: Any, zero_point: Any, low: Any, high: Any) -> Any:
    """What every scheme does with the rounded product: clip(rounded + zero_point, low, high)."""
    return np.clip(rounded + zero_point, low, high)


def _finish(rounded: NDArray[Any], zero_point: int, lo: int | None, hi: int | None, dtype: Any) -> Packed8:
    low, high = limits(dtype, lo, hi, zero_point)
    return np.asarray(clamped(rounded, zero_point, low, high)).astype(dtype)


def _checked(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, lowest_shift: int) -> tuple[Int64, Int64, Int64]:
    m, s = np.asarray(multiplier), np.asarray(shift)
    if m.dtype.kind not in "iu" or s.dtype.kind not in "iu":
        raise BadArgument(f"multiplier and shift are integers; got {m.dtype} and {s.dtype}.")
    m, s = m.astype(np.int64), s.astype(np.int64)
    if ((m < 1 << 30) | (m >= 1 << 31)).any():
        raise BadArgument(f"multiplier must be normalised, 2**30 <= multiplier < 2**31; got {m.tolist()}.")
    if ((s < lowest_shift) | (s > 31)).any():
        raise BadArgument(f"shift must be in {lowest_shift}..31 bits to the right; got {s.tolist()}.")
    return int32_accumulators(acc), m, s


def precise(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
            hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """Requantise with one exact rounding, ties away from zero: the oracle (XNNPACK calls it rndna).

    q = clip(sign(acc) * ((|acc| * multiplier + 2**(30+shift)) >> (31+shift)) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, -8..31
    ->          dtype [..., n]

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R01). In NEON: VMULL.S32, add -1 if negative, VRSHL.S64.

    >>> precise([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-2, -1, 1, 2]
    """
    return _finish(precise_step(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


def rndnu(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
          hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """Requantise with one exact rounding, ties up (towards plus infinity): XNNPACK's scheme on Arm.

    q = clip(((acc * multiplier + 2**(30+shift)) >> (31+shift)) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, -8..31 (negative for scales of 1 and more)
    ->          dtype [..., n]

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R08). In NEON see rndnu_neon.

    >>> rndnu([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(rndnu_step(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


def rndnu_neon(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
               hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """rndnu as the vector code does it in 32 bits: SQSHL by a pre-shift, SQDMULH, SRSHL by a post-shift of at least 1.

    post = max(shift, 1);  y = rounding_shift(sdhm(saturating_shift(acc, post - shift), multiplier), post)

    Same arguments and, for every input, same bytes as rndnu: where the pre-shift saturates, the clamp saturates too.
    Source: (R08, X29).

    >>> rndnu_neon([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(rndnu_neon_step(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


def q31(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
        hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """Requantise as QNNPACK's kernels: a Q31 product rounded half-up, then a shift rounded half away from zero.

    p = (acc * multiplier + 2**30) >> 31
    y = (p >> shift) + [ (p & mask) - [acc < 0] > mask >> 1 ],   mask = 2**shift - 1
    q = clip(y + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, 0..31
    ->          dtype [..., n]

    Ties: for shift 0 (scales in [0.5, 1)) the second rounding does nothing, so ties go up; for shift >= 1 they go
    away from zero. Two roundings: the error reaches 0.5 + 2**-(shift+1), that is 0.75 at shift 1.

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R04, R06, Z10, Z11). In NEON: VQRDMULH, VBIC and VSRA (-1 for negatives if shift != 0), VRSHL, VQMOVN,
    VQADD, VQMOVUN, VMIN, VMAX.

    >>> q31([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    >>> q31([-6, -2, 2, 6], *derive(0.25), dtype="int8").tolist()
    [-2, -1, 1, 2]
    """
    return _finish(q31_step(*_checked(acc, multiplier, shift, 0)), zero_point, lo, hi, dtype)


def gemmlowp(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
             hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """Requantise as gemmlowp: srdhm, then rdivpot, then the zero point, then the clamp. Same values as q31.

    q = clip(rdivpot(srdhm(acc, multiplier), shift) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, 0..31
    ->          dtype [..., n]

    The exponent form for scales of 1 and more is left out: its left shift may overflow, undefined in C++ (Y11).

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R05, Y09, Y10).

    >>> gemmlowp([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(gemmlowp_step(*_checked(acc, multiplier, shift, 0)), zero_point, lo, hi, dtype)


def _float_product(acc: ArrayLike, scale: ArrayLike, scheme: str) -> NDArray[np.float32]:
    derive(scale, scheme)
    given = np.asarray(acc)
    if given.dtype != np.int32:
        given = int32_accumulators(given)
    return np.asarray(given.astype(np.float32) * np.asarray(scale, np.float32), np.float32)


def fp32_lrint(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None,
               dtype: Any = "uint8") -> Packed8:
    """Requantise in single precision: convert, multiply, round to the nearest integer, ties to even.

    q = clip(rint(float32(acc) * float32(scale)) + zero_point, lo, hi)

    acc     int32 [..., n]     above 2**24 the conversion rounds too
    scale   float32 [n] or []  2**-32 <= scale < 256
    ->      dtype [..., n]

    Source: (R02). In AArch64: SCVTF, FMUL, FCVTNS, SQXTN, SQADD, SQXTUN.

    >>> fp32_lrint([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    low, high = limits(dtype, lo, hi, zero_point)
    whole = _float_product(acc, scale, "fp32_lrint")
    np.rint(whole, out=whole)
    # Clamped first: what is left is small, so that the zero point of 8 bits is added in 16.
    wider = np.dtype(np.int16 if np.dtype(dtype).itemsize == 1 else np.int32)
    near = np.clip(whole, np.float32(low - zero_point), np.float32(high - zero_point), out=whole).astype(wider)
    return (near + wider.type(zero_point)).astype(dtype)


def fp32_magic(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None,
               dtype: Any = "uint8") -> Packed8:
    """fp32_lrint where no instruction rounds to an integer: clamp, add 12582912.0, read the bits as an integer.

    f = clip(float32(acc) * float32(scale), lo - zero_point, hi - zero_point)
    q = bits(f + 12582912.0) - (0x4B400000 - zero_point)

    The sum lies in [2**23, 2**24), where neighbours are 1 apart, so the addition itself rounds, ties to even. That
    holds for |f| < 2**22 only: hence the clamp comes first.

    Arguments and values as fp32_lrint.
    Source: (R03). In AArch32 (no VCVTN before Armv8): VCVT, VMUL, VMIN, VMAX, VADD, VSUB.

    >>> fp32_magic([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    low, high = limits(dtype, lo, hi, zero_point)
    near = np.clip(_float_product(acc, scale, "fp32_magic"), np.float32(low - zero_point),
                   np.float32(high - zero_point))
    bits = np.asarray(near + _MAGIC, np.float32).view(np.int32).astype(np.int64)
    return np.asarray(bits - (MAGIC_BITS - zero_point)).astype(dtype)


def unclamped(acc: ArrayLike, scale: ArrayLike, scheme: str = "q31") -> Int64:
    """round(acc * scale) by a scheme's rounding, before zero point and clamp: what the schemes differ in.

    Raises BadArgument for fp32_magic, which cannot do without its clamp.

    >>> unclamped(585, 1 / 90, "q31").item(), unclamped(585, 1 / 90, "fp32_lrint").item()
    (7, 6)
    """
    rule = rounding(scheme)
    if rule.step is not None:
        multiplier, shift = derive(scale, rule.name)
        return rule.step(int32_accumulators(acc), multiplier, shift)
    if rule.name == "fp32_magic":
        raise BadArgument("fp32_magic rounds correctly only after its clamp; ask for fp32_lrint, which has no clamp.")
    return np.rint(_float_product(acc, scale, rule.name)).astype(np.int64)


def largest_error(scale: float, scheme: str = "q31") -> float:
    """How far a scheme may land from the exact product acc * scale, in steps of the output, clamp aside.

    precise, rndnu   0.5
    q31, gemmlowp    0.5 + 2**-(shift + 1) for shift >= 1: the second rounding starts from a rounded value; 0.5 at 0
    fp32             0.5 + 2**-15 for results of 8 bits: conversion and product are each off by up to 2**-24 of it

    Source: (R14, Z11).

    >>> [largest_error(s) for s in (0.6, 0.3, 0.15)]
    [0.5, 0.75, 0.625]
    """
    shift = int(derive(scale, scheme).shift)
    rule = rounding(scheme)
    if rule.step is None:
        return 0.5 + 2.0**-15
    return 0.5 + 2.0 ** -(shift + 1) if rule.roundings == "two" and shift else 0.5


def requantize(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None, *,
               scheme: str = "q31", dtype: Any = "uint8") -> Packed8:
    """Requantise by the name of a scheme, from the float32 scale itself.

    acc     int32 [..., n]     sums of products plus bias
    scale   float32 [n] or []  input scale * weight scale / output scale
    ->      dtype [..., n]

    >>> [requantize(-3, 0.5, 10, scheme=name).item() for name in ("precise", "rndnu", "fp32", "q31")]
    [8, 9, 8, 9]
    """
    rule = rounding(scheme)
    if rule.name == "fp32_lrint":
        return fp32_lrint(acc, scale, zero_point, lo, hi, dtype)
    if rule.name == "fp32_magic":
        return fp32_magic(acc, scale, zero_point, lo, hi, dtype)
    return _finish(unclamped(acc, scale, rule.name), zero_point, lo, hi, dtype)
