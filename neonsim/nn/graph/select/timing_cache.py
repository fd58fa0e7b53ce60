"""Times of layers on this machine, remembered from run to run of Python.

What was measured belongs to a processor, a build of the C library, a family of kernels and a number of threads: any
other asks anew. Times lie in one file of the user's cache folder, strategy.json. It is looked at as a stranger's: what
is no such table is left aside and written anew. Where nothing can be written, times last as long as the process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import stat
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from neonsim.arm.machine.engines.compiled import cache_folder
from neonsim.common.fileio import load_json, read_file, write_file
from neonsim.errors import BadArgument
from neonsim.nn.backends.native.library import require

__all__ = ["Measurements", "global_cache", "machine_key"]

_MAX_FILE_BYTES = 1 << 22     # bytes
_MAX_TIMES = 20_000        # the oldest go
_MAX_SECONDS = 1e6              # seconds


class Measurements:
    """Seconds by layer, way, threads and family; any thread may ask and tell.

    path   Path or None   the file; None: none, times are those of this object
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._times: dict[str, float] | None = None

    def get(self, layer: str, way: str, threads: int = 1, family: str | None = None) -> float | None:
        """What was measured, None if nothing was."""
        with self._lock:
            return self._known().get(_name(layer, way, threads, family))

    def put(self, layer: str, seconds: Mapping[str, float], threads: int = 1, family: str | None = None) -> None:
        """Remember what each way of a layer took, and write it down."""
        with self._lock:
            times = self._known()
            if self._path is not None:
                times |= {name: took for name, took in _read(self._path).items() if name not in times}
            for way, took in seconds.items():
                name = _name(layer, way, threads, family)
                times.pop(name, None)
                times[name] = float(took)
            for name in list(times)[:max(len(times) - _MAX_TIMES, 0)]:
                del times[name]
            if self._path is not None:
                _write(self._path, times)

    def _known(self) -> dict[str, float]:
        if self._times is None:
            self._times = {} if self._path is None else _read(self._path)
        return self._times


def _name(layer: str, way: str, threads: int, family: str | None) -> str:
    return f"{machine_key()}|{family or 'best'}|{threads}|{layer}|{way}"


@cache
def machine_key() -> str:
    """The processor and the build of the C library, as a short word."""
    processor = platform.processor()
    with contextlib.suppress(OSError):
        processor = "\n".join(line for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
                              if line.startswith(("model name", "flags", "Features", "CPU part")))[:100_000]
    build = Path(require()._name).read_bytes()
    said = "\n".join([platform.machine(), processor, os.environ.get("NEONSIM_ISA", "")])
    return hashlib.sha256(said.encode() + build).hexdigest()[:16]


def _read(path: Path) -> dict[str, float]:
    """The times of a file that only this user writes; {} for anything else."""
    try:
        status = path.lstat()
        mine = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        if not stat.S_ISREG(status.st_mode) or not mine:
            return {}
        found: Any = load_json(read_file(path, _MAX_FILE_BYTES))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: float(took) for name, took in found.items()
            if isinstance(took, float) and 0 < took < _MAX_SECONDS and len(name) < 1000}


def _write(path: Path, times: Mapping[str, float]) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(path, json.dumps(times, indent=0))
        path.chmod(0o600)
    except (OSError, BadArgument):
        pass        # remembered by this process


@cache
def global_cache() -> Measurements:
    """Those of this user."""
    return Measurements(cache_folder() / "strategy.json")
