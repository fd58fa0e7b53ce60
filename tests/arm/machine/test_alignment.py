"""Addresses that real cores refuse: blocks of words, hints, A64's stack pointer. All others may be anything."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.isa import forms

A32_WORDS = ["ldm r0, {r2, r3}", "stm r0, {r2, r3}", "ldmdb r0, {r2}", "ldrd r2, r3, [r0]", "strd r2, r3, [r0]",
             "vldr d0, [r0]", "vstr s1, [r0]", "vldm r0, {d0-d1}", "vstmdb r0!, {d0}"]
A32_ANY = ["ldr r2, [r0]", "str r2, [r0]", "ldrh r2, [r0]", "ldrb r2, [r0]", "vld1.8 {d0}, [r0]",
           "vld1.32 {d0-d3}, [r0]", "vst1.32 {d0[1]}, [r0]", "vld1.16 {d0[]}, [r0]"]
A64_ANY = ["ldr q0, [x0]", "ldp x2, x3, [x0]", "ld1 {v0.4s}, [x0]", "str x2, [x0]", "stp d0, d1, [x0]", "ldrh w2, [x0]"]


def call(isa: str, line: str, offset: int, **options: object) -> None:
    machine = ns.Machine(isa=isa)
    at = machine.memory.place(np.zeros(128, np.uint8), name="data") + 64
    end = "bx lr" if isa == "aarch32" else "ret"
    machine.call(ns.assemble(f"{line}\n{end}", isa=isa), at + offset, sanitize=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("line", A32_WORDS)
def test_words_are_aligned(line: str) -> None:
    call("aarch32", line, 4)
    for offset in (1, 2):
        with pytest.raises(ns.MemoryFault, match="no multiple of 4, which this instruction needs") as caught:
            call("aarch32", line, offset)
        assert line.split()[0] in str(caught.value)


@pytest.mark.parametrize("bits", [64, 128])
def test_a_hint_is_a_promise(bits: int) -> None:
    line = f"vld1.8 {{d0, d1}}, [r0:{bits}]"
    call("aarch32", line, 0)
    for offset in (1, 4, bits // 16):
        with pytest.raises(ns.MemoryFault, match=f"no multiple of {bits // 8}, which the :{bits} promises"):
            call("aarch32", line, offset)


@pytest.mark.parametrize(("isa", "line"), [("aarch32", x) for x in A32_ANY] + [("aarch64", x) for x in A64_ANY])
def test_others_take_any_address(isa: str, line: str) -> None:
    for offset in (0, 1, 2, 3):
        call(isa, line, offset)


@pytest.mark.parametrize("line", ["str x0, [sp, #-16]", "ldr x1, [sp, #-8]", "stp x0, x1, [sp, #-16]!"])
def test_sp_of_aarch64(line: str) -> None:
    with pytest.raises(ns.MemoryFault, match="no multiple of 16"):
        call("aarch64", f"sub sp, sp, #8\n{line}", 0)
    call("aarch64", f"sub sp, sp, #32\n{line.replace(']!', ']')}\nadd sp, sp, #32", 0)


def test_a_tile_of_a_grid() -> None:
    machine = ns.Machine(isa="aarch32")
    at = machine.memory.place(np.zeros((4, 16), np.uint8), name="data")
    addresses = np.array([[at, at + 16], [at + 34, at + 48]])
    with pytest.raises(ns.MemoryFault, match=r"tile \(1, 0\): the address .* is no multiple of 4"):
        machine.call(ns.assemble("ldm r0, {r2, r3}\nbx lr", isa="aarch32"), addresses, tiles=ns.Grid(2, 2))


def test_every_form_says_what_it_wants() -> None:
    """No A32 form moves a block of words, or has a hint, without being among those that are checked."""
    checked = {"ldm", "ldmdb", "vldr", "atomic"}
    for form in forms("aarch32"):
        for pattern in form.patterns:
            if pattern.role == "mem":
                assert pattern.spec in checked | {"ldr", "ldrd", "vld", "pld", "literal"}, form.template
