"""Every rule of the sanitizer has a kernel that breaks it and one that comes close and does not, on both ISAs."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.memory.violations import RULES, get_rule, rules_table


@dataclass(frozen=True)
class Pair:
    """Two kernels: one that breaks the rule, one that nearly does. ``says``: words of the report."""

    breaks: str
    keeps: str
    says: str


# Buffers: "out" 64 bytes unwritten, "in" 64 bytes with 7 readable before and 8 after it, "junk" 64 bytes that nobody
# has written, "fixed" read-only. Registers x0 to x3 (r0 to r3): out, in, junk, fixed; d0: 1.0.
A64 = {
    "junk-stored": Pair(
        "ldr q0, [x1]; ldr q1, [x2]; ins v0.b[5], v1.b[2]; str q0, [x0]; ret",
        "ldr q0, [x1]; ldr q1, [x2]; ins v0.b[8], v1.b[2]; str d0, [x0]; ret",
        'offset 5\nv0: step 3 (line 1, ins v0.b[5], v1.b[2]) takes them from v1; step 2 (line 1, ldr q1, [x2]) loads '
        'them from "junk"+0, which is uninitialized'),
    "junk-address": Pair(
        "and x9, x9, #8; ldr x3, [x1, x9]; ret",
        "and x9, x9, #8; lsr x9, x9, #4; ldr x3, [x1, x9]; ret",
        "x9: step 1 (line 1, and x9, x9, #8) takes them from x9; x9 has not been written since the call"),
    "junk-decision": Pair(
        "ldrb w5, [x2]; tbz w5, #3, 1f; nop; 1: ret",
        "ldrb w5, [x2]; tbz w5, #8, 1f; nop; 1: ret",  # the bits above the byte are zero
        'x5: step 1 (line 1, ldrb w5, [x2]) loads them from "junk"+0'),
    "flags-never-set": Pair(
        "b.eq 1f; nop; 1: ret",
        "subs x5, x0, #0; b.eq 1f; nop; 1: ret",
        "no instruction of the function has set the flags"),
    "read-outside": Pair(
        "add x5, x1, #57; ldr q0, [x5]; ret",
        "add x5, x1, #56; ldr q0, [x5]; ldr d1, [x1, #-7]; ret",
        "x5: last written by step 1 (line 1, add x5, x1, #57)"),
    "write-outside": Pair(
        "str xzr, [x0, #57]; ret",
        "str xzr, [x0, #56]; str xzr, [x0]; ret",
        'offset 57 of buffer "out" (64 bytes), 1 byte past its end\nx0: as the caller gave it'),
    "below-sp": Pair(
        "mov x9, sp; stp x19, x20, [x9, #-24]; ret",
        "mov x9, sp; stp x19, x20, [sp, #-16]!; ldr x5, [x9, #-16]; ldp x19, x20, [sp], #16; str x0, [x0]; ret",
        "stores 24 bytes below the stack pointer"),
    "read-only": Pair(
        "str x0, [x3, #8]; ret",
        "ldr x5, [x3, #8]; str x5, [x0]; ret",
        'buffer "fixed" is read-only'),
    "atomic-alignment": Pair(
        "add x9, x1, #2; ldxr w2, [x9]; ret",
        "add x9, x1, #2; ldxrh w2, [x9]; ldarb w2, [x9]; ldr w2, [x9]; add x9, x1, #4; ldar w2, [x9]; clrex; ret",
        "no multiple of 4, which this instruction needs"),
    "stack-alignment": Pair(
        "sub sp, sp, #8; str xzr, [sp]; add sp, sp, #8; ret",
        "sub sp, sp, #8; sub sp, sp, #8; str xzr, [sp]; add sp, sp, #16; ret",
        "no multiple of 16"),
    "float-rules": Pair(
        "mov x5, #1 << 8; msr fpcr, x5; ret", "mov x5, #1 << 24; msr fpcr, x5; mrs x5, fpcr; msr fpcr, xzr; ret",
        "bits 15 to 8 of the value for the floating-point control register are 0x1"),
    "half-double": Pair(
        "fadd s1, s1, s2; fmul v3.4s, v3.4s, v0.s[0]; ret",
        "fmov w5, s0; fcvt s0, d0; fmul s1, s0, s0; str d0, [x0]; ret",
        "a Python float is a double and fills d0. Pass np.float32(...)"),
    "callee-saved": Pair(
        "movi v8.16b, #0; mov x19, #1; ret",
        "stp d8, d9, [sp, #-32]!; str x19, [sp, #16]; movi v8.16b, #0; movi v9.2d, #0; mov x19, #1; "
        "ldr x19, [sp, #16]; ldp d8, d9, [sp], #32; ret",  # the upper halves of v8 and v9 are lost, which is allowed
        "d8: first overwritten by step 1 (line 1, movi v8.16b, #0)\nx19: first overwritten by step 2"),
    "stack-pointer": Pair(
        "str x0, [sp, #-16]!; ret",
        "str x0, [sp, #-16]!; add sp, sp, #16; ret",
        'sp: is "stack"+65520 now, last written by step 1'),
    "return-address": Pair(
        "bl 1f; ret; 1: nop; ret",
        "mov x9, x30; bl 1f; mov x30, x9; ret; 1: nop; ret",
        "x30: last written by step 1 (line 1, bl 1f)"),
    "lost": Pair("mov x5, #64; br x5; ret", "adr x5, 1f; br x5; nop; 1: ret", "goes to 0x40, which has no code"),
    "endless": Pair(
        "mov x5, #4; 1: add x5, x5, #1; subs x5, x5, #1; b.ne 1b; ret",
        "mov x5, #2000; 1: add x5, x5, #1; subs x5, x5, #2; b.ne 1b; ret",
        "never ends: registers and memory are the same as 3 steps before"),
}
A32 = {
    "junk-stored": Pair(
        "vld1.8 {d0}, [r1]; vld1.8 {d1}, [r2]; vadd.i8 d2, d0, d1; vst1.8 {d2[3]}, [r0]; bx lr",
        "vld1.8 {d0}, [r1]; vld1.8 {d1}, [r2]; vadd.i8 d2, d0, d1; vst1.8 {d0[3]}, [r0]; bx lr",
        'd2: step 3 (line 1, vadd.i8 d2, d0, d1) takes them from d1; step 2 (line 1, vld1.8 {d1}, [r2]) loads them '
        'from "junk"+0'),
    "junk-address": Pair(
        "and r4, r4, #8; ldr r12, [r1, r4]; bx lr",
        "and r12, r4, #0; ldr r12, [r1, r12]; bx lr",
        "r4: step 1 (line 1, and r4, r4, #8) takes them from r4; r4 has not been written since the call"),
    "junk-decision": Pair(
        "ldrb r12, [r2]; tst r12, #8; bne 1f; nop; 1: bx lr",
        "ldrb r12, [r2]; tst r12, #256; bne 1f; nop; 1: bx lr",
        "nzcv: step 2 (line 1, tst r12, #8) takes them from r12"),
    "flags-never-set": Pair(
        "moveq r12, #1; bx lr",
        "cmp r0, r1; moveq r12, #1; bx lr",
        "no instruction of the function has set the flags"),
    "read-outside": Pair(
        "add r12, r1, #65; vld1.8 {d0}, [r12]; bx lr",
        "add r12, r1, #64; vld1.8 {d0}, [r12]; sub r12, r1, #7; vld1.8 {d0}, [r12]; bx lr",
        "r12: last written by step 1 (line 1, add r12, r1, #65)"),
    "write-outside": Pair(
        "add r12, r0, #61; str r0, [r12]; bx lr",
        "add r12, r0, #60; str r0, [r12]; bx lr",
        'offset 61 of buffer "out" (64 bytes), 1 byte past its end'),
    "below-sp": Pair(
        "push {r4, r5}; pop {r4, r5}; ldr r12, [sp, #-4]; bx lr",
        "mov r12, sp; stmdb sp!, {r4, r5}; vpush {d8}; ldr r3, [r12, #-4]; vldmia sp!, {d8}; ldm sp!, {r4, r5}; bx lr",
        "loads 4 bytes below the stack pointer. The procedure call standard has no red zone"),
    "read-only": Pair(
        "vmov.i8 d0, #1; vst1.8 {d0}, [r3]!; bx lr",
        "vld1.8 {d0}, [r3]!; vst1.8 {d0}, [r0]; bx lr",
        'buffer "fixed" is read-only'),
    "alignment-hint": Pair(
        "add r12, r1, #4; vld1.8 {d0}, [r12:64]; bx lr",
        "add r12, r1, #8; vld1.8 {d0}, [r12:64]; add r12, r1, #3; vld1.8 {d0}, [r12]; bx lr",
        "which the :64 promises"),
    "word-alignment": Pair(
        "add r12, r1, #2; ldm r12, {r1, r2}; bx lr",
        "add r12, r1, #2; ldr r12, [r12]; add r1, r1, #4; ldm r1, {r1, r2}; bx lr",  # LDR takes any address
        "no multiple of 4, which this instruction needs"),
    "atomic-alignment": Pair(
        "add r12, r1, #4; ldrexd r2, r3, [r12]; clrex; bx lr",
        "add r12, r1, #4; ldrex r2, [r12]; add r12, r1, #8; ldrexd r2, r3, [r12]; clrex; bx lr",
        "no multiple of 8, which this instruction needs"),
    "stack-alignment": Pair(
        "sub sp, sp, #6; str r0, [sp]; add sp, sp, #6; bx lr",
        "sub sp, sp, #8; str r0, [sp, #1]; add sp, sp, #8; bx lr",
        "no multiple of 4, as it has to be always"),
    "float-rules": Pair(
        "mov r12, #1 << 16; vmsr fpscr, r12; bx lr", "mov r12, #1 << 24; vmsr fpscr, r12; vmrs r12, fpscr; bx lr",
        "bits 18 to 8 of the value for the floating-point control register are 0x100"),
    "half-double": Pair(
        "vmov.f32 s4, #1.0; vdup.32 q1, d0[0]; bx lr",
        "vmov r12, s0; vmov r12, s1; vcvt.f32.f64 s0, d0; vdup.32 q1, d0[0]; bx lr",
        "a Python float is a double and fills d0. Pass np.float32(...)"),
    "callee-saved": Pair(
        "vmov.i8 q4, #0; mov r11, #1; bx lr",
        "push {r11}; vpush {q4}; vmov.i8 q4, #0; vmov.i8 q8, #0; mov r11, #1; vpop {q4}; pop {r11}; bx lr",
        "d8: first overwritten by step 1 (line 1, vmov.i8 q4, #0)\nd9: first overwritten by step 1"),
    "stack-pointer": Pair("push {r0, r1}; bx lr", "push {r0, r1}; pop {r0, r1}; bx lr", 'sp: is "stack"+65528 now'),
    "return-address": Pair(
        "bl 1f; bx lr; 1: nop; bx lr",
        "push {r4, lr}; bl 1f; pop {r4, pc}; 1: nop; bx lr",
        "r14: last written by step 1 (line 1, bl 1f)"),
    "lost": Pair("mov r12, #64; bx r12", "adr r12, 1f; bx r12; nop; 1: bx lr", "goes to 0x40, which has no code"),
    "endless": Pair("1: cmp r0, r0; beq 1b; bx lr", "mov r12, #2000; 1: subs r12, r12, #1; bne 1b; bx lr",
                    "are the same as 2 steps before"),
}
# On a grid of 1 x 4 tiles: x0 out, x1 in (8 bytes a tile each), x2 the out of another tile, x3 bytes behind all outs.
GRID = {
    "aarch64": {
        "overlapping-output": Pair("str x0, [x0]; str wzr, [x0, #8]; ret", "str x0, [x0]; str wzr, [x0, #4]; ret",
                                   "tiles (0, 0) and (0, 1) write the same byte"),
        "tile-order": Pair("ldr x5, [x2]; str x5, [x0]; ret", "ldr x5, [x0]; ldr x6, [x3]; str x5, [x0]; ret",
                           "writes a byte that another tile has read before")},
    "aarch32": {
        "overlapping-output": Pair("str r0, [r0]; str r1, [r0, #8]; bx lr", "str r0, [r0]; str r1, [r0, #4]; bx lr",
                                   "tiles (0, 0) and (0, 1) write the same byte"),
        "tile-order": Pair("str r0, [r0]; ldr r12, [r2]; bx lr", "str r0, [r0]; ldr r12, [r0]; ldr r12, [r3]; bx lr",
                           "reads a byte that another tile has written")},
}
ISA_OF = {"alignment-hint": ("aarch32",), "word-alignment": ("aarch32",)}


def run(isa: str, text: str, **options: Any) -> Any:
    machine = ns.Machine(isa)
    memory = machine.memory
    out = memory.alloc(64, name="out")
    source = memory.place(np.arange(64, dtype=np.uint8), name="in", reads_before=7, reads_after=8)
    junk = memory.alloc(64, name="junk")
    fixed = memory.place(np.arange(64, dtype=np.uint8), name="fixed", readonly=True)
    return machine.call(ns.assemble(text, isa=isa), out, source, junk, fixed, 1.0, **options)


def run_grid(isa: str, text: str) -> Any:
    machine = ns.Machine(isa)
    out = machine.memory.place(np.zeros(96, np.uint8), name="out")
    source = machine.memory.place(np.arange(32, dtype=np.uint8), name="in")
    own = out + 8 * np.arange(4).reshape(1, 4)
    return machine.call(ns.assemble(text, isa=isa), own, source + (own - out), own[:, ::-1], np.full((1, 4), out + 64),
                        tiles=ns.Grid(1, 4))


def pairs() -> Iterator[Any]:
    for isa, table in (("aarch64", A64), ("aarch32", A32)):
        for rule, pair in table.items():
            yield pytest.param(isa, rule, pair, run, id=f"{rule}-{isa}")
        for rule, pair in GRID[isa].items():
            yield pytest.param(isa, rule, pair, run_grid, id=f"{rule}-{isa}")


every_pair = pytest.mark.parametrize(("isa", "rule", "pair", "run"), list(pairs()))


@every_pair
def test_broken(isa: str, rule: str, pair: Pair, run: Any) -> None:
    with pytest.raises(get_rule(rule).error) as caught:
        run(isa, pair.breaks)
    problem: Any = caught.value
    assert problem.rule == problem.finding.rule == rule
    text = str(problem)
    assert pair.says in text
    assert text.startswith(f"<text>:1: step {problem.finding.step + 1}, {problem.finding.instruction}: ")
    assert text.endswith(f"(rule {rule}; all rules: neonsim check rules)")
    # The listing ends with the instruction at fault; before it come the steps that led there, at most eight in all.
    steps = problem.finding.steps
    assert 1 <= len(steps) <= 8
    assert steps[-1].instruction == problem.finding.instruction
    assert [s.step for s in steps] == list(range(steps[-1].step - len(steps) + 1, steps[-1].step + 1))
    again = pickle.loads(pickle.dumps(problem))
    assert (str(again), again.rule, again.finding) == (text, rule, problem.finding)


@every_pair
def test_nearly_broken(isa: str, rule: str, pair: Pair, run: Any) -> None:
    assert run(isa, pair.keeps).steps > 1


def test_every_rule_has_its_kernels() -> None:
    for rule in RULES:
        for isa in ISA_OF.get(rule.name, ("aarch64", "aarch32")):
            assert rule.name in {**(A64 if isa == "aarch64" else A32), **GRID[isa]}, (rule.name, isa)


def test_the_table_prints() -> None:
    text = rules_table()
    for rule in RULES:
        assert rule.name in text
        assert rule.sentence in text
        assert rule.sentence.endswith(".")
    assert max(map(len, text.splitlines())) <= 150


@pytest.mark.parametrize("trace", [True, False, "last 3"])
def test_reports_do_not_need_a_trace(trace: Any) -> None:
    """Without one the last 64 steps are kept, so what was written long ago is said to be unknown."""
    body = "movi v0.16b, #0; ldr d0, [x2]; mov x5, #100; 1: subs x5, x5, #1; b.ne 1b; str d0, [x0]; ret"
    with pytest.raises(ns.UninitialisedRead) as caught:
        run("aarch64", body, trace=trace)
    text = str(caught.value)
    assert "The last steps (?? = uninitialized):\n" in text
    kept = {True: 'step 2 (line 1, ldr d0, [x2]) loads them from "junk"+0', False: "not written in the 64 steps that "
            "were kept", "last 3": "not written in the 3 steps that were kept"}[trace]
    assert kept in text


@pytest.mark.parametrize(("pushes", "wrong"), [
    ("sub sp, sp, #8; bl f; add sp, sp, #8", True), ("sub sp, sp, #16; bl f; add sp, sp, #16", False)])
def test_the_stack_at_the_call_of_a_global_function(pushes: str, wrong: bool) -> None:
    for line in (".global f", ""):  # functions of its own may be called with any stack
        text = f"{line}\n.global g\ng: mov x9, x30; {pushes}; mov x30, x9; ret\nf: ret"
        if wrong and line:
            with pytest.raises(ns.MemoryFault, match="at the call of f, no multiple of 16"):
                run("aarch64", text, entry="g")
        else:
            run("aarch64", text, entry="g")


@pytest.mark.parametrize(("pushes", "wrong"), [("push {lr}", True), ("push {r4, lr}", False)])
def test_the_same_of_aarch32(pushes: str, wrong: bool) -> None:
    for line in (".global f", ""):
        text = f"{line}\n.global g\ng: {pushes}; bl f; {pushes.replace('push', 'pop').replace('lr', 'pc')}\nf: bx lr"
        if wrong and line:
            with pytest.raises(ns.MemoryFault, match="at the call of f, no multiple of 8"):
                run("aarch32", text, entry="g")
        else:
            run("aarch32", text, entry="g")


def test_the_stack_at_the_call_of_a_built_in_function() -> None:
    text = "mov x9, x30; sub sp, sp, #8; mov x2, #8; bl memcpy; add sp, sp, #8; mov x30, x9; ret"
    with pytest.raises(ns.MemoryFault, match="at the call of memcpy, no multiple of 16"):
        run("aarch64", text)


@pytest.mark.parametrize(("isa", "text"), [
    ("aarch64", "sub sp, sp, #64; mov x9, sp; mov x5, #900; 1: str x5, [x9]; subs x5, x5, #1; b.ne 1b; "
                "add sp, sp, #64; str x0, [x9]; ret"),
    ("aarch32", "sub sp, sp, #64; mov r12, sp; mov r3, #900; 1: str r3, [r12]; subs r3, r3, #1; bne 1b; "
                "add sp, sp, #64; str r0, [r12]; bx lr")])
def test_below_sp_at_speed(isa: str, text: str) -> None:
    """The loop goes over to translated code, which is stopped where sp has moved."""
    with pytest.raises(ns.MemoryFault, match="stores 64 bytes below the stack pointer") as caught:
        run(isa, text)
    assert caught.value.finding is not None and caught.value.finding.step == 2704
    run(isa, text, sanitize=False)


def test_below_sp_on_a_grid() -> None:
    machine = ns.Machine("aarch64")
    program = ns.assemble("str x0, [sp, #-16]!; ldr x1, [sp], #16; ldr x1, [sp, #-16]; ret", "aarch64")
    with pytest.raises(ns.MemoryFault, match="loads 16 bytes below the stack pointer"):
        machine.call(program, np.arange(4).reshape(1, 4), tiles=ns.Grid(1, 4), sanitize=True)
    machine.call(program, np.arange(4).reshape(1, 4), tiles=ns.Grid(1, 4))


@pytest.mark.parametrize("line", [".global f", ""])
def test_a_call_inside_a_file_wants_words_on_the_stack(line: str) -> None:
    text = line + "\nf: push {r4-r5, lr}; %s bl g; %s pop {r4-r5, pc}\ng: mov r0, #7; bx lr"
    assert run("aarch32", text % ("", ""), entry="f").returned == 7
    assert run("aarch32", text % ("push {r3};", "pop {r3};"), entry="f").returned == 7
    with pytest.raises(ns.MemoryFault, match="at the call of g, no multiple of 4"):
        run("aarch32", text % ("sub sp, sp, #2;", "add sp, sp, #2;"), entry="f")


def test_a_call_of_a_built_in_function_leaves_the_file() -> None:
    text = "f: push {%s}; mov r2, #4; bl memcpy; pop {%s}\nmemcpy: ldr r3, [r1]; str r3, [r0]; bx lr"
    run("aarch32", text % ("r4, lr", "r4, pc"), entry="f")
    with pytest.raises(ns.MemoryFault, match="at the call of memcpy, no multiple of 8"):
        run("aarch32", text % ("r4-r5, lr", "r4-r5, pc"), entry="f")


LOOP = {"aarch64": "mov x10, #120; 9: add x11, x10, #1; subs x10, x10, #1; b.ne 9b; ",
        "aarch32": "mov r12, #120; 9: add r12, r12, #0; subs r12, r12, #1; bne 9b; "}


@pytest.mark.parametrize(("isa", "rule", "pair"), [
    pytest.param(isa, rule, pair, id=f"{rule}-{isa}",
                 marks=() if at % 6 == 3 * (isa == "aarch32") else pytest.mark.nightly)
    for isa, table in (("aarch64", A64), ("aarch32", A32)) for at, (rule, pair) in enumerate(table.items())
    if rule != "flags-never-set"])
def test_the_same_report_at_speed(isa: str, rule: str, pair: Pair) -> None:
    """A call that another engine has sped up ends with the interpreter's report, to the letter."""
    body = LOOP[isa] + pair.breaks
    reports = []
    for options in ({"engine": "interpreter"}, {}, {"trace": False}):
        with pytest.raises(get_rule(rule).error) as caught:
            run(isa, body, **options)
        reports.append(str(caught.value))
    assert reports[0] == reports[1]
    # Without a trace what was written more than 64 steps before is not known; the rest is the same.
    assert reports[2].splitlines()[0] == reports[0].splitlines()[0]
    run(isa, LOOP[isa] + pair.keeps)
