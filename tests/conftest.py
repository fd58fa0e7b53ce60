"""For the whole suite: a time budget for the long tests, and less work for the garbage collector."""

from __future__ import annotations

import gc
import os
import time
from itertools import groupby, zip_longest

import pytest

_STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=float, default=0, metavar="SECONDS",
                     help="start no further test after so many seconds; the rest is counted as skipped (0: no limit)")


def pytest_configure() -> None:
    # pytest-xdist tells its workers the terminal's width; the command line would print for it.
    os.environ.pop("COLUMNS", None)


# Its tests take a minute or two each; under a budget it goes last.
_LONGEST_ROOM = "conformance"
_TURN = 4  # tests of a module in one turn: its fixtures are made again for the next


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under a budget the rooms take turns, so that each has had some when it is used up."""
    if not config.getoption("--budget"):
        return
    turns: dict[str, list[list[pytest.Item]]] = {}
    for path, tests in groupby(items, key=lambda item: item.path):
        turns.setdefault(path.parent.name, []).extend(batched(list(tests), _TURN))
    last = turns.pop(_LONGEST_ROOM, [])
    in_turn = [turn for round_ in zip_longest(*turns.values(), fillvalue=[]) for turn in round_]
    items[:] = [item for turn in (*in_turn, *last) for item in turn]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of tests and every instruction's form stay to the end: looking at them at every collection of garbage
    takes an eighth of the whole time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def batched(tests: list[pytest.Item], count: int) -> list[list[pytest.Item]]:
    return [tests[k:k + count] for k in range(0, len(tests), count)]


def pytest_runtest_setup(item: pytest.Item) -> None:
    budget = item.config.getoption("--budget")
    if budget and time.monotonic() - _STARTED > budget:
        pytest.skip(f"the budget of {budget:.0f} s is used up; `make test-full` without BUDGET runs it")
