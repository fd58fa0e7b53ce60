//! 4x8 tile of int8 whose sums are kept; multiply-accumulate long by element.
//! contract: s8_gemm_s32
//! tile: 4x8
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nr          x1          columns, 1..8
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          int8 [kc, 8], one block of columns
//! in   q           x6          int32 [3, 8]: bias, lower limit, upper limit
//! in   c           x7          int32 [mr, nr], the result
//! in   c_stride    [sp]        bytes from one row of c to the next
//!
//! reg  pa0..pa3    x3, x9-x11  where each row is read next
//! reg  pc0..pc3    x7, x12-x14 where each row of c is written
//! reg  va0..va3    v0-v3       8 depths of one row each, as int16
//! reg  vb0..vb1    v4-v5       8 columns of one depth each, as int16
//! reg  vacc[0..3]  v16-v23     int32, two registers per row
//!
//!                       v4.4h: columns 0..3     v4.8h: columns 4..7 of one depth
//!                       +----------------------+----------------------+
//!   va0  v0    a0[k]    | v16  row 0           | v17                  |
//!   va1  v1    a1[k]    | v18  row 1           | v19                  |
//!   va2  v2    a2[k]    | v20  row 2           | v21                  |
//!   va3  v3    a3[k]    | v22  row 3           | v23                  |
//!                       +----------------------+----------------------+

#include "include/gemm_4x8_aarch64.h"
#include "include/wide_gemm_aarch64.h"

    .text
    .p2align 4
    .global s8_gemm_s32_4x8__aarch64_neon_mlal_lane
s8_gemm_s32_4x8__aarch64_neon_mlal_lane:
    // ---- Point at four rows of a and of c.
    ldr         x8, [sp]                       // x8: c_stride
    four_rows   x0, x4, x3, x9, x10, x11
    four_rows   x0, x8, x7, x12, x13, x14

    // ---- Start the sums of every row from the biases.
    ldp         q16, q17, [x6], #32
    mov         v18.16b, v16.16b
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v17.16b
    mov         v22.16b, v16.16b
    mov         v23.16b, v17.16b

    // ---- Eight depths at a time.
    subs        x2, x2, #8
    b.lo        2f
1:
    ldr         d0, [x3], #8                    // v0..v3: 8 depths of each row
    ldr         d1, [x9], #8
    ldr         d2, [x10], #8
    ldr         d3, [x11], #8
    sxtl        v0.8h, v0.8b
    sxtl        v1.8h, v1.8b
    sxtl        v2.8h, v2.8b
    sxtl        v3.8h, v3.8b
    one_depth   v4, d4, 0                 // depth 0 of all rows
    one_depth   v5, d5, 1                 // depth 1 of all rows
    one_depth   v4, d4, 2                 // depth 2 of all rows
    one_depth   v5, d5, 3                 // depth 3 of all rows
    one_depth   v4, d4, 4                 // depth 4 of all rows
    one_depth   v5, d5, 5                 // depth 5 of all rows
    one_depth   v4, d4, 6                 // depth 6 of all rows
    one_depth   v5, d5, 7                 // depth 7 of all rows
    subs        x2, x2, #8
    b.hs        1b

    // ---- The last 1..7 depths, one at a time: nothing is read beyond a row.
2:
    adds        x2, x2, #8
    b.eq        4f
3:
    ldr         b0, [x3], #1
    ldr         b1, [x9], #1
    ldr         b2, [x10], #1
    ldr         b3, [x11], #1
    sxtl        v0.8h, v0.8b                    // lane 0: the depth, as int16
    sxtl        v1.8h, v1.8b
    sxtl        v2.8h, v2.8b
    sxtl        v3.8h, v3.8b
    one_depth   v4, d4, 0
    subs        x2, x2, #1
    b.ne        3b

    // ---- Cut off what leaves the limits.
4:
    ldp         q0, q1, [x6], #32               // v0, v1: lower limits
    ldp         q2, q3, [x6]                    // v2, v3: upper limits
    limit_row   v16, v17
    limit_row   v18, v19
    limit_row   v20, v21
    limit_row   v22, v23

    // ---- Store 8 columns of each row, or the 4, 2, 1 of them that there are.
    cmp         x1, #8
    b.lo        5f
    stp         q16, q17, [x7]
    stp         q18, q19, [x12]
    stp         q20, q21, [x13]
    stp         q22, q23, [x14]
    ret
5:
    tbz         x1, #2, 6f
    str         q16, [x7], #16
    str         q18, [x12], #16
    str         q20, [x13], #16
    str         q22, [x14], #16
    mov         v16.16b, v17.16b                // columns 4.. to the front
    mov         v18.16b, v19.16b
    mov         v20.16b, v21.16b
    mov         v22.16b, v23.16b
6:
    tbz         x1, #1, 7f
    str         d16, [x7], #8
    str         d18, [x12], #8
    str         d20, [x13], #8
    str         d22, [x14], #8
    ext         v16.16b, v16.16b, v16.16b, #8
    ext         v18.16b, v18.16b, v18.16b, #8
    ext         v20.16b, v20.16b, v20.16b, #8
    ext         v22.16b, v22.16b, v22.16b, #8
7:
    tbz         x1, #0, 8f
    str         s16, [x7]                       // the last column
    str         s18, [x12]
    str         s20, [x13]
    str         s22, [x14]
8:
    ret
