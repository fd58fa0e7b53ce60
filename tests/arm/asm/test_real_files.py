"""Habits of real files that have no place in a manual: each with a text of our own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError


def lines(text: str, isa: str) -> list[str]:
    return [str(i) for i in assemble(text, isa).instructions]


def test_a_macro_may_make_a_comment_of_a_line() -> None:
    text = "#define FUNC\n#define NOT #\nFUNC .func f\nNOT .func f\nf: nop\nNOT nonsense (\nret"
    assert lines(text, "aarch64") == ["nop", "ret"]


@pytest.mark.parametrize(("isa", "text", "expected"), [
    ("aarch64", ".func f, f\nf: ret\n.endfunc\n.addrsig\n.addrsig_sym f", ["ret"]),
    ("aarch32", ".syntax divided\nf: addeqs r0, r1, r2\nbx lr", ["addseq r0, r1, r2", "bx lr"]),
    ("aarch64", ".altmacro\n.macro m a\nmov x0, #\\a\n.endm\nm 3\n.noaltmacro\nret", ["mov x0, #3", "ret"]),
    ("aarch32", "f: bl foo(PLT)\nbx lr\nfoo: b f(plt)", ["bl foo", "bx lr", "b f"]),
    ("aarch32", "movw r0, #:lower16:0x12345\nmovt r0, #:upper16:0x12345\n.set n, 0x54321\nmovw r1, :lower16:n",
     ["movw r0, #9029", "movt r0, #1", "movw r1, #17185"]),
    ("aarch32", ".set al, 128\nvld1.32 {d0, d1}, [r1, :al]!\nvld1.32 {d0}, [r1:al / 2]",
     ["vld1.32 {d0, d1}, [r1:128]!", "vld1.32 {d0}, [r1:64]"]),
    ("aarch32", "N .req r4\n.set N, 3\nmov N, #N\nadd N, N, #N + 1", ["mov r4, #3", "add r4, r4, #4"]),
    ("aarch64", "dst .req x0\nmov dst, #3\nb dst\ndst: cbz dst, dst\nadr x3, dst\nret",
     ["mov x0, #3", "b dst", "cbz x0, dst", "adr x3, dst", "ret"]),
    ("aarch32", "dst .req r0\nmov dst, #3\nbeq dst\ndst: bx lr", ["mov r0, #3", "beq dst", "bx lr"]),
    ("aarch32", "vmulq.f32 q0, q1, q2\nvaddq.s16 q0, q1, q2\nvmovq q3, q4\nvdupq.32 q0, r1",
     ["vmul.f32 q0, q1, q2", "vadd.s16 q0, q1, q2", "vmov q3, q4", "vdup.32 q0, r1"]),
    ("aarch32", "mov r0, #1\n.word 0xe0800000\nbx lr", ["mov r0, #1", "add r0, r0, r0", "bx lr"]),
    ("aarch64", "mov w0, #1\n.long 0x0b000000, 0x4ea28420\nret",
     ["mov w0, #1", "add w0, w0, w0", "add v0.4s, v1.4s, v2.4s", "ret"]),
])
def test_written_so(isa: str, text: str, expected: list[str]) -> None:
    assert lines(text, isa) == expected


def test_a_label_is_not_asked_for_where_there_is_only_a_register() -> None:
    with pytest.raises(AssemblyError, match="A label is expected here, not the general register x0"):
        assemble("dst .req x0\nmov dst, #3\nb dst", "aarch64")


NOTES = """\
        .cpu generic
        .file "k.c"
        .text
.Ltext0:
f:      ldr w0, =table
        .loc 1 4 1 view -0
        ret
.Le:    .section .debug_info,"",@progbits
.Ldebug_info0:
        .4byte .Lend - .Lstart
.Lstart:
        .uleb128 0xb
        .uleb128 .Le-f
        .long tls(tlsldo)
        .byte nonsense
        .set .Lset, .Lend - .Ldebug_info0
.Lend:  .section __DWARF,__debug_line,regular,debug
        .sleb128 -7
        .section .gcc_except_table,"a",@progbits
        .byte 255
        .data
table:  .uleb128 5, 300, 0
        .sleb128 -1, 64, -65
        .even
        .float16 1.5
