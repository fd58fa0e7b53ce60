"""The native backend: the C library of ``native/``, through ctypes.

    what                                          call
    one tile, as the contract says                qu8_gemm_q31, qu8_gemm_xzp_q31, qu8_sumrows       native_tiles
    a whole product, tile by tile, in threads     gemm
    which variants there are, which is taken      variants, default_variant, cpu_info               native_library
    any contract, many tiles at once              call; operators use it through the backend protocol: NativeBackend
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Call, Gather, Implementation, Job, NamedKernel, Place, Shifted
from neonsim.backends.native_library import (
    Variant,
    available,
    check,
    contracts,
    cpu_info,
    default_variant,
    require,
    variants,
)
from neonsim.backends.native_tiles import gemm, qu8_gemm_q31, qu8_gemm_xzp_q31, qu8_sumrows
from neonsim.errors import BadArgument
from neonsim.packing.work import count
from neonsim.ukernel import contract_named

__all__ = ["NativeBackend", "NativeJob", "Variant", "available", "call", "contracts", "cpu_info", "default_variant",
           "gemm", "qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows", "variants"]


def call(variant: str, arguments: NDArray[np.uint64], threads: int = 1) -> None:
    """Call a kernel many times: one row of arguments each, addresses and sizes as the contract orders them.

    variant     str                    a name out of variants()
    arguments   uint64 [calls, count]  contiguous; nobody checks addresses and sizes, that is the caller's business
    threads     int                    how many share the calls

    Raises BadArgument for a wrong array, BackendError for a variant that cannot run here.
    """
    if arguments.dtype != np.uint64 or arguments.ndim != 2 or not arguments.flags.c_contiguous:
        raise BadArgument(f"arguments are contiguous uint64 [calls, count]; got {arguments.dtype} {arguments.shape}.")
    check(require().neonsim_call(variant.encode(), *arguments.shape, arguments.ctypes.data, threads))


SPACE = 64      # bytes between regions, and their alignment: kernels may read a little beyond an operand


class NativeJob:
    """A job in memory of its own, every argument of every call worked out."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._start: dict[str, int] = {}
        end = SPACE
        for region in job.regions:
            self._start[region.name] = end
            end += -(-region.size(job.pointer_bytes) // SPACE) * SPACE + SPACE
        self._memory = np.zeros(end + SPACE, np.uint8)
        self._base = -(-self._memory.ctypes.data // SPACE) * SPACE
        self._begin = self._base - self._memory.ctypes.data
        self._size = {r.name: r.size(job.pointer_bytes) for r in job.regions}
        for region in job.regions:
            if region.data is not None:
                self.view(region.name)[...] = region.data
            elif region.table is not None and region.points is not None:
                table = region.table.pointers(*self._relative_to(region.points), job.pointer_bytes)
                self.view(region.name)[...] = table.view(np.uint8)
        # A place that depends on a byte is filled in again and again; all the rest stays.
        self._arguments = {id(c): self._matrix(c) for c in job.calls}
        count(allocations=len(job.regions), allocated_bytes=self._memory.size)

    def _address(self, place: Place) -> Any:
        return self._base + self._start[place.region] + np.asarray(place.offset, np.int64)

    def _relative_to(self, points: tuple[Place, Place]) -> tuple[int, int]:
        return int(self._address(points[0])), int(self._address(points[1]))

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of a region."""
        start = self._begin + self._start[region]
        return self._memory[start:start + self._size[region]]

    def _value(self, value: Any) -> Any:
        if isinstance(value, Shifted):
            return self._address(value.place)
        return self._address(value) if isinstance(value, Place) else value

    def _matrix(self, step: Call) -> NDArray[np.uint64]:
        """[tiles, arguments] in the order of the contract."""
        wanted = contract_named(step.implementation.contract).arguments
        matrix = np.empty((step.rows, step.columns, len(wanted)), np.int64)
        for i, argument in enumerate(wanted):
            matrix[:, :, i] = self._value(step.arguments[argument.name])
        return matrix.reshape(-1, len(wanted)).view(np.uint64)

    def _shift(self, step: Call) -> None:
        """Places that an earlier call decides."""
        for i, argument in enumerate(contract_named(step.implementation.contract).arguments):
            value = step.arguments[argument.name]
            if isinstance(value, Shifted):
                where = self._address(value.byte) - self._memory.ctypes.data
                moved = self._address(value.place) + value.step * (value.origin - self._memory[where].astype(np.int64))
                column = np.broadcast_to(moved, (step.rows, step.columns)).reshape(-1)
                self._arguments[id(step)][:, i] = column.astype(np.uint64)

    def run(self, threads: int = 1) -> None:
        """Every call, its tiles shared by so many threads."""
        for step in self.job.steps:
            if isinstance(step, Gather):
                step.copy(self.view(step.source.region), self.view(step.target.region))
                continue
            self._shift(step)
            call(step.implementation.name, self._arguments[id(step)], threads)
            count(calls=step.tiles)
        count(runs=1)


class NativeBackend:
    """The C library behind the protocol of `neonsim.backends`."""

    name = "native"
    by_definition = False
    core: str | None = None

    def available(self) -> str | None:
        """None if the C library can be used, else what is missing."""
        return available()

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        """Variants that can run here, of one contract or of all, defaults first; none without the library."""
        return tuple(one.name for one in self._all(contract))

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        """Variants of a contract that can run here, in the library's order of preference."""
        name = kernel if kernel is None or isinstance(kernel, str) else kernel.name
        return tuple(_implementation(one) for one in self._all(contract) if name in (None, one.name))

    def _all(self, contract: str | None) -> list[Variant]:
        if available() is not None:
            return []
        found = [v for v in variants() if v.missing is None and contract in (None, v.contract)]
        wanted = os.environ.get("NEONSIM_ISA")
        return [v for v in found if not wanted or v.isa == wanted]

    def load(self, job: Job) -> NativeJob:
        """Place all regions in memory of their own.

        Raises BackendError without the library.
        """
        require()
        return NativeJob(job)


def _implementation(one: Variant) -> Implementation:
    return Implementation(one.name, one.contract, one.isa, one.mr, one.nr, one.kr or 1, one.sr or 1,
                          np.dtype(np.uintp).itemsize, one.reads_before)
