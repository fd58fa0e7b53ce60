"""Cases of GEMM: tiles of uint8, and row sums."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from neonsim.ukernel.case import Case, build
from neonsim.ukernel.cases.common import DEEP, ENDS, KINDS, beyond, bytes_of, kinds_for, scaling, zero_points
from neonsim.ukernel.cases.gemm_columns import depth_of
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.gemm import GEMM, GEMM_PACKED, GEMM_S32, GEMM_XZP, SUMROWS
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing import PackedWeights, pack_gemm, pack_gemm_xzp

__all__ = ["DEEP_CASES", "GENERATORS", "SHAPED", "depth_name"]

DEPTHS = (*range(1, 41), 64, 257)


def depth_name(k: int) -> str:
    """The depth as QNNPACK's tests name it."""
    return "k_eq_8" if k == 8 else f"k_lt_8_{k}" if k < 8 else f"k_div_8_{k}" if k % 8 == 0 else f"k_gt_8_{k}"


def _sizes(tile: Tile, full: bool) -> Iterator[tuple[int, int, int]]:
    """Every tile size at every depth; quick: each depth with a few tile sizes, the whole tile at the edges."""
    sizes = [(mr, nr) for mr in range(1, tile.mr + 1) for nr in range(1, (tile.nr or 1) + 1)]
    if full:
        yield from ((mr, nr, k) for k in DEPTHS for mr, nr in sizes)
        return
    plan = []
    for i, k in enumerate((1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 24)):
        # All rows at every depth: with fewer, the last row is computed again in place of the others, and hides them.
        plan.append((tile.mr, (1 + 3 * i % (tile.nr or 1)) if k % 8 else tile.nr or 1, k))
    plan += [(mr, tile.nr or 1, 11) for mr in range(1, tile.mr)]
    plan += [(tile.mr, nr, 10) for nr in range(1, tile.nr or 1)]
    # The last depth of a rest in every column.
    plan += [(tile.mr, tile.nr or 1, k) for k in (7, 15)]
    yield from dict.fromkeys(plan)


def _product(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int, *,
             a_zero_point: int | None = None, w_zero_point: int | None = None, **limits: int) -> Case:
    za, zw = zero_points(kind, rng, a_zero_point, w_zero_point)
    a, w = bytes_of(kind, (mr, kc), rng, za), bytes_of(kind, (nr, kc), rng, zw, weights=True)
    acc = (a.astype(np.int64) - za) @ (w.astype(np.int64).T - zw)
    bias, params, words = scaling(kind, acc, rng, za, zw, **limits)
    assert tile.nr is not None
    zeros = {"a_zero_point": za, "w_zero_point": zw}
    given: dict[str, Any] = {"mr": mr, "nr": nr, "kc": kc, "a": a, "params": params}
    given["a_stride"] = kc + int(rng.choice([0, 1, 3, 37]))
    given["c_stride"] = nr + int(rng.choice([0, 1, 5, 17]))
    packed: PackedWeights
    if contract.family is GEMM_XZP:
        packed = pack_gemm_xzp(w, bias, nr=tile.nr, **zeros)
        given["a_sum"] = (a.astype(np.int64).sum(axis=1) * -zw).astype(np.int32)
    else:
        packed = pack_gemm(w, bias, nr=tile.nr, **zeros)
    if contract.family is GEMM_S32:
        given["c_stride"] = 4 * (nr + int(rng.choice([0, 1, 5])))
        given["accumulate"] = 0 if kind == "near_32" else kc % 2
        given["c"] = rng.integers(-(1 << 31), 1 << 31, (mr, nr)).astype(np.int32)
    name = (f"{depth_name(kc)}_m{mr}_n{nr}_{kind}_azp{za}_bzp{zw}"
            f"_strided_a{given['a_stride']}_c{given['c_stride']}{words}")
    return build(contract, name, w=packed, **given)


