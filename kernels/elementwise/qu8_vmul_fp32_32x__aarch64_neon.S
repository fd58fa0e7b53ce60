//! Multiply two vectors of uint8 element by element, scaled in single precision; 32 at a time, then 8, then the rest.
//! contract: qu8_vmul_fp32
//! tile: 32x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   a           x1          uint8 [n]
//! in   b           x2          uint8 [n]
//! in   y           x3          uint8 [n], may be a or b
//! in   params      x4          neonsim_multiply_fp32_params, 16 bytes
//!
//! reg  count       x0          elements left, less 32 or 8
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       8 elements of a each, then of y
//! reg  vb          v4-v7       8 elements of b each
//! reg  vt          v16-v19     scratch
//! reg  vparams     v24-v26, v28-v30  zero points of a and b, scale, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last elements
//!
//!   a - za   9 bits                    a product of 18 bits is exact in single precision;
//!   b - zb   9 bits                    the scale rounds once, the conversion once more

#include "include/uint8_aarch64.h"
#include "include/fp32_aarch64.h"
#include "include/elementwise_aarch64.h"

    azp         .req v24                        // zero point of a
    bzp         .req v25                        // zero point of b
    mulscale    .req v26                        // scale of the products
    zeropoint   .req v28                        // zero point of y
    upper       .req v29                        // largest value allowed
    lower       .req v30                        // smallest

// Eight products in a and b, by the one scale.
.macro scale_products a, b
    scale_half_row_fp32 \a, \b, mulscale, mulscale
.endm

// Eight elements of a and of b; their product in a.
.macro element_8 a, b
    less_zero   v17, \b, bzp
    multiply_8  \a, v17
.endm

#define KERNEL qu8_vmul_fp32_32x__aarch64_neon
#include "bodies/vmul_fp32_aarch64.h"
