//! 6x4 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 6x4
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows of this tile, 1..6
//! in   nr          x1          columns of this tile, 1..4
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights: 4 int32 biases, then kc times 4 bytes
//! in   c           x6          uint8 [mr, nr], the result
//! in   c_stride    x7          bytes from one row of c to the next
//! in   params      [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pa0         x3          where row 0 of a is read next
//! reg  pa1..pa5    x9-x13      the same for rows 1 to 5
//! reg  pw          x5          where the weights are read next
//! reg  pp          x8          where the parameters are read next
//! reg  t           x14         scratch
//! reg  va0..va5    v0-v5       8 depths of one row each, as int16
//! reg  vb          v6          4 columns of two depths of w, less their zero point, as int16
//! reg  vwzp        v7          the zero point of w, 8 times
//! reg  vacc0..vacc5 v16-v21    int32 sums, one register per row
//! reg  vt          v22-v23     scratch
//!
//!                     vb: columns 0..3 of two depths
//!                     | w0 w1 w2 w3 | w0 w1 w2 w3 |      24 products out of 10 loaded bytes: 2.4 for each, where
//!   six rows of a     | one sum     |                    4x8 has 32 out of 12: 2.67
//!                     | per row     |

#include "include/q31_aarch64.h"

    multiplier  .req v0
    leftshift   .req v1
    unshifted   .req v2
    zeropoint   .req v3
    upper       .req v4
    lower       .req v5

// Pointers to six rows from the first one, p0; rows that do not exist repeat the last one that does.
.macro six_rows stride, p0
    cmp         x0, #2
    add         x9, \p0, \stride
    csel        x9, \p0, x9, lo                 // mr <= 1: row 1 is row 0 again
    add         x10, x9, \stride
    csel        x10, x9, x10, ls                // mr <= 2
    cmp         x0, #4
    add         x11, x10, \stride
    csel        x11, x10, x11, lo               // mr <= 3
    add         x12, x11, \stride
    csel        x12, x11, x12, ls               // mr <= 4
    cmp         x0, #6
    add         x13, x12, \stride
    csel        x13, x12, x13, lo               // mr <= 5
.endm

.macro widen_rows
    uxtl        v0.8h, v0.8b
    uxtl        v1.8h, v1.8b
    uxtl        v2.8h, v2.8b
    uxtl        v3.8h, v3.8b
    uxtl        v4.8h, v4.8b
    uxtl        v5.8h, v5.8b
.endm

// Two depths: four columns of each lie in one register of weights.
.macro two_depths first, second
    ld1         {v6.8b}, [x5], #8
    usubl       v6.8h, v6.8b, v7.8b
    smlal       v16.4s, v6.4h, v0.h[\first]
    smlal       v17.4s, v6.4h, v1.h[\first]
    smlal       v18.4s, v6.4h, v2.h[\first]
    smlal       v19.4s, v6.4h, v3.h[\first]
    smlal       v20.4s, v6.4h, v4.h[\first]
    smlal       v21.4s, v6.4h, v5.h[\first]
    smlal2      v16.4s, v6.8h, v0.h[\second]
    smlal2      v17.4s, v6.8h, v1.h[\second]
    smlal2      v18.4s, v6.8h, v2.h[\second]
    smlal2      v19.4s, v6.8h, v3.h[\second]
    smlal2      v20.4s, v6.8h, v4.h[\second]
    smlal2      v21.4s, v6.8h, v5.h[\second]
.endm

// One depth, of the rest.
.macro one_depth lane
    ldr         s6, [x5], #4
    usubl       v6.8h, v6.8b, v7.8b
    smlal       v16.4s, v6.4h, v0.h[\lane]
    smlal       v17.4s, v6.4h, v1.h[\lane]
    smlal       v18.4s, v6.4h, v2.h[\lane]
    smlal       v19.4s, v6.4h, v3.h[\lane]
    smlal       v20.4s, v6.4h, v4.h[\lane]
    smlal       v21.4s, v6.4h, v5.h[\lane]
.endm

    .text
    .p2align 4
    .global qu8_gemm_q31_6x4__aarch64_neon_mlal_lane
