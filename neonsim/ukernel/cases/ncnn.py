"""Cases of ncnn's arithmetic: products whose sums stay, floats to int8, sums to floats and to int8."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.requant.ncnn import NcnnParams
from neonsim.ukernel.case import Case, build
from neonsim.ukernel.cases.common import DEEP, against, drawn, edge_sums, ends_of_sums, some_of
from neonsim.ukernel.cases.dwconv import pixel_table, plan_of
from neonsim.ukernel.cases.gemm_columns import (
    depth_of,
    gathered_cases,
    gathered_rows,
    nil_rows,
    operands,
    sizes_over_columns,
    strides,
    words_of,
)
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.ncnn import DWCONV, GEMM, IGEMM, PER_CHANNEL, QUANTIZE
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing import pack_channelwise, pack_qs8

__all__ = ["DEEP_CASES", "GENERATORS", "SHAPED"]

# Of products: as in `columns`; extremes: the bias at the ends of int32, so that sums wrap.
_PRODUCTS = ("uniform", "pairs", "ends", "extremes")


def _bias(kind: str, n: int, rng: np.random.Generator, acc: NDArray[np.int64]) -> NDArray[np.int32]:
    if kind == "near_32":
        return ends_of_sums(acc).astype(np.int32)
    return edge_sums(rng, n) if kind == "extremes" else rng.integers(-5000, 5001, n).astype(np.int32)


def _product(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int,
             ks: int = 0, *, zero_row: int | None = None, a_offset: int | None = None, word: str = "") -> Case:
    """One call; ks 0: a plain product, else a gathered one of n taps."""
    assert tile.nr is not None
    taps = max(ks, 1)
    x, w = operands("uniform" if kind == "extremes" else kind, (mr, taps, kc), (nr, taps * kc), 0, 0, "int8", rng)
    bias = _bias(kind, nr, rng, x.reshape(mr, -1).astype(np.int64) @ w.T)
    packed = pack_qs8(w.reshape(nr, 1, taps, kc) if ks else w, bias, nr=tile.nr, kr=tile.kr, sr=tile.sr, a_zero_point=0)
    distances = strides(tile, nr, kc, nr > tile.nr and kind != "uniform", 4, rng)
    distances["cm_stride"] += -distances["cm_stride"] % 4
    k_word, n_word = words_of(tile, nr, kc)
    name = (f"{k_word}_m{mr}_{n_word}_{kind}_strided_cm{distances['cm_stride']}"
            f"_strided_cn{distances['cn_stride']}{word}")
    given: dict[str, Any] = {"mr": mr, "nc": nr, "kc": kc, "w": packed, **distances}
    if not ks:
        return build(contract, f"{name}_strided_a{given['a_stride']}", a=x.reshape(mr, kc), **given)
    nil = nil_rows(mr, taps, zero_row, rng)
    # A row that is not of zeros: of images with a zero point it holds that.
    filler = int(rng.integers(-128, 128))
    offset = int(rng.choice([0, 83, 163])) if a_offset is None else a_offset
    table = gathered_rows((ks, tile.mr), mr, x, nil, offset, filler, rng)
    return build(contract, f"{name}_ks{ks}_a_offset{offset}", ks=ks, a=table, a_offset=offset,
                 zero="zero", **given)


def _products(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    product, indirect = partial(_product, contract, tile), contract.family is IGEMM
    for i, (mr, nc, kc) in enumerate(sizes_over_columns(tile, full)):
        rng = np.random.default_rng((seed, mr, nc, kc))
        for kind in ("uniform", _PRODUCTS[1 + i % 3]):
            yield product(kind, rng, mr, nc, kc, 1 + (mr + nc + kc) % 3 if indirect else 0)
    if indirect:
        yield from gathered_cases(product, tile, np.random.default_rng(seed))


def _depthwise(contract: Contract, tile: Tile, kind: str, channels: int, width: int, step: int,
               rng: np.random.Generator, *,
               offset: int | None = None, all_nil: bool = False, word: str = "") -> Case:
    assert tile.nr is not None
    taps = tile.nr
    count = (width - 1) * step + taps
    rows, w = operands("uniform" if kind == "extremes" else kind, (count, channels), (taps, channels), 0, 0, "int8",
                       rng)
    nil = np.full(count, all_nil) if all_nil or kind in DEEP else rng.random(count) < 0.2
    move, gap = int(rng.choice([0, 83, 163])) if offset is None else offset, 4 * int(rng.choice([0, 1, 9]))
    bias = _bias(kind, channels, rng, (rows[:taps].astype(np.int64) * w).sum(axis=0))
    packed = pack_channelwise(w, bias, None, lanes=tile.mr, a_zero_point=0)
    return build(contract, f"c_{against(channels, tile.mr)}_width{width}_step{step}_{kind}"
                 f"_input_offset{move}_output_stride{4 * channels + gap}{word}", channels=channels, output_width=width,
                 input=pixel_table(rows, nil, move, int(rng.integers(-128, 128)), rng), zero="zero", input_stride=step,
                 output_increment=gap, input_offset=move, w=packed)


def _depthwises(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for at, (channels, width, step) in enumerate(plan_of(tile, full)):
        rng = np.random.default_rng((seed, channels, width, step))
        for kind in ("uniform", _PRODUCTS[1 + at % 3]):
            yield _depthwise(contract, tile, kind, channels, width, step, rng)
    rng, high = np.random.default_rng(seed), 3 if tile.nr == 9 else 5
    yield _depthwise(contract, tile, "uniform", tile.mr + 3, 2, high, rng, offset=163, all_nil=True, word="_zero")


def _deep_products(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    depth, ks = depth_of("int8") + more, int(contract.family is IGEMM)
    yield from (_product(contract, tile, kind, rng, tile.mr, tile.nr or 1, depth, ks, zero_row=-1) for kind in DEEP)


def _deep_depthwise(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    yield from (_depthwise(contract, tile, kind, 2 * tile.mr + 3 + more, 2, 3, rng) for kind in DEEP)


# uniform      results all over the byte    halves  exact halves of both signs
# near_halves  the floats next to them      tiny    near a half: what single precision makes 1 if a half is added
# beyond       results that are cut off     special infinite, NaN, zeros of both signs, numbers without all their digits
_FLOATS = ("uniform", "halves", "near_halves", "tiny", "beyond", "special")


def _floats(kind: str, n: int, steps: float, rng: np.random.Generator) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        if kind == "special":
            edge = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-39, 3.4e38, -3.4e38, 1e-38], np.float32)
            return np.resize(rng.permutation(edge), n)
        x: NDArray[Any] = rng.uniform(-130, 130, n)
        if kind in ("halves", "near_halves"):
            x = rng.integers(-129, 129, n) + 0.5
        elif kind == "tiny":
            x = rng.choice([0.49999997, -0.49999997, 0.5, -0.5, 0.50000006, 1.4999999, -1.4999999, 0.3], n)
        elif kind == "beyond":
            x = rng.choice([-1, 1], n) * np.exp2(rng.uniform(6.9, 60, n))
        found = (x / steps).astype(np.float32)
        return np.nextafter(found, np.float32(rng.choice([-np.inf, np.inf]))) if kind == "near_halves" else found


def _quantizing(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    sizes = (*range(1, 3 * lanes + 4), 100) if full else (*range(1, lanes + 2), 2 * lanes - 1, 2 * lanes, 2 * lanes + 7)
    # Powers of two keep halves what they are.
    every = (1.0, 0.25, 2.0**100, 2.0**-90, 12.7, 127 / 3.0, 1e-3, 2.0**124, 2.0**-100)
    for rng, i, j, kind, n in drawn(seed, sizes, lambda i: _FLOATS if full else some_of(_FLOATS, i, 5, 2)):
        steps = every[(i + j) % (3 if "halves" in kind or kind == "tiny" else len(every))]
        yield build(contract, f"batch_{against(n, lanes)}_{kind}_steps{steps:.3g}", n=n,
                    x=_floats(kind, n, steps, rng), params=NcnnParams(steps))


# uniform    results all over the byte           halves    times steps exact halves     extremes  the ends of int32
# beyond     sums above 2**24, that are rounded  clamped   a narrow band of limits      relu      not below 0
# cancelled  what the bias takes away again but for the last digits: one rounding and two differ
_SUMS = ("uniform", "halves", "extremes", "beyond", "clamped", "relu", "cancelled")


def _sums(contract: Contract, tile: Tile, kind: str, rows: int, channels: int, rng: np.random.Generator) -> Case:
    shape, limits = (rows, channels), {}
    x: NDArray[Any] = rng.integers(-30000, 30001, shape)
    factor = np.exp2(rng.uniform(-14, -6, channels))
    bias: NDArray[Any] = rng.normal(0, 20, channels)
    steps = float(rng.uniform(0.2, 1.0))
    if kind == "halves":
        x, factor, steps = 2 * rng.integers(-127, 127, shape) + 1, np.full(channels, 0.25), 2.0
        bias = rng.integers(-20, 20, channels)
    elif kind == "extremes":
        x = edge_sums(rng, rows * channels).reshape(shape)
        factor = rng.choice([0.0, 2.0**-100, 2.0**-24, 1.0, 2.0**90, 3e38], channels)
        bias = rng.choice([0.0, 2.0**-100, -1.0, 1e30, -3e38], channels)
    elif kind == "beyond":
        x, factor = rng.integers(-(1 << 31), 1 << 31, shape), np.exp2(rng.uniform(-26, -24, channels))
    elif kind == "clamped":
        limits = {"low": -1.5, "high": float(rng.uniform(1, 3))}
    elif kind == "relu":
        limits = {"low": 0.0} if rng.random() < 0.5 else {"low": 0.0, "high": 6.0}
        x[rng.random(shape) < 0.2] = 0
        bias[rng.random(channels) < 0.5] = rng.choice([0.0, -0.0])
    elif kind == "cancelled":
        factor = factor.astype(np.float32).astype(np.float64)
        bias = -x[0] * factor
        steps = 2.0**20
    params = NcnnParams(steps, **limits)
    size = 1 if contract.name == "s32_qs8_requantize" else 4
    distances = {"x_stride": 4 * (channels + int(rng.choice([0, 1, 5]))),
                 "y_stride": size * (channels + int(rng.choice([0, 1, 5])))}
    with np.errstate(under="ignore"):
        given = {name: np.asarray(values, np.float32) for name, values in (("factor", factor), ("bias", bias))}
    return build(contract, f"c_{against(channels, tile.mr)}_rows{rows}_{kind}_strided_x{distances['x_stride']}"
                 f"_strided_y{distances['y_stride']}", rows=rows, channels=channels, x=x.astype(np.int32),
                 params=params, **given, **distances)


def _from_sums(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    every = (*range(1, 3 * lanes + 4), 100) if full else (*range(1, lanes + 2), 2 * lanes - 1, 2 * lanes, 2 * lanes + 7)
    for rng, i, j, kind, channels in drawn(seed, every, lambda i: _SUMS if full else some_of(_SUMS, i, 5, 2)):
        yield _sums(contract, tile, kind, 1 + (i + j) % 6, channels, rng)


GENERATORS: dict[Any, Any] = {
    GEMM: _products, IGEMM: _products, DWCONV: _depthwises, QUANTIZE: _quantizing, PER_CHANNEL: _from_sums}
DEEP_CASES: dict[Any, Any] = {GEMM: _deep_products, IGEMM: _deep_products, DWCONV: _deep_depthwise}
SHAPED: dict[Any, Any] = {GEMM: _product, IGEMM: _product}
