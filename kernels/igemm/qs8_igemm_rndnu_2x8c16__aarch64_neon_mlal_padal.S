//! 2x8c16 int8 indirect GEMM tile, rndnu; two products in 16 bits, then added up in pairs to 32 bits.
//! contract: qs8_igemm_rndnu
//! tile: 2x8c16
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..2
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 2] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 16 depths, 16 bytes for each column
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #8]    bytes added to every pointer but zero
//! in   zero        [sp, #16]   int8 [kc], what taps outside the image point at
//! in   params      [sp, #24]   neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa1    x17, x10    where each row is read next
//! reg  pc0..pc1    x6, x13     where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  taps        x19         taps left
//! reg  pp          x20         where the parameters are read next
//! reg  offset      x16         a_offset
//! reg  zero        x7          the row of zeros
//! reg  va0..va1    v0-v1       16 depths of one row each
//! reg  vb          v4-v5       16 depths of one column each
//! reg  vp          v8-v11      sums of two products, 16 bits
//! reg  vacc[0..1]  v16-v31     int32, four partial sums per column
//!
//!                columns   0    1    2    3    4    5    6    7        each a register of four partial sums
//!                         +----+----+----+----+----+----+----+----+
//!    v0  row 0, 16 depths | v16| v17| v18| v19| v20| v21| v22| v23|    SMULL of the lower halves, SMLAL2 of the upper ones, then
//!    v1  row 1            | v24| v25| v26| v27| v28| v29| v30| v31|    pairs; at the end a tree of additions makes one of four
//!                         +----+----+----+----+----+----+----+----+

#include "include/gemm_2x8_aarch64.h"
#include "include/pairwise_2x8c16_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

#define KERNEL qs8_igemm_rndnu_2x8c16__aarch64_neon_mlal_padal
#define MULTIPLY multiply    x0, x2
#define RNDNU
#include "bodies/igemm_2x8_aarch64.h"
