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

from .immediates import ENCODINGS
from .lists import RegList
from .match import Pattern, Refusal
from .operands import Address, CoreRegister, Immediate, Operand, RegisterList, VectorRegister

__all__ = ["complemented", "respelt", "today", "unshifted"]

_TAILS: Final = ("s", "b", "h", "sb", "sh", "d", "bt", "t", "ia", "ib", "da", "db", "fd", "ed", "fa", "ea", "l")
# VFP's own mnemonics, as far as they are single precision or move whole registers.
_VFP: Final = {
    "flds": "vldr", "fldd": "vldr", "fsts": "vstr", "fstd": "vstr", "fmrs": "vmov", "fmsr": "vmov", "fmrrd": "vmov",
    "fmdrr": "vmov", "fmrrs": "vmov", "fmsrr": "vmov", "fmrx": "vmrs", "fmxr": "vmsr",
    "fadds": "vadd.f32", "fsubs": "vsub.f32", "fmuls": "vmul.f32", "fnmuls": "vnmul.f32", "fdivs": "vdiv.f32",
    "fsqrts": "vsqrt.f32", "fabss": "vabs.f32", "fnegs": "vneg.f32", "fcpys": "vmov.f32", "fcpyd": "vmov.f64",
    "fmacs": "vmla.f32", "fnmacs": "vmls.f32", "fmscs": "vnmls.f32", "fnmscs": "vnmla.f32",
    "fcmps": "vcmp.f32", "fcmpes": "vcmpe.f32", "fsitos": "vcvt.f32.s32", "fuitos": "vcvt.f32.u32",
    "ftosis": "vcvtr.s32.f32", "ftouis": "vcvtr.u32.f32", "ftosizs": "vcvt.s32.f32", "ftouizs": "vcvt.u32.f32",
    "vmovs": "vmov.f32",
    **{f"f{way}m{mode}{kind}": f"v{way}m{today}" for way, falls in (("ld", "db ea"), ("st", "db fd")) for kind in "sd"
       for mode in ("ia", "db", "fd", "ea") for today in ("db" if mode in falls else "ia",)},
    "fldmfdx": "fldmiax", "fldmeax": "fldmdbx", "fstmeax": "fstmiax", "fstmfdx": "fstmdbx",
}


def today(mnemonic: str, known: Collection[str], conditions: Collection[str]) -> str | None:
    """How a mnemonic is spelt today, or None.

    mnemonic     lower case, without data type
    known        mnemonics there are       conditions   names of conditions, aliases too
    """
    for base, condition in ((mnemonic, ""), (mnemonic[:-2], mnemonic[-2:])):
        if base in _VFP and (not condition or condition in conditions):
            name, dot, data_type = _VFP[base].partition(".")
            return name + condition + dot + data_type
    if mnemonic[:1] == "v" and mnemonic[-1:] == "q" and mnemonic[:-1] in known:  # VMULQ: the registers say so
        return mnemonic[:-1]
    for tail in _TAILS:
        head = mnemonic.removesuffix(tail)
        if head != mnemonic and head[-2:] in conditions and head[:-2] + tail in known:
            return head[:-2] + tail + head[-2:]
    return None


def respelt(patterns: tuple[Pattern, ...], operands: list[Operand]) -> list[Operand]:
    """The operands with what a form lets be left out: the braces of one register, the second register of LDRD."""
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
    """VAND and VORN with a constant, which stand for VBIC and VORR with its complement; None for all else.

    Raises Refusal if these have no such constant.
    """
    name = re.fullmatch(r"v(and|orn)\.([isu]?)(16|32)", mnemonic)
    constant = operands[-1] if operands else None
    if name is None or not isinstance(constant, Immediate) or not isinstance(constant.value, int) or constant.symbol:
        return None
    bits, today_ = int(name[3]), "vbic" if name[1] == "and" else "vorr"
    value = ~constant.value & (1 << bits) - 1
    if (wrong := ENCODINGS["byte"](value, bits)) is not None:
        raise Refusal(f"{mnemonic.upper()} of a constant is {today_.upper()} of its complement, and {wrong}",
                      constant.span)
    found = [*operands[:-1], replace(constant, value=value)]
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
    """Whether an instruction without a data type may be written with this one: VLDM.32, VMOV.32 r0, s0."""
    stem = stem.replace("{c}", "").upper()
    if data_type == "16" and any(pattern.spec == "S" for pattern in patterns):
        return False  # VLDR.16 and VSTR.16 move half an s register
    return re.match(r"V(LDR|STR|LDM|STM|PUSH|POP)", stem) is not None or (stem == "VMOV" and data_type in ("32", "f32"))
