"""What the pipelines see of a program: instructions as `StaticInstruction`, their order as `InstructionStream`.

A `InstructionStream` is made from a trace (what really ran) or from a loop of a program (its straight instruction
sequence, n times, no machine needed). The pipelines, the bounds and the counts read nothing else, so they can be tested
with ops written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing.cores.instruction_classes import CLASSES, MULTIPLIES
from neonsim.arm.timing.pipeline.lazy_column import Column
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, TimingError

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.machine import Trace

__all__ = ["InstructionStream", "StaticInstruction", "from_loop", "from_order", "from_record", "from_trace",
           "longest_loop", "loop_heads", "static_instruction", "stream_of", "touched"]

# Not part of the dataflow that costs time: QC, Q and FPSR are sticky flags kept aside, the program counter is that of
# the branch unit.
_NOT_TRACKED = frozenset({"qc", "q", "fpsr", "fpcr", "pc", "r15"})
# Instructions that ask for a line of the data cache.
_HINTS = ("prfm", "prfum", "pld")
# Branches whose target is in a register: those that call, those that go back to the caller; others just go somewhere.
_CALLS, _RETURNS = ("blr", "blx r", "blx lr"), ("ret", "bx lr", "bx r14")
_BACK = ("pop", "ldm", "ldr", "mov")        # POP {r4, pc}, LDR pc, [sp], #4 and MOV pc, lr go back too
ARGUMENTS = 8       # general and vector registers that a caller fills (AAPCS64; AAPCS: four of the general ones)
# Products of a 128-bit instruction that adds several into one lane.
_PRODUCTS = {"asimd_dot": 16, "asimd_matmul": 32}
_SCALAR_PRODUCTS = frozenset({"mul", "mul_long"})         # MADD, MLA and kin have an addend
_LANES = frozenset({"ld1_lane", "ld2_lane", "ld3_lane", "ld4_lane", "asimd_ins_gpr"})
MAX_SIMULATED = 100_000     # instructions of a loop, of more iterations than that only n
FEWEST = 48         # iterations of it at least: a chain of dependent instructions shows how it grows
_SMALL = 4          # bits by which an operand may be shifted left and still count as lightly shifted
_LANE_COUNT = {"8b": 8, "16b": 16, "4h": 4, "8h": 8, "2s": 2, "4s": 4, "1d": 1, "2d": 2}


@dataclass(frozen=True, slots=True)
class StaticInstruction:
    """One instruction as a pipeline sees it.

    timing      class name, a key of `classes.CLASSES`
    text        as printed
    width       "d" or "q" (the NEON data width), None for everything else
    bits        element width in bits (64 too for a result in an X register), 0 if it has none
    by_element  multiplies by one lane
    reads       (role, register) pairs; A64 vectors "v0".., A32 vectors as "d0".. (a q register is two)
    writes      the same; loaded registers in memory order; role "base" is the address write-back
    nbytes      bytes moved to or from memory
    macs        lane products accumulated or to be accumulated
    line        1-based source line, 0 if unknown
    feature     what a core must have for it beyond its instruction set, "" if nothing
    numbers     "f16" or "f64" if it computes with such numbers
    built_in    the built-in function that it belongs to, whose cost on a core is unknown; "" of a program's own
    """

    timing: str
    text: str = ""
    width: str | None = None
    bits: int = 0
    by_element: bool = False
    reads: tuple[tuple[str, str], ...] = ()
    writes: tuple[tuple[str, str], ...] = ()
    nbytes: int = 0
    macs: int = 0
    line: int = 0
    feature: str = ""
    numbers: str = ""
    built_in: str = ""

    @property
    def kind(self) -> str:
        """The kind of its class ("multiply", "load" ...); "unknown" for an undeclared class."""
        row = CLASSES.get(self.timing)
        return row.kind if row else "unknown"

    @property
    def hint(self) -> bool:
        """Whether it only asks for a line of the cache (PRFM, PLD), so that nothing waits for it."""
        return self.text.lower().startswith(_HINTS)

    @property
    def jump(self) -> str:
        """Of a branch to a register: "return", "call" or "indirect"; "" of everything else."""
        text = self.text.lower()
        if self.kind != "branch":
            return "return" if text.startswith(_BACK) and "pc" in text.split("[")[0] else ""
        if text.startswith(_RETURNS):
            return "return"
        if text.startswith(_CALLS):
            return "call"
        return "indirect" if self.timing == "branch_return" else ""

    @property
    def neon(self) -> bool:
        """Whether it counts as a NEON instruction."""
        row = CLASSES.get(self.timing)
        return bool(row and row.neon)


@dataclass(frozen=True, slots=True)
class InstructionStream:
    """Instructions in the order in which they run.

    ops         the distinct instructions
    order       index into ops, one per executed instruction
    taken       True where the instruction is a taken branch
    body        length of one iteration when the stream is a loop, else 0
    isa, name   for messages and headings
    calls       how often a call was made, one after the other (`in_a_row`)
    loop_count  iterations of a loop of which ``order`` has the first ones only; 0: it has all
    touches     of a trace: (address, bytes) of the memory access of each executed instruction, (0, 0) if it has none;
                (address, 1) of one that asks for a line
    regions     of a trace: (first address, end, name) of its buffers
    """

    isa: str
    ops: tuple[StaticInstruction, ...]
    order: Sequence[int]
    taken: Sequence[bool]
    body: int = 0
    name: str = ""
    notes: tuple[str, ...] = field(default=())
    touches: Sequence[tuple[int, int]] = ()
    regions: tuple[tuple[int, int, str], ...] = ()
    calls: int = 1
    loop_count: int = 0

    def __len__(self) -> int:
        return self.loop_count * self.body or len(self.order)

    @property
    def iterations(self) -> int:
        """How often the loop body runs; 1 for a trace."""
        return len(self) // self.body if self.body else 1

    def times(self) -> list[int]:
        """Return how often each of the distinct instructions is executed."""
        found = np.bincount(np.asarray(self.order, np.int64), minlength=len(self.ops))
        kept = len(self.order) // self.body if self.loop_count else 1
        return [(self.loop_count or 1) * n // kept for n in found.tolist()]

    @property
    def features(self) -> frozenset[str]:
        """What a core must have to run it: the features of its instructions, and neon where it counts a NEON one."""
        return frozenset({op.feature for op in self.ops} | {"neon" for op in self.ops if op.neon}) - {""}

    def in_a_row(self, calls: int) -> InstructionStream:
        """Return the call of a trace `calls` times, one after the other, as a caller makes them who measures it.

        Before each the caller fills the registers that the call reads before it writes them, as far as they are
        arguments, and calls (MOV each, BL): so the calls depend on one another through memory and saved registers only.
        """
        known: set[str] = set()
        wanted: dict[str, None] = {}
        for index in self.order:
            op = self.ops[index]
            wanted |= {register: None for _, register in op.reads if register not in known}
            known.update(register for _, register in op.writes)
        letter, count = ("x", ARGUMENTS) if self.isa == "aarch64" else ("r", ARGUMENTS // 2)
        general = [f"{letter}{n}" for n in range(count) if f"{letter}{n}" in wanted]
        vectors = [f"v{n}" if self.isa == "aarch64" else f"d{n}" for n in range(ARGUMENTS)]
        link = "x30" if self.isa == "aarch64" else "r14"
        caller = (*(StaticInstruction("mov", f"mov {register}, ...", bits=64, writes=(("d", register),)) for register
                    in general),
                  *(StaticInstruction("asimd_mov", f"mov {register}, ...", "q" if letter == "x" else "d", 8,
                                      writes=(("d", register),)) for register in vectors if register in wanted),
                  StaticInstruction("branch", "bl ...", writes=(("link", link),)))
        order = [*range(len(self.ops), len(self.ops) + len(caller)), *self.order]
        taken = [*[False] * (len(caller) - 1), True, *self.taken[:-1], True]
        touches = [*[(0, 0)] * len(caller), *self.touches] if self.touches else ()
        return replace(self, ops=(*self.ops, *caller), order=order * calls, taken=taken * calls,
                       touches=list(touches) * calls, calls=calls)

    @classmethod
    def of_ops(cls, ops: Sequence[StaticInstruction], *, iterations: int = 1, isa: str = "aarch64",
               name: str = "ops") -> InstructionStream:
        """Return the ops one after the other, the whole `iterations` times; a branch at the end is taken but the last
        time."""
        n = len(ops)
        jumps = [bool(ops) and i == n - 1 and ops[i].kind == "branch" for i in range(n)]
        taken = jumps * iterations
        if taken:
            taken[-1] = False
        return cls(isa, tuple(ops), list(range(n)) * iterations, taken, n, name)


def _lanes_written(instruction: Any, bits: int) -> int:
    """Lanes of the result of a multiply: from the arrangement (A64), else from width and element (A32)."""
    if instruction.timing in _PRODUCTS:
        return _PRODUCTS[instruction.timing] // (1 if instruction.width == "q" else 2)
    arrangement = getattr(instruction.roles.get("d"), "arrangement", None)
    if arrangement in _LANE_COUNT:
        return _LANE_COUNT[arrangement]
    if not bits or instruction.timing.startswith("fp_"):
        return 1                                # a scalar
    long = instruction.timing.endswith("_long")
    if long:
        return 64 // bits  # a long form reads a D register of `bits`-wide lanes, whatever it writes
    return (128 if instruction.width == "q" else 64) // bits


def _timing(instruction: Any) -> str:
    """Its class; arithmetic on a shifted or extended register has one of its own."""
    shift, timing = instruction.shift, str(instruction.timing)
    if shift is None or timing not in ("alu", "mov") or "m" not in instruction.roles:
        return timing
    amount = getattr(shift.amount, "value", None)       # none of a shift by a register
    if timing == "mov":
        return "shift_reg" if amount is None else "shift_imm"
    if instruction.form.semantics.family == "base/logic":
        light = not instruction.sets_flags and "d" in instruction.roles
    else:
        light = shift.kind == "lsl" and amount is not None and amount <= _SMALL
    return "alu_shift_light" if light else "alu_shift"


def static_instruction(instruction: Any) -> StaticInstruction:
    """Return an instruction of a program as a pipeline sees it. Raises TimingError for one without a class."""
    timing = _timing(instruction)
    general = 64 if getattr(instruction.roles.get("d"), "kind", "") == "x" else 0
    bits = int(instruction.element[1:]) if instruction.element else general
    formats = {place.type.name for places in instruction.places.values() for place in places}
    half = "f16" in formats and instruction.feature
    if not timing:
        raise TimingError(f"{instruction}: it has no timing class, so its cycles are unknown.")
    reads = [(use.role, use.register) for use in instruction.reads if use.register not in _NOT_TRACKED]
    writes = [(use.role, use.register) for use in instruction.writes if use.register not in _NOT_TRACKED]
    if instruction.isa == "aarch32" and timing in _LANES:
        # What a lane is put into is named once in A32; A64 reads it as `d`, and so does the hardware.
        reads += [("d", register) for role, register in writes if role != "base" and ("d", register) not in reads]
    macs = _lanes_written(instruction, bits) if timing in MULTIPLIES else 0
    if timing in _SCALAR_PRODUCTS and any(role == "a" for role, _ in reads):
        macs = 1
    return StaticInstruction(timing, str(instruction), instruction.width, bits, bool(instruction.by_element),
                             tuple(reads),
                             tuple(writes), instruction.transfer_bytes, macs, instruction.position.line,
                             instruction.feature,
                             "f64" if "f64" in formats else "f16" if half else "", instruction.position.function)


def from_trace(trace: Trace) -> InstructionStream:
    """Return the instructions of a recorded run, in the order in which they ran.

    A lock-step run records one tile, so it is priced like a single call. An A32 instruction whose condition failed
    takes its issue slot like any other.
    """
    if trace.steps == 0:
        raise BadArgument("The trace is empty, so there is nothing to time. Run with trace=True.")
    used, places = np.unique(trace.pc, return_inverse=True)
    instructions = [trace.program.instructions[pc] for pc in used.tolist()]
    ops = tuple(map(static_instruction, instructions))
    order = places.astype(np.int32)
    # A branch is taken where another step follows than the next in the text; the last one leaves the program.
    gone = np.append(trace.pc[1:] != trace.pc[:-1] + 1, trace.executed[-1:])
    taken = np.array([bool(one.is_branch) for one in instructions])[order] & gone
    touches = _Touches.from_trace(trace)
    for k in np.flatnonzero(np.array([op.hint for op in ops])[order]).tolist():
        touches.addresses[k], touches.sizes[k] = _asked(trace, k)
    regions = tuple((buffer.address, buffer.address + buffer.nbytes, buffer.name) for buffer in trace.buffers)
    return InstructionStream(trace.isa, ops, Column.from_array(order), Column.from_array(taken), 0,
                             _program_name(trace.program),
                             touches=touches,
                             regions=regions)


def from_record(program: Program, pcs: Sequence[int], executed: Sequence[int], touches: Sequence[tuple[int, int]],
                regions: Sequence[tuple[int, int, str]]) -> InstructionStream:
    """Return the same of a record that is no `Trace`: the instruction of each step, whether it was executed, its
    access.

    touches   (first address, bytes) of each step, (0, 0) where it has none      regions   (address, end, name)
    """
    if not pcs:
        raise BadArgument("The recording is empty, so there is nothing to time.")
    used = sorted(set(pcs))
    place = {pc: at for at, pc in enumerate(used)}
    instructions = [program.instructions[pc] for pc in used]
    # As in `from_trace`.
    gone = [*(after != pc + 1 for pc, after in pairwise(pcs)), bool(executed[-1])]
    taken = [bool(program.instructions[pc].is_branch) and far for pc, far in zip(pcs, gone, strict=True)]
    return InstructionStream(program.isa, tuple(map(static_instruction, instructions)), [place[pc] for pc in pcs],
                             taken, 0, _program_name(program), touches=list(touches), regions=tuple(regions))


class _Touches(Sequence[tuple[int, int]]):
    """(address, bytes) of the accesses of each step, from the first byte to the last; (0, 0) where it has none."""

    def __init__(self, addresses: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        self.addresses, self.sizes = addresses, sizes

    @classmethod
    def from_trace(cls, trace: Trace) -> _Touches:
        starts = trace.access_start.astype(np.int64)
        has = np.flatnonzero(np.diff(starts))
        first, end = np.zeros(trace.steps, np.int64), np.zeros(trace.steps, np.int64)
        if has.size:
            first[has] = np.minimum.reduceat(trace.access_address, starts[has])
            end[has] = np.maximum.reduceat(trace.access_address + trace.access_bytes, starts[has])
        return cls(first, end - first)

    def __len__(self) -> int:
        return len(self.addresses)

    @overload
    def __getitem__(self, at: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, at: slice) -> list[tuple[int, int]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return list(zip(self.addresses[at].tolist(), self.sizes[at].tolist(), strict=True))
        return int(self.addresses[at]), int(self.sizes[at])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.addresses.tolist(), self.sizes.tolist(), strict=True)


def touched(stream: InstructionStream) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(first addresses, bytes) of the accesses of a stream's instructions."""
    touches = stream.touches
    if isinstance(touches, _Touches):
        return touches.addresses, touches.sizes
    pairs = np.array(touches, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def from_order(program: Program, order: Sequence[int] | NDArray[np.int64], taken: Sequence[bool] | NDArray[np.bool_]
               ) -> InstructionStream:
    """Instructions of a program in the order in which they ran, without addresses: every access hits L1.

    order   numbers of instructions     taken   where one is a taken branch
    """
    numbers = np.asarray(order, np.int64)
    used = np.unique(numbers)
    place = np.zeros(len(program.instructions), np.int64)
    place[used] = np.arange(len(used))
    return InstructionStream(program.isa, tuple(static_instruction(program.instructions[at]) for at in used.tolist()),
                             Column.from_array(place[numbers]), Column.from_array(np.asarray(taken, np.bool_)), 0,
                             _program_name(program))


def _asked(trace: Trace, step: int) -> tuple[int, int]:
    """(address, 1) that a prefetch asks for; (0, 0) where it is a register or a label beside the base."""
    mem = trace.program.instructions[int(trace.pc[step])].roles.get("mem")
    base, offset = getattr(mem, "base", None), getattr(mem, "offset", None)
    by = 0 if offset is None else getattr(offset, "value", None)
    if base is None or by is None:
        return 0, 0
    register = "sp" if getattr(base, "is_sp", False) else f"{'x' if trace.isa == 'aarch64' else 'r'}{base.number}"
    start = int.from_bytes(trace.state(step)[register], "little")
    return start + (-by if getattr(mem, "subtract", False) else by), 1


def loop_heads(program: Program) -> dict[str, tuple[int, int]]:
    """Labels (or "line N" for numeric ones) that a later branch goes back to -> (first, last) instruction index.

    When several branches go back to one label the nearest closes the loop.
    """
    names = {index: name for name, index in program.symbols.items()}
    heads: dict[str, tuple[int, int]] = {}
    for last, instruction in enumerate(program.instructions):
        calls = any(use.register in ("x30", "r14") for use in instruction.writes)
        if instruction.is_branch and not calls and instruction.target is not None and instruction.target <= last:
            first = instruction.target
            name = names.get(first, f"line {program.instructions[first].position.line}")
            heads.setdefault(name, (first, last))
    return heads


def longest_loop(program: Program) -> int | None:
    """First source line of a program's main loop, None without loops.

    Of the loops without loops inside, the one with most vector instructions (a kernel that walks over its columns has
    its products there); the longest where several have as many, or none has any.
    """
    spans = loop_heads(program).values()
    if not spans:
        return None
    inner = [(a, b) for a, b in spans if not any((a, b) != (c, d) and a <= c and d <= b for c, d in spans)]

    def weight(span: tuple[int, int]) -> tuple[int, int]:
        body = program.instructions[span[0]:span[1] + 1]
        vectors = sum(any(use.register[0] in "vqd" and use.register not in _NOT_TRACKED
                            for use in (*i.reads, *i.writes)) for i in body)
        return vectors, span[1] - span[0]

    first, _ = max(inner, key=weight)
    return program.instructions[first].position.line


def from_loop(program: Program, entry: str | int | None, iterations: int) -> InstructionStream:
    """One loop of a program as its straight instruction sequence, `iterations` times.

    entry        the label at the loop's head, or the number of its first source line, or None if there is only one
    iterations   at least 1; the branch at the end is taken but the last time, branches inside are not taken. Of more
                 than `MAX_SIMULATED` instructions the stream has the first ones only
    """
    iterations = as_int(iterations, "iterations", 1)
    heads = loop_heads(program)
    if not len(program):
        raise BadArgument(f"The program {program.path} has no instruction to time.")
    if not heads:
        raise BadArgument("The program has no loop, because no branch goes back to an earlier label. Time a trace of a "
                          "call instead.")
    listing = ", ".join(f"{name!r}" if not name.startswith("line ") else name[5:] for name in heads)
    if entry is None:
        if len(heads) > 1:
            raise BadArgument(f"The program has {len(heads)} loops; select one with entry=: {listing}.")
        entry = next(iter(heads))
    key = f"line {entry}" if isinstance(entry, int) else entry
    if isinstance(entry, int) and key not in heads:
        lines = {program.instructions[first].position.line: name for name, (first, _) in heads.items()}
        key = lines.get(entry, key)
    if key not in heads and key in program.symbols:
        # The name of a function: fine if there is one loop in it.
        start = program.symbols[key]
        later = [index for name, index in program.symbols.items() if index > start and name in program.globals]
        inside = [name for name, (first, _) in heads.items() if start <= first < min(later, default=1 << 60)]
        if len(inside) == 1:
            key = inside[0]
    if key not in heads:
        raise BadArgument(f"No branch goes back to {entry!r}, so it is not a loop. The loops are at: {listing}.")
    first, last = heads[key]
    ops = tuple(static_instruction(instruction) for instruction in program.instructions[first:last + 1])
    n = len(ops)
    kept = min(iterations, max(MAX_SIMULATED // n, FEWEST))
    taken = ([False] * (n - 1) + [True]) * kept
    taken[-1] = kept < iterations
    name = key if key.startswith("line ") else f"loop {key}"
    return InstructionStream(program.isa, ops, list(range(n)) * kept, taken, n, f"{_program_name(program)}: {name}",
                             loop_count=iterations if kept < iterations else 0)


def _program_name(program: Program) -> str:
    path = str(program.path or "")
    return path.rsplit("/", 1)[-1] or "<text>"


def stream_of(subject: object, *, entry: str | int | None = None, iterations: int | None = None) -> InstructionStream:
    """Return a trace, a program's loop or a `InstructionStream` as a `InstructionStream`."""
    if isinstance(subject, InstructionStream):
        return subject
    kind: Any = subject
    if hasattr(subject, "pc") and hasattr(subject, "steps"):
        if entry is not None or iterations is not None:
            raise BadArgument("entry= and iterations= select a loop of a program and do not apply to a trace.")
        return from_trace(kind)
    if hasattr(subject, "instructions") and hasattr(subject, "symbols"):
        return from_loop(kind, entry, 100 if iterations is None else iterations)
    inner = getattr(subject, "trace", None)
    if inner is not None:
        return stream_of(inner, entry=entry, iterations=iterations)
    if hasattr(subject, "program") and hasattr(subject, "contract"):
        raise BadArgument("Cannot time a Kernel. Use kernel.program(), which times the main loop, or another loop with "
                          "entry=.")
    raise BadArgument(f"Cannot time a {type(subject).__name__}; use a trace (result.trace of a call with trace=True), "
                      f"or a program with the label of a loop as entry=.")
