"""Cases for matrix products and for convolutions: every edge of the tile, depths around the unrolled loop, zero points
and clamps at their ends, data at its extremes, accumulators that land on ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.reference.matmul import accumulate
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Case", "conv_cases", "gemm_cases", "sample", "tensor"]

_DATA = ("uniform", "zeros", "maxima", "near_zero_point", "ends")


@dataclass(frozen=True, eq=False)
class Case:
    """One call of an operator.

    name      str                  what is special about it, as ``m4_n8_k9_uniform_azp0``
    inputs    (x, w, bias)
    options   dict                 out= and the rest
    """

    name: str
    inputs: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)


def sample(rng: np.random.Generator, values: range, size: str, count: int) -> list[int]:
    """All values, or so many of them with both ends."""
    if size == "full" or len(values) <= count:
        return list(values)
    inner = rng.choice(np.array(values)[1:-1], count - 2, replace=False)
    return [values[0], *sorted(int(v) for v in inner), values[-1]]


def tensor(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "int8", scale: float = 1.0,
           zero_point: int | None = None, spare: int = 0) -> Quantized:
    """Random bytes; None: any zero point. So many bytes lie between two pixels."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, (*shape[:-1], shape[-1] + spare), dtype=dtype)[..., :shape[-1]]
    return Quantized(values, scale, int(rng.integers(info.min, info.max + 1)) if zero_point is None else zero_point)


def _data(kind: str, shape: tuple[int, ...], zero_point: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    if kind == "zeros":
        return np.zeros(shape, np.uint8)
    if kind == "maxima":
        return np.full(shape, 255, np.uint8)
    if kind == "near_zero_point":
        return np.clip(zero_point + rng.integers(-2, 3, shape), 0, 255).astype(np.uint8)
    if kind == "ends":
        return rng.choice(np.array([0, 1, 254, 255], np.uint8), shape)
    return rng.integers(0, 256, shape, dtype=np.uint8)


def _spreading_scale(acc: NDArray[np.int32]) -> float:
    """The requantisation scale that spreads these accumulators over the whole byte and a little further."""
    return min(140.0 / max(int(np.abs(acc.astype(np.int64)).max()), 1), 1 - 2.0**-24)


def _bias_for_ties(acc: NDArray[np.int32], shift: int) -> NDArray[np.int32]:
    """A bias that puts one accumulator of every column, each time in another row, on an exact half of 2**-shift."""
    columns = np.arange(acc.shape[1])
    chosen = acc[columns % acc.shape[0], columns].astype(np.int64)
    return np.asarray(((1 << shift - 1) - chosen) % (1 << shift), np.int32)


def _gemm_case(m: int, n: int, k: int, rng: np.random.Generator, *, kind: str = "uniform", a_zero_point: int = 127,
               w_zero_point: int = 127, ties: bool = False, spare: int = 0, **options: Any) -> Case:
    # Rows further apart than they are long: kernels take a stride.
    a = _data(kind, (m, k + spare), a_zero_point, rng)[:, :k]
    w = _data(kind, (n, k), w_zero_point, rng)
    bias = rng.integers(-1000, 1001, n, dtype=np.int32)
    acc = accumulate(a, w.T, bias, a_zero_point, w_zero_point)
    scale = _spreading_scale(acc)
    if ties:
        shift = max(int(np.ceil(-np.log2(scale))), 1)
        bias, scale = bias + _bias_for_ties(acc, shift), 2.0**-shift
    out = Scheme(1 / scale, int(rng.integers(0, 256)))
    name = f"m{m}_n{n}_k{k}_{kind}_azp{a_zero_point}_wzp{w_zero_point}" + "_ties" * ties + "_strided" * bool(spare)
    name += "".join(f"_{key}{value}" for key, value in options.items())
    x = Quantized(a, scale=1.0, zero_point=a_zero_point)
    return Case(name, (x, Quantized(w, scale=1.0, zero_point=w_zero_point), bias), {"out": out, **options})


def gemm_cases(mr: int = 4, nr: int = 8, seed: int = 0) -> Iterator[Case]:
    """Fully connected layers with intent, for a tile of mr x nr.

    mr, nr   int   tile; sizes go over it, so that partial tiles in both directions occur
    seed     int   of everything random

    >>> sum(1 for case in gemm_cases())
    48
    """
    rng = np.random.default_rng(seed)
    for k in (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 24, 64, 257):
        yield _gemm_case(mr, nr, k, rng)
    for m in range(1, mr + 2):
        yield _gemm_case(m, nr, 11, rng)
    for n in range(1, nr + 2):
        yield _gemm_case(mr, n, 13, rng)
    yield _gemm_case(2 * mr + 1, 2 * nr + 3, 19, rng, spare=37)
    for kind in _DATA[1:]:
        yield _gemm_case(mr, nr, 21, rng, kind=kind)
        yield _gemm_case(mr, nr, 21, rng, kind=kind, a_zero_point=0, w_zero_point=255)
    for a_zero_point, w_zero_point in ((0, 0), (255, 255), (0, 255), (255, 0)):
        yield _gemm_case(mr, nr, 10, rng, a_zero_point=a_zero_point, w_zero_point=w_zero_point)
    for k in (3, 12):
        yield _gemm_case(3 * mr, 3 * nr, k, rng, ties=True, kind="near_zero_point")
    yield _gemm_case(mr, nr, 16, rng, output_min=128)
    yield _gemm_case(mr, nr, 16, rng, output_max=128)
    yield _gemm_case(mr, nr, 16, rng, output_min=77, output_max=77)
    yield _gemm_case(3 * mr, 2 * nr, 40, rng, ties=True)


def conv_cases(seed: int = 0) -> Iterator[Case]:
    """Convolutions with intent: 1x1, strides, padding on each side, dilation, groups.

    >>> [case.name for case in conv_cases()][:2]
    ['1x1', '1x1_stride2']
    """
    rng = np.random.default_rng(seed)
    rows: tuple[tuple[str, int, int, tuple[int, int], dict[str, Any]], ...] = (
        ("1x1", 11, 9, (1, 1), {}),
        ("1x1_stride2", 11, 9, (1, 1), {"stride": 2}),
        ("1x1_padded", 5, 8, (1, 1), {"padding": 1}),
        ("3x3_padded", 3, 8, (3, 3), {"padding": 1}),
        ("3x3_stride2_bottom_right", 3, 8, (3, 3), {"stride": 2, "padding": ((0, 1), (0, 1))}),
        ("1x3", 4, 5, (1, 3), {"padding": (0, 1)}),
        ("3x3_dilated", 4, 5, (3, 3), {"dilation": 2, "padding": 2}),
        ("3x3_groups", 6, 4, (3, 3), {"groups": 2}),
        ("depthwise", 6, 6, (3, 3), {"groups": 6, "padding": 1}),
    )
    for name, inputs, outputs, kernel, options in rows:
        x = Quantized(rng.integers(0, 256, (2, 7, 6, inputs), dtype=np.uint8), 1.0, int(rng.integers(0, 256)))
        depth = inputs // options.get("groups", 1)
        w = Quantized(rng.integers(0, 256, (outputs, *kernel, depth), dtype=np.uint8), 1.0, int(rng.integers(0, 256)))
        bias = rng.integers(-1000, 1001, outputs, dtype=np.int32)
        yield Case(name, (x, w, bias), {"out": Scheme(200.0 * np.sqrt(kernel[0] * kernel[1] * depth), 128), **options})
