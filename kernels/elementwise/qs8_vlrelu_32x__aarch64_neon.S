//! Leaky ReLU of a vector of int8, with another scale and zero point; 32 at a time, then 8, then the rest.
//! contract: qs8_vlrelu
//! tile: 32x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          int8 [n]
//! in   y           x2          int8 [n], may be x
//! in   params      x3          neonsim_leaky_params, 8 bytes
//!
//! reg  count       x0          elements left, less 32 or 8
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       8 elements of x each, then of y
//! reg  vt          v16-v19     scratch
//! reg  vparams     v24-v27  zero point of x, minus the factors above and below it, zero point of y
//! reg  vs          v31         minus the bits to shift out of the last elements
//!
//!   zx - x   9 bits, shifted left by 7 to fill 16;  times minus one of two factors, by its sign,
//!                   high half of twice the product, rounded: ((x - zx) * m + 128) >> 8

#include "include/int8_aarch64.h"
#include "include/elementwise_aarch64.h"

    izp         .req v24                        // zero point of x
    positive    .req v25                        // minus the factor above the zero point
    negative    .req v26                        // minus the factor below
    zeropoint   .req v27                        // zero point of y

    .text
    .p2align 4
    .global qs8_vlrelu_32x__aarch64_neon
qs8_vlrelu_32x__aarch64_neon:
    // ---- Fetch the parameters.
    load_leaky  x3

    // ---- Thirty-two elements at a time, as long as that many are left.
    subs        x0, x0, #32
    b.lo        1f
0:
    ldp         d0, d1, [x1], #16
    ldp         d2, d3, [x1], #16
    leaky_8     v0                              // 8 results
    leaky_8     v1                              // 8 results
    leaky_8     v2                              // 8 results
    leaky_8     v3                              // 8 results
    stp         d0, d1, [x2], #16
    stp         d2, d3, [x2], #16
    subs        x0, x0, #32
    b.hs        0b

    // ---- Eight elements at a time.
1:
    adds        x0, x0, #24                     // x0: elements left, less 8
    b.mi        3f
2:
    ldr         d0, [x1], #8
    leaky_8     v0                              // 8 results
    str         d0, [x2], #8
    subs        x0, x0, #8
    b.pl        2b

    // ---- The last 1..7 elements: the 8 bytes that end with them.
3:
    cmp         x0, #-8                         // none left?
    b.eq        4f
    shift_of_rest x0
    load_rest   0, x1, x0
    leaky_8     v0
    store_rest  0, x2, x0
4:
    ret
