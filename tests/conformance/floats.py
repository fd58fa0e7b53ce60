"""Operands for floating-point instructions: bit patterns of float32 at and around every edge that one can have.

    floats(stream, count)    uint32 [count]

Three in ten are an edge of the list, one is a neighbour of one, three are numbers near 1, one is a small multiple of
1/4 (ties of the conversions to integers), one is two edges of half precision side by side, one is any bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from stream import Stream

EDGES: Final = np.array([
    0x00000000, 0x00000001, 0x00000002, 0x001FFFFF, 0x00200000, 0x003FFFFF, 0x00400000, 0x007FFFFE, 0x007FFFFF,
    0x00800000, 0x00800001, 0x7E7FFFFF, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000,  # smallest, largest, infinite
    0x7F800001, 0x7FA00000, 0x7FBFFFFF, 0x7FC00000, 0x7FC12345, 0x7FFFFFFF,              # signalling, quiet
    0x3EFFFFFF, 0x3F000000, 0x3F000001, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FC00000, 0x40000000, 0x40200000,
    0x40400000, 0x4AFFFFFF, 0x4B000000, 0x4B000001, 0x4B7FFFFF,                          # the last with a fraction
    0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x5EFFFFFF, 0x5F000000, 0x5F7FFFFF, 0x5F800000,  # 2**31 .. 2**64
    0x33000000, 0x33000001, 0x387FC000, 0x387FE000, 0x387FFFFF, 0x38800000,              # smallest half-precision ones
    0x477FE000, 0x477FEFFF, 0x477FF000, 0x3F801000, 0x3F803000, 0x3F808000, 0x3F818000], np.uint32)  # largest, ties
HALVES: Final = np.array([0, 1, 2, 0x1FF, 0x200, 0x3FF, 0x400, 0x401, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7C01,
                          0x7DFF, 0x7E00, 0x7E55, 0x7FFF], np.uint32)


def floats(stream: Stream, count: int) -> NDArray[np.uint32]:
    """That many patterns, the same for ever from the same stream."""
    kind, random = stream.below(10, count), (stream.words(count) >> np.uint64(32)).astype(np.uint32)
    edge = EDGES[stream.below(len(EDGES), count)]
    near = (edge.astype(np.int64) + stream.below(7, count) - 3).astype(np.uint32)
    sign = (stream.below(2, count) << 31).astype(np.uint32)
    ordinary = (stream.below(60, count) + 97 << 23).astype(np.uint32) | random & np.uint32(0x7FFFFF)
    quarters = ((stream.below(1201, count) - 600) / 4).astype(np.float32).view(np.uint32)
    pair = (HALVES[stream.below(len(HALVES), 2, count)] ^ (stream.below(2, 2, count) << 15).astype(np.uint32))
    chosen = [edge ^ sign, near ^ sign, ordinary ^ sign, quarters, pair[0] << np.uint32(16) | pair[1]]
    return np.select([kind < 3, kind < 4, kind < 7, kind < 8, kind < 9], chosen, random)


def related(stream: Stream, vectors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Registers [states, registers, 16] in which some are the negative, or nearly, of what the others make: sums and
    fused products that cancel.
    """
    lanes = vectors.copy().view(np.uint32)
    for n in range(lanes.shape[1]):
        kind = stream.below(12, len(lanes))
        one, two = lanes[:, n - 1], lanes[:, n - 2]
        with np.errstate(all="ignore"):
            product = (one.view(np.float32) * two.view(np.float32)).view(np.uint32)
        off = (stream.below(3, len(lanes), 4) - 1).astype(np.int64)
        for which, value in ((0, one), (1, two), (2, product)):
            chosen = kind == which
            near = (value.astype(np.int64) + off * (which != 0)).astype(np.uint32) ^ np.uint32(1 << 31)
            lanes[chosen, n] = near[chosen]
    return lanes.view(np.uint8)
