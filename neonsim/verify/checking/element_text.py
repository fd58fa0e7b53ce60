"""One output element in numbers: what the contract's definition adds up, and how the sum becomes a byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neonsim.quant.fixedpoint import rdivpot, srdhm, wrap
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel import Case
from neonsim.ukernel.packing.param_blocks import is_block

__all__ = ["describe_element"]

TERMS = 8  # of a sum that are written out


def describe_element(case: Case, output: str, index: tuple[int, ...]) -> list[str]:
    """Lines that lead from the inputs to element ``index`` of the argument ``output``, as its definition says.

    For contracts whose arithmetic is not written out here: the formula of the definition and the numbers it is given.
    """
    views = case.views()
    found = _SPELLED.get(case.contract.name)
    if found is not None:
        return found(case, views, index)
    formula = [line.strip() for line in case.contract.doc.splitlines() if "<-" in line]
    numbers = ", ".join(f"{a.name} = {views[a.name]}" for a in case.contract.arguments
                        if isinstance(views.get(a.name), int | np.integer))
    lines = [*formula, f"with {numbers}"]
    return [*lines, *(f"     {name} = {value}" for name, value in views.items() if is_block(value))]


def _sum(products: Sequence[tuple[str, int]], tail: Sequence[tuple[str, int]] = ()) -> tuple[str, int]:
    """("(13-7)*(200-127) + ... + 55", total), the middle of a long sum left out."""
    total = sum(value for _, value in products) + sum(value for _, value in tail)
    words = [word for word, _ in products]
    if len(words) > TERMS:
        hidden = products[TERMS - 2:-1]
        words = [*words[:TERMS - 2], f"({len(hidden)} more: {sum(v for _, v in hidden)})", words[-1]]
    return " + ".join([*words, *(word for word, _ in tail)]), total


def _q31(acc: int, params: Q31Params) -> list[str]:
    """From an accumulator to a byte."""
    high = int(srdhm(acc, params.multiplier))
    shifted = int(rdivpot(high, params.shift))
    zero, low, top = params.output_zero_point, params.output_min, params.output_max
    byte = min(max(shifted + zero, low), top)
    return [f"requantised: ({acc} * {params.multiplier} + 2**30) >> 31 = {high}; / 2**{params.shift}, halves away from "
            f"zero = {shifted}",
            f"             + zero point {zero} = {shifted + zero}; kept within {low}..{top} = {byte}"]


def _wrapped(total: int) -> tuple[int, str]:
    acc = int(wrap(total))
    return acc, f" = {total}" + (f", as int32 {acc}" if acc != total else "")


def _product(case: Case, views: dict[str, Any], index: tuple[int, ...]) -> list[str]:
    i, j = index
    params, w = views["params"], views["w"]
    za, zw = params.a_zero_point, params.w_zero_point
    row, column = views["a"][i].tolist(), w.unpacked[:, j].tolist()
    terms = [(f"({x}-{za})*({y}-{zw})", (x - za) * (y - zw)) for x, y in zip(row, column, strict=True)]
    bias = int(w.original_bias[j])
    text, total = _sum(terms, [(f"bias {bias}", bias)])
    acc, value = _wrapped(total)
    head = [f"acc[{i}, {j}] = sum over k of (a[{i}, k] - {za}) * (w[k, {j}] - {zw}) + bias[{j}]", f"          = {text}"]
    if case.contract.name == "qu8_gemm_s32":
        return [*head, f"         {value}", f"c was {'added to' if views['accumulate'] else 'replaced'}"]
    return [*head, f"         {value}", *_q31(acc, params)]


def _sumrows(case: Case, views: dict[str, Any], index: tuple[int, ...]) -> list[str]:
    i, factor = index[0], views["multiplier"]
    text, total = _sum([(str(x), x) for x in views["a"][i].tolist()])
    _, value = _wrapped(total * factor)
    return [f"sums[{i}] = {factor} * (sum over j of a[{i}, j])", f"        = {factor} * ({text}) = {factor} * {total}",
            f"       {value}"]


def _vadd(case: Case, views: dict[str, Any], index: tuple[int, ...]) -> list[str]:
    i, p = index[0], views["params"]
    a, b = int(views["a"][i]), int(views["b"][i])
    total = p.a_multiplier * (a - p.a_zero_point) + p.b_multiplier * (b - p.b_zero_point)
    return [f"{p.a_multiplier} * ({a}-{p.a_zero_point}) + {p.b_multiplier} * ({b}-{p.b_zero_point}) = {total}",
            f"rounded / 2**{p.shift} = {total / 2**p.shift:.4f}; + zero point {p.output_zero_point}, kept within "
            f"{p.output_min}..{p.output_max}"]


_SPELLED: dict[str, Callable[[Case, dict[str, Any], tuple[int, ...]], list[str]]] = {
    "qu8_gemm_q31": _product, "qu8_gemm_xzp_q31": _product, "qu8_gemm_s32": _product, "qu8_sumrows": _sumrows,
    "qu8_vadd": _vadd,
}
