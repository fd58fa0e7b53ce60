"""Who wrote and who read each byte of a grid's memory: tiles in lock-step may not depend on their order.

A byte belongs to the first tile that writes it; another one writing it is an overlap. A byte that one tile writes and
another one reads, before or after, would give a different result if the tiles ran one after the other.

Kernels read some buffers and write others, so readers are not noted at first. When a buffer turns out to be both
(`ReadWriteConflict`), the machine begins the call again with the readers of that buffer noted from the start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.errors import LockstepDivergence

from .regions import Buffer
from .strided import Addresses, gather, scatter
from .violations import violation

__all__ = ["RaceDetector", "ReadWriteConflict"]

MANY = -1  # read by more than one tile

Array = npt.NDArray[Any]


class ReadWriteConflict(Exception):
    """A grid reads and writes the same buffer: begin again with ``buffer`` watched. Never reaches a user."""

    def __init__(self, buffer: str) -> None:
        super().__init__(buffer)
        self.buffer = buffer


class RaceDetector:
    """Two planes beside the arena: 0 no tile, n + 1 tile n (rows first), MANY."""

    def __init__(self, size: int, tiles: tuple[int, int], watched: frozenset[str]) -> None:
        self.tiles, self.watched = tiles, watched
        self.writer = np.zeros(size, np.int32)
        self.reader = np.zeros(size if watched else 0, np.int32)
        self.ids: Array = np.arange(1, tiles[0] * tiles[1] + 1, dtype=np.int32).reshape(1, *tiles)

    def touches(self, buffer: Buffer, store: bool) -> bool:
        """Note that a buffer is read or written; True if its bytes have to be looked at one by one."""
        if buffer.name in self.watched:
            return True
        if (buffer.is_read if store else buffer.is_written) and not buffer.scratch:
            raise ReadWriteConflict(buffer.name)
        buffer.is_read = buffer.is_read or not store
        return store

    def load(self, where: Addresses, nbytes: int) -> None:
        """All tiles read these bytes of a watched buffer."""
        written = gather(self.writer, where, nbytes)
        foreign = (written != 0) & (written != self.ids)
        if foreign.any():
            raise self._order(foreign, written, "reads a byte that another tile has written")
        readers = gather(self.reader, where, nbytes)
        if readers.shape[1:] != self.tiles:  # fewer addresses than tiles
            scatter(self.reader, where, nbytes, np.full(readers.shape, MANY, np.int32))
            return
        many = (readers != 0) & (readers != self.ids)
        scatter(self.reader, where, nbytes, self.ids)
        # A byte that several tiles read in this step holds the number of one of them now.
        many |= gather(self.reader, where, nbytes) != self.ids
        scatter(self.reader, where, nbytes, np.full(readers.shape, MANY, np.int32), many)

    def store(self, where: Addresses, nbytes: int, watched: bool) -> Callable[..., None]:
        """All tiles write these bytes; returns what gives them back to whom they belonged."""
        owners = gather(self.writer, where, nbytes)
        if owners.shape[1:] != self.tiles:  # fewer addresses than tiles
            raise violation("overlapping-output", "two tiles write the same byte, because the address does not differ "
                                               "between tiles. Use a different output for each tile")
        if watched:
            readers = gather(self.reader, where, nbytes)
            foreign = (readers != 0) & (readers != self.ids)
            if foreign.any():
                raise self._order(foreign, readers, "writes a byte that another tile has read before")
        if not ((owners == 0) | (owners == self.ids)).all():
            raise self._overlap(owners)
        before = owners.copy()

        def give_back(arena: Array, unknown: Array, all_of_it: bool) -> None:
            if all_of_it:
                scatter(self.writer, where, nbytes, before)
        scatter(self.writer, where, nbytes, self.ids)
        owners = gather(self.writer, where, nbytes)
        if not (owners == self.ids).all():
            try:
                raise self._overlap(owners)
            finally:
                scatter(self.writer, where, nbytes, before)
        return give_back

    def _overlap(self, owners: Array) -> LockstepDivergence:
        wrong = (owners != 0) & (owners != self.ids)
        tile, other = self._pair(wrong, owners)
        return _divergence("overlapping-output", f"tiles {tile} and {other} write the same byte: use a different "
                                                 "output for each tile")

    def _order(self, wrong: Array, owners: Array, what: str) -> LockstepDivergence:
        tile, other = self._pair(wrong, owners)
        return _divergence("tile-order", f"a tile {what}: tiles {tile} and {other}. In lock-step the order would "
                                         "matter: use a different output for each tile, or run the second step as a "
                                         "separate call")

    def _pair(self, wrong: Array, owners: Array) -> tuple[str, str]:
        full = np.broadcast_to(wrong, (wrong.shape[0], *self.tiles))
        at = tuple(int(n) for n in np.argwhere(full)[0])
        number = int(np.broadcast_to(owners, full.shape)[at])
        other = "another one" if number == MANY else "({}, {})".format(*divmod(number - 1, self.tiles[1]))
        return f"({at[1]}, {at[2]})", other


def _divergence(rule: str, text: str) -> LockstepDivergence:
    problem = violation(rule, text)
    assert isinstance(problem, LockstepDivergence)
    return problem
