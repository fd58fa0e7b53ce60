"""Which bytes are initialized, step by step: the recording says it as the sanitizer knows it, byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.trace.definedness import ShadowBytes, _Memory, hex_of, known_bytes
from neonsim.arm.semantics import NumpyLanes, u8, u64
from neonsim.cli.kernel_case import _whole_tile
from neonsim.errors import BadArgument
from neonsim.ukernel import kernel
from neonsim.ukernel.case import CANARY
from neonsim.ukernel.case_runner import setup
from neonsim.verify.checking.target import subject

PARTS = """
        stp     d8, d9, [sp, #-32]!     // the caller's values: still nobody's
        mov     w3, #5
        ins     v0.s[1], w3             // one lane
        movi    v8.16b, #7
        dup     v1.4s, w3
        ins     v1.b[5], v20.b[1]       // a byte of nobody's
        eor     v5.16b, v6.16b, v6.16b  // 0 whatever v6 holds
        str     s1, [x0, #20]
        ldp     d8, d9, [sp], #32
        ret
"""
KERNELS = ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qs8_dwconv_rndnu_16x9__aarch64_neon_mla8")


def call(text: str, *arguments: Any, isa: str = "aarch64", **options: Any) -> ns.Trace:
    machine = ns.Machine(isa)
    out = machine.memory.alloc(32, name="out")
    trace = machine.call(ns.assemble(text, isa=isa), out, *arguments, **options).trace
    assert trace is not None
    return trace


@pytest.mark.parametrize("sanitize", [True, False])
def test_byte_by_byte(sanitize: bool) -> None:
    trace = call(PARTS, 7, sanitize=sanitize)
    full, low, high = b"\1" * 16, b"\1" * 8 + bytes(8), bytes(8) + b"\1" * 8
    at = trace.knowledge.cursor_at
    first = at(0).registers
    assert {name for name, known in first.items() if all(known)} == {
        "x0", "x1", "x30", "sp", "qc", "fpsr", "fpcr", "monitor"}
    assert at(3).registers["v0"] == bytes(4) + b"\1" * 4 + bytes(8)
    assert at(4).registers["v8"] == full and at(5).registers["v1"] == full
    assert at(6).registers["v1"] == b"\1" * 5 + b"\0" + b"\1" * 10
    assert at(7).registers["v5"] == full
    assert bytes(at(8).memory["out"]) == bytes(20) + b"\1" * 4 + bytes(8)
    last = at(trace.steps).registers
    assert last["v8"] == high and last["v9"] == high != low, "restored: the caller's again; the upper halves are 0"
    assert not any(at(trace.steps).memory["stack"]), "what was saved there was nobody's"
    there = at(trace.steps)
    there.goto(3)
    assert there.registers == at(3).registers and there.memory == at(3).memory, "backwards too"


def test_arguments_of_every_kind_are_known() -> None:
    a64 = call("ret", 1, 2.5, *range(9)).knowledge
    assert a64.registers["v0"] == b"\1" * 8 + bytes(8) and sum(a64.memory["stack"]) == 24
    assert sum(call("ret", 1, *range(9), sanitize=False).knowledge.memory["stack"]) == 24
    half = call("ret", np.uint32(3)).knowledge.registers["x1"]
    assert half == b"\1" * 4 + bytes(4), "AAPCS64: the other half of the register is nobody's"
    a32 = call("bx lr", np.float32(1), isa="aarch32").knowledge
    assert a32.registers["q0"] == b"\1" * 4 + bytes(12)


@pytest.mark.parametrize("name", KERNELS)
def test_as_the_sanitizer_knows_it(name: str) -> None:
    what = subject(kernel(name))
    machine, arguments = setup(what.program, _whole_tile(what), what.reads_before, what.reads_after)
    trace = machine.call(what.program, *arguments, entry=what.entry, trace=True).trace
    assert trace is not None and trace.steps > 300
    end, state = trace.knowledge.cursor_at(trace.steps), machine.state
    assert end.registers == {name: known_bytes(value) for name, value in zip(state.registers.names, state.slots,
                                                                            strict=True)}
    for buffer in machine.memory.buffers:
        known = machine.memory.defined_bytes(buffer)
        assert end.memory[buffer.name] == (b"\1" * buffer.nbytes if known is None else known), buffer.name
    out = next(b for b in trace.buffers if b.name in ("c", "output"))
    assert CANARY in out.before and out.defined is not None and not any(out.defined), "the pattern there is no value"
    assert "unwritten" in trace.to_text(count=8), "what is saved on the stack"


def test_a_loop_of_which_only_the_end_is_kept() -> None:
    text = "mov w9, #300\n movi v1.8b, #1\n0: ins v0.h[2], w9\n str w9, [x0]\n subs w9, w9, #1\n b.ne 0b\n ret"
    for sanitize in (True, False):
        whole, tail = call(text, sanitize=sanitize), call(text, trace="last 50", sanitize=sanitize)
        end = whole.knowledge.cursor_at(whole.steps).registers
        assert end["v0"] == bytes(4) + b"\1" * 2 + bytes(10) and end["v1"] == b"\1" * 16
        last = tail.knowledge.cursor_at(tail.steps)
        assert last.registers["v1"] == end["v1"] and bytes(last.memory["out"][:4]) == b"\1" * 4
        assert sanitize is False or last.registers == end


def test_a_saved_trace_knows_it_too(tmp_path: Path) -> None:
    trace = call(PARTS, 7)
    again = ns.load_trace(trace.save(tmp_path / "run.neontrace"))
    assert again.defined == trace.defined and again.knowledge.learned == trace.knowledge.learned
    assert again.to_text() == trace.to_text() and [b.typed for b in again.buffers] == [b.typed for b in trace.buffers]


def test_marked_bytes() -> None:
    data = ShadowBytes(bytes([1, 2, 165, 165]), bytes([1, 1, 0, 0]))
    assert data == bytes([1, 2, 165, 165]) and data[1:3].defined == bytes([1, 0]) and data[0] == 1
    assert hex_of(data) == "----0201" and hex_of(data[:2]) == "0201" == hex_of(bytes([1, 2]))


def test_an_output_that_is_read_is_reported() -> None:
    """What lies in an output before the call is nobody's: a kernel that uses it is found, whatever lies there."""
    what = subject(kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"))
    case = _whole_tile(what)
    number = [argument.name for argument in case.contract.arguments].index("c")
    machine, arguments = setup(what.program, case)
    text = f"ldrb w9, [x{number}]\n strb w9, [x{number}]\n ret"
    with pytest.raises(ns.errors.UninitialisedRead, match='uninitialized bits to buffer "c"'):
        machine.call(ns.assemble(text, isa="aarch64"), *arguments)


def test_a_run_that_lacks_a_load() -> None:
    """Of a saved run whose accesses somebody has changed."""
    with pytest.raises(BadArgument, match="a load is missing"):
        _Memory([]).load(NumpyLanes(np.zeros(1, np.uint64), u64), 4, u8)
