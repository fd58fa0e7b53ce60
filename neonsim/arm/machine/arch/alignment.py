"""Alignment: which loads and stores want an address that is a multiple of something, on real cores too.

| instruction                                               | wants                                      |
|-----------------------------------------------------------|--------------------------------------------|
| A32 LDM STM PUSH POP, LDRD STRD, VLDR VSTR, VLDM VSTM ... | an address that is a multiple of 4         |
| A32 VLD1 VST1 with a hint, `[r0:64]`                      | a multiple of the hint, here of 8 bytes    |
| exclusive, atomic, acquire and release (LDXR, LDADD, STLR) | a multiple of the bytes they move          |
| A64 any, with sp as base                                  | sp itself to be a multiple of 16           |
| A32 any, with sp as base, under the sanitizer             | sp itself to be a multiple of 4            |

All others take any address. (Linux, macOS and their kin run with the strict checking of all accesses switched off and
that of A64's sp switched on.)

Source: DDI 0487 B2.5 and D1.8 (A64), E2.8 (A32); tried with QEMU 7.2 for LDRD.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neonsim.arm.isa import Instruction

from .registers import Slots
from .state import State

__all__ = ["aligned"]

Addresser = Callable[[State], tuple[Any, Any]]
_BLOCKS = ("ldm", "ldmdb", "vldr")


def aligned(address: Addresser, instruction: Instruction, slots: Slots) -> Addresser:
    """Return the addresser itself, or one that raises MemoryFault where this instruction wants more than it gets."""
    written = instruction.address
    assert written is not None
    if _is_atomic(instruction):
        return _every(address, instruction.transfer_bytes, "atomic-alignment",
                      f"the address {{}} is no multiple of {instruction.transfer_bytes}, which this instruction needs")
    if instruction.isa == "aarch64":
        if not written.base.is_sp:
            return address

        def through_sp(s: State) -> tuple[Any, Any]:
            s.require_alignment(s.slots[slots.sp], 16, "stack-alignment",
                     "sp is {}, no multiple of 16: no load or store may go through it then")
            return address(s)
        return through_sp
    if written.align is not None:
        rule, nbytes, complaint = "alignment-hint", written.align // 8, (
            f"the address {{}} is no multiple of {written.align // 8}, which the :{written.align} promises: leave the "
            "hint out, or align the data")
    elif _wants_words(instruction):
        rule, nbytes = "word-alignment", min(instruction.transfer_bytes, 4)  # VLDR.16: of 2
        complaint = f"the address {{}} is no multiple of {nbytes}, which this instruction needs"
    elif written.base.number == 13:  # sp
        def through_odd_sp(s: State) -> tuple[Any, Any]:
            if s.shadow:  # cores allow it, the procedure call standard does not
                s.require_alignment(s.slots[slots.sp], 4, "stack-alignment",
                                    "sp is {}, no multiple of 4, as it has to be always")
            return address(s)
        return through_odd_sp
    else:
        return address

    return _every(address, nbytes, rule, complaint)


def _every(address: Addresser, nbytes: int, rule: str, complaint: str) -> Addresser:
    """An addresser that demands a multiple of each address."""
    def checked(s: State) -> tuple[Any, Any]:
        place, after = address(s)
        s.require_alignment(place, nbytes, rule, complaint)
        return place, after
    return checked


def _is_atomic(instruction: Instruction) -> bool:
    return any(p.role == "mem" and p.spec in ("atomic", "ordered") for p in instruction.form.patterns)


def _wants_words(instruction: Instruction) -> bool:
    if "base" in instruction.form.options or "t1" in instruction.roles:
        return True
    return any(p.role == "mem" and p.spec in _BLOCKS for p in instruction.form.patterns)
