//! Multiply a vector of uint8 by a constant, rndnu; 16 at a time, then 8, then the rest.
//! contract: qu8_vmulc_rndnu
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
//! in   params      [sp]        neonsim_multiply_rndnu_params, 20 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 elements of a each, then of y
//! reg  vfactor     q1          constant less its zero point, as int16
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q13     multiplier, both shifts, zero point of y
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   a - za   9 bits                    a product of 18 bits; one exact rounding, ties up
//!   b - zb   9 bits

#include "include/uint8_aarch32.h"
#include "include/elementwise_aarch32.h"

    multiplier  .req q10                        // 31 bits of the scale
    preshift    .req q11                        // shift to the left
    postshift   .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of y
    azp         .req d28                        // zero point of a
    bzp         .req d29                        // zero point of b
    upper       .req d30                        // largest value allowed
    lower       .req d31                        // smallest
    factor      .req q1                         // the constant less its zero point

// Products in q8 and q9 to eight bytes in d.
.macro scale_products d
    scale_products_rndnu \d
.endm

#define KERNEL qu8_vmulc_rndnu_16x__aarch32_neon
#include "bodies/vmulc_rndnu_aarch32.h"
