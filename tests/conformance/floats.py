"""Operands for floating-point instructions: bit patterns at and around every edge that a number can have.

    floats(stream, count)            uint32 [count], single precision
    of_format(stream, count, 64)     uint64 [count], double precision; 16: half precision
    related(stream, registers)       registers of which some cancel each other; sharp(stream, registers): halfway cases,
                                     products at the largest and the smallest number

Three in ten are an edge of the list, one is a neighbour of one, three are numbers near 1, one is a small multiple of
1/4 (ties of the conversions to integers), one is two edges of half precision side by side, one is any bits.
"""

from __future__ import annotations

from typing import Any, Final

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


def of_format(stream: Stream, count: int, bits: int) -> NDArray[np.unsignedinteger[Any]]:
    """That many patterns of half (16), single (32) or double precision (64): edges in every format, their neighbours,
    numbers near 1, ties of conversions, any bits."""
    fraction, dtype = {16: 10, 32: 23, 64: 52}[bits], np.dtype(f"u{bits // 8}")
    one, sign, bias = 1 << fraction, 1 << bits - 1, (1 << bits - 2 - fraction) - 1
    infinity = (2 * bias + 1) * one
    edges = [0, 1, 2, one // 4 - 1, one // 4, one // 2 - 1, one // 2, one - 2, one - 1, one, one + 1,
             infinity - one - 1, infinity - one, infinity - 1, infinity,
             infinity + 1, infinity + one // 4, infinity + one // 2 - 1,
             infinity + one // 2, infinity + one // 2 + 0x55, infinity + one - 1]
    # Powers of two where integers of all widths and narrower formats end.
    for power in (-1074, -1023, -1022, -150, -149, -133, -127, -126, -25, -24, -15, -14, -2, -1, 0, 1, 2, 15, 16, 31,
                  32, 63, 64, 127, 128, 1022, 1023):
        if 0 < bias + power <= 2 * bias:
            at = bias + power << fraction
            edges += [at - 1, at, at + 1, at + one // 2]
            for narrower in (10, 23, 7):  # a place, half a place and three halves of it beside a number
                if narrower < fraction:
                    step = 1 << fraction - narrower
                    edges += [at - step // 2, at + step // 2, at + step // 2 + 1, at + step + step // 2]
    edge = np.array(edges, np.uint64)[stream.below(len(edges), count)]
    near = edge + stream.below(7, count).astype(np.uint64) - np.uint64(3)
    random = stream.words(count)
    kind, negative = stream.below(10, count), stream.below(2, count).astype(np.uint64) * np.uint64(sign)
    spread = {16: 12, 32: 60, 64: 120}[bits]
    exponent = (stream.below(spread, count) + bias - spread // 2).astype(np.uint64) << np.uint64(fraction)
    ordinary = exponent | random & np.uint64(one - 1)
    whole = ((stream.below(1201, count) - 600) / 4).astype(f"f{bits // 8}").view(dtype).astype(np.uint64)
    found = np.select([kind < 3, kind < 4, kind < 8, kind < 9], [edge ^ negative, near ^ negative, ordinary ^ negative,
                                                                whole], random)
    return found.astype(dtype)


def related(stream: Stream, vectors: NDArray[np.uint8], bits: int = 32) -> NDArray[np.uint8]:
    """Registers [states, registers, 16] in which some are the negative, or nearly, of what the others make: sums and
    fused products that cancel.
    """
    dtype, real = np.dtype(f"u{bits // 8}"), np.dtype(f"f{bits // 8}")
    lanes = vectors.copy().view(dtype)
    for n in range(lanes.shape[1]):
        kind = stream.below(12, len(lanes))
        one, two = lanes[:, n - 1], lanes[:, n - 2]
        with np.errstate(all="ignore"):
            product = (one.view(real) * two.view(real)).view(dtype)
        off = (stream.below(3, len(lanes), 128 // bits) - 1).astype(np.int64)
        for which, value in ((0, one), (1, two), (2, product)):
            chosen = kind == which
            near = (value.astype(np.int64) + off * (which != 0)).astype(dtype) ^ dtype.type(1 << bits - 1)
            lanes[chosen, n] = near[chosen]
    return lanes.view(np.uint8)


def sharp(stream: Stream, vectors: NDArray[np.uint8], bits: int = 32) -> NDArray[np.uint8]:
    """Registers [states, registers, 16] of which a third is what makes an edge of the ones before.

    Of register n, with x = n - 1 and y = n - 2: half a place of x (n + x is halfway between two numbers); what makes
    x * n half a place of y, the negative of y, the largest number, the smallest normal one, half the smallest one;
    each exactly, or a last place beside it.
    """
    dtype, real = np.dtype(f"u{bits // 8}"), np.dtype(f"f{bits // 8}")
    fraction = {16: 10, 32: 23, 64: 52}[bits]
    lanes = vectors.copy().view(dtype)
    infinity = dtype.type((1 << bits - 1) - (1 << fraction))
    largest, normal, smallest = (np.array(pattern, dtype).view(real) for pattern in (infinity - 1, 1 << fraction, 1))
    half = real.type(0.5)
    for n in range(2, lanes.shape[1]):
        kind = stream.below(18, len(lanes))
        x, y = lanes[:, n - 1].view(real), lanes[:, n - 2].view(real)
        off = (stream.below(3, len(lanes), 128 // bits) - 1).astype(np.int64)
        negative = stream.below(2, len(lanes), 128 // bits).astype(dtype) << dtype.type(bits - 1)
        with np.errstate(all="ignore"):
            place, place_of_y = (np.abs(np.spacing(z)) * half for z in (x, y))
            made = (place, place_of_y / x, -y / x, largest / x, normal / x, smallest / x * half)
        for which, value in enumerate(made):
            chosen = kind == which
            near = (value.view(dtype).astype(np.int64) + off).astype(dtype) ^ negative
            lanes[chosen, n] = near[chosen]
    return lanes.view(np.uint8)
