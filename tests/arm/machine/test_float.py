"""Floating point through whole programs: calls with floats, requantisation, exceptions, every engine, lock-step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.engines import compiled
from neonsim.arm.machine.trace.dataflow import dataflow
from neonsim.quant.rounding import fp32_lrint, fp32_magic
from tests.tiers import every

needs_compiler = pytest.mark.skipif(compiled.compiler() is None, reason="no C compiler: install gcc or clang")
ENGINES = ["interpreter", "python", pytest.param("compiled", marks=needs_compiler)]

# acc x0, scale s0, output x1, count x2 (a multiple of 8), zero point w3
LRINT = """
        dup     v1.4s, v0.s[0]
        dup     v2.8h, w3
0:      ldp     q4, q5, [x0], #32
        scvtf   v4.4s, v4.4s
        scvtf   v5.4s, v5.4s
        fmul    v4.4s, v4.4s, v1.4s
        fmul    v5.4s, v5.4s, v1.4s
        fcvtns  v4.4s, v4.4s
        fcvtns  v5.4s, v5.4s
        sqxtn   v4.4h, v4.4s
        sqxtn2  v4.8h, v5.4s
        sqadd   v4.8h, v4.8h, v2.8h
        sqxtun  v4.8b, v4.8h
        str     d4, [x1], #8
        subs    x2, x2, #8
        b.ne    0b
        ret
"""
# acc r0, scale s0, output r1, count r2 (a multiple of 4), {low - zp, high - zp, 12582912.0, its bits - zp} r3
MAGIC = """
        vdup.32 q1, d0[0]
        vld1.32 {d4-d5}, [r3]
        vdup.32 q3, d4[0]
        vdup.32 q8, d4[1]
        vdup.32 q9, d5[0]
        vdup.32 q10, d5[1]
0:      vld1.32 {d24-d25}, [r0]!
        vcvt.f32.s32 q12, q12
        vmul.f32 q12, q12, q1
        vmax.f32 q12, q12, q3
        vmin.f32 q12, q12, q8
        vadd.f32 q12, q12, q9
        vsub.i32 q12, q12, q10
        vmovn.i32 d24, q12
        vmovn.i16 d24, q12
        vst1.32 {d24[0]}, [r1]!
        subs    r2, r2, #4
        bne     0b
        bx      lr
