// Sums of depthwise kernels on AArch32 to bytes in single precision, each channel by its scale, which lies behind the taps:
// with int8_aarch32.h. Adding 12582912 = 1.5 * 2**23 leaves the integer, ties to even, in the low bits (R03).
//
// The kernel names magic magiczero (q10, q11), upper lower (d).

.macro load_scheme params
    add         \params, \params, #8
    vld1.32     {d22[], d23[]}, [\params]!     // q11: bits of 12582912, less the zero point of the output
    add         \params, \params, #2
    vmov.i32    q10, #0x4b000000                // bits of 12582912
    vorr.i32    q10, #0x400000
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Eight sums in q8 and q9 to eight bytes in d16.
.macro finish_8
    vld1.32     {d0-d3}, [r3]!                  // the scales of the channels
    vcvt.f32.s32 q8, q8
    vcvt.f32.s32 q9, q9
    vmul.f32    q8, q8, q0
    vmul.f32    q9, q9, q1
    vadd.f32    q8, q8, magic
    vadd.f32    q9, q9, magic
    vqsub.s32   q8, q8, magiczero               // the integer plus the zero point
    vqsub.s32   q9, q9, magiczero
    vqmovn.s32  d16, q8
    vqmovn.s32  d17, q9
    narrow_8    d16, q8
.endm
