/* Products with VPMADDWD on 256 bits: two 16-bit products added to each of 8 lanes. Exact: bytes and differences of bytes as 16-bit
 * numbers, no saturation on the way, which is what the quicker-looking VPMADDUBSW would bring.
 *
 * Rows come gathered as 16-bit numbers, once for all panels of a tile, so that a load puts a pair of depths in all lanes. */
#include "variants.h"
#include "x86/avx2.h"
#include "x86/x86.h"

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3)
#define EACH(DO) DO(0, 0) DO(0, 1) DO(1, 0) DO(1, 1) DO(2, 0) DO(2, 1) DO(3, 0) DO(3, 1)

enum { ROWS = 4, VECTORS = 2 };

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, enum neonsim_finish finish, size_t groups, const void *const *pointers,
                               const void *panel, uint8_t *out, size_t out_stride, size_t columns,
                               const struct neonsim_requant *requant) {
  const __m256i *bias = panel;
  const float *scale = (const float *)panel + 8 * vectors;
  const __m256i *weights = (const __m256i *)panel + 2 * vectors;
  __m256i sums[ROWS][VECTORS];
#define START(row, v)             \
  if (row < rows && v < vectors) { \
    sums[row][v] = bias[v];       \
  }
  EACH(START)
  for (size_t group = 0; group < groups; group++, weights += vectors) {
#define MULTIPLY(row, v)                                                                             \
  if (v < vectors) {                                                                                 \
    sums[row][v] = _mm256_add_epi32(sums[row][v], _mm256_madd_epi16(pair, weights[v]));             \
  }
#define MULTIPLY_ROW(row)                                                  \
  if (row < rows) {                                                        \
    int32_t two;                                                           \
    memcpy(&two, (const uint8_t *)pointers[row] + 4 * group, sizeof two); \
    const __m256i pair = _mm256_set1_epi32(two);                           \
    MULTIPLY(row, 0) MULTIPLY(row, 1)                                      \
  }
    EACH_ROW(MULTIPLY_ROW)
  }
  const struct finish256 f = finish_begin256(requant);
#define FINISH_ROW(row)                                                                                                       \
  if (row < rows) {                                                                                                           \
    const __m256i first = finish_sums256(finish, &f, sums[row][0], _mm256_load_ps(scale));                                    \
    if (vectors == 2) {                                                                                                       \
      const __m256i second = finish_sums256(finish, &f, sums[row][vectors - 1], _mm256_load_ps(scale + 8 * (vectors - 1)));  \
      store_bytes(out + row * out_stride, finish_bytes256(&f, first, second), columns);                                       \
    } else {                                                                                                                  \
      const __m128i bytes = finish_bytes256(&f, first, first);                                                                \
      store_bytes(out + row * out_stride, _mm_shuffle_epi32(bytes, _MM_SHUFFLE(3, 3, 2, 0)), columns);                        \
    }                                                                                                                         \
  }
  EACH_ROW(FINISH_ROW)
}

#define TILE(finish, vectors, rows)                                                                                          \
  static void tile_##finish##_##vectors##_##rows(size_t height, size_t groups, size_t taps, const void *const *pointers,    \
                                                 const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, \
                                                 size_t columns, const struct neonsim_requant *requant) {                    \
    (void)height;                                                                                                            \
    (void)taps;                                                                                                              \
    (void)row_sums;                                                                                                          \
    tile(rows, vectors, finish, groups, pointers, panel, out, out_stride, columns, requant);                                 \
  }
#define NAME(finish, vectors, rows) tile_##finish##_##vectors##_##rows,
#define HEIGHTS(DO, finish, vectors) DO(finish, vectors, 1) DO(finish, vectors, 2) DO(finish, vectors, 3) DO(finish, vectors, 4)
HEIGHTS(TILE, FINISH_Q31, 1)
HEIGHTS(TILE, FINISH_Q31, 2)
HEIGHTS(TILE, FINISH_FP32, 1)
HEIGHTS(TILE, FINISH_FP32, 2)

static neonsim_product_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  static const neonsim_product_kernel table[2][VECTORS][ROWS] = {
      {{HEIGHTS(NAME, FINISH_Q31, 1)}, {HEIGHTS(NAME, FINISH_Q31, 2)}},
      {{HEIGHTS(NAME, FINISH_FP32, 1)}, {HEIGHTS(NAME, FINISH_FP32, 2)}},
  };
  return table[finish == FINISH_FP32][vectors - 1][rows - 1];
}

static double probe(void) {
  enum { STEPS = 20000, CHAINS = 8 };
  __m256i sums[CHAINS];
  for (size_t i = 0; i < CHAINS; i++) {
    sums[i] = _mm256_setzero_si256();
  }
  __m256i a = _mm256_set1_epi16(1), w = _mm256_set1_epi16(1);
  for (size_t step = 0; step < STEPS; step++) {
    __asm__ __volatile__("" : "+x"(a), "+x"(w));
#pragma GCC unroll 8
    for (size_t i = 0; i < CHAINS; i++) {
      __m256i products = _mm256_madd_epi16(a, w);
      __asm__("" : "+x"(products));
      sums[i] = _mm256_add_epi32(sums[i], products);
    }
  }
  for (size_t i = 1; i < CHAINS; i++) {
    sums[0] = _mm256_add_epi32(sums[0], sums[i]);
  }
  __asm__ __volatile__("" ::"x"(sums[0]));
  return 16.0 * CHAINS * STEPS;
}

const struct neonsim_family neonsim_family_avx2 = {
    .name = "avx2",
    .features = NEONSIM_FEATURE_AVX2,
    .needs = "this processor has no AVX2 with FMA",
    .lanes = 8,
    .depth = 2,
    .weight_bytes = 2,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = 1,
    .product = find,
    .depthwise_taps = {neonsim_depthwise_taps_q31__avx2, neonsim_depthwise_taps_q31__avx2, neonsim_depthwise_taps_fp32__avx2},
    .add = neonsim_add__avx2,
    .sum = neonsim_sum__avx2,
    .max = neonsim_max__avx2,
    .probe = probe,
};
