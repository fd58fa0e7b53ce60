"""Whole programs: labels, directives, listing, pickling, entries, errors with place and remedy."""

from __future__ import annotations

import pickle

import pytest

from neonsim.arm.asm import Program, assemble
from neonsim.errors import AssemblyError, BadArgument
from tests.work import calls, grows_evenly

A64 = """\
//! A loop over x0 bytes; nothing to take seriously.
        .text
        .p2align 4
        .global sum, zero
        .type sum, %function
sum:                                   // x0 = count, x1 = address
        acc     .req v16
        .set    STEP, 8 ; HALF = STEP / 2
        MOVI    acc.4s, #0
        cmp     x0, STEP
        b.lo    2f
1:      ld1     {v0.8b}, [x1], #(HALF * 2) /* eight
                                              bytes */
        uxtl    v1.8h, v0.8b ; uaddw acc.4s, acc.4s, v1.4h
        uaddw2  acc.4s, ACC.4s, v1.8h
        subs    x0, x0, #STEP
        b.hs    1b
# a comment; with a separator
2:      addv    s0, acc.4s
zero:   ret
        .unreq  acc
        .size   sum, . - sum
"""

A32 = """\
        .syntax unified
        .arm
        .fpu    neon
        .global sum
sum:    push    {r4-r6, lr}            @ r0 = count, r1 = address
        vmov.i32 q8, #0
loop:   vld1.8  {d0}, [r1:64]!
        vmovl.u8 q1, d0
        vaddw.u16 q8, q8, d2
        VADDW.U16 q8, q8, d3
        subs    r0, r0, 8
        bhi     loop
        vadd.i32 d16, d16, d17
        vpadd.i32 d16, d16, d16
        vmov.32 r0, d16[0]
        movne   r0, r1, lsl #1
        pop     {r4-r6, pc}
"""


@pytest.fixture(params=[("aarch64", A64), ("aarch32", A32)], ids=["aarch64", "aarch32"])
def program(request: pytest.FixtureRequest) -> Program:
    isa, text = request.param
    return assemble(text, isa=isa)


def test_labels_and_targets() -> None:
    p = assemble(A64, isa="aarch64")
    assert p.symbols == {"sum": 0, "zero": 10}
    assert p.globals == ("sum", "zero")
    assert p.labels == (("sum", 0), ("1", 3), ("2", 9), ("zero", 10))
    assert [(i.label, i.target) for i in p.instructions if i.label] == [("2f", 9), ("1b", 3)]
    assert [i.position.line for i in p.instructions] == [9, 10, 11, 12, 14, 14, 15, 16, 17, 19, 20]
    assert p.lines[0].startswith("//! A loop")


def test_the_listing_assembles_to_an_equal_program(program: Program) -> None:
    again = assemble(str(program), isa=program.isa)
    assert again == program and hash(again) == hash(program)
    assert str(again) == str(program)


def test_a_program_pickles(program: Program) -> None:
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert again.lines == program.lines and again.path == program.path
    assert [i.target for i in again.instructions] == [i.target for i in program.instructions]


def test_programs_differ() -> None:
    one = assemble("a: b a", isa="aarch64")
    assert one == assemble("a:\n  B a // same", isa="aarch64")
    assert one != assemble("c: b c", isa="aarch64")
    assert one != assemble("a: b a; a2: ret", isa="aarch64")
    assert one != assemble("a: b a", isa="aarch32")
    assert one != "a: b a"


def test_numeric_labels_take_the_nearest() -> None:
    p = assemble("1: b 1b; b 1f; 1: b 1b; b 1f; 01: 2: ret", isa="aarch64")
    assert [i.target for i in p.instructions] == [0, 2, 2, 4, None]
    assert assemble(str(p), isa="aarch64") == p


def test_a_label_may_look_like_a_register_that_is_none() -> None:
    assert assemble("x99: b x99", isa="aarch64").instructions[0].target == 0


def test_define() -> None:
    p = assemble("mov w0, N", isa="aarch64", define={"N": "2 + 1"})
    assert p == assemble("mov w0, #3", isa="aarch64")
    with pytest.raises(BadArgument, match="macro name"):
        assemble("nop", isa="aarch64", define={"2x": 1})
    with pytest.raises(BadArgument, match="one line of text"):
        assemble("nop", isa="aarch64", define={"N": 1.5})  # type: ignore[dict-item]


def test_from_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "k.S"
    file.write_text("f: ret\n g\n")
    with pytest.raises(AssemblyError) as caught:
        assemble(file, isa="aarch64")
    assert str(caught.value).startswith(f"{file}:2:2\n     g\n     ^\n")


def test_entry() -> None:
    p = assemble(A64, isa="aarch64")
    assert p.entry("zero") == 10
    with pytest.raises(AssemblyError, match="several entries: sum, zero"):
        p.entry()
    with pytest.raises(AssemblyError, match="did you mean 'zero'") as caught:
        p.entry("zerro")
    assert "Labels: sum, zero" in str(caught.value)
    assert assemble(A32, isa="aarch32").entry() == 0
    with pytest.raises(AssemblyError, match="Write `f:`"):
        assemble("ret", isa="aarch64").entry("f")
    with pytest.raises(AssemblyError, match="after the last"):
        assemble("ret; end:", isa="aarch64").entry("end")


