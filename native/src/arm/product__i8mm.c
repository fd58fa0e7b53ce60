/* Products with SUDOT by lane (FEAT_I8MM): four products of signed weights and unsigned bytes added to each of 4 lanes; rows are read
 * where they lie. */
#include "arm/arm.h"
#include "arm/finish__neon.h"

enum { ROWS = 8, LANES = 4, WIDTH = 4 * LANES }; /* WIDTH: bytes of a register */
#define HEIGHTS(DO, vectors) \
  DO(vectors, 1) DO(vectors, 2) DO(vectors, 3) DO(vectors, 4) DO(vectors, 5) DO(vectors, 6) DO(vectors, 7) DO(vectors, 8)

NEONSIM_INLINE void tile(const size_t rows, const size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                         const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                         const struct neonsim_requant *requant) {
  const int32_t *bias = panel;
  const float *scale = (const float *)panel + LANES * vectors;
  const int8_t *w = (const int8_t *)panel + 2 * WIDTH * vectors;
  int32x4_t sums[ROWS][2];
  for (size_t row = 0; row < rows; row++) {
    for (size_t v = 0; v < 2; v++) {
      const int32x4_t first = vld1q_s32(bias + LANES * (v % vectors));
      sums[row][v] = row_sums == NULL ? first : vaddq_s32(first, vdupq_n_s32(row_sums[row]));
    }
  }
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t group = 0; group < groups; group++, w += WIDTH * vectors) {
      for (size_t row = 0; row < rows; row++) {
        uint32_t four;
        memcpy(&four, (const uint8_t *)pointers[row] + 4 * group, sizeof four);
        const uint8x8_t a = vreinterpret_u8_u32(vdup_n_u32(four));
        for (size_t v = 0; v < vectors; v++) {
          sums[row][v] = vsudotq_lane_s32(sums[row][v], vld1q_s8(w + WIDTH * v), a, 0);
        }
      }
    }
  }
  for (size_t row = 0; row < rows; row++) {
    const float scales[2 * LANES] = {scale[0], scale[1], scale[2], scale[3], scale[4 * vectors - 4], scale[4 * vectors - 3],
                                     scale[4 * vectors - 2], scale[4 * vectors - 1]};
    finish_row_neon(requant, sums[row][0], sums[row][1], scales, out + row * out_stride, columns);
  }
}

#define TILE(vectors, height)                                                                                                  \
  static void tile_##vectors##_##height(size_t rows, size_t groups, size_t taps, const void *const *pointers,                  \
                                        const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride,           \
                                        size_t columns, const struct neonsim_requant *requant) {                               \
    (void)rows;                                                                                                                \
    tile(height, vectors, groups, taps, pointers, panel, row_sums, out, out_stride, columns, requant);                         \
  }
HEIGHTS(TILE, 1)
HEIGHTS(TILE, 2)

static neonsim_product_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
#define NAME(vectors, height) tile_##vectors##_##height,
  static const neonsim_product_kernel table[2][ROWS] = {{HEIGHTS(NAME, 1)}, {HEIGHTS(NAME, 2)}};
  (void)finish;
  return table[vectors - 1][rows - 1];
}

static void row_sums(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums) {
  for (size_t row = 0; row < rows; row++) {
    uint32_t sum = 0;
    for (size_t tap = 0; tap < taps; tap++) {
      const uint8_t *a = pointers[tap * rows + row];
      for (size_t i = 0; i < bytes; i++) {
        sum += a[i];
      }
    }
    sums[row] = (int32_t)(sum * (uint32_t)factor);
  }
}

/* The inner loop of the tallest tile. */
static double probe(void) {
  enum { STEPS = 2000 };
  static const uint8_t a[4 * STEPS];
  static const int8_t panel[4 * WIDTH + STEPS * 2 * WIDTH];
  const void *pointers[ROWS];
  for (size_t row = 0; row < ROWS; row++) {
    pointers[row] = a;
  }
  const struct neonsim_requant requant = {.finish = FINISH_Q31, .max = 255, .multiplier = 1 << 30};
  uint8_t out[ROWS * 2 * LANES];
  tile_2_8(ROWS, STEPS, 1, pointers, panel, NULL, out, 2 * LANES, 2 * LANES, &requant);
  return (double)STEPS * 4 * 2 * LANES * ROWS;
}

const struct neonsim_family neonsim_family_i8mm = {
    .name = "i8mm",
    .features = NEONSIM_FEATURE_I8MM,
    .needs = "this processor has no matrix products of 8-bit integers (FEAT_I8MM)",
    .lanes = LANES,
    .depth = 4,
    .weight_bytes = 1,
    .most_vectors = 2,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = 1,
    .product = find,
    .row_sums = row_sums,
    .depthwise_taps = {neonsim_depthwise_taps__i8mm, neonsim_depthwise_taps__i8mm, neonsim_depthwise_taps__i8mm},
    .add = neonsim_add__neon,
    .sum = neonsim_sum__neon,
    .max = neonsim_max__neon,
    .requantize = neonsim_requantize__neon,
    .multiply_add = neonsim_multiply_add__neon,
    .probe = probe,
};
