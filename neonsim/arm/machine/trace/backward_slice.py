"""Which steps of a recorded run its results depend on: back from the bytes that are left, through lanes, flags, memory,
addresses, and the conditions of branches.

The dataflow of each instruction says which lanes it makes of which (`dataflow`). Nothing is known of values: what is
multiplied by 0 is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction

from .dataflow import LaneEdge, LaneName, dataflow

if TYPE_CHECKING:
    from .trace import Trace

__all__ = ["needed", "needed_steps"]

_ALL = 0xFFFF       # bytes of a register, one bit each
_NO_SOURCE = re.compile(r"mem|pc|stop|next")

Bytes = tuple[str, int]          # location of the trace, one bit for each of its bytes


@dataclass(frozen=True, slots=True)
class _Lane:
    """A lane that an instruction makes.

    goes          where; of memory the location is "mem" and ``first`` counts from the first byte of the accesses
    first, size   bytes, of memory
    sources       registers        loads  (first byte, bytes) of what is loaded
    """

    goes: Bytes
    first: int
    size: int
    sources: tuple[Bytes, ...]
    loads: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Moves:
    """Of one instruction: its lanes, the registers of its address, and what decides where it goes on."""

    lanes: tuple[_Lane, ...]
    address: tuple[Bytes, ...]
    decides: tuple[Bytes, ...]


def needed(trace: Trace, buffers: Collection[str]) -> NDArray[np.bool_]:
    """Bool [steps]: which steps the bytes of these buffers, as they are after the last step, depend on.

    A branch that can go two ways counts, and what its condition is made of.
    """
    memory = {address for b in trace.buffers if b.name in buffers for address in range(b.address, b.address + b.nbytes)}
    return np.array(needed_steps(trace.program, trace.pc.tolist(), trace.executed.tolist(),
                                 lambda step: _met(trace, step), memory), bool)


def needed_steps(program: Program, pcs: Sequence[int], executed: Sequence[int],
                 accessed: Callable[[int], tuple[Sequence[int], Sequence[int]]], memory: set[int]) -> list[bool]:
    """Return the same of a record that is no `Trace`.

    pcs, executed   of each step        accessed   step -> addresses of the bytes that it loads, and that it stores
    memory          addresses of the bytes in question; the set is used up
    """
    registers: dict[str, int] = {}
    moves: dict[int, _Moves] = {}
    found = [False] * len(pcs)
    for step in range(len(pcs) - 1, -1, -1):
        pc = pcs[step]
        if pc not in moves:
            moves[pc] = _moves(program.instructions[pc], pc)
        one = moves[pc]
        loaded, stored = accessed(step)
        lanes = [lane for lane in one.lanes if (
            any(at in memory for at in stored[lane.first:lane.first + lane.size]) if lane.goes[0] == "mem" else
            registers.get(lane.goes[0], 0) & lane.goes[1])]
        if not executed[step]:      # it keeps what was there, because of its condition
            if lanes:
                registers["nzcv"] = _ALL
            continue
        if not lanes and not one.decides:
            continue
        found[step] = True
        if lanes:
            memory.difference_update(stored)
            for lane in one.lanes:
                registers[lane.goes[0]] = registers.get(lane.goes[0], 0) & ~lane.goes[1]
        wanted = [*one.decides, *(source for lane in lanes for source in lane.sources)]
        if any(lane.loads or lane.goes[0] == "mem" for lane in lanes):
            wanted += one.address
        for where, mask in wanted:
            registers[where] = registers.get(where, 0) | mask
        memory.update(at for lane in lanes for first, size in lane.loads for at in loaded[first:first + size])
    return found


def _met(trace: Trace, step: int) -> tuple[list[int], list[int]]:
    """The addresses of the bytes that a step loads, and that it stores, in order."""
    loaded: list[int] = []
    stored: list[int] = []
    for k in range(int(trace.access_start[step]), int(trace.access_start[step + 1])):
        first = int(trace.access_address[k])
        (stored if trace.access_store[k] else loaded).extend(range(first, first + int(trace.access_bytes[k])))
    return loaded, stored


def _moves(instruction: Instruction, pc: int) -> _Moves:
    isa, operands = instruction.isa, instruction.resolved
    edges = dataflow(instruction)
    lanes = tuple(_lane(edge, isa) for edge in edges if edge.destination[0] not in ("pc", "r15"))
    address = tuple(place for place in (operands.base, operands.offset) if place is not None)
    decides = [source for edge in edges if edge.destination[0] == "pc" for source in _sources(edge.sources, isa)] \
        if instruction.target != pc + 1 else []
    return _Moves(lanes, tuple(_bytes(("sp" if place.is_sp else f"{place.bank}{place.number}", "x8", 0), isa)
                               for place in address if place.number >= 0), tuple(decides))


def _lane(edge: LaneEdge, isa: str) -> _Lane:
    _, kind, number = edge.destination
    size = int(kind[1:]) // 8
    loads = tuple((lane * int(type_[1:]) // 8, int(type_[1:]) // 8) for where, type_, lane in edge.sources
                  if where == "mem")
    return _Lane(_bytes(edge.destination, isa), number * size, size, tuple(_sources(edge.sources, isa)), loads)


def _sources(lanes: Iterable[LaneName], isa: str) -> Iterator[Bytes]:
    for lane in lanes:
        if not _NO_SOURCE.fullmatch(lane[0]):
            yield _bytes(lane, isa)


def _bytes(lane: LaneName, isa: str) -> Bytes:
    """Where a lane is. General registers and flags are taken as a whole: each write of them is of all."""
    register, kind, number = lane
    match = re.fullmatch(r"([vqd])(\d+)", register)
    if match is None:
        return ("x30" if isa == "aarch64" else "r14") if register == "link" else register, _ALL
    size, first = int(kind[1:]) // 8, 0
    where = register
    if match[1] == "d":
        where, first = f"q{int(match[2]) // 2}", int(match[2]) % 2 * 8
    return where, ((1 << size) - 1) << first + number * size
