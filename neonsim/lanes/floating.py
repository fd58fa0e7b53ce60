"""Floating point, defined: what each floating word does to bit patterns, with Python integers alone.

A number is sign * mantissa * 2**exponent, whatever comes out of an operation is an exact integer (or an integer and
the knowledge that something is left over), and there is one place that rounds: `_rounded`. Nothing here is fast, and
nothing depends on the host: this is what the other readings are judged by.

How each reading comes to the same bits:

symbolic                     calls these functions
generated Python             (`quick_float`) Python's float for ordinary numbers, else these functions; one tile too
numpy (`numeric_float`)      the host's float32 for + - * / and square roots, which IEEE 754 fixes to the last bit; its
                             float64, where products are exact, for fused multiply-add (rounded to odd) and for flags
shadow                       the numpy reading; a lane with an unknown bit is unknown
C (`source_c_float`)         as numpy, lane by lane, in C11's float and double

Two sets of rules exist ("plain", "standard"). Plain: FPCR and FPSCR as a reset leaves them: round to nearest even,
denormal numbers are numbers, a NaN keeps its payload. Standard: what AArch32 Advanced SIMD always computes by, whatever
FPSCR says: denormal operands count as zero (IDC), denormal results become zero (UFC), every NaN is the default NaN.

Programs that change FPCR or FPSCR are not taken: no quantised kernel does, so rounding modes are those that
instructions name. Source: DDI 0487, shared/functions/float (FPRound, FPProcessNaNs, FPRecipEstimate ...), and E1.3 for
AArch32.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["BF16", "DZC", "EXCEPTIONS", "F16", "F32", "FORMATS", "IDC", "IOC", "IXC", "OFC", "UFC", "FloatWord",
           "Format", "recip_estimate", "rsqrt_estimate"]

# Cumulative exceptions, at their places in FPSR and FPSCR: invalid operation, division by zero, overflow, underflow,
# inexact, input denormal.
IOC, DZC, OFC, UFC, IXC, IDC = 1, 2, 4, 8, 16, 128
EXCEPTIONS = IOC | DZC | OFC | UFC | IXC | IDC

Outcome = tuple[int, int]  # (bit pattern, exceptions)


class Format(NamedTuple):
    """A binary format: bits of the biased exponent and of the fraction."""

    exponent: int
    fraction: int

    @property
    def infinity(self) -> int:
        return (1 << self.exponent) - 1 << self.fraction

    @property
    def quiet(self) -> int:
        """The bit that makes a NaN quiet; with infinity's bits it is the default NaN."""
        return 1 << self.fraction - 1

    @property
    def sign(self) -> int:
        return 1 << self.exponent + self.fraction

    @property
    def lowest(self) -> int:
        """The exponent of the unit of denormal numbers."""
        return 3 - (1 << self.exponent - 1) - 1 - self.fraction


F16, F32, BF16 = Format(5, 10), Format(8, 23), Format(8, 7)
FORMATS = {"f16": F16, "f32": F32, "bf16": BF16}
DEFAULT_NAN = F32.infinity | F32.quiet
ONE_HALF, TWO, THREE = 0x3FC00000, 0x40000000, 0x40400000  # 1.5, 2, 3


_TEXTS = {
    "add": "round({0} + {1})", "sub": "round({0} - {1})", "mul": "round({0} * {1})", "div": "round({0} / {1})",
    "sqrt": "round(root({0}))", "fma": "round({0} + {1} * {2})", "compare": "({0} {2} {1})",
    "nzcv": "compare({0}, {1})",
    "to_int": "{1}{2}({0} * 2**{3}, {4})", "from_int": "round({0} / 2**{3})", "round": "integer({0}, {1})",
    "convert": "{2}({0})", "recpe": "estimate(1 / {0})", "rsqrte": "estimate(1 / root({0}))",
    "recps": "round(2 - {0} * {1})", "rsqrts": "round((3 - {0} * {1}) / 2)"}


@dataclass(frozen=True, slots=True)
class FloatWord:
    """One floating word with its choices made; calling it with bit patterns gives (bit pattern, exceptions).

    name       a function of this file without its underscore
    standard   by the rules of AArch32 Advanced SIMD
    detail     a relation, a rounding, the number of fraction bits ...
    """

    name: str
    standard: bool = False
    detail: tuple[str | int, ...] = ()

    def __call__(self, *patterns: int) -> Outcome:
        return WORDS[self.name](self, *patterns)

    def text(self, *operands: str) -> str:
        """What it computes, in words for people: round(a + n * m)."""
        if self.name in ("compare", "nzcv") and len(operands) == 1:
            operands = (*operands, "0.0")
        detail = [str(d) for d in self.detail]
        known = _TEXTS.get(self.name)
        return known.format(*operands, *detail) if known else f"{self.name}({', '.join([*operands, *detail])})"

    def __str__(self) -> str:
        tail = "".join(f"_{part}" for part in self.detail)
        return f"float_{self.name}{tail}{'_standard' if self.standard else ''}"


