"""What a module of tests needs, asked without importing it: every process of a run collects every module."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from neonsim.errors import BackendError
from neonsim.nn.backends import get

__all__ = ["needs", "needs_backend"]


def needs(*packages: str, install: str) -> None:
    """Skip the module that calls this where a package is missing, and say how to install it."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: {install}", allow_module_level=True)


def needs_backend(name: str) -> None:
    """Skip the test that calls this where there is no such backend, and say why."""
    try:
        get(name)
    except BackendError as problem:
        pytest.skip(str(problem))
