"""The native backend: the C library of ``native/``, through ctypes.

The library is looked for and loaded when something is first asked of it, never at import. In a checkout it is the one
that ``make native`` builds, and one that is older than its sources is refused; in an installed package it lies beside
this file.

    what                                          call
    one tile, as the contract says                qu8_gemm_q31, qu8_gemm_xzp_q31, qu8_sumrows
    a whole product, tile by tile, in threads     gemm
    any contract, many tiles at once              call; operators use it through the backend protocol: NativeBackend
    which variants there are, which is taken      variants, default_variant, cpu_info

A *variant* is one implementation of a contract: portable C ("scalar"), NEON intrinsics ("neon"), or a file of
``kernels/`` assembled into the library ("aarch32", "aarch64"). The environment variable NEONSIM_ISA, read once,
restricts the choice to one of these words; naming a variant in a call overrides it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Call, Gather, Implementation, Job, NamedKernel, Place, Shifted
from neonsim.errors import BackendError, BadArgument
from neonsim.packing import PackedWeights
from neonsim.packing.work import count
from neonsim.quant.fixedpoint import as_int
from neonsim.quant.requant import Q31Params
from neonsim.ukernel import contract_named

__all__ = ["NativeBackend", "NativeJob", "Variant", "available", "call", "contracts", "cpu_info", "default_variant",
           "gemm", "qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows", "variants"]

ABI_VERSION = 2

_SUFFIX = {"Darwin": "dylib", "Windows": "dll"}.get(platform.system(), "so")
_FILE = f"libneonsim.{_SUFFIX}"
_OUT_OF_MEMORY = 9
_REFUSALS = (6, 7, 8)       # statuses about variants: what is asked for is not there


# ---- finding and loading ---------------------------------------------------------------------------------------------

class _VariantInfo(ctypes.Structure):
    """struct neonsim_variant_info."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("isa", ctypes.c_char_p), ("missing", ctypes.c_char_p), ("contract", ctypes.c_int32),
        ("mr", ctypes.c_uint32), ("nr", ctypes.c_uint32), ("kr", ctypes.c_uint32), ("sr", ctypes.c_uint32),
        ("reads_before", ctypes.c_uint32), ("contract_name", ctypes.c_char_p),
    )


