"""What a file of a kernel says about itself in its first lines: `//! contract: qu8_gemm_q31`, `//! isa: aarch64`."""

from __future__ import annotations

import re

__all__ = ["header_of"]


def header_of(text: str) -> dict[str, str]:
    """The `//! key: value` lines that a file opens with, as far as there are any."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("//!"):
            break
        if match := re.fullmatch(r"//!\s*([a-z-]+):\s*(.*\S)\s*", line):
            found[match[1]] = match[2]
    return found
