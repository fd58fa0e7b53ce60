"""Which lanes of a recorded run wrapped, saturated or lost bits, and where first.

Every arithmetic SIMD instruction of the run is computed again, all its steps at once, on lanes of twice the width. They
hold what the lanes themselves could not: where the two differ, the lanes wrapped (sums, products) or lost bits (shifts
to the left, narrowing). Saturating instructions say it themselves, by the flag QC. An instruction that does not care
for signs is read both ways, as u8 and as s8: which one is meant only its author knows.

Not looked at: what is not on lanes (addresses), floating point, and results that drop their lower half by design (high
halves of sums and products; bits that a shift to the right moves out). Lanes of 64 bits are only asked whether they
saturate. A lane that hangs on uninitialized data does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.isa import Instruction, Location
from neonsim.arm.machine.arch.binder import BoundInstruction, bind
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue
from neonsim.arm.machine.arch.state import State
from neonsim.arm.semantics import NumpyLanes, u8

from .definedness import DefinednessCursor

if TYPE_CHECKING:
    from .trace import Trace

__all__ = ["Wrap", "Wraps", "wraps_of"]

Array = npt.NDArray[Any]
# Meanings by what their lanes do where a result does not fit.
_SIGNED = frozenset(("vneg", "vabs"))
_BELOW = frozenset(("vsub", "subw", "mls", "mlsl"))  # may be negative, also of numbers without a sign
_WRAPPED = _SIGNED | _BELOW | {"vadd", "addw", "vmul", "mla", "mlal", "aba", "abal", "addp", "addp_scalar", "addv",
                               "adalp", "sra", "rsra", "dot", "usdot", "sudot", "mmla", "usmmla"}
_LOST = frozenset(("xtn", "shrn", "rshrn", "shl", "sshl", "rshl"))


@dataclass(frozen=True)
class Wrap:
    """What one instruction did, its lanes read as one type.

    line, instruction   where
    effect              "wrapped", "saturated" or "lost bits"
    type                of the lanes of the result, "u16"
    steps, executions   steps in which it happened, and those of the instruction
    first, lane         the first such step, as an index (the text counts from 1), and its first such lane
    exact, value        what that lane would be, and what it is; exact None where only the flag QC tells
    """

    line: int
    instruction: str
    effect: str
    type: str
    steps: int
    executions: int
    first: int
    lane: int
    exact: int | None
    value: int

    def __str__(self) -> str:
        exact = "" if self.exact is None else f" for {self.exact}"
        return (f"line {self.line}, {self.instruction}: {self.effect} as {self.type} in {self.steps} of "
                f"{self.executions} steps, "
                f"first in step {self.first + 1}, lane {self.lane}: {self.value}{exact}")


@dataclass(frozen=True)
class Wraps:
    """All of a run, in the order of the program. ``first``: the step from which on it was recorded."""

    rows: tuple[Wrap, ...]
    first: int = 0

    def __str__(self) -> str:
        since = f" (steps from {self.first} on)" if self.first else ""
        return "\n".join(str(row) for row in self.rows) + since if self.rows else (
            f"no lane wrapped, saturated or lost bits{since}")


def wraps_of(trace: Trace) -> Wraps:
    """Return what the lanes of a recorded run did that do not hold their results."""
    slots = AARCH64 if trace.isa == "aarch64" else AARCH32
    count = len(slots.names)
    looked_at = {pc: made for pc in np.unique(trace.pc).tolist()
                 if (made := _look(trace.program.instructions[pc])) is not None}
    bound = {pc: bind(trace.program.instructions[pc], pc, slots, trace.program.address) for pc in looked_at}
    uses = {pc: sorted({slots.get(place) for source in bound[pc].operands.sources for place in source.places
                        if isinstance(place, Location) and place.number >= 0}) for pc in looked_at}
    steps: dict[int, list[int]] = {pc: [] for pc in looked_at}
    rows: dict[int, list[list[int]]] = {pc: [] for pc in looked_at}
    now = list(range(count))        # where the bytes of each register are: first the initial ones, then the writes
    starts, locations = trace.write_start.tolist(), trace.write_location.tolist()
    for step, pc in enumerate(trace.pc.tolist()):
        if pc in looked_at:
            steps[pc].append(step)
            rows[pc].append([now[slot] for slot in uses[pc]])
        for row in range(starts[step], starts[step + 1]):
            now[locations[row]] = count + row
    initial = np.array([np.frombuffer(trace.initial[name].ljust(16, b"\0"), np.uint8) for name in slots.names])
    values = np.concatenate([initial, trace.write_after])
    known = trace.knowledge.cursor_at()
    found: list[Wrap] = []
    for pc, kinds in sorted(looked_at.items()):
        state = State(slots, None, [None] * count, axes=2, tracing=False)  # type: ignore[arg-type]  # reads no memory
        taken = np.array(rows[pc])
        for column, slot in enumerate(uses[pc]):
            data = np.ascontiguousarray(values[taken[:, column]].T)[:, :, None]
            state.slots[slot] = VectorValue(((0, NumpyLanes(data, u8)),)) if slot < slots.vectors else NumpyLanes(
                np.ascontiguousarray(data[:slots.word.bytes, :, 0].T).view(slots.word.dtype).T[:, :, None], slots.word)
        found += (one for kind in kinds for one in _of(trace, bound[pc], state, kind, steps[pc], known))
    return Wraps(tuple(found), trace.first)


def _look(instruction: Instruction) -> tuple[str, ...] | None:
    """The signs in which an instruction is read, "" for its own; None for one that is not looked at."""
    meaning = instruction.form.semantics
    places = [place for source in instruction.resolved.sources for place in source.places
              if isinstance(place, Location)]
    if not any(place.bank in "vq" for place in places) or instruction.memory or instruction.condition is not None:
        return None
    if "qc" in meaning.writes:
        return ("",)
    if meaning.function.__name__ not in _WRAPPED | _LOST or any(place.type.bits > 32 for place in places):
        return None
    free = any(place.type.kind == "x" for place in places)
    return ("",) if not free else ("s",) if meaning.function.__name__ in _SIGNED else ("u", "s")


def _by_columns(lanes: NumpyLanes) -> NumpyLanes:
    return NumpyLanes(np.ascontiguousarray(lanes.array.transpose(2, 1, 0)), lanes.type)


def _of(trace: Trace, bound: BoundInstruction, state: State, kind: str, steps: list[int],
        known: DefinednessCursor) -> Iterator[Wrap]:
    """What one instruction did in these steps; ``state`` holds the registers of all of them, a row for each."""
    arguments = [read(state) for _, read in bound.readers]
    if kind:
        arguments = [one._as_kind(one.type.with_(kind)) if isinstance(one, NumpyLanes) and one.type.kind == "x" else one
                     for one in arguments]
    results = bound._apply(arguments)
    at = next(k for k, result in enumerate(bound.operands.results) if result.kind == "lanes")
    value, place = results[at], bound.operands.results[at].places[0]
    many, name = len(steps), bound.instruction.form.semantics.function.__name__
    if "qc" in bound.instruction.form.semantics.writes:
        what, exact = "saturated", None
        # The flag is one for all lanes of a tile, so each lane becomes a tile of its own.
        sticky = next(k for k, result in enumerate(bound.operands.results) if result.kind == "sticky")
        alone = bound._apply([_by_columns(one) if isinstance(one, NumpyLanes) else one for one in arguments])[sticky]
        wrong = np.broadcast_to(alone.array != 0, (1, many, value.count)).transpose(2, 1, 0)
    else:
        what = "lost bits" if name in _LOST else "wrapped"
        exact = bound._apply([one._wide() if isinstance(one, NumpyLanes) else one for one in arguments])[at]
        value = value._as_kind(value.type.with_(kind)) if kind else value
        wide = value._wide()
        exact = exact._as_kind(wide.type)
        wrong = exact.array != wide.array
        exact = exact._as_kind(wide.type.with_("s")) if name in _BELOW else exact
    wrong = np.broadcast_to(wrong, (value.count, many, 1))[:, :, 0]
    size, location = value.type.bytes, trace.locations[state.registers.get(place)]
    told: list[int] = []
    first = None
    for k in np.flatnonzero(wrong.any(axis=0)).tolist():
        known.goto(steps[k] + 1)
        mask = known.registers[location]
        lanes = [lane for lane in np.flatnonzero(wrong[:, k]).tolist()
                 if all(mask[place.start + lane * size:place.start + (lane + 1) * size])]
        if lanes:
            told.append(k)
            first = first or (k, lanes[0])
    if first is not None:
        k, lane = first
        instruction = bound.instruction
        at_first = np.broadcast_to(value.array, (value.count, many, 1))[lane, k, 0]
        yield Wrap(instruction.position.line, str(instruction), what, value.type.name, len(told), many,
                   trace.first + steps[k], lane, None if exact is None else int(np.broadcast_to(
                       exact.array, (value.count, many, 1))[lane, k, 0]), int(at_first))
