"""Which bytes an access may touch: named buffers in a row, a guard zone between them.

Each buffer may declare bytes outside itself that can be read (kernels load whole registers at the end of a row), but
never written.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.errors import MemoryFault

from .violations import violation

__all__ = ["Buffer", "RegionMap"]

NEAR = 256  # bytes from a buffer within which a wrong address is described by that buffer

Array = npt.NDArray[Any]


@dataclass(eq=False)
class Buffer:
    """A named range of memory.

    address       of the first byte                 nbytes   size
    dtype, shape  as placed                         readonly stores are refused
    typed         whether the type was given: of mere bytes the type is that of what is loaded and stored
    reads_before, reads_after  bytes outside that may be read
    scratch       the stack: unknown bytes may be stored there
    written, read by the call that runs (``is_read`` is kept on a grid only)
    """

    name: str
    address: int
    nbytes: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    readonly: bool = False
    reads_before: int = 0
    reads_after: int = 0
    scratch: bool = False
    typed: bool = True
    is_written: bool = False
    is_read: bool = False

    @property
    def end(self) -> int:
        return self.address + self.nbytes


class RegionMap:
    """The buffers by address."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self._starts: list[int] = []

    def add(self, buffer: Buffer) -> None:
        """One more buffer, which overlaps no other."""
        start = buffer.address - buffer.reads_before
        at = bisect_right(self._starts, start)
        self.buffers.insert(at, buffer)
        self._starts.insert(at, start)

    def find_buffer(self, address: int) -> Buffer:
        """Return the buffer that an allowed access touches."""
        return self.buffers[bisect_right(self._starts, address) - 1]

    def single_buffer(self, low: int, high: int, nbytes: int, store: bool) -> Buffer | None:
        """Return the one buffer that all accesses from ``low`` to ``high`` may touch, or None."""
        at = bisect_right(self._starts, low) - 1
        if at < 0:
            return None
        buffer = self.buffers[at]
        if store:
            allowed = buffer.address <= low and high + nbytes <= buffer.end and not buffer.readonly
        else:
            allowed = high + nbytes <= buffer.end + buffer.reads_after
        return buffer if allowed else None

    def buffers_at(self, grid: Array, nbytes: int, store: bool) -> list[Buffer]:
        """Return the buffers that accesses at each tile's own address touch; MemoryFault names the first tile that may
        not."""
        buffers = self.buffers
        starts = np.array(self._starts, np.int64)
        ends = np.array([b.end if store else b.end + b.reads_after for b in buffers], np.int64)
        firsts = np.array([b.address if store else b.address - b.reads_before for b in buffers], np.int64)
        refused = np.array([store and b.readonly for b in buffers])
        index = np.searchsorted(starts, grid, side="right") - 1
        safe = np.maximum(index, 0)
        good: Any = ((index >= 0) & (grid >= firsts[safe]) & (grid <= ends[safe] - nbytes) & ~refused[safe]
                if len(starts) else np.zeros(grid.shape, bool))
        if not good.all():
            i, j = divmod(int(np.argmin(good)), good.shape[1])
            raise self.fault(int(grid[i, j]), nbytes, store, f"tile ({i}, {j}): ")
        low, high = int(index.min()), int(index.max())
        return [buffers[low]] if low == high else [buffers[int(k)] for k in np.unique(index)]

    def fault(self, address: int, nbytes: int, store: bool, tile: str = "") -> MemoryFault:
        """Return what is wrong with an access, in the reader's words."""
        does = f"{tile}{'writes' if store else 'reads'} {_bytes(nbytes)} at {address:#x}"
        at = bisect_right(self._starts, address) - 1
        near = min(self.buffers[max(at, 0):at + 2], default=None,
                   key=lambda b: max(b.address - address, address - b.end + 1, 0))
        rule = "write-outside" if store else "read-outside"
        if near is not None and store and near.readonly and near.address <= address < near.end:
            rule, does = "read-only", f'{does}, but buffer "{near.name}" is read-only'
        elif near is not None and near.address - NEAR <= address < near.end + NEAR:
            does += f": {_relation(near, address, nbytes, store)}"
        else:
            does += ", where no buffer is. Buffers: " + (
                ", ".join(f"{b.name} {b.address:#x}..{b.end:#x}" for b in self.buffers[:8]) or "none")
        problem = violation(rule, does)
        assert isinstance(problem, MemoryFault)
        return problem


def _relation(buffer: Buffer, address: int, nbytes: int, store: bool) -> str:
    size = f'buffer "{buffer.name}" ({_bytes(buffer.nbytes)})'
    allowed = ""
    if not store and (buffer.reads_before or buffer.reads_after):
        allowed = f"; {_bytes(buffer.reads_before)} before and {buffer.reads_after} after it may be read"
    if address < buffer.address:
        return f"that is {_bytes(buffer.address - address)} before {size}{allowed}"
    past = address + nbytes - buffer.end
    return f"offset {address - buffer.address} of {size}, {_bytes(past)} past its end{allowed}"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"
