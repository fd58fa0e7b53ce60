"""Which steps a result depends on: through lanes, memory, addresses, conditions; not what is overwritten, or dead."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Machine
from neonsim.arm.machine.trace.backward_slice import needed


def _dead(isa: str, text: str) -> list[str]:
    """The instructions that the 16 bytes at the second argument do not depend on; the first one is 16 bytes of data."""
    machine = Machine(isa=isa)
    a = machine.memory.place(np.arange(16, dtype=np.uint8), name="a")
    y = machine.memory.place(np.zeros(16, np.uint8), name="y")
    trace = machine.call(assemble(f"f:\n{text}", isa=isa), a, y, trace=True).trace
    assert trace is not None
    return [str(trace.instruction(step)) for step in np.flatnonzero(~needed(trace, ["y"])).tolist()]


def test_what_is_dead() -> None:
    assert _dead("aarch64", """
        movi v7.16b, #1                 // never read
        ldr q0, [x0]
        movi v1.16b, #2                 // overwritten as a whole
        movi v1.16b, #3
        movi v2.16b, #4                 // only lane 0 of d is overwritten
        mov v2.d[0], v0.d[0]
        add v0.16b, v0.16b, v1.16b
        str q1, [x1]                    // overwritten in memory
        str q0, [x1]
        str d2, [x1, #8]
        umov w9, v7.b[0]
        add w9, w9, w9
        ret""") == ["movi v7.16b, #1", "movi v1.16b, #2", "movi v2.16b, #4", "str q1, [x1]", "umov w9, v7.b[0]",
                    "add w9, w9, w9"]


@pytest.mark.parametrize(("isa", "text", "dead"), [
    # Through the stack, an address and a condition.
    ("aarch64", "ldr q0, [x0]; sub sp, sp, #32; str q0, [sp]; str q0, [sp, #16]; ldr x2, [sp, #8]; add sp, sp, #32; "
                "str x2, [x1]; ret", ["str q0, [sp, #16]", "add sp, sp, #32"]),
    ("aarch64", "ldr q0, [x0]; umov w2, v0.b[3]; ldrb w3, [x0, w2, uxtw]; strb w3, [x1]; ret", []),
    ("aarch64", "ldr q0, [x0]; umaxv b1, v0.16b; fmov w2, s1; mov w3, #1; cbz w2, 1f; mov w3, #2; 1: strb w3, [x1]; "
                "ret", ["mov w3, #1"]),
    # A branch to the next instruction decides nothing.
    ("aarch64", "ldr q0, [x0]; umaxv b1, v0.16b; fmov w2, s1; cbz w2, 1f; 1: strb w1, [x1]; ret",
     ["ldr q0, [x0]", "umaxv b1, v0.16b", "fmov w2, s1", "cbz w2, 1f"]),
    ("aarch64", "ldr q0, [x0]; fcmp s0, #0.0; csel x2, x0, x1, eq; str x2, [x1]; ret", []),
    ("aarch32", "vld1.8 {q0}, [r0]; vmov.i8 d4, #1; vadd.i8 d0, d0, d1; vmov.i8 q2, #2; vst1.8 {d0}, [r1]!; "
                "vst1.8 {d4}, [r1]; bx lr", ["vmov.i8 d4, #1"]),
    ("aarch32", "vld1.8 {q0}, [r0]; vmov r2, s0; cmp r2, #0; mov r3, #5; addeq r3, r3, #1; moveq r12, #7; "
                "strb r3, [r1]; bx lr", ["addeq r3, r3, #1", "moveq r12, #7"]),
    ("aarch32", "vpush {d8, d9}; vld1.8 {q4}, [r0]; vst1.8 {q4}, [r1]; vpop {d8, d9}; bx lr", ["vpush {d8, d9}",
                                                                                             "vpop {d8, d9}"]),
])
def test_through_memory_addresses_and_conditions(isa: str, text: str, dead: list[str]) -> None:
    assert _dead(isa, text.replace(";", "\n")) == dead


def test_built_in_functions_carry() -> None:
    assert "ldr q0, [x0]" not in _dead("aarch64", """
        stp x29, x30, [sp, #-32]!
        ldr q0, [x0]
        movi v1.16b, #9
        str q0, [sp, #16]
        mov x0, x1
        add x1, sp, #16
        mov x2, #16
        bl memcpy
        ldp x29, x30, [sp], #32
        ret""")
