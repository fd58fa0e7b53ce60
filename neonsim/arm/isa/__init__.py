"""Semantics of instructions: pure functions, one file per family; how they are written is `forms` and `operands`.

The folder of a family is its register file: `simd` vectors, `fp` floating point (scalars and vectors: one body for
both), `base` general registers; or what it is for: `memory`, `crypto`, `system`. Families are found: a file in such a
folder is one, the folders in the order of FOLDERS, their files by name.

`select_form` turns a mnemonic and operands into an `Instruction`; the machine binds it to registers.
"""

import importlib
import pkgutil
from types import ModuleType

from neonsim.common.argument_types import check_arguments

from .forms.instruction import Instruction, SourcePosition
from .forms.select import select_form
from .forms.spec import Form, Semantics, all_semantics, family_name, forms, mnemonics
from .operands.ast import (
    ALL_LANES,
    WORD_BYTES,
    Address,
    CoreRegister,
    Immediate,
    Operand,
    RegisterList,
    Shift,
    Symbol,
    VectorRegister,
)
from .operands.locations import ImmediateLane, Location, RegisterUse

FOLDERS = ("simd", "crypto", "fp", "base", "memory", "system")


def _found() -> tuple[ModuleType, ...]:
    """Every family's module, imported: that is what puts its lines into the table."""
    modules = []
    for folder in FOLDERS:
        package = importlib.import_module(f"{__name__}.{folder}")
        names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
        modules += [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(modules)


FAMILIES = _found()

__all__ = [
    "ALL_LANES",
    "FAMILIES",
    "FOLDERS",
    "WORD_BYTES",
    "Address",
    "CoreRegister",
    "Form",
    "Immediate",
    "ImmediateLane",
    "Instruction",
    "Location",
    "Operand",
    "RegisterList",
    "RegisterUse",
    "Semantics",
    "Shift",
    "SourcePosition",
    "Symbol",
    "VectorRegister",
    "all_semantics",
    "family_name",
    "forms",
    "mnemonics",
    "select_form",
]

check_arguments(globals())
