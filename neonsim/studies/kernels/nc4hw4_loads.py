"""Four channels at a time: loads of NC4HW4 beside those of planes, counted by running both (E12).

Both programs scale the channels of a pixel, add a bias and cut off what is negative, four lanes at a time. In NC4HW4
the four channels are one load; in planes (NCHW) they lie a plane apart: four loads of a lane, through four pointers. On
planes a kernel can take four pixels of one channel instead, if what it does needs no other channel: then there is one
load as well, but the scale is another register for each plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Machine
from neonsim.ukernel.catalog import kernels_folder
from neonsim.ukernel.packing import to_nc4hw4

__all__ = ["Loads", "count_loads"]

_FOURS = "channels-of-four"     # of kernels/lessons
# Planes of n numbers each, one behind the other.
_PLANES = {"aarch64": """
f:      ld1     {v1.4s}, [x2]
        ld1     {v2.4s}, [x3]
        movi    v4.4s, #0
        add     x5, x1, x0, lsl #2
        add     x6, x5, x0, lsl #2
        add     x7, x6, x0, lsl #2
0:      ld1     {v0.s}[0], [x1], #4
        ld1     {v0.s}[1], [x5], #4
        ld1     {v0.s}[2], [x6], #4
        ld1     {v0.s}[3], [x7], #4
        mov     v3.16b, v2.16b
        mla     v3.4s, v0.4s, v1.4s
        smax    v3.4s, v3.4s, v4.4s
        st1     {v3.4s}, [x4], #16
        subs    x0, x0, #1
        b.ne    0b
        ret
""", "aarch32": """
f:      vld1.32     {q1}, [r2]
        vld1.32     {q2}, [r3]
        ldr         r12, [sp]
        push        {r4, r5, r6}
        vmov.i32    q8, #0
        add         r4, r1, r0, lsl #2
        add         r5, r4, r0, lsl #2
        add         r6, r5, r0, lsl #2
0:      vld1.32     {d0[0]}, [r1]!
        vld1.32     {d0[1]}, [r4]!
        vld1.32     {d1[0]}, [r5]!
        vld1.32     {d1[1]}, [r6]!
        vmov        q3, q2
        vmla.i32    q3, q0, q1
        vmax.s32    q3, q3, q8
        vst1.32     {q3}, [r12]!
        subs        r0, r0, #1
        bne         0b
        pop         {r4, r5, r6}
        bx          lr
"""}


class Loads(NamedTuple):
    """Counted over a whole call.

    isa, layout   str
    loads         int   vector loads of the image in the loop
    steps         int   all instructions
    pixels        int
    """

    isa: str
    layout: str
    loads: int
    steps: int
    pixels: int


def count_loads(pixels: int = 64) -> list[Loads]:
    """Both programs on both instruction sets, on the same image; their results are compared.

    Raises AssertionError should they differ.
    """
    rng = np.random.default_rng(0)
    image = rng.integers(-1000, 1000, (1, 1, pixels, 4)).astype(np.int32)
    scale, bias = (rng.integers(-1000, 1000, 4).astype(np.int32) for _ in range(2))
    wanted = np.maximum(image[0, 0] * scale + bias, 0)
    fours, planes = to_nc4hw4(image), np.ascontiguousarray(image.transpose(0, 3, 1, 2))
    found = []
    for isa in ("aarch64", "aarch32"):
        lesson = (kernels_folder() / "lessons" / f"{_FOURS}.{isa}.S").read_text("utf-8")
        for layout, text, values in (("NC4HW4", lesson, fours), ("planes", _PLANES[isa], planes)):
            machine = Machine(isa=isa)
            x = machine.memory.place(values, name="x")
            places = [machine.memory.place(each, name=name) for each, name in ((scale, "scale"), (bias, "bias"))]
            y = machine.memory.alloc(wanted.nbytes, name="y")
            program = assemble(text, isa=isa)
            result = machine.call(program, pixels, x, *places, y, entry=next(iter(program.symbols)), trace=True)
            if not np.array_equal(machine.memory.fetch("y", "int32", wanted.shape), wanted):
                raise AssertionError(f"{layout} on {isa} gives different numbers")
            assert result.trace is not None
            ran = [str(result.trace.instruction(step)).split()[0].lower() for step in range(result.steps)]
            loads = sum(word.startswith(("ld1", "vld1")) for word in ran) - 2       # scale and bias
            found.append(Loads(isa, layout, loads, result.steps, pixels))
    return found
