"""Putting a job together: which kernel, which regions, which calls.

An operator describes its work to a `Builder`; what comes out is a Job for one backend and the choices that were made,
with their reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.nn.backends import Backend, Call, CopyRows, Implementation, Job, NamedKernel, Pointer, Region, Step
from neonsim.nn.backends.job import Argument, Definition
from neonsim.nn.ops.operand import Operand
from neonsim.ukernel.packing import IndirectionBuffer

__all__ = ["Builder", "KernelChoice", "TileSpan", "parts", "tile_grid"]

Index = NDArray[np.int64]


@dataclass(frozen=True)
class KernelChoice:
    """Which kernel does a part of the work, and why.

    contract   str
    kernel     str
    isa        str
    reason     str   with the fact behind it
    """

    contract: str
    kernel: str
    isa: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel} ({self.contract}): {self.reason}"


class TileSpan(NamedTuple):
    """Tiles of one size along one axis: where the first begins, how many, how large."""

    first: int
    tiles: int
    size: int

    @property
    def rows(self) -> Index:
        """Where its tiles begin, one below the other in a grid of calls: [tiles, 1]."""
        return (self.first + self.size * np.arange(self.tiles, dtype=np.int64))[:, np.newaxis]

    @property
    def columns(self) -> Index:
        """The same side by side: [1, tiles]."""
        return self.rows.T


def parts(length: int, tile: int) -> Iterator[TileSpan]:
    """Cut a length into whole tiles and a rest: at most two parts.

    >>> list(parts(11, 4))
    [TileSpan(first=0, tiles=2, size=4), TileSpan(first=8, tiles=1, size=3)]
    """
    if length >= tile:
        yield TileSpan(0, length // tile, tile)
    if length % tile:
        yield TileSpan(length - length % tile, 1, length % tile)


def tile_grid(groups: int, images: int, part: TileSpan) -> tuple[Index, Index, Index]:
    """Group, image and first pixel of every row of a grid, each [groups * images * tiles, 1]."""
    grid = np.meshgrid(np.arange(groups, dtype=np.int64), np.arange(images, dtype=np.int64), part.rows, indexing="ij")
    group, image, start = (axis.reshape(-1, 1) for axis in grid)
    return group, image, start


class Builder:
    """Collects the regions, steps and choices of a job.

    backend    Backend
    kernel     name or Kernel of the main kernel, None: chosen by the backend's order
    inputs     tuple[Operand, ...]   regions of their names are there from the start
    output     Operand               region "output", or the input that it overwrites
    """

    def __init__(self, name: str, backend: Backend, kernel: str | NamedKernel | None, inputs: tuple[Operand, ...],
                 output: Operand, in_place: str | None = None) -> None:
        self.name, self.backend, self.kernel = name, backend, kernel
        self.inputs, self.output = inputs, output
        self.result = in_place or "output"
        self.steps: list[Step] = []
        self.choices: list[KernelChoice] = []
        self._regions: dict[str, Region] = {}
        self._before = 0
        self._read: set[str] = set()

    def find(self, contract: str, *, main: bool = True) -> tuple[Implementation, ...]:
        """Implementations of a contract that may be used here: of the main kernel only what was asked for."""
        return self.backend.find(contract, self.kernel if main else None)

    def requested_contract(self, *contracts: str) -> str | None:
        """Which of these contracts the kernel that was asked for keeps; None if none was asked for.

        Raises BackendError, listing those there are, if it keeps none of them.
        """
        if self.kernel is None:
            return None
        for contract in contracts:
            if self.backend.find(contract, self.kernel):
                return contract
        name = self.kernel if isinstance(self.kernel, str) else self.kernel.name
        have = [k for contract in contracts for k in self.backend.kernels(contract)]
        raise BackendError(f"The {self.backend.name} backend does not support this: it has no kernel {name!r} for "
                           f"{self.name}; it has {', '.join(have) or 'none'}.")

    def choose(self, contract: str, reason: str, *, main: bool = True, mr: int | None = None,
               nr: int | None = None, isa: str | None = None, name: str | None = None) -> Implementation:
        """The preferred implementation of a contract, with a tile of that size or a name if one is given.

        Raises BackendError if the backend has none.
        """
        for found in self.find(contract, main=main):
            if (mr in (None, found.mr) and nr in (None, found.nr) and isa in (None, found.isa)
                    and name in (None, found.name)):
                if main and self.kernel is not None:
                    reason = f"asked for by name; {reason}"
                self.choices.append(KernelChoice(contract, found.name, found.isa, reason))
                self._before = max(self._before, found.reads_before)
                return found
        size = "" if mr is None and nr is None else f" of {mr or ''}x{nr or ''}"
        here = f" for {self.backend.isa}" if hasattr(self.backend, "isa") else ""
        raise BackendError(f"The {self.backend.name} backend does not support this: {self.name} needs a kernel of "
                           f"contract {contract}{size}{here}, and there is none.")

    # ---- regions
    def constant(self, name: str, data: bytes | NDArray[np.uint8], before: int = 0) -> Pointer:
        """Bytes that kernels read."""
        held = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        self._regions[name] = Region(name, "constant", held.size, held, before=before)
        return Pointer(name)

    def scratch(self, name: str, nbytes: int, *, operand: bool = False) -> Pointer:
        """Room to work in; an operand is read by kernels as an input is, with what they read in front of it."""
        self._regions[name] = Region(name, "scratch", nbytes)
        if operand:
            self._read.add(name)
        return Pointer(name)

    def table(self, name: str, table: IndirectionBuffer, source: Pointer, zero: Pointer) -> Pointer:
        """Pointers to rows of the source."""
        self._regions[name] = Region(name, "pointers", table=table, points=(source, zero))
        return Pointer(name)

    # ---- steps
    def call(self, implementation: Implementation, rows: int, columns: int, description: str, /,
             **arguments: Argument) -> None:
        """A kernel over a grid of tiles; arguments by the contract's names."""
        if rows and columns:
            self.steps.append(Call(implementation, rows, columns, arguments, description))

    def gather(self, step: CopyRows) -> None:
        """Rows copied together before kernels read them."""
        self.steps.append(step)

    def job(self, definition: Definition) -> Job:
        """All of it."""
        regions = [Region(o.name, "input", o.nbytes, before=self._before, shape=o.matrix) for o in self.inputs]
        if self.result == "output":
            regions.append(Region("output", "output", self.output.nbytes, shape=self.output.matrix))
        regions += [replace(r, before=self._before) if r.name in self._read else r for r in self._regions.values()]
        return Job(self.name, tuple(regions), tuple(self.steps), definition)

