"""What preparation costs, counted where it is done: bytes packed, pointers built, buffers allocated.

    with counting() as work:
        plan.run(x)
    work.packed_bytes, work.pointers, work.allocations        all 0: everything was prepared before

A count is a plain number of things done while the block was open, by this thread. Blocks may be nested.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

__all__ = ["Counters", "count", "counting"]


@dataclass
class Counters:
    """What was done while a `counting` block was open.

    packs             weights brought into a kernel's layout          packed_bytes      bytes written by it
    indirections      indirection buffers built                       pointers          entries written
    im2col_bytes      bytes copied into matrices of receptive fields
    allocations       buffers reserved                                allocated_bytes   their sizes
    copied_bytes      operands moved into a plan's own memory
    moved_pointers    entries and arguments turned to an operand that is read where the caller has it, at a new address
    calls             kernel calls, one per tile                      runs              plans run
    """

    packs: int = 0
    packed_bytes: int = 0
    indirections: int = 0
    pointers: int = 0
    im2col_bytes: int = 0
    allocations: int = 0
    allocated_bytes: int = 0
    copied_bytes: int = 0
    moved_pointers: int = 0
    calls: int = 0
    runs: int = 0

    @property
    def preparation(self) -> int:
        """Everything that a second run of a plan must not do again: 0, or it was not prepared."""
        return self.packs + self.indirections + self.allocations

    def __str__(self) -> str:
        done = [f"{f.name} {getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name)]
        return ", ".join(done) or "nothing"


_open: ContextVar[tuple[Counters, ...]] = ContextVar("neonsim_work", default=())


@contextmanager
def counting() -> Iterator[Counters]:
    """Count what is prepared while the block is open.

    >>> with counting() as work:
    ...     count(packs=1, packed_bytes=64)
    >>> work.packs, work.packed_bytes, str(work)
    (1, 64, 'packs 1, packed_bytes 64')
    """
    work = Counters()
    token = _open.set((*_open.get(), work))
    try:
        yield work
    finally:
        _open.reset(token)


def count(**amounts: int) -> None:
    """Add to every open block; code that prepares something calls this with the field names of `Counters`."""
    for work in _open.get():
        for name, amount in amounts.items():
            setattr(work, name, getattr(work, name) + amount)
