//! An activation of int8 by a detour through real numbers, half away from zero; 16 at a time, then 4, then 1.
//! contract: qs8_clamp_quotient
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          int8 [n]
//! in   y           x2          int8 [n], may be x
//! in   params      x3          neonsim_divide_params, 32 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       4 elements each
//! reg  vdivisor    v16         scale of the result
//! reg  vlimits     v17-v18     smallest and largest value allowed
//! reg  vscale      v19         scale of x
//! reg  vactivation v20-v21     limits of the real number
//!
//!   what one SMAX does with 16 bytes where the scale stays (s8_clamp), by 47 instructions: to 32 bits, to floats, times the scale,
//!   FMAX, FMIN, divided, cut off, to the nearest integer, to 8 bits

#include "include/convert_aarch64.h"

    divisor     .req v16
    least       .req v17
    most        .req v18
    scale       .req v19
    low         .req v20
    high        .req v21

.macro sixteen
    ldr         q0, [x1], #16                   // x or a
    reals_of_bytes v0, v1, v2, v3               // v0-v3: real numbers
    on_each     fmul, v0, v1, v2, v3, scale     // times the scale
    on_each     fmax, v0, v1, v2, v3, low       // the activation
    on_each     fmin, v0, v1, v2, v3, high
    quotients_16 v0, v1, v2, v3                 // v0-v3: integers
    narrowed_16 v0, v1, v2, v3                  // v0: 16 bytes
    str         q0, [x2], #16
.endm

.macro some
    reals_of_4_bytes v0                         // v0: real numbers
    fmul        v0.4s, v0.4s, scale.4s
    fmax        v0.4s, v0.4s, low.4s
    fmin        v0.4s, v0.4s, high.4s
    quotients_4 v0                              // v0: integers
    narrowed_4  v0                              // the lowest bytes of v0
.endm

.macro four
    ldr         s0, [x1], #4
    some
    str         s0, [x2], #4
.endm

.macro one
    ldr         b0, [x1], #1                    // one of it
    some
    str         b0, [x2], #1
.endm

    .text
    .p2align 4
    .global qs8_clamp_quotient_16x__aarch64_neon
qs8_clamp_quotient_16x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {divisor.4s}, [x3], #4          // v16: scale of the result
    ld1r        {least.4s}, [x3], #4            // v17: smallest value
    ld1r        {most.4s}, [x3], #4             // v18: largest value
    ld1r        {scale.4s}, [x3]                // the scale
    add         x3, x3, #12                     // behind the second scale and the count
    ld1r        {low.4s}, [x3], #4              // the lower limit
    ld1r        {high.4s}, [x3]                 // the upper limit

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
