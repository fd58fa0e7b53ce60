"""Cases of element-wise kernels: lengths around every vector width, in place, zero points and scales from end to end.

Names of int8 follow XNNPACK's generator for binary operations (T13): batch eq, lt, gt, div; in place; a, b and y zero
points from end to end; scales; qmin, qmax.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.elementwise import (
    AddParams,
    ClampParams,
    ConvertParams,
    LeakyParams,
    MultiplyParams,
    ScaledAddParams,
)
from neonsim.quant.reference import operators
from neonsim.ukernel.case import Case, build
from neonsim.ukernel.cases.common import EDGE_ZERO_POINTS, against, bytes_of, drawn
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.elementwise import (
    BINARY,
    CLAMP,
    CONSTANT,
    LARGEST,
    LUT,
    LUT32NORM,
    SOFTMAX,
    UNARY,
    VADD,
    ZIP,
    ZIP_XM,
)
from neonsim.ukernel.naming import Tile

__all__ = ["GENERATORS"]

_ZERO_POINTS = (-128, -127, -77, -26, 0, 25, 76, 126, 127)     # those of int8, 51 apart and at the ends


def _lengths(tile: Tile, full: bool) -> tuple[int, ...]:
    """All lengths up to two and a half vectors; quick: all residues of eight, and around the tile."""
    width = max(tile.mr, 8)
    if full:
        return (*range(1, 5 * width // 2 + 2), 127, 255, 1000)
    return tuple(sorted({*range(1, 10), 12, 15, width - 1, width, width + 1, 2 * width, 2 * width + 13}))


def _data(kind: str, n: int, low: int, rng: np.random.Generator) -> NDArray[Any]:
    """uniform: any bytes; ends: those at the ends of the type only."""
    values = rng.choice([low, low + 1, low + 254, low + 255], n) if kind == "ends" else rng.integers(low, low + 256, n)
    return values.astype("uint8" if low == 0 else "int8")


def _add_params(kind: str, dtype: str, za: int, zb: int, zy: int, limits: tuple[int, int],
                rng: np.random.Generator) -> ScaledAddParams:
    low, high = limits
    if kind == "halves":
        # Factors of one power of two: every odd sum is a tie.
        shift = int(rng.choice([13, 21]))
        mb = int(rng.choice([-1, 1])) << shift - 1
        return ScaledAddParams(za, zb, 1 << shift - 1, mb, shift, zy, low, high, dtype)
    if kind == "ends":
        ma, mb, shift = (((1 << 21) - 1, -(1 << 21), 12), (-(1 << 21), 1 << 21, 30),
                         (1 << 20, 1, 20))[int(rng.integers(0, 3))]
        return ScaledAddParams(za, zb, ma, mb, shift, zy, low, high, dtype)
    ratios = np.exp2(rng.uniform(-3, 1, 2))
    return ScaledAddParams.from_scales(*(float(r) for r in ratios), a_zero_point=za, b_zero_point=zb,
                                       output_zero_point=zy, output_min=low, output_max=high,
                                       subtract=bool(rng.integers(0, 2)), dtype=dtype)


def _mul_params(kind: str, scheme: str, dtype: str, zeros: tuple[int, int, int], limits: tuple[int, int],
                rng: np.random.Generator) -> MultiplyParams:
    scale = {"halves": 2.0 ** -int(rng.integers(1, 9)), "ends": float(rng.choice([2.0**-16, 255.99998, 1.0])),
             "uniform": float(np.exp2(rng.uniform(-10, -5)))}[kind]
    return MultiplyParams(scale, *zeros, *limits, scheme, dtype)


def _binary(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    dtype, constant = contract.dtype, contract.family is CONSTANT
    low = int(np.iinfo(dtype).min)
    at = 0
    for n in _lengths(tile, full):
        for i, place in enumerate(("", "a", "") if constant else ("", "a", "b", "ab")):
            rng = np.random.default_rng((seed, n, i))
            kind = ("uniform", "halves", "ends")[(at + i) % 3]
            at += 1
            za, zb = (int(z) + low + 128 for z in rng.choice(_ZERO_POINTS, 2))
            # Small differences make exact halves common; big ones are for the ends.
            zy = low + 128 + int(rng.integers(-60, 61))
            limits = ((low, low + 255), (low, low + 255), (low + 100, low + 150), (low + 128, low + 255))[i]
            params: Any = (_mul_params(kind, contract.scheme, dtype, (za, zb, zy), limits, rng)
                           if contract.params is MultiplyParams else
                           _add_params(kind, dtype, za, zb, zy, limits, rng))
            name = (f"batch_{against(n, tile.mr)}_{kind}_in_place_{place or 'no'}_azp{za}_bzp{zb}_yzp{zy}"
                    f"_qmin{limits[0]}_qmax{limits[1]}")
            given: dict[str, Any] = {"a": _data(kind, n, low, rng), "b": _data(kind, 1 if constant else n, low, rng)}
            if kind == "halves" and contract.params is MultiplyParams:
                given["a"] = (za + rng.integers(-5, 6, n)).clip(low, low + 255).astype(dtype)
            if place:
                given["y"] = place[0]
            if place == "ab":
                given["b"] = "a"
            yield build(contract, name, n=n, params=params, **given)


def _scaled(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for rng, _, i, kind, n in drawn(seed, _lengths(tile, full), ("uniform", "halves", "ends")):
        zx, zy = (int(z) for z in rng.choice(_ZERO_POINTS, 2))
        # 128 is a factor of a half: odd differences are ties.
        factor = {"uniform": int(rng.integers(40, 700)), "halves": 128, "ends": int(rng.choice([1, 32767]))}[kind]
        if contract.params is ConvertParams:
            params: Any = ConvertParams(factor, zx, zy)
        else:
            other = int(rng.choice([-1, 1])) * (128 if kind == "halves" else int(rng.integers(1, 32768)) // 64 + 1)
            params = LeakyParams(factor, -32767 if kind == "ends" and n % 2 else other, zx, zy)
        given: dict[str, Any] = {"x": _data("ends" if kind == "ends" and n % 3 == 0 else "uniform", n, -128, rng)}
        if (n + i) % 2:
            given["y"] = "x"
        name = f"batch_{against(n, tile.mr)}_{kind}_in_place_{'yes' if (n + i) % 2 else 'no'}_xzp{zx}_yzp{zy}"
        yield build(contract, name, n=n, params=params, **given)


def _lengths_around(tile: Tile, full: bool) -> tuple[int, ...]:
    """All lengths up to two and a half vectors; quick: all residues of eight, and around the tile."""
    width = max(tile.mr, 8)
    if full:
        return (*range(1, 5 * width // 2 + 2), 127, 255, 1000)
    around = {n for size in (8, 16, width, 2 * width) for n in (size - 1, size, size + 1)}
    return tuple(sorted({*range(1, 17), *around, width + 5, width + 8, width + 11}))


def _adds(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    plan = [(n, place, i) for n in _lengths_around(tile, full) for i, place in enumerate(("", "a", "b", "ab"))]
    scales = (0.01, 0.3, 0.5, 1.0, 1.7, 10.0, 99.0)
    for n, place, i in plan:
        rng = np.random.default_rng((seed, n, i))
        kind = ("uniform", "ends", "uniform", "uniform")[i]
        ends = rng.choice(EDGE_ZERO_POINTS, 2)
        za, zb = (int(z) for z in (ends if kind == "ends" else rng.integers(0, 256, 2)))
        a_scale, b_scale = (float(s) for s in rng.choice(scales, 2))
        # Sums of both signs over the whole byte.
        y_scale = (a_scale + b_scale) * float(rng.uniform(0.4, 1.2)) + max(a_scale, b_scale) / 250
        low, high = ((0, 255), (0, 255), (100, 140), (128, 255))[i]
        params = AddParams.from_scales(max(a_scale / y_scale, 2.0**-14), max(b_scale / y_scale, 2.0**-14),
                                       a_zero_point=za, b_zero_point=zb, output_zero_point=int(rng.integers(80, 180)),
                                       output_min=low, output_max=high)
        name = f"n{n}_in_place_{place or 'no'}_{kind}_azp{za}_bzp{zb}_qmin{low}_qmax{high}"
        yield _add(contract, name, n, place, kind, params, rng)
    rng = np.random.default_rng(seed)
    for shift, a_multiplier, b_multiplier in ((13, 1 << 21, 1 << 22), (31, 1 << 21, 1 << 22), (22, 1 << 21, 1 << 21),
                                              (14, (1 << 22) - 1, 0), (23, 1 << 22, 1 << 21)):
        # Halves of both signs: equal factors of a power of two; and the largest products.
        params = AddParams(int(rng.integers(1, 255)), 128, a_multiplier, b_multiplier, shift, 128)
        for n in (tile.mr, tile.mr + 8, tile.mr + 13):
            name = f"n{n}_shift{shift}_multipliers{a_multiplier}_{b_multiplier}"
            yield _add(contract, name, n, "", "uniform", params, rng)


def _add(contract: Contract, name: str, n: int, place: str, kind: str, params: AddParams,
         rng: np.random.Generator) -> Case:
    given: dict[str, Any] = {"a": bytes_of(kind, (n,), rng, 0), "b": bytes_of(kind, (n,), rng, 0)}
    if place:
        given["y"] = place[0]
    if place == "ab":
        given["b"] = "a"
    return build(contract, name, n=n, params=params, **given)


def _clamps(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    dtype = contract.dtype
    first = np.iinfo(dtype).min
    for n in _lengths_around(tile, full):
        rng = np.random.default_rng((seed, n))
        for low, high in ((0, 255), (1, 254), (100, 150), (77, 77), (0, 128), (128, 255)):
            place = {"y": "x"} if (low + n) % 2 else {}
            limits = low + first, high + first
            name = f"n{n}_min{limits[0]}_max{limits[1]}{'_in_place' if place else ''}"
            yield build(contract, name, n=n, x=bytes_of("uniform", (n,), rng, 0).view(dtype),
                        params=ClampParams(*limits, dtype), **place)


def _largest(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for n in _lengths_around(tile, full):
        rng = np.random.default_rng((seed, n))
        for kind in ("uniform", "zeros", "ones"):
            yield build(contract, f"n{n}_{kind}", n=n, x=bytes_of(kind, (n,), rng, 0))
        # The largest one everywhere once, in short vectors; at the ends and in between in long ones.
        for at in range(n) if n < 24 else {0, 1, n // 2, n - 9, n - 2, n - 1}:
            x = rng.integers(0, 128, n, dtype=np.uint8)
            x[at] = 128 + at % 100
            yield build(contract, f"n{n}_largest_at{at}", n=n, x=x)


def _zips(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    m = int(contract.name[-1])
    for n in _lengths_around(tile, full):
        rng = np.random.default_rng((seed, n, m))
        for i in range(2):
            yield build(contract, f"n{n}_{i}", n=n, x=bytes_of("uniform", (m, n), rng, 0))


def _zips_m(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    counts = (*range(4, 25), 32, 33) if full else (4, 5, 6, 7, 8, 9, 13, 16)
    lengths = _lengths_around(tile, full) if full else (1, 2, 3, 5, 7, 8, 9, 12, 16, 19)
    plan = [(n, m) for n in lengths for m in counts] if full else [
        (n, counts[(i + j) % len(counts)]) for i, n in enumerate(lengths) for j in (0, 3)]
    for n, m in plan:
        rng = np.random.default_rng((seed, n, m))
        for i in range(2):
            yield build(contract, f"n{n}_m{m}_{i}", n=n, m=m, x=bytes_of("uniform", (m, n), rng, 0))


def _look_ups(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for n in _lengths_around(tile, full):
        rng = np.random.default_rng((seed, n))
        for i, kind in enumerate(("uniform", "ends", "zeros")):
            place = {"y": "x"} if i == 1 else {}
            yield build(contract, f"n{n}_{kind}{'_in_place' if place else ''}", n=n,
                        x=bytes_of(kind, (n,), rng, 0), t=rng.integers(0, 256, 256, dtype=np.uint8), **place)


def _normalized(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    most = (1 << 23) - 1
    for n in _lengths_around(tile, full):
        rng = np.random.default_rng((seed, n))
        tables = {
            "uniform": rng.integers(0, most + 1, 256), "small": rng.integers(0, 3, 256), "ones": np.ones(256),
            "largest": np.full(256, most), "exponential": np.exp(-np.arange(256)[::-1] * 0.05) * most,
            "one_large": np.where(np.arange(256) == 3, most, 0),
        }
        for i, (kind, values) in enumerate(tables.items()):
            t = values.astype(np.uint32)
            x = rng.integers(0, 256, n, dtype=np.uint8)
            if kind == "one_large":
                x[n // 2] = 3
            # A sum of zero is no distribution: at least one value counts.
            t[x[0]] = max(int(t[x[0]]), 1)
            if int(t[x].astype(np.int64).sum()) >= 1 << 32:
                t = (t // 4).astype(np.uint32)
            place = {"y": "x"} if i % 2 else {}
            yield build(contract, f"n{n}_{kind}{'_in_place' if place else ''}", n=n, x=x, t=t,
                        **place)
    # Sums of 32 bits, beyond 2**31: what is left of the dividend takes 33. The results are then 0 and 1.
    rng = np.random.default_rng((seed, 700))
    for n, kind, values in ((700, "large_sum", rng.integers(0, most + 1, 256)), (512, "largest", np.full(256, most))):
        yield build(contract, f"n{n}_{kind}", n=n, x=rng.integers(0, 256, n, dtype=np.uint8),
                    t=values.astype(np.uint32))


def _nearly_half() -> NDArray[np.float32]:
    """A table whose second entry's share, beside one of the first, is the number just below 1/2 of a step (M14)."""
    first = (1 - np.arange(4096) * 2.0**-16).astype(np.float32)
    second = (first * np.float32(0.5 / 255.5)).astype(np.float32)
    shares = second * (np.float32(1) / ((first + second) * np.float32(1 / 256)))
    found = int(np.flatnonzero(shares == np.nextafter(np.float32(0.5), np.float32(0)))[0])
    t = np.zeros(256, np.float32)
    t[:2] = first[found], second[found]
    return t


