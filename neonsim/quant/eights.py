"""What LiteRT's optimised kernels compute in vectors of eight elements, and otherwise in plain C: where the two differ.

    quantize     whole eights   q = rint(x * (1 / scale)), both in single precision, ties to even
                 the rest       q = x / scale in double precision, ties away from zero
    dequantize   whole eights   q * scale + (-zero_point * scale), both products and the sum in single precision
                 the rest       (q - zero_point) * scale

Eights are counted from a tensor's first element. On x86 its NEON intrinsics are SSE by NEON_2_SSE: the same numbers.

Source: (Y21).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["MOST_STEPS", "dequantize", "quantize"]

MOST_STEPS = 2.0**30    # of real numbers: integers of 32 bits have a place for these, whatever the zero point


def _in_eights(size: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which elements lie in whole eights."""
    return (np.arange(size) < size // 8 * 8).reshape(shape)


def quantize(x: NDArray[np.float32], out: Scheme) -> NDArray[Any]:
    """float32 [...] of less than 2**30 steps -> integers of a scheme [...].

    >>> quantize(np.array([0.5] * 9, np.float32), Scheme(1.0, 10)).tolist()
    [10, 10, 10, 10, 10, 10, 10, 10, 11]
    """
    scale, (low, high) = np.float32(out.scale), limits(out.dtype)
    with np.errstate(over="ignore", under="ignore"):
        product = np.rint(x * (np.float32(1) / scale)).astype(np.float64)
    quotient = x.astype(np.float64) / np.float64(scale)
    away = np.copysign(np.floor(np.abs(quotient) + 0.5), quotient)
    steps = np.where(_in_eights(x.size, x.shape), product, away)
    return np.asarray(np.clip(steps + out.zero_point, low, high)).astype(out.dtype)


def dequantize(q: NDArray[Any], x: Scheme) -> NDArray[np.float32]:
    """Integers [...] of a scheme -> float32 [...].

    >>> dequantize(np.full(9, 255, np.uint8), Scheme(0.1, 254)).tolist()[7:]
    [0.10000038146972656, 0.10000000149011612]
    """
    scale = np.float32(x.scale)
    vectors = q.astype(np.float32) * scale + np.float32(-x.zero_point * np.float64(scale))
    plain = Quantized(q, x.scale, x.zero_point).dequantize()
    return np.where(_in_eights(q.size, q.shape), vectors, plain)
