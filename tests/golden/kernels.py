"""What every kernel leaves behind on the quick cases of its contract: by the definition, and by engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

from neonsim.errors import LockstepDivergence
from neonsim.ukernel import At, Case, Kernel, Outcome, cases, kernels, run_alone, run_together

from . import Row, digest, some

ENGINES = ("interpreter", "compiled")
QUICK = 200     # one kernel of so many

_cases = lru_cache(maxsize=2)(cases)


def rows() -> list[Row]:
    """One of each kernel."""
    return [Row(each.name, {"definition": partial(_defined, each),
                            **{engine: partial(_run, each, engine) for engine in ENGINES}},
                ("definition", "interpreter") if some(each.name, QUICK) else ()) for each in kernels()]


def _written(case: Case) -> list[str]:
    return [name for name, region in case.memory.items() if region.role == "out"]


def _defined(each: Kernel) -> str:
    return digest(*(case.expected[name] for case in _cases(each.contract.name, each.tile) for name in _written(case)))


def _run(each: Kernel, engine: str) -> str:
    made = _cases(each.contract.name, each.tile)
    left = {id(one.case): one.memory for one in _outcomes(each, made, engine)}
    return digest(*(left[id(case)][name] for case in made for name in _written(case)))


def _outcomes(each: Kernel, made: Sequence[Case], engine: str) -> Iterable[Outcome]:
    """In lock-step where sizes are equal; again by fewer, and at last alone, where they part."""
    limits = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    waiting = _alike(made, "size")
    while waiting:
        group = waiting.pop()
        try:
            if len(group) > 1:
                yield from run_together(each.program(), each.name, group, engine=engine, **limits)
            else:
                yield run_alone(each.program(), each.name, group[0], engine=engine, **limits)
        except LockstepDivergence:
            narrower = _alike(group, "size", "pointers")
            waiting += narrower if len(narrower) > 1 else [[case] for case in group]


def _alike(made: Iterable[Case], *kinds: str) -> list[list[Case]]:
    """Cases of equal numbers of these kinds; "size" by itself leaves out the rows, on which few kernels branch."""
    def key(case: Case) -> tuple[Any, ...]:
        return (tuple(case.number(a.name) for a in case.contract.arguments
                      if a.kind in kinds and (a.name != "mr" or len(kinds) > 1)),
                tuple(value.region for value in case.values.values() if isinstance(value, At)),
                tuple(sorted((name, region.role) for name, region in case.memory.items())))

    return [list(group) for _, group in groupby(sorted(made, key=key), key=key)]
