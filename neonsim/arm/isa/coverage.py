"""What Arm has, by Arm's names, and what of it is here.

    for row in listed("aarch64"):
        row.family, row.mnemonic, row.shape, row.here

The list is `arm.txt` beside this file (its head says how to read it, and where it is from). A row is here if an
instruction written in that shape is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from neonsim.errors import AssemblyError

from .forms import arm_inventory
from .forms.arm_inventory import Listed
from .forms.instruction import Instruction, SourcePosition
from .forms.select import select_form
from .forms.spec import SHORT, TABLE
from .forms.unsupported import REFUSED
from .operands.ast import ALL_LANES, Address, CoreRegister, Immediate, Operand, RegisterList, Shift, VectorRegister

__all__ = ["ArmForm", "families", "groups", "listed", "out_of_scope"]


@dataclass(frozen=True)
class ArmForm(Listed):
    """A row of Arm's list, and whether neonsim has it."""

    @property
    def is_implemented(self) -> bool:
        """Whether neonsim has it."""
        if not self.shape:
            return self.mnemonic.lower() in TABLE[SHORT[self.isa]]
        return self.example is not None

    @cached_property
    def example(self) -> Instruction | None:
        """An instruction of this shape, None if there is none here."""
        try:
            return select_form(self.isa, self.mnemonic, operands(self.isa, self.shape), position=SourcePosition())
        except AssemblyError:
            return None


@cache
def listed(isa: str) -> tuple[ArmForm, ...]:
    """Every row of "aarch64" or "aarch32", in the order of the list."""
    return tuple(ArmForm(**vars(row)) for row in arm_inventory.listed(isa))


def families(isa: str) -> dict[str, list[ArmForm]]:
    """Return the rows of each family."""
    found: dict[str, list[ArmForm]] = {}
    for row in listed(isa):
        found.setdefault(row.family, []).append(row)
    return found


def groups() -> dict[str, dict[str, list[ArmForm]]]:
    """Return the rows of each group and instruction set, in the order of the list."""
    found: dict[str, dict[str, list[ArmForm]]] = {}
    for isa in SHORT:
        for row in listed(isa):
            found.setdefault(row.group, {}).setdefault(isa, []).append(row)
    return found


def out_of_scope(isa: str) -> list[str]:
    """Return what is left out for good, in sentences."""
    return [what for what, a64, a32 in REFUSED if (a64 if isa == "aarch64" else a32)]


def operands(isa: str, shape: str) -> list[Operand]:
    """Operands of a shape: registers in order of their numbers."""
    kinds = shape.split(",")
    return [_operand(isa, kinds[0], 1) if kind == "=" else _operand(isa, kind, number + 1)
            for number, kind in enumerate(kinds)]


def _operand(isa: str, kind: str, number: int) -> Operand:
    if kind.startswith("#"):
        if kind.startswith("#lsl"):
            return Shift("lsl", Immediate(int(kind[4:])))
        return Immediate(float(kind[1:]) if "." in kind else int(kind[1:] or 1))
    if kind.startswith("["):
        return Address(CoreRegister(kind[1], 5))
    if found := re.fullmatch(r"\{(\w+)(\[1?\])?\}(\d)(\[\])?", kind):
        element, lane, count, behind = found.groups()
        index = 0 if behind else None if lane is None else ALL_LANES if lane == "[]" else 1
        return RegisterList(tuple(_in_list(isa, element, 4 + i, index) for i in range(int(count))), index)
    if kind in ("w", "x", "r", "r!"):
        return CoreRegister(kind[0], number, writeback=kind[1:] == "!")
    name, lane, which = kind.partition("[")
    index = int(which.rstrip("]") or 1) if lane else None
    if isa == "aarch32" or (len(name) == 1 and not lane):
        return VectorRegister(name, number, index=index)
    return VectorRegister("v", number, name, index)


def _in_list(isa: str, element: str, number: int, index: int | None) -> VectorRegister:
    if isa == "aarch32":
        return VectorRegister(element, number, index=index)
    return VectorRegister("v", number, element)
