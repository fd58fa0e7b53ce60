"""Weights of the newer kernels: blocks of any nr, kr and sr, every super-group rotated, scales behind the weights.

    pack_qs8     int8, one scale           bias' = bias - za * sum of w         weights
    pack_qc8w    int8, a scale per channel bias' = bias - za * sum of w         weights    scales
    pack_qd8     int8, rows with zero points of their own       -sum of w       weights    scales    float biases
    pack_qu8     uint8 with zero points    bias' = bias - za * sum of w + K * za * zw      weights

sr counts groups of kr depths here, as the names of kernels do: 4x8c2s4 is kr 2, sr 4, and rotates within 8 depths.
The depth (of every tap) is rounded up to kr * sr and filled with zeros, with w_zero_point in pack_qu8, so that what a
kernel reads there weighs nothing.

Source: (X30, X31, X32, D10, D11).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.params.gemm import check_weights
from neonsim.ukernel.packing.gemm import PackedWeights, pack

__all__ = ["pack_qc8w", "pack_qd8", "pack_qs8", "pack_qu8"]


def _matrix(weights: Any) -> tuple[NDArray[Any], int]:
    """[n, k] and the number of taps, from [n, k] or [n, kh, kw, c]."""
    w = np.asarray(weights)
    if w.ndim == 4 and 0 not in w.shape:
        return w.reshape(w.shape[0], -1), w.shape[1] * w.shape[2]
    return w, 1


def _options(nr: int, kr: int, sr: int) -> dict[str, Any]:
    groups = as_int(sr, "sr", 1, 1 << 16)
    return {"nr": nr, "kr": kr, "sr": kr * groups if groups > 1 else 1, "whole": groups > 1}


def _words(packed: PackedWeights, word: int, values: NDArray[np.float32]) -> None:
    """Write a tail word of every channel, zeros for channels that only fill up the last block."""
    channels = np.arange(packed.layout.blocks * packed.nr)
    filled = np.zeros(channels.size, "<f4")
    filled[:packed.n] = values
    places = packed.layout.tail_offset(channels, word)[:, None] + np.arange(4)
    packed.data[places] = filled.view(np.uint8).reshape(-1, 4)


def _scales(scales: ArrayLike, n: int) -> NDArray[np.float32]:
    single = check_scale(scales, "scales of the channels")
    if single.shape != (n,):
        raise BadArgument(f"there must be one scale per output channel, float32 [{n}]; got shape "
                          f"{list(single.shape)}.")
    return single


def pack_qs8(weights: Any, bias: Any, *, nr: int, kr: int = 1, sr: int = 1, a_zero_point: int,
             narrow: bool = True) -> PackedWeights:
    """Symmetric int8 weights with one scale.

    weights        int8 [n, k], or [n, kh, kw, c] for indirect kernels, which read tap after tap
    bias           int32 [n]
    nr, kr, sr     int    channels per block, neighbouring depths, groups of a rotation
    a_zero_point   int    -128..127, folded into the bias (D11)
    narrow         bool   False lets -128 through: for kernels that widen before they add, and to see others overflow

    Raises BadArgument for wrong types and shapes, and for a weight of -128 (D10).

    >>> packed = pack_qs8(np.array([[1, 2, 3]], np.int8), np.array([5], np.int32), nr=2, kr=2, a_zero_point=1)
    >>> packed.data.view(np.int8)[:4].tolist(), packed.data[8:].tolist()
    ([-1, -1, -1, -1], [1, 2, 0, 0, 3, 0, 0, 0])
    """
    w, taps = _matrix(weights)
    _int8(w, narrow)
    return pack(w, bias, taps=taps, a_zero_point=a_zero_point, w_zero_point=0, padding=0, **_options(nr, kr, sr))


def _int8(w: NDArray[Any], narrow: bool) -> None:
    if narrow or w.dtype != np.int8:
        check_weights(w, "weights")


def pack_qc8w(weights: Any, bias: Any, scales: ArrayLike, *, nr: int, kr: int = 1, sr: int = 1, a_zero_point: int,
              narrow: bool = True) -> PackedWeights:
    """Symmetric int8 weights with one scale per output channel, which lie behind the weights of each block (X25).

    scales   float32 [n]   requantisation scales: input scale * weight scale / output scale
    others   as pack_qs8

    >>> packed = pack_qc8w(np.array([[1], [2]], np.int8), np.zeros(2, np.int32), [0.5, 0.25], nr=2, a_zero_point=0)
    >>> packed.data[8:10].tolist(), packed.data[10:].view("<f4").tolist()
    ([1, 2], [0.5, 0.25])
    """
    w, taps = _matrix(weights)
    _int8(w, narrow)
    packed = pack(w, bias, taps=taps, a_zero_point=a_zero_point, w_zero_point=0, padding=0, tail=("scale",),
                  **_options(nr, kr, sr))
    single = _scales(scales, packed.n)
    _words(packed, 0, single)
    return replace(packed, scales=single)


def pack_qd8(weights: Any, bias: ArrayLike, scales: ArrayLike, *, nr: int, kr: int = 1, sr: int = 1,
             narrow: bool = True) -> PackedWeights:
    """Symmetric int8 weights for rows whose zero points are known at run time only.

    In front of the weights stands minus their sum, which the kernel multiplies by the zero point of each row (X32);
    behind them the scale of each channel and its bias, both float32.

    bias     float32 [n]
    scales   float32 [n]   of the weights
    others   as pack_qs8

    >>> packed = pack_qd8(np.array([[1, 2]], np.int8), [10.0], [0.5], nr=1)
    >>> packed.data[:4].view("<i4").tolist(), packed.data[6:].view("<f4").tolist()
    ([-3], [0.5, 10.0])
    """
    w, taps = _matrix(weights)
    _int8(w, narrow)
    # With a zero point of 1 what is folded into a bias of 0 is minus the sum of the weights.
    packed = pack(w, np.zeros(w.shape[0], np.int32), taps=taps, a_zero_point=1, w_zero_point=0, padding=0,
                  tail=("scale", "bias"), head="-sum", **_options(nr, kr, sr))
    single, floats = _scales(scales, packed.n), np.asarray(bias, np.float32)
    if floats.shape != (packed.n,) or not np.isfinite(floats).all():
        raise BadArgument(f"bias must be finite float32 [{packed.n}], one per output channel; got shape "
                          f"{list(floats.shape)}.")
    _words(packed, 0, single)
    _words(packed, 1, floats)
    return replace(packed, scales=single, float_bias=floats)


def pack_qu8(weights: Any, bias: Any, *, nr: int, kr: int = 1, sr: int = 1, a_zero_point: int,
             w_zero_point: int) -> PackedWeights:
    """uint8 weights with a zero point, which is also what fills up the depth; `pack_gemm` for any nr, kr and sr.

    >>> packed = pack_qu8(np.array([[1, 2, 3]], np.uint8), np.array([5], np.int32), nr=1, kr=2, a_zero_point=0,
    ...                   w_zero_point=9)
    >>> packed.data[4:].tolist()
    [1, 2, 3, 9]
    """
    w, taps = _matrix(weights)
    return pack(w, bias, taps=taps, a_zero_point=a_zero_point, w_zero_point=w_zero_point, padding=w_zero_point,
                **_options(nr, kr, sr))
