//! Multiply a vector of int8 by a constant, rndnu; 32 at a time, then 8, then the rest.
//! contract: qs8_vmulc_rndnu
//! tile: 32x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   a           x1          int8 [n]
//! in   b           x2          int8 [1]
//! in   y           x3          int8 [n], may be a
//! in   params      x4          neonsim_multiply_rndnu_params, 20 bytes
//!
//! reg  count       x0          elements left, less 32 or 8
//! reg  pa          x1          where a is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       8 elements of a each, then of y
//! reg  vt          v16-v19     scratch
//! reg  vparams     v22-v30  constant less its zero point, zero points of a and b, multiplier, both shifts, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last elements
//!
//!   a - za   9 bits                    a product of 18 bits; one exact rounding, ties up
//!   b - zb   the same for every a; subtracted once, before the loop

#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"
#include "include/elementwise_aarch64.h"

    postshift   .req v22                        // minus the shift to the right
    factor      .req v23                        // the constant less its zero point
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

#define KERNEL qs8_vmulc_rndnu_32x__aarch64_neon
#include "bodies/vmulc_rndnu_aarch64.h"
