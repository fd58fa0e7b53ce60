"""Cases of depthwise kernels: channels of every residue, strides, shuffled tables, the zero row.

Names of int8 follow XNNPACK's generator (T12): c_eq, c_lt, c_gt, c_div, multipixel with a step and an output stride,
qmin, qmax, zero points, input_offset, zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import DEEP, ENDS, against, bytes_of, kinds_for, scaling, some_of, zero_points
from neonsim.ukernel.cases.common import KINDS as UNSIGNED_KINDS
from neonsim.ukernel.cases.conv import gather, table
from neonsim.ukernel.cases.gemm_columns import KINDS, operands, requantization
from neonsim.ukernel.contract import Contract, Family
from neonsim.ukernel.contracts.dwconv import DWCONV, DWCONV_MP, OFFSET
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing import pack_channelwise
from neonsim.ukernel.packing.depthwise import pack_depthwise

__all__ = ["DEEP_CASES", "DEPTHWISE_ROWS", "GENERATORS", "PASSES", "depthwise", "pixel_table", "plan_of"]

# Taps of each pass of the depthwise kernels, by tile and number of passes (P05, P06).
PASSES: dict[tuple[Family | None, int], tuple[int, ...]] = {
    (DWCONV, 9): (9,), (DWCONV_MP, 25): (10, 10, 5), (DWCONV_MP, 9): (1,) * 9}


def depthwise(contract: Contract, tile: Tile, kind: str, channels: int, width: int, step: int, increment: int,
              rng: np.random.Generator, a_zero_point: int | None = None, w_zero_point: int | None = None,
              **limits: int) -> Case:
    """One depthwise call: width pixels whose pointers are step apart, over rows in shuffled places."""
    za, zw = zero_points(kind, rng, a_zero_point, w_zero_point)
    passes = PASSES[contract.family, tile.nr or 0]
    taps = sum(passes)
    count = (width - 1) * step + taps
    entries = rng.permutation(count)
    if kind not in DEEP:
        entries[rng.random(count) < 0.2] = -1
    pointers = table(count, channels, entries, rng, kind, za)
    index = np.arange(width)[:, None] * step + np.arange(taps)
    x = gather(pointers, channels)[index].astype(np.int64) - za
    w = bytes_of(kind, (taps, channels), rng, zw, weights=True)
    bias, params, words = scaling(kind, (x * (w.astype(np.int64) - zw)).sum(axis=1), rng, za, zw, **limits)
    packed = pack_depthwise(w, bias, passes=passes, a_zero_point=za, w_zero_point=zw, fold=len(passes) == 1)
    size = against(channels, 8).partition("_")[0]
    name = (f"c_{size}_8_{channels}_width{width}_step{step}_{kind}_izp{za}_kzp{zw}"
            f"_output_stride{channels + increment}{words}")
    return build(contract, name, channels=channels, output_width=width, input=pointers, w=packed,
                 input_stride=step, output_increment=increment, params=params)


def _depthwises(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    taps = tile.nr or 9
    high = 3 if taps == 9 else 5
    # Consecutive pixels share all columns but one (stride 1), all but two (subsampling), or none (dilated).
    steps = (high, 2 * high, taps)
    if full:
        channels = (*range(1, 41), *range(48, 128, 16), 127)
        plan = [(c, width, step) for c in channels for width in (1, 2, 3, 4, 5, 7) for step in steps]
    else:
        plan = [(8, 1, high), (8, 3, high), (16, 5, high), (8, 4, 2 * high), (13, 2, taps), (9, 7, high), (3, 6, high)]
        plan += [(c, 1 + c % 3, high) for c in (1, 2, 4, 5, 6, 7, 10, 11, 12, 14, 15)]
    if taps == 25 or contract.family is DWCONV_MP:
        plan = [(c, min(width, 2), step) for c, width, step in plan] if not full else plan[::3]
    for at, (channels, width, step) in enumerate(plan):
        rng = np.random.default_rng((seed, channels, width, step))
        for i, kind in enumerate(kinds_for(at) if full else UNSIGNED_KINDS):
            yield depthwise(contract, tile, kind, channels, width, step, (0, 1, 9)[i % 3], rng)
    rng = np.random.default_rng(seed)
    wide = partial(depthwise, contract, tile, "uniform", 11, 4 if taps == 9 else 2, high, 5, rng)
    yield from (wide(*ends) for ends in ENDS)
    yield wide(output_min=128)
    yield wide(output_max=128)


def pixel_table(rows: NDArray[Any], nil: NDArray[np.bool_], offset: int, zero_point: int,
           rng: np.random.Generator) -> Pointers:
    """Pointers to rows [count, channels] in shuffled places, offset bytes before them; nil ones to the zero row."""
    count, nbytes = rows.shape
    pitch = nbytes + int(rng.choice([0, 3, 11]))
    places = rng.permutation(count) * pitch
    image = rng.integers(0, 256, offset + pitch * (count - 1) + nbytes, np.uint8)
    for row, place in zip(rows, places.tolist(), strict=True):
        image[offset + place:offset + place + nbytes] = row.view(np.uint8)
    entries = [At("zero") if none else At("image", place)
               for none, place in zip(nil.tolist(), places.tolist(), strict=True)]
    return Pointers({"image": image, "zero": np.full(nbytes, zero_point & 0xFF, np.uint8)}, entries)


def _case(contract: Contract, tile: Tile, kind: str, channels: int, width: int, step: int, rng: np.random.Generator, *,
          a_zero_point: int | None = None, offset: int | None = None, all_nil: bool = False, word: str = "",
          **limits: int) -> Case:
    assert tile.nr is not None
    taps = tile.nr
    dtype, low = contract.dtype, int(np.iinfo(contract.dtype).min)
    za = int(rng.integers(low, low + 256)) if a_zero_point is None else a_zero_point
    if kind in ("pairs", "ends") and a_zero_point is None:
        za = int(rng.choice([low, low + 1, low + 128, low + 255]))
    zw = 0 if dtype == "int8" else 128 * (kind == "near_32") if kind in DEEP else int(rng.integers(0, 256))
    count = (width - 1) * step + taps
    rows, w = operands(kind, (count, channels), (taps, channels), za, zw, dtype, rng)
    nil = np.full(count, all_nil) if all_nil or kind in DEEP else rng.random(count) < 0.2
    rows[nil] = za
    index = np.arange(width)[:, None] * step + np.arange(taps)
    acc = ((rows[index].astype(np.int64) - za) * (w.astype(np.int64) - zw)).sum(axis=1)
    scaled = contract.params is Qc8wParams
    bias, scales, found = requantization(kind, acc, rng, low, channels if scaled else 1)
    ends: dict[str, Any] = found | limits
    make: Any = contract.params
    params: Any = Qc8wParams(za, **ends) if scaled else \
        make.from_scale(float(scales[0]), a_zero_point=za, w_zero_point=zw, dtype=dtype, **ends)
    packed = pack_depthwise(w, bias, passes=(taps,), a_zero_point=za, w_zero_point=zw) if dtype == "uint8" else \
        pack_channelwise(w, bias, scales if scaled else None, lanes=tile.mr, a_zero_point=za)
    move = int(rng.choice([0, 83, 163])) if offset is None else offset
    gap = int(rng.choice([0, 1, 9]))
    kzp = f"_kzp{zw}" if dtype == "uint8" else ""
    name = (f"c_{against(channels, tile.mr)}_width{width}_step{step}_{kind}_izp{za}{kzp}_input_offset{move}"
            f"_output_stride{channels + gap}{word}")
    return build(contract, name, channels=channels, output_width=width,
                 input=pixel_table(rows, nil, move, za, rng), zero="zero", input_stride=step, output_increment=gap,
                 input_offset=move, params=params, w=packed)


def plan_of(tile: Tile, full: bool) -> list[tuple[int, int, int]]:
    """(channels, width, step) of depthwise calls."""
    taps, lanes = tile.nr or 9, tile.mr
    high = 3 if taps == 9 else 5
    # Consecutive pixels share all columns but one (stride 1), all but two (subsampling), or none (dilated).
    steps = (high, 2 * high, taps)
    if full:
        channels = (*range(1, 3 * lanes + 2), *range(48, 128, 16), 127)
        plan = [(c, 1 + (c + i) % 4, steps[i]) for c in channels for i in range(3)]
    else:
        plan = [(c, 1 + c % 3, steps[c % 3]) for c in sorted({*range(1, 18), lanes, 2 * lanes, 2 * lanes + 5,
                                                             2 * lanes + 13, 3 * lanes + 5})]
    return plan


def _offsets(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    high = 3 if tile.nr == 9 else 5
    for at, (c, width, step) in enumerate(plan_of(tile, full)):
        rng = np.random.default_rng((seed, c, width, step))
        # Requantisation does not depend on the channels: all kinds of data at a few sizes.
        for kind in some_of(KINDS, at, 7, 4):
            yield _case(contract, tile, kind, c, width, step, rng)
    wide = partial(_case, contract, tile, "uniform", tile.mr + 3, 2, high, np.random.default_rng(seed))
    middle = 128 if contract.dtype == "uint8" else 0
    yield from (wide(a_zero_point=za, word="_zp") for za in (middle - 128, middle, middle + 127))
    yield wide(output_min=middle, word="_qmin")
    yield wide(output_max=middle, word="_qmax")
    yield wide(offset=163, all_nil=True, word="_zero")


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """All taps of the largest products: their number is the tile's, and sums of 16 bits do not hold three of them."""
    yield from (depthwise(contract, tile, kind, 19 + more, 2, 3, 5, rng) for kind in DEEP)


