"""What a call takes and gives: grids, results, and what its options may be."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neonsim.arm.machine.trace.trace import Trace
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_TILES
from neonsim.errors import BadArgument

__all__ = ["CallResult", "Grid", "engine_name", "positive", "trace_length"]


@dataclass(frozen=True)
class Grid:
    """Tiles that run in lock-step: rows x cols."""

    rows: int
    cols: int = 1

    def __post_init__(self) -> None:
        for name, n in (("rows", self.rows), ("cols", self.cols)):
            as_int(n, f"{name} of a grid", 1)
        if self.rows * self.cols > MAX_TILES:
            raise BadArgument(f"a grid of {self.rows} x {self.cols} tiles is too large; the limit is {MAX_TILES} tiles")

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.cols


@dataclass
class CallResult:
    """The result of a call.

    returned        x0 or r0, unsigned (of tile (0, 0) in a grid; `tile_returned` has all)
    returned_float  d0 read as a float64                `returned_single` is s0 read as a float32
    steps           instructions executed, per tile     tile_steps   the same times the number of tiles
    trace           `Trace`, or None                    warnings     what is suspicious but not wrong
    """

    returned: int
    returned_float: float = field(repr=False)
    steps: int
    tile_steps: int
    trace: Trace | None
    warnings: list[str] = field(default_factory=list)
    tile_returned: Any = None

    def changed(self, step: int, values: Mapping[str, Any]) -> CallResult:
        """Repeat the run with values changed before a step, and continue from there.

        step     instructions executed before the change: 0 is the start
        values   place -> value: {"v3.s[1]": 99, "x2": 8, "n": 1, "c[0,3]": 7}, see `Machine.change`
        ->       a new result; its trace has the changes in `trace.changes`, earlier ones of this run included

        Raises BadArgument for a run without a trace, a step outside it, a place that there is not or a value outside
        its type; and what the run raises that goes on.
        """
        from .rerun import rerun_with_edits

        if self.trace is None:
            raise BadArgument("this run cannot be repeated, because it has no trace. Call with trace=True")
        trace, problem = rerun_with_edits(self.trace, step, values)
        if problem is not None:
            raise problem
        return CallResult.from_trace(trace)

    @classmethod
    def from_trace(cls, trace: Trace) -> CallResult:
        """Return the result of a recorded call of one tile."""
        floats = next(iter(trace.state(trace.steps).values()))[:8]
        where = [(trace.program.instructions[pc].position, text) for pc, text in trace.notices]
        return cls(trace.returned, struct.unpack("<d", floats)[0], trace.steps, trace.steps, trace,
                   [f"{one.path}:{one.line}: {text}" for one, text in where])

    @property
    def returned_single(self) -> float:
        """s0 read as a float32: what a function of type float returns."""
        return float(struct.unpack("<f", struct.pack("<d", self.returned_float)[:4])[0])


def engine_name(engine: str | None, trace: bool | str | None, sanitize: bool | None, tiles: Any) -> str:
    """Return the name of a translating engine that is asked for, "" for none."""
    if tiles is not None and not isinstance(tiles, Grid):
        raise BadArgument(f"tiles must be a neonsim.Grid(rows, cols); got {tiles!r}")
    if engine in (None, "interpreter"):
        return ""
    if engine not in ("python", "compiled"):
        raise BadArgument(f'engine must be "interpreter", "python" or "compiled"; got {engine!r}')
    if trace or sanitize:
        raise BadArgument(f'engine="{engine}" records no trace and has no sanitizer. Omit trace and sanitize, or use '
                          f'engine="interpreter"')
    if engine == "python" and tiles is not None:
        raise BadArgument('engine="python" runs one tile. Use "interpreter" or "compiled" for a grid')
    return engine


def positive(n: int, name: str) -> int:
    """Return a number of steps, checked."""
    return as_int(n, f"the number of steps for {name}", 1)


def trace_length(trace: bool | str) -> int | None:
    """Return how many steps to keep: None for all, 0 for none."""
    if trace is True:
        return None
    if trace is False:
        return 0
    last = re.fullmatch(r"last (\d{1,8})", trace) if isinstance(trace, str) else None
    if last and 0 < int(last[1]) <= 10_000_000:
        return int(last[1])
    raise BadArgument(f'trace must be True, False or "last N" with N up to 10000000, as "last 100000"; got {trace!r}')
