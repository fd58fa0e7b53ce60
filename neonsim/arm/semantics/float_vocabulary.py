"""The floating words of the vocabulary, as bodies write them. What each means is in `floating`, to the bit.

Lanes are bit patterns, their width says in which format (f16, f32, f64). ``fpcr`` is the rules to compute by, one byte
of FPCR (`float_formats`). Every word gives (lanes, exceptions): the exceptions of all lanes together, one lane, as they
are added to FPSR.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .float_formats import DN, FZ, ODD, ROUNDING
from .softfloat import FloatWord
from .types import ElementType, element
from .vocabulary import L, compare, constants, select, signed, unsigned

__all__ = ["float_abs", "float_add", "float_compare", "float_compare_zero", "float_convert", "float_div",
           "float_extreme", "float_fma", "float_from_int", "float_javascript", "float_javascript_exact", "float_max",
           "float_maxnm", "float_min", "float_minnm", "float_mul", "float_mulx", "float_neg", "float_nzcv",
           "float_nzcv_zero", "float_recpe", "float_recps", "float_recpx", "float_round", "float_round_within",
           "float_rsqrte", "float_rsqrts", "float_sqrt", "float_sub", "float_to_bf16", "float_to_int", "float_turn",
           "float_widen", "products_of_bf16", "to_nearest", "to_odd"]

_F32, _U8, _U32 = element("f", 32), element("u", 8), element("u", 32)


def _word(name: str, n: L, fpcr: int, *detail: str | int) -> FloatWord:
    return FloatWord(name, f"f{n.type.bits}", fpcr, detail)


def to_nearest(fpcr: int) -> int:
    """Return the same rules, but rounded to nearest even."""
    return fpcr & ~ROUNDING


def to_odd(fpcr: int) -> int:
    """Return the same rules, but rounded to odd: an inexact result has a last bit of 1."""
    return to_nearest(fpcr) | ODD


def products_of_bf16() -> int:
    """Return the rules of BFDOT and BFMMLA, whatever FPCR says: to odd, infinity if too large, nothing denormal, one
    NaN."""
    return ODD | ROUNDING | FZ | DN


def float_neg(n: L) -> L:
    """Return the sign bit flipped, of a NaN too; no exceptions."""
    return n ^ (1 << n.type.bits - 1)


def float_abs(n: L) -> L:
    """Return the sign bit cleared, of a NaN too; no exceptions."""
    return n & (1 << n.type.bits - 1) - 1


def float_turn(n: L, negative: int) -> L:
    """Return the sign bit flipped if ``negative`` is 1, of a NaN too; no exceptions."""
    return n ^ (negative << n.type.bits - 1)


def float_add(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """n + m."""
    return n._float(_word("add", n, fpcr), (m,), n.type)


def float_sub(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """n - m."""
    return n._float(_word("sub", n, fpcr), (m,), n.type)


def float_mul(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """n * m."""
    return n._float(_word("mul", n, fpcr), (m,), n.type)


def float_mulx(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """n * m, but 0 * infinity is 2."""
    return n._float(_word("mulx", n, fpcr), (m,), n.type)


def float_div(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """n / m."""
    return n._float(_word("div", n, fpcr), (m,), n.type)


def float_sqrt(n: L, fpcr: int) -> tuple[L, L]:
    """Return the square root of n."""
    return n._float(_word("sqrt", n, fpcr), (), n.type)


def float_fma(a: L, n: L, m: L, fpcr: int) -> tuple[L, L]:
    """a + n * m, rounded once."""
    return a._float(_word("fma", a, fpcr), (n, m), a.type)


def float_max(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """Return the larger one; a NaN if there is one."""
    return n._float(_word("max", n, fpcr), (m,), n.type)


def float_min(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """Return the smaller one; a NaN if there is one."""
    return n._float(_word("min", n, fpcr), (m,), n.type)


def float_maxnm(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """Return the larger one; the number if the other is a quiet NaN."""
    return n._float(_word("maxnm", n, fpcr), (m,), n.type)


def float_minnm(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """Return the smaller one; the number if the other is a quiet NaN."""
    return n._float(_word("minnm", n, fpcr), (m,), n.type)


def float_extreme(n: L, m: L, which: str, fpcr: int) -> tuple[L, L]:
    """One of the four words above, by its name: "max" "min" "maxnm" "minnm"."""
    return n._float(_word(which, n, fpcr), (m,), n.type)


def float_compare(n: L, relation: str, m: L, fpcr: int) -> tuple[L, L]:
    """All ones where ``n relation m`` holds ("==" ">=" ">" "<=" "<"), else zero."""
    return n._float(_word("compare", n, fpcr, relation), (m,), n.type.with_("u"))


def float_compare_zero(n: L, relation: str, fpcr: int) -> tuple[L, L]:
    """All ones where ``n relation 0`` holds, else zero."""
    return n._float(_word("compare", n, fpcr, relation), (), n.type.with_("u"))


def float_nzcv(n: L, m: L, signaling: str, fpcr: int) -> tuple[L, L]:
    """NZCV of comparing the only lanes of n and m; "signalling": a quiet NaN is an invalid operation too."""
    return n._float(_word("nzcv", n, fpcr, int(signaling == "signaling")), (m,), _U8)


def float_nzcv_zero(n: L, signaling: str, fpcr: int) -> tuple[L, L]:
    """NZCV of comparing the only lane of n with 0."""
    return n._float(_word("nzcv", n, fpcr, int(signaling == "signaling")), (), _U8)


def float_round(n: L, rounding: str, exact: str, fpcr: int) -> tuple[L, L]:
    """Rounded to an integer ("n" to nearest even, "a" to nearest away, "m" down, "p" up, "z" towards zero); "exact": a
    change raises the inexact exception."""
    return n._float(_word("round", n, fpcr, rounding, int(exact == "exact")), (), n.type)


def float_round_within(n: L, rounding: str, width: int, fpcr: int) -> tuple[L, L]:
    """Rounded to an integer of ``width`` signed bits, the smallest of which stands for all that does not fit; the
    exceptions are those of `float_to_int`. Patterns of floats are ordered like integers of sign and size, so what does
    not fit is found by two comparisons with the smallest integer's."""
    _, flags = float_to_int(n, n.type.with_("s", width), rounding, 0, fpcr)
    # Terms tell functions apart by identity. A word that is not known yet belongs to one writer: it is not kept.
    made_of = (_known_within if isinstance(fpcr, int) else _within)(rounding, width, fpcr)
    return n._derived(f"integer_s{width}_{rounding}", made_of), flags


