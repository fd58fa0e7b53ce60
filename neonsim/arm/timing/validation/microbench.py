"""The core models against measured and published tables of single instructions.

Which table a core has is in its file ([measured]): one with a column for each core, or a guide's by groups.

Every form of a table becomes two micro-benchmarks of its timing class: a chain, in which each instruction reads the one
before it, and a stream of independent ones. Latency must agree within half a cycle, throughput within 5 %. A class
that lumps a form together with a cheaper or dearer one is listed in `tables/exclusions.toml` with the reason; the form
must really be off, a needless exclusion is an error.

    insn_bench.tsv   Cortex-A53 (Raspberry Pi 3), Cortex-A72 (LX2160A), Neoverse N1 (Graviton2), V1 (Graviton3),
                     Cortex-X1 (Snapdragon 8cx gen 3), Apple M1, measured
                     Source: ocxtal/insn_bench_aarch64 @5145ffc (MIT), results/*.md
    guide_a55.tsv    Cortex-A55, by instruction group. Source: Arm, EPM128372 v4.0

`neonsim cores validate --instructions` prints the comparison.
"""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cache

from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.cores.loader import TABLES, load_core, load_cores
from neonsim.arm.timing.cores.model import Core, MeasuredSource
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.errors import BadArgument

__all__ = ["GuideTest", "MicrobenchFigure", "MicrobenchReport", "compare_measured", "guide_tests", "measured"]

HALF_A_CYCLE, PART, ROUNDED = 0.5, 0.05, 0.005      # the table has two decimals
COUNT = 97
# Bytes and registers of the transfers whose name does not say them: class -> (bytes, registers).
_SHIFTED = frozenset({"alu_shift", "alu_shift_light"})
_MOVED = {"ldr": (8, 1), "ldp": (16, 2), "ldr_simd": (16, 1), "ldp_simd": (32, 2), "str": (8, 1), "stp": (16, 2),
          "str_simd": (16, 1), "stp_simd": (32, 2)}


@dataclass(frozen=True, slots=True)
class MicrobenchFigure:
    """One figure of a table beside the model's: `quantity` is latency or throughput (a cycle)."""

    form: str
    timing: str
    quantity: str
    measured: float
    modeled: float
    agrees: bool
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.form}: {self.quantity} measured {self.measured:g}, modelled {self.modeled:.2f}"


