/* GEMM with SDOT by lane (FEAT_DotProd): four products of signed bytes added to each of 4 lanes, a row's four bytes named by lane.
 * Rows are read where they lie, less 128, which is their top bit flipped. That moves the input's zero point by as much, and what it adds
 * to a column's sums lies in the bias: uint8 with zero points runs as fast as int8.
 *
 *                 4 weights of a column in each lane, two registers
 *               +--------+--------+
 *   row 0  a    | sum 0  | sum 1  |     eight bytes of a row are loaded at a time: two groups of depths, lanes 0 and 1
 *   ...         +--------+--------+     8 rows of AArch64, 4 of AArch32, which has half the registers */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"
#include "network/winograd/winograd.h"

enum { LANES = 4, DEPTH = 4, WEIGHT_BYTES = 1, VECTORS = 2, WIDTH = DEPTH * LANES }; /* WIDTH: bytes of a register */
#define WIDTHS(DO) DO(1) DO(2)

/* Group `lane` of those in va. */
#define GROUP(lane) \
  for (size_t v = 0; v < vectors; v++) { \
    const int8x16_t vw = vld1q_s8(w + WIDTH * v); \
    for (size_t row = 0; row < rows; row++) { \
      sums[row][v] = vdotq_lane_s32(sums[row][v], vw, va[row], lane); \
    } \
  } \
  w += WIDTH * vectors;

NEONSIM_INLINE void tile(const size_t rows, const size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                         const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                         const struct neonsim_requant *requant) {
  const int32_t *bias = panel;
  const float *scale = (const float *)panel + LANES * vectors;
  const int8_t *w = (const int8_t *)panel + 2 * WIDTH * vectors;
  int32x4_t sums[ROWS][VECTORS];
  for (size_t row = 0; row < rows; row++) {
    for (size_t v = 0; v < VECTORS; v++) {
      const int32x4_t first = vld1q_s32(bias + LANES * (v % vectors));
      sums[row][v] = row_sums == NULL ? first : vaddq_s32(first, vdupq_n_s32(row_sums[row]));
    }
  }
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t group = 0; group < groups; group += 2) {
      int8x8_t va[ROWS];
      for (size_t row = 0; row < rows; row++) { /* there is room behind rows */
        const uint8x8_t bytes = vld1_u8((const uint8_t *)pointers[row] + 4 * group);
        va[row] = vreinterpret_s8_u8(veor_u8(bytes, vdup_n_u8(0x80)));
      }
      GROUP(0)
      if (group + 1 < groups) {
        GROUP(1)
      }
    }
  }
  const float *last = scale + LANES * (vectors - 1);
  const float scales[2 * LANES] = {scale[0], scale[1], scale[2], scale[3], last[0], last[1], last[2], last[3]};
  for (size_t row = 0; row < rows; row++) {
    finish_row_neon(requant, sums[row][0], sums[row][1], scales, out + row * out_stride, columns);
  }
}

#include "network/gemm/tile_kernels.h"

/* Depthwise convolutions with SDOT: bytes less 128 times signed weights; what is missing is in the bias. */
#define DOT(sums, weights, bytes) vdotq_s32(sums, vreinterpretq_s8_u8(bytes), weights)
#define BYTES(bytes) veorq_u8(bytes, vdupq_n_u8(0x80))
#include "network/arm/depthwise_dot.h"

const struct neonsim_family neonsim_family_neondot = {
    .name = "neondot",
    .features = NEONSIM_FEATURE_DOTPROD,
    .needs = "this processor has no dot products of 8-bit integers (FEAT_DotProd)",
    GEMM_KERNELS,
    .center = 128,
    .row_sums = neonsim_row_sums__neon,
    .depthwise_taps = {depthwise_taps, depthwise_taps, depthwise_taps},
    NEON_KERNELS,
};
