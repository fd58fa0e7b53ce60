"""General registers with their shifts, numbers, labels, conditions and addresses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache

from neonsim.arm.semantics import CONDITIONS, element

from . import immediates
from .addressing import check
from .ast import Address, CoreRegister, Immediate, Operand, Shift, Symbol
from .locations import ImmediateLane, Location
from .pattern import Match, OperandMismatch, Pattern, describe, register_text

__all__ = ["ALIASES64", "CONDITION_ALIASES", "WORDS", "Cond", "GeneralRegister", "ImmediatePattern", "Label",
           "MemoryOperand", "NamedOperand", "Op2", "core_place"]

CONDITION_ALIASES = {"cs": "hs", "cc": "lo"}
ALIASES64 = {**CONDITION_ALIASES, "nv": "al"}  # in AArch64 the code of "never" holds always, and disassemblers print it


# Shifts that an operand of AArch32's packing and saturating instructions takes: kind -> amounts.
_SHIFTS32: dict[str, dict[str, Collection[int]]] = {
    "ror": {"ror": (0, 8, 16, 24)}, "lsl": {"lsl": range(32)}, "asr": {"asr": range(1, 33)},
    "sat": {"lsl": range(32), "asr": range(1, 33)}}


class GeneralRegister(Pattern):
    """<d:R>, <n:W>, <n:X>, <d:RSP>, <n:Re>, <n:X+shift>, <n:R+extend>; A32 <d:RN> (not pc), <n:P>, <m:RN+ror>"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, CoreRegister)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        spec, _, extra = self.spec.partition("+")
        register: CoreRegister = self.take(operands, position, CoreRegister, "a general register")
        if register.writeback:
            raise OperandMismatch("! is not allowed here", register.span)
        if register.kind == "r":
            return self._a32(spec, extra, register, operands, position, m)
        kind = spec[0].lower() if spec in ("W", "X", "WSP", "XSP") else None
        if spec == "Re":
            if m.bits is None:  # the lane that decides comes later
                m.deferred.append((self.role, lambda: self._wide_enough(register, m)))
            else:
                kind = "x" if m.bits == 64 else "w"
        elif spec in ("R", "RSP") and extra != "extend":
            kind = m.register_kind = m.register_kind or register.kind
        if kind is not None and register.kind != kind:
            if spec[0] == "R" and spec != "Re":
                raise OperandMismatch(
                    f"{register_text(register)} differs in width from the registers before it: use all w or all x",
                              register.span)
            raise OperandMismatch(f"{kind}{register.number if register.number < 31 else 'zr'} is needed here, not "
                                  f"{register_text(register)}"
                                  + (f", for a lane of {m.bits} bits" if spec == "Re" else ""),
                                  register.span)
        if register.is_sp and not spec.endswith("SP"):
            raise OperandMismatch(f"{register_text(register)} is not allowed here", register.span)
        if register.number == 31 and not register.is_sp and spec.endswith("SP"):
            raise OperandMismatch(f"{register_text(register)} is not allowed here, because its encoding means sp",
                                  register.span)
        m.roles[self.role] = register
        m.transfer += (8 if register.kind == "x" else 4) if self.role.startswith("t") else 0
        place = core_place(register)
        if self.role in ("n", "m") and m.kind in ("s", "u"):  # the mnemonic says how its sources are read
            place = replace(place, type=place.type.with_(m.kind))
        m.places[self.role] = (place,)
        if extra and position + 1 < len(operands) and isinstance(operands[position + 1], Shift):
            return 1 + self._shift(operands[position + 1], extra, register, m)  # type: ignore[arg-type]
        if extra == "extend" and register.kind != (m.register_kind or register.kind):
            raise OperandMismatch(f"{register_text(register)} needs an extension here, such as uxtw", register.span)
        return 1

    def _a32(self, spec: str, extra: str, register: CoreRegister, operands: list[Operand], at: int, m: Match) -> int:
        if register.number == 15 and spec != "R":
            raise OperandMismatch("pc is not allowed here: use another register", register.span)
        if spec == "P":
            m.bits = m.bits or m.allowed[0].bits
        kind = m.kind if self.role in ("n", "m") and m.kind in ("s", "u") else "x"
        type_ = m.element() if spec == "P" else element(kind, 32)
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Location("r", register.number, 0, 4, type_)))
        m.transfer += 4 if self.role.startswith("t") else 0
        shift = operands[at + 1] if extra and at + 1 < len(operands) else None
        if not isinstance(shift, Shift):
            return 1
        allowed = _SHIFTS32[extra]
        amount = shift.amount.value if isinstance(shift.amount, Immediate) else None
        if shift.kind not in allowed:
            raise OperandMismatch(f"{shift.kind} is not allowed here: use {' or '.join(allowed)} with a number",
                                  shift.span)
        if amount not in allowed[shift.kind]:
            known = list(allowed[shift.kind])
            raise OperandMismatch(f"{shift.kind} must be by " + (f"{known[0]} to {known[-1]}" if len(known) > 4 else
                          ", ".join(map(str, known))) + " here", shift.span)
        m.shift = shift
        return 2

    @staticmethod
    def _wide_enough(register: CoreRegister, m: Match) -> None:
        if (register.kind == "x") != (m.bits == 64):
            raise OperandMismatch(
                f"{'x' if m.bits == 64 else 'w'}{register.number} is needed here for a lane of {m.bits} "
                          "bits", register.span)

    def _shift(self, shift: Shift, extra: str, register: CoreRegister, m: Match) -> int:
        kinds = {"shift": ("lsl", "lsr", "asr"), "rotate": ("lsl", "lsr", "asr", "ror")}.get(extra, (
            "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "lsl"))
        if shift.kind not in kinds:
            raise OperandMismatch(f"{shift.kind} is not allowed here: use one of {', '.join(kinds)}", shift.span)
        amount = shift.amount.value if isinstance(shift.amount, Immediate) else None
        if amount is None and (extra != "extend" or shift.amount is not None):
            raise OperandMismatch(f"{shift.kind} needs a number here", shift.span)
        if extra == "extend" and m.register_kind == "x" and (register.kind == "w") != (
                shift.kind in ("uxtb", "uxth", "uxtw", "sxtb", "sxth", "sxtw")):
            raise OperandMismatch(f"{shift.kind} goes with {'an x' if register.kind == 'w' else 'a w'} register here",
                                  shift.span)
        if extra == "extend" and m.register_kind == "w" and register.kind == "x":
            raise OperandMismatch(f"w{register.number} is needed here, not {register_text(register)}", register.span)
        top = 4 if extra == "extend" else (64 if register.kind == "x" else 32) - 1
        if amount is not None and not 0 <= amount <= top:
            raise OperandMismatch(f"a shift of {amount} is out of range: 0 to {top}", shift.span)
        m.shift = shift
        return 1


def core_place(register: CoreRegister) -> Location:
    """Return where a general register as written lies."""
    return _core_place(register.kind, register.number, register.is_sp)


@cache
def _core_place(kind: str, number: int, is_sp: bool) -> Location:
    if kind == "r":
        return Location("r", number, 0, 4, element("x", 32))
    wide = kind == "x"
    return Location("x", number if number < 31 else 31 if is_sp else -1, 0, 8 if wide else 4,
                    element("x", 64 if wide else 32), clears=True, is_sp=is_sp)


class ImmediatePattern(Pattern):
    """#<imm:0-4095>, #<shift:1-w>, #<imm:bitmask>, #<imm:0> ..."""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Immediate)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Immediate = self.take(operands, position, Immediate, "a number")
        value = operand.value
        if not isinstance(value, int):
            raise OperandMismatch("an integer is expected here", operand.span)
        used = 1
        bits = m.bits or {"x": 64, "w": 32}.get(m.register_kind or "", 32)
        if self.spec in immediates.ENCODINGS:
            shift = operands[position + 1] if position + 1 < len(operands) else None
            if isinstance(shift, Shift) and m.isa == "a64":
                m.numbers["shift"] = immediates.shift_amount(self.spec, shift, bits)
                value, used = immediates.shifted(self.spec, value, shift, bits), 2
                problem = None
            else:
                m.numbers["shift"] = 0
                problem = immediates.ENCODINGS[self.spec](value, bits)
            if problem:
                raise OperandMismatch(problem, operand.span)
        else:
            low, high = self._range(m, bits)
            if not low <= value <= high:
                raise OperandMismatch(f"{value} is out of range: {low} to {high}" if low != high else
                                      f"only #{low} is allowed here", operand.span)
        m.roles[self.role] = operand
        m.numbers[self.role] = value
        if self.role in ("imm", "m"):
            core = 64 if m.register_kind == "x" else 32
            m.deferred.append((self.role, lambda: ImmediateLane(value, m.element() if m.bits else element("x", core))))
        return used

    def _range(self, m: Match, bits: int) -> tuple[int, int]:
        low, dash, high = self.spec.partition("-")
        names = {"w": bits, "w1": bits - 1, "n1": (m.total or 16) * 8 // bits - 1,
                 "rest": bits - m.numbers.get("shift", 0), "r": 64 if m.register_kind == "x" else 32}
        first = names.get(low) if low in names else int(low)
        last = first if not dash else names.get(high) if high in names else int(high)
        return int(first or 0), int(last or 0)


class NamedOperand(Pattern):
    """<word:prefetch>: one of the names in WORDS, or its number."""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Symbol)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        names, numbers = WORDS[self.spec]
        operand = operands[position] if position < len(operands) else None
        number = operand.value if isinstance(operand, Immediate) else None
        if not (isinstance(operand, Symbol) and operand.name.lower() in names) and number not in numbers:
            written = "nothing" if operand is None else describe(operand)
            raise OperandMismatch(f"one of {' '.join(names)} is expected here, not {written}",
                                  operand.span if operand is not None else (0, 0))
        assert operand is not None
        m.roles[self.role] = operand
        return 1


