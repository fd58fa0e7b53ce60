"""Cases of products wider than bytes: every depth and column count around every loop, stretches, limits, halves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.ukernel.case import Case, build
from neonsim.ukernel.cases.common import beyond, ends_of_sums, some_of
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.wide_gemm import INT16X8, WIDE
from neonsim.ukernel.naming import Tile

__all__: list[str] = []

# uniform     any numbers of the types; the scale spreads results over the result's type
# ends        the ends of the types, of one sign: the largest sums there are
# ties        a bias alone, exact halves after scaling, of both signs
# near_ties   those, one less in size
# clamped     as uniform, with a narrow band between the limits
# wrapping    biases at the ends: sums that leave 32 or 64 bits
# beyond      the largest products, all of one sign: with `beyond` depths no lane holds its share of the sum
# near        large inputs; the bias takes the sum of each column to an end of its type
# halves      numbers around multiples of 2**31 and 2**32, where low and high halves meet; else small ones
KINDS = ("uniform", "ends", "ties", "near_ties", "clamped", "wrapping", "halves")


_STRETCHES = (255, 256, 257, 260, 512, 515, 640)


def _numbers(kind: str, dtype: str, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[Any]:
    info = np.iinfo(dtype)
    if kind in ("beyond", "near"):
        return np.full(shape, max(info.min, -(1 << 47)), dtype)
    if kind == "ends":
        return np.where(rng.random(shape) < 0.05, info.max, info.min).astype(dtype)
    if kind in ("ties", "near_ties"):
        return np.zeros(shape, dtype)
    if kind == "halves":
        unit = 1 << max(info.bits - 32, 2)
        near = rng.choice([-(1 << 31), 1 << 31, (1 << 32) - 1, 0, 1 << 30, -1, 1 << 33, -(1 << 32)], shape)
        near += rng.integers(-2, 3, shape)
        return near.astype(dtype) if info.bits == 64 else rng.integers(-unit, unit, shape).astype(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def _weights(kind: str, kc: int, nr: int, columns: int, rng: np.random.Generator) -> NDArray[np.int8]:
    w = np.zeros((kc, columns), np.int8)
    drawn = rng.integers(-128, 128, (kc, nr))
    # Long runs of one sign, and not everywhere: a lost lane must change the sum.
    often = rng.random((kc, nr)) < 0.9 if kind == "ends" else kind == "beyond"
    w[:, :nr] = np.where(often, -128, drawn)
    return w


def _scaling(kind: str, acc: NDArray[np.int64], columns: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], int,
                                                                                                int]:
    """q of 16x8, and limits; acc [mr, nr] without bias."""
    nr = acc.shape[1]
    q = np.zeros((3, columns), np.int64)
    q[1:] = [[1 << 14], [-15]]
    least, most = -(1 << 15), (1 << 15) - 1
    shift = rng.integers(8, 47, nr)
    q[1, :nr] = rng.integers(1 << 14, 1 << 15, nr)
    if kind in ("ties", "near_ties"):
        # bias * 2**14 / 2**shift must end in exactly one half.
        shift = rng.choice([15, 16, 17, 30, 40, 46], nr)
        half = rng.choice([-1, 1], nr) * (2 * rng.integers(0, 16000, nr) + 1) << shift - 15
        q[0, :nr], q[1, :nr] = half - np.sign(half) * (kind == "near_ties"), 1 << 14
    elif kind == "near":
        # Times the multiplier, and with the half of the rounding, they are just within 64 bits.
        bias = ends_of_sums(acc, 50)
        q[0, :nr], q[1, :nr] = bias - (np.sign(bias) << 33), 1 << 14
        shift = rng.choice([46], nr)
    elif kind == "wrapping":
        q[0, :nr] = rng.choice([(1 << 47) - 1, -(1 << 47), (1 << 63) - 1, -(1 << 63), 1 << 46], nr)
    else:
        q[0, :nr] = -acc.mean(axis=0).astype(np.int64) + rng.integers(-(1 << 33), 1 << 33, nr) // (1 + (kind != "ends"))
        reach = np.abs(acc + q[0, :nr]).max(axis=0)
        shift = np.clip(np.ceil(np.log2(reach + 1)).astype(np.int64), 8, 46)
        if kind == "clamped":
            least = int(rng.integers(-9000, 0))
            most = least + int(rng.integers(0, 9000))
    q[2, :nr] = -shift
    return q, least, most


def _whole(kind: str, acc: NDArray[np.int64], columns: int, dtype: str, rng: np.random.Generator) -> NDArray[Any]:
    """q of whole sums: bias and limits; acc [mr, nr] without bias."""
    info, nr = np.iinfo(dtype), acc.shape[1]
    q = np.zeros((3, columns), dtype)
    q[1], q[2] = info.min, info.max
    q[0, :nr] = rng.integers(info.min // 8, info.max // 8, nr)
    if kind == "near":
        q[0, :nr] = ends_of_sums(acc, info.bits)
    if kind == "wrapping":
        q[0, :nr] = rng.choice([info.min, info.max, info.max - 5], nr)
    if kind in ("clamped", "ties", "near_ties"):
        # Limits near what the sums are, so that some are cut off below and some above.
        q[0, :nr] = 0
        middle = acc.mean(axis=0).astype(np.int64)
        apart = (np.abs(acc - middle).max(axis=0) // 4).astype(np.int64)
        q[1, :nr], q[2, :nr] = np.clip(middle - apart, info.min, info.max), np.clip(middle + apart, info.min, info.max)
        if kind != "clamped":
            q[0, :nr], q[1, :nr] = rng.choice([-3, -1, 0, 1, 5], nr), 0       # ReLU of small sums
            q[2, :nr] = np.where(rng.random(nr) < 0.5, 2, info.max)
    return q


def _product(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int) -> Case:
    memory = {each.name: each.memory for each in contract.arguments if each.memory is not None}
    columns, result = int(memory["w"].shape.split()[1]), memory["c"].dtype
    a, w = _numbers(kind, contract.dtype, (mr, kc), rng), _weights(kind, kc, nr, columns, rng)
    with np.errstate(over="ignore"):
        acc = a.astype(np.int64) @ w[:, :nr].astype(np.int64)
    strides = {"a_stride": np.dtype(contract.dtype).itemsize * (kc + int(rng.choice([0, 1, 5]))),
               "c_stride": np.dtype(result).itemsize * (nr + int(rng.choice([0, 3])))}
    given: dict[str, Any] = {"mr": mr, "nr": nr, "kc": kc, "a": a, "w": w, **strides}
    if contract.family is INT16X8:
        given["q"], given["output_min"], given["output_max"] = _scaling(kind, acc, columns, rng)
    else:
        given["q"] = _whole(kind, acc, columns, result, rng)
    return build(contract, f"k{kc}_m{mr}_n{nr}_{kind}_strided_a{given['a_stride']}_c"
                 f"{given['c_stride']}", **given)


def _sizes(tile: Tile, full: bool) -> Iterator[tuple[int, int, int]]:
    """(mr, nr, kc)."""
    nr = tile.nr or 1
    if full:
        for kc in (*range(1, 26), 64):
            yield from ((mr, n, kc) for mr in range(1, tile.mr + 1) for n in range(1, nr + 1))
        return
    for kc in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23):
        yield tile.mr, nr if kc % 4 == 0 else 1 + kc % nr, kc
    yield from ((mr, nr, 6) for mr in range(1, tile.mr))
    yield from ((tile.mr, n, 9) for n in range(1, nr))


def _cases(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for i, (mr, nr, kc) in enumerate(_sizes(tile, full)):
        rng = np.random.default_rng((seed, mr, nr, kc))
        for kind in some_of(KINDS, i, 5, 4):
            yield _product(contract, tile, kind, rng, mr, nr, kc)
    if contract.family is INT16X8:
        for kc in _STRETCHES if full else _STRETCHES[1:6:2]:
            rng = np.random.default_rng((seed, kc))
            for kind in ("ends", "uniform"):
                yield _product(contract, tile, kind, rng, tile.mr, tile.nr or 1, kc)


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """Sums that leave 16 bits (of 16x8, which are drained from 32 bits: 32; of wider inputs each product does that), in
    one lane and spread over several; those at the ends of 32 or 64 bits."""
    if contract.family is INT16X8:
        plan = [("beyond", 0, beyond(31, 1 << 22, 1)), ("beyond", 1, beyond(31, 1 << 22, 4)), ("near", 0, 9)]
    else:
        plan = [(kind, 0, beyond(15, 1 << 14)) for kind in ("beyond", "near")]
    for kind, rows, depth in plan:
        yield _product(contract, tile, kind, rng, rows or tile.mr, tile.nr or 1, depth + more)


GENERATORS: dict[Any, Any] = dict.fromkeys((INT16X8, WIDE), _cases)
DEEP_CASES: dict[Any, Any] = dict.fromkeys((INT16X8, WIDE), _deep)
SHAPED: dict[Any, Any] = dict.fromkeys((INT16X8, WIDE), _product)
