"""Addressing modes and shifted operands: what an address may look like, and what it computes, for both ISAs.

Loads and stores say only what they do with the bytes; where the bytes are, and what happens to the base register, is
said here once. The computing functions use the vocabulary only, so every reading can follow an address.
"""

from __future__ import annotations

from typing import Any

from neonsim.arm.semantics import Lanes, bits, choose, compare, rotate, signed, unsigned, view, wide, x64

from .ast import Address, CoreRegister, Immediate, RegisterList, Shift
from .pattern import Match, OperandMismatch, register_text

__all__ = ["check", "effective", "extended", "moved", "shifted_operand"]


def check(address: Address, kind: str, m: Match) -> None:
    """Refuse what this kind of load or store cannot do."""
    base, offset, span = address.base, address.offset, address.span
    size = m.transfer
    if m.isa == "a64":
        if base.kind != "x" or (base.number == 31 and not base.is_sp):
            raise OperandMismatch(f"the base of an address must be an x register or sp, not {register_text(base)}",
                                  base.span)
        _check_a64(address, kind, size, m)
        return
    if address.align is not None and kind != "vld":
        raise OperandMismatch("only VLD1 to VLD4 and VST1 to VST4 take an alignment hint", span)
    if kind == "vld":
        if isinstance(offset, Immediate):
            raise OperandMismatch(
                f"{m.mnemonic} has no immediate offset: [r0], [r0]! (adds the bytes moved) or [r0], r1",
                          span)
        if isinstance(offset, CoreRegister) and address.writeback != "post":
            raise OperandMismatch(f"{m.mnemonic} has no register offset: write [r0], r1 to add r1 afterwards", span)
        if address.subtract:
            raise OperandMismatch(f"{m.mnemonic} can only add the register, not subtract it", span)
        if isinstance(offset, CoreRegister) and offset.number in (13, 15):
            raise OperandMismatch(f"{register_text(offset)} cannot be the increment: use another register", offset.span)
        if address.shift is not None:
            raise OperandMismatch(f"{m.mnemonic} adds the register without a shift", address.shift.span)
        _check_alignment(address, m)
        return
    if kind.startswith("ldm"):
        if kind == "ldmdb" and not address.writeback:
            raise OperandMismatch(f"this form always writes the base back: {register_text(base)}!", span)
        listed = m.roles.get("t")
        if address.writeback and isinstance(listed, RegisterList) and any(
                isinstance(r, CoreRegister) and r.number == base.number for r in listed.registers):
            raise OperandMismatch(
                f"{register_text(base)} cannot be both loaded and written back: remove the !, or remove it from the "
                f"list", span)
        return
    if kind == "atomic":
        _check_plain(address, m)
    if kind in ("ldrd", "atomic") and "t1" in m.roles:
        first, second = m.roles["t1"], m.roles["t2"]
        assert isinstance(first, CoreRegister) and isinstance(second, CoreRegister)
        if first.number % 2 or second.number != first.number + 1 or first.number == 14:
            raise OperandMismatch(
                f"{'LDRD and STRD take' if kind == 'ldrd' else m.mnemonic + ' takes'} an even register and "
                          "the next one: r0, r1 or r2, r3 ...", second.span)
    if kind == "atomic":
        return
    if kind == "pld" and address.writeback:
        raise OperandMismatch("this form does not write back: use [rn, #offset] or [rn, rm]", span)
    unit = size if kind == "vldr" and size < 4 else 4
    top = {"ldr": 4095, "pld": 4095, "ldrd": 255, "vldr": 255 * unit}[kind]
    if isinstance(offset, Immediate):
        value = offset.value
        if not isinstance(value, int) or abs(value) > top or (kind == "vldr" and value % unit):
            raise OperandMismatch(f"an offset of {value} is out of range: -{top} to {top}"
                                  + (f", a multiple of {unit}" if kind == "vldr" else ""), offset.span)
    if kind == "vldr" and (address.writeback or isinstance(offset, CoreRegister)):
        raise OperandMismatch("VLDR and VSTR take [rn, #offset] only", span)
    if kind == "ldrd" and address.shift:
        raise OperandMismatch("this load or store has no shifted offset: only words and unsigned bytes do",
                              address.shift.span)
    if isinstance(offset, CoreRegister) and offset.number == 15:
        raise OperandMismatch("pc cannot be the offset: use another register", offset.span)
    if address.shift is not None:
        _check_shift_a32(address.shift)


