//! 4x4 tile of int32 by int8 whose sums of 64 bits are kept; multiply-accumulate long by element.
//! contract: s32_gemm_s64
//! tile: 4x4
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nr          x1          columns, 1..4
//! in   kc          x2          depth, at least 1
//! in   a           x3          int32 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          int8 [kc, 4], one block of columns
//! in   q           x6          int64 [3, 4]: bias, lower limit, upper limit
//! in   c           x7          int64 [mr, nr], the result
//! in   c_stride    [sp]        bytes from one row of c to the next
//!
//! reg  pa0..pa3    x3, x9-x11  where each row is read next
//! reg  pc0..pc3    x7, x12-x14 where each row of c is written
//! reg  va0..va3    v0-v3       4 depths of one row each, int32
//! reg  vb0..vb3    v24-v27     4 columns of one depth each, as int32
//! reg  vacc[0..3]  v16-v23     int64, two registers per row
//!
//!                       v24.2s: columns 0, 1    v24.4s: columns 2, 3 of one depth
//!                       +----------------------+----------------------+
//!   va0  v0    a0[k]    | v16  row 0           | v17                  |
//!   va1  v1    a1[k]    | v18  row 1           | v19                  |
//!   va2  v2    a2[k]    | v20  row 2           | v21                  |
//!   va3  v3    a3[k]    | v22  row 3           | v23                  |
//!                       +----------------------+----------------------+
//!   Half as many sums fit a register as of int32: twice the multiplications for the same products.

#include "include/gemm_4x8_aarch64.h"
#include "include/wide_gemm_aarch64.h"

    .text
    .p2align 4
    .global s32_gemm_s64_4x4__aarch64_neon_mlal_lane
s32_gemm_s64_4x4__aarch64_neon_mlal_lane:
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

    // ---- Four depths at a time.
    subs        x2, x2, #4
    b.lo        2f
1:
    ldr         q0, [x3], #16                   // v0..v3: 4 depths of each row
    ldr         q1, [x9], #16
    ldr         q2, [x10], #16
    ldr         q3, [x11], #16
    ldr         q4, [x5], #16                   // v4: 4 depths of 4 columns
    sxtl2       v5.8h, v4.16b                   // v5: depths 2 and 3, 16 bits
    sxtl        v4.8h, v4.8b                    // v4: depths 0 and 1
    sxtl        v24.4s, v4.4h                   // v24..v27: a depth each, 32 bits
    sxtl2       v25.4s, v4.8h
    sxtl        v26.4s, v5.4h
    sxtl2       v27.4s, v5.8h
    long_depth  v24, 0                          // depth 0 of all rows
    long_depth  v25, 1                          // depth 1 of all rows
    long_depth  v26, 2                          // depth 2 of all rows
    long_depth  v27, 3                          // depth 3 of all rows
    subs        x2, x2, #4
    b.hs        1b

    // ---- The last 1..3 depths, one at a time: nothing is read beyond a row.
2:
    adds        x2, x2, #4
    b.eq        5f
3:
    ldr         s0, [x3], #4
    ldr         s1, [x9], #4
    ldr         s2, [x10], #4
    ldr         s3, [x11], #4
    ldr         s4, [x5], #4
    sxtl        v4.8h, v4.8b
    sxtl        v24.4s, v4.4h
    long_depth  v24, 0
    subs        x2, x2, #1
    b.ne        3b

    // ---- Cut off what leaves the limits, then store 4 columns of each row, or the 2, 1 of them that there are.
5:
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
