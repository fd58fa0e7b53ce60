"""Templates: an instruction's syntax, printed as Arm's manual prints it, as something that matches operands.

``SMLAL{2} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>] | s16 s32`` reads: mnemonic, operands with their roles, and behind
``|`` the element types of this form where they differ from the instruction's, and options: ``float=dn`` roles whose
lanes are floating point whatever the types say, ``timing=fp_add`` a class of its own, ``same=dn`` one register.

Mnemonic       ``{S|U}`` signedness, ``{2}`` upper halves, ``{S}`` sets flags, ``{c}`` A32 condition, ``.<cond>`` of B;
               A32 data type: ``.<dt>`` s16, ``.<i>`` i16 (sign-agnostic), ``.<size>`` 16, ``.<dta>`` twice as wide
A64 vectors    ``.<T>`` any arrangement, ``.<Tb>`` half a register (upper with {2}), ``.<Ta>`` twice the element, full
               register, ``.<Tp>`` twice the element, same size (``.<Tq>`` four times; ``.<Th>`` half); ``.<T1>`` as T,
               with 1d; ``.8b`` fixed; ``.<Ts>[<index>]`` one lane (``:x`` registers a by-element multiply can name);
               ``.4b[<index>]`` four bytes (AArch32: ``:four[index]``); ``.d[1]`` the upper half
A64 scalars    ``:V`` one element, ``:V2`` twice as wide, ``:B`` ``:H`` ``:S`` ``:D`` ``:Q``
A32 vectors    ``:D`` ``:Q`` ``:DQ`` (2 behind it: elements twice as wide); ``:D[index]`` a lane, ``:x[index]``
               ``:S[index]`` only of registers that a multiply can name
lists          ``{<t>.<T>}*1-4`` n registers; AArch32 ``:D``, ``:D[index]``, ``:D[]`` (``:Ds`` also spaced)
general        ``:R`` w or x (A64) or r (A32), ``:W`` ``:X``, ``:RSP`` with sp, ``:Re`` wide enough for the element;
               AArch32 ``:RN`` not pc, ``:P`` as lanes of the instruction's type
floating point ``#<imm:real>`` of eight bits, ``#<imm:0.0>``, ``<n:=fpscr>`` this word; A32 ``:S`` ``:S2``, ``:H`` half
others         ``#<imm:lo-hi>`` (w, w1: the width, less 1; r: that of a general register; rest: what a shift leaves of
               it), ``<m:op2>``, ``<m:R+shift>``, ``<m:R+extend>``, ``<m:RN+ror>``, ``<mem:kind>``, ``<label>``,
               ``<cond>``, ``<word:kind>``, ``<n:identity>`` a register that says what the core is

`match` has what a match finds, `operands64`, `operands32`, `general` and `lists` the patterns.
"""

from __future__ import annotations

import re

from neonsim.arm.isa.operands.fp_immediates import FpImmediate, NamedRegister, Zero
from neonsim.arm.isa.operands.gpr import (
    Cond,
    GeneralRegister,
    ImmediatePattern,
    Label,
    MemoryOperand,
    NamedOperand,
    Op2,
)
from neonsim.arm.isa.operands.pattern import Pattern
from neonsim.arm.isa.operands.register_lists import RegList
from neonsim.arm.isa.operands.simd_a32 import Lane32, Vector32
from neonsim.arm.isa.operands.simd_a64 import Lane, LaneGroup, Scalar, UpperHalf, Vector
from neonsim.arm.isa.operands.system_registers import Identity

__all__ = ["compile_operands"]

_PLACEHOLDER = re.compile(r"<(?P<role>\w+)(?::(?P<spec>[^>]+))?>(?:\.(?P<arr><\w+>|\w+))?(?P<lane>\[<index>\])?")


def compile_operands(text: str, isa: str) -> tuple[Pattern, ...]:
    """Return the operand patterns of a template's right-hand side."""
    parts = [p.strip() for p in re.findall(r"(?:\{[^}]*\}[^,]*|[^,{])+", text)] if text.strip() else []
    return tuple(_compile(part, isa) for part in parts)


def _compile(part: str, isa: str) -> Pattern:
    if part.startswith("{"):
        inner, _, counts = part.rpartition("*")
        body = inner.strip("{}")
        found = _PLACEHOLDER.search(body)
        assert found, part
        arr = (found["arr"] or "").strip("<>")
        spec = arr or found["spec"]
        return RegList(found["role"], f"{spec}*{counts}", part)
    found = _PLACEHOLDER.search(part)
    assert found, f"template operand {part!r} not understood"
    role, spec, arr = found["role"], found["spec"] or "", (found["arr"] or "").strip("<>")
    if role == "label":
        return Label(role, spec, part)
    if role == "cond":
        return Cond(role, spec, part)
    if role == "word":
        return NamedOperand(role, spec, part)
    if role == "mem":
        return MemoryOperand(role, spec, part)
    if spec in ("real", "real0"):
        return FpImmediate(role, spec, part)
    if spec == "0.0":
        return Zero(role, spec, part)
    if spec == "identity":
        return Identity(role, spec, part)
    if spec.startswith("="):
        return NamedRegister(role, spec, part)
    if part.startswith("#"):
        return ImmediatePattern(role, spec, part)
    if spec.startswith("op2"):
        return Op2(role, spec, part)
    if spec.startswith(("R", "W", "X", "P")):
        return GeneralRegister(role, spec, part)
    if isa == "a64":
        if part.endswith(".d[1]"):
            return UpperHalf(role, "d[1]", part)
        if found["lane"] and arr in ("4b", "2h"):
            return LaneGroup(role, arr, part)
        if found["lane"]:
            return Lane(role, spec, part)
        return Vector(role, arr, part) if arr else Scalar(role, spec, part)
    if "[" in spec:
        return Lane32(role, spec.partition("[")[0], part)
    return Vector32(role, spec, part)
