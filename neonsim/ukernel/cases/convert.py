"""Cases of kernels between real numbers and integers: every length around every loop, halves and their neighbours, the
ends of the numbers, results that are cut off, places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.quant.params.float32 import FloatShareParams
from neonsim.ukernel.case import At, Case, Pointers, build
from neonsim.ukernel.cases.common import against, drawn, edge_sums
from neonsim.ukernel.cases.pool import deep_rows
from neonsim.ukernel.contract import Contract
from neonsim.ukernel.contracts.convert import ROWS, VCVT
from neonsim.ukernel.contracts.elementwise import BINARY, UNARY
from neonsim.ukernel.contracts.pool import WINDOWS
from neonsim.ukernel.naming import Tile

__all__ = ["DEEP_CASES", "GENERATORS"]

# uniform      results all over the range     halves   exact halves of both signs
# near_halves  the floats next to them        beyond   results that are cut off
# special      infinite, NaN, zeros of both signs, numbers without all their digits
_FLOATS = ("uniform", "halves", "near_halves", "beyond", "special")


def _lengths(tile: Tile, full: bool) -> tuple[int, ...]:
    lanes = tile.mr
    return (*range(1, 3 * lanes + 4), 100) if full else (*range(1, lanes + 2), 2 * lanes - 1, 2 * lanes, 2 * lanes + 7)


def _kinds(kinds: tuple[str, ...], i: int, full: bool) -> tuple[str, ...]:
    """All of them now and then, else the first and one of the others."""
    return kinds if full or i % 5 == 2 else (kinds[0], kinds[1 + i % (len(kinds) - 1)])


def _floats(kind: str, n: int, scale: float, reach: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Numbers that are whole or half in steps of scale, and others; reach: of the results."""
    with np.errstate(over="ignore", under="ignore"):
        if kind == "special":
            edge = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-39, 3.4e38, -3.4e38, 1e-38], np.float32)
            return np.resize(rng.permutation(edge), n)
        x: NDArray[Any] = rng.uniform(-reach, reach, n)
        if kind in ("halves", "near_halves"):
            x = np.floor(rng.uniform(-reach, reach, n)) + 0.5
        elif kind == "beyond":
            x = rng.choice([-1, 1], n) * reach * np.exp2(rng.uniform(0, 60, n))
        found = (x * scale).astype(np.float32)
        return np.nextafter(found, np.float32(rng.choice([-np.inf, np.inf]))) if kind == "near_halves" else found


def _scale_of(kind: str, at: int) -> float:
    """Powers of two keep halves what they are."""
    return (1.0, 0.25, 2.0**-40, 0.1, 1e-3, 2.0**90)[at % (3 if "halves" in kind else 6)]


