"""A run with unknown bytes at known addresses: every register and every byte of memory is a term.

The program, the places in memory and the arguments are numbers, so control flow and addresses are those of one call;
what the memory holds is whatever it may hold. A branch, a condition or an address that depends on it is refused.
Every access is held to the same guards as in any other run: that it comes to its end is a proof that no data lets this
call, with these sizes, touch anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction
from neonsim.arm.machine.arch import abi
from neonsim.arm.machine.arch.binder import BOUND
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.call.c_arguments import converted
from neonsim.arm.machine.loader import load
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.memory.strided import Affine
from neonsim.arm.machine.memory.violations import violation
from neonsim.arm.semantics import ElementType, Lanes, PolynomialLanes, Term, TermPool, u8, view
from neonsim.errors import MachineError

__all__ = ["SymbolicMemory", "Watch", "registers_after", "run_symbolic"]

MAX_STEPS = 200_000
Watch = Callable[[int, Instruction, State], None]  # (step, counted from 0; what was done; registers after it)


class SymbolicMemory:
    """Terms in the places of a memory.

    memory   where the buffers are; its bytes are the numbers that they hold, but for those that are uninitialized
    cells    address -> (term, which byte of it): what is not a number
    name     of this run: makes its junk its own
    """

    tiles = None

    def __init__(self, memory: Memory, pool: TermPool, cells: dict[int, tuple[Term, int]], name: str) -> None:
        self.memory, self.pool, self.cells, self.name = memory, pool, dict(cells), name

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> PolynomialLanes:
        """Bytes as lanes."""
        first = int(numeric(address).array.flat[0])
        self._allow(first, nbytes, False)
        return PolynomialLanes(self.pool, tuple(self.at(first + i, type_.bytes) for i in range(0, nbytes, type_.bytes)),
                               type_)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        """Lanes as bytes."""
        assert isinstance(lanes, PolynomialLanes)
        first, size = int(numeric(address).array.flat[0]), lanes.type.bytes
        self._allow(first, lanes.count * size, True)
        for i, term in enumerate(lanes.lanes):
            for byte in range(size):
                self.cells[first + i * size + byte] = term, byte

    @property
    def stack(self) -> tuple[int, int]:
        return self.memory.stack

    def _allow(self, first: int, nbytes: int, store: bool) -> None:
        self.memory.allow(Affine(first - self.memory.base, 0, 0, 1, 1), nbytes, store)

    def at(self, address: int, nbytes: int) -> Term:
        """Return what the bytes from an address on hold, without a check."""
        term, byte = self._cell(address)
        if byte == 0 and term.bits == 8 * nbytes and all(
                self.cells.get(address + i) == (term, i) for i in range(1, nbytes)):
            return term
        return self.pool.concat(tuple(self.pool.part(t, 8 * b, 8)
                                      for t, b in (self._cell(address + i) for i in range(nbytes))))

    def _cell(self, address: int) -> tuple[Term, int]:
        found = self.cells.get(address)
        if found is None:
            at = address - self.memory.base
            if self.memory.undefined_bits[at]:
                term = self.pool.variable(("junk", self.name, address), u8)
            else:
                term = self.pool.number(int(self.memory.arena[at]), 8)
            found = self.cells[address] = term, 0
        return found


class _State(State):
    """Registers that hold terms. ``names``: bytes of junk named so far"""

    __slots__ = ("name", "names", "pool")
    pool: TermPool
    name: str
    names: int

    def lanes(self, values: list[int], type_: ElementType) -> Lanes:
        return PolynomialLanes.from_integers(self.pool, values, type_)

    def junks(self, random: np.random.Generator, count: int, nbytes: int) -> list[Lanes]:
        first, self.names = self.names, self.names + count * nbytes
        return [PolynomialLanes(self.pool, tuple(self.pool.variable(("junk", self.name, "register", i), u8)
                                                 for i in range(at, at + nbytes)), u8)
                for at in range(first, self.names, nbytes)]

    def forget(self, slot: int, first: int) -> None:
        old = self.slots[slot]
        if isinstance(old, VectorValue):
            self.slots[slot] = old.with_bytes(first, self.junk(np.random.default_rng(0), 16 - first), None)
        else:
            self.slots[slot] = view(self.junk(np.random.default_rng(0), old.type.bytes), old.type)

    def branch(self, value: Any) -> None:
        self.branched = int(numeric(value).array.flat[0])


def run_symbolic(program: Program, memory: Memory, arguments: tuple[Any, ...], entry: str, pool: TermPool,
                 cells: dict[int, tuple[Term, int]], name: str, max_steps: int = MAX_STEPS,
                 watch: Watch | None = None) -> tuple[SymbolicMemory, int]:
    """Call a function on memory that holds unknown bytes.

    arguments   as `Machine.call`     cells, name   see `SymbolicMemory`
    watch       called after every step
    ->          (the memory afterwards, steps)

    Raises MachineError for a decision or an address that depends on what is unknown, and what any run raises.
    """
    if program.data:
        program = load(program, memory)
    stack = memory.begin(None, True)
    unknown = SymbolicMemory(memory, pool, cells, name)
    state = _state(program.isa, unknown)
    state.pc = program.entry(entry)
    abi.place_arguments(state, converted(program, state.pc, arguments), stack, None, np.random.default_rng(0))
    kept = abi.saved(state)
    steps = _run(state, program, max_steps, watch)
    _check_kept(state, kept)
    return unknown, steps


def registers_after(program: Program, memory: Memory, pool: TermPool, name: str) -> dict[str, PolynomialLanes]:
    """Run instructions to their return, with nothing known: what every register then holds, in bytes.

    name   of what the registers hold before: under the same name the same values

    Raises as `run_symbolic`.
    """
    memory.begin(None, True)
    state = _state(program.isa, SymbolicMemory(memory, pool, {}, name))
    slots = state.registers
    state.slots[slots.link] = state.lanes([abi.RETURN], slots.word)
    state.calls = (abi.RETURN,)
    _run(state, program, MAX_STEPS)
    found: dict[str, Any] = {}
    for register, value in zip(slots.names, state.slots, strict=True):
        found[register] = value.read(0, 16, u8) if isinstance(value, VectorValue) else view(value, u8)
    return found


def _state(isa: str, memory: SymbolicMemory) -> _State:
    """Every register junk."""
    slots = AARCH64 if isa == "aarch64" else AARCH32
    state = _State(slots, memory, shadow=True, tracing=False)  # type: ignore[arg-type]  # has what a step asks for
    state.pool, state.name, state.names = memory.pool, memory.name, 0
    abi.poison(state, np.random.default_rng(0))
    return state


def _run(state: _State, program: Program, max_steps: int, watch: Watch | None = None) -> int:
    """To the return; the steps it took."""
    bound = BOUND.get(program)
    for steps in range(1, max_steps + 1):
        if not 0 <= state.pc < len(bound):
            raise violation("lost", "execution ran past the end of the program: a return (ret, bx lr) is missing")
        state.writes, state.undo, state.branched = [], [], None
        instruction = bound[state.pc].instruction
        try:
            bound[state.pc](state)
            if watch is not None:
                watch(steps - 1, instruction, state)
            if state.branched is None:
                state.pc += 1
                continue
            state.calls = abi.follow(state, instruction, state.branched, program)
        except MachineError as problem:
            where = instruction.position
            problem.args = (f"{where.path}:{where.line}: {problem}",)
            raise
        if state.branched == abi.RETURN:
            return steps
        index = program.index_at(state.branched)
        if index is None:
            raise violation("lost", f"the branch goes to {state.branched:#x}, which has no code")
        state.pc = index
    raise violation("endless", f"the function has not returned after {max_steps} steps")


def _check_kept(state: State, kept: dict[str, tuple[int, int, int, Any]]) -> None:
    """AbiViolation unless what a function must give back is the very term that it was."""
    for name, (slot, start, nbytes, before) in kept.items():
        now = state.slots[slot]
        if isinstance(now, VectorValue):
            now, before = now.read(start, nbytes, u8), before.read(start, nbytes, u8)
        if now.lanes != before.lanes:
            raise violation("callee-saved", f"the call returns with {name} changed, for some data at least")
