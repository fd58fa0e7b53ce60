//! Add two vectors of int8 as real numbers, then a quotient, half away from zero; 16 at a time, then 4, then 1.
//! contract: qs8_vadd_quotient
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   a           x1          int8 [n]
//! in   b           x2          int8 [n]
//! in   y           x3          int8 [n], may be a or b
//! in   params      x4          neonsim_divide_params, 32 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       4 elements of a each, then of y
//! reg  vb          v4-v7       4 elements of b each
//! reg  vdivisor    v16         scale of the result
//! reg  vlimits     v17-v18     smallest and largest value allowed
//! reg  vscales     v19-v20     scales of a and b
//!
//!   a * scale + b * scale, each step rounded (FMUL, FMUL, FADD: no FMLA);  FDIV;  FMAX, FMIN;  FCVTAS

#include "include/convert_aarch64.h"

    divisor     .req v16
    least       .req v17
    most        .req v18
    of_a        .req v19
    of_b        .req v20

.macro sixteen
    ldr         q0, [x1], #16                   // x or a
    ldr         q4, [x2], #16                   // 16 of b
    reals_of_bytes v0, v1, v2, v3               // v0-v3: real numbers
    reals_of_bytes v4, v5, v6, v7               // v4-v7: those of b
    on_each     fmul, v0, v1, v2, v3, of_a      // a * its scale
    on_each     fmul, v4, v5, v6, v7, of_b      // b * its scale
    fadd        v0.4s, v0.4s, v4.4s
    fadd        v1.4s, v1.4s, v5.4s
    fadd        v2.4s, v2.4s, v6.4s
    fadd        v3.4s, v3.4s, v7.4s
    quotients_16 v0, v1, v2, v3                 // v0-v3: integers
    narrowed_16 v0, v1, v2, v3                  // v0: 16 bytes
    str         q0, [x3], #16
.endm

.macro some
    reals_of_4_bytes v0                         // v0: real numbers
    reals_of_4_bytes v4
    fmul        v0.4s, v0.4s, of_a.4s
    fmul        v4.4s, v4.4s, of_b.4s
    fadd        v0.4s, v0.4s, v4.4s
    quotients_4 v0                              // v0: integers
    narrowed_4  v0                              // the lowest bytes of v0
.endm

.macro four
    ldr         s0, [x1], #4
    ldr         s4, [x2], #4
    some
    str         s0, [x3], #4
.endm

.macro one
    ldr         b0, [x1], #1                    // one of it
    ldr         b4, [x2], #1                    // one of b
    some
    str         b0, [x3], #1
.endm

    .text
    .p2align 4
    .global qs8_vadd_quotient_16x__aarch64_neon
qs8_vadd_quotient_16x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {divisor.4s}, [x4], #4          // v16: scale of the result
    ld1r        {least.4s}, [x4], #4            // v17: smallest value
    ld1r        {most.4s}, [x4], #4             // v18: largest value
    ld1r        {of_a.4s}, [x4], #4             // v19: scale of a
    ld1r        {of_b.4s}, [x4]                 // v20: scale of b

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
