//! 8x8 uint8 GEMM tile over one block of the depth: the sums stay int32 and are kept in memory.
//! contract: qu8_gemm_s32
//! tile: 8x8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows of this tile, 1..8
//! in   nr          x1          columns of this tile, 1..8
//! in   kc          x2          depth of this block, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights of this block: 8 int32 biases, then kc times 8 bytes
//! in   c           x6          int32 [mr, nr], the sums
//! in   c_stride    x7          bytes from one row of c to the next
//! in   accumulate  [sp]        0: c holds nothing yet; 1: add to what it holds
//! in   params      [sp, #8]    neonsim_q31_params, of which only w_zero_point is used
//!
//! reg  pa0         x3          where row 0 of a is read next
//! reg  pa1..pa7    x9-x15      the same for rows 1 to 7, then rows 1 to 7 of c
//! reg  pw          x5          where the weights are read next
//! reg  more        x8          whether to add to what c holds
//! reg  left        x16         columns of a row that are left to add or store
//! reg  va0..va7    v0-v7       8 depths of one row each, as int16; later sums out of c
//! reg  vwzp        v8          the zero point of w, 8 times
//! reg  vb0..vb1    v9-v10      8 columns of one depth of w, less their zero point, as int16
//! reg  vacc[0..7]  v16-v31     int32, two registers per row
//!
//!   depth   | block 0 | block 1 | block 2 |      What libraries do that cut the depth so that panels fit the cache:
//!   sums      store     load      load           every block but the first loads all sums, every block stores them,
//!                       store     store          8 bytes per sum and block; and they must be requantised later.

#include "include/tile_8x8_aarch64.h"

    pw          .req x5
    wzp         .req v8

// One row of sums, in lo and hi, with its nr columns at p: added up if c holds something, then stored. Columns of a
// narrow tile go one by one; lanes move down as they are stored.
.macro keep_row lo, hi, p
    cmp         x1, #8
    b.ne        20f
    cbz         x8, 19f
    ld1         {v0.4s, v1.4s}, [\p]
    add         \lo\().4s, \lo\().4s, v0.4s
    add         \hi\().4s, \hi\().4s, v1.4s
19:
    st1         {\lo\().4s, \hi\().4s}, [\p]
    b           22f
20:
    mov         x16, x1
    mov         x4, \p                          // the same row may be stored again: the pointer stays
21:
    mov         v0.16b, \lo\().16b
    cbz         x8, 23f
    ld1         {v1.s}[0], [x4]
    add         v0.2s, v0.2s, v1.2s
23:
    st1         {v0.s}[0], [x4], #4
    ext         \lo\().16b, \lo\().16b, \hi\().16b, #4   // the next column first
    ext         \hi\().16b, \hi\().16b, \hi\().16b, #4
    subs        x16, x16, #1
    b.ne        21b
22:
.endm

    .text
    .p2align 4
    .global qu8_gemm_s32_8x8__aarch64_neon_mlal_lane
qu8_gemm_s32_8x8__aarch64_neon_mlal_lane:
    // ---- Save what belongs to the caller, and point at eight rows of a.
    ldr         x16, [sp, #8]
    ldr         x8, [sp]                        // x8: accumulate
    stp         d8, d9, [sp, #-32]!
    str         d10, [sp, #16]
    add         x16, x16, #12
    ld1r        {v8.8b}, [x16]                  // v8: zero point of w, 8 times
    eight_rows  x0, x4, x3, x9, x10, x11, x12, x13, x14, x15

    // ---- Multiply this block, from its biases on.
    sums_from_bias
    whole_groups x2, x3, x9, x10, x11, x12, x13, x14, x15
    rest_of_group x2, x3, x9, x10, x11, x12, x13, x14, x15

    // ---- Add what c holds, and store; a row that does not exist must not be added a second time.
    movi        v1.16b, #0
    add         x9, x6, x7
    keep_row    v16, v17, x6                    // row 0
    cmp         x0, #2
    b.lo        3f
    keep_row    v18, v19, x9                    // row 1
    cmp         x0, #2
    b.eq        3f
    add         x9, x9, x7
    keep_row    v20, v21, x9                    // row 2
    cmp         x0, #4
    b.lo        3f
    add         x9, x9, x7
    keep_row    v22, v23, x9                    // row 3
    cmp         x0, #4
    b.eq        3f
    add         x9, x9, x7
    keep_row    v24, v25, x9                    // row 4
    cmp         x0, #6
    b.lo        3f
    add         x9, x9, x7
    keep_row    v26, v27, x9                    // row 5
    cmp         x0, #6
    b.eq        3f
    add         x9, x9, x7
    keep_row    v28, v29, x9                    // row 6
    cmp         x0, #8
    b.lo        3f
    add         x9, x9, x7
    keep_row    v30, v31, x9                    // row 7

    // ---- Give back what was saved.
3:
    ldr         d10, [sp, #16]
    ldp         d8, d9, [sp], #32
    ret
