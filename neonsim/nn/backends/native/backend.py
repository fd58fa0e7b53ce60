"""The native backend: the C library of ``native/``, through ctypes.

    what                                          call
    one tile, as the contract says                qu8_gemm_q31, qu8_gemm_xzp_q31, qu8_sumrows       native_tiles
    a whole product, tile by tile, in threads     gemm
    which variants there are, which is taken      variants, default_variant, cpu_info               native_library
    any contract, many tiles at once              call; operators use it through the backend protocol: NativeBackend
    a layer of the library's networks             NativeLayerJob; products take it where no kernel is asked for
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Call, CopyRows, Implementation, Job, NamedKernel, OffsetPointer, Pointer
from neonsim.nn.backends.native.library import (
    NativeVariant,
    available,
    check,
    contracts,
    cpu_info,
    default_variant,
    require,
    variants,
)
from neonsim.nn.backends.native.network import NativeNetwork, NetworkLayer
from neonsim.nn.backends.native.tiles import gemm, qu8_gemm_q31, qu8_gemm_xzp_q31, qu8_sumrows
from neonsim.nn.backends.native_layer import ArenaTensor, NativeLayer, layer_fields
from neonsim.ukernel import contract_named
from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.taps import OUTSIDE

__all__ = ["NativeBackend", "NativeJob", "NativeLayerJob", "NativeVariant", "available", "call", "contracts",
           "cpu_info",
           "default_variant", "gemm", "qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows", "variants"]


def call(variant: str, arguments: NDArray[np.uint64], threads: int = 1) -> None:
    """Call a kernel many times: one row of arguments each, addresses and sizes as the contract orders them.

    variant     str                    a name out of variants()
    arguments   uint64 [calls, count]  contiguous; addresses and sizes are not checked, the caller is responsible
    threads     int                    how many share the calls

    Raises BadArgument for a wrong array, BackendError for a variant that cannot run here.
    """
    if arguments.dtype != np.uint64 or arguments.ndim != 2 or not arguments.flags.c_contiguous:
        raise BadArgument(f"arguments must be contiguous uint64 [calls, count]; got {arguments.dtype} "
                          f"{arguments.shape}.")
    check(require().neonsim_call(variant.encode(), *arguments.shape, arguments.ctypes.data, threads))


SPACE = 64      # bytes between regions, and their alignment: kernels may read a little beyond an operand


class NativeJob:
    """A job in memory of its own, all arguments of all calls worked out; inputs may stay where the caller has them.

    One thread at a time: its owner (`neonsim.nn.ops.Plan`) sees to that.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        start: dict[str, int] = {}
        end = SPACE
        for region in job.regions:
            start[region.name] = end
            end += -(-region.size(job.pointer_bytes) // SPACE) * SPACE + SPACE
        self._memory = np.zeros(end + SPACE, np.uint8)
        base = -(-self._memory.ctypes.data // SPACE) * SPACE
        self._home = {name: base + at for name, at in start.items()}
        self._size = {r.name: r.size(job.pointer_bytes) for r in job.regions}
        self._bound: dict[str, NDArray[Any]] = {}       # held, so that the memory stays
        self._leads: dict[str, list[tuple[NDArray[np.uint64], Any]]] = {}
        self._turning = False       # pointers are being turned to another address, or that was interrupted
        for region in job.regions:
            if region.data is not None:
                self.view(region.name)[...] = region.data
        # A place that depends on a byte is filled in again and again; all the rest stays.
        self._arguments = {id(c): np.empty((c.tiles, len(contract_named(c.implementation.contract).arguments)),
                                           np.uint64) for c in job.calls}
        self._point_home()
        count(allocations=len(job.regions), allocated_bytes=self._memory.size)

    def _point_home(self) -> None:
        """Every pointer and argument, into the job's own memory."""
        self._turning = True
        self._at = dict(self._home)
        self._bound.clear()
        for region in self.job.regions:
            if region.table is not None and region.points is not None:
                table = region.table.pointers(*self._relative_to(region.points), self.job.pointer_bytes)
                self.view(region.name)[...] = table.view(np.uint8)
        for step in self.job.calls:
            self._arguments[id(step)][...] = self._matrix(step)
        self._turning = False

    def _address(self, place: Pointer) -> Any:
        return self._at[place.region] + np.asarray(place.offset, np.int64)

    def _relative_to(self, points: tuple[Pointer, Pointer]) -> tuple[int, int]:
        return int(self._address(points[0])), int(self._address(points[1]))

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of a region in the job's own memory."""
        start = self._home[region] - self._memory.ctypes.data
        return self._memory[start:start + self._size[region]]

    def _read(self, region: str) -> NDArray[np.uint8]:
        """The bytes of a region where they are now."""
        if region not in self._bound:
            return self.view(region)
        return np.lib.stride_tricks.as_strided(self._bound[region].view(np.uint8), (self._size[region],), (1,))

    def bind(self, region: str, values: NDArray[Any] | None) -> bool:
        """Read an input where the caller has it, from now on; None: in the job's own memory again.

        values   its pixels as far apart as the plan's
        ->       bool   False: kernels would read in front of it, or write there; it has to be copied

        Arguments and pointers that lead into the region are turned to its new address, none is built again; at the
        same address nothing is done.
        """
        if values is not None and not self._may_bind(region):
            return False
        if self._turning:       # Ctrl-C, or a fork, came in the middle of it: half of the pointers lead elsewhere
            self._point_home()
        address = self._home[region] if values is None else values.ctypes.data
        if address != self._at[region]:
            by = np.uint64((address - self._at[region]) & (1 << 64) - 1)
            if region not in self._leads:
                self._leads[region] = list(self._leading(region))
            self._turning = True
            for numbers, which in self._leads[region]:
                numbers[which] += by        # wraps, so it goes back as well
                count(moved_pointers=numbers[which].size)
            self._at[region] = address
            self._turning = False
        if values is None:
            self._bound.pop(region, None)
        else:
            self._bound[region] = values
        return True

    def _may_bind(self, region: str) -> bool:
        """Portable C and intrinsics read not a byte outside their operands; assembly may, in front of a row."""
        one = self.job.region(region)
        # Without a region of its own the result is written over an input.
        apart = any(r.role == "output" for r in self.job.regions)
        return one.role == "input" and one.before == 0 and apart and self.job.pointer_bytes == 8

    def _leading(self, region: str) -> Iterator[tuple[NDArray[np.uint64], Any]]:
        """Columns of arguments, and tables, with those of their numbers that are addresses in a region."""
        for call_ in self.job.calls:
            wanted = contract_named(call_.implementation.contract).arguments
            for i, argument in enumerate(wanted):
                value = call_.arguments[argument.name]
                if isinstance(value, Pointer) and value.region == region:
                    yield self._arguments[id(call_)][:, i], slice(None)
        for one in self.job.regions:
            if one.table is not None and one.points is not None and one.points[0].region == region:
                yield self.view(one.name).view(np.uint64), one.table.offsets.reshape(-1) != OUTSIDE

    def _value(self, value: Any) -> Any:
        if isinstance(value, OffsetPointer):
            return self._address(value.place)
        return self._address(value) if isinstance(value, Pointer) else value

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
            if isinstance(value, OffsetPointer):
                byte = self._read(value.byte.region)[value.byte.offset].astype(np.int64)
                moved = self._address(value.place) + value.step * (value.origin - byte)
                column = np.broadcast_to(moved, (step.rows, step.columns)).reshape(-1)
                self._arguments[id(step)][:, i] = column.astype(np.uint64)

    def run(self, threads: int = 1) -> None:
        """Every call, its tiles shared by n threads."""
        for step in self.job.steps:
            if isinstance(step, CopyRows):
                step.copy(self._read(step.source.region), self.view(step.target.region))
                continue
            self._shift(step)
            call(step.implementation.name, self._arguments[id(step)], threads)
            count(calls=step.tiles)
        count(runs=1)


class NativeLayerJob:
    """A job that is one layer of the library's networks: their kernels are the fastest there are here.

    Inputs and result lie in the network's arena; of int8 ones, which it keeps unsigned, there is a copy to read and
    write. One thread at a time, as `NativeJob`.

    family   str   the kernels that run it
    """

    def __init__(self, job: Job, layer: NativeLayer, inputs: Mapping[str, ArenaTensor], out: ArenaTensor) -> None:
        self.job = job
        result = next(r.name for r in job.regions if r.role == "output")
        places: dict[str, ArenaTensor] = {}
        end = 0
        for name, tensor in (*inputs.items(), (result, out)):
            places[name] = replace(tensor, offset=end)
            end += -(-job.region(name).size(8) // SPACE) * SPACE
        fields = layer_fields(layer, [places[name] for name in inputs], places[result])
        self._network = NativeNetwork([NetworkLayer.create(layer.kind, **fields)], end, owners=[f"this {layer.kind}"])
        self.family = self._network.family
        self._there = {name: self._network.arena[one.offset:one.offset + job.region(name).size(8)]
                       for name, one in places.items()}
        self._own = {name: np.zeros_like(self._there[name]) for name, one in places.items() if one.moved}
        self._turned = [name for name in inputs if name in self._own], result if result in self._own else None
        count(allocations=len(places), allocated_bytes=end, packed_bytes=self._network.packed_bytes)

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of an input, or of the result."""
        return self._own.get(region, self._there[region])

    def run(self, threads: int = 1) -> None:
        """The layer, its work shared by n threads."""
        inputs, result = self._turned
        for name in inputs:
            np.bitwise_xor(self._own[name], 0x80, out=self._there[name])
        self._network.run(threads)
        if result is not None:
            np.bitwise_xor(self._there[result], 0x80, out=self._own[result])
        count(runs=1)


class NativeBackend:
    """The C library behind the protocol of `neonsim.nn.backends`.

    layers   bool   products are layers of its networks, unless a kernel is asked for; False: calls of kernels, always
    """

    name = "native"
    is_reference = False
    core: str | None = None

    def __init__(self, layers: bool = True) -> None:
        self.layers = layers

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

    def _all(self, contract: str | None) -> list[NativeVariant]:
        if available() is not None:
            return []
        if contract is not None and contract not in contracts():
            return []           # an operator may ask for a contract that the library does not have
        wanted = os.environ.get("NEONSIM_ISA")
        return [v for v in variants(contract) if v.missing is None and (not wanted or v.isa == wanted)]

    def load_layer(self, job: Job, layer: NativeLayer, inputs: Mapping[str, ArenaTensor],
                   out: ArenaTensor) -> NativeLayerJob:
        """Place a job without calls, and do it by a layer of the library's networks.

        inputs, out   the tensors by their regions' names; where they lie is decided here

        Raises BackendError without the library, for a layer that it does not take, and where NEONSIM_ISA asks for
        kernels of one kind.
        """
        require()
        if not self.layers:
            raise BackendError("this backend was made with layers=False")
        if os.environ.get("NEONSIM_ISA"):
            raise BackendError("NEONSIM_ISA asks for kernels by their instruction set")
        return NativeLayerJob(job, layer, inputs, out)

    def load(self, job: Job) -> NativeJob:
        """Place all regions in memory of their own.

        Raises BackendError without the library.
        """
        require()
        return NativeJob(job)


def _implementation(one: NativeVariant) -> Implementation:
    return Implementation(one.name, one.contract, one.isa, one.mr, one.nr, one.kr or 1, one.sr or 1,
                          np.dtype(np.uintp).itemsize, one.reads_before)
