"""The kernels there are: found as files, next to the checkout or inside the installed package, or made by rule."""

from __future__ import annotations

import difflib
import importlib.resources
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from neonsim.common.fileio import read_text
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import AssemblyError, BadArgument, KernelFileError
from neonsim.ukernel.bodies import bodies_in, with_bodies
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.kernelgen import STANDARD, generated, generated_summary, is_generated
from neonsim.ukernel.naming import Tile, describe_name, split_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neonsim.arm.asm import Program
    from neonsim.quant import Quantized, Scheme
    from neonsim.ukernel.contract import Contract
    from neonsim.ukernel.header import Header

__all__ = ["Catalog", "Kernel", "cached_reads", "full_text", "kernel", "kernels", "kernels_folder"]


@dataclass(frozen=True)
class Kernel:
    """One kernel file.

    name      str       contract_tile__isa_technique
    path      Path      of the .S file; of a kernel made by rule there is none, and this says so
    contract  Contract  what it promises: order of arguments, definition
    tile      Tile      rows, columns, depth group of one call
    isa       str       aarch32 | aarch64
    feature   str       neon | dotprod | ...
    header    Header    everything the file says about itself
    source    str       the text, the body that it shares with others in place
    """

    name: str
    path: Path

    @property
    def source(self) -> str:
        """The text of the file, as it is now, the body that it shares in place; or as the rule makes it."""
        if self.is_generated:
            return generated(self.name)
        look = _look.get()
        if look is None:
            return full_text(_text(self.path))
        found = look.texts.get(self.path)
        if found is None:
            found = look.texts[self.path] = full_text(_text(self.path))
        return found

    @property
    def is_generated(self) -> bool:
        """True where there is no file: `neonsim.ukernel.kernelgen` makes the text."""
        return str(self.path) == str(_rule(self.name))

    @property
    def header(self) -> Header:
        """The checked header. Raises KernelFileError, with places, if it is wrong."""
        return _header(self.source, self.name, str(self.path))

    @property
    def summary(self) -> str:
        """The first line of the file: what a list shows. The rest is neither read nor checked."""
        if self.is_generated:
            return generated_summary(self.name)
        return _text(self.path).partition("\n")[0].removeprefix("//!").strip()

    @property
    def contract(self) -> Contract:
        """What the kernel promises."""
        return contract_named(self.header.contract)

    @property
    def tile(self) -> Tile:
        """Rows, columns and depth group of one call."""
        return self.header.tile

    @property
    def isa(self) -> str:
        """aarch32 or aarch64."""
        return self.header.isa

    @property
    def feature(self) -> str:
        """What the core must have."""
        return self.header.feature

    def program(self) -> Program:
        """Return the assembled kernel (assembled again when the file has changed)."""
        return _program(self.source, self.path, self.isa, self.name, self.header.contract)

    def explain(self) -> str:
        """Explain the name word by word, then what the kernel computes.

        >>> print(kernel("qu8_sumrows_4x__aarch32_neon").explain().splitlines()[0])
        qu8_sumrows_4x__aarch32_neon
        """
        words = [w for part in split_name(self.name) for w in part.split("_")]
        width = max(map(len, words))
        said = [describe_name(word, self.contract.name) or "a word without an entry" for word in words]
        lines = [self.name, *(f"    {w:<{width}}  {text}" for w, text in zip(words, said, strict=True)), "",
                 self.header.summary, "", f"Contract {self.contract.name}:",
                 *(f"    {line}".rstrip() for line in self.contract.doc.splitlines()), "", "Arguments:"]
        name_width = max(len(i.name) for i in self.header.inputs)
        place_width = max(len(i.place) for i in self.header.inputs)
        lines += [f"    {i.name:<{name_width}}  {i.place:<{place_width}}  {i.text}" for i in self.header.inputs]
        for nbytes, where in ((self.header.reads_before, "before"), (self.header.reads_after, "after")):
            if nbytes:
                lines += ["", f"May read up to {nbytes} bytes {where} a row of its input, never writes there."]
        where = f"File: {self.path}" if not self.is_generated else \
            f"No file: made by rule when it is used; print(ns.kernel({self.name!r}).source) shows the text."
        return "\n".join([*lines, "", where])

    def run(self, lhs: Quantized, rhs: Quantized, bias: NDArray[np.int32] | None = None, *, out: Scheme,
            backend: str = "emulated", **options: Any) -> Quantized:
        """Compute a fully connected layer with this kernel, one call of it per tile.

        lhs       Quantized uint8 [m, k]
        rhs       Quantized uint8 [n, k]
        bias      int32 [n] or None
        out       Scheme of the result
        backend   str                     emulated; native where the C library has this kernel (Arm hosts); reference
                                          computes by definition, without the kernel
        options   as `ops.fully_connected`: output_min, output_max, threads
        ->        Quantized uint8 [m, n]

        Raises KernelFileError for a kernel that is not a matrix product by itself.
        """
        if self.contract.signature not in ("gemm", "gemm_xzp"):
            raise KernelFileError(
                f"{self.name} is not a matrix product. Call it through its contract, {self.contract.name}.")
        # A thin late import upwards: the call belongs to operators, the handle to the kernel.
        from neonsim.nn.ops import fully_connected

        kernel = None if backend == "reference" else self
        return fully_connected(lhs, rhs, bias, out=out, backend=backend, kernel=kernel, **options)

    def __str__(self) -> str:
        return self.name


