"""Three ways to compute the same bytes: reference (numpy), emulated (our NEON machine), native (the C library).

An operator lowers itself to quantised matrix products and asks a backend for each of them, through the one protocol
below. A backend says whether it is there (``available``), whether it can do this product (``refuses``), brings the
weights into the layout its kernel wants (``pack``, once), and multiplies (``gemm``, as often as wanted).

    name        what runs                                        needs            for
    reference   numpy, written from the definition               nothing          judging the other two
    emulated    kernels/*.S on the emulated machine, lock-step   nothing          studying kernels
    native      the C library, through ctypes                    the C library    speed

>>> get("reference").name
'reference'
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.packing import PackedWeights
from neonsim.quant.requant import GemmParams

if TYPE_CHECKING:
    from neonsim.machine.trace import Trace

__all__ = ["Backend", "GemmResult", "NamedKernel", "TileTrace", "TracingBackend", "backends", "best", "get", "names"]


@runtime_checkable
class NamedKernel(Protocol):
    """What a backend needs to know of a kernel object: its name. ``ns.kernel(...)`` returns one."""

    @property
    def name(self) -> str:
        """Name in the catalogue, as ``qu8_gemm_q31_4x8__aarch32_neon_mlal_lane``."""
        ...


@dataclass(frozen=True)
class GemmResult:
    """One matrix product, done.

    values    uint8 or int8 [m, n]   contiguous, owned by the caller
    kernel    str                    name of the kernel or native variant that computed it ("numpy" for the reference)
    """

    values: NDArray[Any]
    kernel: str


@dataclass(frozen=True)
class TileTrace:
    """One tile of a product, run alone and recorded.

    kernel           str         name of the kernel
    trace            Trace       all its steps
    row, column      int         of the tile's first element in the product
    rows, columns    int         valid size of the tile, mr <= MR and nr <= NR
    values           [rows, columns]  what the tile wrote
    address          int         of the tile's first output byte in the traced machine
    row_stride       int         bytes from one output row to the next there
    """

    kernel: str
    trace: Trace
    row: int
    column: int
    rows: int
    columns: int
    values: NDArray[Any]
    address: int
    row_stride: int


@runtime_checkable
class Backend(Protocol):
    """What computes quantised matrix products: dst = requantise((lhs - a_zero_point) @ (rhs - w_zero_point) + bias).

    ``kernel`` is everywhere None (the backend chooses), a name, or an object with a ``name``; a backend that knows no
    such kernel raises BackendError and lists those it has. Nobody but ``refuses`` decides what a backend can do: a
    caller asks it first, and ``pack`` and ``gemm`` raise BackendError with the same words.
    """

    @property
    def name(self) -> str:
        """``reference``, ``emulated`` or ``native``."""
        ...

    def available(self) -> str | None:
        """None if it can be used here, else one or two sentences: what is missing and what to install."""
        ...

    def kernels(self) -> tuple[str, ...]:
        """Names that ``kernel=`` takes here, the default first."""
        ...

    def refuses(self, params: GemmParams, kernel: str | NamedKernel | None = None) -> str | None:
        """None if it can compute with these parameters, else why not and what can.

        A backend that knows the kernels' parameter block only takes ``Q31Params`` (uint8 operands, one scale, Q31).
        """
        ...

    def pack(self, weights: NDArray[Any], bias: NDArray[np.int32], params: GemmParams,
             kernel: str | NamedKernel | None = None) -> PackedWeights:
        """Bring weights into the layout that the kernel reads: once, before any number of products.

        weights   uint8 or int8 [n, k]   one row per output channel
        bias      int32 [n]
        params    zero points are read from it (they are folded into the packed bias)
        """
        ...

    def gemm(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, threads: int = 1,
             kernel: str | NamedKernel | None = None) -> GemmResult:
        """Compute one product.

        lhs       uint8 or int8 [m, k]   any row stride of at least k bytes (last axis contiguous), m >= 1, k >= 1
        packed    from ``pack`` of the same backend with the same kernel and zero points
        threads   int >= 1               native only; the others take any and use one
        ->        GemmResult, values [m, n]; lhs is not written
        """
        ...


@runtime_checkable
class TracingBackend(Backend, Protocol):
    """A backend that can run one tile of a product again and record every step: ``emulated``."""

    def trace_tile(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, row: int, column: int,
                   kernel: str | NamedKernel | None = None) -> TileTrace:
        """Run the tile that holds element (row, column) of the product, alone, with a full trace.

        Its output must be the bytes that ``gemm`` writes there: same kernel, same mr, nr, kc, same lhs rows (surplus
        rows aliased), same packed block.
        """
        ...


# Where each backend lives and the name of its class; loaded on first use, so that a broken optional one costs nobody.
# The order is the order of preference of `best`: the emulated one is for study and is never chosen by itself.
_HOMES = {
    "native": ("neonsim.backends.native", "NativeBackend"),
    "reference": ("neonsim.backends.reference", "ReferenceBackend"),
    "emulated": ("neonsim.backends.emulated", "EmulatedBackend"),
}
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


def get(name: str | Backend | None = None) -> Backend:
    """The backend of that name, ready to use; None for the best one here. A Backend object is returned as it is.

    Raises BadArgument for a name that does not exist, BackendError for one that is not available here, with what to
    install.
    """
    if name is None:
        return best()
    if not isinstance(name, str):
        if isinstance(name, Backend):
            return name
        raise BadArgument(f"backend is a name ({', '.join(names())}) or a Backend object; got {type(name).__name__}.")
    if name not in _HOMES:
        raise BadArgument(f"There is no backend {name!r}. There are {', '.join(names())}.")
    backend = _load(name)
    missing = backend.available()
    if missing is not None:
        raise BackendError(f"The {name} backend is not available here: {missing}")
    return backend


def best(params: GemmParams | None = None, kernel: str | NamedKernel | None = None) -> Backend:
    """The fastest backend that is available here and can compute with these parameters and this kernel.

    native before reference. A named kernel that only the emulated backend knows takes the emulated one.
    """
    order = _PREFERENCE if kernel is None else (*_PREFERENCE, "emulated")
    refusals = []
    for name in order:
        backend = _load(name)
        reason = backend.available()
        if reason is None and params is not None:
            reason = backend.refuses(params, kernel)
        if reason is None:
            return backend
        refusals.append(f"{name}: {reason}")
    raise BackendError("No backend can do this.\n  " + "\n  ".join(refusals))


def backends() -> dict[str, str]:
    """Every backend with "available", or what it misses.

    >>> backends()["reference"]
    'available'
    """
    return {name: _load(name).available() or "available" for name in names()}
