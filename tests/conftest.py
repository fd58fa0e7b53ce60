"""For the whole suite: a time budget for the long tests."""

from __future__ import annotations

import time

import pytest

_STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=float, default=0, metavar="SECONDS",
                     help="start no further test after so many seconds; the rest is counted as skipped (0: no limit)")


# One of its tests may take ten minutes; under a budget it goes last, so that every other room gets its turn.
_LONGEST_ROOM = "conformance"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--budget"):
        items.sort(key=lambda item: item.path.parent.name == _LONGEST_ROOM)


def pytest_runtest_setup(item: pytest.Item) -> None:
    budget = item.config.getoption("--budget")
    if budget and time.monotonic() - _STARTED > budget:
        pytest.skip(f"the budget of {budget:.0f} s is used up; `make test-full` without BUDGET runs it")