def _deep_offsets(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    yield from (_case(contract, tile, kind, 2 * tile.mr + 3 + more, 2, 3, rng, a_zero_point=0) for kind in DEEP)


def _row(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, pixels: int, channels: int) -> Case:
    # Pixels beside each other share all columns of pointers but one: the taps are a square.
    return depthwise(contract, tile, kind, channels, pixels, math.isqrt(tile.nr or 9), 0, rng)


def _offset_row(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, pixels: int,
                channels: int) -> Case:
    return _case(contract, tile, kind, channels, pixels, math.isqrt(tile.nr or 9), rng)


_BYTES = [(OFFSET, kind) for kind in (RndnuGemmParams, Fp32GemmParams, Qc8wParams)]
DEPTHWISE_ROWS: dict[Any, Any] = {**dict.fromkeys((DWCONV, DWCONV_MP), _row), **dict.fromkeys(_BYTES, _offset_row)}
GENERATORS: dict[Any, Any] = {**dict.fromkeys((DWCONV, DWCONV_MP), _depthwises), **dict.fromkeys(_BYTES, _offsets)}
DEEP_CASES: dict[Any, Any] = {**dict.fromkeys((DWCONV, DWCONV_MP), _deep), **dict.fromkeys(_BYTES, _deep_offsets)}
