//! 6x8 float32 GEMM tile; fused multiply-add by element.
//! contract: f32_gemm
//! tile: 6x8
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..6
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          float32 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 8 biases, then kc times 8 weights
//! in   c           x6          float32 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   params      [sp, #8]    neonsim_float_params, 8 bytes
//!
//! reg  pa0..pa5    x3, x9, x10, x11, x12, x4 where each row is read next
//! reg  pc0..pc5    x6, x13, x14, x15, x16, x7 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          bytes of a row left, less what one round of the loop takes
//! reg  va0..va5    v0-v5       two depths of one row each
//! reg  vlimits     v6-v7       smallest and largest value allowed
//! reg  vb          v16-v19     8 columns of two depths of w
//! reg  vacc[0..5]  v20-v31     two registers per row
//!
//!                v16: columns 0..3   v17: columns 4..7   of one depth
//!               +-------------------+-------------------+
//!    v0  a0[k]  | v20               | v21               |   12 FMLA, 48 products, for each loaded pair of registers of
//!    v1  a1[k]  | v22               | v23               |   weights; depth k of a row is lane k mod 2 of its register
//!    v2  a2[k]  | v24               | v25               |
//!    v3  a3[k]  | v26               | v27               |   Every sum is one chain: its depth k is added before
//!    v4  a4[k]  | v28               | v29               |   depth k + 1, twelve other sums in between.
//!    v5  a5[k]  | v30               | v31               |
//!               +-------------------+-------------------+

#include "include/f32_6x8_aarch64.h"

    pw  .req x5
    pa0 .req x3
    pa1 .req x9
    pa2 .req x10
    pa3 .req x11
    pa4 .req x12
    pa5 .req x4
    pc0 .req x6
    pc1 .req x13
    pc2 .req x14
    pc3 .req x15
    pc4 .req x16
    pc5 .req x7

    .text
    .p2align 4
    .global f32_gemm_6x8__aarch64_neon_fma_lane
f32_gemm_6x8__aarch64_neon_fma_lane:
    // ---- Fetch what came on the stack; point at the rows of a and of c; fetch the limits.
    ldp         x8, x17, [sp]                   // x8: cn_stride, x17: parameters
    six_rows    x0, x4, x3, x9, x10, x11, x12, x4
    six_rows    x0, x7, x6, x13, x14, x15, x16, x7
    lsl         x2, x2, #2                      // x2: bytes of a row
    ld1r        {v6.4s}, [x17], #4
    ld1r        {v7.4s}, [x17]

    // ---- For each block of 8 columns: start every sum from its bias.
0:
    sums_from_bias

    // ---- Run over the depth; the pointers end behind the rows.
    multiply    x0, x2

    // ---- Clamp and store, then the next block.
    clamp_tile
    subs        x1, x1, #8                      // columns left after these
    b.lo        1f
    store_tile  x8
    rewind_rows x2
    b.ne        0b                              // flags still of the columns
    ret

    // ---- The last 1..7 columns.
1:
    store_rest_of_tile x1
    ret
