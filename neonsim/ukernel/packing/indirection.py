"""Indirection buffers: tables of pointers to input pixels, so that a kernel convolves without a copied matrix.

    kind      who reads it                     order of the entries
    tiles     indirect GEMM (P07)              [group][image][tile of mr output pixels][tap ky * kw + kx][pixel in tile]
    rows      depthwise and pooling (P08)      [image][output row][column-major taps, shared by neighbouring pixels]
    windows   kernels of float32               [image][output row][output column][tap ky * kw + kx]

In a table of *tiles* the last tile of an image repeats its last pixel, as the kernels compute unused rows.
In a table of *rows* tap (ky, kx) of output pixel ox is entry  ox * step * kh + kx * kh + ky: pixels that overlap share
columns, and a row holds  kh * kw + (ow * step - 1) * kh  entries. With dilation or strides that step over columns
nothing is shared, step = kw or the stride. Those of *windows* share nothing: sums of float32 have an order, row
after row of the window.

An entry is a byte offset from the first byte of the input; OUTSIDE stands for the zero buffer, a row of bytes of the
input zero point. `pointers` makes addresses of them, 4 or 8 bytes each.

Source: (P07, P08, P09, A34, A35, A36).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.ukernel.packing.counters import count
from neonsim.ukernel.packing.taps import OUTSIDE, Taps

__all__ = ["IndirectionBuffer", "pixel_offsets", "row_indirection", "tile_indirection", "window_indirection",
           "zero_buffer"]

Index = NDArray[np.int64]
ZERO_FRONT = 8      # bytes in front of a short zero buffer, for kernels that read backwards


@dataclass(frozen=True, eq=False)
class IndirectionBuffer:
    """Which input pixel every pointer of the table stands for.

    kind            str      "tiles", "rows" or "windows"
    offsets         int64    entries in the order of memory, byte offsets into the input, or OUTSIDE
                             tiles: [groups, batch, tiles, taps, mr]     rows: [batch, oh, entries of a row]
                             windows: [batch, oh, ow, taps]
    taps            Taps     geometry
    pixel_stride    int      bytes from one input pixel to the next
    group_channels  int      bytes from one group's channels to the next group's
    step            int      rows: columns of taps from one output pixel to the next (0 for tiles)
    """

    kind: str
    offsets: Index
    taps: Taps
    pixel_stride: int
    group_channels: int = 0
    step: int = 0

    @property
    def mr(self) -> int:
        """Output pixels of a tile, 1 for rows."""
        return int(self.offsets.shape[4]) if self.kind == "tiles" else 1

    def nbytes(self, pointer_bytes: int) -> int:
        """Bytes of the table."""
        return int(self.offsets.size) * pointer_bytes

    def pointers(self, input_address: int, zero_address: int, pointer_bytes: int) -> NDArray[Any]:
        """The table as it lies in memory: unsigned addresses of 4 or 8 bytes, flat.

        Raises BadArgument if an address does not fit.
        """
        if pointer_bytes not in (4, 8):
            raise BadArgument(f"pointer_bytes must be 4 or 8; got {pointer_bytes}.")
        addresses = np.where(self.offsets == OUTSIDE, zero_address, self.offsets + input_address).reshape(-1)
        if addresses.size and not 0 <= int(addresses.min()) <= int(addresses.max()) < 1 << 8 * pointer_bytes:
            raise BadArgument(f"an input at {input_address:#x} does not fit pointers of {pointer_bytes} bytes.")
        return addresses.astype("<u4" if pointer_bytes == 4 else "<u8")

    def entry(self, index: int) -> tuple[int, int, int, int, int, int]:
        """What a place of the table is for: (group, image, output row, output column, ky, kx).

        In a table of rows an entry may serve several output pixels; the last of them, which reads it with its
        first column, is given. Raises BadArgument for entries that no pixel reads.
        """
        place = as_int(index, "index", 0, self.offsets.size - 1)
        where = [int(i) for i in np.unravel_index(place, self.offsets.shape)]
        (oh, ow), (kh, kw) = self.taps.output, self.taps.kernel
        if self.kind == "tiles":
            group, image, tile, tap, row = where
            pixel = min(tile * self.mr + row, oh * ow - 1)
            return group, image, pixel // ow, pixel % ow, tap // kw, tap % kw
        if self.kind == "windows":
            image, oy, ox, tap = where
            return 0, image, oy, ox, tap // kw, tap % kw
        image, oy, inside = where
        column, ky = divmod(inside, kh)
        ox = min(column // self.step, ow - 1)
        if column - ox * self.step >= kw:
            raise BadArgument(f"entry {place} is not read by any output pixel, because strides skip it.")
        return 0, image, oy, ox, ky, column - ox * self.step

    def describe_entry(self, index: int) -> str:
        """What a place of the table is for, in words.

        >>> from neonsim.ukernel.packing import conv_shape, conv_taps
        >>> taps = conv_taps(conv_shape((3, 3), (3, 3), padding=1))
        >>> tile_indirection(taps, 1, mr=4, pixel_stride=2).describe_entry(5)
        'image 0, output (0, 1), tap (0, 1): outside the image, the zero buffer'
        """
        group, image, oy, ox, ky, kx = self.entry(index)
        offset = int(self.offsets.reshape(-1)[index])
        head = f"image {image}, output ({oy}, {ox}), tap ({ky}, {kx})"
        head = f"group {group}, {head}" if self.kind == "tiles" and self.offsets.shape[0] > 1 else head
        if offset == OUTSIDE:
            return f"{head}: outside the image, the zero buffer"
        pixel = (offset - group * self.group_channels) // self.pixel_stride
        height, width = self.taps.size
        y, x = divmod(pixel % (height * width), width)
        return f"{head}: input pixel ({y}, {x}), byte {offset}"

    def describe(self, first: int = 0, entries: int = 12) -> str:
        """Some entries as text, one a line."""
        size = self.offsets.size
        lines = [f"{size} pointers ({self.kind}), {size * 4} bytes of 4-byte or {size * 8} of 8-byte pointers"]
        for index in range(first, min(first + entries, size)):
            try:
                lines.append(f"{index:>6}  {self.describe_entry(index)}")
            except BadArgument:
                lines.append(f"{index:>6}  no output pixel reads this entry")
        if first + entries < size:
            lines.append(f"   ... {size - first - entries} more")
        return "\n".join(lines)


def pixel_offsets(taps: Taps, batch: int, pixel_stride: int) -> Index:
    """Byte offset or OUTSIDE: [batch, oh, ow, kh, kw]."""
    pixels = taps.pixels()
    images = np.arange(batch).reshape(-1, 1, 1, 1, 1) * (taps.size[0] * taps.size[1])
    return np.where(pixels == OUTSIDE, OUTSIDE, (images + pixels) * pixel_stride)


def tile_indirection(taps: Taps, batch: int, *, mr: int, pixel_stride: int, groups: int = 1,
                     group_channels: int = 0) -> IndirectionBuffer:
    """The table of an indirect convolution.

    taps             Taps   of a convolution or deconvolution
    mr               int    output pixels of a tile
    pixel_stride     int    bytes from one input pixel to the next
    groups           int    how many times the table is needed, each group_channels bytes further

    Source: (P07): pointer size * batch * groups * ceil(out / mr) * mr * taps bytes.

    >>> from neonsim.ukernel.packing import conv_shape, conv_taps
    >>> table = tile_indirection(conv_taps(conv_shape((2, 2), (1, 2))), 1, mr=4, pixel_stride=10)
    >>> table.offsets[0, 0, 0].tolist()         # two output pixels; the tile repeats the last one
    [[0, 20, 20, 20], [10, 30, 30, 30]]
    """
    pixels = taps.output[0] * taps.output[1]
    offsets = pixel_offsets(taps, batch, pixel_stride).reshape(batch, pixels, taps.count)
    tiles = -(-pixels // mr)
    order = np.minimum(np.arange(tiles * mr), pixels - 1).reshape(tiles, mr)
    one = offsets[:, order].transpose(0, 1, 3, 2)
    shift = np.arange(groups).reshape(-1, 1, 1, 1, 1) * group_channels
    table = np.where(one == OUTSIDE, OUTSIDE, one + shift)
    count(indirections=1, pointers=table.size)
    return IndirectionBuffer("tiles", table, taps, pixel_stride, group_channels)


def row_indirection(taps: Taps, batch: int, *, step: int, pixel_stride: int) -> IndirectionBuffer:
    """The table of a depthwise convolution or of pooling.

    step            int   columns of taps from one output pixel to the next: the stride where columns are shared, the
                          width of the window where they are not (dilation, or a stride beyond it)

    Source: (P08).

    >>> from neonsim.ukernel.packing import conv_shape, conv_taps
    >>> table = row_indirection(conv_taps(conv_shape((2, 4), (2, 2))), 1, step=1, pixel_stride=1)
    >>> table.offsets[0, 0].tolist()            # columns 0 4, 1 5, 2 6, 3 7: three output pixels, two columns each
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    (oh, ow), (kh, kw) = taps.output, taps.kernel
    row = taps.count + (ow * step - 1) * kh
    table = np.full((batch, oh, row), OUTSIDE, np.int64)
    column = np.arange(ow)[:, None] * step + np.arange(kw)
    places = column[:, :, None] * kh + np.arange(kh)
    # [batch, oh, ow, kh, kw] -> column-major taps
    table[:, :, places] = pixel_offsets(taps, batch, pixel_stride).transpose(0, 1, 2, 4, 3)
    count(indirections=1, pointers=table.size)
    return IndirectionBuffer("rows", table, taps, pixel_stride, 0, step)


