"""AArch32 SIMD operands: d, q and s registers, and lanes of d registers."""

from __future__ import annotations

from dataclasses import replace

from neonsim.arm.semantics import ElementType

from .ast import ALL_LANES, Operand, VectorRegister
from .locations import Location
from .pattern import Match, OperandMismatch, Pattern, register_text

__all__ = ["Lane32", "Vector32", "place32"]


class Vector32(Pattern):
    """<d:Q>, <n:D>, <m:DQ>, <d:Q2>, <d:DQ2>, <d:DQ4>; <d:H> the low half of an s register: the other is cleared"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.index is None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        what = {"D": "a d register", "Q": "a q register", "DQ": "a d or q register", "S": "an s register",
                "H": "an s register"}[
            self.spec.rstrip("24")]
        register: VectorRegister = self.take(operands, position, VectorRegister, what)
        if register.index is not None or register.kind not in self.spec.lower().replace("h", "s"):
            if register.index is None and register.kind in {"d": "q", "s": "qd"}.get(what.split()[1], ""):
                raise OperandMismatch(
                    f"{m.mnemonic} takes {what} here, which holds less than {register_text(register)}",
                              register.span)
            raise OperandMismatch(f"{what} is expected here, not {register_text(register)}", register.span)
        if self.spec.startswith("DQ"):
            if m.total is None:
                m.total = 8 if register.kind == "d" else 16
            elif m.total != (8 if register.kind == "d" else 16):
                raise OperandMismatch(
                    f"{register_text(register)} differs in size from the registers before it: use all d or all q",
                    register.span)
        m.roles[self.role] = register
        if self.spec == "H":
            m.deferred.append((self.role, lambda: replace(place32(register, m.element()), nbytes=2, clears=True,
                                                          type=m.element().with_(bits=16))))
            m.transfer += 2 if self.role.startswith("t") else 0
            return 1
        times = int(self.spec[-1]) if self.spec[-1].isdigit() else 1
        m.deferred.append((self.role, lambda: place32(register, m.element(times))))
        m.transfer += {"q": 16, "d": 8, "s": 4}[register.kind] if self.role.startswith("t") else 0
        return 1


def place32(register: VectorRegister, type_: ElementType) -> Location:
    """Return the bytes of q3, d7, s9 or of a lane of them, inside q0..q15."""
    per_q, nbytes = {"q": (1, 16), "d": (2, 8), "s": (4, 4)}[register.kind]
    number, part = divmod(register.number, per_q)
    start = part * nbytes
    if register.index is not None and register.index != ALL_LANES:
        return Location("q", number, start + register.index * type_.bytes, type_.bytes, type_)
    return Location("q", number, start, nbytes, type_)


class Lane32(Pattern):
    """<m:x[index]>: d0-d7 for 16-bit lanes, d0-d15 for 32-bit ones; <n:D[index]>: any; <m:four[index]>: four bytes;
    <m:two[index]>: two halfwords; <m:pair[index]>: a complex number, twice as wide as a lane; <m:S[index]>: s0-s15"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.index is not None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        kind, size = ("s", 32) if self.spec == "S" else ("d", 64)
        register: VectorRegister = self.take(operands, position, VectorRegister, f"a lane such as {kind}0[1]")
        if register.kind != kind or register.index is None or register.index == ALL_LANES:
            raise OperandMismatch(f"a lane such as {kind}0[1] is expected here, not {register_text(register)}",
                                  register.span)
        group, pair, index = self.spec in ("four", "two"), self.spec == "pair", register.index
        bits = 32 if group else (m.bits or 32) * (2 if pair else 1)
        if not 0 <= register.index < size // bits:
            raise OperandMismatch(
                f"lane {register.index} is out of range: {kind}{register.number} has {size // bits} lanes of "
                          f"{bits} bits, 0 to {size // bits - 1}", register.span)
        top = 15 if kind == "s" else {16: 7, 32: 15}.get(bits, 31)
        if self.spec != "D" and register.number > top:
            raise OperandMismatch(f"a {bits}-bit lane must be in {kind}0 to {kind}{top}, not "
                                  f"{kind}{register.number}", register.span)
        m.by_element = m.by_element or self.role != "d"
        m.roles[self.role] = register
        if group:
            start = register.number % 2 * 8 + index * 4
            m.deferred.append((self.role, lambda: Location("q", register.number // 2, start, 4, m.element())))
            return 1
        if pair:
            start = register.number % 2 * 8 + index * bits // 8
            m.deferred.append((self.role, lambda: Location("q", register.number // 2, start, bits // 8, m.element())))
            return 1
        m.deferred.append((self.role, lambda: place32(register, m.element())))
        return 1
