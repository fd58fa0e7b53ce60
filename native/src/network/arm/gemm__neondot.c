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
#include "network/winograd.h"

#if defined(__aarch64__)
enum { ROWS = 8 };
#define HEIGHTS(DO, vectors) \
  DO(vectors, 1) DO(vectors, 2) DO(vectors, 3) DO(vectors, 4) DO(vectors, 5) DO(vectors, 6) DO(vectors, 7) DO(vectors, 8)
#else
enum { ROWS = 4 };
#define HEIGHTS(DO, vectors) DO(vectors, 1) DO(vectors, 2) DO(vectors, 3) DO(vectors, 4)
#endif
enum { LANES = 4, WIDTH = 4 * LANES, VECTORS = 2 }; /* WIDTH: bytes of a register */

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
  for (size_t row = 0; row < rows; row++) {
    const float scales[2 * LANES] = {scale[0],
                                     scale[1],
                                     scale[2],
                                     scale[3],
                                     scale[4 * vectors - 4],
                                     scale[4 * vectors - 3],
                                     scale[4 * vectors - 2],
                                     scale[4 * vectors - 1]};
    finish_row_neon(requant, sums[row][0], sums[row][1], scales, out + row * out_stride, columns);
  }
}

#define TILE(vectors, height) \
  static void tile_##vectors##_##height(size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel, \
                                        const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns, \
                                        const struct neonsim_requant *requant) { \
    (void)rows; \
    tile(height, vectors, groups, taps, pointers, panel, row_sums, out, out_stride, columns, requant); \
  }
HEIGHTS(TILE, 1)
HEIGHTS(TILE, 2)

static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
#define NAME(vectors, height) tile_##vectors##_##height,
  static const neonsim_panel_kernel table[VECTORS][ROWS] = {{HEIGHTS(NAME, 1)}, {HEIGHTS(NAME, 2)}};
  (void)finish;
  return table[vectors - 1][rows - 1];
}

/* The inner loop of the tallest tile. */
static double probe(void) {
  enum { STEPS = 2000 };
  static const uint8_t a[4 * STEPS + 4];
  static const int8_t panel[4 * WIDTH + STEPS * 2 * WIDTH];
  const void *pointers[ROWS];
  for (size_t row = 0; row < ROWS; row++) {
    pointers[row] = a;
  }
  const struct neonsim_requant requant = {.finish = FINISH_Q31, .max = 255, .multiplier = 1 << 30};
  uint8_t out[ROWS * 2 * LANES];
  find(FINISH_Q31, VECTORS, ROWS)(ROWS, STEPS, 1, pointers, panel, NULL, out, 2 * LANES, 2 * LANES, &requant);
  return (double)STEPS * 4 * 2 * LANES * ROWS;
}

const struct neonsim_family neonsim_family_neondot = {
    .name = "neondot",
    .features = NEONSIM_FEATURE_DOTPROD,
    .needs = "this processor has no dot products of 8-bit integers (FEAT_DotProd)",
    .lanes = LANES,
    .depth = 4,
    .weight_bytes = 1,
    .centre = 128,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = 1,
    .gemm = find,
    .row_sums = neonsim_row_sums__neon,
    .depthwise_taps = {neonsim_depthwise_taps__neondot, neonsim_depthwise_taps__neondot, neonsim_depthwise_taps__neondot},
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
