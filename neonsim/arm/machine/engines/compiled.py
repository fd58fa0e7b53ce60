"""The compiled engine: translated C, built by the host's compiler, kept by content, loaded when it is used.

The library lies in the user's cache folder (NEONSIM_CACHE, else the system's place for caches) under two hashes: of its
text, the compiler and its options, and of its own bytes; the folder keeps the newest 256. Only a
complete file that this user owns and no other user may write is loaded; any other, and what does not load, is built
again. A folder that is a
link is not followed, and a relative HOME or XDG_CACHE_HOME names none: the library is then kept by this process alone.

A first result comes from a quick build (-Og, a third of the time). The same text is then built in the background with
all optimisation, for later processes (`leisure`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.machine.memory.grid_stack import STACK_TOP
from neonsim.arm.machine.memory.layout import CALLER_FRAME
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.to_c import STATUS, CProgram
from neonsim.common.fileio import open_file
from neonsim.common.limits import MAX_LIBRARY_BYTES, STACK_BYTES
from neonsim.errors import BackendError, BadArgument

from .background_build import Leisure, Run, in_a_hurry

__all__ = ["Compiled", "Tables", "cache_folder", "compiler"]

KEPT = 256        # libraries in the cache: those of some networks, and of what is tried meanwhile
LONG = 400_000    # characters of C behind which a compiler's time grows faster than its use
WORDS = 10        # 64-bit words of struct range
STACK_ROOM = STACK_BYTES + CALLER_FRAME
STACK_FIRST = STACK_TOP - STACK_BYTES
Array = npt.NDArray[Any]
QUICK = "quick-"  # how libraries are called that were built soon
_NAMES = {number: name for name, number in STATUS.items()}
_LEISURE = Leisure()


def compiler() -> str | None:
    """Return the C compiler that is used: NEONSIM_CC, else cc, gcc or clang from the path; None if there is none."""
    chosen = os.environ.get("NEONSIM_CC")
    return shutil.which(chosen) if chosen else next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def cache_folder() -> Path:
    """Return where translations are kept: a folder of this process alone where the user's is a link, or has no
    place."""
    folder = _named_folder()
    return _session_folder() if folder is None or folder.is_symlink() else folder


def _named_folder() -> Path | None:
    """What the environment says. A home that is relative would be another folder in every working folder."""
    named = os.environ.get("NEONSIM_CACHE")
    if named:
        return Path(named)
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        home = Path.home()
    except RuntimeError:    # this user has none
        home = Path()
    caches = home / "Library" / "Caches" if sys.platform == "darwin" else shared if shared.is_absolute() else \
        home / ".cache"
    return caches / "neonsim" if caches.is_absolute() else None


@functools.lru_cache(maxsize=8)
def _version(path: str) -> str:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


@functools.lru_cache(maxsize=1)
def _processor() -> str:
    """What -march=native means here: a library is not carried to another kind of processor."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.processor()


def _options(version: str, size: int, quick: bool = False) -> list[str]:
    # What O3 adds to O2 for straight lines of vectors is the cost model; the rest of it takes four times as long.
    # Jump threading makes a path for every way through a row of conditional instructions: minutes, and nothing gained.
    level = ["-O2"] if "clang" in version else ["-O2", "-fvect-cost-model=dynamic", "-fno-thread-jumps"]
    if size > LONG:
        level = ["-O1"]
    if quick:
        level = ["-Og"]
    native = ["-march=native"] if platform.machine().lower() in ("x86_64", "amd64") else []
    return [*level, *native, "-fPIC", "-shared", "-fno-strict-aliasing", "-w"]


def _private(status: os.stat_result) -> bool:
    """Whether only this user may write there."""
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _sound(library: Path) -> bool:
    """Whether a file of the cache may be loaded: no link, this user's alone, and the bytes that its name says.

    A loader does not survive every file that is cut short, so the bytes are looked at first.
    """
    try:
        status = library.lstat()
        whole = stat.S_ISREG(status.st_mode) and _private(status) and status.st_size <= MAX_LIBRARY_BYTES
        return whole and library.stem.endswith(_digest(library))
    except (BadArgument, OSError):
        return False


def _digest(library: Path) -> str:
    with open_file(library) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def build(program: CProgram) -> Path:
    """Return the library of a translation, from the cache or made now: see `find_or_build`."""
    return find_or_build(program)[0]


