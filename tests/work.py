"""How much a call does, in calls of functions: a number that is the same on every machine, however busy."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial

__all__ = ["calls", "grows_evenly"]

MAX_STEPS = 20_000_000   # some seconds: what goes on without end is stopped there


def calls(work: Callable[[], object], most: int = MAX_STEPS) -> int:
    """Functions of Python and of C that `work` calls, at most so many; those of other threads are not counted."""
    events = 0

    def count(*_: object) -> None:      # a call or its end
        nonlocal events
        events += 1
        if events > 2 * most:
            raise AssertionError(f"more than {most:,} calls")
    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()        # what others left behind would be taken away here, and call what waits for that
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    assert events <= 2 * most, f"{events // 2:,} calls, more than {most:,}"
    return events // 2


def grows_evenly(work: Callable[[int], object], size: int) -> int:
    """Check that twice the size is twice the work, and little more; -> calls for `size`."""
    for once in (size, 2 * size):
        calls(partial(work, once))      # with what is prepared at the first time
    one = calls(partial(work, size))
    calls(partial(work, 2 * size), most=int(2.25 * one) + 500)
    return one
