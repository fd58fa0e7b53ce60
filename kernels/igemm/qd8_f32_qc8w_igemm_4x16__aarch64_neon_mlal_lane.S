//! 4x16 int8 indirect GEMM tile, dynamic images; multiply-accumulate long by element.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x16
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 4] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 16 int32 minus the sum of each column, then kc times 16 bytes, then 16 scales and 16 biases
//! in   c           x6          float32 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   what pointers of taps outside the image equal; it is not read there
//! in   zero_data   [sp, #24]   int8 [kc], zero points of the image: what is read in its place
//! in   scheme      [sp, #32]   {int32 zero point, float scale} of the image
//! in   params      [sp, #40]   neonsim_qd8_params, 8 bytes
//!
//! reg  pa0..pa3    x17, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  offset      x16         a_offset
//! reg  zero        x7          zero
//! reg  zeros       x20         the row of zero points
//! reg  va0..va3    v0-v3       8 depths of one row each, as int16
//! reg  vb          v4-v5       16 columns of one depth of w, as int16
//! reg  vacc[0..3]  v16-v31     int32, four registers per row
//!
//!                v5: columns 0..7      v4: columns 8..15      of one depth
//!               +----------+----------+----------+----------+
//!    v0  a0[k]  | v16      | v17      | v18      | v19      |   16 multiplies, 64 products, for each loaded register of
//!    v1  a1[k]  | v20      | v21      | v22      | v23      |   weights and two widenings; depth k of a row is lane k
//!    v2  a2[k]  | v24      | v25      | v26      | v27      |   mod 8 of its register
//!    v3  a3[k]  | v28      | v29      | v30      | v31      |
//!               +----------+----------+----------+----------+

#include "include/tile_4x16_aarch64.h"
#include "include/mlal_lane_4x16_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/qd8_aarch64.h"

#define KERNEL qd8_f32_qc8w_igemm_4x16__aarch64_neon_mlal_lane
#define MULTIPLY multiply    x0, x2
#include "bodies/igemm_qd8_4x16_aarch64.h"
