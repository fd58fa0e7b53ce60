"""Which numbers an instruction can carry: the encodings of immediates.

Each check returns None, or a sentence that says why the number cannot be encoded and what to do.
"""

from __future__ import annotations

from collections.abc import Callable

from .ast import Immediate, Shift
from .pattern import OperandMismatch

__all__ = ["ENCODINGS", "a32_encodes", "a32_modified", "shifted"]


def a32_encodes(value: int, kind: str = "op2~") -> int:
    """Return the number that an A32 constant really encodes: the value, or its negative (``op2-``: the assembler swaps
    ADD and SUB) or its complement (``op2~``: MOV and MVN, AND and BIC); -1 if neither can be encoded."""
    word = value & 0xFFFFFFFF
    candidates = [word] + [-value & 0xFFFFFFFF] * (kind == "op2-") + [~value & 0xFFFFFFFF] * (kind in ("op2~", "op2="))
    for candidate in candidates:
        for rotation in range(0, 32, 2):
            if (candidate << rotation | candidate >> 32 - rotation) & 0xFFFFFFFF < 256:
                return candidate
    return -1


def a32_modified(value: int, bits: int, kind: str = "op2", sets_flags: bool = False) -> str | None:
    """A32: eight bits rotated right by an even amount."""
    if not -(1 << 31) <= value < 1 << 32:
        return f"{value} does not fit 32 bits"
    if a32_encodes(value, kind) >= 0 or (kind == "op2=" and 0 <= value < 1 << 16 and not sets_flags):
        return None
    return f"{value} cannot be encoded: eight bits at an even rotation. Put it together with MOVW and MOVT"


def a64_arithmetic(value: int, bits: int) -> str | None:
    """ADD/SUB/CMP: twelve bits, or twelve bits shifted left by twelve; the sign swaps ADD and SUB."""
    size = abs(value)
    if size < 4096 or (size < 1 << 24 and not size & 4095):
        return None
    return f"{value} cannot be encoded: 0 to 4095, or a multiple of 4096 up to 16773120. Use a register"


