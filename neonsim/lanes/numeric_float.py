"""The numpy reading of the floating words: whole arrays of bit patterns, by the host's float32 and float64.

Why each is exact. IEEE 754 fixes + - * / and square roots of float32 to the last bit, and numpy computes them so. What
an operation left over is seen in float64: a product of two float32 has 48 bits and is exact there, so r * m == n tells
whether a quotient was, r * r == n whether a root was, and r - n == m with r - m == n whether a sum was. A fused
multiply-add is the exact product plus the addend, summed in float64 and rounded to odd (the error term of the sum says
whether its last bit must be set), which float32 can then round without harm: 53 >= 24 + 2 bits.

NaNs are chosen by integer comparisons afterwards. A host that was told to flush denormal numbers (-ffast-math in some
other library) would be wrong: then everything goes through the definition, number by number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .floating import (
    DEFAULT_NAN,
    DZC,
    F16,
    F32,
    IDC,
    IOC,
    IXC,
    OFC,
    TWO,
    UFC,
    FloatWord,
    recip_estimate,
    rsqrt_estimate,
)
from .quick_float import quick
from .types import ElementType

__all__ = ["apply"]

Array = npt.NDArray[Any]
FEW = 8  # numbers up to which Python's own arithmetic is quicker than arrays
_SMALLEST = np.float64(2.0 ** -126)  # normal
_SIGN, _INFINITY = np.uint32(F32.sign), np.uint32(F32.infinity)
_MAGNITUDE, _QUIET = np.uint32(F32.sign - 1), np.uint32(F32.quiet)
_DENORMAL = np.array([1], np.uint32).view(np.float32)
_ONE, _ZERO = np.array([1], np.float32), np.array([0], np.uint32)


def apply(word: FloatWord, operands: list[Array], type_: ElementType) -> tuple[Array, Array]:
    """(bit patterns of ``type_``, exceptions of all lanes: one lane of uint8) of unsigned arrays, lanes first."""
    if max(n.size for n in operands) <= FEW:
        return _one_by_one(word, operands, type_, quick(word.name, word.standard, word.detail))
    with np.errstate(all="ignore"):
        if not (_DENORMAL * _ONE).view(np.uint32)[0]:
            return _one_by_one(word, operands, type_, word)
        if word.name in ("from_int", "convert"):
            result, flags = _FORMATS[word.name](word, operands[0])
        else:
            operands, flags = _flushed(word, operands)
            result, more = _WORDS[word.name](word, *operands)
            flags = flags | more
    return result.astype(type_.dtype), np.bitwise_or.reduce(np.broadcast_to(flags, result.shape), axis=0, keepdims=True)


def _one_by_one(word: FloatWord, operands: list[Array], type_: ElementType,
                function: Callable[..., tuple[int, int]]) -> tuple[Array, Array]:
    """The same, number by number: for a few of them, and for hosts that are not to be trusted."""
    shaped = operands if len({n.shape for n in operands}) == 1 else np.broadcast_arrays(*operands)
    shape = shaped[0].shape
    pairs = [function(*each) for each in zip(*(s.ravel().tolist() for s in shaped), strict=True)]
    dtype = type_.of("u").dtype
    result, flags = (np.array([p[i] for p in pairs], kind).reshape(shape) for i, kind in ((0, dtype), (1, np.uint8)))
    return result.view(type_.dtype), np.bitwise_or.reduce(flags, axis=0, keepdims=True)


# ---- pieces ---------------------------------------------------------------------------------------------------------

def _flag(bit: int, where: Array) -> Array:
    return where.astype(np.uint8) * np.uint8(bit)


def _flushed(word: FloatWord, operands: list[Array]) -> tuple[list[Array], Any]:
    if not word.standard:
        return operands, np.uint8(0)
    flags: Any = np.uint8(0)
    done = []
    for n in operands:
        size = n & _MAGNITUDE
        denormal = (size - np.uint32(1)) < np.uint32((1 << 23) - 1)  # 0 wraps around
        if denormal.any():
            n, flags = np.where(denormal, n & _SIGN, n), flags | _flag(IDC, denormal)
        done.append(n)
    return done, flags


def _real(n: Array) -> Array:
    return n.view(np.float32)


def _is_tiny(wide: Array) -> Any:
    return (np.abs(wide) < _SMALLEST) & (wide != 0)


def _is_nan(n: Array) -> Array:
    return (n & _MAGNITUDE) > _INFINITY


def _finite(n: Array) -> Array:
    return (n & _MAGNITUDE) < _INFINITY


def _with_nans(word: FloatWord, result: Array, flags: Any, *operands: Array) -> tuple[Array, Any]:
    """The result where no operand is a NaN, else the first signalling one, made quiet, else the first quiet one."""
    nans = [_is_nan(n) for n in operands]
    anyone = np.logical_or.reduce(np.broadcast_arrays(*nans)) if len(nans) > 1 else nans[0]
    if not anyone.any():
        return result, flags
    signalling = [nan & (n & _QUIET == 0) for n, nan in zip(operands, nans, strict=True)]
    chosen: Any = np.uint32(0)
    for kinds in (nans, signalling):
        for n, chosen_here in reversed(list(zip(operands, kinds, strict=True))):
            chosen = np.where(chosen_here, n, chosen)
    chosen = np.uint32(DEFAULT_NAN) if word.standard else chosen | _QUIET
    noisy = np.logical_or.reduce(np.broadcast_arrays(*signalling)) if len(nans) > 1 else signalling[0]
    return np.where(anyone, chosen, result), np.where(anyone, _flag(IOC, noisy), flags)


def _usual(pattern: Array) -> Any:
    """Where a result is finite and larger than the smallest normal number (to which a smaller one may be rounded)."""
    return (pattern & _MAGNITUDE) - np.uint32(0x00800001) < np.uint32(0x7EFFFFFF)


def _finished(word: FloatWord, result: Array, inexact: Array, tiny: Callable[[], Array],
              *operands: Array) -> tuple[Array, Any]:
    """Patterns and exceptions of a rounded float32 result.

    inexact, tiny   whether something was lost; whether the exact result is smaller than every normal number, not 0
    """
    pattern = result.view(np.uint32)
    usual = _usual(pattern)
    # An exact zero comes of finite operands too, so all that is left to say is what was lost.
    if usual.all() or (usual | ((pattern & _MAGNITUDE == 0) & ~inexact)).all():
        return pattern, _flag(IXC, inexact)
    finite = _finite(operands[0])
    for n in operands[1:]:
        finite = finite & _finite(n)
    size = pattern & _MAGNITUDE
    over = finite & (size == _INFINITY)
    lost = finite & inexact & (size <= _INFINITY)
    flags = _flag(IXC, lost) | _flag(OFC, over)
    small = tiny() & finite
    if small.any():
        if word.standard:
            pattern = np.where(small, pattern & _SIGN, pattern)
            flags = np.where(small, np.uint8(UFC), flags)
        else:
            flags = flags | _flag(UFC, small & lost)
    invalid = size > _INFINITY  # where no operand is a NaN, see below
    if invalid.any():
        pattern, flags = np.where(invalid, np.uint32(DEFAULT_NAN), pattern), np.where(invalid, np.uint8(IOC), flags)
    return _with_nans(word, pattern, flags, *operands)


# ---- arithmetic ----------------------------------------------------------------------------------------------------

def _add(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = _real(n), _real(m)
    r = x + y
    wide, a, b = r.astype(np.float64), x.astype(np.float64), y.astype(np.float64)
    return _finished(word, r, (wide - a != b) | (wide - b != a), lambda: _is_tiny(wide), n, m)


def _sub(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    return _add(word, n, np.where(_is_nan(m), m, m ^ _SIGN))


def _mul(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    product = _real(n).astype(np.float64) * _real(m).astype(np.float64)
    r = product.astype(np.float32)
    return _finished(word, r, r != product, lambda: _is_tiny(product), n, m)


def _mulx(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    result, flags = _mul(word, n, m)
    nothing = _zero_times_infinity(n, m)
    if nothing.any():
        result = np.where(nothing, np.uint32(TWO) | (n ^ m) & _SIGN, result)
        flags = np.where(nothing, np.uint8(0), flags)
    return result, flags


def _zero_times_infinity(n: Array, m: Array) -> Any:
    x, y = n & _MAGNITUDE, m & _MAGNITUDE
    return ((x == 0) & (y == _INFINITY)) | ((x == _INFINITY) & (y == 0))


def _div(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = _real(n), _real(m)
    r = x / y
    a, b = x.astype(np.float64), y.astype(np.float64)
    by_zero = (m & _MAGNITUDE == 0) & (n & _MAGNITUDE != 0) & _finite(n)
    result, flags = _finished(word, r, r.astype(np.float64) * b != a,
                              lambda: (np.abs(a) < _SMALLEST * np.abs(b)) & (a != 0), n, m)
    return result, np.where(by_zero, np.uint8(DZC), flags) if by_zero.any() else flags


def _sqrt(word: FloatWord, n: Array) -> tuple[Array, Any]:
    x = _real(n)
    r = np.sqrt(x)
    wide = r.astype(np.float64)
    return _finished(word, r, wide * wide != x, lambda: np.zeros(n.shape, bool), n)


def _fma(word: FloatWord, a: Array, n: Array, m: Array) -> tuple[Array, Any]:
    addend = _real(a).astype(np.float64)
    product = _real(n).astype(np.float64) * _real(m).astype(np.float64)
    total = np.atleast_1d(addend + product)
    # Rounding twice does harm only where float64 ends at a float32 or in the middle between two.
    if (total.view(np.int64) & 0x0FFFFFFF != 0).all():
        pattern = total.astype(np.float32).view(np.uint32)
        if _usual(pattern).all():
            return pattern, _flag(IXC, np.ones(pattern.shape, bool))
    odd = _sum_to_odd(addend, product)
    r = odd.astype(np.float32)
    # An exact zero keeps the sign that the sum gave it.
    result, flags = _finished(word, r, r != odd, lambda: _is_tiny(odd), a, n, m)
    nothing = _zero_times_infinity(n, m)
    if nothing.any():  # also with a quiet NaN as addend
        nothing = nothing & ~(_is_nan(a) & (a & _QUIET == 0))
        result = np.where(nothing, np.uint32(DEFAULT_NAN), result)
        flags = np.where(nothing, np.uint8(IOC), flags)
    return result, flags


def _sum_to_odd(x: Array, y: Array) -> Array:
    """x + y in float64, rounded to odd: if it was inexact the last bit is 1."""
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    bits = np.atleast_1d(total).view(np.int64)
    wrong = (error != 0) & (bits & 1 == 0) & np.isfinite(error)
    # One step towards the side on which the error lies: outwards if it has the sign of the sum.
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(wrong, bits + step, bits).view(np.float64)


# ---- larger, smaller, comparisons -----------------------------------------------------------------------------------

def _max(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = _real(n), _real(m)
    return _with_nans(word, np.where(x > y, n, np.where(x < y, m, n & m)), np.uint8(0), n, m)


def _min(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = _real(n), _real(m)
    return _with_nans(word, np.where(x < y, n, np.where(x > y, m, n | m)), np.uint8(0), n, m)


def _numbers(n: Array, m: Array) -> tuple[Array, Array]:
    """A quiet NaN beside a number gives way to it."""
    first, second = _is_nan(n), _is_nan(m)
    return (np.where(first & (n & _QUIET != 0) & ~second, m, n), np.where(second & (m & _QUIET != 0) & ~first, n, m))


def _maxnm(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    return _max(word, *_numbers(n, m))


def _minnm(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    return _min(word, *_numbers(n, m))


_RELATIONS: dict[Any, Callable[[Any, Any], Any]] = {
    "==": np.equal, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal, "<": np.less}


def _complaints(n: Array, m: Array, every: bool) -> tuple[Array, Array]:
    """(where a NaN is compared, the exceptions of that)."""
    nan = _is_nan(n) | _is_nan(m)
    noisy = nan if every else (_is_nan(n) & (n & _QUIET == 0)) | (_is_nan(m) & (m & _QUIET == 0))
    return nan, _flag(IOC, noisy)


def _compare(word: FloatWord, n: Array, m: Array = _ZERO) -> tuple[Array, Any]:
    relation = word.detail[0]
    truth = _RELATIONS[relation](_real(n), _real(m))
    return np.negative(truth.astype(np.uint32)), _complaints(n, m, relation != "==")[1]


def _nzcv(word: FloatWord, n: Array, m: Array = _ZERO) -> tuple[Array, Any]:
    x, y = _real(n), _real(m)
    nan, flags = _complaints(n, m, bool(word.detail[0]))
    result = np.where(x < y, np.uint8(8), np.where(x == y, np.uint8(6), np.uint8(2)))
    return np.where(nan, np.uint8(3), result), flags


# ---- integers and formats -------------------------------------------------------------------------------------------

def _integral(x: Array, rounding: Any) -> Any:
    """float64 numbers of 24 bits, rounded to integers."""
    if rounding == "a":
        return np.trunc(x + np.copysign(0.5, x))
    return {"n": np.rint, "m": np.floor, "p": np.ceil, "z": np.trunc}[rounding](x)


def _to_int(word: FloatWord, n: Array) -> tuple[Array, Any]:
    kind, width, fbits, rounding = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    scaled = _real(n).astype(np.float64) * 2.0 ** fbits
    whole = _integral(scaled, rounding)
    low, beyond = (-2.0 ** (width - 1), 2.0 ** (width - 1)) if kind == "s" else (0.0, 2.0 ** width)
    under, over, nan = whole < low, whole >= beyond, _is_nan(n)
    outside = under | over | nan
    dtype = np.dtype(f"{'i' if kind == 's' else 'u'}{width // 8}")
    held = np.where(outside, 0.0, whole).astype(dtype)
    flags = _flag(IXC, whole != scaled)
    if outside.any():
        info = np.iinfo(dtype)
        held = np.where(under, info.min, np.where(over, info.max, held)).astype(dtype)
        flags = np.where(outside, np.uint8(IOC), flags)
    return held, flags


def _round(word: FloatWord, n: Array) -> tuple[Array, Any]:
    x = _real(n).astype(np.float64)
    whole = _integral(x, word.detail[0])
    pattern = whole.astype(np.float32).view(np.uint32) & _MAGNITUDE | n & _SIGN
    flags = _flag(IXC, (whole != x) & _finite(n)) if word.detail[1] else np.uint8(0)
    return _with_nans(word, pattern, flags, n)


def _from_int(word: FloatWord, n: Array) -> tuple[Array, Array]:
    kind, width, fbits = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    value = n.view(np.dtype(f"{'i' if kind == 's' else 'u'}{width // 8}"))
    # 53 bits are enough if the last one says whether any below it was lost: that is rounding to odd.
    if width == 64:
        negative = (value < 0) if kind == "s" else np.zeros(n.shape, bool)
        size = np.where(negative, np.uint64(0) - n, n).astype(np.uint64)
        large = size >> np.uint64(53) != 0
        low = size & np.uint64(0x7FF)
        kept = (size & ~np.uint64(0x7FF)) | (np.uint64(0x800) * (low != 0).astype(np.uint64))
        wide = np.where(large, kept, size).astype(np.float64)
        wide = np.where(negative, -wide, wide)
    else:
        wide = value.astype(np.float64)
    scaled = wide * 2.0 ** -fbits
    r = scaled.astype(np.float32)
    return r.view(np.uint32), _flag(IXC, r != scaled)


def _convert(word: FloatWord, n: Array) -> tuple[Array, Array]:
    source, target = word.detail
    if source == "f16":
        r = n.view(np.float16).astype(np.float32).view(np.uint32)
        nan = n & np.uint16(0x7FFF) > F16.infinity
        noisy = nan & (n & np.uint16(F16.quiet) == 0)
        payload = n.astype(np.uint32)
        kept = np.uint32(DEFAULT_NAN) if word.standard else (
            (payload & np.uint32(0x8000)) << np.uint32(16) | np.uint32(DEFAULT_NAN)
            | (payload & np.uint32(0x3FF)) << np.uint32(13))
        return np.where(nan, kept, r), _flag(IOC, noisy)
    [n], flags = _flushed(word, [n])
    x, size = _real(n), n & _MAGNITUDE
    if target == "bf16":
        lost = n & np.uint32(0xFFFF) != 0
        # Half a place and the last bit that stays, added: to nearest, ties to even.
        pattern = n + np.uint32(0x7FFF) + (n >> np.uint32(16) & np.uint32(1)) >> np.uint32(16)
        over, tiny = pattern & np.uint32(0x7FFF) == 0x7F80, size < np.uint32(1 << 23)
        default, quiet, payload = 0x7FC0, 0x40, n >> np.uint32(16)
    else:
        half = x.astype(np.float16)
        lost, pattern = half != x, half.view(np.uint16).astype(np.uint32)
        over, tiny = pattern & np.uint32(0x7FFF) == F16.infinity, size < np.uint32(0x38800000)  # 2**-14
        default, quiet = F16.infinity | F16.quiet, F16.quiet | F16.infinity
        payload = n >> np.uint32(16) & np.uint32(0x8000) | n >> np.uint32(13) & np.uint32(0x3FF)
    finite = size < _INFINITY
    flags = flags | _flag(IXC, lost & finite) | _flag(UFC, lost & tiny) | _flag(OFC, over & finite)
    nan = size > _INFINITY
    kept = np.uint32(default) if word.standard else payload | np.uint32(quiet)
    return np.where(nan, kept, pattern), np.where(nan, _flag(IOC, n & _QUIET == 0), flags)


# ---- estimates and steps --------------------------------------------------------------------------------------------

_RECIP = np.array([0] * 256 + [recip_estimate(a) & 255 for a in range(256, 512)], np.uint32)
_RSQRT = np.array([0] * 128 + [rsqrt_estimate(a) & 255 for a in range(128, 512)], np.uint32)


def _normal(n: Array) -> tuple[Array, Array]:
    """(the first nine bits of the mantissa, the biased exponent, as small as need be) of finite numbers."""
    mantissa, exponent = np.frexp(np.abs(_real(n).astype(np.float64)))
    return np.floor(mantissa * 512).astype(np.int64), exponent.astype(np.int64) + 126


def _recpe(word: FloatWord, n: Array) -> tuple[Array, Any]:
    size, sign = n & _MAGNITUDE, n & _SIGN
    ordinary = (size >= np.uint32(1 << 21)) & (size < _INFINITY)
    nine, biased = _normal(np.where(ordinary, n, np.uint32(0x3F800000)))
    fraction, result = _RECIP[nine] << np.uint32(15), 253 - biased
    # An exponent of 0 or less: a denormal number.
    low = np.where(result <= 0, np.clip(1 - result, 0, 2), 0).astype(np.uint32)
    fraction = np.where(low > 0, (np.uint32(1 << 23) | fraction) >> low, fraction)
    pattern = sign | np.maximum(result, 0).astype(np.uint32) << np.uint32(23) | fraction
    flags = np.zeros(n.shape, np.uint8)
    if word.standard:
        tiny = ordinary & (low > 0)
        pattern, flags = np.where(tiny, sign, pattern), _flag(UFC, tiny)
    pattern = np.where(size == _INFINITY, sign, np.where(size < np.uint32(1 << 21), sign | _INFINITY, pattern))
    flags = np.where(size == 0, np.uint8(DZC), np.where(size < np.uint32(1 << 21), np.uint8(OFC | IXC), flags))
    return _with_nans(word, pattern, flags, n)


def _rsqrte(word: FloatWord, n: Array) -> tuple[Array, Any]:
    size, sign = n & _MAGNITUDE, n & _SIGN
    ordinary = (sign == 0) & (size > 0) & (size < _INFINITY)
    nine, biased = _normal(np.where(ordinary, n, np.uint32(0x3F800000)))
    estimate = _RSQRT[np.where(biased & 1, nine >> 1, nine)]
    pattern = ((380 - biased) // 2).astype(np.uint32) << np.uint32(23) | estimate << np.uint32(15)
    negative = (sign != 0) & (size > 0)
    pattern = np.where(negative, np.uint32(DEFAULT_NAN), np.where(size == _INFINITY, np.uint32(0), pattern))
    flags = np.where(negative, np.uint8(IOC), np.where(size == 0, np.uint8(DZC), np.uint8(0)))
    return _with_nans(word, np.where(size == 0, n | _INFINITY, pattern), flags, n)


def _step(word: FloatWord, n: Array, m: Array, start: float, halved: float) -> tuple[Array, Any]:
    """(start - n * m) * halved."""
    first = np.full(1, start, np.float32).view(np.uint32).reshape((1,) * n.ndim)
    if word.standard:
        product, flags = _mul(word, n, m)
        [product], _ = _flushed(word, [product])
        result, more = _sub(word, np.broadcast_to(first, product.shape), product)
        flags = flags | more
        if halved != 1:
            result, more = _mul(word, result, np.full(1, halved, np.float32).view(np.uint32).reshape(first.shape))
            flags = flags | more
    else:
        minus = n ^ _SIGN
        product = _real(minus).astype(np.float64) * _real(m).astype(np.float64)
        odd = _sum_to_odd(np.broadcast_to(_real(first).astype(np.float64), product.shape), product) * halved
        r = odd.astype(np.float32)
        result, flags = _finished(word, r, r != odd, lambda: _is_tiny(odd), minus, m)
    nothing = _zero_times_infinity(n, m)
    if nothing.any():
        result = np.where(nothing, np.float32(start * halved).view(np.uint32), result)
        flags = np.where(nothing, np.uint8(0), flags)
    return result, flags


def _recps(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    return _step(word, n, m, 2.0, 1.0)


def _rsqrts(word: FloatWord, n: Array, m: Array) -> tuple[Array, Any]:
    return _step(word, n, m, 3.0, 0.5)


_WORDS: dict[str, Callable[..., tuple[Array, Any]]] = {function.__name__[1:]: function for function in (
    _add, _sub, _mul, _mulx, _div, _sqrt, _fma, _max, _min, _maxnm, _minnm, _compare, _nzcv, _to_int, _round, _recpe,
    _rsqrte, _recps, _rsqrts)}
_FORMATS: dict[str, Callable[[FloatWord, Array], tuple[Array, Array]]] = {"from_int": _from_int, "convert": _convert}
