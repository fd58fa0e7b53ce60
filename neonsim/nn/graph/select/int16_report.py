"""Which products of a native network are summed in 16 bits, which are taken by halves, and why the others are not:
lines of `plan.explain()`.

VPMADDUBSW multiplies unsigned bytes by signed ones, two neighbours to a sum of 16 bits that saturates: twice the
products of VPMADDWD, and wrong where a sum leaves 16 bits. Weights are known when a network is planned, so it is known
where: native/src/network/gemm/int16_accum.c. By halves, seven products do what eight do: strassen.c beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from neonsim.nn.backends.native.network import GemmChoice

__all__ = ["explain_accumulator_width"]

_HEAD = ("layer", "sums", "groups", "runs of 4", "of 2", "in parts", "of the time in 32 bits", "by halves")
# By the library's names; those that are not asked have kernels without, or runs, which are quicker.
_STRASSEN = {"used": "7 for 8", "not_considered": "-", "grouped": "no: groups", "few_rows": "no: few rows",
              "few_depths": "no: few depths", "few_columns": "no: few columns"}


def _row(owner: str, one: GemmChoice) -> tuple[str, ...]:
    counts = one.quad_runs, one.pair_runs, one.split_groups
    runs = tuple(f"{count:,}" for count in counts) if one.int16_accumulation else ("-", "-", "-")
    asked = (f"{one.groups:,}", *runs, f"{one.percent} %") if one.groups else ("-",) * 5
    return owner, "16 bits" if one.int16_accumulation else "32 bits", *asked, _STRASSEN[one.strassen]


def explain_accumulator_width(owners: Sequence[str], products: Sequence[GemmChoice]) -> list[str]:
    """A table as lines: groups of four depths, the runs they make, what that would cost, whether halves are taken; none
    if neither was looked into.

    owners     the node of every layer
    products   how each was multiplied
    """
    asked = [(owner, one) for owner, one in zip(owners, products, strict=True)
             if one.groups or one.strassen != "not_considered"]
    rows = [_row(owner, one) for owner, one in asked]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    narrow, by_halves = sum(one.int16_accumulation for _, one in asked), sum(one.strassen == "used" for _, one in asked)
    lines = ["  ".join(cell.ljust(width) if number < 2 else cell.rjust(width)
                       for number, (cell, width) in enumerate(zip(row, widths, strict=True))) for row in (_HEAD, *rows)]
    return [f"sums of 16 bits where the weights prove that they fit, in {narrow} of {len(rows)} products (modelled); "
            f"others by halves, seven products for eight, in {by_halves}:",
            *lines]
