// Sums of depthwise kernels on AArch32 to bytes by multiplier and shift of each channel's scale, which lies behind the taps:
// with tengine_aarch32.h, int8_aarch32.h and dwconv_mul16_aarch32.h, which needs q4 and q5 between taps only.
//
// The kernel names zeropoint upper lower (d).

.macro load_scheme params
    add         \params, \params, #12
    vld1.16     {zeropoint[]}, [\params]!
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Of eight channels, to stay until they are needed: multipliers in q12 and q13, shifts in q10 and q11.
.macro scales_8
    vld1.32     {d24-d27}, [r3]!
    frexp_of    q12, q12, q10, q4
    frexp_of    q13, q13, q11, q4
.endm

// Eight sums in q8 and q9 are on their way to bytes: in q6 and q7, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in d12.
.macro start_8
    vqrdmulh.s32 q6, q8, q12
    vqrdmulh.s32 q7, q9, q13
.endm

.macro part_8 part
    .ifc \part, 0
    vrshl.s32   q6, q6, q10
    .endif
    .ifc \part, 1
    vrshl.s32   q7, q7, q11
    .endif
    .ifc \part, 2
    vqmovn.s32  d12, q6
    .endif
    .ifc \part, 3
    vqmovn.s32  d13, q7
    .endif
    .ifc \part, 5
    vqadd.s16   d12, d12, zeropoint
    vqadd.s16   d13, d13, zeropoint
    .endif
    narrow_part_8 \part
.endm
