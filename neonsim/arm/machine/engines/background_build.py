"""Commands in the background: one at a time, at the lowest priority, ended with this process.

Never under CI, where every processor is paid for, nor in a benchmark, which they would disturb (`at_once`).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

__all__ = ["Leisure", "Run", "at_once", "in_a_hurry"]

Run = Callable[[Sequence[str]], bool]   # a command -> whether it came to its end and was content
_waited_for: list[bool] = []


def at_once() -> None:
    """From now on in this process everything is done well at once, and nothing later: a benchmark begins."""
    _waited_for.append(True)


def in_a_hurry() -> bool:
    """Return whether the first result soon matters more than the best code."""
    return not _waited_for and not os.environ.get("CI")


class Leisure:
    """A queue of works and the thread that does them; each runs its commands by what it is given."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._works: queue.SimpleQueue[Callable[[Run], None]] = queue.SimpleQueue()
        self._known: set[str] = set()
        self._lock, self._ended = threading.Lock(), False
        self._child: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def add(self, name: str, work: Callable[[Run], None]) -> None:
        """Do this when what was added before is done; once for each name."""
        if self._process != os.getpid():    # a fork has neither the thread nor the child
            self._begin()
        with self._lock:
            if name in self._known or self._ended:
                return
            self._known.add(name)
            self._works.put(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._go, name="neonsim-leisure", daemon=True)
                self._thread.start()
                atexit.register(self.end)

    def end(self) -> None:
        """End the child that runs and begin none any more."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._ended = True
            if self._child is not None:
                with contextlib.suppress(OSError):
                    if sys.platform == "win32":
                        self._child.kill()
                    else:
                        os.killpg(self._child.pid, signal.SIGKILL)
        self._works.put(lambda run: None)
        if self._thread is not None:
            self._thread.join(5.0)      # it puts away what the child has left

    def _go(self) -> None:
        while not self._ended:
            work = self._works.get()
            with contextlib.suppress(OSError):      # of a folder that is gone, or full: what was built first stays
                work(self._run)

    def _run(self, command: Sequence[str]) -> bool:
        with self._lock:
            if self._ended:
                return False
            # A group of its own: the compiler's children end with it, and Ctrl+C is not for them.
            self._child = child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                   stderr=subprocess.DEVNULL, start_new_session=True)
            if sys.platform != "win32":
                with contextlib.suppress(OSError):
                    os.setpriority(os.PRIO_PGRP, child.pid, 19)
        code = child.wait()
        with self._lock:
            self._child = None
            return code == 0 and not self._ended
