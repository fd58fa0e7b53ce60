"""Which numbers an instruction can carry: the encodings of immediates.

Each check returns None, or a sentence that says why the number cannot be encoded and what to do.
"""

from __future__ import annotations

from collections.abc import Callable

from .operands import Immediate, Shift

__all__ = ["ENCODINGS", "a32_encodes", "a32_modified", "shifted"]


def a32_encodes(value: int) -> int:
    """The number that an A32 constant really encodes: value, its complement or its negative (the assembler swaps MOV
    and MVN, AND and BIC, ADD and SUB)."""
    for candidate in (value & 0xFFFFFFFF, ~value & 0xFFFFFFFF, -value & 0xFFFFFFFF):
        for rotation in range(0, 32, 2):
            if (candidate << rotation | candidate >> 32 - rotation) & 0xFFFFFFFF < 256:
                return candidate
    return -1


def a32_modified(value: int, bits: int) -> str | None:
    """A32: eight bits rotated right by an even amount (or the complement: the assembler swaps MOV/MVN, ADD/SUB)."""
    if not -(1 << 31) <= value < 1 << 32:
        return f"{value} does not fit 32 bits"
    if a32_encodes(value) >= 0:
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
    if not -(1 << bits - 1) <= value <= mask:
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
    """MOVZ/MOVN/MOVK: a 16-bit piece at a multiple of 16."""
    if any(0 <= value and value & ~(0xFFFF << at) == 0 for at in range(0, bits, 16)):
        return None
    return f"{value} is out of range: 0 to 65535, with an optional lsl #16, #32 or #48"


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
    return None if ok else f"{value:#x} cannot be encoded: one byte per {bits}-bit lane. Load it, or DUP a register"


def _neon_unit(unit: int, width: int) -> bool:
    if any(unit & ~(255 << at) == 0 for at in range(0, width, 8)):
        return True
    return width == 32 and (unit & ~0xFF00 == 0xFF or unit & ~0xFF0000 == 0xFFFF)


ENCODINGS: dict[str, Callable[[int, int], str | None]] = {
    "arithmetic": a64_arithmetic, "bitmask": a64_bitmask, "move": a64_move, "sixteen": sixteen_bits,
    "neon": neon_modified, "a32": a32_modified}


def shifted(encoding: str, value: int, shift: Shift, bits: int) -> int:
    """The number that `#value, lsl #n` (or msl: ones come in) means."""
    from .template import Refusal

    amounts = {"arithmetic": ("lsl", (0, 12)), "sixteen": ("lsl", (0, 16, 32, 48)), "neon": ("lsl msl", (0, 8, 16, 24))}
    kinds, allowed = amounts.get(encoding, ("", ()))
    amount = shift.amount.value if isinstance(shift.amount, Immediate) else None
    if shift.kind not in kinds.split() or amount not in allowed or not isinstance(amount, int) or amount >= bits:
        raise Refusal(f"{shift.kind} cannot stand here" if shift.kind not in kinds.split() else
                      f"a shift of {amount} is out of range: one of {', '.join(map(str, allowed))}", shift.span)
    limit = {"arithmetic": 4096, "sixteen": 65536, "neon": 256}[encoding]
    if not 0 <= value < limit:
        raise Refusal(f"{value} is out of range: 0 to {limit - 1}", shift.span)
    return value << amount | ((1 << amount) - 1 if shift.kind == "msl" else 0)