qu8_gemm_q31_6x4__aarch64_neon_mlal_lane:
    // ---- Point at six rows of a; rows that do not exist repeat the last one that does.
    ldr         x8, [sp]                        // x8: parameters
    six_rows    x4, x3

    // ---- Start all six rows from the biases of the four columns.
    ldr         q16, [x5], #16
    add         x14, x8, #12
    ld1r        {v7.8b}, [x14]                  // v7: zero point of w
    mov         v17.16b, v16.16b
    mov         v18.16b, v16.16b
    mov         v19.16b, v16.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v16.16b

    // ---- Eight depths at a time, as long as eight are left.
    subs        x2, x2, #8
    b.lo        1f
0:
    ld1         {v0.8b}, [x3], #8
    ld1         {v1.8b}, [x9], #8
    ld1         {v2.8b}, [x10], #8
    ld1         {v3.8b}, [x11], #8
    ld1         {v4.8b}, [x12], #8
    ld1         {v5.8b}, [x13], #8
    widen_rows
    two_depths  0, 1                            // depths 0 and 1
    two_depths  2, 3                            // depths 2 and 3
    two_depths  4, 5                            // depths 4 and 5
    two_depths  6, 7                            // depths 6 and 7
    subs        x2, x2, #8
    b.hs        0b

    // ---- The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
1:
    cmp         x2, #-8                         // none left?
    b.eq        2f                              // an even number of depths: done
    fmov        d6, x2
    shl         d6, d6, #3                      // minus the bits to shift out
    ldr         d0, [x3, x2]                    // up to 7 bytes back, for kc < 8 before the row
    ldr         d1, [x9, x2]                    // the last of row 1
    ldr         d2, [x10, x2]                   // the last of row 2
    ldr         d3, [x11, x2]                   // the last of row 3
    ldr         d4, [x12, x2]                   // the last of row 4
    ldr         d5, [x13, x2]                   // the last of row 5
    ushl        d0, d0, d6
    ushl        d1, d1, d6
    ushl        d2, d2, d6
    ushl        d3, d3, d6
    ushl        d4, d4, d6
    ushl        d5, d5, d6
    widen_rows
    one_depth   0
    cmp         x2, #-6
    b.lt        2f                              // 1 depth left: done
    one_depth   1
    b.eq        2f                              // 2 depths left: done
    one_depth   2
    cmp         x2, #-4
    b.lt        2f                              // an odd number of depths: done
    one_depth   3
    b.eq        2f                              // an even number of depths: done
    one_depth   4
    cmp         x2, #-2
    b.lt        2f                              // an odd number of depths: done
    one_depth   5
    b.eq        2f                              // an even number of depths: done
    one_depth   6

    // ---- Scale, add the zero point of c, clamp: two rows end in each of v16, v18, v20.
2:
    load_q31    x8
    requantize_q31 v16, v17, v22, v23           // v16: 8 bytes
    requantize_q31 v18, v19, v22, v23
    requantize_q31 v20, v21, v22, v23

    // ---- Point at six rows of c, as for a, and store four columns, or else 2, 1 of them.
    six_rows    x7, x6
    cmp         x1, #4
    b.ne        3f
    st1         {v16.s}[0], [x6]
    st1         {v16.s}[1], [x9]
    st1         {v18.s}[0], [x10]
    st1         {v18.s}[1], [x11]
    st1         {v20.s}[0], [x12]
    st1         {v20.s}[1], [x13]
    ret
3:
    tbz         x1, #1, 4f
    st1         {v16.h}[0], [x6], #2
    st1         {v16.h}[2], [x9], #2
    st1         {v18.h}[0], [x10], #2
    st1         {v18.h}[2], [x11], #2
    st1         {v20.h}[0], [x12], #2
    st1         {v20.h}[2], [x13], #2
    ushr        v16.2s, v16.2s, #16             // the last column of both rows first
    ushr        v18.2s, v18.2s, #16
    ushr        v20.2s, v20.2s, #16
4:
    tbz         x1, #0, 5f
    st1         {v16.b}[0], [x6]
    st1         {v16.b}[4], [x9]
    st1         {v18.b}[0], [x10]
    st1         {v18.b}[4], [x11]
    st1         {v20.b}[0], [x12]
    st1         {v20.b}[4], [x13]
5:
    ret
