"""A machine word as text, in the spelling that the templates have: Capstone's, and our own rows where it has none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from neonsim.arm.asm.object.relocations import extra_encoding

__all__ = ["LITERAL", "disassembler", "relative", "render_word"]

# AArch32 operands that name a literal by its distance from pc.
LITERAL: Final = re.compile(r"(.*), \[pc(?:, #(-?\w+))?\]")


def disassembler(isa: str) -> Any:
    """Capstone's, for `render_word`."""
    import capstone

    if isa == "aarch64":
        return capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    return capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM | capstone.CS_MODE_V8)


def render_word(decoder: Any, isa: str, word: bytes, address: int) -> tuple[str, str] | None:
    """(mnemonic, operands) of a word at an address; None if it is no instruction."""
    if isa == "aarch32" and _undefined(int.from_bytes(word, "little")):
        return None
    found = list(decoder.disasm_lite(word, address, 1))
    if not found:
        return extra_encoding(int.from_bytes(word, "little")) if isa == "aarch32" else None
    _, _, mnemonic, operands = found[0]
    if isa == "aarch64" and "], #0xf" in operands:  # a negative increment, shown as 64 bits
        operands = re.sub(r"\], #(0xf{8}[0-9a-f]{8})$", lambda m: f"], #{int(m[1], 16) - (1 << 64)}", operands)
    if (isa, mnemonic) == ("aarch32", "trap"):  # what Clang stops with: one of the undefined words
        mnemonic, operands = "udf", "#65006"
    return mnemonic, operands


def relative(isa: str, mnemonic: str, operands: str, address: int, label: Callable[[int], str]) -> str:
    """Operands with a label for what is told by its distance from the instruction, which lies at an address.

    label   makes one for an address
    """
    head, comma, last = operands.rpartition(", ")
    if isa == "aarch64":
        if mnemonic in ("b", "bl", "cbz", "cbnz", "tbz", "tbnz", "adr", "adrp") or mnemonic.startswith("b.") or (
                mnemonic in ("ldr", "ldrsw") and last.startswith("#") and "[" not in operands):
            return head + comma + label(_signed(last))
        return operands
    branch = mnemonic[:1] == "b" and last.startswith("#") and "[" not in operands and mnemonic[:3] not in (
        "bfc", "bfi", "bic", "bkp")
    if branch or mnemonic.startswith("adr"):
        return head + comma + label(_signed(last))
    literal = LITERAL.fullmatch(operands)
    if literal and "ldr" in mnemonic:
        return f"{literal[1]}, {label(address + 8 + int(literal[2] or '0', 0))}"
    return operands


def _signed(text: str) -> int:
    value = int(text.lstrip("#"), 0)
    return value - (1 << 64) if value >> 63 else value - (1 << 32) if value >> 31 == 1 else value


def _undefined(word: int) -> bool:
    """AArch32 words that Capstone takes and Arm leaves undefined: VLDM, VSTM, VPUSH and VPOP of no registers, of more
    than sixteen d registers, or of registers behind the last."""
    several = not (word & 1 << 24 and not word & 1 << 21) and word & 0b1_1010 << 20  # not VLDR, VSTR; not VMOV
    if word >> 28 == 15 or word >> 25 & 7 != 0b110 or word >> 9 & 7 != 0b101 or not several:
        return False
    low, high, doubles = word >> 22 & 1, word >> 12 & 15, word >> 8 & 1
    first, count = (low << 4 | high, (word & 255) // 2) if doubles else (high << 1 | low, word & 255)
    return count == 0 or first + count > 32 or (doubles == 1 and count > 16)
