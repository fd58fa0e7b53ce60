"""What cannot be decoded is refused in the reader's words, with the caret under what is wrong."""

from __future__ import annotations

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.isa.forms.spec import TABLE as MNEMONICS
from neonsim.arm.isa.forms.unsupported import unsupported_mnemonic
from neonsim.errors import AssemblyError

# isa, the line, what the caret underlines, words of the message
TABLE = [
    # unknown mnemonics
    ("aarch64", "smlall v0.4s, v1.4h, v2.4h", "smlall", "no instruction SMLALL here. Did you mean SMLAL"),
    ("aarch64", "frobnicate x0", "frobnicate", "`neonsim isa` lists what there is"),
    ("aarch64", "vmlal.s16 q0, d0, d1", "vmlal.s16", "VMLAL.S16 is an AArch32 instruction, and this text is AArch64: "
                                                      "here it is SMLAL."),
    ("aarch64", "vext.8 d0, d1, d2, #1", "vext.8", "here it is EXT."),
    ("aarch32", "smlal q0, d0, d1", "smlal", "SMLAL is an AArch64 instruction, and this text is AArch32: here it is "
                                              "VMLAL."),
    ("aarch32", "uaddlp q0, q1", "uaddlp", "UADDLP is an AArch64 instruction"),
    ("aarch64", "svc #0", "svc", "SVC is a system instruction"),
    ("aarch64", "ldaxr w0, [x1, #4]", "[x1, #4]", "a base register alone"),
    ("aarch64", "stxr w0, w0, [x1]", "w0", "receives the status"),
    ("aarch64", "ldxp x0, x0, [x1]", "x0", "they must be different"),
    ("aarch64", "casp x1, x2, x4, x5, [x6]", "x2", "even register and the next one"),
    ("aarch64", "ldapur w0, [x1, #256]", "[x1, #256]", "LDAPUR takes [xn, #offset] with an offset from -256 to 255"),
    ("aarch64", "ld64b x0, [x1]", "ld64b", "beyond Armv8.1-A"),
    ("aarch64", "mrs x0, sctlr_el1", "mrs", "such as MIDR_EL1 and CTR_EL0"),
    ("aarch64", "retaa", "retaa", "pointer authentication"),
    ("aarch64", "add z0.s, z1.s, z2.s", "add", "scalable vector extension"),
    ("aarch64", "whilelo p0.s, x0, x1", "whilelo", "scalable vector extension"),
    ("aarch64", "sha256h q0, q1, v2.2d", "v2.2d", "v2.4s is needed here"),
    ("aarch64", "aese v0.16b, v1.8b", "v1.8b", "v1.16b is needed here"),
    ("aarch64", "crc32x w0, w1, w2", "w2", "x2 is needed here, not w2"),
    ("aarch32", "crc32x r0, r1, r2", "crc32x", "CRC32X is an AArch64 instruction"),
    ("aarch64", "fcmla v0.4s, v1.4s, v2.4s, #45", "#45", "is allowed here"),
    ("aarch64", "fcmla v0.4s, v1.4s, v2.s[2], #90", "v2.s[2]", "v2 has 2 pairs"),
    ("aarch32", "svcne #0", "svcne", "SVCNE is a system instruction"),
    ("aarch32", "strexdeq r0, r1, r2, [r3]", "r2", "an even register and the next one"),
    ("aarch32", "setend be", "setend", "little-endian"),
    ("aarch32", "cbz r0, 1f", "cbz", "a Thumb instruction"),
    ("aarch32", "umull r0, r0, r1, r2", "r0", "registers must be different"),
    ("aarch32", "pkhbt r0, r1, r2, asr #3", "asr #3", "lsl"),
    ("aarch32", "uxtb r0, r1, ror #4", "ror #4", "ror must be by 0, 8, 16, 24 here"),
    ("aarch32", "mul r0, r1, pc", "pc", "pc is not allowed here"),
    ("aarch64", "ubfx w0, w1, #8, #25", "#25", "25 is out of range: 1 to 24"),
    ("aarch64", "prfm pldl4keep, [x0]", "pldl4keep", "pldl1keep"),
    ("aarch64", "bic x0, x1, #5", "#5", "the bits to clear"),
    ("aarch64", "b.xx 1f\n1: ret", "b.xx", '"xx" is no condition: eq ne hs'),
    # arrangements and data types
    ("aarch64", "smlal v16.4s, v4.8h, v0.h[0]", "v4.8h",
     "SMLAL reads half a register of 16-bit lanes here: v4.4h.\nFor the upper half write SMLAL2 with v4.8h."),
    ("aarch64", "smlal2 v16.4s, v4.4h, v0.4h", "v4.4h",
     "SMLAL2 works on the upper half of a register: write v4.8h.\nFor a half register write SMLAL with v4.4h."),
    ("aarch64", "add v0.4s, v1.8h, v2.4s", "v1.8h", "v1.8h has 16-bit elements where 32-bit elements are needed."),
    ("aarch64", "add v0.8b, v1.16b, v2.8b", "v1.16b", "v1.8b is needed here"),
    ("aarch64", "uaddw v0.8h, v1.8b, v2.8b", "v1.8b", "v1.8h is needed here, not v1.8b."),
    ("aarch64", "mul v0.2d, v1.2d, v2.2d", "v0.2d", "this form takes elements of 8, 16, 32 bits"),
    ("aarch64", "add v0.1d, v1.1d, v2.1d", "v0.1d", "a d register: write `add d0, d1, d2`."),
    ("aarch32", "vmlal q0, d0, d1", "vmlal", "A data type is missing after the mnemonic: VMLAL.<dt> <Qd>, <Dn>, "
                                             "<Dm>."),
    ("aarch32", "vaddeq.f16 s0, s1, s2", "vaddeq.f16", "VADD.F16 takes no condition with these operands: remove EQ"),
    ("aarch32", "vaddhs.i32 d0, d1, d2", "vaddhs.i32", "VADD.I32 takes no condition with these operands"),
    ("aarch32", "crc32bne r0, r1, r2", "crc32bne", "CRC32B takes no condition with these operands"),
    ("aarch32", "vmlal.f32 q0, d0, d1", "vmlal.f32", ".f32 is no data type of VMLAL: .s8, .s16, .s32, .u8"),
    ("aarch32", "vmlal.s17 q0, d0, d1", "vmlal.s17", ".s17 is no data type of VMLAL"),
    ("aarch32", "add.i32 r0, r1, r2", "add.i32", "This instruction takes no data type: remove .i32."),
    ("aarch32", "vadd.i32 d0, q0, q1", "q0", "all d or all q"),
    # registers
    ("aarch64", "add v32.4s, v0.4s, v1.4s", "v32.4s", "v registers go from v0 to v31"),
    ("aarch64", "add x31, x0, x1", "x31", "31 is written xzr (zero) or sp"),
    ("aarch32", "vadd.i32 q16, q0, q1", "q16", "q registers go from q0 to q15"),
    ("aarch32", "vadd.i32 d32, d0, d1", "d32", "d registers go from d0 to d31"),
    ("aarch32", "add r16, r0, r1", "r16", "r registers go from r0 to r15"),
    ("aarch64", "add v0.4s, v1.4s, x2", "x2", "not the general register x2."),
    ("aarch64", "add x0, x1, v2.4s", "v2.4s", "not the SIMD register v2.4s."),
    ("aarch64", "add x0, w1, x2", "w1", "w1 differs in width from the registers before it: use all w or all x."),
    ("aarch64", "dup v0.4s, x0", "x0", "w0 is needed here, not x0"),
    ("aarch32", "vmlal.s16 q0, r0, d1", "r0", "A d register is expected here, not the general register r0."),
    ("aarch32", "ldrd r1, r2, [r0]", "r2", "LDRD and STRD take an even register and the next one"),
    # lanes
    ("aarch64", "smlal v0.4s, v1.4h, v16.h[1]", "v16.h[1]", "A 16-bit lane must be in v0 to v15, not v16."),
    ("aarch64", "mov v0.s[4], w0", "4", "numbered 0 to 3"),
    ("aarch64", "smlal v0.4s, v1.4h, v2.h[8]", "8", "numbered 0 to 7"),
    ("aarch32", "vmlal.s16 q0, d0, d8[0]", "d8[0]", "A 16-bit lane must be in d0 to d7, not d8."),
    ("aarch32", "vmlal.s16 q0, d0, d1[4]", "d1[4]", "Lane 4 is out of range: d1 has 4 lanes of 16 bits, 0 to 3."),
    ("aarch32", "vmov.32 d0[2], r0", "d0[2]", "Lane 2 is out of range: d0 has 2 lanes of 32 bits, 0 to 1."),
    # numbers
    ("aarch64", "shl v0.4s, v1.4s, #32", "#32", "32 is out of range: 0 to 31."),
    ("aarch64", "sshr v0.8h, v1.8h, #0", "#0", "0 is out of range: 1 to 16."),
    ("aarch64", "ext v0.8b, v1.8b, v2.8b, #8", "#8", "8 is out of range: 0 to 7."),
    ("aarch64", "add x0, x1, #4097", "#4097", "0 to 4095, or a multiple of 4096"),
    ("aarch64", "movi v0.4s, #256", "#256", "256 is out of range: 0 to 255"),
    ("aarch64", "tbz x0, #64, 1f\n1: ret", "#64", "64 is out of range: 0 to 63."),
    ("aarch64", "cmeq v0.4s, v1.4s, #1", "#1", "Only #0 is allowed here."),
    ("aarch64", "ldp x0, x1, [x2, #4]", "#4", "multiples of 8 from -512 to 504."),
    ("aarch64", "ld1 {v0.16b}, [x0], #8", "#8", "The increment must be the number of bytes moved, #16, or a register."),
    ("aarch32", "vext.8 d0, d1, d2, #8", "#8", "8 is out of range: 0 to 7."),
    ("aarch32", "vshr.s32 q0, q1, #33", "#33", "33 is out of range: 1 to 32."),
    ("aarch32", "add r0, r1, #257", "#257", "257 cannot be encoded"),
    ("aarch32", "ldr r0, [r1, #4096]", "#4096", "An offset of 4096 is out of range: -4095 to 4095."),
    # too few, too many
    ("aarch64", "add v0.4s, v1.4s", "add", "An operand is missing: a vector register such as v0.4s. The form is ADD "
                                           "<Vd>.<T>, <Vn>.<T>, <Vm>.<T>."),
    ("aarch64", "add v0.4s, v1.4s, v2.4s, v3.4s", "v3.4s", "This operand is one too many: ADD <Vd>.<T>"),
    ("aarch64", "ret x0, x1", "x1", "This operand is one too many: RET <Xn>."),
    ("aarch64", "nop x0", "x0", "This operand is one too many: NOP."),
    ("aarch32", "cmp r0", "cmp", "An operand is missing: a number or a register."),
    ("aarch32", "mla r0, r1, r2", "mla", "An operand is missing"),
    ("aarch32", "vld1.8 {d0-d4}, [r0]", "{d0-d4}", "This list takes 1 to 4 registers, not 5."),
    # structures
    ("aarch64", "ld2 {v0.1d, v1.1d}, [x0]", "ld2", "taken apart: write `ld1 {v0.1d, v1.1d}, [x0]`."),
    ("aarch64", "ld3 {v0.4s, v1.4s}, [x0]", "{v0.4s, v1.4s}", "This list takes 3 registers, not 2."),
    ("aarch32", "vld3.8 {d0, d2, d3}, [r0]", "d3", "The registers of this list are two apart: d3 cannot come after"),
    ("aarch32", "vst2.8 {d0[1], d2[1]}, [r0]", "d2[1]", "The registers of a list follow each other: d2[1] cannot come"),
    ("aarch32", "vld3.8 {d0, d1, d2}, [r0:128]", "[r0:128]", "An alignment of 128 bits is not allowed here: 64."),
    ("aarch32", "vld4.64 {d0-d3}, [r0]", "vld4.64", ".64 is no data type of VLD4: .8, .16, .32."),
    ("aarch32", "vld4.8 {d0-d3}, [r0, #8]", "[r0, #8]", "VLD4 has no immediate offset"),
]


@pytest.mark.parametrize(("isa", "line", "caret", "words"), TABLE, ids=[f"{t[1].splitlines()[0]}" for t in TABLE])
def test_refused(isa: str, line: str, caret: str, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(f"\n    {line}\n", isa=isa)
    error = caught.value
    assert words in error.message
    first = "    " + line.splitlines()[0]
    pointed = first[error.column - 1:error.column - 1 + error.width]
    # A number may be pointed at with or without its #.
    assert pointed.strip("#") == caret.strip("#"), f"the caret is under {pointed!r}: {error}"
    assert error.line == 2
    assert str(error).count("^") == error.width
    assert len(error.message) < 260
    assert error.message.rstrip().endswith((".", "?"))


@pytest.mark.parametrize("isa", ["a64", "a32"])
def test_nothing_is_refused_that_exists(isa: str) -> None:
    """Moves from and to system registers apart, which know the flags and the floating-point registers only."""
    found = {mnemonic for mnemonic in MNEMONICS[isa] if unsupported_mnemonic(isa, mnemonic, [], False)}
    assert found <= {"mrs", "msr", "vmrs", "vmsr"}
