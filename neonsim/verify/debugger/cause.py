"""Why two sides have different values at one element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from neonsim.nn.formats import Model
from neonsim.nn.ops.explain.element import ElementTrace
from neonsim.nn.ops.explain.rounding_cause import alternatives, needed, reason
from neonsim.verify.debugger.causes import Cause, causes_of, too_large
from neonsim.verify.debugger.explain import Explanation, SideExplanation, explained
from neonsim.verify.debugger.locations import TensorElement
from neonsim.verify.debugger.pairs import MatchedElement, RuntimePair
from neonsim.verify.debugger.provenance import main_operator
from neonsim.verify.debugger.runtimes import Rules

__all__ = ["explain_match", "match_causes"]


def explain_match(pair: RuntimePair, match: MatchedElement, isa: str, core: str | None) -> Explanation:
    """Return how both sides made the first element that differs."""
    sides: list[tuple[Rules | str, Any]] = [(pair.a, match.state)]
    if pair.b is None or (pair.moved is not None and match.place.number not in pair.moved):
        sides.append((pair.b_name, match.b_value))
    elif pair.moved is None:
        sides.append((pair.b, match.state))
    else:
        return _explain_other_file(pair, match, isa, core)
    return explained(match.place, sides, isa=isa, core=core, cause=lambda ways: _why(pair, match, ways),
                     accounts=_drawn)


def _explain_other_file(pair: RuntimePair, found: MatchedElement, isa: str, core: str | None) -> Explanation:
    """b's own numbers of tensors."""
    assert pair.b is not None and pair.moved is not None
    theirs = place_in(pair.b.model, pair.moved[found.place.number], found.place)
    one = explained(found.place, [(pair.a, found.state)], isa=isa, core=core)
    other = explained(theirs, [(pair.b, pair.to_b(found.state))], isa=isa, core=core)
    ways = (*one.sides, *other.sides)
    written = one.writer if one.step is not None else other.writer
    return Explanation(one.model, found.place, ways, written, _why(pair, found, ways))


def place_in(model: Model, number: int, like: TensorElement) -> TensorElement:
    """Return the same element of another file."""
    entry = next((e for e in model.record.nodes if number in e.outputs), None)
    return TensorElement(number, like.name, like.index, entry)


def _why(pair: RuntimePair, found: MatchedElement, ways: tuple[SideExplanation, ...]) -> str:
    first, second = ways
    one, other = first.account, second.account
    if first.value == second.value:
        return "both sides have the same value here"
    if one is not None and other is not None:
        return reason(one, other, (first.name, second.name)) or (
            f"{first.name} computes it by {one.kind}, {second.name} by {other.kind}: their definitions differ")
    if one is None:
        return ""
    # Of integers; what floats come from has no rules.
    value = second.value
    rules = [name for name, way in alternatives(one).items() if way.value == value]
    runtimes = [known.name for known in pair.candidates if known is not pair.a and _gives(known, found, value)]
    told = []
    if runtimes:
        told.append(f"{value} is what {' and '.join(runtimes)} makes of the same inputs")
    if rules:
        told.append(f"the same sum, {one.total}, rounded by {' or '.join(rules)}, is {value}")
    if not told and isinstance(value, int):
        told.append(f"no rule known here makes {value} of these inputs")
        told += [said for said in (needed(one, value),) if said]
    return "; ".join(told)


def match_causes(pair: RuntimePair, match: MatchedElement) -> tuple[Cause, ...] | None:
    """Return what makes all bytes that a dump has of a layer, where known causes do; () of sides that are computed
    here.

    None: not tried, the layer is too large.
    """
    place, tensor = match.place, pair.model.record.tensors[match.place.number]
    if pair.b is not None or place.entry is None or place.number not in pair.a.lowered.tensors:
        return ()
    mine = tensor.from_file(pair.a.layer(place.entry.place, match.state)[place.number].reshape(tensor.shape or (1,)))
    theirs = tensor.from_file(match.b_tensors[place.number].reshape(tensor.shape or (1,)))
    at = int(np.ravel_multi_index(tensor.index_from_file(place.index), mine.shape))
    made = main_operator(pair.a, place.number, match.state)
    if made is None:
        return causes_of(None, (), np.ascontiguousarray(mine), np.ascontiguousarray(theirs), at)
    operator, values = made
    if too_large(operator, values, mine):
        return None
    shape = operator.output_shape(*(value.shape for value in values))
    return causes_of(operator, values, np.ascontiguousarray(mine).reshape(shape),
                     np.ascontiguousarray(theirs).reshape(shape), at)


def _gives(rules: Rules, found: MatchedElement, value: int | float) -> bool:
    assert found.place.entry is not None
    made = rules.layer(found.place.entry.place, found.state).get(found.place.number)
    return made is not None and bool(made[found.place.index] == value)


def _drawn(ways: tuple[SideExplanation, ...]) -> dict[str, ElementTrace]:
    """What the picture shows: both ways; beside a dump the rules that give its value, or all of them."""
    first, second = ways
    one, other = first.account, second.account
    if one is None or one.requantized is None:
        return {}
    if other is not None:
        return {first.name: one, second.name: other}
    found = {first.name: one}
    every = alternatives(one)
    right = {name: way for name, way in every.items() if way.value == second.value}
    return found | {name: replace(one, requantized=way) for name, way in (right or every).items()
                    if way.rule != one.requantized.rule}
