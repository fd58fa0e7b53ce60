//! Multiply two vectors of int8 element by element, rndnu; 32 at a time, then 8, then the rest.
//! contract: qs8_vmul_rndnu
//! tile: 32x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   a           x1          int8 [n]
//! in   b           x2          int8 [n]
//! in   y           x3          int8 [n], may be a or b
//! in   params      x4          neonsim_mul_rndnu_params, 20 bytes
//!
//! reg  count       x0          elements left, less 32 or 8
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       8 elements of a each, then of y
//! reg  vb          v4-v7       8 elements of b each
//! reg  vt          v16-v19     scratch
//! reg  vparams     v22, v24-v30  zero points of a and b, multiplier, both shifts, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last elements
//!
//!   a - za   9 bits                    a product of 18 bits; one exact rounding, ties up
//!   b - zb   9 bits

#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"
#include "include/elementwise_aarch64.h"

    postshift   .req v22                        // minus the shift to the right
    azp         .req v24                        // zero point of a
    bzp         .req v25                        // zero point of b
    multiplier  .req v26                        // 31 bits of the scale
    preshift    .req v27                        // shift to the left
    zeropoint   .req v28                        // zero point of y
    upper       .req v29                        // largest value allowed
    lower       .req v30                        // smallest

// Eight products in a and b: shift left, multiply, shift right.
.macro scale_products a, b
    scale_half_row_rndnu \a, \b
.endm

// Eight elements of a and of b; their product in a.
.macro element_8 a, b
    less_zero   v17, \b, bzp
    multiply_8  \a, v17
.endm

    .text
    .p2align 4
    .global qs8_vmul_rndnu_32x__aarch64_neon
qs8_vmul_rndnu_32x__aarch64_neon:
    // ---- Fetch the parameters.
    load_rndnu  x4
    load_mul_zeros x4

    // ---- Thirty-two elements at a time, as long as that many are left.
    subs        x0, x0, #32
    b.lo        1f
0:
    ldp         d0, d1, [x1], #16
    ldp         d2, d3, [x1], #16
    ldp         d4, d5, [x2], #16
    ldp         d6, d7, [x2], #16
    element_8   v0, v4                          // 8 results
    element_8   v1, v5                          // 8 results
    element_8   v2, v6                          // 8 results
    element_8   v3, v7                          // 8 results
    stp         d0, d1, [x3], #16
    stp         d2, d3, [x3], #16
    subs        x0, x0, #32
    b.hs        0b

    // ---- Eight elements at a time.
1:
    adds        x0, x0, #24                     // x0: elements left, less 8
    b.mi        3f
2:
    ldr         d0, [x1], #8
    ldr         d4, [x2], #8
    element_8   v0, v4                          // 8 results
    str         d0, [x3], #8
    subs        x0, x0, #8
    b.pl        2b

    // ---- The last 1..7 elements: the 8 bytes that end with them.
3:
    cmp         x0, #-8                         // none left?
    b.eq        4f
    shift_of_rest x0
    load_rest   0, x1, x0
    load_rest   4, x2, x0
    element_8   v0, v4
    store_rest  0, x3, x0
4:
    ret
