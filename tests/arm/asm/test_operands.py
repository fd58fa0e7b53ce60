"""Operand texts, both instruction sets."""

from __future__ import annotations

import pytest

from neonsim.arm.asm import parse_operands
from neonsim.arm.asm.parse.registers import REGISTERS
from neonsim.arm.isa.operands.ast import (
    ALL_LANES,
    Address,
    CoreRegister,
    Immediate,
    Operand,
    RegisterList,
    Shift,
    Symbol,
    VectorRegister,
)
from neonsim.errors import AssemblyError, BadArgument


def x(n: int) -> CoreRegister:
    return CoreRegister("x", n)


def r(n: int, writeback: bool = False) -> CoreRegister:
    return CoreRegister("r", n, writeback=writeback)


def v(n: int, arrangement: str | None, index: int | None = None) -> VectorRegister:
    return VectorRegister("v", n, arrangement, index)


def d(n: int, index: int | None = None) -> VectorRegister:
    return VectorRegister("d", n, None, index)


I = Immediate  # noqa: E741

A64: list[tuple[str, list[Operand]]] = [
    ("v0.4s, v1.4h, v2.h[3]", [v(0, "4s"), v(1, "4h"), v(2, "h", 3)]),
    ("V0.4S,V1.4H", [v(0, "4s"), v(1, "4h")]),
    ("v2.4h[1]", [v(2, "4h", 1)]),
    ("v0", [v(0, None)]),
    ("q1, d2, s3, h4, b5", [VectorRegister(k, n) for n, k in enumerate("qdshb", 1)]),
    ("x0, w1, xzr, wzr, sp, wsp",
     [x(0), CoreRegister("w", 1), x(31), CoreRegister("w", 31), CoreRegister("x", 31, True),
      CoreRegister("w", 31, True)]),
    ("fp, lr, ip0, ip1", [x(29), x(30), x(16), x(17)]),
    ("#3, 3, #-8, -8, #0x10, #(4*8), #'a', 'a'", [I(3), I(3), I(-8), I(-8), I(16), I(32), I(97), I(97)]),
    ("#1.5, -0.25, #1e2", [I(1.5), I(-0.25), I(100.0)]),
    ("x0, lsl #3", [x(0), Shift("lsl", I(3))]),
    ("x0, LSL 3", [x(0), Shift("lsl", I(3))]),
    ("w0, sxtw", [CoreRegister("w", 0), Shift("sxtw", None)]),
    ("#1, msl #8", [I(1), Shift("msl", I(8))]),
    ("[x0]", [Address(x(0))]),
    ("[sp, 16]", [Address(CoreRegister("x", 31, True), I(16))]),
    ("[x0, #16]!", [Address(x(0), I(16), writeback="pre")]),
    ("[x0], #16", [Address(x(0), I(16), writeback="post")]),
    ("[x0], x1", [Address(x(0), x(1), writeback="post")]),
    ("[x0, x1]", [Address(x(0), x(1))]),
    ("[x0, x1, lsl #3]", [Address(x(0), x(1), Shift("lsl", I(3)))]),
    ("[x0, w1, uxtw 2]", [Address(x(0), CoreRegister("w", 1), Shift("uxtw", I(2)))]),
    ("{v0.4s}", [RegisterList((v(0, "4s"),))]),
    ("{v0.4s, v1.4s}", [RegisterList((v(0, "4s"), v(1, "4s")))]),
    ("{ v0.4s - v3.4s }", [RegisterList(tuple(v(n, "4s") for n in range(4)))]),
    ("{v31.16b, v0.16b}", [RegisterList((v(31, "16b"), v(0, "16b")))]),
    ("{v0.s}[1], [x0]", [RegisterList((v(0, "s"),), 1), Address(x(0))]),
    ("{v0.b-v1.b}[15]", [RegisterList((v(0, "b"), v(1, "b")), 15)]),
    ("x0, x1, x2, NE", [x(0), x(1), x(2), Symbol("NE")]),
    ("1b", [Symbol("1b")]),
    ("12f", [Symbol("12f")]),
    (".Lloop$1", [Symbol(".Lloop$1")]),
    ("", []),
]  # fmt: skip

