"""AArch32 before the unified syntax: hand-written files still spell so, and GNU as takes it.

    today("addeqs")    "addseq"      the condition stood before the last letters
    today("fmacsne")   "vmlane.f32"  floating point had mnemonics of its own

What is read this way is printed as it is spelt today.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from neonsim.arm.isa.operands.ast import Address, CoreRegister, Immediate, Operand, RegisterList, VectorRegister
from neonsim.arm.isa.operands.immediates import ENCODINGS
from neonsim.arm.isa.operands.pattern import OperandMismatch, Pattern
from neonsim.arm.isa.operands.register_lists import RegList

__all__ = ["complemented", "respell", "today", "unshifted", "vfp_to_ual"]

_TAILS: Final = ("s", "b", "h", "sb", "sh", "d", "bt", "t", "ia", "ib", "da", "db", "fd", "ed", "fa", "ea", "l")
# VFP's own mnemonics: of single precision, of double precision in the same way, and those that move whole registers.
_SINGLE: Final = {
    "add": "vadd", "sub": "vsub", "mul": "vmul", "nmul": "vnmul", "div": "vdiv", "sqrt": "vsqrt", "abs": "vabs",
    "neg": "vneg", "cpy": "vmov", "mac": "vmla", "nmac": "vmls", "msc": "vnmls", "nmsc": "vnmla", "cmp": "vcmp",
    "cmpe": "vcmpe",
}
_KINDS: Final = (("s", "f32"), ("d", "f64"))
_VFP: Final = {
    "flds": "vldr", "fldd": "vldr", "fsts": "vstr", "fstd": "vstr", "fmrs": "vmov", "fmsr": "vmov", "fmrrd": "vmov",
    "fmdrr": "vmov", "fmrx": "vmrs", "fmxr": "vmsr", "fcvtds": "vcvt.f64.f32", "fcvtsd": "vcvt.f32.f64",
    "vmovs": "vmov.f32",
    **{f"f{name}{kind}": f"{today}.{bits}" for name, today in _SINGLE.items() for kind, bits in _KINDS},
    **{f"f{sign}ito{kind}": f"vcvt.{bits}.{sign}32" for sign in "su" for kind, bits in _KINDS},
    **{f"fto{sign}i{toward}{kind}": f"vcvt{rounding}.{sign}32.{bits}" for sign in "su" for kind, bits in _KINDS
       for toward, rounding in (("", "r"), ("z", ""))},
    **{f"f{way}m{mode}{kind}": f"v{way}m{today}" for way, falls in (("ld", "db ea"), ("st", "db fd")) for kind in "sd"
       for mode in ("ia", "db", "fd", "ea") for today in ("db" if mode in falls else "ia",)},
    "fldmfdx": "fldmiax", "fldmeax": "fldmdbx", "fstmeax": "fstmiax", "fstmfdx": "fstmdbx",
}
# Those whose operands are written otherwise today.
_ZERO: Final = {f"fcmp{e}z{kind}": f"vcmp{e}.{bits}" for e in ("", "e") for kind, bits in _KINDS}
_HALF: Final = {"fmdhr": (0, 1), "fmdlr": (0, 0), "fmrdh": (1, 1), "fmrdl": (1, 0)}  # the d register, which half of it
_CONSTANT: Final = {"fconsts": "vmov.f32", "fconstd": "vmov.f64"}
_LISTED: Final = {"fmsrr": 0, "fmrrs": 2}  # where the two s registers stand
_FIXED: Final = {**{f"f{sign}{width}to{kind}": f"vcvt.{bits}.{sign}{number}" for sign in "su"
                    for width, number in (("h", 16), ("l", 32)) for kind, bits in _KINDS},
                 **{f"fto{sign}{width}{kind}": f"vcvt.{sign}{number}.{bits}" for sign in "su"
                    for width, number in (("h", 16), ("l", 32)) for kind, bits in _KINDS}}


def vfp_to_ual(mnemonic: str, operands: list[Operand], conditions: Collection[str]) -> tuple[str, list[Operand]] | None:
    """VFP's own instructions whose operands are written otherwise today; None for all else."""
    for base, condition in ((mnemonic, ""), (mnemonic[:-2], mnemonic[-2:])):
        if not condition or condition in conditions:
            found = _of_vfp(base, operands)
            if found is not None:
                name, dot, data_type = found[0].partition(".")
                return name + condition + dot + data_type, found[1]
    return None