def _shares(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    dtype, low = contract.dtype, int(np.iinfo(contract.dtype).min)
    lengths = sorted({*range(1, 10), 12, 15, 16, 17, 24, 31, 32, 33, *((*range(1, 65), 1001) if full else ())})
    for n in lengths:
        rng = np.random.default_rng((seed, n))
        tables = {"steep": operators.softmax_table(0.25, 1.0), "flat": operators.softmax_table(0.004, 1.0),
                  "vanishing": operators.softmax_table(0.9, 1.0), "any": rng.random(256, np.float32)}
        tables["any"][0] = 1
        for i, (kind, t) in enumerate(tables.items()):
            x = _data("ends" if kind == "vanishing" else "uniform", n, low, rng)
            place = {"y": "x"} if (i + n) % 4 == 0 else {}
            yield build(contract, f"n{n}_{kind}{'_in_place' if place else ''}", n=n, x=x, t=t, **place)
    # All alike: shares are 256 / n, halves among them; and one just below a half, which bytes of each sign round apart.
    flat = operators.softmax_table(0.25, 1.0)
    for n in (1, 2, 3, 8, 16, 512):
        yield build(contract, f"n{n}_alike", n=n, x=np.full(n, low + 77).astype(dtype), t=flat)
    yield build(contract, "n2_nearly_half", n=2, x=np.array([low + 9, low + 8]).astype(dtype),
                t=_nearly_half())


GENERATORS: dict[Any, Any] = {
    VADD: _adds, (BINARY, ScaledAddParams): _binary, (BINARY, MultiplyParams): _binary, CONSTANT: _binary,
    CLAMP: _clamps,
    (UNARY, ConvertParams): _scaled, (UNARY, LeakyParams): _scaled, LARGEST: _largest, ZIP: _zips, ZIP_XM: _zips_m,
    LUT: _look_ups, LUT32NORM: _normalized, SOFTMAX: _shares,
}
