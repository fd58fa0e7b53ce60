// Between real numbers and integers on AArch32: the walk over elements, and what all kernels do in the end.
//
// A kernel defines before: eight, one, what becomes of as many elements, and registers that it names by .req: for bytes and short integers
// by a quotient least, most. The divisor is in s12: vectors of AArch32 are not divided, lanes of q0 to q7 are.

// All elements: eight at a time, then one; left: a register with their number.
.macro every_element left
    subs        \left, \left, #8
    blo         11f
10:
    eight
    subs        \left, \left, #8
    bhs         10b
11:
    adds        \left, \left, #8                // left: 0..7
    beq         13f
12:
    one
    subs        \left, \left, #1
    bne         12b
13:
.endm

// Four real numbers in q0 divided by the lane of another register.
.macro divided_0 by
    vdiv.f32    s0, s0, \by
    vdiv.f32    s1, s1, \by
    vdiv.f32    s2, s2, \by
    vdiv.f32    s3, s3, \by
.endm

// Four in q1.
.macro divided_1 by
    vdiv.f32    s4, s4, \by
    vdiv.f32    s5, s5, \by
    vdiv.f32    s6, s6, \by
    vdiv.f32    s7, s7, \by
.endm

// Eight real numbers in q0 and q1 to whole ones of 16 bits in q0: divided, cut off, to nearest, ties away from zero.
.macro quotients_8
    divided_0   s12
    divided_1   s12
    vmax.f32    q0, q0, least
    vmax.f32    q1, q1, least
    vmin.f32    q0, q0, most
    vmin.f32    q1, q1, most
    vcvta.s32.f32 q0, q0
    vcvta.s32.f32 q1, q1
    vmovn.i32   d0, q0
    vmovn.i32   d1, q1
.endm

// One, in s0, to one of 32 bits in the first lane of q0.
.macro quotient_1
    vdiv.f32    s0, s0, s12
    vmax.f32    q0, q0, least
    vmin.f32    q0, q0, most
    vcvta.s32.f32 q0, q0
.endm

// Eight signed bytes in d0 to real numbers in q0 and q1.
.macro reals_of_bytes
    vmovl.s8    q1, d0
    vmovl.s16   q0, d2
    vmovl.s16   q1, d3
    vcvt.f32.s32 q0, q0
    vcvt.f32.s32 q1, q1
.endm