@dataclass(frozen=True)
class _Place:
    """Where the library of a text is, or will be: the compiler, its options, its name, its folder."""

    compiler: str
    options: tuple[str, ...]
    name: str
    folder: Path

    def library(self) -> Path | None:
        """Return the library, if it is there and sound; what is not is taken away."""
        for library in self.folder.glob(f"{self.name}-*.so"):
            if _sound(library):
                with contextlib.suppress(OSError):
                    os.utime(library)
                return library
            _remove(library)
        return None

    def build(self, program: CProgram, run: Run | None = None) -> Path | None:
        """Build it; the file is renamed into the folder when it is whole.

        run   what runs the compiler; None where it does not come to its end. Left out: here, now

        Raises BackendError when the compiler refuses the text.
        """
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            source, made = Path(work) / f"{program.function}.c", Path(work) / f"{self.name}.so"
            source.write_text(program.text)
            command = [self.compiler, *self.options, "-o", str(made), str(source)]
            if run is None:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise BackendError(f"{self.compiler} cannot compile the translation of {program.function}: "
                                       f"{done.stderr.strip()[:2000] or 'no message'}")
            elif not run(command):
                return None
            made.chmod(0o700)  # also under an umask that lets others write
            library = self.folder / f"{self.name}-{_digest(made)}.so"
            os.replace(made, library)
        _forget(self.folder)
        return library


def _place(program: CProgram, folder: Path | None, quick: bool = False) -> _Place:
    path = compiler()
    if path is None:
        raise BackendError('engine="compiled" needs a C compiler: install gcc or clang (on Debian and Ubuntu: apt-get '
                           'install gcc), or set NEONSIM_CC. engine="python" and "interpreter" need no compiler.')
    options = _options(_version(path), len(program.text), quick)
    key = "\n".join([program.text, path, _version(path), " ".join(options), platform.machine(), _processor()])
    folder = folder or cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        safe = stat.S_ISDIR(status.st_mode) and _private(status)
    except OSError:
        safe = False
    return _Place(path, tuple(options), QUICK * quick + hashlib.sha256(key.encode()).hexdigest()[:32],
                  folder if safe else _session_folder())


def find_or_build(program: CProgram, folder: Path | None = None, quick: bool = False) -> tuple[Path, bool]:
    """(the library of a translation, whether it was made now); else it is from the cache. Processes may build the same
    one at once.

    folder   where to look and to keep it; None: `cache_folder`
    quick    where there is none: build one soon, and one with all optimisation at leisure

    Raises BackendError without a compiler, or when it refuses the text.
    """
    best = _place(program, folder)
    found = best.library()
    if found is not None:
        return found, False
    if not quick:
        return _built(best, program), True
    soon = _place(program, folder, quick=True)
    found = soon.library()
    library = found or _built(soon, program)
    _LEISURE.add(best.name, lambda run: _better(best, soon, program, run))
    return library, found is None


def _built(place: _Place, program: CProgram) -> Path:
    library = place.build(program)
    assert library is not None
    return library


def _better(best: _Place, soon: _Place, program: CProgram, run: Run) -> None:
    """All optimisation, at leisure; what was built soon is then of no use."""
    if best.library() is None and best.build(program, run) is not None:
        for library in soon.folder.glob(f"{soon.name}-*.so"):
            _remove(library)


