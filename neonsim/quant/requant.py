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

Source: facts R01-R05 and R08 of QNNPACK, gemmlowp and XNNPACK; tie rules Z10, Z11, R17.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import (
    FixedPoint,
    Int64,
    as_int,
    check_scale,
    compose,
    decompose,
    int32_accumulators,
    rdivpot,
    rounding_shift,
    saturating_shift,
    sdhm,
    srdhm,
)

__all__ = ["ROUNDINGS", "GemmParams", "Q31Params", "Rounding", "SchemeParams", "derive", "fp32_lrint", "fp32_magic",
           "gemmlowp", "largest_error", "limits", "precise", "q31", "requantize", "rndnu", "rndnu_neon", "rounding",
           "unclamped"]

_MAGIC = np.float32(12582912.0)     # 1.5 * 2**23: adding it leaves the integer in the low mantissa bits
_MAGIC_BITS = 0x4B400000            # the same number as an int32
_SMALLEST_SCALE = 2.0**-32

Packed8 = NDArray[Any]              # uint8 or int8


# ---- integer schemes: acc, multiplier, shift -> rounded product, before zero point and clamp

def _precise(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    magnitude = np.abs(acc) * multiplier + (np.int64(1) << 30 + shift) >> 31 + shift
    return np.asarray(np.sign(acc) * magnitude, np.int64)


def _rndnu(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    return acc * multiplier + (np.int64(1) << 30 + shift) >> 31 + shift


def _rndnu_neon(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    post = np.maximum(shift, 1)
    return rounding_shift(sdhm(saturating_shift(acc, post - shift), multiplier), post)


def _q31(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    product = acc * multiplier + (1 << 30) >> 31
    mask = (np.int64(1) << shift) - 1
    remainder = (product & mask) - (acc < 0)
    return (product >> shift) + (remainder > mask >> 1)


def _gemmlowp(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    return rdivpot(srdhm(acc, multiplier), shift)


class Rounding(NamedTuple):
    """One requantisation scheme.

    name         str        what `requantization=` takes
    ties         str        which way an exact half goes
    below        int        scales are accepted from 2**-32 up to this, exclusive
    step         callable   (acc, multiplier, shift) -> rounded product; None for the float schemes
    roundings    str        how often the value is rounded
    """

    name: str
    ties: str
    below: int
    step: Callable[[Int64, Int64, Int64], Int64] | None
    roundings: str


ROUNDINGS: dict[str, Rounding] = {
    row.name: row
    for row in (
        Rounding("precise", "away from zero", 256, _precise, "one"),
        Rounding("rndnu", "up", 256, _rndnu, "one"),
        Rounding("fp32_lrint", "to even", 256, None, "int to float32, product, integer"),
        Rounding("fp32_magic", "to even", 256, None, "int to float32, product, integer"),
        Rounding("q31", "up, then away from zero", 1, _q31, "two"),
        Rounding("gemmlowp", "up, then away from zero", 1, _gemmlowp, "two"),
    )
}
_ALIASES = {"fp32": "fp32_lrint"}


def rounding(name: str) -> Rounding:
    """The scheme of that name ("fp32" is fp32_lrint). Raises BadArgument naming those there are.

    >>> rounding("fp32").name
    'fp32_lrint'
    """
    known = ROUNDINGS.get(_ALIASES.get(name, name)) if isinstance(name, str) else None
    if known is None:
        raise BadArgument(f"There is no requantization {name!r}. There are {', '.join([*ROUNDINGS, *_ALIASES])}.")
    return known


def limits(dtype: Any, lo: int | None = None, hi: int | None = None, zero_point: int = 0) -> tuple[int, int]:
    """Clamp range within an 8-bit type: what is left open is filled with the limits of the type.

    Raises BadArgument for a type other than uint8 and int8, for values outside it, and for lo > hi.

    >>> limits("int8", lo=0)
    (0, 127)
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise BadArgument(f"dtype must be uint8 or int8; got {dtype!r}.") from None
    if kind not in (np.uint8, np.int8):
        raise BadArgument(f"dtype must be uint8 or int8; got {kind}.")
    info = np.iinfo(kind)
    as_int(zero_point, f"zero_point of {kind}", info.min, info.max)
    low = info.min if lo is None else as_int(lo, f"output_min of {kind}", info.min, info.max)
    high = info.max if hi is None else as_int(hi, f"output_max of {kind}", info.min, info.max)
    if low > high:
        raise BadArgument(f"output_min {low} is greater than output_max {high}: no value would be left.")
    return low, high


def derive(scale: ArrayLike, scheme: str = "q31") -> FixedPoint:
    """Multiplier and shift of a requantisation scale, after checking that the scheme takes it.

    scale    float [] or [n]   input scale * weight scale / output scale, in single precision
    ->       FixedPoint        multiplier 2**30..2**31-1; shift 0..31 (q31, gemmlowp), -8..31 (the others)

    Raises BadArgument: q31 and gemmlowp take scales below 1 (strict, as QNNPACK), the others below 256 (as XNNPACK);
    none takes less than 2**-32.
    Source: X27, Z09.

    >>> derive(1 / 90)
    FixedPoint(multiplier=array(1527099520), shift=array(6))
    """
    rule = rounding(scheme)
    single = check_scale(scale, "requantisation scale")
    low, high = single < _SMALLEST_SCALE, single >= rule.below
    if low.any() or high.any():
        flat = single.reshape(-1)
        worst = int(np.argmax((low | high).reshape(-1)))
        where = "" if single.ndim == 0 else f" at channel {worst}"
        text = (f"The requantisation scale is {float(flat[worst]):.9g}{where}; "
                f"{rule.name} takes 2**-32 <= scale < {rule.below}.")
        if high.any() and rule.below == 1:
            text += (" It multiplies by a fraction (a Q31 mantissa) and shifts right, so it cannot enlarge: choose a"
                     " larger output scale, or requantization='rndnu', 'precise' or 'fp32', which go up to 256.")
        raise BadArgument(text)
    return decompose(single)


def _finish(rounded: NDArray[Any], zero_point: int, lo: int | None, hi: int | None, dtype: Any) -> Packed8:
    low, high = limits(dtype, lo, hi, zero_point)
    return np.asarray(np.clip(rounded + zero_point, low, high)).astype(dtype)


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
    Source: R01. In NEON: VMULL.S32, add -1 if negative, VRSHL.S64.

    >>> precise([-3, -1, 1, 3], *decompose(0.5), dtype="int8").tolist()
    [-2, -1, 1, 2]
    """
    return _finish(_precise(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


def rndnu(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
          hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """Requantise with one exact rounding, ties up (towards plus infinity): XNNPACK's scheme on Arm.

    q = clip(((acc * multiplier + 2**(30+shift)) >> (31+shift)) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, -8..31 (negative for scales of 1 and more)
    ->          dtype [..., n]

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: R08. In NEON see rndnu_neon.

    >>> rndnu([-3, -1, 1, 3], *decompose(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(_rndnu(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


def rndnu_neon(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
               hi: int | None = None, dtype: Any = "uint8") -> Packed8:
    """rndnu as the vector code does it in 32 bits: SQSHL by a pre-shift, SQDMULH, SRSHL by a post-shift of at least 1.

    post = max(shift, 1);  y = rounding_shift(sdhm(saturating_shift(acc, post - shift), multiplier), post)

    Same arguments and, for every input, same bytes as rndnu: where the pre-shift saturates, the clamp saturates too.
    Source: R08, X29.

    >>> rndnu_neon([-3, -1, 1, 3], *decompose(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(_rndnu_neon(*_checked(acc, multiplier, shift, -8)), zero_point, lo, hi, dtype)


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
    Source: R04, R06, Z10, Z11. In NEON: VQRDMULH, VBIC and VSRA (-1 for negatives if shift != 0), VRSHL, VQMOVN,
    VQADD, VQMOVUN, VMIN, VMAX.

    >>> q31([-3, -1, 1, 3], *decompose(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    >>> q31([-6, -2, 2, 6], *decompose(0.25), dtype="int8").tolist()
    [-2, -1, 1, 2]
    """
    return _finish(_q31(*_checked(acc, multiplier, shift, 0)), zero_point, lo, hi, dtype)


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
    Source: R05, Y09, Y10.

    >>> gemmlowp([-3, -1, 1, 3], *decompose(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return _finish(_gemmlowp(*_checked(acc, multiplier, shift, 0)), zero_point, lo, hi, dtype)


def _float_product(acc: ArrayLike, scale: ArrayLike, scheme: str) -> NDArray[np.float32]:
    derive(scale, scheme)
    product = int32_accumulators(acc).astype(np.float32) * np.asarray(scale, np.float32)
    return np.asarray(product, np.float32)


def fp32_lrint(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None,
               dtype: Any = "uint8") -> Packed8:
    """Requantise in single precision: convert, multiply, round to the nearest integer, ties to even.

    q = clip(rint(float32(acc) * float32(scale)) + zero_point, lo, hi)

    acc     int32 [..., n]     above 2**24 the conversion rounds too
    scale   float32 [n] or []  2**-32 <= scale < 256
    ->      dtype [..., n]

    Source: R02. In AArch64: SCVTF, FMUL, FCVTNS, SQXTN, SQADD, SQXTUN.

    >>> fp32_lrint([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    return _finish(np.rint(_float_product(acc, scale, "fp32_lrint")).astype(np.int64), zero_point, lo, hi, dtype)


def fp32_magic(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None,
               dtype: Any = "uint8") -> Packed8:
    """fp32_lrint where no instruction rounds to an integer: clamp, add 12582912.0, read the bits as an integer.

    f = clip(float32(acc) * float32(scale), lo - zero_point, hi - zero_point)
    q = bits(f + 12582912.0) - (0x4B400000 - zero_point)

    The sum lies in [2**23, 2**24), where neighbours are 1 apart, so the addition itself rounds, ties to even. That
    holds for |f| < 2**22 only: hence the clamp comes first.

    Arguments and values as fp32_lrint.
    Source: R03. In AArch32 (no VCVTN before Armv8): VCVT, VMUL, VMIN, VMAX, VADD, VSUB.

    >>> fp32_magic([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    low, high = limits(dtype, lo, hi, zero_point)
    clamped = np.clip(_float_product(acc, scale, "fp32_magic"), np.float32(low - zero_point),
                      np.float32(high - zero_point))
    bits = np.asarray(clamped + _MAGIC, np.float32).view(np.int32).astype(np.int64)
    return np.asarray(bits - (_MAGIC_BITS - zero_point)).astype(dtype)


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

    Source: R14, Z11.

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


# ---- parameters of a quantised matrix product

class GemmParams(Protocol):
    """What a quantised matrix product needs besides its operands. Zero points are 8-bit values as stored."""

    @property
    def a_zero_point(self) -> int: ...

    @property
    def w_zero_point(self) -> int: ...

    @property
    def output_zero_point(self) -> int: ...

    @property
    def output_min(self) -> int: ...

    @property
    def output_max(self) -> int: ...

    def requantize(self, acc: ArrayLike) -> Packed8:
        """int32 [m, n] -> uint8 or int8 [m, n]."""
        ...


@dataclass(frozen=True)
class Q31Params:
    """Parameters of the qu8 ... q31 kernels: everything is uint8, one scale for the whole product.

    multiplier          int   Q31 mantissa, 2**30 <= multiplier < 2**31
    shift               int   right shift in bits, 0..31
    a_zero_point        int   0..255, of the left operand (folded into the packed bias)
    w_zero_point        int   0..255, of the weights
    output_zero_point   int   0..255
    output_min          int   0..255, lower clamp, a quantised value
    output_max          int   output_min..255, upper clamp

    Raises BadArgument for values out of range.

    >>> params = Q31Params.from_scale(0.5, a_zero_point=127, w_zero_point=127, output_zero_point=10)
    >>> params.multiplier == 2**30, params.shift, params.requantize([-3, 3, 600]).tolist()
    (True, 0, [9, 12, 255])
    """

    multiplier: int
    shift: int
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    def __post_init__(self) -> None:
        ranges = {"multiplier": (1 << 30, (1 << 31) - 1), "shift": (0, 31)}
        for name in self.__dataclass_fields__:
            low, high = ranges.get(name, (0, 255))
            object.__setattr__(self, name, as_int(getattr(self, name), name, low, high))
        limits("uint8", self.output_min, self.output_max)

    @classmethod
    def from_scale(cls, scale: float, *, a_zero_point: int, w_zero_point: int, output_zero_point: int,
                   output_min: int = 0, output_max: int = 255) -> Q31Params:
        """From the float32 requantisation scale, 2**-32 <= scale < 1."""
        multiplier, shift = derive(scale, "q31")
        return cls(int(multiplier), int(shift), a_zero_point, w_zero_point, output_zero_point, output_min, output_max)

    @property
    def scale(self) -> float:
        """The requantisation scale that multiplier and shift stand for."""
        return float(compose(self.multiplier, self.shift))

    def requantize(self, acc: ArrayLike) -> Packed8:
        """q31 of int32 accumulators with these parameters: uint8 of the same shape."""
        return q31(acc, self.multiplier, self.shift, self.output_zero_point, self.output_min, self.output_max)

    def block(self) -> bytes:
        """The 16 bytes that kernels read (struct neonsim_q31_params, little-endian).

        0 int32 multiplier   4 int32 -shift   8 int16 output_zero_point   10 uint8 output_max   11 uint8 output_min
        12 uint8 w_zero_point   13 uint8 a_zero_point (for kernels that do not find it in the bias)   14, 15 zero
        """
        return struct.pack("<iihBBBB2x", self.multiplier, -self.shift, self.output_zero_point, self.output_max,
                           self.output_min, self.w_zero_point, self.a_zero_point)


@dataclass(frozen=True, eq=False)
class SchemeParams:
    """Parameters of a product in any scheme, signedness and with one scale per channel: what kernels cannot do yet.

    scheme              str                 a name of ROUNDINGS, or "fp32"
    scale               float32 [] or [n]   requantisation scale, one or one per output channel
    a_zero_point ... output_max             as Q31Params, in the range of their 8-bit type
    dtype               str                 "uint8" or "int8", of the result
    """

    scheme: str
    scale: ArrayLike
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        derive(self.scale, self.scheme)
        limits(self.dtype, self.output_min, self.output_max, self.output_zero_point)

    def requantize(self, acc: ArrayLike) -> Packed8:
        """Requantise int32 accumulators [..., n] with these parameters."""
        return requantize(acc, self.scale, self.output_zero_point, self.output_min, self.output_max,
                          scheme=self.scheme, dtype=self.dtype)