ERRORS = [
    # id, isa, text, line, column, width, what the message must hold
    ("register", "aarch64", "nop\n\tadd\tv0.4s, v32.4s, v1.4s", 2, 13, 6, "go from v0 to v31"),
    ("mnemonic", "aarch64", " smal v0.4s, v1.4h, v2.4h", 1, 2, 4, "smlal"),
    ("unknown_label", "aarch64", ".Loop: nop\n b.ne .Lop", 2, 7, 4, "did you mean `.Loop`?"),
    ("unknown_label_none", "aarch64", " b.ne .Lop", 1, 7, 4, "Write `.Lop:`"),
    ("duplicate_label", "aarch64", "a: nop\nc: nop\n a: nop", 3, 2, 1, "already set in line 1"),
    ("label_is_register", "aarch64", "x0: nop", 1, 1, 2, "another name"),
    ("label_is_no_name", "aarch64", "1x: nop", 1, 1, 2, "cannot be a label"),
    ("numeric_backwards", "aarch64", "b 1b\n1: nop", 1, 3, 2, "write 1f"),
    ("numeric_forwards", "aarch64", "1: nop\nb 1f", 2, 3, 2, "write 1b"),
    ("numeric_nowhere", "aarch64", "b 3f", 1, 3, 2, "Put `3:`"),
    ("comment", "aarch64", "nop\n ret /* x\n\n", 2, 6, 2, "needs a closing */"),
    ("string", "aarch64", '.ident "x', 1, 8, 2, "needs a closing"),
    ("nul", "aarch64", "nop\nno\0p", 2, 3, 1, "NUL byte"),
    ("not_ascii", "aarch64", "mov x0, é // é", 1, 9, 1, "U+00E9"),
    ("dash", "aarch64", "sub x0, x0, #\N{MINUS SIGN}3", 1, 14, 1, "write -"),
    ("long_line", "aarch64", "nop\n" + " " * 5000 + "nop", 2, 1, 1, "the limit is 4,096"),
    ("thumb", "aarch32", ".syntax unified\n  .thumb", 2, 3, 6, "Thumb code is not simulated"),
    ("code_16", "aarch32", ".code 16", 1, 1, 5, "`.code 32`"),
    ("syntax", "aarch32", ".syntax split", 1, 1, 7, "unified"),
    ("aarch32_directive", "aarch64", ".syntax unified", 1, 1, 7, "isa='aarch32'"),
    ("aarch32_arch", "aarch64", ".arch armv7-a", 1, 1, 5, "isa='aarch32'"),
    ("macro", "aarch64", ".macro m", 1, 1, 6, "needs .endm"),
    ("encoded_branch", "aarch64", ".inst 0xd503201f, 0xd4000001", 1, 19, 10, "0xd4000001 is `svc #0`. SVC"),
    ("encoded_nothing", "aarch64", ".inst 0xffffffff", 1, 7, 10, "not an instruction that neonsim supports"),
    ("encoded_too_many", "aarch32", ".inst 0xecbd4b50", 1, 7, 10, "not an instruction that neonsim supports"),
    ("encoded_none", "aarch32", ".inst 0xed2d1a00", 1, 7, 10, "not an instruction that neonsim supports"),
    ("encoded_wide", "aarch32", ".inst 1 << 32", 1, 7, 7, "32-bit number"),
    ("encoded_empty", "aarch32", ".inst", 1, 1, 5, ".inst 0x"),
    ("encoded_thumb", "aarch32", ".inst.n 0xbf00", 1, 1, 7, "only Arm state"),
    ("complement", "aarch32", "vand.i32 d0, #0x12", 1, 14, 5, "VBIC of its complement"),
    ("before_armv3", "aarch32", "teqp r0, #0", 1, 1, 4, "before Armv3"),
    ("directive", "aarch64", ".p2aling 4", 1, 1, 8, "did you mean .p2align?"),
    ("preprocessor", "aarch64", "nop\n#ifdef X", 2, 1, 3, "needs an #endif"),
    ("include", "aarch64", '#include "a.h"', 1, 10, 5, "include=[folder]"),
    ("hash_behind", "aarch64", "nop # why", 1, 5, 5, "Write //"),
    ("at_behind", "aarch64", "nop @ why", 1, 5, 1, "Write //"),
    ("at_first", "aarch64", "@ why", 1, 1, 1, "Write //"),
    ("at_in_address", "aarch32", "vld1.8 {d0}, [r0@64]", 1, 14, 1, "[r0:64]"),
    ("stray", "aarch64", "(nop)", 1, 1, 1, "neither an instruction"),
    ("set_register", "aarch64", ".set x0, 3", 1, 6, 2, "another name"),
    ("set_label", "aarch64", "N: nop\n.equ N, 3", 2, 6, 1, "is a label (line 1)"),
    ("set_nothing", "aarch64", ".set N", 1, 1, 6, "`.set NAME, 4`"),
    ("set_unknown", "aarch64", ".set N, M + 1", 1, 9, 1, ".set M, 1"),
    ("set_twice", "aarch64", "N = 2\n.equiv N, 3", 2, 8, 1, "Use .set"),
    ("assign_trailing", "aarch64", "N = 2 3", 1, 7, 1, "one constant expression"),
    ("req_unknown", "aarch64", "acc .req v77", 1, 10, 3, "`acc .req v16`"),
    ("req_nothing", "aarch64", "acc .req", 1, 9, 1, "`acc .req v16`"),
    ("req_register", "aarch64", "x1 .req x2", 1, 1, 2, "a register already"),
    ("unreq", "aarch64", ".unreq acc", 1, 8, 3, "was not defined with .req"),
    ("after_unreq", "aarch64", "a .req x1\n.unreq a\nadd x0, x0, a", 3, 13, 1, ""),
    ("arrangement", "aarch64", "smlal v0.4s, v1.8h, v2.h[0]", 1, 14, 5, "v1.4h"),
]