def _to_bytes(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for rng, i, j, kind, n in drawn(seed, _lengths(tile, full), lambda i: _kinds(_FLOATS, i, full)):
        scale = _scale_of(kind, i + j)
        dtype, zero = (("int8", -128), ("uint8", 0), ("int8", 3), ("uint8", 255), ("uint8", 127))[(i + 2 * j) % 5]
        params = QuantizeParams(float(np.float32(1) / np.float32(scale)), zero, dtype)
        name = f"batch_{against(n, tile.mr)}_{kind}_{dtype}_zero{zero}_scale{scale:.3g}"
        yield build(contract, name, n=n, x=_floats(kind, n, scale, 200.0, rng), params=params)


def _to_real(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for rng, i, j, kind, n in drawn(seed, _lengths(tile, full), ("uniform", "extremes")):
        scale = _scale_of("uniform", i + j)
        dtype, zero = (("int16", (0, 77, -32768)[(i + j) % 3]) if contract.dtype == "int16" else
                       (("int8", -128), ("uint8", 0), ("int8", 3), ("uint8", 255))[(i + 2 * j) % 4])
        ends = np.iinfo(dtype)
        x = rng.integers(ends.min, ends.max, n, endpoint=True) if kind == "uniform" else rng.choice(
            [ends.min, ends.max, zero], n)
        stored = x.astype(dtype).view(np.uint8) if contract.dtype == "uint8" else x.astype(dtype)
        yield build(contract, f"batch_{against(n, tile.mr)}_{kind}_{dtype}_zero{zero}_scale{scale:.3g}",
                    n=n, x=stored, params=DequantizeParams(scale, zero, dtype))


def _quotients(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    wide = contract.name == "f32_qs16_quotient"
    for rng, i, j, kind, n in drawn(seed, _lengths(tile, full), lambda i: _kinds((*_FLOATS, "clamped"), i, full)):
        scale = _scale_of(kind, i + j)
        ends = (-5, 90) if kind == "clamped" else (-32768, 32767) if wide else (-127, 127)
        x = _floats(kind, n, scale, 33000.0 if wide else 130.0, rng)
        yield build(contract, f"batch_{against(n, tile.mr)}_{kind}_scale{scale:.3g}", n=n, x=x,
                    params=DivideParams(scale, *ends))


# uniform   results all over the byte           halves   exact halves        extremes   the ends of int32
# beyond    sums above 2**24, that are rounded  clamped  a narrow band of limits
_SUMS = ("uniform", "halves", "extremes", "beyond", "clamped")


def _sums(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for rng, i, j, kind, channels in drawn(seed, _lengths(tile, full), lambda i: _kinds(_SUMS, i, full)):
        rows = 1 + (i + j) % 4
        shape, ends, divisor = (rows, channels), (-127, 127), 0.05
        x: NDArray[Any] = rng.integers(-30000, 30001, shape)
        factor = np.exp2(rng.uniform(-14, -11, channels))
        if kind == "halves":
            x, factor, divisor = 2 * rng.integers(-127, 127, shape) + 1, np.full(channels, 0.25), 0.5
        elif kind == "extremes":
            x = edge_sums(rng, rows * channels).reshape(shape)
            factor = rng.choice([2.0**-100, 2.0**-24, 1.0, 2.0**90, 3e38], channels)
        elif kind == "beyond":
            x, factor = rng.integers(-(1 << 31), 1 << 31, shape), np.exp2(rng.uniform(-31, -29, channels))
        elif kind == "clamped":
            ends = (-3, 60)
        strides = {"x_stride": 4 * (channels + int(rng.choice([0, 1, 5]))),
                   "y_stride": channels + int(rng.choice([0, 1, 5]))}
        yield build(contract, f"c_{against(channels, tile.mr)}_rows{rows}_{kind}_strided_x{strides['x_stride']}"
                    f"_strided_y{strides['y_stride']}", rows=rows, channels=channels, x=x.astype(np.int32),
                    factor=factor.astype(np.float32), params=DivideParams(divisor, *ends), **strides)


_BYTES = ("uniform", "extremes", "halves", "clamped")


def _bytes(kind: str, shape: Any, rng: np.random.Generator) -> NDArray[np.int8]:
    if kind == "beyond_16":
        return np.full(shape, -128, np.int8)
    return np.asarray(rng.choice([-128, -127, -1, 0, 1, 127], shape) if kind == "extremes" else
                      rng.integers(-128, 128, shape), np.int8)


def _by_bytes(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    two = contract.family is BINARY
    for rng, i, j, kind, n in drawn(seed, _lengths(tile, full), lambda i: _kinds(_BYTES, i, full)):
        scales = (0.5, 0.25, 0.25) if kind == "halves" else tuple(rng.uniform(0.01, 0.1, 3).tolist())
        ends = (-9, 70) if kind == "clamped" else (-127, 127)
        low, high = (0.0, (np.inf, 6.0)[i % 2]) if not two and (i + j) % 3 else (-np.inf, np.inf)
        params = DivideParams(scales[0], *ends, scales[1], scales[2], low=low, high=high)
        place = ("", "a", "b", "ab")[(i + j) % 4] if two else ("", "x")[(i + j) % 2]
        given: dict[str, Any] = {"a" if two else "x": _bytes(kind, n, rng)}
        if two:
            given["b"] = "a" if place == "ab" else _bytes(kind, n, rng)
        if place:
            given["y"] = place[0]
        act = "" if two else "_relu6" if params.high == 6 else "_relu" if params.low == 0 else "_open"
        yield build(contract, f"batch_{against(n, tile.mr)}_{kind}_in_place_{place or 'no'}{act}", n=n,
                    params=params, **given)


def _windows(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    lanes = tile.mr
    channels = range(1, 3 * lanes + 2) if full else (*range(1, lanes + 4), 2 * lanes, 2 * lanes + 3)
    regimes = (1, 2, 4, 9, 49)
    for rng, i, j, kind, kc in drawn(seed, channels, _BYTES):
        yield _window(contract, kind, 1 + (i + j) % 3, regimes[(i + j) % 5], kc, (0, 4, 3)[j % 3], rng)


def _window(contract: Contract, kind: str, n: int, ks: int, kc: int, gap: int, rng: np.random.Generator) -> Case:
    step = int(rng.choice([1, ks, ks + 2]))
    count = (n - 1) * step + ks
    pitch = kc + int(rng.choice([0, 1, 9]))
    image = _bytes("uniform", count * pitch, rng)
    places = rng.permutation(count) * pitch
    rows = _bytes(kind, (count, kc), rng)
    for row, place in zip(rows, places.tolist(), strict=True):
        image[place:place + kc] = row
    table = Pointers({"image": image.view(np.uint8)}, [At("image", int(place)) for place in places])
    scale = 0.5 if kind == "halves" else float(rng.uniform(0.02, 0.1))
    ends = (-9, 70) if kind == "clamped" else (-127, 127)
    divisor = 0.25 if kind == "halves" else 2 * scale if kind == "beyond_16" else 0.04
    params = DivideParams(divisor, *ends, scale, count=float(ks))
    return build(contract, f"n{n}_ks{ks}_kc{kc}_{kind}_step{step}"
                 f"_y_stride{kc + gap}", n=n, ks=ks, kc=kc, input=table, x_increment=step, y_increment=gap,
                 params=params)


def _deep_windows(contract: Contract, tile: Tile, rng: np.random.Generator, more: int) -> Iterator[Case]:
    for ks in deep_rows(128, 15):
        yield _window(contract, "beyond_16", 1, ks + more, tile.mr + 3, 0, rng)


# uniform   shares of some size    spread   most are next to nothing     alike   all the same
# below     exponents around the smallest that has an exponential      edges    nothing at all, NaN
_ROWS = ("uniform", "spread", "alike", "below", "edges")


def _shares(contract: Contract, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for rng, i, j, kind, n in drawn(seed, (*_lengths(tile, full), 33), lambda i: _kinds(_ROWS, i, full)):
        beta = (1.0, 0.5, 3.0)[(i + j) % 3]
        x: NDArray[Any] = rng.normal(0, 3 if kind != "spread" else 40, n)
        if kind == "alike":
            x = np.full(n, x[0])
        elif kind == "below":
            x = -rng.uniform(87.3, 87.4, n) / beta
            x[int(rng.integers(n))] = 0.0
        elif kind == "edges":
            x = rng.choice([-np.inf, -np.inf, 1.0, -3e38, np.nan], n)     # infinity less itself has no sign
            x[0] = 1.0
        place = ("", "x")[(i + j) % 2]
        given = {"y": "x"} if place else {}
        yield build(contract, f"batch_{against(n, tile.mr)}_{kind}_beta{beta:g}_in_place_"
                    f"{place or 'no'}", n=n, x=x.astype(np.float32), params=FloatShareParams(beta), **given)


GENERATORS: dict[Any, Any] = {
    (VCVT, QuantizeParams): _to_bytes, (VCVT, DequantizeParams): _to_real, (VCVT, DivideParams): _quotients,
    ROWS: _sums,
    (BINARY, DivideParams): _by_bytes, (UNARY, DivideParams): _by_bytes, (WINDOWS, DivideParams): _windows,
    (UNARY, FloatShareParams): _shares,
}

DEEP_CASES: dict[Any, Any] = {(WINDOWS, DivideParams): _deep_windows}
