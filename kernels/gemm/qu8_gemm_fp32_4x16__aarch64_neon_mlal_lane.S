//! 4x16 uint8 GEMM tile, fp32; multiply-accumulate long by element.
//! contract: qu8_gemm_fp32
//! tile: 4x16
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 16 int32 biases, then kc times 16 bytes
//! in   c           x6          uint8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   params      [sp, #8]    neonsim_fp32_gemm_params, 24 bytes
//!
//! reg  pa0..pa3    x3, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  vwzp        v7          the zero point of w, 16 times
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
#include "include/uint8_aarch64.h"
#include "include/fp32_aarch64.h"

#define KERNEL qu8_gemm_fp32_4x16__aarch64_neon_mlal_lane
#define MULTIPLY multiply    x0, x2
#define UINT8
#define FP32
#include "bodies/gemm_4x16_aarch64.h"
