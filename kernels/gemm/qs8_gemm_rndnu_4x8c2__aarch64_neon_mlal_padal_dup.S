//! 4x8c2 int8 GEMM tile, rndnu; two depths of a row repeated, two products in 16 bits, then added up in pairs.
//! contract: qs8_gemm_rndnu
//! tile: 4x8c2
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 2 depths, 2 bytes for each column
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   params      [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa3    x3, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  va0..va3    v0-v3       8 or 16 depths of one row each
//! reg  vb          v4-v5       2 depths of eight columns
//! reg  vd          v6-v7       2 depths of a row, 8 times
//! reg  vacc[0..3]  v16-v23     int32, two registers per row
//! reg  vp          v24-v31     products or sums of two, 16 bits
//!
//!                  c0k0 c0k1 c1k0 c1k1 c2k0 c2k1 c3k0 c3k1 | columns 4..7         v4: two depths of eight columns
//!    a[k] a[k+1] a[k] a[k+1] a[k] a[k+1] a[k] a[k+1]       | the same             v6: two depths of a row, repeated
//!                  \_______/ \_______/                                          SMULL, then SADALP adds neighbours
//!                   column 0    column 1

#include "include/gemm_4x8_aarch64.h"
#include "include/pairwise_4x8c2_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

#define KERNEL qs8_gemm_rndnu_4x8c2__aarch64_neon_mlal_padal_dup
#define MULTIPLY multiply_mlal x0, x2
#include "bodies/gemm_4x8_aarch64.h"
