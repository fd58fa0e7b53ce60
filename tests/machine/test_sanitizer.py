"""Junk is found: programs that depend on what nobody has written are refused, others run the same on any junk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import UninitialisedRead


def call(isa: str, body: str, *arguments: Any, sanitize: bool = True, poison: int = 0) -> Any:
    machine = ns.Machine(isa, poison)
    source = machine.memory.place(np.arange(64, dtype=np.uint8), name="in", reads_before=7, reads_after=8)
    junk = machine.memory.alloc(64, name="junk")
    out = machine.memory.alloc(64, name="out")
    end = "ret" if isa == "aarch64" else "bx lr"
    result = machine.call(ns.assemble(f"{body}\n{end}", isa=isa), out, source, junk, *arguments, sanitize=sanitize)
    return machine, result


DEPENDS = [
    ("aarch64", "str q9, [x0]", "stores bits that nobody has written to buffer \"out\", offset 0"),
    ("aarch64", "str x9, [x0, #8]", "offset 8"),
    ("aarch64", "ld1 {v0.8b}, [x1]\nadd v0.8b, v0.8b, v9.8b\nst1 {v0.8b}, [x0]", "nobody has written"),
    ("aarch64", "ldr d0, [x2]\nstr d0, [x0]", "nobody has written"),
    ("aarch64", "ldr q0, [x1]\nld1 {v1.8b}, [x2]\nins v0.b[5], v1.b[2]\nstr q0, [x0]", "offset 5"),
    ("aarch64", "b.eq 1f\n1: nop", "the branch depends on flags or registers that nobody has written"),
    ("aarch64", "cbz x9, 1f\n1: nop", "the branch depends on"),
    ("aarch64", "ldr x3, [x9]", "the address depends on bits that nobody has written"),
    ("aarch64", "str x1, [x0, x9]", "the address depends on"),
    ("aarch64", "csel x3, x0, x1, lt\nstr x3, [x0]", "nobody has written"),
    ("aarch64", "adc x3, x0, x1\nstr x3, [x0]", "nobody has written"),
    ("aarch64", "ldr x3, [sp, #-32]\nstr x3, [x0]", "nobody has written"),
    ("aarch64", "br x9", "the branch depends on"),
    ("aarch32", "vst1.8 {d16}, [r0]", "nobody has written"),
    ("aarch32", "vld1.8 {d0}, [r2]\nvst1.8 {d0[3]}, [r0]", "nobody has written"),
    ("aarch32", "bne 1f\n1: nop", "the condition ne depends on flags that nobody has set"),
    ("aarch32", "moveq r3, #1", "the condition eq depends on flags that nobody has set"),
    ("aarch32", "ldr r3, [sp, #-8]\nstr r3, [r0]", "nobody has written"),
    ("aarch32", "vext.8 d0, d20, d21, #3\nvst1.8 {d0}, [r0]", "nobody has written"),
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


@pytest.mark.parametrize(("isa", "body"), INDEPENDENT, ids=[d[1].replace("\n", "; ") for d in INDEPENDENT])
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


def test_a_warning_for_junk_that_is_worked_on() -> None:
    _, result = call("aarch64", "add v0.8b, v8.8b, v9.8b\nadd v1.8b, v0.8b, v0.8b")
    assert len(result.warnings) == 4  # n and m of both
    assert "works on v8, which nobody has written" in result.warnings[0]
    assert result.warnings[0].startswith("<text>:1: add v0.8b, v8.8b, v9.8b")


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
        machine.call(ns.assemble("ldr x0, [sp, #-16]\ncbz x0, 1f\n1: ret", isa="aarch64"))
