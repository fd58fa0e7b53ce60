//! Multiply two vectors of int8 element by element, scaled in single precision; 16 at a time, then 8, then the rest.
//! contract: qs8_vmul_fp32
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          int8 [n]
//! in   b           r2          int8 [n]
//! in   y           r3          int8 [n], may be a or b
//! in   params      [sp]        neonsim_multiply_fp32_params, 16 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  pb          r2          where b is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 elements of a each, then of y
//! reg  vb          d2-d3       8 elements of b each
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q12     scale, 12582912, its bits less the zero point of y
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   (a - za) * (b - zb)   18 bits, exact in single precision; times the scale, plus 12582912 = 1.5 * 2**23:
//!                         the integer stands in the low bits of the sum, ties to even

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"

    mulscale    .req q10                        // scale of the products
    magic       .req q11                        // 12582912, in single precision
    magiczero   .req q12                        // its bits, less the zero point of y
    azp         .req d28                        // zero point of a
    bzp         .req d29                        // zero point of b
    upper       .req d30                        // largest value allowed
    lower       .req d31                        // smallest

// Products in q8 and q9 to eight bytes in d.
.macro scale_products d
    scale_products_fp32 \d
.endm

// Eight elements of a and of b; their product in a.
.macro element_8 a, b
    less_zero   q3, \b, bzp
    multiply_8  \a, d6, d7
.endm

#define KERNEL qs8_vmul_fp32_16x__aarch32_neon
#include "bodies/vmul_fp32_aarch32.h"