"""


def accumulators(scale: float) -> Any:
    """Random ones, ties of the rounding, both ends."""
    rng = np.random.default_rng(5)
    ties = np.round((np.arange(-40, 40) + 0.5) / scale).astype(np.int64)
    ends = [0, 1, -1, 2 ** 31 - 1, -2 ** 31, 2 ** 24 + 1, -2 ** 24 - 1, 2 ** 30 + 65]
    ties = np.clip(ties, -2 ** 31, 2 ** 31 - 1)
    return np.concatenate([rng.integers(-2 ** 17, 2 ** 17, 168), ties, ends]).astype(np.int32)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", every(2, [0.5, 0.00390625, 0.0037, 1e-6]))
def test_fp32_requantization(scale: float, engine: str) -> None:
    single = np.float32(scale)
    acc = accumulators(float(single))
    machine = ns.Machine()
    source = machine.memory.place(acc, name="acc")
    target = machine.memory.alloc(acc.size, name="out")
    machine.call(ns.assemble(LRINT, isa="aarch64"), source, single, target, acc.size, 128, engine=engine)
    assert machine.memory.fetch("out").tolist() == fp32_lrint(acc, single, 128, dtype=np.uint8).tolist()
    assert machine.flags.ixc == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", [0.5, 0.0037])
def test_fp32_requantization_by_the_magic_number(scale: float, engine: str) -> None:
    single, zero_point = np.float32(scale), 100
    acc = accumulators(float(single))
    magic = np.float32(12582912.0)
    table = np.array([0 - zero_point, 255 - zero_point, magic, 0], np.float32)
    table.view(np.int32)[3] = magic.view(np.int32) - zero_point
    machine = ns.Machine(isa="aarch32")
    source, params = machine.memory.place(acc, name="acc"), machine.memory.place(table, name="params")
    target = machine.memory.alloc(acc.size, name="out")
    machine.call(ns.assemble(MAGIC, isa="aarch32"), source, single, target, acc.size, params, engine=engine)
    expected = fp32_magic(acc, single, zero_point, dtype=np.uint8)
    assert machine.memory.fetch("out").tolist() == expected.tolist()


def test_a_grid_computes_what_its_tiles_do() -> None:
    """Different numbers in each tile, some of them NaN, infinite and denormal; exceptions of each tile apart."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 1 << 32, (6, 4, 8), dtype=np.uint32)
    bits[0, :, :2], bits[1, 1, 2], bits[2, 2, :3], bits[3, :] = 0x7F800000, 0x7F800001, 1, 0x3F800000
    text = ns.assemble("ldp q1, q2, [x0]\nfmul v3.4s, v1.4s, v2.4s\nfmla v3.4s, v2.4s, v1.s[1]\n"
                       "fdiv v4.4s, v3.4s, v2.4s\nfmaxnm v4.4s, v4.4s, v1.4s\nfcmp s4, s1\ncset w3, mi\n"
                       "mrs x2, fpsr\nstr q4, [x0]\norr x0, x2, x3, lsl #40\nret", isa="aarch64")
    returned, stored = np.zeros((6, 4), np.uint64), np.zeros_like(bits)
    for row in range(6):
        for column in range(4):
            alone = ns.Machine()
            address = alone.memory.place(bits[row, column], name="data")
            returned[row, column] = alone.call(text, address).returned
            stored[row, column] = alone.memory.fetch("data", dtype="uint32")
    for engine in (None, *(["compiled"] if compiled.compiler() else [])):
        machine = ns.Machine()
        start = machine.memory.place(bits, name="data")
        where = (start + 32 * np.arange(24).reshape(6, 4)).astype(np.uint64)
        together = machine.call(text, where, tiles=ns.Grid(6, 4), engine=engine)
        assert together.tile_returned is not None and together.tile_returned.tolist() == returned.tolist(), engine
        assert machine.memory.fetch("data", dtype="uint32", shape=bits.shape).tolist() == stored.tolist(), engine


@pytest.mark.parametrize("engine", ENGINES)
def test_floats_of_a_call(engine: str) -> None:
    """AAPCS64: v0 to v7. AArch32, hard float: a float64 takes an even pair, a later float32 the gap before it."""
    machine = ns.Machine(isa="aarch32")
    program = ns.assemble("vmov r0, s1\nvmov r1, s2\nvmov r2, s3\nadd r0, r0, r2\nbx lr", isa="aarch32")
    machine.call(program, np.float32(1), np.float64(2), np.float32(3), 9, engine=engine)
    assert [machine.registers[f"s{n}"].as_("f32")[0] for n in (0, 1)] == [1, 3]
    assert machine.registers["d1"].as_("u64")[0] == np.float64(2).view(np.uint64)
    wide = ns.Machine()
    added = ns.assemble("fadd s0, s0, s1\nret", isa="aarch64")
    result = wide.call(added, np.float32(1.5), np.float32(2), engine=engine)
    assert (wide.registers["s0"].as_("f32")[0], result.returned_single, result.steps) == (3.5, 3.5, 2)


def test_floats_beyond_the_registers_go_on_the_stack() -> None:
    machine = ns.Machine(isa="aarch32")
    machine.start(ns.assemble("bx lr", isa="aarch32"), *(np.float64(n) for n in range(9)), np.float32(7))
    assert machine.memory.fetch("stack").view("<f8")[-2] == 8
    assert machine.memory.fetch("stack").view("<f4")[-2] == 7


@pytest.mark.parametrize(("line", "raised"), [
    ("fdiv s0, s0, s1", "dzc"), ("fsqrt s0, s2", "ioc"), ("fmul s0, s3, s3", "ofc ixc"), ("fmul s0, s4, s4", "ufc ixc"),
    ("fadd s0, s0, s4", "ixc"), ("fmul s0, s0, s0", "")])
