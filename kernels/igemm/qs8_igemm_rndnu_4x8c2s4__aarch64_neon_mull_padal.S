//! 4x8c2s4 int8 indirect GEMM tile, rndnu; rows turned against turned weights, each product added up in pairs.
//! contract: qs8_igemm_rndnu
//! tile: 4x8c2s4
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
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 2 depths, 2 bytes for each column, turned within 8 depths
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   int8 [kc], what taps outside the image point at
//! in   params      [sp, #24]   neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa3    x17, x10, x11, x12 where each row is read next
//! reg  pc0..pc3    x6, x13, x14, x15 where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  pp          x20         where the parameters are read next
//! reg  offset      x16         a_offset
//! reg  zero        x7          the row of zeros
//! reg  va[0..3]    v0-v7       8 depths of a row twice, and 8 more
//! reg  vacc[0..3]  v16-v23     int32, two registers per row
//! reg  vb          v24-v25     2 depths of eight columns
//! reg  vp          v26-v29     products or sums of two, 16 bits
//!
//!    turn   row           column 0    column 1    column 2    column 3     and columns 4..7 alike
//!     0     a0 .. a7      k 0, 1      k 2, 3      k 4, 5      k 6, 7       weights as they were packed
//!     1     a2 .. a1      k 2, 3      k 4, 5      k 6, 7      k 0, 1       EXT turns the row by two depths
//!     2     a4 .. a3      k 4, 5      k 6, 7      k 0, 1      k 2, 3
//!     3     a6 .. a5      k 6, 7      k 0, 1      k 2, 3      k 4, 5

#include "include/gemm_4x8_aarch64.h"
#include "include/pairwise_4x8c2s4_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

#define KERNEL qs8_igemm_rndnu_4x8c2s4__aarch64_neon_mull_padal
#define MULTIPLY multiply_mull x0, x2
#include "bodies/igemm_4x8_aarch64.h"
