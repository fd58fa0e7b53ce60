// Requantisation "fp32" on AArch32, for the sums in q8..q15: to single precision, times the scale, to the nearest integer.
//
//   magic (R03)   Armv7 has no instruction that rounds to nearest. Adding 12582912 = 1.5 * 2**23 leaves the integer, ties to
//                 even, in the low bits of the sum; subtracting that number as an integer, saturating, gives it. Sums out of
//                 the range in which this is exact, beyond +-2**22, are out of the range of bytes too, on the same side.
//   round (R02)   Armv8: VCVTN, which saturates.
//
// Registers: q0, q1 scales of columns 0..3, 4..7; the kernel names by .req: zeropoint upper lower (q3, q4, q5); magic: q2, q3.

// From neonsim_fp32_gemm_params; params is left behind the limits.
.macro load_fp32_magic params
    vld1.32     {d0[], d1[]}, [\params]        // the one scale
    vmov        q1, q0
    add         \params, \params, #12
    load_magic  \params
.endm

// From neonsim_qc8w_params; the scales lie behind the weights.
.macro load_qc8w_magic params
    add         \params, \params, #8
    load_magic  \params
.endm

.macro load_magic params
    vld1.32     {d6[], d7[]}, [\params]!       // q3: bits of the number, less the zero point of c
    add         \params, \params, #2
    vld1.8      {d8[], d9[]}, [\params]!       // largest value allowed
    vld1.8      {d10[], d11[]}, [\params]      // smallest
    vmov.i32    q2, #0x4b000000                 // bits of 12582912
    vorr.i32    q2, #0x400000
.endm

.macro load_fp32_round params
    vld1.32     {d0[], d1[]}, [\params]        // the one scale
    vmov        q1, q0
    add         \params, \params, #16
    load_round  \params
.endm

.macro load_qc8w_round params
    add         \params, \params, #12
    load_round  \params
.endm

.macro load_round params
    vld1.16     {d6[], d7[]}, [\params]!       // zero point
    vld1.8      {d8[], d9[]}, [\params]!       // largest value allowed
    vld1.8      {d10[], d11[]}, [\params]      // smallest
.endm

.macro to_floats_times_scale
    vcvt.f32.s32 q8, q8
    vcvt.f32.s32 q9, q9
    vcvt.f32.s32 q10, q10
    vcvt.f32.s32 q11, q11
    vcvt.f32.s32 q12, q12
    vcvt.f32.s32 q13, q13
    vcvt.f32.s32 q14, q14
    vcvt.f32.s32 q15, q15
    vmul.f32    q8, q8, q0
    vmul.f32    q9, q9, q1
    vmul.f32    q10, q10, q0
    vmul.f32    q11, q11, q1
    vmul.f32    q12, q12, q0
    vmul.f32    q13, q13, q1
    vmul.f32    q14, q14, q0
    vmul.f32    q15, q15, q1
.endm

.macro scale_fp32_magic
    to_floats_times_scale
    vadd.f32    q8, q8, q2
    vadd.f32    q9, q9, q2
    vadd.f32    q10, q10, q2
    vadd.f32    q11, q11, q2
    vadd.f32    q12, q12, q2
    vadd.f32    q13, q13, q2
    vadd.f32    q14, q14, q2
    vadd.f32    q15, q15, q2
    vqsub.s32   q8, q8, q3
    vqsub.s32   q9, q9, q3
    vqsub.s32   q10, q10, q3
    vqsub.s32   q11, q11, q3
    vqsub.s32   q12, q12, q3
    vqsub.s32   q13, q13, q3
    vqsub.s32   q14, q14, q3
    vqsub.s32   q15, q15, q3
.endm

.macro scale_fp32_round
    to_floats_times_scale
    vcvtn.s32.f32 q8, q8
    vcvtn.s32.f32 q9, q9
    vcvtn.s32.f32 q10, q10
    vcvtn.s32.f32 q11, q11
    vcvtn.s32.f32 q12, q12
    vcvtn.s32.f32 q13, q13
    vcvtn.s32.f32 q14, q14
    vcvtn.s32.f32 q15, q15
.endm
