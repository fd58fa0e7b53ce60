"""Core files: read, checked, laid over the core they are based on.

What they may say is written at the top of `model`. Everything else is refused, with the place in the file.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from neonsim.arm.timing.cores.instruction_classes import CLASSES, KINDS
from neonsim.arm.timing.cores.model import (
    ENTRIES,
    IN_ORDER,
    OUT_OF_ORDER,
    WORK,
    Core,
    ExecutionUnit,
    Forward,
    IssueDistance,
    LibraryKernel,
    MeasuredSource,
    PriceRow,
    ThroughputLimit,
    features,
    matches,
    nearest,
)
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryModel
from neonsim.common.fileio import read_text
from neonsim.common.integers import is_int
from neonsim.common.limits import MAX_CORE_BYTES
from neonsim.errors import BadArgument, TimingError, UnknownCore

__all__ = ["CORES", "TABLES", "chosen_as", "core_name", "core_tables", "cores", "inheritance", "load_core",
           "load_cores"]

CORES, TABLES = Path(__file__).parent, Path(__file__).parents[1] / "tables"
ISAS = ("aarch32", "aarch64")
_SUFFIXES = ("d", "q", "8", "16", "32", "64", "elem")
# What a derived core can take over. The rest is every core's own: what it is called, and what others say of it.
_INHERITABLE = ("kind", "isa", "features", "kernel", "dual_issue", "issue", "dispatch", "unit", "fetch", "memory",
                "writeback", "forward", "apart", "rate", "class")
_TOP = {*_INHERITABLE, "name", "title", "teaching", "based_on", "inherits", "inherited", "picture", "notes", "source",
        "proxy", "measured", "llvm", "identity"}
_FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "features": {"has": list, "source": str},
    "identity": {"midr": int, "ctr": int, "dczid": int, "source": str},
    "kernel": {"isa": str, "tile": str, "technique": str, "feature": str, "source": str},
    "dual_issue": {"depth": int, "source": str},
    "proxy": {"names": list, "source": str},
    "measured": {"table": str, "column": str, "source": str},
    "llvm": {"aarch32": str, "aarch64": str, "oldest": int, "source": str},
    "issue": {"width": int, "taken_branch_ends_group": bool, "skewed": list, "source": str},
    "dispatch": {"width": int, "micros": int, "rob": int, "loads": int, "stores": int, "retire": int,
                 "steer": str, "taken_branch_ends_group": bool, "source": str},
    "unit": {"count": int, "text": str, "queue": int, "enter": int, "q_form": int, "q_form_older": bool,
             "in_order": str, "source": str},
    "fetch": {"taken": int, "returned": int, "indirect": int, "called": int, "mispredict": int, "learned": int,
              "source": str},
    "memory": {**{row.name: int for row in fields(MemoryModel)}, "source": str},
    "writeback": {"latency": int, "unit": str, "source": str},
    "forward": {"from": list, "to": list, "same": bool, "role": list, "write": str, "latency": int, "earlier": int,
                "exact": bool, "form": str, "source": str},
    "apart": {"from": list, "to": list, "cycles": int, "source": str},
    "rate": {"unit": list, "refill": int, "burst": int, "cost": dict, "text": str, "source": str},
    "class": {"latency": int, "unit": str, "busy": int, "beat": int, "arrive": int, "alone": bool,
              "last_beat_free": bool, "form": str, "older": bool, "unknown": bool, "source": str},
}
_POSITIVE = {"width", "micros", "rob", "retire", "count", "queue", "q_form", "busy", "beat", "arrive", "refill",
             "burst", "cycles", "depth"}
# Longest and most that a simulator can be asked to wait, or to hold; bytes of caches and words of registers are larger.
_MAX_VALUE, _LARGE, _MAX_LARGE_VALUE = 10_000, {"l1_size", "l2_size", "midr", "ctr"}, 1 << 32


class _Reader:
    """One core file being read: knows where it is, so that an error can say so."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self.path, self.data = path, data

    def fail(self, where: str, text: str) -> NoReturn:
        raise TimingError(f"{self.path.name}, {where}: {text}")

    def table(self, where: str, kind: str, value: Any) -> dict[str, Any]:
        allowed = _FIELDS[kind]
        if not isinstance(value, dict):
            example = f'{{ {next(iter(allowed))} = ..., source = "..." }}'
            self.fail(where, f"is {value!r}, but a table like {example} is needed.")
        for key, got in value.items():
            if key not in allowed:
                self.fail(where, f"unknown key {key!r}{nearest(key, allowed)}. Known: {', '.join(allowed)}.")
            wanted = allowed[key]
            if not (is_int(got) if wanted is int else isinstance(got, wanted)):
                name = wanted.__name__ if isinstance(wanted, type) else "value"
                self.fail(where, f"{key} = {got!r} is not of type {name}.")
            if is_int(got) and got < (key in _POSITIVE):
                self.fail(where, f"{key} = {got} is {'negative' if got < 0 else 'too small'}; "
                                 f"it must be at least {int(key in _POSITIVE)}.")
            if is_int(got) and got > (most := _MAX_LARGE_VALUE if key in _LARGE else _MAX_VALUE):
                self.fail(where, f"{key} is too large; it may be {most:,} at most.")
        if not value.get("source"):
            self.fail(where, "has no source. Every number says where it comes from: source = \"key of [source]\".")
        for key in value["source"].split():
            if key not in self.data.get("source", {}):
                self.fail(where, f"source {key!r} is not listed under [source]"
                                 f"{nearest(key, self.data.get('source', {}))}.")
        return value

    def patterns(self, where: str, names: list[Any]) -> tuple[str, ...]:
        for name in names:
            if name not in CLASSES and not (isinstance(name, str) and any(matches(name, known) for known in CLASSES)):
                hint = f"; kinds are {', '.join(KINDS)}" if str(name).startswith("@") else nearest(str(name), CLASSES)
                self.fail(where, f"{name!r} fits no timing class{hint}.")
        return tuple(names)

    def units(self, where: str, words: Iterable[str], known: Mapping[str, ExecutionUnit]) -> None:
        for word in words:
            for name in word.split("|"):
                if name not in known:
                    hint = nearest(name, known)
                    self.fail(where, f"unit {name!r} is not declared{hint}. Units: {', '.join(known)}.")

    def core(self) -> Core:
        data = self.data
        for key in data:
            if key not in _TOP:
                self.fail("top level", f"unknown key {key!r}{nearest(key, _TOP)}.")
        for key in ("name", "title", "kind", "isa", "features", "picture", "source", "unit", "class"):
            if key not in data:
                taken = key in _INHERITABLE and "based_on" in data
                self.fail("top level", f"{key!r} is missing" + (
                    f": say it, or put it into inherits to take it over from {data['based_on']}." if taken else "."))
        kind = data["kind"]
        front = {IN_ORDER: "issue", OUT_OF_ORDER: "dispatch"}.get(kind)
        if front is None:
            self.fail("top level", f"kind = {kind!r}; it is {IN_ORDER!r} or {OUT_OF_ORDER!r}.")
        if front not in data:
            self.fail("top level", f"[{front}] is missing; a core of kind {kind!r} needs it.")
        head = self.table(f"[{front}]", front, data[front])
        for key in ("width",) if kind == IN_ORDER else ("width", "rob"):
            if key not in head:
                self.fail(f"[{front}]", f"{key} is missing.")
        steer = head.get("steer", ENTRIES)
        if steer not in (ENTRIES, WORK):
            self.fail(f"[{front}]", f"steer = {steer!r}; it is {ENTRIES!r} or {WORK!r}.")
        units = {}
        for name, value in data["unit"].items():
            row = dict(self.table(f"[unit.{name}]", "unit", value))
            row.pop("source")
            if "count" not in row:
                self.fail(f"[unit.{name}]", "count is missing.")
            if kind == OUT_OF_ORDER and "queue" not in row:
                self.fail(f"[unit.{name}]", "queue (entries) is missing; an out-of-order core needs it.")
            if kind == IN_ORDER and "in_order" in row:
                self.fail(f"[unit.{name}]", f"in_order is a rule for cores of kind {OUT_OF_ORDER!r}.")
            units[name] = ExecutionUnit(name, **row)
        writeback = self.table("[writeback]", "writeback", data["writeback"]) if "writeback" in data else {}
        back_unit = tuple(writeback["unit"].split("|")) if writeback.get("unit") else ()
        self.units("[writeback]", back_unit, units)
        fetch = self.table("[fetch]", "fetch", data["fetch"]) if "fetch" in data else {}
        measured, llvm = self.measured(), self.simple("llvm")
        return Core(
            name=data["name"], title=data["title"], kind=kind, isas=self.isas(), picture=data["picture"],
            notes=data.get("notes", ""), path=str(self.path), width=head["width"],
            taken_branch_ends_group=head.get("taken_branch_ends_group", False),
            skewed=self.patterns("[issue] skewed", head.get("skewed", [])),
            micros=head.get("micros", head["width"]), loads=head.get("loads", 0), stores=head.get("stores", 0),
            rob=head.get("rob", 0),
            retire=head.get("retire", head["width"]), steer=steer, units=units, rows=self.rows(units),
            forwards=self.forwards(kind),
            aparts=self.aparts(kind), rates=self.rates(units), taken_distance=fetch.get("taken", 1),
            jumps={kind: fetch.get(key, fetch.get("taken", 1))
                   for kind, key in (("return", "returned"), ("indirect", "indirect"), ("call", "called"))},
            mispredict=fetch.get("mispredict", 0), learned=fetch.get("learned", 0), memory=self.memory(),
            writeback=writeback.get("latency", 1), writeback_unit=back_unit,
            identity={key: value for key, value in self.simple("identity", "midr", "ctr").items() if key != "source"},
            features=self.features(), choices=self.choices(),
            dual_issue=self.simple("dual_issue", "depth").get("depth"),
            proxies=tuple(self.simple("proxy", "names").get("names", ())), measured=measured,
            llvm={isa: llvm[isa] for isa in ISAS if isa in llvm}, llvm_oldest=llvm.get("oldest", 0),
            teaching=self.teaching(), based_on=data.get("based_on", ""), inherits=tuple(data.get("inherits", ())),
            sources=data["source"],
        )

    def isas(self) -> tuple[str, ...]:
        found = self.data["isa"]
        if not isinstance(found, list) or not found or not set(map(str, found)) <= set(ISAS):
            self.fail("top level", f"isa = {found!r}; it is a list of {' and '.join(ISAS)}, or of one of them.")
        return tuple(found)

    def teaching(self) -> bool:
        found = self.data.get("teaching", False)
        if not isinstance(found, bool):
            self.fail("top level", f"teaching = {found!r}; it is true or left out.")
        return found

    def simple(self, name: str, *needed: str) -> dict[str, Any]:
        """Return a table that may be left out; where it is there it has these keys."""
        if name not in self.data:
            return {}
        row = self.table(f"[{name}]", name, self.data[name])
        for key in needed:
            if not row.get(key):
                self.fail(f"[{name}]", f"{key} is missing.")
        for value in row.get("names", []):
            if not isinstance(value, str):
                self.fail(f"[{name}]", f"names = {row['names']!r}; it is a list of texts.")
        return row

    def known_features(self, where: str, words: Iterable[Any]) -> None:
        known = features()
        for word in words:
            if word not in known:
                self.fail(where, f"there is no feature {word!r}{nearest(str(word), known)}. Features: "
                                 f"{', '.join(known)}.")

    def features(self) -> frozenset[str]:
        has = self.table("[features]", "features", self.data["features"]).get("has")
        if has is None:
            self.fail("[features]", "has is missing: a list of what the core has, or [] if there is nothing.")
        self.known_features("[features]", has)
        return frozenset(has)

    def measured(self) -> MeasuredSource | None:
        row = self.simple("measured", "table")
        if not row:
            return None
        known = sorted(path.name for path in TABLES.glob("*.tsv"))
        if row["table"] not in known:
            self.fail("[measured]", f"there is no table {row['table']!r}{nearest(row['table'], known)}. Tables: "
                                    f"{', '.join(known)}.")
        return MeasuredSource(row["table"], row.get("column", ""))

    def choices(self) -> tuple[LibraryKernel, ...]:
        found = []
        for number, value in enumerate(self.data.get("kernel", [])):
            where = f"[[kernel]] number {number + 1}"
            row = self.table(where, "kernel", value)
            for key in ("isa", "tile", "technique"):
                if not row.get(key):
                    self.fail(where, f"{key} is missing.")
            if row["isa"] not in self.data["isa"]:
                self.fail(where, f"isa = {row['isa']!r}, which the core does not run.")
            self.known_features(where, [row["feature"]] if row.get("feature") else [])
            found.append(LibraryKernel(row["isa"], row["tile"], row["technique"], row.get("feature", ""),
                                       row["source"]))
        return tuple(found)

    def memory(self) -> MemoryModel | None:
        if "memory" not in self.data:
            return None
        row = dict(self.table("[memory]", "memory", self.data["memory"]))
        row.pop("source")
        for entry in fields(MemoryModel):
            if entry.default is MISSING and not row.get(entry.name):
                self.fail("[memory]", f"{entry.name} is missing or 0.")
        for level in ("l1", "l2"):
            if row[f"{level}_size"] % (row[f"{level}_ways"] * row["line"]):
                self.fail("[memory]", f"{level}_size does not divide into {level}_ways ways of {row['line']} bytes.")
        return MemoryModel(**row)

    def rows(self, units: Mapping[str, ExecutionUnit]) -> tuple[PriceRow, ...]:
        found: list[tuple[tuple[int, int, int], PriceRow]] = []
        for number, (key, value) in enumerate(self.data["class"].items()):
            where = f"[class] {key}"
            name, *suffixes = key.split(".")
            self.patterns(where, [name])
            for suffix in suffixes:
                if suffix not in _SUFFIXES:
                    self.fail(where, f"unknown suffix {suffix!r}; suffixes are {' '.join(_SUFFIXES)}.")
            row = self.table(where, "class", value)
            self.units(where, row.get("unit", "").split(), units)
            if row.get("form", "d") not in ("d", "q"):
                self.fail(where, f"form must be \"d\" or \"q\"; got {row['form']!r}.")
            # Exact names after patterns, more suffixes after fewer, else the order of the file.
            exact = len(name) if "*" in name else 1000
            found.append(((exact, len(suffixes), number), PriceRow(name, tuple(suffixes), row)))
        return tuple(row for _, row in sorted(found, key=lambda item: item[0]))

    def forwards(self, kind: str) -> tuple[Forward, ...]:
        found = []
        for number, value in enumerate(self.data.get("forward", [])):
            where = f"[[forward]] number {number + 1}"
            row = self.table(where, "forward", value)
            if ("latency" in row) == ("earlier" in row):
                self.fail(where, "needs either latency or earlier.")
            if row.get("exact") and (kind != IN_ORDER or "latency" not in row):
                self.fail(where, f"exact goes with latency, in cores of kind {IN_ORDER!r}.")
            if row.get("form", "q") not in ("d", "q"):
                self.fail(where, f"form must be 'd' or 'q'; got {row['form']!r}.")
            found.append(Forward(
                self.patterns(where, row.get("from", ["*"])), self.patterns(where, row.get("to", ["*"])),
                row.get("same", False), tuple(row.get("role", [])), row.get("write", ""), row.get("latency"),
                row.get("earlier", 0), row.get("exact", False), row.get("form", "")))
        return tuple(found)

    def aparts(self, kind: str) -> tuple[IssueDistance, ...]:
        found = []
        for number, value in enumerate(self.data.get("apart", [])):
            where = f"[[apart]] number {number + 1}"
            row = self.table(where, "apart", value)
            if kind != IN_ORDER:
                self.fail(where, f"is a rule for cores of kind {IN_ORDER!r}.")
            for key in ("from", "to", "cycles"):
                if key not in row:
                    self.fail(where, f"{key} is missing.")
            found.append(IssueDistance(self.patterns(where, row["from"]), self.patterns(where, row["to"]),
                                       row["cycles"]))
        return tuple(found)

    def rates(self, units: Mapping[str, ExecutionUnit]) -> tuple[ThroughputLimit, ...]:
        found = []
        for number, value in enumerate(self.data.get("rate", [])):
            where = f"[[rate]] number {number + 1}"
            row = self.table(where, "rate", value)
            for key in ("unit", "refill", "burst", "cost"):
                if key not in row:
                    self.fail(where, f"{key} is missing.")
            self.units(where, row["unit"], units)
            costs = row["cost"]
            numbers = all(isinstance(cost, int) and 0 <= cost <= row["burst"] for cost in costs.values())
            if set(costs) - {"d", "q"} or not numbers:
                self.fail(where, f"cost = {costs!r}; it gives \"d\" and \"q\" a number between 0 and burst.")
            found.append(ThroughputLimit(tuple(row["unit"]), row["refill"], row["burst"], dict(costs),
                                         row.get("text", "")))
        return tuple(found)


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """A derived core: tables are laid over the base field by field, lists of rules are joined."""
    result = dict(base)
    for key, value in over.items():
        mine = result.get(key)
        if isinstance(value, dict) and isinstance(mine, dict):
            result[key] = _merge(mine, value)
        elif isinstance(value, list) and key in ("forward", "apart", "rate"):
            result[key] = [*result.get(key, []), *value]
        elif isinstance(value, list) and key == "kernel":
            result[key] = [*value, *result.get(key, [])]        # the first row decides
        else:
            result[key] = value
    return result