A32: list[tuple[str, list[Operand]]] = [
    ("q8, d0, d7[3]", [VectorRegister("q", 8), d(0), d(7, 3)]),
    ("s31", [VectorRegister("s", 31)]),
    ("sb, sl, fp, ip, sp, lr, pc", [r(n) for n in range(9, 16)]),
    ("a1, a4, v1, v8", [r(0), r(3), r(4), r(11)]),
    ("r0!", [r(0, True)]),
    ("r0, r1, lsl #3", [r(0), r(1), Shift("lsl", I(3))]),
    ("r1, asr r2", [r(1), Shift("asr", r(2))]),
    ("r1, rrx", [r(1), Shift("rrx", None)]),
    ("{r4-r6, lr}", [RegisterList((r(4), r(5), r(6), r(14)))]),
    ("{d0-d3}", [RegisterList(tuple(d(n) for n in range(4)))]),
    ("{q0, q1}", [RegisterList((VectorRegister("q", 0), VectorRegister("q", 1)))]),
    ("{d0[]}", [RegisterList((d(0, ALL_LANES),), ALL_LANES)]),
    ("{d0[], d1[]}", [RegisterList((d(0, ALL_LANES), d(1, ALL_LANES)), ALL_LANES)]),
    ("{d0[]-d1[]}", [RegisterList((d(0, ALL_LANES), d(1, ALL_LANES)), ALL_LANES)]),
    ("{d3[1]}", [RegisterList((d(3, 1),), 1)]),
    ("{d3[0+1]}", [RegisterList((d(3, 1),), 1)]),
    ("[r0:64]!", [Address(r(0), writeback="pre", align=64)]),
    ("[r0, :128]", [Address(r(0), align=128)]),
    ("[r0 :32], r2", [Address(r(0), r(2), writeback="post", align=32)]),
    ("[r0, -r1]", [Address(r(0), r(1), subtract=True)]),
    ("[r0, +r1]", [Address(r(0), r(1))]),
    ("[r0, -r1, lsl #2]!", [Address(r(0), r(1), Shift("lsl", I(2)), "pre", True)]),
    ("[r0], -r1, lsl 2", [Address(r(0), r(1), Shift("lsl", I(2)), "post", True)]),
    ("[r0, #-4]!", [Address(r(0), I(-4), writeback="pre")]),
    ("[r0], -4", [Address(r(0), I(-4), writeback="post")]),
    ("[pc, #8]", [Address(r(15), I(8))]),
]  # fmt: skip


@pytest.mark.parametrize(("isa", "text", "expected"),
                         [("aarch64", *case) for case in A64] + [("aarch32", *case) for case in A32])
def test_operands(isa: str, text: str, expected: list[Operand]) -> None:
    assert parse_operands(isa, text) == expected


def test_spans_are_columns_and_widths() -> None:
    a, b, c = parse_operands("aarch64", " v0.4s,\tv1.s [ 2 ] , [x0 , 8] ")
    assert [o.span for o in (a, b, c)] == [(2, 5), (9, 10), (22, 8)]
    [address] = parse_operands("aarch32", "[r0], -r1, lsl #2")
    assert isinstance(address, Address) and address.offset is not None and address.shift is not None
    spans = [part.span for part in (address, address.base, address.offset, address.shift)]
    assert spans == [(1, 17), (2, 2), (7, 3), (12, 6)]


def test_aliases_and_constants() -> None:
    assert parse_operands("aarch64", "acc.4s, ACC.s[N], #N*2, N", aliases={"Acc": "v16"}, constants={"N": 3}) == [
        v(16, "4s"), v(16, "s", 3), I(6), I(3)]  # fmt: skip


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_register_name(isa: str) -> None:
    for name, (vector, kind, number, arrangement, is_sp) in REGISTERS[isa].items():
        text = f"{name}[0]" if vector and arrangement in ("b", "h", "s", "d") else name
        for written in (text, text.upper()):
            [operand] = parse_operands(isa, written)
            if isinstance(operand, VectorRegister):
                assert (operand.kind, operand.number, operand.arrangement) == (kind, number, arrangement)
            else:
                assert operand == CoreRegister(kind, number, is_sp)


