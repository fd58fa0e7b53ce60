from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import neonsim as ns


@pytest.fixture(scope="session")
def dot() -> ns.Trace:
    """20 steps: two times round a loop."""
    return runpy.run_path(str(Path(__file__).parents[2] / "render" / "recorded.py"))["record_dot"](2)
