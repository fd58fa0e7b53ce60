"""Cases of Winograd's transforms and of their product: counts around every vector, rows apart, the ends of int16."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.winograd.bytecode import words_of
from neonsim.quant.winograd.straightline import transform_program
from neonsim.ukernel.case import Case, build
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.winograd import GEMM_S16, SHIFTED, TRANSFORM, ZEROED
from neonsim.ukernel.naming import Tile

__all__ = ["DEEP_CASES", "GENERATORS"]

_KINDS = ("uniform", "ends", "units", "cancelling")


def _values(kind: str, dtype: str, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[Any]:
    """Numbers of any size; the largest; one row at a time; neighbours that cancel but for their last bits."""
    if dtype == "float32":
        if kind == "ends":
            return np.asarray(rng.choice([-1.0, 1.0], shape) * 2.0**rng.integers(-60, 60, shape), np.float32)
        if kind == "cancelling":
            return (1 + rng.integers(0, 8, shape) * 2.0**-23).astype(np.float32)
        found: NDArray[Any] = rng.normal(size=shape).astype(np.float32)
    else:
        ends = np.iinfo(dtype)
        if kind == "ends":
            return np.asarray(rng.choice(np.array([ends.min, ends.min + 1, 0, 1, ends.max], dtype), shape))
        if kind == "cancelling":
            return np.asarray(ends.max - rng.integers(0, 3, shape), dtype)
        found = rng.integers(ends.min, ends.max + 1, shape).astype(dtype)
    if kind == "units":
        found *= np.arange(shape[1])[np.newaxis] % shape[0] == np.arange(shape[0])[:, np.newaxis]
    return found


def _transforms(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    x, y = (next(a.memory for a in contract.arguments if a.name == which) for which in ("x", "y"))
    assert x is not None
    assert y is not None
    program = transform_program(contract.name.rpartition("_")[2], tile.mr, tile.nr or 1, integer=x.dtype != "float32")
    words = words_of(program)
    sizes = {"inputs": program.inputs, "outputs": len(program.outputs), "steps": len(words)}
    for i, count in enumerate(range(1, 41) if full else (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24)):
        for j, kind in enumerate(_KINDS):
            rng = np.random.default_rng((seed, count, j))
            apart, out = (np.dtype(one.dtype).itemsize * (count + (i + j + k) % 3 * 5)
                          for k, one in enumerate((x, y)))
            low, high = (-128, 127) if x.dtype == "int8" else (0, 255)
            zero = {"zero_point": (low, high, 0, int(rng.integers(low, high)))[(i + j) % 4]} \
                if contract.family is ZEROED else {}
            if contract.family is SHIFTED:
                zero = {"shift": (0, 1, 6, 31)[(i + j) % 4]}
            yield build(contract, f"count{count}_{kind}_x{apart}_y{out}", count=count,
                        x=_values(kind, x.dtype, (program.inputs, count), rng), x_stride=apart, y_stride=out,
                        program=words, **sizes, **zero)


def _products(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for k in (*range(1, 10), 13, 16, 33) if full else (1, 3, 4, 5, 8, 17):
        for mr in range(1, tile.mr + 1) if full else {1 + k % tile.mr, tile.mr}:
            for nr in range(1, 9) if full or k == 4 else {1 + (k + mr) % 8, 8}:
                for j, kind in enumerate(("uniform", "ends")):
                    rng = np.random.default_rng((seed, k, mr, nr, j))
                    yield build(contract, f"k{k}_m{mr}_n{nr}_{kind}", mr=mr, nr=nr, kc=k,
                                a=_values(kind, "int16", (mr, k), rng), a_stride=2 * (k + (k + j) % 3),
                                w=_values(kind, "int16", (k, 8), rng),
                                bias=rng.integers(-1 << 31, 1 << 31, 8).astype(np.int32), c_stride=4 * (nr + k % 4))


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """Sums just within 32 bits, of either sign; each product is beyond 16."""
    k, signs = 63, np.where(np.arange(8) % 2, -1, 1)
    yield build(contract, f"k{k}_m{tile.mr}_n8_near_32", mr=tile.mr, nr=8, kc=k,
                a=np.full((tile.mr, k), 1 << 12, np.int16), a_stride=2 * k,
                w=np.broadcast_to(signs << 13, (k, 8)).astype(np.int16),
                bias=np.where(signs < 0, 1 - (1 << 25), (1 << 25) - 1).astype(np.int32), c_stride=32)


GENERATORS: dict[Any, Any] = {GEMM_S16: _products, **dict.fromkeys((TRANSFORM, ZEROED, SHIFTED), _transforms)}

DEEP_CASES: dict[Any, Any] = {GEMM_S16: _deep}
