"""Loops that never end: a function that comes back to a state it has been in does the same for ever.

Now and then (after 4**k steps) the registers are remembered, and compared each time the same instruction is reached
again within the next few steps. Memory needs no comparing: a stretch with a store proves nothing and is left.
"""

from __future__ import annotations

from typing import Any

from neonsim.arm.semantics import u8

from .arch.registers import VectorValue, numeric
from .arch.state import State

__all__ = ["Repetition"]

FIRST = 16384  # steps before the first look: most calls return before, and a look costs WINDOW interpreted steps
WINDOW = 256   # steps of a look: the longest loop that is found


class Repetition:
    """``next``: the number of steps from which on `find_period` is asked before each step; engines stop there."""

    def __init__(self, steps: int = 0) -> None:
        self.next = FIRST
        self._slots: list[Any] = []
        self._pc, self._began = 0, 0
        self._after(steps)

    def _after(self, count: int) -> None:
        self._slots = []
        while self.next <= count:
            self.next *= 4

    def find_period(self, state: State, count: int) -> int:
        """Return the length of the loop if the state is that of the look's begin, otherwise 0."""
        if not self._slots:
            self._slots, self._pc, self._began = list(state.slots), state.pc, count
            return 0
        if state.undo or count - self._began > WINDOW:
            self._after(count)
        elif state.pc == self._pc and all(a is b or _equal(a, b)
                                          for a, b in zip(state.slots, self._slots, strict=True)):
            return count - self._began
        return 0


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, VectorValue):
        a, b = a.read(0, 16, u8), b.read(0, 16, u8)
    x, y = numeric(a).array, numeric(b).array
    return bool((x == y).all())
