"""Procedure calls: where arguments are, what is junk, what must come back (AAPCS64, AAPCS32 hard-float)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.engines import compiled
from neonsim.errors import AbiViolation, BadArgument, MachineError, MemoryFault, UninitialisedRead

STORE = {"aarch64": "str x{n}, [x{to}]\n ret", "aarch32": "str r{n}, [r{to}]\n bx lr"}


def returned(isa: str, body: str, *arguments: Any, poison: int = 0, sanitize: bool = False) -> int:
    return ns.Machine(isa, poison).call(ns.assemble(body, isa=isa), *arguments, sanitize=sanitize).returned


def start(isa: str, *arguments: Any, poison: int = 0) -> ns.Machine:
    machine = ns.Machine(isa, poison)
    machine.start(ns.assemble("nop", isa=isa), *arguments)
    return machine


def test_a64_words() -> None:
    machine = start("aarch64", *range(10, 22))
    assert [machine.registers[f"x{i}"] for i in range(8)] == list(range(10, 18))
    sp = machine.registers["sp"]
    assert sp % 16 == 0
    stack = machine.memory.fetch("stack").view("u8")[-4:].tolist()
    assert stack == [18, 19, 20, 21]
    assert machine.memory.buffer("stack").end - sp == 32


def test_a64_stack_keeps_sixteen() -> None:
    machine = start("aarch64", *range(9))
    assert machine.memory.buffer("stack").end - machine.registers["sp"] == 16
    assert machine.memory.fetch("stack").view("u8")[-2] == 8


def test_a32_words() -> None:
    machine = start("aarch32", *range(10, 17))
    assert [machine.registers[f"r{i}"] for i in range(4)] == [10, 11, 12, 13]
    assert machine.registers["sp"] % 8 == 0
    assert machine.memory.fetch("stack").view("u4")[-4:-1].tolist() == [14, 15, 16]


def test_a32_pairs() -> None:
    """64-bit values take an even register and the next, or eight aligned bytes of the stack."""
    wide = np.uint64(0x1122334455667788)
    machine = start("aarch32", 1, wide)
    assert [machine.registers[f"r{i}"] for i in (0, 2, 3)] == [1, 0x55667788, 0x11223344]
    machine = start("aarch32", wide, 5, 6)
    assert [machine.registers[f"r{i}"] for i in range(4)] == [0x55667788, 0x11223344, 5, 6]
    machine = start("aarch32", 1, 2, 3, wide, 9)  # r3 stays free: what went to the stack stays there
    sp = machine.registers["sp"]
    at = sp - machine.memory.buffer("stack").address
    assert machine.memory.fetch("stack")[at:at + 12].view("u4").tolist() == [0x55667788, 0x11223344, 9]
    machine = start("aarch32", 1, 2, 3, 4, 5, wide)
    at = machine.registers["sp"] - machine.memory.buffer("stack").address
    words = machine.memory.fetch("stack")[at:at + 16].view("u4").tolist()
    assert (words[0], words[2], words[3]) == (5, 0x55667788, 0x11223344)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32])
def test_a64_leaves_junk_above_a_narrow_argument(kind: Any) -> None:
    bits = 8 * np.dtype(kind).itemsize
    values = {start("aarch64", kind(3), poison=p).registers["x0"] for p in range(4)}
    assert {v & (1 << bits) - 1 for v in values} == {3}
    assert len(values) == 4
    negative = start("aarch64", np.int8(-2)).registers["x0"]
    assert negative & 255 == 254
    with pytest.raises(UninitialisedRead):
        ns.Machine().call(ns.assemble("cbz x0, 1f\n1: ret", isa="aarch64"), kind(3))
    if bits == 32:
        ns.Machine().call(ns.assemble("cbz w0, 1f\n1: ret", isa="aarch64"), kind(3))


def test_a32_extends_narrow_arguments() -> None:
    assert [start("aarch32", v).registers["r0"] for v in (np.int8(-2), np.uint8(254), np.int16(-1))] == [
        0xFFFFFFFE, 254, 0xFFFFFFFF]


def test_numbers_of_all_kinds() -> None:
    r = start("aarch64", -1, True, np.bool_(False), np.array(7), 1 << 63, np.uint64((1 << 64) - 1)).registers
    assert [r[f"x{i}"] for i in range(6)] == [(1 << 64) - 1, 1, 0, 7, 1 << 63, (1 << 64) - 1]


def test_floats() -> None:
    machine = start("aarch64", 1.5, 3, np.float32(-2.0), float("nan"))
    assert machine.registers["d0"].as_("u64").view("f8")[0] == 1.5
    assert machine.registers["s1"].as_("f32")[0] == -2.0
    assert np.isnan(machine.registers["d2"].as_("u64").view("f8")[0])
    assert machine.registers["x0"] == 3
    result = ns.Machine().call(ns.assemble("fmov d0, d1\nret", isa="aarch64"), 1.0, 2.5)
    assert result.returned_float == 2.5
    nine = start("aarch64", *(float(i) for i in range(9)))
    assert nine.memory.fetch("stack").view("f8")[-2] == 8.0


@pytest.mark.parametrize(("isa", "argument", "words"), [
    ("aarch64", "7", "argument 0 is str '7'"), ("aarch64", None, "argument 0 is NoneType"),
    ("aarch64", [1], "argument 0 is list"), ("aarch64", 1j, "argument 0 is complex"),
    ("aarch64", 1 << 64, "does not fit a register of 64 bits"), ("aarch64", -(1 << 63) - 1, "does not fit"),
    ("aarch32", 1 << 32, "does not fit a register of 32 bits"), ("aarch32", "1.0", "argument 0 is str"),
    ("aarch64", np.zeros(3, int), "Place it in memory and pass its address"),
    ("aarch64", np.array("x"), "argument 0 is ndarray"),
    ("aarch64", np.datetime64("2020"), "argument 0 is datetime64")],
    ids=str)
def test_refused_arguments(isa: str, argument: Any, words: str) -> None:
    with pytest.raises(BadArgument) as caught:
        start(isa, argument)
    assert words in str(caught.value)


def test_a_refused_argument_leaves_nothing_half_started() -> None:
    machine = start("aarch64", 1)
    with pytest.raises(BadArgument):
        machine.call(ns.assemble("ret", isa="aarch64"), "x")
    with pytest.raises(MachineError, match="the call could not begin: there is no next instruction"):
        machine.step()
    machine.call(ns.assemble("ret", isa="aarch64"), 1)


def test_far_too_many_arguments() -> None:
    with pytest.raises(MemoryFault, match="stack"):
        start("aarch64", *range(20_000))


FRAMES = {"aarch64": ("ldr x9, [sp, #16]\nldp q0, q1, [sp, #224]\nmov w0, #1\nret", "ldr x9, [sp]\nstr x9, [x0]\nret",
                      "str xzr, [sp]\nret"),
          "aarch32": ("ldr r12, [sp, #16]\nadd r1, sp, #240\nvld1.8 {q0}, [r1]\nmov r0, #1\nbx lr",
                      "ldr r12, [sp]\nstr r12, [r0]\nbx lr", "str r0, [sp]\nbx lr")}


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_the_caller_has_a_frame(isa: str) -> None:
    """Above the last argument lie bytes of the caller: they may be read, not used or written, on every engine."""
    reads, uses, writes = (ns.assemble(text, isa=isa) for text in FRAMES[isa])
    every: list[dict[str, Any]] = [{}, {"sanitize": False}, {"trace": False, "sanitize": False},
                                   {"engine": "interpreter"}, {"engine": "python"}]
    grid = {"tiles": ns.Grid(2, 3)}
    every += [grid, grid | {"sanitize": True}, grid | {"engine": "interpreter"}]
    if compiled.compiler() is not None:
        every += [{"engine": "compiled"}, grid | {"engine": "compiled"}]
    for options in every:
        for more in ((), (1, 2, 3, 4, 5, 6, 7, 8, 9)):
            for _ in range(3):
                result = ns.Machine(isa).call(reads, 7, *more, **options)
                assert result.returned == 1 and result.warnings == []
        machine = ns.Machine(isa)
        out = machine.memory.alloc(8, name="out")
        with pytest.raises(MemoryFault):
            machine.call(writes, out, **options)
        if options.get("sanitize", "engine" not in options and "tiles" not in options):
            with pytest.raises(UninitialisedRead, match='to buffer "out", offset 0'):
                machine.call(uses, out, **options)


# ---- what must come back --------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("isa", "line", "register"), [
    *(("aarch64", f"mov x{n}, #1", f"x{n}") for n in range(19, 30)),
    *(("aarch64", f"movi v{n}.16b, #1", f"d{n}") for n in range(8, 16)),
    ("aarch64", "sub sp, sp, #16", "sp"),
    *(("aarch32", f"mov r{n}, #1", f"r{n}") for n in range(4, 12)),
    *(("aarch32", f"vmov.i8 d{n}, #1", f"d{n}") for n in range(8, 16)),
    ("aarch32", "sub sp, sp, #8", "sp")])
def test_callee_saved(isa: str, line: str, register: str) -> None:
    end = "ret" if isa == "aarch64" else "bx lr"
    with pytest.raises(AbiViolation) as caught:
        ns.Machine(isa).call(ns.assemble(f"{line}\n{end}", isa=isa))
    text = str(caught.value)
    assert f"the call returned with {register} changed: a function must keep" in text
    assert ("What is pushed has to be popped" if register == "sp" else
            "Save it on the stack first and load it back before returning") in text


def test_only_the_lower_halves_are_saved() -> None:
    returned("aarch64", "ins v8.d[1], x0\nmovi v16.16b, #1\nmov x18, #3\nmov x9, #2\nret", 1)
    returned("aarch32", "vmov.i8 q0, #1\nvmov.i8 q8, #1\nmov r12, #3\nbx lr")
    with pytest.raises(AbiViolation, match=r"with d8, x19 changed.*Save them"):
        returned("aarch64", "movi v8.8b, #0\nmov x19, #0\nret")


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_saved_and_given_back(isa: str) -> None:
    body = {"aarch64": """
        stp d8, d9, [sp, #-16]!
        stp x19, x30, [sp, #-16]!
        movi v8.16b, #3
        mov x19, #4
        bl inner
        ldp x19, x30, [sp], #16
        ldp d8, d9, [sp], #16
        ret
    inner: add x0, x0, #1
        ret""", "aarch32": """
        push {r4-r6, lr}
        vpush {d8-d9}
        vmov.i8 q4, #3
        mov r4, #4
        bl inner
        vpop {d8-d9}
        pop {r4-r6, pc}
    inner: add r0, r0, #1
        bx lr"""}[isa]
    assert returned(isa, body, 41, sanitize=True) == 42


def test_set_and_put_back_is_kept() -> None:
    assert returned("aarch64", "mov x9, x19\nmov x19, #5\nmov x0, x19\nmov x19, x9\nret") == 5


@pytest.mark.parametrize(("isa", "body", "words"), [
    ("aarch64", "nop", "execution ran past the end of the program: a return (ret, bx lr) is missing"),
    ("aarch64", "mov x1, #64\nbr x1", "the branch goes to 0x40, which has no code"),
    ("aarch32", "mov r1, #65\nbx r1", "Thumb code is not emulated"),
    ("aarch64", "mov x30, #2\nret", "the return goes to 0x2, not to its caller"),
    ("aarch64", "bl 1f\n1: ret\nb 1b", "the return goes to 0x8000004, not to its caller"),
    ("aarch64", "1: add x0, x0, #1\nb 1b", "still running")])
def test_lost(isa: str, body: str, words: str) -> None:
    with pytest.raises(MachineError) as caught:
        ns.Machine(isa).call(ns.assemble(body, isa=isa), max_steps=1000)
    assert words in str(caught.value)


def test_past_the_end_step_by_step() -> None:
    machine = ns.Machine()
    machine.start(ns.assemble("nop", isa="aarch64"))
    machine.step()
    assert machine.line is None
    with pytest.raises(MachineError, match="past the end"):
        machine.step()
    machine.back()
    assert machine.line == 1


def test_a_table_among_code_is_read_in_whole_registers() -> None:
    """What lies behind it are instructions: their bytes may be loaded but not used."""
    text = """
    table: .hword 1, 2, 3, 4
    f:  adr     r12, table
        vld1.16 {q0}, [r12]
        vst1.16 {%s}, [r0]
        bx      lr
    """
    for register, fails in (("d0", False), ("q0", True)):
        machine = ns.Machine("aarch32")
        out = machine.memory.alloc(16, name="out")
        program = ns.assemble(text % register, isa="aarch32")
        if fails:
            with pytest.raises(UninitialisedRead):
                machine.call(program, out, entry="f")
        else:
            machine.call(program, out, entry="f")
            assert machine.memory.fetch("out", dtype="uint16").tolist()[:4] == [1, 2, 3, 4]


def test_junk_is_drawn_once_for_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines of one seed begin alike, and draw on alike."""
    first = ns.Machine(poison=41)
    drawn: list[Any] = []
    monkeypatch.setattr("neonsim.arm.machine.arch.abi.poison", lambda *given: drawn.append(given))
    again = ns.Machine(poison=41)
    assert not drawn and repr(again.registers) == repr(first.registers)
    monkeypatch.undo()
    program = ns.assemble("ret", isa="aarch64")
    assert first.call(program).returned == again.call(program).returned != ns.Machine(poison=42).call(program).returned
