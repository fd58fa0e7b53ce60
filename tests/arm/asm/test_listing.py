"""What `print(program)` shows is the program: it assembles again to the same, and is no longer than it must be."""

from __future__ import annotations

import random

import pytest

from neonsim.arm.asm import assemble
from tests.tiers import every

MNEMONICS = {"aarch64": ("nop", "add x0, x0, #{n}", "b {label}", "cbz x1, {label}", "adr x2, {label}", "ldr x3, ={n}",
                         "ldr q4, =-{n}", "adrp x5, {data}", "add x5, x5, :lo12:{data}", "mov x6, #(end - start)",
                         "fmla v0.4s, v1.4s, v2.s[1]", "b.ne 1b", "b 1f", "ldr x7, ={data}+{n}", "bl away"),
             "aarch32": ("nop", "add r0, r0, #{n}", "b {label}", "beq {label}", "adr r2, {label}",
                         "ldr r3, =0x12345{n}",
                         "vldr d4, =-{n}", "movw r5, #:lower16:{data}", "movt r5, #:upper16:{data}",
                         "mov r6, #(end - start)", "vmla.f32 q0, q1, d2[1]", "bne 1b", "b 1f", "ldr r7, ={data}+{n}",
                         "bl away")}
DATA = (".byte {n}, -{n}", ".word {label}, {data} + {n}", ".word {data} - {other}", ".word . - {data}", ".zero {n}",
        ".ascii \"a\\n\\\"{n}\"", ".float -0.{n}", ".balign 16", ".fill 3, 2, -{n}", ".octa 0x1{n}", ".zero 40{n}")
SECTIONS = (".data", ".data 1", ".section .rodata", ".bss", '.section .mine, "aw"', ".subsection 2")
CODE = (".text", ".text 1", '.section .text.cold, "ax"')


def text_of(isa: str, rng: random.Random) -> str:
    """A program that has no meaning, with something of everything."""
    back = "ret" if isa == "aarch64" else "bx lr"
    labels, data = [f"l{n}" for n in range(6)], [f"t{n}" for n in range(4)]
    lines = ["start:", "1:"]
    for label in labels:
        lines += [rng.choice(CODE)] * (rng.random() < 0.4) + [f"{label}:"] + ["1:"] * (rng.random() < 0.5)
        lines += [rng.choice(MNEMONICS[isa]) for _ in range(rng.randrange(6))] + [back]
        lines += [".word {n}", ".balign 8"] * (rng.random() < 0.3)
    lines += [".text", f"1: {back}", "end:"]
    for name in data:
        section = rng.choice(SECTIONS)
        lines += [section, f"{name}:"]
        lines += [".zero {n}" if section == ".bss" else rng.choice(DATA) for _ in range(rng.randrange(1, 5))]
        lines += [".data"]
    filled = "\n".join(lines)
    return "\n".join(line.format(n=rng.randrange(1, 9), label=rng.choice(labels), data=rng.choice(data),
                                 other=rng.choice(data)) for line in filled.split("\n"))


@pytest.mark.parametrize("seed", every(5, range(40)))
@pytest.mark.parametrize("isa", MNEMONICS)
def test_it_assembles_again_to_the_same(isa: str, seed: int) -> None:
    text = text_of(isa, random.Random(seed))
    program = assemble(text, isa)
    again = assemble(str(program), isa)
    assert again == program, text
    assert str(again) == str(program)
    assert [s.contents for s in again.data] == [s.contents for s in program.data]


def test_zeros_stay_zeros() -> None:
    program = assemble("f: ret\n.data\na: .byte 1\n.zero 15000000\n.byte 2\nb: .zero 20\n.byte 0, 0, 3", "aarch64")
    listing = str(program)
    assert ".zero 15000000" in listing and len(listing) < 300
    assert assemble(listing, "aarch64") == program