def _products(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for i, (mr, nr, k) in enumerate(_sizes(tile, full)):
        rng = np.random.default_rng((seed, mr, nr, k))
        for kind in kinds_for(i) if full else KINDS:
            yield _product(contract, tile, kind, rng, mr, nr, k)
    rng = np.random.default_rng(seed)
    for k in (8, 13):
        whole = partial(_product, contract, tile, "uniform", rng, tile.mr, tile.nr or 1, k)
        for za, zw in ENDS:
            yield whole(a_zero_point=za, w_zero_point=zw)
        if contract.family is not GEMM_S32:
            # A sum alone comes to 128, the middle: the limits then lie beyond it.
            beyond = 12 if tile.mr * (tile.nr or 1) == 1 else 0
            yield whole(output_min=128 + beyond)
            yield whole(output_max=128 - beyond)


def _sums(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    depths = (*DEPTHS, 1000) if full else (1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48)
    for k in depths:
        for m in range(1, tile.mr + 1) if full else {1 + k % tile.mr, tile.mr}:
            rng = np.random.default_rng((seed, m, k))
            for kind in ("uniform", "zeros", "ones", "ends"):
                stride = k + int(rng.choice([0, 1, 7, 64]))
                factor = int(rng.choice([0, -1, -127, -255, (1 << 31) - 1, -(1 << 31)]))
                yield build(contract, f"k{k}_m{m}_{kind}_stride{stride}_times{factor}", m=m, k=k, stride=stride,
                            a=bytes_of(kind, (m, k), rng, 0), multiplier=factor)


def _packed(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    columns = tile.nr or 4
    for k in range(2, 41, 2) if full else (2, 4, 6, 16, 30):
        for accumulate in (0, 1):
            rng = np.random.default_rng((seed, k, accumulate))
            for i, kind in enumerate(("uniform", "zeros", "ones", "ends", "uniform")):
                a, w = bytes_of(kind, (k // 2, 3, 2, 4), rng, 0), bytes_of(kind, (k // 2, columns // 4, 2, 4), rng, 0)
                stride = 4 * (12 + int(rng.choice([0, 1, 4])))
                yield build(contract, f"k{k}_{kind}_accumulate{accumulate}_stride{stride}_{i}", k=k, a=a, w=w,
                            c=rng.integers(-(1 << 31), 1 << 31, (columns, 12)).astype(np.int32), c_stride=stride,
                            accumulate=accumulate, columns=columns)


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    depth = depth_of("uint8") + more
    yield from (_product(contract, tile, kind, rng, tile.mr, tile.nr or 1, depth) for kind in DEEP)


def _deep_sums(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """Sums that leave 16 bits in one lane, in eight, in thirty-two. Those of 32 bits would take 16 843 010 bytes: the
    factor takes what is stored to the end of int32."""
    for lanes, m in ((1, tile.mr), (8, tile.mr), (32, 1)):
        k = beyond(16, 255, lanes) + more
        factor = ((1 << 31) - 1) // (255 * k)
        yield build(contract, f"k{k}_m{m}_beyond_16_stride{k}_times{factor}", m=m, k=k, stride=k,
                    a=np.full((m, k), 255, np.uint8), multiplier=factor)


def _deep_packed(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    k, columns = depth_of("uint8") + 2 * more, tile.nr or 4
    a, w = np.full((k // 2, 3, 2, 4), 255, np.uint8), np.full((k // 2, columns // 4, 2, 4), 255, np.uint8)
    before = (0, (1 << 31) - 1 - 255 * 255 * k)
    for kind, start in zip(DEEP, before, strict=True):
        yield build(contract, f"k{k}_{kind}_accumulate1_stride48", k=k, a=a, w=w,
                    c=np.full((columns, 12), start, np.int32), c_stride=48, accumulate=1, columns=columns)


_TILES = (GEMM, GEMM_XZP, GEMM_S32)
GENERATORS: dict[Any, Any] = {**dict.fromkeys(_TILES, _products), SUMROWS: _sums, GEMM_PACKED: _packed}
DEEP_CASES: dict[Any, Any] = {**dict.fromkeys(_TILES, _deep), SUMROWS: _deep_sums, GEMM_PACKED: _deep_packed}
SHAPED: dict[Any, Any] = dict.fromkeys(_TILES, _product)
