"""A core as numbers: what `cores/*.toml` may say, and how an instruction is priced. `corefile` reads and checks them.

There is no code in a core file. The kinds of rule are few:

isa         aarch32, aarch64 or both: a program of one that it does not name is refused in a sentence; teaching = true
            where there is no such core to buy
[features]  has: what the core has for instructions beyond its instruction set (`features()` lists the words: neon,
            neonv8, rdm, dotprod ...); what it does not name no program can use here. Its source speaks of isa too
[identity]  midr, ctr, dczid: what MRS reads of MIDR_EL1, CTR_EL0 and DCZID_EL0 (`core_registers`)
[[kernel]]  which kernel a library takes here, where it is not what every core with the feature gets (the general rules
            stand in `nn.ops.lowering.kernel_selection`): isa, tile (4x16c4), technique (as in the kernel's name),
            feature it needs beyond Armv8, source. The first row of an instruction set must pass first
[dual_issue] depth: from which depth on QNNPACK takes its kernel of raw bytes here; absent: never
[proxy]     names: cores that are not modelled, for which kernels are chosen as for this one
[measured]  table, column: where in `tables/` its measured numbers are
[llvm]      aarch32, aarch64: LLVM's name of a model of its own for this core; oldest: the first LLVM that has it
[issue]     (in-order)      width; whether a taken branch ends an issue group; skewed (patterns of classes that may
                            issue a cycle before their operands are there, in a second ALU one stage later)
[dispatch]  (out-of-order)  width (instructions a cycle), micros (micro-operations a cycle; default width), rob
                            (entries), loads and stores (how many in flight, 0: no limit), retire (a cycle); whether
                            a taken branch ends a dispatch group; steer: of several units a micro-operation goes to the
                            one with the fewest "entries" (the default) or the least "work" (cycles of use) waiting
[unit.X]    an execution resource: count (how many), queue (entries, out-of-order only), enter (micro-operations its
            queue takes a cycle, 0 any), q_form (how many of them a Q-form operation takes; default 1), q_form_older
            (a Q-form operation must be the older of an issued pair), in_order (out-of-order only: a name; the units
            of that name start their micro-operations in program order, those of one instruction a cycle)
[writeback] latency of an updated base register, and the unit that makes it (absent: the load/store does it itself)
[[forward]] a producer's result reaches some consumer earlier or later than its latency says
            from, to    lists of class patterns (`asimd_*`), or `@kind`
            same        true: only between instructions of one class
            role        roles of the reading operand (`a` accumulator, `base` and `offset` address, `t` stored data)
            write       role of the written operand (`base`: the address write-back)
            form        "d" or "q": only of a producer of that width
            latency     cycles instead of the producer's latency, or: earlier = cycles to take off
            exact       true: only a reader that starts in the very cycle `latency` gives gets it so soon; any later
                        one waits for the producer's whole latency (in-order)
[[apart]]   (in-order) two instructions that do not start a certain number of cycles apart
            from, to    lists of class patterns: the earlier, the later
            cycles      the distance that is not allowed
[memory]    caches, alignment, store forwarding: the fields of `caches.MemoryModel`
[fetch]     taken: cycles from one taken branch to a different one, at least (a loop's own branch is predicted at once)
            returned, indirect, called: the same after a return, after another branch to a register, after a call of one
            (default: taken)
            mispredict: cycles in which nothing issues after a branch that was predicted wrongly, that is one that falls
            out of a loop after more than `learned` iterations
[[rate]]    a budget that several units share: refill a cycle, burst at most, cost of a "d" and a "q" operation
[class]     one row a timing class: `name`, or `name.suffix`, suffixes d q (width), 8 16 32 64 (element bits), elem (by
            element). A `*` in a name stands for the rest. The fields of all fitting rows are laid over each other, most
            exact last.
            latency     cycles until a dependent instruction may start
            unit        "X Y" all at once, "X|Y" either
            busy        cycles the unit is taken (1 over its throughput)
            beat        bytes moved a cycle: the transfer takes nbytes / beat cycles, registers arrive in order
            arrive      bytes whose registers arrive in one cycle, where that is not `beat`
            alone       true: issues alone, and blocks issue until its last beat is through (in-order)
            last_beat_free   true: blocks issue too, but another instruction may issue beside its last beat (in-order)
            form        "d" or "q": counts as that width in unit and rate
            older       true: must be the older of an issued pair (in-order)
            unknown     true: the numbers are placeholders; a report counts every use. Floating point of 16 and 64 bits
                        is unknown where no row has that suffix
            source      keys of [source]
Every table names its source. A core that is `based_on` another says what differs, and in `inherits` what it takes over:
a list of the words above, from `kind` and `isa` to `class`. What is in the list and in its own file is laid over the
base's field by field ([[forward]], [[apart]], [[rate]] are appended, [[kernel]] goes in front); what is not in the list
is its own or absent. With `inherited = KEY` everything it takes over carries that source as well (`assumed`: not
measured here).
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonsim.arm.isa import all_semantics, forms
from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryModel
from neonsim.errors import TimingError

if TYPE_CHECKING:
    from neonsim.arm.timing.stream import StaticInstruction

__all__ = ["ARMV8_HAS", "ENTRIES", "IN_ORDER", "OUT_OF_ORDER", "WORK", "Core", "ExecutionUnit", "Forward",
           "InstructionCost", "IssueDistance", "LibraryKernel", "MeasuredSource", "PriceRow", "ThroughputLimit",
           "features", "matches", "nearest"]

IN_ORDER, OUT_OF_ORDER = "in-order", "out-of-order"
ENTRIES, WORK = "entries", "work"           # what a micro-operation that several units can take goes by


@dataclass(frozen=True, slots=True)
class ExecutionUnit:
    """An execution resource: how many of it there are, entries of its queue, what a Q-form operation takes of it."""

    name: str
    count: int
    text: str = ""
    queue: int = 0
    enter: int = 0
    q_form: int = 1
    q_form_older: bool = False
    in_order: str = ""


@dataclass(frozen=True, slots=True)
class InstructionCost:
    """What one instruction costs on one core.

    latency    cycles until a dependent instruction may start; loads add the beats before their register arrives
    unit_choices  per needed resource: (alternative unit names, how many of them)
    busy       cycles its units are taken, the beats of a transfer included
    alone      issues without a partner
    release_after  cycles for which it blocks issue
    older      must be the older of an issued pair
    beat       bytes moved a cycle, 0 if it moves none
    arrive     bytes whose registers arrive in one cycle
    form       "d", "q" or ""
    unknown    the numbers are placeholders
    row        the most exact row of the core file
    """

    latency: int
    unit_choices: tuple[tuple[tuple[str, ...], int], ...]
    busy: int
    alone: bool
    release_after: int
    older: bool
    beat: int
    arrive: int
    form: str
    unknown: bool
    row: str
    source: str


@dataclass(frozen=True, slots=True)
class Forward:
    """A producer-consumer pair with a latency of its own; see the module's text."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    same: bool
    roles: tuple[str, ...]
    write: str
    latency: int | None
    earlier: int
    exact: bool = False
    form: str = ""

    def fits(self, producer: StaticInstruction, write: str, consumer: StaticInstruction, role: str) -> bool:
        """Return whether the rule speaks of this pair."""
        return (
            (not self.roles or role in self.roles)
            and self.form in ("", producer.width)
            and (write == self.write if self.write else write != "base")
            and (not self.same or producer.timing == consumer.timing)
            and any(matches(pattern, producer.timing) for pattern in self.sources)
            and any(matches(pattern, consumer.timing) for pattern in self.targets)
        )


