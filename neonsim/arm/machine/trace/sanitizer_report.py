"""Reports of the sanitizer: a broken rule with its instruction, register or buffer, and the steps that led there.

    k.S:9: step 5, str q0, [x0]: stores uninitialized bits to buffer "out", offset 5
    v0: step 3 (line 7, ins v0.b[5], v1.b[2]) takes them from v1; v1 has not been written since the call
    The last steps (?? = uninitialized):
         3     7  ins v0.b[5], v1.b[2]     v0 = 0x0f0e0d0c0b0a09080706??0403020100
         4     8  add x2, x2, #1           x2 = 0x5
     >   5     9  str q0, [x0]             v0 = 0x0f0e0d0c0b0a09080706??0403020100, x0 = "out"+0
    (rule junk-stored; all rules: neonsim check rules)

What the bits come from is found backwards: the last step that wrote the unknown bytes of a register, then the unknown
bytes that this step read, and so on to a register or a byte of memory that is uninitialized.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction, RegisterUse
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric, slot_bytes
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.semantics import ShadowLanes, element_named, u8, view
from neonsim.errors import MachineError

from .trace import Step

__all__ = ["KEPT", "FindingStep", "SanitizerReport", "TooFar", "locate", "place_of"]

KEPT = 64      # steps that a run with the sanitizer keeps, at least
SHOWN = 8      # steps in a report
LINKS = 6      # steps back from use to use
SEARCH = 200_000  # steps looked through for the last write of a register


@dataclass(frozen=True)
class FindingStep:
    """One line of the listing: ``effect`` is what the step wrote, or, for the last one, what it works on."""

    step: int
    line: int
    instruction: str
    effect: str


@dataclass(frozen=True)
class SanitizerReport:
    """A broken rule, in parts.

    rule         str   see `rules`              message      str   what is wrong, one sentence
    path, line   where in the text              step         int   steps done before
    instruction  str                            registers    tuple[str, ...]   the ones at fault
    origin       str   where their values come from, a line for each
    steps        tuple[FindingStep, ...]   the last ones, with the one at fault at the end

    Its text counts steps as the stepper does, from 1.
    """

    rule: str
    message: str
    path: str
    line: int
    step: int
    instruction: str
    registers: tuple[str, ...]
    origin: tuple[str, ...]
    steps: tuple[FindingStep, ...]

    def __str__(self) -> str:
        rows = [f"{self.path}:{self.line}: step {self.step + 1}, {self.instruction}: {self.message}", *self.origin]
        if self.steps:
            unknown = any("??" in s.effect for s in self.steps)
            rows.append(f"The last steps{' (?? = uninitialized)' if unknown else ''}:")
            width = max(len(s.instruction) for s in self.steps)
            rows += [f"{' > ' if s is self.steps[-1] else '   '}{s.step + 1:6d} {s.line:5d}  {s.instruction:{width}s}  "
                     f"{s.effect}".rstrip() for s in self.steps]
        if self.rule:
            rows.append(f"(rule {self.rule}; all rules: neonsim check rules)")
        return "\n".join(rows)


class TooFar(Exception):
    """A report reaches back to steps that are not in the history, but could be."""


def locate(problem: MachineError, program: Program, state: State, count: int, history: Iterable[Step],
            before: Mapping[int, tuple[int, int]] | None = None) -> MachineError:
    """Return the same error with place, steps and origin.

    state     as before the instruction at fault (state.pc)
    history   the last steps before it, oldest first, as many as were kept
    before    {slot: (step, its instruction)} of the first write of each register, where others could be had; None: what
              is not in the history is lost

    Raises TooFar where the report needs one of those others.
    """
    steps = list(history)
    if problem.finding is not None:
        return problem
    if before is not None and len(steps) < min(count, SHOWN):
        raise TooFar
    if 0 <= state.pc < len(program.instructions):
        pc = state.pc
    elif steps:  # behind the program: the last instruction is the place to name
        pc, count = steps.pop().pc, count - 1
    else:
        return problem
    instruction = program.instructions[pc]
    story = _Story(program, state, instruction, count, steps, before)
    rule, message = problem.rule, str(problem)
    if rule == "junk-decision" and story.flags_never_set():
        rule = "flags-never-set"
    registers, origin = story.origin(rule, getattr(problem, "changed", ()))
    if program.origins and program.origins[pc][0]:
        number, line = program.origins[pc]
        origin = (f"C line {number}: {line}", *origin)
    finding = SanitizerReport(rule, message, str(instruction.position.path), instruction.position.line, count,
                              str(instruction),
                              registers, origin, story.steps())
    made = type(problem)(str(finding))
    made.rule, made.finding = rule, finding
    return made


def place_of(register: str, slots: Slots) -> tuple[int, int]:
    """(slot, first byte in it) of a register as `RegisterUse` names it."""
    if register in slots.index:
        return slots.index[register], 0
    if register == "sp":
        return slots.sp, 0
    kind, number = register[0], int(register[1:])
    if slots.isa == "aarch64":
        return number, 0
    size = {"d": 8, "s": 4}[kind]
    return number * size // 16, number * size % 16


def _span(use: RegisterUse, slots: Slots, word: int) -> tuple[int, int, int]:
    """(slot, first byte, end) of the bytes of a use."""
    slot, _ = place_of(use.register, slots)
    if use.lanes is None:
        return slot, 0, 1
    type_, lane, count = use.lanes
    size = element_named(type_).bytes
    if slot >= slots.vectors:
        return slot, 0, min(word, size * count)
    return slot, lane * size, (lane + count) * size  # lanes count from the start of the whole register


class _Story:
    """Looks back over a run: registers before each step are those after it with its writes taken back."""

    def __init__(self, program: Program, state: State, instruction: Instruction, count: int, history: list[Step],
                 before: Mapping[int, tuple[int, int]] | None) -> None:
        self.program, self.state, self.count, self.history = program, state, count, history
        self.slots, self.word, self.instruction = state.registers, state.registers.word.bytes, instruction
        self.first = count - len(history)  # number of the first step kept
        self.before = before
        self.lacks = self.first > 0 and before is None      # there were others, which are unknown

    # -- the listing
    def steps(self) -> tuple[FindingStep, ...]:
        if not self.history and self.count:
            return ()
        recent = self.history[-SHOWN + 1:]
        rows = []
        for number, step in enumerate(recent, self.count - len(recent)):
            instruction = self.program.instructions[step.pc]
            rows.append(FindingStep(number, instruction.position.line, str(instruction), self._did(step, instruction)))
        uses = dict.fromkeys(self._shown(use, self.state.slots) for use in self.instruction.reads)
        rows.append(FindingStep(self.count, self.instruction.position.line, str(self.instruction),
                                ", ".join(u for u in uses if u)))
        return tuple(rows)

    def _did(self, step: Step, instruction: Instruction) -> str:
        if not step.executed:
            return "condition failed"
        new = {slot: value for slot, _, value in step.writes}
        shown = [self._shown(use, new) for use in instruction.writes]
        for address, nbytes, store, _, after in step.accesses:
            where = _near(self.state.memory, address)
            shown.append(f"[{where}] = {_hex(after)}" if store else f"from {where}" if nbytes else "")
        return ", ".join(dict.fromkeys(s for s in shown if s))

    def _shown(self, use: RegisterUse, values: Any) -> str:
        slot, _, _ = _span(use, self.slots, self.word)
        try:
            value = values[slot]
        except (KeyError, IndexError):
            return ""
        data, mask = slot_bytes(value), _unknown_bytes(value)
        if use.register == "nzcv":
            return "flags = ??" if mask.any() else "flags = " + "".join(
                name if data[0] >> bit & 1 else "-" for name, bit in zip("nzcv", (3, 2, 1, 0), strict=True))
        if slot >= self.slots.nzcv:
            return ""
        name = self.slots.names[slot]
        if slot >= self.slots.vectors:
            number = int.from_bytes(data, "little")
            if not mask.any():
                return f"{name} = {_near(self.state.memory, number)}"
        return f"{name} = {_hex(data, mask)}"

    # -- where values come from
    def flags_never_set(self) -> bool:
        value = self.state.slots[self.slots.nzcv]
        if not _unknown_bytes(value).any() or not any(u.register == "nzcv" for u in self.instruction.reads):
            return False
        return self._writer(self.slots.nzcv, 0, 1, len(self.history)) is None and not self.lacks

    def origin(self, rule: str, changed: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(the registers at fault, a line for each)."""
        if rule == "endless":
            return (), ()
        if rule in ("callee-saved", "stack-pointer"):
            return changed, tuple(self._first_change(name, rule == "callee-saved") for name in changed)
        if rule == "flags-never-set":
            return ("nzcv",), ("no instruction of the function has set the flags: a CMP, SUBS or ADDS is missing",)
        if rule.startswith("junk"):
            return self._chain(rule)
        roles = self.instruction.address
        if rule and roles is not None:
            bases = [u for u in self.instruction.reads if u.role in ("base", "offset")]
            names = tuple(dict.fromkeys(u.register for u in bases))
            return names, tuple(self._last_write(u) for u in dict(zip(names, bases, strict=False)).values())
        if rule in ("return-address", "lost"):
            link = self.slots.names[self.slots.link]
            use = next((u for u in self.instruction.reads if u.lanes and u.role not in ("nzcv",)), None)
            if use is not None:
                return (use.register,), (self._last_write(use),)
            return (link,), ()
        return (), ()

    def _last_write(self, use: RegisterUse) -> str:
        slot, start, end = _span(use, self.slots, self.word)
        found = self._writer(slot, start, end, len(self.history))
        if found is None:
            return f"{use.register}: {self._unwritten('as the caller gave it')}"
        return f"{use.register}: last written by {self._named(found)}"

    def _unwritten(self, otherwise: str) -> str:
        if self.lacks:
            return f"not written in the {len(self.history)} steps that were kept"
        return otherwise

    def _named(self, at: int) -> str:
        return self._step_named(self.first + at, self.history[at].pc)

    def _step_named(self, step: int, pc: int) -> str:
        instruction = self.program.instructions[pc]
        return f"step {step + 1} (line {instruction.position.line}, {instruction})"

    def _writer(self, slot: int, start: int, end: int, before: int) -> int | None:
        """Index in the history of the last step before that wrote these bytes of a slot."""
        for at in range(before - 1, max(before - 1 - SEARCH, -1), -1):
            step = self.history[at]
            if any(s == slot and first < end for s, first in self._lost(step)):
                return at
            if not any(s == slot for s, _, _ in step.writes):
                continue
            instruction = self.program.instructions[step.pc]
            spans = [span for span in (_span(u, self.slots, self.word) for u in instruction.writes) if span[0] == slot]
            # A64 clears what a narrower write leaves over, so whatever wrote the slot wrote all of it but for inserts.
            if not spans or any(s < end and start < e for _, s, e in spans) or slot >= self.slots.vectors:
                return at
        if self._written_before(slot):
            raise TooFar
        return None

    def _written_before(self, slot: int) -> bool:
        """Whether a step wrote to a register that is not in the history, but could be."""
        return self.before is not None and slot in self.before and self.before[slot][0] < self.first

    def _lost(self, step: Step) -> list[tuple[int, int]]:
        """(slot, first byte) of the registers that a call has lost by returning here."""
        return [(slot, 8 if self.slots.isa == "aarch64" and 8 <= slot < 16 else 0) for slot, _, _ in step.lost]

    def _function(self, pc: int) -> str:
        """The name that stands before an instruction."""
        named = [(index, name) for name, index in self.program.symbols.items() if index <= pc and name[:2] != ".L"]
        return self.program.instructions[pc].position.function or max(named, default=(0, "a function"))[1]

    def _first_change(self, name: str, saved: bool) -> str:
        slot, _ = place_of(name, self.slots)
        if saved and self._written_before(slot):
            assert self.before is not None
            return f"{name}: first overwritten by {self._step_named(*self.before[slot])}"
        hits = [at for at, step in enumerate(self.history) if any(s == slot for s, _, _ in step.writes)]
        if not hits and self._written_before(slot):
            raise TooFar
        if not hits:
            return f"{name}: {self._unwritten('not written')}"
        now = _near(self.state.memory, int.from_bytes(slot_bytes(self.state.slots[slot]), "little"))
        if not saved:
            return f"{name}: is {now} now, last written by {self._named(hits[-1])}"
        return f"{name}: first overwritten by {self._named(hits[0])}"

    def _chain(self, rule: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Back from the unknown bytes of the instruction to uninitialized bytes."""
        address = ("base", "offset")
        values = list(self.state.slots)
        uses = [u for u in self.instruction.reads if (u.role in address) == (rule == "junk-address")]
        found = self._unknown(uses, values)
        if found is None:
            return (), ()
        name, (slot, start, end) = found
        text, before = f"{name}:", len(self.history)
        for _ in range(LINKS):
            at = self._writer(slot, start, end, before)
            if at is None:
                source = self._unwritten(f"{name} has not been written since the call")
                return (found[0],), (f"{text} {source}",)
            for step in reversed(self.history[at:before]):
                for s, old, _ in reversed([*step.writes, *step.lost]):
                    values[s] = old
            before = at
            step = self.history[at]
            instruction = self.program.instructions[step.pc]
            for first in [first for s, first in self._lost(step) if s == slot and first < end]:
                what = f"the upper half of {name}" if first else name
                text += f" {self._named(at)} returns from {self._function(step.pc)}, which may change {what}"
                return (found[0],), (text,)
            more = self._unknown([u for u in instruction.reads if u.role not in address and (
                u.role != "d" or "d" in instruction.form.semantics.parameters)], values)
            if more is None:
                where = ", ".join(_near(self.state.memory, a) for a, _, store, _, _ in step.accesses if not store)
                text += f" {self._named(at)} " + (
                    f"loads them from {where or 'memory'}, which is uninitialized" if instruction.memory == "load"
                    else "makes them of what it reads")
                return (found[0],), (text,)
            text += f" {self._named(at)} takes them from {more[0]};"
            name, (slot, start, end) = more
        return (found[0],), (text + " and so on",)

    def _unknown(self, uses: Sequence[RegisterUse], values: Sequence[Any]) -> tuple[str, tuple[int, int, int]] | None:
        """The first register with unknown bytes among those that are used, and which bytes."""
        for use in uses:
            slot, start, end = _span(use, self.slots, self.word)
            mask = np.flatnonzero(_unknown_bytes(values[slot])[start:end])
            if mask.size:
                return use.register, (slot, start + int(mask[0]), start + int(mask[-1]) + 1)
        return None


def _unknown_bytes(value: Any) -> Any:
    """For each byte of a slot whether any bit of it is unknown (in any tile)."""
    lanes = value.read(0, 16, u8) if isinstance(value, VectorValue) else value
    count = lanes.count * lanes.type.bytes
    if not isinstance(lanes, ShadowLanes) or lanes.undefined is None:
        return np.zeros(count, bool)
    mask = numeric(view(lanes.undefined, u8)).array
    return (mask != 0).reshape(count, -1).any(axis=1)


def _hex(data: bytes, mask: Any = None) -> str:
    """Most significant byte first; ?? for uninitialized bytes."""
    if len(data) > 16:
        return f"{len(data)} bytes"
    unknown = [False] * len(data) if mask is None else mask.tolist()
    return "0x" + "".join("??" if u else f"{b:02x}" for b, u in zip(reversed(data), reversed(unknown), strict=True))


def _near(memory: Memory, number: int) -> str:
    """A number, as a place in a buffer if it is one."""
    for b in memory.buffers:
        if b.address - 64 <= number < b.end + 64 and number >= b.address - b.reads_before - 64:
            return f'"{b.name}"{number - b.address:+d}'
    return f"{number:#x}" if number > 9 else str(number)
