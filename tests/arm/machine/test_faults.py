"""What goes wrong at run time says what, where and what to do, and leaves the machine before that instruction."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.binder import BoundInstruction
from neonsim.arm.machine.engines.recording import RecordingEngine
from neonsim.errors import MachineError, MemoryFault, StepLimit
from tests.tiers import every
from tests.until import until


def machine_of(isa: str = "aarch64") -> tuple[ns.Machine, dict[str, int]]:
    machine = ns.Machine(isa)
    memory = machine.memory
    return machine, {
        "a": memory.place(np.arange(100, dtype=np.uint8), name="a"),
        "ro": memory.place(np.arange(16, dtype=np.uint8), name="ro", readonly=True),
        "over": memory.place(np.arange(64, dtype=np.uint8), name="over", reads_before=7, reads_after=9),
        "c": memory.alloc(32, name="c")}


FAULTS = [
    ("ldr q0, [x0, #96]", "a", 'reads 16 bytes at {96:#x}: offset 96 of buffer "a" (100 bytes), 12 bytes past its end'),
    ("ldrb w0, [x0, #100]", "a", 'offset 100 of buffer "a" (100 bytes), 1 byte past its end'),
    ("ldr x0, [x0, #-8]", "a", 'that is 8 bytes before buffer "a"'),
    ("ldrb w0, [x0, #-1]!", "a", 'that is 1 byte before buffer "a"'),
    ("str q0, [x0, #24]", "c", 'writes 16 bytes at {24:#x}: offset 24 of buffer "c" (32 bytes), 8 bytes past its end'),
    ("str x1, [x0]", "ro", 'writes 8 bytes at {0:#x}, but buffer "ro" is read-only'),
    ("st1 {v0.b}[3], [x0]", "ro", 'but buffer "ro" is read-only'),
    ("ldr x1, [x0, #-8]", "over", '8 bytes before buffer "over" (64 bytes); 7 bytes before and 9 after it may be read'),
    ("ldr x1, [x0, #72]", "over", "9 after it may be read"),
    ("str x1, [x0, #-7]", "over", 'that is 7 bytes before buffer "over"'),
    ("str x1, [x0, #60]", "over", "past its end"),
    ("mov x0, #64\nldr x1, [x0]", "a", "reads 8 bytes at 0x40, where no buffer is. Buffers: a 0x"),
    ("mov x0, #-8\nldr x1, [x0]", "a", "where no buffer is"),
    ("sub sp, sp, #64, lsl #12\nldr x1, [sp]", "a", "reads 8 bytes at"),
    ("add x1, sp, #249\nldr x1, [x1]", "a", '257 bytes past its end; 0 bytes before and 256 after it may be read'),
    ("str x1, [sp]", "a", 'buffer "stack"'),
]


@pytest.mark.parametrize(("body", "name", "words"), FAULTS,
                         ids=[f[0].replace("\n", "; ") + f" [{f[1]}]" for f in FAULTS])
def test_memory_faults(body: str, name: str, words: str) -> None:
    machine, at = machine_of()
    program = ns.assemble(f"{body}\nret", isa="aarch64")
    for found in (96, 24, 0):
        words = words.replace(f"{{{found}:#x}}", f"{at[name] + found:#x}")
    names = [b.name for b in machine.memory.buffers]
    before = [machine.memory.fetch(n).tobytes() for n in names]
    with pytest.raises(MemoryFault) as caught:
        machine.call(program, at[name], 0, sanitize=False)
    text = str(caught.value)
    line = body.splitlines()[-1]
    assert words in text
    assert text.startswith(f"<text>:{len(body.splitlines())}: step {len(body.splitlines())}, {line.lower()}: ")
    assert [machine.memory.fetch(n).tobytes() for n in names] == before


def test_declared_over_read() -> None:
    machine, at = machine_of()
    program = ns.assemble("ldr x1, [x0, #-7]\nldr x2, [x0, #65]\nlsr x0, x1, #56\nret", isa="aarch64")
    assert machine.call(program, at["over"]).returned == 0


def test_after_a_fault_the_machine_stands_before_it() -> None:
    machine, at = machine_of()
    program = ns.assemble("mov x3, #5\nldr x0, [x0, #400]\nmov x3, #6\nret", isa="aarch64")
    machine.start(program, at["a"])
    machine.step()
    for _ in range(2):
        with pytest.raises(MemoryFault):
            machine.step()
        assert (machine.line, machine.steps, machine.registers["x0"]) == (2, 1, at["a"])
    machine.registers["x0"] = at["a"] - 400
    machine.run()
    assert machine.registers["x3"] == 6


def test_a_fault_in_a_call() -> None:
    machine, at = machine_of()
    with pytest.raises(MemoryFault):
        machine.call(ns.assemble("mov x3, #5\nldr x0, [x0, #400]\nret", isa="aarch64"), at["a"])
    with pytest.raises(MachineError, match="the call has failed: there is no next instruction"):
        machine.step()
    machine.back()
    assert machine.line == 1


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_endless_loop(isa: str) -> None:
    with pytest.raises(StepLimit) as caught:
        ns.Machine(isa).call(ns.assemble("here: b here", isa=isa), max_steps=500)
    assert "step 501, b here: still running after 500 steps: a loop that does not end? Raise" in str(caught.value)
    program = ns.assemble("ret" if isa == "aarch64" else "bx lr", isa=isa)
    assert ns.Machine(isa).call(program, max_steps=1).steps == 1
    assert ns.Machine(isa).call(program, max_steps=10 ** 40).steps == 1


# ---- Ctrl-C ---------------------------------------------------------------------------------------------------------

LOOP = """
    mov x2, #0
