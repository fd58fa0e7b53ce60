"""AArch32 products of halfwords: what fixed-point kernels used before NEON.

| instruction             | result                                                                |
|-------------------------|-----------------------------------------------------------------------|
| SMULBB BT TB TT         | product of two halfwords, bottom or top                               |
| SMLABB ..., SMLALBB ... | the same added to a word, to two words                                |
| SMULWB WT, SMLAWB WT    | product of a word and a halfword, its upper 32 of 48 bits             |
| SMUAD, SMUSD            | sum, difference of two products of halfwords; X exchanges those of m  |
| SMLAD, SMLSD, SMLALD .. | the same added to a word, to two words                                |
| SMMUL, SMMLA, SMMLS     | the upper half of a product of words; R to nearest                    |
| USAD8, USADA8           | sum of absolute differences of four bytes                             |

In quantised kernels: SMLAD does two multiplies of an int16 dot product at once; SMMULR scales by a Q31 number.

Traps: what is added to a word wraps, and then sets the sticky flag Q; so does SMUAD, whose two products may add up to
2**31. SMLAL and SMLALD wrap silently.
"""

from __future__ import annotations

from typing import Any

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    compare,
    extend,
    narrow,
    sat,
    select,
    signed,
    total,
    view,
    wide,
    x32,
    x64,
)


def _insn(function: Any, name: str, page: str, template: str, timing: str = "mul", writes: str = "d") -> None:
    """Register a function that a factory made; its page ends with its place in the manual."""
    function.__name__ = name.lower()
    overflow = "; Q is set if that is no signed word" if writes == "d q" else ""
    function.__doc__ = f"{page}{overflow}\nSource: DDI 0406 A8.8 {name}."
    insn(a32=f"{name}{{c}} {template}", types="s16", writes=writes, timing=timing)(function)


def _halfwords(choice: str, i: int, j: int) -> None:
    """SMULBB, SMLABB, SMLALBB for one choice of halves."""

    def product(n: Lanes, m: Lanes) -> Result:
        return wide(n[i]) * wide(m[j])

    def added(a: Lanes, n: Lanes, m: Lanes) -> Result:
        full = wide(signed(a)) + wide(wide(n[i]) * wide(m[j]))
        return narrow(full), sat(full, like=narrow(full))[1]

    def added_long(a: Lanes, n: Lanes, m: Lanes) -> Result:
        return view(view(a, x64) + wide(wide(n[i]) * wide(m[j])), x32)

    term = f"n[{i}] * m[{j}], halfwords"
    _insn(product, f"SMUL{choice}", f"Multiply halfwords.\n\nd <- {term}", "<d:RN>, <n:P>, <m:P>")
    _insn(added, f"SMLA{choice}", f"Multiply halfwords and add.\n\nd <- a + {term}", "<d:RN>, <n:P>, <m:P>, <a:RN>",
          writes="d q")
    _insn(added_long, f"SMLAL{choice}", f"Multiply halfwords and add to two words.\n\nd1, d2 <- d1, d2 + {term}",
          "<d1:RN>, <d2:RN>, <n:P>, <m:P> | distinct=1", "mul_long")


def _word_by_halfword(half: str, j: int) -> None:
    """SMULWB and SMLAWB, or WT."""

    def product(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(signed(n)) * wide(wide(m[j])) >> 16)

    def added(a: Lanes, n: Lanes, m: Lanes) -> Result:
        full = wide(signed(a)) + (wide(signed(n)) * wide(wide(m[j])) >> 16)
        return narrow(full), sat(full, like=narrow(full))[1]

    what, term = "Multiply a word by a halfword", f"(n * m[{j}] >> 16), m in halfwords"
    _insn(product, f"SMULW{half}", f"{what}: the upper 32 of 48 bits.\n\nd <- {term}", "<d:RN>, <n:RN>, <m:P>")
    _insn(added, f"SMLAW{half}", f"{what} and add the upper 32 of 48 bits.\n\nd <- a + {term}",
          "<d:RN>, <n:RN>, <m:P>, <a:RN>", writes="d q")


