//! Sums to bytes with two roundings: half up, then half away from zero. QNNPACK's scheme.
//! contract: qu8_requantize_q31
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          values, a multiple of 16
//! in   x           x1          int32 [n]
//! in   y           x2          uint8 [n]
//! in   params      x3          neonsim_q31_params, 16 bytes
//!
//! reg  count       x0          values left
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx0..vx3    v0-v3       four values each
//! reg  vt0..vt3    v4-v7       scratch
//! reg  vparams     v16-v21     multiplier, left shift, where nothing is shifted, zero point, limits
//!
//!   per 16 values: 4 multiply, 4 + 4 to fix ties, 4 shift, 10 narrow and clamp: 26 instructions

    multiplier  .req v16
    leftshift   .req v17
    unshifted   .req v18
    zeropoint   .req v19
    upper       .req v20
    lower       .req v21

    .text
    .p2align 4
    .global qu8_requantize_q31_16x__aarch64_neon
qu8_requantize_q31_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ld1r        {multiplier.4s}, [x3], #4
    ld1r        {leftshift.4s}, [x3], #4
    cmeq        unshifted.4s, leftshift.4s, #0  // all ones where nothing is shifted
    ld1r        {zeropoint.8h}, [x3], #2
    ld1r        {upper.16b}, [x3], #1
    ld1r        {lower.16b}, [x3]

    // ---- Sixteen values at a time: four registers of sums.
0:
    ld1         {v0.4s, v1.4s, v2.4s, v3.4s}, [x1], #64
    sqrdmulh    v0.4s, v0.4s, multiplier.4s     // times multiplier / 2**31, rounded half up
    sqrdmulh    v1.4s, v1.4s, multiplier.4s
    sqrdmulh    v2.4s, v2.4s, multiplier.4s
    sqrdmulh    v3.4s, v3.4s, multiplier.4s
    bic         v4.16b, v0.16b, unshifted.16b   // the same, zero where nothing is shifted
    bic         v5.16b, v1.16b, unshifted.16b
    bic         v6.16b, v2.16b, unshifted.16b
    bic         v7.16b, v3.16b, unshifted.16b
    ssra        v0.4s, v4.4s, #31               // minus 1 where negative: ties away from zero
    ssra        v1.4s, v5.4s, #31
    ssra        v2.4s, v6.4s, #31
    ssra        v3.4s, v7.4s, #31
    srshl       v0.4s, v0.4s, leftshift.4s      // rounding shift right
    srshl       v1.4s, v1.4s, leftshift.4s
    srshl       v2.4s, v2.4s, leftshift.4s
    srshl       v3.4s, v3.4s, leftshift.4s

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