# ---- numbers -------------------------------------------------------------------------------------------------------

def _parts(n: int, form: Format = F32) -> tuple[int, int, int]:
    """(sign, mantissa, exponent) of a finite number."""
    fraction, biased = n & (1 << form.fraction) - 1, n >> form.fraction & (1 << form.exponent) - 1
    if biased:
        fraction |= 1 << form.fraction
    return n & form.sign, fraction, max(biased, 1) - 1 + form.lowest


def _is_nan(n: int, form: Format = F32) -> bool:
    return n & form.sign - 1 > form.infinity


def _is_infinite(n: int) -> bool:
    return n & F32.sign - 1 == F32.infinity


def _is_zero(n: int) -> bool:
    return not n & F32.sign - 1


def _flushed(word: FloatWord, *operands: int) -> tuple[list[int], int]:
    """Operands with denormal numbers made zero, if the rules say so."""
    if not word.standard:
        return list(operands), 0
    denormal = [0 < n & F32.sign - 1 < 1 << F32.fraction for n in operands]
    return [n & F32.sign if d else n for n, d in zip(operands, denormal, strict=True)], IDC * any(denormal)


def _nan(word: FloatWord, *operands: int) -> Outcome | None:
    """What NaNs make of an operation: the first signalling one, made quiet, else the first quiet one."""
    found = [n for n in operands if _is_nan(n)]
    if not found:
        return None
    signalling = [n for n in found if not n & F32.quiet]
    result = (signalling or found)[0] | F32.quiet
    return DEFAULT_NAN if word.standard else result, IOC * bool(signalling)


def _rounded(sign: int, mantissa: int, exponent: int, more: bool = False, form: Format = F32,
             flush: bool = False) -> Outcome:
    """The nearest number, ties to the even one, of mantissa * 2**exponent (and a bit more of the last place)."""
    if not mantissa:
        return sign, 0
    tiny = mantissa.bit_length() + exponent <= form.lowest + form.fraction
    if tiny and flush:
        return sign, UFC
    unit = max(mantissa.bit_length() + exponent - 1 - form.fraction, form.lowest)
    shift = unit - exponent
    assert shift > 1 or not more
    if shift > 0:
        rest, half = mantissa & (1 << shift) - 1, 1 << shift - 1
        mantissa >>= shift
        mantissa += rest > half or (rest == half and (more or mantissa & 1))
    else:
        rest, mantissa = 0, mantissa << -shift
    inexact = bool(rest) or more
    # A mantissa that was rounded up to a power of two carries into the exponent by itself.
    pattern = (unit - form.lowest << form.fraction) + mantissa
    if pattern >= form.infinity:
        return sign | form.infinity, OFC | IXC
    return sign | pattern, IXC * inexact | UFC * (tiny and inexact)


def _with(outcome: Outcome, flags: int) -> Outcome:
    return outcome[0], outcome[1] | flags


# ---- arithmetic ----------------------------------------------------------------------------------------------------

def _fma(word: FloatWord, a: int, n: int, m: int) -> Outcome:
    """a + n * m, rounded once."""
    (a, n, m), flags = _flushed(word, a, n, m)
    nothing = (_is_infinite(n) and _is_zero(m)) or (_is_zero(n) and _is_infinite(m))
    nan = _nan(word, a, n, m)
    if nothing and (nan is None or not nan[1]):  # also with a quiet NaN as addend
        return DEFAULT_NAN, flags | IOC
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & F32.sign
    if _is_infinite(n) or _is_infinite(m):
        if _is_infinite(a) and a & F32.sign != sign:
            return DEFAULT_NAN, flags | IOC
        return sign | F32.infinity, flags
    if _is_infinite(a):
        return a, flags
    return _with(_sum(word, _parts(a), _product(n, m)), flags)


def _product(n: int, m: int) -> tuple[int, int, int]:
    (s, x, e), (t, y, f) = _parts(n), _parts(m)
    return s ^ t, x * y, e + f


