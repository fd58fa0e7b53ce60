"""What a refusal tells the reader to write is done: it assembles, and does what the refused line meant.

The corrected lines are taken from the message, and run; what they have to compute is a formula of the registers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from recordings import lines as recorded

import neonsim as ns
from neonsim.errors import AssemblyError

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass
class State:
    """q0 to q3, general registers 1 to 3, and 32 bytes of memory, at whose beginning x0 or r0 points."""

    q: Bytes
    x: np.ndarray[Any, np.dtype[np.uint64]]
    memory: Bytes

    def lanes(self, register: int, type_: str, count: int | None = None) -> Any:
        """The lanes of a q register: all, or the lowest ones."""
        return self.q[register].view(type_)[:count]


def before() -> State:
    """Small real numbers: every lane width has lanes of both signs, and none is a NaN."""
    rng = np.random.default_rng(20)
    q = np.ascontiguousarray(rng.uniform(-9, 9, (4, 4)).astype("<f4")).view(np.uint8).reshape(4, 16)
    q[3] = np.arange(16, dtype=np.uint8)[::-1] * 17 % 32
    x = np.array([0x8123_4567_89AB_CDEF, 0x0000_0007_F000_0001, 3, 0], np.uint64)
    return State(q, x, rng.integers(0, 256, 32, np.uint8))


_AROUND: Final = {
    "aarch64": ("mov x9, x0\n mov x10, x1\n ldp q0, q1, [x9]\n ldp q2, q3, [x9, #32]\n ldp x1, x2, [x9, #64]\n"
                " ldr x3, [x9, #80]\n add x0, x9, #96\n",
                "\n stp q0, q1, [x10]\n str x1, [x10, #32]\n ldp q0, q1, [x9, #96]\n stp q0, q1, [x10, #48]\n ret\n"),
    "aarch32": ("push {r4, r5, r6, lr}\n mov r4, r0\n mov r5, r1\n vldmia r4, {q0-q3}\n ldr r1, [r4, #64]\n"
                " ldr r2, [r4, #72]\n ldr r3, [r4, #80]\n add r0, r4, #96\n",
                "\n vstmia r5, {q0-q1}\n str r1, [r5, #32]\n add r4, r4, #96\n vldmia r4, {q0-q1}\n"
                " add r5, r5, #48\n vstmia r5, {q0-q1}\n pop {r4, r5, r6, pc}\n"),
}


def after(isa: str, line: str) -> State:
    """The state behind a line, as far as a line of the table writes it: q0, q1, x1 or r1, memory."""
    start, end = _AROUND[isa]
    machine, was = ns.Machine(isa), before()
    source = machine.memory.place(np.concatenate([was.q.ravel(), was.x.view(np.uint8), was.memory]), "in")
    out = machine.memory.place(np.zeros(80, np.uint8), "out")
    machine.call(ns.assemble(f"f: {start} {line}{end}", isa=isa), source, out, sanitize=False)
    data = np.asarray(machine.memory.fetch("out"), np.uint8)
    return State(data[:32].reshape(2, 16), data[32:40].view(np.uint64), data[48:])


def refused(isa: str, line: str) -> AssemblyError:
    with pytest.raises(AssemblyError) as caught:
        ns.assemble(f"{line}\n", isa=isa)
    return caught.value


def corrected(isa: str, line: str) -> list[str]:
    """The lines that the message of a refused line asks for."""
    error = refused(isa, line)
    text = error.message
    lines = re.findall(r"`([^`]*)`", text[text.find(": write `"):]) if ": write `" in text else []
    there, behind = line[:error.column - 1], line[error.column - 1 + error.width:]
    for shape in (r"(\w+\.?\w*) is needed here", r"here: (v\d+\.\w+)\.", r"half of a register: write (v\d+\.\w+)\.",
                  r"[Ww]rite (\w+)\.\Z"):
        lines += [there + found + behind for found in re.findall(shape, text)]
    others = re.findall(r"half (?:register )?write (\w+) with", text)
    return lines + [line.replace(line.split()[0], other.lower()) for other in others]


def as_bytes(value: Any, dtype: str) -> Bytes:
    found = np.zeros(16, np.uint8)
    data = np.asarray(value).astype(dtype).reshape(-1).view(np.uint8)
    found[:len(data)] = data
    return found


def lanes(dtype: str, formula: Callable[[State], Any]) -> Callable[[State, State], None]:
    """Register 0 has these lanes; what is above them is zero."""

    def check(was: State, now: State) -> None:
        assert now.q[0].tobytes() == as_bytes(formula(was), dtype).tobytes()

    return check


def low(dtype: str, formula: Callable[[State], Any]) -> Callable[[State, State], None]:
    """The lowest lanes of register 0; AArch32 keeps what is above them."""

    def check(was: State, now: State) -> None:
        want = np.asarray(formula(was)).astype(dtype).reshape(-1)
        assert now.q[0].view(dtype)[:len(want)].tolist() == want.tolist()

    return check


def general(formula: Callable[[State], int], bits: int = 64) -> Callable[[State, State], None]:
    """General register 1."""

    def check(was: State, now: State) -> None:
        assert int(now.x[0]) == int(formula(was)) & (1 << bits) - 1

    return check


def stored(formula: Callable[[State], Bytes]) -> Callable[[State, State], None]:
    """The first bytes of memory; those behind stay."""

    def check(was: State, now: State) -> None:
        want = formula(was)
        assert now.memory.tobytes() == want.tobytes() + was.memory[len(want):].tobytes()

    return check


def half(n: int, bits: int) -> Any:
    """A formula's logic of the registers 0 to 2 as bytes, of 8 or 16 bytes."""
    logic: dict[int, Callable[[Any, Any, Any], Any]] = {
        0: lambda d, a, b: a, 1: lambda d, a, b: a & b, 2: lambda d, a, b: a | b, 3: lambda d, a, b: a ^ b,
        4: lambda d, a, b: a & ~b, 5: lambda d, a, b: a | ~b, 6: lambda d, a, b: ~a,
        7: lambda d, a, b: (d & a) | (~d & b), 8: lambda d, a, b: (b & a) | (~b & d),
        9: lambda d, a, b: (b & d) | (~b & a)}
    return lanes("u1", lambda s: logic[n](*(s.q[k][:bits // 8] for k in range(3))))


def table(s: State, index: Bytes) -> Bytes:
    return np.array([s.q[1][i] if i < 16 else 0 for i in index], np.uint8)


A64: Final[list[tuple[str, dict[str, Callable[[State, State], None]]]]] = [
    ("mov v0.4s, v1.4s", {"mov v0.16b, v1.16b": half(0, 128)}),
    ("mov v0.2d, v1.2d", {"mov v0.16b, v1.16b": half(0, 128)}),
    ("mov v0.2s, v1.2s", {"mov v0.8b, v1.8b": half(0, 64)}),
    ("mov v0.4h, v1.4h", {"mov v0.8b, v1.8b": half(0, 64)}),
    ("mov v0.1d, v1.1d", {"mov v0.8b, v1.8b": half(0, 64)}),
    ("mov v0, v1", {"mov v0.16b, v1.16b": half(0, 128)}),
    ("mov q0, q1", {"mov v0.16b, v1.16b": half(0, 128)}),
    ("mov v0.4s, v1.2s", {"mov v0.8b, v1.8b": half(0, 64), "mov v0.16b, v1.16b": half(0, 128)}),
    *((f"{name} v0.{a}, v1.{a}, v2.{a}", {f"{name} v0.{b}, v1.{b}, v2.{b}": half(n, 128 if b == "16b" else 64)})
      for n, name in ((1, "and"), (2, "orr"), (3, "eor"), (4, "bic"), (5, "orn"), (7, "bsl"), (8, "bit"), (9, "bif"))
      for a, b in (("4s", "16b"), ("8h", "16b"), ("2d", "16b"), ("2s", "8b"), ("4h", "8b"))),
    *((f"{name} v0.{a}, v1.{a}", {f"{name} v0.{b}, v1.{b}": half(6, 128 if b == "16b" else 64)})
      for name in ("mvn", "not") for a, b in (("4s", "16b"), ("8h", "16b"), ("2s", "8b"))),
    ("and q0, q1, q2", {"and v0.16b, v1.16b, v2.16b": half(1, 128)}),
    ("eor d0, d1, d2", {"eor v0.8b, v1.8b, v2.8b": half(3, 64)}),
    ("eor3 v0.4s, v1.4s, v2.4s, v3.4s", {"eor3 v0.16b, v1.16b, v2.16b, v3.16b":
                                         lanes("u1", lambda s: s.q[1] ^ s.q[2] ^ s.q[3])}),
    ("tbl v0.4s, {v1.4s}, v3.4s", {"tbl v0.16b, {v1.16b}, v3.16b": lanes("u1", lambda s: table(s, s.q[3]))}),
    ("tbl v0.2s, {v1.16b}, v3.2s", {"tbl v0.8b, {v1.16b}, v3.8b": lanes("u1", lambda s: table(s, s.q[3][:8]))}),
    ("tbl v0.16b, v1.16b, v3.16b", {"tbl v0.16b, {v1.16b}, v3.16b": lanes("u1", lambda s: table(s, s.q[3]))}),
    # whole registers in memory
    ("ldr v0, [x0]", {"ldr q0, [x0]": lanes("u1", lambda s: s.memory[:16])}),
    ("ldr v0.4s, [x0]", {"ldr q0, [x0]": lanes("u1", lambda s: s.memory[:16])}),
    ("ldr v0.2s, [x0]", {"ldr d0, [x0]": lanes("u1", lambda s: s.memory[:8])}),
    ("ldur v0, [x0, #3]", {"ldur q0, [x0, #3]": lanes("u1", lambda s: s.memory[3:19])}),
    ("ldp v0, v1, [x0]", {"ldp q0, q1, [x0]": lanes("u1", lambda s: s.memory[:16])}),
    ("str v1, [x0]", {"str q1, [x0]": stored(lambda s: s.q[1])}),
    ("stp v1.2s, v2.2s, [x0]", {"stp d1, d2, [x0]": stored(lambda s: np.concatenate([s.q[1][:8], s.q[2][:8]]))}),
    ("ldr v0.s[2], [x0]", {"ld1 {v0.s}[2], [x0]": lanes(
        "u4", lambda s: [*s.lanes(0, "<u4")[:2], s.memory.view("<u4")[0], s.lanes(0, "<u4")[3]])}),
    ("st1 v1.h[3], [x0]", {"st1 {v1.h}[3], [x0]": stored(lambda s: s.q[1][6:8])}),
    ("ld1 v0.4s, [x0]", {"ld1 {v0.4s}, [x0]": lanes("u1", lambda s: s.memory[:16])}),
    ("ld1 {v0.4s}, x0", {"ld1 {v0.4s}, [x0]": lanes("u1", lambda s: s.memory[:16])}),
    ("ld2 {v0.1d, v1.1d}, [x0]", {"ld1 {v0.1d, v1.1d}, [x0]": lanes("u1", lambda s: s.memory[:8])}),
    ("ldr w1, [w0]", {"ldr w1, [x0]": general(lambda s: s.memory.view("<u4")[0])}),
    ("ldrb x1, [x0]", {"ldrb w1, [x0]": general(lambda s: s.memory[0])}),
    ("ldrsw w1, [x0]", {"ldrsw x1, [x0]": general(lambda s: s.memory.view("<i4")[0])}),
    # between kinds of registers
    ("mov d0, x1", {"fmov d0, x1": lanes("u8", lambda s: s.x[0])}),
    ("mov s0, w1", {"fmov s0, w1": lanes("u4", lambda s: s.x[0] & np.uint64(0xFFFF_FFFF))}),
    ("mov x1, d2", {"fmov x1, d2": general(lambda s: s.lanes(2, "<u8")[0])}),
    ("mov w1, s2", {"fmov w1, s2": general(lambda s: s.lanes(2, "<u4")[0])}),
    ("mov d0, d1", {"fmov d0, d1": lanes("u8", lambda s: s.lanes(1, "<u8")[0])}),
    ("mov s0, s1", {"fmov s0, s1": lanes("u4", lambda s: s.lanes(1, "<u4")[0])}),
    ("mov v0.4s, w1", {"dup v0.4s, w1": lanes("u4", lambda s: [int(s.x[0]) & 0xFFFF_FFFF] * 4)}),
    ("mov v0.2d, x1", {"dup v0.2d, x1": lanes("u8", lambda s: [s.x[0]] * 2)}),
    ("mov v0.8h, v1.h[3]", {"dup v0.8h, v1.h[3]": lanes("u2", lambda s: [s.lanes(1, "<u2")[3]] * 8)}),
    ("mov v0.4s, s1", {"dup v0.4s, v1.s[0]": lanes("u4", lambda s: [s.lanes(1, "<u4")[0]] * 4)}),
    ("dup v0.4s, s1", {"dup v0.4s, v1.s[0]": lanes("u4", lambda s: [s.lanes(1, "<u4")[0]] * 4)}),
    ("dup v0.16b, x1", {"dup v0.16b, w1": lanes("u1", lambda s: [0xEF] * 16)}),
    ("mov v0.s[1], s2", {"mov v0.s[1], v2.s[0]": lanes(
        "u4", lambda s: [s.lanes(0, "<u4")[0], s.lanes(2, "<u4")[0], *s.lanes(0, "<u4")[2:]])}),
    ("mov v0.s[0], x1", {"mov v0.s[0], w1": lanes(
        "u4", lambda s: [int(s.x[0]) & 0xFFFF_FFFF, *s.lanes(0, "<u4")[1:]])}),
    ("mov w1, v2.b[3]", {"umov w1, v2.b[3]": general(lambda s: s.q[2][3])}),
    ("mov x1, v2.s[3]", {"umov w1, v2.s[3]": general(lambda s: s.lanes(2, "<u4")[3])}),
    # constants
    ("mov v0.4s, #7", {"movi v0.4s, #7": lanes("u4", lambda s: [7] * 4)}),
    ("mov v0.4s, #-8", {"mvni v0.4s, #7": lanes("i4", lambda s: [-8] * 4)}),
    ("mov v0.4s, #1.5", {"fmov v0.4s, #1.5": lanes("f4", lambda s: [1.5] * 4)}),
    ("mov d0, #0", {"fmov d0, xzr": lanes("u8", lambda s: 0)}),
    ("fmov d0, #0.0", {"fmov d0, xzr": lanes("u8", lambda s: 0)}),
    ("mov q0, #0", {"movi v0.2d, #0": lanes("u8", lambda s: 0)}),
    ("fmov v0.4s, v1.4s", {"mov v0.16b, v1.16b": half(0, 128)}),
    ("fmov v0.4s, s1", {"dup v0.4s, v1.s[0]": lanes("u4", lambda s: [s.lanes(1, "<u4")[0]] * 4)}),
    ("orr v0.8h, v0.8h, #9", {"orr v0.8h, #9": lanes("u2", lambda s: s.lanes(0, "<u2") | 9)}),
    ("ext v0.4s, v1.4s, v2.4s, #1", {"ext v0.16b, v1.16b, v2.16b, #4": lanes(
        "u4", lambda s: [*s.lanes(1, "<u4")[1:], s.lanes(2, "<u4")[0]])}),
    ("add x1, #5", {"add x1, x1, #5": general(lambda s: int(s.x[0]) + 5)}),
    ("add x1, x02, x3", {"add x1, x2, x3": general(lambda s: int(s.x[1]) + 3)}),
    ("mov w1, #09", {"mov w1, #9": general(lambda s: 9)}),
    ("mov s0, #0", {"fmov s0, wzr": lanes("u4", lambda s: 0)}),
    ("mov d0, #1.5", {"fmov d0, #1.5": lanes("f8", lambda s: 1.5)}),
    ("mvn v0.8h, #5", {"mvni v0.8h, #5": lanes("i2", lambda s: [~5] * 8)}),
    ("movi v0.4s, #-1", {"mvni v0.4s, #0": lanes("i4", lambda s: [-1] * 4)}),
    ("movi v0.16b, #-1", {"movi v0.16b, #255": lanes("i1", lambda s: [-1] * 16)}),
    ("movi v0.2d, #-1", {"movi v0.2d, #18446744073709551615": lanes("i8", lambda s: [-1] * 2)}),
    ("movi q0, #0", {"movi v0.2d, #0": lanes("u8", lambda s: [0, 0])}),
    # shifts, scalars, sums
    ("lsl v0.4s, v1.4s, #3", {"shl v0.4s, v1.4s, #3": lanes("u4", lambda s: s.lanes(1, "<u4") << 3)}),
    ("lsr v0.4s, v1.4s, #3", {"ushr v0.4s, v1.4s, #3": lanes("u4", lambda s: s.lanes(1, "<u4") >> 3)}),
    ("asr v0.4s, v1.4s, #3", {"sshr v0.4s, v1.4s, #3": lanes("i4", lambda s: s.lanes(1, "<i4") >> 3)}),
    ("ushl v0.4s, v1.4s, #3", {"shl v0.4s, v1.4s, #3": lanes("u4", lambda s: s.lanes(1, "<u4") << 3)}),
    ("shl v0.16b, v1.16b, v3.16b", {"ushl v0.16b, v1.16b, v3.16b": lanes(
        "u1", lambda s: s.q[1].astype("u8") << s.q[3].astype("u8"))}),
    ("fmla s0, s1, s2", {"fmadd s0, s1, s2, s0": lanes("f4", lambda s: np.float64(s.lanes(0, "<f4")[0]) + np.float64(
        s.lanes(1, "<f4")[0]) * s.lanes(2, "<f4")[0])}),
    ("fmls s0, s1, s2", {"fmsub s0, s1, s2, s0": lanes("f4", lambda s: np.float64(s.lanes(0, "<f4")[0]) - np.float64(
        s.lanes(1, "<f4")[0]) * s.lanes(2, "<f4")[0])}),
    ("fcvt v0.2d, v1.2s", {"fcvtl v0.2d, v1.2s": lanes("f8", lambda s: s.lanes(1, "<f4", 2))}),
    ("fcvt v0.4h, v1.4s", {"fcvtn v0.4h, v1.4s": lanes("f2", lambda s: s.lanes(1, "<f4"))}),
    ("fmul v0.4s, v1.4s, s2", {"fmul v0.4s, v1.4s, v2.s[0]": lanes(
        "f4", lambda s: s.lanes(1, "<f4") * s.lanes(2, "<f4")[0])}),
    ("mul v0.8h, v1.8h, h2", {"mul v0.8h, v1.8h, v2.h[0]": lanes(
        "u2", lambda s: s.lanes(1, "<u2") * s.lanes(2, "<u2")[0])}),
    ("fcvtzs w1, v2.s[0]", {"fcvtzs w1, s2": general(lambda s: int(s.lanes(2, "<f4")[0]), 32)}),
    ("fadd s0, v1.s[0], v2.s[0]", {"fadd s0, s1, s2": lanes(
        "f4", lambda s: s.lanes(1, "<f4")[0] + s.lanes(2, "<f4")[0])}),
    ("add v0.1d, v1.1d, v2.1d", {"add d0, d1, d2": lanes(
        "u8", lambda s: s.lanes(1, "<u8", 1) + s.lanes(2, "<u8", 1))}),
    ("uaddlv s0, v1.4s", {"uaddlv d0, v1.4s": lanes("u8", lambda s: s.lanes(1, "<u4").sum(dtype="u8"))}),
    ("saddlv h0, v1.8h", {"saddlv s0, v1.8h": lanes("i4", lambda s: s.lanes(1, "<i2").sum(dtype="i4"))}),
    ("mla x1, x2, x3, x3", {"madd x1, x2, x3, x3": general(lambda s: int(s.x[1]) * 3 + 3)}),
    # w and x registers
    ("add x1, x3, w2", {"add x1, x3, w2, uxtw": general(lambda s: 3 + 0xF000_0001),
                        "add x1, x3, w2, sxtw": general(lambda s: 3 + 0xF000_0001 - (1 << 32))}),
    ("sub x1, x3, w2", {"sub x1, x3, w2, uxtw": general(lambda s: 3 - 0xF000_0001),
                        "sub x1, x3, w2, sxtw": general(lambda s: 3 - 0xF000_0001 + (1 << 32))}),
    ("add w1, w2, x3", {"add w1, w2, w3": general(lambda s: 0xF000_0004)}),
    ("mov x1, w2", {"mov w1, w2": general(lambda s: 0xF000_0001),
                    "sxtw x1, w2": general(lambda s: 0xF000_0001 - (1 << 32))}),
    ("mov w1, x2", {"mov w1, w2": general(lambda s: 0xF000_0001)}),
    ("sxtw x1, x2", {"sxtw x1, w2": general(lambda s: 0xF000_0001 - (1 << 32))}),
    # halves
    ("smull v0.4s, v1.8h, v2.8h", {
        "smull v0.4s, v1.4h, v2.4h": lanes("i4", lambda s: s.lanes(1, "<i2", 4).astype("i4") * s.lanes(2, "<i2", 4)),
        "smull2 v0.4s, v1.8h, v2.8h": lanes(
            "i4", lambda s: s.lanes(1, "<i2")[4:].astype("i4") * s.lanes(2, "<i2")[4:])}),
    ("xtn v0.16b, v1.8h", {
        "xtn v0.8b, v1.8h": lanes("u1", lambda s: s.lanes(1, "<u2")),
        "xtn2 v0.16b, v1.8h": lanes("u1", lambda s: [*s.q[0][:8], *(s.lanes(1, "<u2") & 255)])}),
    ("sxtl v0.8h, v1.16b", {
        "sxtl v0.8h, v1.8b": lanes("i2", lambda s: s.lanes(1, "<i1", 8)),
        "sxtl2 v0.8h, v1.16b": lanes("i2", lambda s: s.lanes(1, "<i1")[8:])}),
    ("sxtl2 v0.8h, v1.8b", {
        "sxtl2 v0.8h, v1.16b": lanes("i2", lambda s: s.lanes(1, "<i1")[8:]),
        "sxtl v0.8h, v1.8b": lanes("i2", lambda s: s.lanes(1, "<i1", 8))}),
    ("add v0.8b, v1.16b, v2.8b", {"add v0.8b, v1.8b, v2.8b": lanes("u1", lambda s: s.q[1][:8] + s.q[2][:8])}),
    ("uaddw v0.8h, v1.8b, v2.8b", {"uaddw v0.8h, v1.8h, v2.8b": lanes(
        "u2", lambda s: s.lanes(1, "<u2") + s.lanes(2, "u1", 8))}),
]

A32: Final[list[tuple[str, dict[str, Callable[[State, State], None]]]]] = [
    ("mov q0, q1", {"vmov q0, q1": half(0, 128)}),
    ("mov d0, d2", {"vmov d0, d2": low("<u8", lambda s: s.lanes(1, "<u8")[0])}),
    ("mov r1, s8", {"vmov r1, s8": general(lambda s: s.lanes(2, "<u4")[0])}),
    ("and q0, q1, q2", {"vand q0, q1, q2": half(1, 128)}),
    ("orn q0, q1, q2", {"vorn q0, q1, q2": half(5, 128)}),
    ("mvn q0, q1", {"vmvn q0, q1": half(6, 128)}),
    ("bsl q0, q1, q2", {"vbsl q0, q1, q2": half(7, 128)}),
    ("add.i32 q0, q1, q2", {"vadd.i32 q0, q1, q2": lanes("u4", lambda s: s.lanes(1, "<u4") + s.lanes(2, "<u4"))}),
    ("vmov q0, r2", {"vdup.32 q0, r2": lanes("u4", lambda s: [0xF000_0001] * 4)}),
    ("vmov.i8 q0, r2", {"vdup.8 q0, r2": lanes("u1", lambda s: [1] * 16)}),
    ("vmov.16 q0, d2[1]", {"vdup.16 q0, d2[1]": lanes("u2", lambda s: [s.lanes(1, "<u2")[1]] * 8)}),
    ("vmov.f32 q0, #0", {"vmov.i32 q0, #0": lanes("u4", lambda s: [0] * 4)}),
    ("movi q0, #3", {"vmov.i32 q0, #3": lanes("u4", lambda s: [3] * 4)}),
    ("vdup.32 q0, s5", {"vdup.32 q0, d2[1]": lanes("u4", lambda s: [s.lanes(1, "<u4")[1]] * 4)}),
    ("vmul.f32 q0, q1, s9", {"vmul.f32 q0, q1, d4[1]": lanes(
        "f4", lambda s: s.lanes(1, "<f4") * s.lanes(2, "<f4")[1])}),
    ("ldr q0, [r0]", {"vldmia r0, {q0}": lanes("u1", lambda s: s.memory[:16])}),
    ("vldr q0, [r0]", {"vldmia r0, {q0}": lanes("u1", lambda s: s.memory[:16])}),
    ("vstr q1, [r0]", {"vstmia r0, {q1}": stored(lambda s: s.q[1])}),
    ("ldr d0, [r0, #8]", {"vldr d0, [r0, #8]": low("u1", lambda s: s.memory[8:16])}),
    ("str s4, [r0]", {"vstr s4, [r0]": stored(lambda s: s.q[1][:4])}),
    ("vld1.32 q0, [r0]!", {"vld1.32 {q0}, [r0]!": lanes("u1", lambda s: s.memory[:16])}),
    ("ldmia r0, {d0-d1}", {"vldmia r0, {d0, d1}": lanes("u1", lambda s: s.memory[:16])}),
    ("vld1.8 {q0}, r0", {"vld1.8 {q0}, [r0]": lanes("u1", lambda s: s.memory[:16])}),
    ("vshl.i8 q0, q1, q3", {
        "vshl.s8 q0, q1, q3": lanes("u1", lambda s: s.q[1].astype("u8") << s.q[3].astype("u8")),
        "vshl.u8 q0, q1, q3": lanes("u1", lambda s: s.q[1].astype("u8") << s.q[3].astype("u8"))}),
    ("vmax.i32 q0, q1, q2", {
        "vmax.s32 q0, q1, q2": lanes("i4", lambda s: np.maximum(s.lanes(1, "<i4"), s.lanes(2, "<i4"))),
        "vmax.u32 q0, q1, q2": lanes("u4", lambda s: np.maximum(s.lanes(1, "<u4"), s.lanes(2, "<u4")))}),
    ("vcvt.s32.f64 d0, d2", {"vcvt.s32.f64 s0, d2": low("<i4", lambda s: int(s.lanes(1, "<f8")[0]))}),
    ("vcvt.f64.s32 d0, d2", {"vcvt.f64.s32 d0, s4": low("<f8", lambda s: s.lanes(1, "<i4")[0])}),
    ("vneg.i32 q0, q1", {"vneg.s32 q0, q1": lanes("i4", lambda s: -s.lanes(1, "<i4"))}),
    ("vdot.u8 q0, q1, q3", {"vudot.u8 q0, q1, q3": lanes("u4", lambda s: s.lanes(0, "<u4") + (
        s.q[1].astype("u4") * s.q[3]).reshape(4, 4).sum(1, dtype="u4"))}),
]


@pytest.mark.parametrize(("isa", "line", "wanted"), [
    *(("aarch64", *row) for row in A64), *(("aarch32", *row) for row in A32)], ids=[row[0] for row in A64 + A32])
def test_what_is_to_be_written_does_what_was_meant(
        isa: str, line: str, wanted: dict[str, Callable[[State, State], None]]) -> None:
    found = corrected(isa, line)
    if found and found[0] not in wanted:  # a second operand is wrong in the same way
        found[0] = corrected(isa, found[0])[0]
    assert found == list(wanted), refused(isa, line).message
    for right, check in wanted.items():
        check(before(), after(isa, right))


# isa, a refused line, what the message advises in words, what that is in code, and what it has to do
ADVISED: Final = [
    ("aarch64", "mov x1, #0x12345678", "use MOVZ and MOVK", "movz x1, #0x5678\n movk x1, #0x1234, lsl #16",
     general(lambda s: 0x1234_5678)),
    ("aarch64", "and x1, x2, #5", "Use a register", "mov x3, #5\n and x1, x2, x3", general(lambda s: int(s.x[1]) & 5)),
    ("aarch64", "bic x1, x2, #5", "Use a register", "mov x3, #5\n bic x1, x2, x3", general(lambda s: int(s.x[1]) & ~5)),
    ("aarch64", "add x1, x2, #4097", "Use a register", "mov x3, #4097\n add x1, x2, x3",
     general(lambda s: int(s.x[1]) + 4097)),
    ("aarch64", "movz x1, #65536", "takes lsl #16", "movz x1, #1, lsl #16", general(lambda s: 65536)),
    ("aarch64", "movi v0.4s, #256", "with lsl for the higher bytes", "movi v0.4s, #1, lsl #8",
     lanes("u4", lambda s: [256] * 4)),
    ("aarch64", "fmov v0.4s, #0.1", "Load it", "ldr w3, =0x3dcccccd\n dup v0.4s, w3", lanes("f4", lambda s: [0.1] * 4)),
    ("aarch64", "fmov s0, #0.1", "move its bits from a general register", "ldr w3, =0x3dcccccd\n fmov s0, w3",
     lanes("f4", lambda s: 0.1)),
    ("aarch64", "ldrb w1, [x0, w3]", "needs uxtw or sxtw", "ldrb w1, [x0, w3, uxtw]", general(lambda s: s.memory[3])),
    ("aarch64", "ldrb w1, [x0, x3, sxtw]", "extends a w register: w3", "ldrb w1, [x0, w3, sxtw]",
     general(lambda s: s.memory[3])),
    ("aarch64", "add x1, x31, x3", "written xzr (zero)", "add x1, xzr, x3", general(lambda s: 3)),
    ("aarch64", "umov w1, v2.s", "write v2.s[0] to [3]", "umov w1, v2.s[3]", general(lambda s: s.lanes(2, "<u4")[3])),
    ("aarch64", "udot v0.4s, v1.16b, v3.s[1]", "such as v0.4b[1]", "udot v0.4s, v1.16b, v3.4b[1]",
     lanes("u4", lambda s: s.lanes(0, "<u4") + (s.q[1].reshape(4, 4).astype("u4") * s.q[3][4:8]).sum(1, dtype="u4"))),
    ("aarch32", "mov r1, #0x12345678", "with MOVW and MOVT", "movw r1, #0x5678\n movt r1, #0x1234",
     general(lambda s: 0x1234_5678)),
    ("aarch32", "vmov.i32 q0, #257", "VDUP a register", "movw r3, #257\n vdup.32 q0, r3",
     lanes("u4", lambda s: [257] * 4)),
    ("aarch32", "add.i32 r1, r2, r3", "remove .i32", "add r1, r2, r3", general(lambda s: 0xF000_0004)),
    ("aarch32", "vaddeq.f16 s0, s1, s2", "remove EQ and branch around it", "bne 1f\n vadd.f16 s0, s1, s2\n1:",
     lambda was, now: None),
]


@pytest.mark.parametrize(("isa", "line", "words", "code", "check"), ADVISED, ids=[row[1] for row in ADVISED])
def test_what_is_advised_in_words(isa: str, line: str, words: str, code: str,
                                  check: Callable[[State, State], None]) -> None:
    assert words in refused(isa, line).message
    check(before(), after(isa, code))


# isa of the text, the line of the other set, what it is here: the message names the mnemonic
ACROSS: Final = [
    ("aarch64", "vadd.i32 q0, q1, q2", "add v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vadd.f32 q0, q1, q2", "fadd v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vmul.f32 q0, q1, q2", "fmul v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vmov q0, q1", "mov v0.16b, v1.16b"),
    ("aarch64", "vmov.i32 q0, #5", "movi v0.4s, #5"),
    ("aarch64", "vmull.s16 q0, d2, d4", "smull v0.4s, v1.4h, v2.4h"),
    ("aarch64", "vmull.u8 q0, d2, d4", "umull v0.8h, v1.8b, v2.8b"),
    ("aarch64", "vcgt.u32 q0, q1, q2", "cmhi v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vcge.s16 q0, q1, q2", "cmge v0.8h, v1.8h, v2.8h"),
    ("aarch64", "vcge.f32 q0, q1, q2", "fcmge v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vqadd.s8 q0, q1, q2", "sqadd v0.16b, v1.16b, v2.16b"),
    ("aarch64", "vshr.u16 q0, q1, #3", "ushr v0.8h, v1.8h, #3"),
    ("aarch64", "vmovl.s8 q0, d2", "sxtl v0.8h, v1.8b"),
    ("aarch64", "vmax.f32 q0, q1, q2", "fmax v0.4s, v1.4s, v2.4s"),
    ("aarch64", "vmin.u8 q0, q1, q2", "umin v0.16b, v1.16b, v2.16b"),
    ("aarch64", "vcvt.s32.f32 q0, q1", "fcvtzs v0.4s, v1.4s"),
    ("aarch64", "vcvt.f32.u32 q0, q1", "ucvtf v0.4s, v1.4s"),
    ("aarch64", "vpadal.u8 q0, q1", "uadalp v0.8h, v1.16b"),
    ("aarch64", "vext.8 q0, q1, q2, #5", "ext v0.16b, v1.16b, v2.16b, #5"),
    ("aarch64", "vrev64.16 q0, q1", "rev64 v0.8h, v1.8h"),
    ("aarch32", "fadd v0.4s, v1.4s, v2.4s", "vadd.f32 q0, q1, q2"),
    ("aarch32", "fmul v0.4s, v1.4s, v2.4s", "vmul.f32 q0, q1, q2"),
    ("aarch32", "cmhi v0.4s, v1.4s, v2.4s", "vcgt.u32 q0, q1, q2"),
    ("aarch32", "smull v0.4s, v1.4h, v2.4h", "vmull.s16 q0, d2, d4"),
    ("aarch32", "uqsub v0.8h, v1.8h, v2.8h", "vqsub.u16 q0, q1, q2"),
    ("aarch32", "uaddlp v0.8h, v1.16b", "vpaddl.u8 q0, q1"),
    ("aarch32", "fcvtzs v0.4s, v1.4s", "vcvt.s32.f32 q0, q1"),
    ("aarch32", "neg v0.8h, v1.8h", "vneg.s16 q0, q1"),
    ("aarch32", "sqshl v0.8h, v1.8h, #2", "vqshl.s16 q0, q1, #2"),
]


@pytest.mark.parametrize(("isa", "there", "here"), ACROSS, ids=[row[1] for row in ACROSS])
def test_what_an_instruction_of_the_other_set_is_called_here(isa: str, there: str, here: str) -> None:
    """The line of the other set runs there, the one with the name that is told here: q0 gets the same."""
    other = "aarch32" if isa == "aarch64" else "aarch64"
    asked = there if isa == "aarch64" else re.sub(r"v(\d+)\.(\w+)", r"q\1", there)  # its registers are of this set
    told = refused(isa, asked).message
    named = re.search(r"here it is ([\w.]+(?: or [\w.]+)*)\.\Z", told)
    assert named, told
    name = here.split()[0].upper()
    assert [found for found in named[1].split(" or ") if name in (found, found + name[len(found):])] == named[1].split(
        " or "), told
    assert after(isa, here).q[0].tobytes() == after(other, there).q[0].tobytes()


@pytest.mark.parametrize(("isa", "line", "name"), [
    ("aarch64", "vdup.32 q0, r0", "DUP"), ("aarch64", "vld1.8 {d0}, [r0]!", "LD1"), ("aarch64", "bx lr", "BR"),
    ("aarch32", "fadd v0.4s, v1.4s, v2.4s", "VADD.F32"), ("aarch32", "sshll v0.4s, v1.4h, #3", "VSHLL"),
    ("aarch32", "br x30", "BX")])
def test_an_instruction_of_the_other_set_is_named_before_its_registers(isa: str, line: str, name: str) -> None:
    assert refused(isa, line).message.endswith(f": here it is {name}.")


@pytest.mark.parametrize(("isa", "wrong", "right"), [
    ("aarch64", "acc .req y3", "acc .req v16"), ("aarch32", "acc .req y3", "acc .req q8"),
    ("aarch32", ".code 16", ".code 32"), ("aarch32", "acc .req v16", "acc .req q8")])
def test_directives_that_are_to_be_written_are_taken(isa: str, wrong: str, right: str) -> None:
    assert f"`{right}`" in refused(isa, wrong).message
    ns.assemble(f"{right}\n", isa=isa)


def test_a_constant_is_loaded_into_a_whole_register() -> None:
    assert refused("aarch64", "ldr v0, =1").message.endswith(": write q0 for all of v0.")
    check = lanes("u1", lambda s: [1])
    check(before(), after("aarch64", "ldr q0, =1"))


def test_no_instruction_is_said_to_be_of_the_other_set_that_is_of_neither() -> None:
    for line in ("frob.16b v0, v1, v2", "vadd.q17 q0, q1, q2"):
        assert "is an AArch32 instruction" not in refused("aarch64", line).message


@pytest.mark.parametrize(("isa", "line"), [
    ("aarch64", "uaddlv v0.4s, v1.4s"), ("aarch64", "mov d0, w1"), ("aarch64", "mov v0.s[0], d1"),
    ("aarch64", "add x1, w2, x3"), ("aarch64", "addv s0, v1.8h"), ("aarch32", "vmul.i16 d0, d1, s3"),
    ("aarch32", "vmov d0, r1"), ("aarch32", "vmov r1, d0"), ("aarch32", "vldr q0, [r0, #16]")])
def test_where_nothing_does_what_was_meant_nothing_is_proposed(isa: str, line: str) -> None:
    assert corrected(isa, line) == []


@pytest.mark.parametrize(("line", "right"), [("push r1", "push {r1}"), ("vpush d8, d9", "vpush {d8, d9}"),
                                             ("pop {d8}", "vpop {d8}"), ("vpush {r1}", "push {r1}"),
                                             ("ret", "bx lr")])
def test_stack_and_return(line: str, right: str) -> None:
    assert corrected("aarch32", line) == [right]


@pytest.mark.parametrize(("line", "register"), [("add v0.2s, v1.2s, v2.2s", "d0"), ("add v3.4s, v1.4s, v2.4s", "q3"),
                                                ("add v3.1d, v1.1d, v2.1d", "d3")])
def test_a_register_of_aarch64_is_one_of_the_same_size(line: str, register: str) -> None:
    assert refused("aarch32", line).message.endswith(f": write {register}.")


def test_less_than_was_written_is_not_said_to_be_needed() -> None:
    """A sum of two lanes is none of four."""
    for line, said in (("vdiv.f32 q0, q1, q2", "VDIV takes an s register here, which holds less than q0."),
                       ("vmov r1, d0", "VMOV takes an s register here, which holds less than d0."),
                       ("vpadd.i32 q0, q1, q2", "VPADD takes a d register here, which holds less than q0.")):
        assert refused("aarch32", line).message == said
    assert refused("aarch64", "faddp s0, v1.4s").message == "FADDP takes v1.2s here, which holds less than v1.4s."


# Typing errors: a shape in a line, and what is written instead.
MUTATIONS: Final = {
    "aarch64": [(r"\.(8b|16b|8h|4s|2d)\b", ".4s"), (r"\.(8b|16b|4h|8h|2s|4s|2d)\b(?!\[)", ""),
                (r"\bx(\d+)(?!.*x\d)", r"w\1"), (r"\b[sd](\d+)", r"v\1.4s"), (r"\bv(\d+)\.\w+(?!.*v\d)", r"s\1"),
                (r"[{}]|\[(?=[xs])|(?<=\d)\](?=$)", "")],
    "aarch32": [(r"\.[su](\d+)\b", r".i\1"), (r"\Av", ""), (r"\bd(\d)\b", r"q\1"), (r"\bd\d+(\[\d\])?\Z", "s3"),
                (r"[{}]|\[(?=r)|(?<=\d)\](?=$)", "")],
}


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_what_is_to_be_written_assembles(isa: str) -> None:
    """Lines of every form with registers of another size, kind or spelling."""
    rng, proposed = random.Random(4), 0
    for line in rng.sample(list(recorded(isa)), 90):
        for shape, put in MUTATIONS[isa]:
            try:
                ns.assemble(f"1: {re.sub(shape, put, line)}\n", isa=isa)
            except AssemblyError as error:
                for right in re.findall(r"`([^`]*)`", error.message.partition(": write ")[2]):
                    ns.assemble(f"1: {right}\n", isa=isa)
                    proposed += 1
    assert proposed > 5
