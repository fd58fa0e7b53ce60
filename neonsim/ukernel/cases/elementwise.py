"""Cases of the newer element-wise kernels: lengths around every vector width, in place, zero points and scales at ends.

Names follow XNNPACK's generator for binary operations (T13): batch eq, lt, gt, div; in place; a, b and y zero points
from end to end; scales; qmin, qmax.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.vector_params import ConvertParams, LeakyParams, MultiplyParams, ScaledAddParams
from neonsim.ukernel.case import Case, build
from neonsim.ukernel.contracts import contract_named
from neonsim.ukernel.header import Tile

__all__ = ["GENERATORS"]

_ZERO_POINTS = (-128, -127, -77, -26, 0, 25, 76, 126, 127)     # those of int8, 51 apart and at the ends


def _lengths(tile: Tile, full: bool) -> tuple[int, ...]:
    """All lengths up to two and a half vectors; quick: all residues of eight, and around the tile."""
    width = max(tile.mr, 8)
    if full:
        return (*range(1, 5 * width // 2 + 2), 127, 255, 1000)
    return tuple(sorted({*range(1, 10), 12, 15, width - 1, width, width + 1, 2 * width, 2 * width + 13}))


def _name(n: int, width: int) -> str:
    word = "eq" if n == width else "lt" if n < width else "div" if n % width == 0 else "gt"
    return f"batch_{word}_{n}"


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


def _binary(contract: str, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    dtype = "uint8" if contract.startswith("qu8") else "int8"
    low, constant = (0 if dtype == "uint8" else -128), contract.split("_")[1].endswith("c")
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
            params: Any = (_mul_params(kind, contract.rpartition("_")[2], dtype, (za, zb, zy), limits, rng)
                           if "mul" in contract else _add_params(kind, dtype, za, zb, zy, limits, rng))
            name = (f"{_name(n, tile.mr)}_{kind}_in_place_{place or 'no'}_azp{za}_bzp{zb}_yzp{zy}_qmin{limits[0]}"
                    f"_qmax{limits[1]}")
            given: dict[str, Any] = {"a": _data(kind, n, low, rng), "b": _data(kind, 1 if constant else n, low, rng)}
            if kind == "halves" and "mul" in contract:
                given["a"] = (za + rng.integers(-5, 6, n)).clip(low, low + 255).astype(dtype)
            if place:
                given["y"] = place[0]
            if place == "ab":
                given["b"] = "a"
            yield build(contract_named(contract), name, n=n, params=params, **given)


def _scaled(contract: str, tile: Tile, seed: int, full: bool) -> Iterator[Case]:
    for n in _lengths(tile, full):
        for i, kind in enumerate(("uniform", "halves", "ends")):
            rng = np.random.default_rng((seed, n, i))
            zx, zy = (int(z) for z in rng.choice(_ZERO_POINTS, 2))
            # 128 is a factor of a half: odd differences are ties.
            factor = {"uniform": int(rng.integers(40, 700)), "halves": 128, "ends": int(rng.choice([1, 32767]))}[kind]
            if contract == "qs8_vcvt":
                params: Any = ConvertParams(factor, zx, zy)
            else:
                other = int(rng.choice([-1, 1])) * (128 if kind == "halves" else int(rng.integers(1, 32768)) // 64 + 1)
                params = LeakyParams(factor, -32767 if kind == "ends" and n % 2 else other, zx, zy)
            given: dict[str, Any] = {"x": _data("ends" if kind == "ends" and n % 3 == 0 else "uniform", n, -128, rng)}
            if (n + i) % 2:
                given["y"] = "x"
            name = f"{_name(n, tile.mr)}_{kind}_in_place_{'yes' if (n + i) % 2 else 'no'}_xzp{zx}_yzp{zy}"
            yield build(contract_named(contract), name, n=n, params=params, **given)


def _of(maker: Any, contract: str) -> Any:
    return lambda tile, seed, full: maker(contract, tile, seed, full)


GENERATORS: dict[str, Any] = {
    **{name: _of(_binary, name) for name in (
        "qs8_vadd", "qs8_vaddc", "qs8_vmul_fp32", "qs8_vmulc_fp32", "qs8_vmul_rndnu", "qs8_vmulc_rndnu",
        "qu8_vmul_fp32", "qu8_vmulc_fp32", "qu8_vmul_rndnu", "qu8_vmulc_rndnu", "qu8_vsub", "qu8_vsubc")},
    **{name: _of(_scaled, name) for name in ("qs8_vcvt", "qs8_vlrelu")},
}
