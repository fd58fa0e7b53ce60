//! 4x16c8 int8 indirect GEMM tile, dynamic images; 2x8 times 8x2 matrix products.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x16c8
//! isa: aarch64
//! feature: i8mm
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows, 1..4
//! in   nc          x1          columns, at least 1
//! in   kc          x2          channels of a row, at least 1
//! in   ks          x3          taps, at least 1
//! in   a           x4          pointers [ks, 4] to rows of kc bytes
//! in   w           x5          packed weights, block after block: 16 int32 minus the sum of each column, then groups of 8 depths, 8 bytes for each column, then 16 scales and 16 biases
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
//! reg  va0..va1    v0-v1       8 depths of two rows each
//! reg  vb0..vb3    v4-v7       8 depths of two columns each
//! reg  vacc[0..1]  v16-v31     int32, 2x2 per register; then four registers per row
//!
//!               v4: columns 0, 1    v5: 2, 3   v6: 4, 5   v7: 6, 7   then 8..15      of eight depths
//!              +-------------------+----------+----------+----------+----
//!    v0 rows   | v16  r0c0 r0c1    | v17      | v18      | v19      | v20..v23   one SMMLA: 2 rows x 8 depths times
//!       0, 1   |      r1c0 r1c1    |          |          |          |            8 depths x 2 columns, 32 products
//!    v1 rows   | v24  r2c0 r2c1    | v25      | v26      | v27      | v28..v31
//!       2, 3   |      r3c0 r3c1    |          |          |          |            turned into rows at the end
//!              +-------------------+----------+----------+----------+----

#include "include/tile_4x16_aarch64.h"
#include "include/i8mm_4x16c8_aarch64.h"
#include "include/qd8_aarch64.h"

#define KERNEL qd8_f32_qc8w_igemm_4x16c8__aarch64_neoni8mm
#define MULTIPLY multiply    x0, x2
#define ARCH armv8.2-a+i8mm
#define IN_PAIRS
#include "bodies/igemm_qd8_4x16_aarch64.h"