def _checkout() -> Path | None:
    """The root of the checkout this file lies in, None in an installed package."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "native" / "CMakeLists.txt").is_file() else None


def _compiler() -> str | None:
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    return next((name for name in names if shutil.which(name.split()[0])), None)


_NO_COMPILER = ("there is no C compiler here; install one (Debian and Ubuntu: apt-get install gcc; macOS: "
                "xcode-select --install)")


def _newer_source(root: Path, library: Path) -> Path | None:
    """A source of the library that was changed after the library was built."""
    built = library.stat().st_mtime_ns
    sources = [*(root / "native" / "src").iterdir(), *(root / "native" / "include").iterdir()]
    # CMake writes a wrapper for each kernel file that it assembles into the library.
    for wrapper in (library.parent / "kernels").glob("*.S"):
        sources += (root / "kernels").rglob(wrapper.name)
    return next((path for path in sources if path.stat().st_mtime_ns > built), None)


def _locate() -> tuple[Path | None, str]:
    """The library to load, or None and what is missing."""
    root = _checkout()
    first = "" if _compiler() else f"{_NO_COMPILER}, then "
    if root is None:
        beside = Path(__file__).resolve().with_name(_FILE)
        if beside.is_file():
            return beside, ""
        return None, (f"neonsim was installed without its C library: {first}install it again from its sources "
                      "(`pip install --force-reinstall --no-deps -v .` there) and look at what the compiler says.")
    library = root / "build" / "native" / _FILE
    if not library.is_file():
        return None, f"the C library is not built: {first}run `make native` in {root}."
    newer = _newer_source(root, library)
    if newer is not None:
        return None, f"the C library is older than {newer.relative_to(root)}: run `make native` in {root}."
    return library, ""


# Result type and argument types of every function that is called.
_SIZE, _PTR, _TEXT, _STATUS = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "neonsim_abi_version": (ctypes.c_uint32, ()),
    "neonsim_status_text": (_TEXT, (_STATUS,)),
    "neonsim_cpu_family": (_TEXT, ()),
    "neonsim_cpu_features": (_TEXT, ()),
    "neonsim_variant_count": (_SIZE, ()),
    "neonsim_variant_info": (_STATUS, (_SIZE, ctypes.POINTER(_VariantInfo))),
    "neonsim_default_variant": (_STATUS, (_STATUS, ctypes.POINTER(_SIZE))),
    "neonsim_qu8_gemm_q31": (_STATUS, (_TEXT, _SIZE, _SIZE, _SIZE, _PTR, _SIZE, _PTR, _PTR, _SIZE, _TEXT)),
    "neonsim_qu8_gemm_xzp_q31": (_STATUS, (_TEXT, _SIZE, _SIZE, _SIZE, _PTR, _SIZE, _PTR, _PTR, _PTR, _SIZE, _TEXT)),
    "neonsim_qu8_sumrows": (_STATUS, (_TEXT, _PTR, _SIZE, _SIZE, _SIZE, ctypes.c_int32, _PTR)),
    "neonsim_gemm_qu8_q31": (_STATUS, (_TEXT, _SIZE, _SIZE, _SIZE, _PTR, _SIZE, _PTR, _PTR, _SIZE, _TEXT, _SIZE)),
    "neonsim_call": (_STATUS, (_TEXT, _SIZE, _SIZE, _PTR, _SIZE)),
    "neonsim_gemm_qu8_xzp_q31":
        (_STATUS, (_TEXT, _TEXT, _SIZE, _SIZE, _SIZE, _PTR, _SIZE, _PTR, _PTR, _PTR, _SIZE, _TEXT, _SIZE)),
}


@cache
def _load(path: Path) -> ctypes.CDLL | str:
    """The library, or why it cannot be used."""
    try:
        library = ctypes.CDLL(str(path))
        version = library.neonsim_abi_version
        version.restype = ctypes.c_uint32
        if version() != ABI_VERSION:
            return (f"{path} has ABI version {version()}, this Python code wants {ABI_VERSION}: build it again "
                    "(`make native`).")
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        return f"{path} cannot be loaded ({error}): build it again (`make native`)."
    return library


# A library that was loaded stays: replacing the file under a running process would change nothing.
_library: ctypes.CDLL | None = None


def _find() -> ctypes.CDLL | str:
    global _library
    if _library is None:
        path, missing = _locate()
        loaded = _load(path) if path is not None else missing
        if isinstance(loaded, str):
            return loaded
        _library = loaded
    return _library


def available() -> str | None:
    """None if the C library can be used, else a sentence: what is missing and what to do."""
    found = _find()
    return found if isinstance(found, str) else None


def _require() -> ctypes.CDLL:
    found = _find()
    if isinstance(found, str):
        raise BackendError(f"The native backend is not available here: {found}")
    return found


def _check(status: int) -> None:
    if status == 0:
        return
    text = str(_require().neonsim_status_text(status), "ascii") if status > 0 else f"status {status}"
    if status in _REFUSALS:
        raise BackendError(f"The native backend cannot do this: {text}.")
    if status == _OUT_OF_MEMORY:
        raise MemoryError("The native backend is out of memory.")
    raise BadArgument(f"The C library refuses its arguments: {text}.")


# ---- variants --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Variant:
    """One implementation of a contract.

    name           str            contract_tile__isa_technique
    contract       str            what it computes; a name out of neonsim.ukernel.contracts()
    isa            str            "scalar", "neon", "aarch32" or "aarch64": the words NEONSIM_ISA knows
    mr, nr         int            largest tile (nr 0: the contract has no columns)
    kr, sr         int            packing of the weights
    reads_before   int            bytes it may read in front of a row (never outside the buffer when called from here)
    missing        str or None    why it cannot be called here
    """

    name: str
    contract: str
    isa: str
    mr: int
    nr: int
    kr: int
    sr: int
    reads_before: int
    missing: str | None


@cache
def _variants() -> tuple[Variant, ...]:
    library = _require()
    found = []
    for index in range(library.neonsim_variant_count()):
        info = _VariantInfo()
        _check(library.neonsim_variant_info(index, ctypes.byref(info)))
        missing = None if info.missing is None else info.missing.decode()
        found.append(Variant(info.name.decode(), info.contract_name.decode(), info.isa.decode(), info.mr, info.nr,
                             info.kr, info.sr, info.reads_before, missing))
    return tuple(found)


def variants(contract: str | None = None) -> tuple[Variant, ...]:
    """All variants the library knows, of one contract or of all; those with ``missing`` cannot be called here.

    Raises BackendError without the library, BadArgument for an unknown contract.
    """
    if contract is not None and contract not in contracts():
        raise BadArgument(f"The C library has no contract {contract!r}; it has {', '.join(contracts())}.")
    return tuple(v for v in _variants() if contract in (None, v.contract))


def default_variant(contract: str) -> Variant:
    """The variant that a call takes when it names none.

    Raises BackendError if NEONSIM_ISA allows none.
    """
    of_contract = variants(contract)
    index = ctypes.c_size_t()
    status = _require().neonsim_default_variant(contracts()[contract], ctypes.byref(index))
    if status in _REFUSALS:
        can = sorted({v.isa for v in of_contract if v.missing is None})
        raise BackendError(f"NEONSIM_ISA is {os.environ.get('NEONSIM_ISA')!r}, but for {contract} there is only "
                           f"{' or '.join(can)} here. Unset it or choose one of these.")
    _check(status)
    return _variants()[index.value]


@cache
def contracts() -> dict[str, int]:
    """Every contract of the library, with its number there."""
    library, info = _require(), _VariantInfo()
    found = {}
    for index in range(library.neonsim_variant_count()):
        _check(library.neonsim_variant_info(index, ctypes.byref(info)))
        found[info.contract_name.decode()] = int(info.contract)
    return found


def cpu_info() -> dict[str, Any]:
    """What the library found and chose: family, features, path of the library, ABI version, default variants."""
    library = _require()
    path, _ = _locate()
    return {
        "family": library.neonsim_cpu_family().decode(),
        "features": library.neonsim_cpu_features().decode().split(),
        "library": str(path or library._name),
        "abi_version": ABI_VERSION,
        "default": {contract: default_variant(contract).name for contract in contracts()},
    }


def _choose(contracts: tuple[str, ...], name: str | None) -> Variant:
    """The variant of that name, which must be of one of these contracts; None for the default of the first."""
    if name is None:
        return default_variant(contracts[0])
    known = [v for contract in contracts for v in variants(contract)]
    chosen = next((v for v in known if v.name == name), None)
    if chosen is not None and chosen.missing is None:
        return chosen
    reason = "it has no such kernel" if chosen is None else chosen.missing
    can = "\n  ".join(v.name for v in known if v.missing is None)
    raise BackendError(f"The native backend cannot run {name!r}: {reason}. Here it can run\n  {can}")


# ---- arguments -------------------------------------------------------------------------------------------------------

def _matrix(array: Any, name: str, columns: int | None = None) -> NDArray[np.uint8]:
    """A uint8 matrix whose rows are contiguous and do not overlap."""
    if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.ndim != 2 or 0 in array.shape:
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise BadArgument(f"{name} must be a numpy array, uint8 with two axes, neither of length 0; got {got}.")
    if columns is not None and array.shape[1] != columns:
        raise BadArgument(f"{name} must have {columns} columns; it has {array.shape[1]}.")
    if array.shape[1] > 1 and array.strides[1] != 1:
        raise BadArgument(f"{name} must have the bytes of a row next to each other; make it contiguous "
                          "(np.ascontiguousarray).")
    if array.shape[0] > 1 and array.strides[0] < array.shape[1]:
        raise BadArgument(f"the rows of {name} must lie at least a row apart, in ascending order; they are "
                          f"{array.strides[0]} bytes apart. Make it contiguous (np.ascontiguousarray).")
    return array


def _stride(array: NDArray[Any]) -> int:
    # The stride of a single row is never used, and numpy may have any number there.
    return array.strides[0] if array.shape[0] > 1 else array.shape[1]


def _output(out: Any, name: str, rows: int, columns: int, *inputs: NDArray[Any]) -> NDArray[np.uint8]:
    """A new matrix, or the caller's if it can be written without touching an input."""
    if out is None:
        return np.empty((rows, columns), np.uint8)
    matrix = _matrix(out, name, columns)
    if matrix.shape[0] != rows:
        raise BadArgument(f"{name} must have {rows} rows; it has {matrix.shape[0]}.")
    _writable(matrix, name, *inputs)
    return matrix


