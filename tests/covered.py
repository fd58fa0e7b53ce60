"""What the tests ran of neonsim, room by room: python tests/covered.py REPORT, as `coverage json` writes it.

Only lines run in pytest's own processes count, not those of commands that tests start.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

LEAST = 8  # rooms that are listed


def rooms(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """room -> lines that ran, lines there are. A room is a folder of neonsim, or a module beside the folders."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for name, entry in report["files"].items():
        room = Path(Path(name).parts[1]).stem
        ran, there = found[room]
        summary = entry["summary"]
        found[room] = ran + summary["covered_lines"], there + summary["num_statements"]
    return {room: counts for room, counts in found.items() if counts[1]}


def said(report: dict[str, Any]) -> str:
    """The total and the rooms least covered."""
    totals = report["totals"]
    share, there = totals["percent_covered"], totals["num_statements"]
    lines = [f"coverage: {share:.1f} % of {there} lines of neonsim. Least covered:"]
    shares = sorted((ran / all_, room, all_) for room, (ran, all_) in rooms(report).items())
    return "\n".join([*lines, *(f"  {room:12} {part:6.1%} of {all_} lines" for part, room, all_ in shares[:LEAST])])


if __name__ == "__main__":
    print(said(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