@pytest.mark.parametrize(("isa", "text", "line", "column", "width", "words"), [e[1:] for e in ERRORS],
                         ids=[e[0] for e in ERRORS])
def test_error(isa: str, text: str, line: int, column: int, width: int, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, isa=isa)
    error = caught.value
    assert words.lower() in error.message.lower()
    assert (error.line, error.column, error.width) == (line, column, width)
    assert error.path == "<text>"


@pytest.mark.parametrize(("isa", "hint"), [("arm64", "'aarch64'"), ("arm", "'aarch32'"), ("mips", "aarch64")])
def test_wrong_isa(isa: str, hint: str) -> None:
    with pytest.raises(BadArgument, match=hint):
        assemble("nop", isa=isa)


def test_include_is_a_list() -> None:
    with pytest.raises(BadArgument, match="list of folders"):
        assemble("nop", isa="aarch64", include="folder")


def test_instructions_as_numbers() -> None:
    text = ".set ADD, 0x4ea28420\nf: .inst ADD, ADD + (1 << 16)\n   .inst 0x6f80e220 // udot\n ret"
    program = assemble(text, "aarch64")
    assert [str(i) for i in program.instructions] == ["add v0.4s, v1.4s, v2.4s", "add v0.4s, v1.4s, v3.4s",
                                                      "udot v0.4s, v17.16b, v0.4b[0]", "ret"]
    assert [i.position.line for i in program.instructions] == [2, 2, 3, 4]
    assert assemble(str(program), "aarch64") == program
    [plain, ours] = assemble(".inst 0xe0810002\n.inst 0xfc222c42", "aarch32").instructions  # one that Capstone has not
    assert (str(plain), str(ours)) == ("add r0, r1, r2", "vsmmla.s8 q1, q1, q1")


def test_what_stands_for_other_instructions() -> None:
    """ADRL, and the complements of VBIC and VORR, as GNU as makes them."""
    text = "f: adrleq r1, g\nadrl r2, f\nvand.i16 d0, #0xff00\nvorn.i32 q1, q1, #0xffffff00\ng: bx lr"
    assert [str(i) for i in assemble(text, "aarch32").instructions] == [
        "adreq r1, g", "mov r0, r0", "adr r2, f", "mov r0, r0", "vbic.i16 d0, #255", "vorr.i32 q1, #255", "bx lr"]


def test_shifts_by_nothing_stand_for_moves() -> None:
    """The words of GNU as 2.40 for each, by objdump."""
    text = ("vshr.s32 d0, d1, #0\nvrshr.u8 q0, q1, #0\nvshr.u64 d3, #0\nvshrn.i16 d2, q4, #0\nvrshrn.i32 d2, q4, #0\n"
            "vqshrn.s32 d2, q4, #0\nvqrshrn.u64 d2, q4, #0\nvqshrun.s16 d2, q4, #0\nvqrshrun.s64 d2, q4, #0")
    assert [str(i) for i in assemble(text, "aarch32").instructions] == [
        "vorr d0, d1, d1", "vorr q0, q1, q1", "vorr d3, d3, d3", "vmovn.i16 d2, q4", "vmovn.i32 d2, q4",
        "vqmovn.s32 d2, q4", "vqmovn.u64 d2, q4", "vqmovun.s16 d2, q4", "vqmovun.s64 d2, q4"]
    for wrong in ("vshr.i32 q0, q1, #0", "vqshrun.u16 d2, q4, #0", "vshrn.i16 d2, #0", "vshll.s8 q0, d1, #0"):
        with pytest.raises(AssemblyError):  # nor does GNU as take them
            assemble(wrong, "aarch32")


def test_work_grows_with_the_lines_and_one_that_comes_again_is_little() -> None:
    lines = [f"    smlal v{i % 32}.4s, v{i % 31}.4h, v{i % 16}.h[{i % 8}] // lane {i}" for i in range(500)]

    def first(count: int) -> None:
        assemble("\n".join((2 * lines)[:count]), isa="aarch64")
    assert grows_evenly(first, 200) < 300 * 200
    assert calls(lambda: first(1000)) - calls(lambda: first(500)) < 100 * 500