def _dual(exchange: str, j: int, k: int) -> None:
    """SMUAD, SMUSD and what accumulates them, with the halfwords of m as they are or exchanged."""

    def smuad(n: Lanes, m: Lanes) -> Result:
        full = wide(wide(n[0]) * wide(m[j])) + wide(wide(n[1]) * wide(m[k]))
        return narrow(full), sat(full, like=narrow(full))[1]

    def smusd(n: Lanes, m: Lanes) -> Result:
        return wide(n[0]) * wide(m[j]) - wide(n[1]) * wide(m[k])

    def smlad(a: Lanes, n: Lanes, m: Lanes) -> Result:
        full = wide(signed(a)) + wide(wide(n[0]) * wide(m[j])) + wide(wide(n[1]) * wide(m[k]))
        return narrow(full), sat(full, like=narrow(full))[1]

    def smlsd(a: Lanes, n: Lanes, m: Lanes) -> Result:
        full = wide(signed(a)) + wide(wide(n[0]) * wide(m[j])) - wide(wide(n[1]) * wide(m[k]))
        return narrow(full), sat(full, like=narrow(full))[1]

    def smlald(a: Lanes, n: Lanes, m: Lanes) -> Result:
        return view(view(a, x64) + wide(wide(n[0]) * wide(m[j])) + wide(wide(n[1]) * wide(m[k])), x32)

    def smlsld(a: Lanes, n: Lanes, m: Lanes) -> Result:
        return view(view(a, x64) + wide(wide(n[0]) * wide(m[j])) - wide(wide(n[1]) * wide(m[k])), x32)

    what = "Multiply two halfwords by two"
    for plus, minus, tail, to, template, timing in (
            (smuad, smusd, "", "d <-", "<d:RN>, <n:P>, <m:P>", "mul"),
            (smlad, smlsd, " and accumulate", "d <- a +", "<d:RN>, <n:P>, <m:P>, <a:RN>", "mul"),
            (smlald, smlsld, " and accumulate in two words", "d1, d2 <- d1, d2 +",
             "<d1:RN>, <d2:RN>, <n:P>, <m:P> | distinct=1", "mul_long")):
        for function, sign, verb in ((plus, "+", "add"), (minus, "-", "subtract")):
            overflows = function not in (smusd, smlald, smlsld)
            _insn(function, function.__name__.upper() + exchange,
                  f"{what}, {verb}{tail}.\n\n{to} n[0] * m[{j}] {sign} n[1] * m[{k}], halfwords", template, timing,
                  "d q" if overflows else "d")


for _half, _at in (("B", 0), ("T", 1)):
    _word_by_halfword(_half, _at)
    _halfwords("B" + _half, 0, _at)
    _halfwords("T" + _half, 1, _at)
_dual("", 0, 1)
_dual("X", 1, 0)


def _high(rounded: str, half: int, text: str) -> None:
    """SMMUL, SMMLA, SMMLS, or with R: half is what is added before the low word is dropped."""

    def smmul(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(signed(n)) * wide(signed(m)) + half >> 32)

    def smmla(a: Lanes, n: Lanes, m: Lanes) -> Result:
        return narrow((wide(a) << 32) + wide(signed(n)) * wide(signed(m)) + half >> 32)

    def smmls(a: Lanes, n: Lanes, m: Lanes) -> Result:
        return narrow((wide(a) << 32) - wide(signed(n)) * wide(signed(m)) + half >> 32)

    _insn(smmul, f"SMMUL{rounded}", f"Multiply words: the upper half{text}.\n\nd <- (n * m + {half:#x}) >> 32",
          "<d:RN>, <n:RN>, <m:RN>", "mul_long")
    for function, sign, verb in ((smmla, "+", "add to"), (smmls, "-", "subtract from")):
        _insn(function, function.__name__.upper() + rounded,
              f"Multiply words and {verb} an upper half{text}.\n\nd <- ((a << 32) {sign} n * m + {half:#x}) >> 32",
              "<d:RN>, <n:RN>, <m:RN>, <a:RN>", "mul_long")


_high("", 0, "")
_high("R", 1 << 31, ", to nearest")


@insn(a32="USAD8{c} <d:RN>, <n:P>, <m:P>", types="u8", writes="d", timing="mul")
def usad8(n: Lanes, m: Lanes) -> Result:
    """Sum of absolute differences of four bytes.

    d <- sum of |n[i] - m[i]|, bytes
    Source: DDI 0406 A8.8 USAD8.
    """
    return total(extend(select(compare(n, ">", m), n - m, m - n), x32))


@insn(a32="USADA8{c} <d:RN>, <n:P>, <m:P>, <a:RN>", types="u8", writes="d", timing="mul")
def usada8(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Sum of absolute differences of four bytes, added.

    d <- a + sum of |n[i] - m[i]|, bytes
    Source: DDI 0406 A8.8 USADA8.
    """
    return a + total(extend(select(compare(n, ">", m), n - m, m - n), x32))
