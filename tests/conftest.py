"""For the whole suite: what tests cost, what `make test` need not look at, less work for the garbage collector."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

import pytest

from tests.costs import Costs

# Importing modules and making items of functions takes longer than many tests: a tier leaves out what it does not run.
_QUICK, _SLOW = "not slow and not nightly", "slow and not nightly"
_MARKED = re.compile(r"^pytestmark = .*pytest\.mark\.(?:slow|nightly)\b", re.M)


def pytest_configure(config: pytest.Config) -> None:
    # pytest-xdist tells its workers the terminal's width; the command line would print for it.
    os.environ.pop("COLUMNS", None)
    # As on a build server: nothing is compiled behind the tests' back.
    os.environ.setdefault("CI", "true")
    config.pluginmanager.register(Costs())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a module that is marked."""
    if config.option.markexpr != _QUICK or collection_path.suffix != ".py":
        return None
    return bool(_MARKED.search(collection_path.read_text("utf-8"))) or None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    """No items of a function of which nothing would be run."""
    tier = collector.config.option.markexpr
    if tier not in (_QUICK, _SLOW) or not name.startswith("test_") or not callable(obj):
        return None
    marks = getattr(obj, "pytestmark", [])
    names = {mark.name for mark in marks}
    if tier == _QUICK:
        return [] if names & {"slow", "nightly"} else None
    cases = [case for mark in marks if mark.name == "parametrize" and len(mark.args) > 1 and isinstance(
        mark.args[1], list | tuple) for case in mark.args[1]]
    names |= {mark.name for case in cases for mark in getattr(case, "marks", ())}
    return None if "slow" in names or collector.get_closest_marker("slow") else []


def pytest_collection_finish() -> None:
    """Thousands of tests and every instruction's form stay to the end: looking at them at every collection of garbage
    takes an eighth of the whole time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