def _writable(array: NDArray[Any], name: str, *inputs: NDArray[Any]) -> None:
    if not array.flags.writeable:
        raise BadArgument(f"{name} is read-only.")
    if any(np.may_share_memory(array, other) for other in inputs):
        raise BadArgument(f"{name} overlaps an input; kernels read their inputs while they write.")


def _params(params: Any) -> bytes:
    if not isinstance(params, Q31Params):
        raise BadArgument(f"params must be Q31Params; got {type(params).__name__}.")
    return params.block()


def _packed(packed: Any, variant: Variant, params: Q31Params) -> NDArray[np.uint8]:
    """The bytes of packed weights, if this variant with these parameters can read them."""
    if not isinstance(packed, PackedWeights):
        raise BadArgument(f"weights must be packed (neonsim.packing); got {type(packed).__name__}.")
    layout = packed.layout
    if (layout.nr, layout.kr, layout.sr) != (variant.nr, variant.kr, variant.sr):
        raise BadArgument(f"{variant.name} reads weights packed with nr {variant.nr}, kr {variant.kr}, "
                          f"sr {variant.sr}; these have nr {layout.nr}, kr {layout.kr}, sr {layout.sr}.")
    if packed.weights.dtype != np.uint8:
        raise BadArgument(f"{variant.name} multiplies uint8 weights; these are {packed.weights.dtype}.")
    if (packed.a_zero_point, packed.w_zero_point) != (params.a_zero_point, params.w_zero_point):
        raise BadArgument(f"the weights are packed for zero points a {packed.a_zero_point}, w {packed.w_zero_point}; "
                          f"params has a {params.a_zero_point}, w {params.w_zero_point}.")
    data = packed.data
    if data.dtype != np.uint8 or data.shape != (layout.nbytes,) or not data.flags.c_contiguous:
        raise BadArgument(f"packed data must be contiguous uint8 [{layout.nbytes}]; got {data.dtype} {data.shape}.")
    return data


