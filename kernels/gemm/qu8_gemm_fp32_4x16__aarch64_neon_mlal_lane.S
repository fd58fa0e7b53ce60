//! 4x16 uint8 GEMM tile, fp32; multiply-accumulate long by element.
//! contract: qu8_gemm_fp32
//! tile: 4x16
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 16 int32 biases, then kc times 16 bytes
//! in   c           x6          uint8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   params      [sp, #8]    neonsim_fp32_gemm_params, 24 bytes
//!
//! reg  pa0..pa3    x3, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  vwzp        v7          the zero point of w, 16 times
//! reg  va0..va3    v0-v3       8 depths of one row each, as int16
//! reg  vb          v4-v5       16 columns of one depth of w, as int16
//! reg  vacc[0..3]  v16-v31     int32, four registers per row
//!
//!                v5: columns 0..7      v4: columns 8..15      of one depth
//!               +----------+----------+----------+----------+
//!    v0  a0[k]  | v16      | v17      | v18      | v19      |   16 multiplies, 64 products, for each loaded register of
//!    v1  a1[k]  | v20      | v21      | v22      | v23      |   weights and two widenings; depth k of a row is lane k
//!    v2  a2[k]  | v24      | v25      | v26      | v27      |   mod 8 of its register
//!    v3  a3[k]  | v28      | v29      | v30      | v31      |
//!               +----------+----------+----------+----------+

#include "include/tile_4x16_aarch64.h"
#include "include/mlal_lane_4x16_aarch64.h"
#include "include/uint8_aarch64.h"
#include "include/fp32_aarch64.h"

    pw        .req x5
    pa0       .req x3
    pa1       .req x10
    pa2       .req x11
    pa3       .req x12
    pc0       .req x6
    pc1       .req x13
    pc2       .req x14
    pc3       .req x15
    zeropoint .req v4
    upper     .req v5
    lower     .req v6
    wzp       .req v7

    .text
    .p2align 4
    .global qu8_gemm_fp32_4x16__aarch64_neon_mlal_lane
qu8_gemm_fp32_4x16__aarch64_neon_mlal_lane:
    // ---- Fetch what came on the stack; point at the rows of a and of c.
    ldp         x8, x9, [sp]                    // x8: cn_stride, x9: parameters
    four_rows   x0, x4, x3, x10, x11, x12
    four_rows   x0, x7, x6, x13, x14, x15
    add         x17, x9, #20
    ld1r        {wzp.16b}, [x17]              // v7: zero point of w, 16 times

    // ---- For each block of 16 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    multiply    x0, x2

    // ---- Scale, add the zero point of c, clamp.
    mov         x17, x9
    load_fp32   x17, v0
    scale_row_fp32 v16, v17, v18, v19, v0, v0, v0, v0
    scale_row_fp32 v20, v21, v22, v23, v0, v0, v0, v0
    scale_row_fp32 v24, v25, v26, v27, v0, v0, v0, v0
    scale_row_fp32 v28, v29, v30, v31, v0, v0, v0, v0
    narrow_row  v16, v17, v18, v19     // v16: 16 bytes of row 0
    narrow_row  v20, v21, v22, v23
    narrow_row  v24, v25, v26, v27
    narrow_row  v28, v29, v30, v31

    // ---- Store 16 columns of each row, then the next block.
    subs        x1, x1, #16                    // columns left after these
    b.lo        2f
    store_block x8
    rewind_rows x2
    b.ne        0b                              // flags still of the columns
    ret

    // ---- The last 1..15 columns.
2:
    store_rest  x1
    ret
