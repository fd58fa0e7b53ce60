//! 6x8 float32 indirect GEMM tile; fused multiply-add by element.
//! contract: f32_igemm
//! tile: 6x8
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          rows, 1..6
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 6] to rows of kc floats
//! in   w           x5          packed weights, block after block: 8 biases, then ks * kc times 8 weights
//! in   c           x6          float32 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   float32 [kc], what taps outside the image point at
//! in   params      [sp, #24]   neonsim_float_params, 8 bytes
//!
//! reg  pa0..pa5    x19-x24     where each row is read next
//! reg  pc0..pc5    x6, x13, x14, x15, x16, x7 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          bytes of a row left, less what one round of the loop takes
//! reg  table       x9          where the pointers are read next
//! reg  taps        x10         taps left
//! reg  va0..va5    v0-v5       two depths of one row each
//! reg  vlimits     v6-v7       smallest and largest value allowed
//! reg  vb          v16-v19     8 columns of two depths of w
//! reg  vacc[0..5]  v20-v31     two registers per row
//!
//!                v16: columns 0..3   v17: columns 4..7   of one depth
//!               +-------------------+-------------------+
//!    v0  a0[k]  | v20               | v21               |   12 FMLA, 48 products, for each loaded pair of registers of
//!    v1  a1[k]  | v22               | v23               |   weights; tap after tap, in a tap channel after channel
//!    v2  a2[k]  | v24               | v25               |
//!    v3  a3[k]  | v26               | v27               |
//!    v4  a4[k]  | v28               | v29               |
//!    v5  a5[k]  | v30               | v31               |
//!               +-------------------+-------------------+

#include "include/f32_6x8_aarch64.h"

    pw  .req x5
    pa0 .req x19
    pa1 .req x20
    pa2 .req x21
    pa3 .req x22
    pa4 .req x23
    pa5 .req x24
    pc0 .req x6
    pc1 .req x13
    pc2 .req x14
    pc3 .req x15
    pc4 .req x16
    pc5 .req x7

    .text
    .p2align 4
    .global f32_igemm_6x8__aarch64_neon_fma_lane
f32_igemm_6x8__aarch64_neon_fma_lane:
    // ---- Fetch what came on the stack, save what belongs to the caller; point at the rows of c; fetch the limits.
    ldp         x8, x11, [sp]                   // x8: cn_stride, x11: a_offset
    ldp         x12, x17, [sp, #16]             // x12: the row of zeros, x17: parameters
    stp         x19, x20, [sp, #-48]!
    stp         x21, x22, [sp, #16]
    stp         x23, x24, [sp, #32]
    six_rows    x0, x7, x6, x13, x14, x15, x16, x7
    lsl         x2, x2, #2                      // x2: bytes of a row
    ld1r        {v6.4s}, [x17], #4
    ld1r        {v7.4s}, [x17]

    // ---- For each block of 8 columns: start every sum from its bias, and the table from its beginning.
0:
    sums_from_bias
    mov         x9, x4
    mov         x10, x3

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    six_rows_of_tap x9, x11, x12
    multiply    x0, x2
    subs        x10, x10, #1
    b.ne        1b

    // ---- Clamp and store, then the next block.
    clamp_tile
    subs        x1, x1, #8                      // columns left after these
    b.lo        2f
    store_tile  x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_tile x1

    // ---- Give back what was saved.
3:
    ldp         x23, x24, [sp, #32]
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #48
    ret