def _sum(word: FloatWord, x: tuple[int, int, int], y: tuple[int, int, int], halved: int = 0) -> Outcome:
    low = min(x[2], y[2])
    values = [(-1 if sign else 1) * (mantissa << exponent - low) for sign, mantissa, exponent in (x, y)]
    total = sum(values)
    if not total:  # -0 only of two of them
        return x[0] & y[0] if not (x[1] or y[1]) else 0, 0
    return _rounded(F32.sign if total < 0 else 0, abs(total), low - halved, flush=word.standard)


def _add(word: FloatWord, n: int, m: int) -> Outcome:
    """n + m"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    if _is_infinite(n) or _is_infinite(m):
        if _is_infinite(n) and _is_infinite(m) and n != m:
            return DEFAULT_NAN, flags | IOC
        return n if _is_infinite(n) else m, flags
    return _with(_sum(word, _parts(n), _parts(m)), flags)


def _sub(word: FloatWord, n: int, m: int) -> Outcome:
    """n - m: the sign of a NaN stays"""
    return _add(word, n, m if _is_nan(m) else m ^ F32.sign)


def _mul(word: FloatWord, n: int, m: int, nothing: Outcome = (DEFAULT_NAN, IOC)) -> Outcome:
    """n * m; ``nothing``: what 0 * infinity is"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & F32.sign
    if _is_infinite(n) or _is_infinite(m):
        return _with(nothing, flags) if _is_zero(n) or _is_zero(m) else (sign | F32.infinity, flags)
    return _with(_rounded(*_product(n, m), flush=word.standard), flags)


def _mulx(word: FloatWord, n: int, m: int) -> Outcome:
    """n * m, with 0 * infinity = 2 of its sign"""
    return _mul(word, n, m, (TWO | (n ^ m) & F32.sign, 0))


def _div(word: FloatWord, n: int, m: int) -> Outcome:
    """n / m"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & F32.sign
    if (_is_infinite(n) and _is_infinite(m)) or (_is_zero(n) and _is_zero(m)):
        return DEFAULT_NAN, flags | IOC
    if _is_infinite(n) or _is_zero(m):
        return sign | F32.infinity, flags | (0 if _is_infinite(n) else DZC)
    if _is_infinite(m) or _is_zero(n):
        return sign, flags
    (_, x, e), (_, y, f) = _parts(n), _parts(m)
    quotient, rest = divmod(x << 64, y)
    return _with(_rounded(sign, quotient, e - f - 64, bool(rest), flush=word.standard), flags)


def _sqrt(word: FloatWord, n: int) -> Outcome:
    """The square root of n"""
    (n,), flags = _flushed(word, n)
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n) or n == F32.infinity:
        return n, flags
    if n & F32.sign:
        return DEFAULT_NAN, flags | IOC
    _, mantissa, exponent = _parts(n)
    mantissa <<= 64 + (exponent & 1)
    root = math.isqrt(mantissa)
    return _with(_rounded(0, root, (exponent - (exponent & 1) - 64) // 2, root * root != mantissa), flags)


# ---- larger and smaller --------------------------------------------------------------------------------------------

def _ordered(n: int) -> int:
    """A number as an integer of the same order, both zeros 0."""
    return -(n & F32.sign - 1) if n & F32.sign else n


def _extreme(word: FloatWord, n: int, m: int, largest: bool) -> Outcome:
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n) and _is_zero(m):
        return n & m if largest else n | m, flags
    return n if (_ordered(n) > _ordered(m)) == largest else m, flags


def _max(word: FloatWord, n: int, m: int) -> Outcome:
    """The larger of n and m; +0 is larger than -0"""
    return _extreme(word, n, m, True)


def _min(word: FloatWord, n: int, m: int) -> Outcome:
    """The smaller of n and m; -0 is smaller than +0"""
    return _extreme(word, n, m, False)


def _numbers(n: int, m: int) -> tuple[int, int]:
    """A quiet NaN beside a number gives way to it."""
    first, second = (_is_nan(x) and bool(x & F32.quiet) for x in (n, m))
    return m if first and not _is_nan(m) else n, n if second and not _is_nan(n) else m


def _maxnm(word: FloatWord, n: int, m: int) -> Outcome:
    """The larger number; a quiet NaN counts only beside another NaN"""
    return _extreme(word, *_numbers(n, m), True)


def _minnm(word: FloatWord, n: int, m: int) -> Outcome:
    """The smaller number; a quiet NaN counts only beside another NaN"""
    return _extreme(word, *_numbers(n, m), False)


# ---- comparisons ---------------------------------------------------------------------------------------------------

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda x, y: x == y, ">=": lambda x, y: x >= y, ">": lambda x, y: x > y, "<=": lambda x, y: x <= y,
    "<": lambda x, y: x < y}


def _compare(word: FloatWord, n: int, m: int = 0) -> Outcome:
    """All ones if n relation m holds; nothing holds of a NaN. "==" complains of signalling NaNs only"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return 0, flags | (nan[1] if word.detail[0] == "==" else IOC)
    return 0xFFFFFFFF * _RELATIONS[str(word.detail[0])](_ordered(n), _ordered(m)), flags


