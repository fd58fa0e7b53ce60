"""Calls of a function as Hypothesis draws them, and makes failing ones small."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.common.extras import install
from neonsim.errors import MissingPackage
from neonsim.ukernel import Case, build
from neonsim.ukernel.case import axes

from .function import Function

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .cases import Cases

__all__ = ["smallest_failing", "strategy"]

MAX_SIZE = 80    # of a size: calls are many


def strategy(cases: Cases, function: Function) -> SearchStrategy[Case]:
    """Cases of a function: sizes up to the largest small one, elements of their types or of ``cases.data``."""
    try:
        from hypothesis import strategies as st
        from hypothesis.extra.numpy import arrays
    except ImportError:
        raise MissingPackage(f"generating calls needs another package: {install('hypothesis')}.") from None
    noted = cases._arrays(function)

    @st.composite
    def one(draw: Any) -> Case:
        given: dict[str, Any] = {}
        for argument in function.contract.arguments:
            if argument.memory is None:
                values = cases.values(argument)
                given[argument.name] = draw(st.sampled_from([v for v in values if v <= MAX_SIZE] or values[:1]))
        for name, note in noted.items():
            shape, kind = axes(note, given), np.dtype(note.dtype)
            source = cases.data.get(name)
            if callable(source):
                given[name] = cases.array(name, "uniform", shape, note.dtype,
                                          np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
                continue
            drawn = st.sampled_from(list(source)) if source is not None else None
            if drawn is None and kind.kind == "f":
                drawn = (st.floats(width=8 * kind.itemsize) if cases.nan else  # type: ignore[arg-type]
                         st.integers(-64, 64).map(float))
            made = draw(arrays(kind, shape, elements=drawn))
            if kind.kind == "f":
                made = np.where(np.isnan(made), kind.type(np.nan), made)    # one NaN, as processors make it
            given[name] = made
        return build(function.contract, "drawn by Hypothesis", **given)

    return one()


def smallest_failing(cases: Cases, function: Function, fails: Callable[[Case], bool], seed: int) -> Case | None:
    """Return the smallest call that fails, of as many as ``cases.hypothesis`` says; None if none does."""
    drawn = strategy(cases, function)
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    found: list[Case] = []

    class Failing(Exception):
        pass

    @seeded(seed)
    @settings(max_examples=cases.hypothesis, database=None, deadline=None, report_multiple_bugs=False,
              phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck), print_blob=False)
    @given(drawn)
    def judge(case: Case) -> None:
        if fails(case):
            found.append(case)      # the last one that Hypothesis runs is the smallest
            raise Failing

    try:
        judge()
    except Failing:
        return found[-1]
    return None
