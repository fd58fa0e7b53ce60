"""Where buffers lie in an address space: one behind the other, with guard bytes between them."""

from __future__ import annotations

from neonsim.common.limits import MAX_MEMORY_BYTES
from neonsim.errors import BadArgument

__all__ = ["BASE", "CALLER_FRAME", "FIRST", "GUARD", "PROGRAMS", "Layout"]

FIRST = 0x1000_0000       # where users' buffers begin: fits both instruction sets
PROGRAMS = 1 << 16        # bytes below them for programs and their data, which so lie at the same place in every memory
BASE = FIRST - PROGRAMS   # address of the first byte
GUARD = 64                # bytes between buffers, at least
CALLER_FRAME = 256        # bytes of the caller's frame, above the last argument: junk that may be read, not written


class Layout:
    """What is taken. Places are counted from `BASE` on.

    low, used   the first free place of programs, and of buffers
    """

    def __init__(self) -> None:
        self.low, self.used = 0, PROGRAMS + GUARD

    def reserve(self, nbytes: int, before: int, after: int, align: int, purpose: str, program: bool,
                skew: int = 0) -> int:
        """Reserve `nbytes` bytes.

        before, after   bytes around them that may be read        program   where programs are, if there is room
        purpose         for the message                           skew      bytes behind a multiple of ``align``

        Raises BadArgument if all together become too many.
        """
        for used in (self.low, self.used) if program else (self.used,):
            start = used + GUARD + before
            start += (skew - BASE - start) % max(align, 64)
            end = start + nbytes + after + GUARD
            if used < PROGRAMS and end <= PROGRAMS:
                self.low = end
                return start
        if end > PROGRAMS + MAX_MEMORY_BYTES:
            raise BadArgument(f"{purpose} of {nbytes} bytes is too large. All buffers together may have "
                              f"{MAX_MEMORY_BYTES >> 30} GiB")
        self.used = end
        return start
