"""Floating point, defined: what each floating word does to bit patterns, with Python integers alone.

A number is sign * mantissa * 2**exponent, whatever comes out of an operation is an exact integer (or an integer and
the knowledge that something is left over), and there is one place that rounds: `_rounded`. The formats
(`float_formats`) are half, single and double precision and BF16; all words take all of them. Nothing here is fast, and
nothing depends on the host: this is what the other readings are judged by.

How each reading comes to the same bits:

symbolic                     calls these functions
generated Python             (`quick_float`) Python's float for ordinary float32, else these functions; one tile too
numpy (`numeric_float`)      the host's float32 for + - * / and square roots, which IEEE 754 fixes to the last bit; its
                             float64, where products are exact, for fused multiply-add (rounded to odd) and for flags
shadow                       the numpy reading; a lane with an unknown bit is unknown
C (`source_c_float`)         as numpy, lane by lane, in C11's float and double, or in integers of 128 bits

Rules are those of FPCR: rounding, flushing of denormal numbers (operands: IDC, but for half precision; results: UFC),
one NaN. AArch32 Advanced SIMD always computes by `STANDARD`, whatever FPSCR says.

Source: DDI 0487, shared/functions/float (FPRound, FPProcessNaNs, FPRecipEstimate ...), and E1.3 for AArch32.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from .float_formats import (
    AHP,
    DN,
    DZC,
    F16,
    FORMATS,
    IDC,
    IOC,
    IXC,
    OFC,
    ROUNDING,
    STEPWISE,
    UFC,
    Format,
    direction,
    flushes,
)

__all__ = ["FloatWord", "recip_estimate", "rsqrt_estimate"]

Outcome = tuple[int, int]  # (bit pattern, exceptions)

_TEXTS = {
    "add": "round({0} + {1})", "sub": "round({0} - {1})", "mul": "round({0} * {1})", "div": "round({0} / {1})",
    "sqrt": "round(root({0}))", "fma": "round({0} + {1} * {2})", "compare": "({0} {2} {1})",
    "nzcv": "compare({0}, {1})",
    "to_int": "{1}{2}({0} * 2**{3}, {4})", "from_int": "round({0} / 2**{3})", "round": "integer({0}, {1})",
    "convert": "{2}({0})", "widen": "f32({0})", "recpe": "estimate(1 / {0})", "recpx": "inverted exponent({0})",
    "rsqrte": "estimate(1 / root({0}))",
    "recps": "round(2 - {0} * {1})", "rsqrts": "round((3 - {0} * {1}) / 2)", "javascript": "s32({0} modulo 2**32)",
    "javascript_exact": "whole({0})"}


@dataclass(frozen=True, slots=True)
class FloatWord:
    """One floating word with its choices made; calling it with bit patterns gives (bit pattern, exceptions).

    name       a function of this file without its underscore
    format     "f16" "f32" "f64", of the operands and of the result; of `from_int` and `convert` that of the result
    rules      bits 26 to 19 of FPCR, `float_formats`; of a word in a text `LiveRules`
    detail     a relation, a rounding, the number of fraction bits ...
    """

    name: str
    format: str = "f32"
    rules: Any = 0
    detail: tuple[str | int, ...] = ()

    def __call__(self, *patterns: int) -> Outcome:
        return WORDS[self.name](self, *patterns)

    @property
    def form(self) -> Format:
        return FORMATS[self.format]

    def with_rules(self, rules: int) -> FloatWord:
        """Return the same word by these rules."""
        return _ruled(self, rules)

    def text(self, *operands: str) -> str:
        """Return what it computes, in words for people: round(a + n * m)."""
        if self.name in ("compare", "nzcv") and len(operands) == 1:
            operands = (*operands, "0.0")
        detail = [str(d) for d in self.detail]
        known = _TEXTS.get(self.name)
        return known.format(*operands, *detail) if known else f"{self.name}({', '.join([*operands, *detail])})"

    def __str__(self) -> str:
        tail = "".join(f"_{part}" for part in self.detail)
        rules = f"_rules{self.rules:x}" if type(self.rules) is int and self.rules else ""
        return f"float_{self.name}_{self.format}{tail}{rules}"


@cache
def _ruled(word: FloatWord, rules: int) -> FloatWord:
    return replace(word, rules=rules)


# ---- numbers -------------------------------------------------------------------------------------------------------

def _parts(n: int, form: Format) -> tuple[int, int, int]:
    """(sign, mantissa, exponent) of a finite number."""
    fraction, biased = n & (1 << form.fraction) - 1, n >> form.fraction & (1 << form.exponent) - 1
    if biased:
        fraction |= 1 << form.fraction
    return n & form.sign, fraction, max(biased, 1) - 1 + form.lowest


def _is_nan(n: int, form: Format) -> bool:
    return n & form.sign - 1 > form.infinity


def _is_infinite(n: int, form: Format) -> bool:
    return n & form.sign - 1 == form.infinity


def _is_zero(n: int, form: Format) -> bool:
    return not n & form.sign - 1


def _zero_times_infinity(n: int, m: int, form: Format) -> bool:
    return (_is_infinite(n, form) and _is_zero(m, form)) or (_is_zero(n, form) and _is_infinite(m, form))


def _flushed(word: FloatWord, *operands: int, form: Format | None = None) -> tuple[list[int], int]:
    """Operands with denormal numbers made zero, if the rules say so; of half precision that raises nothing."""
    form = form or word.form
    if not flushes(word.rules, form):
        return list(operands), 0
    denormal = [0 < n & form.sign - 1 < 1 << form.fraction for n in operands]
    return ([n & form.sign if d else n for n, d in zip(operands, denormal, strict=True)],
            IDC * any(denormal) if form is not F16 else 0)


def _nan(word: FloatWord, *operands: int) -> Outcome | None:
    """What NaNs make of an operation: the first signalling one, made quiet, else the first quiet one."""
    form = word.form
    found = [n for n in operands if _is_nan(n, form)]
    if not found:
        return None
    signaling = [n for n in found if not n & form.quiet]
    result = (signaling or found)[0] | form.quiet
    return form.nan if word.rules & DN else result, IOC * bool(signaling)


def _rounded(sign: int, mantissa: int, exponent: int, form: Format, rules: int = 0, more: bool = False,
             flush: bool | None = None, alternative: bool = False) -> Outcome:
    """The number that rules say, of mantissa * 2**exponent (and a bit more of the last place).

    flush         whether a denormal result is zero: as the rules say, if None
    alternative   half precision without infinities: the largest exponent is one more of numbers
    """
    if not mantissa:
        return sign, 0
    tiny = mantissa.bit_length() + exponent <= form.lowest + form.fraction
    if tiny and (flushes(rules, form) if flush is None else flush):
        return sign, UFC
    unit = max(mantissa.bit_length() + exponent - 1 - form.fraction, form.lowest)
    shift = unit - exponent
    assert shift > 1 or not more
    towards = direction(rules)
    outwards = {"p": not sign, "m": bool(sign)}.get(towards, False)
    if shift > 0:
        rest, half = mantissa & (1 << shift) - 1, 1 << shift - 1
        mantissa >>= shift
        if towards == "n":
            mantissa += rest > half or (rest == half and (more or mantissa & 1))
        elif towards == "o":
            mantissa |= bool(rest or more)
        else:
            mantissa += outwards and bool(rest or more)
    else:
        rest, mantissa = 0, mantissa << -shift
    inexact = bool(rest) or more
    # A mantissa that was rounded up to a power of two carries into the exponent by itself.
    pattern = (unit - form.lowest << form.fraction) + mantissa
    if alternative:
        return (sign | form.sign - 1, IOC) if pattern >= form.sign else (
            sign | pattern, IXC * inexact | UFC * (tiny and inexact))
    if pattern >= form.infinity:
        infinite = towards == "n" or outwards or (towards == "o" and rules & ROUNDING)
        return sign | form.infinity - (not infinite), OFC | IXC
    return sign | pattern, IXC * inexact | UFC * (tiny and inexact)


def _with(outcome: Outcome, flags: int) -> Outcome:
    return outcome[0], outcome[1] | flags


# ---- arithmetic ----------------------------------------------------------------------------------------------------

def _fma(word: FloatWord, a: int, n: int, m: int) -> Outcome:
    """a + n * m, rounded once."""
    (a, n, m), flags = _flushed(word, a, n, m)
    form = word.form
    nan = _nan(word, a, n, m)
    if _zero_times_infinity(n, m, form) and (nan is None or not nan[1]):  # also with a quiet NaN as addend
        return form.nan, flags | IOC
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & form.sign
    if _is_infinite(n, form) or _is_infinite(m, form):
        if _is_infinite(a, form) and a & form.sign != sign:
            return form.nan, flags | IOC
        return sign | form.infinity, flags
    if _is_infinite(a, form):
        return a, flags
    return _with(_sum(word, _parts(a, form), _product(n, m, form)), flags)


def _product(n: int, m: int, form: Format) -> tuple[int, int, int]:
    (s, x, e), (t, y, f) = _parts(n, form), _parts(m, form)
    return s ^ t, x * y, e + f


def _sum(word: FloatWord, x: tuple[int, int, int], y: tuple[int, int, int], halved: int = 0) -> Outcome:
    low, sign = min(x[2], y[2]), word.form.sign
    values = [(-1 if negative else 1) * (mantissa << exponent - low) for negative, mantissa, exponent in (x, y)]
    total = sum(values)
    if not total:  # of two zeros of one sign it is that one; else -0 if rounded down
        both = x[0] if not (x[1] or y[1]) and x[0] == y[0] else None
        return both if both is not None else sign if direction(word.rules) == "m" else 0, 0
    return _rounded(sign if total < 0 else 0, abs(total), low - halved, word.form, word.rules)


def _add(word: FloatWord, n: int, m: int) -> Outcome:
    """n + m"""
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    if _is_infinite(n, form) or _is_infinite(m, form):
        if _is_infinite(n, form) and _is_infinite(m, form) and n != m:
            return form.nan, flags | IOC
        return n if _is_infinite(n, form) else m, flags
    return _with(_sum(word, _parts(n, form), _parts(m, form)), flags)


def _sub(word: FloatWord, n: int, m: int) -> Outcome:
    """n - m: the sign of a NaN stays"""
    return _add(word, n, m if _is_nan(m, word.form) else m ^ word.form.sign)


def _mul(word: FloatWord, n: int, m: int, extended: bool = False) -> Outcome:
    """n * m; extended: 0 * infinity is 2"""
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & form.sign
    if _zero_times_infinity(n, m, form):
        return (sign | form.power(1), flags) if extended else (form.nan, flags | IOC)
    if _is_infinite(n, form) or _is_infinite(m, form):
        return sign | form.infinity, flags
    return _with(_rounded(*_product(n, m, form), form, word.rules), flags)


def _mulx(word: FloatWord, n: int, m: int) -> Outcome:
    """n * m, with 0 * infinity = 2 of its sign"""
    return _mul(word, n, m, True)


def _div(word: FloatWord, n: int, m: int) -> Outcome:
    """n / m"""
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    sign = (n ^ m) & form.sign
    if (_is_infinite(n, form) and _is_infinite(m, form)) or (_is_zero(n, form) and _is_zero(m, form)):
        return form.nan, flags | IOC
    if _is_infinite(n, form) or _is_zero(m, form):
        return sign | form.infinity, flags | (0 if _is_infinite(n, form) else DZC)
    if _is_infinite(m, form) or _is_zero(n, form):
        return sign, flags
    (_, x, e), (_, y, f) = _parts(n, form), _parts(m, form)
    quotient, rest = divmod(x << 128, y)
    return _with(_rounded(sign, quotient, e - f - 128, form, word.rules, bool(rest)), flags)


def _sqrt(word: FloatWord, n: int) -> Outcome:
    """The square root of n"""
    (n,), flags = _flushed(word, n)
    form = word.form
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n, form) or n == form.infinity:
        return n, flags
    if n & form.sign:
        return form.nan, flags | IOC
    _, mantissa, exponent = _parts(n, form)
    mantissa <<= 128 + (exponent & 1)
    root = math.isqrt(mantissa)
    return _with(_rounded(0, root, (exponent - (exponent & 1) - 128) // 2, form, word.rules, root * root != mantissa),
                 flags)


# ---- larger and smaller --------------------------------------------------------------------------------------------

def _ordered(n: int, form: Format) -> int:
    """A number as an integer of the same order, both zeros 0."""
    return -(n & form.sign - 1) if n & form.sign else n


def _extreme(word: FloatWord, n: int, m: int, largest: bool) -> Outcome:
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    nan = _nan(word, n, m)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n, form) and _is_zero(m, form):
        return n & m if largest else n | m, flags
    return n if (_ordered(n, form) > _ordered(m, form)) == largest else m, flags


def _max(word: FloatWord, n: int, m: int) -> Outcome:
    """The larger of n and m; +0 is larger than -0"""
    return _extreme(word, n, m, True)


def _min(word: FloatWord, n: int, m: int) -> Outcome:
    """The smaller of n and m; -0 is smaller than +0"""
    return _extreme(word, n, m, False)


def _numbers(word: FloatWord, n: int, m: int) -> tuple[int, int]:
    """A quiet NaN beside a number gives way to it."""
    form = word.form
    first, second = (_is_nan(x, form) and bool(x & form.quiet) for x in (n, m))
    return m if first and not _is_nan(m, form) else n, n if second and not _is_nan(n, form) else m


def _maxnm(word: FloatWord, n: int, m: int) -> Outcome:
    """The larger number; a quiet NaN counts only beside another NaN"""
    return _extreme(word, *_numbers(word, n, m), True)


def _minnm(word: FloatWord, n: int, m: int) -> Outcome:
    """The smaller number; a quiet NaN counts only beside another NaN"""
    return _extreme(word, *_numbers(word, n, m), False)


# ---- comparisons ---------------------------------------------------------------------------------------------------

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda x, y: x == y, ">=": lambda x, y: x >= y, ">": lambda x, y: x > y, "<=": lambda x, y: x <= y,
    "<": lambda x, y: x < y}


def _compare(word: FloatWord, n: int, m: int = 0) -> Outcome:
    """All ones if n relation m holds; nothing holds of a NaN. "==" complains of signalling NaNs only"""
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    nan = _nan(word, n, m)
    if nan is not None:
        return 0, flags | (nan[1] if word.detail[0] == "==" else IOC)
    holds = _RELATIONS[str(word.detail[0])](_ordered(n, form), _ordered(m, form))
    return (2 * form.sign - 1) * holds, flags


def _nzcv(word: FloatWord, n: int, m: int = 0) -> Outcome:
    """NZCV of a comparison: less 1000, equal 0110, greater 0010, not comparable 0011; detail: complain of every NaN"""
    (n, m), flags = _flushed(word, n, m)
    nan = _nan(word, n, m)
    if nan is not None:
        return 3, flags | (IOC if word.detail[0] else nan[1])
    x, y = _ordered(n, word.form), _ordered(m, word.form)
    return 8 if x < y else 6 if x == y else 2, flags


# ---- integers ------------------------------------------------------------------------------------------------------

def _integer(word: FloatWord, sign: int, mantissa: int, exponent: int, rounding: str) -> tuple[int, bool]:
    """(a number as an integer, whether that is exact); rounding: as the letter in FCVT and FRINT, "x" as FPCR says."""
    value = -mantissa if sign else mantissa
    if exponent >= 0:
        return value << exponent, True
    exponent = max(exponent, -1200)  # what is smaller rounds alike
    floor, rest, half = value >> -exponent, value & (1 << -exponent) - 1, 1 << -exponent - 1
    rounding = direction(word.rules) if rounding == "x" else rounding
    up = {"n": rest > half or (rest == half and floor & 1), "a": rest > half or (rest == half and value > 0),
          "m": False, "p": rest > 0, "z": rest > 0 and value < 0}[rounding]
    return floor + bool(up), not rest


def _to_int(word: FloatWord, n: int) -> Outcome:
    """n * 2**fbits as an integer, clamped; detail: "s" or "u", width, fbits, rounding"""
    kind, width, fbits, rounding = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    (n,), flags = _flushed(word, n)
    form = word.form
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind == "s" else (0, (1 << width) - 1)
    mask = (1 << width) - 1
    if _is_nan(n, form):
        return 0, flags | IOC
    if _is_infinite(n, form):
        return (low if n & form.sign else high) & mask, flags | IOC
    sign, mantissa, exponent = _parts(n, form)
    value, exact = _integer(word, sign, mantissa, exponent + fbits, str(rounding))
    if not low <= value <= high:
        return (low if value < low else high) & mask, flags | IOC
    return value & mask, flags | IXC * (not exact)


def _from_int(word: FloatWord, n: int) -> Outcome:
    """The integer n * 2**-fbits as a number; detail: "s" or "u", width, fbits"""
    kind, width, fbits = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    n &= (1 << width) - 1
    value = n - (1 << width) if kind == "s" and n >> width - 1 else n
    return _rounded(word.form.sign if value < 0 else 0, abs(value), -fbits, word.form, word.rules)


def _round(word: FloatWord, n: int) -> Outcome:
    """n rounded to an integer that is a number; detail: rounding, and 1 if a change counts as inexact"""
    (n,), flags = _flushed(word, n)
    form = word.form
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_infinite(n, form):
        return n, flags
    sign, mantissa, exponent = _parts(n, form)
    value, exact = _integer(word, sign, mantissa, exponent, str(word.detail[0]))
    return _rounded(sign, abs(value), 0, form)[0], flags | IXC * (bool(word.detail[1]) and not exact)


def _javascript(word: FloatWord, n: int) -> Outcome:
    """n towards zero, modulo 2**32"""
    return _whole(word, n)[:2]


def _javascript_exact(word: FloatWord, n: int) -> Outcome:
    """NZCV of that: Z if nothing was lost"""
    _, flags, exact = _whole(word, n)
    return 4 * exact, flags


def _whole(word: FloatWord, n: int) -> tuple[int, int, bool]:
    (n,), flags = _flushed(word, n)
    form = word.form
    if n & form.sign - 1 >= form.infinity:
        return 0, flags | IOC, False
    value, exact = _integer(word, *_parts(n, form), "z")
    fits = -1 << 31 <= value < 1 << 31
    return (value & 0xFFFFFFFF, flags | (IXC * (not exact) if fits else IOC),
            fits and exact and n != form.sign)


# ---- other formats -------------------------------------------------------------------------------------------------

def _convert(word: FloatWord, n: int) -> Outcome:
    """n in another format; detail: names of the two. What is half precision is never flushed"""
    source, target = (FORMATS[str(name)] for name in word.detail)
    flags, rules = 0, word.rules
    if source is not F16:
        (n,), flags = _flushed(word, n, form=source)
    sign = target.sign if n & source.sign else 0
    number = source is F16 and rules & AHP
    alternative = target is F16 and bool(rules & AHP)
    if _is_nan(n, source) and not number:
        noisy = IOC * (not n & source.quiet)
        if alternative:
            return sign, flags | IOC
        shift = target.fraction - source.fraction
        fraction = n & (1 << source.fraction) - 1
        payload = target.quiet | (fraction << shift if shift >= 0 else fraction >> -shift)
        return target.nan if rules & DN else sign | target.infinity | payload, flags | noisy
    if _is_infinite(n, source) and not number:
        if alternative:
            return sign | target.sign - 1, flags | IOC
        return sign | target.infinity, flags
    return _with(_rounded(sign, *_parts(n, source)[1:], target, rules,
                          flush=False if target is F16 else None, alternative=alternative), flags)


def _widen(word: FloatWord, n: int) -> Outcome:
    """n, half precision, as the single one of the same value; a NaN stays what it is, and nothing is raised"""
    source = F16
    (n,), _ = _flushed(word, n, form=source)
    sign = word.form.sign if n & source.sign else 0
    if n & source.infinity == source.infinity:
        return sign | word.form.infinity | (n & source.quiet * 2 - 1) << word.form.fraction - source.fraction, 0
    return _rounded(sign, *_parts(n, source)[1:], word.form)


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


def _normal(n: int, form: Format) -> tuple[int, int]:
    """Return the first nine bits of the mantissa, and the biased exponent, of a number that is not 0."""
    fraction, biased = n & (1 << form.fraction) - 1, n >> form.fraction & (1 << form.exponent) - 1
    if not biased:
        shift = form.fraction + 1 - fraction.bit_length()
        fraction, biased = fraction << shift, 1 - shift
    return (fraction | 1 << form.fraction) >> form.fraction - 8, biased


def _recpe(word: FloatWord, n: int) -> Outcome:
    """An estimate of 1 / n, eight bits good"""
    (n,), flags = _flushed(word, n)
    form, towards = word.form, direction(word.rules)
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    sign = n & form.sign
    if _is_infinite(n, form):
        return sign, flags
    if _is_zero(n, form):
        return sign | form.infinity, flags | DZC
    if n & form.sign - 1 < 1 << form.fraction - 2:  # 2**-128 and less of single precision: no number is as large
        infinite = towards == "n" or (towards == "m" if sign else towards == "p")
        return sign | form.infinity - (not infinite), flags | OFC | IXC
    nine, biased = _normal(n, form)
    fraction, result = (recip_estimate(nine) & 255) << form.fraction - 8, 2 * form.bias - 1 - biased
    if result <= 0:
        if flushes(word.rules, form):
            return sign, flags | UFC
        fraction, result = (1 << form.fraction | fraction) >> 1 - result, 0
    return sign | result << form.fraction | fraction, flags


def _recpx(word: FloatWord, n: int) -> Outcome:
    """n's sign, its exponent inverted (of 0: the largest one), fraction 0"""
    (n,), flags = _flushed(word, n)
    form = word.form
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    exponent = n & form.infinity
    return n & form.sign | (exponent ^ form.infinity if exponent else form.infinity - (1 << form.fraction)), flags