@functools.lru_cache(maxsize=1)
def _session_folder() -> Path:
    """A folder of this process alone, when the user's cache cannot be written or is open to others."""
    import atexit

    folder = tempfile.mkdtemp(prefix="neonsim-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _forget(folder: Path) -> None:
    """Keep the newest libraries."""
    with contextlib.suppress(OSError):
        found = sorted(folder.glob("*.so"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in found[KEPT:]:
            _remove(old)


def _remove(library: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(library) if library.is_dir() and not library.is_symlink() else library.unlink()


def _loaded(program: CProgram, again: bool = True) -> tuple[Any, bool]:
    """(the library, opened, whether it was built now); one from the cache that does not open is built again, once."""
    import ctypes

    path, built = find_or_build(program, quick=in_a_hurry())
    try:
        library = ctypes.CDLL(str(path))
        library.neonsim_calls.restype = library.neonsim_tiles.restype = ctypes.c_uint64
        return library, built
    except (OSError, AttributeError) as problem:  # no library of this processor or system, or another one
        _remove(path)
        if again:
            return _loaded(program, again=False)
        raise BackendError(f"the translation of {program.function} was built but does not load ({problem}). If "
                           f"programs in {path.parent} may not run, set NEONSIM_CACHE to another folder.") from None


class Compiled:
    """A loaded translation.

    state   numpy record of the registers, as struct state has them: steps, next, flags, general registers (64-bit
            fields), SIMD registers (16 bytes each)
    built   bool   the compiler made it now; False: it lay in the cache
    """

    def __init__(self, program: CProgram, names: tuple[str, ...]) -> None:
        import _ctypes
        import ctypes

        self.program = program
        self.library, self.built = _loaded(program)
        if hasattr(_ctypes, "dlclose"):
            weakref.finalize(self, _ctypes.dlclose, self.library._handle).atexit = False
        pointer, word = ctypes.c_void_p, ctypes.c_uint64
        self._calls, self._tiles = self.library.neonsim_calls, self.library.neonsim_tiles
        self._calls.restype = self._tiles.restype = word
        self._calls.argtypes = [pointer, word, pointer, word]
        self._tiles.argtypes = [pointer, pointer, word, word, word, pointer, pointer]
        words = ("steps", "next", *names[names.index("nzcv"):], *(names[s] for s in program.core))
        self.state = np.dtype([(n, "<u8") for n in words]
                              + [(names[s], "u1", (16,)) for s in program.vectors])

    def calls(self, records: Array, tables: Tables, limit: int) -> int:
        """Return a call from each record of registers (contiguous), one after the other; how many returned."""
        return int(self._calls(records.ctypes.data, records.size, tables.memory.ctypes.data, limit))

    def tiles(self, grid: Array, states: Array, apart: int, first: int, end: int, tables: Tables, stack: Array) -> int:
        """Tiles ``first`` to before ``end`` of a struct grid, while other threads go on; the one that did not return,
        or end."""
        return int(self._tiles(grid.ctypes.data, states.ctypes.data, apart, first, end, tables.memory.ctypes.data,
                               stack.ctypes.data))


class Tables:
    """What translated text knows of a memory: ranges that may be read and written, and what came of it.

    owners, readers   {buffer's name: int32 [bytes that may be read]}   on a grid
    stack             bytes of a tile's private stack, on a grid
    base              owners up to this number are none
    """

    def __init__(self, memory: Memory, owners: Mapping[str, Array] | None = None,
                 readers: Mapping[str, Array] | None = None, stack: Array | None = None, base: int = 0) -> None:
        self._arena, self._buffers = memory.arena, memory.buffers
        self._held = owners, readers, stack
        rows = []
        for b in self._buffers:
            first = b.address - b.reads_before
            start, writable = (b.address, b.nbytes) if not b.readonly else ((1 << 64) - 1, 0)
            rows.append([first, b.end + b.reads_after - first, start, writable,
                         self._arena.ctypes.data + first - memory.base,
                         owners[b.name].ctypes.data if owners and b.name in owners else 0,
                         readers[b.name].ctypes.data if readers and b.name in readers else 0, 0, 0, 0])
        if stack is not None:
            rows.append([STACK_FIRST, STACK_ROOM, STACK_FIRST, STACK_BYTES, stack.ctypes.data, 0, 0, 0, 0, 1])
        self.ranges = np.array(rows, np.uint64).reshape(len(rows), WORDS)
        nowhere = [(1 << 64) - 1, 0, (1 << 64) - 1, 0, 0, 0, 0, 0, 0, 0]
        # struct memory: ranges, count, nowhere, tile, status, stack_low, address, bytes, store, base, claims, steps,
        # log, log_end
        self.memory = np.array([self.ranges.ctypes.data, len(rows), *nowhere, 0, 0, STACK_FIRST, 0, 0, 0, base, 0, 0,
                                0, 0], np.uint64)

    def log(self, log: Array) -> None:
        """Note blocks that run, by their first instructions, in ``log`` (uint32), while there is some."""
        self.memory[21:23] = log.ctypes.data, log.ctypes.data + log.nbytes

    def logged(self, log: Array) -> int:
        """Return how many blocks have been noted."""
        return (int(self.memory[21]) - log.ctypes.data) // log.itemsize

    def clear(self, base: int) -> None:
        """As before the first tile of another run."""
        self.ranges[:, 7:9] = 0
        self.memory[18:21] = base, 0, 0

    @property
    def status(self) -> str:
        """Why the last one stopped: a name of STATUS."""
        return _NAMES[int(self.memory[13])]

    @property
    def access(self) -> tuple[int, int, bool]:
        """(address, bytes, store) of the last access that needed a search: with status "fault" the one refused."""
        return int(self.memory[15]), int(self.memory[16]), bool(self.memory[17])

    @property
    def claims(self) -> int:
        """Bytes that got an owner."""
        return int(self.memory[19])

    @property
    def steps(self) -> int:
        """Of all tiles."""
        return int(self.memory[20])

    def touched(self, store: bool) -> frozenset[str]:
        """Names of the buffers that were written, or read."""
        return frozenset(b.name for b, r in zip(self._buffers, self.ranges, strict=False) if r[8 if store else 7])
