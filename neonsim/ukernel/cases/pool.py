"""Cases of pooling: every regime of rows and channels, strides, zero points, clamps, exact halves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.elementwise import ClampParams
from neonsim.quant.params.requant import AveragePoolParams, MeanParams
from neonsim.ukernel.case import Case, Pointers, build
from neonsim.ukernel.cases.common import beyond, bytes_of, drawn
from neonsim.ukernel.cases.conv import gather, table
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.pool import (
    AVGPOOL,
    AVGPOOL_MP,
    GAVGPOOL,
    GAVGPOOL_MP,
    MAXPOOL,
    MEAN,
    MEAN_MP,
    WINDOW_MEAN,
    pool_rows,
)
from neonsim.ukernel.naming import Tile

__all__ = ["DEEP_CASES", "GENERATORS", "deep_rows"]

_DATA = ("uniform", "zeros", "ones", "ends", "uniform", "clamped", "halves", "uniform", "saturating", "enlarging")
_MANY = (GAVGPOOL_MP, AVGPOOL_MP, MEAN_MP)     # of any number of rows


def _params(kind: str, sums: NDArray[np.int64], count: int, rows: int, zero_point: int,
            rng: np.random.Generator) -> AveragePoolParams:
    """Parameters that use the whole byte; sums int64 of (x - zero point)."""
    largest = max(int(np.abs(sums).max()), 1)
    scale, zero, low, high = min(127 / largest, 255.0), 128, 0, 255
    if kind == "clamped":
        low = int(rng.integers(60, 120))
        high = low + int(rng.integers(0, 40))
    elif kind == "halves":
        # A power of two below 1/2: odd multiples of the half are common among small sums.
        scale = 2.0 ** -(1 + int(np.log2(max(largest / 100, 1))))
    elif kind == "saturating":
        scale, zero = 250.0, int(rng.integers(0, 256))
    elif kind == "enlarging":
        scale = float(rng.uniform(1, 30)) / count
    elif kind == "uniform":
        scale, zero = scale * float(rng.uniform(0.5, 1)), int(rng.integers(100, 156))
    return AveragePoolParams.from_scale(max(scale, 2.0**-31), input_zero_point=zero_point, rows=rows,
                                        output_zero_point=zero, output_min=low, output_max=high)


def _data(kind: str) -> str:
    return kind if kind in ("zeros", "ones", "ends") else "uniform"


def _zero_point(kind: str, i: int, rng: np.random.Generator) -> int:
    if kind == "clamped":
        return 127      # sums of both signs, so that both limits are met
    return (0, 255, 127, 1)[i % 4] if kind != "uniform" else int(rng.integers(0, 256))


def deep_rows(most: int, bits: int = 16) -> tuple[int, int]:
    """Rows of which sums of 16 bits leave their range: in one lane for each channel, in four. No lane of 32 bits does:
    parameters know at most 8 388 607 rows.

    >>> deep_rows(255), deep_rows(128, 15)      # uint8, int8
    ((258, 1032), (257, 1028))
    """
    return beyond(bits, most, 1), beyond(bits, most, 4)


def _global(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    many = contract.family in _MANY
    if tile.nr is None:
        plan = [(m, n) for n in range(1, tile.mr) for m in (range(1, 20) if full else (1, 2 + n, 9))]
    else:
        sizes = (8, 9, 11, 13, 15, 16, 17, 20, 24, 31) if not full else (*range(8, 41), 48, 64, 127)
        rows = ((range(8, 30) if many else range(1, tile.nr + 1)) if full else
                (*range(8, 16), 21, 22) if many else tuple(range(1, tile.nr + 1)))
        plan = [(m, n) for n in sizes for m in rows] if full else [
            (rows[i % len(rows)], n) for i, n in enumerate((*sizes, 8, 10, 12, 14, 16))]
    for rng, _, i, kind, (m, n) in drawn(seed, plan, _DATA):
        yield _of_matrix(contract, kind, m, n, _zero_point(kind, i, rng), rng, f"_{i}")


def _of_matrix(contract: Contract, kind: str, m: int, n: int, za: int, rng: np.random.Generator, word: str) -> Case:
    x = bytes_of(_data(kind), (m, n), rng, za)
    params = _params(kind, x.astype(np.int64).sum(axis=0) - m * za, m, m, za, rng)
    stride = n + int(rng.choice([0, 1, 23]))
    return build(contract, f"m{m}_n{n}_{kind}_zp{za}_strided_x{stride}{word}", m=m, n=n, x=x,
                 x_stride=stride, zero=np.zeros(n, np.uint8), params=params)


def _deep_global(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """None of a kernel that takes so few rows that 16 bits hold them."""
    for m in deep_rows(255) if tile.nr is None or contract.family in _MANY else ():
        yield _of_matrix(contract, "ones", m + more, tile.mr - 1 if tile.nr is None else 11, 0, rng, "_beyond_16")


def _pixels(tile: Tile, kc: int, ks: int, n: int, kind: str, rng: np.random.Generator, za: int) -> tuple[Any, ...]:
    step = int(rng.choice([1, ks, ks + 2]))
    count = (n - 1) * step + ks
    pointers = table(count, kc, rng.permutation(count), rng, _data(kind), za)
    index = np.arange(n)[:, None] * step + np.arange(ks)
    return pointers, step, gather(pointers, kc)[index]


def _plan(tile: Tile, full: bool, low: int, regimes: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """(pixels, rows, channels): rows around every pass, channels of every residue."""
    if tile.nr is None:
        rows = range(1, 20) if full else (1, 2, 9)
        return [(1 + (ks + kc) % 3, ks, kc) for kc in range(1, tile.mr) for ks in rows]
    channels = (*range(low, low + 33), 48, 127) if full else (*range(low, low + 9), 2 * low, 2 * low + 5)
    if full:
        return [(1 + (ks + kc) % 3, ks, kc) for kc in channels for ks in regimes]
    return [(1 + i % 3, regimes[i % len(regimes)], kc) for i, kc in enumerate((*channels, low, low + 3, low + 6))]


def _averages(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    regimes = (*range(10, 19), 25, 26) if contract.family in _MANY else tuple(range(1, 10))
    for rng, _, i, kind, (n, ks, kc) in drawn(seed, _plan(tile, full, 8, regimes), _DATA):
        yield _average(contract, tile, kind, n, ks, kc, _zero_point(kind, i, rng), (0, 1, 9)[i % 3], rng, f"_{i}")


def _average(contract: Contract, tile: Tile, kind: str, n: int, ks: int, kc: int, za: int, gap: int,
             rng: np.random.Generator, word: str) -> Case:
    pointers, step, x = _pixels(tile, kc, ks, n, kind, rng, za)
    params = _params(kind, x.astype(np.int64).sum(axis=1) - ks * za, ks, pool_rows(ks, kc), za, rng)
    return build(contract, f"n{n}_ks{ks}_kc{kc}_{kind}_zp{za}_step{step}_y_stride{kc + gap}{word}",
                 n=n, ks=ks, kc=kc, input=pointers, zero=np.full(kc, za, np.uint8), x_increment=step, y_increment=gap,
                 params=params)


def _deep_averages(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    for ks in deep_rows(255) if tile.nr is None or contract.family in _MANY else ():
        kc = tile.mr - 1 if tile.nr is None else 11
        yield _average(contract, tile, "ones", 1, ks + more, kc, 0, 0, rng, "_beyond_16")


def _signed(pointers: Pointers) -> Pointers:
    """The same numbers, less 128, as bytes of int8."""
    return Pointers({name: area ^ np.uint8(0x80) for name, area in pointers.areas.items()}, pointers.entries)


def _means(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    """Averages of int8: any number of rows, or up to those of the tile."""
    channels = (*range(1, 41), 48, 127) if full else (*range(1, 10), 12, 15, 16, 17, 21)
    regimes = tuple(range(1, 10)) if tile.nr is not None else (1, 2, 3, 9, 10, 17, 25)
    plan = [(kc, ks) for kc in channels for ks in regimes] if full else [
        (kc, regimes[i % len(regimes)]) for i, kc in enumerate((*channels, 8, 13))]
    for rng, _, i, kind, (n, ks, kc) in drawn(seed, [(1 + (ks + kc) % 3, ks, kc) for kc, ks in plan], _DATA):
        yield _mean(contract, tile, kind, n, ks, kc, _zero_point(kind, i, rng), (0, 1, 9)[i % 3], rng, f"_{i}")


def _mean(contract: Contract, tile: Tile, kind: str, n: int, ks: int, kc: int, za: int, gap: int,
          rng: np.random.Generator, word: str) -> Case:
    make: Any = contract.params
    pointers, step, x = _pixels(tile, kc, ks, n, kind, rng, za)
    like = _params(kind, x.astype(np.int64).sum(axis=1) - ks * za, ks, 1, za, rng)
    params = make.from_scale(like.multiplier * 2.0**-like.shift, rows=tile.nr or ks, input_zero_point=za - 128,
                  output_zero_point=like.output_zero_point - 128, output_min=like.output_min - 128,
                  output_max=like.output_max - 128, dtype="int8")
    name = f"n{n}_ks{ks}_kc{kc}_{kind}_zp{za - 128}_step{step}_y_stride{kc + gap}{word}"
    return build(contract, name, n=n, ks=ks, kc=kc, input=_signed(pointers),
                 zero=np.full(kc, za - 128, np.int8), x_increment=step, y_increment=gap, params=params)


def _deep_means(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    for ks in deep_rows(128, 15) if tile.nr is None else ():
        yield _mean(contract, tile, "zeros", 1, ks + more, tile.mr + 3, 128, 0, rng, "_beyond_16")


def _maxima(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    signed = contract.dtype == "int8"
    regimes = tuple(range(1, 28)) if full else (1, 2, 3, 5, 8, 9, 10, 13, 17, 18, 4, 6, 7, 25)
    plan = _plan(tile, full, 16, regimes)
    if tile.nr is not None and not full:
        # Every number of rows that the second pass may be left with.
        plan += [(1 + i % 3, ks, 17 + i) for i, ks in enumerate((11, 12, 14, 15, 16))]
    kinds = ("uniform", "zeros", "ones", "ends", "uniform", "clamped", "clamped", "uniform")
    for rng, _, i, kind, (n, ks, kc) in drawn(seed, plan, kinds):
        pointers, step, _ = _pixels(tile, kc, ks, n, kind, rng, 0)
        low, high = sorted(rng.integers(60, 250, 2).tolist()) if kind == "clamped" else (0, 255)
        gap = (0, 1, 9)[i % 3]
        limits = (low - 128, high - 128) if signed else (low, high)
        yield build(contract,
                    f"n{n}_ks{ks}_kc{kc}_{kind}_qmin{limits[0]}_qmax{limits[1]}_step{step}_{i}",
                    n=n, ks=ks, kc=kc, input=_signed(pointers) if signed else pointers, x_increment=step,
                    y_increment=gap, params=ClampParams(*limits, "int8" if signed else "uint8"))


def _mean_of_rows(kind: str, sums: NDArray[np.int64], m: int, zero_point: int, rng: np.random.Generator) -> MeanParams:
    """Parameters that use the whole byte; sums int64 of (x - zero point)."""
    scale, zero, limits = min(120.0 / max(int(np.abs(sums).max()), 1), 255.0), 0, (-128, 127)
    if kind == "clamped":
        low = int(rng.integers(-60, 20))
        limits = (low, low + int(rng.integers(0, 40)))
    elif kind == "halves":
        # A power of two below 1/2: odd multiples of the half are common among small sums.
        scale = 2.0 ** -(1 + int(np.log2(max(int(np.abs(sums).max()) / 100, 1))))
    elif kind == "saturating":
        scale, zero = 250.0, int(rng.integers(-128, 128))
    elif kind == "uniform":
        scale, zero = scale * float(rng.uniform(0.5, 1)), int(rng.integers(-30, 30))
    return MeanParams.from_scale(max(scale, 2.0**-32), rows=m, input_zero_point=zero_point, output_zero_point=zero,
                                 output_min=limits[0], output_max=limits[1])


def _means_of_rows(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    rows = tile.nr or 7
    many = contract.family in _MANY
    counts = (*range(rows + 1, 4 * rows + 3),) if many else tuple(range(1, rows + 1))
    channels = (*range(1, 42), 48, 64, 127) if full else (*range(1, 18), 20, 24, 31)
    plan = [(m, n) for at, n in enumerate(channels) for m in (counts if full else (counts[at % len(counts)],))]
    for rng, _, _, kind, (m, n) in drawn(seed, plan, ("uniform", "ends", "halves", "clamped", "saturating")):
        za = int(rng.choice([-128, -1, 0, 127, int(rng.integers(-128, 128))]))
        x = (rng.choice([-128, -127, 126, 127], (m, n)) if kind == "ends" else
             rng.integers(-128, 128, (m, n))).astype(np.int8)
        yield _mean_of_matrix(contract, kind, x, za, rng)


def _mean_of_matrix(contract: Contract, kind: str, x: NDArray[np.int8], za: int, rng: np.random.Generator) -> Case:
    m, n = x.shape
    params = _mean_of_rows(kind, x.astype(np.int64).sum(axis=0) - m * za, m, za, rng)
    stride = n + int(rng.choice([0, 1, 23]))
    return build(contract, f"m{m}_n{n}_{kind}_zp{za}_strided_x{stride}", m=m, n=n, x=x,
                 x_stride=stride, zero=np.zeros(n, np.int8), params=params)


def _deep_means_of_rows(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    for m in deep_rows(128, 15):
        yield _mean_of_matrix(contract, "beyond_16", np.full((m + more, 11), -128, np.int8), 0, rng)


GENERATORS: dict[Any, Any] = {
    GAVGPOOL: _global, GAVGPOOL_MP: _global, AVGPOOL: _averages, AVGPOOL_MP: _averages, MAXPOOL: _maxima,
    WINDOW_MEAN: _means, MEAN: _means_of_rows, MEAN_MP: _means_of_rows,
}

DEEP_CASES: dict[Any, Any] = {
    GAVGPOOL: _deep_global, GAVGPOOL_MP: _deep_global, AVGPOOL: _deep_averages, AVGPOOL_MP: _deep_averages,
    WINDOW_MEAN: _deep_means, MEAN_MP: _deep_means_of_rows,
}