def _data(path: Path, seen: tuple[str, ...] = ()) -> dict[str, Any]:
    try:
        data = tomllib.loads(read_text(path, MAX_CORE_BYTES))
    except BadArgument as error:
        raise TimingError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise TimingError(f"{path.name} is not valid TOML: {error}.") from error
    parent = data.get("based_on")
    if parent is None:
        for key in ("inherits", "inherited"):
            if key in data:
                raise TimingError(f"{path.name}: {key} needs based_on: name the core that it is inherited from.")
        return data
    source = path.parent / f"{parent}.toml"
    if not source.exists():
        source = CORES / f"{parent}.toml"
    if parent in seen or not source.exists():
        raise TimingError(f"{path.name}: based_on = {parent!r}, but there is no such core file"
                          f"{' (it is based on itself)' if parent in seen else nearest(parent, _names())}.")
    base = _taken(path, data, parent, _data(source, (*seen, path.stem)))
    marked = data.get("inherited")
    if marked is not None:
        if marked not in data.get("source", {}):
            raise TimingError(f"{path.name}: inherited = {marked!r} is not listed under [source].")
        _mark({key: value for key, value in base.items() if key != "source"}, marked)
    return _merge(base, data)


def _taken(path: Path, data: dict[str, Any], parent: str, base: dict[str, Any]) -> dict[str, Any]:
    """What a derived core takes over: what its `inherits` names, and the sources of that."""
    words = data.get("inherits")
    can = [key for key in _INHERITABLE if key in base]
    if not isinstance(words, list) or not words:
        raise TimingError(f"{path.name}: based_on = {parent!r}, but inherits is missing: list the inherited tables, "
                          f"out of {', '.join(can)}.")
    for word in words:
        if word not in can:
            why = (f"{parent} has no [{word}]" if word in _INHERITABLE else
                   f"{word!r} is nothing that can be taken over{nearest(str(word), can)}")
            raise TimingError(f"{path.name}: inherits: {why}. From {parent} there is {', '.join(can)}.")
    taken = {key: base[key] for key in can if key in words}
    used = set(_sources(taken))
    return {**taken, "source": {key: text for key, text in base["source"].items() if key in used}}


