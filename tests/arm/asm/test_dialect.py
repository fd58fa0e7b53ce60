"""Ways of writing that published kernels use, and what they mean in canonical text."""

from __future__ import annotations

import pytest

from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError

A64 = [
    ("STP d15, d14, [sp, -16]", "stp d15, d14, [sp, #-16]"),
    ("LDR x8, [sp]", "ldr x8, [sp]"),
    ("SUB sp, sp, 64", "sub sp, sp, #64"),
    ("LD1 {v8.4s, v9.4s}, [x5], 32", "ld1 {v8.4s, v9.4s}, [x5], #32"),
    ("LD1R {v25.8b}, [x8], x9", "ld1r {v25.8b}, [x8], x9"),
    ("LD1R {v26.4s}, [x8], 4", "ld1r {v26.4s}, [x8], #4"),
    ("MOV v10.16b, v8.16b", "mov v10.16b, v8.16b"),
    ("CSEL x9, x3, x9, LO", "csel x9, x3, x9, LO"),
    ("CMP x2, -8", "cmp x2, #-8"),
    ("LSL x2, x2, 3", "lsl x2, x2, #3"),
    ("FMOV d29, x2", "fmov d29, x2"),
    ("USHL d24, d24, d29", "ushl d24, d24, d29"),
    ("CMEQ v30.4s, v27.4s, 0", "cmeq v30.4s, v27.4s, #0"),
    ("SSRA v8.4s, v4.4s, 31", "ssra v8.4s, v4.4s, #31"),
    ("SQXTN2 v8.8h, v9.4s", "sqxtn2 v8.8h, v9.4s"),
    ("ST1 {v8.d}[1], [x7]", "st1 {v8.d}[1], [x7]"),
    ("EXT v8.16b, v8.16b, v8.16b, 4", "ext v8.16b, v8.16b, v8.16b, #4"),
    ("ldr q0, [x1, #(-6*16 + 7*16)]", "ldr q0, [x1, #16]"),
    ("ands x3, x4, #0xFFFFFFFFFFFFFFFC", "ands x3, x4, #18446744073709551612"),
    ("PRFM PLDL1KEEP, [x5, 448]", "prfm PLDL1KEEP, [x5, #448]"),
    ("BIC x0, x0, 63", "bic x0, x0, #63"),
    ("CSET w0, CS", "cset w0, CS"),
    ("HINT 34", "hint #34"),
    ("DSB ISH", "dsb ISH"),
]
A32 = [
    # Before the unified syntax: conditions inside, VFP's own mnemonics, braces left out.
    ("addeqs r0, r0, r1", "addseq r0, r0, r1"),
    ("strneh r0, [r1]", "strhne r0, [r1]"),
    ("ldmeqia r0!, {r1, r2}", "ldmiaeq r0!, {r1, r2}"),
    ("fmacs s0, s1, s2", "vmla.f32 s0, s1, s2"),
    ("fmulsne s0, s1, s2", "vmulne.f32 s0, s1, s2"),
    ("fldmiad r0!, {d0-d1}", "vldmia r0!, {d0, d1}"),
    ("fstmfdd sp!, {d8}", "vstmdb sp!, {d8}"),
    ("fmrx r0, FPSCR", "vmrs r0, FPSCR"),
    ("fmxr fpscr, lr", "vmsr fpscr, lr"),
    ("vmul.f s8, s0, s16", "vmul.f32 s8, s0, s16"),
    ("vldm.32 r0!, {s0-s1}", "vldm r0!, {s0, s1}"),
    ("vpush.64 {d8}", "vpush {d8}"),
    ("vld1.8 d0, [r0]!", "vld1.8 {d0}, [r0]!"),
    ("vld1.32 d0[1], [r0]!", "vld1.32 {d0[1]}, [r0]!"),
    ("vmov d0[1], r0", "vmov.32 d0[1], r0"),
    ("vmov.32 r0, s0", "vmov r0, s0"),
    ("ldrd r4, [r0, #8]", "ldrd r4, r5, [r0, #8]"),
    ("add r0, r1, r2, asl #2", "add r0, r1, r2, lsl #2"),
    ("LDR ip, [sp, 4]", "ldr r12, [sp, #4]"),
    ("PUSH {r4, r5, r6, r7}", "push {r4, r5, r6, r7}"),
    ("VPUSH {d8-d15}", "vpush {d8, d9, d10, d11, d12, d13, d14, d15}"),
    ("VLDM ip!, {d16-d19}", "vldm r12!, {d16, d17, d18, d19}"),
    ("MOVLO r4, r3", "movlo r4, r3"),
    ("MOVLS r5, r4", "movls r5, r4"),
    ("VLD1.8 {d15[]}, [r7]", "vld1.8 {d15[]}, [r7]"),
    ("VLD1.32 {d8[], d9[]}, [r7]!", "vld1.32 {d8[], d9[]}, [r7]!"),
    ("VLD1.8 {d9}, [ip:64]!", "vld1.8 {d9}, [r12:64]!"),
    ("VLD1.8 {d4, d5}, [ip :128]!", "vld1.8 {d4, d5}, [r12:128]!"),
    ("VMOV.I32 q10, q8", "vmov.i32 q10, q8"),
    ("VSUBL.U8 q4, d9, d15", "vsubl.u8 q4, d9, d15"),
    ("VMLAL.S16 q8, d8, d0[3]", "vmlal.s16 q8, d8, d0[3]"),
    ("CMP r2, -8", "cmp r2, #-8"),
    ("ADD r3, r2", "add r3, r3, r2"),
    ("SUB r1, 4", "sub r1, r1, #4"),
    ("ADDS r2, 8", "adds r2, r2, #8"),
    ("VDUP.32 d13, r2", "vdup.32 d13, r2"),
    ("VSHL.U64 d1, d1, d13", "vshl.u64 d1, d1, d13"),
    ("VCEQ.S32 q5, q4, 0", "vceq.s32 q5, q4, #0"),
    ("VSRA.S32  q8, q0, 31", "vsra.s32 q8, q0, #31"),
    ("VQRDMULH.S32 q10, q10, d12[0]", "vqrdmulh.s32 q10, q10, d12[0]"),
    ("VEXT.8 q8, q8, q8, 4", "vext.8 q8, q8, q8, #4"),
    ("LDRD r2, r3, [sp, 88]", "ldrd r2, r3, [sp, #88]"),
    ("VST1.32 {d16[0]}, [r2]!", "vst1.32 {d16[0]}, [r2]!"),
    ("TEQ r1, 0", "teq r1, #0"),
    ("POP {r4-r11, pc}", "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}"),
    ("BX lr", "bx lr"),
]


