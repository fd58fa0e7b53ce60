"""Is a function what its reference says? Calls one by one under the sanitizer, and the smallest one that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from neonsim.errors import MachineError
from neonsim.ukernel import Case, Tile, build
from neonsim.ukernel.case import axes
from neonsim.ukernel.contract import In, InOut
from neonsim.verify.checking import ContractRun, FailingCase, KernelUnderTest

from .cases import Cases, inputs_of, placed
from .failure import Artifacts, mismatch
from .function import MAX_STEPS, Function
from .hypothesis_cases import smallest_failing
from .reference import definition_from

__all__ = ["explained", "require_equal"]

TRIED = 150     # smaller calls that are looked at
EACH = 64       # smallest values of a size that are tried one by one


def require_equal(function: Function, reference: Callable[..., Any], cases: Cases | Case | Iterable[Case],
                  seed: int, artifacts: Artifacts) -> int:
    """Compare a function with a reference, byte for byte, call by call; returns how many calls there were.

    Raises FunctionFailure with the smallest call that fails, BadArgument for a reference or cases that do not fit it.
    """
    judged = function.judged_by(definition_from(function, reference))
    name = getattr(reference, "entry", None) or getattr(reference, "__name__", "")
    name = f"its reference {name}".rstrip().replace(" <lambda>", "")
    count = 0
    if isinstance(cases, Cases):
        made: Any = cases.calls(judged, seed)
    else:
        made = [replace(case, contract=judged.contract) for case in ([cases] if isinstance(cases, Case) else cases)]
    for case in made:
        count += 1
        if fails(judged, case):
            smallest = _shrunk(judged, case)
            raise mismatch(function.entry, name, explained(judged, smallest), smallest, artifacts)
    if isinstance(cases, Cases) and cases.hypothesis:
        drawn = smallest_failing(cases, judged, lambda case: fails(judged, case), seed)
        if drawn is not None:
            raise mismatch(function.entry, name, explained(judged, drawn), drawn, artifacts)
        count += cases.hypothesis
    return count


def fails(function: Function, case: Case) -> bool:
    """Whether a call goes wrong, or leaves other bytes than the definition says."""
    wanted = case.expected   # what is wrong with the reference is said as it is
    assert wanted is not None
    try:
        return bool(function.run(case).wrong())
    except MachineError:
        return True


def explained(function: Function, case: Case) -> FailingCase:
    """What is wrong with a call that fails: by the interpreter, which records it."""
    what = KernelUnderTest(function.program, function.entry, function.entry, function.contract.name, Tile(1, None, 1),
                           function.reads_before, function.reads_after)
    return ContractRun(what, lambda size: (), steps=MAX_STEPS).explain(case)


def _shrunk(function: Function, case: Case) -> Case:
    """The smallest call near one that fails: sizes first, then where arrays lie, then elements that may be zero."""
    left = [TRIED]

    def still(other: Case) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(function, other)

    for size in [a.name for a in case.contract.arguments if a.kind == "size"]:
        for number in _smaller(case.number(size)):
            other = _cut(function, case, {size: number})
            if other is not None and still(other):
                case = other
                break
        low, high = case.number(size) // 2, case.number(size)
        while high > EACH and high - low > 1 and left[0] > 0:
            middle = (low + high) // 2
            other = _cut(function, case, {size: middle})
            if other is not None and still(other):
                case, high = other, middle
            else:
                low = middle
    straight = placed(case, 0)
    if any(region.skew for region in case.memory.values()) and still(straight):
        case = straight
    for name, array in inputs_of(case).items():
        if not isinstance(array, np.ndarray) or not array.any():
            continue
        blank = _cut(function, case, {name: np.zeros_like(array)})
        if blank is not None and still(blank):
            case = blank
    return case


def _smaller(number: int) -> list[int]:
    """Sizes below one, small ones first: each, then the powers of two."""
    powers = [1 << bit for bit in range(1, number.bit_length()) if EACH < 1 << bit < number]
    return [*range(1, min(number, EACH + 1)), *powers]


def _cut(function: Function, case: Case, changed: Mapping[str, Any]) -> Case | None:
    """The same call with other numbers or arrays, which lose what no longer fits. None where one would have to grow."""
    given = {**inputs_of(case), **changed}
    for argument in case.contract.arguments:
        note = argument.memory
        if not isinstance(note, In | InOut):
            continue
        shape = axes(note, given)
        array = given[argument.name]
        if any(n > m for n, m in zip(shape, array.shape, strict=True)):
            return None
        given[argument.name] = array[tuple(slice(n) for n in shape)]
    made = build(case.contract, case.name, **given)
    memory = {name: replace(region, skew=case.memory[name].skew) for name, region in made.memory.items()}
    return replace(made, memory=memory)