def _within(rounding: str, width: int, fpcr: int) -> Callable[[L], L]:
    def within(n: L) -> L:
        whole, _ = float_round(n, rounding, "", fpcr)
        lowest, _ = float_from_int(constants(signed(n), (-1,)), n.type, 1 - width, fpcr)  # -2**(width - 1)
        outside = compare(signed(whole), ">=", signed(float_neg(lowest))) | compare(
            unsigned(whole), ">", unsigned(lowest))
        return select(outside, n & 0 | lowest, whole)
    return within


_known_within = cache(_within)


def float_to_int(n: L, like: ElementType, rounding: str, fbits: int, fpcr: int) -> tuple[L, L]:
    """n * 2**fbits as integers of type ``like``, clamped to its range; roundings as in `float_round`."""
    return n._float(_word("to_int", n, fpcr, like.kind, like.bits, fbits, rounding), (), like)


def float_from_int(n: L, like: ElementType, fbits: int, fpcr: int) -> tuple[L, L]:
    """Return the integers n * 2**-fbits as numbers of type ``like``."""
    return n._float(FloatWord("from_int", like.name, fpcr, (n.type.kind, n.type.bits, fbits)), (), like)


def float_javascript(n: L, fpcr: int) -> tuple[L, L]:
    """n towards zero, modulo 2**32: the integer that JavaScript makes of it."""
    return n._float(_word("javascript", n, fpcr), (), _U32)


def float_javascript_exact(n: L, fpcr: int) -> tuple[L, L]:
    """NZCV of that: Z if nothing was lost."""
    return n._float(_word("javascript_exact", n, fpcr), (), _U8)


def float_convert(n: L, like: ElementType, fpcr: int) -> tuple[L, L]:
    """Numbers in another format, that of ``like``."""
    return n._float(FloatWord("convert", like.name, fpcr, (n.type.name, like.name)), (), like)


def float_to_bf16(n: L, fpcr: int) -> tuple[L, L]:
    """Single precision as BF16, lanes of 16 bits."""
    return n._float(FloatWord("convert", "bf16", fpcr, ("f32", "bf16")), (), element("x", 16))


def float_widen(n: L, fpcr: int) -> tuple[L, L]:
    """Half precision as single precision, NaNs as they are; no exceptions."""
    return n._float(FloatWord("widen", "f32", fpcr), (), _F32)


def float_recpe(n: L, fpcr: int) -> tuple[L, L]:
    """Return an estimate of 1 / n."""
    return n._float(_word("recpe", n, fpcr), (), n.type)


def float_recpx(n: L, fpcr: int) -> tuple[L, L]:
    """n's sign, its exponent inverted, fraction 0."""
    return n._float(_word("recpx", n, fpcr), (), n.type)


def float_rsqrte(n: L, fpcr: int) -> tuple[L, L]:
    """Return an estimate of 1 / sqrt(n)."""
    return n._float(_word("rsqrte", n, fpcr), (), n.type)


def float_recps(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """2 - n * m: one step towards 1 / n."""
    return n._float(_word("recps", n, fpcr), (m,), n.type)


def float_rsqrts(n: L, m: L, fpcr: int) -> tuple[L, L]:
    """(3 - n * m) / 2: one step towards 1 / sqrt(n)."""
    return n._float(_word("rsqrts", n, fpcr), (m,), n.type)
