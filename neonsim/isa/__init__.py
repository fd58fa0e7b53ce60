"""Meaning of instructions: pure functions with their syntax, one file per family.

`decode` turns a mnemonic and operands into an `Instruction`; the machine binds it to registers.
"""

from . import (
    add,
    base,
    count,
    dot,
    halving,
    load_store,
    logic,
    mul,
    pairwise,
    pc_relative,
    permute,
    saturate,
    shift,
    table,
)
from .decode import decode
from .instruction import Instruction, Where
from .operands import ALL_LANES, Address, CoreRegister, Immediate, Operand, RegisterList, Shift, Symbol, VectorRegister
from .places import Constant, Place, RegisterUse
from .spec import Form, Meaning, forms, meanings

FAMILIES = (mul, dot, add, halving, pairwise, permute, table, shift, saturate, logic, count, load_store, pc_relative,
            base)

__all__ = [
    "ALL_LANES", "FAMILIES", "Address", "Constant", "CoreRegister", "Form", "Immediate", "Instruction", "Meaning",
    "Operand", "Place", "RegisterList", "RegisterUse", "Shift", "Symbol", "VectorRegister", "Where", "decode", "forms",
    "meanings"]
