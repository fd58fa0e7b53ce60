//! Average of up to 9 gathered rows of int8 per pixel in one pass, 8 channels at a time.
//! contract: qs8_avgpool
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, 1..9
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        int8 [kc], zero points of the input
//! in   y           [sp, #4]    int8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_mean_params, 20 bytes
//!
//! reg  count       r0          channels left, less 8; pixels left are on the stack
//! reg  i0..i8      r4-r12      where the nine rows of this pixel are read next
//! reg  out         r14         where the averages are written next
//! reg  vrow        d0-d7       8 channels of each row, the ninth in d16
//! reg  vsum        q8-q9       int32 sums of 8 channels
//! reg  vparams     q10-q13     multiplier, both shifts, zero point of y
//! reg  vbias       q14         minus nine zero points of the input
//! reg  vs          d30         minus the bits to shift out of the last channels
//! reg  vlimits     d8-d9       largest and smallest value allowed
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch32.h"
#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/mean_aarch32.h"

    bias        .req q14                        // minus n zero points of the input
    multiplier  .req q10                        // 31 bits of the scale
    preshift    .req q11                        // shift to the left
    postshift   .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of y
    upper       .req d8                         // largest value allowed
    lower       .req d9                         // smallest

#define KERNEL qs8_avgpool_8x9__aarch32_neon
#define FINISH scale_products_rndnu d16
#include "bodies/avgpool_8x9_aarch32.h"
