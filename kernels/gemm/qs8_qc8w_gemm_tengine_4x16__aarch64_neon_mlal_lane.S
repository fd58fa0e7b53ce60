//! 4x16 int8 GEMM tile, multiplier and shift per column; multiply-accumulate long by element.
//! contract: qs8_qc8w_gemm_tengine
//! tile: 4x16
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 16 int32 biases, then kc times 16 bytes, then 16 scales
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   params      [sp, #8]    neonsim_qc8w_params, 16 bytes
//!
//! reg  pa0..pa3    x3, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
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
#include "include/int8_aarch64.h"
#include "include/tengine_aarch64.h"

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

    .text
    .p2align 4
    .global qs8_qc8w_gemm_tengine_4x16__aarch64_neon_mlal_lane
qs8_qc8w_gemm_tengine_4x16__aarch64_neon_mlal_lane:
    // ---- Fetch what came on the stack; point at the rows of a and of c.
    ldp         x8, x9, [sp]                    // x8: cn_stride, x9: parameters
    four_rows   x0, x4, x3, x10, x11, x12
    four_rows   x0, x7, x6, x13, x14, x15

    // ---- For each block of 16 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    multiply    x0, x2

    // ---- Scale each column by its own scale, add the zero point of c, clamp.
    ldp         q0, q1, [pw], #32              // the scales of the columns
    ldp         q2, q3, [pw], #32
    scale_columns v0, v16, v20, v24, v28
    scale_columns v1, v17, v21, v25, v29
    scale_columns v2, v18, v22, v26, v30
    scale_columns v3, v19, v23, v27, v31
    mov         x17, x9
    load_qc8w   x17
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
