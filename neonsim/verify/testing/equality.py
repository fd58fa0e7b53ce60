"""Is a function what its reference says? Calls one by one under the sanitizer, and the smallest one that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from neonsim.errors import MachineError
from neonsim.ukernel import Case, Outcome, Tile, build
from neonsim.ukernel.case import RETURNED, axes
from neonsim.ukernel.contract import In, InOut, Out
from neonsim.verify.checking import ContractRun, FailingCase, KernelUnderTest

from .cases import Cases, inputs_of, placed
from .failure import Artifacts, FunctionFailure, mismatch
from .function import MAX_STEPS, Function
from .hypothesis_cases import smallest_failing
from .reference import definition_from

__all__ = ["explained", "require_equal"]

TRIED = 150     # smaller calls that are looked at
EACH = 64       # smallest values of a size that are tried one by one


def require_equal(function: Function, reference: Callable[..., Any], cases: Cases | Case | Iterable[Case],
                  seed: int, artifacts: Artifacts, ulps: int = 0) -> int:
    """Compare a function with a reference, byte for byte, call by call; returns how many calls there were.

    ulps   of floats: n numbers beside the reference's may a result be

    Raises FunctionFailure with the smallest call that fails, BadArgument for a reference or cases that do not fit it.
    """
    judged = function.with_reference(definition_from(function, reference))
    name = getattr(reference, "entry", None) or getattr(reference, "__name__", "")
    name = f"its reference {name}".rstrip().replace(" <lambda>", "")
    count = 0
    if isinstance(cases, Cases):
        made: Any = cases.calls(judged, seed)
    else:
        made = [replace(case, contract=judged.contract) for case in ([cases] if isinstance(cases, Case) else cases)]
    for case in made:
        count += 1
        if fails(judged, case, ulps):
            smallest = _shrunk(judged, case, ulps, cases) if isinstance(cases, Cases) else case
            raise _failure(judged, smallest, ulps, name, artifacts)
    if isinstance(cases, Cases) and cases.hypothesis:
        drawn = smallest_failing(cases, judged, lambda case: fails(judged, case, ulps), seed)
        if drawn is not None:
            raise _failure(judged, drawn, ulps, name, artifacts)
        count += cases.hypothesis
    return count


def _failure(function: Function, case: Case, ulps: int, name: str, artifacts: Artifacts) -> FunctionFailure:
    return mismatch(function.entry, name, explained(function, _near(function, case, ulps)), case, artifacts)


def fails(function: Function, case: Case, ulps: int = 0) -> bool:
    """Return whether a call goes wrong, or leaves other bytes than the definition says."""
    wanted = case.expected   # what is wrong with the reference is said as it is
    assert wanted is not None
    try:
        outcome = function.run(case)
    except MachineError:
        return True
    return bool(outcome.wrong() and (not ulps or Outcome(
        _within(case, outcome, ulps), outcome.memory, outcome.result, outcome.machine).wrong()))


def _near(function: Function, case: Case, ulps: int) -> Case:
    """The call, where floats of the run that are near enough are what is expected."""
    if not ulps:
        return case
    try:
        return _within(case, function.run(case), ulps)
    except MachineError:
        return case


def _within(case: Case, outcome: Outcome, ulps: int) -> Case:
    """The same call, whose definition takes over the floats that are near enough to its own."""
    floats = {a.name: a.memory.dtype for a in case.contract.arguments
              if isinstance(a.memory, Out | InOut) and np.dtype(a.memory.dtype).kind == "f"}
    left, define = case.views(outcome.memory), case.contract.function

    def definition(**values: Any) -> Any:
        returned = define(**values)
        for name, dtype in floats.items():
            values[name][...] = np.where(_distance(values[name], left[name], dtype) <= ulps, left[name], values[name])
        kind = case.contract.returns
        if kind and np.dtype(kind).kind == "f":
            got = outcome.memory[RETURNED].view(kind)[0]
            return got if _distance(np.array(returned, kind), got, kind) <= ulps else returned
        return returned

    return replace(case, contract=replace(case.contract, function=definition))


def _distance(a: Any, b: Any, dtype: str) -> Any:
    """How many floats lie between two, plus one; 0 for equal ones, NaN is far from all but NaN."""
    def place(value: Any) -> Any:
        bits = np.asarray(value, dtype).view(f"i{np.dtype(dtype).itemsize}").astype(object)
        return np.where(bits < 0, np.iinfo(f"i{np.dtype(dtype).itemsize}").min - bits, bits)

    far = np.isnan(a) != np.isnan(b)
    return np.where(far, np.inf, np.where(np.isnan(a), 0, abs(place(a) - place(b)))).astype(float)


def explained(function: Function, case: Case) -> FailingCase:
    """Return what is wrong with a call that fails: by the interpreter, which records it."""
    what = KernelUnderTest(function.program, function.entry, function.entry, function.contract.name, Tile(1, None, 1),
                           function.reads_before, function.reads_after)
    return ContractRun(what, lambda size: (), steps=MAX_STEPS).explain(case)


def _shrunk(function: Function, case: Case, ulps: int, cases: Cases) -> Case:
    """The smallest call near one that fails: sizes first, then where arrays lie, then elements that may be zero.

    Sizes and arrays that ``cases`` says keep to what it says.
    """
    left = [TRIED]

    def still(other: Case) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(function, other, ulps)

    for size in [a.name for a in case.contract.arguments if a.kind == "size"]:
        allowed = cases.sizes.get(size)
        for number in _smaller(case.number(size)) if allowed is None else sorted(allowed):
            if number >= case.number(size):
                break
            other = _cut(function, case, {size: number})
            if other is not None and still(other):
                case = other
                break
        low, high = case.number(size) // 2, case.number(size)
        while allowed is None and high > EACH and high - low > 1 and left[0] > 0:
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
        if not isinstance(array, np.ndarray) or not array.any() or name in cases.data:
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
