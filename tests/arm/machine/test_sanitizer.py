"""Junk is found: programs that depend on uninitialized data are refused, others run the same on any junk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import UninitialisedRead
from tests.tiers import every


def call(isa: str, body: str, *arguments: Any, sanitize: bool = True, poison: int = 0, **options: Any) -> Any:
    machine = ns.Machine(isa, poison)
    source = machine.memory.place(np.arange(64, dtype=np.uint8), name="in", reads_before=7, reads_after=8)
    junk = machine.memory.alloc(64, name="junk")
    out = machine.memory.alloc(64, name="out")
    end = "ret" if isa == "aarch64" else "bx lr"
    result = machine.call(ns.assemble(f"{body}\n{end}", isa=isa), out, source, junk, *arguments, sanitize=sanitize,
                          **options)
    return machine, result


DEPENDS = [
    ("aarch64", "str q9, [x0]", "stores uninitialized bits to buffer \"out\", offset 0"),
    ("aarch64", "str x9, [x0, #8]", "offset 8"),
    ("aarch64", "ld1 {v0.8b}, [x1]\nadd v0.8b, v0.8b, v9.8b\nst1 {v0.8b}, [x0]", "uninitialized"),
    ("aarch64", "ldr d0, [x2]\nstr d0, [x0]", "uninitialized"),
    ("aarch64", "ldr q0, [x1]\nld1 {v1.8b}, [x2]\nins v0.b[5], v1.b[2]\nstr q0, [x0]", "offset 5"),
    ("aarch64", "b.eq 1f\n1: nop", "the branch depends on uninitialized flags or registers"),
    ("aarch64", "cbz x9, 1f\n1: nop", "the branch depends on"),
    ("aarch64", "ldr x3, [x9]", "the address depends on uninitialized bits"),
    ("aarch64", "str x1, [x0, x9]", "the address depends on"),
    ("aarch64", "csel x3, x0, x1, lt\nstr x3, [x0]", "uninitialized"),
    ("aarch64", "adc x3, x0, x1\nstr x3, [x0]", "uninitialized"),
    ("aarch64", "sub sp, sp, #32\nldr x3, [sp]\nstr x3, [x0]", "uninitialized"),
    ("aarch64", "br x9", "the branch depends on"),
    ("aarch32", "vst1.8 {d16}, [r0]", "uninitialized"),
    ("aarch32", "vld1.8 {d0}, [r2]\nvst1.8 {d0[3]}, [r0]", "uninitialized"),
    ("aarch32", "bne 1f\n1: nop", "the condition ne depends on uninitialized flags"),
    ("aarch32", "moveq r3, #1", "the condition eq depends on uninitialized flags"),
    ("aarch32", "sub sp, sp, #8\nldr r3, [sp]\nstr r3, [r0]", "uninitialized"),
    ("aarch32", "vext.8 d0, d20, d21, #3\nvst1.8 {d0}, [r0]", "uninitialized"),
]


@pytest.mark.parametrize(("isa", "body", "words"), DEPENDS, ids=[d[1].replace("\n", "; ") for d in DEPENDS])
def test_what_depends_on_junk_is_found(isa: str, body: str, words: str) -> None:
    with pytest.raises(UninitialisedRead) as caught:
        call(isa, body)
    text = str(caught.value)
    assert words in text
    assert text.startswith("<text>:")


INDEPENDENT = [
    ("aarch64", "add v0.8b, v8.8b, v9.8b\nmul x9, x10, x11"),  # computed, never used
    ("aarch64", "eor v19.16b, v19.16b, v19.16b\nstr q19, [x0]"),
    ("aarch64", "sub x9, x9, x9\nstr x9, [x0]"),
    ("aarch64", "movi v0.16b, #0\nand v0.16b, v0.16b, v9.16b\nstr q0, [x0]"),
    ("aarch64", "stp q8, q9, [sp, #-32]!\nldp q8, q9, [sp], #32"),  # saving what the caller had
    ("aarch64", "ldr d0, [x1, #-7]\nushr d0, d0, #56\nstr d0, [x0]"),  # bytes before the row, shifted out
    ("aarch64", "ldr d0, [x1, #60]\nshl d0, d0, #32\nstr d0, [x0]"),
    ("aarch64", "ldr q0, [x1, #-7]\next v0.16b, v0.16b, v0.16b, #7\nstr d0, [x0]"),
    ("aarch64", "ldr q0, [x1]\nld1 {v1.8b}, [x2]\nins v0.b[5], v1.b[2]\nstr w0, [x0]\nstr s0, [x0, #8]"),
    ("aarch64", "and x9, x9, #1\nlsr x9, x9, #1\nldr x3, [x1, x9]\nstr x3, [x0]"),
    ("aarch64", "cmp x0, x1\ncsel x3, x0, x1, lt\nstr x3, [x0]"),
    ("aarch64", "cmp x0, x1\ncsel x3, x0, x9, ne\nstr x3, [x0]"),  # the junk is not chosen
    ("aarch32", "vld1.8 {d0}, [r1]\nvst1.8 {d0}, [r0]\nvadd.i8 q8, q9, q10"),
    ("aarch32", "sub r3, r1, #7\nvld1.8 {d0}, [r3]\nvshr.u64 d0, d0, #56\nvst1.8 {d0}, [r0]"),
    ("aarch32", "push {r4, lr}\nvpush {d8}\nvpop {d8}\npop {r4, lr}"),
    ("aarch32", "vmov.32 d0[0], r1\nvst1.32 {d0[0]}, [r0]"),
    ("aarch32", "cmp r0, r1\nmoveq r3, #1\nmovne r3, #2\nstr r3, [r0]"),
]


# Of one register with itself: constants, whatever it holds. Each is stored, and so is what it does to the flags.
A64_CONSTANTS = [f"{form} v20.8b, v19.8b, v19.8b\nstr q20, [x0]" for form in ("bic", "orn", "eor")]
A64_CONSTANTS += [f"{form} v20.4h, v19.4h, v19.4h\nstr q20, [x0]" for form in (
    "sub", "sqsub", "uqsub", "cmeq", "cmge", "cmhs", "cmgt", "cmhi", "sabd", "uabd", "shsub", "uhsub", "fcmgt",
    "facgt")]
A64_CONSTANTS += [f"{form} v20.4s, v19.4h, v19.4h\nstr q20, [x0]" for form in ("ssubl", "usubl", "sabdl", "uabdl")]
A64_CONSTANTS += [f"{line}\nstr d20, [x0]" for line in (
    "subhn v20.8b, v19.8h, v19.8h", "sub d20, d19, d19", "cmeq d20, d19, d19", "sqsub h20, h19, h19",
    "movi v20.4s, #0\nsaba v20.4s, v19.4s, v19.4s")]
A64_CONSTANTS += [f"{line}\nstr x9, [x0]" for line in (
    "eor w9, w9, w9", "sub w9, w10, w10", "bic x9, x10, x10", "orn x9, x10, x10", "eon w9, w10, w10",
    "subs x9, x10, x10", "cmp x10, x10\ncset w9, eq", "subs w9, w10, w10\ncset w9, hi",
    "cmp x10, x10\nsbc x9, x10, x10", "bics w9, w10, w10\nadc x9, xzr, xzr", "cmn x1, x1\nccmp x10, x10, #0, al\n"
    "cset x9, lt")]
A32_CONSTANTS = [f"{line}\nvst1.8 {{d4}}, [r0]" for line in (
    "vbic d4, d5, d5", "vorn d4, d5, d5", "veor d4, d5, d5", "veor q2, q8, q8", "vsub.i8 d4, d5, d5",
    "vsub.i64 q2, q8, q8", "vqsub.s16 d4, d5, d5", "vqsub.u32 q2, q8, q8", "vceq.i8 d4, d5, d5", "vcge.s8 d4, d5, d5",
    "vcgt.u16 q2, q8, q8", "vabd.s8 d4, d5, d5", "vabdl.u8 q2, d5, d5", "vhsub.s8 d4, d5, d5", "vsubl.s16 q2, d5, d5",
    "vsubhn.i16 d4, q8, q8", "vcgt.f32 d4, d5, d5", "vacgt.f32 d4, d5, d5", "veor d4, d5, d5\nvaba.u8 d4, d6, d6")]
A32_CONSTANTS += [f"{line}\nstr r3, [r0]" for line in (
    "eor r3, r4, r4", "sub r3, r4, r4", "rsb r3, r4, r4", "bic r3, r4, r4", "subs r3, r4, r4\nmoveq r3, #1",
    "cmp r4, r4\nsbc r3, r4, r4", "usub8 r3, r4, r4\nsel r3, r0, r4", "qsub r3, r4, r4", "usad8 r3, r4, r4",
    "teq r4, r4\nmoveq r3, #1", "ssub16 r3, r4, r4", "uqsub8 r3, r4, r4")]
INDEPENDENT += [("aarch64", body) for body in A64_CONSTANTS] + [("aarch32", body) for body in A32_CONSTANTS]


@pytest.mark.parametrize(("isa", "body"), every(3, INDEPENDENT), ids=[d[1].replace("\n", "; ") for d in INDEPENDENT])
def test_what_does_not_is_allowed_and_the_same_on_any_junk(isa: str, body: str) -> None:
    written = set()
    for poison in range(3):
        for sanitize in (True, False):
            machine, result = call(isa, body, poison=poison, sanitize=sanitize)
            out = machine.memory.buffer("out")
            kept = [(a[0], a[4]) for s in range(result.trace.steps) for a in result.trace.accesses(s)
                    if a[2] and out.address <= a[0] < out.end]
            written.add(tuple(kept))
    assert len(written) == 1


def test_the_bytes_before_a_row_are_counted_one_by_one() -> None:
    """Seven bytes of over-read shifted out are fine; six are not."""
    good = "ldr d0, [x1, #-7]\nushr d0, d0, #56\nstr d0, [x0]"
    call("aarch64", good)
    for shift in (48, 40, 8):
        with pytest.raises(UninitialisedRead, match="offset 0"):
            call("aarch64", good.replace("#56", f"#{shift}"))


# x0, x1, x2 (r0, r1, r2): out, in and a buffer that are uninitialized. Each of these is right, whatever the junk is.
NO_USE = [
    ("aarch64", "cmp x3, #0\ncsel x6, x1, x6, eq\nldr x5, [x6]\nstr x5, [x0]"),
    ("aarch64", "cmp x3, #0\ncsinc x6, x1, x6, eq\ncsneg x7, x1, x7, eq\nstp x6, x7, [x0]"),
    ("aarch64", "add v0.8b, v8.8b, v9.8b\nadd v1.8b, v0.8b, v0.8b\nstr x1, [x0]"),
    ("aarch64", "add x9, x10, x11\nsub x9, x9, x12\nmul x9, x9, x9\nstr x1, [x0]"),
    ("aarch64", "adds x9, x9, x12\nfadd v3.4s, v4.4s, v5.4s\nsqadd v6.8h, v7.8h, v7.8h\nstr x1, [x0]"),
    # The low bits of a sum know nothing of the high ones; a carry goes no further than it can.
    ("aarch64", "ldr w9, [x1]\nbfi x9, x10, #32, #32\nadd x9, x9, x1\nsub x9, x9, x3\nstr w9, [x0]"),
    ("aarch64", "and x9, x9, #1\nadd x9, x9, #4\nlsr x9, x9, #1\nstr x9, [x0]"),
    ("aarch64", "and x9, x9, #1\norr x9, x9, #2\nsub x9, x9, #2\nlsr x9, x9, #1\nstr x9, [x0]"),
    # USHL reads only the lowest byte of each lane of its amounts.
    ("aarch64", "ldr q0, [x1]\nmovi v2.4s, #3\nmovi v3.4s, #255\nbic v4.16b, v9.16b, v3.16b\n"
                "orr v2.16b, v2.16b, v4.16b\nushl v0.4s, v0.4s, v2.4s\nsrshl v0.4s, v0.4s, v2.4s\nstr q0, [x0]"),
    # A longer load than the row, the rest multiplied by the zeros that weights are padded with.
    ("aarch64", "ldr d0, [x1, #60]\nmovi d1, #0xffffffff\nsmull v2.8h, v0.8b, v1.8b\nmul v3.8b, v0.8b, v1.8b\n"
                "movi v4.4s, #0\nsdot v4.2s, v0.8b, v1.8b\nstr q2, [x0]\nstr d3, [x0, #16]\nstr d4, [x0, #24]"),
    ("aarch64", "ldr d0, [x1, #60]\naddp v0.8b, v0.8b, v0.8b\nstr h0, [x0]"),
    ("aarch64", "ldr d0, [x1, #60]\ncmp x3, #0\nb.eq 1f\nstr d0, [x0]\n1: str s0, [x0]"),
    ("aarch64", "eor x9, x9, x9\nand x10, x10, xzr\nadd x9, x9, x10\nldr x5, [x1, x9]\nstr x5, [x0]"),
    ("aarch64", "and x9, x9, #7\ncmp x9, #8\nb.hs 1f\nstr x1, [x0]\n1: nop"),  # 0 to 7 is below 8, whatever it is
    ("aarch64", "orr x9, x9, #1 << 62\nclz x9, x9\nlsr x9, x9, #1\nstr x9, [x0]"),
    ("aarch64", "ldrb w9, [x2]\nsub w9, w9, #300\ncmp w9, #0\nb.ge 1f\nstr x1, [x0]\n1: nop"),
    ("aarch64", "ldr x9, [x2]\nstr x9, [sp, #-16]!\nldr x9, [sp], #16\nmov x0, #1"),
    ("aarch32", "cmp r3, #0\nmovne r12, r5\nstreq r1, [r0]\naddne r12, r5, r6\nstrne r5, [r0]"),
    ("aarch32", "cmp r3, #0\nvldr s0, [r1]\nvseleq.f32 s1, s0, s9\nvstr s1, [r0]"),
    ("aarch32", "vld1.8 {d0}, [r1]\nvmov d1, d9\nvmov q2, q0\nvst1.8 {d4}, [r0]"),
    ("aarch32", "vmov r12, s9\nvmov d0, r1, r5\nvmov.32 r12, d0[0]\nstr r12, [r0]"),
    ("aarch32", "vadd.i8 d0, d8, d9\nvsub.i16 q1, q8, q9\nadd r12, r5, r6\nstr r1, [r0]"),
    ("aarch32", "vld1.8 {d0}, [r1]\nvmov.i32 d1, #2\nvmov.i32 d2, #255\nvbic d3, d9, d2\nvorr d1, d1, d3\n"
                "vshl.u32 d0, d0, d1\nvst1.8 {d0}, [r0]"),
    ("aarch32", "uadd8 r12, r5, r6\nqadd r12, r5, r6\nsmlabb r12, r5, r6, r7\nstr r1, [r0]"),
]


@pytest.mark.parametrize(("isa", "body"), NO_USE, ids=[d[1].replace("\n", "; ")[:60] for d in NO_USE])
def test_what_does_not_matter_is_no_use(isa: str, body: str) -> None:
    """No error and no warning, at any speed; and the same bytes on any junk."""
    outs = []
    ways: list[dict[str, Any]] = [{}, {"engine": "interpreter"}, {"trace": False}]
    for poison, options in enumerate(ways):
        machine = ns.Machine(isa, poison)
        source = machine.memory.place(np.arange(64, dtype=np.uint8), name="in", reads_before=7, reads_after=8)
        junk, out = machine.memory.alloc(64, name="junk"), machine.memory.place(np.zeros(64, np.uint8), name="out")
        end = "ret" if isa == "aarch64" else "bx lr"
        result = machine.call(ns.assemble(f"{body}\n{end}", isa=isa), out, source, junk, 0, **options)
        assert result.warnings == []
        outs.append(machine.memory.fetch("out").tobytes())
    assert len(set(outs)) == 1


@pytest.mark.parametrize(("isa", "body", "register"), [
    ("aarch64", "ldr x0, [x2]", "x0"), ("aarch64", "add w0, w9, w1", "x0"), ("aarch64", "and x0, x9, #128", "x0"),
    ("aarch64", "cmp x0, #0\ncsel x0, x1, x6, eq", "x0"), ("aarch64", "fadd s0, s8, s9", "v0"),
    ("aarch32", "ldr r0, [r2]", "r0"), ("aarch32", "cmp r0, #0\nmovne r0, r5", "r0"),
    ("aarch32", "vadd.f32 s0, s8, s9", "q0")])
def test_a_warning_for_junk_that_is_returned(isa: str, body: str, register: str) -> None:
    for options in ({}, {"engine": "interpreter"}, {"trace": False}):
        _, result = call(isa, body, **options)
        assert len(result.warnings) == 1
        assert f"returns with bits in {register} that depend on uninitialized data" in result.warnings[0]
        assert result.warnings[0].startswith(f"<text>:{body.count(chr(10)) + 2}: ")


@pytest.mark.parametrize(("isa", "body"), [
    ("aarch64", "ldr x9, [x2]\nmov x0, #1"), ("aarch64", "lsl x0, x9, #8"),  # a byte is returned, for all we know
    ("aarch64", "ldr d0, [x2]\nstr x1, [x0]"), ("aarch64", "ldr d0, [x2]\nmov w0, #1"),
    ("aarch32", "push {r0, r3}\nadd r0, r0, r5\npop {r0, r3}"), ("aarch32", "vld1.8 {d0}, [r2]\nmov r0, #1")])
def test_no_warning_for_what_may_be_returned(isa: str, body: str) -> None:
    assert call(isa, body)[1].warnings == []


def test_a_missing_store_shows_as_junk() -> None:
    """What a program forgets to write differs with the junk: two runs with different poison find it."""
    outs = [call("aarch64", "ldr d0, [x1]\nstr d0, [x0]", poison=p)[0].memory.fetch("out") for p in (0, 1)]
    assert np.array_equal(outs[0][:8], outs[1][:8])
    assert not np.array_equal(outs[0][8:], outs[1][8:])


def test_what_an_earlier_call_wrote_is_known() -> None:
    for sanitize in (True, False):
        machine = ns.Machine()
        a, b = machine.memory.alloc(8, name="a"), machine.memory.alloc(8, name="b")
        write, copy = (ns.assemble(text, isa="aarch64") for text in (
            "str x1, [x0]\nret", "ldr x2, [x1]\nstr x2, [x0]\nret"))
        with pytest.raises(UninitialisedRead):
            machine.call(copy, b, a)
        machine.call(write, a, 77, sanitize=sanitize)
        machine.call(copy, b, a)
        assert machine.memory.fetch("b", dtype="uint64")[0] == 77


def test_stack_of_an_earlier_call_is_junk_again() -> None:
    machine = ns.Machine()
    machine.call(ns.assemble("str x0, [sp, #-16]!\nadd sp, sp, #16\nret", isa="aarch64"), 5)
    with pytest.raises(UninitialisedRead):
        machine.call(ns.assemble("ldr x0, [sp, #-16]!\nadd sp, sp, #16\ncbz x0, 1f\n1: ret", isa="aarch64"))
