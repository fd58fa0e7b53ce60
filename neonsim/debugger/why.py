"""Why two sides have different values at one element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from neonsim.debugger.explanation import Explanation, Way, explained
from neonsim.debugger.pairs import Found, Pair
from neonsim.debugger.places import Place
from neonsim.debugger.sides import Rules
from neonsim.formats import Model
from neonsim.ops.account import Account
from neonsim.ops.reasons import alternatives, needed, reason

__all__ = ["explain_found"]


def explain_found(pair: Pair, found: Found, isa: str, core: str | None) -> Explanation:
    """How both sides made the first element that differs."""
    sides: list[tuple[Rules | str, Any]] = [(pair.a, found.state)]
    if pair.b is None or (pair.moved is not None and found.place.number not in pair.moved):
        sides.append((pair.b_name, found.b_value))
    elif pair.moved is None:
        sides.append((pair.b, found.state))
    else:
        return _explain_other_file(pair, found, isa, core)
    return explained(found.place, sides, isa=isa, core=core, why=lambda ways: _why(pair, found, ways),
                     accounts=_drawn)


def _explain_other_file(pair: Pair, found: Found, isa: str, core: str | None) -> Explanation:
    """b's own numbers of tensors."""
    assert pair.b is not None and pair.moved is not None
    theirs = place_in(pair.b.model, pair.moved[found.place.number], found.place)
    one = explained(found.place, [(pair.a, found.state)], isa=isa, core=core)
    other = explained(theirs, [(pair.b, pair.to_b(found.state))], isa=isa, core=core)
    ways = (*one.ways, *other.ways)
    written = one.written if one.step is not None else other.written
    return Explanation(one.model, found.place, ways, written, _why(pair, found, ways))


def place_in(model: Model, number: int, like: Place) -> Place:
    """The same element of another file."""
    entry = next((e for e in model.record.nodes if number in e.outputs), None)
    return Place(number, like.name, like.index, entry)


def _why(pair: Pair, found: Found, ways: tuple[Way, ...]) -> str:
    first, second = ways
    one, other = first.account, second.account
    if first.value == second.value:
        return "both sides have the same value here"
    if one is not None and other is not None:
        return reason(one, other, (first.name, second.name)) or (
            f"{first.name} computes it by {one.kind}, {second.name} by {other.kind}: their definitions differ")
    if one is None:
        return ""
    value = int(second.value)
    rules = [name for name, way in alternatives(one).items() if way.value == value]
    runtimes = [known.name for known in pair.known if known is not pair.a and _gives(known, found, value)]
    told = []
    if runtimes:
        told.append(f"{value} is what {' and '.join(runtimes)} makes of the same inputs")
    if rules:
        told.append(f"the same sum, {one.total}, rounded by {' or '.join(rules)}, is {value}")
    if not told:
        told.append(f"no rule known here makes {value} of these inputs")
        told += [said for said in (needed(one, value), _swapped(found, pair)) if said]
    return "; ".join(told)


def _gives(rules: Rules, found: Found, value: int) -> bool:
    assert found.place.entry is not None
    made = rules.layer(found.place.entry.place, found.state).get(found.place.number)
    return made is not None and int(made[found.place.index]) == value


def _swapped(found: Found, pair: Pair) -> str:
    """Is the channel of b another channel of a?"""
    assert found.place.entry is not None
    mine = pair.a.layer(found.place.entry.place, found.state)[found.place.number]
    tensor = pair.model.record.tensors[found.place.number]
    mine, theirs = tensor.from_file(mine), tensor.from_file(found.own[found.place.number].reshape(mine.shape))
    channel = tensor.index_from_file(found.place.index)[-1]
    if mine.ndim < 2 or mine[..., 0].size < 4:
        return ""
    same = [c for c in range(mine.shape[-1]) if np.array_equal(mine[..., c], theirs[..., channel])]
    if not same or channel in same or np.unique(theirs[..., channel]).size < 2:
        return ""
    return f"channel {channel} of {pair.b_name} holds what is channel {same[0]} here: channels are in another order"


def _drawn(ways: tuple[Way, ...]) -> dict[str, Account]:
    """What the picture shows: both ways; beside a dump the rules that give its value, or all of them."""
    first, second = ways
    one, other = first.account, second.account
    if one is None or one.requantised is None:
        return {}
    if other is not None:
        return {first.name: one, second.name: other}
    found = {first.name: one}
    every = alternatives(one)
    right = {name: way for name, way in every.items() if way.value == second.value}
    return found | {name: replace(one, requantised=way) for name, way in (right or every).items()
                    if way.rule != one.requantised.rule}
