"""For the whole suite: what tests cost, what `make test` need not look at, less work for the garbage collector."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

import pytest

from tests.costs import Costs

# `make test` imports no module that is marked as a whole, and makes no items of marked functions: both take longer than
# many tests.
_QUICK = "not slow and not nightly"
_MARKED = re.compile(r"^pytestmark = .*pytest\.mark\.(?:slow|nightly)\b", re.M)


def pytest_configure(config: pytest.Config) -> None:
    # pytest-xdist tells its workers the terminal's width; the command line would print for it.
    os.environ.pop("COLUMNS", None)
    config.pluginmanager.register(Costs())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a module that is marked."""
    if config.option.markexpr != _QUICK or collection_path.suffix != ".py":
        return None
    return bool(_MARKED.search(collection_path.read_text("utf-8"))) or None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    """No items of a function that is marked."""
    marks = getattr(obj, "pytestmark", ()) if name.startswith("test_") and callable(obj) else ()
    left_out = collector.config.option.markexpr == _QUICK and {"slow", "nightly"} & {mark.name for mark in marks}
    return [] if left_out else None


def pytest_collection_finish() -> None:
    """Thousands of tests and every instruction's form stay to the end: looking at them at every collection of garbage
    takes an eighth of the whole time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
