"""Damaged files: one sentence, whatever is wrong with them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from neonsim.errors import NeonsimError
from neonsim.formats import Model, tflite_bytes
from neonsim.formats.tflite import read_tflite

pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")

WORDS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1)


def damaged(right: bytes, chance: random.Random) -> bytes:
    """Some bytes, words and stretches of a file changed, or its end cut off."""
    data = bytearray(right)
    for _ in range(chance.choice([1, 1, 2, 4, 8])):
        at = chance.randrange(8, min(len(data), chance.choice([3000, 1 << 30])))
        kind = chance.randrange(10)
        if kind < 5:
            data[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind < 8:
            at &= ~3
            value = chance.choice([*WORDS, len(data), chance.randrange(64), chance.randrange(2**32)])
            data[at:at + 4] = value.to_bytes(4, "little")
        elif kind < 9:
            other = chance.randrange(8, len(data))
            data[at:at + 8] = data[other:other + 8]
        else:
            del data[max(at, 64):]
    return bytes(data)


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize("count, first", [
    (400, 0), *(pytest.param(40_000, first, marks=pytest.mark.full) for first in range(1, 6))])
def test_one_sentence(chance: Any, count: int, first: int) -> None:
    right = [tflite_bytes(chance([2, seed], 5).graph) for seed in range(6)]
    by_chance, refused = random.Random(first), 0
    for number in range(count):
        data = damaged(by_chance.choice(right), by_chance)
        try:
            model = Model(read_tflite(data, "damaged.tflite"))
            if not model.report().missing and number % 8 == 0:
                model.plan()
        except NeonsimError as problem:
            refused += 1
            assert "\n" not in str(problem).strip() or "backend" in str(problem), str(problem)
    assert count / 4 < refused < count
