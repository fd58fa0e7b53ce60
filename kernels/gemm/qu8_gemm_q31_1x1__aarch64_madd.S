//! 1x1 uint8 GEMM tile, a plain dot product: two loads for every product.
//! contract: qu8_gemm_q31
//! tile: 1x1
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          x0          1
//! in   nr          x1          1
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          not needed: there is one row
//! in   w           x5          packed weights: 1 int32 bias, then kc bytes
//! in   c           x6          uint8 [mr, nr], the result
//! in   c_stride    x7          not needed
//! in   params      [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pa          x3          where a is read next
//! reg  pw          x5          where the weights are read next
//! reg  pp          x8          where the parameters are read next
//! reg  acc         x9          int32, the sum
//! reg  va          x10         one depth of a
//! reg  vb          x11         one depth of w, less its zero point
//! reg  vwzp        x12         the zero point of w
//! reg  vsum        v16         the sum, for scaling
//! reg  vt          v17-v19     scratch
//! reg  vq31        v0-v5       multiplier, left shift, where nothing is shifted, zero point, limits
//!
//!   c += a[k] * w[k]        1 product for 2 loads; an 8x8 tile makes 64 products out of 16 loaded bytes

#include "include/q31_aarch64.h"

    multiplier  .req v0
    leftshift   .req v1
    unshifted   .req v2
    zeropoint   .req v3
    upper       .req v4
    lower       .req v5

    .text
    .p2align 4
    .global qu8_gemm_q31_1x1__aarch64_madd
qu8_gemm_q31_1x1__aarch64_madd:
    // ---- Start from the bias.
    ldr         x8, [sp]                        // x8: parameters
    ldr         w9, [x5], #4
    ldrb        w12, [x8, #12]                  // x12: zero point of w

    // ---- One product after the other.
0:
    ldrb        w10, [x3], #1
    ldrb        w11, [x5], #1
    sub         w11, w11, w12
    madd        w9, w10, w11, w9
    subs        x2, x2, #1
    b.ne        0b

    // ---- Scale one lane as kernels of more columns scale eight, and store it.
    dup         v16.4s, w9
    load_q31    x8
    mov         v17.16b, v16.16b
    requantize_q31 v16, v17, v18, v19           // v16: 8 bytes
    str         b16, [x6]
    ret
