"""The product of transformed pixels and weights as NEON kernels: four rows by eight columns of int16 into int32 sums.

    a  4 rows x 4 depths, a register a row        w  1 depth x 8 columns
    for every depth    sums[row] += w * a[row][depth]     multiply-accumulate long by element, two instructions a row

Rows beyond mr are the last one again: the same sums, stored to the same place.
"""

from __future__ import annotations

from collections.abc import Iterator

from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.naming import Tile

__all__ = ["PRODUCTS", "SUMMARY", "product"]

_ROWS = 4
_CONTRACT = "s16_gemm_s32"
PRODUCTS = tuple(f"{_CONTRACT}_{_ROWS}x8__{isa}_neon_generated" for isa in ("aarch32", "aarch64"))

SUMMARY = ("Four rows by eight columns of int16 into int32 sums: multiply-accumulate long by element, "
           "four depths at a time.")
_HEADER = f"//! {SUMMARY}" + """
//! contract: s16_gemm_s32
//! tile: 4x8
//! isa: {isa}
//! feature: neon
//! reads-before: 0
//! source: made by rule
//!
{inputs}
//!
//! reg  va0..va3   {rows}  four depths of a row
//! reg  vw         {w}  a depth of all columns
//! reg  vacc[0..3] {sums}  sums of a row
//!
//!              vw      8 columns of a depth
//!          +--------+--------+
//!    va0   | vacc[0]         |   and so on: va3 by vw into vacc[3];
//!    va1   | vacc[1]         |   each two registers of four sums
"""


def product(name: str) -> str:
    """The text of the kernel of that name, one of PRODUCTS."""
    return "\n".join(_aarch64(name) if "__aarch64_" in name else _aarch32(name)) + "\n"


def _inputs(isa: str) -> str:
    from neonsim.ukernel.header import in_lines  # the name and the summary need no contract

    return "\n".join(map(str, in_lines(contract_named(_CONTRACT), isa, Tile(_ROWS, 8, 1))))


def _line(word: str, operands: str = "", says: str = "") -> str:
    made = f"    {word:<11} {operands}".rstrip()
    return f"{made:<47} // {says}" if says else made


def _aarch64(name: str) -> Iterator[str]:
    yield _HEADER.format(inputs=_inputs("aarch64"), isa="aarch64", rows="v0-v3", w="v4",
                         sums="v16-v23")
    yield from ("    .text", "    .p2align 4", f"    .global {name}", f"    .type   {name}, %function", f"{name}:")
    yield "    // ---- Pointers to rows of a and c; those beyond mr are the last one again."
    yield _line("ldr", "x8, [sp]", "c_stride")
    for rows, step, first in ((("x3", "x9", "x10", "x11"), "x4", "a"), (("x7", "x12", "x13", "x14"), "x8", "c")):
        for i in range(1, _ROWS):
            yield _line("cmp", f"x0, #{i}")
            yield _line("add", f"{rows[i]}, {rows[i - 1]}, {step}")
            yield _line("csel", f"{rows[i]}, {rows[i - 1]}, {rows[i]}, ls", f"row {i} of {first}")
    yield "\n    // ---- Sums begin with the bias."
    yield _line("ld1", "{v16.4s, v17.4s}, [x6]")
    for i in range(2, 2 * _ROWS):
        yield _line("mov", f"v{16 + i}.16b, v{16 + i % 2}.16b")
    rows = ("x3", "x9", "x10", "x11")
    yield "\n    // ---- Four depths at a time."
    yield from (_line("subs", "x2, x2, #4"), _line("b.lo", "1f"), "0:")
    yield from (_line("ld1", f"{{v{i}.4h}}, [{row}], #8", f"four depths of row {i}") for i, row in enumerate(rows))
    for depth in range(4):
        yield from _depth64(depth)
    yield from (_line("subs", "x2, x2, #4"), _line("b.hs", "0b"))
    yield "\n    // ---- What is left of the depth, one at a time."
    yield from ("1:", _line("adds", "x2, x2, #4"), _line("b.eq", "3f"), "2:")
    yield from (_line("ld1r", f"{{v{i}.4h}}, [{row}], #2") for i, row in enumerate(rows))
    yield from _depth64(0)
    yield from (_line("subs", "x2, x2, #1"), _line("b.ne", "2b"))
    out = ("x7", "x12", "x13", "x14")
    yield "\n    // ---- Store whole rows, or four, two and one of their columns."
    yield from ("3:", _line("cmp", "x1, #8"), _line("b.ne", "4f"))
    yield from (_line("st1", f"{{v{16 + 2 * i}.4s, v{17 + 2 * i}.4s}}, [{c}]") for i, c in enumerate(out))
    yield from ("    ret", "4:", _line("tbz", "x1, #2, 5f"))
    for i, c in enumerate(out):
        yield _line("st1", f"{{v{16 + 2 * i}.4s}}, [{c}]")
    for i in range(_ROWS):
        yield _line("mov", f"v{16 + 2 * i}.16b, v{17 + 2 * i}.16b")
    for c, fixed in zip(out, ("x15", "x16", "x17", "x6"), strict=True):
        yield _line("add", f"{fixed}, {c}, #16")
    yield _line("b", "6f")
    yield "5:"
    for c, fixed in zip(out, ("x15", "x16", "x17", "x6"), strict=True):
        yield _line("mov", f"{fixed}, {c}")
    yield from ("6:", _line("tbz", "x1, #1, 7f"))
    last = ("x15", "x16", "x17", "x6")
    for i, c in enumerate(last):
        yield _line("st1", f"{{v{16 + 2 * i}.2s}}, [{c}], #8")
    for i in range(_ROWS):
        yield _line("dup", f"v{16 + 2 * i}.2d, v{16 + 2 * i}.d[1]")
    yield from ("7:", _line("tbz", "x1, #0, 8f"))
    for i, c in enumerate(last):
        yield _line("st1", f"{{v{16 + 2 * i}.s}}[0], [{c}]")
    yield from ("8:", "    ret", f"    .size   {name}, . - {name}")


