"""One row of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BenchMeasurement"]


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
