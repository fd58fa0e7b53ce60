/* GEMM with SMLAL by lane: rows of 16-bit numbers, gathered once for all panels, times eight columns.
 *
 *                 8 weights of a depth, two halves
 *               +--------+--------+
 *   row 0  a[k] | sum 0  | sum 1  |     four depths of a row are loaded at a time and named by lane
 *   ...         +--------+--------+     8 rows of AArch64, 4 of AArch32, which has half the registers */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"
#include "network/winograd/winograd.h"

/* Columns in plain order: two registers that count as one. */
enum { LANES = 8, DEPTH = 1, WEIGHT_BYTES = 2, VECTORS = 1 };
#define WIDTHS(DO) DO(1)

#define MULTIPLY_DEPTH(lane) \
  { \
    const int16x8_t vw = vld1q_s16(w + (lane) * LANES); \
    for (size_t row = 0; row < rows; row++) { \
      sums[row][0] = vmlal_lane_s16(sums[row][0], vget_low_s16(vw), va[row], lane); \
      sums[row][1] = vmlal_lane_s16(sums[row][1], vget_high_s16(vw), va[row], lane); \
    } \
  }

/* Rows are gathered for this family: there is one tap, and no correction. */
NEONSIM_INLINE void tile(const size_t rows, const size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                         const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                         const struct neonsim_requant *requant) {
  (void)vectors;
  (void)taps;
  (void)row_sums;
  const int32_t *bias = panel;
  const float *scale = (const float *)panel + LANES;
  const int16_t *w = (const int16_t *)panel + 4 * LANES;
  int32x4_t sums[ROWS][2];
  for (size_t row = 0; row < rows; row++) {
    sums[row][0] = vld1q_s32(bias);
    sums[row][1] = vld1q_s32(bias + 4);
  }
  size_t k = 0, left = groups;
  for (; left >= 4; left -= 4, k += 4, w += 4 * LANES) {
    int16x4_t va[ROWS];
    for (size_t row = 0; row < rows; row++) {
      va[row] = vld1_s16((const int16_t *)pointers[row] + k);
    }
    MULTIPLY_DEPTH(0) MULTIPLY_DEPTH(1) MULTIPLY_DEPTH(2) MULTIPLY_DEPTH(3)
  }
  for (; left != 0; left--, k++, w += LANES) {
    const int16x8_t vw = vld1q_s16(w);
    for (size_t row = 0; row < rows; row++) {
      const int16_t a = ((const int16_t *)pointers[row])[k];
      sums[row][0] = vmlal_n_s16(sums[row][0], vget_low_s16(vw), a);
      sums[row][1] = vmlal_n_s16(sums[row][1], vget_high_s16(vw), a);
    }
  }
  for (size_t row = 0; row < rows; row++) {
    finish_row_neon(requant, sums[row][0], sums[row][1], scale, out + row * out_stride, columns);
  }
}

#include "network/gemm/tile_kernels.h"

/* Depthwise convolutions with SMLAL, eight channels at a time. */
enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK };

static void depthwise_taps(const struct neonsim_depthwise_call *call) {
  const int32_t *bias = call->packed;
  const float *scale = (const float *)call->packed + BLOCK;
  const int16_t *weights = (const int16_t *)call->packed + 4 * BLOCK;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const uint8_t *const *rows = call->rows + pixel * call->taps;
    for (size_t i = 0; i < call->channels; i += 8) {
      int32x4_t low = vld1q_s32(bias + i), high = vld1q_s32(bias + i + 4);
      for (size_t tap = 0; tap < call->taps; tap++) {
        const int16x8_t x = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(rows[tap] + call->offset + i)));
        const int16x8_t w = vld1q_s16(weights + tap * BLOCK + i);
        low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(w));
        high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(w));
      }
      neonsim_store_columns(call->out + pixel * call->out_stride + i, finish_bytes_neon(call->requant, low, high, scale + i),
                            call->channels - i);
    }
  }
}

const struct neonsim_family neonsim_family_neon = {
    .name = "neon",
    .features = NEONSIM_FEATURE_NEON,
    .needs = "this processor has no NEON",
    GEMM_KERNELS,
    .depthwise_taps = {depthwise_taps, depthwise_taps, depthwise_taps},
    NEON_KERNELS,
};
