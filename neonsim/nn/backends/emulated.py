"""The emulated backend: kernel files run on the emulated machine, all tiles of a call in lock-step.

A call names a kernel, a grid, and every argument for every tile: numbers and places. Places become addresses of the one
machine that holds the job; the machine runs the whole grid at once and notices tiles that disturb one another. Any tile
can be run again alone, recorded step by step.

    engine      how tiles run                                                     for
    interpreter in lock-step, instruction by instruction on arrays                little work: nothing is compiled
    compiled    one after the other, translated to C and compiled; by threads     whole operators and networks

Bytes are the same. Which one a job has is `EmulatedJob.engine`; a backend without an engine gives `compiled` to jobs of
so much work as `WORTH`, and to all operators of a network that has so much, where there is a C compiler.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.machine import Grid, Machine, compiler
from neonsim.arm.timing import chosen_as, core_name
from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Call, CopyRows, Implementation, Job, NamedKernel, OffsetPointer, Pointer, TileTrace
from neonsim.ukernel import Kernel, contract_named, kernels
from neonsim.ukernel.contract import InOut, Out, Scratch
from neonsim.ukernel.contracts import is_contract
from neonsim.ukernel.header import Header
from neonsim.ukernel.packing.counters import count

__all__ = ["ENGINES", "WORTH", "Compilation", "EmulatedBackend", "EmulatedJob", "compile_all", "share_engine"]

TILES_AT_ONCE = 1 << 14     # larger grids are run in parts: their registers would leave the cache
ENGINES = ("interpreter", "compiled")
# From which work on compiling pays: a kernel takes the compiler half a second, in which lock-step does some ten
# thousand instructions, of any number of tiles. Work is tiles x the product of their sizes, about products.
WORTH = 1 << 18


@dataclass(frozen=True)
class Compilation:
    """What translating kernels for jobs took.

    kernels   how many were not in memory
    built     of them by the compiler now; the others lay in its cache
    seconds   in all
    """

    kernels: int = 0
    built: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        if not self.kernels:
            return "all kernels were in memory"
        how = (f"{self.built} compiled now" if self.built else "none compiled now") + (
            f", {self.kernels - self.built} from the cache" if self.built < self.kernels else "")
        return f"{self.kernels} kernel{'s' * (self.kernels != 1)} translated to C in {self.seconds:.2f} s ({how})"


class EmulatedJob:
    """A job in the memory of one machine.

    engine   str   a name of ENGINES: what runs its tiles
    reason   str   why it is that one, where it was not asked for
    steps    int   instructions that the last run executed, over all tiles (counted)
    """

    def __init__(self, job: Job, isa: str, engine: str = "interpreter", reason: str = "", *,
                 like: EmulatedJob | None = None, unwritten: frozenset[str] = frozenset()) -> None:
        """Place all regions; with `like`, as that job's memory stands now, but for regions that are uninitialized.

        Raises BackendError for `compiled` where there is no C compiler.
        """
        self.job, self.engine, self.reason = job, engine, reason
        self.steps = 0
        self.machine = Machine(isa=isa)
        self._ready: dict[tuple[int, int], Callable[[int], int]] = {}
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
        if engine == "compiled":
            compile_all([self])

    @property
    def tiles(self) -> int:
        """Kernel calls of a run."""
        return sum(call.tiles for call in self.job.calls)

    @property
    def work(self) -> int:
        """Tiles times the product of what each has as sizes (rows, columns, depth ...)."""
        found = 0
        for call in self.job.calls:
            assert call.implementation.kernel is not None
            sizes = [call.arguments[a.name] for a in call.implementation.kernel.contract.arguments if a.kind == "size"]
            found += call.tiles * prod(size for size in sizes if isinstance(size, int))
        return found

    @property
    def kernels(self) -> dict[str, Kernel]:
        """The kernels that it calls, by name."""
        found = [call.implementation.kernel for call in self.job.calls]
        return {kernel.name: kernel for kernel in found if kernel is not None}

    def _address(self, place: Pointer) -> Any:
        return self._base[place.region] + place.offset

    def _relative_to(self, points: tuple[Pointer, Pointer]) -> tuple[int, int]:
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
            if isinstance(value, OffsetPointer):
                byte = self.machine.memory.arena[self._address(value.byte) - self.machine.memory.base]
                value = self._address(value.place) + value.step * (value.origin - byte.astype(np.int64))
            elif isinstance(value, Pointer):
                value = self._address(value)
            if isinstance(value, np.ndarray):
                found.append(np.broadcast_to(value, shape))
            else:
                # A negative number is the register's bits.
                found.append(int(value) & 0xFFFF_FFFF if value < 0 else int(value))
        return found

    def run(self, threads: int = 1, *, but: str | None = None) -> None:
        """Every call over its whole grid; the compiled engine's tiles are shared by n threads, lock-step is one.

        but   a region: calls that write nothing else are left out, as when one of their tiles is to be traced
        """
        self.steps = 0
        for number, step in enumerate(self.job.steps):
            if but is not None and isinstance(step, Call) and self._written(step) == {but}:
                continue
            if isinstance(step, CopyRows):
                step.copy(self.view(step.source.region), self.view(step.target.region))
                self.machine.memory.wrote([step.target.region])
            elif self.engine == "compiled":
                self._by_tiles(number, step, threads)
            else:
                for _, part, grid in self._parts(step):
                    self._lock_step(step, part, grid)
            if isinstance(step, Call):
                count(calls=step.tiles)
        count(runs=1)

    def _parts(self, call: Call) -> Iterable[tuple[int, list[Any], Grid]]:
        """(first row, arguments, grid) of rows of tiles that are run together."""
        arguments = self.arguments(call)
        at_once = max(1, TILES_AT_ONCE // call.columns)
        for row in range(0, call.rows, at_once):
            rows = min(at_once, call.rows - row)
            yield (row, [a[row:row + rows] if isinstance(a, np.ndarray) else a for a in arguments],
                   Grid(rows, call.columns))

    def _by_tiles(self, number: int, call: Call, threads: int) -> None:
        kernel = call.implementation.kernel
        assert kernel is not None
        moving = any(isinstance(value, OffsetPointer) for value in call.arguments.values())
        if moving or (number, 0) not in self._ready:
            for row, part, grid in self._parts(call):
                self._ready[number, row] = self.machine.prepare(kernel.program(), *part, entry=kernel.name, tiles=grid)
        for (of, _), run in self._ready.items():
            if of == number:
                self.steps += run(threads)

    @staticmethod
    def _written(call: Call) -> set[str]:
        """The regions that a call writes."""
        kernel = call.implementation.kernel
        assert kernel is not None
        return {place.region for a in kernel.contract.arguments if isinstance(a.memory, Out | Scratch | InOut)
                and isinstance(place := call.arguments[a.name], Pointer)}

    def _lock_step(self, call: Call, arguments: list[Any], grid: Grid) -> None:
        kernel = call.implementation.kernel
        assert kernel is not None
        self.steps += self.machine.call(kernel.program(), *arguments, entry=kernel.name, tiles=grid,
                                        trace=False).tile_steps

    def execution_path(self, call: int) -> NDArray[np.int64]:
        """The instructions that the first tile of a call executes, by number, in their order; nothing is changed.

        call   index into the job's calls
        """
        chosen = self.job.calls[call]
        kernel = chosen.implementation.kernel
        assert kernel is not None
        if compiler() is None:      # the same, step by step: seconds where the other takes milliseconds
            return self.trace(call).trace.pc.astype(np.int64)
        arguments = [int(a[0, 0]) if isinstance(a, np.ndarray) else a for a in self.arguments(chosen)]
        return self.machine.execution_path(kernel.program(), *arguments, entry=kernel.name)

    def trace(self, call: int, row: int = 0, column: int = 0, region: str = "output") -> TileTrace:
        """Run one tile alone, recorded, in a memory of its own: what the call writes is unwritten before."""
        calls = self.job.calls
        chosen = calls[as_int(call, "call", 0, len(calls) - 1)]
        kernel = chosen.implementation.kernel
        assert kernel is not None
        tile = as_int(row, "row of the grid", 0, chosen.rows - 1), as_int(column, "column", 0, chosen.columns - 1)
        places = {a.name: p for a in kernel.contract.arguments if isinstance(p := chosen.arguments[a.name], Pointer)}
        written = {places[a.name].region for a in kernel.contract.arguments
                   if isinstance(a.memory, Out | Scratch) and a.name in places}
        # A result that overwrites its input is in an input's region: that one has been written.
        inputs = {r.name for r in self.job.regions if r.role == "input"}
        alone = EmulatedJob(self.job, kernel.isa, like=self, unwritten=frozenset(written - inputs))
        arguments = [int(a[tile]) if isinstance(a, np.ndarray) else a for a in alone.arguments(chosen)]
        done = alone.machine.call(kernel.program(), *arguments, entry=kernel.name, trace=True)
        assert done.trace is not None
        return TileTrace(kernel.name, done.trace, call, tile, alone._base[region], alone.view(region).copy())


class EmulatedBackend:
    """Kernels/*.S on the emulated machine, whole operators in lock-step; single tiles with a trace.

    isa      "aarch32" or "aarch64": whose kernels are preferred; a kernel asked for by name brings its own. None:
             "aarch64" for a core that runs it, without a core "aarch32"
    core     str or None   which core the choice of kernels is made for, as "cortex-a72" (K14); None: any. One that is
                           modelled, a core file's path, or a core for which another one stands
    engine   str or None   a name of ENGINES; None: "compiled" for so much work as WORTH where there is a C compiler,
                           else "interpreter"

    Raises BadArgument for another instruction set or engine; UnknownCore for an unknown core; `load` raises
    BackendError for "compiled" without a C compiler.
    """

    name = "emulated"
    is_reference = False

    def __init__(self, isa: str | None = None, core: str | None = None, engine: str | None = None) -> None:
        if isa is not None and isa not in WORD_BYTES:
            raise BadArgument(f"isa is aarch32 or aarch64, not {isa!r}.")
        if engine is not None and engine not in ENGINES:
            raise BadArgument(f"unknown engine {engine!r} for kernels: {', '.join(ENGINES)}.")
        if core is not None:
            core = core_name(core)
            runs = chosen_as(core).isas
            isa = isa or ("aarch64" if "aarch64" in runs else "aarch32")
        self.isa, self.core, self.engine = isa or "aarch32", core, engine

    def available(self) -> str | None:
        """Always: the machine is numpy."""
        return None

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        """Every kernel of the catalogue, or of one contract; those of the preferred instruction set first."""
        return tuple(k.name for k in sorted(kernels(contract), key=lambda k: self._preference(k, k.header)))

    def _preference(self, kernel: Kernel, header: Header) -> tuple[bool, int, str]:
        """Its own instruction set, then the largest tile: that loads least for what it computes (A08, K13)."""
        return header.isa != self.isa, -header.tile.mr * (header.tile.nr or 1), kernel.name

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        """Kernels of the preferred instruction set; with ``kernel`` only that one, whichever set it is written for."""
        if not is_contract(contract):
            return ()           # an operator may ask for a contract without kernels or a definition
        if isinstance(kernel, Kernel):
            return (_implementation(kernel, kernel.header),) if kernel.contract.name == contract else ()
        name = kernel if kernel is None or isinstance(kernel, str) else kernel.name
        # By names, before any header is looked at.
        found = [k for k in kernels(contract, None if name else self.isa) if name in (None, k.name)]
        headers = {k.name: k.header for k in found}     # each looks whether its file has changed
        found.sort(key=lambda k: self._preference(k, headers[k.name]))
        return tuple(_implementation(k, headers[k.name]) for k in found)

    def load(self, job: Job) -> EmulatedJob:
        """Place all regions in the memory of a new machine."""
        sets = {call.implementation.isa for call in job.calls}
        if len(sets) > 1:
            raise BackendError(f"The calls of {job.name} mix kernels for {' and '.join(sorted(sets))}; one machine "
                               "runs one instruction set.")
        isa = sets.pop() if sets else self.isa
        count(allocations=len(job.regions), allocated_bytes=sum(r.size(WORD_BYTES[isa]) for r in job.regions))
        made = EmulatedJob(job, isa, self.engine or "interpreter")
        if self.engine is None:
            share_engine([made])
        return made


def compile_all(jobs: Sequence[EmulatedJob]) -> Compilation:
    """Run jobs on the compiled engine from now on: kernels are translated and built here, two at a time, or found.

    Raises BackendError without a C compiler, with what to install.
    """
    begin = time.perf_counter()
    # A program with data is translated for its place in a memory, which is the same in all of these.
    wanted = {name: (job.machine, kernel) for job in jobs for name, kernel in job.kernels.items()}
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: one[0].translation(one[1].program(), one[1].name), wanted.values()))
    engines = [job.machine.translation(kernel.program(), name) for job in jobs for name, kernel in job.kernels.items()]
    made = [one for one in {id(one): one for one in engines}.values() if one.made >= begin]
    for job in jobs:
        job.engine = "compiled"
    return Compilation(len(made), sum(one.library.built for one in made), time.perf_counter() - begin if made else 0.0)


def share_engine(jobs: Sequence[EmulatedJob]) -> Compilation:
    """Give jobs that are run together the engine that their work is worth, and say why in each.

    A compiler that is there and fails is said in a RuntimeWarning too.
    """
    work = sum(job.work for job in jobs)
    engine, why, took = "interpreter", f"too little work to compile for: {work:,} of {WORTH:,} products", Compilation()
    if work >= WORTH:
        try:
            took = compile_all(jobs)
            engine, why = "compiled", f"work of {work:,} products"
        except BackendError as problem:
            if compiler() is None:
                why = "faster with a C compiler: install gcc or clang, or name one in NEONSIM_CC"
            else:
                why = str(problem)
                warnings.warn(f"tiles are interpreted: {why}", RuntimeWarning, stacklevel=3)
    for job in jobs:
        job.engine, job.reason = engine, why
    return took


def _implementation(kernel: Kernel, header: Header) -> Implementation:
    contract, tile = contract_named(header.contract), header.tile
    return Implementation(kernel.name, contract.name, header.isa, tile.mr, tile.nr or 0, tile.kr,
                          contract.swizzle or tile.sr, WORD_BYTES[header.isa], header.reads_before, kernel)

