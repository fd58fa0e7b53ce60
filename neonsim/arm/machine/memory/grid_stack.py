"""The stack of a grid: every tile has its own, below one address that is the same for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.semantics import ElementType, Lanes, NumpyLanes, ShadowLanes, join, u8, view
from neonsim.common.limits import STACK_BYTES

from .layout import CALLER_FRAME

__all__ = ["STACK_TOP", "PrivateStack"]

STACK_TOP = 0x0F00_0000  # it grows down from here

Array = npt.NDArray[Any]
UNKNOWN: Array = np.full((1, 1, 1), 255, np.uint8)   # read-only: a store puts another array in its place


class PrivateStack:
    """Byte by byte, each [1, rows or 1, columns or 1]: what is the same in all tiles stays small.

    random   makes junk for uninitialized bytes      shadow   loads tell which bits were written
    """

    def __init__(self, random: np.random.Generator, shadow: bool) -> None:
        self.random, self._shadow = random, shadow
        self._cells: dict[int, tuple[Array, Array | None]] = {}

    @staticmethod
    def holds(address: int, nbytes: int, store: bool = False) -> bool:
        """Return whether an access lies on the stack, or a load in the caller's frame above it."""
        return STACK_TOP - STACK_BYTES <= address <= STACK_TOP + (0 if store else CALLER_FRAME) - nbytes

    def _of(self, address: int, nbytes: int) -> list[tuple[Array, Array | None]]:
        """The bytes from an address on; those that are uninitialized get their junk, drawn at once."""
        span = range(address, address + nbytes)
        fresh = [at for at in span if at not in self._cells]
        if fresh:
            # A word for each byte, of which the lowest is taken: as many draws as if each were drawn by itself.
            words = self.random.integers(0, 1 << 32, len(fresh), dtype=np.uint32)
            junk = (words & 255).astype(np.uint8).reshape(-1, 1, 1, 1)
            self._cells.update((at, (byte, UNKNOWN)) for at, byte in zip(fresh, junk, strict=True))
        return [self._cells[at] for at in span]

    def load(self, address: int, nbytes: int, type_: ElementType) -> Lanes:
        parts: list[Lanes] = []
        for value, unknown in self._of(address, nbytes):
            lanes = NumpyLanes(value, u8)
            parts.append(ShadowLanes(lanes, None if unknown is None else NumpyLanes(unknown, u8)) if self._shadow
                         else lanes)
        return view(join(parts[0], *parts[1:]), type_)

    def store(self, address: int, value: NumpyLanes, unknown: NumpyLanes | None) -> Callable[..., None]:
        """Write lanes; returns what takes it back."""
        data = view(value, u8).array
        mask = None if unknown is None else view(unknown, u8).array
        span = range(address, address + len(data))
        replaced = dict(zip(span, self._of(address, len(data)), strict=True))
        for i, at in enumerate(span):
            self._cells[at] = (data[i:i + 1], None if mask is None else mask[i:i + 1])

        def put_back(arena: Array, unknown: Array, all_of_it: bool) -> None:
            if all_of_it:
                self._cells.update(replaced)
        return put_back

    def peek(self, address: int, nbytes: int) -> bytes:
        """Bytes of tile (0, 0)."""
        return bytes(int(value.flat[0]) for value, _ in self._of(address, nbytes))

    def contents(self, tiles: tuple[int, int]) -> tuple[int, Array]:
        """(address of the first byte ever touched, bytes [rows, columns, n] from there)."""
        cells = {at: value for at, (value, _) in self._cells.items() if at < STACK_TOP}
        first = min(cells, default=STACK_TOP)
        count = max(cells, default=first - 1) + 1 - first
        found = np.zeros((*tiles, count), np.uint8)
        for at, value in cells.items():
            found[..., at - first] = value[0]
        return first, found
