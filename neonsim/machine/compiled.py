"""The compiled engine: translated C, built by the host's compiler, kept by content, loaded when it is used.

The library lies in the user's cache folder (NEONSIM_CACHE, else the system's place for caches) under two hashes: of its
text, the compiler and its options, and of its own bytes; the folder keeps the newest 64. Only what this user owns,
nobody else may write, and is whole is loaded; anything else, and what does not load, is built again.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.errors import BackendError
from neonsim.limits import STACK_BYTES

from .memory import Memory
from .private_stack import CALLER_FRAME, STACK_TOP
from .translate_c import STATUS, CProgram

__all__ = ["Compiled", "Left", "cache_folder", "compiler"]

KEPT = 64         # libraries in the cache
LONG = 400_000    # characters of C behind which a compiler's time grows faster than its use
WORDS = 10        # 64-bit words of struct range
STACK_ROOM = STACK_BYTES + CALLER_FRAME
Array = npt.NDArray[Any]


def compiler() -> str | None:
    """The C compiler that is used: NEONSIM_CC, else cc, gcc or clang from the path; None if there is none."""
    chosen = os.environ.get("NEONSIM_CC")
    return shutil.which(chosen) if chosen else next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def cache_folder() -> Path:
    """Where translations are kept."""
    named = os.environ.get("NEONSIM_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "neonsim"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "neonsim"


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


def _options(version: str, size: int) -> list[str]:
    # What O3 adds to O2 for straight lines of vectors is the cost model; the rest of it takes four times as long.
    # Jump threading makes a path for every way through a row of conditional instructions: minutes, and nothing gained.
    level = ["-O2"] if "clang" in version else ["-O2", "-fvect-cost-model=dynamic", "-fno-thread-jumps"]
    if size > LONG:
        level = ["-O1"]
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
        return stat.S_ISREG(status.st_mode) and _private(status) and library.stem.endswith(_digest(library))
    except OSError:
        return False


def _digest(library: Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()[:32]


def build(program: CProgram) -> Path:
    """The library of a translation, from the cache or made now. Processes may build the same one at once.

    Raises BackendError without a compiler, or when it refuses the text.
    """
    path = compiler()
    if path is None:
        raise BackendError('engine="compiled" needs a C compiler: install gcc or clang (on Debian and Ubuntu: apt-get '
                           'install gcc), or name one in NEONSIM_CC. engine="python" and "numpy" need none.')
    options = _options(_version(path), len(program.text))
    key = "\n".join([program.text, path, _version(path), " ".join(options), platform.machine(), _processor()])
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        safe = _private(folder.stat())
    except OSError:
        safe = False
    if not safe:
        folder = _session_folder()
    for library in folder.glob(f"{name}-*.so"):
        if _sound(library):
            with contextlib.suppress(OSError):
                os.utime(library)
            return library
        _remove(library)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, made = Path(work) / f"{program.function}.c", Path(work) / f"{name}.so"
        source.write_text(program.text)
        done = subprocess.run([path, *options, "-o", str(made), str(source)], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise BackendError(f"{path} does not take the translation of {program.function}: "
                               f"{done.stderr.strip()[:2000] or 'no message'}")
        made.chmod(0o700)  # also under an umask that lets others write
        library = folder / f"{name}-{_digest(made)}.so"
        os.replace(made, library)
    _forget(folder)
    return library


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


def _loaded(program: CProgram, again: bool = True) -> Any:
    """The library, opened; one from the cache that does not open is built again, once."""
    import ctypes

    path = build(program)
    try:
        library = ctypes.CDLL(str(path))
        library.neonsim_tiles.restype = ctypes.c_uint64
        return library
    except (OSError, AttributeError) as problem:  # no library of this processor or system, or another one
        _remove(path)
        if again:
            return _loaded(program, again=False)
        raise BackendError(f"the translation of {program.function} was built and does not load ({problem}). If nothing "
                           f"may be run from {path.parent}, name another folder in NEONSIM_CACHE.") from None


class Compiled:
    """A loaded translation.

    state   numpy record of the registers, as struct state has them: steps, next, flags, general registers (64-bit
            fields), SIMD registers (16 bytes each)
    """

    def __init__(self, program: CProgram, names: tuple[str, ...]) -> None:
        import _ctypes
        import ctypes

        self.program = program
        self.library = _loaded(program)
        if hasattr(_ctypes, "dlclose"):
            weakref.finalize(self, _ctypes.dlclose, self.library._handle).atexit = False
        self._run = self.library.neonsim_tiles
        pointer, word = ctypes.c_void_p, ctypes.c_uint64
        self._run.argtypes = [pointer, word, pointer, word, pointer, word, word, pointer, word, word,
                              pointer, pointer, pointer, word]
        words = ("steps", "next", *names[names.index("nzcv"):], *(names[s] for s in program.core))
        self.state = np.dtype([(n, "<u8") for n in words]
                              + [(names[s], "u1", (16,)) for s in program.vectors])

    def run(self, states: Array, memory: Memory, limit: int, tiles: tuple[int, int] | None = None,
            watch: frozenset[str] = frozenset(), varied: dict[str, Array] | None = None) -> Left:
        """Run every record of ``states`` (contiguous) to its return, or until one stops before it.

        tiles    the records are a grid: private stacks, disjoint writing; only the first is filled in
        watch    names of buffers in which loads are noted too; only for tiles
        varied   general registers that differ from tile to tile: name -> uint64 [rows, columns]
        """
        return _Call(self, states, memory, limit, tiles, watch, varied or {}).left()

    def call(self, *arguments: Any) -> int:
        return int(self._run(*arguments))


@dataclass(frozen=True)
class Left:
    """What a run left.

    done     how many records returned
    status   why the next one did not, a name of STATUS
    stored, loaded   names of the buffers
    access   (address, bytes, store) of the last access that needed a search, for status "fault"
    """

    done: int
    status: str
    stored: frozenset[str]
    loaded: frozenset[str]
    access: tuple[int, int, bool]


class _Call:
    """The tables of one call: ranges of the buffers and of the private stack, owners of bytes."""

    def __init__(self, library: Compiled, states: Array, memory: Memory, limit: int,
                 tiles: tuple[int, int] | None, watch: frozenset[str], varied: dict[str, Array]) -> None:
        self.start = states[:1].copy()
        self.columns = np.array([values.reshape(-1) for values in varied.values()], np.uint64)
        self.offsets = np.array([library.state.fields[name][1] for name in varied], np.uint64)  # type: ignore[index]
        self.library, self.states, self.limit = library, states, limit
        arena = memory.arena
        self.buffers = memory.buffers
        self.owner = np.zeros(arena.size if tiles else 0, np.int32)
        self.reader = np.zeros(arena.size if watch else 0, np.int32)
        rows = []
        for b in self.buffers:
            first = b.address - b.reads_before
            at = first - memory.base
            size = b.end + b.reads_after - first
            start, writable = (b.address, b.nbytes) if not b.readonly else ((1 << 64) - 1, 0)
            rows.append([first, size, start, writable, arena.ctypes.data + at,
                         self.owner.ctypes.data + 4 * at if tiles else 0,
                         self.reader.ctypes.data + 4 * at if b.name in watch else 0, 0, 0, 0])
        self.stack = np.zeros(STACK_ROOM if tiles else 0, np.uint8)
        self.stack_first = STACK_TOP - STACK_BYTES
        if tiles:
            rows.append([self.stack_first, STACK_ROOM, self.stack_first, STACK_BYTES, self.stack.ctypes.data,
                         0, 0, 0, 0, 1])
        self.ranges = np.array(rows, np.uint64).reshape(len(rows), WORDS)
        # struct memory: ranges, count, nowhere, tile, status, stack_low
        nowhere = [(1 << 64) - 1, 0, (1 << 64) - 1, 0, 0, 0, 0, 0, 0, 0]
        self.memory = np.array([self.ranges.ctypes.data, len(rows), *nowhere, 0, 0, self.stack_first, 0, 0, 0],
                               np.uint64)
        self.tiles = tiles
        self.first, self.arguments = 0, np.zeros((1, 0), np.uint8)
        if tiles is not None:
            self.first, self.arguments = memory.arguments_on_stack(tiles)

    def left(self) -> Left:
        done = self.library.call(self.states.ctypes.data, self.states.size, self.memory.ctypes.data, self.limit,
                                 self.stack.ctypes.data if self.tiles else None, self.stack_first, STACK_ROOM,
                                 self.arguments.ctypes.data, self.first, self.arguments.shape[-1],
                                 self.start.ctypes.data, self.columns.ctypes.data, self.offsets.ctypes.data,
                                 len(self.offsets))
        status = next(name for name, number in STATUS.items() if number == int(self.memory[13]))
        touched = list(zip(self.buffers, self.ranges, strict=False))
        address, nbytes, store = (int(n) for n in self.memory[15:18])
        return Left(done, status, frozenset(b.name for b, r in touched if r[8]),
                    frozenset(b.name for b, r in touched if r[7]), (address, nbytes, bool(store)))