def _sources(table: Any) -> Iterator[str]:
    """The source keys that stand anywhere inside."""
    for name, value in table.items() if isinstance(table, dict) else enumerate(table):
        if name == "source" and isinstance(value, str):
            yield from value.split()
        elif isinstance(value, dict | list):
            yield from _sources(value)


def _mark(table: Any, key: str) -> None:
    """Put a source key in front of every source of what is inherited."""
    for name, value in table.items() if isinstance(table, dict) else enumerate(table):
        if name == "source" and isinstance(value, str):
            table[name] = " ".join(dict.fromkeys([key, *value.split()]))
        elif isinstance(value, dict | list):
            _mark(value, key)


def inheritance(name: str) -> tuple[str, ...]:
    """Return what a core that is based on this one can take over: the words for its `inherits`.

    >>> "forward" in inheritance("cortex-a55")
    True
    """
    data = _data(CORES / f"{load_core(name).name}.toml")
    return tuple(key for key in _INHERITABLE if key in data)


def _names() -> list[str]:
    return sorted(path.stem for path in CORES.glob("*.toml"))


def _texts() -> dict[str, str]:
    """The files of the modelled cores, by name. A title or a name needs no prices."""
    return {path.stem: read_text(path, MAX_CORE_BYTES) for path in sorted(CORES.glob("*.toml"))}


