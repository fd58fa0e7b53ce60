"""Weights of float32 kernels: blocks of nr output channels, bias first, then the weights depth after depth.

    block j   | nr biases | nr weights of depth 0 | nr weights of depth 1 | ... |      every one a float32, 4 bytes

    offset of bias(n)      = j * block_bytes + 4 * i                      n = j * nr + i
    offset of weight(n, k) = j * block_bytes + 4 * (nr * (1 + k) + i)

The order of depths is that of the fused multiply-adds of a kernel: of a convolution tap after tap, row after row of the
window, and in a tap channel after channel. A depthwise convolution is packed alike, its taps as depths.

Source: (P01, P05), with words for bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.gemm_layout import BIAS, PADDING, WEIGHT

__all__ = ["FloatLayout", "PackedFloats", "pack_f32"]

_WORD = 4


@dataclass(frozen=True)
class FloatLayout:
    """Index arithmetic of packed float32 weights.

    n, k   int   output channels (or channels), depth (or taps)
    nr     int   channels of a block

    >>> FloatLayout(n=5, k=3, nr=4).weight_offset(4, 2)     # second block: 64 bytes in, behind 16 of biases
    112
    """

    n: int
    k: int
    nr: int

    def __post_init__(self) -> None:
        for name in ("n", "k", "nr"):
            as_int(getattr(self, name), name, 1, 1 << 31)

    @property
    def blocks(self) -> int:
        """Groups of nr channels."""
        return -(-self.n // self.nr)

    @property
    def block_bytes(self) -> int:
        """Bytes of one block."""
        return _WORD * self.nr * (1 + self.k)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole buffer."""
        return self.blocks * self.block_bytes

    @property
    def channels(self) -> int:
        """Of a depthwise convolution."""
        return self.n

    def bias_offset(self, channel: int) -> int:
        """Byte offset of the bias of a channel."""
        return channel // self.nr * self.block_bytes + _WORD * (channel % self.nr)

    def weight_offset(self, channel: int, depth: int) -> int:
        """Byte offset of a weight."""
        return self.bias_offset(channel) + _WORD * self.nr * (1 + depth)

    def place(self, offset: int) -> tuple[int, int, int, int]:
        """What a byte is: (BIAS, WEIGHT or PADDING, channel, depth, which byte of it).

        >>> FloatLayout(n=5, k=3, nr=4).place(112) == (WEIGHT, 4, 2, 0)
        True
        """
        at = as_int(offset, "offset", 0, self.nbytes - 1)
        block, inside = divmod(at, self.block_bytes)
        row, column = divmod(inside // _WORD, self.nr)
        channel = block * self.nr + column
        kind = PADDING if channel >= self.n else BIAS if row == 0 else WEIGHT
        return kind, channel, max(row - 1, 0), at % _WORD


@dataclass(frozen=True, eq=False)
class PackedFloats:
    """Float32 weights as a kernel reads them, together with what they were.

    data      uint8 [layout.nbytes]   what is placed in memory
    layout    FloatLayout
    weights   float32 [n, k]          the original, a row per output channel
    bias      float32 [n]             the original
    """

    data: NDArray[np.uint8]
    layout: FloatLayout
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    @property
    def n(self) -> int:
        """Output channels."""
        return self.layout.n

    @property
    def nr(self) -> int:
        """Channels of a block."""
        return self.layout.nr

    @property
    def taps(self) -> int:
        """Of a depthwise convolution."""
        return self.layout.k


def pack_f32(weights: Any, bias: ArrayLike, *, nr: int) -> PackedFloats:
    """Float32 weights for kernels whose blocks have nr channels; channels that only fill up the last block are zeros.

    weights   float32 [n, k], or [n, kh, kw, c] of a convolution; of a depthwise one [channels, taps]
    bias      float32 [n]

    Raises BadArgument for wrong types and shapes.

    >>> packed = pack_f32(np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.zeros(3, np.float32), nr=2)
    >>> packed.data.view("<f4").reshape(2, 3, 2).tolist()
    [[[0.0, 0.0], [1.0, 3.0], [2.0, 4.0]], [[0.0, 0.0], [5.0, 0.0], [6.0, 0.0]]]
    """
    given, b = np.asarray(weights), np.asarray(bias)
    if given.dtype != np.float32 or given.ndim not in (2, 4) or 0 in given.shape:
        raise BadArgument("weights must be float32 [n, k] or [n, kh, kw, channels], with all sizes at least 1; got "
                          f"{given.dtype} {list(given.shape)}.")
    w = given.reshape(len(given), -1)
    if b.dtype != np.float32 or b.shape != w.shape[:1]:
        raise BadArgument(f"bias must be float32 [{len(w)}], one per output channel; got {b.dtype} {list(b.shape)}.")
    layout = FloatLayout(len(w), w.shape[1], nr)
    words = np.zeros((layout.blocks * nr, 1 + layout.k), "<f4")
    words[:layout.n, 0], words[:layout.n, 1:] = b, w
    data = np.ascontiguousarray(words.reshape(layout.blocks, nr, -1).transpose(0, 2, 1)).view(np.uint8).reshape(-1)
    count(packs=1, packed_bytes=layout.nbytes)
    return PackedFloats(data, layout, w, b)
