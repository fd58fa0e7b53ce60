"""Straight-line programs as numbers, which kernels of any transform read, and what they compute on arrays.

    step            value              as words, int32 [4]
    add   a, b      a + b              0, a, b, 0
    sub   a, b      a - b              1, a, b, 0
    mul   a, c      a * c              2, a, 0, c       the bits of a float32, or an integer modulo 2**32
    store a, row    result of a row    3, a, row, 0     at the end
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.winograd.straightline import StraightLineProgram, StraightLineStep

__all__ = ["evaluate", "words_of"]

_WORDS = ("add", "sub", "mul", "store")


def words_of(program: StraightLineProgram) -> NDArray[np.int32]:
    """As a kernel of any transform reads it: int32 [steps + outputs, 4]."""
    rows = [(_WORDS.index(s.word), s.a, s.b, _bits(program, s)) for s in program.steps]
    rows += [(_WORDS.index("store"), value, row, 0) for row, value in enumerate(program.outputs)]
    return np.array(rows, np.int64).astype(np.int32)


def _bits(program: StraightLineProgram, step: StraightLineStep) -> int:
    if step.word != "mul":
        return 0
    if program.is_integer:
        assert step.constant.denominator == 1
        return (int(step.constant) + 2**31) % 2**32 - 2**31
    return int(np.float32(float(step.constant)).view(np.int32))


def evaluate(words: NDArray[np.int32], x: NDArray[Any], outputs: int) -> NDArray[Any]:
    """A program's words on arrays, one operation after another, in the type of x.

    words   int32 [steps, 4]
    x       [inputs, ...]   float32, int16 or int32; integers wrap
    ->      [outputs, ...]
    """
    values = list(x)
    found = np.empty((outputs, *x.shape[1:]), x.dtype)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for word, a, b, bits in words.tolist():
            if word == 3:
                found[b] = values[a]
            elif word < 2:
                values.append(values[a] + values[b] if word == 0 else values[a] - values[b])
            else:
                constant = np.int32(bits).view(np.float32) if x.dtype == np.float32 else np.int32(bits).astype(x.dtype)
                values.append(values[a] * constant)
    return found
