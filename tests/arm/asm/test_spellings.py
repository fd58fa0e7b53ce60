"""Spellings of AArch32 that are older or rarer than UAL, and words that say where they lead: as GNU as reads them."""

from __future__ import annotations

import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError

VFP = """
faddd d0, d1, d2 = vadd.f64 d0, d1, d2
fsubd d0, d1, d2 = vsub.f64 d0, d1, d2
fmuld d0, d1, d2 = vmul.f64 d0, d1, d2
fnmuld d0, d1, d2 = vnmul.f64 d0, d1, d2
fdivd d0, d1, d2 = vdiv.f64 d0, d1, d2
fsqrtd d0, d1 = vsqrt.f64 d0, d1
fabsd d0, d1 = vabs.f64 d0, d1
fnegd d0, d1 = vneg.f64 d0, d1
fcpyd d0, d1 = vmov.f64 d0, d1
fmacd d0, d1, d2 = vmla.f64 d0, d1, d2
fnmacd d0, d1, d2 = vmls.f64 d0, d1, d2
fmscd d0, d1, d2 = vnmls.f64 d0, d1, d2
fnmscd d0, d1, d2 = vnmla.f64 d0, d1, d2
fcmpd d0, d1 = vcmp.f64 d0, d1
fcmped d0, d1 = vcmpe.f64 d0, d1
fcmpzd d0 = vcmp.f64 d0, #0.0
fcmpezd d0 = vcmpe.f64 d0, #0.0
fcmpzs s0 = vcmp.f32 s0, #0.0
fcmpezs s0 = vcmpe.f32 s0, #0.0
fsitod d0, s1 = vcvt.f64.s32 d0, s1
fuitod d0, s1 = vcvt.f64.u32 d0, s1
ftosid s0, d1 = vcvtr.s32.f64 s0, d1
ftouid s0, d1 = vcvtr.u32.f64 s0, d1
ftosizd s0, d1 = vcvt.s32.f64 s0, d1
ftouizd s0, d1 = vcvt.u32.f64 s0, d1
fcvtds d0, s1 = vcvt.f64.f32 d0, s1
fcvtsd s0, d1 = vcvt.f32.f64 s0, d1
fmdhr d0, r1 = vmov.32 d0[1], r1
fmdlr d0, r1 = vmov.32 d0[0], r1
fmrdh r0, d1 = vmov.32 r0, d1[1]
fmrdl r0, d1 = vmov.32 r0, d1[0]
fconsts s0, #112 = vmov.f32 s0, #1.0
fconsts s0, #0x80 = vmov.f32 s0, #-2.0
fconstd d0, #8 = vmov.f64 d0, #3.0
fshtos s0, #3 = vcvt.f32.s16 s0, s0, #3
fshtod d0, #3 = vcvt.f64.s16 d0, d0, #3
fsltos s0, #3 = vcvt.f32.s32 s0, s0, #3
fultod d0, #3 = vcvt.f64.u32 d0, d0, #3
ftoshs s0, #3 = vcvt.s16.f32 s0, s0, #3
ftould d0, #3 = vcvt.u32.f64 d0, d0, #3
fmsrr {s0, s1}, r2, r3 = vmov s0, s1, r2, r3
fmrrs r0, r1, {s2, s3} = vmov r0, r1, s2, s3
fadddeq d0, d1, d2 = vaddeq.f64 d0, d1, d2
fcmpzdne d3 = vcmpne.f64 d3, #0.0
vorr.i32 q0, q0, #1 = vorr.i32 q0, #1
vbic.i16 d0, d0, #255 = vbic.i16 d0, #255
vmov q2.i8, #255 = vmov.i8 q2, #255
vorr q0.i32, #1 = vorr.i32 q0, #1
vmov d0.f32, #1.0 = vmov.f32 d0, #1.0
vcvt q0.f32, q1.s32 = vcvt.f32.s32 q0, q1
vmull q0.s32, d2.s16, d3.s16 = vmull.s16 q0, d2, d3
vmul q0.f32, q1.f32, d2.f32[1] = vmul.f32 q0, q1, d2[1]
vmov q1.s16, q2.s16 = vmov.s16 q1, q2
vld1 {d0.8}, [r0] = vld1.8 {d0}, [r0]
vshr q0.s8, q1.s8, #3 = vshr.s8 q0, q1, #3
vmovl q0.u16, d3.u8 = vmovl.u8 q0, d3
vcge q0.s16, q1.s16, #0 = vcge.s16 q0, q1, #0
blx f = bl f
"""


@pytest.mark.parametrize("line", VFP.strip().split("\n"))
def test_read_as_today(line: str) -> None:
    older, today = line.split(" = ")
    (found,) = assemble(f".extern f\n{older}", "aarch32").instructions
    (expected,) = assemble(f".extern f\n{today}", "aarch32").instructions
    assert str(found) == str(expected) and [u.register for u in found.writes] == [u.register for u in expected.writes]


def test_names_with_a_type() -> None:
    text = ("x .dn d0.i16\ny .qn q1.s8\nz .qn q3\nvadd x, x, x\nvabs y, y\nvadd.i32 z, z, z\n.unreq x\nx .dn d5.f32\n"
            "vabs x, x")
    assert [str(i) for i in assemble(text, "aarch32").instructions] == [
        "vadd.i16 d0, d0, d0", "vabs.s8 q1, q1", "vadd.i32 q3, q3, q3", "vabs.f32 d5, d5"]


@pytest.mark.parametrize(("isa", "text", "words"), [
    ("aarch32", "vadd.i16 q0.i16, q1.i16, q2.i16", "The data type is written twice"),
    ("aarch32", "x .dn d0.i17", "is no register"), ("aarch32", "fconsts s0, #256", "FCONSTS"),
    ("aarch64", "add.5s v0, v0, v0", "ADD.5S"),
])
def test_refused(isa: str, text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(text, isa)


@pytest.mark.parametrize(("isa", "text", "listing"), [
    ("aarch64", ".inst 0x14000002\nnop\nret", "b .+8"), ("aarch64", "nop\n.inst 0x17ffffff\nret", "b .-4"),
    ("aarch64", ".inst 0x10000040\nret\n.word 1", "adr x0, .+8"), ("aarch64", ".inst 0x54000040\nnop\nret", "b.eq .+8"),
    ("aarch64", ".inst 0x58000040\nret\n.quad 1", "ldr x0, .+8"), ("aarch32", ".inst 0xea000000\nnop\nbx lr", "b .+8"),
    ("aarch32", ".inst 0xe59f0000\nbx lr\n.word 7", "ldr r0, .+8"),
])
def test_words_that_lead_somewhere(isa: str, text: str, listing: str) -> None:
    program = assemble(text, isa)
    assert listing in str(program) and assemble(str(program), isa) == program


def test_a_literal_that_is_a_number() -> None:
    assert ns.Machine("aarch32").call(assemble(".inst 0xe59f0000\nbx lr\n.word 7", "aarch32")).returned == 7
