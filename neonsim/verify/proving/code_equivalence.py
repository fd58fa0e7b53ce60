"""Two pieces of code: the same registers afterwards, whatever the registers held before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neonsim.arm.asm import Program, assemble
from neonsim.arm.isa.operands.locations import CLEAR_AT_FIRST
from neonsim.arm.machine import Machine, Memory
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64
from neonsim.arm.machine.symbolic.run import registers_after
from neonsim.arm.semantics import PolynomialLanes, Term, TermPool
from neonsim.arm.semantics.interp.bitvectors import NoFormula
from neonsim.common.extras import install
from neonsim.errors import BadArgument, MachineError

from .engine.solver import NEEDED, SolverAnswer, ask_each, available, limit_of
from .proof import TRUSTED, CounterExample, Proof

__all__ = ["equal"]

RETURNS = {"aarch64": "ret", "aarch32": "bx lr"}
ROUNDS = 200   # of looking for a counter-example
STEPS = 10_000


def equal(first: str, second: str, *, isa: str, registers: Sequence[str] | None = None, seed: int = 0,
          seconds: float = 20.0, solver: str | None = None) -> Proof:
    """Return whether two pieces of code leave the same in registers, for all that the registers may hold before.

    first, second   assembly text that runs to its end, or to a return; loads and stores have no memory here
    isa             "aarch64" or "aarch32"
    registers       names, as "v0", "d3" or "x2", and flags; left out: all registers that one of the two changes
    seed            of the data that is tried where neither terms nor solver decide
    seconds, solver   how long a solver is asked where the terms differ, and which ("z3", "cvc5"); left out, those
                    that are installed; without one, terms and tried data have to do
    ->              Proof

    Raises BadArgument for names that there are not, AssemblyError for text that cannot be read, MissingPackage for a
    solver that is named and not installed.

    >>> equal("usubl v0.8h, v1.8b, v2.8b", "uxtl v0.8h, v1.8b ; uxtl v3.8h, v2.8b ; sub v0.8h, v0.8h, v3.8h",
    ...       isa="aarch64", registers=["v0"]).verdict
    'proved'
    """
    began = time.monotonic()
    if isa not in RETURNS:
        raise BadArgument(f"isa must be aarch64 or aarch32; got {isa!r}")
    slots = AARCH64 if isa == "aarch64" else AARCH32
    if isinstance(registers, str):
        raise BadArgument(f'registers must be a list of names, ["{registers}"]')
    places = {name: slots.find(name) for name in registers or ()}
    if any(slot < 0 for slot, _, _ in places.values()):
        raise BadArgument("pc is not a result of code. Name other registers")
    programs = [assemble(f"{text}\n{RETURNS[isa]}\n", isa=isa) for text in (first, second)]
    reason, chosen, differing = "", list(places), list[str]()
    try:
        pool = TermPool()
        one, other = (_after(program, pool) for program in programs)
        if registers is None:
            before = _after(assemble(RETURNS[isa], isa=isa), pool)
            chosen = [name for name in slots.names[:slots.nzcv] if any(
                side[name].lanes != before[name].lanes for side in (one, other))]
            places = {name: slots.find(name) for name in chosen}
        differing = [name for name in chosen if _cut(one, slots.names, places[name]) != _cut(other, slots.names,
                                                                                             places[name])]
        if differing:
            reason = f"{', '.join(differing)} {'is' if len(differing) == 1 else 'are'} not the same term"
    except MachineError as problem:
        reason = str(problem)
    limit = limit_of(seconds, solver)
    claim = f"both leave the same in {', '.join(chosen) or 'every register'}"
    assumed = ("whatever registers and flags hold before", TRUSTED)

    def proof(verdict: str, example: CounterExample | None = None, why: str = "", solver: str = "") -> Proof:
        trusted = (*assumed, f"trusted: the solver {solver}") if solver else assumed
        return Proof(claim, verdict, trusted, time.monotonic() - began, example, why)
    if not reason:
        return proof("proved")
    if differing:
        pairs = [(a, b) for name in differing for a, b in zip(_cut(one, slots.names, places[name]),
                                                              _cut(other, slots.names, places[name]), strict=True)]
        said, given = _asked(pool, isa, pairs, limit, solver)
        if said.satisfiable is False:
            return proof("proved", solver=said.solver)
        found = _replayed(programs, given, chosen) if given else None
        if found is not None:
            return proof("refuted", found)
        reason += f"; {said.reason}"
    for given in _samples(isa, np.random.default_rng(seed)):
        found = _replayed(programs, given, chosen)
        if found is not None:
            return proof("refuted", found)
    return proof("unknown", why=f"{reason}; and {ROUNDS} runs have shown no difference")


def _asked(pool: TermPool, isa: str, pairs: list[tuple[Term, Term]], limit: float,
           solver: str | None) -> tuple[SolverAnswer, dict[str, int]]:
    """(what a solver says of these being different, what registers then hold before)."""
    if solver is None and not available():
        return SolverAnswer(None, {}, "", reason=f"a solver could say more: {install(NEEDED)}"), {}
    try:
        answer = ask_each(pool, pairs, seconds=limit, solver=solver)
    except NoFormula as problem:
        return SolverAnswer(None, {}, "", reason=str(problem)), {}
    if not answer.satisfiable:
        return (replace(answer, reason=f"{answer.solver}: {answer.reason}") if answer.reason else answer), {}
    held = _after(assemble(RETURNS[isa], isa=isa), pool)
    given = {}
    for register, value in held.items():
        if register not in ("x30", "r14", "r15", "sp", "r13", *CLEAR_AT_FIRST):
            known = pool.evaluate(list(value.lanes), _Anything(answer.values))
            given[register] = int.from_bytes(bytes(known), "little")
    return replace(answer, reason=f"the data that {answer.solver} found makes no difference in the machine"), given


class _Anything(dict[tuple[Any, ...], int]):
    """What a solver does not mention may be anything, so 0."""

    def __missing__(self, name: tuple[Any, ...]) -> int:
        return 0


def _after(program: Program, pool: TermPool) -> dict[str, PolynomialLanes]:
    return registers_after(program, Memory(), pool, "before")


def _cut(left: dict[str, PolynomialLanes], names: Sequence[str], place: tuple[int, int, int]) -> tuple[Term, ...]:
    slot, start, nbytes = place
    return left[names[slot]].lanes[start:start + nbytes]


# ---- counter-examples ----------------------------------------------------------------------------------------------

def _samples(isa: str, rng: np.random.Generator) -> Iterator[dict[str, int]]:
    """What registers hold before: bytes at their edges, then any."""
    slots = AARCH64 if isa == "aarch64" else AARCH32
    names = [name for name in slots.names[:slots.nzcv]
             if name not in ("sp", "r13", "x30", "r14", "r15")]
    for number in range(ROUNDS):
        size = (1, 2, 4, 8)[number % 4]
        given = {}
        for name in names:
            count = (16 if name[0] in "vq" else slots.word.bytes) // size or 1
            # All elements at one edge, each at any, or any bytes.
            kinds = rng.choice(5, 1 if number % 3 == 0 else count)
            data = (rng.integers(0, 256, count * size, np.uint8).tobytes() if number % 3 == 2 else
                    b"".join(_edge(int(kinds[i % kinds.size]), size) for i in range(count)))
            given[name] = int.from_bytes(data, "little") & (1 << 128 if name[0] in "vq" else 1 << slots.word.bits) - 1
        yield given | {"nzcv": int(rng.integers(16))}


def _edge(kind: int, size: int) -> bytes:
    """An element of n bytes at an edge of its type."""
    top = 1 << 8 * size - 1
    return (0, 1, top, top - 1, 2 * top - 1)[kind].to_bytes(size, "little")


def _replayed(programs: list[Program], given: dict[str, int], chosen: list[str]) -> CounterExample | None:
    """Both run in the machine from these registers; None if they leave the same."""
    found: list[dict[str, int | str]] = []
    traces = []
    for program in programs:
        machine = Machine(isa=program.isa)
        machine.start(program)
        machine.change(given)
        try:
            # Code may change what a function has to keep: to the return, not through the check behind it.
            while machine.running and machine.steps < STEPS:
                machine.step()
            found.append({name: _value(machine, name) for name in chosen})
        except MachineError:
            return None  # an access: there is no memory here, so the run says nothing
        traces.append(machine.trace())
    where = next((name for name in chosen if found[0][name] != found[1][name]), None)
    if where is None:
        return None
    return CounterExample(where, found[0][where], found[1][where], given, (traces[0], traces[1]))


def _value(machine: Machine, name: str) -> int | str:
    value = machine.registers[name]
    return value if isinstance(value, int) else f"0x{value.hex}"
