"""The numbers of a core as unknowns: where each stands in the core's file, what it could be, who told it.

    class      latency, busy and unit of a row of [class]
    forward    the cycles of a rule of [[forward]], or that there is no such rule
    queue      entries of units that take each other's work
    dispatch   width, micro-operations, entries of the reorder buffer, how many retire a cycle

Which of them a test depends on is read from the instructions that it runs (`reached`): the rows that price them, the
rules between those that write and those that read, the queues they wait in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from neonsim.arm.timing.cores.loader import core_tables
from neonsim.arm.timing.cores.model import OUT_OF_ORDER, Core, Forward, PriceRow
from neonsim.arm.timing.fitting.evidence import LOOP, Test
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.arm.timing.validation.microbench import rows as table

__all__ = ["CoreParameter", "Value", "reached", "unknowns", "with_values"]

Value = int | str | None            # None: there is no such rule
Place = tuple[str, ...]
QUEUES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32)
BUFFERS = (32, 48, 64, 96, 128, 192, 256, 512)
PEERS = 3                           # units of which a class may run on any: more make too many sets of them
GUESS = "assumed"


@dataclass(frozen=True)
class CoreParameter:
    """A number of a core: its place in the file, what it could be, what it is there, the sources that the file names.

    text     of a rule of [[forward]]: between which classes it is
    is_described  whether one of these is neither a measurement that is used here nor a guess: a description

    place    ("class", row, field), ("forward", number, "latency" or "earlier"), ("queue", unit, ...), ("dispatch", key)
    """

    place: Place
    values: tuple[Value, ...]
    value: Value
    sources: tuple[str, ...]
    is_described: bool = False
    text: str = ""

    @property
    def name(self) -> str:
        """As it stands in the core's file."""
        kind, *rest = self.place
        if kind == "class":
            return f"[class] {rest[0]}: {rest[1]}"
        if kind == "forward":
            return f"[[forward]] number {int(rest[0]) + 1} ({self.text}): {rest[1]}"
        return f"[unit] {', '.join(rest)}: queue" if kind == "queue" else f"[dispatch] {rest[0]}"


# ---- a model with other numbers

def with_values(core: Core, chosen: Iterable[tuple[Place, Value]]) -> Core:
    """Return the core with other numbers at some places."""
    rows: dict[str, dict[str, Any]] = {}
    forwards: dict[int, tuple[str, Value]] = {}
    changes: dict[str, Any] = {}
    units = dict(core.units)
    for (kind, *rest), value in chosen:
        if kind == "class":
            rows.setdefault(rest[0], {})[rest[1]] = value
        elif kind == "forward":
            forwards[int(rest[0])] = (rest[1], value)
        elif kind == "queue":
            assert isinstance(value, int)
            units |= {name: replace(units[name], queue=value) for name in rest}
        else:
            changes[rest[0]] = value
    if rows:
        changes["rows"] = tuple(PriceRow(row.name, row.suffixes, {**row.fields, **rows[_row_name(row)]})
                                if _row_name(row) in rows else row for row in core.rows)
    if forwards:
        changes["forwards"] = tuple(_ruled(rule, *forwards[k]) if k in forwards else rule
                                    for k, rule in enumerate(core.forwards))
    return replace(core, units=units, **changes)


def _row_name(row: PriceRow) -> str:
    return ".".join((row.name, *row.suffixes))


def _ruled(rule: Forward, key: str, value: Value) -> Forward:
    if not isinstance(value, int):
        return replace(rule, sources=())                # a rule that speaks of nothing keeps its number
    return replace(rule, latency=value) if key == "latency" else replace(rule, earlier=value)


# ---- what a test depends on

def reached(core: Core, test: Test) -> list[Place]:
    """Return the places of a core's file whose numbers a test could depend on."""
    found: dict[Place, None] = {}
    for stream in test.streams:
        for op in stream.ops:
            found |= dict.fromkeys(_priced(core, op))
        found |= dict.fromkeys(_passed(core, stream))
    if test.kind == LOOP and core.kind == OUT_OF_ORDER:
        names = {name for stream in test.streams for op in stream.ops for group, _ in core.price(op).unit_choices
                 for name in group}
        found |= dict.fromkeys(("queue", *pool) for pool in _pools(core) if names & set(pool))
        found |= {("dispatch", key): None for key in ("width", "rob", "retire")}
    return list(found)


def _priced(core: Core, op: StaticInstruction) -> Iterator[Place]:
    """The rows that an instruction has its latency, its unit and its time on the unit from."""
    have = {op.width or "", str(op.bits), "elem" if op.by_element else ""}
    rows = core.rows_for(op.timing, have)
    for key in ("latency", "unit", "busy"):
        row = next((row for row in reversed(rows) if key in row.fields), None)
        if row is None and key == "busy" and rows and core.price(op).busy == 1:
            row = next(row for row in reversed(rows) if "unit" in row.fields)
        if row is not None and "*" not in row.name and (key != "unit" or " " not in row.fields["unit"]):
            yield "class", _row_name(row), key


