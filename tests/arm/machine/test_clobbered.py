"""What a callee may change is junk behind its return: of built-in functions, of other files, of the same by option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm.c import compile
from neonsim.arm.machine.arch.registers import known_bytes
from neonsim.errors import UninitialisedRead

A64 = ".global f\nf: stp x29, x30, [sp, #-64]!; stp x19, x20, [sp, #16]; stp d8, d9, [sp, #32]; mov x19, x0; %s; " \
      "mov x2, #8; bl %s; %s; ldp d8, d9, [sp, #32]; ldp x19, x20, [sp, #16]; ldp x29, x30, [sp], #64; ret"
A32 = ".global f\nf: push {r4, lr}; vpush {d8}; mov r4, r0; %s; mov r2, #8; bl %s; %s; vpop {d8}; pop {r4, pc}"
OTHER = {"aarch64": ".global g\ng: ret", "aarch32": ".global g\ng: bx lr"}
# What is set before the call, what uses it after that, and the report if it is lost.
LOST = {"aarch64": [("mov x9, #5", "str x9, [x19]", "x9"), ("movi v20.16b, #3", "str q20, [x19]", "v20"),
                    ("movi v8.16b, #3", "str q8, [x19]", "the upper half of v8"),
                    ("mov x18, #5", "str x18, [x19]", "x18"),
                    ("cmp x0, x0", "b.eq 1f; 1: nop", "nzcv"), ("mov x2, #5", "str x2, [x19]", "x2")],
        "aarch32": [("mov r12, #5", "str r12, [r4]", "r12"), ("vmov.i8 q8, #3", "vst1.8 {q8}, [r4]", "d16"),
                    ("cmp r0, r0", "beq 1f; 1: nop", "nzcv"), ("vmov.i8 d31, #1", "vst1.8 {d31[1]}, [r4]", "d31")]}
KEPT = {"aarch64": [("mov x20, #5", "str x20, [x19]"), ("movi v8.16b, #3", "str d8, [x19]"), ("", "str x0, [x19]"),
                    ("", "mov x9, #1; movi v20.16b, #1; cmp x9, #0; cset w9, eq; str x9, [x19]; str q20, [x19]")],
        "aarch32": [("vmov.i8 d8, #3", "vst1.8 {d8}, [r4]"), ("", "str r0, [r4]"),
                    ("", "mov r12, #1; vmov.i8 q8, #1; str r12, [r4]; vst1.8 {q8}, [r4]")]}


def run(isa: str, before: str, callee: str, after: str, **options: Any) -> Any:
    program = ns.assemble((A64 if isa == "aarch64" else A32) % (before or "nop", callee, after), isa=isa)
    if callee == "g":
        program = ns.link(program, ns.assemble(OTHER[isa], isa=isa))
    machine = ns.Machine(isa)
    out = machine.memory.alloc(64, "out")
    return machine, machine.call(program, out, machine.memory.place(np.arange(64, dtype=np.uint8), "in"), entry="f",
                                 **options)


@pytest.mark.parametrize("callee", ["memcpy", "g"])
@pytest.mark.parametrize(("isa", "before", "after", "name"), [(isa, *row) for isa in LOST for row in LOST[isa]])
def test_lost(isa: str, before: str, after: str, name: str, callee: str) -> None:
    with pytest.raises(UninitialisedRead) as caught:
        run(isa, before, callee, after)
    assert f"returns from {callee}, which may change {name}" in str(caught.value)
    run(isa, before, callee, after, sanitize=False)


@pytest.mark.parametrize("callee", ["memcpy", "g"])
@pytest.mark.parametrize(("isa", "before", "after"), [(isa, *row) for isa in KEPT for row in KEPT[isa]])
def test_kept(isa: str, before: str, after: str, callee: str) -> None:
    run(isa, before, callee, after)


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_functions_of_the_same_file_by_option(isa: str) -> None:
    before, after, name = LOST[isa][0]
    text = (A64 if isa == "aarch64" else A32) % (before, "g", after) + "\n" + OTHER[isa]
    machine = ns.Machine(isa)
    out = machine.memory.alloc(64, "out")
    program = ns.assemble(text, isa=isa)
    machine.call(program, out, entry="f")
    with pytest.raises(UninitialisedRead, match=f"returns from g, which may change {name}"):
        machine.call(program, out, entry="f", strict_calls=True)


@pytest.mark.parametrize("isa", [isa for isa in ("aarch64", "aarch32") if compile.compilers(isa)])
def test_compiled_c_knows_its_own(isa: str) -> None:
    text = ("static __attribute__((noinline)) int g(int x) { return x * 3; } int f(const int *p, int n) { int s = 0; "
            "for (int i = 0; i < n; i++) s += g(p[i]) + i; return s; }")
    machine = ns.Machine(isa)
    source = machine.memory.place(np.arange(9, dtype=np.int32))
    assert machine.call(ns.load_c(text, isa), source, 9, entry="f", strict_calls=True).returned == 144


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_traces_know_it_and_steps_are_taken_back(isa: str) -> None:
    before, _, name = LOST[isa][0]
    machine, result = run(isa, before, "memcpy", "nop")
    trace = result.trace
    end = trace.knowledge.cursor_at(trace.steps)
    assert end.registers == {name: known_bytes(value) for name, value in zip(
        machine.state.registers.names, machine.state.slots, strict=True)}
    assert not any(end.registers[name])
    assert not any(name in str(row) for row in trace.to_text().splitlines() if " ret " in row or "bx lr" in row)
    program = trace.program
    machine.start(program, machine.memory.buffer("out").address, machine.memory.buffer("in").address, entry="f")
    slot = machine.state.registers.index[name]
    while any(known_bytes(machine.state.slots[slot])) is False or program.file_of(machine.state.pc) == 0:
        machine.step()
    while program.file_of(machine.state.pc) < 0:
        machine.step()
    assert not any(known_bytes(machine.state.slots[slot]))
    machine.back()
    assert all(known_bytes(machine.state.slots[slot]))


def test_a_grid_loses_it_too() -> None:
    text = A64 % ("mov x9, #5", "memcpy", "str x9, [x19]")
    machine = ns.Machine()
    out = machine.memory.alloc(64, "out") + 8 * np.arange(4).reshape(1, 4)
    source = machine.memory.place(np.arange(64, dtype=np.uint8), "in")
    with pytest.raises(UninitialisedRead, match="may change x9"):
        machine.call(ns.assemble(text, "aarch64"), out, source, tiles=ns.Grid(1, 4), sanitize=True)
