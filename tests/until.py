"""Waiting for what is certain to come. The limit of time is for what hangs: no test waits it out."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

__all__ = ["HANGS", "until"]

Answer = TypeVar("Answer")
HANGS = 120.0       # seconds: whatever a test waits for has come long before, on a busy machine too


def until(asked: Callable[[], Answer], what: str, seconds: float = HANGS) -> Answer:
    """The first answer that counts as true. An OSError is none: a file or a server is not there yet."""
    end = time.monotonic() + seconds
    while True:
        with suppress(OSError):
            if answer := asked():
                return answer
        assert time.monotonic() < end, f"{what}: not in {seconds:g} s"
        time.sleep(0.02)
