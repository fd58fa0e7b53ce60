"""The helpers beside these tests (oracle, states, corpus, cases, recordings, ours) import each other by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def guest_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the guest programs are built, once per session."""
    return tmp_path_factory.mktemp("guest")
