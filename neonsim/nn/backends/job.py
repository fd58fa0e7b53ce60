"""What a backend is asked to do: regions of memory, and calls of kernels over them.

A job is one operator for one size of its operands, prepared: weights packed, pointers counted out, every argument of
every call worked out. It knows no addresses; those come when a backend loads it. Then it runs as often as wanted.

    Region    bytes: an input, a result, something constant, a table of pointers, or room to work in
    Pointer   a byte of a region, or one for every tile: what a pointer argument points at
    Shifted   a place that depends on a byte computed before: an entry of a table
    Call      one kernel over a grid of tiles: each argument a number or a place, alike or one per tile
    Gather    rows copied together into a matrix, for comparison: kernels read through pointers instead
    Job       regions, calls in order, and the definition that says what must come out

>>> Pointer("input", 12)
Pointer(region='input', offset=12)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.indirection import IndirectionBuffer
from neonsim.ukernel.packing.taps import OUTSIDE

if TYPE_CHECKING:
    from neonsim.ukernel import Kernel

__all__ = ["Argument", "Call", "CopyRows", "Implementation", "Job", "OffsetPointer", "Pointer", "Region", "Step"]

Offsets = int | NDArray[np.int64]
Bytes = NDArray[np.uint8]
Definition = Callable[[Mapping[str, Bytes]], Mapping[str, Bytes]]


@dataclass(frozen=True)
class Implementation:
    """A kernel as a backend can run it: what a caller that prepares operands has to know of it.

    name            str    contract_tile__isa_technique
    contract        str    order and meaning of its arguments
    isa             str    aarch32, aarch64, or a word of the C library: neon, scalar
    mr, nr          int    largest tile; nr 0 if the contract has no second size
    kr, sr          int    packing of its weights, 1 without
    pointer_bytes   int    of an entry in an indirection buffer
    reads_before    int    bytes it may read in front of an input
    kernel          Kernel or None   the file, where the backend runs files
    """

    name: str
    contract: str
    isa: str
    mr: int
    nr: int = 0
    kr: int = 1
    sr: int = 1
    pointer_bytes: int = 8
    reads_before: int = 0
    kernel: Kernel | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Pointer:
    """A byte of a region, or one for every tile of a call.

    region   str
    offset   int, or int64 that broadcasts to [rows, columns] of the call
    """

    region: str
    offset: Offsets = 0

    def __repr__(self) -> str:
        return f"Pointer(region={self.region!r}, offset={self.offset!r})"


@dataclass(frozen=True, eq=False)
class OffsetPointer:
    """A place moved by a byte that an earlier call wrote: place + step * (origin - byte).

    place    Pointer
    byte     Pointer  of the byte, for every tile
    """

    place: Pointer
    byte: Pointer
    step: int
    origin: int


Argument = int | NDArray[np.int64] | Pointer | OffsetPointer


@dataclass(frozen=True, eq=False)
class Region:
    """A range of memory that a job needs.

    name      str
    role      str     "input" "output" "constant" "pointers" "scratch"
    nbytes    int     0 for pointers: their size depends on who runs them
    data      uint8 [nbytes] or None      what a constant holds
    table     IndirectionBuffer or None   what pointers stand for
    points    (Pointer, Pointer) or None      first byte of the input, and of the zero row, that they are relative to
    before    int     bytes in front of the region that kernels may read (their contents do not matter)
    shape     (int, ...) or None          how readers see its bytes: pixels x channels
    """

    name: str
    role: str
    nbytes: int = 0
    data: Bytes | None = None
    table: IndirectionBuffer | None = None
    points: tuple[Pointer, Pointer] | None = None
    before: int = 0
    shape: tuple[int, ...] | None = None

    def size(self, pointer_bytes: int) -> int:
        """Bytes, with pointers of that size."""
        return self.nbytes if self.table is None else self.table.nbytes(pointer_bytes)


@dataclass(frozen=True, eq=False)
class Call:
    """One kernel, called for every tile of a grid.

    implementation   Implementation
    rows, columns    int                    of the grid
    arguments        {name: Argument}       by the contract's names; arrays broadcast to [rows, columns]
    description      str                    which part of the work this is, for readers
    """

    implementation: Implementation
    rows: int
    columns: int
    arguments: Mapping[str, Argument]
    description: str = ""

    @property
    def tiles(self) -> int:
        """Kernel calls."""
        return self.rows * self.columns


@dataclass(frozen=True, eq=False)
class CopyRows:
    """Rows of bytes of one region, copied next to each other into another.

    source, target   Pointer        first bytes
    offsets          int64 [rows]   of every row from the source's first byte; OUTSIDE: a row of `fill`
    row_bytes        int
    fill             int            0..255
    """

    source: Pointer
    target: Pointer
    offsets: NDArray[np.int64]
    row_bytes: int
    fill: int
    description: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes written."""
        return int(self.offsets.size) * self.row_bytes

    def copy(self, source: Bytes, target: Bytes) -> None:
        """Do it on the bytes of both regions."""
        begin = source[int(np.asarray(self.source.offset)):]
        rows = np.lib.stride_tricks.sliding_window_view(begin, self.row_bytes)
        found = rows[np.maximum(self.offsets, 0)]
        found[self.offsets == OUTSIDE] = self.fill
        start = int(np.asarray(self.target.offset))
        target[start:start + found.size] = found.reshape(-1)
        count(im2col_bytes=found.size)


Step = Call | CopyRows


@dataclass(frozen=True, eq=False)
class Job:
    """One operator, prepared for one size of its operands.

    name         str
    regions      tuple[Region, ...]
    steps        tuple[Call | Gather, ...]     in order; empty for a backend that computes by definition
    definition   {input name: bytes} -> {output name: bytes}     whole regions
    """

    name: str
    regions: tuple[Region, ...]
    steps: tuple[Step, ...]
    definition: Definition

    def region(self, name: str) -> Region:
        """The region of that name."""
        return next(r for r in self.regions if r.name == name)

    @property
    def pointer_bytes(self) -> int:
        """Of the kernels' pointers; 8 where no kernel is called."""
        return next((call.implementation.pointer_bytes for call in self.calls), 8)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The steps that call kernels."""
        return tuple(step for step in self.steps if isinstance(step, Call))
