//! Average of any number of gathered rows of int8 per pixel, row after row, 8 channels at a time; ties away from zero.
//! contract: qs8_avgpool_rndna
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, at least 1
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          int8 [kc], not read: every row is there
//! in   y           x5          int8 [n, kc]
//! in   x_increment x6          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x7          bytes between two pixels of y
//! in   params      [sp]        neonsim_average_pool_params, 24 bytes
//!
//! reg  table       x8          the next pointer of this pixel
//! reg  pi          x9          the row it leads to
//! reg  rows        x10         rows left for these channels
//! reg  done        x14         channels done: offset into every row
//! reg  count       x15         channels left, less 8
//! reg  vrow        v0          8 channels of a row
//! reg  vsum        v16-v17     int32 sums of 8 channels
//! reg  vscratch    v18-v19, v27 products of 64 bits, signs
//! reg  vparams     v20-v25     minus ks zero points of the input; multiplier, minus the shift, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last channels
//!
//!               channels 0..7   8..15   ...     the pointers of a pixel are read once for every eight channels,
//!   row 0            |            |             so that the sums of a window of any size stay in two registers
//!   row 1            |            |
//!   ...              v            v

#include "include/int8_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/mean_aarch64.h"
#include "include/average_aarch64.h"

    bias        .req v20                        // minus n zero points of the input
    multiplier  .req v21                        // 24 bits of the scale
    rightshift  .req v22                        // minus the shift to the right, of 64 bits
    zeropoint   .req v23                        // zero point of y
    upper       .req v24                        // largest value allowed
    lower       .req v25                        // smallest

#define KERNEL qs8_avgpool_rndna_8x__aarch64_neon_row_by_row
#define FINISH finish_away_8
#define RNDNA
#include "bodies/avgpool_rows_aarch64.h"
