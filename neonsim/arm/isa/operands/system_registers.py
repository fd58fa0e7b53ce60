"""Registers that say what a core is: what MRS reads of them is chosen when a program meets a machine.

A program reads them to choose its code (`getauxval` in a register), to align to cache lines, or to find a thread's
block. Values are those of `Machine.identity`; without a core they say that all is there that neonsim has, and that
DC ZVA is better not used.
"""

from __future__ import annotations

from typing import Final

from .ast import Operand, Symbol
from .pattern import Match, OperandMismatch, Pattern

__all__ = ["IDENTITY", "Identity"]

# Fields of ID_AA64ISAR0_EL1: AES and PMULL, SHA1, SHA256 and SHA512, CRC32, LSE, RDM, SHA3, SM3, SM4, dot
# products, CFINV to XAFLAG.
_ISAR0: Final = 2 << 4 | 1 << 8 | 2 << 12 | 1 << 16 | 2 << 20 | 1 << 28 | 1 << 32 | 1 << 36 | 1 << 40 | 1 << 44 | (
    2 << 52)
# LDAPR and LDAPUR, FRINT32 and FRINT64, BF16 and matrix products of bytes are of ID_AA64ISAR1_EL1.
_ISAR1: Final = 2 << 20 | 1 << 32 | 1 << 44 | 1 << 52

# Without a core: implementer 0 (software), lines of 64 bytes, DC ZVA prohibited, nothing of the system, time at a stop.
IDENTITY: Final[dict[str, int]] = {
    "midr_el1": 0x000F_0000, "mpidr_el1": 0x8000_0000, "revidr_el1": 0, "ctr_el0": 0x8444_C004, "dczid_el0": 0x14,
    "id_aa64pfr0_el1": 0x11, "id_aa64pfr1_el1": 0, "id_aa64zfr0_el1": 0, "id_aa64isar0_el1": _ISAR0,
    "id_aa64isar1_el1": _ISAR1, "id_aa64isar2_el1": 0, "id_aa64mmfr0_el1": 0xFF00_0000, "id_aa64mmfr1_el1": 0,
    "id_aa64mmfr2_el1": 0, "id_aa64dfr0_el1": 6, "id_aa64dfr1_el1": 0, "tpidr_el0": 0, "tpidrro_el0": 0,
    "cntvct_el0": 0, "cntfrq_el0": 62_500_000}


class Identity(Pattern):
    """<n:identity>: one of the registers in IDENTITY"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Symbol)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Symbol = self.take(operands, position, Symbol,
                                    "a register that says what the core is, such as ctr_el0,")
        name = operand.name.lower()
        if name not in IDENTITY:
            raise OperandMismatch(f"{operand.name} does not identify the core; use {', '.join(IDENTITY)}",
                                  operand.span)
        m.roles[self.role] = operand
        m.numbers["identity"] = IDENTITY[name]
        return 1