@pytest.mark.parametrize(("isa", "text", "printed"),
                         [("aarch64", *case) for case in A64] + [("aarch32", *case) for case in A32])
def test_a_line(isa: str, text: str, printed: str) -> None:
    [instruction] = assemble(text, isa=isa).instructions
    assert str(instruction) == printed
    assert assemble(printed, isa=isa).instructions[0] == instruction


def test_comments_and_directives_of_a_published_kernel() -> None:
    p = assemble("""\
/*
 * A header, don't mind "it".
 */
.syntax unified

# void kernel(
#     size_t mr,  // with a comment; and more
#     const void* restrict w)
.p2align 4
.global kernel
.type kernel, %function
kernel:
\t.arm
\t.arch armv7-a
\t.fpu neon
\t# Load w
\t# - ip = w
\tLDR ip, [sp, 4]
\t### Channel 0 ###
\tBLO 1f\t\t@ short
\t.p2align 5
0:
\tSUBS r2, r2, 8   // k -= 8
\tBHS 0b
1:
\tBX lr
.size kernel, .-kernel
.section ".note.GNU-stack","",%progbits
""", isa="aarch32")
    assert [str(i) for i in p.instructions] == ["ldr r12, [sp, #4]", "blo 1f", "subs r2, r2, #8", "bhs 0b", "bx lr"]
    assert [i.target for i in p.instructions] == [None, 4, None, 2, None]


def test_if_then_has_no_code_in_arm_state() -> None:
    """Text for both states writes IT before conditional instructions."""
    program = assemble("cmp r0, #1\nITTE ne\nmovne r0, #2\naddne r0, r0, r1\nmoveq r0, #3\nbx lr", "aarch32")
    assert [i.mnemonic for i in program.instructions] == ["CMP", "MOVNE", "ADDNE", "MOVEQ", "BX"]
    with pytest.raises(AssemblyError, match="needs a condition"):
        assemble("it r0\nbx lr", "aarch32")


def test_a_macro_may_be_the_beginning_of_a_comment() -> None:
    """FFmpeg's and x264's way to write Arm and Thumb lines side by side."""
    text = "#define A\n#define T @\nA   ldr r0, [r1, r2]!\nT   .thumb; nonsense\nbx lr"
    assert len(assemble(text, "aarch32")) == 2


def test_a_label_twice_at_one_place() -> None:
    """`EXTERN\\name:` and `\\name:` are the same where names have no prefix."""
    program = assemble("f:\n.type f, %function\nf: nop\nret\n.data\nd: d: .word 1", "aarch64")
    assert program.symbols == {"f": 0}
    with pytest.raises(AssemblyError, match="already set in line 1"):
        assemble("f: nop\nf: ret", "aarch64")


def test_nothing_behind_the_end_is_read() -> None:
    assert len(assemble("nop\n\t.end\n)))", "aarch64")) == 1


@pytest.mark.parametrize(("isa", "line", "message"), [
    ("aarch64", "mrs x0, sctlr_el1", "MRS of sctlr_el1 is a system instruction"),
    ("aarch32", "vmrs r0, fpsid", "VMRS of fpsid is a system instruction"),
])
def test_other_registers_of_the_system(isa: str, line: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=message):
        assemble(line, isa)