@cache
def _load(path: Path) -> Core:
    core = _Reader(path, _data(path)).core()
    if core.name != path.stem:
        raise TimingError(f"{path.name}: name = {core.name!r}; but the file must have the name of the core.")
    return core


def core_name(name: str) -> str:
    """Return the whole name of a core that is named in short, by the end of its name or in other letters.

    A short name that several cores could mean, and an unknown one, is returned unchanged.

    >>> core_name("a53"), core_name("Cortex_A72"), core_name("N1"), core_name("a54")
    ('cortex-a53', 'cortex-a72', 'neoverse-n1', 'a54')
    """
    spelled, every = _spelled(name), [*_names(), *_proxies()]
    if spelled in every:
        return spelled
    meant = [one for one in every if one.rpartition("-")[2] == spelled and re.fullmatch(r"[a-z]\w+", spelled)]
    return meant[0] if len(meant) == 1 else name


def _spelled(name: str) -> str:
    return re.sub(r"[ _]+", "-", name.strip().lower())


def _near(name: str, every: Iterable[str]) -> str:
    """" (did you mean 'cortex-a53'?)" or nothing. Of names as near as each other the one with more letters in a row."""
    spelled = _spelled(name)

    def alike(core: str) -> tuple[float, int]:
        end = core.rpartition("-")[2]
        match = difflib.SequenceMatcher(None, spelled, core if "-" in spelled or end.isdigit() else end)
        return match.ratio(), match.find_longest_match().size

    best = max(every, key=alike)
    return f" (did you mean {best!r}?)" if alike(best)[0] >= 0.6 else ""


