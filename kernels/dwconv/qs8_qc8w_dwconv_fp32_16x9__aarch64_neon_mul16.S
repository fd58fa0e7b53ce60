//! Depthwise convolution of int8, 9 taps, 16 channels at a time, scale per channel, in single precision; taps widened to 16 bits.
//! contract: qs8_qc8w_dwconv_fp32
//! tile: 16x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         x0          at least 1
//! in   output_width     x1          output pixels, at least 1
//! in   input            x2          pointers: 9 rows of channels for each pixel, column by column
//! in   w                x3          packed weights: per 16 channels 16 int32 biases, 9 taps of 16 bytes, then 16 scales
//! in   output           x4          int8 [output_width, channels]
//! in   input_stride     x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment x6          bytes between two pixels of the output
//! in   input_offset     x7          bytes added to every pointer but zero
//! in   zero             [sp]        int8 [channels], what taps outside the image point at
//! in   params           [sp, #8]    neonsim_qc8w_params, 16 bytes
//!
//! reg  pi0..pi8         x8-x16      where the rows of nine taps begin
//! reg  zero             x17         the row of zeros
//! reg  pw               x19         where the weights are read next
//! reg  done             x20         channels done: offset into every row
//! reg  left             x21         channels left, less 16
//! reg  block            x22         the last block of weights
//! reg  half             x23         first channel of a half of it, 0 or 8
//! reg  vtap             v0-v7       taps and weights of two pairs
//! reg  vacc             v16-v19     int32 sums of 16 channels
//! reg  vscale           v20-v21     scales of half a block
//! reg  vparams          v23-v25     zero point, limits
//! reg  vwide            v26-v29     taps and weights of 16 bits
//! reg  vbyte            v30         the 16 before, on their way to bytes
//! reg  vs               v31         some of them; then minus the bits to shift out of the last channels
//!
//!   x, w   8 bits -> 16 bits;  x * w added to 32 bits:  per 8 channels and tap 2 widenings and 2 multiplications

#include "include/int8_aarch64.h"
#include "include/fp32_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/dwconv_aarch64.h"
#include "include/dwconv_mul16_aarch64.h"
#include "include/dwconv_fp32_aarch64.h"
#include "include/dwconv_qc8w_aarch64.h"

    zeropoint   .req v23                        // zero point of the output
    upper       .req v24                        // largest value allowed
    lower       .req v25                        // smallest

#define KERNEL qs8_qc8w_dwconv_fp32_16x9__aarch64_neon_mul16
#include "bodies/dwconv_16x9_aarch64.h"
