"""One row of a benchmark, and the time of a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["BenchMeasurement", "best_of"]


@dataclass
class BenchMeasurement:
    """One measurement. ``goal``: what it should reach (at least, or for seconds at most)."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None


def best_of(run: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """(seconds of processor time of the fastest round, its result)."""
    fastest, result = float("inf"), None
    for _ in range(rounds):
        start = time.process_time()
        found = run()
        taken = time.process_time() - start
        if taken < fastest:
            fastest, result = taken, found
    return max(fastest, 1e-9), result
