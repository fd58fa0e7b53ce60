"""Which registers and which places on the stack arguments go to (AAPCS64, AAPCS32 hard-float)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neonsim.arm.isa import WORD_BYTES

__all__ = ["ArgumentPlace", "argument_places"]


@dataclass(frozen=True)
class ArgumentPlace:
    """Where one argument goes.

    bank     "v" SIMD (A32: a q register), "r" general, "rr" a pair of general ones, "stack"
    number   of the (first) register; on the stack bytes above the stack pointer
    byte     first byte in a SIMD register
    """

    bank: str
    number: int
    byte: int = 0


def argument_places(isa: str, arguments: Iterable[tuple[bool, int]]) -> tuple[list[ArgumentPlace], int]:
    """Places of arguments, and how many bytes of the stack they take (a multiple of its alignment).

    arguments   (is a float, bytes) of each; an integer has those of a register, or 8
    """
    a64, word = isa == "aarch64", WORD_BYTES[isa]
    words, floats, top, singles = 0, 0, 0, set(range(16))
    places: list[ArgumentPlace] = []
    for is_float, nbytes in arguments:
        if is_float and a64 and floats < 8:
            places.append(ArgumentPlace("v", floats))
            floats += 1
            continue
        if is_float and not a64:
            # The hard-float standard: s0 to s15, a float64 in an even pair; later floats fill the gaps.
            size = max(nbytes // 4, 1)
            fitting = [n for n in range(0, 17 - size, size) if all(n + i in singles for i in range(size))]
            if fitting:
                first = fitting[0]
                singles -= set(range(first, first + size))
                places.append(ArgumentPlace("v", first // 4, first % 4 * 4))
                continue
            singles = set()
        elif not is_float and not a64 and nbytes == 8:
            words += words & 1  # 64-bit values start at an even register
            if words + 2 <= 4:
                places.append(ArgumentPlace("rr", words))
                words += 2
                continue
            words = 4
        elif not is_float and words < (8 if a64 else 4):
            places.append(ArgumentPlace("r", words))
            words += 1
            continue
        size = max(nbytes, word)
        top += -top % size
        places.append(ArgumentPlace("stack", top))
        top += size
    return places, top + -top % (16 if a64 else 8)
