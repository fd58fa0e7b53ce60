"""Values of data directives as bytes: text in quotes, real numbers, pieces between commas.

Real numbers are rounded once, from the decimal digits, to the nearest, ties to even (IEEE 754-2019 4.3.1). GNU as 2.40
rounds some decimals that lie exactly between two numbers to the odd one.

Source: GNU as manual, "Strings", "Flonums"; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

__all__ = ["QUOTED", "float_bytes", "pieces", "strings"]

QUOTED = re.compile(r'\s*"((?:\\.|[^"\\])*)"\s*')
_ESCAPE = re.compile(r"\\(?:([0-9]{1,3})|[xX]([0-9a-fA-F]*)|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_REAL = re.compile(r"\s*([-+]?)(?:0[dDeEfFrR])?([-+]?)(?:((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?)|"
                   r"(nan|qnan|snan|inf|infinity)|:([0-9a-fA-F]+))\s*", re.ASCII | re.IGNORECASE)
_MAX_DIGITS: Final = 1000  # digits of a real number
_FRACTION: Final = {2: 10, 4: 23, 8: 52}  # bits of it by the bytes of the number
_EXPONENT: Final = {2: 5, 4: 8, 8: 11}


def pieces(text: str, column: int) -> list[tuple[str, int]]:
    """Return the pieces of a text between commas, outside strings, characters and parentheses, with their columns."""
    found: list[tuple[str, int]] = []
    start = at = depth = 0
    while at < len(text):
        character = text[at]
        if character == '"':
            match = QUOTED.match(text, at)
            at = match.end() if match else len(text)
            continue
        if character == "'":
            at += 2 + (text[at + 1:at + 2] == "\\")
            at += text[at:at + 1] == "'"
            continue
        depth += (character in "([") - (character in ")]")
        if character == "," and depth <= 0:
            found.append((text[start:at], column + start))
            start = at + 1
        at += 1
    found.append((text[start:], column + start))
    return found


def strings(text: str, width: int = 1) -> bytes | None:
    """Return the characters of one string or several beside each other, each `width` bytes wide; None if it is none."""
    at, out = 0, ""
    while at < len(text):
        match = QUOTED.match(text, at)
        if match is None:
            return None
        out += _ESCAPE.sub(_character, match[1])
        at = match.end()
    return b"".join(byte.to_bytes(width, "little") for byte in out.encode("latin-1", "replace")) if text else None


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return chr(sum(int(digit) << 3 * place for place, digit in enumerate(reversed(match[1]))) & 255)
    if match[3] is None:
        return chr(int(match[2] or "0", 16) & 255)
    return _LETTERS.get(match[3], match[3])


def float_bytes(text: str, nbytes: int) -> bytes:
    """Return a real number of 2, 4 or 8 bytes: digits, `inf`, `nan`, `snan`, or its bits as `0f:3f800000`.

    Raises ValueError for what is none or does not fit.
    """
    match = _REAL.fullmatch(text)
    if match is None or len(text) > _MAX_DIGITS:
        raise ValueError(text)
    sign, inner, digits, word, bits = match.groups()
    negative = (sign == "-") != (inner == "-")
    fraction, exponent = _FRACTION[nbytes], _EXPONENT[nbytes]
    infinite = ((1 << exponent) - 1) << fraction
    if bits:
        if len(bits) != 2 * nbytes:
            raise ValueError(text)
        return int(bits, 16).to_bytes(nbytes, "little")
    if word:
        code = infinite | {"i": 0, "n": (1 << fraction) - 1, "q": (1 << fraction) - 1,
                           "s": (1 << fraction - 1) - 1}[word[0].lower()]
    else:
        code = _nearest(Fraction(digits.lower()), fraction, 2 - (1 << exponent - 1))
        if code >= infinite:
            raise ValueError(text)
    return (code | negative << 8 * nbytes - 1).to_bytes(nbytes, "little")


def _nearest(value: Fraction, fraction: int, least: int) -> int:
    """The bits of the nearest number; `least` is the smallest exponent."""
    if not value:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= value < Fraction(2) ** exponent
    exponent = max(exponent, least)
    return (exponent - least << fraction) + round(value / Fraction(2) ** (exponent - fraction))