def _passed(core: Core, stream: InstructionStream) -> Iterator[Place]:
    """The rules by which results of one instruction reach another, over two turns of a loop."""
    number = {id(rule): k for k, rule in enumerate(core.forwards)}
    writer: dict[str, tuple[StaticInstruction, int]] = {}
    order = list(stream.order[:2 * stream.body] if stream.body else stream.order)
    for index in order:
        op = stream.ops[index]
        for role, register in op.reads:
            if register in writer:
                rule = core.rule(*writer[register], op, role)
                if rule is not None:
                    yield "forward", str(number[id(rule)]), "earlier" if rule.latency is None else "latency"
        writer.update({register: (op, k) for k, (_, register) in enumerate(op.writes)})


def _pools(core: Core) -> list[tuple[str, ...]]:
    """Units that take each other's work, in the order of the file."""
    pool = {name: {name} for name in core.units}
    for row in core.rows:
        for word in str(row.fields.get("unit", "")).split():
            joined = set().union(*(pool[name] for name in word.split("|")))
            for name in joined:
                pool[name] = joined
    return [tuple(name for name in core.units if name in names)
            for names in {id(p): p for p in pool.values()}.values()]


# ---- what a number could be

def unknowns(core: Core, tests: Iterable[Test], places: Iterable[Place]) -> dict[Place, CoreParameter]:
    """Return the unknowns at these places, each with the values that it could have by what was measured."""
    tables = core_tables(core.name)
    measured = {*str(tables.get("measured", {}).get("source", "")).split(), GUESS,
                *(row["source"] for row in table("sequences.tsv"))}
    rows = {_row_name(row): row for row in core.rows}
    pools = _pools(core)
    near: dict[Place, list[float]] = {}
    for test in tests:
        if test.kind in ("chain", "stream"):
            for place in _priced(core, test.streams[0].ops[0]):
                if (place[-1], test.kind) in (("latency", "chain"), ("busy", "stream")):
                    near.setdefault(place, []).extend(figure.cycles for figure in test.figures)
    found = {}
    for place in places:
        value, sources, values = _read(core, tables, rows, pools, place, near.get(place, []))
        if len(values) > 1:
            text = _rule_text(core.forwards[int(place[1])]) if place[0] == "forward" else ""
            found[place] = CoreParameter(place, values, value, sources, bool(set(sources) - measured), text)
    return found


def _rule_text(rule: Forward) -> str:
    """Which results reach which readers by a rule, in a few words."""
    ends = [("any" if names[0] == "*" else names[0]) + (" and others" if len(names) > 1 else "")
            for names in (rule.sources, rule.targets)]
    roles = f" as {' or '.join(rule.roles)}" if rule.roles else ""
    written = f"{rule.write} of {ends[0]}" if rule.write else ends[0]
    return f"{written} to {ends[1]}{roles}"


def _read(core: Core, tables: dict[str, Any], rows: dict[str, PriceRow], pools: list[tuple[str, ...]], place: Place,
          near: list[float]) -> tuple[Value, tuple[str, ...], tuple[Value, ...]]:
    """(what the file has, its sources, what it could be)."""
    kind, *rest = place
    if kind == "class":
        row, key = rows[rest[0]], rest[1]
        sources = tuple(str(row.fields.get("source", "")).split())
        if key == "unit":
            text = str(row.fields["unit"])
            return text, sources, _sets(next(pool for pool in pools if text.split("|")[0] in pool), text)
        value = int(row.fields.get(key, 1))
        return value, sources, _around(value, near, key)
    if kind == "forward":
        rule = core.forwards[int(rest[0])]
        at = rule.earlier if rule.latency is None else rule.latency
        sources = tuple(str(tables["forward"][int(rest[0])]["source"]).split())
        return at, sources, (*range(max(0, at - 2), at + 3), None)
    if kind == "queue":
        return (core.units[rest[0]].queue, tuple(str(tables["unit"][rest[0]]["source"]).split()),
                tuple(sorted({*QUEUES, core.units[rest[0]].queue})))
    at = int(getattr(core, rest[0]))
    sources = tuple(str(tables["dispatch"]["source"]).split())
    return at, sources, tuple(sorted({*BUFFERS, at})) if rest[0] == "rob" else tuple(range(max(1, at - 2), at + 3))


def _sets(pool: tuple[str, ...], text: str) -> tuple[Value, ...]:
    """The units of a pool on which a class could run: any of them, or several."""
    if not 1 < len(pool) <= PEERS or not re.fullmatch(r"[\w|]+", text):
        return (text,)
    every = ["|".join(names) for n in range(1, len(pool) + 1) for names in combinations(pool, n)]
    return tuple(dict.fromkeys([text, *every]))


def _around(value: int, near: list[float], key: str) -> tuple[Value, ...]:
    """What a number could be: around what was measured, or around what it is."""
    low, high = (min(near), max(near)) if near else (value - 1, value + 1)
    if key == "busy":
        low, high = min(low, value - 1), min(2 * high, high + 2)
    else:
        low, high = low - 1, high + 1
    found = {value, *range(max(1, int(low)), int(high + 0.99) + 1)}
    if len(found) > 9:              # what takes long: near by only
        found = {value, *(n for n in found if abs(n - value) <= 3)}
    return tuple(sorted(found))
