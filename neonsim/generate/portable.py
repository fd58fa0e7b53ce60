"""Transforms as C, for layers of the C library.

    native/src/network/winograd_programs.h   of float32: one function a transform, of whatever a register is
    native/src/network/winograd_whole.h      of whole numbers, the same

The files are kept beside the sources, which build without Python; a test makes them again and compares.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neonsim.winograd import transforms
from neonsim.winograd.growth import balanced_transforms
from neonsim.winograd.programs import Program, best_step, factored, transform_program

__all__ = ["TILES", "WHOLE_SIZES", "c_programs", "c_whole_programs", "division", "point_of_ones"]

TILES = {3: tuple(range(2, 9)), 5: (2, 3, 4), 7: (2, 3, 4)}     # k: n of F(n, k), of float32
WHOLE_SIZES = (2, 3, 4)                                         # n of F(n, 3) in whole numbers of 16 bits
_TAPS = 3
_HEAD = """\
/* Transforms of F(n, k) along one axis, {sizes}.
 * Written by neonsim.generate.portable: a test makes it again.
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


def _function(side: str, n: int, k: int) -> Iterator[str]:
    program: Program = transform_program(side, n, k)
    source = side == "source"
    yield f"/* {program.additions} additions, {program.multiplications} multiplications. */"
    yield (f"NEONSIM_FORCE_INLINE void {side}_{n}x{k}(const float *x, size_t x_step, float *y, size_t y_step, size_t n"
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
    lines = [_HEAD.format(sizes="; ".join(f"k = {k}: n = {', '.join(map(str, sizes))}" for k, sizes in TILES.items()))]
    pairs = [(n, k) for k, sizes in TILES.items() for n in sizes]
    for n, k in pairs:
        for side in ("source", "destination"):
            lines += _function(side, n, k)
    each = " ".join(f"X({n}, {k}, {point_of_ones(n, k)})" for n, k in pairs)
    lines.append(f"/* n, k, and which number of a tile along one axis comes once into every result. */\n"
                 f"#define NEONSIM_WINOGRAD_EACH(X) {each}\n/* clang-format on */\n\n#endif\n")
    return "\n".join(lines)


# ---- whole numbers ---------------------------------------------------------------------------------------------------

_WHOLE_HEAD = """\
/* Transforms of F(n, 3) along one axis in whole numbers, n = {sizes}, modulo 2**16 and 2**32.
 * Written by neonsim.generate.portable: a test makes it again.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart. What results of a tile are multiplied by, along both
 * axes, is divided out at the end, modulo 2**32: times the inverse of its odd part, then a shift. */
#ifndef NEONSIM_WINOGRAD_WHOLE_H
#define NEONSIM_WINOGRAD_WHOLE_H

/* clang-format off */
#if defined(NEONSIM_WHOLE_LOOPS)
"""


def division(n: int) -> tuple[int, int]:
    """How results of F(n x n, 3 x 3) are divided by their factor: times an odd number modulo 2**32, then a shift.

    >>> [(hex(inverse), shift) for inverse, shift in map(division, WHOLE_SIZES)]
    [('0x1', 2), ('0x38e38e39', 2), ('0x38e38e39', 6)]
    """
    *_, factor = balanced_transforms(n, _TAPS)
    whole = factor**2
    shift = (whole & -whole).bit_length() - 1
    return pow(whole >> shift, -1, 2**32), shift


def _whole_function(side: str, n: int) -> Iterator[str]:
    a, b, _, _ = balanced_transforms(n, _TAPS)
    matrix, bits = (b, 16) if side == "source" else (a, 32)
    program = factored([list(row) for row in zip(*matrix, strict=True)], whole=True)
    yield f"/* {program.additions} additions, {program.multiplications} multiplications. */"
    yield (f"NEONSIM_FORCE_INLINE void {side}_{n}(const int{bits}_t *x, size_t x_step, int{bits}_t *y, size_t y_step, "
           "size_t n) {")
    kind = f"whole{bits}"
    for i in range(program.inputs):
        yield f"  const {kind} v{i} = get{bits}(x + {i} * x_step, n);"
    for i, (operation, one, other, constant) in enumerate(program.steps):
        body = {"add": f"v{one} + v{other}", "sub": f"v{one} - v{other}",
                "mul": f"v{one} * {int(constant) % 2**bits}u"}[operation]
        yield f"  const {kind} v{program.inputs + i} = ({kind})({body});"
    for row, value in enumerate(program.outputs):
        yield f"  put{bits}(y + {row} * y_step, v{value}, n);"
    yield "}\n"


def c_whole_programs() -> str:
    """The text of the header of whole numbers."""
    lines = [_WHOLE_HEAD.format(sizes=", ".join(map(str, WHOLE_SIZES)))]
    for n in WHOLE_SIZES:
        for side in ("source", "destination"):
            lines += _whole_function(side, n)
    inverses, shifts = zip(*map(division, WHOLE_SIZES), strict=True)
    most = max(WHOLE_SIZES) + _TAPS - 1
    rows = [balanced_transforms(n, _TAPS)[2] for n in WHOLE_SIZES]
    weights = ", ".join("{" + ", ".join("{" + ", ".join(map(str, row)) + "}" for row in g) + "}" for g in rows)
    lines.append(f"#endif\n\n#define NEONSIM_WHOLE_SIZES {len(WHOLE_SIZES)}\n"
                 f"#define NEONSIM_WHOLE_INVERSES {{{', '.join(f'{one}u' for one in inverses)}}}\n"
                 f"#define NEONSIM_WHOLE_SHIFTS {{{', '.join(map(str, shifts))}}}\n"
                 f"/* From {_TAPS} weights to at most {most} numbers of a tile. */\n"
                 f"#define NEONSIM_WHOLE_MOST {most}\n"
                 f"#define NEONSIM_WHOLE_WEIGHTS {{{weights}}}\n/* clang-format on */\n\n#endif\n")
    return "\n".join(lines)
