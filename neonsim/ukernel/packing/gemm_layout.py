"""Where an element of the weights sits in the packed buffer: index arithmetic, and the same as data to draw.

A packed buffer is a row of blocks, one per NR output channels. A block holds NR biases and then the weights, KR depths
at a time:

    block j          | bias of nr channels, int32 | group 0 | group 1 | ... |
    group g          | channel 0: kr bytes | channel 1: kr bytes | ... | channel nr-1 |

    offset of bias(n)      = j * block_bytes + 4 * i                            n = j * nr + i
    offset of weight(n, k) = j * block_bytes + 4 * nr + (g * nr + i) * kr + k mod kr

    without swizzle (sr = 1)       g = k div kr
    with swizzle, inside a whole   group g of channel i holds the depths that start at
    super-group of sr depths       base + (g * kr + i * kr) mod sr,   base = k div sr * sr
    in the rest (k mod sr depths)  g = k div kr, as without; with whole=True the depth is rounded up to sr, and the
                                   rest is rotated like everything else

With a tail, the weights of a block are followed by one 32-bit word per channel for each of its names:

    ... | last group | scale of nr channels, float32 | bias of nr channels, float32 |

    offset of word t of channel n  = j * block_bytes + 4 * nr + groups * nr * kr + 4 * (t * nr + i)

The swizzle serves kernels that rotate the activations (VEXT) instead of broadcasting them: at rotation 0 channel 0
meets depths 0-1, channel 1 depths 2-3, and so on.

Kernels that walk over several taps of a convolution read one tap after the other; every tap starts a new group, so its
depths are padded to kr by themselves:

    depth k of all taps = tap * (k div taps) + channel of the input

Source: QNNPACK's GEMM weights (P01), convolution (P02), deconvolution (P03), swizzled weights with kr 2, sr 8 (P04);
XNNPACK's general form: every super-group rotated, scales behind the weights (X30, X31).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument

__all__ = ["BIAS", "BIAS_BYTES", "PADDING", "TAIL", "WEIGHT", "GemmLayout", "LayoutTable"]

BIAS_BYTES = 4
PADDING, BIAS, WEIGHT, TAIL = 0, 1, 2, 3     # kinds of bytes in a LayoutTable
TAILS = ("scale", "bias")

Index = NDArray[np.int64]


@dataclass(frozen=True)
class LayoutTable:
    """What every byte of a packed buffer is: four arrays, one entry per byte, ready to be drawn.

    kind      uint8 [bytes]   PADDING, BIAS, WEIGHT or TAIL (a word behind the weights)
    channel   int32 [bytes]   output channel n, also of padding channels (n or more)
    depth     int32 [bytes]   k of a weight byte, -1 otherwise
    part      int8 [bytes]    which byte 0..3 of a 32-bit bias or tail word, -1 otherwise
    """

    kind: NDArray[np.uint8]
    channel: NDArray[np.int32]
    depth: NDArray[np.int32]
    part: NDArray[np.int8]


@dataclass(frozen=True)
class GemmLayout:
    """Index arithmetic of packed GEMM weights.

    n, k   int   output channels, depth
    nr     int   channels per block
    kr     int   depths that lie next to each other
    sr     int   depths of a swizzled super-group, a multiple of kr and a power of two; 1: no swizzle
    taps   int   places of the convolution's window, one after the other; k is the depth of all of them together
    whole  bool  the depth of every tap is rounded up to sr, all of it rotated (X30); else only whole super-groups
    tail   tuple of str   words of 32 bits per channel behind the weights of a block: "scale", "bias"
    head   str   what the word in front of the weights is called: "bias", or "-sum" of the channel's weights

    Raises BadArgument for sizes below 1, an sr that kr does not divide, a k that is not the same for every tap, and for
    tails of other names.

    >>> GemmLayout(n=8, k=16, nr=8).weight_offset(3, 5).item()      # 32 bytes of bias, 5 groups of 8, channel 3
    75
    >>> GemmLayout(n=8, k=16, nr=8, kr=2, sr=8).weight_offset(1, 2).item()      # rotated: channel 1 starts at depth 2
    34
    """

    n: int
    k: int
    nr: int
    kr: int = 1
    sr: int = 1
    taps: int = 1
    whole: bool = False
    tail: tuple[str, ...] = ()
    head: str = "bias"

    def __post_init__(self) -> None:
        for name in ("n", "k", "nr", "kr", "sr", "taps"):
            object.__setattr__(self, name, as_int(getattr(self, name), f"{name} of a layout", 1, 1 << 31))
        if self.sr != 1 and (self.sr % self.kr or self.sr & self.sr - 1):
            raise BadArgument(f"sr must be a power of two and a multiple of kr = {self.kr}, or 1 for no swizzle; "
                              f"got {self.sr}.")
        if self.k % self.taps:
            raise BadArgument(f"k = {self.k} is the total depth of {self.taps} taps, so it must be a multiple of "
                              f"{self.taps}.")
        if any(name not in TAILS for name in self.tail):
            raise BadArgument(f"the data after the weights must be {' or '.join(TAILS)}; got {', '.join(self.tail)}.")

    @property
    def tap_depth(self) -> int:
        """Depth of one tap: the channels of the input that it sees."""
        return self.k // self.taps

    @property
    def blocks(self) -> int:
        """Number of blocks of nr channels."""
        return -(-self.n // self.nr)

    @property
    def groups(self) -> int:
        """Number of groups of kr depths in a block; the last ones of each tap may be padded."""
        unit = self.sr if self.whole and self.sr > 1 else self.kr
        return self.taps * -(-self.tap_depth // unit) * (unit // self.kr)

    @property
    def block_bytes(self) -> int:
        """Bytes from one block to the next: nr * (4 + the depth of every tap rounded up to kr + 4 per tail word)."""
        return self.nr * (BIAS_BYTES + self.groups * self.kr + BIAS_BYTES * len(self.tail))

    @property
    def nbytes(self) -> int:
        """Bytes of the whole packed buffer."""
        return self.blocks * self.block_bytes

    def bias_offset(self, channel: ArrayLike) -> Index:
        """Byte offset of the int32 bias of a channel, 0 <= channel < blocks * nr."""
        block, i = np.divmod(np.asarray(channel, np.int64), self.nr)
        return np.asarray(block * self.block_bytes + BIAS_BYTES * i)

    def tail_offset(self, channel: ArrayLike, word: int) -> Index:
        """Byte offset of a tail word (0, 1, ...) of a channel, 0 <= channel < blocks * nr."""
        block, i = np.divmod(np.asarray(channel, np.int64), self.nr)
        inside = self.nr * (BIAS_BYTES + self.groups * self.kr) + BIAS_BYTES * (word * self.nr + i)
        return np.asarray(block * self.block_bytes + inside)

    def group_of(self, channel: ArrayLike, depth: ArrayLike) -> Index:
        """Which group of a block holds the weight of this channel and depth: the rotation is here, once."""
        i = np.asarray(channel, np.int64) % self.nr
        tap, k = np.divmod(np.asarray(depth, np.int64), self.tap_depth)
        before = tap * (self.groups // self.taps)
        if self.sr == 1:
            return np.asarray(before + k // self.kr + 0 * i)
        base = k // self.sr * self.sr
        rotated = (base + (k - base - i * self.kr) % self.sr) // self.kr
        whole = np.asarray(self.whole) | (k < self.tap_depth // self.sr * self.sr)
        return np.asarray(before + np.where(whole, rotated, k // self.kr))

    def weight_offset(self, channel: ArrayLike, depth: ArrayLike) -> Index:
        """Byte offset of the weight (channel, depth); arrays broadcast against each other.

        channel   int [...]   0 <= channel < blocks * nr; n and more are padding channels
        depth     int [...]   0 <= depth < k
        """
        n, k = np.asarray(channel, np.int64), np.asarray(depth, np.int64)
        block, i = np.divmod(n, self.nr)
        place = (self.group_of(n, k) * self.nr + i) * self.kr + k % self.tap_depth % self.kr
        return np.asarray(block * self.block_bytes + BIAS_BYTES * self.nr + place)

    def table(self) -> LayoutTable:
        """What every byte is.

        >>> table = GemmLayout(n=2, k=3, nr=2, kr=2).table()
        >>> table.kind.tolist()
        [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 2, 0]
        >>> table.depth[8:].tolist()
        [0, 1, 0, 1, 2, -1, 2, -1]
        """
        size = self.nbytes
        kind = np.full(size, PADDING, np.uint8)
        depth, part = np.full(size, -1, np.int32), np.full(size, -1, np.int8)
        block, inside = np.divmod(np.arange(size), self.block_bytes)
        behind = inside - BIAS_BYTES * self.nr
        i = np.where(behind < 0, inside // BIAS_BYTES, behind // self.kr % self.nr)
        after = behind - self.groups * self.nr * self.kr
        i = np.where(after >= 0, after // BIAS_BYTES % self.nr, i)
        channels = np.arange(self.n)
        bias = self.bias_offset(channels)[:, None] + np.arange(BIAS_BYTES)
        kind[bias], part[bias] = BIAS, np.arange(BIAS_BYTES)
        weights = self.weight_offset(channels[:, None], np.arange(self.k))
        kind[weights], depth[weights] = WEIGHT, np.arange(self.k)
        for word in range(len(self.tail)):
            places = self.tail_offset(channels, word)[:, None] + np.arange(BIAS_BYTES)
            kind[places], part[places] = TAIL, np.arange(BIAS_BYTES)
        return LayoutTable(kind, (block * self.nr + i).astype(np.int32), depth, part)

    def describe_byte(self, offset: int) -> str:
        """What lies at a byte offset, in words.

        >>> GemmLayout(n=8, k=16, nr=8, kr=2, sr=8).describe_byte(34)
        'block 0, group 0: weight of channel 1, depth 2'
        """
        place = as_int(offset, "offset", 0, self.nbytes - 1)
        table = self.table()
        block, inside = divmod(place, self.block_bytes)
        channel = int(table.channel[place])
        behind = inside - BIAS_BYTES * self.nr
        if behind < 0:
            name = self.head if table.kind[place] == BIAS else f"{self.head} padding"
            return f"block {block}: byte {inside % BIAS_BYTES} of the {name} of channel {channel}"
        after = behind - self.groups * self.nr * self.kr
        if after >= 0:
            name = self.tail[after // (BIAS_BYTES * self.nr)] + ("" if table.kind[place] == TAIL else " padding")
            return f"block {block}: byte {after % BIAS_BYTES} of the {name} of channel {channel}, behind the weights"
        group = behind // (self.nr * self.kr)
        if table.kind[place] == WEIGHT:
            k = int(table.depth[place])
            name = f"depth {k}" if self.taps == 1 else f"tap {k // self.tap_depth}, depth {k % self.tap_depth}"
            return f"block {block}, group {group}: weight of channel {channel}, {name}"
        return f"block {block}, group {group}: padding"

    def describe(self, block: int = 0, max_groups: int = 12, weights: NDArray[Any] | None = None) -> str:
        """One block as text: a row per group of kr depths, a column per channel; the entries are depths
        (tap:depth where there are several taps).

        weights   uint8 or int8 [n, k] or None   with weights, their values are shown behind the depths

        >>> print(GemmLayout(n=3, k=3, nr=4, kr=2).describe())
        block 0 of 1: 4 channels, 32 bytes = 4 x 4 bias + 2 groups x 4 channels x 2 depths; no swizzle
        offset     n0    n1    n2    n3
            +0   bias  bias  bias     .
           +16    0 1   0 1   0 1   . .
           +24    2 .   2 .   2 .   . .
        """
        j = as_int(block, "block", 0, self.blocks - 1)
        table = self.table()
        span = slice(j * self.block_bytes, (j + 1) * self.block_bytes)
        kind, depth = table.kind[span], table.depth[span]
        channels = [j * self.nr + i for i in range(self.nr)]

        def entry(place: int, channel: int) -> str:
            if kind[place] != WEIGHT:
                return "."
            k = int(depth[place])
            name = str(k) if self.taps == 1 else f"{k // self.tap_depth}:{k % self.tap_depth}"
            return name if weights is None else f"{name}={weights[channel, k]}"

        rows = [("+0", [self.head if kind[BIAS_BYTES * i] == BIAS else "." for i in range(self.nr)])]
        start = BIAS_BYTES * self.nr
        for g in range(min(self.groups, max_groups)):
            first = start + g * self.nr * self.kr
            rows.append((f"+{first}", [
                " ".join(entry(first + i * self.kr + o, channels[i]) for o in range(self.kr)) for i in range(self.nr)
            ]))
        groups = len(rows)
        for word, name in enumerate(self.tail):
            places = [int(self.tail_offset(c, word)) - j * self.block_bytes for c in channels]
            rows.append((f"+{places[0]}", [name if kind[p] == TAIL else "." for p in places]))
        width = max(5, *(len(cell) + 1 for _, cells in rows for cell in cells))
        swizzle = "no swizzle" if self.sr == 1 else f"depths rotate by {self.kr} per channel within each {self.sr}"
        head = (f"block {j} of {self.blocks}: {self.nr} channels, {self.block_bytes} bytes = {self.nr} x 4 {self.head} "
                f"+ {self.groups} groups x {self.nr} channels x {self.kr} depths"
                f"{''.join(f' + {self.nr} x 4 {name}' for name in self.tail)}; {swizzle}")
        lines = [head, f"{'offset':>6}" + " " * 2 + " ".join(f"{f'n{c}':>{width}}" for c in channels)]
        lines += [f"{name:>6}" + " " * 2 + " ".join(f"{cell:>{width}}" for cell in cells) for name, cells in rows]
        if self.groups > max_groups:
            lines.insert(2 + groups, f"  ... {self.groups - max_groups} more groups of {self.kr}")
        return "\n".join(lines)