def _check_plain(address: Address, m: Match) -> None:
    """A base register alone; two registers that are loaded, and one that says whether a store was done, differ."""
    offset = address.offset
    if address.writeback or (offset is not None and not (isinstance(offset, Immediate) and offset.value == 0)):
        raise OperandMismatch(f"{m.mnemonic} takes a base register alone, [{register_text(address.base)}]",
                              address.span)
    if m.isa == "a32" and address.base.number == 15:
        raise OperandMismatch("pc cannot be the base here: use another register", address.base.span)
    status = m.roles.get("d") if m.mnemonic.startswith("ST") else None
    moved = [m.roles[role] for role in ("t", "t1", "t2") if role in m.roles]
    if isinstance(status, CoreRegister):
        for other in (*moved, address.base):
            if isinstance(other, CoreRegister) and other.number == status.number and other.is_sp == status.is_sp:
                raise OperandMismatch(
                    f"{register_text(status)} receives the status, so it cannot be {register_text(other)} too",
                              status.span)
    elif len(moved) == 2 and m.mnemonic.startswith("LD") and getattr(moved[0], "number", 0) == getattr(
            moved[1], "number", 1):
        raise OperandMismatch("both registers are loaded, so they must be different", moved[1].span)


def _check_shift_a32(shift: Shift) -> None:
    """The shifts of an AArch32 offset register: by a number only."""
    ranges = {"lsl": (0, 31), "lsr": (1, 32), "asr": (1, 32), "ror": (1, 31)}
    if shift.kind == "rrx" and shift.amount is None:
        return
    if shift.kind not in ranges:
        raise OperandMismatch(f"{shift.kind} is not allowed in an address: use lsl lsr asr ror rrx", shift.span)
    low, high = ranges[shift.kind]
    if not isinstance(shift.amount, Immediate):
        raise OperandMismatch("in an address the shift must be a number, not a register", shift.span)
    if not low <= shift.amount.value <= high:
        raise OperandMismatch(f"a shift of {shift.amount.value} is out of range: {low} to {high}", shift.span)


def _check_alignment(address: Address, m: Match) -> None:
    """Which alignment hints exist depends on the bytes moved."""
    if address.align is None:
        return
    allowed = {2: (16,), 4: (32,), 8: (64,), 16: (64, 128), 24: (64,), 32: (64, 128, 256)}.get(m.transfer, ())
    if address.align not in allowed:
        raise OperandMismatch(f"an alignment of {address.align} bits is not allowed here"
                              + (f": {' or '.join(map(str, allowed))}" if allowed else ""), address.span)