again:
    ldr x3, [x0]
    add x3, x3, #1
    str x3, [x0]
    add x2, x2, #1
    cmp x2, x1
    b.ne again
    ret
"""


def consistent(machine: ns.Machine) -> None:
    """The counter in memory is the one in x2, but for the steps between store and add."""
    inside = machine.line == 7
    assert int(machine.memory.fetch("count")[0]) == machine.registers["x2"] + inside


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Python's own handler (a shell's background job would ignore the signal), and no garbage collection: the test
    framework hooks into it, and an interrupt in a hook of the collector is lost."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_in_a_call() -> None:
    machine = ns.Machine()
    count = machine.memory.place(np.zeros(1, np.uint64), name="count")
    program = ns.assemble(LOOP, isa="aarch64")

    def interrupt() -> None:
        try:
            until(lambda: machine.steps > 10, "steps")
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        machine.call(program, count, 10 ** 12, max_steps=10 ** 13)
    thread.join()
    assert machine.running
    assert machine.steps > 10
    machine.step(13)
    machine.run(until="again")
    consistent(machine)
    trace = machine.trace()
    assert trace.steps == machine.steps
    at = machine.steps
    machine.back(4)
    machine.step(4)
    assert machine.steps == at
    consistent(machine)
    machine.registers["x1"] = machine.registers["x2"] + 3
    machine.run()
    assert int(machine.memory.fetch("count")[0]) == machine.registers["x2"]
    assert machine.call(program, count, 2).steps == 14


@pytest.mark.parametrize("place", every(3, ["_take", "_give", "_made"]))
def test_ctrl_c_between_translated_code_and_the_machine(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers are on their way there or back: the call can be gone on with all the same."""
    machine = ns.Machine()
    count = machine.memory.place(np.zeros(1, np.uint64), name="count")
    text = LOOP.replace("#0\n", "#0; movi v0.16b, #1\n").replace("again:\n", "again: add v0.16b, v0.16b, v0.16b\n")
    program = ns.assemble(text, isa="aarch64")
    plain, times = getattr(RecordingEngine, place), iter(range(100))

    def interrupted(*given: Any) -> Any:
        if next(times) == 0:
            raise KeyboardInterrupt
        return plain(*given)
    monkeypatch.setattr(RecordingEngine, place, interrupted)
    with pytest.raises(KeyboardInterrupt):
        machine.call(program, count, 2_000)
    assert machine.running
    assert machine.steps > 100
    consistent(machine)
    machine.run()
    assert int(machine.memory.fetch("count")[0]) == 2_000


def test_ctrl_c_at_every_place_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted before an instruction, in the middle of it, and after it: the step happens wholly or not at all."""
    machine = ns.Machine()
    count = machine.memory.place(np.zeros(1, np.uint64), name="count")
    program = ns.assemble(LOOP, isa="aarch64")
    run = BoundInstruction.__call__
    for early in (True, False):
        for stop in range(1, 20):
            machine.start(program, count, 3)
            machine.memory.buffer("count")
            begin = int(machine.memory.fetch("count")[0])
            seen = [0]

            def interrupted(self: BoundInstruction, state: Any, seen: Any = seen, early: bool = early,
                            stop: int = stop) -> None:
                seen[0] += 1
                if seen[0] == stop and early:
                    raise KeyboardInterrupt
                run(self, state)
                if seen[0] == stop:
                    raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(BoundInstruction, "__call__", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    machine.run()
            assert machine.steps == stop - 1
            machine.run()
            assert int(machine.memory.fetch("count")[0]) == begin + 3
            machine.back(1000)
            assert int(machine.memory.fetch("count")[0]) == begin
            assert machine.steps == 0
