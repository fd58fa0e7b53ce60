"""What a board says: the result file, its checks, the statistics, and when a measurement is not taken.

A file is JSON from a stranger. It is bounded before it is read, every value has its type and its range, and text of it
is shown with control characters written out. Its rows are samples in cycles of one turn of a micro-test, one call of a
kernel, one load of a chain, one byte of a stream; all else (medians, spreads, refusals) is computed here from them, so
what the board's own program said of them does not count.

    format, version    "neonsim-measure", 1
    kind               "measured" | "emulated" (QEMU and its like) | "simulated" (one of our models answered)
    machine            system, release, isa, midr, model, compiler, cpus, cpu
    clock              method, mhz (of the core while it was measured), coarsest (ticks of the shortest sample)
    reference          MHz of the core before each round: a chain of additions, one a cycle
    taken, migrated    samples in all; thrown away because the thread was moved to another processor meanwhile
    rows               name, unit, samples
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from neonsim.common.fileio import load_json, read_file
from neonsim.common.integers import is_int
from neonsim.common.limits import MAX_MEASURED_ROWS, MAX_MEASUREMENT_BYTES, MAX_SAMPLES
from neonsim.common.terminal import escape_text
from neonsim.errors import BadArgument

__all__ = [
    "COARSE",
    "DRIFT",
    "FEWEST",
    "FORMAT",
    "MOVED",
    "NOISE",
    "NOISY",
    "UNITS",
    "VERSION",
    "BoardResults",
    "BoardSamples",
    "escape_text",
    "machine_name",
    "read_measurement",
    "result_of",
]

FORMAT, VERSION = "neonsim-measure", 1
KINDS = ("measured", "emulated", "simulated")
UNITS = ("cycles an iteration", "cycles a call", "cycles a load", "cycles a byte")
# When samples are not believed; the program for boards is given the same numbers.
FEWEST = 5          # samples of a row
DRIFT = 0.03        # of the clock between rounds: the frequency was scaled
NOISE = 0.05        # median over minimum, less 1, from which on a row is noisy
NOISY = 0.10        # of the rows noisy: all are thrown away
MOVED = 0.25        # of the samples lost to moves between processors
COARSE = 100        # ticks of the clock that the shortest sample must take
_MAX_CYCLES = 1e12        # cycles; a sample is a fraction of a second
_MAX_TEXT = 120
_NAME = re.compile(r"[a-z0-9][a-z0-9 ._\[\],-]*")


@dataclass(frozen=True)
class BoardSamples:
    """Samples of one thing, in cycles.

    minimum, median   cycles; the minimum is what it takes undisturbed, the median what it takes
    spread            median over minimum, less 1
    """

    name: str
    unit: str
    samples: tuple[float, ...] = field(repr=False)

    @property
    def minimum(self) -> float:
        return min(self.samples)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        return self.median / self.minimum - 1

    @property
    def noisy(self) -> bool:
        return self.spread > NOISE


@dataclass(frozen=True)
class BoardResults:
    """A result file that is what it should be; whether it is believed, `refusals` says."""

    kind: str
    machine: Mapping[str, Any]
    method: str
    mhz: float
    coarsest: float
    reference: tuple[float, ...]
    repetitions: int
    migrated: int
    rows: Mapping[str, BoardSamples]
    name: str = "the file"

    @property
    def isa(self) -> str:
        return str(self.machine["isa"])

    @property
    def midr(self) -> int:
        """MIDR_EL1, 0 where the system does not tell."""
        return int(self.machine["midr"])

    @property
    def good(self) -> dict[str, BoardSamples]:
        """The rows that are not noisy."""
        return {name: row for name, row in self.rows.items() if not row.noisy}

    def refusals(self) -> tuple[str, ...]:
        """Return why this is not taken for a measurement: a sentence each, none if it is."""
        found = []
        if self.kind == "emulated":
            found.append("It was made under an emulator, whose times are not those of a core: run the program on the "
                         "board itself.")
        if self.method == "none":
            found.append("No counter: neither cycles nor time could be read on that machine.")
        elif self.coarsest < COARSE:
            found.append(f"The clock ({self.method}) is too coarse: the shortest sample took {self.coarsest:.0f} "
                         f"ticks, at least {COARSE} are needed; give the program a longer --sample.")
        fewest = min((len(row.samples) for row in self.rows.values()), default=0)
        if fewest < FEWEST:
            found.append(f"Too few repetitions: a row has {fewest} samples, at least {FEWEST} are needed; run it with "
                         f"--repeats {FEWEST} or more.")
        drift = max(self.reference) / min(self.reference) - 1 if self.reference else 0
        if drift > DRIFT:
            found.append(f"The frequency changed by {100 * drift:.0f} % while it was measured "
                         f"({min(self.reference):.0f} to {max(self.reference):.0f} MHz): set the governor to "
                         "performance, let the board cool down, and measure again.")
        if self.repetitions and self.migrated > MOVED * self.repetitions:
            found.append(f"The thread was moved between processors in {self.migrated} of {self.repetitions} samples: "
                         "name one with --cpu (big and little cores differ).")
        noisy = [row for row in self.rows.values() if row.noisy]
        if len(noisy) > NOISY * len(self.rows):
            worst = max(noisy, key=lambda row: row.spread)
            found.append(f"The noise is too large: {len(noisy)} of {len(self.rows)} rows have a median more than "
                         f"{100 * NOISE:.0f} % above their minimum ({worst.name}: {100 * worst.spread:.0f} %); stop "
                         "what else runs and measure again.")
        return tuple(found)


class _Reader:
    """A file being checked: knows where it is, so that an error can say so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fail(self, where: str, text: str) -> NoReturn:
        raise BadArgument(f"{self.name}: {where} {text}. Use the unchanged output of a program of `neonsim measure`.")

    def table(self, value: Any, where: str, keys: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(where, "is no object")
        for key in keys:
            if key not in value:
                self.fail(where, f"has no {key!r}")
        for key in value:
            if key not in keys:
                self.fail(where, f"has {str(key)[:_MAX_TEXT]!r}, which is not known")
        return value

    def text(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or len(value) > _MAX_TEXT:
            self.fail(where, f"is no text of at most {_MAX_TEXT} characters")
        return escape_text(value, "")

    def number(self, value: Any, where: str, low: float = 0.0, high: float = _MAX_CYCLES) -> float:
        if not (is_int(value) or isinstance(value, float)) or not low <= value <= high:
            self.fail(where, f"is no number from {low:g} to {high:g}")
        return float(value)

    def whole(self, value: Any, where: str, high: int) -> int:
        if not is_int(value) or not 0 <= value <= high:
            self.fail(where, f"is no integer from 0 to {high}")
        return int(value)

    def entries(self, value: Any, where: str, most: int) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            self.fail(where, f"is no list of at most {most}")
        return value

    def row(self, value: Any, number: int) -> BoardSamples:
        where = f"row {number}"
        data = self.table(value, where, ("name", "unit", "samples"))
        name = data["name"]
        if not isinstance(name, str) or len(name) > _MAX_TEXT or not _NAME.fullmatch(name):
            self.fail(where, "has a name that no row can have")
        if data["unit"] not in UNITS:
            self.fail(where, f"has a unit that is none of: {', '.join(UNITS)}")
        samples = self.entries(data["samples"], f"{where}, samples", MAX_SAMPLES)
        if not samples:
            self.fail(where, "has no samples")
        return BoardSamples(name, data["unit"],
                            tuple(self.number(value, f"{where}, a sample", 1e-6) for value in samples))


def read_measurement(path: str | Path) -> BoardResults:
    """Return a result file, checked.

    Raises BadArgument (one sentence) for what cannot be read, is too large, or is not such a file: where, and what is
    wrong. Whether the numbers are believed is another question: `BoardResults.refusals`.
    """
    path = Path(path)
    data = read_file(path, MAX_MEASUREMENT_BYTES)
    try:
        value = load_json(data)
    except (ValueError, RecursionError) as problem:
        raise BadArgument(f"{path} is not JSON: {problem}.") from problem
    return result_of(value, path.name)


def result_of(value: Any, name: str = "the file") -> BoardResults:
    """Return the same of a value that JSON gave."""
    reader = _Reader(name)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        reader.fail("it", f"does not say \"format\": \"{FORMAT}\"")
    if value.get("version") != VERSION:
        raise BadArgument(f"{name}: version {repr(value.get('version'))[:_MAX_TEXT]}; this neonsim reads version "
                          f"{VERSION}: generate the program again with `neonsim measure`, and run it.")
    top = reader.table(value, "it", ("format", "version", "kind", "machine", "clock", "reference", "taken", "migrated",
                                     "rows"))
    if top["kind"] not in KINDS:
        reader.fail("kind", f"is none of: {', '.join(KINDS)}")
    machine = reader.table(top["machine"], "machine", ("system", "release", "isa", "midr", "model", "compiler", "cpus",
                                                       "cpu"))
    known = {key: reader.text(machine[key], f"machine, {key}") for key in ("system", "release", "model", "compiler")}
    if machine["isa"] not in ("aarch64", "aarch32"):
        reader.fail("machine, isa", "is neither aarch64 nor aarch32")
    numbers = {key: reader.whole(machine[key], f"machine, {key}", 2**32 - 1) for key in ("midr", "cpus", "cpu")}
    clock = reader.table(top["clock"], "clock", ("method", "mhz", "coarsest"))
    rows: dict[str, BoardSamples] = {}
    for number, entry in enumerate(reader.entries(top["rows"], "rows", MAX_MEASURED_ROWS), 1):
        row = reader.row(entry, number)
        if row.name in rows:
            reader.fail(f"row {number}", f"is there twice ({row.name})")
        rows[row.name] = row
    if not rows:
        reader.fail("rows", "are none")
    reference = tuple(reader.number(entry, "reference", 1, 1e5)
                      for entry in reader.entries(top["reference"], "reference", MAX_SAMPLES))
    taken = reader.whole(top["taken"], "taken", 10**9)
    return BoardResults(top["kind"], {**known, **numbers, "isa": machine["isa"]},
                        reader.text(clock["method"], "clock, method"),
                        reader.number(clock["mhz"], "clock, mhz", 0, 1e5),
                        reader.number(clock["coarsest"], "clock, coarsest", 0, 1e15), reference, taken,
                        reader.whole(top["migrated"], "migrated", taken), rows, name)


def machine_name(results: BoardResults) -> str:
    """Return the board in a few words."""
    words = [results.machine["model"] or results.machine["system"], results.isa]
    if results.midr:
        words.append(f"MIDR {results.midr:#010x}")
    return ", ".join(words)
