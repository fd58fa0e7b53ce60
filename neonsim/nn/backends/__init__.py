"""Three ways to compute the same bytes: reference (numpy), emulated (our NEON machine), native (the C library).

An operator prepares a job (regions of memory, calls of kernels) for the kernels that a backend has. The backend loads
it, which gives every region an address, and runs it as often as wanted. Which contract a kernel keeps is no business
of the protocol: any contract of `neonsim.ukernel` runs the same way.

    name        what runs                                        needs            for
    reference   numpy, written from the definition               nothing          judging the other two
    emulated    kernels/*.S on the emulated machine, lock-step   nothing          studying kernels
    native      the C library, through ctypes                    the C library    speed

>>> get("reference").name
'reference'
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.job import Call, CopyRows, Implementation, Job, OffsetPointer, Pointer, Region, Step
from neonsim.nn.backends.native_layer import ArenaTensor, NativeLayer

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace

__all__ = [
    "Backend",
    "BindingJob",
    "Call",
    "CopyRows",
    "EngineJob",
    "Implementation",
    "Job",
    "LayerBackend",
    "LayerJob",
    "Loaded",
    "NamedKernel",
    "OffsetPointer",
    "Pointer",
    "Region",
    "Step",
    "TileTrace",
    "TracingJob",
    "backends",
    "candidates",
    "get",
    "names",
]


@runtime_checkable
class NamedKernel(Protocol):
    """What a backend needs to know of a kernel object: its name. ``ns.kernel(...)`` returns one."""

    @property
    def name(self) -> str:
        """Name in the catalogue, as ``qu8_gemm_q31_4x8__aarch32_neon_mlal_lane``."""
        ...


class Loaded(Protocol):
    """A job in a backend's memory. Addresses stay as they are, so pointers into it are built once."""

    @property
    def job(self) -> Job:
        """What was loaded."""
        ...

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of a region as they are in memory; to read, and for inputs to write."""
        ...

    def run(self, threads: int = 1) -> None:
        """Do all calls in order. Nothing is packed, allocated or rebuilt."""
        ...


@runtime_checkable
class Backend(Protocol):
    """What runs jobs."""

    @property
    def name(self) -> str:
        """``reference``, ``emulated`` or ``native``."""
        ...

    @property
    def is_reference(self) -> bool:
        """True if it runs no kernels: jobs for it need no calls."""
        ...

    @property
    def core(self) -> str | None:
        """The core that kernels are chosen for, as ``cortex-a72``; None for none in particular."""
        ...

    def available(self) -> str | None:
        """None if it can be used here, else one or two sentences: what is missing and what to install."""
        ...

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        """Names that ``kernel=`` takes here, of one contract or of all, in order of preference."""
        ...

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        """The implementations of a contract that can run here, the preferred one first.

        kernel   only this one; a Kernel object of the reader's own is taken as it is by who runs files
        ->       empty if there is none
        """
        ...

    def load(self, job: Job) -> Loaded:
        """Give every region memory and an address."""
        ...


@dataclass(frozen=True)
class TileTrace:
    """One tile of a call, run alone and recorded.

    kernel     str          name of the kernel
    trace      Trace        all its steps
    call       int          index into the job's calls
    tile       (int, int)   row and column in the grid of the call
    base       int          address, in the traced machine, of the first byte of the region that was asked about
    values     uint8        that region after the tile alone has run
    """

    kernel: str
    trace: Trace
    call: int
    tile: tuple[int, int]
    base: int
    values: NDArray[np.uint8]


@runtime_checkable
class BindingJob(Protocol):
    """A loaded job that can read an input where the caller has it: what the native backend gives."""

    def bind(self, region: str, values: NDArray[Any] | None) -> bool:
        """Read a region there from now on, None: in the job's own memory again. False: it has to be copied."""
        ...


@runtime_checkable
class LayerJob(Loaded, Protocol):
    """A loaded job that is one layer: kernels of a family, chosen by the C library."""

    family: str


@runtime_checkable
class LayerBackend(Protocol):
    """A backend that can do some operators as one layer, without calls of contracts: the native one."""

    def load_layer(self, job: Job, layer: NativeLayer, inputs: Mapping[str, ArenaTensor], out: ArenaTensor) -> LayerJob:
        """A job without calls. Raises BackendError, with the reason, where there is no such layer."""
        ...


@runtime_checkable
class EngineJob(Loaded, Protocol):
    """A loaded job whose tiles run on one of several engines: what the emulated backend gives.

    engine   its name     why   why it is that one; "" where it was asked for
    """

    engine: str
    reason: str


@runtime_checkable
class TracingJob(Protocol):
    """A loaded job that can run one tile again and record every step: what the emulated backend gives."""

    def trace(self, call: int, row: int = 0, column: int = 0, region: str = "output") -> TileTrace:
        """Run one tile alone, with a full trace, on the memory as the last run left it."""
        ...


# Where each backend lives and the name of its class; loaded on first use, so that a broken optional one costs nothing.
_HOMES = {
    "native": ("neonsim.nn.backends.native.backend", "NativeBackend"),
    "reference": ("neonsim.nn.backends.reference", "ReferenceBackend"),
    "emulated": ("neonsim.nn.backends.emulated", "EmulatedBackend"),
}
# The order of preference of `candidates`: the emulated one is for study and is never chosen by itself.
_PREFERENCE = ("native", "reference")
_loaded: dict[str, Backend] = {}


def names() -> tuple[str, ...]:
    """All backends there are, available here or not."""
    return tuple(sorted(_HOMES))


def _load(name: str) -> Backend:
    if name not in _loaded:
        module, cls = _HOMES[name]
        _loaded[name] = getattr(importlib.import_module(module), cls)()
    return _loaded[name]


def get(name: str | Backend) -> Backend:
    """The backend of that name, ready to use. A Backend object is returned as it is.

    Raises BadArgument for a name that does not exist, BackendError for one that is not available here, with what to
    install.
    """
    if not isinstance(name, str):
        if isinstance(name, Backend):
            return name
        raise BadArgument(f"backend must be a name ({', '.join(names())}) or a Backend object; got "
                          f"{type(name).__name__}.")
    if name not in _HOMES:
        raise BadArgument(f"Unknown backend {name!r}. Use {', '.join(names())}.")
    backend = _load(name)
    missing = backend.available()
    if missing is not None:
        raise BackendError(f"The {name} backend is not available: {missing}")
    return backend


def candidates(kernel: Any = None) -> Iterator[tuple[str, Backend | str]]:
    """(name, backend or why it is not available), in the order in which an operator without ``backend=`` asks them.

    native before reference. A named kernel that only the emulated backend knows is found there at last.
    """
    for name in _PREFERENCE if kernel is None else (*_PREFERENCE, "emulated"):
        backend = _load(name)
        missing = backend.available()
        yield name, backend if missing is None else missing


def backends() -> dict[str, str]:
    """Every backend with "available", or what it misses.

    >>> backends()["reference"]
    'available'
    """
    return {name: _load(name).available() or "available" for name in names()}
