"""Meaning of instructions: pure functions with their syntax, one file per family.

`decode` turns a mnemonic and operands into an `Instruction`; the machine binds it to registers.
"""

from . import add, base, load_store, logic, mul, pairwise, permute, shift
from .operands import ALL_LANES, Address, CoreRegister, Immediate, Operand, RegisterList, Shift, Symbol, VectorRegister
from .places import Constant, Place, RegisterUse
from .spec import Form, Instruction, Meaning, Where, decode, forms, meanings

FAMILIES = (mul, add, pairwise, permute, shift, logic, load_store, base)
