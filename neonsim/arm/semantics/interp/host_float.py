"""The floating words for single numbers that are ordinary, by Python's own float; all others go to the definition.

For generated Python and for a single tile, where whole arrays do not pay: single precision, rounded to nearest.
Ordinary is what has an exponent that is neither the smallest nor the largest, before and after; then a Python float
(float64) holds sums and products as `numeric_float` explains, and `struct` rounds them to float32: to nearest, ties to
even.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from neonsim.arm.semantics.float_formats import IXC, ODD, ROUNDING
from neonsim.arm.semantics.softfloat import FloatWord

__all__ = ["quick", "quick_named"]

Outcome = tuple[int, int]

_EXPONENT, _SIGN = 0x7F800000, 0x80000000
_LOW, _HIGH = 2.0 ** -126, float.fromhex("0x1.fffffep127")
_word, _real = struct.Struct("<I"), struct.Struct("<f")
_words, _reals, _threes = struct.Struct("<2I"), struct.Struct("<2f"), (struct.Struct("<3I"), struct.Struct("<3f"))
_long, _double = struct.Struct("<q"), struct.Struct("<d")


def quick(word: FloatWord) -> Callable[..., Outcome]:
    """Return the function of a word: bit patterns to (bit pattern, exceptions), the same as `FloatWord`'s."""
    return quick_named(word.name, word.format, word.rules, word.detail)


@cache
def quick_named(name: str, form: str, rules: int, detail: tuple[str | int, ...]) -> Callable[..., Outcome]:
    """Return the same by what a word is made of, as generated text names it."""
    word = FloatWord(name, form, rules, detail)
    made = None if form != "f32" or rules & (ODD | ROUNDING) else _MAKERS.get(name)
    return word if made is None else made(word)


def _add(word: FloatWord) -> Callable[..., Outcome]:
    def add(n: int, m: int) -> Outcome:
        if 0 < n & _EXPONENT < _EXPONENT and 0 < m & _EXPONENT < _EXPONENT:
            x, y = _reals.unpack(_words.pack(n, m))
            total = x + y
            if _LOW <= abs(total) <= _HIGH:
                data = _real.pack(total)
                r, = _real.unpack(data)
                return _word.unpack(data)[0], 0 if r - x == y and r - y == x else IXC
        return word(n, m)
    return add


def _sub(word: FloatWord) -> Callable[..., Outcome]:
    add = quick(replace(word, name="add"))
    # What is no NaN loses nothing by changing its sign.
    return lambda n, m: add(n, m ^ _SIGN) if m & _EXPONENT < _EXPONENT else word(n, m)


def _mul(word: FloatWord) -> Callable[..., Outcome]:
    def mul(n: int, m: int) -> Outcome:
        if 0 < n & _EXPONENT < _EXPONENT and 0 < m & _EXPONENT < _EXPONENT:
            x, y = _reals.unpack(_words.pack(n, m))
            product = x * y
            if _LOW <= abs(product) <= _HIGH:
                data = _real.pack(product)
                return _word.unpack(data)[0], 0 if _real.unpack(data)[0] == product else IXC
        return word(n, m)
    return mul


def _fma(word: FloatWord) -> Callable[..., Outcome]:
    def fma(a: int, n: int, m: int) -> Outcome:
        if (0 < a & _EXPONENT < _EXPONENT and 0 < n & _EXPONENT < _EXPONENT and 0 < m & _EXPONENT < _EXPONENT):
            x, y, z = _threes[1].unpack(_threes[0].pack(a, n, m))
            product = y * z
            total = x + product
            part = total - x
            error = (x - (total - part)) + (product - part)
            if error:  # rounded to odd
                bits, = _long.unpack(_double.pack(total))
                if not bits & 1:
                    total, = _double.unpack(_long.pack(bits + (1 if (error > 0) == (total > 0) else -1)))
            if _LOW <= abs(total) <= _HIGH:
                data = _real.pack(total)
                return _word.unpack(data)[0], 0 if _real.unpack(data)[0] == total else IXC
        return word(a, n, m)
    return fma


def _extreme(largest: bool) -> Callable[[FloatWord], Callable[..., Outcome]]:
    def made(word: FloatWord) -> Callable[..., Outcome]:
        def extreme(n: int, m: int) -> Outcome:
            if 0 < n & _EXPONENT < _EXPONENT and 0 < m & _EXPONENT < _EXPONENT:
                x, y = _reals.unpack(_words.pack(n, m))
                return (n if (x > y) == largest else m), 0
            return word(n, m)
        return extreme
    return made


def _to_int(word: FloatWord) -> Callable[..., Outcome]:
    kind, width, fbits, rounding = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind == "s" else (0, (1 << width) - 1)
    mask, scale = (1 << width) - 1, 2.0 ** fbits
    directions: dict[str, Callable[[float], int]] = {
        "n": lambda x: round(x), "x": lambda x: round(x), "m": math.floor, "p": math.ceil, "z": math.trunc,
        "a": lambda x: math.trunc(x + math.copysign(0.5, x))}
    function = directions[str(rounding)]

    def to_int(n: int) -> Outcome:
        if 0 < n & _EXPONENT < _EXPONENT:
            x = _real.unpack(_word.pack(n))[0] * scale
            value = function(x)
            if low <= value <= high:
                return value & mask, 0 if value == x else IXC
        return word(n)
    return to_int


def _from_int(word: FloatWord) -> Callable[..., Outcome]:
    kind, width, fbits = word.detail
    assert isinstance(width, int) and isinstance(fbits, int)
    if width > 32:  # more bits than a float64 has
        return word
    scale, sign = 2.0 ** -fbits, 1 << width - 1 if kind == "s" else 0

    def from_int(n: int) -> Outcome:
        value = ((n ^ sign) - sign) * scale
        data = _real.pack(value)
        return _word.unpack(data)[0], 0 if _real.unpack(data)[0] == value else IXC
    return from_int


_MAKERS: dict[str, Callable[[FloatWord], Callable[..., Outcome]]] = {
    "add": _add, "sub": _sub, "mul": _mul, "mulx": _mul, "fma": _fma, "max": _extreme(True), "maxnm": _extreme(True),
    "min": _extreme(False), "minnm": _extreme(False), "to_int": _to_int, "from_int": _from_int}
