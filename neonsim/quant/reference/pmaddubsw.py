"""Sums of two products in 16 bits: VPMADDUBSW of x86, where it saturates, and the weights for which it cannot.

    y = sat16(a0 * w0 + a1 * w1)        a unsigned bytes, w signed ones

A product fits 16 bits, a sum of two may not: 2 * 255 * 127 = 64 770. Libraries that multiply so are right for most
data, and wrong where a pair of neighbours is large. Because a is never negative, the largest sum of a pair is the
largest a times its positive weights. The smallest is the largest a times its negative weights. So the weights alone
decide whether it fits.

Sources: (B01), (B05); who multiplies so (B06), and what becomes of it in a network (B07).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument

__all__ = ["exact_sums", "pair_reach", "pairs_that_fit", "saturating_sums"]

INT16 = np.iinfo(np.int16)


def _even(depth: int) -> None:
    if depth % 2:
        raise BadArgument(f"{depth} depths: pairs need an even depth. Add a column of zeros")


def exact_sums(a: NDArray[Any], w: NDArray[Any]) -> NDArray[np.int64]:
    """a @ w.T with sums as long as they need.

    a   uint8 [rows, depth]
    w   int8 [columns, depth]
    """
    return a.astype(np.int64) @ w.astype(np.int64).T


def saturating_sums(a: NDArray[Any], w: NDArray[Any]) -> NDArray[np.int64]:
    """a @ w.T as by VPMADDUBSW: neighbours in 16 bits that saturate, those added up without loss.

    a   uint8 [rows, depth]
    w   int8 [columns, depth]

    Raises BadArgument for an odd depth.
    """
    _even(a.shape[1])
    first, second = a[:, None, ::2].astype(np.int32), a[:, None, 1::2].astype(np.int32)
    sums: NDArray[np.int64] = np.clip(first * w[:, ::2] + second * w[:, 1::2], INT16.min, INT16.max).sum(
        -1, dtype=np.int64)
    return sums


def pair_reach(w: NDArray[Any], max_byte: int = 255) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The smallest and the largest sum that each pair of neighbours can have, int64 [columns, depth / 2].

    w      int8 [columns, depth]
    max_byte  the largest byte that rows can have: 255, or less where it is known

    Raises BadArgument for an odd depth.
    """
    _even(w.shape[1])
    pairs = w.astype(np.int64).reshape(len(w), -1, 2)
    return max_byte * np.minimum(pairs, 0).sum(-1), max_byte * np.maximum(pairs, 0).sum(-1)


def pairs_that_fit(w: NDArray[Any], max_byte: int = 255) -> NDArray[np.bool_]:
    """Which pairs cannot saturate, whatever the rows are: bool [columns, depth / 2]. Arguments: `pair_reach`."""
    low, high = pair_reach(w, max_byte)
    return (low >= INT16.min) & (high <= INT16.max)