def _check_a64(address: Address, kind: str, size: int, m: Match) -> None:
    offset, span = address.offset, address.span
    if kind == "atomic":
        _check_plain(address, m)
        return
    if kind == "ld1":
        if address.writeback == "pre" or (offset is not None and address.writeback != "post"):
            raise OperandMismatch("this load or store takes [xn], [xn], #bytes or [xn], xm only", span)
        if isinstance(offset, Immediate) and offset.value != size:
            raise OperandMismatch(f"the increment must be the number of bytes moved, #{size}, or a register",
                                  offset.span)
        if isinstance(offset, CoreRegister) and (offset.kind != "x" or offset.number == 31):
            raise OperandMismatch(f"the increment must be an x register from x0 to x30, not {register_text(offset)}",
                                  offset.span)
        if address.shift is not None:
            raise OperandMismatch("the register is added without a shift here", address.shift.span)
        return
    if kind in ("prfm", "ldnp") and address.writeback:
        raise OperandMismatch("no form of it writes the base back", span)
    kind = {"prfm": "ldr", "ldnp": "ldp"}.get(kind, kind)
    if kind in ("ldur", "ordered") and (address.writeback or isinstance(offset, CoreRegister) or (
            isinstance(offset, Immediate) and not -256 <= offset.value <= 255)):
        raise OperandMismatch(f"{m.mnemonic} takes [xn, #offset] with an offset from -256 to 255", span)
    if isinstance(offset, Immediate):
        value = offset.value
        if not isinstance(value, int):
            raise OperandMismatch("an integer is expected here", offset.span)
        if kind == "ldp":
            unit = size // 2
            if value % unit or not -64 * unit <= value <= 63 * unit:
                raise OperandMismatch(f"an offset of {value} is out of range: multiples of {unit} from {-64 * unit} to "
                                      f"{63 * unit}", offset.span)
        elif address.writeback and kind != "ldur":
            if not -256 <= value <= 255:
                raise OperandMismatch(f"an increment of {value} is out of range: -256 to 255", offset.span)
        elif not -256 <= value <= 255 and (value % size or not 0 <= value <= 4095 * size):
            raise OperandMismatch(f"an offset of {value} is out of range: -256 to 255, or multiples of {size} up to "
                                  f"{4095 * size}", offset.span)
        return
    if isinstance(offset, CoreRegister):
        if kind == "ldp" or address.writeback:
            raise OperandMismatch("a register offset is not allowed here: use a number", offset.span)
        shift = address.shift
        if offset.is_sp:
            raise OperandMismatch("sp cannot be the offset: only the base", offset.span)
        if offset.kind == "w" and (shift is None or shift.kind not in ("uxtw", "sxtw")):
            raise OperandMismatch("a w register as offset needs uxtw or sxtw", offset.span)
        if offset.kind == "x" and shift is not None and shift.kind in ("uxtw", "sxtw"):
            raise OperandMismatch(f"{shift.kind} extends a w register: w{offset.number}", offset.span)
        if shift is not None:
            if shift.kind not in ("lsl", "uxtw", "sxtw", "sxtx"):
                raise OperandMismatch(f"{shift.kind} is not allowed in an address", shift.span)
            if isinstance(shift.amount, CoreRegister):
                raise OperandMismatch("in an address the shift must be a number, not a register", shift.span)
            amount = shift.amount.value if shift.amount is not None else 0
            if amount not in (0, size.bit_length() - 1):
                raise OperandMismatch(f"the offset can be shifted by {size.bit_length() - 1} here, not by {amount}",
                                      shift.span)


def effective(address: Address, base: Lanes, offset: Lanes | int | None, transfer: int,
              downward: bool = False, spacing: int = 0) -> tuple[Lanes, Lanes | None]:
    """(address of the first byte, new value of the base register or None).

    base      one lane, x64 or x32
    offset    the register offset (already shifted or extended), a number, or None for the bytes moved
    downward  AArch32 block transfers that go down: "decrement before" (PUSH, VPUSH, STMDB)
    spacing   how far the block lies above its place, 4 for "increment before" and "decrement after" (LDMIB, LDMDA)
    """
    if downward or spacing:
        low = base - transfer if downward else base
        after = low if downward else base + transfer
        return low + spacing, after if address.writeback else None
    step: Any = transfer if offset is None else offset
    if address.writeback == "post":
        return base, base - step if address.subtract else base + step
    if offset is None:
        return base, base + transfer if address.writeback else None
    if isinstance(offset, int) and offset == 0 and not address.writeback:
        return base, None
    place = base - step if address.subtract else base + step
    return place, place if address.writeback else None


