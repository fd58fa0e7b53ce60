"""Transforms as C, for layers of the C library: headers that its build writes (native/cmake/winograd.cmake).

    network/winograd/float32_programs.h   of float32: one function a transform, of whatever a register is
    network/winograd/integer_programs.h   of integers, the same
    network/winograd/integer_sizes.h      which of those there are

An sdist carries them, so that the C library is built of it without Python.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from neonsim.quant.winograd.bit_growth import MAX_INTEGER_TILE, balanced_transforms, shift_of
from neonsim.quant.winograd.straightline import StraightLineProgram, best_step, factored, transform_program
from neonsim.quant.winograd.transforms import transforms

__all__ = ["HEADERS", "INTEGER_SIZES", "TILES", "c_float32_programs", "c_integer_programs", "c_integer_sizes",
           "division", "unit_point", "unsupported_integer_tiles"]

TILES = {3: tuple(range(2, 9)), 5: (2, 3, 4), 7: (2, 3, 4)}     # k: n of F(n, k), of float32
# k: n of F(n, k) in integers that fit 16 bits along one axis.
INTEGER_SIZES = {3: (2, 3, 4, 5, 6), 5: (2, 3, 4), 7: (2,)}
_MAX_VALUE = 255      # of a byte or a weight less its zero point
_HEAD = """\
/* Transforms of F(n, k) along one axis, {sizes}.
 * Written by neonsim.ukernel.kernelgen.winograd_c when the C library is built.
 *
 * `n` lanes of rows that lie x_step and y_step numbers apart; destination: only n rows, cut off at limits. */
#ifndef NEONSIM_WINOGRAD_PROGRAMS_H
#define NEONSIM_WINOGRAD_PROGRAMS_H

/* clang-format off */
"""


def unit_point(n: int, k: int) -> int:
    """Which number of a tile of float32 comes once into every result: that of the interpolation point 1, where A has a
    row of ones; of tiles without it, that of 0 where there is one result.

    >>> unit_point(2, 3), unit_point(4, 3)
    (1, 3)
    """
    rows, *_ = transforms(n, k, best_step(n, k))
    return next(i for i, row in enumerate(rows) if all(one == 1 for one in row))


def _sizes(of: Mapping[int, Sequence[int]]) -> str:
    return "; ".join(f"k = {k}: n = {', '.join(map(str, sizes))}" for k, sizes in of.items())


def _number(value: float) -> str:
    """The shortest decimal that is this float32."""
    def single(text: str) -> float:
        return float(struct.unpack("<f", struct.pack("<f", float(text)))[0])

    wanted = single(repr(value))
    return f"{float(next(t for t in (f'{wanted:.{n}g}' for n in range(1, 10)) if single(t) == wanted))!r}f"


def _function(side: str, n: int, k: int) -> Iterator[str]:
    program: StraightLineProgram = transform_program(side, n, k)
    source = side == "source"
    yield f"/* {program.additions} additions, {program.multiplications} multiplications. */"
    yield (f"NEONSIM_FORCE_INLINE void {side}_{n}x{k}(const float *x, size_t x_step, float *y, size_t y_step, size_t n"
           + ("" if source else ", size_t rows, const float *limits") + ") {")
    for i in range(program.inputs):
        yield f"  const vfloat v{i} = get(x + {i} * x_step, n);"
    for i, (word, a, b, constant) in enumerate(program.steps):
        body = {"add": f"plus(v{a}, v{b})", "sub": f"minus(v{a}, v{b})",
                "mul": f"times(v{a}, all({_number(float(constant))}))"}[word]
        yield f"  const vfloat v{program.inputs + i} = {body};"
    for row, value in enumerate(program.outputs):
        if source:
            yield f"  put(y + {row} * y_step, v{value}, n);"
        elif row == 0:
            yield f"  put(y, cut(v{value}, limits), n);"
        else:
            yield f"  if (rows > {row}) {{ put(y + {row} * y_step, cut(v{value}, limits), n); }}"
    yield "}\n"


def c_float32_programs() -> str:
    """The text of the header."""
    lines = [_HEAD.format(sizes=_sizes(TILES))]
    pairs = [(n, k) for k, sizes in TILES.items() for n in sizes]
    for n, k in pairs:
        for side in ("source", "destination"):
            lines += _function(side, n, k)
    each = " ".join(f"X({n}, {k}, {unit_point(n, k)})" for n, k in pairs)
    lines.append(f"/* n, k, and which number of a tile along one axis comes once into every result. */\n"
                 f"#define NEONSIM_WINOGRAD_EACH(X) {each}\n/* clang-format on */\n\n#endif\n")
    return "\n".join(lines)


# ---- integers --------------------------------------------------------------------------------------------------------

_INTEGER_HEAD = """\
/* {what}
 * Written by neonsim.ukernel.kernelgen.winograd_c when the C library is built.
 *
{rest} */
#ifndef {guard}
#define {guard}

