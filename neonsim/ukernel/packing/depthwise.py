"""Where a depthwise weight sits, and packing them: eight channels side by side, or sixteen, tap after tap.

    one pass (3x3)       | block 0: 8 biases, taps 0..8 x 8 channels | block 1 | ... |
    several passes       | region 0: per block 8 biases, the first taps | region 1: per block the next taps | ... |
    a scale per channel  | block 0: 16 biases, taps 0..8 x 16 channels, 16 scales | block 1 | ... |

One pointer that only moves forwards serves all weights: that leaves AArch32, with its 14 usable general registers, nine
of them for the pixels. Taps are counted column by column, tap = kx * KH + ky, as the indirection buffer lists them.

Source: (P05, P06, A39, A40); int8: (X22, X25).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.params.gemm import check_weights
from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.gemm import fold_bias
from neonsim.ukernel.packing.gemm_layout import BIAS_BYTES

__all__ = ["DepthwiseLayout", "PackedDepthwise", "pack_channelwise", "pack_depthwise"]

_SCALE_BYTES = 4


@dataclass(frozen=True)
class DepthwiseLayout:
    """Index arithmetic of packed depthwise weights.

    channels   int
    passes     tuple[int, ...]   taps of each pass: (9,) for 3x3 in one, (10, 10, 5) for 5x5, (1,) * 9 tap by tap
    lanes      int               channels of a block
    scaled     bool              a float32 scale for each channel behind the taps of a block; one pass only

    >>> layout = DepthwiseLayout(channels=20, passes=(9,))
    >>> layout.nbytes, layout.weight_offset(9, 2).item()        # second block: 104 bytes in, behind 32 of bias
    (312, 153)
    """

    channels: int
    passes: tuple[int, ...] = (9,)
    lanes: int = 8
    scaled: bool = False

    def __post_init__(self) -> None:
        as_int(self.channels, "channels", 1, 1 << 31)
        as_int(self.lanes, "lanes", 1, 1 << 16)
        if self.scaled and len(self.passes) > 1:
            raise BadArgument(f"per-channel scales need a single pass, because they follow its taps; got passes "
                              f"{self.passes}.")
        for taps in self.passes:
            as_int(taps, "taps of a pass", 1, 1 << 16)

    @property
    def taps(self) -> int:
        """Taps of all passes."""
        return sum(self.passes)

    @property
    def blocks(self) -> int:
        """Groups of that many channels."""
        return -(-self.channels // self.lanes)

    def _block_bytes(self, index: int) -> int:
        words = BIAS_BYTES * (index == 0) + _SCALE_BYTES * self.scaled
        return self.lanes * (self.passes[index] + words)

    @property
    def regions(self) -> tuple[tuple[int, int], ...]:
        """(first byte, bytes of one block) of each pass."""
        sizes = [self._block_bytes(i) for i in range(len(self.passes))]
        return tuple((self.blocks * sum(sizes[:i]), size) for i, size in enumerate(sizes))

    @property
    def nbytes(self) -> int:
        """Bytes of the whole buffer."""
        return self.blocks * sum(self._block_bytes(i) for i in range(len(self.passes)))

    def bias_offset(self, channel: ArrayLike) -> NDArray[np.int64]:
        """Byte offset of the int32 bias of a channel."""
        block, lane = np.divmod(np.asarray(channel, np.int64), self.lanes)
        return np.asarray(block * self._block_bytes(0) + BIAS_BYTES * lane)

    def scale_offset(self, channel: ArrayLike) -> NDArray[np.int64]:
        """Byte offset of the float32 scale of a channel, where there are scales."""
        block, lane = np.divmod(np.asarray(channel, np.int64), self.lanes)
        behind = self.lanes * (BIAS_BYTES + self.taps)
        return np.asarray(block * self._block_bytes(0) + behind + _SCALE_BYTES * lane)

    def weight_offset(self, channel: ArrayLike, tap: ArrayLike) -> NDArray[np.int64]:
        """Byte offset of a weight; arrays broadcast against each other."""
        block, lane = np.divmod(np.asarray(channel, np.int64), self.lanes)
        ends = np.cumsum(self.passes)
        which = np.searchsorted(ends, np.asarray(tap, np.int64), side="right")
        first = np.array([start for start, _ in self.regions])[which]
        size = np.array([size for _, size in self.regions])[which]
        within = np.asarray(tap, np.int64) - (ends - np.array(self.passes))[which]
        bias = np.where(which == 0, self.lanes * BIAS_BYTES, 0)
        return np.asarray(first + block * size + bias + within * self.lanes + lane)

    def place(self, offset: int) -> tuple[str, int, int]:
        """What a byte is: ("bias", channel, which of its bytes), ("scale", likewise) or ("weight", channel, tap).

        Channels from `channels` on fill up the last block. Raises BadArgument for an offset outside the buffer.

        >>> DepthwiseLayout(channels=20).place(153), DepthwiseLayout(channels=20).place(4)
        (('weight', 9, 2), ('bias', 1, 0))
        """
        at = as_int(offset, "offset", 0, self.nbytes - 1)
        index = max(i for i, (first, _) in enumerate(self.regions) if first <= at)
        first, size = self.regions[index]
        block, inside = divmod(at - first, size)
        if index == 0:
            if inside < self.lanes * BIAS_BYTES:
                return "bias", block * self.lanes + inside // BIAS_BYTES, inside % BIAS_BYTES
            inside -= self.lanes * BIAS_BYTES
        if inside >= self.lanes * self.passes[index]:
            inside -= self.lanes * self.passes[index]
            return "scale", block * self.lanes + inside // _SCALE_BYTES, inside % _SCALE_BYTES
        return "weight", block * self.lanes + inside % self.lanes, sum(self.passes[:index]) + inside // self.lanes

    def describe_byte(self, offset: int) -> str:
        """What lies at a byte offset, in words.

        >>> DepthwiseLayout(channels=20, passes=(10, 10, 5)).describe_byte(350)
        'pass 1, block 0: weight of channel 6, tap 11'
        """
        kind, channel, number = self.place(offset)
        index = max(i for i, (first, _) in enumerate(self.regions) if first <= offset)
        block = (offset - self.regions[index][0]) // self.regions[index][1]
        what = f"weight of channel {channel}, tap {number}" if kind == "weight" else \
            f"byte {number} of the {kind} of channel {channel}"
        if channel >= self.channels:
            what = "padding"
        return f"pass {index}, block {block}: {what}"

    def describe(self, block: int = 0) -> str:
        """One block as text: a row per tap, channels side by side.

        >>> print(DepthwiseLayout(channels=3, passes=(2,)).describe())
        block 0 of 1: 8 channels, taps in passes of 2; 48 bytes in all
        offset     c0    c1    c2    c3    c4    c5    c6    c7
            +0   bias  bias  bias     .     .     .     .     .
           +32     t0    t0    t0     .     .     .     .     .
           +40     t1    t1    t1     .     .     .     .     .
        """
        j = as_int(block, "block", 0, self.blocks - 1)
        channels = range(j * self.lanes, (j + 1) * self.lanes)
        passes = ", ".join(map(str, self.passes))
        lines = [f"block {j} of {self.blocks}: {self.lanes} channels, taps in passes of {passes}; {self.nbytes} bytes "
                 "in all",
                 f"{'offset':>6}  " + " ".join(f"{f'c{c}':>5}" for c in channels)]

        def row(offset: int, word: str) -> str:
            return f"{f'+{offset}':>6}  " + " ".join(f"{word if c < self.channels else '.':>5}" for c in channels)

        lines.append(row(int(self.bias_offset(channels[0])), "bias"))
        lines += [row(int(self.weight_offset(channels[0], tap)), f"t{tap}") for tap in range(self.taps)]
        if self.scaled:
            lines.append(row(int(self.scale_offset(channels[0])), "scale"))
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class PackedDepthwise:
    """Depthwise weights as a kernel reads them, together with what they were.

    data            uint8 [layout.nbytes]
    layout          DepthwiseLayout
    weights         uint8 or int8 [taps, channels]   the original, taps column by column
    original_bias   int32 [channels]
    a_zero_point    int                      folded into the packed bias if ``folded``
    w_zero_point    int                      also what pads missing channels
    scales          float32 [channels] or None   where they lie behind the taps
    """

    data: NDArray[np.uint8]
    layout: DepthwiseLayout
    weights: NDArray[Any]
    original_bias: NDArray[np.int32]
    a_zero_point: int
    w_zero_point: int
    folded: bool
    scales: NDArray[np.float32] | None = None

    @property
    def unpacked(self) -> NDArray[Any]:
        """The original weights [taps, channels]."""
        return self.weights

    @property
    def taps(self) -> int:
        """Taps per output."""
        return self.layout.taps


def pack_depthwise(weights: Any, bias: Any, *, passes: tuple[int, ...] = (9,), a_zero_point: int, w_zero_point: int,
                   fold: bool = True) -> PackedDepthwise:
    """Pack depthwise weights for a kernel that takes its taps in these passes.

    weights        uint8 [taps, channels]   taps column by column: kernel[kx, ky]
    bias           int32 [channels]
    a_zero_point   int                      folded into the bias (one pass), or left to the kernel: fold=False (Z06)
    w_zero_point   int                      pads the channels that are missing in the last block

    Raises BadArgument for wrong types and shapes. Source: (P05, P06).
    """
    w, b = _operands(weights, bias, "uint8")
    layout = DepthwiseLayout(w.shape[1], tuple(passes))
    if layout.taps != w.shape[0]:
        raise BadArgument(f"passes {tuple(passes)} take {layout.taps} taps, the weights have {w.shape[0]}.")
    as_int(a_zero_point, "a_zero_point", 0, 255)
    padding = as_int(w_zero_point, "w_zero_point", 0, 255)
    start = fold_bias(w.T, b, a_zero_point, w_zero_point) if fold else b
    data = _filled(layout, w, start, padding)
    return PackedDepthwise(data, layout, w, b, a_zero_point, w_zero_point, fold)


def _operands(weights: Any, bias: Any, dtype: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
    w, b = np.asarray(weights), np.asarray(bias)
    if w.dtype != dtype or w.ndim != 2 or 0 in w.shape:
        raise BadArgument(f"depthwise weights must be {dtype} [taps, channels], with all sizes at least 1; got "
                          f"{w.dtype} {w.shape}.")
    if b.dtype != np.int32 or b.shape != w.shape[1:]:
        raise BadArgument(f"bias must be int32 [{w.shape[1]}], one per channel; got {b.dtype} {b.shape}.")
    return w, b


def _filled(layout: DepthwiseLayout, w: NDArray[Any], start: NDArray[np.int32], padding: int) -> NDArray[np.uint8]:
    """The buffer: biases and weights in their places, everything else the padding byte."""
    data = np.full(layout.nbytes, padding, np.uint8)
    channels = np.arange(layout.channels)
    packed = start.astype("<i4").view(np.uint8).reshape(-1, BIAS_BYTES)
    data[layout.bias_offset(channels)[:, None] + np.arange(BIAS_BYTES)] = packed
    data[layout.weight_offset(channels[None, :], np.arange(layout.taps)[:, None])] = w.view(np.uint8)
    count(packs=1, packed_bytes=layout.nbytes)
    return data


def pack_channelwise(weights: Any, bias: Any, scales: ArrayLike | None = None, *, lanes: int = 8, a_zero_point: int,
                     narrow: bool = True) -> PackedDepthwise:
    """Pack symmetric int8 depthwise weights for a kernel that takes all its taps in one pass.

    weights        int8 [taps, channels]     -127..127, taps column by column: kernel[kx, ky]
    bias           int32 [channels]
    scales         float32 [channels] or None   requantisation scales, which then lie behind the taps (X25)
    lanes          int                       channels of a block: 8 or 16
    a_zero_point   int                       -128..127, folded into the bias (D11)
    narrow         bool                      False lets -128 through: to see two products overflow 16 bits

    Raises BadArgument for wrong types and shapes, and for a weight of -128 (D10). Source: (X22, X25, X30).

    >>> packed = pack_channelwise(np.array([[1], [2]], np.int8), np.array([10], np.int32), lanes=2, a_zero_point=3)
    >>> packed.data[:4].view("<i4").tolist(), packed.data[8:].tolist()
    ([1], [1, 0, 2, 0])
    """
    w, b = _operands(weights, bias, "int8")
    if narrow:
        check_weights(w, "w")
    as_int(a_zero_point, "a_zero_point", -128, 127)
    layout = DepthwiseLayout(w.shape[1], (w.shape[0],), lanes, scales is not None)
    data = _filled(layout, w, fold_bias(w.T, b, a_zero_point, 0), 0)
    packed = PackedDepthwise(data, layout, w, b, a_zero_point, 0, True)
    if scales is None:
        return packed
    single = check_scale(scales, "scales of the channels")
    if single.shape != b.shape:
        raise BadArgument(f"there must be one scale per channel, float32 [{b.size}]; got shape {list(single.shape)}.")
    places = layout.scale_offset(np.arange(b.size))[:, None] + np.arange(_SCALE_BYTES)
    data[places] = single.astype("<f4").view(np.uint8).reshape(-1, _SCALE_BYTES)
    return replace(packed, scales=single)
