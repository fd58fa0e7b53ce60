"""Cases of float32 kernels: every depth, column, channel and length around every loop, strides, gathered rows, limits;
data on which another order of operations, or a product rounded by itself, gives other bits.

Names as of the other kernels: k_eq, k_lt, k_gt, k_div, n_gt, n_div, strided, a_offset, zero, small_kernel, c_, batch_.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatSlopeParams
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import against, drawn, some_of
from neonsim.ukernel.cases.gemm_columns import gathered_cases, nil_rows, sizes_over_columns, words_of
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.dwconv import OFFSET
from neonsim.ukernel.contracts.elementwise import BINARY, UNARY
from neonsim.ukernel.contracts.f32 import GAINS
from neonsim.ukernel.contracts.gemm_columns import COLUMNS, INDIRECT
from neonsim.ukernel.contracts.pool import MATRIX_MEAN, WINDOWS
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing.float32 import pack_f32

__all__ = ["GENERATORS", "KINDS", "SHAPED", "numbers"]

# uniform     around 1, of both signs: every sum is rounded, and its order shows
# spread      exponents from -12 to 12: what is added late to a large sum is lost
# cancelling  runs of a number and of minus the same: what is left is what was rounded away
# zeros       zeros of both signs and few others: which zero a sum is
# clamped     as uniform, with a narrow band between the limits
KINDS = ("uniform", "spread", "cancelling", "zeros", "clamped")

Reals = NDArray[np.float32]


def numbers(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Reals:
    """Numbers of a kind, none of them subnormal, and no sum or product of few of them either."""
    found = rng.normal(0, 1, shape)
    found = np.where(np.abs(found) < 2.0**-10, 0.5, found)
    if kind == "spread":
        found = found * np.exp2(rng.integers(-12, 13, shape))
    elif kind == "cancelling":
        sign = np.where(np.arange(shape[-1]) % 2, -1.0, 1.0)
        found = sign * (1 + rng.integers(0, 2, shape) * 2.0**-23) * np.exp2(rng.integers(0, 2, shape))
    elif kind == "zeros":
        found = np.where(rng.random(shape) < 0.2, found, np.where(rng.random(shape) < 0.5, -0.0, 0.0))
    return found.astype(np.float32)


def _limits(kind: str, rng: np.random.Generator) -> tuple[float, float]:
    if kind == "clamped":
        low = float(np.float32(rng.uniform(-0.8, 0.0)))
        return low, low + float(np.float32(rng.uniform(0.1, 0.8)))
    return [(-np.inf, np.inf), (0.0, np.inf), (-np.inf, 0.0), (0.0, 6.0)][int(rng.integers(0, 4))] \
        if kind == "zeros" else (-np.inf, np.inf)


def _word(params: FloatParams | FloatMeanParams | FloatSlopeParams) -> str:
    if isinstance(params, FloatSlopeParams):
        return f"_slope{params.slope:g}"
    return f"_min{params.output_min:g}_max{params.output_max:g}"


def _table(rows: Reals, entries: NDArray[np.int64], nil: NDArray[np.bool_], offset: int,
           rng: np.random.Generator) -> Pointers:
    """Pointers to rows [count, width] in shuffled places, `offset` bytes before them; nil ones to the row of zeros.

    entries, nil   [...]   which row each pointer means, in the order of memory; whether it is the row of zeros
    """
    count, nbytes = len(rows), rows.shape[1] * 4
    pitch = nbytes + int(rng.choice([0, 4, 12]))
    places = rng.permutation(count) * pitch
    # Between the rows lie numbers, too: one read from the wrong place shows.
    image = rng.normal(3, 1, (offset + pitch * (count - 1) + nbytes) // 4).astype("<f4").view(np.uint8)
    for row, place in zip(rows, places.tolist(), strict=True):
        image[offset + place:offset + place + nbytes] = row.astype("<f4").view(np.uint8)
    at = [At("zero") if none else At("image", int(places[entry]))
          for entry, none in zip(entries.reshape(-1).tolist(), nil.reshape(-1).tolist(), strict=True)]
    areas = {"image": image}
    if nil.any() or offset:
        areas["zero"] = np.zeros(nbytes, np.uint8)
    return Pointers(areas, at)


# ---- products
def _product(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int,
             ks: int = 0, *, zero_row: int | None = None, a_offset: int | None = None, word: str = "") -> Case:
    """One call; ks 0: a plain product, else a gathered one of n taps."""
    assert tile.nr is not None
    taps, block = max(ks, 1), tile.nr
    x, w = numbers(kind, (mr, taps, kc), rng), numbers(kind, (nr, taps * kc), rng)
    if kind == "cancelling":
        w = np.abs(w)
    params = FloatParams(*_limits(kind, rng))
    packed = pack_f32(w, numbers("uniform" if kind != "zeros" else kind, (nr,), rng), nr=block)
    blocks = -(-nr // block)
    cn = 4 * (block + (int(rng.choice([3, 7])) if nr > block and kind != "uniform" else 0))
    cm = (blocks - 1) * cn + 4 * (nr - (blocks - 1) * block) + 4 * int(rng.choice([0, 1, 5, 17]))
    columns = words_of(tile, nr, kc)[1]
    name = f"k_{against(kc, 2)}_m{mr}_{columns}_{kind}_strided_cm{cm}_strided_cn{cn}{_word(params)}{word}"
    given: dict[str, Any] = {"mr": mr, "nc": nr, "kc": kc, "w": packed, "params": params, "cm_stride": cm,
                             "cn_stride": cn}
    if not ks:
        stride = 4 * (kc + int(rng.choice([0, 1, 3, 37])))
        return build(contract, f"{name}_strided_a{stride}", a=x.reshape(mr, kc), a_stride=stride,
                     **given)
    nil = nil_rows(mr, ks, zero_row, rng)
    move = int(rng.choice([0, 84, 164])) if a_offset is None else a_offset
    row = np.minimum(np.arange(tile.mr), mr - 1)
    entries = (row[np.newaxis, :] * ks + np.arange(ks)[:, np.newaxis]).astype(np.int64)
    table = _table(x.reshape(mr * ks, kc), entries, nil.reshape(-1)[entries], move, rng)
    table.areas.setdefault("zero", np.zeros(4 * kc, np.uint8))
    return build(contract, f"{name}_ks{ks}_a_offset{move}", ks=ks, a=table, a_offset=move, zero="zero",
                 **given)


def _products(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    product, indirect = partial(_product, contract, tile), contract.family is INDIRECT
    sizes = sizes_over_columns(tile, full, (*range(1, 20), 32, 33, 100), (*range(1, 10), 15, 16, 33), (2, 8), (6, 5, 4))
    for i, (mr, nc, kc) in enumerate(dict.fromkeys(sizes)):
        rng = np.random.default_rng((seed, mr, nc, kc))
        for kind in some_of(KINDS, i, 4, 1):
            yield product(kind, rng, mr, nc, kc, 1 + (mr + nc + kc) % 3 if indirect else 0)
    if indirect:
        yield from gathered_cases(product, tile, np.random.default_rng(seed), 164)


# ---- depthwise
def _depthwise(contract: Contract, tile: Tile, kind: str, channels: int, width: int, step: int,
               rng: np.random.Generator, *,
               all_nil: bool = False) -> Case:
    assert tile.nr is not None
    taps, count = tile.nr, (width - 1) * step + tile.nr
    rows, w = numbers(kind, (count, channels), rng), numbers(kind, (channels, taps), rng)
    params = FloatParams(*_limits(kind, rng))
    nil = np.full(count, True) if all_nil else rng.random(count) < 0.2
    move, gap = int(rng.choice([0, 84, 164])), 4 * int(rng.choice([0, 1, 9]))
    table = _table(rows, np.arange(count), nil, move, rng)
    table.areas.setdefault("zero", np.zeros(4 * channels, np.uint8))
    lanes = tile.mr
    name = (f"c_{against(channels, lanes)}_width{width}_step{step}_{kind}_input_offset{move}"
            f"_output_stride{4 * channels + gap}{_word(params)}{'_zero' if all_nil else ''}")
    packed = pack_f32(w, numbers(kind, (channels,), rng), nr=lanes)
    return build(contract, name, channels=channels, output_width=width, input=table, zero="zero",
                 input_stride=step, output_increment=gap, input_offset=move, params=params, w=packed)


def _depthwises(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes, taps = tile.mr, tile.nr or 9
    channels = range(1, 3 * lanes + 2) if full else (*range(1, lanes + 6), 2 * lanes, 2 * lanes + 7)
    for c in channels:
        for kind in KINDS if full or c % 3 == 0 else ("uniform", KINDS[1 + c % 4]):
            rng = np.random.default_rng((seed, c, KINDS.index(kind)))
            yield _depthwise(contract, tile, kind, c, 1 + c % 3, (3, 6, taps)[c % 3], rng)
    yield _depthwise(contract, tile, "uniform", lanes + 3, 2, 3, np.random.default_rng(seed), all_nil=True)


# ---- vectors
def _lengths(tile: Tile, full: bool) -> tuple[int, ...]:
    width = tile.mr
    return (*range(1, 3 * width + 2), 127, 255) if full else (*range(1, width + 3), 2 * width, 2 * width + 7)


def _edges(n: int, rng: np.random.Generator) -> Reals:
    """Infinities, the largest numbers, zeros of both signs, the default NaN."""
    ends = np.array([np.inf, -np.inf, 3.4e38, -3.4e38, 0.0, -0.0, 1.0, -1.0, 2.0**-126, 2.0**127], np.float32)
    found = rng.choice(ends, n)
    return np.asarray(np.where(rng.random(n) < 0.1, np.uint32(0x7FC00000).view(np.float32), found), np.float32)


def _vectors(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    two = contract.family is BINARY
    for rng, _, i, kind, n in drawn(seed, _lengths(tile, full), (*KINDS, "edges")):
        params: FloatParams | FloatSlopeParams = FloatParams(-1e30, 2.0**125) if kind == "edges" else \
            FloatParams(*_limits(kind, rng))
        if contract.params is FloatSlopeParams:
            params = FloatSlopeParams((0.1, -0.25, 3.0)[(n + i) % 3])
        x = _edges(n, rng) if kind == "edges" else numbers(kind, (n,), rng)
        given: dict[str, Any] = {"a" if two else "x": x}
        place = ("", "a", "b", "ab")[(n + i) % 4] if two else ("", "x")[(n + i) % 2]
        if two:
            # Infinities of both signs would make a NaN that is not the default one everywhere.
            given["b"] = numbers("uniform" if kind == "edges" else kind, (n,), rng)
        if place:
            given["y"] = place[0]
        if place == "ab":
            given["b"] = "a"
        yield build(contract, f"batch_{against(n, tile.mr)}_{kind}_in_place_{place or 'no'}{_word(params)}",
                    n=n, params=params, **given)


# ---- pools
def _windows(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    channels = range(1, 3 * lanes + 2) if full else (*range(1, lanes + 4), 2 * lanes, 2 * lanes + 3)
    regimes = (1, 2, 3, 4, 9, 10, 25) if full else (1, 2, 4, 9)
    plan = [(kc, ks) for kc in channels for ks in regimes] if full else [
        (kc, regimes[i % 4]) for i, kc in enumerate((*channels, 3, lanes))]
    sizes = [(1 + (ks + kc) % 3, ks, kc) for kc, ks in plan]
    kinds = (*KINDS, "edges") if contract.params is FloatParams else KINDS
    for rng, _, i, kind, (n, ks, kc) in drawn(seed, sizes, kinds):
        step = int(rng.choice([1, ks, ks + 2]))
        count = (n - 1) * step + ks
        rows = (_edges(count * kc, rng).reshape(count, kc) if kind == "edges" else
                numbers("uniform" if kind == "cancelling" else kind, (count, kc), rng))
        if kind == "cancelling":
            # From row to row, so that the order of a sum shows.
            rows = (rows * np.where(np.arange(count) % 2, -1, 1)[:, np.newaxis] + np.float32(0.0)).astype("f4")
        limits, gap = _limits(kind, rng), (0, 4, 36)[i % 3]
        params = FloatParams(*limits) if contract.params is FloatParams else FloatMeanParams.from_rows(ks, *limits)
        table = _table(rows, rng.permutation(count), np.zeros(count, bool), 0, rng)
        yield build(contract, f"n{n}_ks{ks}_kc{kc}_{kind}{_word(params)}_step{step}"
                    f"_y_stride{4 * kc + gap}", n=n, ks=ks, kc=kc, input=table, x_increment=step, y_increment=gap,
                    params=params)


def _global(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    columns = range(1, 3 * lanes + 2) if full else (*range(1, lanes + 4), 2 * lanes, 2 * lanes + 3)
    plan = [(m, n) for n in columns for m in ((1, 2, 3, 7, 49) if full else ((1, 2, 3, 7)[n % 4], 9))]
    for rng, _, _, kind, (m, n) in drawn(seed, plan, KINDS):
        params = FloatMeanParams.from_rows(m, *_limits(kind, rng))
        stride = 4 * (n + int(rng.choice([0, 1, 23])))
        yield build(contract, f"m{m}_n{n}_{kind}{_word(params)}_strided_x{stride}", m=m,
                    n=n, x=numbers(kind, (m, n), rng), x_stride=stride, params=params)


def _channelwise(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    columns = range(1, 3 * lanes + 2) if full else (*range(1, lanes + 4), 2 * lanes, 2 * lanes + 3)
    for rng, _, i, kind, n in drawn(seed, columns, KINDS):
        m = 1 + (n + i) % 3
        params, strides = FloatParams(*_limits(kind, rng)), 4 * (n + rng.choice([0, 1, 23], 2))
        packed = pack_f32(numbers(kind, (n, 1), rng), numbers(kind, (n,), rng), nr=lanes)
        yield build(contract, f"m{m}_n{n}_{kind}{_word(params)}_strided_x{strides[0]}"
                    f"_strided_y{strides[1]}", m=m, n=n, x=numbers(kind, (m, n), rng), x_stride=int(strides[0]),
                    w=packed, y_stride=int(strides[1]), params=params)


_PRODUCTS = ((COLUMNS, FloatParams), (INDIRECT, FloatParams))
GENERATORS: dict[Any, Any] = {
    **dict.fromkeys(_PRODUCTS, _products), (OFFSET, FloatParams): _depthwises, (BINARY, FloatParams): _vectors,
    (UNARY, FloatParams): _vectors, (UNARY, FloatSlopeParams): _vectors, (WINDOWS, FloatParams): _windows,
    (WINDOWS, FloatMeanParams): _windows, MATRIX_MEAN: _global, GAINS: _channelwise,
}

SHAPED: dict[Any, Any] = dict.fromkeys(_PRODUCTS, _product)
