"""Cases of convolutions: indirect and depthwise, with shuffled tables, rows of zero points, every channel residue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.packing import pack_gemm
from neonsim.packing.depthwise import pack_depthwise
from neonsim.quant.product_params import Q31Params
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import KINDS, bytes_of, in_turn, scaling, zero_points
from neonsim.ukernel.cases.gemm import depth_name
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.header import Tile

__all__ = ["GENERATORS", "PASSES", "depthwise", "table"]

# Taps of each pass of the depthwise kernels, by tile and number of passes (P05, P06).
PASSES = {("qu8_dwconv_q31", 9): (9,), ("qu8_dwconv_mp_q31", 25): (10, 10, 5), ("qu8_dwconv_mp_q31", 9): (1,) * 9}


def table(rows: int, nbytes: int, entries: NDArray[np.int64], rng: np.random.Generator, kind: str,
          zero_point: int) -> Pointers:
    """An indirection buffer over rows in shuffled places with gaps between them; entry -1 is a row of zero points.

    entries   int [...]   which row each pointer means, in the order in memory
    """
    pitch = nbytes + int(rng.choice([0, 3, 11]))
    image = np.resize(bytes_of("uniform", (pitch * rows,), rng, 0), pitch * rows).astype(np.uint8)
    order = rng.permutation(rows)
    for row in range(rows):
        image[order[row] * pitch:order[row] * pitch + nbytes] = bytes_of(kind, (nbytes,), rng, zero_point)
    image = image[:(rows - 1) * pitch + nbytes] if rows else image
    zero = np.full(nbytes, zero_point, np.uint8)
    places = [At("zero_row", 0) if e < 0 else At("image", int(order[e]) * pitch) for e in entries.reshape(-1).tolist()]
    return Pointers({"image": image, "zero_row": zero}, places)


def gather(pointers: Pointers, nbytes: int) -> NDArray[np.uint8]:
    """The rows that the pointers mean: [entries, nbytes]."""
    return np.stack([pointers.areas[at.region][at.offset:at.offset + nbytes] for at in pointers.entries])


def _conv(tile: Tile, kind: str, mr: int, nr: int, kc: int, ks: int, rng: np.random.Generator,
          a_zero_point: int | None = None, w_zero_point: int | None = None, **limits: int) -> Case:
    za, zw = zero_points(kind, rng)
    za, zw = za if a_zero_point is None else a_zero_point, zw if w_zero_point is None else w_zero_point
    assert tile.nr is not None
    rows = rng.permutation(ks * mr).reshape(ks, mr)
    rows[rng.random((ks, mr)) < 0.2] = -1
    entries = np.concatenate([rows, np.repeat(rows[:, -1:], tile.mr - mr, axis=1)], axis=1)
    pointers = table(ks * mr, kc, entries, rng, kind, za)
    x = gather(pointers, kc).reshape(ks, tile.mr, kc)[:, :mr].transpose(1, 0, 2).reshape(mr, ks * kc)
    w = bytes_of(kind, (nr, ks * kc), rng, zw, weights=True)
    bias, params = scaling(kind, (x.astype(np.int64) - za) @ (w.astype(np.int64).T - zw), rng, za, zw)
    if limits:
        params = Q31Params(params.multiplier, params.shift, za, zw, params.output_zero_point, **limits)
    stride = nr + int(rng.choice([0, 1, 5, 17]))
    words = "".join(f"_{name}{value}" for name, value in limits.items())
    return build(contract_named("qu8_conv_q31"),
                 f"{depth_name(kc)}_ks{ks}_m{mr}_n{nr}_{kind}_azp{za}_bzp{zw}_strided_c{stride}{words}",
                 mr=mr, nr=nr, kc=kc, ks=ks, a=pointers, c_stride=stride, params=params,
                 w=pack_gemm(w, bias, nr=tile.nr, a_zero_point=za, w_zero_point=zw))


def _convs(tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    sizes = [(mr, nr) for mr in range(1, tile.mr + 1) for nr in range(1, (tile.nr or 1) + 1)]
    if full:
        plan = [(mr, nr, kc, 1 + (nr + kc) % 4) for kc in range(1, 41) for mr, nr in sizes]
        plan += [(mr, nr, kc, 9) for kc in (3, 8, 16) for mr, nr in sizes]
    else:
        # All rows at every residue: with fewer, the last row is computed again in place of the others, and hides them.
        plan = [(tile.mr, 1 + 3 * kc % (tile.nr or 1), kc, 1 + kc % 3) for kc in range(1, 12)]
        plan += [(tile.mr, tile.nr or 1, kc, 2) for kc in (8, 16)]
        plan += [(m, tile.nr or 1, 5, 1) for m in range(1, tile.mr)]
        plan += [(tile.mr, n, 3, 1) for n in range(1, tile.nr or 1)]
    for i, (mr, nr, kc, ks) in enumerate(plan):
        rng = np.random.default_rng((seed, mr, nr, kc, ks))
        for kind in in_turn(i) if full else KINDS:
            yield _conv(tile, kind, mr, nr, kc, ks, rng)
    rng = np.random.default_rng(seed)
    for za, zw in ((0, 127), (127, 0), (0, 0), (255, 255), (0, 255), (255, 0)):
        yield _conv(tile, "uniform", tile.mr, tile.nr or 1, 13, 2, rng, za, zw)
    yield _conv(tile, "uniform", tile.mr, tile.nr or 1, 13, 2, rng, output_min=128)
    yield _conv(tile, "uniform", tile.mr, tile.nr or 1, 13, 2, rng, output_max=128)


def depthwise(contract: str, tile: Tile, kind: str, channels: int, width: int, step: int, increment: int,
              rng: np.random.Generator, a_zero_point: int | None = None, w_zero_point: int | None = None,
              **limits: int) -> Case:
    """One depthwise call: width pixels whose pointers are step apart, over rows in shuffled places."""
    za, zw = zero_points(kind, rng)
    za, zw = za if a_zero_point is None else a_zero_point, zw if w_zero_point is None else w_zero_point
    passes = PASSES[contract, tile.nr or 0]
    taps = sum(passes)
    count = (width - 1) * step + taps
    entries = rng.permutation(count)
    entries[rng.random(count) < 0.2] = -1
    pointers = table(count, channels, entries, rng, kind, za)
    index = np.arange(width)[:, None] * step + np.arange(taps)
    x = gather(pointers, channels)[index].astype(np.int64) - za
    w = bytes_of(kind, (taps, channels), rng, zw, weights=True)
    bias, params = scaling(kind, (x * (w.astype(np.int64) - zw)).sum(axis=1), rng, za, zw)
    if limits:
        params = Q31Params(params.multiplier, params.shift, za, zw, params.output_zero_point, **limits)
    packed = pack_depthwise(w, bias, passes=passes, a_zero_point=za, w_zero_point=zw, fold=len(passes) == 1)
    size = "eq" if channels == 8 else "lt" if channels < 8 else "div" if channels % 8 == 0 else "gt"
    words = "".join(f"_{name}{value}" for name, value in limits.items())
    name = (f"c_{size}_8_{channels}_width{width}_step{step}_{kind}_izp{za}_kzp{zw}"
            f"_output_stride{channels + increment}{words}")
    return build(contract_named(contract), name, channels=channels, output_width=width, input=pointers, w=packed,
                 input_stride=step, output_increment=increment, params=params)


def _depthwises(contract: str, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
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
    if taps == 25 or contract.endswith("mp_q31"):
        plan = [(c, min(width, 2), step) for c, width, step in plan] if not full else plan[::3]
    for at, (channels, width, step) in enumerate(plan):
        rng = np.random.default_rng((seed, channels, width, step))
        for i, kind in enumerate(in_turn(at) if full else KINDS):
            yield depthwise(contract, tile, kind, channels, width, step, (0, 1, 9)[i % 3], rng)
    rng = np.random.default_rng(seed)
    for za, zw in ((0, 127), (127, 0), (0, 0), (255, 255), (0, 255), (255, 0)):
        yield depthwise(contract, tile, "uniform", 11, 4 if taps == 9 else 2, high, 5, rng, za, zw)
    for limits in ({"output_min": 128}, {"output_max": 128}):
        yield depthwise(contract, tile, "uniform", 11, 4 if taps == 9 else 2, high, 5, rng, **limits)


def _of(contract: str) -> Any:
    return lambda tile, seed, full: _depthwises(contract, tile, seed, full)


GENERATORS: dict[str, Any] = {"qu8_conv_q31": _convs, "qu8_dwconv_q31": _of("qu8_dwconv_q31"),
                              "qu8_dwconv_mp_q31": _of("qu8_dwconv_mp_q31")}
