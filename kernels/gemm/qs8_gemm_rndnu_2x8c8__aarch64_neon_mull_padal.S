//! 2x8c8 int8 GEMM tile, rndnu; each product added up in pairs to 32 bits.
//! contract: qs8_gemm_rndnu
//! tile: 2x8c8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..2
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 8 depths, 8 bytes for each column
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   params      [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa1    x3, x10     where each row is read next
//! reg  pc0..pc1    x6, x13     where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  va[0..1]    v0-v3       8 depths of a row twice, and 8 more
//! reg  vb          v4-v7       8 depths of two columns each
//! reg  vp          v8-v11      products, 16 bits
//! reg  vacc[0..1]  v16-v31     int32, four partial sums per column
//!
//!                columns   0    1    2    3    4    5    6    7        each a register of four partial sums
//!                        +----+----+----+----+----+----+----+----+
//!    v0  row 0, 8 depths | v16| v17| v18| v19| v20| v21| v22| v23|     8 bytes times 8 bytes, added up in pairs; at the end a
//!    v2  row 1           | v24| v25| v26| v27| v28| v29| v30| v31|     tree of additions makes one sum of four
//!                        +----+----+----+----+----+----+----+----+

#include "include/gemm_2x8_aarch64.h"
#include "include/pairwise_2x8c8_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

    pw         .req x5
    pa0        .req x3
    pa1        .req x10
    pc0        .req x6
    pc1        .req x13
    multiplier .req v0
    preshift   .req v1
    postshift  .req v2
    zeropoint  .req v3
    upper      .req v4
    lower      .req v5

    .text
    .p2align 4
    .global qs8_gemm_rndnu_2x8c8__aarch64_neon_mull_padal
qs8_gemm_rndnu_2x8c8__aarch64_neon_mull_padal:
    // ---- Fetch what came on the stack; point at the rows of a and of c.
    ldp         x8, x9, [sp]                    // x8: cn_stride, x9: parameters
    two_rows    x0, x4, x3, x10
    two_rows    x0, x7, x6, x13
    stp         d8, d9, [sp, #-32]!
    stp         d10, d11, [sp, #16]

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    multiply_mull x0, x2
    add_partial_sums

    // ---- Scale, add the zero point of c, clamp.
    mov         x17, x9
    load_rndnu  x17
    scale_half_row_rndnu v16, v17
    scale_half_row_rndnu v24, v25
    narrow_half_row v16, v17     // v16: 8 bytes of row 0
    narrow_half_row v24, v25

    // ---- Store 8 columns of each row, then the next block.
    subs        x1, x1, #8                     // columns left after these
    b.lo        2f
    store_block x8
    rewind_rows x2
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  x1

    // ---- Give back what was saved.
3:
    ldp         d10, d11, [sp, #16]
    ldp         d8, d9, [sp], #32
    ret