def _of_vfp(name: str, operands: list[Operand]) -> tuple[str, list[Operand]] | None:
    last = operands[-1] if operands else None
    constant = last.value if isinstance(last, Immediate) and not last.symbol else None
    if name in _ZERO and len(operands) == 1:
        return _ZERO[name], [*operands, Immediate(0.0, operands[0].span)]
    if name in _HALF and len(operands) == 2:
        at, half = _HALF[name]
        register = operands[at]
        if isinstance(register, VectorRegister) and register.index is None:
            return "vmov.32", [replace(one, index=half) if one is register else one for one in operands]
    if name in _CONSTANT and len(operands) == 2 and isinstance(constant, int) and 0 <= constant < 256 and last:
        value = (16 + constant % 16) / 16 * 2.0 ** ((constant >> 4 & 7 ^ 4) - 3)  # VFPExpandImm
        return _CONSTANT[name], [operands[0], Immediate(-value if constant >> 7 else value, last.span)]
    if name in _FIXED and len(operands) == 2:
        return _FIXED[name], [operands[0], operands[0], operands[1]]
    if name in _LISTED:
        at = _LISTED[name]
        registers = operands[at] if at < len(operands) else None
        if isinstance(registers, RegisterList):
            return "vmov", [*operands[:at], *registers.registers, *operands[at + 1:]]
        return "vmov", operands
    return None


def today(mnemonic: str, mnemonics: Collection[str], conditions: Collection[str]) -> str | None:
    """Return how a mnemonic is spelt today, or None.

    mnemonic     lower case, without data type
    mnemonics    mnemonics there are       conditions   names of conditions, aliases too
    """
    for base, condition in ((mnemonic, ""), (mnemonic[:-2], mnemonic[-2:])):
        if base in _VFP and (not condition or condition in conditions):
            name, dot, data_type = _VFP[base].partition(".")
            return name + condition + dot + data_type
    if mnemonic[:1] == "v" and mnemonic[-1:] == "q" and mnemonic[:-1] in mnemonics:  # VMULQ: the registers say so
        return mnemonic[:-1]
    for tail in _TAILS:
        head = mnemonic.removesuffix(tail)
        if head != mnemonic and head[-2:] in conditions and head[:-2] + tail in mnemonics:
            return head[:-2] + tail + head[-2:]
    return None


def respell(patterns: tuple[Pattern, ...], operands: list[Operand]) -> list[Operand]:
    """Return the operands with what a form lets be left out: the braces of one register, the second register of
    LDRD."""
    found = list(operands)
    for at, pattern in enumerate(patterns[:len(found)]):
        register = found[at]
        if isinstance(pattern, RegList) and isinstance(register, VectorRegister) and register.kind == "d":
            found[at] = RegisterList((register,), register.index, register.span)
    roles = [pattern.role for pattern in patterns]
    if roles[:2] == ["t1", "t2"] and len(found) >= 2 and isinstance(found[1], Address) and isinstance(
            found[0], CoreRegister):
        found.insert(1, replace(found[0], number=found[0].number + 1))
    return found


def complemented(mnemonic: str, operands: list[Operand]) -> tuple[str, list[Operand]] | None:
    """VAND and VORN with a constant, which stand for VBIC and VORR with its complement, and the first operand written
    twice; None for all else.

    Raises Refusal if these have no such constant.
    """
    name = re.fullmatch(r"v(and|orn|bic|orr)\.([isu]?)(16|32)", mnemonic)
    constant = operands[-1] if operands else None
    if name is None or not isinstance(constant, Immediate) or not isinstance(constant.value, int) or constant.symbol:
        return None
    bits, today_, found = int(name[3]), {"and": "vbic", "orn": "vorr"}.get(name[1], f"v{name[1]}"), [*operands]
    if name[1] in ("and", "orn"):
        value = ~constant.value & (1 << bits) - 1
        if (wrong := ENCODINGS["byte"](value, bits)) is not None:
            raise OperandMismatch(
                f"{mnemonic.upper()} of a constant means {today_.upper()} of its complement; {wrong}",
                          constant.span)
        found[-1] = replace(constant, value=value)
    if len(found) == 3 and isinstance(found[0], VectorRegister) and isinstance(found[1], VectorRegister) and (
            found[0].kind, found[0].number) == (found[1].kind, found[1].number):
        del found[1]
    return f"{today_}.{name[2]}{bits}", found


def unshifted(mnemonic: str, operands: list[Operand]) -> tuple[str, list[Operand]] | None:
    """Shifts to the right by 0, which stand for the move or the narrowing without a shift; None for all else."""
    name = re.fullmatch(r"v(?:r?shr\.[su]\d+|(q?)r?shr(u?n)(\.[isu]\d+))", mnemonic)
    shift = operands[-1] if len(operands) in (2, 3) else None
    if name is None or not isinstance(shift, Immediate) or shift.value != 0 or shift.symbol:
        return None
    registers = operands[:-1]
    if name[2] is None:
        return "vorr", [registers[0], registers[-1], registers[-1]]
    return (f"v{name[1]}mov{name[2]}{name[3]}", registers) if len(registers) == 2 else None


def type_is_said(stem: str, patterns: tuple[Pattern, ...], data_type: str) -> bool:
    """Return whether an instruction without a data type may be written with this one: VLDM.32, VMOV.32 r0, s0."""
    stem = stem.replace("{c}", "").upper()
    if data_type == "16" and any(pattern.spec == "S" for pattern in patterns):
        return False  # VLDR.16 and VSTR.16 move half an s register
    return re.match(r"V(LDR|STR|LDM|STM|PUSH|POP)", stem) is not None or (stem == "VMOV" and data_type in ("32", "f32"))
