"""Floating-point comparisons: masks of lanes, and flags.

| instruction                | result                                    | of a NaN                     |
|----------------------------|-------------------------------------------|------------------------------|
| FCMEQ                      | all ones where n = m                      | 0; invalid if signalling     |
| FCMGE FCMGT (FCMLE FCMLT)  | all ones where n >= m, n > m (zero: <, <=)| 0; invalid                   |
| FACGE FACGT                | the same of absolute values               | 0; invalid                   |
| FCMP VCMP                  | less 1000, equal 0110, greater 0010       | 0011; invalid if signalling  |
| FCMPE VCMPE                | the same                                  | 0011; invalid                |
| FCCMP FCCMPE               | the same, or a number of your own        |                              |

In quantised kernels: rarely; the clamps of float code, and code that compilers make of `if (x > max)`.

Traps: VCMP sets the flags of FPSCR, not those that branches look at: VMRS APSR_nzcv, fpscr must follow. Of a NaN no
relation holds, so LT and LE after FCMP are true of one, MI and LS are not: compilers take those for < and <=.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    choose,
    extend,
    float_abs,
    float_compare,
    float_compare_zero,
    float_nzcv,
    float_nzcv_zero,
    holds,
    narrow,
    unsigned,
    view,
    x8,
    x32,
    x64,
)

_ALL = "f16 f32 f64"


def _mask(name: str, relation: str, text: str, a32: str) -> None:
    """Comparisons of two registers and with zero differ in nothing but the relation."""

    def register(n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_compare(n, relation, m, fpcr)

    def zero(n: Lanes, fpcr: int) -> Result:
        return float_compare_zero(n, relation, fpcr)

    a64 = name.upper()
    for function, suffix, other in ((register, "", "m[i]"), (zero, "_zero", "0")):
        function.__name__ = name + suffix
        function.__doc__ = (f"Floating-point compare {text}{' with zero' if suffix else ''}.\n\nd[i] <- all ones if "
                            f"n[i] {relation} {other}, else 0\nSource: DDI 0487 C7.2 {a64}; DDI 0406 A8.8 {a32}.")
    if relation in ("==", ">=", ">"):  # <= and < of registers are written the other way round
        insn(a64=f"{a64} <d>.<T>, <n>.<T>, <m>.<T>\n{a64} <d:V>, <n:V>, <m:V> | timing=fp_cmp",
             a32=f"{a32}.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types=_ALL, writes="d fpsr",
             timing="asimd_fp_cmp")(register)
    else:
        register.__name__ = name.replace("fcm", "vc")
        register.__doc__ = str(register.__doc__).replace(f"DDI 0487 C7.2 {a64}; ", "")
        insn(a32=f"{a32}.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types=_ALL, writes="d fpsr",
             timing="asimd_fp_cmp")(register)
    insn(a64=f"{a64} <d>.<T>, <n>.<T>, #<imm:0.0>\n{a64} <d:V>, <n:V>, #<imm:0.0> | timing=fp_cmp",
         a32=f"{a32}.<dt> <d:DQ>, <n:DQ>, #<imm:0> | f16 f32", types=_ALL, writes="d fpsr",
             timing="asimd_fp_cmp")(zero)


_mask("fcmeq", "==", "equal", "VCEQ")
_mask("fcmge", ">=", "greater or equal", "VCGE")
_mask("fcmgt", ">", "greater", "VCGT")
_mask("fcmle", "<=", "less or equal", "VCLE")
_mask("fcmlt", "<", "less", "VCLT")


def _absolute(name: str, relation: str, text: str, a64: str, a32: str) -> None:
    def compared(n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_compare(float_abs(n), relation, float_abs(m), fpcr)

    compared.__name__ = name
    source = f"DDI 0487 C7.2 {a64}; " if a64 else ""
    compared.__doc__ = (f"Floating-point compare absolute values, {text}.\n\nd[i] <- all ones if |n[i]| {relation} "
                        f"|m[i]|, else 0\nSource: {source}DDI 0406 A8.8 {a32}.")
    insn(a64=f"{a64} <d>.<T>, <n>.<T>, <m>.<T>\n{a64} <d:V>, <n:V>, <m:V> | timing=fp_cmp" if a64 else "",
         a32=f"{a32}.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types=_ALL, writes="d fpsr",
             timing="asimd_fp_cmp")(compared)


_absolute("facge", ">=", "greater or equal", "FACGE", "VACGE")
_absolute("facgt", ">", "greater", "FACGT", "VACGT")
_absolute("vacle", "<=", "less or equal", "", "VACLE")
_absolute("vaclt", "<", "less", "", "VACLT")


def _flags(quiet: str, a64: str, a32: str, about: str) -> None:
    """Comparisons into flags; ``quiet`` or not: what a quiet NaN is."""

    def registers(n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_nzcv(n, m, quiet, fpcr)

    def zero(n: Lanes, fpcr: int) -> Result:
        return float_nzcv_zero(n, quiet, fpcr)

    def fpscr(n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_nzcv(n, m, quiet, fpcr)

    def fpscr_zero(n: Lanes, fpcr: int) -> Result:
        return float_nzcv_zero(n, quiet, fpcr)

    def conditional(n: Lanes, m: Lanes, imm: Lanes, cond: str, nzcv: Lanes, fpcr: int) -> Result:
        found, flags = float_nzcv(n, m, quiet, fpcr)
        truth = holds(cond, nzcv)
        return choose(truth, found, unsigned(view(imm, x8)[0])), choose(truth, flags, flags & 0)

    table = "1000 if n < {0}, 0110 if n = {0}, 0010 if n > {0}, 0011 of a NaN"
    rows = ((registers, a64.lower(), "NZCV <- " + table.format("m"), f"DDI 0487 C7.2 {a64}"),
            (zero, a64.lower() + "_zero", "NZCV <- " + table.format("0"), f"DDI 0487 C7.2 {a64}"),
            (fpscr, a32.lower(), "FPSCR.NZCV <- " + table.format("m"), f"DDI 0406 A8.8 {a32}"),
            (fpscr_zero, a32.lower() + "_zero", "FPSCR.NZCV <- " + table.format("0"), f"DDI 0406 A8.8 {a32}"),
            (conditional, a64.lower().replace("cmp", "ccmp"), "NZCV <- that of comparing n with m if the condition "
             "holds, else imm", f"DDI 0487 C7.2 {a64.replace('CMP', 'CCMP')}"))
    for function, name, formula, source in rows:
        function.__name__ = name
        where = " with zero" if name.endswith("_zero") else ", if a condition holds" if "ccmp" in name else ""
        function.__doc__ = f"Floating-point compare into flags{where}; {about}.\n\n{formula}\nSource: {source}."
    insn(a64=f"{a64} <n:V>, <m:V>", types=_ALL, writes="nzcv fpsr", timing="fp_cmp")(registers)
    insn(a64=f"{a64} <n:V>, #<imm:0.0>", types=_ALL, writes="nzcv fpsr", timing="fp_cmp")(zero)
    widths = ("", 16, "H"), ("{c}", 32, "S"), ("{c}", 64, "D")
    for second, function in (("<m:{}>", fpscr), ("#<imm:0.0>", fpscr_zero)):
        insn(a32="\n".join(f"{a32}{condition}.f{bits} <n:{kind}>, {second.format(kind)} | f{bits}"
                           for condition, bits, kind in widths),
             types=_ALL, writes="fpnzcv fpsr", timing="fp_cmp")(function)
    insn(a64=f"{a64.replace('CMP', 'CCMP')} <n:V>, <m:V>, #<imm:0-15>, <cond>", types=_ALL, writes="nzcv fpsr",
         timing="fp_ccmp")(conditional)


_flags("quiet", "FCMP", "VCMP", "invalid only if a NaN is signalling")
_flags("signaling", "FCMPE", "VCMPE", "every NaN is invalid")


@insn(a32="""VMRS{c} <d:=apsr_nzcv>, <n:=fpscr>
             FMSTAT{c}""", writes="nzcv", timing="fp_status")
def vmrs_flags(fpnzcv: Lanes) -> Result:
    """The flags of a floating-point comparison to those that conditions look at.

    NZCV <- FPSCR.NZCV
    Source: DDI 0406 A8.8 VMRS.
    """
    return fpnzcv


@insn(a32="VMRS{c} <d:R>, <n:=fpscr>", writes="d", timing="fp_status")
def vmrs(fpnzcv: Lanes, qc: Lanes, control: Lanes, fpsr: Lanes) -> Result:
    """Floating-point status and control register to a general one.

    d <- NZCV of comparisons in bits 31 to 28, QC in bit 27, rules in bits 26 to 19, exceptions in bits 7 and 4 to 0
    Source: DDI 0406 A8.8 VMRS.
    """
    return extend(fpnzcv, x32) << 28 | extend(qc, x32) << 27 | extend(control, x32) << 19 | extend(fpsr, x32)


@insn(a64="MRS <d:X>, <n:=fpsr>", writes="d", timing="fp_status")
def mrs_fpsr(qc: Lanes, fpsr: Lanes) -> Result:
    """Floating-point status register to a general one.

    d <- QC in bit 27, exceptions in bits 7 and 4 to 0
    Source: DDI 0487 C6.2 MRS, C5.2 FPSR.
    """
    return extend(qc, x32) << 27 | extend(fpsr, x32)


@insn(a64="MRS <d:X>, <n:=nzcv>", writes="d", timing="fp_status")
def mrs_nzcv(nzcv: Lanes) -> Result:
    """The flags to a general register.

    d <- NZCV in bits 31 to 28
    Source: DDI 0487 C6.2 MRS, C5.2 NZCV.
    """
    return extend(nzcv, x64) << 28


@insn(a64="MSR <d:=nzcv>, <n:X>", writes="nzcv", timing="fp_status")
def msr_nzcv(n: Lanes) -> Result:
    """A general register to the flags.

    NZCV <- bits 31 to 28 of n
    Source: DDI 0487 C6.2 MSR (register), C5.2 NZCV.
    """
    return narrow(narrow(narrow(unsigned(n) >> 28 & 15)))


@insn(a64="MSR <d:=fpsr>, <n:X> | replaces=fpsr", writes="qc fpsr", timing="fp_status")
def msr_fpsr(n: Lanes) -> Result:
    """A general register to the floating-point status register.

    QC <- bit 27 of n, exceptions <- bits 7 and 4 to 0
    Source: DDI 0487 C6.2 MSR (register), C5.2 FPSR.
    """
    return narrow(narrow(narrow(unsigned(n) >> 27 & 1))), narrow(narrow(narrow(unsigned(n) & 0x9F)))


@insn(a64="MSR <d:=fpcr>, <n:X> | zero=8-15", writes="fpcr", timing="fp_status")
def msr_fpcr(n: Lanes) -> Result:
    """A general register to the floating-point control register: rounding, flushing to zero, NaNs.

    AHP DN FZ RMode FZ16 <- bits 26 to 22 and 19 of n; traps are not simulated: a 1 among bits 15 to 8 stops the run
    Source: DDI 0487 C6.2 MSR (register), C5.2 FPCR.
    """
    return narrow(narrow(narrow(unsigned(n) >> 19 & 0xF9)))


@insn(a32="VMSR{c} <d:=fpscr>, <n:R> | zero=8-18,20-21 replaces=fpsr", writes="fpnzcv qc fpcr fpsr", timing="fp_status")
def vmsr(n: Lanes) -> Result:
    """A general register to the floating-point status and control register.

    NZCV of comparisons <- bits 31 to 28 of n, QC <- bit 27, AHP DN FZ RMode FZ16 <- bits 26 to 22 and 19, exceptions <-
    bits 7 and 4 to 0. Traps and vectors are not simulated: a 1 among bits 21, 20 and 18 to 8 stops the run.
    Source: DDI 0406 A8.8 VMSR.
    """
    word = unsigned(n)
    return (narrow(narrow(word >> 28)), narrow(narrow(word >> 27 & 1)), narrow(narrow(word >> 19 & 0xF9)),
            narrow(narrow(word & 0x9F)))


@insn(a64="MRS <d:X>, <n:=fpcr>", writes="d", timing="fp_status")
def mrs_fpcr(control: Lanes) -> Result:
    """Floating-point control register to a general one.

    d <- AHP DN FZ RMode FZ16 in bits 26 to 22 and 19
    Source: DDI 0487 C6.2 MRS, C5.2 FPCR.
    """
    return extend(control, x64) << 19
