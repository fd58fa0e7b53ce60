//! 1x8 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 1x8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          1
//! in   nr          x1          columns of this tile, 1..8
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          not needed: there is one row
//! in   w           x5          packed weights: 8 int32 biases, then kc times 8 bytes
//! in   c           x6          uint8 [mr, nr], the result
//! in   c_stride    x7          not needed
//! in   params      [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pa          x3          where a is read next
//! reg  pw          x5          where the weights are read next
//! reg  pp          x8          where the parameters are read next
//! reg  va          v6          8 depths of a, as int16
//! reg  vb          v7          8 columns of one depth of w, less their zero point, as int16
//! reg  vacc        v16-v17     int32 sums of 8 columns
//! reg  vt          v18-v19     scratch
//! reg  vwzp        v20         the zero point of w, 8 times
//! reg  vq31        v0-v5       multiplier, left shift, where nothing is shifted, zero point, limits
//!
//!              w0  w1  w2  w3  w4  w5  w6  w7
//!    a[k]    | v16            | v17            |     8 products for 9 loaded bytes: the weights are used once only,
//!                                                    so a row alone is bound by loads

#include "include/q31_aarch64.h"

    multiplier  .req v0
    leftshift   .req v1
    unshifted   .req v2
    zeropoint   .req v3
    upper       .req v4
    lower       .req v5

// One depth: the weights of eight columns, times one lane of the row.
.macro one_depth lane
    ld1         {v7.8b}, [x5], #8
    usubl       v7.8h, v7.8b, v20.8b
    smlal       v16.4s, v7.4h, v6.h[\lane]
    smlal2      v17.4s, v7.8h, v6.h[\lane]
.endm

    .text
    .p2align 4
    .global qu8_gemm_q31_1x8__aarch64_neon_mlal_lane
qu8_gemm_q31_1x8__aarch64_neon_mlal_lane:
    // ---- Start from the biases of the eight columns.
    ldr         x8, [sp]                        // x8: parameters
    ld1         {v16.4s, v17.4s}, [x5], #32
    add         x9, x8, #12
    ld1r        {v20.8b}, [x9]                  // v20: zero point of w

    // ---- Eight depths at a time, as long as eight are left.
    subs        x2, x2, #8
    b.lo        1f
0:
    ld1         {v6.8b}, [x3], #8
    uxtl        v6.8h, v6.8b
    one_depth   0
    one_depth   1
    one_depth   2
    one_depth   3
    one_depth   4
    one_depth   5
    one_depth   6
    one_depth   7
    subs        x2, x2, #8
    b.hs        0b

    // ---- The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
1:
    cmp         x2, #-8                         // none left?
    b.eq        2f
    fmov        d7, x2
    shl         d7, d7, #3                      // minus the bits to shift out
    ldr         d6, [x3, x2]                    // up to 7 bytes back, for kc < 8 before the row
    ushl        d6, d6, d7
    uxtl        v6.8h, v6.8b
    one_depth   0
    cmp         x2, #-6
    b.lt        2f                              // 1 depth left: done
    one_depth   1
    b.eq        2f                              // 2 depths left: done
    one_depth   2
    cmp         x2, #-4
    b.lt        2f
    one_depth   3
    b.eq        2f
    one_depth   4
    cmp         x2, #-2
    b.lt        2f
    one_depth   5
    b.eq        2f
    one_depth   6

    // ---- Scale, add the zero point of c, clamp; store eight columns, or else 4, 2, 1 of them.
2:
    load_q31    x8
    requantize_q31 v16, v17, v18, v19           // v16: 8 bytes
    cmp         x1, #8
    b.ne        3f
    str         d16, [x6]                       // 8 bytes
    ret
3:
    tbz         x1, #2, 4f
    str         s16, [x6], #4                   // 4 bytes
    ushr        d16, d16, #32                 // the next columns first
4:
    tbz         x1, #1, 5f
    str         h16, [x6], #2                   // 2 bytes
    ushr        d16, d16, #16                   // the next ones first
5:
    tbz         x1, #0, 6f
    str         b16, [x6]
6:
    ret