@dataclass(frozen=True)
class MicrobenchReport:
    """All values of one core: those that agree, those that do not, those excluded with a reason."""

    core: str
    values: tuple[MicrobenchFigure, ...] = field(repr=False)

    @property
    def agree(self) -> list[MicrobenchFigure]:
        return [v for v in self.values if v.agrees and not v.reason]

    @property
    def deviations(self) -> list[MicrobenchFigure]:
        """Values that are off and not excluded."""
        return [v for v in self.values if not v.agrees and not v.reason]

    @property
    def excluded(self) -> dict[str, list[MicrobenchFigure]]:
        """reason -> values that are off because of it."""
        found: dict[str, list[MicrobenchFigure]] = {}
        for v in self.values:
            if v.reason:
                found.setdefault(v.reason, []).append(v)
        return found

    @property
    def needless(self) -> list[MicrobenchFigure]:
        """Values that agree although they are excluded; where the reason is the table's own error, that may be."""
        return [v for v in self.values if v.reason and v.agrees and "the table" not in v.reason]

    def __str__(self) -> str:
        classes = len({v.timing for v in self.agree})
        left_out = sum(map(len, self.excluded.values()))
        lines = [f"{self.core}: {len(self.agree)} values of {classes} classes agree, {len(self.deviations)} do not, "
                 f"{left_out} excluded"]
        lines += [f"  off  {v}" for v in self.deviations]
        lines += [f"  not needed: the exclusion of {v}" for v in self.needless]
        lines += [f"  excluded {len(rows):3d}  {reason}; such as {rows[0]}" for reason, rows in self.excluded.items()]
        return "\n".join(lines)


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table in `tables/`."""
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    return tuple(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


@cache
def exclusions(core: str) -> tuple[tuple[re.Pattern[str], frozenset[str], str], ...]:
    """(pattern of the form, which values are off, reason) of a core."""
    data = tomllib.loads((TABLES / "exclusions.toml").read_text(encoding="utf-8"))
    return tuple((re.compile(row["form"]), frozenset(row["off"].split()), data["reason"][row["reason"]])
                 for row in data.get(core, []))


def _moved(name: str, bits: int, width: str | None) -> tuple[int, int]:
    """(bytes, registers) that a load or store of the class moves."""
    if name in _MOVED:
        return _MOVED[name]
    n = int(re.sub(r"\D", "", name[2:]) or 1)
    registers = int(name[-1]) if name[:4] in ("ld1_", "st1_") and name[-1].isdigit() else n if name[2] != "1" else 1
    if name.endswith(("lane", "r")):
        return n * bits // 8, registers
    return registers * (8 if width == "d" else 16), registers


def make(row: dict[str, str], source: str, target: str, *, accumulate: bool = False) -> StaticInstruction:
    """Return a form of the table as an instruction that reads `source` and writes `target`."""
    name, bits, width = row["class"], int(row["bits"]), row["width"] or None
    op = StaticInstruction(name, row["form"], width, bits, row["element"] == "elem")
    kind = CLASSES[name].kind
    if kind == "load":
        nbytes, registers = _moved(name, bits, width)
        writes = tuple(("t", target if k == 0 else f"{target}.{k}") for k in range(registers))
        return replace(op, reads=(("base", source),), writes=writes, nbytes=nbytes)
    if kind == "store":
        return replace(op, reads=(("t", "v31"), ("base", "x31")), nbytes=_moved(name, bits, width)[0])
    # The table's chains pass through the last operand (`add d, d, s, lsl #2`): the one that is shifted.
    role = "a" if accumulate else "m" if name in _SHIFTED else "n"
    return replace(op, reads=((role, source),), writes=(("d", target),))


def _cycles(ops: list[StaticInstruction], core: Core) -> float:
    """Cycles an op in the steady state."""
    run = simulate(InstructionStream.of_ops(ops), core)
    first, last = len(ops) // 2, len(ops) - 1
    return (run.issue[last] - run.issue[first]) / (last - first)


def latency(row: dict[str, str], core: Core) -> float:
    """Cycles of a link of a chain of the form."""
    return _cycles([make(row, "r0", "r0", accumulate="acc. fwd." in row["form"])] * COUNT, core)


def throughput(row: dict[str, str], core: Core) -> float:
    """Return how many independent ones a cycle."""
    return 1 / _cycles([make(row, "r99", f"r{k % 24}") for k in range(COUNT)], core)


def measured() -> list[str]:
    """Return the cores whose files name a table of measured or published numbers."""
    return [core.name for core in load_cores() if core.measured]


def compare_measured(name: str, core: Core | None = None) -> MicrobenchReport:
    """Return a core's model against the table that there is for it.

    name   a core of `measured()`
    core   another model to hold against the same table; default: the one of that name

    Raises BadArgument if there is no table for the core.

    >>> len(compare_measured("cortex-a55").deviations)
    0
    """
    name = load_core(name).name
    table = load_core(name).measured
    if table is None:
        raise BadArgument(f"There is no table of instruction measurements for {name!r}, only for "
                          f"{', '.join(measured())}.")
    core = core or load_core(name)
    values = _bench(name, core, table) if table.column else _guide(core, table)
    return MicrobenchReport(name, tuple(values))


def _bench(name: str, core: Core, table: MeasuredSource) -> list[MicrobenchFigure]:
    known: dict[tuple[str, StaticInstruction, bool], float] = {}

    def remembered(what: str, row: dict[str, str]) -> float:
        # Forms that the model cannot tell apart are simulated once.
        key = (what, replace(make(row, "r0", "r0"), text=""), "acc. fwd." in row["form"])
        if key not in known:
            known[key] = latency(row, core) if what == "latency" else throughput(row, core)
        return known[key]

    found = []
    for row in rows(table.table):
        for what in ("latency", "throughput"):
            text = row[f"{table.column}_{what}"]
            if text == "-":
                continue
            value, modeled = float(text), remembered(what, row)
            agrees = abs(value - modeled) <= (HALF_A_CYCLE if what == "latency" else max(PART * value, ROUNDED))
            reason = _excluded(name, row["form"], what)
            if not reason and not agrees and core.based_on:
                reason = _excluded(core.based_on, row["form"], what)
            found.append(MicrobenchFigure(row["form"], row["class"], what, value, modeled, agrees, reason))
    return found


def _excluded(core: str, form: str, what: str) -> str:
    """Why this value of the form is not followed, "" if it is."""
    return next((why for pattern, off, why in exclusions(core) if what in off and pattern.search(form)), "")


# ---- Arm's guide of the Cortex-A55: groups of instructions, Q form and D form

def _guide_op(row: dict[str, str], width: str, source: str, target: str, role: str = "n") -> StaticInstruction:
    name = row["class"]
    bits = 32 if CLASSES[name].kind in ("load", "store") else 16
    nbytes, registers = _moved(name, bits, width) if CLASSES[name].kind in ("load", "store") else (0, 0)
    if name.endswith("_simd") and width == "d":
        nbytes //= 2
    if CLASSES[name].kind == "load":
        return StaticInstruction(name, name, width, reads=(("base", "x0"),), nbytes=nbytes,
                                 writes=tuple(("t", f"{target}{k}") for k in range(registers)))
    if CLASSES[name].kind == "store":
        return StaticInstruction(name, name, width, reads=(("t", source), ("base", "x0")), nbytes=nbytes)
    return StaticInstruction(name, name, width, bits, reads=((role, source),), writes=(("d", target),))


def _guide_pair(row: dict[str, str], width: str, role: str = "n") -> tuple[StaticInstruction, StaticInstruction]:
    """An instruction of the group, and a reader of its last register."""
    first = _guide_op(row, width, "v1", "v2", role)
    last = first.writes[-1][1]
    alike = row["class"] if role == "a" else "asimd_mul" if row["class"] != "ldr" else "alu"
    return first, StaticInstruction(alike, "reader", width, 16, reads=((role, last),), writes=(("d", "v3"),))


@dataclass(frozen=True, slots=True)
class GuideTest:
    """A figure of a guide, in cycles, and what a model is put to for it.

    ops     the instructions that run     whole   a latency: whole cycles, otherwise cycles an instruction
    """

    form: str
    timing: str
    quantity: str
    cycles: float
    ops: tuple[StaticInstruction, ...]
    is_total: bool

    def run(self, core: Core) -> float:
        """Cycles by a model."""
        return simulate(InstructionStream.of_ops(self.ops),
                        core).issue[1] if self.is_total else _cycles(list(self.ops), core)


def guide_tests(table: str) -> list[GuideTest]:
    """Return the figures of a guide by groups of instructions, of Q and of D form."""
    found = []
    for row in rows(table):
        form, timing = row["form"], row["class"]
        for width in ("q", "d"):
            ops = tuple(_guide_op(row, width, "v99", f"v{k % 16}_") for k in range(COUNT))
            found.append(GuideTest(form, timing, f"throughput ({width})", 1 / float(row[width]), ops, False))
        if row["latency"] == "-" or timing in ("alu", "alu_shift"):
            continue            # of general registers: the second ALU hides it
        q, _, d = row["latency"].partition(" ")
        for width, published in (("q", q), ("d", d or q)):
            found.append(GuideTest(form, timing, f"latency ({width})", float(published), _guide_pair(row, width), True))
        if row["forwarded"] != "-":
            found.append(GuideTest(form, timing, "latency, accumulated", float(row["forwarded"]),
                                   _guide_pair(row, "q", "a"), True))
    return found


def _guide(core: Core, table: MeasuredSource) -> list[MicrobenchFigure]:
    found = []
    for test in guide_tests(table.table):
        published, modeled = test.cycles, test.run(core)
        if not test.is_total:
            published, modeled = 1 / published, 1 / modeled
        agrees = abs(published - modeled) <= (0 if test.is_total else PART) * published
        reason = _excluded(core.name, test.form, test.quantity.replace(" ", ""))
        found.append(MicrobenchFigure(test.form, test.timing, test.quantity, published, modeled, agrees, reason))
    return found
