"""What `neonsim trace` prints of a step: registers by the type they are used in, flags in letters."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns

TEXT = """
        ldr     q0, [x0]
        add     v1.4s, v0.4s, v0.4s
        cmp     x2, #5
        fcvtzs  v3.4s, v4.4s
        str     q1, [x1], #16
        mov     x3, #-1
        ret
"""


def test_registers_have_their_type_and_flags_letters() -> None:
    machine = ns.Machine("aarch64")
    source = machine.memory.place(np.array([1, 2, 3, 4], np.int32), name="a")
    out = machine.memory.alloc(32, name="c")
    machine.registers["v4"] = np.full(4, 1.5, np.float32)
    trace = machine.call(ns.assemble(TEXT, isa="aarch64"), source, out, 3, trace=True, sanitize=False).trace
    changes = [row[54:] for row in trace.to_text().splitlines()]
    assert changes[:3] == ["v0 = u32 4 3 2 1", "v1 = u32 8 6 4 2", "flags = n---"]
    assert changes[4:6] == ["x1 = c + 16, [c] = u32 2 4 6 8", "x3 = 0xffffffffffffffff"]


@pytest.mark.parametrize(("line", "said"), [
    ("movi v0.16b, #1\n st1 {v0.16b}, [x0]", "[c] = u8 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    ("stp q0, q1, [x0]", "[c] = 32 bytes, unwritten"),
    ("movi v0.4s, #2\n movi v1.4s, #2\n stp q0, q1, [x0]", "[c] = u32 2 2 2 2 2 2 2 2"),
    ("movi v0.16b, #2\n movi v1.16b, #2\n stp q0, q1, [x0]", "[c] = u8 2 2 2 2 2 2 2 2 ... (32 elements)"),
], ids=["bytes", "unwritten", "words", "many"])
def test_what_is_stored(line: str, said: str) -> None:
    machine = ns.Machine("aarch64")
    out = machine.memory.alloc(32, name="c")
    trace = machine.call(ns.assemble(f"{line}\n ret", isa="aarch64"), out, trace=True, sanitize=False).trace
    assert trace.to_text().splitlines()[-2].endswith(said)
