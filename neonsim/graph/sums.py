"""Which products of a native network are summed in 16 bits, and why the others are not: lines of `plan.explain()`.

VPMADDUBSW multiplies unsigned bytes by signed ones, two neighbours to a sum of 16 bits that saturates: twice the
products of VPMADDWD, and wrong where a sum leaves 16 bits. Weights are known when a network is planned, so it is known
where: native/src/network/runs.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from neonsim.backends.network import Multiplied

__all__ = ["explain_sums"]

_HEAD = ("layer", "sums", "groups", "runs of 4", "of 2", "in parts", "of the time in 32 bits")


def explain_sums(owners: Sequence[str], products: Sequence[Multiplied]) -> list[str]:
    """A table as lines: groups of four depths, the runs they make, and what that would cost; none if none was asked.

    owners     the node of every layer
    products   how each was multiplied
    """
    rows = [(owner, "16 bits" if one.in_runs else "32 bits", f"{one.groups:,}", *(
        (f"{one.fours:,}", f"{one.twos:,}", f"{one.split:,}") if one.in_runs else ("-", "-", "-")), f"{one.percent} %")
        for owner, one in zip(owners, products, strict=True) if one.groups]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    count = sum(row[1] == "16 bits" for row in rows)
    lines = ["  ".join(cell.ljust(width) if number < 2 else cell.rjust(width)
                       for number, (cell, width) in enumerate(zip(row, widths, strict=True))) for row in (_HEAD, *rows)]
    return [f"sums of 16 bits where the weights prove that they fit, in {count} of {len(rows)} products (modelled):",
            *lines]