def load_core(name: str | Path | Core) -> Core:
    """Return a core by name ("cortex-a53", or "a53" in short), or from a TOML file of the reader's own.

    Raises UnknownCore: no such core (with the nearest name and the list). TimingError: the file says something that a
    core file cannot say (place, key, what is allowed).

    >>> load_core("cortex-a53").width
    2
    """
    if isinstance(name, Core):
        return name
    if not isinstance(name, str | Path):
        raise UnknownCore(f"core must be a name such as \"cortex-a53\", a Path or a Core; got "
                          f"{type(name).__name__}. Cores: {', '.join(_names())}.")
    if isinstance(name, Path) or name.endswith(".toml"):
        path = Path(name)
        if not path.exists():
            raise UnknownCore(f"There is no core file {path}.")
        return _Reader(path, _data(path)).core()
    names, asked = _names(), name
    name = name if name in names else core_name(name)
    if name in names:
        return _load(CORES / f"{name}.toml")
    known = _proxies()
    if name in known:
        raise UnknownCore(f"{name} has no timing model. Its kernels are chosen as for {known[name]}, but its cycles "
                          f"are unknown. Cores: {', '.join(names)}.")
    raise UnknownCore(f"There is no core {asked!r}{_near(asked, [*names, *known])}. "
                      f"Cores: {', '.join(names)}. "
                      "To use your file: core=\"path/to/core.toml\".")


def core_tables(name: str) -> dict[str, Any]:
    """Return the tables of a core's file with what it takes over: who wants to know where a number comes from reads
    them."""
    return _data(CORES / f"{load_core(name).name}.toml")


def load_cores() -> list[Core]:
    """All cores that are modelled, by name."""
    return [load_core(name) for name in _names()]


def cores() -> dict[str, str]:
    """Return the modelled cores: name -> one line."""
    # The title stands before the first table.
    return {name: tomllib.loads(text.partition("\n[")[0])["title"] for name, text in _texts().items()}


def _proxies() -> dict[str, str]:
    """Core that is not modelled -> the one for which kernels are chosen in its place."""
    return {proxy: name for name, text in _texts().items() if "proxy" in text for proxy in load_core(name).proxies}


def chosen_as(name: str | Path | Core) -> Core:
    """Return the core whose kernels a core gets: itself, or the one that stands for it where it is not modelled.

    Raises UnknownCore and TimingError as `load_core`.

    >>> chosen_as("cortex-a55r0").name
    'cortex-a53'
    """
    stands = _proxies().get(core_name(name)) if isinstance(name, str) else None
    return load_core(stands or name)