@dataclass(frozen=True, slots=True)
class IssueDistance:
    """An instruction of `targets` does not start exactly `cycles` after one of `sources`."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    cycles: int


@dataclass(frozen=True, slots=True)
class ThroughputLimit:
    """A budget shared by units: `refill` units of cost a cycle, at most `burst` saved up, an operation costs `cost`."""

    units: tuple[str, ...]
    refill: int
    burst: int
    cost: Mapping[str, int]
    text: str


@dataclass(frozen=True, slots=True)
class LibraryKernel:
    """A kernel that a library takes on this core: tile and technique of its name, what it needs, and the fact."""

    isa: str
    tile: str
    technique: str
    feature: str
    source: str


@dataclass(frozen=True, slots=True)
class MeasuredSource:
    """Where the measured numbers of a core are: a file of `tables/`, and the first word of its columns there."""

    table: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A row of [class]: applies to the classes its name matches, where all its suffixes hold."""

    name: str
    suffixes: tuple[str, ...]
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Core:
    """A core model: a parameter set of one of the two pipelines. Made by `load_core`; rows stand least exact first."""

    name: str
    title: str
    kind: str
    isas: tuple[str, ...]
    picture: str
    notes: str
    path: str
    width: int
    taken_branch_ends_group: bool
    skewed: tuple[str, ...]
    micros: int
    loads: int
    stores: int
    rob: int
    retire: int
    steer: str
    units: Mapping[str, ExecutionUnit]
    rows: tuple[PriceRow, ...]
    forwards: tuple[Forward, ...]
    aparts: tuple[IssueDistance, ...]
    rates: tuple[ThroughputLimit, ...]
    taken_distance: int
    jumps: Mapping[str, int]
    mispredict: int
    learned: int
    memory: MemoryModel | None
    writeback: int
    writeback_unit: tuple[str, ...]
    identity: Mapping[str, int]
    features: frozenset[str]
    choices: tuple[LibraryKernel, ...]
    dual_issue: int | None
    proxies: tuple[str, ...]
    measured: MeasuredSource | None
    llvm: Mapping[str, str]
    llvm_oldest: int
    teaching: bool
    based_on: str
    inherits: tuple[str, ...]
    sources: Mapping[str, str]
    _prices: dict[StaticInstruction, InstructionCost] = field(default_factory=dict, init=False, repr=False,
                                                              compare=False)

    def price(self, op: StaticInstruction) -> InstructionCost:
        """Return what the instruction costs here.

        Raises TimingError naming class and file when no row of the core file fits.
        """
        found = self._prices.get(op)
        if found is None:
            found = self._prices[op] = self._price(op)
        return found

    def _price(self, op: StaticInstruction) -> InstructionCost:
        where = f"{Path(self.path).name} ({self.name})"
        if op.timing not in CLASSES:
            raise TimingError(f"{op.text or op.timing}: there is no timing class {op.timing!r}"
                              f"{nearest(op.timing, CLASSES)}. Classes are listed in "
                              "neonsim/arm/timing/cores/instruction_classes.py.")
        have = {op.width or "", str(op.bits), "elem" if op.by_element else ""}
        merged, best = self.fields(op.timing, have)
        # A row that does not say so is of single precision.
        guess = bool(op.numbers) and not self.teaching and f".{op.numbers[1:]}" not in best
        for needed in ("latency", "unit"):
            if needed not in merged:
                what = needed if merged else "price"
                user = f", needed by {op.text}" if op.text else ""
                raise TimingError(f"{where} has no {what} for class {op.timing!r}{user}. Add a row under [class].")
        form = merged.get("form", op.width or "")
        needs, older = [], bool(merged.get("older", False))
        for word in str(merged["unit"]).split():
            names = tuple(word.split("|"))
            unit = self.units[names[0]]
            needs.append((names, unit.q_form if form == "q" else 1))
            older = older or (unit.q_form_older and form == "q")
        beat = merged.get("beat", 0)
        busy = merged.get("busy", 1)
        if beat:
            busy = max(busy, -(-op.nbytes // beat))
        alone, free = merged.get("alone", False), merged.get("last_beat_free", False)
        holds = busy if alone else busy - 1 if free and busy > 1 else 0
        return InstructionCost(merged["latency"], tuple(needs), busy, alone, holds, older, beat,
                               merged.get("arrive", beat), form,
                               guess or merged.get("unknown", False), best, str(merged.get("source", "")))

    def fields(self, timing: str, suffixes: set[str]) -> tuple[dict[str, Any], str]:
        """(fields of all fitting rows laid over each other, name of the most exact)."""
        merged: dict[str, Any] = {}
        best = ""
        for row in self.rows_for(timing, suffixes):
            merged.update(row.fields)
            best = ".".join((row.name, *row.suffixes))
        like = CLASSES[timing].parent if timing in CLASSES else ""
        if like and not {"latency", "unit"} <= merged.keys():
            merged, best = self.fields(like, suffixes)
            return merged | {"unknown": True}, best
        return merged, best

    def rows_for(self, timing: str, suffixes: set[str]) -> list[PriceRow]:
        """Return the rows of its file that speak of a class, least exact first."""
        return [row for row in self.rows if matches(row.name, timing) and suffixes.issuperset(row.suffixes)]

    def arrival(self, producer: StaticInstruction, write: int) -> int:
        """Latency of the producer's write number `write`, before any forwarding rule.

        A register of a transfer arrives with its last beat; the base register is updated after the write-back latency.
        """
        role = producer.writes[write][0]
        if role == "base":
            return self.writeback
        price = self.price(producer)
        if not price.beat or producer.kind != "load":
            return price.latency
        data = [k for k, (r, _) in enumerate(producer.writes) if r != "base"]
        beats = -(-producer.nbytes * (data.index(write) + 1) // (len(data) * price.arrive))
        return price.latency + max(0, beats - 1)

    def latency(self, producer: StaticInstruction, write: int, consumer: StaticInstruction, role: str, position: int
                | None = None) -> int:
        """Cycles from the start of the producer to the earliest start of the consumer that reads it as `role`.

        position   which of the consumer's reads: later registers of a multi-beat store are needed later
        """
        base = self.arrival(producer, write)
        rule = self.rule(producer, write, consumer, role)
        result = base
        if rule and rule.latency is None:
            result = max(0, base - rule.earlier)
        elif rule and rule.latency is not None:
            # A rule states the latency of the first beat; later registers of a transfer stay later.
            late = base - self.price(producer).latency if producer.kind == "load" and not rule.write else 0
            result = rule.latency + late
        return max(0, result - self._beats_before(consumer, role, position))

    def is_exact_latency(self, producer: StaticInstruction, write: int, consumer: StaticInstruction, role: str) -> bool:
        """Return whether `latency` is for a consumer that starts in that very cycle only; a later one waits for
        `arrival`."""
        rule = self.rule(producer, write, consumer, role)
        return rule is not None and rule.exact

    def rule(self, producer: StaticInstruction, write: int, consumer: StaticInstruction, role: str) -> Forward | None:
        """Return the last forwarding rule that speaks of this pair."""
        fitting = [rule for rule in self.forwards if rule.fits(producer, producer.writes[write][0], consumer, role)]
        return fitting[-1] if fitting else None

    def _beats_before(self, consumer: StaticInstruction, role: str, position: int | None) -> int:
        """Beats of a store that pass before it needs the register it reads at `position`."""
        if role != "t" or position is None or consumer.kind != "store":
            return 0
        beat = self.price(consumer).beat
        data = [k for k, (r, _) in enumerate(consumer.reads) if r == "t"]
        return consumer.nbytes * data.index(position) // (len(data) * beat) if beat else 0

    def missing(self, isa: str, required: Iterable[str] = ()) -> tuple[str, ...]:
        """Return what a program asks for and this core has not: the instruction set, else features in their order."""
        if isa not in self.isas:
            return (isa,)
        has = self.features | (ARMV8_HAS if "neonv8" in self.features else frozenset())
        return tuple(sorted(set(required) - has))

    def lacks(self, isa: str, required: Iterable[str] = (), name: str = "the program") -> str:
        """Return why a program cannot run here, as a sentence; empty if it can."""
        missing = self.missing(isa, required)
        if missing == (isa,):
            return f"{self.name} runs {' and '.join(self.isas)}, but {name} is {isa}."
        return f"{self.name} has no {' and no '.join(missing)}, which {name} needs." if missing else ""

    def absent(self) -> set[str]:
        """Classes whose instructions all need a feature that the core has not: nothing to price."""
        here: set[str] = set()
        for isa in self.isas:
            for timing, features in _classes(isa):
                if not self.missing(isa, features):
                    here.add(timing)
        return set(CLASSES) - here - (_SHIFTED if "alu" in here else set())

    def check(self) -> tuple[list[str], list[str]]:
        """(classes without a price, classes priced as unknown), of what the core has."""
        missing, unknown = [], []
        absent = self.absent()
        for name in CLASSES:
            if name in absent:
                continue
            merged, _ = self.fields(name, set())
            if "latency" not in merged or "unit" not in merged:
                missing.append(name)
            elif merged.get("unknown"):
                unknown.append(name)
        return missing, unknown

    def timing_classes(self) -> set[str]:
        """Return the timing classes there are."""
        return set(CLASSES)

    def assumed(self) -> list[str]:
        """Classes whose price no source read here has for this core: `assumed` is among their sources."""
        return [name for name in CLASSES if "assumed" in str(self.fields(name, set())[0].get("source", "")).split()]

    def __str__(self) -> str:
        return f"{self.name}: {self.title}"


# Words that stand for no single instruction of ours: Advanced SIMD, what Armv8 gave that of AArch32 (rounding
# conversions), arithmetic in half precision.
_BEYOND = ("fp16", "idiv", "neon", "neonv8", "vfpv4")
# What comes with Armv8 in AArch32, and is said apart only of cores before it.
ARMV8_HAS = frozenset(("idiv", "vfpv4"))
# Classes that no form names: an operation of "alu" or "mov" is of them by its operands (`op`).
_SHIFTED = {"alu_shift", "alu_shift_light", "shift_imm", "shift_reg"}


@functools.cache
def _classes(isa: str) -> frozenset[tuple[str, frozenset[str]]]:
    """(timing class, features that the instruction needs) of all forms of an instruction set."""
    return frozenset((form.timing.format(count=count),
                      frozenset({form.options.get("feature", form.semantics.feature or form.newer)} - {""}))
                     for form in forms(isa) for count in range(1, 5))


def features() -> tuple[str, ...]:
    """Return the features that a core can have or lack: those that instructions name, and a few that kernels do.

    >>> "dotprod" in features()
    True
    """
    return tuple(sorted({*_BEYOND, *(meaning.feature for meaning in all_semantics().values())} - {""}))


@functools.cache
def matches(pattern: str, name: str) -> bool:
    """Return whether a class name fits a pattern: itself, with `*`, or `@kind`."""
    if pattern.startswith("@"):
        row = CLASSES.get(name)
        return bool(row and row.kind == pattern[1:])
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern))


def nearest(word: str, candidates: Iterable[str]) -> str:
    """" (did you mean 'x'?)" or nothing."""
    close = difflib.get_close_matches(word, list(candidates), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
