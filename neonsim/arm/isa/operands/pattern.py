"""Matching: what is found out about an instruction while its operands are compared with a template."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from neonsim.arm.semantics import ElementType, element

from .ast import ALL_LANES, Address, CoreRegister, Immediate, Operand, RegisterList, Shift, Span, Symbol, VectorRegister
from .locations import ImmediateLane, Location

__all__ = ["BITS_LETTER", "LETTER_BITS", "Match", "OperandMismatch", "Pattern", "arrangement", "describe",
           "register_text"]

LETTER_BITS = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
BITS_LETTER = {bits: letter for letter, bits in LETTER_BITS.items()}

class OperandMismatch(Exception):
    """This operand does not fit this template. ``depth``: how far the match had come, the best refusal is shown."""

    def __init__(self, message: str, span: Span = (0, 0), depth: float = 0) -> None:
        super().__init__(message)
        self.message, self.span, self.depth = message, span, depth


@dataclass
class Match:
    """What a match has found so far.

    mnemonic  as the reader wrote it, for messages
    bits    element width (of the narrow side, where a form has two), total bytes of the <T> arrangement
    kind    element kind from the mnemonic or the A32 data type, None when neither says
    """

    isa: str
    mnemonic: str = ""
    allowed: tuple[ElementType, ...] = ()
    upper: bool = False
    kind: str | None = None
    sets_flags: bool = False
    bits: int | None = None
    total: int | None = None
    register_kind: str | None = None
    by_element: bool = False
    transfer: int = 0
    list_count: int = 0
    roles: dict[str, Operand] = field(default_factory=dict)
    places: dict[str, tuple[Location | ImmediateLane, ...]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    address: Address | None = None
    label: str | None = None
    condition: str | None = None
    shift: Shift | None = None
    deferred: list[Any] = field(default_factory=list)

    def element(self, times: int = 1) -> ElementType:
        """Return the instruction's element type, or the one ``times`` as wide."""
        bits = self.bits or 8
        for type_ in self.allowed:
            if type_.bits == bits and (self.kind is None or type_.kind == self.kind):
                return element(type_.kind, bits * times)
        return element(self.kind or "x", bits * times)

    def set_bits(self, bits: int, span: Span, written: str) -> None:
        if self.bits is not None and self.bits != bits:
            raise OperandMismatch(f"{written} has {bits}-bit elements where {self.bits}-bit elements are needed", span)
        if self.bits is None and self.allowed and bits not in {t.bits for t in self.allowed
                                                               if self.kind in (None, t.kind)}:
            widths = ", ".join(str(b) for b in sorted({t.bits for t in self.allowed}))
            raise OperandMismatch(f"{written}: this form takes elements of {widths} bits", span)
        self.bits = bits


@dataclass(frozen=True)
class Pattern(ABC):
    """One operand of a template. ``match`` takes operands[at:] and returns how many it used."""

    role: str
    spec: str
    text: str

    @abstractmethod
    def match(self, operands: list[Operand], position: int, m: Match) -> int: ...

    def resembles(self, operand: Operand) -> bool:
        """Return whether the reader probably meant this pattern: the better complaint is about the form that looks
        alike."""
        return False

    def take(self, operands: list[Operand], position: int, kind: type, description: str) -> Any:
        if position >= len(operands):
            raise OperandMismatch(f"an operand is missing: {description}")
        operand = operands[position]
        if not isinstance(operand, kind):
            raise OperandMismatch(f"{description} is expected here, not {describe(operand)}", operand.span)
        return operand


def describe(operand: Operand) -> str:
    """Return an operand in the reader's words."""
    match operand:
        case CoreRegister():
            return f"the general register {register_text(operand)}"
        case VectorRegister():
            return f"the SIMD register {register_text(operand)}"
        case RegisterList():
            return "a register list"
        case Immediate():
            return f"the number {operand.value}"
        case Shift():
            return f"the shift {operand.kind}"
        case Address():
            return "a memory address"
        case Symbol():
            return f'"{operand.name}"'


def register_text(register: CoreRegister | VectorRegister) -> str:
    """Return a register as it is printed."""
    if isinstance(register, CoreRegister):
        if register.kind == "r":
            name = {13: "sp", 14: "lr", 15: "pc"}.get(register.number, f"r{register.number}")
        elif register.number == 31:
            name = ("sp" if register.is_sp else "xzr") if register.kind == "x" else "wsp" if register.is_sp else "wzr"
        else:
            name = f"{register.kind}{register.number}"
        return name + ("!" if register.writeback else "")
    name = f"{register.kind}{register.number}" + (f".{register.arrangement}" if register.arrangement else "")
    if register.index is not None:
        name += "[]" if register.index == ALL_LANES else f"[{register.index}]"
    return name


def arrangement(bits: int, total: int) -> str:
    return f"{total * 8 // bits}{BITS_LETTER[bits]}"
