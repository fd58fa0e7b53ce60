"""The numpy reading of the floating words: whole arrays of bit patterns, by the host's own floating point.

Why each is exact. IEEE 754 fixes + - * / and square roots to the last bit, and numpy computes them so. What an
operation on half or single precision left over is seen in float64: a product of two float32 has 48 bits and is exact
there, so r * m == n tells whether a quotient was, r * r == n whether a root was, and r - n == m with r - m == n whether
a sum was. A fused multiply-add is the exact product plus the addend, summed in float64 and rounded to odd (the error
term of the sum says whether its last bit must be set), which float32 can then round without harm: 53 >= 24 + 2 bits.
Double precision (`numeric_double`) has its error terms in float64 itself.

NaNs are chosen by integer comparisons afterwards. What rounds otherwise than to nearest, and a host that was told to
flush denormal numbers (-ffast-math in some other library), goes through the definition, number by number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.semantics.float_formats import (
    AHP,
    BF16,
    DN,
    DZC,
    F16,
    FORMATS,
    IDC,
    IOC,
    IXC,
    ODD,
    OFC,
    ROUNDING,
    STEPWISE,
    UFC,
    Format,
    flushes,
)
from neonsim.arm.semantics.softfloat import FloatWord, recip_estimate, rsqrt_estimate
from neonsim.arm.semantics.types import ElementType

from .host_float import quick
from .numpy_double import DOUBLES, sum_to_odd

__all__ = ["apply"]

Array = npt.NDArray[Any]
FEW = 8  # numbers up to which Python's own arithmetic is quicker than arrays
_DENORMAL = np.array([1], np.uint32).view(np.float32)
_ONE = np.array([1], np.float32)


class _Host:
    """A format as numpy has it: the constants as scalars of the unsigned type of its width."""

    def __init__(self, form: Format) -> None:
        self.form = form
        self.unsigned = np.dtype(f"u{form.bits // 8}").type
        self.float = np.dtype(f"f{form.bits // 8}").type
        u = self.unsigned
        self.sign, self.infinity, self.magnitude = u(form.sign), u(form.infinity), u(form.sign - 1)
        self.quiet, self.nan, self.zero = u(form.quiet), u(form.nan), np.array([0], u)
        self.fraction, self.one = u(form.fraction), u(1)
        self.normal = u(1 << form.fraction)
        self.smallest = np.float64(2.0 ** (1 - form.bias))  # normal
        # Low bits of a float64 that are all 0 where it is a number of this format, or in the middle between two.
        self.below = (1 << max(52 - form.fraction - 1, 0)) - 1
        self.usual = u(form.infinity - (1 << form.fraction) - 1)

    def real(self, n: Array) -> Array:
        """Return the patterns as numbers."""
        return n.view(self.float)

    def is_nan(self, n: Array) -> Any:
        return (n & self.magnitude) > self.infinity

    def finite(self, n: Array) -> Any:
        return (n & self.magnitude) < self.infinity


_HOSTS = {name: _Host(form) for name, form in FORMATS.items() if form is not BF16}


def apply(word: FloatWord, operands: list[Array], type_: ElementType) -> tuple[Array, Array]:
    """(bit patterns of ``type_``, exceptions of all lanes: one lane of uint8) of unsigned arrays, lanes first."""
    if max(n.size for n in operands) <= FEW:
        return _one_by_one(word, operands, type_, quick(word))
    with np.errstate(all="ignore"):
        if word.name.startswith("javascript") or word.rules & (ODD | ROUNDING | AHP * (word.name == "convert")) or not (
                _DENORMAL * _ONE).view(np.uint32)[0]:
            return _one_by_one(word, operands, type_, word)
        if word.name in _FORMATS:
            result, flags = _FORMATS[word.name](word, operands[0])
        elif word.format == "f64" and word.name in DOUBLES:
            return _double(word, operands, type_)
        else:
            operands, flags = _flushed(word, _HOSTS[word.format], operands)
            result, more = _WORDS[word.name](word, _HOSTS[word.format], *operands)
            flags = flags | more
    if np.ndim(flags) == 0:
        return result.astype(type_.dtype, copy=False), np.full((1, *result.shape[1:]), flags, np.uint8)
    return (result.astype(type_.dtype, copy=False),
            np.bitwise_or.reduce(np.broadcast_to(flags, result.shape), axis=0, keepdims=True))


def _double(word: FloatWord, operands: list[Array], type_: ElementType) -> tuple[Array, Array]:
    """Ordinary numbers by error terms, all others one by one."""
    shaped = operands if len({n.shape for n in operands}) == 1 else np.broadcast_arrays(*operands)
    result, inexact, ordinary = DOUBLES[word.name](*(np.ascontiguousarray(n).view(np.float64) for n in shaped))
    pattern, flags = result.view(np.uint64), _flag(IXC, inexact)
    if not ordinary.all():
        where = np.flatnonzero(~ordinary)
        outcomes = [word(*each) for each in zip(*(n.ravel()[where].tolist() for n in shaped), strict=True)]
        pattern, flags = pattern.ravel().copy(), flags.ravel()
        pattern[where] = np.array([value for value, _ in outcomes], np.uint64)
        flags[where] = np.array([raised for _, raised in outcomes], np.uint8)
        pattern, flags = pattern.reshape(result.shape), flags.reshape(result.shape)
    return pattern.astype(type_.dtype, copy=False), np.bitwise_or.reduce(flags, axis=0, keepdims=True)


def _one_by_one(word: FloatWord, operands: list[Array], type_: ElementType,
                function: Callable[..., tuple[int, int]]) -> tuple[Array, Array]:
    """The same, number by number: for a few of them, and for what the host does not do."""
    shaped = operands if len({n.shape for n in operands}) == 1 else np.broadcast_arrays(*operands)
    shape = shaped[0].shape
    pairs = [function(*each) for each in zip(*(s.ravel().tolist() for s in shaped), strict=True)]
    dtype = type_.with_("u").dtype
    result, flags = (np.array([p[i] for p in pairs], kind).reshape(shape) for i, kind in ((0, dtype), (1, np.uint8)))
    return result.view(type_.dtype), np.bitwise_or.reduce(flags, axis=0, keepdims=True)


# ---- pieces ---------------------------------------------------------------------------------------------------------

def _flag(bit: int, where: Array) -> Array:
    return where.astype(np.uint8) * np.uint8(bit)


def _flushed(word: FloatWord, h: _Host, operands: list[Array]) -> tuple[list[Array], Any]:
    if not flushes(word.rules, h.form):
        return operands, np.uint8(0)
    flags: Any = np.uint8(0)
    done = []
    for n in operands:
        size = n & h.magnitude
        denormal = (size - h.one) < h.normal - h.one  # 0 wraps around
        if denormal.any():
            n = np.where(denormal, n & h.sign, n)
            flags = flags | _flag(IDC, denormal) if h.form is not F16 else flags
        done.append(n)
    return done, flags


def _is_tiny(h: _Host, wide: Array) -> Any:
    return (np.abs(wide) < h.smallest) & (wide != 0)


def _with_nans(word: FloatWord, h: _Host, result: Array, flags: Any, *operands: Array) -> tuple[Array, Any]:
    """The result where no operand is a NaN, else the first signalling one, made quiet, else the first quiet one."""
    nans = [h.is_nan(n) for n in operands]
    anyone = np.logical_or.reduce(np.broadcast_arrays(*nans)) if len(nans) > 1 else nans[0]
    if not anyone.any():
        return result, flags
    signaling = [nan & (n & h.quiet == 0) for n, nan in zip(operands, nans, strict=True)]
    chosen: Any = h.zero
    for kinds in (nans, signaling):
        for n, chosen_here in reversed(list(zip(operands, kinds, strict=True))):
            chosen = np.where(chosen_here, n, chosen)
    chosen = h.nan if word.rules & DN else chosen | h.quiet
    noisy = np.logical_or.reduce(np.broadcast_arrays(*signaling)) if len(nans) > 1 else signaling[0]
    return np.where(anyone, chosen, result), np.where(anyone, _flag(IOC, noisy), flags)


def _usual(h: _Host, pattern: Array) -> Any:
    """Where a result is finite and larger than the smallest normal number (to which a smaller one may be rounded)."""
    return (pattern & h.magnitude) - (h.normal + h.one) < h.usual


def _finished(word: FloatWord, h: _Host, result: Array, inexact: Array, tiny: Callable[[], Array],
              *operands: Array) -> tuple[Array, Any]:
    """Patterns and exceptions of a rounded result.

    inexact, tiny   whether something was lost; whether the exact result is smaller than every normal number, not 0
    """
    pattern = result.view(h.unsigned)
    usual = _usual(h, pattern)
    # An exact zero comes of finite operands too, so all that is left to say is what was lost.
    if usual.all() or (usual | ((pattern & h.magnitude == 0) & ~inexact)).all():
        return pattern, _flag(IXC, inexact)
    finite = h.finite(operands[0])
    for n in operands[1:]:
        finite = finite & h.finite(n)
    size = pattern & h.magnitude
    over = finite & (size == h.infinity)
    lost = finite & inexact & (size <= h.infinity)
    flags = _flag(IXC, lost) | _flag(OFC, over)
    small = tiny() & finite
    if small.any():
        if flushes(word.rules, h.form):
            pattern = np.where(small, pattern & h.sign, pattern)
            flags = np.where(small, np.uint8(UFC), flags)
        else:
            flags = flags | _flag(UFC, small & lost)
    invalid = size > h.infinity  # where no operand is a NaN, see below
    if invalid.any():
        pattern, flags = np.where(invalid, h.nan, pattern), np.where(invalid, np.uint8(IOC), flags)
    return _with_nans(word, h, pattern, flags, *operands)


# ---- arithmetic ----------------------------------------------------------------------------------------------------

def _add(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = h.real(n), h.real(m)
    r = x + y
    wide, a, b = r.astype(np.float64), x.astype(np.float64), y.astype(np.float64)
    return _finished(word, h, r, (wide - a != b) | (wide - b != a), lambda: _is_tiny(h, wide), n, m)


def _sub(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    return _add(word, h, n, np.where(h.is_nan(m), m, m ^ h.sign))


def _mul(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    product = h.real(n).astype(np.float64) * h.real(m).astype(np.float64)
    r = product.astype(h.float)
    return _finished(word, h, r, r != product, lambda: _is_tiny(h, product), n, m)


def _mulx(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    result, flags = _mul(word, h, n, m)
    nothing = _zero_times_infinity(h, n, m)
    if nothing.any():
        result = np.where(nothing, h.unsigned(h.form.power(1)) | (n ^ m) & h.sign, result)
        flags = np.where(nothing, np.uint8(0), flags)
    return result, flags


def _zero_times_infinity(h: _Host, n: Array, m: Array) -> Any:
    x, y = n & h.magnitude, m & h.magnitude
    return ((x == 0) & (y == h.infinity)) | ((x == h.infinity) & (y == 0))


def _div(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = h.real(n), h.real(m)
    r = x / y
    a, b = x.astype(np.float64), y.astype(np.float64)
    by_zero = (m & h.magnitude == 0) & (n & h.magnitude != 0) & h.finite(n)
    result, flags = _finished(word, h, r, r.astype(np.float64) * b != a,
                              lambda: (np.abs(a) < h.smallest * np.abs(b)) & (a != 0), n, m)
    return result, np.where(by_zero, np.uint8(DZC), flags) if by_zero.any() else flags


def _sqrt(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    x = h.real(n)
    r = np.sqrt(x)
    wide = r.astype(np.float64)
    return _finished(word, h, r, wide * wide != x, lambda: np.zeros(n.shape, bool), n)


def _fma(word: FloatWord, h: _Host, a: Array, n: Array, m: Array) -> tuple[Array, Any]:
    addend, wide = h.real(a), np.float64
    product = np.multiply(h.real(n), h.real(m), dtype=wide)
    total = np.add(addend, product, dtype=wide)
    # Rounding twice does harm only where float64 ends at a float32 or in the middle between two.
    if (total.view(np.int64) & h.below).all():
        pattern = total.astype(h.float).view(h.unsigned)
        if _usual(h, pattern).all():
            return pattern, np.uint8(IXC)
    odd = sum_to_odd(addend.astype(wide), product)
    r = odd.astype(h.float)
    # An exact zero keeps the sign that the sum gave it.
    result, flags = _finished(word, h, r, r != odd, lambda: _is_tiny(h, odd), a, n, m)
    nothing = _zero_times_infinity(h, n, m)
    if nothing.any():  # also with a quiet NaN as addend
        nothing = nothing & ~(h.is_nan(a) & (a & h.quiet == 0))
        result = np.where(nothing, h.nan, result)
        flags = np.where(nothing, np.uint8(IOC), flags)
    return result, flags


# ---- larger, smaller, comparisons -----------------------------------------------------------------------------------

def _max(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = h.real(n), h.real(m)
    return _with_nans(word, h, np.where(x > y, n, np.where(x < y, m, n & m)), np.uint8(0), n, m)


def _min(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    x, y = h.real(n), h.real(m)
    return _with_nans(word, h, np.where(x < y, n, np.where(x > y, m, n | m)), np.uint8(0), n, m)


def _numbers(h: _Host, n: Array, m: Array) -> tuple[Array, Array]:
    """A quiet NaN beside a number gives way to it."""
    first, second = h.is_nan(n), h.is_nan(m)
    return (np.where(first & (n & h.quiet != 0) & ~second, m, n), np.where(second & (m & h.quiet != 0) & ~first, n, m))


def _maxnm(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    return _max(word, h, *_numbers(h, n, m))


def _minnm(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    return _min(word, h, *_numbers(h, n, m))


_RELATIONS: dict[Any, Callable[[Any, Any], Any]] = {
    "==": np.equal, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal, "<": np.less}


def _complaints(h: _Host, n: Array, m: Array, every: bool) -> tuple[Array, Array]:
    """(where a NaN is compared, the exceptions of that)."""
    nan = h.is_nan(n) | h.is_nan(m)
    noisy = nan if every else (h.is_nan(n) & (n & h.quiet == 0)) | (h.is_nan(m) & (m & h.quiet == 0))
    return nan, _flag(IOC, noisy)


def _compare(word: FloatWord, h: _Host, n: Array, m: Array | None = None) -> tuple[Array, Any]:
    m = h.zero if m is None else m
    relation = word.detail[0]
    truth = _RELATIONS[relation](h.real(n), h.real(m))
    return np.negative(truth.astype(h.unsigned)), _complaints(h, n, m, relation != "==")[1]


def _nzcv(word: FloatWord, h: _Host, n: Array, m: Array | None = None) -> tuple[Array, Any]:
    m = h.zero if m is None else m
    x, y = h.real(n), h.real(m)
    nan, flags = _complaints(h, n, m, bool(word.detail[0]))
    result = np.where(x < y, np.uint8(8), np.where(x == y, np.uint8(6), np.uint8(2)))
    return np.where(nan, np.uint8(3), result), flags


# ---- integers and formats -------------------------------------------------------------------------------------------

def _integral(x: Array, rounding: Any) -> Any:
    """float64 numbers rounded to integers; "x", as FPCR says, is to nearest here."""
    if rounding == "a":
        whole = np.trunc(x)
        return whole + np.copysign(np.abs(x - whole) >= 0.5, x)
    return {"n": np.rint, "x": np.rint, "m": np.floor, "p": np.ceil, "z": np.trunc}[rounding](x)


def _to_int(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    kind, width, fbits, rounding = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    scaled = h.real(n).astype(np.float64) * 2.0 ** fbits
    whole = _integral(scaled, rounding)
    low, beyond = (-2.0 ** (width - 1), 2.0 ** (width - 1)) if kind == "s" else (0.0, 2.0 ** width)
    under, over, nan = whole < low, whole >= beyond, h.is_nan(n)
    outside = under | over | nan
    dtype = np.dtype(f"{'i' if kind == 's' else 'u'}{width // 8}")
    held = np.where(outside, 0.0, whole).astype(dtype)
    flags = _flag(IXC, whole != scaled)
    if outside.any():
        info = np.iinfo(dtype)
        held = np.where(under, info.min, np.where(over, info.max, held)).astype(dtype)
        flags = np.where(outside, np.uint8(IOC), flags)
    return held, flags


def _round(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    x = h.real(n).astype(np.float64)
    whole = _integral(x, word.detail[0])
    pattern = whole.astype(h.float).view(h.unsigned) & h.magnitude | n & h.sign
    flags = _flag(IXC, (whole != x) & h.finite(n)) if word.detail[1] else np.uint8(0)
    return _with_nans(word, h, pattern, flags, n)


def _from_int(word: FloatWord, n: Array) -> tuple[Array, Array]:
    kind, width, fbits = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    h = _HOSTS[word.format]
    value = n.view(np.dtype(f"{'i' if kind == 's' else 'u'}{width // 8}"))
    if width == 64 and word.format == "f64":
        real: Any = value.astype(np.float64)
        # What was lost: of a number that rounding took out of the range something always was.
        beyond = real >= (2.0 ** 63 if kind == "s" else 2.0 ** 64)
        lost = beyond | (np.where(beyond, 0.0, real).astype(value.dtype) != value)
        return (real * 2.0 ** -fbits).view(np.uint64), _flag(IXC, lost)
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
    r = scaled.astype(h.float)
    return _finished(word, h, r, r != scaled, lambda: _is_tiny(h, scaled), np.zeros(n.shape, h.unsigned))


def _convert(word: FloatWord, n: Array) -> tuple[Array, Any]:
    source, target = (str(name) for name in word.detail)
    h = _HOSTS[source]
    [n], flags = _flushed(word, h, [n]) if source != "f16" else ([n], np.uint8(0))
    if target == "bf16":
        result, more = _to_bf16(word, h, n)
        return result, flags | more
    to = _HOSTS[target]
    real = h.real(n).astype(to.float)
    wide = h.real(n).astype(np.float64)
    nan, pattern = h.is_nan(n), real.view(to.unsigned)
    over, lost = (pattern & to.magnitude == to.infinity) & h.finite(n), ~nan & (real != wide)
    tiny = lost & _is_tiny(to, wide)
    more = _flag(IXC, lost) | _flag(UFC, tiny) | _flag(OFC, over)
    if to.form is not F16 and flushes(word.rules, to.form):
        small = _is_tiny(to, wide)
        pattern, more = np.where(small, pattern & to.sign, pattern), np.where(small, np.uint8(UFC), more)
    if nan.any():
        bits, shift = n.astype(np.uint64), to.form.fraction - h.form.fraction
        payload = bits & np.uint64(h.form.quiet * 2 - 1)
        payload = payload << np.uint64(shift) if shift >= 0 else payload >> np.uint64(-shift)
        sign = np.where(n & h.sign != 0, to.sign, to.unsigned(0))
        kept = to.nan if word.rules & DN else sign | to.nan | payload.astype(to.unsigned)
        pattern, more = np.where(nan, kept, pattern), np.where(nan, _flag(IOC, n & h.quiet == 0), more)
    return pattern, flags | more


def _to_bf16(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    size, low = n & h.magnitude, n & np.uint32(0xFFFF)
    # Half a place and the last bit that stays, added: to nearest, ties to even.
    pattern = n + np.uint32(0x7FFF) + (n >> np.uint32(16) & np.uint32(1)) >> np.uint32(16)
    over, tiny = pattern & np.uint32(0x7FFF) == BF16.infinity, size < h.normal
    finite, lost = size < h.infinity, low != 0
    flags = _flag(IXC, lost & finite) | _flag(UFC, lost & tiny) | _flag(OFC, over & finite)
    nan = size > h.infinity
    kept = np.uint32(BF16.nan) if word.rules & DN else n >> np.uint32(16) | np.uint32(BF16.quiet)
    return np.where(nan, kept, pattern), np.where(nan, _flag(IOC, n & h.quiet == 0), flags)


def _widen(word: FloatWord, n: Array) -> tuple[Array, Any]:
    h, to = _HOSTS["f16"], _HOSTS[word.format]
    [n], _ = _flushed(word, h, [n])
    wide = n.astype(to.unsigned)
    shift = to.unsigned(to.form.fraction - h.form.fraction)
    nan = (wide & to.unsigned(h.form.sign)) << to.unsigned(to.form.bits - h.form.bits) | to.infinity | (
        wide & to.unsigned(h.form.quiet * 2 - 1)) << shift
    return np.where(h.is_nan(n), nan, h.real(n).astype(to.float).view(to.unsigned)), np.uint8(0)


# ---- estimates and steps --------------------------------------------------------------------------------------------

_RECIP = np.array([0] * 256 + [recip_estimate(a) & 255 for a in range(256, 512)], np.uint32)
_RSQRT = np.array([0] * 128 + [rsqrt_estimate(a) & 255 for a in range(128, 512)], np.uint32)


def _normal(h: _Host, n: Array) -> tuple[Array, Array]:
    """(the first nine bits of the mantissa, the biased exponent, as small as need be) of finite numbers."""
    mantissa, exponent = np.frexp(np.abs(h.real(n).astype(np.float64)))
    return np.floor(mantissa * 512).astype(np.int64), exponent.astype(np.int64) + h.form.bias - 1


def _recpe(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    u, size, sign = h.unsigned, n & h.magnitude, n & h.sign
    least = u(1 << h.form.fraction - 2)
    ordinary = (size >= least) & (size < h.infinity)
    nine, biased = _normal(h, np.where(ordinary, n, u(h.form.power(0))))
    fraction, result = _RECIP[nine].astype(u) << u(h.form.fraction - 8), 2 * h.form.bias - 1 - biased
    # An exponent of 0 or less: a denormal number.
    low = np.where(result <= 0, np.clip(1 - result, 0, 2), 0).astype(u)
    fraction = np.where(low > 0, (h.normal | fraction) >> low, fraction)
    pattern = sign | np.maximum(result, 0).astype(u) << h.fraction | fraction
    flags = np.zeros(n.shape, np.uint8)
    if flushes(word.rules, h.form):
        tiny = ordinary & (low > 0)
        pattern, flags = np.where(tiny, sign, pattern), _flag(UFC, tiny)
    pattern = np.where(size == h.infinity, sign, np.where(size < least, sign | h.infinity, pattern))
    flags = np.where(size == 0, np.uint8(DZC), np.where(size < least, np.uint8(OFC | IXC), flags))
    return _with_nans(word, h, pattern, flags, n)


def _recpx(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    exponent = n & h.infinity
    inverted = np.where(exponent == 0, h.infinity - h.normal, exponent ^ h.infinity)
    return _with_nans(word, h, n & h.sign | inverted, np.uint8(0), n)


def _rsqrte(word: FloatWord, h: _Host, n: Array) -> tuple[Array, Any]:
    u, size, sign = h.unsigned, n & h.magnitude, n & h.sign
    ordinary = (sign == 0) & (size > 0) & (size < h.infinity)
    nine, biased = _normal(h, np.where(ordinary, n, u(h.form.power(0))))
    estimate = _RSQRT[np.where(biased & 1, nine >> 1, nine)].astype(u)
    pattern = ((3 * h.form.bias - 1 - biased) // 2).astype(u) << h.fraction | estimate << u(h.form.fraction - 8)
    negative = (sign != 0) & (size > 0)
    pattern = np.where(negative, h.nan, np.where(size == h.infinity, u(0), pattern))
    flags = np.where(negative, np.uint8(IOC), np.where(size == 0, np.uint8(DZC), np.uint8(0)))
    return _with_nans(word, h, np.where(size == 0, n | h.infinity, pattern), flags, n)


def _step(word: FloatWord, h: _Host, n: Array, m: Array, start: float, halved: float) -> tuple[Array, Any]:
    """(start - n * m) * halved."""
    first = np.full((1,) * n.ndim, start, h.float).view(h.unsigned)
    if word.rules & STEPWISE:
        product, flags = _mul(word, h, n, m)
        [product], _ = _flushed(word, h, [product])
        result, more = _sub(word, h, np.broadcast_to(first, product.shape), product)
        flags = flags | more
        if halved != 1:
            result, more = _mul(word, h, result, np.full(first.shape, halved, h.float).view(h.unsigned))
            flags = flags | more
    else:
        minus = n ^ h.sign
        product = h.real(minus).astype(np.float64) * h.real(m).astype(np.float64)
        odd = sum_to_odd(np.broadcast_to(h.real(first).astype(np.float64), product.shape), product) * halved
        r = odd.astype(h.float)
        result, flags = _finished(word, h, r, r != odd, lambda: _is_tiny(h, odd), minus, m)
    nothing = _zero_times_infinity(h, n, m)
    if nothing.any():
        result = np.where(nothing, h.float(start * halved).view(h.unsigned), result)
        flags = np.where(nothing, np.uint8(0), flags)
    return result, flags


def _recps(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    return _step(word, h, n, m, 2.0, 1.0)


def _rsqrts(word: FloatWord, h: _Host, n: Array, m: Array) -> tuple[Array, Any]:
    return _step(word, h, n, m, 3.0, 0.5)


_WORDS: dict[str, Callable[..., tuple[Array, Any]]] = {function.__name__[1:]: function for function in (
    _add, _sub, _mul, _mulx, _div, _sqrt, _fma, _max, _min, _maxnm, _minnm, _compare, _nzcv, _to_int, _round, _recpe,
    _recpx, _rsqrte, _recps, _rsqrts)}
_FORMATS: dict[str, Callable[[FloatWord, Array], tuple[Array, Any]]] = {
    "from_int": _from_int, "convert": _convert, "widen": _widen}
