"""Cases of convolutions over an indirection buffer: shuffled tables, rows of zero points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import DEEP, ENDS, KINDS, bytes_of, kinds_for, scaling, zero_points
from neonsim.ukernel.cases.gemm import depth_name
from neonsim.ukernel.cases.gemm_columns import depth_of
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.gemm import CONV
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing import pack_gemm

__all__ = ["DEEP_CASES", "GENERATORS", "gather", "table"]


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


def _conv(contract: Contract, tile: Tile, kind: str, mr: int, nr: int, kc: int, ks: int, rng: np.random.Generator,
          a_zero_point: int | None = None, w_zero_point: int | None = None, **limits: int) -> Case:
    za, zw = zero_points(kind, rng, a_zero_point, w_zero_point)
    assert tile.nr is not None
    rows = rng.permutation(ks * mr).reshape(ks, mr)
    if kind not in DEEP:
        rows[rng.random((ks, mr)) < 0.2] = -1
    entries = np.concatenate([rows, np.repeat(rows[:, -1:], tile.mr - mr, axis=1)], axis=1)
    pointers = table(ks * mr, kc, entries, rng, kind, za)
    x = gather(pointers, kc).reshape(ks, tile.mr, kc)[:, :mr].transpose(1, 0, 2).reshape(mr, ks * kc)
    w = bytes_of(kind, (nr, ks * kc), rng, zw, weights=True)
    acc = (x.astype(np.int64) - za) @ (w.astype(np.int64).T - zw)
    bias, params, words = scaling(kind, acc, rng, za, zw, **limits)
    stride = nr + int(rng.choice([0, 1, 5, 17]))
    return build(contract,
                 f"{depth_name(kc)}_ks{ks}_m{mr}_n{nr}_{kind}_azp{za}_bzp{zw}_strided_c{stride}{words}",
                 mr=mr, nr=nr, kc=kc, ks=ks, a=pointers, c_stride=stride, params=params,
                 w=pack_gemm(w, bias, nr=tile.nr, a_zero_point=za, w_zero_point=zw))


def _convs(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
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
        for kind in kinds_for(i) if full else KINDS:
            yield _conv(contract, tile, kind, mr, nr, kc, ks, rng)
    rng = np.random.default_rng(seed)
    whole = partial(_conv, contract, tile, "uniform", tile.mr, tile.nr or 1, 13, 2, rng)
    yield from (whole(*ends) for ends in ENDS)
    yield whole(output_min=128)
    yield whole(output_max=128)


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    depth = depth_of("uint8") + more
    yield from (_conv(contract, tile, kind, tile.mr, tile.nr or 1, depth, 1, rng) for kind in DEEP)


GENERATORS: dict[Any, Any] = {CONV: _convs}

DEEP_CASES: dict[Any, Any] = {CONV: _deep}
