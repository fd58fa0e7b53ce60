"""Is there memory for it? Asked before anything is made whose size the numbers of a file decide.

    judge(room, "convolution of [1, 4, 4, 1]")      raises OutOfMemory if n bytes are not left here
    with within("convolution of ..."):              what numpy could not get all the same is the same error

A short file can ask for any amount: a window far outside its image, a tensor that is repeated. On Linux such room is
granted, and the process is ended when it is used; so code must not rely on a failed allocation.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from neonsim.common.limits import JUDGED_MEMORY
from neonsim.errors import OutOfMemory

__all__ = ["available_bytes", "judge", "within"]


def available_bytes() -> int | None:
    """Bytes that this process may still take: of the machine, its container and its own limit; None: unknown."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        said = dict(line.split(":") for line in Path("/proc/meminfo").read_text("ascii").splitlines())
        found.append(1024 * sum(int(said[name].split()[0]) for name in ("MemAvailable", "SwapFree") if name in said))
    with suppress(OSError, ValueError, KeyError):       # of a container: what files are kept in can be given back
        group = Path("/sys/fs/cgroup")
        kept = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
        used = int((group / "memory.current").read_text("ascii")) - int(kept["inactive_file"])
        found.append(int((group / "memory.max").read_text("ascii")) - used)
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource
        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            found.append(most - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0, min(found)) if found else None


def judge(nbytes: int, subject: str) -> None:
    """Raise OutOfMemory if n bytes are more than there are; what: who needs them, to begin a sentence."""
    if nbytes < JUDGED_MEMORY:
        return
    there = available_bytes()
    if there is not None and nbytes > there:
        raise OutOfMemory(f"{subject} needs about {_shown(nbytes)} of memory; {_shown(there)} are available. Use "
                          f"smaller inputs, or a machine with more memory.")


class within:
    """Raise OutOfMemory, in the same words, where an allocation fails in the block; what: as of `judge`."""

    __slots__ = ("subject",)

    def __init__(self, subject: str) -> None:
        self.subject = subject

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: object) -> None:
        """Another error where it is numpy's."""
        if isinstance(problem, MemoryError) and not isinstance(problem, OutOfMemory):
            raise OutOfMemory(f"{self.subject} needs more memory than is available. Use smaller inputs, or a machine "
                              f"with more memory.") from problem


def _shown(nbytes: int) -> str:
    """Bytes in a unit that leaves few digits.

    >>> _shown(3 << 30), _shown(5_000_000)
    ('3.0 GiB', '4.8 MiB')
    """
    for unit, size in (("EiB", 60), ("TiB", 40), ("GiB", 30), ("MiB", 20)):
        if nbytes >> size:
            return f"{nbytes / (1 << size):,.1f} {unit}"
    return f"{nbytes:,} bytes"
