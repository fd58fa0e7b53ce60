//! 4x8c4 int8 indirect GEMM tile, dynamic images; dot products by element, 64 bits of a row per load.
//! contract: qd8_f32_qc8w_igemm
//! tile: 4x8c4
//! isa: aarch32
//! feature: dotprod
//! reads-before: 3
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          channels of a row, at least 1
//! in   ks          r3          taps, at least 1
//! in   a           [sp]        pointers [ks, 4] to rows of kc bytes
//! in   w           [sp, #4]    packed weights, block after block: 8 int32 minus the sum of each column, then groups of 4 depths, 4 bytes for each column, then 8 scales and 8 biases
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
//! reg  va0..va3    d0-d3       8 depths of one row each
//! reg  vb          q4-q5       4 depths of columns 0..3, 4..7
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                 q4: columns 0..3   q5: columns 4..7   of four depths
//!                +------------------+------------------+
//!    d0[g]       | q8               | q9               |    8 VSDOT, 128 products, for each four depths: group g of a row is
//!    d1[g]       | q10              | q11              |    the lane of four bytes of its register
//!    d2[g]       | q12              | q13              |
//!    d3[g]       | q14              | q15              |
//!                +------------------+------------------+

#include "include/gemm_4x8_aarch32.h"
#include "include/neondot_4x8c4_aarch32.h"
#include "include/qd8_aarch32.h"

#define KERNEL qd8_f32_qc8w_igemm_4x8c4__aarch32_neondot_ld64
#define MULTIPLY multiply    r0, r2
#define DOTPROD
#include "bodies/igemm_qd8_4x8_aarch32.h"
