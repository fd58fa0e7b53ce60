//! Sums to bytes with one exact rounding in 64 bits, ties away from zero. The oracle of the schemes.
//! contract: qu8_requantize_precise
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          values, a multiple of 16
//! in   x           x1          int32 [n]
//! in   y           x2          uint8 [n]
//! in   params      x3          neonsim_precise_params, 16 bytes
//!
//! reg  count       x0          values left
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx0..vx3    v0-v3       four values each
//! reg  vt          v4-v6       scratch
//! reg  vparams     v16-v17     multiplier, minus the shift in 64 bits
//! reg  vlimits     v19-v21     zero point, largest and smallest value allowed
//!
//!   per 16 values: 8 multiply, 4 + 8 to fix ties, 8 shift, 4 (AArch32: 8) to 32 bits, 10 narrow and clamp: 42 (46)

    multiplier  .req v16
    rightshift  .req v17
    zeropoint   .req v19
    upper       .req v20
    lower       .req v21

    .text
    .p2align 4
    .global qu8_requantize_precise_16x__aarch64_neon
qu8_requantize_precise_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ld1r        {multiplier.4s}, [x3], #4
    ld1r        {zeropoint.8h}, [x3], #2
    ld1r        {upper.16b}, [x3], #1
    ld1r        {lower.16b}, [x3], #1
    ld1r        {rightshift.2d}, [x3]

    // ---- Sixteen values at a time: four registers of sums.
0:
    ld1         {v0.4s, v1.4s, v2.4s, v3.4s}, [x1], #64
    smull       v4.2d, v0.2s, multiplier.2s     // v4, v5: products of 64 bits
    smull2      v5.2d, v0.4s, multiplier.4s
    cmlt        v6.4s, v0.4s, #0                // v6: minus 1 where negative
    saddw       v4.2d, v4.2d, v6.2s
    saddw2      v5.2d, v5.2d, v6.4s
    srshl       v4.2d, v4.2d, rightshift.2d     // the one rounding; less 1, it takes ties away from zero
    srshl       v5.2d, v5.2d, rightshift.2d
    uzp1        v0.4s, v4.4s, v5.4s             // v0: their low halves, which hold the results
    smull       v4.2d, v1.2s, multiplier.2s     // v4, v5: products of 64 bits
    smull2      v5.2d, v1.4s, multiplier.4s
    cmlt        v6.4s, v1.4s, #0                // v6: minus 1 where negative
    saddw       v4.2d, v4.2d, v6.2s
    saddw2      v5.2d, v5.2d, v6.4s
    srshl       v4.2d, v4.2d, rightshift.2d     // the one rounding; less 1, it takes ties away from zero
    srshl       v5.2d, v5.2d, rightshift.2d
    uzp1        v1.4s, v4.4s, v5.4s             // v1: their low halves, which hold the results
    smull       v4.2d, v2.2s, multiplier.2s     // v4, v5: products of 64 bits
    smull2      v5.2d, v2.4s, multiplier.4s
    cmlt        v6.4s, v2.4s, #0                // v6: minus 1 where negative
    saddw       v4.2d, v4.2d, v6.2s
    saddw2      v5.2d, v5.2d, v6.4s
    srshl       v4.2d, v4.2d, rightshift.2d     // the one rounding; less 1, it takes ties away from zero
    srshl       v5.2d, v5.2d, rightshift.2d
    uzp1        v2.4s, v4.4s, v5.4s             // v2: their low halves, which hold the results
    smull       v4.2d, v3.2s, multiplier.2s     // v4, v5: products of 64 bits
    smull2      v5.2d, v3.4s, multiplier.4s
    cmlt        v6.4s, v3.4s, #0                // v6: minus 1 where negative
    saddw       v4.2d, v4.2d, v6.2s
    saddw2      v5.2d, v5.2d, v6.4s
    srshl       v4.2d, v4.2d, rightshift.2d     // the one rounding; less 1, it takes ties away from zero
    srshl       v5.2d, v5.2d, rightshift.2d
    uzp1        v3.4s, v4.4s, v5.4s             // v3: their low halves, which hold the results

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
