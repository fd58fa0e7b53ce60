"""Contracts of requantisation by itself: a vector of int32 sums to bytes, by each scheme.

The same work done in several ways, so that their instructions can be counted beside each other. Sixteen values at
a time: a caller with another number of them fills up the last sixteen.

Source: (K38, R01, R02, R03, R04, R05, R08, X29, Y09, Y10).
"""

from __future__ import annotations

from neonsim.quant.params.requant import vector_block
from neonsim.quant.rounding import served
from neonsim.ukernel.contract import Family, In, Out, Params, Size

__all__ = ["VECTOR"]

VECTOR = Family("requantize", n=Size("a multiple of 16, >= 16"), x=In("int32", "n"), y=Out("uint8", "n"),
                params=Params())
for row in served("requantize"):
    VECTOR.row(f"qu8_requantize_{row.word}", lambda params, x: params.requantize(x), params=vector_block(row),
               says=f"Requantise {row.says}.", source=f"{row.source}; requantization {row.word!r}")
