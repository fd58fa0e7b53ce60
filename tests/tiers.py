"""Which of many alike cases are tried by `make test`; the others are left to `make nightly`.

NEONSIM_EXAMPLES   how many times as many examples Hypothesis tries as by `make test`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["every", "examples", "first_of_each"]


def every(count: int, cases: Iterable[Any]) -> list[Any]:
    """One case in `count` by `make test`, beginning with the first; the others are marked `nightly`."""
    return [case if at % count == 0 else _nightly(case) for at, case in enumerate(cases)]


def examples(count: int) -> settings:
    """So many examples of a property by `make test`, the same ones every time."""
    return settings(max_examples=count * int(os.environ.get("NEONSIM_EXAMPLES", "1")), deadline=None, derandomize=True)


def first_of_each(kind: Callable[[Any], Hashable], cases: Iterable[Any]) -> list[Any]:
    """The first case of each kind by `make test`; the others are marked `nightly`."""
    seen: set[Hashable] = set()
    found = []
    for case in cases:
        found.append(_nightly(case) if kind(case) in seen else case)
        seen.add(kind(case))
    return found


def _nightly(case: Any) -> Any:
    if hasattr(case, "marks"):      # a pytest.param
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.nightly), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.nightly)
