//! 4x4 tile of int16 by int8, requantised from sums of 64 bits; multiply-accumulate long by element.
//! contract: qs16_qc8w_gemm_s64
//! tile: 4x4
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nr          x1          columns, 1..4
//! in   kc          x2          depth, at least 1
//! in   a           x3          int16 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          int8 [kc, 4], one block of columns
//! in   q           x6          int64 [3, 4]: bias, multiplier, minus the shift
//! in   c           x7          int16 [mr, nr], the result
//! in   c_stride    [sp]        bytes from one row of c to the next
//! in   output_min  [sp, #8]    int32, the least result
//! in   output_max  [sp, #16]   int32, the largest result
//!
//! reg  pa0..pa3    x3, x9-x11  where each row is read next
//! reg  pc0..pc3    x7, x12-x14 where each row of c is written
//! reg  count       x15         depths left of this stretch, 256 at most
//! reg  va0..va3    v0-v3       4 depths of one row each, as int16
//! reg  vb0..vb1    v4-v5       4 columns of two depths each, as int16
//! reg  vacc[0..3]  v16-v19     int32, the sums of a stretch, one register per row
//! reg  vsum[0..3]  v20-v27     int64, the sums, two registers per row
//!
//!                       v4.4h: columns 0..3 of depth k            columns 0, 1      columns 2, 3
//!                       +-----------------------------+          +-----------------+-----------------+
//!   va0  v0    a0[k]    | v16  row 0, int32           |  drains  | v20             | v21             |
//!   va1  v1    a1[k]    | v17  row 1                  |   into   | v22             | v23             |
//!   va2  v2    a2[k]    | v18  row 2                  |          | v24             | v25             |
//!   va3  v3    a3[k]    | v19  row 3                  |          | v26             | v27             |
//!                       +-----------------------------+          +-----------------+-----------------+
//!   256 products of int16 and int8 are at most 2**30 in size: that many depths fit int32, whatever they are.

#include "include/gemm_4x8_aarch64.h"
#include "include/wide_gemm_aarch64.h"

    .text
    .p2align 4
    .global qs16_qc8w_gemm_s64_4x4__aarch64_neon_mlal_lane
qs16_qc8w_gemm_s64_4x4__aarch64_neon_mlal_lane:
    // ---- Point at four rows of a and of c.
    ldr         x8, [sp]                       // x8: c_stride
    four_rows   x0, x4, x3, x9, x10, x11
    four_rows   x0, x8, x7, x12, x13, x14

    // ---- Start the sums of every row from the biases.
    wide_bias   x6

    // ---- A stretch of at most 256 depths, in int32.
1:
    mov         x15, #256
    cmp         x2, x15
    csel        x15, x2, x15, lo
    sub         x2, x2, x15                     // x2: depths after this stretch
    movi        v16.4s, #0
    movi        v17.4s, #0
    movi        v18.4s, #0
    movi        v19.4s, #0
    subs        x15, x15, #4
    b.lo        3f
2:
    ldr         d0, [x3], #8                    // v0..v3: 4 depths of each row
    ldr         d1, [x9], #8
    ldr         d2, [x10], #8
    ldr         d3, [x11], #8
    ldr         q6, [x5], #16                   // v6: 4 depths of 4 columns
    sxtl        v4.8h, v6.8b                    // v4: depths 0 and 1
    sxtl2       v5.8h, v6.16b                   // v5: depths 2 and 3
    smlal       v16.4s, v4.4h, v0.h[0]          // depth 0 of rows 0..3
    smlal       v17.4s, v4.4h, v1.h[0]
    smlal       v18.4s, v4.4h, v2.h[0]
    smlal       v19.4s, v4.4h, v3.h[0]
    smlal2      v16.4s, v4.8h, v0.h[1]          // depth 1
    smlal2      v17.4s, v4.8h, v1.h[1]
    smlal2      v18.4s, v4.8h, v2.h[1]
    smlal2      v19.4s, v4.8h, v3.h[1]
    smlal       v16.4s, v5.4h, v0.h[2]          // depth 2
    smlal       v17.4s, v5.4h, v1.h[2]
    smlal       v18.4s, v5.4h, v2.h[2]
    smlal       v19.4s, v5.4h, v3.h[2]
    smlal2      v16.4s, v5.8h, v0.h[3]          // depth 3
    smlal2      v17.4s, v5.8h, v1.h[3]
    smlal2      v18.4s, v5.8h, v2.h[3]
    smlal2      v19.4s, v5.8h, v3.h[3]
    subs        x15, x15, #4
    b.hs        2b

    // ---- The last 1..3 depths, one at a time: nothing is read beyond a row.
3:
    adds        x15, x15, #4
    b.eq        5f
4:
    ldr         h0, [x3], #2
    ldr         h1, [x9], #2
    ldr         h2, [x10], #2
    ldr         h3, [x11], #2
    ldr         s6, [x5], #4
    sxtl        v4.8h, v6.8b
    smlal       v16.4s, v4.4h, v0.h[0]
    smlal       v17.4s, v4.4h, v1.h[0]
    smlal       v18.4s, v4.4h, v2.h[0]
    smlal       v19.4s, v4.4h, v3.h[0]
    subs        x15, x15, #1
    b.ne        4b

    // ---- Drain the stretch into sums of 64 bits.
5:
    saddw       v20.2d, v20.2d, v16.2s
    saddw2      v21.2d, v21.2d, v16.4s
    saddw       v22.2d, v22.2d, v17.2s
    saddw2      v23.2d, v23.2d, v17.4s
    saddw       v24.2d, v24.2d, v18.2s
    saddw2      v25.2d, v25.2d, v18.4s
    saddw       v26.2d, v26.2d, v19.2s
    saddw2      v27.2d, v27.2d, v19.4s
    cbnz        x2, 1b

    // ---- Scale, round once, cut off; rows 0..3 end in d16..d19.
    ldp         q4, q5, [x6], #32               // v4, v5: multipliers, 64 bits each
    xtn         v6.2s, v4.2d
    xtn2        v6.4s, v5.2d                    // v6: multipliers of 4 columns, 32 bits each
    ldp         q4, q5, [x6]                    // v4, v5: minus the shifts
    ldr         w15, [sp, #8]
    dup         v2.4s, w15                      // v2: least result
    ldr         w15, [sp, #16]
    dup         v3.4s, w15                      // v3: largest result
    scale_row   v20, v21, v16
    scale_row   v22, v23, v17
    scale_row   v24, v25, v18
    scale_row   v26, v27, v19

    // ---- Store 4 columns of each row, or the 1..3 that there are.
    cmp         x1, #4
    b.lo        6f
    str         d16, [x7]                       // a whole row of int16
    str         d17, [x12]
    str         d18, [x13]
    str         d19, [x14]
    ret
6:
    tbz         x1, #1, 7f
    str         s16, [x7], #4                   // columns 0 and 1
    str         s17, [x12]
    str         s18, [x13]
    str         s19, [x14]
    add         x12, x12, #4
    add         x13, x13, #4
    add         x14, x14, #4
    ext         v16.8b, v16.8b, v16.8b, #4      // column 2 to the front
    ext         v17.8b, v17.8b, v17.8b, #4
    ext         v18.8b, v18.8b, v18.8b, #4
    ext         v19.8b, v19.8b, v19.8b, #4
7:
    tbz         x1, #0, 8f
    str         h16, [x7]                       // the last one
    str         h17, [x12]
    str         h18, [x13]
    str         h19, [x14]
8:
    ret
