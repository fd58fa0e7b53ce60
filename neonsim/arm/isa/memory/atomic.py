"""Atomic operations on memory: read, computed with and written in one instruction (FEAT_LSE).

| instruction                        | memory becomes                                                    |
|------------------------------------|-------------------------------------------------------------------|
| LDADD, LDSET, LDCLR, LDEOR         | memory + n, memory or n, memory and not n, memory exclusive or n  |
| LDSMAX, LDSMIN, LDUMAX, LDUMIN     | the larger or smaller of memory and n, signed or unsigned         |
| SWP                                | n                                                                 |
| CAS, CASP                          | t if it was d; of one register or of two                          |

All give what memory held before: in t, CAS and CASP in d. STADD and the like are LDADD and the like without that.
A and L behind the name order other accesses (acquire, release), B and H say a byte or a halfword. There is one core:
no other thread sees the memory in between.

In programs: counters and locks of several threads; compilers take them from Armv8.1-A on.

Traps: the register that is added must pass first, the one that gets the old value second. CAS overwrites the register
that it compares with. Addresses are multiples of the size.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, Result, compare, extend, join, select, signed, unsigned, view

timing_class("atomic", like="ldr", text="LDADD to LDUMIN, SWP, CAS, CASP: load, compute, store")

_ORDERS = ("", "A", "AL", "L")


def _forms(name: str, operands: str, orders: tuple[str, ...], options: str = "") -> list[str]:
    """The lines of one operation: each order, each size. Without operand t, options say how much is moved."""
    moved = {("", "W"): "bytes=4", ("", "X"): "bytes=8"} if options else {}
    moved |= {("B", "W"): "bytes=1", ("H", "W"): "bytes=2"}
    lines = []
    for order in orders:
        for letter, width in (("", "W"), ("", "X"), ("B", "W"), ("H", "W")):
            extra = f"{moved.get((letter, width), '')} {options}".strip()
            lines.append(f"{name}{order}{letter} {operands.replace('?', width)}" + (f" | {extra}" if extra else ""))
    return lines


def _load_and(name: str) -> str:
    """LDADD with all its orders and sizes; STADD is the same with the zero register for the old value."""
    return "\n".join([*_forms(f"LD{name}", "<n:?>, <t:?>, <mem:atomic>", _ORDERS),
                      *_forms(f"ST{name}", "<n:?>, <mem:atomic>", ("", "L"), "t=x-1")])


def cut(n: Lanes, mem: Lanes) -> Lanes:
    """Return the low part of a register, as wide as what is in memory."""
    return view(n, mem.type)[0]


@insn(a64=_load_and("ADD"), writes="t mem", timing="atomic", feature="lse")
def ldadd(n: Lanes, mem: Lanes) -> Result:
    """Add in memory, and get what was there.

    t <- memory, memory <- memory + n
    Source: DDI 0487 C6.2 LDADD, LDADDB, LDADDH, STADD.
    """
    return extend(unsigned(mem), n.type), mem + cut(n, mem)


@insn(a64=_load_and("CLR"), writes="t mem", timing="atomic", feature="lse")
def ldclr(n: Lanes, mem: Lanes) -> Result:
    """Clear bits in memory, and get what was there.

    t <- memory, memory <- memory and not n
    Source: DDI 0487 C6.2 LDCLR, LDCLRB, LDCLRH, STCLR.
    """
    return extend(unsigned(mem), n.type), mem & ~cut(n, mem)


@insn(a64=_load_and("EOR"), writes="t mem", timing="atomic", feature="lse")
def ldeor(n: Lanes, mem: Lanes) -> Result:
    """Exclusive or in memory, and get what was there.

    t <- memory, memory <- memory ^ n
    Source: DDI 0487 C6.2 LDEOR, LDEORB, LDEORH, STEOR.
    """
    return extend(unsigned(mem), n.type), mem ^ cut(n, mem)


@insn(a64=_load_and("SET"), writes="t mem", timing="atomic", feature="lse")
def ldset(n: Lanes, mem: Lanes) -> Result:
    """Set bits in memory, and get what was there.

    t <- memory, memory <- memory | n
    Source: DDI 0487 C6.2 LDSET, LDSETB, LDSETH, STSET.
    """
    return extend(unsigned(mem), n.type), mem | cut(n, mem)


@insn(a64=_load_and("SMAX"), writes="t mem", timing="atomic", feature="lse")
def ldsmax(n: Lanes, mem: Lanes) -> Result:
    """Signed maximum in memory, and get what was there.

    t <- memory, memory <- the larger of memory and n, signed
    Source: DDI 0487 C6.2 LDSMAX, LDSMAXB, LDSMAXH, STSMAX.
    """
    other = cut(n, mem)
    return extend(unsigned(mem), n.type), select(compare(signed(mem), ">=", signed(other)), mem, other)


@insn(a64=_load_and("SMIN"), writes="t mem", timing="atomic", feature="lse")
def ldsmin(n: Lanes, mem: Lanes) -> Result:
    """Signed minimum in memory, and get what was there.

    t <- memory, memory <- the smaller of memory and n, signed
    Source: DDI 0487 C6.2 LDSMIN, LDSMINB, LDSMINH, STSMIN.
    """
    other = cut(n, mem)
    return extend(unsigned(mem), n.type), select(compare(signed(mem), "<=", signed(other)), mem, other)


@insn(a64=_load_and("UMAX"), writes="t mem", timing="atomic", feature="lse")
def ldumax(n: Lanes, mem: Lanes) -> Result:
    """Unsigned maximum in memory, and get what was there.

    t <- memory, memory <- the larger of memory and n
    Source: DDI 0487 C6.2 LDUMAX, LDUMAXB, LDUMAXH, STUMAX.
    """
    other = cut(n, mem)
    return extend(unsigned(mem), n.type), select(compare(unsigned(mem), ">=", unsigned(other)), mem, other)


@insn(a64=_load_and("UMIN"), writes="t mem", timing="atomic", feature="lse")
def ldumin(n: Lanes, mem: Lanes) -> Result:
    """Unsigned minimum in memory, and get what was there.

    t <- memory, memory <- the smaller of memory and n
    Source: DDI 0487 C6.2 LDUMIN, LDUMINB, LDUMINH, STUMIN.
    """
    other = cut(n, mem)
    return extend(unsigned(mem), n.type), select(compare(unsigned(mem), "<=", unsigned(other)), mem, other)


@insn(a64="\n".join(_forms("SWP", "<n:?>, <t:?>, <mem:atomic>", _ORDERS)), writes="t mem", timing="atomic",
      feature="lse")
def swp(n: Lanes, mem: Lanes) -> Result:
    """Swap a register and memory.

    t <- memory, memory <- n
    Source: DDI 0487 C6.2 SWP, SWPB, SWPH.
    """
    return extend(unsigned(mem), n.type), cut(n, mem)


@insn(a64="\n".join(_forms("CAS", "<d:?>, <t:?>, <mem:atomic>", _ORDERS)), writes="d mem", timing="atomic",
      feature="lse")
def cas(d: Lanes, t: Lanes, mem: Lanes) -> Result:
    """Compare and swap.

    memory <- t if memory == d; d <- what was there
    Source: DDI 0487 C6.2 CAS, CASB, CASH.
    """
    equal = compare(mem, "==", cut(d, mem))
    return extend(unsigned(mem), d.type), select(equal, cut(t, mem), mem)


@insn(a64="\n".join(f"CASP{order} <d1:{width}>, <d2:{width}>, <t1:{width}>, <t2:{width}>, <mem:atomic> | even=dt"
                    for order in _ORDERS for width in "WX"), writes="d mem", timing="atomic", feature="lse")
def casp(d: Lanes, t: Lanes, mem: Lanes) -> Result:
    """Compare and swap two registers.

    both words of memory <- t1 t2 if they are d1 d2; d1 d2 <- what was there
    Source: DDI 0487 C6.2 CASP.
    """
    same = compare(mem, "==", d)
    both = same[0] & same[1]
    return mem, select(join(both, both), t, mem)
