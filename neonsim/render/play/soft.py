"""Words of floating point by their definitions, for a program that runs beside this Python."""

from __future__ import annotations

import json
from collections.abc import Callable

from neonsim.arm.semantics.softfloat import FloatWord

__all__ = ["soft_words"]

BITS = 64  # of a pattern, below its exceptions


def soft_words(words: str) -> Callable[..., int]:
    """Return a function (number of a word, rules, bit patterns) -> exceptions << 64 | bit pattern.

    words   JSON: [[name, format, [detail, ...]], ...], as ``words`` in a header's ``live``
    """
    known = [FloatWord(name, form, 0, tuple(detail)) for name, form, detail in json.loads(words)]

    def soft(number: int, rules: int, *patterns: int) -> int:
        bits, exceptions = known[number].with_rules(rules)(*patterns)
        return exceptions << BITS | bits

    return soft
