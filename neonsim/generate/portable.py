"""The transforms of float32 as C, for layers of the C library: native/src/network/winograd_programs.h.

One function a transform, written for whatever a register of real numbers is. The file is kept beside the sources, which
build without Python; a test makes it again and compares.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neonsim.winograd import transforms
from neonsim.winograd.programs import Program, best_step, transform_program

__all__ = ["SIZES", "c_programs", "point_of_ones"]

SIZES = tuple(range(2, 9))      # n of F(n, 3)
_TAPS = 3
_HEAD = """\
/* Transforms of F(n, 3) along one axis, n = {sizes}. Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart; destination: only so many rows, cut off at limits. */
#ifndef NEONSIM_WINOGRAD_PROGRAMS_H
#define NEONSIM_WINOGRAD_PROGRAMS_H

/* clang-format off */
"""


def point_of_ones(n: int, k: int) -> int:
    """Which number of a tile of float32 comes once into every result: that of the interpolation point 1, where A has a
    row of ones; of tiles without it, that of 0 where there is one result.

    >>> point_of_ones(2, 3), point_of_ones(4, 3)
    (1, 3)
    """
    rows, *_ = transforms(n, k, best_step(n, k))
    return next(i for i, row in enumerate(rows) if all(one == 1 for one in row))


def _number(value: float) -> str:
    single = np.float32(value)
    return f"{single!s}f"


def _function(side: str, n: int) -> Iterator[str]:
    program: Program = transform_program(side, n, _TAPS)
    source = side == "source"
    yield f"/* {program.additions} additions, {program.multiplications} multiplications. */"
    yield (f"NEONSIM_FORCE_INLINE void {side}_{n}(const float *x, size_t x_step, float *y, size_t y_step, size_t n"
           + ("" if source else ", size_t rows, const float *limits") + ") {")
    for i in range(program.inputs):
        yield f"  const reals v{i} = get(x + {i} * x_step, n);"
    for i, (word, a, b, constant) in enumerate(program.steps):
        body = {"add": f"plus(v{a}, v{b})", "sub": f"minus(v{a}, v{b})",
                "mul": f"times(v{a}, all({_number(float(constant))}))"}[word]
        yield f"  const reals v{program.inputs + i} = {body};"
    for row, value in enumerate(program.outputs):
        if source:
            yield f"  put(y + {row} * y_step, v{value}, n);"
        elif row == 0:
            yield f"  put(y, cut(v{value}, limits), n);"
        else:
            yield f"  if (rows > {row}) {{ put(y + {row} * y_step, cut(v{value}, limits), n); }}"
    yield "}\n"


def c_programs() -> str:
    """The text of the header."""
    lines = [_HEAD.format(sizes=", ".join(map(str, SIZES)))]
    for n in SIZES:
        for side in ("source", "destination"):
            lines += _function(side, n)
    ones = ", ".join(str(point_of_ones(n, _TAPS)) for n in SIZES)
    lines.append(f"/* Which number of a tile along one axis comes once into every result. */\n"
                 f"#define NEONSIM_WINOGRAD_ONES {{{ones}}}\n/* clang-format on */\n\n#endif\n")
    return "\n".join(lines)