def test_exceptions_are_sticky_and_printed(line: str, raised: str) -> None:
    machine = ns.Machine()
    program = ns.assemble(f"{line}\nfadd s5, s0, s0\nret", isa="aarch64")
    machine.call(program, *(np.float32(x) for x in (1, 0, -1, 3e38, 1e-30)))
    names = ("ioc", "dzc", "ofc", "ufc", "ixc", "idc")
    assert [name for name in names if getattr(machine.flags, name)] == raised.split()
    assert all(name in repr(machine.flags) for name in raised.split())


def test_stepping_back_takes_exceptions_back() -> None:
    machine = ns.Machine()
    machine.start(ns.assemble("fdiv s0, s0, s1\nret", isa="aarch64"), np.float32(1), np.float32(0))
    machine.step()
    assert machine.flags.dzc == 1
    machine.back()
    assert machine.flags.dzc == 0


def test_comparisons_of_aarch32_go_through_fpscr() -> None:
    machine = ns.Machine(isa="aarch32")
    text = "cmp r0, r0\nvcmpe.f32 s0, s1\nmoveq r1, #1\nvmrs APSR_nzcv, fpscr\nmovmi r0, #7\nvmrs r2, fpscr\nbx lr"
    result = machine.call(ns.assemble(text, isa="aarch32"), 3, 0, np.float32(1), np.float32(2))
    assert (result.returned, machine.registers["r1"], machine.registers["r2"] >> 28) == (7, 1, 8)
    assert machine.registers["fpnzcv"] == 8


@pytest.mark.parametrize(("isa", "word", "text", "value"), [
    ("aarch64", "fpsr", "movi v0.16b, #127; sqadd v1.16b, v0.16b, v0.16b; fmov s2, #1.0; fmov s3, wzr; "
     "fdiv s4, s2, s3; mrs x0, fpsr; ret", 1 << 27 | 2),
    ("aarch32", "fpscr", "vmov.i8 q0, #127; vqadd.s8 q1, q0, q0; vmov.f32 s8, #1.0; vmov.i32 d5, #0; "
     "vdiv.f32 s9, s8, s10; vcmp.f32 s8, s10; vmrs r0, fpscr; bx lr", 2 << 28 | 1 << 27 | 2)])
def test_status_words_are_those_of_mrs(isa: str, word: str, text: str, value: int) -> None:
    """QC, cumulative exceptions and the flags of comparisons where Arm has them; set, they are those flags."""
    machine = ns.Machine(isa)
    assert machine.call(ns.assemble(text, isa=isa)).returned == machine.registers[word] == value
    assert machine.registers["fpsr"] == 1 << 27 | 2 and machine.flags.qc == machine.flags.dzc == 1
    machine.registers[word] = 1
    assert (machine.registers[word], machine.registers["qc"], machine.flags.ioc, machine.flags.dzc) == (1, 0, 1, 0)
    with pytest.raises(ns.NeonsimError, match=f"{word} must have bits of 0x.* only; got 0x100"):
        machine.registers[word] = 1 << 8
    if isa == "aarch32":
        machine.registers[word] = 9 << 28 | 1 << 27 | 3 << 22
        assert (machine.registers["fpnzcv"], machine.registers["qc"], machine.registers["fpcr"]) == (9, 1, 3 << 22)


@pytest.mark.parametrize("engine", ["interpreter", "python", pytest.param("compiled", marks=pytest.mark.skipif(
    compiled.compiler() is None, reason="no C compiler: install gcc or clang"))])
@pytest.mark.parametrize(("isa", "text", "highest"), [
    ("aarch64", "msr fpsr, x1; mrs x2, fpsr; str w2, [x0]; mrs x3, fpcr; msr fpcr, x3; ret", 0),
    ("aarch32", "vmsr fpscr, r1; vmrs r2, fpscr; str r2, [r0]; bx lr", 0xA000_0000),
])
def test_the_status_register_is_replaced(isa: str, text: str, highest: int, engine: str) -> None:
    """Exceptions are added by arithmetic, but a write of the register itself clears them too."""
    machine = ns.Machine(isa)
    out = machine.memory.alloc(8, name="out")
    program = ns.assemble(text, isa=isa)
    for value in (highest | 0x0800_009F, 0x11, 0):
        machine.call(program, out, value, engine=engine)
        assert int(machine.memory.fetch("out", dtype="uint32")[0]) == value


