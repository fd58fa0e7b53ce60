"""How the schemes of requantisation round: a body each, what scales each takes, limits of the result.

A body takes lanes of sums and the scale, as multiplier and shift or as a float, and gives lanes of 64 bits: the rounded
product, before zero point and clamp. It is written in the vocabulary of instructions, once; `Rounding` and
`neonsim.quant.readings` say how it is read.

Source: QNNPACK, gemmlowp and XNNPACK (R01, R02, R03, R04, R05, R08); tie rules (Z10, Z11, R17).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import (
    Lanes,
    bits,
    compare,
    constants,
    f32,
    float_add,
    float_from_int,
    float_max,
    float_min,
    float_mul,
    float_to_int,
    s32,
    s64,
    sat,
    signed,
    wide,
)
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import FixedPoint, Int64, check_scale, decompose, int32_accumulators, srdhm
from neonsim.quant.readings import BLOCK, Body, Letter, formula_of, in_blocks, read_fixed, read_float, steps_of

__all__ = ["LABORATORY", "MAGIC_BITS", "ROUNDINGS", "FixedRequantize", "FloatRequantize", "Packed8", "Rounding",
           "check_fixed", "default_rounding", "derive", "doubled_high", "fp32_lrint", "fp32_magic", "gemmlowp",
           "leftward", "limits", "ncnn", "precise", "q31", "rightward", "rndnu", "rounding",
           "rounding_named", "ruy", "scheme_name", "scheme_word", "served", "shifted_away", "shifted_up"]

MAGIC_BITS = 0x4B400000         # 12582912.0 = 1.5 * 2**23 as an integer: added, it rounds a float32 (R03)
_REACH = 0x4A800000             # 2.0**22: as far as it does
_SIGN = 1 << 31
_SMALLEST_SCALE = 2.0**-32
# Least, largest and name of each type: numpy works all three out again each time.
_INTEGERS = {np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max), kind.__name__)
             for kind in (np.uint8, np.int8, np.int16)}

Packed8 = NDArray[Any]  # uint8 or int8


@dataclass(frozen=True)
class Rounding:
    """A scheme of requantisation.

    name      str        what `requantization=` takes
    body      callable   of lanes: (sums, multiplier, shift), or (sums, scale) with a scale in single precision
    ties      str        which way an exact half goes
    below     int        scales are accepted from 2**-32 up to this, exclusive
    neon      str        the instructions that vector code takes for it, A64 names
    source    str        whose scheme it is
    twice     bool       an integer product is rounded, and then what is left of it
    alike     str        the name of the scheme that has the same values, whose column stands for both
    default   (str, ...) types of results that are requantised so where none is named
    kernels   (str, ...) families that have kernels with it: "requantize" a vector, "gemm" and "igemm" by one scale,
                         "vmul"; each has its contracts for it
    says      str        what a page calls it
    """

    name: str
    body: Body
    ties: str
    below: int
    neon: str
    source: str
    twice: bool = False
    alike: str = ""
    default: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    says: str = ""

    @property
    def fixed(self) -> bool:
        """Whether it sees the scale as multiplier and shift."""
        return self.body.__code__.co_argcount == 3

    @property
    def least_shift(self) -> int:
        """Of a scale just below what it takes: 0, or 8 bits to the left."""
        return 0 if self.below == 1 else -8

    @property
    def formula(self) -> str:
        """The rounded product as text. M is the mantissa of 31 bits, s the shift to the right, 1 and more."""
        if self.fixed:
            return formula_of(self.body, (("acc", s32), ("M", s32)), Letter(6, "s"))
        return formula_of(self.body, (("acc", s32), ("scale", f32)))

    def formula_at(self, scale: float) -> str:
        """The same for one scale."""
        shift = int(decompose(scale).shift)
        return formula_of(self.body, (("acc", s32), ("multiplier", s32)), shift) if self.fixed else self.formula

    @property
    def word(self) -> str:
        """Its word in the names of kernels: fp32 stands for both of its ways."""
        return self.name.partition("_")[0]

    def derive(self, scale: ArrayLike) -> FixedPoint:
        """Multiplier and shift of a scale that it takes; BadArgument for others, as `derive`."""
        single = check_scale(scale, "requantisation scale")
        low, high = single < _SMALLEST_SCALE, single >= self.below
        if low.any() or high.any():
            flat = single.reshape(-1)
            worst = int(np.argmax((low | high).reshape(-1)))
            where = "" if single.ndim == 0 else f" at channel {worst}"
            text = (f"The requantisation scale is {float(flat[worst]):.9g}{where}; "
                    f"{self.name} takes 2**-32 <= scale < {self.below}.")
            if high.any() and self.below == 1:
                larger = " or ".join(repr(row.name) for row in ROUNDINGS.values() if row.below > 1 and not row.alike)
                text += (" It multiplies by a fraction (a Q31 mantissa) and shifts right, so it cannot enlarge: choose "
                         f"a larger output scale, or requantization={larger}, which go up to 256.")
            raise BadArgument(text)
        return decompose(single)

    def of(self, acc: ArrayLike, scale: ArrayLike) -> Int64:
        """Sums int32 [...] times scales in single precision, rounded: int64 [...]. Scales are not checked."""
        single = np.asarray(scale, np.float32)
        return in_blocks(self._read, np.int64, _sums(acc), *(decompose(single) if self.fixed else (single,)))

    def by(self, acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike) -> Int64:
        """The same by multiplier and shift, of a scheme that sees the scale so."""
        return in_blocks(self._read, np.int64, _sums(acc), multiplier, shift)

    def _read(self, acc: NDArray[Any], *factors: Any) -> Int64:
        return read_fixed(self.body, acc, *factors) if self.fixed else read_float(self.body, acc, *factors)

    def requantize(self, acc: ArrayLike, factors: tuple[Any, ...], zero_point: int, limits_: tuple[int, int],
                   dtype: Any) -> Packed8:
        """Sums to 8 bits, by multiplier and shift or by the scale: clip(rounded + zero_point, *limits_)."""
        low, high = (limit - zero_point for limit in limits_)

        def read(sums: NDArray[Any], *by: Any) -> NDArray[Any]:
            rounded = self._read(sums, *by) if self.fixed else read_float(self.body, sums, *by, as_floats=True)
            moved = np.clip(rounded, low, high)
            moved += zero_point
            return moved
        # Floats are half as long as products.
        return in_blocks(read, dtype, _sums(acc), *factors, block=BLOCK if self.fixed else 2 * BLOCK)

    def seen(self, acc: int, scale: float) -> Fraction | None:
        """The product as the last rounding is given it; None where that is exact."""
        if not self.fixed:
            return Fraction(float(np.float32(acc) * np.float32(scale)))
        multiplier, shift = (int(part) for part in decompose(scale))
        return Fraction(int(srdhm(acc, multiplier)), 1 << shift) if self.twice and shift > 0 else None

    def steps(self, acc: int, scale: float) -> tuple[str, ...]:
        """One sum on its way, a line for each number that has a name."""
        multiplier, shift = (int(part) for part in decompose(scale))
        if self.fixed:
            return steps_of(self.body, {"acc": (s32, acc), "M": (s32, multiplier)}, shift)
        return steps_of(self.body, {"acc": (s32, acc), "scale": (f32, int(np.float32(scale).view(np.uint32)))})


def _sums(acc: ArrayLike) -> NDArray[Any]:
    given = np.asarray(acc)
    return given if given.dtype == np.int32 else int32_accumulators(given)


class FixedRequantize(Protocol):
    """A scheme that sees the scale as multiplier and shift, as a function of arrays; `row` is the scheme."""

    row: Rounding

    def __call__(self, acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0,
                 lo: int | None = None, hi: int | None = None, dtype: Any = "uint8") -> Packed8: ...


class FloatRequantize(Protocol):
    """A scheme that multiplies in single precision, as a function of arrays; `row` is the scheme."""

    row: Rounding

    def __call__(self, acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None,
                 hi: int | None = None, dtype: Any = "uint8") -> Packed8: ...


ROUNDINGS: dict[str, Rounding] = {}     # what `requantization=` takes
LABORATORY: dict[str, Rounding] = {}    # what is compared with them

FixedBody = Callable[[Lanes, Lanes, int], Lanes]
FloatBody = Callable[[Lanes, Lanes], Lanes]


class _Written(Protocol):
    """What `rounding` gives: bodies become functions of arrays."""

    @overload
    def __call__(self, body: FixedBody) -> FixedRequantize: ...
    @overload
    def __call__(self, body: FloatBody) -> FloatRequantize: ...


def rounding(*, of: dict[str, Rounding] | None = None, **fields: Any) -> _Written:
    """Make a body a scheme; the arguments are fields of `Rounding`.

    of   the table that lists it: ROUNDINGS, the usual, LABORATORY, or one of one's own

    The function is left as one of arrays, with the docstring of the body:

        q = clip(rounded + zero_point, lo, hi), of dtype
    """
    def written(body: Any) -> Any:
        row = Rounding(body.__name__, body, **fields)
        (ROUNDINGS if of is None else of)[row.name] = row

        def fixed(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
                  hi: int | None = None, dtype: Any = "uint8") -> Packed8:
            check_fixed(multiplier, shift, row.least_shift)
            return row.requantize(acc, (multiplier, shift), zero_point, limits(dtype, lo, hi, zero_point), dtype)

        def floating(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None,
                     hi: int | None = None, dtype: Any = "uint8") -> Packed8:
            row.derive(scale)
            return row.requantize(acc, (np.asarray(scale, np.float32),), zero_point,
                                  limits(dtype, lo, hi, zero_point), dtype)

        made: Any = fixed if row.fixed else floating
        made.row = row
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(made, name, getattr(body, name))
        return made
    return written


def check_fixed(multiplier: ArrayLike, shift: ArrayLike, lowest_shift: int) -> None:
    """Raises BadArgument for what is no multiplier of 31 bits, and for a shift outside lowest_shift..31."""
    m, s = np.asarray(multiplier), np.asarray(shift)
    if m.dtype.kind not in "iu" or s.dtype.kind not in "iu":
        raise BadArgument(f"multiplier and shift are integers; got {m.dtype} and {s.dtype}.")
    if ((m < 1 << 30) | (m >= 1 << 31)).any():
        raise BadArgument(f"multiplier must be normalized, 2**30 <= multiplier < 2**31; got {m.tolist()}.")
    if ((s < lowest_shift) | (s > 31)).any():
        raise BadArgument(f"shift must be in {lowest_shift}..31 bits to the right; got {s.tolist()}.")


# ---- words that bodies share -----------------------------------------------------------------------------------------

def doubled_high(n: Lanes, m: Lanes) -> Lanes:
    """The high half of 2 * n * m of 32-bit lanes, ties up, in 64 bits: SQRDMULH (Y09)."""
    return wide(n) * wide(m) + (1 << 30) >> 31


def shifted_up(n: Lanes, shift: int) -> Lanes:
    """n / 2**shift, to nearest, ties up: SRSHL."""
    return n + (1 << shift >> 1) >> shift


def shifted_away(n: Lanes, shift: int) -> Lanes:
    """n / 2**shift, to nearest, ties away from zero: gemmlowp's RoundingDivideByPOT (Y10)."""
    mask = (1 << shift) - 1
    remainder = (n & mask) + (n >> bits(n) - 1)
    return (n >> shift) - signed(compare(remainder, ">", mask >> 1))


