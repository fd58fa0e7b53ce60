/* GEMM with USMMLA (FEAT_I8MM): two rows of eight unsigned bytes times two columns of eight signed weights, added to a register of
 * 2x2 sums. Rows are read where they lie, two at a time.
 *
 *                       columns 0 1   2 3   4 5   6 7      a register of weights: 8 depths of two columns
 *                      +-----------+-----------+
 *   rows 0 1   8 bytes | s00 | s01 | s02 | s03 |           a register of rows: 8 depths of two rows
 *   rows 2 3   each    | ...                   |           8 rows of AArch64, 4 of AArch32, which has half the registers */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"
#include "network/winograd/winograd.h"

enum { LANES = 4, DEPTH = 8, WEIGHT_BYTES = 1, VECTORS = 2, PAIRS = ROWS / 2, WIDTH = 2 * DEPTH }; /* WIDTH: bytes of a register */
#define WIDTHS(DO) DO(1) DO(2)

/* Four columns of one row: the low or the high halves of two registers. */
NEONSIM_INLINE int32x4_t row_of(size_t row, int32x4_t first, int32x4_t second) {
  return row % 2 == 0 ? vcombine_s32(vget_low_s32(first), vget_low_s32(second))
                      : vcombine_s32(vget_high_s32(first), vget_high_s32(second));
}

/* Of an odd number of rows the last one counts twice. */
NEONSIM_INLINE void tile(const size_t rows, const size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                         const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                         const struct neonsim_requant *requant) {
  const int32_t *bias = panel;
  const float *scale = (const float *)panel + LANES * vectors;
  const int8_t *w = (const int8_t *)panel + 8 * LANES * vectors;
  const size_t pairs = (rows + 1) / 2;
  int32x4_t sums[PAIRS][2 * VECTORS];
  for (size_t pair = 0; pair < pairs; pair++) {
    int32x4_t more = vdupq_n_s32(0);
    if (row_sums != NULL) {
      more = vcombine_s32(vdup_n_s32(row_sums[2 * pair]), vdup_n_s32(row_sums[neonsim_min(2 * pair + 1, rows - 1)]));
    }
    for (size_t v = 0; v < 2 * vectors; v++) {
      const int32x2_t two = vld1_s32(bias + 2 * v);
      sums[pair][v] = vaddq_s32(vcombine_s32(two, two), more);
    }
  }
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t group = 0; group < groups; group++, w += 2 * WIDTH * vectors) {
      uint8x16_t va[PAIRS];
      for (size_t pair = 0; pair < pairs; pair++) { /* there is room behind rows */
        va[pair] = vcombine_u8(vld1_u8((const uint8_t *)pointers[2 * pair] + DEPTH * group),
                               vld1_u8((const uint8_t *)pointers[neonsim_min(2 * pair + 1, rows - 1)] + DEPTH * group));
      }
      for (size_t v = 0; v < 2 * vectors; v++) {
        const int8x16_t vw = vld1q_s8(w + WIDTH * v);
        for (size_t pair = 0; pair < pairs; pair++) {
          sums[pair][v] = vusmmlaq_s32(sums[pair][v], va[pair], vw);
        }
      }
    }
  }
  const float *last = scale + LANES * (vectors - 1);
  const float scales[2 * LANES] = {scale[0], scale[1], scale[2], scale[3], last[0], last[1], last[2], last[3]};
  for (size_t row = 0; row < rows; row++) {
    const int32x4_t *pair = sums[row / 2];
    finish_row_neon(requant, row_of(row, pair[0], pair[1]), row_of(row, pair[2 * vectors - 2], pair[2 * vectors - 1]), scales,
                    out + row * out_stride, columns);
  }
}

#include "network/gemm/tile_kernels.h"

/* Depthwise convolutions with USDOT (FEAT_I8MM): unsigned bytes times signed weights. */
#define DOT(sums, weights, bytes) vusdotq_s32(sums, bytes, weights)
#define BYTES(bytes) (bytes)
#include "network/arm/depthwise_dot.h"

const struct neonsim_family neonsim_family_i8mm = {
    .name = "i8mm",
    .features = NEONSIM_FEATURE_I8MM,
    .needs = "this processor has no matrix products of 8-bit integers (FEAT_I8MM)",
    GEMM_KERNELS,
    .depthwise_depth = 4,
    .row_sums = neonsim_row_sums__neon,
    .depthwise_taps = {depthwise_taps, depthwise_taps, depthwise_taps},
    NEON_KERNELS,
};