_PREFETCHES = tuple(f"p{what}l{level}{policy}" for what in ("ld", "li", "st") for level in (1, 2, 3)
                    for policy in ("keep", "strm"))
# Words that stand as operands, and the numbers that may stand for them: what is fetched ahead, where a branch may have
# come from, which accesses a barrier orders.
WORDS: dict[str, tuple[tuple[str, ...], range]] = {
    "prefetch": (_PREFETCHES, range(32)),
    "target": (("c", "j", "jc"), range(0)),
    "barrier": (("sy", "st", "ld", *(f"{where}{what}" for where in ("ish", "nsh", "osh") for what in ("", "st", "ld"))),
                range(16)),
    "isb": (("sy",), range(16)),
    "csync": (("csync",), range(0)),
    "zva": (("zva",), range(0)),
    "maintenance": (("cvac", "cvau", "civac"), range(0)),
    "instructions": (("ivau",), range(0)),
}


class Label(Pattern):
    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Symbol = self.take(operands, position, Symbol, "a label")
        m.roles["label"] = operand
        m.label = operand.name
        return 1


class Cond(Pattern):
    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Symbol = self.take(operands, position, Symbol, "a condition such as ne")
        name = ALIASES64.get(operand.name.lower(), operand.name.lower())
        if self.spec == "inverted" and name == "al":
            raise OperandMismatch(f'"{operand.name}" is always true: use a condition that can be false',
                                  operand.span)
        if name not in CONDITIONS:
            raise OperandMismatch(f'"{operand.name}" is no condition: {" ".join(CONDITIONS)}', operand.span)
        m.roles["cond"] = operand
        m.condition = name
        return 1


