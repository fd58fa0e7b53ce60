//! Sums to bytes with one exact rounding, ties up. XNNPACK's scheme on Arm.
//! contract: qu8_requantize_rndnu
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          values, a multiple of 16
//! in   x           x1          int32 [n]
//! in   y           x2          uint8 [n]
//! in   params      x3          neonsim_rndnu_params, 16 bytes
//!
//! reg  count       x0          values left
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx0..vx3    v0-v3       four values each
//! reg  vparams     v16-v21     multiplier, shift left, minus the shift right, zero point, limits
//!
//!   per 16 values: 4 shift, 4 multiply, 4 shift, 10 narrow and clamp: 22 instructions

    multiplier  .req v16
    preshift    .req v17
    postshift   .req v18
    zeropoint   .req v19
    upper       .req v20
    lower       .req v21

    .text
    .p2align 4
    .global qu8_requantize_rndnu_16x__aarch64_neon
qu8_requantize_rndnu_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ld1r        {multiplier.4s}, [x3], #4
    ld1r        {preshift.4s}, [x3], #4
    ld1r        {postshift.4s}, [x3], #4
    ld1r        {zeropoint.8h}, [x3], #2
    ld1r        {upper.16b}, [x3], #1
    ld1r        {lower.16b}, [x3]

    // ---- Sixteen values at a time: four registers of sums.
0:
    ld1         {v0.4s, v1.4s, v2.4s, v3.4s}, [x1], #64
    sqshl       v0.4s, v0.4s, preshift.4s       // left, saturating: what the right shift is too far
    sqshl       v1.4s, v1.4s, preshift.4s
    sqshl       v2.4s, v2.4s, preshift.4s
    sqshl       v3.4s, v3.4s, preshift.4s
    sqdmulh     v0.4s, v0.4s, multiplier.4s     // times multiplier / 2**31, rounded down: no bit is decided yet
    sqdmulh     v1.4s, v1.4s, multiplier.4s
    sqdmulh     v2.4s, v2.4s, multiplier.4s
    sqdmulh     v3.4s, v3.4s, multiplier.4s
    srshl       v0.4s, v0.4s, postshift.4s      // rounding shift right by 1 at least: the one rounding
    srshl       v1.4s, v1.4s, postshift.4s
    srshl       v2.4s, v2.4s, postshift.4s
    srshl       v3.4s, v3.4s, postshift.4s

    // ---- Narrow to bytes: saturate, add the zero point, saturate, clamp.
    sqxtn       v0.4h, v0.4s
    sqxtn2      v0.8h, v1.4s                    // v0: eight values, as int16
    sqxtn       v2.4h, v2.4s
    sqxtn2      v2.8h, v3.4s                    // v2: eight more
    sqadd       v0.8h, v0.8h, zeropoint.8h
    sqadd       v2.8h, v2.8h, zeropoint.8h
    sqxtun      v0.8b, v0.8h
    sqxtun2     v0.16b, v2.8h                   // v0: sixteen bytes
    umax        v0.16b, v0.16b, lower.16b
    umin        v0.16b, v0.16b, upper.16b
    str         q0, [x2], #16
    subs        x0, x0, #16
    b.ne        0b
    ret