def window_indirection(taps: Taps, batch: int, *, pixel_stride: int) -> IndirectionBuffer:
    """The table of a depthwise convolution or of pooling whose sums have an order: taps row after row, nothing shared.

    >>> from neonsim.ukernel.packing import conv_shape, conv_taps
    >>> window_indirection(conv_taps(conv_shape((2, 3), (2, 2))), 1, pixel_stride=1).offsets[0, 0].tolist()
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    """
    offsets = pixel_offsets(taps, batch, pixel_stride)
    table = np.ascontiguousarray(offsets.reshape(*offsets.shape[:3], taps.count))
    count(indirections=1, pointers=table.size)
    return IndirectionBuffer("windows", table, taps, pixel_stride)


def zero_buffer(channels: int, value: int) -> tuple[NDArray[np.uint8], int]:
    """What pointers outside the image point at: (bytes, where the row begins in them).

    channels   int   bytes of the row: depth of a tap, or channels of a pooling window
    value      int   the input zero point; for global average pooling a literal 0 (Z08)

    Source: (P09, Z19): short rows have 8 more bytes in front, since kernels reach back for their last channels.

    >>> row, start = zero_buffer(3, 7)
    >>> row.tolist(), start
    ([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7], 8)
    """
    front = ZERO_FRONT if channels < ZERO_FRONT else 0
    return np.full(front + channels, value & 0xFF, np.uint8), front