def _nzcv(word: FloatWord, n: int, m: int = 0) -> Outcome:
    """NZCV of a comparison: less 1000, equal 0110, greater 0010, not comparable 0011; detail: complain of every NaN"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return 3, flags | (IOC if word.detail[0] else nan[1])
    x, y = _ordered(n), _ordered(m)
    return 8 if x < y else 6 if x == y else 2, flags


# ---- integers ------------------------------------------------------------------------------------------------------

def _integer(sign: int, mantissa: int, exponent: int, rounding: str) -> tuple[int, bool]:
    """(a number as an integer, whether that is exact); rounding: as the letter in FCVT and FRINT."""
    value = -mantissa if sign else mantissa
    if exponent >= 0:
        return value << exponent, True
    exponent = max(exponent, -200)  # what is smaller rounds alike
    floor, rest, half = value >> -exponent, value & (1 << -exponent) - 1, 1 << -exponent - 1
    up = {"n": rest > half or (rest == half and floor & 1), "a": rest > half or (rest == half and value > 0),
          "m": False, "p": rest > 0, "z": rest > 0 and value < 0}[rounding]
    return floor + bool(up), not rest


def _to_int(word: FloatWord, n: int) -> Outcome:
    """n * 2**fbits as an integer, clamped; detail: "s" or "u", width, fbits, rounding"""
    kind, width, fbits, rounding = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    (n,), flags = _flushed(word, n)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind == "s" else (0, (1 << width) - 1)
    mask = (1 << width) - 1
    if _is_nan(n):
        return 0, flags | IOC
    if _is_infinite(n):
        return (low if n & F32.sign else high) & mask, flags | IOC
    sign, mantissa, exponent = _parts(n)
    value, exact = _integer(sign, mantissa, exponent + fbits, str(rounding))
    if not low <= value <= high:
        return (low if value < low else high) & mask, flags | IOC
    return value & mask, flags | IXC * (not exact)


def _from_int(word: FloatWord, n: int) -> Outcome:
    """The integer n * 2**-fbits as a number; detail: "s" or "u", width, fbits"""
    kind, width, fbits = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    n &= (1 << width) - 1
    value = n - (1 << width) if kind == "s" and n >> width - 1 else n
    return _rounded(F32.sign if value < 0 else 0, abs(value), -fbits)


def _round(word: FloatWord, n: int) -> Outcome:
    """n rounded to an integer that is a number; detail: rounding, and 1 if a change counts as inexact"""
    (n,), flags = _flushed(word, n)
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_infinite(n):
        return n, flags
    sign, mantissa, exponent = _parts(n)
    value, exact = _integer(sign, mantissa, exponent, str(word.detail[0]))
    return _rounded(sign, abs(value), 0)[0], flags | IXC * (bool(word.detail[1]) and not exact)


# ---- other formats -------------------------------------------------------------------------------------------------

def _convert(word: FloatWord, n: int) -> Outcome:
    """n in another format; detail: names of the two"""
    source, target = (FORMATS[str(name)] for name in word.detail)
    flags = 0
    if source is F32:
        (n,), flags = _flushed(word, n)
    sign = target.sign if n & source.sign else 0
    if _is_nan(n, source):
        shift = target.fraction - source.fraction
        fraction = n & (1 << source.fraction) - 1
        payload = target.quiet | (fraction << shift if shift >= 0 else fraction >> -shift)
        default = target.infinity | target.quiet
        return (default if word.standard else sign | target.infinity | payload,
                flags | IOC * (not n & source.quiet))
    if n & source.sign - 1 == source.infinity:
        return sign | target.infinity, flags
    # Denormal half-precision numbers are numbers by the standard rules too.
    return _with(_rounded(sign, *_parts(n, source)[1:], form=target), flags)


# ---- estimates and steps -------------------------------------------------------------------------------------------

def recip_estimate(a: Any, divide: Callable[[Any, Any], Any] = operator.floordiv) -> Any:
    """256..511 -> 256..511: the manual's RecipEstimate, 2**17 / (a + 1/2) rounded; of integers, or of lanes with the
    division of lanes."""
    return divide((a & 0) + (1 << 19), a << 1 | 1) + 1 >> 1


def rsqrt_estimate(a: Any, less: Callable[[Any, int], Any] = operator.lt,
                   pick: Callable[[Any, Any, Any], Any] = lambda truth, n, m: n if truth else m) -> Any:
    """128..511 -> 256..511: the manual's RecipSqrtEstimate; of integers, or of lanes with their words."""
    scaled = pick(less(a, 256), a << 1 | 1, (a | 1) << 1)
    root = (a & 0) + 512
    for step in (256, 128, 64, 32, 16, 8, 4, 2, 1):  # the largest root with scaled * root**2 < 2**28
        further = root + step
        root = pick(less(scaled * further * further, 1 << 28), further, root)
    return root + 1 >> 1


