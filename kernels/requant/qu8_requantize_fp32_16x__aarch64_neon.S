//! Sums to bytes in single precision: converted, multiplied, rounded to nearest, ties to even.
//! contract: qu8_requantize_fp32
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          values, a multiple of 16
//! in   x           x1          int32 [n]
//! in   y           x2          uint8 [n]
//! in   params      x3          neonsim_fp32_params, 20 bytes
//!
//! reg  count       x0          values left
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx0..vx3    v0-v3       four values each
//! reg  vscale      v16         scale
//! reg  vparams     v19-v21     zero point, largest and smallest value allowed
//!
//!   per 16 values on AArch64: 4 convert, 4 multiply, 4 convert, 10 narrow and clamp: 22 instructions
//!   on AArch32, whose VCVT only truncates: 4 convert, 4 multiply, 8 clamp, 4 add, 4 subtract, 6 narrow: 30

    scale       .req v16
    zeropoint   .req v19
    upper       .req v20
    lower       .req v21

    .text
    .p2align 4
    .global qu8_requantize_fp32_16x__aarch64_neon
qu8_requantize_fp32_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ld1r        {scale.4s}, [x3]
    add         x3, x3, #16
    ld1r        {zeropoint.8h}, [x3], #2
    ld1r        {upper.16b}, [x3], #1
    ld1r        {lower.16b}, [x3]

    // ---- Sixteen values at a time: four registers of sums.
0:
    ld1         {v0.4s, v1.4s, v2.4s, v3.4s}, [x1], #64
    scvtf       v0.4s, v0.4s                    // to single precision; above 2**24 this rounds
    scvtf       v1.4s, v1.4s
    scvtf       v2.4s, v2.4s
    scvtf       v3.4s, v3.4s
    fmul        v0.4s, v0.4s, scale.4s          // times the scale
    fmul        v1.4s, v1.4s, scale.4s
    fmul        v2.4s, v2.4s, scale.4s
    fmul        v3.4s, v3.4s, scale.4s
    fcvtns      v0.4s, v0.4s                    // to the nearest integer, ties to even
    fcvtns      v1.4s, v1.4s
    fcvtns      v2.4s, v2.4s
    fcvtns      v3.4s, v3.4s

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
