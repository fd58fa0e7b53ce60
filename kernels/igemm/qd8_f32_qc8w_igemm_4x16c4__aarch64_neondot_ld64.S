//! 4x16c4 int8 indirect GEMM tile, dynamic images; dot products by element, 64 bits of a row per load.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x16c4
//! isa: aarch64
//! feature: dotprod
//! reads-before: 3
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 4] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 16 int32 minus the sum of each column, then groups of 4 depths, 4 bytes for each column, then 16 scales and 16 biases
//! in   c           x6          float32 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   what pointers of taps outside the image equal; nobody reads there
//! in   zero_data   [sp, #24]   int8 [kc], zero points of the image: what is read in its place
//! in   scheme      [sp, #32]   {int32 zero point, float scale} of the image
//! in   params      [sp, #40]   neonsim_qd8_params, 8 bytes
//!
//! reg  pa0..pa3    x17, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  offset      x16         a_offset
//! reg  zero        x7          zero
//! reg  zeros       x20         the row of zero points
//! reg  va0..va3    v0-v3       8 depths of one row each
//! reg  vb0..vb3    v4-v7       4 depths of four columns each
//! reg  vacc[0..3]  v16-v31     int32, four registers per row
//!
//!                 v4: columns 0..3     v5: 4..7     v6: 8..11    v7: 12..15    of four depths
//!                +------------+------------+------------+------------+
//!    v0.4b[g]    | v16        | v17        | v18        | v19        |   16 SDOT, 256 products, for each four depths: group g
//!    v1.4b[g]    | v20        | v21        | v22        | v23        |   of a row is the lane of four bytes of its register
//!    v2.4b[g]    | v24        | v25        | v26        | v27        |
//!    v3.4b[g]    | v28        | v29        | v30        | v31        |
//!                +------------+------------+------------+------------+

#include "include/tile_4x16_aarch64.h"
#include "include/neondot_4x16c4_aarch64.h"
#include "include/qd8_aarch64.h"

    pw  .req x5
    pa0 .req x17
    pa1 .req x10
    pa2 .req x11
    pa3 .req x12
    pc0 .req x6
    pc1 .req x13
    pc2 .req x14
    pc3 .req x15

    .arch   armv8.2-a+dotprod
    .text
    .p2align 4
    .global qd8_f32_qc8w_igemm_4x16c4__aarch64_neondot_ld64
qd8_f32_qc8w_igemm_4x16c4__aarch64_neondot_ld64:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    four_rows   x0, x7, x6, x13, x14, x15
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: zero
    ldp         x17, x9, [sp, #32]              // x17: zero point and scale, x9: parameters
    stp         x19, x20, [sp, #-32]!
    stp         d8, d9, [sp, #16]
    ldr         x20, [sp, #56]                  // x20: the row of zero points
    zero_point_of_image x17

    // ---- For each block of 16 columns: start the rows from the zero point times minus the sums of the columns.
0:
    sums_from_zero_points
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap_or x4, x16, x7, x20             // x4: the next tap's pointers
    multiply_ld64 x0, x2
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #5              // x4: the first tap's pointers again

    // ---- Scale by image and column, add the bias, clamp; store as floats.
    mov         x17, x9
    finish_qd8  x17
    subs        x1, x1, #16                    // columns left after these
    b.lo        2f
    store_words x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..15 columns.
2:
    store_rest_of_words x1

    // ---- Give back what was saved.
3:
    ldp         d8, d9, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
