"""What rules of rounding make of the same sums, and why two of them end in different bytes.

    by_rules(operator, values)           every element by every rule
    reason(first, second, names)         two accounts of one element: what they differ in, in words
    alternatives(account)                one sum by every rule
    needed(account, value)               which sums would have given another byte
    line_of(accounts)                    accounts of one sum as one line of numbers, to be drawn
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.ops.explain.element import ElementTrace, place
from neonsim.nn.ops.explain.requant_steps import RequantTrace, trace_scheme
from neonsim.nn.ops.operator import Operator
from neonsim.quant.requant.lab import SCHEMES, Counterexample, Steps, result
from neonsim.quant.rounding import scheme_name

__all__ = ["alternatives", "by_rules", "line_of", "needed", "reason"]


def by_rules(operator: Operator, values: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What every rule of rounding makes of an operator's sums; {} for operators that do not round sums.

    ->   {"fp32_lrint": the whole result, ...}: rules that take the operator's scales
    """
    sums, scale = operator.accumulators(*values), operator.single_scale
    if sums is None or scale is None:
        return operator.by_other_rules(*values)
    found = {}
    for name in _rules(scale):
        rounded = result(sums.astype(np.int64), scale, name) + operator.out.zero_point
        found[name] = np.clip(rounded, operator.output_min, operator.output_max).astype(operator.out.dtype)
    return found


def _rules(scale: Any) -> list[str]:
    """Schemes that take these scales, in single precision, and differ from one another. Runtimes with scales in double
    precision are arithmetics."""
    single = np.asarray(scale, np.float32)
    return [name for name, rule in SCHEMES.items() if not rule.alike
            and ((single >= 2.0**-32) & (single < rule.below)).all()]


def alternatives(element: ElementTrace) -> dict[str, RequantTrace]:
    """One sum by every rule that takes its scale; {} where it is not multiplied with one float32 number."""
    way = element.requantized
    if way is None or way.scale is None or element.total is None:
        return {}
    return {name: trace_scheme(element.total, way.scale, name, way.zero_point, way.low, way.high) for name
            in _rules(way.scale)}


def needed(element: ElementTrace, value: int) -> str:
    """Which sums would have given another byte, and how far this one is from them; "" where there is no sum."""
    way = element.requantized
    if way is None or not element.total or not way.exact or value == way.value:
        return ""
    factor, target = way.exact / element.total, value - way.zero_point
    low, high = (math.ceil((target - Fraction(1, 2)) / factor), math.floor((target + Fraction(1, 2)) / factor))
    ends = (None if value == way.low else low), (None if value == way.high else high)
    if not way.low <= value <= way.high:
        return f"{value} lies outside the limits {way.low}..{way.high} of this layer"
    said = f"sums from {low} to {high}" if None not in ends else f"sums up to {high}" if ends[0] is None else \
        f"sums from {low} on"
    off = low - element.total if element.total < low else element.total - high
    return (f"{value} would need {said} (but for ties): this one is {abs(off)} "
            f"{'below' if element.total < low else 'above'}")


def reason(first: ElementTrace, second: ElementTrace, names: tuple[str, str]) -> str:
    """Why two accounts of one element end in different bytes, in words; "" if they do not, or the reason is unknown."""
    if first.value == second.value:
        return ""
    if first.total is not None and second.total is not None and first.total != second.total:
        return _other_terms(first, second, names)
    one, other = first.requantized, second.requantized
    if one is None or other is None or first.total is None:
        return ""
    rules = scheme_name(one.rule), scheme_name(other.rule)
    exact = not one.factor and not other.factor
    if exact and one.scale is not None and one.scale == other.scale and all(rule in SCHEMES for rule in rules):
        witness = Counterexample(first.total, one.scale, rules, (one.rounded, other.rounded), one.exact)
        return f"one sum, {first.total}, two rules: {witness.reason}"
    near = f"{float(one.exact):.12g}" + (f" or {float(other.exact):.12g}" if one.exact != other.exact else "")
    told = [f"{name} by {way.rule} {_given(way)}to {way.rounded}"
            for name, way in zip(names, (one, other), strict=True)]
    return f"one sum, {first.total}, which is {near}; rounded in {', in '.join(told)}"


def _given(way: RequantTrace) -> str:
    """What its last rounding starts from, where that is something else than the product."""
    start = way.rounding_input
    return "" if start is None or start == way.exact else f"from {float(start):.12g} "


def _other_terms(first: ElementTrace, second: ElementTrace, names: tuple[str, str]) -> str:
    """What the sums differ in."""
    told = [f"the sums differ: {first.total} and {second.total}"]
    if first.bias != second.bias:
        told.append(f"the bias is {first.bias} in {names[0]}, {second.bias} in {names[1]}")
    one, other = first.terms, second.terms
    if one is not None and other is not None and one.x.shape == other.x.shape:
        for what, a, b, places in (("x", one.x, other.x, one.x_places), ("w", one.w, other.w, one.w_places)):
            unequal = np.flatnonzero(a != b)
            if unequal.size:
                i = int(unequal[0])
                told.append(f"{unequal.size} of {a.size} values of {what} differ, first {what}{place(places[i])}: "
                            f"{int(a[i])} in {names[0]}, {int(b[i])} in {names[1]}")
    return "; ".join(told)


def line_of(accounts: Mapping[str, ElementTrace]) -> Steps | None:
    """Several accounts of one sum as one line of numbers, for `pictures.requant`; None if there is no such line."""
    ways = {name: one.requantized for name, one in accounts.items() if one.requantized is not None}
    totals = {one.total for one in accounts.values() if one.requantized is not None}
    if not ways or len(totals) != 1 or None in totals:
        return None
    first = next(iter(ways.values()))
    (total,) = totals
    assert total is not None
    scale = first.scale if first.scale is not None else float(first.exact / total) if total else 0.0
    return Steps(total, scale, first.exact, {name: way.steps for name, way in ways.items()},
                 {name: way.rounded for name, way in ways.items()})