/* clang-format off */
"""


def unsupported_integer_tiles(n: int, kernel: tuple[int, int]) -> str:
    """Why networks have no tiles of integers, n results along every axis of more than one tap; "" if they have.

    Numbers have to fit 16 bits whatever the bytes are: 255 from a zero point.

    >>> unsupported_integer_tiles(4, (3, 3)), unsupported_integer_tiles(2, (1, 7)), unsupported_integer_tiles(6, (3, 1))
    ('', '', '')
    >>> unsupported_integer_tiles(5, (3, 3))
    'its transformed data need 19 bits at worst; there are 16'
    """
    if any(taps > 1 and n not in INTEGER_SIZES.get(taps, ()) for taps in kernel) and (
            max(kernel) not in INTEGER_SIZES or min(kernel) not in (1, *INTEGER_SIZES)):
        return (f"networks have tiles of integers for {', '.join(map(str, INTEGER_SIZES))} taps along an axis; its "
                f"window is {kernel[0]}x{kernel[1]}")
    if n + max(kernel) - 1 > MAX_INTEGER_TILE:
        return f"tiles of {n + max(kernel) - 1} numbers need more bits than the 16 that there are"
    sizes = [_growth_of(n, taps) for taps in kernel if taps > 1]
    for what, values in zip(("data", "weights"), zip(*sizes, strict=True), strict=True):
        bits = (_MAX_VALUE * prod(values)).bit_length() + 1
        if bits > 16:
            return f"its transformed {what} need {bits} bits at worst; there are 16"
    return ""


def _growth_of(n: int, k: int) -> tuple[int, int]:
    """How many times larger data and weights are in a tile, along one axis."""
    _, b, g, _ = balanced_transforms(n, k)
    return max(sum(map(abs, column)) for column in zip(*b, strict=True)), max(sum(map(abs, row)) for row in g)


def division(n: int, k: int) -> tuple[int, int]:
    """How results of F(n, k) are divided by their factor: times an odd number modulo 2**32, then a shift.

    >>> division(2, 3), division(4, 3)
    ((1, 1), (2863311531, 3))
    """
    shift = shift_of(n, k)
    return pow(balanced_transforms(n, k)[3] >> shift, -1, 2**32), shift


def _integer_function(side: str, n: int, k: int) -> Iterator[str]:
    a, b, _, _ = balanced_transforms(n, k)
    matrix, bits = (b, 16) if side == "source" else (a, 32)
    program = factored([list(row) for row in zip(*matrix, strict=True)], integer=True)
    yield f"/* {program.additions} additions, {program.multiplications} multiplications. */"
    yield (f"NEONSIM_FORCE_INLINE void {side}_{n}x{k}(const int{bits}_t *x, size_t x_step, int{bits}_t *y, "
           "size_t y_step, size_t n) {")
    kind = f"vint{bits}"
    for i in range(program.inputs):
        yield f"  const {kind} v{i} = get{bits}(x + {i} * x_step, n);"
    for i, (operation, one, other, constant) in enumerate(program.steps):
        body = {"add": f"v{one} + v{other}", "sub": f"v{one} - v{other}",
                "mul": f"v{one} * {int(constant) % 2**bits}u"}[operation]
        yield f"  const {kind} v{program.inputs + i} = ({kind})({body});"
    for row, value in enumerate(program.outputs):
        yield f"  put{bits}(y + {row} * y_step, v{value}, n);"
    yield "}\n"


def c_integer_programs() -> str:
    """The text of the header of transforms of integers."""
    lines = [_INTEGER_HEAD.format(
        what=f"Transforms of F(n, k) along one axis in integers, {_sizes(INTEGER_SIZES)}; modulo 2**16 and 2**32.",
        rest=" * `n` lanes of rows that lie x_step and y_step numbers apart.", guard="NEONSIM_WINOGRAD_LOOPS_H")]
    for k, sizes in INTEGER_SIZES.items():
        for n in sizes:
            for side in ("source", "destination"):
                lines += _integer_function(side, n, k)
    lines.append("/* clang-format on */\n\n#endif\n")
    return "\n".join(lines)


def c_integer_sizes() -> str:
    """The text of the header that says of what sizes they are."""
    pairs = [(n, k) for k, sizes in INTEGER_SIZES.items() for n in sizes]
    most, taps = max(n + k - 1 for n, k in pairs), max(INTEGER_SIZES)
    rows = []
    for n, k in pairs:
        (source, weights), (inverse, shift) = _growth_of(n, k), division(n, k)
        rows.append(f"{{{n}, {k}, {source}, {weights}, {inverse}u, {shift}}}")
    matrices = ["{" + ", ".join("{" + ", ".join(map(str, row)) + "}" for row in balanced_transforms(n, k)[2]) + "}"
                for n, k in pairs]
    return "\n".join([
        _INTEGER_HEAD.format(
            what=f"F(n, k) along one axis in integers, {_sizes(INTEGER_SIZES)}.",
            rest=" * What results are multiplied by, along both axes, is divided out at the end, modulo 2**32:\n"
                 " * times the inverse of its odd part, then a shift.", guard="NEONSIM_WINOGRAD_WHOLE_H"),
        f"#define NEONSIM_INTEGER_PROGRAMS {len(pairs)}",
        "#define NEONSIM_INTEGER_EACH(X) " + " ".join(f"X({n}, {k})" for n, k in pairs),
        f"/* Numbers of a tile and taps along an axis, at most. */\n#define NEONSIM_INTEGER_MAX_TILE {most}\n"
        f"#define NEONSIM_INTEGER_TAPS {taps}",
        "/* n, k; how many times larger data and weights become; inverse, shift. */",
        "#define NEONSIM_INTEGER_SIZES {" + ", ".join(rows) + "}",
        "/* From the weights to the numbers of a tile. */",
        "#define NEONSIM_INTEGER_WEIGHTS {" + ", ".join(matrices) + "}", "/* clang-format on */\n\n#endif\n"])


HEADERS = {"float32_programs.h": c_float32_programs, "integer_programs.h": c_integer_programs,
           "integer_sizes.h": c_integer_sizes}