_SETTLED = 1_000_000_000    # ns: a younger file may change once more without a change of its time
FileState = tuple[int, int, int] | None


class _Look:
    """What was found of files and folders since a look began."""

    def __init__(self) -> None:
        self.states: dict[str, FileState] = {}
        self.texts: dict[Path, str] = {}
        self.folder: Path | None = None


_look: ContextVar[_Look | None] = ContextVar("neonsim_look_at_kernels", default=None)


@contextmanager
def cached_reads() -> Iterator[None]:
    """Within, each file and folder of kernels is looked at once: a plan sees them as they were at its begin.

    A plan asks for headers again and again, and most of its time would go to the file system.
    """
    if _look.get() is not None:
        yield
        return
    token = _look.set(_Look())
    try:
        yield
    finally:
        _look.reset(token)


def _state(path: str) -> FileState:
    """What changes when a file or a folder does; None: too young to tell, or gone."""
    look = _look.get()
    if look is None:
        return _state_now(path)
    if path not in look.states:
        look.states[path] = _state_now(path)
    return look.states[path]


def _state_now(path: str) -> FileState:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if time.time_ns() - found.st_mtime_ns > _SETTLED else None


def _text(path: Path) -> str:
    """The text of a file as it is now; read once while it does not change."""
    state = _state(str(path))
    return read_text(path, 4 * MAX_FILE_LENGTH) if state is None else _text_of(path, state)


@lru_cache(maxsize=2048)
def _text_of(path: Path, state: tuple[int, int, int]) -> str:
    return read_text(path, 4 * MAX_FILE_LENGTH)


def full_text(text: str) -> str:
    """A kernel's text with the body that it shares with others in place: see `neonsim.ukernel.bodies`."""
    if not bodies_in(text):
        return text
    folder, found = kernels_folder(), dict[str, str]()
    waiting = list(_bodies(text, folder))
    for name, path in waiting:
        if name not in found:
            with suppress(BadArgument):     # a body that is not there is the assembler's complaint
                found[name] = _text(path)
                waiting += _bodies(found[name], folder)
    return _whole_text(text, tuple(found.items()))


@lru_cache(maxsize=512)
def _bodies(text: str, folder: Path) -> tuple[tuple[str, Path], ...]:
    return tuple((name, folder / name) for name in bodies_in(text))


@lru_cache(maxsize=512)
def _whole_text(text: str, bodies: tuple[tuple[str, str], ...]) -> str:
    return with_bodies(text, dict(bodies))


# Both are kept for a text, not for a file: a kernel that is edited and run again is the edited one.
# Room for several times the catalogue: with less, a second pass over all kernels finds none of them kept.
@lru_cache(maxsize=2048)
def _header(text: str, name: str, path: str) -> Header:
    from neonsim.ukernel.header import read_header  # a list of kernels checks none, and assembles none

    return read_header(text, name, path)


@lru_cache(maxsize=512)
def assembled(text: str, path: Path, isa: str) -> Program:
    from neonsim.arm.asm import assemble
    from neonsim.arm.asm.assembler import assemble_named

    if path == _rule(path.stem):
        return assemble(text, isa=isa)
    # Kernels share macros: kernels/include/.
    include = [kernels_folder()]
    try:
        return assemble_named(str(path), text, isa, include=include)
    except AssemblyError:
        return assemble(path, isa=isa, include=include)     # mistakes are named in the files that they stand in


@lru_cache(maxsize=512)
def _program(text: str, path: Path, isa: str, name: str, contract: str) -> Program:
    return contract_named(contract).known_to(assembled(text, path, isa), name)


