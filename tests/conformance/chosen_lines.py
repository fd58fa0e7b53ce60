"""Lines to read in every reading: all that have recorded results, or one of each kind."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator
from typing import Any

from cases import decoder
from recordings import lines

from neonsim.arm.isa import Instruction

ISAS = ("aarch64", "aarch32")
BLOCKS = 48  # the lines are read in so many tests, so that a failure is near its line


def chosen(isa: str, everything: bool, block: int) -> Iterator[Instruction]:
    """All recorded lines, or one of each form, mnemonic, element type and width; every 48th of them."""
    decode = decoder(isa)
    seen: set[Any] = set()
    for line in lines(isa):
        head = line.partition(" ")[0]
        # Cheap to compare before decoding: the mnemonic, and the operands without their numbers, but for rotations.
        shape = (head, "[]" in line, re.sub(r"(?<![.\d])(?!(?:90|180|270)\b)\d+", "", line.replace("0x", "")))
        if zlib.crc32(head.encode()) % BLOCKS != block or (not everything and shape in seen):
            continue
        seen.add(shape)
        instruction = decode(line)
        assert instruction is not None, line
        key = (instruction.form.template, instruction.mnemonic, instruction.element, instruction.width)
        if everything or key not in seen:
            seen.add(key)
            yield instruction


def draw(rng: random.Random, bits: int) -> int:
    return rng.choice((0, 1, -1, 1 << bits - 1, (1 << bits - 1) - 1, rng.getrandbits(bits), rng.getrandbits(bits)))
