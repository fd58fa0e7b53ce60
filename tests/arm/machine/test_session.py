"""Memory, registers, stepping forwards and back, traces: what the interface promises, on both instruction sets."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument, MachineError, StepLimit
from tests.work import calls

ADD = {
    "aarch64": """
    .global add
    add: // c[i] = a[i] + b[i] for n multiples of 8 bytes
        ld1 {v0.8b}, [x1], #8
        ld1 {v1.8b}, [x2], #8
        add v2.8b, v0.8b, v1.8b
        st1 {v2.8b}, [x3], #8
        subs x0, x0, #8
    more:
        b.hi add
        mov x0, #7
        ret
    """,
    "aarch32": """
    .global add
    add:
        push {r4, lr}
        mov r4, r0
    loop:
        vld1.8 {d0}, [r1]!
        vld1.8 {d1}, [r2]!
        vadd.i8 d16, d0, d1
        vst1.8 {d16}, [r3]!
        subs r4, r4, #8
    more:
        bhi loop
        mov r0, #7
        pop {r4, pc}
    """,
}
ISAS = pytest.mark.parametrize("isa", ["aarch64", "aarch32"])


def loaded(isa: str, n: int = 24) -> tuple[ns.Machine, ns.Program, list[int], Any, Any]:
    machine = ns.Machine(isa=isa)
    a, b = np.arange(n, dtype=np.uint8), np.full(n, 250, np.uint8)
    memory = machine.memory
    addresses = [memory.place(a, name="a"), memory.place(b, name="b"), memory.alloc(n, name="c")]
    return machine, ns.assemble(ADD[isa], isa=isa), [n, *addresses], a, b


def snapshot(machine: ns.Machine) -> tuple[Any, ...]:
    registers = machine.registers
    names = ([f"v{i}" for i in range(32)] + [f"x{i}" for i in range(31)] if machine.isa == "aarch64" else
             [f"q{i}" for i in range(16)] + [f"r{i}" for i in range(15)])
    values = tuple(bytes(v) if isinstance(v, ns.Register) else v for v in (registers[n] for n in [*names, "sp", "pc"]))
    return (*values, int(machine.registers["nzcv"]), *(machine.memory.fetch(b.name).tobytes()
                                                       for b in machine.memory.buffers))


# ---- memory ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("array", [np.arange(12, dtype=np.int16).reshape(3, 4), np.float32(2.5), np.zeros((0, 3), "u1"),
                                   np.arange(24).reshape(4, 6).T, np.array([True, False]), [1, 2, 3], b"abc",
                                   np.arange(10, dtype=">i4")[::2]],
                         ids=["int16", "scalar", "empty", "transposed", "bool", "list", "bytes", "big endian, strided"])
def test_place_and_fetch(array: Any) -> None:
    memory = ns.Machine().memory
    address = memory.place(array, name="x")
    assert address % 64 == 0
    back = memory.fetch("x")
    assert back.shape == np.shape(array)
    assert back.dtype == np.asarray(array).dtype
    assert np.array_equal(back, array)


def test_fetch_in_another_shape() -> None:
    memory = ns.Machine().memory
    memory.place(np.arange(8, dtype=np.uint8), name="x")
    assert memory.fetch("x", dtype="uint16").tolist() == [0x100, 0x302, 0x504, 0x706]
    assert memory.fetch("x", shape=(2, -1)).shape == (2, 4)
    assert memory.fetch("x", dtype=np.int32, shape=(1, 2)).dtype == np.int32
    copy = memory.fetch("x")
    copy[0] = 99
    assert memory.fetch("x")[0] == 0


def test_names_and_guards() -> None:
    memory = ns.Machine().memory
    first, second = memory.place([1, 2]), memory.alloc(5)
    assert [b.name for b in memory.buffers] == ["buffer0", "buffer1"]
    assert second - (first + 16) >= 64
    assert "buffer0" in repr(memory)
    assert memory.alloc(0) != memory.alloc(0)


@pytest.mark.parametrize(("call", "words"), [
    (lambda m: m.place([1], name="x"), '"x" exists already. Use another name for this one'),
    (lambda m: m.place([1], name="stack"), "is reserved for the machine"),
    (lambda m: m.place([1], name=7), "must be a str"),
    (lambda m: m.place(None), "Python objects"),
    (lambda m: m.place([[1, 2], [3]]), "this array cannot be placed"),
    (lambda m: m.place(object()), "Python objects"),
    (lambda m: m.place([1], reads_before=-1), "reads_before, in bytes, must be in 0..1048576; got -1"),
    (lambda m: m.place([1], reads_after=float("nan")), "reads_after, in bytes, must be an integer in 0..1048576"),
    (lambda m: m.alloc(-1), "must be 0 or more; got -1"),
    (lambda m: m.alloc(float("nan")), "must be an integer of 0 or more; got nan"),
    (lambda m: m.alloc("4"), "the size of a buffer, in bytes, must be an integer of 0 or more; got '4'"),
    (lambda m: m.alloc(None), "0 or more; got None"),
    (lambda m: m.alloc(1 << 31), "too large. All buffers together may have 1 GiB"),
    (lambda m: m.alloc(10 ** 30), "too large"),
    (lambda m: m.fetch("y"), "there is no buffer 'y': there are x"),
    (lambda m: m.fetch(None), "there is no buffer None"),
    (lambda m: m.fetch(["x"]), "there is no buffer"),
    (lambda m: m.fetch("x", dtype="uint7"), "'uint7' is not an element type"),
    (lambda m: m.fetch("x", dtype="a,,b"), "is not an element type"),
    (lambda m: m.fetch("x", dtype="V0"), "not a multiple of the size of"),
    (lambda m: m.fetch("x", dtype=object), "not a multiple of the size of object"),
    (lambda m: m.fetch("x", dtype="int64"), '"x" has 6 bytes, which is not a multiple of the size of int64'),
    (lambda m: m.fetch("x", shape=(7,)), '"x" has 6 elements of uint8, which do not fill shape (7,)'),
    (lambda m: m.fetch("x", shape="wide"), "do not fill shape wide"),
    (lambda m: m.fetch("x", shape=(-1, -1)), "do not fill shape"),
])
def test_refused(call: Any, words: str) -> None:
    memory = ns.Machine().memory
    memory.place(np.zeros(6, np.uint8), name="x")
    with pytest.raises(BadArgument) as caught:
        call(memory)
    assert words in str(caught.value)


# ---- stepping -------------------------------------------------------------------------------------------------------

@ISAS
def test_call(isa: str) -> None:
    machine, program, arguments, a, b = loaded(isa)
    result = machine.call(program, *arguments)
    assert np.array_equal(machine.memory.fetch("c"), a + b)
    assert result.returned == 7
    assert result.steps == result.trace.steps == result.tile_steps
    assert result.warnings == []
    assert not machine.running
    quick = machine.call(program, *arguments, trace=False, sanitize=False)
    assert quick.trace is None
    assert quick.steps == result.steps


@ISAS
def test_step_and_back_over_everything(isa: str) -> None:
    machine, program, arguments, a, b = loaded(isa)
    machine.start(program, *arguments, entry="add")
    states = [snapshot(machine)]
    while machine.running:
        machine.step()
        states.append(snapshot(machine))
    assert machine.steps == len(states) - 1
    assert np.array_equal(machine.memory.fetch("c"), a + b)
    for state in reversed(states[:-1]):
        machine.back()
        assert snapshot(machine) == state
    with pytest.raises(MachineError, match="there is no earlier step: this is the start"):
        machine.back()
    machine.step(len(states) + 100)  # stops at the return
    assert snapshot(machine) == states[-1]
    machine.back(10 ** 30)  # stops at the start
    assert snapshot(machine) == states[0]
    machine.step(3)
    machine.step(2)
    assert snapshot(machine) == states[5]


@ISAS
def test_back_reaches_into_an_older_memory(isa: str) -> None:
    """A buffer placed in between moves nothing and spoils no way back."""
    machine, program, arguments, _, _ = loaded(isa)
    machine.start(program, *arguments)
    before = machine.memory.fetch("c").tolist()
    machine.run(until="more")
    machine.memory.alloc(1 << 20, name="later")
    after = machine.memory.fetch("c").tolist()
    assert after != before
    machine.back(100)
    assert machine.memory.fetch("c").tolist() == before
    machine.run(until="more")
    assert machine.memory.fetch("c").tolist() == after


@ISAS
def test_run_until(isa: str) -> None:
    machine, program, arguments, a, b = loaded(isa)
    machine.start(program, *arguments)
    machine.run(until="more")
    first = machine.steps
    assert machine.line == program.instructions[program.symbols["more"]].position.line
    machine.run(until=machine.line)
    second = machine.steps
    assert second > first
    machine.run(until=lambda m: m.memory.fetch("c")[-1] == (a + b)[-1])
    assert machine.steps > second
    machine.run()
    assert not machine.running
    with pytest.raises(MachineError, match=r"the call has returned: there is no next instruction. Call start\(\)"):
        machine.step()
    with pytest.raises(MachineError, match="the call has returned"):
        machine.run()


@ISAS
def test_until_never_reached(isa: str) -> None:
    machine, program, arguments, _, _ = loaded(isa)
    machine.start(program, *arguments)
    with pytest.raises(MachineError, match="the condition was not reached: the call returned after"):
        machine.run(until=lambda m: False)
    machine.start(program, *arguments)
    machine.run(until="more")
    machine.run(until="more")
    machine.run(until="more")
    with pytest.raises(MachineError, match="the label 'more' was not reached"):
        machine.run(until="more")
    machine.start(program, *arguments)
    with pytest.raises(StepLimit, match="still running after 5 steps"):
        machine.run(max_steps=5)
    assert machine.running
    machine.run()


@ISAS
@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda m, p, a: m.run(until=999), BadArgument, "line 999 has no instruction. The nearest is line"),
    (lambda m, p, a: m.run(until=True), BadArgument, "until must be a label, a line number or a function"),
    (lambda m, p, a: m.run(until=1.5), BadArgument, "until must be a label"),
    (lambda m, p, a: m.run(until="nowhere"), ns.AssemblyError, "has no label 'nowhere'"),
    (lambda m, p, a: m.run(max_steps=None), BadArgument, "an integer of 1 or more; got None"),
    (lambda m, p, a: m.run(max_steps=0), BadArgument, "1 or more; got 0"),
    (lambda m, p, a: m.step(0), BadArgument, "the number of steps for step must be 1 or more; got 0"),
    (lambda m, p, a: m.step(-3), BadArgument, "got -3"),
    (lambda m, p, a: m.step(1.0), BadArgument, "got 1.0"),
    (lambda m, p, a: m.step("1"), BadArgument, "got '1'"),
    (lambda m, p, a: m.step(None), BadArgument, "got None"),
    (lambda m, p, a: m.back(float("nan")), BadArgument, "got nan"),
    (lambda m, p, a: m.call(p, *a, max_steps=-1), BadArgument, "max_steps must be 1 or more; got -1"),
    (lambda m, p, a: m.call(p, *a, max_steps="many"), BadArgument, "max_steps"),
    (lambda m, p, a: m.call(p, *a, trace="last"), BadArgument, 'trace must be True, False or "last N"'),
    (lambda m, p, a: m.call(p, *a, trace="last 0"), BadArgument, "trace must"),
    (lambda m, p, a: m.call(p, *a, trace=5), BadArgument, "trace must"),
    (lambda m, p, a: m.call(p, *a, tiles=(2, 2)), BadArgument, "tiles must be a neonsim.Grid"),
    (lambda m, p, a: m.call("ret", *a), BadArgument, "a call needs a program from neonsim.assemble, not str"),
    (lambda m, p, a: m.call(None), BadArgument, "not NoneType"),
    (lambda m, p, a: m.call(p, *a, entry="sub"), ns.AssemblyError, "has no label 'sub'"),
    (lambda m, p, a: m.call(p, *a, entry=5), BadArgument, "entry must be the name of a label; got 5"),
    (lambda m, p, a: m.call(p, *a, entry=["add"]), BadArgument, "entry must be the name of a label"),
    (lambda m, p, a: m.start(p, *a, entry=b"add"), BadArgument, "entry must be the name of a label"),
], ids=lambda x: x if isinstance(x, str) else "")
def test_refused_motion(isa: str, call: Any, error: Any, words: str) -> None:
    machine, program, arguments, _, _ = loaded(isa)
    machine.start(program, *arguments)
    machine.step()
    with pytest.raises(error) as caught:
        call(machine, program, arguments)
    assert words in str(caught.value)
    machine.step()  # a refusal changes nothing


def test_nothing_started() -> None:
    machine = ns.Machine()
    for call in (machine.step, machine.back, machine.run, machine.trace):
        with pytest.raises(MachineError, match="no run has been started"):
            call()
    assert machine.warnings() == []
    assert machine.line is None
    assert "not running" in repr(machine)


@pytest.mark.parametrize("arguments", [("armv8",), (None,), (5,), ("aarch64", -1), ("aarch64", "x"), ("aarch64", None),
                                       ("aarch64", 1.5)], ids=str)
def test_refused_machines(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(BadArgument):
        ns.Machine(*arguments)


@pytest.mark.parametrize("arguments", [(0, 1), (1, -1), (1.5, 1), ("2", 2), (None, 1), (True, 1),
                                       (1 << 20, 2)], ids=str)
def test_refused_grids(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(BadArgument, match="a grid"):
        ns.Grid(*arguments)


def test_program_of_the_other_isa() -> None:
    program = ns.assemble("bx lr", isa="aarch32")
    with pytest.raises(BadArgument, match='this machine is aarch64, the program is aarch32: make a Machine'):
        ns.Machine("aarch64").call(program)


# ---- registers ------------------------------------------------------------------------------------------------------

def test_views_of_a64_registers() -> None:
    machine = ns.Machine("aarch64")
    machine.registers["v8"] = np.arange(16, dtype=np.uint8)
    r = machine.registers
    assert r["v8"].as_("s32").tolist() == [0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C]
    assert (int(r["d8"]), int(r["s8"]), int(r["h8"]), int(r["b8"])) == (0x0706050403020100, 0x03020100, 0x100, 0)
    assert bytes(r["Q8"]) == bytes(range(16))
    r["s8"] = 0xFFFFFFFF  # writing a part clears the rest
    assert int(r["v8"]) == 0xFFFFFFFF
    assert r["s8"].as_("f32").shape == (1,)
    r["x3"] = -1
    assert (r["x3"], r["w3"]) == ((1 << 64) - 1, (1 << 32) - 1)
    r["w3"] = 5
    assert r["x3"] == 5
    r["sp"] = 0x1000
    assert r["sp"] == 0x1000
    r["nzcv"] = 0b1010
    assert (machine.flags.n, machine.flags.z, machine.flags.c, machine.flags.v) == (1, 0, 1, 0)
    assert "v8" in repr(r["v8"])
    assert "x3" in repr(r)


def test_views_of_a32_registers() -> None:
    r = ns.Machine("aarch32").registers
    r["q1"] = np.arange(16, dtype=np.uint8)
    assert bytes(r["d2"]) == bytes(range(8))
    assert bytes(r["d3"]) == bytes(range(8, 16))
    assert [int(r[f"s{4 + i}"]) for i in range(4)] == [0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C]
    r["s5"] = 0xAABBCCDD  # the others stay
    assert bytes(r["q1"]).hex() == "00010203" "ddccbbaa" "08090a0b0c0d0e0f"
    r["d3"] = 0
    assert bytes(r["q1"]).hex() == "00010203" "ddccbbaa" "0000000000000000"
    r["lr"] = 77
    assert r["r14"] == 77
    assert int(r["d31"]) == int(r["q15"]) >> 64


@pytest.mark.parametrize(("isa", "name", "value"), [
    ("aarch64", "v32", 0), ("aarch64", "x31", 0), ("aarch64", "r0", 0), ("aarch64", None, 0), ("aarch64", 8, 0),
    ("aarch64", "", 0), ("aarch64", "x٣", 0), ("aarch32", "x0", 0), ("aarch32", "q16", 0), ("aarch32", "h0", 0),
    ("aarch64", "x0", 1 << 64), ("aarch64", "x0", 1.0), ("aarch64", "x0", "1"), ("aarch64", "x0", None),
    ("aarch64", "w0", 1 << 32), ("aarch64", "nzcv", 16), ("aarch64", "pc", 0), ("aarch64", "v0", 1 << 128),
    ("aarch64", "v0", [1, 2, 3]), ("aarch64", "v0", None), ("aarch64", "v0", "abc"), ("aarch64", "v0", [[1], [2, 3]]),
    ("aarch64", "v0", float("nan")), ("aarch64", "d0", np.zeros(16, np.uint8)), ("aarch64", "v0", b"short")])
def test_refused_registers(isa: str, name: Any, value: Any) -> None:
    machine = ns.Machine(isa)
    with pytest.raises(BadArgument):
        machine.registers[name] = value


def test_refused_element_types() -> None:
    register = ns.Machine().registers["v0"]
    for name in ("s7", "", None, "s128", 8, "f16x"):
        with pytest.raises(BadArgument, match="is no"):
            register.as_(name)


# ---- traces ---------------------------------------------------------------------------------------------------------

@ISAS
def test_trace_equals_stepping(isa: str) -> None:
    machine, program, arguments, _, _ = loaded(isa)
    trace = machine.call(program, *arguments).trace
    other, _, arguments, _, _ = loaded(isa)
    other.start(program, *arguments)
    for step in range(trace.steps + 1):
        state = trace.state(step)
        for name, value in state.items():
            register = other.registers[name]
            now = bytes(register) if isinstance(register, ns.Register) else int(register).to_bytes(len(value), "little")
            if name != "r15":
                assert now == value, f"{name} before step {step}"
        if step < trace.steps:
            assert other.line == trace.instruction(step).position.line
            other.step()
    assert other.trace().pc.tolist() == trace.pc.tolist()


@ISAS
def test_trace_columns(isa: str) -> None:
    machine, program, arguments, a, b = loaded(isa, 16)
    c = arguments[3]
    t = machine.call(program, *arguments).trace
    assert (t.isa, t.first, t.grid, t.returned, len(t)) == (isa, 0, None, 7, t.steps)
    assert t.write_before.shape == t.write_after.shape == (len(t.write_location), 16)
    assert t.write_start[-1] == len(t.write_location)
    assert t.access_start[-1] == len(t.access_address)
    stores = [access for step in range(t.steps) for access in t.accesses(step) if access[2] and access[0] >= c]
    assert [(address - c, nbytes, after) for address, nbytes, _, _, after in stores if address < c + 16] == [
        (0, 8, (a + b)[:8].tobytes()), (8, 8, (a + b)[8:].tobytes())]
    last = t.last_store(c + 9)
    assert last is not None
    assert str(t.instruction(last)).startswith(("st1", "vst1"))
    assert t.last_store(c + 100) is None
    taken = [t.branch_taken(i) for i in range(t.steps) if t.instruction(i).is_branch]
    assert taken == [True, False, True]
    before = {x.name: x for x in t.buffers}
    assert before["a"].before == a.tobytes()
    assert before["c"].defined == bytes(16)
    assert before["c"].before != (a + b).tobytes()
    assert ("(condition failed)" in t.to_text()) == (isa == "aarch32")  # the last bhi
    assert len(t.to_text(2, 3).splitlines()) == 3
    wrong: tuple[Any, ...] = (t.steps + 1, -1, "1", None, 1.5)
    for step in wrong:
        with pytest.raises(BadArgument, match=r"^step must be "):
            t.state(step)
    with pytest.raises(BadArgument, match=r"^step must be "):
        t.instruction(t.steps)


@ISAS
def test_last_steps_only(isa: str) -> None:
    machine, program, arguments, a, b = loaded(isa)
    whole = machine.call(program, *arguments).trace
    result = machine.call(program, *arguments, trace="last 5")
    t = result.trace
    assert (t.steps, t.first) == (5, whole.steps - 5)
    assert t.pc.tolist() == whole.pc[-5:].tolist()
    stored = {x.name: x.before for x in t.buffers}["c"]
    assert stored[:16] == (a + b)[:16].tobytes()
    machine.back(5)
    with pytest.raises(MachineError, match="were not kept: 5 at most"):
        machine.back()
    machine.call(program, *arguments, trace=False, sanitize=False)
    with pytest.raises(MachineError, match="were not kept: the call ran with trace=False"):
        machine.back()


@ISAS
def test_pickles(isa: str) -> None:
    machine, program, arguments, _, _ = loaded(isa)
    result = machine.call(program, *arguments)
    again = pickle.loads(pickle.dumps(result))
    assert again.trace.to_text() == result.trace.to_text()
    assert again.trace.state(9) == result.trace.state(9)
    assert (again.returned, again.steps) == (result.returned, result.steps)
    copy = pickle.loads(pickle.dumps(program))
    assert copy == program
    assert machine.call(copy, *arguments).steps == result.steps
    assert isinstance(pickle.loads(pickle.dumps(result.trace)), ns.Trace)


def test_a_failed_condition_is_in_the_trace() -> None:
    program = ns.assemble("cmp r0, #1\naddeq r0, r0, #5\naddne r0, r0, #7\nbx lr", isa="aarch32")
    t = ns.Machine("aarch32").call(program, 1).trace
    assert t.executed.tolist() == [True, True, False, True]
    assert t.returned == 6
    assert t.to_text().count("(condition failed)") == 1
    assert t.write_start[3] == t.write_start[2]


def test_registers_set_between_steps() -> None:
    machine = ns.Machine()
    machine.start(ns.assemble("add x0, x0, #1\nadd x0, x0, #1\nret", isa="aarch64"), 1)
    machine.step()
    machine.registers["x0"] = 40
    machine.step()
    assert machine.registers["x0"] == 41
    machine.back()
    assert machine.registers["x0"] == 40
    machine.back()
    assert machine.registers["x0"] == 1


def test_a_step_of_a_loop_makes_nothing_that_it_has_already() -> None:
    """Constants and flags are the same objects at every turn: a step is some fifty calls of functions."""
    program = ns.assemble("f: mov x1, #0\n0: add x1, x1, x0\nsubs x0, x0, #1\nb.ne 0b\nmov x0, x1\nret", "aarch64")

    def stepped(turns: int) -> None:
        machine = ns.Machine()
        machine.start(program, turns)
        machine.run()
    stepped(10)
    few, many = (calls(partial(stepped, turns)) for turns in (100, 200))
    assert many - few < 56 * 3 * 100
