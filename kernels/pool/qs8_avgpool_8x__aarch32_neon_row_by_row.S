//! Average of any number of gathered rows of int8 per pixel, row after row, 8 channels at a time.
//! contract: qs8_avgpool
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        int8 [kc], not read: every row is there
//! in   y           [sp, #4]    int8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_mean_params, 20 bytes
//!
//! reg  table       r4          the next pointer of this pixel
//! reg  pi          r5          the row it leads to
//! reg  rows        r6          rows left for these channels
//! reg  done        r7          channels done: offset into every row
//! reg  out         r8          where the averages are written next
//! reg  steps       r9-r10      bytes to the next pixel's pointers, bytes between two pixels of y
//! reg  count       r12         channels left, less 8
//! reg  vrow        q0          8 channels of a row
//! reg  vsum        q8-q9       int32 sums of 8 channels
//! reg  vparams     q10-q13     multiplier, both shifts, zero point of y
//! reg  vbias       q14         minus ks zero points of the input
//! reg  vs          d30         minus the bits to shift out of the last channels
//! reg  vlimits     d8-d9       largest and smallest value allowed
//!
//!               channels 0..7   8..15   ...     the pointers of a pixel are read once for every eight channels,
//!   row 0            |            |             so that the sums of a window of any size stay in two registers
//!   row 1            |            |
//!   ...              v            v

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

#define KERNEL qs8_avgpool_8x__aarch32_neon_row_by_row
#define FINISH scale_products_rndnu d16
#include "bodies/avgpool_rows_aarch32.h"
