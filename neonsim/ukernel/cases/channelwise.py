"""Cases of depthwise kernels and averages of int8: channels of every residue, strides, shuffled tables, the zero row.

Names follow XNNPACK's generator (T12): c_eq, c_lt, c_gt, c_div, multipixel with a step and an output stride, qmin,
qmax, zero points, input_offset, zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.packing import pack_channelwise
from neonsim.quant.gemm_params import Qc8wParams, RndnuGemmParams
from neonsim.quant.vector_params import MeanParams
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.symmetric import KINDS, operands, requantisation
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.header import Tile

__all__ = ["GENERATORS"]


def _table(rows: NDArray[np.int8], nil: NDArray[np.bool_], offset: int, zero_point: int,
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


def _case(contract: str, tile: Tile, kind: str, channels: int, width: int, step: int, rng: np.random.Generator, *,
          a_zero_point: int | None = None, offset: int | None = None, all_nil: bool = False, word: str = "",
          **limits: int) -> Case:
    assert tile.nr is not None
    taps = tile.nr
    za = int(rng.integers(-128, 128)) if a_zero_point is None else a_zero_point
    if kind in ("pairs", "ends") and a_zero_point is None:
        za = int(rng.choice([-128, -127, 0, 127]))
    count = (width - 1) * step + taps
    rows, w = operands(kind, (count, channels), (taps, channels), za, 0, "int8", rng)
    nil = np.full(count, True) if all_nil else rng.random(count) < 0.2
    rows[nil] = za
    index = np.arange(width)[:, None] * step + np.arange(taps)
    acc = ((rows[index].astype(np.int64) - za) * w.astype(np.int64)).sum(axis=1)
    scaled = "qc8w" in contract
    bias, scales, found = requantisation(kind, acc, rng, -128, channels if scaled else 1)
    ends: dict[str, Any] = found | limits
    params: Any = Qc8wParams(za, **ends) if scaled else \
        RndnuGemmParams.from_scale(float(scales[0]), a_zero_point=za, **ends)
    move = int(rng.choice([0, 83, 163])) if offset is None else offset
    gap = int(rng.choice([0, 1, 9]))
    size = "eq" if channels == tile.mr else "lt" if channels < tile.mr else "div" if channels % tile.mr == 0 else "gt"
    name = (f"c_{size}_{channels}_width{width}_step{step}_{kind}_izp{za}_input_offset{move}"
            f"_output_stride{channels + gap}{word}")
    return build(contract_named(contract), name, channels=channels, output_width=width,
                 input=_table(rows, nil, move, za, rng), zero="zero", input_stride=step, output_increment=gap,
                 input_offset=move, params=params,
                 w=pack_channelwise(w, bias, scales if scaled else None, lanes=tile.mr, a_zero_point=za))


def _channelwise(contract: str, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
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
    for at, (c, width, step) in enumerate(plan):
        rng = np.random.default_rng((seed, c, width, step))
        # Requantisation does not depend on the channels: all kinds of data at a few sizes.
        for kind in KINDS if at % 7 == 4 else ("uniform", KINDS[1 + at % (len(KINDS) - 1)]):
            yield _case(contract, tile, kind, c, width, step, rng)
    rng, c = np.random.default_rng(seed), lanes + 3
    for za in (-128, 0, 127):
        yield _case(contract, tile, "uniform", c, 2, high, rng, a_zero_point=za, word="_zp")
    yield _case(contract, tile, "uniform", c, 2, high, rng, output_min=0, word="_qmin")
    yield _case(contract, tile, "uniform", c, 2, high, rng, output_max=0, word="_qmax")
    yield _case(contract, tile, "uniform", c, 2, high, rng, offset=163, all_nil=True, word="_zero")


def _mean(kind: str, sums: NDArray[np.int64], m: int, zero_point: int, rng: np.random.Generator) -> MeanParams:
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


def _means(contract: str, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    rows = tile.nr or 7
    many = contract.endswith("mp")
    counts = (*range(rows + 1, 4 * rows + 3),) if many else tuple(range(1, rows + 1))
    channels = (*range(1, 42), 48, 64, 127) if full else (*range(1, 18), 20, 24, 31)
    for at, n in enumerate(channels):
        for m in counts if full else (counts[at % len(counts)],):
            for i, kind in enumerate(("uniform", "ends", "halves", "clamped", "saturating")):
                rng = np.random.default_rng((seed, m, n, i))
                za = int(rng.choice([-128, -1, 0, 127, int(rng.integers(-128, 128))]))
                x = (rng.choice([-128, -127, 126, 127], (m, n)) if kind == "ends" else
                     rng.integers(-128, 128, (m, n))).astype(np.int8)
                params = _mean(kind, x.astype(np.int64).sum(axis=0) - m * za, m, za, rng)
                stride = n + int(rng.choice([0, 1, 23]))
                yield build(contract_named(contract), f"m{m}_n{n}_{kind}_zp{za}_strided_x{stride}", m=m, n=n, x=x,
                            x_stride=stride, zero=np.zeros(n, np.int8), params=params)


def _of(maker: Any, contract: str) -> Any:
    return lambda tile, seed, full: maker(contract, tile, seed, full)


GENERATORS: dict[str, Any] = {
    **{name: _of(_channelwise, name) for name in ("qs8_dwconv_rndnu", "qs8_qc8w_dwconv_fp32")},
    **{name: _of(_means, name) for name in ("qs8_gavgpool", "qs8_gavgpool_mp")},
}
