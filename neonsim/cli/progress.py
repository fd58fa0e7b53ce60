"""Progress of long work, on a terminal only: on standard error, gone when it is done."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neonsim.arm.machine import Machine
from neonsim.common.terminal import bare, escape_text

__all__ = ["Bar", "steps_shown", "waiting"]

AFTER = 0.5  # seconds that work may take before anything is shown
EVERY = 0.2  # seconds between two looks at a machine


class Bar:
    """A count of what is done, with what is being done; to be closed."""

    def __init__(self, unit: str, options: argparse.Namespace, text: str = "") -> None:
        self._bar: Any = None       # without a terminal the package is not loaded
        if sys.stderr.isatty() and not options.json:
            from tqdm import tqdm  # type: ignore[import-untyped]

            self._bar = tqdm(unit=f" {unit}", unit_scale=True, leave=False, dynamic_ncols=True, desc=text or None,
                             delay=AFTER, file=bare(sys.stderr))

    @property
    def is_visible(self) -> bool:
        """Whether there is a terminal to show it on."""
        return self._bar is not None

    def __call__(self, count: int, doing: str = "") -> None:
        """n more are done."""
        if self._bar is None:
            return
        if doing:
            self._bar.set_description_str(escape_text(doing, ""), refresh=False)
        self._bar.update(count)

    def set_total(self, count: int) -> None:
        """How many there are to be."""
        if self._bar is not None:
            self._bar.total = count

    def close(self) -> None:
        """Take it off the screen."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def steps_shown(machine: Machine, options: argparse.Namespace) -> Iterator[None]:
    """Show the steps of a call that is running in here."""
    bar, over = Bar("steps", options, "running"), threading.Event()

    def look() -> None:
        seen = 0
        while not over.wait(EVERY):
            count = machine.steps
            bar(max(count - seen, 0))
            seen = count

    watcher = threading.Thread(target=look, daemon=True)
    if bar.is_visible:
        watcher.start()
    try:
        yield
    finally:
        over.set()
        if bar.is_visible:
            watcher.join()
        bar.close()


@contextmanager
def waiting(text: str, options: argparse.Namespace) -> Iterator[None]:
    """Say what is being done in here, if it takes so long that the user waits."""
    if not sys.stderr.isatty() or options.json:
        yield
        return
    stream, over = bare(sys.stderr), threading.Event()

    def say() -> None:
        if not over.wait(AFTER):
            print(f"{escape_text(text)} ...", end="", file=stream, flush=True)
            over.wait()
            print("\r\x1b[K", end="", file=stream, flush=True)
    sayer = threading.Thread(target=say, daemon=True)
    sayer.start()
    try:
        yield
    finally:
        over.set()
        sayer.join()