class Op2(Pattern):
    """A32 flexible second operand: #imm, Rm, Rm with a shift by a number or a register.

    ``op2`` takes constants as they are; with ``op2-`` and ``op2~`` the assembler may swap the instruction for its
    opposite and negate or invert them; ``op2=`` is MOV, which also has a 16-bit form.
    """

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, (Immediate, CoreRegister))

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        if position >= len(operands):
            raise OperandMismatch("an operand is missing: a number or a register")
        operand = operands[position]
        if isinstance(operand, Immediate):
            if not isinstance(operand.value, int):
                raise OperandMismatch("an integer is expected here", operand.span)
            problem = immediates.a32_modified(operand.value, 32, self.spec, m.sets_flags)
            if problem:
                raise OperandMismatch(problem, operand.span)
            m.roles[self.role] = operand
            m.places[self.role] = (ImmediateLane(operand.value & 0xFFFFFFFF, element("x", 32)),)
            return 1
        if not isinstance(operand, CoreRegister) or operand.writeback:
            raise OperandMismatch(f"a number or a register is expected here, not {describe(operand)}", operand.span)
        m.roles[self.role] = operand
        m.places[self.role] = (core_place(operand),)
        if position + 1 < len(operands) and isinstance(operands[position + 1], Shift):
            shift: Shift = operands[position + 1]  # type: ignore[assignment]
            if shift.kind not in ("lsl", "lsr", "asr", "ror", "rrx"):
                raise OperandMismatch(f"{shift.kind} is not an A32 shift: use lsl lsr asr ror rrx", shift.span)
            if isinstance(shift.amount, Immediate):
                low, high = {"lsl": (0, 31), "ror": (1, 31)}.get(shift.kind, (1, 32))
                if not low <= shift.amount.value <= high:
                    raise OperandMismatch(f"a shift of {shift.amount.value} is out of range: {low} to {high}",
                                          shift.span)
            m.shift = shift
            return 2
        return 1


class MemoryOperand(Pattern):
    """<mem:kind>: an address; `address.check` knows what each kind allows."""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Symbol if self.spec == "literal" else Address)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        if self.spec == "literal":
            symbol: Symbol = self.take(operands, position, Symbol, "a label")
            m.roles["mem"], m.label = symbol, symbol.name
            return 1
        if self.spec == "block":
            block: CoreRegister = self.take(operands, position, CoreRegister, "an x register with an address")
            if block.kind != "x" or block.number == 31:
                raise OperandMismatch(f"x0 to x30 are allowed here, not {register_text(block)}", block.span)
            m.roles["mem"] = m.roles["n"] = block
            m.places["n"] = (core_place(block),)
            m.address = Address(block, span=block.span)
            return 1
        if self.spec.startswith("ldm"):
            base: CoreRegister = self.take(operands, position, CoreRegister, "a base register such as r0 or r0!")
            operand = Address(CoreRegister(base.kind, base.number, base.is_sp, span=base.span),
                              writeback="pre" if base.writeback else "", span=base.span)
        else:
            operand = self.take(operands, position, Address, "an address in square brackets")
        m.roles["mem"] = operand
        m.address = operand
        # The kinds of offset a form allows depend on the bytes it moves, which a later operand may still decide.
        m.deferred.append(("mem", lambda: check(operand, self.spec, m)))
        return 1
