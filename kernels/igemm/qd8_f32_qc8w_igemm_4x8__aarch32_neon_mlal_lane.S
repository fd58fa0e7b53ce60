//! 4x8 int8 indirect GEMM tile, dynamic images; multiply-accumulate long by element.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          channels of a row, at least 1
//! in   ks          r3          taps, at least 1
//! in   a           [sp]        pointers [ks, 4] to rows of kc bytes
//! in   w           [sp, #4]    packed weights, block after block: 8 int32 minus the sum of each column, then kc times 8 bytes, then 8 scales and 8 biases
//! in   c           [sp, #8]    float32 [mr, nc], the result
//! in   cm_stride   [sp, #12]   bytes from one row of c to the next
//! in   cn_stride   [sp, #16]   bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #20]   bytes added to every pointer but zero
//! in   zero        [sp, #24]   what pointers of taps outside the image equal; it is not read there
//! in   zero_data   [sp, #28]   int8 [kc], zero points of the image: what is read in its place
//! in   scheme      [sp, #32]   {int32 zero point, float scale} of the image
//! in   params      [sp, #36]   neonsim_qd8_params, 8 bytes
//!
//! reg  pa0..pa3    r4, r5, r6, r12 where each row is read next
//! reg  pc0..pc3    r8-r11      where each row of c is written next
//! reg  pw          r7          where the weights are read next
//! reg  count       r0          depths left, less what one round of the loop takes
//! reg  taps        r3          taps left
//! reg  table       r14         where the pointers are read next
//! reg  va0..va3    q0-q3       8 depths of one row each, as int16
//! reg  vb          q4          8 columns of one depth of w, as int16
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                        d8, d9: columns 0..7 of one depth
//!                       +-----------------+-----------------+
//!                       | w0  w1  w2  w3  | w4  w5  w6  w7  |
//!   va0  d0  d1   a0[k] | q8   row 0      | q9   row 0      |
//!   va1  d2  d3   a1[k] | q10  row 1      | q11  row 1      |
//!   va2  d4  d5   a2[k] | q12  row 2      | q13  row 2      |
//!   va3  d6  d7   a3[k] | q14  row 3      | q15  row 3      |
//!                       +-----------------+-----------------+
//!   Depth k of row r is lane k % 4 of d(2r + k / 4).

#include "include/gemm_4x8_aarch32.h"
#include "include/mlal_lane_4x8_aarch32.h"
#include "include/int8_aarch32.h"
#include "include/qd8_aarch32.h"

#define KERNEL qd8_f32_qc8w_igemm_4x8__aarch32_neon_mlal_lane
#define MULTIPLY multiply    r0, r2
#include "bodies/igemm_qd8_4x8_aarch32.h"
