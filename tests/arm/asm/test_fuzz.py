"""Any text gives a Program or an AssemblyError, quickly; a Program's listing gives the same Program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError
from tests.tiers import examples
from tests.work import grows_evenly

PIECES = """
    add sub mov smlal vmlal.s16 vmull.u8 vld1.8 vst1.32 ld1 st1 ldr str ldp b b.ne bne cbnz 1b 2f 1: 2: loop: loop bx
    push pop vpush vext.8 ext movi vmov.i32 csel ne cmp tst uaddlv vpadal.u16 x0 w1 sp xzr r0 r13 lr pc v0.4s v1.8b v2.h
    ret v3.16b q0 q15 s3 [x0] [x0, [r0:64]! [r0], ] [ {v0.4s-v3.4s} {d0-d3} {r4-r6,lr} {d0[]} { } [1] #0 #1
    #-8 #0xff 8 , , , , ; // /* */ @ # .set .req .unreq N N = .global .p2align .thumb .end ' " lsl asr rrx
    uxtw msl ! - +
    * / ( ) << ~ : = 9999999999999999999999 1.5 .4s .word #if
"""
# What makes text out of text; lines of it are put together from words, so that many are well-formed.
LINES = r"""
    .macro m a, b=x1|.macro n a:req, b:vararg|.macro m|.endm|.exitm|.purgem m|m x1, x2|m 1|n x0, x1, x2|n|.rept 2
    .rept 9999|.endr|.irp a, x1, x2|.irpc a, 012|mov \a, \b|add x\a, x1, 3|l\@: nop|\a\(): b \a|.altmacro|.noaltmacro
    LOCAL x|m <x, y>, %1+2|x&a: nop|.if 1|.if N|.if \a|.ifc \a, x1|.ifb \b|.ifdef N|.else|.elseif 1|.endif|.set N, N+1
    N = 3|nop|ret|m \b|n \a \b|#define N 3|#define F(a, b) add a, a, b|#define m n|#define n m
    #define CAT(a, ...) a ## __VA_ARGS__ #a|F(x1, N)|F(F, F)(|#undef N|#if N > 2|#if defined(N) && F(1,2)|#ifdef N
    #ifndef F|#elif N|#else|#endif|#include "a.h"|.include "a"|CAT(x,1,2)|#error
    .data|.text|.section .rodata|x: .word 1, x, . - x|y: .asciz "a"|.byte y - x, 300|.quad x + y|.zero N|1: .byte 1b
    adr x0, x|ldr x0, =x|ldr x1, =0x123456789|ldr x0, 1b|adrp x0, :got:x|add x0, x0, :lo12:y+1|b .+4|.balign 8|f: ret
    .popsection|.set z, . - x|.set w, x + 4|.word z, w|ldr q0, y|.bss|.comm c, 8, 4|adr x1, c + 4 - 2|.incbin "x"
    .pushsection .data|.fill 3, 2, 1
    /*|*/|// \\|"|'|.end|.error "x"
    .ident "\a"|mov x0, N \\|, x1)|.req|a .req x1
"""
SENTENCES = [line for row in LINES.split("\n") for line in row.strip().replace("\\\\", "\\").split("|") if line]
WORDS = [*PIECES.split(), "\n", "\n", "\t", "\r", "\0", "\N{LATIN SMALL LETTER E WITH ACUTE}"]

source = st.one_of(
    st.lists(st.sampled_from(SENTENCES), max_size=24).map("\n".join),
    st.lists(st.sampled_from(SENTENCES), max_size=10).map(" ; ".join),
    st.lists(st.sampled_from(WORDS), max_size=24).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
    st.text(max_size=60),
    st.binary(max_size=60).map(lambda b: b.decode("latin-1")),
)


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@examples(60)
@given(text=source)
@example(text="")
@example(text="\n" * 100)
@example(text="'" * 100)
@example(text="a .req b\nb .req a\nadd a, b, a")
@example(text="a .req v0.4s\nadd a, a, a.4s")
@example(text="mov x0, #" + "(" * 3000)
@example(text="mov x0, #" + "9" * 4000)
@example(text="ld1 {" + "v0.4s," * 600 + "v0.4s}, [x0]")
@example(text="add " + "x0," * 1300 + "x0")
def test_only_assembly_errors(isa: str, text: str) -> None:
    if "\n" not in text and text.lower().endswith(".s"):
        text += "\n"  # else it is taken for a file name, which is another error
    try:
        program = assemble(text, isa=isa)
    except AssemblyError as error:
        assert error.message and "\n" not in error.path
        assert error.column >= 1 and error.width >= 1
        assert error.line <= text.count("\n") + 1
        assert str(error)
    else:
        assert assemble(str(program), isa=isa) == program


HOSTILE: dict[str, Callable[[int], str]] = {
    "nop": lambda n: "nop\n" * n, ";": lambda n: ";" * n + "\n" * (n // 4), "x:": lambda n: "x: " * n,
    "/*": lambda n: "/*" * n, "a": lambda n: "a" * n, "[": lambda n: "[" * n, "#": lambda n: "#" * n,
    "-": lambda n: "add x0, x0, " + "-" * n, "1+": lambda n: "add x0, x0, " + "1+" * n + "1", '"': lambda n: '"' * n,
    "'": lambda n: "'" * n, "1:": lambda n: "1:" * n,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_with_hostile_texts(text: Callable[[int], str]) -> None:
    def hostile(size: int) -> None:
        with contextlib.suppress(AssemblyError):
            assemble(text(size), isa="aarch64")
    grows_evenly(hostile, 600)  # the longest line holds twice as many of each
