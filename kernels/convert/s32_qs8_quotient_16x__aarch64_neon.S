//! Sums to int8 through real numbers: a factor for each channel, then a quotient, half away from zero; 16 channels at a time, then 4, then 1.
//! contract: s32_qs8_quotient
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   rows        x0          at least 1
//! in   channels    x1          at least 1
//! in   x           x2          int32 [rows, channels]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   factor      x4          float32 [channels]
//! in   y           x5          int8 [rows, channels]
//! in   y_stride    x6          bytes from one row of y to the next
//! in   params      x7          neonsim_divide_params, 32 bytes
//!
//! reg  px          x8          where x is read next
//! reg  pf          x9          where factors are read next
//! reg  out         x10         where y is written next
//! reg  left        x11         channels left, less 16 or 4
//! reg  vx          v0-v3       4 channels each
//! reg  vfactor     v4-v7       of 4 channels each
//! reg  vdivisor    v16         scale of the result
//! reg  vlimits     v17-v18     smallest and largest value allowed
//!
//!   SCVTF: above 2**24 it rounds;  FMUL;  FDIV, which takes longer than all else;  FMAX, FMIN;  FCVTAS

#include "include/convert_aarch64.h"

    divisor     .req v16
    least       .req v17
    most        .req v18

.macro sixteen
    ldp         q0, q1, [x8], #32               // 8 sums
    ldp         q2, q3, [x8], #32               // 8 more
    ldp         q4, q5, [x9], #32               // their factors
    ldp         q6, q7, [x9], #32               // and of the others
    each        scvtf, v0, v1, v2, v3           // real numbers
    fmul        v0.4s, v0.4s, v4.4s
    fmul        v1.4s, v1.4s, v5.4s
    fmul        v2.4s, v2.4s, v6.4s
    fmul        v3.4s, v3.4s, v7.4s
    quotients_16 v0, v1, v2, v3                 // v0-v3: integers
    narrowed_16 v0, v1, v2, v3                  // v0: 16 bytes
    str         q0, [x10], #16
.endm

.macro some
    scvtf       v0.4s, v0.4s                    // v0: real numbers
    fmul        v0.4s, v0.4s, v4.4s
    quotients_4 v0                              // v0: integers
    narrowed_4  v0                              // the lowest bytes of v0
.endm

.macro four
    ldr         q0, [x8], #16
    ldr         q4, [x9], #16
    some
    str         s0, [x10], #4
.endm

.macro one
    ldr         s0, [x8], #4
    ldr         s4, [x9], #4
    some
    str         b0, [x10], #1
.endm

    .text
    .p2align 4
    .global s32_qs8_quotient_16x__aarch64_neon
s32_qs8_quotient_16x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {divisor.4s}, [x7], #4          // v16: scale of the result
    ld1r        {least.4s}, [x7], #4            // v17: smallest value
    ld1r        {most.4s}, [x7]                 // v18: largest value

    // ---- Row after row: sixteen channels at a time, then four, then one.
0:
    mov         x8, x2                          // x8: where x is read next
    mov         x9, x4                          // x9: where factors are
    mov         x10, x5                         // x10: where y is written next
    mov         x11, x1                         // x11: channels left
    every_element x11
    add         x2, x2, x3                      // the next row of x
    add         x5, x5, x6                      // and of y
    subs        x0, x0, #1
    b.ne        0b
    ret