def a64_bitmask(value: int, bits: int) -> str | None:
    """AND/ORR/EOR: a run of ones, rotated, repeated in elements of 2 to 64 bits."""
    mask = (1 << bits) - 1
    word = value & mask
    if not -(1 << bits - 1) <= value <= mask and value >> bits != (1 << 64 - bits) - 1:
        return f"{value} does not fit {bits} bits"
    if word in (0, mask):
        return f"{value} cannot be encoded as a logical immediate: not all zeros or all ones"
    size = bits
    while size > 2 and word & (1 << size // 2) - 1 == word >> size // 2 & (1 << size // 2) - 1 and _repeats(
            word, size // 2, bits):
        size //= 2
    unit = word & (1 << size) - 1
    for rotation in range(size):
        turned = (unit >> rotation | unit << size - rotation) & (1 << size) - 1
        if not turned & turned + 1:
            return None
    return f"{value:#x} cannot be encoded as a logical immediate: a rotated run of ones, repeated. Use a register"


def a64_cleared(value: int, bits: int) -> str | None:
    """BIC: what stands for AND with the complement."""
    mask = (1 << bits) - 1
    if not -(1 << bits - 1) <= value <= mask:
        return f"{value} does not fit {bits} bits"
    if a64_bitmask(~value & mask, bits) is None:
        return None
    return f"{value:#x} cannot be encoded: the bits to clear are no rotated run of ones, repeated. Use a register"


def _repeats(word: int, size: int, bits: int) -> bool:
    unit = word & (1 << size) - 1
    return all(word >> at & (1 << size) - 1 == unit for at in range(0, bits, size))


def a64_move(value: int, bits: int) -> str | None:
    """MOV: one 16-bit piece (MOVZ), all ones but one piece (MOVN), or a logical immediate."""
    mask = (1 << bits) - 1
    if not -(1 << bits - 1) <= value <= mask:
        return f"{value} does not fit {bits} bits"
    for word in (value & mask, ~value & mask):
        if any(word & ~(0xFFFF << at) == 0 for at in range(0, bits, 16)):
            return None
    if a64_bitmask(value, bits) is None:
        return None
    return f"{value} cannot be moved in one instruction: use MOVZ and MOVK"


def sixteen_bits(value: int, bits: int) -> str | None:
    """MOVZ/MOVN/MOVK without a shift: 16 bits."""
    return None if 0 <= value < 1 << 16 else f"{value} is out of range: 0 to 65535; a piece higher up takes lsl #16"


def movi(value: int, bits: int) -> str | None:
    """A64 MOVI/MVNI without a shift: a byte; for 64-bit elements a number of bytes 00 and FF."""
    if bits < 64:
        return None if 0 <= value < 256 else f"{value} is out of range: 0 to 255, with lsl for the higher bytes"
    if 0 <= value < 1 << 64 and all(value >> at & 255 in (0, 255) for at in range(0, 64, 8)):
        return None
    return f"{value:#x} cannot be encoded: eight bytes, each 0x00 or 0xff"


def one_byte(value: int, bits: int) -> str | None:
    """AArch32 VBIC/VORR with a constant: one byte of each lane."""
    if 0 <= value < 1 << bits and any(value & ~(255 << at) == 0 for at in range(0, bits, 8)):
        return None
    return f"{value:#x} cannot be encoded: one byte of the {bits}-bit lane, the others zero"


def neon_modified(value: int, bits: int) -> str | None:
    """MOVI/VMOV: one byte per lane at a byte position (also filled with ones below it); 64-bit: bytes of 00 or FF."""
    mask = (1 << bits) - 1
    if not -(1 << bits - 1) <= value <= mask:
        return f"{value} does not fit {bits} bits"
    word = value & mask
    if bits == 64:
        ok = all(word >> at & 255 in (0, 255) for at in range(0, 64, 8)) or _repeats(word, 8, 64)
    else:
        # The assembler may spread a repeated pattern over a narrower element.
        widths = [w for w in (8, 16, 32) if w <= bits and _repeats(word, w, bits)]
        ok = any(_neon_unit(unit & (1 << w) - 1, w) for w in widths for unit in (word, ~word))
    return None if ok else f"{value:#x} cannot be encoded: one byte per {bits}-bit lane. Load it, or VDUP a register"


def _neon_unit(unit: int, width: int) -> bool:
    if any(unit & ~(255 << at) == 0 for at in range(0, width, 8)):
        return True
    return width == 32 and (unit & ~0xFF00 == 0xFF or unit & ~0xFF0000 == 0xFFFF)


ENCODINGS: dict[str, Callable[[int, int], str | None]] = {
    "arithmetic": a64_arithmetic, "bitmask": a64_bitmask, "cleared": a64_cleared, "move": a64_move,
    "sixteen": sixteen_bits, "neon": neon_modified, "movi": movi, "low_byte": movi, "byte": one_byte}


_SHIFTS: dict[str, tuple[tuple[str, ...], tuple[int, ...], int]] = {
    "arithmetic": (("lsl",), (0, 12), 4096), "sixteen": (("lsl",), (0, 16, 32, 48), 65536),
    "movi": (("lsl", "msl"), (0, 8, 16, 24), 256), "low_byte": (("lsl",), (0, 8, 16, 24), 256)}


def shift_amount(encoding: str, shift: Shift, bits: int) -> int:
    """Return the n of `#value, lsl #n`, checked."""
    kinds, allowed, _ = _SHIFTS.get(encoding, ((), (), 0))
    amount = shift.amount.value if isinstance(shift.amount, Immediate) else None
    if shift.kind == "msl":
        allowed = (8, 16) if bits == 32 else ()
    if shift.kind not in kinds or not allowed:
        raise OperandMismatch(f"{shift.kind} is not allowed here", shift.span)
    if not isinstance(amount, int) or amount not in allowed or amount >= bits:
        raise OperandMismatch(
            f"a shift of {amount} is out of range: one of {', '.join(str(n) for n in allowed if n < bits)}",
                      shift.span)
    return amount


def shifted(encoding: str, value: int, shift: Shift, bits: int) -> int:
    """Return the number that `#value, lsl #n` (or msl: ones come in) means."""
    amount, limit = shift_amount(encoding, shift, bits), _SHIFTS[encoding][2]
    if not 0 <= value < limit or (bits == 64 and encoding == "movi"):
        raise OperandMismatch(f"{value} is out of range: 0 to {limit - 1}" if bits != 64 or encoding != "movi" else
                              "64-bit lanes take no shift", shift.span)
    return value << amount | ((1 << amount) - 1 if shift.kind == "msl" else 0)
