"""Benchmarks: what `neonsim bench` said on one machine, kept with the machine's name and the day.

`python -m docs.website.benchmarks [NAME ...]` measures again, all of them or those named, and keeps the answers in
docs/benchmarks/; on a machine that does nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neonsim.common.fileio import write_file

from .links import ROOT
from .text import escaped, fenced, table

__all__ = ["write"]

FOLDER = ROOT / "docs" / "benchmarks"
# What each is about, and the words behind `neonsim bench`.
RUNS = {
    "networks-int8": ("Networks of int8, the family of kernels that is quickest there",
                      "network --dtype int8-per-channel --peers --threads 1,2"),
    "networks-avx2": ("Networks of int8 by kernels of AVX2 alone",
                      "network --isa-variant avx2 --dtype int8-per-channel --peers --threads 1,2"),
    "networks-float32": ("Networks of float32", "network --dtype float32 --quick --peers --threads 1,2"),
    "emulator": ("The emulator: steps of the machine, every engine", "emulator"),
    "timing": ("Models of cores: instructions timed in a second", "timing"),
}


def write(sources: Path) -> None:
    """benchmarks.md."""
    parts = ["# Benchmarks\n",
             "All figures on this page are *measured*. Above each table are the machine, the day and the command. Run "
             "it to measure on your machine. Peers were measured in the same run, alternating with neonsim. *ratio* is "
             "neonsim's least time divided by the peer's; below 1, neonsim is faster. Brackets compare medians."]
    parts += (_section(*RUNS[name], json.loads((FOLDER / f"{name}.json").read_text("utf-8"))) for name in RUNS)
    (sources / "benchmarks.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def _section(title: str, words: str, kept: dict[str, Any]) -> str:
    answer, machine = kept["answer"], kept["answer"]["machine"]
    where = (f"{machine['processor']}, {machine['cores']} cores, {machine['system'].partition('-')[0]}, Python "
             f"{machine['python']}, numpy {machine['numpy']}; {kept['date']}")
    rows = answer["rows"]
    made = _networks(rows) if "threads" in rows[0] else _lines(rows)
    notes = "\n".join(f"- {escaped(line)}" for line in answer["missing"])
    return "\n\n".join([f"## {title}\n", escaped(where), fenced(f"neonsim bench {words}", "console"), made, notes])


def _networks(rows: list[dict[str, Any]]) -> str:
    peers = list(dict.fromkeys(row["peer"] for row in rows if row["peer"] is not None))
    cases: dict[tuple[str, int, str], dict[str | None, dict[str, Any]]] = {}
    for row in rows:
        cases.setdefault((row["name"], row["threads"], row["family"]), {})[row["peer"]] = row

    def cells() -> Iterator[list[str]]:
        for (name, threads, family), by_peer in cases.items():
            own = next(iter(by_peer.values()))
            yield [f"{escaped(name)}", str(threads), escaped(family), f"{own['value']:.2f}",
                   *(_ratio(by_peer.get(peer)) for peer in peers)]
    return table(("network", "threads", "kernels", "ms", *map(escaped, peers)), cells())


def _ratio(row: dict[str, Any] | None) -> str:
    return "" if row is None else f"{row['ratio']:.2f} ({row['ratio_of_medians']:.2f})"


def _lines(rows: list[dict[str, Any]]) -> str:
    return table(("what", "measured", "", "beside"), (
        [escaped(row["name"]), f"{row['value']:.3g}", escaped(row["unit"]),
         "" if row["peer"] is None else f"{row['ratio']:.3g} x {escaped(row['peer'])}"] for row in rows))


def record(names: list[str]) -> None:
    """Measure, and keep the answers."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        words = RUNS[name][1].split()
        said = subprocess.run([sys.executable, "-m", "neonsim", "bench", *words, "--json"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        kept = {"date": datetime.now(UTC).date().isoformat(), "answer": json.loads(said[said.index("{"):])}
        write_file(FOLDER / f"{name}.json", json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:] or list(RUNS))