ERRORS = [
    # isa, text, column, width, what the message must hold
    ("aarch64", "v32.4s", 1, 6, "v registers go from v0 to v31"),
    ("aarch64", "x0, x31", 5, 3, "go from x0 to x30; number 31 is written xzr (zero) or sp"),
    ("aarch64", "w31", 1, 3, "wzr (zero) or wsp"),
    ("aarch64", "q32", 1, 3, "go from q0 to q31"),
    ("aarch32", "d32", 1, 3, "go from d0 to d31"),
    ("aarch32", "q16", 1, 3, "go from q0 to q15"),
    ("aarch32", "r16", 1, 3, "go from r0 to r15"),
    ("aarch64", "r3", 1, 2, "write x3 or w3"),
    ("aarch32", "x3", 1, 2, "write r3"),
    ("aarch32", "v0.4s", 1, 5, "write q0."),
    ("aarch64", "v00", 1, 3, "write v0"),
    ("aarch64", "v0.4x", 1, 5, "v0.8b .16b .4h .8h .2s .4s .1d .2d"),
    ("aarch64", "q0.4s", 1, 5, "v0.4s"),
    ("aarch64", "v0.s", 1, 4, "v0.s[0] to [3], or v0.4s"),
    ("aarch64", "v0.h[8]", 6, 1, "8 lanes of v0.h, numbered 0 to 7"),
    ("aarch64", "v0.h[-1]", 6, 2, "numbered 0 to 7"),
    ("aarch64", "v0.2h[4]", 7, 1, "numbered 0 to 3"),
    ("aarch32", "d0[8]", 4, 1, "numbered 0 to 7"),
    ("aarch64", "v0[1]", 1, 3, "v0.b[i] .h[i] .s[i] .d[i]"),
    ("aarch64", "s2[1]", 1, 3, "v2.b[i]"),
    ("aarch32", "q1[1]", 1, 3, "q1 is d2 and d3"),
    ("aarch64", "v0.s[1", 5, 1, "needs a closing `]`"),
    ("aarch64", "v0.s[]", 5, 2, "v0.s[0] to [3]"),
    ("aarch64", "x0[1]", 3, 1, "takes no lane"),
    ("aarch64", "{v0.4s, v1.4s", 1, 1, "needs a closing `}`"),
    ("aarch64", "{v0.4s, [x0]", 9, 1, "is no register"),
    ("aarch64", "{v0.4s v1.4s}", 8, 5, "commas or -"),
    ("aarch64", "{v0.4s, v2.4s}", 9, 5, "after v0 comes v1"),
    ("aarch64", "{v0.4s-v4.4s}", 1, 13, "at most 4"),
    ("aarch64", "{v3.4s-v1.4s}", 2, 11, "backwards"),
    ("aarch64", "{v0.4s, v1.8h}", 9, 5, "one arrangement"),
    ("aarch64", "{v0.s}", 1, 6, "{v0.s}[0]"),
    ("aarch64", "{v0.s}[4]", 8, 1, "numbered 0 to 3"),
    ("aarch64", "{v0.4s}[2]", 1, 7, "{v0.s}[2]"),
    ("aarch64", "{v0-v3}", 1, 7, "arrangement is missing"),
    ("aarch64", "{x0-x3}", 1, 7, "LDP"),
    ("aarch64", "{}", 2, 1, "A register is missing"),
    ("aarch64", "{v32.4s}", 2, 6, "v0 to v31"),
    ("aarch32", "{d0}[1]", 5, 1, "{d0[1]}"),
    ("aarch32", "{d0[1], d1[2]}", 9, 5, "same lane"),
    ("aarch32", "{d0, q1}", 6, 2, "one kind"),
    ("aarch32", "{d0-q1}", 2, 5, "in the same form"),
    ("aarch32", "{r0, r1, r0}", 10, 2, "twice"),
    ("aarch32", "{r0-r3}^", 8, 1, "leave it out"),
    ("aarch64", "[x0", 1, 1, "needs a closing `]`"),
    ("aarch64", "[", 1, 1, "a base register and a closing `]`"),
    ("aarch64", "[w3]", 2, 2, "Write x3"),
    ("aarch64", "[xzr]", 2, 3, "Write sp"),
    ("aarch32", "[d0]", 2, 2, "general register"),
    ("aarch64", "[loop]", 2, 4, "not a base register"),
    ("aarch64", "[x0,]", 4, 1, "An offset is missing"),
    ("aarch64", "[x0, loop]", 6, 4, "must be a register or a number"),
    ("aarch64", "[x0], loop", 7, 4, "an increment"),
    ("aarch64", "[x0, #8], #8", 9, 4, "after [base] alone"),
    ("aarch64", "[x0, -x1]", 6, 3, "no signed index"),
    ("aarch64", "[x0, v1]", 6, 2, "not a vector register"),
    ("aarch64", "[x0, #1.5]", 6, 4, "integer"),
    ("aarch64", "[x0:64]", 4, 1, "AArch32 only"),
    ("aarch32", "[r0:63]", 5, 2, "16, 32, 64, 128 or 256"),
    ("aarch32", "[r0, r1, r2]", 8, 1, "A `]` is expected here"),
    ("aarch64", "x0,,x1", 4, 1, "before this comma"),
    ("aarch64", "x0,", 3, 1, "after this comma"),
    ("aarch64", "x0 x1", 4, 2, "comma is missing between `x0` and `x1`"),
    ("aarch64", "x0 #1", 4, 1, "comma is missing before this `#`"),
    ("aarch64", "# c", 1, 3, "Write //"),
    ("aarch64", "x0)", 3, 1, "closes nothing"),
    ("aarch64", "#1!", 3, 1, "`!` belongs"),
    ("aarch64", "#x0", 1, 3, "leave out the `#`"),
    ("aarch64", "#N", 2, 1, ".set N, 1"),
    ("aarch64", "=table", 1, 6, "ldr x0, =value"),
    ("aarch64", "loop*4", 1, 5, "can only be added to"),
    ("aarch64", "1b*4", 1, 3, "can only be added to"),
    ("aarch64", ":hi12:x", 1, 5, ":lo12:"),
    ("aarch64", "x0, lsl", 5, 3, "lsl #3"),
    ("aarch64", "x0 @ c", 4, 1, "write //"),
    ("aarch64", "\\a", 1, 1, "no argument of the macro"),
    ("aarch64", "x0\x01", 3, 1, "\\x01"),
]


@pytest.mark.parametrize(("isa", "text", "column", "width", "words"), ERRORS, ids=lambda value: str(value)[:24])
def test_error(isa: str, text: str, column: int, width: int, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        parse_operands(isa, text)
    assert words in caught.value.message
    assert (caught.value.column, caught.value.width) == (column, width)


def test_unknown_isa() -> None:
    with pytest.raises(BadArgument, match="aarch32"):
        parse_operands("thumb", "r0")
