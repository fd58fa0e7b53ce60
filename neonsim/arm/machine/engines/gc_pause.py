"""The collector of cyclic garbage waits while steps are recorded: they hold no cycles, and it would read all of them.

Every step keeps a handful of objects, so Python would look through what is kept again and again: a third of the time of
a run of 10^5 steps, over half of a longer one. Memory does not grow by it: steps that are dropped are freed at once.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["without_collector"]


class _Waiting:
    """Who records now, in all threads; whether the collector is on without them."""

    def __init__(self) -> None:
        self.lock, self.who, self.was_on = Lock(), set[object](), False

    def begin(self, one: object) -> None:
        with self.lock:
            if not self.who:
                self.was_on = gc.isenabled()
                gc.disable()
            self.who.add(one)

    def end(self, one: object) -> None:
        with self.lock:
            if one in self.who:
                self.who.remove(one)
                if not self.who and self.was_on:
                    gc.enable()

    def forked(self) -> None:
        """In the child of a fork: other threads of the parent are not there, whose end it would wait for."""
        if self.who and self.was_on:
            gc.enable()
        self.lock, self.who = Lock(), set()


_WAITING = _Waiting()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WAITING.forked)


@contextmanager
def without_collector() -> Iterator[None]:
    """The collector is off until the last of those that record is done, in whatever way; then it is as it was."""
    one = object()
    try:
        _WAITING.begin(one)
        yield
    finally:
        _WAITING.end(one)