@pytest.mark.parametrize("engine", ["interpreter", "python", pytest.param("compiled", marks=pytest.mark.skipif(
    compiled.compiler() is None, reason="no C compiler: install gcc or clang"))])
@pytest.mark.parametrize(("isa", "text"), [
    ("aarch64", "msr fpcr, x1; fdiv s4, s0, s1; str s4, [x0]; mrs x2, fpcr; str w2, [x0, #4]; ret"),
    ("aarch32", "vmsr fpscr, r1; vdiv.f32 s4, s0, s1; vstr s4, [r0]; vmrs r2, fpscr; and r2, r2, #0xc00000; "
                "str r2, [r0, #4]; bx lr")])
def test_the_rounding_of_fpcr(isa: str, text: str, engine: str) -> None:
    """A third, to nearest (up), up, down, towards zero; the register reads back, and a call begins with a reset one."""
    machine = ns.Machine(isa)
    out = machine.memory.alloc(8, name="out")
    program = ns.assemble(text, isa=isa)
    for mode, last in ((0, 0xAB), (1, 0xAB), (2, 0xAA), (3, 0xAA), (0, 0xAB)):
        machine.call(program, out, mode << 22, np.float32(1), np.float32(3), engine=engine)
        found = machine.memory.fetch("out", dtype="uint32").tolist()
        assert found == [0x3EAAAA00 | last, mode << 22]
        assert machine.registers["fpcr"] == mode << 22


def test_tiles_with_other_rules_part() -> None:
    machine = ns.Machine("aarch64")
    program = ns.assemble("msr fpcr, x0; fadd s0, s1, s2; ret", isa="aarch64")
    with pytest.raises(ns.NeonsimError, match="FPCR"):
        machine.call(program, np.array([[0, 1 << 22]]), tiles=ns.Grid(1, 2), engine="interpreter")


def test_a_scalar_half_is_alone_in_its_register() -> None:
    """FCVTZS h, h, #1: bits above it are zero, as of the vector's lane (QEMU 7.2 keeps copies of the sign there)."""
    machine = ns.Machine("aarch64")
    machine.call(ns.assemble("mov w1, #0xc500; dup v1.8h, w1; fcvtzs h2, h1, #1; fcvtzs v3.4h, v1.4h, #1; ret",
                             isa="aarch64"))
    assert int(machine.registers["v2"]) == int(machine.registers["h3"]) == 0xFFF6


def test_denormals_and_nans_by_fpcr() -> None:
    """Double precision with FZ and DN: a denormal number is zero (IDC), every NaN the default one."""
    machine = ns.Machine("aarch64")
    program = ns.assemble("msr fpcr, x0; fadd d2, d0, d0; fadd d3, d1, d1; ret", isa="aarch64")
    machine.call(program, 3 << 24, 5e-324, np.uint64(0x7FF8_0000_0000_1234).view(np.float64))
    assert (int(machine.registers["d2"]), int(machine.registers["d3"])) == (0, 0x7FF8 << 48)
    assert machine.flags.idc == 1


HALVES = """
    vldr.16 s0, [r0]
    vldr.16 s1, [r0, #2]
    vdup.32 d1, r1
    vadd.f16 s2, s0, s1
    vfma.f16 s2, s0, s0
    vcvt.s32.f16 s3, s2
    vcvt.s16.f16 s3, s3, #0
    vmov r2, r3, s2, s3
    str r2, [r1]
    vstr.16 s2, [r1, #4]
    bx lr
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_half_precision_in_an_s_register_clears_its_upper_half(engine: str) -> None:
    """Also as the sanitizer sees it, and in the pictures of lanes."""
    machine = ns.Machine(isa="aarch32")
    source = machine.memory.place(np.array([1.5, 2.25], np.float16), name="source")
    target = machine.memory.place(np.zeros(3, np.float16), name="target")
    program = ns.assemble(HALVES, isa="aarch32")
    machine.call(program, source, target, engine=engine)
    assert machine.memory.fetch("target").tolist() == [6.0, 0.0, 6.0]
    cleared = next(edge for edge in dataflow(program.instructions[3]) if edge.destination == ("d1", "f16", 1))
    assert (cleared.expression, cleared.sources) == ("0", ())
