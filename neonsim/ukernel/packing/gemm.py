"""Bring weights into the order in which a kernel reads them, with the zero points folded into the bias.

    sum over k of (a - za) * (b - zb)  =  sum a*b - zb * sum a - za * sum b + K * za * zb

Three of the four terms do not depend on the activations or are cheap: `K*za*zb - za * sum b` is known when the weights
are, and goes into the bias. The default kernel subtracts zb from the weights as it widens them, so it needs no more.
The swizzled kernel multiplies raw bytes and adds `-zb * sum a` from a table of row sums.

Source: (P01, P02, P03, P04, Z07, A31).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import wrap
from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.gemm_layout import BIAS_BYTES, GemmLayout

__all__ = ["PackedWeights", "fold_bias", "pack", "pack_gemm", "pack_gemm_xzp", "unpack"]

XZP_DEPTHS = 8      # within which the weights of the dual-issue kernel are rotated (P04)


@dataclass(frozen=True, eq=False)
class PackedWeights:
    """Weights as a kernel reads them, together with what they were.

    data            uint8 [layout.nbytes]    what is placed in memory; int8 weights as their bytes
    layout          GemmLayout               where each element sits
    weights         uint8 or int8 [n, k]     the original, one row per output channel
    original_bias   int32 [n]
    a_zero_point    int                      folded into the packed bias
    w_zero_point    int
    padding         int                      byte that fills what belongs to no weight (as 0..255)
    scales          float32 [n] or None      of every channel, where they lie behind the weights
    float_bias      float32 [n] or None      the bias of products with floating-point results; original_bias is then 0

    Kernels read ``data``; contracts and the reference judge from ``unpacked`` and ``original_bias``, so that a wrong
    fold cannot hide.
    """

    data: NDArray[np.uint8]
    layout: GemmLayout
    weights: NDArray[Any]
    original_bias: NDArray[np.int32]
    a_zero_point: int
    w_zero_point: int
    padding: int
    scales: NDArray[np.float32] | None = None
    float_bias: NDArray[np.float32] | None = None

    @property
    def n(self) -> int:
        """Output channels."""
        return self.layout.n

    @property
    def k(self) -> int:
        """Depth."""
        return self.layout.k

    @property
    def nr(self) -> int:
        """Channels per block."""
        return self.layout.nr

    @property
    def kr(self) -> int:
        """Depths that lie next to each other."""
        return self.layout.kr

    @property
    def sr(self) -> int:
        """Depths of a swizzled super-group, 1 without swizzle."""
        return self.layout.sr

    @property
    def blocks(self) -> int:
        """Number of blocks of nr channels."""
        return self.layout.blocks

    @property
    def unpacked(self) -> NDArray[Any]:
        """The original weights as the right-hand matrix [k, n]; a view."""
        return self.weights.T

    @property
    def bias(self) -> NDArray[np.int32]:
        """The bias with the zero points folded in, as it was packed: int32 [n]."""
        return fold_bias(self.weights, self.original_bias, self.a_zero_point, self.w_zero_point)

    def block(self, index: int) -> PackedWeights:
        """One block alone: nr channels (fewer in the last one), what one call of a kernel sees.

        Its ``data`` is a view of this one's.
        """
        j = as_int(index, "block", 0, self.blocks - 1)
        first, last = j * self.nr, min((j + 1) * self.nr, self.n)
        size = self.layout.block_bytes
        return PackedWeights(
            data=self.data[j * size:(j + 1) * size],
            layout=replace(self.layout, n=last - first),
            weights=self.weights[first:last],
            original_bias=self.original_bias[first:last],
            a_zero_point=self.a_zero_point,
            w_zero_point=self.w_zero_point,
            padding=self.padding,
            scales=None if self.scales is None else self.scales[first:last],
            float_bias=None if self.float_bias is None else self.float_bias[first:last],
        )

    def describe(self, block: int = 0, max_groups: int = 12) -> str:
        """One block as text, depth=value for every weight."""
        return self.layout.describe(block, max_groups, weights=self.weights)


def _check(weights: Any, bias: Any, a_zero_point: int, w_zero_point: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    w, b = np.asarray(weights), np.asarray(bias)
    if w.dtype not in (np.uint8, np.int8) or w.ndim != 2 or 0 in w.shape:
        raise BadArgument(f"weights must be uint8 or int8 [n, k], one row per output channel, with all sizes at least "
                          f"1; got {w.dtype} {w.shape}.")
    if b.dtype != np.int32 or b.shape != w.shape[:1]:
        raise BadArgument(f"bias must be int32 [{w.shape[0]}], one per output channel; got {b.dtype} {b.shape}.")
    info = np.iinfo(w.dtype)
    as_int(w_zero_point, f"w_zero_point of {w.dtype} weights", info.min, info.max)
    as_int(a_zero_point, "a_zero_point", -128, 255)
    return w, b


def fold_bias(weights: NDArray[Any], bias: NDArray[np.int32], a_zero_point: int,
              w_zero_point: int) -> NDArray[np.int32]:
    """The bias that a kernel starts its accumulators from.

    bias'[n] = bias[n] + K * za * zb - za * sum over k of weights[n, k]      (modulo 2**32, as registers add)

    weights   uint8 or int8 [n, k]
    bias      int32 [n]
    ->        int32 [n]

    >>> fold_bias(np.array([[1, 2, 3]], np.uint8), np.array([100], np.int32), a_zero_point=10, w_zero_point=2).tolist()
    [100]
    """
    depth = weights.shape[1]
    return wrap(bias.astype(np.int64) + depth * a_zero_point * w_zero_point
                - a_zero_point * weights.astype(np.int64).sum(axis=1))


def pack(weights: Any, bias: Any, *, nr: int, kr: int = 1, sr: int = 1, taps: int = 1, a_zero_point: int,
         w_zero_point: int, padding: int, **layout_options: Any) -> PackedWeights:
    """Pack with any layout and padding byte; pack_gemm and its kin choose both as their kernels need.

    layout_options   whole, tail, head of `GemmLayout`; words of a tail are left to the caller

    The whole buffer is filled with the padding byte first, also where a missing channel's bias would be: kernels read
    those bytes, and never store what comes of them.
    """
    w, b = _check(weights, bias, a_zero_point, w_zero_point)
    layout = GemmLayout(w.shape[0], w.shape[1], nr, kr, sr, taps, **layout_options)
    data = np.full(layout.nbytes, as_int(padding, "padding", -128, 255) & 0xFF, np.uint8)
    channels = np.arange(layout.n)
    folded = fold_bias(w, b, a_zero_point, w_zero_point).astype("<i4").view(np.uint8).reshape(-1, BIAS_BYTES)
    data[layout.bias_offset(channels)[:, None] + np.arange(BIAS_BYTES)] = folded
    data[layout.weight_offset(channels[:, None], np.arange(layout.k))] = np.ascontiguousarray(w).view(np.uint8)
    count(packs=1, packed_bytes=layout.nbytes)
    return PackedWeights(data, layout, w, b, a_zero_point, w_zero_point, padding & 0xFF)


def pack_gemm(weights: Any, bias: Any, *, nr: int, kr: int = 1, a_zero_point: int, w_zero_point: int) -> PackedWeights:
    """Weights of the default GEMM kernels: blocks of nr channels, depth after depth, padded with w_zero_point.

    weights        uint8 or int8 [n, k]   one row per output channel
    bias           int32 [n]
    nr, kr         int                    channels per block, neighbouring depths
    a_zero_point   int                    of the activations, folded into the bias
    w_zero_point   int                    the padding: the kernel subtracts it, so padding weighs nothing (Z07)

    Raises BadArgument for wrong types and shapes.
    Source: (P01).

    >>> packed = pack_gemm(np.array([[1, 2], [3, 4], [5, 6]], np.uint8), np.array([7, 8, 9], np.int32),
    ...                    nr=4, a_zero_point=0, w_zero_point=127)
    >>> packed.data[16:].reshape(2, 4).tolist()
    [[1, 3, 5, 127], [2, 4, 6, 127]]
    """
    return pack(weights, bias, nr=nr, kr=kr, a_zero_point=a_zero_point, w_zero_point=w_zero_point,
                padding=w_zero_point)


def pack_gemm_xzp(weights: Any, bias: Any, *, nr: int = 8, kr: int = 2, sr: int = XZP_DEPTHS, a_zero_point: int,
                  w_zero_point: int) -> PackedWeights:
    """Weights of the dual-issue GEMM kernel: pairs of depths, rotated from channel to channel, padded with 0.

    The kernel multiplies bytes without subtracting a zero point, so padding must be 0; the rotation matches the VEXT
    that turns the activations. The zero points are folded into the bias as for pack_gemm.

    Arguments as pack_gemm; sr is the number of depths within which the rotation runs.
    Source: (P04).

    >>> weights = np.arange(16, dtype=np.uint8).reshape(2, 8)
    >>> packed = pack_gemm_xzp(weights, np.zeros(2, np.int32), nr=2, a_zero_point=0, w_zero_point=0)
    >>> packed.data[8:].reshape(4, 4).tolist()
    [[0, 1, 10, 11], [2, 3, 12, 13], [4, 5, 14, 15], [6, 7, 8, 9]]
    """
    return pack(weights, bias, nr=nr, kr=kr, sr=sr, a_zero_point=a_zero_point, w_zero_point=w_zero_point, padding=0)


def unpack(data: NDArray[np.uint8], layout: GemmLayout, dtype: Any = "uint8") -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Read weights and folded bias back out of a packed buffer.

    data     uint8 [layout.nbytes]
    ->       (weights uint8 or int8 [n, k], folded bias int32 [n])

    Raises BadArgument if the buffer has not the size of the layout.
    """
    if data.dtype != np.uint8 or data.shape != (layout.nbytes,):
        raise BadArgument(f"a buffer of this layout must be uint8 [{layout.nbytes}]; got {data.dtype} {data.shape}.")
    channels = np.arange(layout.n)
    weights = data[layout.weight_offset(channels[:, None], np.arange(layout.k))].view(dtype)
    bias = data[layout.bias_offset(channels)[:, None] + np.arange(BIAS_BYTES)]
    return weights, np.ascontiguousarray(bias).view("<i4").reshape(-1).astype(np.int32)
