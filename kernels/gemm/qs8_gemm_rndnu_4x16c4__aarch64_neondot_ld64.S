//! 4x16c4 int8 GEMM tile, rndnu; dot products by element, 64 bits of a row per load.
//! contract: qs8_gemm_rndnu
//! tile: 4x16c4
//! isa: aarch64
//! feature: dotprod
//! reads-before: 3
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 16 int32 biases, then groups of 4 depths, 4 bytes for each column
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 16 columns of c to the next
//! in   params      [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa3    x3, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  va0..va3    v0-v3       8 depths of one row each
//! reg  vb0..vb3    v4-v7       4 depths of four columns each
//! reg  vacc[0..3]  v16-v31     int32, four registers per row
//!
//!                 v4: columns 0..3     v5: 4..7     v6: 8..11    v7: 12..15    of four depths
//!                +------------+------------+------------+------------+
//!    v0.4b[g]    | v16        | v17        | v18        | v19        |   16 SDOT, 256 products, for each four depths: group g
//!    v1.4b[g]    | v20        | v21        | v22        | v23        |   of a row is the lane of four bytes of its register
//!    v2.4b[g]    | v24        | v25        | v26        | v27        |
//!    v3.4b[g]    | v28        | v29        | v30        | v31        |
//!                +------------+------------+------------+------------+

#include "include/tile_4x16_aarch64.h"
#include "include/neondot_4x16c4_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

#define KERNEL qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64
#define MULTIPLY multiply_ld64 x0, x2
#define ARCH armv8.2-a+dotprod
#define RNDNU
#include "bodies/gemm_4x16_aarch64.h"
