//! 2x8c8 int8 indirect GEMM tile, dynamic images; two products in 16 bits, then added up in pairs to 32 bits.
//! contract: qd8_f32_qc8w_igemm
//! tile: 2x8c8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..2
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 2] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 8 int32 minus the sum of each column, then groups of 8 depths, 8 bytes for each column, then 8 scales and 8 biases
//! in   c           x6          float32 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   what pointers of taps outside the image equal; it is not read there
//! in   zero_data   [sp, #24]   int8 [kc], zero points of the image: what is read in its place
//! in   scheme      [sp, #32]   {int32 zero point, float scale} of the image
//! in   params      [sp, #40]   neonsim_qd8_params, 8 bytes
//!
//! reg  pa0..pa1    x17, x10    where each row is read next
//! reg  pc0..pc1    x6, x13     where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  offset      x16         a_offset
//! reg  zero        x7          zero
//! reg  zeros       x20         the row of zero points
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
#include "include/qd8_2x8_aarch64.h"

    pw  .req x5
    pa0 .req x17
    pa1 .req x10
    pc0 .req x6
    pc1 .req x13

    .text
    .p2align 4
    .global qd8_f32_qc8w_igemm_2x8c8__aarch64_neon_mlal_padal
qd8_f32_qc8w_igemm_2x8c8__aarch64_neon_mlal_padal:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    two_rows    x0, x7, x6, x13
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: zero
    ldp         x17, x9, [sp, #32]              // x17: zero point and scale, x9: parameters
    stp         x19, x20, [sp, #-64]!
    stp         d8, d9, [sp, #16]
    stp         d10, d11, [sp, #32]
    stp         d12, d13, [sp, #48]
    ldr         x20, [sp, #88]                  // x20: the row of zero points
    zero_point_of_image x17

    // ---- For each block of 8 columns: start the rows from the zero point times minus the sums of the columns.
0:
    sums_from_zero_points
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap_or x4, x16, x7, x20             // x4: the next tap's pointers
    multiply_mlal x0, x2
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #4              // x4: the first tap's pointers again
    add_partial_sums

    // ---- Scale by image and column, add the bias, clamp; store as floats.
    mov         x17, x9
    finish_qd8  x17
    subs        x1, x1, #8                     // columns left after these
    b.lo        2f
    store_floats x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_floats x1

    // ---- Give back what was saved.
3:
    ldp         d12, d13, [sp, #48]
    ldp         d10, d11, [sp, #32]
    ldp         d8, d9, [sp, #16]
    ldp         x19, x20, [sp], #64
    ret