def _depth64(lane: int) -> Iterator[str]:
    yield _line("ld1", "{v4.8h}, [x5], #16", "a depth of eight columns")
    for i in range(_ROWS):
        yield _line("smlal", f"v{16 + 2 * i}.4s, v4.4h, v{i}.h[{lane}]", f"row {i}: columns 0..3")
        yield _line("smlal2", f"v{17 + 2 * i}.4s, v4.8h, v{i}.h[{lane}]")


def _aarch32(name: str) -> Iterator[str]:
    yield _HEADER.format(inputs=_inputs("aarch32"), isa="aarch32", rows="d0-d3", w="q3", sums="q8-q15")
    yield from ("    .syntax unified", "    .arch   armv7-a", "    .fpu    neon", "    .arm", "    .text",
                "    .p2align 4", f"    .global {name}", f"    .type   {name}, %function", f"{name}:")
    yield "    // ---- Pointers to rows of a and c; those beyond mr are the last one again."
    yield _line("push", "{r4-r11}")
    a, c = ("r3", "r4", "r5", "r6"), ("r8", "r9", "r10", "r11")
    for rows, place, what in ((a, 32, "a"), (c, 48, "c")):
        yield _line("ldr", f"r12, [sp, #{place}]", "a_stride" if what == "a" else "c_stride")
        if what == "c":
            yield _line("ldr", "r8, [sp, #44]", "c")
        for i in range(1, _ROWS):
            yield _line("cmp", f"r0, #{i}")
            yield _line("mov", f"{rows[i]}, {rows[i - 1]}")
            yield _line("addhi", f"{rows[i]}, {rows[i]}, r12", f"row {i} of {what}")
    yield _line("ldr", "r7, [sp, #36]", "w")
    yield _line("ldr", "r12, [sp, #40]", "bias")
    yield "\n    // ---- Sums begin with the bias."
    yield _line("vld1.32", "{d16-d19}, [r12]")
    for i in range(2, 2 * _ROWS):
        yield _line("vmov", f"q{8 + i}, q{8 + i % 2}")
    yield "\n    // ---- Four depths at a time."
    yield from (_line("subs", "r2, r2, #4"), _line("blo", "1f"), "0:")
    yield from (_line("vld1.16", f"{{d{i}}}, [{row}]!", f"four depths of row {i}") for i, row in enumerate(a))
    for depth in range(4):
        yield from _depth32(depth)
    yield from (_line("subs", "r2, r2, #4"), _line("bhs", "0b"))
    yield "\n    // ---- What is left of the depth, one at a time."
    yield from ("1:", _line("adds", "r2, r2, #4"), _line("beq", "3f"), "2:")
    yield from (_line("vld1.16", f"{{d{i}[]}}, [{row}]!") for i, row in enumerate(a))
    yield from _depth32(0)
    yield from (_line("subs", "r2, r2, #1"), _line("bne", "2b"))
    yield "\n    // ---- Store whole rows, or four, two and one of their columns."
    yield from ("3:", _line("cmp", "r1, #8"), _line("bne", "4f"))
    yield from (_line("vst1.32", f"{{d{16 + 4 * i}-d{19 + 4 * i}}}, [{row}]") for i, row in enumerate(c))
    yield from (_line("b", "7f"), "4:", _line("tst", "r1, #4"), _line("beq", "5f"))
    for i, row in enumerate(c):
        yield _line("vst1.32", f"{{d{16 + 4 * i}, d{17 + 4 * i}}}, [{row}]!")
        yield _line("vmov", f"q{8 + 2 * i}, q{9 + 2 * i}")
    yield from ("5:", _line("tst", "r1, #2"), _line("beq", "6f"))
    for i, row in enumerate(c):
        yield _line("vst1.32", f"{{d{16 + 4 * i}}}, [{row}]!")
        yield _line("vmov", f"d{16 + 4 * i}, d{17 + 4 * i}")
    yield from ("6:", _line("tst", "r1, #1"), _line("beq", "7f"))
    for i, row in enumerate(c):
        yield _line("vst1.32", f"{{d{16 + 4 * i}[0]}}, [{row}]")
    yield from ("7:", _line("pop", "{r4-r11}"), _line("bx", "lr"), f"    .size   {name}, . - {name}")


def _depth32(lane: int) -> Iterator[str]:
    yield _line("vld1.16", "{d6, d7}, [r7]!", "a depth of eight columns")
    for i in range(_ROWS):
        yield _line("vmlal.s16", f"q{8 + 2 * i}, d6, d{i}[{lane}]", f"row {i}: columns 0..3")
        yield _line("vmlal.s16", f"q{9 + 2 * i}, d7, d{i}[{lane}]")
