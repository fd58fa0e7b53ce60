"""What others measured, as tests that any model can be put to: single instructions, short sequences, loops, calls.

    chain      an instruction that reads the one before it: cycles a link        tables/insn_bench.tsv
    stream     independent ones: cycles an instruction                           tables/insn_bench.tsv
    guide      a published table by groups of instructions                       tables/guide_a55.tsv
    sequence   a few instructions one after the other, or repeated               tables/sequences.tsv
    loop       loops and calls with published speeds                             anchors

Every figure knows two limits: `band`, how far a model may be from it before it contradicts it, and `noise`, within
which the measurement itself does not know. Figures of forms that a core's model leaves out with a reason
(`tables/exclusions.toml`) are no evidence. A core without a table of its own has that of the core it is based on, if
its file says so with a source of its own instead of a guess (the Cortex-A76 and the Neoverse N1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neonsim.arm.asm import assemble
from neonsim.arm.timing.cores.loader import core_tables, load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction, from_order
from neonsim.arm.timing.timing import time
from neonsim.arm.timing.validation.microbench import (
    HALF_A_CYCLE,
    PART,
    compare_measured,
    guide_tests,
    latency,
    make,
    rows,
    throughput,
)
from neonsim.arm.timing.validation.published_loops import ANCHORS, CALL, ITERATION, PublishedLoop

__all__ = ["LOOP", "PublishedFigure", "Test", "evidence"]

CHAIN, STREAM, GUIDE, SEQUENCE, LOOP = "chain", "stream", "guide", "sequence", "loop"
ASSUMED = "assumed"
SHARE = 0.01                        # of a table with two decimals
# What published speeds are known to (clocks of the boards, calls that are part of the figure), what contradicts them.
KNOWN = {ITERATION: (0.03, 0.05), CALL: (0.02, 0.05)}
WHOLE = 0.5                         # cycles by which a figure in whole cycles may be off


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A published figure, in cycles; `band` and `noise` too. `source` names who measured it."""

    name: str
    cycles: float
    band: float
    noise: float
    source: str


@dataclass(frozen=True)
class Test:
    """What a model is put to, and the figures there are for it: forms that no model tells apart share a test.

    streams   the instructions it runs: a search for what it depends on reads them
    run       cycles by a model
    """

    __test__ = False                # nothing for pytest

    name: str
    kind: str
    streams: tuple[InstructionStream, ...]
    run: Callable[[Core], float]
    figures: tuple[PublishedFigure, ...]


def evidence(core: Core) -> tuple[Test, ...]:
    """All tests with measurements on a core, loops last."""
    table = _table_of(core)
    found: list[Test] = []
    if table is not None:
        found += _bench(core, table) if table.measured and table.measured.column else _guide(table)
    return (*found, *_sequences(core), *_loops(core))


def _table_of(core: Core) -> Core | None:
    """The core whose table speaks of this one: itself, or the sister it is based on."""
    if core.measured is not None or not core.based_on:
        return core if core.measured else None
    marked = core_tables(core.name).get("inherited", ASSUMED)
    base = load_core(core.based_on)
    return base if marked != ASSUMED and "class" in core.inherits and base.measured else None


# ---- single instructions

def _bench(core: Core, table: Core) -> list[Test]:
    """Chains and streams of the forms of a table, those of one price together."""
    assert table.measured is not None
    column, name = table.measured.column, f"{table.name}, {table.measured.table}"
    left_out = {(v.form, v.quantity) for v in compare_measured(table.name).values if v.reason}
    grouped: dict[tuple[object, ...], list[tuple[dict[str, str], PublishedFigure]]] = {}
    for row in rows(table.measured.table):
        for what, kind in (("latency", CHAIN), ("throughput", STREAM)):
            text = row[f"{column}_{what}"]
            if text == "-" or (row["form"], what) in left_out or not float(text):
                continue
            value = float(text) if kind == CHAIN else 1 / float(text)
            band = HALF_A_CYCLE if kind == CHAIN else PART * value
            figure = PublishedFigure(f"{row['form']} ({what})", value, band, SHARE * value, name)
            grouped.setdefault(_alike(core, row, kind), []).append((row, figure))
    found = []
    for key, members in grouped.items():
        row, kind = members[0][0], str(key[0])
        run = latency if kind == CHAIN else throughput
        found.append(Test(f"{kind} of {row['form']}", kind, (_stream_of(row, kind),), _bound(run, row, kind),
                          tuple(figure for _, figure in members)))
    return found


