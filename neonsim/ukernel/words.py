"""The words that kernel names are made of, said aloud."""

from __future__ import annotations

import re

__all__ = ["WORDS", "say"]

WORDS = {
    "qu8": "uint8 operands with scale and zero point",
    "qs8": "int8 operands with scale and zero point",
    "gemm": "matrix product, one tile of it per call",
    "xzp": "zero points outside the loop: raw bytes are multiplied, row sums correct the result",
    "sumrows": "sums of the rows of a matrix, times a factor",
    "q31": "sums scaled to bytes by a 31-bit multiplier and a shift, two roundings",
    "aarch32": "32-bit Arm state (UAL syntax, 16 vector registers of 128 bits)",
    "aarch64": "64-bit Arm state (32 vector registers of 128 bits)",
    "neon": "Advanced SIMD, no extensions",
    "mlal": "multiply-accumulate long: 16-bit products added to 32-bit sums",
    "mull": "multiply long: products twice as wide as the factors",
    "padal": "pairwise add and accumulate long",
    "lane": "by element: one lane of a register times a whole vector",
}


def say(word: str) -> str | None:
    """What a word of a kernel name means, None for an unknown one.

    >>> say("4x8c2")
    'tile of 4 rows and 8 columns, depth taken 2 at a time'
    """
    if word in WORDS:
        return WORDS[word]
    match = re.fullmatch(r"(\d+)x(\d+)?(?:c(\d+))?", word)
    if match is None:
        return None
    rows, columns, group = match.groups()
    text = f"tile of {rows} rows" + (f" and {columns} columns" if columns else "")
    return text + (f", depth taken {group} at a time" if group else "")
