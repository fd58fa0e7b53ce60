"""Cases of GEMM over all columns: every depth and column count around every loop, blocks of columns, taps by pointers.

Of both kinds, gemm and igemm; what operands and scales they are given suits depthwise kernels too.

Names follow the generators of XNNPACK's tests (T11): k_eq, k_lt, k_gt, k_div, n_gt, n_div, subtile, strided_a,
strided_cm, strided_cn, small_kernel, a_offset, zero, qmin, qmax, no_a_zp, no_b_zp, no_zp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.reference.dynamic import Qd8Params
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import DEEP, against, beyond, edge_sums, ends_of_sums, some_of
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.gemm_columns import COLUMNS, IMAGE, INDIRECT, ROWS
from neonsim.ukernel.naming import Tile
from neonsim.ukernel.packing import PackedWeights, pack_qc8w, pack_qd8, pack_qs8, pack_qu8

__all__ = ["DEEP_CASES", "GENERATORS", "KINDS", "SHAPED", "depth_of", "gathered_cases", "gathered_rows",
           "nil_rows", "operands", "requantization",
           "sizes_over_columns", "strides", "words_of"]

# uniform      any bytes; bias and scale spread the results over the byte, so nothing wrong hides behind a clamp
# pairs        inputs -128 and weights +-127 of one sign for long: the largest sums of products that 16 bits must hold
# ends         -128, -127, 127 and the like only
# ties         the input at its zero point, so that the bias alone is the sum: exact halves after scaling, of both signs
# near_ties    those, one nearer to zero
# extremes     sums at the ends of int32 and wrapped around them, scales from the smallest to the largest
# enlarging    scales of 1 and more, small sums
# saturating   scaled values beyond 16 bits
# clamped      as uniform, with a narrow band between the limits
KINDS = ("uniform", "pairs", "ends", "ties", "near_ties", "extremes", "enlarging", "saturating", "clamped")

DEPTHS = (*range(1, 41), 64, 257)
_FEW = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 23, 24, 31, 32, 35)
_SCALES = (2.0**-32, 2.0**-31 * 1.5, 2.0**-8, 0.5, 1 - 2.0**-24, 1.0, 255.99998)


def operands(kind: str, a: tuple[int, ...], w: tuple[int, ...], zero_point: int, w_zero_point: int, dtype: str,
             rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both operands: int8 with weights in -127..127, or uint8."""
    low = 0 if dtype == "uint8" else -128
    least = low if dtype == "uint8" else -127
    if kind == "pairs":
        sign = np.where(np.arange(w[-1]) // 16 % 2, -1, 1) if dtype == "int8" else 1
        x, y = np.full(a, low), np.broadcast_to(127 * sign if dtype == "int8" else 255, w)
        # Not everywhere: a lost lane must change the sum.
        y = np.where(rng.random(w) < 0.1, rng.integers(least, low + 256, w), y)
        return x.astype(dtype), y.astype(dtype)
    if kind == "ends":
        return (rng.choice([low, low + 1, low + 254, low + 255], a).astype(dtype),
                rng.choice([least, least + 1, low + 254, low + 255], w).astype(dtype))
    if kind in DEEP:
        most = (low, least) if dtype == "int8" else (255, 255)
        y = np.full(w, most[1]) if kind == "beyond_16" else rng.integers(least, low + 256, w)
        return np.full(a, most[0], dtype), y.astype(dtype)
    x = np.full(a, zero_point) if kind in ("ties", "near_ties") else rng.integers(low, low + 256, a)
    return x.astype(dtype), rng.integers(least, low + 256, w).astype(dtype)


def depth_of(dtype: str) -> int:
    """The smallest depth of products that no sums of 16 bits hold.

    >>> depth_of("int8"), depth_of("uint8")
    (96, 64)
    """
    return beyond(15, 128 * 127) if dtype == "int8" else beyond(16, 255 * 255)


def requantization(kind: str, acc: NDArray[np.int64], rng: np.random.Generator, low: int,
                   channels: int = 1) -> tuple[NDArray[np.int32], NDArray[np.float32], dict[str, int]]:
    """Bias [n], scales [channels] and the zero point and limits of the result; acc int64 [..., n] without bias.

    low   the least value of the result's type: 0 or -128
    """
    n = acc.shape[-1]
    bias: NDArray[Any] = np.asarray(rng.integers(-5000, 5001, n))
    scale = np.exp2(rng.uniform(-16, -4, channels))
    zero, least, most = int(rng.integers(low, low + 256)), low, low + 255
    flat = acc.reshape(-1, n)
    if kind in ("uniform", "ends", "clamped", "pairs", "beyond_16"):
        bias = -np.round(flat.mean(axis=0)).astype(np.int64)
        apart = np.abs(flat + bias).max(axis=0)
        scale = 120.0 / np.maximum(apart if channels > 1 else apart.max(keepdims=True), 1)
        zero = low + 128
        if kind == "clamped":
            least = low + int(rng.integers(60, 120))
            most = least + int(rng.integers(0, 40))
    elif kind in ("ties", "near_ties"):
        shift = rng.choice([1, 2, 3, 7, 12, 20], channels)
        half = rng.choice([-1, 1], n) * (2 * rng.integers(0, 126, n) + 1) << shift - 1
        bias, scale, zero = half - np.sign(half) * (kind == "near_ties"), np.exp2(-shift.astype(float)), low + 128
    elif kind == "extremes":
        bias, scale = edge_sums(rng, n), rng.choice(_SCALES, channels)
    elif kind == "near_32":
        bias, scale, zero = ends_of_sums(acc), np.full(channels, 2.0**-25), low + 128
    elif kind == "enlarging":
        bias = -np.round(flat.mean(axis=0)).astype(np.int64) + rng.integers(-60, 61, n)
        scale = np.exp2(rng.uniform(0, 8, channels)).clip(1, 255.9)
    elif kind == "saturating":
        bias, scale = np.asarray(rng.integers(-(1 << 30), 1 << 30, n)), np.exp2(rng.uniform(-15, -7, channels))
    found = {"output_zero_point": zero, "output_min": least, "output_max": most}
    return (bias.clip(-(1 << 31), (1 << 31) - 1).astype(np.int32),
            np.asarray(scale, np.float32).clip(np.float32(2.0**-32), np.float32(255.99998)), found)


def gathered_rows(shape: tuple[int, int], mr: int, x: NDArray[Any], zeros: NDArray[np.bool_], offset: int,
                  zero_point: int, rng: np.random.Generator) -> Pointers:
    """A table [taps, MR] of pointers to rows in shuffled places, the last row repeated for the missing ones.

    shape    (taps, MR)
    x        [mr, taps, kc]    the rows; where `zeros` is True the pointer is the zero row's
    offset   bytes             what the kernel will add to the pointers
    """
    taps, rows = shape
    nbytes = x.shape[-1]
    pitch = nbytes + int(rng.choice([0, 3, 11]))
    order = rng.permutation(mr * taps).reshape(mr, taps)
    image = rng.integers(0, 256, offset + pitch * mr * taps, np.uint8)
    entries = []
    for t in range(taps):
        for i in [*range(mr), *[mr - 1] * (rows - mr)]:
            place = int(order[i, t]) * pitch
            image[offset + place:offset + place + nbytes] = x[i, t].view(np.uint8)
            entries.append(At("zero", 0) if zeros[i, t] else At("image", place))
    image = image[:offset + pitch * (mr * taps - 1) + nbytes]
    return Pointers({"image": image, "zero": np.full(nbytes, zero_point & 0xFF, np.uint8)}, entries)


def nil_rows(mr: int, taps: int, zero_row: int | None, rng: np.random.Generator) -> NDArray[np.bool_]:
    """[mr, taps]: which pointers are the zero row's: some of them, or those of one row."""
    return rng.random((mr, taps)) < 0.2 if zero_row is None else (np.arange(mr) == zero_row)[:, None].repeat(taps, 1)


def gathered_cases(product: Callable[..., Case], tile: Tile, rng: np.random.Generator, a_offset: int = 163,
                   between: Iterable[Case] = ()) -> Iterator[Case]:
    """Of nine taps, and with each row in turn that of zeros; product: of (kind, rng, mr, nr, kc, ks)."""
    yield product("uniform", rng, tile.mr, tile.nr or 1, 9, 9, word="_small_kernel")
    yield from between
    for row in range(tile.mr):
        yield product("uniform", rng, tile.mr, tile.nr or 1, 7, 3, a_offset=a_offset, zero_row=row,
                      word=f"_zero_index{row}")


def _params(contract: Contract, scales: NDArray[np.float32], za: int, zw: int, found: dict[str, int]) -> Any:
    if contract.params is Qc8wParams:
        return Qc8wParams(za, found["output_zero_point"], found["output_min"], found["output_max"])
    make: Any = contract.params
    return make.from_scale(float(scales[0]), a_zero_point=za, w_zero_point=zw, dtype=contract.dtype, **found)


def _packed(contract: Contract, w: NDArray[Any], bias: NDArray[np.int32], scales: NDArray[np.float32], za: int, zw: int,
            tile: Tile) -> PackedWeights:
    sizes: dict[str, Any] = {"nr": tile.nr, "kr": tile.kr, "sr": tile.sr, "a_zero_point": za}
    if contract.params is Qc8wParams:
        return pack_qc8w(w, bias, scales, **sizes)
    return pack_qu8(w, bias, w_zero_point=zw, **sizes) if contract.dtype == "uint8" else pack_qs8(w, bias, **sizes)


def strides(tile: Tile, nc: int, kc: int, apart: bool, size: int, rng: np.random.Generator) -> dict[str, int]:
    """Distances in memory; blocks of columns side by side, or apart (strided_cn)."""
    assert tile.nr is not None
    blocks = -(-nc // tile.nr)
    cn = size * (tile.nr + (int(rng.choice([3, 7])) if apart else 0))
    row = (blocks - 1) * cn + size * (nc - (blocks - 1) * tile.nr)
    return {"a_stride": kc + int(rng.choice([0, 1, 3, 37])), "cm_stride": row + size * int(rng.choice([0, 1, 5, 17])),
            "cn_stride": cn}


def _n_name(nc: int, nr: int) -> str:
    return f"n{nc}" if nc <= nr else f"n_div_{nc}" if nc % nr == 0 else f"n_gt_{nc}"


def _product(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int,
             ks: int = 0, *, apart: bool = False, zero_row: int | None = None, a_offset: int | None = None,
             zero_points: tuple[int | None, int | None] = (None, None), word: str = "", **limits: int) -> Case:
    """One call; ks 0: a plain product, else a gathered one of n taps."""
    assert tile.nr is not None
    dtype, low = contract.dtype, int(np.iinfo(contract.dtype).min)
    za = int(rng.integers(low, low + 256)) if zero_points[0] is None else zero_points[0]
    zw = 0 if dtype == "int8" else int(rng.integers(0, 256)) if zero_points[1] is None else zero_points[1]
    if kind in ("pairs", "ends") and zero_points[0] is None:
        za = int(rng.choice([low, low + 1, low + 127, low + 128, low + 255]))
    taps = max(ks, 1)
    x, w = operands(kind, (mr, taps, kc), (nr, taps * kc), za, zw, dtype, rng)
    nil = nil_rows(mr, taps, zero_row, rng) & (ks > 0)
    x[nil] = za
    acc = (x.reshape(mr, -1).astype(np.int64) - za) @ (w.astype(np.int64).T - zw)
    bias, scales, found = requantization(kind, acc, rng, low, nr if contract.params is Qc8wParams else 1)
    params = _params(contract, scales, za, zw, found | limits)
    distances = strides(tile, nr, kc, apart, 1, rng)
    shaped = w.reshape(nr, 1, taps, kc) if ks else w
    packed = _packed(contract, shaped, bias, scales, za, zw, tile)
    name = (f"k_{against(kc, 8)}_m{mr}_{_n_name(nr, tile.nr)}_{kind}_azp{za}"
            + (f"_bzp{zw}" if dtype == "uint8" else "") + f"_strided_cm{distances['cm_stride']}"
            + (f"_strided_cn{distances['cn_stride']}" if apart else "") + word)
    given: dict[str, Any] = {"mr": mr, "nc": nr, "kc": kc, "w": packed, "params": params, **distances}
    if ks:
        offset = int(rng.choice([0, 83, 163])) if a_offset is None else a_offset
        a = gathered_rows((ks, tile.mr), mr, x, nil, offset, za, rng)
        return build(contract, f"{name}_ks{ks}_a_offset{offset}", ks=ks, a=a, a_offset=offset,
                     zero="zero", **given)
    return build(contract, f"{name}_strided_a{given['a_stride']}", a=x.reshape(mr, kc), **given)


def words_of(tile: Tile, nc: int, kc: int) -> tuple[str, str]:
    """What names say of depth and columns."""
    return f"k_{against(kc, 8)}", _n_name(nc, tile.nr or 1)


def sizes_over_columns(tile: Tile, full: bool, depths: tuple[int, ...] = DEPTHS, few: tuple[int, ...] = _FEW,
                       whole: tuple[int, ...] = (8, 16),
                       fixed: tuple[int, int, int] = (14, 12, 10)) -> Iterator[tuple[int, int, int]]:
    """(mr, nc, kc).

    depths, few   all depths; those of the quick ones, which have all rows
    whole         of those, which have all columns
    fixed         the depths at which rows, columns and more columns than the tile's differ
    """
    nr = tile.nr or 1
    if full:
        # Every depth meets an eighth of all pairs of rows and columns, in turn, and the whole tile.
        columns = (*range(1, nr + 1), nr + 1, 2 * nr - 1, 2 * nr, 3 * nr)
        pairs = [(mr, nc) for mr in range(1, tile.mr + 1) for nc in columns]
        for kc in depths:
            yield from ((mr, nc, kc) for mr, nc in [*pairs[kc % 8::8], (tile.mr, nr)])
        return
    # All rows at every depth: with fewer, the last row is computed again in place of the others, and hides them.
    yield from ((tile.mr, nr if kc in whole else 1 + 5 * i % nr, kc) for i, kc in enumerate(few))
    yield from ((mr, nr, fixed[0]) for mr in range(1, tile.mr))
    yield from ((tile.mr, nc, fixed[1]) for nc in range(1, nr))
    yield from ((mr, nc, fixed[2]) for mr, nc in ((tile.mr, nr + 1), (tile.mr, 2 * nr - 1), (tile.mr, 2 * nr),
                                                  (1, 3 * nr), (tile.mr, 2 * nr + 3)))


def _products(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    product, indirect, nr = partial(_product, contract, tile), contract.family is INDIRECT, tile.nr or 1
    for i, (mr, nc, kc) in enumerate(sizes_over_columns(tile, full)):
        rng = np.random.default_rng((seed, mr, nc, kc))
        ks = 1 + (mr + nc + kc) % 3 if indirect else 0
        # What is done with the sums does not depend on the depth: all kinds of data at a few depths.
        for kind in some_of(KINDS, i, 6, 4):
            yield product(kind, rng, mr, nc, kc, ks, apart=nc > nr and kind != "uniform")
    middle = 128 if contract.dtype == "uint8" else 0
    for kc in (8, 13):
        whole = partial(product, "uniform", rng, tile.mr, nr, kc, 3 if indirect else 0)
        for zero_points, word in (((0, None), "_no_a_zp"), ((None, 0), "_no_b_zp"), ((0, 0), "_no_zp")):
            if word == "_no_a_zp" or contract.dtype == "uint8":
                yield whole(zero_points=zero_points, word=word)
        yield whole(output_min=middle, word="_qmin")
        yield whole(output_max=middle, word="_qmax")
    if indirect:
        yield from gathered_cases(product, tile, rng)


def _deep(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """Sums that leave 16 bits; those at the ends of int32."""
    indirect, low = contract.family is INDIRECT, int(np.iinfo(contract.dtype).min)
    depth = depth_of(contract.dtype) + more
    for kind in DEEP:
        zero_points = (0, low + 128 if kind == "near_32" else 0)
        yield _product(contract, tile, kind, rng, tile.mr, tile.nr or 1, depth, int(indirect), zero_row=-1,
                       zero_points=zero_points)


def _deep_dynamic(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    """Sums that leave 16 bits. Nothing takes those of 32 bits to their ends but 132 105 depths: there is no bias."""
    sizes = (tile.mr, tile.nr or 1, depth_of("int8") + more)
    if contract.family is IMAGE:
        yield _dynamic_gathered(contract, tile, "beyond_16", rng, *sizes, 1, zero_row=-1)
    else:
        yield _dynamic(contract, tile, "beyond_16", rng, *sizes)


def _floating(kind: str, n: int, rng: np.random.Generator) -> tuple[Qd8Params, NDArray[np.float32], NDArray[Any]]:
    """Limits, biases and scales of n columns."""
    most = float(np.exp2(rng.uniform(-4, 6)))
    params = Qd8Params(-most / 2, most) if kind == "clamped" else Qd8Params()
    return params, rng.normal(0, 10, n).astype(np.float32), np.exp2(rng.uniform(-10, 0, n))


def _dynamic(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int) -> Case:
    """One call of qd8: rows with zero points and scales of their own, floating-point results."""
    assert tile.nr is not None
    zero = rng.integers(-128, 128, mr)
    a, w = operands(kind, (mr, kc), (nr, kc), 0, 0, "int8", rng)
    scale = np.exp2(rng.uniform(-12, 2, mr)).astype("<f4")
    rows = np.stack([zero.astype("<i4"), scale.view("<i4")], axis=1)
    params, bias, scales = _floating(kind, nr, rng)
    packed = pack_qd8(w, bias, scales, nr=tile.nr, kr=tile.kr, sr=tile.sr)
    distances = strides(tile, nr, kc, nr > tile.nr and kind != "uniform", 4, rng)
    distances["cm_stride"] += -distances["cm_stride"] % 4
    return build(contract, f"k_{against(kc, 8)}_m{mr}_{_n_name(nr, tile.nr)}_{kind}_strided_cm"
                 f"{distances['cm_stride']}_strided_cn{distances['cn_stride']}", mr=mr, nc=nr, kc=kc, a=a,
                 w=packed, rows=rows, params=params, **distances)


def _dynamic_gathered(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int,
                      ks: int = 0, *, zero_row: int | None = None, a_offset: int | None = None, zero: int | None = None,
                      word: str = "") -> Case:
    """One call of indirect qd8: an image with a zero point and scale of its own."""
    assert tile.nr is not None
    zero = int(rng.integers(-128, 128)) if zero is None else zero
    x, w = operands(kind, (mr, ks, kc), (nr, ks * kc), 0, 0, "int8", rng)
    nil = nil_rows(mr, ks, zero_row, rng)
    offset = int(rng.choice([0, 83, 163])) if a_offset is None else a_offset
    # What lies at `zero` itself is no zero point: a kernel that reads there is found out.
    table = gathered_rows((ks, tile.mr), mr, x, nil, offset, zero ^ 0x55, rng)
    params, bias, scales = _floating(kind, nr, rng)
    packed = pack_qd8(w.reshape(nr, 1, ks, kc), bias, scales, nr=tile.nr, kr=tile.kr, sr=tile.sr)
    distances = strides(tile, nr, kc, nr > tile.nr and kind != "uniform", 4, rng)
    distances.pop("a_stride")
    distances["cm_stride"] += -distances["cm_stride"] % 4
    scale = np.exp2(rng.uniform(-12, 2, 1)).astype("<f4")
    return build(contract, f"k_{against(kc, 8)}_m{mr}_{_n_name(nr, tile.nr)}_{kind}_azp{zero}"
                 f"_strided_cm{distances['cm_stride']}_strided_cn{distances['cn_stride']}{word}_ks{ks}_a_offset{offset}",
                 mr=mr, nc=nr, kc=kc, ks=ks, a=table, a_offset=offset, zero="zero",
                 zero_data=np.full(kc, zero, np.int8), scheme=np.array([zero, scale.view("<i4")[0]], "<i4"), w=packed,
                 params=params, **distances)


def _dynamic_shaped(contract: Contract, tile: Tile, kind: str, rng: np.random.Generator, mr: int, nr: int, kc: int,
                    ks: int = 0, **others: Any) -> Case:
    return (_dynamic_gathered(contract, tile, kind, rng, mr, nr, kc, ks, **others) if ks else
            _dynamic(contract, tile, kind, rng, mr, nr, kc))


def _all_dynamic(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    product, indirect = partial(_dynamic_shaped, contract, tile), contract.family is IMAGE
    for mr, nc, kc in sizes_over_columns(tile, full):
        rng = np.random.default_rng((seed, mr, nc, kc))
        for kind in ("uniform", "pairs", "ends", "clamped"):
            yield product(kind, rng, mr, nc, kc, 1 + (mr + nc + kc) % 3 if indirect else 0)
    if indirect:
        rng = np.random.default_rng(seed)
        between = (product("uniform", rng, tile.mr, tile.nr or 1, 8, 3, zero=0, word="_no_a_zp") for _ in range(1))
        yield from gathered_cases(product, tile, rng, between=between)


_BYTES = [(family, kind) for family in (COLUMNS, INDIRECT) for kind in (RndnuGemmParams, Fp32GemmParams, Qc8wParams)]
GENERATORS: dict[Any, Any] = {**dict.fromkeys(_BYTES, _products), **dict.fromkeys((ROWS, IMAGE), _all_dynamic)}
DEEP_CASES: dict[Any, Any] = {**dict.fromkeys(_BYTES, _deep), **dict.fromkeys((ROWS, IMAGE), _deep_dynamic)}
SHAPED: dict[Any, Any] = {**dict.fromkeys(_BYTES, _product), **dict.fromkeys((ROWS, IMAGE), _dynamic_shaped)}