"""


def test_of_what_is_not_loaded_nothing_is_read() -> None:
    program = assemble(NOTES, "aarch64")
    assert [bytes(s.contents) for s in program.data if s.contents and not s.generated] == [
        bytes([5, 0xAC, 2, 0, 0x7F, 0xC0, 0, 0xBF, 0x7F, 0, 0, 0x3E])]
    assert assemble(str(program), "aarch64") == program
    for line, words in ((".uleb128 -1", "unsigned number"), (".uleb128 nowhere", "nowhere"), (".float16 1e9", "fits")):
        with pytest.raises(AssemblyError, match=words):
            assemble(f".data\n{line}", "aarch64")


def test_words_behind_a_branch_are_data_and_no_instruction_is_never_run_into() -> None:
    program = assemble("f: ldr w0, t\nret\nt: .word 0x0b000000", "aarch64")
    assert len(program) == 2 and program.data[0].contents == b"\0\0\0\x0b"
    for word in ("1", "0xffffffff", "1, 0x0b000000"):
        with pytest.raises(AssemblyError, match="would run into this data"):
            assemble(f"f: nop\n.word {word}\nret", "aarch64")


# ---- files

def test_upwards_and_by_links_into_a_folder_that_was_given(tmp_path: Path) -> None:
    for folder in ("lib/arm/deep", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lib" / "common.h").write_text("#define N 5\n")
    (tmp_path / "lib" / "arm" / "link.h").symlink_to(tmp_path / "lib" / "common.h")
    (tmp_path / "elsewhere" / "secret.h").write_text("#define N 6\n")
    kernel = tmp_path / "lib" / "arm" / "deep" / "k.S"
    kernel.write_text('#include "../../common.h"\nmov x0, #N\nret')
    assert str(assemble(kernel, "aarch64", include=[tmp_path / "lib"]).instructions[0]) == "mov x0, #5"
    assert str(assemble('#include "link.h"\nmov x0, #N', "aarch64", include=[
        tmp_path / "lib" / "arm", tmp_path / "lib"]).instructions[0]) == "mov x0, #5"
    with pytest.raises(AssemblyError, match=r"leads upwards out of the given folders.*Pass the folder it leads to"):
        assemble(kernel, "aarch64")
    for name in ("../../../elsewhere/secret.h", "../../../elsewhere/nothing.h"):  # it is not said which is there
        kernel.write_text(f'#include "{name}"\nret')
        with pytest.raises(AssemblyError, match="leads upwards out of the given folders"):
            assemble(kernel, "aarch64", include=[tmp_path / "lib"])
    kernel.write_text('#include "../link.h"\nret')
    with pytest.raises(AssemblyError, match=r"arm/deep/\.\./link\.h` is a link that leads out of the given folders"):
        assemble(kernel, "aarch64", include=[tmp_path / "lib" / "arm"])
    with pytest.raises(AssemblyError, match="is a link that leads out of the given folders"):
        assemble('#include "link.h"\nret', "aarch64", include=[tmp_path / "lib" / "arm"])


# ---- what Clang writes for macOS

APPLE = """\t.section\t__TEXT,__text,regular,pure_instructions
\t.build_version macos, 13, 0
\t.globl\t_f                              ; -- Begin function f
\t.p2align\t2
_f:                                     ; @f
\t.cfi_startproc
; %bb.0:
Lloh0:
\tadrp\tx8, lCPI0_0@PAGE
Lloh1:
\tldr\tq1, [x8, lCPI0_0@PAGEOFF]
\tld1.4s\t{ v0 }, [x0]                     ; "quoted ; too"
\tadd.4s\tv0, v0, v1
\tst1.4s\t{ v0 }, [x0]
\tret
\t.loh AdrpLdr\tLloh0, Lloh1
\t.cfi_endproc
\t.section\t__TEXT,__literal16,16byte_literals
\t.p2align\t4
lCPI0_0:
\t.long\t1
\t.long\t2
\t.long\t3
\t.long\t4
.subsections_via_symbols
"""


def test_a_file_for_macos_runs() -> None:
    machine = ns.Machine()
    at = machine.memory.place(np.arange(4, dtype=np.int32), name="a")
    machine.call(assemble(APPLE, "aarch64"), at, entry="f")
    assert machine.memory.fetch("a", dtype="int32").tolist() == [1, 3, 5, 7]


APPLE_DATA = """\
\t.ios_version_min 7, 0
\t.globl\t_f
\t.weak_definition\t_f
_f:\tadrp\tx8, _k@PAGE                     ; zeros; aligned to 2^6
\tadd\tx8, x8, _k@PAGEOFF
\ttst\tx8, #63
\tcset\tw0, eq
\tadrp\tx9, l_four@PAGE
\tldr\tw9, [x9, l_four@PAGEOFF]
\tldr\tw10, [x8, #252]
\tadd\tw0, w0, w9
\tadd\tw0, w0, w10
\tret
\t.literal4
l_four:\t.long\t40
\t.const_data
\t.quad\t_f
.zerofill __DATA,__bss,_k,256,6
.tbss _t$tlv$init, 4, 2
\t.comm\t_c,32,4
\t.no_dead_strip\t_k
"""


def test_data_of_a_file_for_macos() -> None:
    assert ns.Machine().call(assemble(APPLE_DATA, "aarch64"), entry="f").returned == 41
    with pytest.raises(AssemblyError, match=r"this directive is `\.zerofill __DATA,__bss,name"):
        assemble(".zerofill __DATA,__bss,k", "aarch64")


@pytest.mark.parametrize(("apple", "gnu"), [
    ("fmla.4s v0, v1, v2", "fmla v0.4s, v1.4s, v2.4s"), ("fmla.4s v0, v1, v2[3]", "fmla v0.4s, v1.4s, v2.s[3]"),
    ("smlal.4s v0, v1, v2", "smlal v0.4s, v1.4h, v2.4h"), ("smlal2.4s v0, v1, v2", "smlal2 v0.4s, v1.8h, v2.8h"),
    ("umull.8h v0, v1, v2", "umull v0.8h, v1.8b, v2.8b"), ("smlal.4s v0, v1, v2[7]", "smlal v0.4s, v1.4h, v2.h[7]"),
    ("xtn.4h v0, v1", "xtn v0.4h, v1.4s"), ("sqxtun2.16b v0, v1", "sqxtun2 v0.16b, v1.8h"),
    ("shrn.8b v0, v1, #3", "shrn v0.8b, v1.8h, #3"), ("sshll.8h v0, v1, #0", "sshll v0.8h, v1.8b, #0"),
    ("saddw.4s v0, v1, v2", "saddw v0.4s, v1.4s, v2.4h"), ("addhn.8b v0, v1, v2", "addhn v0.8b, v1.8h, v2.8h"),
    ("sadalp.4s v0, v1", "sadalp v0.4s, v1.8h"), ("addv.4s s0, v1", "addv s0, v1.4s"),
    ("uaddlv.16b h0, v1", "uaddlv h0, v1.16b"), ("sdot.4s v0, v1, v2", "sdot v0.4s, v1.16b, v2.16b"),
    ("tbl.16b v0, { v1, v2 }, v3", "tbl v0.16b, {v1.16b, v2.16b}, v3.16b"), ("mov.16b v0, v1", "mov v0.16b, v1.16b"),
    ("movi.2d v0, #0000000000000000", "movi v0.2d, #0"), ("dup.2d v0, x1", "dup v0.2d, x1"),
    ("dup.4s v0, v1[2]", "dup v0.4s, v1.s[2]"), ("mov.s w0, v1[1]", "mov w0, v1.s[1]"),
    ("mov.s v0[1], v2[3]", "mov v0.s[1], v2.s[3]"), ("mov.d v0[1], x3", "mov v0.d[1], x3"),
    ("mov s0, v1[2]", "mov s0, v1.s[2]"), ("umov.b w0, v1[9]", "umov w0, v1.b[9]"),
    ("ld1r.8h { v0 }, [x0]", "ld1r {v0.8h}, [x0]"), ("st1.s { v0 }[2], [x0], #4", "st1 {v0.s}[2], [x0], #4"),
    ("ld4.8b { v0, v1, v2, v3 }, [x0]", "ld4 {v0.8b, v1.8b, v2.8b, v3.8b}, [x0]"),
    ("cmgt.4s v0, v1, #0", "cmgt v0.4s, v1.4s, #0"), ("ext.16b v0, v1, v2, #4", "ext v0.16b, v1.16b, v2.16b, #4"),
    ("addp.2d d0, v1", "addp d0, v1.2d"), ("fcvtl v0.4s, v1.4h", "fcvtl v0.4s, v1.4h"),
    ("eor3.16b v0, v1, v2, v3", "eor3 v0.16b, v1.16b, v2.16b, v3.16b"), ("aese.16b v0, v1", "aese v0.16b, v1.16b"),
    ("sha256su0.4s v0, v1", "sha256su0 v0.4s, v1.4s")])
def test_instructions_for_macos(apple: str, gnu: str) -> None:
    assert lines(f".build_version macos, 13, 0\n{apple} ; why", "aarch64") == [gnu]


def test_only_such_a_file_is_read_so() -> None:
    """Comments are; instructions say themselves that they are written so."""
    assert lines("add.4s v0, v1, v2\nfmla.4s v0, v1, v2[1]", "aarch64") == [
        "add v0.4s, v1.4s, v2.4s", "fmla v0.4s, v1.4s, v2.s[1]"]
    with pytest.raises(AssemblyError, match="no instruction NONSENSE"):
        assemble(".build_version macos, 13, 0\nnonsense.4s v0, v1", "aarch64")
    assert lines("nop ; ret", "aarch64") == ["nop", "ret"]


# ---- other assemblers

@pytest.mark.parametrize(("text", "words"), [
    ("        AREA |.text|, CODE, READONLY\n        EXPORT f\nf       PROC\n        ret\n        ENDP\n        END\n",
     "Arm's own assembler"),
    ("\nk.o:     file format elf64-littleaarch64\n\nDisassembly of section .text:\n\n0000000000000000 <f>:\n"
     "   0:\td65f03c0 \tret\n", "a listing of objdump"),
    ('#include "textflag.h"\nTEXT ·add(SB), NOSPLIT, $0-24\n\tMOVD a+0(FP), R0\n\tRET\n', "Go's assembler"),
])
def test_named_as_what_it_is(text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=f"This is .*{words}") as caught:
        assemble(text, "aarch64")
    assert len(str(caught.value).splitlines()) == 1


def test_a_comment_about_it_is_none() -> None:
    assert lines("/*\n        AREA text, CODE\n*/\nret", "aarch64") == ["ret"]


# ---- symbols of other files

@pytest.mark.parametrize(("isa", "text"), [
    ("aarch64", ".data\n.global t\nt: .word 1, 2, 3"), ("aarch32", ".section .rodata\nt: .word 1\n.global nowhere"),
    ("aarch64", "#if 0\nret\n#endif"), ("aarch64", "// nothing"), ("aarch32", "")])
def test_a_program_without_an_instruction(isa: str, text: str) -> None:
    program = assemble(text, isa)
    assert len(program) == 0 and assemble(str(program), isa) == program
    with pytest.raises(AssemblyError, match=r"The program .* has no instruction to call"):
        ns.Machine(isa).call(program)


CALLER = {
    "aarch64": "f: stp x29, x30, [sp, #-16]!\ncbz w0, 1f\nbl ext\n1: ldp x29, x30, [sp], #16\nret",
    "aarch32": "f: push {r4, lr}\ncmp r0, #0\nbeq 1f\nbl ext\n1: pop {r4, pc}"}


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("isa", CALLER)
def test_a_call_of_another_file_is_refused_when_it_is_reached(isa: str, fast: bool) -> None:
    program = assemble(CALLER[isa], isa)
    assert program.undefined == ("ext",) and assemble(str(program), isa) == program
    machine = ns.Machine(isa)
    for _ in range(3):
        assert machine.call(program, 0, trace=not fast, sanitize=not fast).returned == 0
    with pytest.raises(ns.MachineError, match=r"`bl ext` goes to `ext`, which is not in this program.*neonsim\.link"):
        machine.call(program, 1, trace=not fast, sanitize=not fast)


@pytest.mark.parametrize(("isa", "text"), [
    ("aarch64", ".extern ext\nf: ldr x0, =ext\nldr w0, [x0]\nret"),
    ("aarch64", "f: adrp x0, ext\nldr w0, [x0, :lo12:ext]\nret"),
    ("aarch64", "f: adrp x0, :got:ext\nldr x0, [x0, :got_lo12:ext]\nldr w0, [x0]\nret"),
    ("aarch64", "f: adr x1, p\nldr x0, [x1]\nldr w0, [x0, #4]\nret\n.data\np: .xword ext - 4"),
    ("aarch32", "f: ldr r0, =ext\nldr r0, [r0]\nbx lr"),
    ("aarch32", "f: movw r0, #:lower16:ext\nmovt r0, #:upper16:ext\nldr r0, [r0]\nbx lr")])
def test_data_of_another_file(isa: str, text: str) -> None:
    program = assemble(text, isa)
    assert program.undefined == ("ext",) and assemble(str(program), isa) == program
    with pytest.raises(ns.MemoryFault, match=r'buffer "ext \(of another file\)"'):
        ns.Machine(isa).call(program)
    there = assemble(".section .rodata\n.global ext\n.word 1\next: .word 77", isa)
    for both in (ns.link(program, there), ns.link(there, program)):
        assert both.undefined == () and assemble(str(both), isa) == both
        assert ns.Machine(isa).call(both, entry="f").returned == 77


@pytest.mark.parametrize(("isa", "text", "words"), [
    ("aarch64", ".Lloop: nop\nb .Llopp", "There is no label `.Llopp`; did you mean `.Lloop`?"),
    ("aarch64", "cbz x0, .Lx", "There is no label"),
    ("aarch64", "bl .Lx", "There is no label `.Lx`"), ("aarch64", "bl 1b", "There is no label `1:`"),
    ("aarch64", "adrp x0, .Ltabel\nret\n.data\n.Ltable: .word 1", "no label `.Ltabel`; did you mean `.Ltable`?"),
    ("aarch64", "mov x0, #N", "`N` is not a constant"),
    ("aarch64", "add x0, x0, N", "no label|no constant|cannot|number")])
def test_typing_errors_are_said_at_once(isa: str, text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(text, isa)


@pytest.mark.parametrize(("isa", "branch"), [
    ("aarch64", "b lopp"), ("aarch64", "b.eq lopp"), ("aarch64", "cbz x0, lopp"), ("aarch64", "cbnz w0, lopp"),
    ("aarch64", "tbz x0, #3, lopp"), ("aarch64", "tbnz x0, #3, lopp"), ("aarch64", "bl lopp"), ("aarch32", "b lopp"),
    ("aarch32", "beq lopp"), ("aarch32", "bl lopp"), ("aarch32", "blne lopp"), ("aarch32", "blx lopp"),
    ("aarch64", "adrp x0, lopp"), ("aarch64", "ldr x0, =lopp"), ("aarch32", "ldr r0, =lopp")])
def test_a_symbol_of_another_file_may_look_like_a_label(isa: str, branch: str) -> None:
    program = assemble(f"loop: nop\n{branch}", isa)
    assert program.undefined == ("lopp",)
    assert program.remarks == ("`lopp` is not in <text>; did you mean `loop`?",)


def test_a_branch_that_is_not_taken_may_lead_anywhere() -> None:
    program = assemble("rdft_calc: cbz x0, 1f\nb fft_calc\n1: mov x0, #5\nret", "aarch64")
    assert ns.Machine().call(program, 0).returned == 5
    with pytest.raises(ns.MachineError, match=r"`fft_calc`, which is not in this program.*did you mean `rdft_calc`\?"):
        ns.Machine().call(program, 1)


def test_a_declared_name_may_look_like_another() -> None:
    assert assemble(".extern lopp\nloop: nop\nb.ne lopp\nb lopp", "aarch64").undefined == ("lopp",)


# ---- link

def test_names_of_each_stay_apart() -> None:
    one = assemble(".global f\nf: mov x3, x30\nmov w0, #3\nloop: subs w0, w0, #1\nb.ne loop\nbl g\nret x3\n"
                   ".data\ntable: .word 1", "aarch64")
    two = assemble(".global g\ng: mov w0, #5\nloop: subs w0, w0, #1\nb.gt loop\nadrp x1, table\n"
                   "ldr w0, [x1, :lo12:table]\nret\n.data\ntable: .word 9\n.xword table, g", "aarch64")
    both = ns.link(one, two)
    assert ns.Machine().call(both, entry="f", sanitize=False).returned == 9
    assert both.symbols.keys() == {"f", "loop", "g", "loop.2"} and both.globals == ("f", "g")
    private = assemble("g: mov w0, #1\nret\n.global h\nh: ret", "aarch64")  # this g is nobody else's
    assert ns.link(one, private).undefined == ("g",)


def test_what_cannot_be_joined() -> None:
    f = assemble(".global f\nf: ret", "aarch64")
    with pytest.raises(ns.BadArgument, match=r"`f` is global in <text> and in <text>: rename one"):
        ns.link(f, f)
    with pytest.raises(ns.BadArgument, match="one instruction set: <text> is aarch64, <text> is aarch32"):
        ns.link(f, assemble("bx lr", "aarch32"))
    with pytest.raises(ns.BadArgument, match="joins programs"):
        ns.link(f, "ret")  # type: ignore[arg-type]
    with pytest.raises(ns.BadArgument, match="joins programs"):
        ns.link()
