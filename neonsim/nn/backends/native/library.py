"""The C library of ``native/``, found and loaded through ctypes, and the variants it has.

The library is looked for and loaded when something is first asked of it, never at import. In a checkout it is the one
that ``make native`` builds, and one that is older than its sources is refused; in an installed package it lies beside
this file.

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
from typing import Any

from neonsim.errors import BackendError, BadArgument, OutOfMemory
from neonsim.nn.backends.native import structs
from neonsim.nn.backends.native.structs import VariantInfo

__all__ = ["NativeVariant", "available", "check", "choose", "contracts", "cpu_info", "default_variant", "file_name",
           "is_status", "numbers", "require", "variants"]

ABI_VERSION = 11


def file_name(system: str) -> str:
    """What the library is called on a system, by the system's name as `platform.system` has it."""
    return "libneonsim." + {"Darwin": "dylib", "Windows": "dll"}.get(system, "so")


_FILE = file_name(platform.system())
# Statuses about variants: what is asked for is not there.
_REFUSALS = ("unknown_variant", "unavailable_variant", "unknown_isa")


# ---- finding and loading ---------------------------------------------------------------------------------------------

def _checkout() -> Path | None:
    """The root of the checkout this file lies in, None in an installed package."""
    root = Path(__file__).resolve().parents[4]
    return root if (root / "native" / "CMakeLists.txt").is_file() else None


def _compiler() -> str | None:
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    return next((name for name in names if shutil.which(name.split()[0])), None)


_NO_COMPILER = ("there is no C compiler here; install one (Debian and Ubuntu: apt-get install gcc; macOS: "
                "xcode-select --install)")


def _newer_source(root: Path, library: Path) -> Path | None:
    """A source of the library that was changed after the library was built."""
    built = library.stat().st_mtime_ns
    sources = [*(root / "native" / "src").rglob("*.[ch]"), *(root / "native" / "include").iterdir()]
    # CMake writes a wrapper for each kernel file that it assembles into the library; kernels include macros and bodies.
    wrappers = list((library.parent / "kernels").glob("*.S"))
    for wrapper in wrappers:
        sources += (root / "kernels").rglob(wrapper.name)
    if wrappers:
        sources += (root / "kernels").glob("*/*.h")
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
    "neonsim_variant_info": (_STATUS, (_SIZE, ctypes.POINTER(VariantInfo))),
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
        structs.register_struct(library)
        if (difference := structs.layout_mismatch(library)) is not None:
            return f"{path} was built from other headers: {difference} Build it again (`make native`)."
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


def require() -> ctypes.CDLL:
    """The library, loaded; raises BackendError if it cannot be used."""
    found = _find()
    if isinstance(found, str):
        raise BackendError(f"The native backend is not available: {found}")
    return found


@cache
def _numbers(library: ctypes.CDLL) -> dict[str, dict[str, int]]:
    return structs.enumerators(library)


def numbers(enumeration: str) -> dict[str, int]:
    """Names and numbers of an enumeration of the library, as "neonsim_status".

    Raises BackendError without the library, and for a library that has none of this name.
    """
    found = _numbers(require()).get(enumeration)
    if not found:
        raise BackendError(f"The C library has no enumeration {enumeration}: build it again (`make native`).")
    return found


def is_status(status: int, *names: str) -> bool:
    """Is it one of these, by their names in C without prefix, in lower case?"""
    return status in [numbers("neonsim_status")[name] for name in names]


def check(status: int) -> None:
    """Raise what a status other than 0 means."""
    if status == 0:
        return
    text = str(require().neonsim_status_text(status), "ascii") if status > 0 else f"status {status}"
    if is_status(status, *_REFUSALS):
        raise BackendError(f"The native backend does not support this: {text}.")
    if is_status(status, "out_of_memory"):
        raise OutOfMemory("The native backend is out of memory.")
    if is_status(status, "not_a_number"):
        raise BadArgument("NaN and values of 2**30 steps or more cannot be quantised.")
    raise BadArgument(f"The C library refuses its arguments: {text}.")


# ---- variants --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class NativeVariant:
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
def _variants() -> tuple[NativeVariant, ...]:
    library = require()
    found = []
    for index in range(library.neonsim_variant_count()):
        info = VariantInfo()
        check(library.neonsim_variant_info(index, ctypes.byref(info)))
        missing = None if info.missing is None else info.missing.decode()
        found.append(NativeVariant(info.name.decode(), info.contract_name.decode(), info.isa.decode(), info.mr, info.nr,
                                   info.kr, info.sr, info.reads_before, missing))
    return tuple(found)


@cache
def _by_contract() -> dict[str, tuple[NativeVariant, ...]]:
    found: dict[str, list[NativeVariant]] = {}
    for one in _variants():
        found.setdefault(one.contract, []).append(one)
    return {name: tuple(each) for name, each in found.items()}


def variants(contract: str | None = None) -> tuple[NativeVariant, ...]:
    """All variants the library knows, of one contract or of all; those with ``missing`` cannot be called here.

    Raises BackendError without the library, BadArgument for an unknown contract.
    """
    if contract is not None and contract not in contracts():
        raise BadArgument(f"The C library has no contract {contract!r}; it has {', '.join(contracts())}.")
    return _variants() if contract is None else _by_contract().get(contract, ())


def default_variant(contract: str) -> NativeVariant:
    """The variant that a call takes when it names none.

    Raises BackendError if NEONSIM_ISA allows none.
    """
    of_contract = variants(contract)
    index = ctypes.c_size_t()
    status = require().neonsim_default_variant(contracts()[contract], ctypes.byref(index))
    if is_status(status, *_REFUSALS):
        can = sorted({v.isa for v in of_contract if v.missing is None})
        raise BackendError(f"NEONSIM_ISA is {os.environ.get('NEONSIM_ISA')!r}, but for {contract} there is only "
                           f"{' or '.join(can)} here. Unset it or choose one of these.")
    check(status)
    return _variants()[index.value]


@cache
def contracts() -> dict[str, int]:
    """Every contract of the library, with its number there."""
    library, info = require(), VariantInfo()
    found = {}
    for index in range(library.neonsim_variant_count()):
        check(library.neonsim_variant_info(index, ctypes.byref(info)))
        found[info.contract_name.decode()] = int(info.contract)
    return found


def cpu_info() -> dict[str, Any]:
    """What the library found and chose: family, features, path of the library, ABI version, default variants."""
    library = require()
    path, _ = _locate()
    return {
        "family": library.neonsim_cpu_family().decode(),
        "features": library.neonsim_cpu_features().decode().split(),
        "library": str(path or library._name),
        "abi_version": ABI_VERSION,
        "default": {contract: default_variant(contract).name for contract in contracts()},
    }


def choose(contracts: tuple[str, ...], name: str | None) -> NativeVariant:
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
