"""The emulated backend: kernel files run on the emulated machine, all tiles of a call in lock-step.

A call names a kernel, a grid, and every argument for every tile: numbers and places. Places become addresses of the one
machine that holds the job; the machine runs the whole grid at once and notices tiles that disturb one another. Any tile
can be run again alone, recorded step by step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Call, Gather, Implementation, Job, NamedKernel, Shifted, Spot, TileTrace
from neonsim.errors import BackendError, BadArgument
from neonsim.integers import as_int
from neonsim.isa import WORD_BYTES
from neonsim.machine import Grid, Machine
from neonsim.packing.work import count
from neonsim.timing import chosen_as, core_name
from neonsim.ukernel import Kernel, contracts, kernels
from neonsim.ukernel.contract import InOut, Out, Scratch

__all__ = ["EmulatedBackend", "EmulatedJob"]

TILES_AT_ONCE = 1 << 14     # larger grids are run in parts: their registers would leave the cache


class EmulatedJob:
    """A job in the memory of one machine."""

    def __init__(self, job: Job, isa: str, engine: str | None, *, like: EmulatedJob | None = None,
                 unwritten: frozenset[str] = frozenset()) -> None:
        """Place all regions; with `like`, as that job's memory stands now, but for regions that nobody has written."""
        self.job, self._engine = job, engine
        self.machine = Machine(isa=isa)
        self._base: dict[str, int] = {}
        memory, pointer_bytes = self.machine.memory, WORD_BYTES[isa]
        for region in job.regions:
            if region.table is not None:
                continue
            known = region.data if like is None or region.data is not None else like.view(region.name)
            if region.role == "input" and known is None:
                known = np.zeros(region.nbytes, np.uint8)
            if known is None or region.name in unwritten:
                self._base[region.name] = memory.alloc(region.nbytes, region.name, reads_before=region.before)
            else:
                self._base[region.name] = memory.place(known, region.name, reads_before=region.before,
                                                       readonly=region.data is not None, typed=False)
            if region.shape is not None:
                memory.buffer(region.name).shape = region.shape
        for region in job.regions:
            if region.table is not None and region.points is not None:
                table = region.table.pointers(*self._relative_to(region.points), pointer_bytes)
                self._base[region.name] = memory.place(table, region.name, readonly=True)

    def _address(self, place: Spot) -> Any:
        return self._base[place.region] + place.offset

    def _relative_to(self, points: tuple[Spot, Spot]) -> tuple[int, int]:
        return int(self._address(points[0])), int(self._address(points[1]))

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of a region in the machine's memory."""
        memory = self.machine.memory
        start = self._base[region] - memory.base
        return memory.arena[start:start + memory.buffer(region).nbytes]

    def arguments(self, call: Call) -> list[Any]:
        """What the contract names, in its order: numbers, and arrays [rows, columns] where tiles differ."""
        assert call.implementation.kernel is not None
        shape = (call.rows, call.columns)
        found: list[Any] = []
        for argument in call.implementation.kernel.contract.arguments:
            value: Any = call.arguments[argument.name]
            if isinstance(value, Shifted):
                byte = self.machine.memory.arena[self._address(value.byte) - self.machine.memory.base]
                value = self._address(value.place) + value.step * (value.origin - byte.astype(np.int64))
            elif isinstance(value, Spot):
                value = self._address(value)
            if isinstance(value, np.ndarray):
                found.append(np.broadcast_to(value, shape))
            else:
                # A negative number is the register's bits.
                found.append(int(value) & 0xFFFF_FFFF if value < 0 else int(value))
        return found

    def run(self, threads: int = 1, *, but: str | None = None) -> None:
        """Every call over its whole grid, in lock-step; threads are the host's business and ignored.

        but   a region: calls that write nothing else are left out, as when one of their tiles is to be traced
        """
        for step in self.job.steps:
            if but is not None and isinstance(step, Call) and self._written(step) == {but}:
                continue
            if isinstance(step, Gather):
                step.copy(self.view(step.source.region), self.view(step.target.region))
                self._known(step.target.region)
                continue
            arguments = self.arguments(step)
            at_once = max(1, TILES_AT_ONCE // step.columns)
            for row in range(0, step.rows, at_once):
                rows = min(at_once, step.rows - row)
                part = [a[row:row + rows] if isinstance(a, np.ndarray) else a for a in arguments]
                self._lock_step(step, part, Grid(rows, step.columns))
            count(calls=step.tiles)
        count(runs=1)

    @staticmethod
    def _written(call: Call) -> set[str]:
        """The regions that a call writes."""
        kernel = call.implementation.kernel
        assert kernel is not None
        return {place.region for a in kernel.contract.arguments if isinstance(a.memory, Out | Scratch | InOut)
                and isinstance(place := call.arguments[a.name], Spot)}

    def _lock_step(self, call: Call, arguments: list[Any], grid: Grid) -> None:
        kernel = call.implementation.kernel
        assert kernel is not None
        self.machine.call(kernel.program(), *arguments, entry=kernel.name, tiles=grid, trace=False,
                          engine=self._engine)

    def _known(self, region: str) -> None:
        """Tell the machine's shadow that the host has written a region."""
        self.machine.memory.fill(self._base[region], self.view(region).tobytes())

    def trace(self, call: int, row: int = 0, column: int = 0, region: str = "output") -> TileTrace:
        """Run one tile alone, recorded, in a memory of its own: what the call writes is unwritten before."""
        calls = self.job.calls
        chosen = calls[as_int(call, "call", 0, len(calls) - 1)]
        kernel = chosen.implementation.kernel
        assert kernel is not None
        tile = as_int(row, "row of the grid", 0, chosen.rows - 1), as_int(column, "column", 0, chosen.columns - 1)
        places = {a.name: p for a in kernel.contract.arguments if isinstance(p := chosen.arguments[a.name], Spot)}
        written = {places[a.name].region for a in kernel.contract.arguments
                   if isinstance(a.memory, Out | Scratch) and a.name in places}
        # A result that overwrites its input is in an input's region: that one has been written.
        inputs = {r.name for r in self.job.regions if r.role == "input"}
        alone = EmulatedJob(self.job, kernel.isa, None, like=self, unwritten=frozenset(written - inputs))
        arguments = [int(a[tile]) if isinstance(a, np.ndarray) else a for a in alone.arguments(chosen)]
        done = alone.machine.call(kernel.program(), *arguments, entry=kernel.name, trace=True)
        assert done.trace is not None
        return TileTrace(kernel.name, done.trace, call, tile, alone._base[region], alone.view(region).copy())


class EmulatedBackend:
    """Kernels/*.S on the emulated machine, whole operators in lock-step; single tiles with a trace.

    isa      "aarch32" or "aarch64": whose kernels are preferred; a kernel asked for by name brings its own
    core     str or None   which core the choice of kernels is made for, as "cortex-a72" (K14); None: any. One that is
                           modelled, a core file's path, or a core for which another one stands
    engine   str or None   of the machine: None interprets, "compiled" translates kernels to C first

    Raises BadArgument for another instruction set; UnknownCore for a core that nobody knows.
    """

    name = "emulated"
    by_definition = False

    def __init__(self, isa: str = "aarch32", core: str | None = None, engine: str | None = None) -> None:
        if isa not in WORD_BYTES:
            raise BadArgument(f"isa is aarch32 or aarch64, not {isa!r}.")
        if core is not None:
            core = core_name(core)
            chosen_as(core)
        self.isa, self.core, self.engine = isa, core, engine

    def available(self) -> str | None:
        """Always: the machine is numpy."""
        return None

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        """Every kernel of the catalogue, or of one contract; those of the preferred instruction set first."""
        return tuple(k.name for k in sorted(kernels(contract), key=self._preference))

    def _preference(self, kernel: Kernel) -> tuple[bool, int, str]:
        """Its own instruction set, then the largest tile: that loads least for what it computes (A08, K13)."""
        return kernel.isa != self.isa, -kernel.tile.mr * (kernel.tile.nr or 1), kernel.name

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        """Kernels of the preferred instruction set; with ``kernel`` only that one, whichever set it is written for."""
        if contract not in {c.name for c in contracts()}:
            return ()           # an operator may ask for a contract that nobody has written kernels or a definition for
        if isinstance(kernel, Kernel):
            return (_implementation(kernel),) if kernel.contract.name == contract else ()
        name = kernel if kernel is None or isinstance(kernel, str) else kernel.name
        return tuple(_implementation(k) for k in sorted(kernels(contract), key=self._preference)
                     if (k.isa == self.isa if name is None else k.name == name))

    def load(self, job: Job) -> EmulatedJob:
        """Place all regions in the memory of a new machine."""
        sets = {call.implementation.isa for call in job.calls}
        if len(sets) > 1:
            raise BackendError(f"The calls of {job.name} mix kernels for {' and '.join(sorted(sets))}; one machine "
                               "runs one instruction set.")
        isa = sets.pop() if sets else self.isa
        count(allocations=len(job.regions), allocated_bytes=sum(r.size(WORD_BYTES[isa]) for r in job.regions))
        return EmulatedJob(job, isa, self.engine)


def _implementation(kernel: Kernel) -> Implementation:
    tile = kernel.tile
    return Implementation(kernel.name, kernel.contract.name, kernel.isa, tile.mr, tile.nr or 0, tile.kr,
                          kernel.contract.swizzle or tile.sr, WORD_BYTES[kernel.isa],
                          kernel.header.reads_before, kernel)

