// Sums of depthwise kernels on AArch32 to bytes by rndnu: with int8_aarch32.h and elementwise_aarch32.h.
//
// The kernel names multiplier preshift postshift zeropoint (q10..q13), upper lower (d).

.macro load_scheme params
    vld1.32     {d20[], d21[]}, [\params]!     // q10: multiplier
    vld1.32     {d22[], d23[]}, [\params]!     // q11: to the left: what the right shift is too far
    vld1.32     {d24[], d25[]}, [\params]!     // q12: minus the shift to the right, which is 1 at least
    vld1.16     {d26[], d27[]}, [\params]!     // q13: zero point of the output
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

.macro scales_8
.endm

// Eight sums in q8 and q9 are on their way to bytes: in q6 and q7, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in d12.
.macro start_8
    vqshl.s32   q6, q8, preshift
    vqshl.s32   q7, q9, preshift
.endm

.macro part_8 part
    .ifc \part, 0
    vqdmulh.s32 q6, q6, multiplier
    .endif
    .ifc \part, 1
    vqdmulh.s32 q7, q7, multiplier
    .endif
    .ifc \part, 2
    vrshl.s32   q6, q6, postshift
    .endif
    .ifc \part, 3
    vrshl.s32   q7, q7, postshift
    .endif
    .ifc \part, 4
    vqmovn.s32  d12, q6
    .endif
    .ifc \part, 5
    vqmovn.s32  d13, q7
    .endif
    .ifc \part, 6
    vqadd.s16   q6, q6, zeropoint
    .endif
    narrow_part_8 \part
.endm
