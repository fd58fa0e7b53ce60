// Sums of depthwise kernels on AArch32 to bytes in single precision, by the scales in q12 and q13. Adding 12582912 =
// 1.5 * 2**23 leaves the integer, ties to even, in the low bits (R03). The kernel names magic magiczero (q10, q11).

// Eight sums in q8 and q9 are on their way to bytes: in q6 and q7, so that others can follow; then the parts 0 to 9, far
// enough from one another that none waits for the one before; eight bytes in d12.
.macro start_8
    vcvt.f32.s32 q6, q8
    vcvt.f32.s32 q7, q9
.endm

.macro part_8 part
    .ifc \part, 0
    vmul.f32    q6, q6, q12
    .endif
    .ifc \part, 1
    vmul.f32    q7, q7, q13
    .endif
    .ifc \part, 2
    vadd.f32    q6, q6, magic
    .endif
    .ifc \part, 3
    vadd.f32    q7, q7, magic
    .endif
    .ifc \part, 4
    vqsub.s32   q6, q6, magiczero               // the integer plus the zero point
    .endif
    .ifc \part, 5
    vqsub.s32   q7, q7, magiczero
    .endif
    .ifc \part, 6
    vqmovn.s32  d12, q6
    vqmovn.s32  d13, q7
    .endif
    narrow_part_8 \part
.endm
