"""Loads and stores that order or guard memory for several cores: acquire, release, exclusive.

| instruction                        | does                                                                        |
|------------------------------------|-----------------------------------------------------------------------------|
| LDAR, LDAPR, LDLAR (LDA)           | a load that later accesses stay behind; LDAPUR the same with an offset      |
| STLR, STLLR (STL)                  | a store that earlier accesses stay before; STLUR the same with an offset    |
| LDXR, LDAXR, LDXP (LDREX, LDAEX)   | a load that opens a watch on its address                                    |
| STXR, STLXR, STXP (STREX, STLEX)   | a store that is done only under that watch: register d is 0 if so, else 1   |
| CLREX                              | ends the watch                                                              |

Here is one core, whose accesses happen in program order: acquire and release say nothing more, and no other core ends
a watch. The watch is the flag `monitor`, clear when a function begins.

In programs: a loop of LDXR, arithmetic, STXR and a branch back is what compilers make of an atomic operation for cores
without `memory/atomic`.

Traps: a store without a load before it is never done, and its loop never ends. Cores remember which address they watch,
and some of them only nearly; here any address passes, so load and store must name the same one. All of them want
addresses that are multiples of their size.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, Result, count, extend, signed, unsigned, view, x32, x64

timing_class("load_ordered", like="ldr", text="LDAR LDAPR LDLAR (LDA)")
timing_class("store_ordered", like="str", text="STLR STLLR (STL)")
timing_class("load_exclusive", like="ldr", text="LDXR LDAXR LDXP LDAXP (LDREX, LDAEX)")
timing_class("store_exclusive", like="str", text="STXR STLXR STXP STLXP (STREX, STLEX)")

_LOADS = "LDAR LDAPR LDLAR"
_STORES = "STLR STLLR"
_NARROW = (("B", 1), ("H", 2))


@insn(a64="\n".join([*(f"{name} <t:{width}>, <mem:atomic>" for name in _LOADS.split() for width in "WX"),
                     *(f"LDAPUR <t:{width}>, <mem:ordered>" for width in "WX")]),
      a32="LDA{c} <t:RN>, <mem:atomic>", writes="t", timing="load_ordered")
def ldar(mem: Lanes) -> Result:
    """Load with acquire.

    t <- memory
    Source: DDI 0487 C6.2 LDAR, LDAPR, LDAPUR, LDLAR; DDI 0487 F5.1 LDA.
    """
    return mem


@insn(a64="\n".join(f"{name}{letter} <t:W>, <mem:{kind}> | bytes={size}" for letter, size in _NARROW
                    for name, kind in [*((name, "atomic") for name in _LOADS.split()), ("LDAPUR", "ordered")]),
      a32="\n".join(f"LDA{letter}{{c}} <t:RN>, <mem:atomic> | bytes={size}" for letter, size in _NARROW), writes="t",
      timing="load_ordered")
def ldar_narrow(mem: Lanes) -> Result:
    """Load a byte or halfword with acquire, zero-extended.

    t <- memory
    Source: DDI 0487 C6.2 LDARB, LDARH, LDAPRB, LDAPRH, LDAPURB, LDAPURH, LDLARB, LDLARH; DDI 0487 F5.1 LDAB,
    LDAH.
    """
    return extend(unsigned(mem), x32)


@insn(a64="""LDAPURSB <t:W>, <mem:ordered> | bytes=1
             LDAPURSH <t:W>, <mem:ordered> | bytes=2""", writes="t", timing="load_ordered")
def ldapur_signed(mem: Lanes) -> Result:
    """Load a byte or halfword with acquire, sign-extended to 32 bits.

    t <- memory
    Source: DDI 0487 C6.2 LDAPURSB, LDAPURSH.
    """
    return extend(signed(mem), x32)


@insn(a64="""LDAPURSB <t:X>, <mem:ordered> | bytes=1
             LDAPURSH <t:X>, <mem:ordered> | bytes=2
             LDAPURSW <t:X>, <mem:ordered> | bytes=4""", writes="t", timing="load_ordered")
def ldapur_signed_x(mem: Lanes) -> Result:
    """Load a byte, halfword or word with acquire, sign-extended to 64 bits.

    t <- memory
    Source: DDI 0487 C6.2 LDAPURSB, LDAPURSH, LDAPURSW.
    """
    return extend(signed(mem), x64)


@insn(a64="\n".join([*(f"{name} <t:{width}>, <mem:atomic>" for name in _STORES.split() for width in "WX"),
                     *(f"STLUR <t:{width}>, <mem:ordered>" for width in "WX")]),
      a32="STL{c} <t:RN>, <mem:atomic>", writes="mem", timing="store_ordered")
def stlr(t: Lanes) -> Result:
    """Store with release.

    memory <- t
    Source: DDI 0487 C6.2 STLR, STLUR, STLLR; DDI 0487 F5.1 STL.
    """
    return t


@insn(a64="\n".join([*(f"{name}B <t:W>, <mem:atomic> | bytes=1" for name in _STORES.split()),
                     "STLURB <t:W>, <mem:ordered> | bytes=1"]),
      a32="STLB{c} <t:RN>, <mem:atomic> | bytes=1", writes="mem", timing="store_ordered")
def stlrb(t: Lanes) -> Result:
    """Store the low byte of a register with release.

    memory <- t, modulo 2**8
    Source: DDI 0487 C6.2 STLRB, STLURB, STLLRB; DDI 0487 F5.1 STLB.
    """
    return low(t, 1)


@insn(a64="\n".join([*(f"{name}H <t:W>, <mem:atomic> | bytes=2" for name in _STORES.split()),
                     "STLURH <t:W>, <mem:ordered> | bytes=2"]),
      a32="STLH{c} <t:RN>, <mem:atomic> | bytes=2", writes="mem", timing="store_ordered")
def stlrh(t: Lanes) -> Result:
    """Store the low halfword of a register with release.

    memory <- t, modulo 2**16
    Source: DDI 0487 C6.2 STLRH, STLURH, STLLRH; DDI 0487 F5.1 STLH.
    """
    return low(t, 2)


def low(t: Lanes, size: int) -> Lanes:
    """Return the lowest bytes."""
    return view(t, t.type.with_(bits=8 * size))[0]


def kept(done: Lanes, t: Lanes, mem: Lanes) -> Lanes:
    """Return what is in memory afterwards: the value if the store is done, else what there was."""
    mask = -extend(done, mem.type)
    return view(t, mem.type)[0:count(mem)] & mask | mem & ~mask


@insn(a64="""LDXR <t:W>, <mem:atomic>
             LDXR <t:X>, <mem:atomic>
             LDAXR <t:W>, <mem:atomic>
             LDAXR <t:X>, <mem:atomic>
             LDXP <t1:W>, <t2:W>, <mem:atomic>
             LDXP <t1:X>, <t2:X>, <mem:atomic>
             LDAXP <t1:W>, <t2:W>, <mem:atomic>
             LDAXP <t1:X>, <t2:X>, <mem:atomic>""",
      a32="""LDREX{c} <t:RN>, <mem:atomic>
             LDAEX{c} <t:RN>, <mem:atomic>
             LDREXD{c} <t1:RN>, <t2:RN>, <mem:atomic>
             LDAEXD{c} <t1:RN>, <t2:RN>, <mem:atomic>""", writes="t monitor", timing="load_exclusive")
def ldxr(mem: Lanes, monitor: Lanes) -> Result:
    """Load and watch the address.

    t <- memory, monitor <- 1
    Source: DDI 0487 C6.2 LDXR, LDAXR, LDXP, LDAXP; DDI 0487 F5.1 LDREX, LDAEX, LDREXD, LDAEXD.
    """
    return mem, monitor | 1


@insn(a64="\n".join(f"{name}{letter} <t:W>, <mem:atomic> | bytes={size}" for name in ("LDXR", "LDAXR")
                    for letter, size in _NARROW),
      a32="\n".join(f"{name}{letter}{{c}} <t:RN>, <mem:atomic> | bytes={size}" for name in ("LDREX", "LDAEX")
                    for letter, size in _NARROW), writes="t monitor", timing="load_exclusive")
def ldxr_narrow(mem: Lanes, monitor: Lanes) -> Result:
    """Load a byte or halfword, zero-extended, and watch the address.

    t <- memory, monitor <- 1
    Source: DDI 0487 C6.2 LDXRB, LDXRH, LDAXRB, LDAXRH; DDI 0487 F5.1 LDREXB, LDREXH, LDAEXB, LDAEXH.
    """
    return extend(unsigned(mem), x32), monitor | 1


@insn(a64="\n".join([*(f"{name} <d:W>, <t:{width}>, <mem:atomic>" for name in ("STXR", "STLXR")
                       for width in "WX"),
                     *(f"{name}{letter} <d:W>, <t:W>, <mem:atomic> | bytes={size}"
                       for name in ("STXR", "STLXR") for letter, size in _NARROW),
                     *(f"{name} <d:W>, <t1:{width}>, <t2:{width}>, <mem:atomic>"
                       for name in ("STXP", "STLXP") for width in "WX")]),
      a32="\n".join([*(f"{name}{{c}} <d:RN>, <t:RN>, <mem:atomic>" for name in ("STREX", "STLEX")),
                     *(f"{name}{letter}{{c}} <d:RN>, <t:RN>, <mem:atomic> | bytes={size}"
                       for name in ("STREX", "STLEX") for letter, size in _NARROW),
                     *(f"{name}D{{c}} <d:RN>, <t1:RN>, <t2:RN>, <mem:atomic>"
                       for name in ("STREX", "STLEX"))]), writes="d mem monitor", timing="store_exclusive")
def stxr(t: Lanes, mem: Lanes, monitor: Lanes) -> Result:
    """Store if the address is watched, and say whether.

    memory <- t if monitor is 1; d <- 0 if so, else 1; monitor <- 0
    Source: DDI 0487 C6.2 STXR, STLXR, STXP, STLXP, STXRB and others; DDI 0487 F5.1 STREX, STLEX and others.
    """
    return extend(monitor ^ 1, x32), kept(monitor, t, mem), monitor & 0


@insn(a64="""CLREX
             CLREX #<imm:0-15>""", a32="CLREX", writes="monitor", timing="nop")
def clrex(monitor: Lanes) -> Result:
    """End the watch.

    monitor <- 0
    Source: DDI 0487 C6.2 CLREX; DDI 0487 F5.1 CLREX.
    """
    return monitor & 0