def _rsqrte(word: FloatWord, n: int) -> Outcome:
    """An estimate of 1 / sqrt(n), eight bits good"""
    (n,), flags = _flushed(word, n)
    form = word.form
    nan = _nan(word, n)
    if nan is not None:
        return _with(nan, flags)
    if _is_zero(n, form):
        return n | form.infinity, flags | DZC
    if n & form.sign:
        return form.nan, flags | IOC
    if _is_infinite(n, form):
        return 0, flags
    nine, biased = _normal(n, form)
    estimate = rsqrt_estimate(nine >> 1 if biased & 1 else nine)
    return (3 * form.bias - 1 - biased) // 2 << form.fraction | (estimate & 255) << form.fraction - 8, flags


def _step(word: FloatWord, n: int, m: int, start: int, halved: int) -> Outcome:
    """(start - n * m) / 2**halved, rounded once, or at each operation (stepwise); of 0 * infinity start / 2**halved"""
    (n, m), flags = _flushed(word, n, m)
    form = word.form
    if _zero_times_infinity(n, m, form):
        return start - (halved << form.fraction), flags
    if word.rules & STEPWISE:
        product, first = _mul(word, n, m)
        difference, second = _sub(word, start, product)
        result, third = _div(word, difference, form.power(1)) if halved else (difference, 0)
        return result, flags | first | second | third
    n ^= form.sign
    if _nan(word, n, m) is not None or _is_infinite(n, form) or _is_infinite(m, form):
        return _with(_fma(word, start, n, m), flags)
    return _with(_sum(word, _parts(start, form), _product(n, m, form), halved), flags)


def _recps(word: FloatWord, n: int, m: int) -> Outcome:
    """2 - n * m: a step of Newton's for 1 / n"""
    return _step(word, n, m, word.form.power(1), 0)


def _rsqrts(word: FloatWord, n: int, m: int) -> Outcome:
    """(3 - n * m) / 2: a step of Newton's for 1 / sqrt(n)"""
    return _step(word, n, m, word.form.power(1) | word.form.quiet, 1)


WORDS: dict[str, Callable[..., Outcome]] = {function.__name__[1:]: function for function in (
    _add, _sub, _mul, _mulx, _div, _sqrt, _fma, _max, _min, _maxnm, _minnm, _compare, _nzcv, _to_int, _from_int, _round,
    _javascript, _javascript_exact, _convert, _widen, _recpe, _recpx, _rsqrte, _recps, _rsqrts)}
