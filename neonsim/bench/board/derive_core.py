"""From a measurement to a core: one number after the other, each by the micro-test that it decides.

What is looked for is the number with which the parent's pipeline takes as long as the board did: latencies from chains
first, then sums through accumulators, pairs (what is forwarded), how long a unit is taken from throughputs, queues, and
memory from chains of loads. What no micro-test decides stays as the parent has it, and is a guess here.

A number's bars are what the samples leave open: all integers with which the modelled time lies between the
minimum and the median, give or take `BAR`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from neonsim.arm.timing import Core, StaticInstruction, load_core, load_cores
from neonsim.arm.timing.cores.model import Forward, PriceRow
from neonsim.arm.timing.validation.memory_boards import bytes_a_cycle
from neonsim.errors import BadArgument

from .kernel_probes import calls_of, modeled_call, needs_of_call
from .memory_probes import Levels, levels, modeled_memory
from .probes import LATENCY, PAIR, QUEUE, SUM, THROUGHPUT, Probe, modeled, probe_named
from .results import BoardResults, BoardSamples

__all__ = ["Derived", "DerivedNumber", "ForwardingRule", "compare", "derive", "parent_of"]

BAR = 0.25              # cycles an instruction that a chain may be off and still be an integer
PART, LITTLE = 0.05, 0.04       # of a throughput: share, and cycles
MAX_LATENCY, MAX_BUSY = 64, 40
MAX_HIDDEN_CYCLES = 8         # cycles of a latency that something else in a ring may hide
QUEUES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64)
QUEUE_PART = 0.03       # of the time of a probe of queues, on average: as good as the best
PREFETCH = (2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64)     # lines ahead
_ADDRESS = ("base", "offset")


@dataclass(frozen=True)
class DerivedNumber:
    """A number of the core that a micro-test decided.

    location   its place in the core's file, as "[class] asimd_add.q.16"
    quantity   latency, busy, unit, beat, queue, l2, dram, read, write, l1_size
    value      what it is; None if no value gives the measured time
    low, high  the bars: integers that the samples leave open (of texts both are the value)
    before     what the parent has
    row_name   the row of the measurement
    cycles     measured, minimum to median, in cycles an instruction (a ring, a turn)
    alternatives  other ways of saying it that take as long
    """

    location: str
    quantity: str
    value: int | str | None
    low: int | str | None
    high: int | str | None
    before: int | str | None
    row_name: str
    cycles: tuple[float, float]
    alternatives: tuple[str, ...] = ()

    @property
    def determined(self) -> bool:
        """Whether the samples leave this number only."""
        return self.value is not None and self.low == self.high


@dataclass(frozen=True)
class ForwardingRule:
    """A forwarding rule that was found: what a core file says under [[forward]]."""

    forward: Forward
    finding: DerivedNumber


@dataclass
class Derived:
    """A core made of a measurement.

    parent    whose numbers it has where nothing was measured
    core      the model
    rows      class row -> {field: value}, measured         rules     forwarding, in the order found
    units     unit -> {field: value}                        memory    fields of [memory]
    findings  everything decided, and what could not be      left_out  rows that were too noisy to be used
    lacking   features of instructions that the board ran, and the parent has not: their rows say nothing here
    """

    parent: Core
    core: Core
    measurement: BoardResults
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    rules: list[ForwardingRule] = field(default_factory=list)
    units: dict[str, dict[str, int]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    findings: list[DerivedNumber] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)


def parent_of(results: BoardResults, name: str | None) -> Core:
    """Return the core that another is based on: the one named, else the one whose MIDR the board has.

    Raises BadArgument if none is named and no core has that MIDR; UnknownCore as `load_core`.
    """
    if name is not None:
        model = load_core(name)
    else:
        # Implementer and part number; variant and revision differ from board to board.
        alike = [core for core in load_cores()
                 if results.midr and (core.identity.get("midr", 0) ^ results.midr) & 0xFF00FFF0 == 0]
        if not alike:
            raise BadArgument(f"{results.name}: the board's core (MIDR {results.midr:#010x}) is not a modelled core. "
                              f"Name the most similar core: neonsim cores derive FILE --based-on NAME.")
        model = alike[0]
    if results.isa not in model.isas:
        raise BadArgument(f"{model.name} runs {' and '.join(model.isas)}, but {results.name} was measured on "
                          f"{results.isa}. Name another core.")
    return model


def derive(results: BoardResults, parent: str | Core | None = None) -> Derived:
    """Return a core from a measurement.

    parent   whose pipeline, units and unmeasured numbers it takes; default: the modelled core with the board's MIDR

    Raises BadArgument with the reasons if the measurement is not believed (`BoardResults.refusals`), or no parent is
    known.
    """
    refused = results.refusals()
    if refused:
        raise BadArgument(f"{results.name} is not accepted as a measurement. " + " ".join(refused))
    base = parent if isinstance(parent, Core) else parent_of(results, parent)
    maker = _Maker(Derived(base, base, results, excluded=[row.name for row in results.rows.values() if row.noisy]))
    maker.make()
    return maker.done


def _suffixes(op: StaticInstruction) -> tuple[str, ...]:
    return tuple(word for word in (op.width or "", str(op.bits) if op.bits else "", "elem" if op.by_element else "")
                 if word)


def _key(op: StaticInstruction, exact: bool) -> str:
    return ".".join((op.timing, *_suffixes(op))) if exact else op.timing


def _said(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in fields.items() if (key, value) != ("busy", 1))


class _Maker:
    """The work of `derive`: a core that comes to have one measured number after the other."""

    def __init__(self, done: Derived) -> None:
        self.done = done

    def make(self) -> None:
        of = {kind: list(self.measured(kind)) for kind in (LATENCY, SUM, PAIR, THROUGHPUT, QUEUE)}
        # How long units are taken first: a chain through a divider waits for that, too.
        for probe, row in of[THROUGHPUT]:
            self.throughput(probe, row)
        for probe, row in of[LATENCY]:
            self.latency(probe, row)
        for probe, row in of[SUM]:
            self.passed_on(probe, row, probe.ops[0], probe.ops[0])
        for probe, row in of[PAIR]:
            self.pair(probe, row)
        self.queues(of[QUEUE])
        self.remember(levels(self.done.measurement.good))

    def measured(self, kind: str) -> Iterator[tuple[Probe, BoardSamples]]:
        """Yield the micro-tests of a kind that were measured, and can be modelled."""
        for name, row in self.done.measurement.good.items():
            probe = probe_named(name, self.done.measurement.isa)
            if probe is None or probe.kind != kind:
                continue
            if missing := self.done.parent.missing(probe.isa, probe.features):
                self.done.lacking.update(missing)
            else:
                yield probe, row

    def note(self, where: str, what: str, value: int | str | None, open_: Iterable[int | str], before: int | str | None,
             by: BoardSamples, per: int, also: tuple[str, ...] = ()) -> DerivedNumber:
        choices = list(open_) or ([] if value is None else [value])
        finding = DerivedNumber(where, what, value, choices[0] if choices else None, choices[-1] if choices else None,
                                before,
                                by.name, (by.minimum / per, by.median / per), also)
        self.done.findings.append(finding)
        return finding

    # ---- classes

    def with_row(self, op: StaticInstruction, fields: Mapping[str, Any], exact: bool) -> Core:
        """Return the core with a row of [class] more."""
        core = self.done.core
        row = PriceRow(op.timing, _suffixes(op) if exact else (), fields)
        rows = sorted((*core.rows, row), key=lambda r: (len(r.name) if "*" in r.name else 1000, len(r.suffixes)))
        return replace(core, rows=tuple(rows))

    def settle(self, op: StaticInstruction, fields: Mapping[str, Any]) -> str:
        """Put a row in: for the class, unless a more exact row or another form says otherwise. -> its key."""
        for exact in (False, True):
            key = _key(op, exact)
            # A class that another form has decided otherwise keeps that; this form gets a row of its own.
            there = self.done.rows.get(key, {})
            if any(name in there and there[name] != value for name, value in fields.items()):
                continue
            core = self.with_row(op, fields, exact)
            got = core.fields(op.timing, {op.width or "", str(op.bits), "elem" if op.by_element else ""})[0]
            if exact or all(got.get(name) == value for name, value in fields.items()):
                self.done.core = core
                self.done.rows.setdefault(key, {}).update(fields)
                return key
        # The most exact row there is has been decided by another form, which differs in what no suffix tells.
        return ""

    def latency(self, probe: Probe, row: BoardSamples) -> None:
        op, low, high = probe.ops[0], row.minimum / probe.per, row.median / probe.per
        if op.kind == "load":
            self.passed_on(probe, row, op, op)
            return
        before = self.done.core.price(op).latency
        start = before + round(low - modeled(probe, self.done.core))
        tried = {value: modeled(probe, self.with_row(op, {"latency": value}, True))
                 for value in range(max(0, start - 1), min(MAX_LATENCY, start + 1) + 1)}
        if any(low - BAR <= cycles <= high + BAR for cycles in tried.values()):
            self.decide(op, probe, row, before, tried, low, high)
        else:           # a rule of forwarding speaks of this class, and goes before its latency
            self.passed_on(probe, row, op, op)

    def decide(self, op: StaticInstruction, probe: Probe, row: BoardSamples, before: int, tried: Mapping[int, float],
               low: float,
               high: float) -> None:
        """Choose of the latencies that were tried, and put it in."""
        fitting = [value for value, cycles in tried.items() if low - BAR <= cycles <= high + BAR]
        best = self.best(tried, fitting, before, low)
        key = self.settle(op, {"latency": best}) if fitting else ""
        self.note(f"[class] {key or _key(op, True)}", "latency", best if key else None, fitting, before, row, probe.per)

    @staticmethod
    def best(tried: Mapping[int, float], fitting: list[int], before: int, low: float) -> int:
        """Of the values that fit the parent's, if it does: what nothing decides is not changed. Else the nearest.

        Of several as near it is the largest: below it something else makes the instruction wait.
        """
        if before in fitting or not fitting:
            return before
        return min(fitting, key=lambda value: (round(abs(tried[value] - low), 1), -value))

    def throughput(self, probe: Probe, row: BoardSamples) -> None:
        op, core = probe.ops[0], self.done.core
        cycles = row.minimum / probe.per
        price = core.fields(op.timing, {op.width or "", str(op.bits), "elem" if op.by_element else ""})[0]

        def off(model: Core) -> float:
            return abs(modeled(probe, model) - cycles)

        enough = max(PART * cycles, LITTLE)
        if off(core) <= enough:
            # Kept, so that another form of the class does not undo it.
            self.settle(op, {"busy": price.get("busy", 1), "unit": price["unit"]})
            self.note(f"[class] {_key(op, False)}", "busy", price.get("busy", 1), (), price.get("busy", 1), row,
                      probe.per)
            return
        ways = [fields for fields in self.candidates(op, price, cycles)
                if off(self.with_row(op, fields, True)) <= enough]
        best = ways[0] if ways else {}
        key = self.settle(op, best) if best else ""
        what = next((word for word in ("unit", "beat", "older", "alone", "last_beat_free") if word in best), "busy")
        before = price.get(what, 1 if what == "busy" else 0)
        self.note(f"[class] {key or _key(op, True)}", what, best[what] if key else None, (), before, row, probe.per,
                  tuple(dict.fromkeys(_said(way) for way in ways[1:])))

    def candidates(self, op: StaticInstruction, price: Mapping[str, Any], cycles: float) -> Iterator[dict[str, Any]]:
        """Ways to say how long a unit is taken, the nearest to what the parent says first."""
        core = self.done.parent
        for busy in range(1, min(MAX_BUSY, 4 * round(cycles) + 4)):
            yield {"busy": busy}
        for flag in ("older", "alone", "last_beat_free"):
            if price.get(flag):
                yield {flag: False}
        if price.get("beat"):
            for beat in (8, 16, 32, 64):
                yield {"beat": beat, "arrive": price.get("arrive", beat), "busy": 1}
        kin = dict.fromkeys(str(core.fields(one.timing, {op.width or "", str(op.bits)})[0].get("unit", ""))
                            for one in self.kin(op))
        for unit in kin:
            for busy in range(1, 5):
                if unit:
                    yield {"unit": unit, "busy": busy}

    def kin(self, op: StaticInstruction) -> Iterator[StaticInstruction]:
        """Instructions of the measurement whose unit this one might share."""
        for probe, _ in self.measured(THROUGHPUT):
            if (probe.ops[0].kind in ("load", "store")) == (op.kind in ("load", "store")) and \
                    (probe.ops[0].width is None) == (op.width is None):
                yield probe.ops[0]

    # ---- forwarding

    def passed_on(self, probe: Probe, row: BoardSamples, first: StaticInstruction, second: StaticInstruction) -> None:
        """What of a ring (of a chain, where both are one) comes on its way from the first to the second."""
        core, low, high = self.done.core, row.minimum / probe.per, row.median / probe.per
        link = next(((number, role) for number, (_, register) in enumerate(first.writes)
                     for role, read in second.reads if read == register and (not probe.role or role == probe.role)),
                    None)
        if link is None:
            link = next(((number, role) for number, (_, register) in enumerate(first.writes)
                         for role, read in second.reads if read == register), None)
        if link is None:
            return
        before, rest = core.latency(first, link[0], second, link[1]), modeled(probe, core)
        start = before + round(low - rest)
        tried: dict[int, tuple[Forward, float]] = {}
        for value in range(max(0, start - 1), min(MAX_LATENCY, start + MAX_HIDDEN_CYCLES) + 1):
            rule = self.rule(first, link, second, value)
            tried[value] = rule, modeled(probe, replace(core, forwards=(*core.forwards, rule)))
            if value > start and tried[value][1] > low:
                break
        fitting = [value for value, (_, cycles) in tried.items() if low - BAR <= cycles <= high + BAR]
        where = f"[[forward]] {first.timing} to {second.timing}, {link[1]}"
        if abs(rest - low) <= BAR:
            self.note(where, "latency", before, fitting, before, row, probe.per)
        elif not fitting:
            self.note(where, "latency", None, (), before, row, probe.per)
        else:
            best = self.best({value: cycles for value, (_, cycles) in tried.items()}, fitting, -1, low)
            finding = self.note(where, "latency", best, fitting, before, row, probe.per)
            self.done.rules.append(ForwardingRule(tried[best][0], finding))
            self.done.core = replace(core, forwards=(*core.forwards, tried[best][0]))

    @staticmethod
    def rule(first: StaticInstruction, link: tuple[int, str], second: StaticInstruction, latency: int) -> Forward:
        write = "base" if first.writes[link[0]][0] == "base" else ""
        address = link[1] in _ADDRESS
        return Forward((first.timing,), ("@load", "@store") if address else (second.timing,), False,
                       _ADDRESS if address else (link[1],), write, latency, 0)

    def pair(self, probe: Probe, row: BoardSamples) -> None:
        first, second = probe.ops[0], probe.ops[-1]
        if first.timing == "ldr" or probe.role == "base" or first.kind not in ("load", "transfer"):
            self.passed_on(probe, row, first, second)
            return
        # No chain of its own: the ring's time is its latency and the way back, of which the latter stays as it is.
        core, low, high = self.done.core, row.minimum / probe.per, row.median / probe.per
        before = core.price(first).latency
        start = before + round(low - modeled(probe, core))
        tried = {value: modeled(probe, self.with_row(first, {"latency": value}, True))
                 for value in range(max(0, start - 1), min(MAX_LATENCY, start + 1) + 1)}
        self.decide(first, probe, row, before, tried, low, high)

    # ---- queues

    def queues(self, found: list[tuple[Probe, BoardSamples]]) -> None:
        if not self.done.parent.rob:
            return
        groups: dict[str, list[tuple[Probe, BoardSamples]]] = {}
        for probe, row in found:
            groups.setdefault(probe.name.split()[1], []).append((probe, row))
        for group in groups.values():
            self.queue(group)

    def queue(self, group: list[tuple[Probe, BoardSamples]]) -> None:
        """The depth of the queues of those units that the waiting instructions can take, all alike."""
        core = self.done.core
        waiting = next(op for op in group[0][0].ops if op.text.startswith("add v")
                       or (op.text.startswith("add x") and ("n", "x2") in op.reads))
        units = core.price(waiting).unit_choices[0][0]

        def off(model: Core) -> float:
            return sum(abs(modeled(probe, model) * probe.per / row.minimum - 1) for probe, row in group) / len(group)

        before, now = core.units[units[0]].queue, off(core)
        if now > QUEUE_PART:
            tried = {depth: off(self.with_queue(units, depth)) for depth in QUEUES}
            best = min(tried, key=lambda depth: tried[depth])
            fitting = [depth for depth in QUEUES if tried[depth] <= tried[best] + QUEUE_PART / 3]
            if tried[best] > min(now, 3 * QUEUE_PART):
                best, fitting = 0, []
        else:
            best, fitting = before, []
        first, last = group[0][1], group[-1][1]
        value = best or None
        finding = DerivedNumber(f"[unit.{'|'.join(units)}]", "queue", value, fitting[0] if fitting else value,
                                fitting[-1] if fitting else value, before, f"{first.name} to {last.name.split()[-1]}",
                                (first.minimum, last.minimum))
        self.done.findings.append(finding)
        if value and value != before:
            self.done.core = self.with_queue(units, value)
            self.done.units |= {unit: {"queue": value} for unit in units}

    def with_queue(self, units: tuple[str, ...], depth: int) -> Core:
        core = self.done.core
        return replace(core, units={name: replace(unit, queue=depth) if name in units else unit
                                    for name, unit in core.units.items()})

    # ---- memory

    def remember(self, found: Levels | None) -> None:
        core, rows = self.done.core, self.done.measurement.good
        if core.memory is None:
            return
        fields: dict[str, int] = {}
        if found is not None:
            if found.l2 is not None:
                fields["l2"] = round(found.l2 - found.l1)
            if found.memory is not None:
                fields["dram"] = round(found.memory - found.l1)
            fields |= self.sizes(found)
        of = {"l2": "load", "dram": "load", "l1_size": "load", "l2_size": "load", "read": "read", "write": "fill"}
        for name, key in (("read", "read"), ("fill", "write")):
            if name in rows:
                fields[key] = round(100 / rows[name].minimum)
        fields = {key: value for key, value in fields.items() if value > 0}
        core = replace(core, memory=replace(core.memory, **fields))
        if "read" in rows and abs(1 / bytes_a_cycle(core, "read") / rows["read"].minimum - 1) > PART:
            # What memory gives is not all that a stream waits for: how far it is fetched ahead, too.
            core, fields["prefetch"] = self.ahead(core, rows["read"].minimum)
        for key, value in fields.items():
            level = {"dram": "memory", "l1_size": "l1", "l2_size": "l2"}.get(key, key)
            seen = getattr(found, level) if of.get(key) == "load" else None
            cycles = (seen, seen) if seen is not None else (rows["read"].minimum, rows["read"].median) \
                if key in ("read", "prefetch") else (rows["fill"].minimum, rows["fill"].median)
            self.done.findings.append(DerivedNumber("[memory]", key, value, value, value,
                                                    getattr(self.done.parent.memory, key), of.get(key, "read"), cycles))
        self.done.memory, self.done.core = fields, core

    @staticmethod
    def ahead(core: Core, cycles: float) -> tuple[Core, int]:
        assert core.memory is not None
        models = {lines: replace(core, memory=replace(core.memory, prefetch=lines)) for lines in PREFETCH}
        best = min(models, key=lambda lines: abs(1 / bytes_a_cycle(models[lines], "read") - cycles))
        return models[best], best

    def sizes(self, found: Levels) -> dict[str, int]:
        """Caches that are clearly of another size than the parent's, and have its ways."""
        memory = self.done.core.memory
        assert memory is not None
        sizes = {}
        for key, size, ways in (("l1_size", found.l1_size, memory.l1_ways), ("l2_size", found.l2_size, memory.l2_ways)):
            have = getattr(memory, key)
            # A level that others share looks smaller than it is, so that only powers of two are believed.
            if size and size & (size - 1) == 0 and size % (ways * memory.line) == 0 and not have / 2 < size < 2 * have:
                sizes[key] = size
        return sizes


def compare(results: BoardResults, core: Core) -> Iterator[tuple[BoardSamples, float]]:
    """Every row that was measured and can be modelled, with the model's cycles in its unit."""
    memory = modeled_memory(core, results.isa)
    calls = calls_of(results.isa)
    for name, row in results.rows.items():
        probe = probe_named(name, results.isa)
        if probe is not None:
            if not core.lacks(results.isa, probe.features):
                yield row, modeled(probe, core) * probe.per
        elif name in calls:
            kernel, depth = calls[name]
            if not core.lacks(results.isa, needs_of_call(kernel.name)):
                yield row, modeled_call(kernel.name, depth, core)
        elif name in memory:
            yield row, memory[name]