def _normal(n: int) -> tuple[int, int]:
    """(mantissa of 24 bits, biased exponent) of a number that is not 0, the exponent as small as need be."""
    fraction, biased = n & (1 << 23) - 1, n >> 23 & 255
    if biased:
        return fraction | 1 << 23, biased
    shift = 24 - fraction.bit_length()
    return fraction << shift, 1 - shift


def _recpe(word: FloatWord, n: int) -> Outcome:
    """An estimate of 1 / n, eight bits good"""
    (n,), flags = _flushed(word, n)
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    sign = n & F32.sign
    if _is_infinite(n):
        return sign, flags
    if _is_zero(n):
        return sign | F32.infinity, flags | DZC
    if n & F32.sign - 1 < 1 << 21:  # 2**-128 and less
        return sign | F32.infinity, flags | OFC | IXC
    mantissa, biased = _normal(n)
    fraction, result = (recip_estimate(mantissa >> 15) & 255) << 15, 253 - biased
    if result <= 0:
        if word.standard:
            return sign, flags | UFC
        fraction, result = (1 << 23 | fraction) >> 1 - result, 0
    return sign | result << 23 | fraction, flags


def _rsqrte(word: FloatWord, n: int) -> Outcome:
    """An estimate of 1 / sqrt(n), eight bits good"""
    (n,), flags = _flushed(word, n)
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n):
        return n | F32.infinity, flags | DZC
    if n & F32.sign:
        return DEFAULT_NAN, flags | IOC
    if _is_infinite(n):
        return 0, flags
    mantissa, biased = _normal(n)
    estimate = rsqrt_estimate(mantissa >> (16 if biased & 1 else 15))
    return (380 - biased) // 2 << 23 | (estimate & 255) << 15, flags


def _step(word: FloatWord, n: int, m: int, start: int, nothing: int, halved: int) -> Outcome:
    """(start - n * m) / 2**halved, rounded once (plain) or at each operation (standard); 0 * infinity: ``nothing``"""
    (n, m), flags = _flushed(word, n, m)
    if (_is_infinite(n) and _is_zero(m)) or (_is_zero(n) and _is_infinite(m)):
        return nothing, flags
    if word.standard:
        product, first = _mul(word, n, m)
        difference, second = _sub(word, start, product)
        result, third = _div(word, difference, TWO) if halved else (difference, 0)
        return result, flags | first | second | third
    n ^= F32.sign
    if _nan(word, n, m) is not None or _is_infinite(n) or _is_infinite(m):
        return _fma(word, start, n, m)
    return _sum(word, _parts(start), _product(n, m), halved)


def _recps(word: FloatWord, n: int, m: int) -> Outcome:
    """2 - n * m: a step of Newton's for 1 / n"""
    return _step(word, n, m, TWO, TWO, 0)


def _rsqrts(word: FloatWord, n: int, m: int) -> Outcome:
    """(3 - n * m) / 2: a step of Newton's for 1 / sqrt(n)"""
    return _step(word, n, m, THREE, ONE_HALF, 1)


WORDS: dict[str, Callable[..., Outcome]] = {function.__name__[1:]: function for function in (
    _add, _sub, _mul, _mulx, _div, _sqrt, _fma, _max, _min, _maxnm, _minnm, _compare, _nzcv, _to_int, _from_int, _round,
    _convert, _recpe, _rsqrte, _recps, _rsqrts)}