def leftward(shift: int) -> int:
    """How far a shift to the right goes to the left."""
    return shift.leftward() if isinstance(shift, Letter) else max(-shift, 0)


def rightward(shift: int) -> int:
    """How far it goes to the right."""
    return shift.rightward() if isinstance(shift, Letter) else max(shift, 0)


# ---- integer schemes -------------------------------------------------------------------------------------------------

@rounding(ties="away from zero", below=256, neon="SMULL, add -1 if negative, SRSHL (64-bit lanes)",
          source="QNNPACK: precise; XNNPACK: rndna", kernels=("requantize",),
          says="with one exact rounding, ties away from zero")
def precise(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Requantize with one exact rounding, ties away from zero: the oracle (XNNPACK calls it rndna).

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
    product = wide(acc) * wide(multiplier)
    return product + (product >> 63) + (1 << 30 + shift) >> 31 + shift


@rounding(ties="up", below=256, neon="SQSHL, SQDMULH, SRSHL", source="XNNPACK",
          kernels=("requantize", "gemm", "vmul"), says="with one exact rounding, ties up")
def rndnu(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Requantize with one exact rounding, ties up (towards plus infinity): XNNPACK's scheme on Arm.

    q = clip(((acc * multiplier + 2**(30+shift)) >> (31+shift)) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, -8..31 (negative for scales of 1 and more)
    ->          dtype [..., n]

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R08). In NEON: SQSHL by a pre-shift, SQDMULH, SRSHL by a post-shift of at least 1, in 32 bits.

    >>> rndnu([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return wide(acc) * wide(multiplier) + (1 << 30 + shift) >> 31 + shift


@rounding(ties="to even", below=256, neon="SCVTF, FMUL, FCVTNS", source="QNNPACK and XNNPACK, Armv8",
          default=("int8",), kernels=("requantize", "gemm", "vmul"), says="in single precision, ties to even")
def fp32_lrint(acc: Lanes, scale: Lanes) -> Lanes:
    """Requantize in single precision: convert, multiply, round to the nearest integer, ties to even.

    q = clip(rint(float32(acc) * float32(scale)) + zero_point, lo, hi)

    acc     int32 [..., n]     above 2**24 the conversion rounds too
    scale   float32 [n] or []  2**-32 <= scale < 256
    ->      dtype [..., n]

    Source: (R02). In AArch64: SCVTF, FMUL, FCVTNS, SQXTN, SQADD, SQXTUN.

    >>> fp32_lrint([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    return float_to_int(_product(acc, scale), s64, "n", 0, 0)[0]


@rounding(ties="to even", below=256, neon="VCVT, VMUL, VMAX, VMIN, VADD, VSUB (A32)",
          source="QNNPACK and XNNPACK, Armv7", alike="fp32_lrint")
def fp32_magic(acc: Lanes, scale: Lanes) -> Lanes:
    """fp32_lrint where no instruction rounds to an integer: clamp, add 12582912.0, read the bits as an integer.

    q = clip(bits(clip(float32(acc) * float32(scale), -2**22, 2**22) + 12582912.0) - 0x4B400000 + zero_point, lo, hi)

    The sum lies in [2**23, 2**24), where neighbours are 1 apart, so the addition itself rounds, ties to even. That
    holds for |f| <= 2**22 only: hence a clamp comes first. Kernels clamp to lo - zero_point .. hi - zero_point there,
    and have none to do behind.

    Arguments and values as fp32_lrint.
    Source: (R03). In AArch32 (no VCVTN before Armv8): VCVT, VMUL, VMIN, VMAX, VADD, VSUB.

    >>> fp32_magic([-3, -1, 1, 3], 0.5, dtype="int8").tolist()
    [-2, 0, 0, 2]
    """
    product = _product(acc, scale)
    least, most, magic = (constants(product, (pattern,)) for pattern in (_REACH | _SIGN, _REACH, MAGIC_BITS))
    near, _ = float_min(float_max(product, least, 0)[0], most, 0)
    return wide(signed(float_add(near, magic, 0)[0]) - MAGIC_BITS)


def _product(acc: Lanes, scale: Lanes) -> Lanes:
    return float_mul(float_from_int(acc, scale.type, 0, 0)[0], scale, 0)[0]


@rounding(ties="up, then away from zero", below=1, neon="SQRDMULH, BIC, SSRA, SRSHL",
          source="QNNPACK's kernels", twice=True, default=("uint8",), kernels=("requantize",),
          says="with two roundings: half up, then half away from zero")
def q31(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Requantize as QNNPACK's kernels: a Q31 product rounded half-up, then a shift rounded half away from zero.

    p = (acc * multiplier + 2**30) >> 31
    y = (p >> shift) + [ (p & mask) - [p < 0] > mask >> 1 ],   mask = 2**shift - 1
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
    return shifted_away(doubled_high(acc, multiplier), shift)


@rounding(ties="up, then away from zero", below=1, neon="SQRDMULH, AND, SSHR, SQADD, SRSHL",
          source="gemmlowp", twice=True, alike=q31.row.name, kernels=("requantize",),
          says="by SRDHM, then RDivPOT: the values of q31")
def gemmlowp(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Requantize as gemmlowp: SRDHM, then RDivPOT, then the zero point, then the clamp. Same values as q31.

    q = clip(rdivpot(srdhm(acc * 2**max(-shift, 0), multiplier), max(shift, 0)) + zero_point, lo, hi)

    acc         int32 [..., n]   sums of products plus bias
    multiplier  int64 [n] or []  Q31 mantissa, 2**30 <= multiplier < 2**31
    shift       int   [n] or []  right shift in bits, 0..31
    ->          dtype [..., n]

    The exponent form for scales of 1 and more is left to `requant.double_scale`: what its left shift moves out of 32
    bits is lost here, and undefined in C++ (Y11).

    Raises BadArgument if a multiplier is not normalised, a shift, zero point or clamp is out of range.
    Source: (R05, Y09, Y10).

    >>> gemmlowp([-3, -1, 1, 3], *derive(0.5), dtype="int8").tolist()
    [-1, 0, 1, 2]
    """
    return shifted_away(doubled_high(acc << leftward(shift), multiplier), rightward(shift))


# ---- only compared with them -----------------------------------------------------------------------------------------

@rounding(ties="up", below=256, neon="SQSHL, SQDMULH, SRSHL", source="ruy", alike=rndnu.row.name,
          of=LABORATORY)
def ruy(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """Requantize as ruy's kernels for Arm: rndnu; for scales of 1 and more sums are shifted to the left first.

    Source: (R10).
    """
    left, right = leftward(shift), rightward(shift)
    moved = sat(wide(acc) << left, s32)[0] if left else acc
    return wide(moved) * wide(multiplier) + (1 << 30 + right) >> 31 + right


@rounding(ties="away from zero, in float", below=256, neon="SCVTF, FMUL, FCVTAS", source="ncnn, Tengine",
          of=LABORATORY)
def ncnn(acc: Lanes, scale: Lanes) -> Lanes:
    """Requantize in single precision, ties away from zero.

    Source: (R11).
    """
    return float_to_int(_product(acc, scale), s64, "a", 0, 0)[0]


# ---- by name ---------------------------------------------------------------------------------------------------------

_ALIASES = {row.word: row.name for row in reversed(ROUNDINGS.values()) if row.word not in ROUNDINGS}


def scheme_name(name: str) -> str:
    """A scheme by its own name: "fp32" is fp32_lrint."""
    return _ALIASES.get(name, name)


def scheme_word(name: str) -> str:
    """Its word in the names of kernels and contracts; other names are left."""
    return ROUNDINGS[name].word if name in ROUNDINGS else name


def served(family: str) -> list[Rounding]:
    """The schemes with which a family has kernels.

    >>> [row.word for row in served("vmul")]
    ['rndnu', 'fp32']
    """
    return [row for row in ROUNDINGS.values() if family in row.kernels]


def default_rounding(dtype: str) -> Rounding:
    """How results of a type are requantised where no scheme is named: as by the library whose kernels they have.

    >>> default_rounding("int8").word
    'fp32'
    """
    return next(row for row in ROUNDINGS.values() if dtype in row.default)


def rounding_named(name: str) -> Rounding:
    """The scheme of that name ("fp32" is fp32_lrint). Raises BadArgument naming those there are.

    >>> rounding_named("fp32").name
    'fp32_lrint'
    """
    known = ROUNDINGS.get(scheme_name(name)) if isinstance(name, str) else None
    if known is None:
        raise BadArgument(f"There is no requantization {name!r}. There are {', '.join([*ROUNDINGS, *_ALIASES])}.")
    return known


def limits(dtype: Any, lo: int | None = None, hi: int | None = None, zero_point: int = 0) -> tuple[int, int]:
    """Clamp range within a quantised type: what is left open is filled with the limits of the type.

    Raises BadArgument for a type other than uint8, int8 and int16, for values outside it, and for lo > hi.

    >>> limits("int8", lo=0)
    (0, 127)
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {dtype!r}.") from None
    found = _INTEGERS.get(kind)
    if found is None:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {kind}.")
    least, most, name = found
    as_int(zero_point, f"zero_point of {name}", least, most)
    low = least if lo is None else as_int(lo, f"output_min of {name}", least, most)
    high = most if hi is None else as_int(hi, f"output_max of {name}", least, most)
    if low > high:
        raise BadArgument(f"output_min {low} is greater than output_max {high}: no value would be left.")
    return low, high


def derive(scale: ArrayLike, scheme: str = q31.row.name) -> FixedPoint:
    """Multiplier and shift of a requantisation scale, after checking that the scheme takes it.

    scale    float [] or [n]   input scale * weight scale / output scale, in single precision
    ->       FixedPoint        multiplier 2**30..2**31-1; shift 0..31 (q31, gemmlowp), -8..31 (the others)

    Raises BadArgument: q31 and gemmlowp take scales below 1 (strict, as QNNPACK), the others below 256 (as XNNPACK);
    none takes less than 2**-32.
    Source: (X27, Z09).

    >>> derive(1 / 90)
    FixedPoint(multiplier=array(1527099520), shift=array(6))
    """
    return rounding_named(scheme).derive(scale)
