"""Meaning of instructions: pure functions, one file per family; how they are written is `syntax`.

`decode` turns a mnemonic and operands into an `Instruction`; the machine binds it to registers.
"""

from . import (
    add,
    arithmetic,
    bitfield,
    bitshift,
    bitwise,
    branch,
    conditional,
    count,
    dot,
    dsp,
    estimate,
    float_arith,
    float_compare,
    float_convert,
    float_format,
    float_minmax,
    float_mla,
    float_round,
    general_load_store,
    halving,
    hint,
    load_store,
    logic,
    move,
    mul,
    multiply,
    packed,
    pairwise,
    pc_relative,
    permute,
    saturate,
    shift,
    structure,
    table,
)
from .syntax.decode import decode
from .syntax.instruction import Instruction, Where
from .syntax.operands import (
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
from .syntax.places import Constant, Place, RegisterUse
from .syntax.spec import Form, Meaning, forms, meanings

FAMILIES = (mul, dot, add, halving, pairwise, permute, table, shift, saturate, logic, count, estimate, load_store,
            structure, general_load_store, pc_relative, arithmetic, bitwise, move, bitshift, bitfield, multiply, dsp,
            packed, conditional, branch, hint, float_arith, float_mla, float_minmax, float_compare, float_convert,
            float_round, float_format)

__all__ = [
    "ALL_LANES", "FAMILIES", "WORD_BYTES", "Address", "Constant", "CoreRegister", "Form", "Immediate", "Instruction",
    "Meaning", "Operand", "Place", "RegisterList", "RegisterUse", "Shift", "Symbol", "VectorRegister", "Where",
    "decode", "forms", "meanings"]