class Catalog(tuple[Kernel, ...]):
    """Kernels in order of their names; prints as a table; knows names as well as kernels."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(k.name for k in self)

    def __contains__(self, item: object) -> bool:
        return item in self.names if isinstance(item, str) else super().__contains__(item)

    def __repr__(self) -> str:
        width = max((len(name) for name in self.names), default=0)
        return "\n".join(f"{k.name:<{width}}  {k.summary}" for k in self)


def kernels_folder() -> Path:
    """Where the .S files are: ``kernels/`` of the checkout, or ``neonsim/kernels`` of an installed package."""
    look = _look.get()
    if look is not None and look.folder is not None:
        return look.folder
    checkout, project, inside = _places(_package())
    found = checkout if checkout.is_dir() and project.is_file() else inside if inside.is_dir() else None
    if look is not None:
        look.folder = found
    if found is not None:
        return found
    raise KernelFileError(f"No kernel files: neither {checkout} nor {inside} exists. Install neonsim again.")


@lru_cache(maxsize=4)
def _places(package: Path) -> tuple[Path, Path, Path]:
    return package.parent / "kernels", package.parent / "pyproject.toml", package / "kernels"


@lru_cache(maxsize=1)
def _package() -> Path:
    return Path(str(importlib.resources.files("neonsim")))


@lru_cache(maxsize=2048)
def _rule(name: str) -> Path:
    """What stands in place of the path of a kernel that has no file."""
    return Path("generated") / f"{name}.S"


_listed: tuple[tuple[str, ...], tuple[object, ...], tuple[str, ...]] = (), (), ()   # folders, their states, files


def _found() -> Mapping[str, Kernel]:
    return _catalogd(_files())


def _files() -> tuple[str, ...]:
    """The paths of all: the folders are asked every time, so that a new file is there at once."""
    global _listed
    root = str(kernels_folder())
    folders, states, files = _listed
    if folders[:1] != (root,) or None in states or tuple(map(_state, folders)) != states:
        folders = tuple(folder for folder, _, _ in os.walk(root))
        states = tuple(map(_state, folders))
        files = tuple(sorted(entry.path for folder in folders for entry in os.scandir(folder)
                             if entry.name.endswith(".S")))
        _listed = folders, states, files
    return files


@lru_cache(maxsize=4)
def _catalogd(paths: tuple[str, ...]) -> Mapping[str, Kernel]:
    found: dict[str, Kernel] = {}
    for path in map(Path, paths):
        # Programs whose names say no contract (lessons) are not kernels.
        if "__" not in path.stem:
            continue
        split_name(path.stem)
        if path.stem in found:
            raise KernelFileError(f"Two files are called {path.name}: {found[path.stem].path} and {path}.")
        found[path.stem] = Kernel(path.stem, path)
    found |= {name: Kernel(name, _rule(name)) for name in STANDARD}
    return MappingProxyType(found)


@lru_cache(maxsize=512)
def _part(files: tuple[str, ...], contract: str | None, isa: str | None) -> Catalog:
    # By their names, which headers have to repeat: no file is read for being listed.
    named = ((split_name(name), k) for name, k in _catalogd(files).items())
    return Catalog(k for (promise, _, written_for, _), k in named
                     if contract in (None, promise) and isa in (None, written_for))


def kernels(contract: str | None = None, isa: str | None = None) -> Catalog:
    """Return the catalogue, or its kernels of one contract or one instruction set.

    >>> "qu8_sumrows_4x__aarch32_neon" in kernels(isa="aarch32")
    True
    """
    if contract is not None:
        contract_named(contract)
    if isa not in (None, "aarch32", "aarch64"):
        raise BadArgument(f"isa must be aarch32 or aarch64; got {isa!r}.")
    return _part(_files(), contract, isa)


def kernel(name: str | Kernel) -> Kernel:
    """Return the kernel of a name.

    Raises KernelFileError for a wrong name, with those that look like it.
    """
    if isinstance(name, Kernel):
        return name
    found = _found()
    if name in found:
        return found[name]
    if is_generated(str(name)):
        return Kernel(str(name), _rule(str(name)))
    words = set(str(name).replace("__", "_").split("_"))
    near = difflib.get_close_matches(str(name), found, n=3, cutoff=0.7) or sorted(
        (n for n in found if words & set(n.replace("__", "_").split("_"))),
        key=lambda n: -len(words & set(n.replace("__", "_").split("_"))))[:3]
    hint = "Do you mean\n" + "\n".join(f"    {n}" for n in near) if near else \
        f"`neonsim kernels` and ns.kernels() list the {len(found)} that there are."
    raise KernelFileError(f"There is no kernel {name!r}. {hint}")
