//! Add two vectors of int8 with their scales, ties up; 32 at a time, then 8, then the rest.
//! contract: qs8_vadd
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
//! in   params      x4          neonsim_scaled_add_params, 20 bytes
//!
//! reg  count       x0          elements left, less 32 or 8
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v3       8 elements of a each, then of y
//! reg  vb          v4-v7       8 elements of b each
//! reg  vt          v16-v19     scratch
//! reg  vparams     v23-v30  zero points of a and b, factors of a and b, minus the shift, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last elements
//!
//!   a - za   9 bits   x   21 bits      int32; one rounding shift for the sum of both
//!   b - zb   9 bits   x   21 bits

#include "include/int8_aarch64.h"
#include "include/elementwise_aarch64.h"

    azp         .req v23                        // zero point of a
    bzp         .req v24                        // zero point of b
    amul        .req v25                        // factor of a
    bmul        .req v26                        // factor of b
    rightshift  .req v27                        // minus the shift to the right
    zeropoint   .req v28                        // zero point of y
    upper       .req v29                        // largest value allowed
    lower       .req v30                        // smallest

#define KERNEL qs8_vadd_32x__aarch64_neon
#include "bodies/vadd_aarch64.h"
