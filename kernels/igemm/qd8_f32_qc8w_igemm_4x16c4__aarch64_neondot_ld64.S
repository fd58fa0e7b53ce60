//! 4x16c4 int8 indirect GEMM tile, dynamic images; dot products by element, 64 bits of a row per load.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x16c4
//! isa: aarch64
//! feature: dotprod
//! reads-before: 3
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 4] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 16 int32 minus the sum of each column, then groups of 4 depths, 4 bytes for each column, then 16 scales and 16 biases
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
#include "include/qd8_aarch64.h"

#define KERNEL qd8_f32_qc8w_igemm_4x16c4__aarch64_neondot_ld64
#define MULTIPLY multiply_ld64 x0, x2
#define ARCH armv8.2-a+dotprod
#include "bodies/igemm_qd8_4x16_aarch64.h"