def _within_tile(variant: Variant, rows: int, columns: int) -> None:
    if rows > variant.mr or columns > max(variant.nr, 1):
        tile = f"{variant.mr} rows" + (f" by {variant.nr} columns" if variant.nr else "")
        raise BadArgument(f"the tile of {variant.name} is {tile}; asked for {rows} by {columns}.")


# ---- one tile --------------------------------------------------------------------------------------------------------

def qu8_gemm_q31(a: NDArray[np.uint8], w: PackedWeights, params: Q31Params, *, variant: str | None = None,
                 out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """One tile: out <- requantise((a - a_zero_point) @ (w - w_zero_point) + bias).

    a        uint8 [mr, kc]     rows contiguous, any stride of at least kc bytes; mr at most the variant's
    w        PackedWeights      one block of pack_gemm: nr columns, kc deep
    params   Q31Params
    variant  str                a name out of variants(); None: the default
    out      uint8 [mr, nr]     written if given, any stride; must not overlap a or w
    ->       uint8 [mr, nr]

    Raises BadArgument for operands that do not fit, BackendError without the library or the variant.
    """
    chosen = _choose(("qu8_gemm_q31",), variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "a", w.k)
    _within_tile(chosen, a.shape[0], w.n)
    c = _output(out, "out", a.shape[0], w.n, a, data)
    _check(_require().neonsim_qu8_gemm_q31(chosen.name.encode(), a.shape[0], w.n, w.k, a.ctypes.data, _stride(a),
                                           data.ctypes.data, c.ctypes.data, _stride(c), block))
    return c


def _sums(array: Any, name: str, rows: int) -> NDArray[np.int32]:
    is_array = isinstance(array, np.ndarray)
    if is_array and array.dtype == np.int32 and array.shape == (rows,) and array.flags.c_contiguous:
        return cast("NDArray[np.int32]", array)
    got = f"{array.dtype} {array.shape}" if is_array else type(array).__name__
    raise BadArgument(f"{name} must be a contiguous numpy array, int32 [{rows}]; got {got}.")


def qu8_gemm_xzp_q31(a: NDArray[np.uint8], a_sum: NDArray[np.int32], w: PackedWeights, params: Q31Params, *,
                     variant: str | None = None, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """One tile of raw bytes: out <- requantise(a @ w + a_sum + packed bias).

    a_sum    int32 [mr]         -w_zero_point * sum of each row of a (qu8_sumrows)
    w        PackedWeights      one block of pack_gemm_xzp

    Everything else as qu8_gemm_q31.
    """
    chosen = _choose(("qu8_gemm_xzp_q31",), variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "a", w.k)
    _within_tile(chosen, a.shape[0], w.n)
    sums = _sums(a_sum, "a_sum", a.shape[0])
    c = _output(out, "out", a.shape[0], w.n, a, data, sums)
    _check(_require().neonsim_qu8_gemm_xzp_q31(chosen.name.encode(), a.shape[0], w.n, w.k, a.ctypes.data, _stride(a),
                                               sums.ctypes.data, data.ctypes.data, c.ctypes.data, _stride(c), block))
    return c


def qu8_sumrows(a: NDArray[np.uint8], multiplier: int, *, variant: str | None = None,
                out: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """Row sums: out[i] <- multiplier * sum of row i of a, modulo 2**32.

    a            uint8 [m, k]   rows contiguous, any stride of at least k bytes; m at most the variant's rows
    multiplier   int            int32; -w_zero_point for qu8_gemm_xzp_q31
    out          int32 [m]      written if given
    ->           int32 [m]
    """
    chosen = _choose(("qu8_sumrows",), variant)
    a = _matrix(a, "a")
    _within_tile(chosen, a.shape[0], 1)
    factor = as_int(multiplier, "multiplier", -(1 << 31), (1 << 31) - 1)
    sums = np.empty(a.shape[0], np.int32) if out is None else _sums(out, "out", a.shape[0])
    _writable(sums, "out", a)
    _check(_require().neonsim_qu8_sumrows(chosen.name.encode(), a.ctypes.data, *a.shape, _stride(a), factor,
                                          sums.ctypes.data))
    return sums


# ---- a whole product -------------------------------------------------------------------------------------------------

_GEMM_CONTRACTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31")


def gemm(a: NDArray[np.uint8], w: PackedWeights, params: Q31Params, *, variant: str | None = None,
         sumrows_variant: str | None = None, threads: int = 1,
         out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """A whole product, tile by tile: out <- requantise((a - a_zero_point) @ (w - w_zero_point) + bias).

    a                uint8 [m, k]     rows contiguous, any stride of at least k bytes
    w                PackedWeights    n columns, k deep, packed as the variant reads them
    variant          str              of qu8_gemm_q31 or qu8_gemm_xzp_q31; None: the default of qu8_gemm_q31
    sumrows_variant  str              for the row sums of a qu8_gemm_xzp_q31 variant; None: the default
    threads          int >= 1         how many share the tiles
    out              uint8 [m, n]     written if given, any stride; must not overlap a or w
    ->               uint8 [m, n]

    Raises BadArgument for operands that do not fit, BackendError without the library or the variant.
    """
    chosen = _choose(_GEMM_CONTRACTS, variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "lhs", w.k)
    workers = as_int(threads, "threads", 1, 1 << 16)
    c = _output(out, "out", a.shape[0], w.n, a, data)
    sizes = (a.shape[0], w.n, w.k, a.ctypes.data, _stride(a))
    rest = (data.ctypes.data, c.ctypes.data, _stride(c), block, workers)
    if chosen.contract == "qu8_gemm_q31":
        _check(_require().neonsim_gemm_qu8_q31(chosen.name.encode(), *sizes, *rest))
    else:
        sums = _choose(("qu8_sumrows",), sumrows_variant)
        _check(_require().neonsim_gemm_qu8_xzp_q31(chosen.name.encode(), sums.name.encode(), *sizes, None, *rest))
    return c


# ---- any contract ----------------------------------------------------------------------------------------------------

def call(variant: str, arguments: NDArray[np.uint64], threads: int = 1) -> None:
    """Call a kernel many times: one row of arguments each, addresses and sizes as the contract orders them.

    variant     str                    a name out of variants()
    arguments   uint64 [calls, count]  contiguous; nobody checks addresses and sizes, that is the caller's business
    threads     int                    how many share the calls

    Raises BadArgument for a wrong array, BackendError for a variant that cannot run here.
    """
    if arguments.dtype != np.uint64 or arguments.ndim != 2 or not arguments.flags.c_contiguous:
        raise BadArgument(f"arguments are contiguous uint64 [calls, count]; got {arguments.dtype} {arguments.shape}.")
    _check(_require().neonsim_call(variant.encode(), *arguments.shape, arguments.ctypes.data, threads))


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
        _require()
        return NativeJob(job)


def _implementation(one: Variant) -> Implementation:
    return Implementation(one.name, one.contract, one.isa, one.mr, one.nr, one.kr or 1, one.sr or 1,
                          ctypes.sizeof(ctypes.c_void_p), one.reads_before)
