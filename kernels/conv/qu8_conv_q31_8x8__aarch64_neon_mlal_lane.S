//! 8x8 uint8 convolution tile over an indirection buffer; multiply-accumulate long by element.
//! contract: qu8_conv_q31
//! tile: 8x8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows (output pixels) of this tile, 1..8
//! in   nr          x1          columns (output channels) of this tile, 1..8
//! in   kc          x2          input channels, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 8] to rows of kc bytes
//! in   w           x5          packed weights: 8 int32 biases, then ks times kc times 8 bytes
//! in   c           x6          uint8 [mr, nr], the result
//! in   c_stride    x7          bytes from one row of c to the next
//! in   params      [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pa0..pa6    x9-x15      where seven of the eight rows of this tap are read next
//! reg  pa7         x17         the same for row 7
//! reg  count       x16         channels of this tap that are left, less 8
//! reg  pp          x8          where the parameters are read next
//! reg  va0..va7    v0-v7       8 channels of one row each, as int16
//! reg  vwzp        v8          the zero point of w, 8 times
//! reg  vb0..vb1    v9-v10      8 columns of one depth of w, less their zero point, as int16
//! reg  vacc[0..7]  v16-v31     int32, two registers per row
//!
//!   a   +----+----+----+ ... +----+        one tap = eight pointers, one for each output pixel of the tile;
//!  tap 0| p0 | p1 | p2 |     | p7 | --->   a pixel that lies on padding points at a row of zero points
//!  tap 1| p0 | p1 | p2 |     | p7 |
//!       +----+----+----+ ... +----+        The loop over channels is that of the 8x8 GEMM tile; only where its
//!                                          rows come from is different. The sums stay in v16..v31 for all taps.

#include "include/q31_aarch64.h"
#include "include/tile_8x8_aarch64.h"

    pw          .req x5
    wzp         .req v8
    multiplier  .req v0
    leftshift   .req v1
    unshifted   .req v2
    zeropoint   .req v3
    upper       .req v4
    lower       .req v5

    .text
    .p2align 4
    .global qu8_conv_q31_8x8__aarch64_neon_mlal_lane
qu8_conv_q31_8x8__aarch64_neon_mlal_lane:
    // ---- Save what belongs to the caller: the low halves of the vector registers v8 to v10.
    ldr         x8, [sp]                        // x8: parameters
    stp         d8, d9, [sp, #-32]!
    str         d10, [sp, #16]

    // ---- Start all eight rows from the biases of the eight columns.
    sums_from_bias
    add         x16, x8, #12
    ld1r        {v8.8b}, [x16]                  // v8: zero point of w, 8 times

    // ---- For each tap: fetch its eight pointers, then run over the channels they point at.
0:
    ldp         x9, x10, [x4], #16
    ldp         x11, x12, [x4], #16
    ldp         x13, x14, [x4], #16
    ldp         x15, x17, [x4], #16             // x4: the next tap's pointers
    mov         x16, x2
    whole_groups x16, x9, x10, x11, x12, x13, x14, x15, x17
    rest_of_group x16, x9, x10, x11, x12, x13, x14, x15, x17
    subs        x3, x3, #1                      // x3: taps left
    b.ne        0b

    // ---- Scale, add the zero point of c, clamp; rows 0..7 end in the low halves of v16, v18, ... v30.
    load_q31    x8
    requantize_eight_rows_q31 v6, v7

    // ---- Point at eight rows of c; rows that do not exist are written over the last one that does.
    eight_rows  x0, x7, x6, x9, x10, x11, x12, x13, x14, x15

    // ---- Store eight columns, or else 4, 2, 1 of them, turning the rest down to the first lanes.
    cmp         x1, #8
    b.ne        1f
    str         d16, [x6]                       // 8 bytes
    str         d18, [x9]
    str         d20, [x10]
    str         d22, [x11]
    str         d24, [x12]
    str         d26, [x13]
    str         d28, [x14]
    str         d30, [x15]
    b           4f
1:
    tbz         x1, #2, 2f
    str         s16, [x6], #4                   // 4 bytes
    str         s18, [x9], #4                   // 4 bytes
    str         s20, [x10], #4                  // 4 bytes
    str         s22, [x11], #4                  // 4 bytes
    str         s24, [x12], #4                  // 4 bytes
    str         s26, [x13], #4                  // 4 bytes
    str         s28, [x14], #4                  // 4 bytes
    str         s30, [x15], #4                  // 4 bytes
    ushr        d16, d16, #32                   // columns 4.. first
    ushr        d18, d18, #32
    ushr        d20, d20, #32
    ushr        d22, d22, #32
    ushr        d24, d24, #32
    ushr        d26, d26, #32
    ushr        d28, d28, #32
    ushr        d30, d30, #32
2:
    tbz         x1, #1, 3f
    str         h16, [x6], #2
    str         h18, [x9], #2
    str         h20, [x10], #2
    str         h22, [x11], #2
    str         h24, [x12], #2
    str         h26, [x13], #2
    str         h28, [x14], #2
    str         h30, [x15], #2
    ushr        d16, d16, #16                   // the last column first
    ushr        d18, d18, #16
    ushr        d20, d20, #16
    ushr        d22, d22, #16
    ushr        d24, d24, #16
    ushr        d26, d26, #16
    ushr        d28, d28, #16
    ushr        d30, d30, #16
3:
    tbz         x1, #0, 4f
    str         b16, [x6]
    str         b18, [x9]
    str         b20, [x10]
    str         b22, [x11]
    str         b24, [x12]
    str         b26, [x13]
    str         b28, [x14]
    str         b30, [x15]

    // ---- Give back what was saved.
4:
    ldr         d10, [sp, #16]
    ldp         d8, d9, [sp], #32
    ret
