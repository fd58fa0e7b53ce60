"""What a file of a kernel says about itself in its first lines: `//! contract: qu8_gemm_q31`, `//! isa: aarch64`."""

from __future__ import annotations

import re
from pathlib import Path

from neonsim.arm.isa.forms.arm_inventory import ISAS
from neonsim.common.fileio import read_text
from neonsim.common.limits import MAX_FILE_LENGTH

__all__ = ["declared_isa", "header_of"]


def declared_isa(path: Path) -> str | None:
    """Return the instruction set that a file declares: `//! isa: aarch32` in its header, or the word in its name."""
    if (isa := header_of(read_text(path, 4 * MAX_FILE_LENGTH, "replace")).get("isa")) is not None:
        return isa
    named = [isa for isa in ISAS if isa in path.name]
    return named[0] if len(named) == 1 else None


def header_of(text: str) -> dict[str, str]:
    """Return the `//! key: value` lines that a file opens with, as far as there are any."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("//!"):
            break
        if match := re.fullmatch(r"//!\s*([a-z-]+):\s*(.*\S)\s*", line):
            found[match[1]] = match[2]
    return found
