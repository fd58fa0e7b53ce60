//! 2x8c8 int8 GEMM tile, rndnu; two products in 16 bits, then added up in pairs to 32 bits.
//! contract: qs8_gemm_rndnu
//! tile: 2x8c8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..2
//! in   nc          x1          columns, at least 1
//! in   kc          x2          depth, at least 1
//! in   a           x3          int8 [mr, kc]
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights, block after block: 8 int32 biases, then groups of 8 depths, 8 bytes for each column
//! in   c           x6          int8 [mr, nc], the result
//! in   cm_stride   x7          bytes from one row of c to the next
//! in   cn_stride   [sp]        bytes from one block of 8 columns of c to the next
//! in   params      [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pa0..pa1    x3, x10     where each row is read next
//! reg  pc0..pc1    x6, x13     where each row of c is written next
//! reg  pw          x5          where the weights are read next
//! reg  count       x0          depths left, less what one round of the loop takes
//! reg  pp          x17         where the parameters are read next
//! reg  va[0..1]    v0-v3       8 depths of a row twice, and 8 more
//! reg  vb          v4-v7       8 depths of two columns each
//! reg  vp          v8-v11      products, 16 bits
//! reg  vacc[0..1]  v16-v31     int32, four partial sums per column
//!
//!                columns   0    1    2    3    4    5    6    7        each a register of four partial sums
//!                        +----+----+----+----+----+----+----+----+
//!    v0  row 0, 8 depths | v16| v17| v18| v19| v20| v21| v22| v23|     8 bytes times 8 bytes, added up in pairs; at the end a
//!    v2  row 1           | v24| v25| v26| v27| v28| v29| v30| v31|     tree of additions makes one sum of four
//!                        +----+----+----+----+----+----+----+----+

#include "include/gemm_2x8_aarch64.h"
#include "include/pairwise_2x8c8_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"

#define KERNEL qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal
#define MULTIPLY multiply_mlal x0, x2
#define RNDNU
#include "bodies/gemm_2x8_aarch64.h"
