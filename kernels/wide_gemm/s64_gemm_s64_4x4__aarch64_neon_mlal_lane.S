//! 4x4 tile of int64 by int8 whose sums of 64 bits are kept; halves multiplied by element.
//! contract: s64_gemm_s64
//! tile: 4x4
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nr          x1          columns, 1..4
//! in   kc          x2          depth, at least 1
//! in   a           x3          int64 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          int8 [kc, 4], one block of columns
//! in   q           x6          int64 [3, 4]: bias, lower limit, upper limit
//! in   c           x7          int64 [mr, nr], the result
//! in   c_stride    [sp]        bytes from one row of c to the next
//!
//! reg  pa0..pa3    x3, x9-x11  where each row is read next
//! reg  pc0..pc3    x7, x12-x14 where each row of c is written
//! reg  va0..va3    v0-v3       one depth of one row each: its halves, low in lane 0, high in lane 1
//! reg  vb          v4          4 columns of one depth, as int32
//! reg  half        v5          2**31, to round to the nearest high half
//! reg  vacc[0..3]  v16-v23     int64, products of low halves, two registers per row
//! reg  vhigh[0..3] v24-v27     int32, products of high halves, one register per row
//!
//!   a = low + 2**32 * high, both signed: low in -2**31 .. 2**31 - 1, so high is (a + 2**31) >> 32.
//!                       v4.2s: columns 0, 1     v4.4s: columns 2, 3       v4.4s: columns 0..3
//!                       +----------------------+----------------------+  +---------------------+
//!   va0  v0    a0[k]    | v16  low of row 0    | v17                  |  | v24  high of row 0  |
//!   va1  v1    a1[k]    | v18                  | v19                  |  | v25                 |
//!   va2  v2    a2[k]    | v20                  | v21                  |  | v26                 |
//!   va3  v3    a3[k]    | v22                  | v23                  |  | v27                 |
//!                       +----------------------+----------------------+  +---------------------+
//!   Of the high halves 32 bits of the sum are enough: the rest leaves 64 bits.

#include "include/gemm_4x8_aarch64.h"
#include "include/wide_gemm_aarch64.h"

    .text
    .p2align 4
    .global s64_gemm_s64_4x4__aarch64_neon_mlal_lane
s64_gemm_s64_4x4__aarch64_neon_mlal_lane:
    // ---- Point at four rows of a and of c.
    ldr         x8, [sp]                       // x8: c_stride
    four_rows   x0, x4, x3, x9, x10, x11
    four_rows   x0, x8, x7, x12, x13, x14

    // ---- Start the sums of every row from the biases.
    ldp         q16, q17, [x6], #32             // row 0: columns 0, 1 and 2, 3
    mov         v18.16b, v16.16b                // and three more rows
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v17.16b
    mov         v22.16b, v16.16b
    mov         v23.16b, v17.16b

    // ---- High halves start from zero; 2**31 in both lanes of v5.
    movi        v24.4s, #0
    movi        v25.4s, #0
    movi        v26.4s, #0
    movi        v27.4s, #0
    mov         w15, #0x80000000
    dup         v5.2d, x15

    // ---- One depth at a time.
1:
    ldr         d0, [x3], #8
    ldr         d1, [x9], #8
    ldr         d2, [x10], #8
    ldr         d3, [x11], #8
    ldr         s4, [x5], #4
    sxtl        v4.8h, v4.8b
    sxtl        v4.4s, v4.4h
    long_depth  v4, 0                           // low halves
    add         v0.2d, v0.2d, v5.2d             // lane 1: the nearest high half
    add         v1.2d, v1.2d, v5.2d
    add         v2.2d, v2.2d, v5.2d
    add         v3.2d, v3.2d, v5.2d
    mla         v24.4s, v4.4s, v0.s[1]          // high halves
    mla         v25.4s, v4.4s, v1.s[1]
    mla         v26.4s, v4.4s, v2.s[1]
    mla         v27.4s, v4.4s, v3.s[1]
    subs        x2, x2, #1
    b.ne        1b

    // ---- Both halves together.
    join_halves v16, v17, v24
    join_halves v18, v19, v25
    join_halves v20, v21, v26
    join_halves v22, v23, v27

    // ---- Cut off what leaves the limits, then store 4 columns of each row, or the 2, 1 of them that there are.
    ldp         q0, q1, [x6], #32               // v0, v1: lower limits
    ldp         q2, q3, [x6]                    // v2, v3: upper limits
    limit_wide  v16, v17, v4
    limit_wide  v18, v19, v4
    limit_wide  v20, v21, v4
    limit_wide  v22, v23, v4
    cmp         x1, #4
    b.lo        6f
    stp         q16, q17, [x7]                  // a whole row of int64
    stp         q18, q19, [x12]
    stp         q20, q21, [x13]
    stp         q22, q23, [x14]
    ret
6:
    tbz         x1, #1, 7f
    str         q16, [x7], #16                  // columns 0 and 1
    str         q18, [x12], #16
    str         q20, [x13], #16
    str         q22, [x14], #16
    mov         v16.16b, v17.16b                // column 2 to the front
    mov         v18.16b, v19.16b
    mov         v20.16b, v21.16b
    mov         v22.16b, v23.16b
7:
    tbz         x1, #0, 8f
    str         d16, [x7]                       // the last column
    str         d18, [x12]
    str         d20, [x13]
    str         d22, [x14]
8:
    ret