def extended(value: Lanes, kind: str, amount: int, width: int) -> Lanes:
    """A64 extension (uxtb ... sxtx) or LSL of a register, as ``width`` bits."""
    low = {"b": 8, "h": 16, "w": 32}.get(kind[-1]) if kind != "lsl" else None
    if low is not None and low < bits(value):
        value = value & (1 << low) - 1
        if kind[0] == "s":
            sign = 1 << low - 1
            value = (value ^ sign) - sign
    if bits(value) < width:
        value = wide(signed(value) if kind[0] == "s" else unsigned(value))
        value = view(value, x64)
    return value << amount if amount else value


def moved(value: Lanes, kind: str, amount: int) -> Lanes:
    """Return a register after LSL LSR ASR ROR by a number."""
    if amount == 0:
        return value
    if kind == "lsl":
        return value << amount
    if kind == "ror":
        return rotate(value, amount)
    return view((signed(value) if kind == "asr" else unsigned(value)) >> amount, value.type)


def shifted_operand(value: Lanes, kind: str, amount: Lanes | int, carry: Lanes) -> tuple[Lanes, Lanes]:
    """(the shifted register, the shifter's carry out): LSL LSR ASR ROR by a number or a register, RRX.

    carry   one lane, the C flag before
    """
    u, width = unsigned(value), bits(value)
    if kind == "rrx":
        top = _as(carry, value) << width - 1
        return view(u >> 1, value.type) | top, _bit(u, 0, carry)
    if isinstance(amount, int):
        return moved(value, kind, amount), _carried(value, kind, amount, carry)
    # By register: the low byte counts, 0 leaves value and carry alone; one case per amount would be a table of 256,
    # so the bits are applied one after the other.
    steps = unsigned(amount) & 255
    for power in range(8):
        step = 1 << power
        near = step < width
        new = moved(value, kind, step) if near else _far(value, kind)
        out = _carried(value, kind, step, carry) if near else _carried_far(value, kind, step, carry)
        taken = view(compare(steps & step, "!=", 0), steps.type) & 1
        value, carry = choose(taken, new, value), choose(taken, out, carry)
    return value, carry


def _far(value: Lanes, kind: str) -> Lanes:
    """A shift by 32, 64 or 128 of a 32-bit register (amounts add up, so nothing but zeros or signs remain)."""
    if kind == "asr":
        return moved(value, kind, bits(value) - 1)
    return value if kind == "ror" else value & 0


def _carried(value: Lanes, kind: str, amount: int, carry: Lanes) -> Lanes:
    """The last bit that a shift by a number moves out."""
    if amount == 0:
        return carry
    return _bit(unsigned(value), bits(value) - amount if kind == "lsl" else amount - 1, carry)


def _carried_far(value: Lanes, kind: str, step: int, carry: Lanes) -> Lanes:
    u, width = unsigned(value), bits(value)
    if kind in ("ror", "asr"):
        return _bit(u, width - 1, carry)
    return _bit(u, 0 if kind == "lsl" else width - 1, carry) if step == width else carry & 0


def _bit(value: Lanes, at: int, like: Lanes) -> Lanes:
    """One bit of a register as a flag lane (0 or 1)."""
    bit: Lanes = value >> at & 1
    return view(bit, bit.type.with_("u"))[0] if bits(like) == bits(bit) else _low_byte(bit)


def _low_byte(value: Lanes) -> Lanes:
    return view(value, value.type.with_("u", 8))[0]


def _as(flag: Lanes, like: Lanes) -> Lanes:
    """A flag lane (u8) as wide as a register."""
    while bits(flag) < bits(like):
        flag = wide(flag)
    return view(flag, like.type)


def shift_text(shift: Shift) -> str:
    """`lsl #3`, `asr r2`, `rrx`."""
    if shift.amount is None:
        return shift.kind
    amount = shift.amount
    return f"{shift.kind} " + (f"#{amount.value}" if isinstance(amount, Immediate) else register_text(amount))
