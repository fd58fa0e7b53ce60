"""The roundings of `neonsim.quant` as scalar C: `native/src/contracts/scalar/roundings.h`, printed from their bodies.

    python -m neonsim.ukernel.kernelgen.roundings_c native/src/contracts/scalar/roundings.h

The header is kept in git, for builds without Python; a test compares it with what is printed.
"""

from __future__ import annotations

import re
import sys

from neonsim.arm.semantics import Expression, s32
from neonsim.common.fileio import write_file
from neonsim.quant.readings import Body, Letter, expression_of, named_parts, without_casts
from neonsim.quant.requant.tengine import tengine_rounding
from neonsim.quant.rounding import ROUNDINGS

__all__ = ["c_function", "c_header"]

_HEAD = """\
/* Sums times a scale, rounded, before zero point and limits: bodies of neonsim.quant.rounding, as C.
 * Written by `python -m neonsim.ukernel.kernelgen.roundings_c`; do not change it by hand.
 *
 * multiplier is one of 31 bits and shift one to the right: scale = multiplier / 2**(31 + shift). The right shift of a
 * negative number is arithmetic in every compiler we know; the C standard leaves it to the compiler. */
#ifndef NEONSIM_ROUNDINGS_H
#define NEONSIM_ROUNDINGS_H

/* clang-format off */
"""
_OPERATORS = frozenset("+-*&")


class _CNumber(Letter):
    """A number of a body as a variable of C, of unknown value."""

    def __rlshift__(self, other: int) -> _CNumber:
        return _CNumber(1, f"(INT64_C({other}) << {self.held(3)})")

    def __rshift__(self, by: int) -> _CNumber:
        return _CNumber(1, f"({self.text} >> {by})")

    def __add__(self, other: int) -> _CNumber:
        return _CNumber(1, f"{self.text} + {other}", 1)

    def __radd__(self, other: int) -> _CNumber:
        return _CNumber(1, f"{other} + {self.text}", 1)

    def __sub__(self, other: int) -> _CNumber:
        return _CNumber(1, f"({self.text} - {other})")

    def leftward(self) -> _CNumber:
        return _CNumber(1, "left")

    def rightward(self) -> _CNumber:
        return _CNumber(1, "right")


_PARTS = {"left": "shift < 0 ? -shift : 0", "right": "shift > 0 ? shift : 0"}   # of a shift to the right


def _c(e: Expression, names: dict[int, str]) -> str:
    """An expression; operations inside it are in parentheses. A value is as wide in C as its lanes are."""
    if id(without_casts(e)) in names:
        return names[id(without_casts(e))]
    op, a = e.op, e.args
    if op == "leaf":
        return str(a[0])
    if op == "const":
        return _constant(a[0])
    if op == "wide":
        return f"(int64_t){_c(a[0], names)}"
    if op == "as":
        return _c(a[0], names)
    if op == "narrow":
        return f"(int32_t){_c(a[0], names)}"
    if op == "compare":
        return f"({_c(a[1], names)} {a[0]} {_c(a[2], names)})"
    if op == "<<" and e.type is s32:    # what leaves 32 bits is lost, without undefined behaviour
        return f"(int32_t)((uint32_t){_c(a[0], names)} << {a[1]})"
    if op == ">>":
        return f"({_c(a[0], names)} >> {a[1].held(3) if isinstance(a[1], Letter) else a[1]})"
    assert op in _OPERATORS, f"C of {op}"
    # A comparison is -1 where it holds, and 1 in C.
    op = "+" if op == "-" and without_casts(a[1]).op == "compare" else op
    return f"({_c(a[0], names)} {op} {_c(a[1], names)})"


def _constant(value: int) -> str:
    if isinstance(value, Letter) or abs(value) < 1 << 15:
        return str(value)
    assert value > 0 and not value & value - 1, "powers of two"
    return f"(INT64_C(1) << {value.bit_length() - 1})"


def c_function(name: str, body: Body) -> str:
    """A body (acc, multiplier, shift) as a function of C, `neonsim_round_NAME`.

    >>> print(c_function("rndnu", ROUNDINGS["rndnu"].body))
    NEONSIM_INLINE int64_t neonsim_round_rndnu(int32_t acc, int32_t multiplier, int32_t shift) {
      return (((int64_t)acc * (int64_t)multiplier) + (INT64_C(1) << (30 + shift))) >> (31 + shift);
    }
    """
    expression = expression_of(body, (("acc", s32), ("multiplier", s32)), (_CNumber(1, "shift"),))
    names: dict[int, str] = {}
    lines = []
    for letter, part in named_parts(expression):
        text = _c(part, names)
        text = text[1:-1] if part.op in _OPERATORS | {">>"} else text
        lines.append(f"  const int{part.type.bits}_t {letter} = {text};" if letter else f"  return {text};")
        names[id(part)] = letter
    needed = [f"  const int32_t {part} = {text};" for part, text in _PARTS.items()
              if re.search(rf"\b{part}\b", "".join(lines))]
    head = f"NEONSIM_INLINE int64_t neonsim_round_{name}(int32_t acc, int32_t multiplier, int32_t shift) {{"
    return "\n".join([head, *needed, *lines, "}"])


def c_header() -> str:
    """The header: the schemes that see the scale as multiplier and shift, and Tengine's."""
    bodies = {name: row.body for name, row in ROUNDINGS.items() if row.fixed} | {"tengine": tengine_rounding}
    return "\n".join([_HEAD, *(f"{c_function(name, body)}\n" for name, body in bodies.items()), "#endif\n"])


if __name__ == "__main__":
    write_file(sys.argv[1], c_header())
