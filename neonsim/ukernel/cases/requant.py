"""Cases of requantisation: uniform sums, sums next to every result, exact halves of both signs, the ends of int32."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.requant import vector_params
from neonsim.quant.rounding import precise, rounding_named
from neonsim.ukernel.case import Case, build
from neonsim.ukernel.cases.common import drawn, edge_sums
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.requant import VECTOR
from neonsim.ukernel.naming import Tile

__all__ = ["GENERATORS"]


def _sums(kind: str, n: int, scale: float, zero: int, rng: np.random.Generator) -> NDArray[np.int32]:
    results = rng.integers(-zero - 2, 258 - zero, n)
    if kind == "uniform":
        # Not only next to exact results: two roundings err in between (Z12).
        x: NDArray[Any] = rng.uniform(-zero - 20, 275 - zero, n) / scale
    elif kind == "halves":
        x = (results + 0.5) / scale
    elif kind == "near_halves":
        x = (results + 0.5) / scale + rng.choice([-1, 1], n)
    elif kind == "small":
        x = rng.integers(-8, 9, n)
    elif kind == "extremes":
        return edge_sums(rng, n)
    else:
        x = rng.integers(-(1 << 31), 1 << 31, n)
    return np.round(np.asarray(x, np.float64)).clip(-(1 << 31), (1 << 31) - 1).astype(np.int32)


def _vectors(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    scheme = contract.name.rpartition("_")[2]
    row = rounding_named(scheme)
    wide = row.below > 1 and row.body is not precise.row.body   # whose kernels shift by 24 bits at least
    scales = [2.0**-k for k in range(1, 32, 1 if full else 5)]
    scales += [0.75, 0.5, 1 / 3, 1 / 90, 0.0111111119, 1e-4, 2.0**-31 * 1.5]
    scales += [1.0, 1.5, 7.3, 255.0] if wide else [1 - 2.0**-24]
    kinds = ("uniform", "halves", "near_halves", "small", "extremes", "whole_range")
    for rng, i, j, kind, _ in drawn(seed, range(len(scales)), kinds):
        scale = scales[i]
        zero = (0, 128, 255, int(rng.integers(0, 256)))[(i + j) % 4]
        low, high = (0, 255) if (i + j) % 3 else (50, 180)
        n = 16 if not full else 16 * (1 + (i + j) % 4)
        if not full and kind == "uniform":
            n = 16 * (1 + i % 3)
        yield build(contract, f"scale{scale:.3g}_{kind}_zp{zero}_n{n}_{i}", n=n,
                    x=_sums(kind, n, scale, zero, rng), params=vector_params(scheme, scale, zero, low, high))


GENERATORS: dict[Any, Any] = {VECTOR: _vectors}
