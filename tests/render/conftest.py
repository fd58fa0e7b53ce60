from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import neonsim as ns

record_dot = runpy.run_path(str(Path(__file__).with_name("recorded.py")))["record_dot"]


@pytest.fixture(scope="session")
def dot() -> ns.Trace:
    """20 steps: two times round the loop."""
    return record_dot(2)
