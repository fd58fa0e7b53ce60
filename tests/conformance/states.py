"""Machine states to run an instruction on: random ones and ones at the edges. The same for ever from the same seed.

Half of the states have integers in their SIMD registers, the other half floating-point numbers (`floats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from floats import floats, of_format, related, sharp
from numpy.typing import NDArray
from stream import Stream

WINDOW: Final = 512
ADDRESS: Final = 0x1000_1000  # where the first window of memory lies, for QEMU and for us
CHUNK: Final = 1024  # states that run in lock-step against QEMU, each with a window of its own
QC: Final = 1 << 27
# Bits 26 to 19 of FPCR, rules of floating point that differ from those of a reset: each rounding, FZ (20), FZ16 (1), DN
# (40), AHP (80), alone and together.
RULES: Final = (0x08, 0x10, 0x18, 0x20, 0x40, 0x80, 0x01, 0x61, 0x28, 0xF9, 0x31, 0x98, 0xA0, 0x59)
# All of them: four roundings, and FZ, DN, AHP, FZ16 or not. A chunk of EACH states by each is more than 10 000 in all.
MODES: Final = tuple(rounding << 3 | fz << 5 | dn << 6 | ahp << 7 | fz16 for rounding in range(4) for fz in (0, 1)
                     for dn in (0, 1) for ahp in (0, 1) for fz16 in (0, 1))
EACH: Final = 160
EXCEPTIONS: Final = 0x9F  # the cumulative floating-point exceptions of FPSR and FPSCR


def registers(stream: Stream, count: int) -> NDArray[np.uint8]:
    """[count, 16] bytes of vector registers: a third random, the rest lanes at the edges of 8, 16, 32 or 64 bits."""
    out = stream.words(count * 2).view(np.uint8).reshape(count, 16).copy()
    kind = stream.below(12, count)
    edge = stream.below(1 << 30, count, 16)
    for at, bits in enumerate((8, 16, 32, 64)):
        lanes, top = 128 // bits, 1 << bits - 1
        pattern = 0x55 * (((1 << bits) - 1) // 255) % top
        sharp = np.array([0, 1, -1, top - 1, -top, -top + 1, top - 2, 2, pattern, top // 2], object)
        rows = np.flatnonzero((kind == at) | (kind == 8 + at // 2))
        picked = sharp[edge[rows][:, :lanes] % len(sharp)]
        out[rows] = _lanes(picked, bits)
        rows = np.flatnonzero(kind == 4 + at)  # small numbers: shift counts, and what adds up to little
        span = 2 * bits + 5
        out[rows] = _lanes((edge[rows][:, :lanes] % span - bits - 2).astype(object), bits)
    return out


def _lanes(values: NDArray[np.object_], bits: int) -> NDArray[np.uint8]:
    flat = np.array([int(v) & (1 << bits) - 1 for v in values.ravel()], np.uint64)
    return flat.astype(f"<u{bits // 8}").view(np.uint8).reshape(len(values), 16)


def states(isa: str, dtype: np.dtype[np.void], count: int, seed: int, *, apart: int = 0,
           formats: bool = False, rules: Sequence[int] = (0,), edged: bool = False) -> NDArray[np.void]:
    """`count` states: vectors, general registers (x9 and sp, in AArch32 r12 and sp, point into the window), flags,
    memory.

    apart   the windows of a chunk of so many states lie behind each other, so that all of them can run in one memory.
            In the first chunk the pointers have one distance in their windows. In every second chunk the small numbers
            that are added to pointers are multiples of 4, and NZCV is the same in all states.
    formats  the floating-point numbers are of half and of double precision too: a third of the states each
    rules   bits 26 to 19 of FPCR, one value for all states of a chunk, in turn
    edged   some floating-point numbers are halfway or at an end with those of the registers before (`sharp`)
    """
    stream = Stream(seed)
    s = np.zeros(count, dtype)
    banks, general = s["v"].shape[1], s["x"].shape[1]
    integers = registers(stream, count * banks).reshape(count, banks, 16)
    reals = related(stream, floats(stream, count * banks * 4).view(np.uint8).reshape(count, banks, 16))
    if formats:
        which = stream.below(3, count, 1, 1)
        for at, bits in enumerate((16, 64)):
            patterns = of_format(stream, count * banks * (128 // bits), bits)
            of_these = related(stream, patterns.view(np.uint8).reshape(count, banks, 16), bits)
            reals = np.where(which == at, of_these, reals)
    if edged:
        kept, which = reals, stream.below(3, count, 1, 1)
        for at, bits in enumerate((16, 32, 64)):
            reals = np.where(which == at, sharp(stream, kept, bits), reals)
    s["v"] = np.where(stream.below(8 if edged else 2, count, 1, 1), *((reals, integers) if edged else (
        integers, reals)))
    bits = 64 if isa == "aarch64" else 32
    wide = stream.words(count * general).reshape(count, general)
    edges = np.array([0, 1, -1, 2, (1 << 63) - 1, -(1 << 63), (1 << 31) - 1, -(1 << 31), (1 << 32) - 1, 1 << 31, 255,
                      -256], np.int64).view(np.uint64)
    pick = stream.below(2 * len(edges), count, general)
    wide = np.where(pick < len(edges), edges[pick % len(edges)], wide)
    s["x"] = wide & np.uint64((1 << bits) - 1)
    steps = stream.below(3, count) - 1, stream.below(5, count) - 2
    small = stream.below(15, count) - 7
    window = np.full(count, ADDRESS)
    if apart:
        number = np.arange(count)
        window += number % apart * WINDOW
        steps = np.where(number < apart, 0, steps[0]), np.where(number < apart, 1, steps[1])
        small = np.where(number // apart % 2, small & -4, small)
    pointer = window + 256 + 32 * steps[0]  # a multiple of 32, for the alignment hints
    stack = window + 256 + 16 * steps[1]
    s["window"] = window
    junk = stream.words(count) << np.uint64(32)
    if isa == "aarch64":
        s["x"][:, 9], s["sp"] = pointer, stack
        s["x"][:, 10] = junk | np.abs(small).astype(np.uint64)
        s["x"][:, 12] = small.view(np.uint64)
        s["x"][:, 13] = junk | small.view(np.uint64) & np.uint64(0xFFFFFFFF)
        s["x"][:, 27:29] = 0
    else:
        s["x"][:, 12], s["x"][:, 13] = pointer, stack
        s["x"][:, 8] = small.astype(np.int32).view(np.uint32)
        s["x"][:, 10:12], s["x"][:, 15] = 0, 0
    flags = (stream.below(16, count) + np.arange(count)) % 16
    if apart:
        chunk = np.arange(count) // apart
        flags = np.where(chunk % 2, (11 * (chunk // 2) + 4) % 16, flags)
    s["nzcv"] = flags.astype(np.uint64) << np.uint64(28)
    s["fpsr"] = stream.below(2, count) * QC | np.where(stream.below(4, count), 0, stream.below(256, count) & EXCEPTIONS)
    if apart:
        s["fpsr"] |= (np.array(rules, np.uint32)[np.arange(count) // apart % len(rules)] << 19).astype(s["fpsr"].dtype)
    if isa == "aarch32":  # GE and Q of CPSR, the comparison flags of FPSCR
        s["nzcv"] |= (stream.below(16, count) << 16 | stream.below(2, count) << 27).astype(np.uint32)
        s["fpsr"] |= (stream.below(16, count) << 28).astype(np.uint32)
    s["mem"] = registers(stream, count * (WINDOW // 16)).reshape(count, WINDOW)
    return s
