//! Average of up to 9 gathered rows of int8 per pixel in one pass, 8 channels at a time; ties away from zero.
//! contract: qs8_avgpool_rndna
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, 1..9
//! in   kc          x2          channels, at least 1
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          int8 [kc], zero points of the input
//! in   y           x5          int8 [n, kc]
//! in   x_increment x6          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x7          bytes between two pixels of y
//! in   params      [sp]        neonsim_average_pool_params, 24 bytes
//!
//! reg  i0..i8      x8-x16      where the nine rows of this pixel are read next
//! reg  count       x17         channels left, less 8
//! reg  vrow        v0-v7       8 channels of each row, the ninth in v16
//! reg  vsum        v16-v17     int32 sums of 8 channels
//! reg  vscratch    v18-v19, v27 products of 64 bits, signs
//! reg  vparams     v20-v25     minus nine zero points of the input; multiplier, minus the shift, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last channels
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch64.h"
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

#define KERNEL qs8_avgpool_rndna_8x9__aarch64_neon
#define FINISH finish_away_8
#define RNDNA
#include "bodies/avgpool_8x9_aarch64.h"
