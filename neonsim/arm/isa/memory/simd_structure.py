"""Structures: memory has 2, 3 or 4 values interleaved, registers have them apart.

| instruction              | moves                                                             |
|--------------------------|-------------------------------------------------------------------|
| LD2, LD3, LD4 (VLD2 ...) | element k of every structure to register k                        |
| LD2 ... one lane         | one structure to one lane of each register; the other lanes stay  |
| LD2R, LD3R, LD4R         | one structure, each element to all lanes of its register          |
| ST2, ST3, ST4 (VST2 ...) | the same backwards: whole registers, or one lane of each          |

In quantised kernels: LD2 and LD3 take channels apart (interleaved images, complex numbers); ST2 interleaves rows while
packing; ST4 of one lane writes a column of a transposed tile.

Traps: VLD2 of four d registers fills the first two with the even elements and the last two with the odd ones. In
AArch32 {d0, d2} is a list as well: every second register, the same halves of two q registers. Structures of 64-bit
elements exist in AArch64 only, and not with one element a register: a register of LD2 is at least two elements long.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, count, interleave, join

ALL = "x8 x16 x32 x64"
NARROW = "x8 x16 x32"


@insn(a64="LD2 {<t>.<T>}*2, <mem:ld1>",
      a32=f"""VLD2.<size> {{<t:Ds>}}*2, <mem:vld> | {NARROW}
              VLD2.<size> {{<t:D>}}*4, <mem:vld> | {NARROW}""", types=ALL, writes="t", timing="ld2")
def ld2(mem: Lanes) -> Result:
    """Load structures of two: even elements to the first register, odd ones to the second.

    t1[i] <- memory[2*i], t2[i] <- memory[2*i + 1]
    Source: DDI 0487 C7.2 LD2 (multiple structures); DDI 0406 A8.8 VLD2 (multiple 2-element structures).

    >>> from neonsim.arm.semantics import x16
    >>> ld2(x16(0, 1, 2, 3))
    x16(0, 2, 1, 3)
    """
    return join(mem[0::2], mem[1::2])


@insn(a64="LD3 {<t>.<T>}*3, <mem:ld1>", a32=f"VLD3.<size> {{<t:Ds>}}*3, <mem:vld> | {NARROW}", types=ALL, writes="t",
      timing="ld3")
def ld3(mem: Lanes) -> Result:
    """Load structures of three.

    t1[i] <- memory[3*i], t2[i] <- memory[3*i + 1], t3[i] <- memory[3*i + 2]
    Source: DDI 0487 C7.2 LD3 (multiple structures); DDI 0406 A8.8 VLD3 (multiple 3-element structures).
    """
    return join(mem[0::3], mem[1::3], mem[2::3])


@insn(a64="LD4 {<t>.<T>}*4, <mem:ld1>", a32=f"VLD4.<size> {{<t:Ds>}}*4, <mem:vld> | {NARROW}", types=ALL, writes="t",
      timing="ld4")
def ld4(mem: Lanes) -> Result:
    """Load structures of four.

    t1[i] <- memory[4*i], ..., t4[i] <- memory[4*i + 3]
    Source: DDI 0487 C7.2 LD4 (multiple structures); DDI 0406 A8.8 VLD4 (multiple 4-element structures).
    """
    return join(mem[0::4], mem[1::4], mem[2::4], mem[3::4])


@insn(a64="ST2 {<t>.<T>}*2, <mem:ld1>",
      a32=f"""VST2.<size> {{<t:Ds>}}*2, <mem:vld> | {NARROW}
              VST2.<size> {{<t:D>}}*4, <mem:vld> | {NARROW}""", types=ALL, writes="mem", timing="st2")
def st2(t: Lanes) -> Result:
    """Store structures of two.

    memory[2*i] <- t1[i], memory[2*i + 1] <- t2[i]
    Source: DDI 0487 C7.2 ST2 (multiple structures); DDI 0406 A8.8 VST2 (multiple 2-element structures).
    """
    c = count(t) // 2
    return interleave(t[:c], t[c:])


@insn(a64="ST3 {<t>.<T>}*3, <mem:ld1>", a32=f"VST3.<size> {{<t:Ds>}}*3, <mem:vld> | {NARROW}", types=ALL, writes="mem",
      timing="st3")
def st3(t: Lanes) -> Result:
    """Store structures of three.

    memory[3*i] <- t1[i], memory[3*i + 1] <- t2[i], memory[3*i + 2] <- t3[i]
    Source: DDI 0487 C7.2 ST3 (multiple structures); DDI 0406 A8.8 VST3 (multiple 3-element structures).
    """
    c = count(t) // 3
    return interleave(t[:c], t[c:2 * c], t[2 * c:])


@insn(a64="ST4 {<t>.<T>}*4, <mem:ld1>", a32=f"VST4.<size> {{<t:Ds>}}*4, <mem:vld> | {NARROW}", types=ALL, writes="mem",
      timing="st4")
def st4(t: Lanes) -> Result:
    """Store structures of four.

    memory[4*i] <- t1[i], ..., memory[4*i + 3] <- t4[i]
    Source: DDI 0487 C7.2 ST4 (multiple structures); DDI 0406 A8.8 VST4 (multiple 4-element structures).
    """
    c = count(t) // 4
    return interleave(t[:c], t[c:2 * c], t[2 * c:3 * c], t[3 * c:])


def _single(load: str, a64: str, a32: str) -> dict[str, str]:
    """Templates of one structure of two, three or four elements, one for each register."""
    extra = " replicate={n}" if load.endswith("R") else ""
    return {"a64": "\n".join(f"{load} {a64}*{{n}}, <mem:ld1> | {ALL}{extra}".replace("{n}", n) for n in "234"),
            "a32": "\n".join(f"V{load.rstrip('R')}.<size> {a32}*{{n}}, <mem:vld> | {NARROW}{extra}".replace("{n}", n)
                             for n in "234")}


@insn(**_single("LD{n}", "{<t>.<Ts>}[<index>]", "{<t:Ds[index]>}"), writes="t", timing="ld{count}_lane")
def ld_lane(mem: Lanes) -> Result:
    """Load one structure to one lane of each register; the other lanes stay.

    t1[index] <- memory[0], t2[index] <- memory[1], and so on for LD3 and LD4
    Source: DDI 0487 C7.2 LD2, LD3, LD4 (single structure); DDI 0406 A8.8 VLD2, VLD3, VLD4 (single structure to one
    lane).
    """
    return mem


@insn(**_single("LD{n}R", "{<t>.<T1>}", "{<t:Ds[]>}"), writes="t", timing="ld{count}r")
def ld_replicate(mem: Lanes) -> Result:
    """Load one structure, each element to all lanes of its register.

    t1[i] <- memory[0], t2[i] <- memory[1], and so on for LD3R and LD4R
    Source: DDI 0487 C7.2 LD2R, LD3R, LD4R; DDI 0406 A8.8 VLD2, VLD3, VLD4 (single structure to all lanes).
    """
    return mem


@insn(**_single("ST{n}", "{<t>.<Ts>}[<index>]", "{<t:Ds[index]>}"), writes="mem", timing="st{count}_lane")
def st_lane(t: Lanes) -> Result:
    """Store one structure, from one lane of each register.

    memory[0] <- t1[index], memory[1] <- t2[index], and so on for ST3 and ST4
    Source: DDI 0487 C7.2 ST2, ST3, ST4 (single structure); DDI 0406 A8.8 VST2, VST3, VST4 (single structure from one
    lane).
    """
    return t