def _alike(core: Core, row: dict[str, str], kind: str) -> tuple[object, ...]:
    """What a model can know of a form: the same for forms that have one price."""
    op = replace(make(row, "r0", "r0", accumulate="acc. fwd." in row["form"]), text="")
    have = {op.width or "", str(op.bits), "elem" if op.by_element else ""}
    priced = tuple(id(each) for each in core.rows_for(op.timing, have))
    return kind, replace(op, bits=0), priced


def _stream_of(row: dict[str, str], kind: str) -> InstructionStream:
    if kind == CHAIN:
        return InstructionStream.of_ops([make(row, "r0", "r0", accumulate="acc. fwd." in row["form"])] * 2)
    return InstructionStream.of_ops([make(row, "r99", "r0")])


def _bound(run: Callable[[dict[str, str], Core], float], row: dict[str, str], kind: str) -> Callable[[Core], float]:
    return (lambda core: run(row, core)) if kind == CHAIN else (lambda core: 1 / run(row, core))


def _guide(table: Core) -> list[Test]:
    """The groups of a guide."""
    assert table.measured is not None
    left_out = {(v.form, v.quantity) for v in compare_measured(table.name).values if v.reason}
    found = []
    for each in guide_tests(table.measured.table):
        if (each.form, each.quantity) not in left_out:
            band = WHOLE if each.is_total else PART * each.cycles
            figure = PublishedFigure(f"{each.form}, {each.quantity}", each.cycles, band, 0.0, table.measured.table)
            found.append(Test(figure.name, GUIDE, (InstructionStream.of_ops(list(each.ops)),), each.run, (figure,)))
    return found


# ---- sequences

def _sequences(core: Core) -> list[Test]:
    found = []
    for row in rows("sequences.tsv"):
        if row["core"] == core.name:
            ops, turns = straight(row["lines"]), 100 if row["what"] == "turn" else 1
            stream = InstructionStream.of_ops(ops, iterations=turns)
            figure = PublishedFigure(row["lines"], float(row["cycles"]), WHOLE, 0.0, row["source"])
            found.append(Test(row["lines"], SEQUENCE, (stream,), _walked(stream, row["what"]), (figure,)))
    return found


def straight(lines: str) -> list[StaticInstruction]:
    """A64 lines, divided by semicolons, as instructions that run one after the other; branches are not taken."""
    program = assemble("\n".join(["top:", *(line.strip() for line in lines.split(";"))]), "aarch64")
    order = np.arange(len(program), dtype=np.int64)
    return list(from_order(program, order, np.zeros(len(program), bool)).ops)


def _walked(stream: InstructionStream, what: str) -> Callable[[Core], float]:
    def start(core: Core) -> float:
        return simulate(stream, core).issue[-1]

    def turn(core: Core) -> float:
        issue, n = simulate(stream, core).issue, stream.body
        turns = len(issue) // n
        return (issue[(turns - 10) * n] - issue[10 * n]) / (turns - 20)

    return start if what == "start" else turn


# ---- loops and calls

def _loops(core: Core) -> list[Test]:
    found = []
    for anchor in ANCHORS:
        if anchor.core == core.name:
            timings = anchor.times()
            body = timings[0].stream.body
            # A rate of instructions as cycles of the sequence.
            per = anchor.measured if anchor.unit in KNOWN else body / anchor.measured
            noise, band = KNOWN.get(anchor.unit, (SHARE, 0.03))
            figure = PublishedFigure(anchor.name, per, band * per, noise * per, "anchors")
            streams = tuple(timing.stream for timing in timings)
            found.append(Test(anchor.name, LOOP, streams, _anchored(anchor, streams), (figure,)))
    return found


def _anchored(anchor: PublishedLoop, streams: tuple[InstructionStream, ...]) -> Callable[[Core], float]:
    def run(core: Core) -> float:
        timings = [time(stream, core=core) for stream in streams]
        if anchor.unit == CALL:
            return sum(t.cycles / t.stream.iterations * n for t, (_, n) in zip(timings, anchor.loops, strict=True))
        return timings[0].cycles_per_iteration

    return run
