//! Depthwise convolution of int8, 9 taps, 8 channels at a time, one scale, rndnu; two taps in 16 bits.
//! contract: qs8_dwconv_rndnu
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         x0          at least 1
//! in   output_width     x1          output pixels, at least 1
//! in   input            x2          pointers: 9 rows of channels for each pixel, column by column
//! in   w                x3          packed weights: per 8 channels 8 int32 biases, 9 taps of 8 bytes
//! in   output           x4          int8 [output_width, channels]
//! in   input_stride     x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment x6          bytes between two pixels of the output
//! in   input_offset     x7          bytes added to every pointer but zero
//! in   zero             [sp]        int8 [channels], what taps outside the image point at
//! in   params           [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pi0..pi8         x8-x16      where the rows of nine taps begin
//! reg  zero             x17         the row of zeros
//! reg  pw               x19         where the weights are read next
//! reg  done             x20         channels done: offset into every row
//! reg  left             x21         channels left, less 8
//! reg  vtap             v0-v7       taps and weights of two pairs
//! reg  vacc             v16-v17     int32 sums of 8 channels
//! reg  vbyte            v18-v19     those of the 8 before, on their way to bytes
//! reg  vparams          v20-v25     multiplier, both shifts, zero point, limits
//! reg  vproduct         v26, v28    products of two pairs
//! reg  vs               v31         minus the bits to shift out of the last channels
//!
//!   x0 * w0 + x1 * w1  in 16 bits (at most 2 * 128 * 127);  then added to 32 bits:  per 8 channels and
//!   two taps 2 multiplications and 2 additions, half of what single products need

#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/dwconv_aarch64.h"
#include "include/dwconv_mla8_aarch64.h"
#include "include/dwconv_rndnu_aarch64.h"

    multiplier  .req v20                        // 31 bits of the scale
    preshift    .req v21                        // shift to the left
    postshift   .req v22                        // minus the shift to the right
    zeropoint   .req v23                        // zero point of the output
    upper       .req v24                        // largest value allowed
    lower       .req v25                        // smallest

#define KERNEL qs8_dwconv_rndnu_8x9__aarch64_neon_mla8
#include "bodies/dwconv_8x9_aarch64.h"
