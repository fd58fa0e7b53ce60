//! Depthwise convolution of int8, 9 taps, 8 channels at a time, one scale, rndnu; two taps in 16 bits.
//! contract: qs8_dwconv_rndnu
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         r0          at least 1
//! in   output_width     r1          output pixels, at least 1
//! in   input            r2          pointers: 9 rows of channels for each pixel, column by column
//! in   w                r3          packed weights: per 8 channels 8 int32 biases, 9 taps of 8 bytes
//! in   output           [sp]        int8 [output_width, channels]
//! in   input_stride     [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   output_increment [sp, #8]    bytes between two pixels of the output
//! in   input_offset     [sp, #12]   bytes added to every pointer but zero
//! in   zero             [sp, #16]   int8 [channels], what taps outside the image point at
//! in   params           [sp, #20]   neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  left             r0          channels left, less 8; between pixels the row of zeros
//! reg  pixels           r1          pixels left
//! reg  table            r2          this pixel's pointers
//! reg  pw               r3          where the weights are read next; between pixels input_offset
//! reg  pi0..pi8         r4-r12      where the rows of nine taps are read next
//! reg  out              r14         where the output is written next
//! reg  vtap             q0-q3       taps and weights of two pairs
//! reg  vproduct         q4-q5       products of two pairs
//! reg  vbyte            q6-q7       sums of the 8 before, on their way to bytes
//! reg  vacc             q8-q9       int32 sums of 8 channels
//! reg  vparams          q10-q13     multiplier, both shifts, zero point
//! reg  vlimits          d28-d29     largest and smallest value allowed
//! reg  vs               d30         minus the bits to shift out of the last channels
//!
//!   x0 * w0 + x1 * w1  in 16 bits (at most 2 * 128 * 127);  then added to 32 bits:  per 8 channels and
//!   two taps 2 multiplications and 2 additions, half of what single products need

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/dwconv_aarch32.h"
#include "include/dwconv_mla8_aarch32.h"
#include "include/dwconv_rndnu_aarch32.h"

    multiplier  .req q10                        // 31 bits of the scale
    preshift    .req q11                        // shift to the left
    postshift   .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of the output
    upper       .req d28                        // largest value allowed
    lower       .req d29                        // smallest

#define KERNEL qs8_dwconv_rndnu_8x9__aarch32_neon_mla8
#include "bodies/dwconv_8x9_aarch32.h"
