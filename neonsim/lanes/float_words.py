"""The floating words of the vocabulary, as bodies write them. What each means is in `floating`, to the bit.

Lanes are bit patterns (f32 unless said otherwise). ``fpcr`` is the rules to compute by, "plain" or "standard". Every
word gives (lanes, exceptions): the exceptions of all lanes together, one lane, as they are added to FPSR.
"""

from __future__ import annotations

from .floating import FloatWord
from .types import ElementType, element
from .words import L

__all__ = ["float_abs", "float_add", "float_compare", "float_compare_zero", "float_convert", "float_div", "float_fma",
           "float_from_int", "float_max", "float_maxnm", "float_min", "float_minnm", "float_mul", "float_mulx",
           "float_neg", "float_nzcv", "float_nzcv_zero", "float_recpe", "float_recps", "float_round", "float_rsqrte",
           "float_rsqrts", "float_sqrt", "float_sub", "float_to_int"]

_F32, _U8 = element("f", 32), element("u", 8)


def _word(name: str, fpcr: str, *detail: str | int) -> FloatWord:
    return FloatWord(name, fpcr == "standard", detail)


def float_neg(n: L) -> L:
    """The sign bit flipped, of a NaN too; no exceptions."""
    return n ^ (1 << n.type.bits - 1)


def float_abs(n: L) -> L:
    """The sign bit cleared, of a NaN too; no exceptions."""
    return n & (1 << n.type.bits - 1) - 1


def float_add(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """n + m."""
    return n._float(_word("add", fpcr), (m,), n.type)


def float_sub(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """n - m."""
    return n._float(_word("sub", fpcr), (m,), n.type)


def float_mul(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """n * m."""
    return n._float(_word("mul", fpcr), (m,), n.type)


def float_mulx(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """n * m, but 0 * infinity is 2."""
    return n._float(_word("mulx", fpcr), (m,), n.type)


def float_div(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """n / m."""
    return n._float(_word("div", fpcr), (m,), n.type)


def float_sqrt(n: L, fpcr: str) -> tuple[L, L]:
    """The square root of n."""
    return n._float(_word("sqrt", fpcr), (), n.type)


def float_fma(a: L, n: L, m: L, fpcr: str) -> tuple[L, L]:
    """a + n * m, rounded once."""
    return a._float(_word("fma", fpcr), (n, m), a.type)


def float_max(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """The larger one; a NaN if there is one."""
    return n._float(_word("max", fpcr), (m,), n.type)


def float_min(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """The smaller one; a NaN if there is one."""
    return n._float(_word("min", fpcr), (m,), n.type)


def float_maxnm(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """The larger one; the number if the other is a quiet NaN."""
    return n._float(_word("maxnm", fpcr), (m,), n.type)


def float_minnm(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """The smaller one; the number if the other is a quiet NaN."""
    return n._float(_word("minnm", fpcr), (m,), n.type)


def float_compare(n: L, relation: str, m: L, fpcr: str) -> tuple[L, L]:
    """All ones where ``n relation m`` holds ("==" ">=" ">" "<=" "<"), else zero."""
    return n._float(_word("compare", fpcr, relation), (m,), n.type.of("u"))


def float_compare_zero(n: L, relation: str, fpcr: str) -> tuple[L, L]:
    """All ones where ``n relation 0`` holds, else zero."""
    return n._float(_word("compare", fpcr, relation), (), n.type.of("u"))


def float_nzcv(n: L, m: L, signalling: str, fpcr: str) -> tuple[L, L]:
    """NZCV of comparing the only lanes of n and m; "signalling": a quiet NaN is an invalid operation too."""
    return n._float(_word("nzcv", fpcr, int(signalling == "signalling")), (m,), _U8)


def float_nzcv_zero(n: L, signalling: str, fpcr: str) -> tuple[L, L]:
    """NZCV of comparing the only lane of n with 0."""
    return n._float(_word("nzcv", fpcr, int(signalling == "signalling")), (), _U8)


def float_round(n: L, rounding: str, exact: str, fpcr: str) -> tuple[L, L]:
    """Rounded to an integer ("n" to nearest even, "a" to nearest away, "m" down, "p" up, "z" towards zero); "exact": a
    change raises the inexact exception."""
    return n._float(_word("round", fpcr, rounding, int(exact == "exact")), (), n.type)


def float_to_int(n: L, like: ElementType, rounding: str, fbits: int, fpcr: str) -> tuple[L, L]:
    """n * 2**fbits as integers of type ``like``, clamped to its range; roundings as in `float_round`."""
    return n._float(_word("to_int", fpcr, like.kind, like.bits, fbits, rounding), (), like)


def float_from_int(n: L, fbits: int, fpcr: str) -> tuple[L, L]:
    """The integers n * 2**-fbits as f32."""
    return n._float(_word("from_int", fpcr, n.type.kind, n.type.bits, fbits), (), _F32)


def float_convert(n: L, source: str, target: str, fpcr: str) -> tuple[L, L]:
    """From one format to another: "f32" "f16" "bf16"."""
    return n._float(_word("convert", fpcr, source, target), (), element("f" if target[0] == "f" else "x",
                                                                        int(target.lstrip("bf"))))


def float_recpe(n: L, fpcr: str) -> tuple[L, L]:
    """An estimate of 1 / n."""
    return n._float(_word("recpe", fpcr), (), n.type)


def float_rsqrte(n: L, fpcr: str) -> tuple[L, L]:
    """An estimate of 1 / sqrt(n)."""
    return n._float(_word("rsqrte", fpcr), (), n.type)


def float_recps(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """2 - n * m: one step towards 1 / n."""
    return n._float(_word("recps", fpcr), (m,), n.type)


def float_rsqrts(n: L, m: L, fpcr: str) -> tuple[L, L]:
    """(3 - n * m) / 2: one step towards 1 / sqrt(n)."""
    return n._float(_word("rsqrts", fpcr), (m,), n.type)
