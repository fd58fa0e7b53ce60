"""For the whole suite: a time budget for the long tests, and less work for the garbage collector."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from collections import deque
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

_STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=float, default=0, metavar="SECONDS",
                     help="start no further test after so many seconds; the rest is counted as skipped (0: no limit)")


def pytest_configure() -> None:
    # pytest-xdist tells its workers the terminal's width; the command line would print for it.
    os.environ.pop("COLUMNS", None)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of tests and every instruction's form stay to the end: looking at them at every collection of garbage
    takes an eighth of the whole time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


# ---- under a budget --------------------------------------------------------------------------------------------------

# Seconds after which a module lets another room have its turn: long enough that its fixtures are made for something.
_TURN = 5.0
# Its tests take a minute or two each, so it begins as if it had had that already.
_LONGEST_ROOM, _HEAD_START = "conformance", 60.0


class Turns:
    """Which test comes next: one of the room that has used the least time.

    A room goes on with its module for _TURN seconds; what is left of the module comes again after the others of the
    room. Rooms, modules and tests begin at a place that follows from the commit: several runs reach all of them.
    """

    def __init__(self, items: list[pytest.Item], commit: int) -> None:
        self.rooms: dict[str, deque[deque[pytest.Item]]] = {}
        for path, tests in groupby(items, key=lambda item: item.path):
            self.rooms.setdefault(path.parent.name, deque()).append(_rotated(tests, commit))
        self.rooms = {name: _rotated(modules, commit) for name, modules in _rotated(self.rooms.items(), commit)}
        self.used = {name: _HEAD_START if name == _LONGEST_ROOM else 0.0 for name in self.rooms}
        self.room, self.turn = "", 0.0

    def next(self) -> pytest.Item | None:
        """Taken out of what is left; None: nothing is left."""
        if self.room not in self.rooms or self.turn >= _TURN:
            if self.room in self.rooms:
                self.rooms[self.room].rotate(-1)
            if not self.rooms:
                return None
            self.room, self.turn = min(self.rooms, key=lambda name: self.used[name]), 0.0
        modules = self.rooms[self.room]
        item = modules[0].popleft()
        if not modules[0]:
            modules.popleft()
            self.turn = _TURN
        if not modules:
            del self.rooms[self.room]
        return item

    def took(self, item: pytest.Item, seconds: float) -> None:
        """Said after each test."""
        room = item.path.parent.name
        self.used[room] += seconds
        if room == self.room:
            self.turn += seconds


def _rotated(parts: Iterable[Any], commit: int) -> deque[Any]:
    result = deque(parts)
    result.rotate(-(commit % max(1, len(result))))
    return result


def _commit() -> int:
    """The commit's number; 0 where there is no repository."""
    try:
        said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True,
                              check=False)
    except OSError:
        return 0
    return int(said.stdout.strip() or "0", 16) if said.returncode == 0 else 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """pytest's own loop over the tests, but for their order; not where pytest-xdist hands them out."""
    config = session.config
    if not config.getoption("--budget") or config.option.collectonly or config.getoption("numprocesses", None):
        return None
    if session.testsfailed and not config.option.continue_on_collection_errors:
        return None  # it says so
    turns = Turns(session.items, _commit())
    item = turns.next()
    while item is not None:
        # Told to the fixtures, which stay for it: so it is chosen before this one has run.
        following = turns.next()
        begun = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        turns.took(item, time.monotonic() - begun)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = following
    return True


def pytest_runtest_setup(item: pytest.Item) -> None:
    budget = item.config.getoption("--budget")
    if budget and time.monotonic() - _STARTED > budget:
        pytest.skip(f"the budget of {budget:.0f} s is used up; `make test-full` without BUDGET runs it")
