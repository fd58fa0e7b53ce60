"""What a program can ask a core, and do with its caches, without an operating system's leave.

| instruction                          | does                                                                     |
|--------------------------------------|--------------------------------------------------------------------------|
| MRS of MIDR_EL1, ID_AA64ISAR0_EL1 .. | which core it is and what it has (Linux answers these for programs)      |
| MRS of CTR_EL0, DCZID_EL0            | lines of the caches, the block that DC ZVA writes                        |
| MRS of TPIDR_EL0, TPIDRRO_EL0        | the thread's own block                                                   |
| MRS of CNTVCT_EL0, CNTFRQ_EL0        | the clock, and how often it ticks in a second                            |
| DC ZVA                               | zeros to a block of memory                                               |
| DC CVAC, CVAU, CIVAC ..., IC IVAU    | brings caches and memory together: here they are never apart             |

The values belong to the machine: `ns.Machine(identity=ns.identity("cortex-a53"))`. Without a core they say that all is
there that neonsim has, and bit 4 of DCZID_EL0 that DC ZVA is prohibited: a careful program stores its zeros itself.

In programs: memset asks DCZID_EL0 before it uses DC ZVA; libraries choose kernels by ID_AA64ISAR0_EL1.

Traps: time stands still: a loop that waits for CNTVCT_EL0 never ends, and is reported as such. TPIDR_EL0 is 0 until the
machine is given another. DC ZVA takes the block that its address lies in, from the block's beginning, 64 bytes on every
core modelled here.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, Result, constants

timing_class("system_read", like="fp_status", text="MRS of what the core is")
timing_class("zero_block", like="str", text="DC ZVA: a line of zeros")


@insn(a64="MRS <d:X>, <n:identity>", writes="d", timing="system_read")
def mrs_identity(like: Lanes, identity: int) -> Result:
    """What the core is, to a general register.

    d <- the value that the machine has for this register
    Source: DDI 0487 C6.2 MRS, D19.2.
    """
    return like | identity


@insn(a64="DC <word:zva>, <mem:block> | bytes=64", writes="mem", timing="zero_block")
def dc_zva(n: Lanes) -> Result:
    """Zeros to a block.

    memory <- 0, 64 bytes from the multiple of 64 at or below the address
    Source: DDI 0487 C6.2 DC, C5.3 DC ZVA.
    """
    return constants(n, (0,) * 8)


@insn(a64="""DC <word:maintenance>, <n:X>
             IC <word:instructions>, <n:X>""", writes="", timing="nop")
def cache_maintenance() -> Result:
    """Bring caches and memory together: no effect, they are never apart here.

    Source: DDI 0487 C6.2 DC, IC, C5.3.
    """
    return ()
