//! Difference of a vector of uint8 and a constant, with their scales, ties up; 16 at a time, then 8, then the rest.
//! contract: qu8_vsubc
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          uint8 [n]
//! in   b           r2          uint8 [1]
//! in   y           r3          uint8 [n], may be a
//! in   params      [sp]        neonsim_scaled_add_params, 20 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 elements of a each, then of y
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q13     factor of a, constant times its factor, minus the shift, zero point of y
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   a - za   9 bits   x   21 bits      int32, one factor negative; one rounding shift for both
//!   b - zb   9 bits   x   21 bits

#include "include/uint8_aarch32.h"
#include "include/elementwise_aarch32.h"

    amul        .req q10                        // factor of a
    bmul        .req q11                        // factor of b
    rightshift  .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of y
    bias        .req q11                        // the constant, times its factor
    azp         .req d28                        // zero point of a
    bzp         .req d29                        // zero point of b
    upper       .req d30                        // largest value allowed
    lower       .req d31                        // smallest

#define KERNEL qu8_vsubc_16x__aarch32_neon
#include "bodies/vaddc_aarch32.h"
