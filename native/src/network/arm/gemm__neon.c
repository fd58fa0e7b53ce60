/* GEMM with SMLAL by lane: rows of 16-bit numbers, gathered once for all panels, times eight columns.
 *
 *                 8 weights of a depth, two halves
 *               +--------+--------+
 *   row 0  a[k] | sum 0  | sum 1  |     four depths of a row are loaded at a time and named by lane
 *   ...         +--------+--------+     8 rows of AArch64, 4 of AArch32, which has half the registers */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"
#include "network/winograd.h"

#if defined(__aarch64__)
enum { ROWS = 8 };
#define HEIGHTS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)
#else
enum { ROWS = 4 };
#define HEIGHTS(DO) DO(1) DO(2) DO(3) DO(4)
#endif
enum { COLUMNS = 8 };

#define DEPTH(lane) \
  { \
    const int16x8_t vw = vld1q_s16(w + (lane) * COLUMNS); \
    for (size_t row = 0; row < rows; row++) { \
      sums[row][0] = vmlal_lane_s16(sums[row][0], vget_low_s16(vw), va[row], lane); \
      sums[row][1] = vmlal_lane_s16(sums[row][1], vget_high_s16(vw), va[row], lane); \
    } \
  }

NEONSIM_INLINE void tile(const size_t rows, size_t groups, const void *const *pointers, const void *panel, uint8_t *out,
                         size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  const int32_t *bias = panel;
  const float *scale = (const float *)panel + COLUMNS;
  const int16_t *w = (const int16_t *)panel + 4 * COLUMNS;
  int32x4_t sums[ROWS][2];
  for (size_t row = 0; row < rows; row++) {
    sums[row][0] = vld1q_s32(bias);
    sums[row][1] = vld1q_s32(bias + 4);
  }
  size_t k = 0, left = groups;
  for (; left >= 4; left -= 4, k += 4, w += 4 * COLUMNS) {
    int16x4_t va[ROWS];
    for (size_t row = 0; row < rows; row++) {
      va[row] = vld1_s16((const int16_t *)pointers[row] + k);
    }
    DEPTH(0) DEPTH(1) DEPTH(2) DEPTH(3)
  }
  for (; left != 0; left--, k++, w += COLUMNS) {
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

#define TILE(height) \
  static void tile_##height(size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel, \
                            const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns, \
                            const struct neonsim_requant *requant) { \
    (void)rows; \
    (void)taps; \
    (void)row_sums; \
    tile(height, groups, pointers, panel, out, out_stride, columns, requant); \
  }
HEIGHTS(TILE)

static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
#define NAME(height) tile_##height,
  static const neonsim_panel_kernel table[ROWS] = {HEIGHTS(NAME)};
  (void)finish;
  (void)vectors;
  return table[rows - 1];
}

/* The inner loop of the tallest tile. */
static double probe(void) {
  enum { STEPS = 2000 };
  static const uint16_t a[STEPS];
  static const int16_t panel[4 * COLUMNS + STEPS * COLUMNS];
  const void *pointers[ROWS];
  for (size_t row = 0; row < ROWS; row++) {
    pointers[row] = a;
  }
  const struct neonsim_requant requant = {.finish = FINISH_Q31, .max = 255, .multiplier = 1 << 30};
  uint8_t out[ROWS * COLUMNS];
  size_t steps = STEPS;
  __asm__ __volatile__("" : "+r"(steps)); /* not to be unrolled for this one call */
  find(FINISH_Q31, 1, ROWS)(ROWS, steps, 1, pointers, panel, NULL, out, COLUMNS, COLUMNS, &requant);
  return (double)STEPS * COLUMNS * ROWS;
}

const struct neonsim_family neonsim_family_neon = {
    .name = "neon",
    .features = NEONSIM_FEATURE_NEON,
    .needs = "this processor has no NEON",
    .lanes = COLUMNS, /* columns in plain order: two registers that count as one */
    .depth = 1,
    .weight_bytes = 2,
    .most_vectors = 1,
    .most_rows = {ROWS},
    .tiles_at_once = 1,
    .gemm = find,
    .depthwise_taps = {neonsim_depthwise_taps__neon, neonsim_depthwise_taps__neon, neonsim_depthwise_taps__neon},
    .add = neonsim_add__neon,
    .sum = neonsim_sum__neon,
    .max = neonsim_max__neon,
    .requantize = neonsim_requantize__neon,
    .multiply_add = neonsim_multiply_add__neon,
    .real = NEONSIM_REAL_NEON,
    .tiles = &neonsim_tiles__neon,
    .steps = &neonsim_steps__neon,
    .probe = probe,
};
