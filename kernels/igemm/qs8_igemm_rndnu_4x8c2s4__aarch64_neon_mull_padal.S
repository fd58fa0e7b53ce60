//! 4x8c2s4 int8 indirect GEMM tile, rndnu; rows turned against turned weights, each product added up in pairs.
//! contract: qs8_igemm_rndnu
//! tile: 4x8c2s4
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 4] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 2 depths, 2 bytes for each column, turned within 8 depths
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   int8 [kc], what taps outside the image point at
//! in   params      [sp, #24]   neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa3    x17, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  pp          x20         where the parameters are read next
//! reg  offset      x16         a_offset
//! reg  zero        x7          the row of zeros
//! reg  va[0..3]    v0-v7       8 depths of a row twice, and 8 more
//! reg  vacc[0..3]  v16-v23     int32, two registers per row
//! reg  vb          v24-v25     2 depths of eight columns
//! reg  vp          v26-v29     products or sums of two, 16 bits
//!
//!    turn   row           column 0    column 1    column 2    column 3     and columns 4..7 alike
//!     0     a0 .. a7      k 0, 1      k 2, 3      k 4, 5      k 6, 7       weights as they were packed
//!     1     a2 .. a1      k 2, 3      k 4, 5      k 6, 7      k 0, 1       EXT turns the row by two depths
//!     2     a4 .. a3      k 4, 5      k 6, 7      k 0, 1      k 2, 3
//!     3     a6 .. a5      k 6, 7      k 0, 1      k 2, 3      k 4, 5

#include "include/gemm_4x8_aarch64.h"
#include "include/pairwise_4x8c2s4_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

    pw         .req x5
    pa0        .req x17
    pa1        .req x10
    pa2        .req x11
    pa3        .req x12
    pc0        .req x6
    pc1        .req x13
    pc2        .req x14
    pc3        .req x15
    multiplier .req v0
    preshift   .req v1
    postshift  .req v2
    zeropoint  .req v3
    upper      .req v4
    lower      .req v5

    .text
    .p2align 4
    .global qs8_igemm_rndnu_4x8c2s4__aarch64_neon_mull_padal
qs8_igemm_rndnu_4x8c2s4__aarch64_neon_mull_padal:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    four_rows   x0, x7, x6, x13, x14, x15
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: the row of zeros
    ldr         x9, [sp, #24]                   // x9: parameters
    stp         x19, x20, [sp, #-16]!

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap x4, x16, x7                     // x4: the next tap's pointers
    multiply_mull x0, x2
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #5              // x4: the first tap's pointers again

    // ---- Scale, add the zero point of c, clamp.
    mov         x20, x9
    load_rndnu  x20
    scale_half_row_rndnu v16, v17
    scale_half_row_rndnu v18, v19
    scale_half_row_rndnu v20, v21
    scale_half_row_rndnu v22, v23
    narrow_half_row v16, v17     // v16: 8 bytes of row 0
    narrow_half_row v18, v19
    narrow_half_row v20, v21
    narrow_half_row v22, v23

    // ---- Store 8 columns of each row, then the next block.
    subs        x1, x1, #8                     // columns left after these
    b.lo        2f
    store_block x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  x1

    // ---- Give back what was saved.
3:
    ldp         x19, x20, [sp], #16
    ret
