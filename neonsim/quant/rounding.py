"""How the schemes of requantisation round: a body each, and its row.

A body takes lanes of sums and the scale, as multiplier and shift or as a float, and gives lanes of 64 bits: the rounded
product, before zero point and clamp. It is written in the vocabulary of instructions, once; `Rounding` of
`neonsim.quant.rounding_row` and `neonsim.quant.readings` say how it is read.

Source: QNNPACK, gemmlowp and XNNPACK (R01, R02, R03, R04, R05, R08); tie rules (Z10, Z11, R17).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from neonsim.arm.semantics import (
    Lanes,
    bits,
    compare,
    constants,
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
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import FixedPoint
from neonsim.quant.readings import Letter
from neonsim.quant.rounding_row import (
    LABORATORY,
    ROUNDINGS,
    FixedRequantize,
    FloatRequantize,
    Packed8,
    Rounding,
    check_fixed,
    limits,
    rounding,
)

__all__ = ["LABORATORY", "MAGIC_BITS", "ROUNDINGS", "FixedRequantize", "FloatRequantize", "Packed8", "Rounding",
           "check_fixed", "default_rounding", "derive", "doubled_high", "fp32_lrint", "fp32_magic", "gemmlowp",
           "leftward", "limits", "ncnn", "precise", "q31", "rightward", "rndnu", "rounding",
           "rounding_named", "ruy", "scheme_name", "scheme_word", "served", "shifted_away", "shifted_up"]

MAGIC_BITS = 0x4B400000         # 12582912.0 = 1.5 * 2**23 as an integer: added, it rounds a float32 (R03)
_REACH = 0x4A800000             # 2.0**22: as far as it does
_SIGN = 1 << 31


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
        raise BadArgument(f"Unknown requantization {name!r}. Use {', '.join([*ROUNDINGS, *_ALIASES])}.")
    return known


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
