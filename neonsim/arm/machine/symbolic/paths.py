"""Walking a program with unknown numbers in its general registers: where it can go, and what it touches on the way.

A path is one way through a program. Its general registers and flags are terms (`arm.semantics.interp.polynomials`),
with the address of every buffer a variable ``("base", name)``; what vectors hold is of no matter, so it is not
followed: whatever general
registers take from there, and from memory other than the stack, may be anything. A branch that depends on what is
unknown is left to the caller, as are the accesses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction, Location
from neonsim.arm.machine.arch import abi
from neonsim.arm.machine.arch.binder import BOUND, BoundInstruction
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.violations import violation
from neonsim.arm.semantics import ElementType, Lanes, PolynomialLanes, Term, TermPool, holds, u8, view
from neonsim.errors import MachineError

__all__ = ["Access", "Branch", "Path", "split", "start_path"]

STACK = "the stack"
FRAME = 4096  # bytes that a function may push


@dataclass(frozen=True)
class Access:
    """``nbytes`` from ``address`` on are read, or written."""

    address: Term
    nbytes: int
    store: bool
    instruction: Instruction


@dataclass(frozen=True)
class Branch:
    """A decision on what is unknown: with ``truth`` other than 0 the path goes to the instruction ``yes``, else to
    ``no``. None for ``yes``: the instruction at ``no`` - 1 is one that is done if its condition holds."""

    truth: Term
    yes: int | None
    no: int


class _Stack:
    """The memory of a path: the stack, of which addresses are numbers; all else holds anything, each time."""

    tiles = None

    def __init__(self, pool: TermPool, arguments: int) -> None:
        self.pool, self.arguments = pool, arguments
        self.cells: dict[int, tuple[Term, int]] = {}
        self.accesses: list[Access] = []
        self.instruction: Instruction | None = None

    def copy(self) -> _Stack:
        made = _Stack(self.pool, self.arguments)
        made.cells, made.accesses = dict(self.cells), list(self.accesses)
        return made

    def on_stack(self, address: Term) -> int | None:
        """Return how far from where sp was at the entry; None for what is not on the stack."""
        base, offset = split(self.pool, address)
        if base != STACK or offset is None or offset.constant is None:
            return None
        return offset.constant - (offset.constant >> offset.bits - 1 << offset.bits)

    def load(self, address: Any, nbytes: int, type_: ElementType) -> PolynomialLanes:
        if self.on_stack(address.lanes[0]) is None:
            return PolynomialLanes(self.pool, tuple(self.pool.unnamed(type_) for _ in range(0, nbytes, type_.bytes)),
                                   type_)
        first = self._first(address, nbytes)
        return PolynomialLanes(self.pool,
                               tuple(self._at(first + i, type_.bytes) for i in range(0, nbytes, type_.bytes)),
                               type_)

    def store(self, address: Any, lanes: Any, undo: list[Any]) -> None:
        if self.on_stack(address.lanes[0]) is None:
            return
        size = lanes.type.bytes
        first = self._first(address, lanes.count * size)
        for i, term in enumerate(lanes.lanes):
            self.cells |= {first + i * size + byte: (term, byte) for byte in range(size)}

    def _first(self, address: Any, nbytes: int) -> int:
        first = self.on_stack(address.lanes[0])
        assert first is not None
        if not -FRAME <= first <= self.arguments - nbytes:
            raise violation("outside",
                            f"{nbytes} bytes of the stack, {first} from sp at the entry, belong to the caller")
        return first

    def _at(self, first: int, nbytes: int) -> Term:
        found = self.cells.get(first)
        if found and found[1] == 0 and found[0].bits == 8 * nbytes and all(
                self.cells.get(first + i) == (found[0], i) for i in range(1, nbytes)):
            return found[0]
        parts = []
        for i in range(first, first + nbytes):
            term, byte = self.cells.setdefault(i, (self.pool.unnamed(u8), 0))
            parts.append(self.pool.part(term, 8 * byte, 8))
        return self.pool.concat(tuple(parts))


class _State(State):
    """Registers of a path; where a branch goes may be a decision."""

    __slots__ = ("fork", "pool")
    pool: TermPool
    fork: Branch | None

    def lanes(self, values: list[int], type_: ElementType) -> Lanes:
        return PolynomialLanes.from_integers(self.pool, values, type_)

    def junks(self, random: np.random.Generator, count: int, nbytes: int) -> list[Lanes]:
        return [PolynomialLanes(self.pool, tuple(self.pool.unnamed(u8) for _ in range(nbytes)), u8) for _
                in range(count)]

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        pass

    def require_alignment(self, address: Lanes, multiple: int, *words: str) -> None:
        pass  # alignment is no part of the claim

    def branch(self, value: Any) -> None:
        term: Term = value.lanes[0]
        if term.constant is not None:
            self.branched = term.constant
            return
        found = self.pool.choice(term)
        if found is None:
            raise MachineError("the target of a branch depends on unknown data")
        self.fork = Branch(*found)


@dataclass
class Path:
    """A way through a program.

    program, pc    the next instruction        done      it has returned
    conditions     (term, truth): what has been decided: the term is other than 0, or is 0
    """

    program: Program
    state: _State
    conditions: list[tuple[Term, bool]] = field(default_factory=list)
    is_finished: bool = False

    @property
    def pc(self) -> int:
        return self.state.pc

    @property
    def stack(self) -> _Stack:
        memory: Any = self.state.memory
        return memory  # type: ignore[no-any-return]

    def copy(self) -> Path:
        state = replace(self.state, memory=self.stack.copy(), slots=list(self.state.slots), writes=[],  # type: ignore[arg-type]
                        undo=[], accesses=[])
        state.pool, state.fork = self.state.pool, None
        return replace(self, state=state, conditions=list(self.conditions))

    def take_branch(self, fork: Branch, side: bool) -> Path:
        """Return the path that goes one way from here."""
        made = self.copy()
        made.conditions.append((fork.truth, side))
        if side and fork.yes is None:
            made._do(made._bound())
        else:
            made.state.pc = fork.yes if side and fork.yes is not None else fork.no
        return made

    def step(self) -> Branch | None:
        """Do one instruction, or say that it is a decision. Raises MachineError for what cannot be followed."""
        state = self.state
        bound = self._bound()
        condition = bound.instruction.condition
        if condition is not None:
            flags: Any = holds(condition, state.slots[state.registers.nzcv])
            truth = flags.lanes[0]
            if truth.constant is None:
                return Branch(truth, bound.instruction.target if bound.instruction.is_branch else None, state.pc + 1)
            if not truth.constant:
                state.pc += 1
                return None
        return self._do(bound)

    def _bound(self) -> BoundInstruction:
        bound = BOUND.get(self.program)
        if not 0 <= self.state.pc < len(bound):
            raise violation("lost", "execution ran past the end of the program: a return (ret, bx lr) is missing")
        return bound[self.state.pc]

    def _do(self, bound: BoundInstruction) -> Branch | None:
        state, instruction = self.state, bound.instruction
        state.writes, state.undo, state.branched, state.fork = [], [], None, None
        if instruction.memory:
            self._access(bound)
        elif any(_is_vector(place) for place in _places(instruction)):
            self._anything(instruction)
        else:
            self._as_it_is(bound)
        if state.fork is not None:
            target = self.program.index_at(state.fork.yes or 0), self.program.index_at(state.fork.no)
            if None in target:
                raise violation("lost", "a branch goes which has no code")
            return Branch(state.fork.truth, target[0], target[1] or 0)
        if state.branched is None:
            state.pc += 1
        elif state.branched == abi.RETURN:
            self.is_finished = True
        else:
            index = self.program.index_at(state.branched)
            if index is None or instruction.form.name in ("bl", "blr", "blx"):
                raise violation("lost",
                                f"{instruction} is a call, or its target has no code; the analysis cannot follow "
                                     f"it")
            state.pc = index
        return None

    def _as_it_is(self, bound: BoundInstruction) -> None:
        """The instruction done, its condition settled."""
        s, instruction = self.state, bound.instruction
        if instruction.condition is not None and any(source.kind in ("carry", "flag")
                                                     for source in instruction.resolved.sources):
            raise MachineError(f"{instruction}: the condition is unknown, and flags are an operand")
        place, after = bound.address(s) if bound.address is not None else (None, None)
        mem = bound._load(s, place) if place is not None and instruction.memory == "load" else None
        arguments = [mem if role == "mem" else read(s) for role, read in bound.readers]
        bound._finish(s, bound._apply(arguments), place)
        if after is not None and bound.base is not None:
            bound.base(s, after)

    def _access(self, bound: BoundInstruction) -> None:
        state, instruction = self.state, bound.instruction
        assert bound.address is not None
        place, after = bound.address(state)
        address: Any = place
        vectors = any(map(_is_vector, _places(instruction)))
        on_stack = self.stack.on_stack(address.lanes[0])
        if on_stack is not None and vectors:  # saved or given back
            self.stack._first(address, instruction.transfer_bytes)
            if instruction.memory == "store":
                for i in range(instruction.transfer_bytes):
                    self.stack.cells.pop(on_stack + i, None)
        elif on_stack is None:
            self.stack.accesses.append(Access(address.lanes[0], instruction.transfer_bytes,
                                              instruction.memory == "store", instruction))
        if not vectors:
            self._as_it_is(bound)
            return
        self._anything(instruction)
        if after is not None and bound.base is not None:
            bound.base(state, after)

    def _anything(self, instruction: Instruction) -> None:
        """General registers and flags that it writes hold anything; vectors are not followed."""
        state = self.state
        for result in instruction.resolved.results:
            if result.kind in ("pc", "link"):
                raise MachineError(f"{instruction}: its target depends on unknown data")
            if result.kind == "lanes":
                for place in result.places:
                    if place.number >= 0 and not _is_vector(place):
                        state.slots[state.registers.get(place)] = self.havoc(state.registers.word)
            elif result.kind not in ("none", "memory") and result.role == "nzcv":
                state.slots[state.registers.nzcv] = self.havoc(u8) & 15

    def havoc(self, type_: ElementType) -> Any:
        """Return a lane that may hold any value."""
        return PolynomialLanes(self.state.pool, (self.state.pool.unnamed(type_),), type_)


def _is_vector(place: Any) -> bool:
    return isinstance(place, Location) and place.bank in "vq"


def _places(instruction: Instruction) -> list[Any]:
    operands = instruction.resolved
    return [p for source in operands.sources for p in source.places] + [p for r in operands.results for p in r.places]


def start_path(program: Program, entry: str, pool: TermPool, arguments: list[Term]) -> Path:
    """Return the path before its first instruction: ``arguments`` in their places, every other register anything."""
    slots = AARCH64 if program.isa == "aarch64" else AARCH32
    in_registers = 8 if program.isa == "aarch64" else 4
    stack = _Stack(pool, slots.word.bytes * max(len(arguments) - in_registers, 0))
    state = _State(slots, stack, shadow=True, tracing=False)  # type: ignore[arg-type]  # has what a step asks for
    state.pool, state.fork = pool, None
    abi.poison(state, np.random.default_rng(0))
    for i, term in enumerate(arguments):
        if i < in_registers:
            state.slots[slots.vectors + i] = PolynomialLanes(pool, (term,), slots.word)
        else:
            first = slots.word.bytes * (i - in_registers)
            stack.cells |= {first + byte: (term, byte) for byte in range(slots.word.bytes)}
    state.slots[slots.sp] = PolynomialLanes(pool, (pool.variable(("base", STACK), slots.word),), slots.word)
    state.slots[slots.link] = state.lanes([abi.RETURN], slots.word)
    state.slots = [view(value, slots.word) if slots.vectors <= i < slots.nzcv else value
                   for i, value in enumerate(state.slots)]
    state.pc = program.entry(entry)
    return Path(program, state)


def split(pool: TermPool, address: Term) -> tuple[str | None, Term | None]:
    """(the buffer whose address is part of this one, how far from there); (None, None) unless it is one buffer's."""
    found = [(n, v) for monomial in address.polynomial for n in monomial
             if (v := pool.variable_numbered(n)).op == "input" and v.args[0] == "base"]
    if len(found) != 1 or address.polynomial.get((found[0][0],)) != 1:
        return None, None
    base = pool.make(address.bits, {(found[0][0],): 1})
    return found[0][1].args[1], pool.plus(address, base, -1)
