/* Products with VPDPBUSD on 512 bits: four products of unsigned and signed bytes added to each of 16 lanes.
 *
 *               panel registers 0 .. V-1 of a group of four depths
 *             +--------+--------+--------+--------+
 *   row 0  a  | sum00  | sum01  | sum02  | sum03  |     a: four bytes of a row, in all lanes (a load does that)
 *   row 1  a  | sum10  | ...                      |     rows x registers sums stay in registers: at most 24
 *   ...       +--------+--------+--------+--------+
 */
#include <string.h>

#include "variants.h"
#include "x86/avx512.h"
#include "x86/x86.h"

/* Written out for every row and register by the preprocessor, so that compilers see plain variables; what lies outside the tile
 * falls away, since rows and vectors are constants once inlined. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define EACH_VECTOR(DO, row) DO(row, 0) DO(row, 1) DO(row, 2) DO(row, 3)

NEONSIM_FORCE_INLINE __m512i four_depths(const void *row, size_t group) {
  int32_t four;
  memcpy(&four, (const uint8_t *)row + 4 * group, sizeof four);
  return _mm512_set1_epi32(four);
}

/* sums += four products in each lane. As text, for GCC copies registers around its own function. */
NEONSIM_FORCE_INLINE void dot(__m512i *sums, __m512i bytes, __m512i weights) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*sums) : "v"(bytes), "v"(weights));
}

/* Sums of a tile to bytes in memory. */
NEONSIM_FORCE_INLINE void store(size_t rows, size_t vectors, enum neonsim_finish finish,
                                __m512i sums[NEONSIM_MOST_ROWS][NEONSIM_MOST_VECTORS], const float *scale, uint8_t *out,
                                size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  const struct finish512 f = finish_begin(finish, requant);
  const __mmask64 stored = columns >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << columns) - 1;
  /* 32 bits of each 128 come from each register: with fewer than four, gaps are closed. */
  const __m512i close = vectors == 3   ? _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15)
                        : vectors == 2 ? _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0)
                                       : _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
#define FINISH(row, v) \
  v < vectors ? finish_sums(finish, &f, sums[row][v], _mm512_load_ps(scale + 16 * v)) : _mm512_setzero_si512()
#define FINISH_ROW(row)                                                                                                    \
  if (row < rows) {                                                                                                        \
    const __m512i bytes = finish_bytes(&f, FINISH(row, 0), FINISH(row, 1), FINISH(row, 2), FINISH(row, 3));               \
    _mm512_mask_storeu_epi8(out + row * out_stride, stored, vectors == 4 ? bytes : _mm512_permutexvar_epi32(close, bytes)); \
  }
  EACH_ROW(FINISH_ROW)
}

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, enum neonsim_finish finish, size_t groups, size_t taps,
                               const void *const *pointers, const void *panel, const int32_t *row_sums, uint8_t *out,
                               size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  const __m512i *bias = panel;
  const float *scale = (const float *)panel + 16 * vectors;
  const __m512i *weights = (const __m512i *)panel + 2 * vectors;
  __m512i sums[NEONSIM_MOST_ROWS][NEONSIM_MOST_VECTORS], w[NEONSIM_MOST_VECTORS];
#define START(row, v)                                                                                                \
  if (row < rows && v < vectors) {                                                                                   \
    sums[row][v] = row_sums == NULL ? bias[v] : _mm512_add_epi32(bias[v], _mm512_set1_epi32(row_sums[row]));        \
  }
#define START_ROW(row) EACH_VECTOR(START, row)
  EACH_ROW(START_ROW)
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t group = 0; group < groups; group++, weights += vectors) {
#define LOAD(row, v)   \
  if (v < vectors) {   \
    w[v] = weights[v]; \
  }
#define MULTIPLY(row, v)                                             \
  if (v < vectors) {                                                 \
    dot(&sums[row][v], depths, w[v]);                                \
  }
#define MULTIPLY_ROW(row)                                        \
  if (row < rows) {                                              \
    const __m512i depths = four_depths(pointers[row], group);    \
    EACH_VECTOR(MULTIPLY, row)                                   \
  }
      EACH_VECTOR(LOAD, 0)
      EACH_ROW(MULTIPLY_ROW)
    }
  }
#define KEEP(row, v)                             \
  if (row < rows && v < vectors) {               \
    __asm__("" : "+v"(sums[row][v]));            \
  }
#define KEEP_ROW(row) EACH_VECTOR(KEEP, row)
  /* What follows needs more registers than there are; the compiler must not make room for it inside the loop. */
  EACH_ROW(KEEP_ROW)
  store(rows, vectors, finish, sums, scale, out, out_stride, columns, requant);
}

/* A single row has too few sums to keep the multipliers busy: four groups of depths at a time, each with sums of its own. */
NEONSIM_FORCE_INLINE void single(size_t vectors, enum neonsim_finish finish, size_t groups, size_t taps, const void *const *pointers,
                                 const void *panel, const int32_t *row_sums, uint8_t *out, size_t columns,
                                 const struct neonsim_requant *requant) {
  const __m512i *bias = panel;
  const float *scale = (const float *)panel + 16 * vectors;
  const __m512i *weights = (const __m512i *)panel + 2 * vectors;
  __m512i sums[NEONSIM_MOST_ROWS][NEONSIM_MOST_VECTORS];
  const __m512i more = row_sums == NULL ? _mm512_setzero_si512() : _mm512_set1_epi32(row_sums[0]);
#define START_CHAIN(chain, v) \
  if (v < vectors) {          \
    sums[chain][v] = chain == 0 ? _mm512_add_epi32(bias[v], more) : _mm512_setzero_si512(); \
  }
#define FOUR_CHAINS(DO) EACH_VECTOR(DO, 0) EACH_VECTOR(DO, 1) EACH_VECTOR(DO, 2) EACH_VECTOR(DO, 3)
  FOUR_CHAINS(START_CHAIN)
  for (size_t tap = 0; tap < taps; tap++, pointers++) {
    size_t group = 0;
#define MULTIPLY_CHAIN(chain, v)                                                                                  \
  if (v < vectors) {                                                                                              \
    dot(&sums[chain][v], four_depths(pointers[0], group + chain), weights[chain * vectors + v]);                  \
  }
    for (; group + 4 <= groups; group += 4, weights += 4 * vectors) {
      FOUR_CHAINS(MULTIPLY_CHAIN)
    }
    for (; group < groups; group++, weights += vectors) {
      EACH_VECTOR(MULTIPLY_CHAIN, 0)
    }
  }
#define JOIN(chain, v)                                                                                               \
  if (v < vectors) {                                                                                                 \
    sums[0][v] = _mm512_add_epi32(_mm512_add_epi32(sums[0][v], sums[1][v]), _mm512_add_epi32(sums[2][v], sums[3][v])); \
  }
  EACH_VECTOR(JOIN, 0)
  store(1, vectors, finish, sums, scale, out, 0, columns, requant);
}

#define TILE(finish, vectors, rows)                                                                                          \
  static void tile_##finish##_##vectors##_##rows(size_t groups, size_t taps, const void *const *pointers, const void *panel, \
                                                 const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,   \
                                                 const struct neonsim_requant *requant) {                                    \
    if (rows == 1) {                                                                                                         \
      single(vectors, finish, groups, taps, pointers, panel, row_sums, out, columns, requant);                               \
    } else {                                                                                                                 \
      tile(rows, vectors, finish, groups, taps, pointers, panel, row_sums, out, out_stride, columns, requant);               \
    }                                                                                                                        \
  }
#define NAME(finish, vectors, rows) tile_##finish##_##vectors##_##rows,
/* Every height of every width, by what DO makes of it. */
#define HEIGHTS_6(DO, f, v) DO(f, v, 1) DO(f, v, 2) DO(f, v, 3) DO(f, v, 4) DO(f, v, 5) DO(f, v, 6)
#define HEIGHTS_8(DO, f, v) HEIGHTS_6(DO, f, v) DO(f, v, 7) DO(f, v, 8)
#define HEIGHTS_12(DO, f, v) HEIGHTS_8(DO, f, v) DO(f, v, 9) DO(f, v, 10) DO(f, v, 11) DO(f, v, 12)
#define EVERY_TILE(finish) HEIGHTS_12(TILE, finish, 1) HEIGHTS_12(TILE, finish, 2) HEIGHTS_8(TILE, finish, 3) HEIGHTS_6(TILE, finish, 4)
#define EVERY_NAME(finish) \
  {{HEIGHTS_12(NAME, finish, 1)}, {HEIGHTS_12(NAME, finish, 2)}, {HEIGHTS_8(NAME, finish, 3)}, {HEIGHTS_6(NAME, finish, 4)}},
EVERY_TILE(FINISH_Q31_FLOAT)
EVERY_TILE(FINISH_Q31)
EVERY_TILE(FINISH_FP32)

static neonsim_product_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  static const neonsim_product_kernel table[FINISHES][NEONSIM_MOST_VECTORS][NEONSIM_MOST_ROWS] = {
      EVERY_NAME(FINISH_Q31_FLOAT) EVERY_NAME(FINISH_Q31) EVERY_NAME(FINISH_FP32)};
  return table[finish][vectors - 1][rows - 1];
}

static void row_sums(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums) {
  const __m512i ones = _mm512_set1_epi8(1);
  for (size_t row = 0; row < rows; row++) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t tap = 0; tap < taps; tap++) {
      const uint8_t *a = pointers[tap * rows + row];
      for (size_t i = 0; i < bytes; i += 64) {
        const __mmask64 there = bytes - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (bytes - i)) - 1;
        sum = _mm512_dpbusd_epi32(sum, _mm512_maskz_loadu_epi8(there, a + i), ones);
      }
    }
    sums[row] = (int32_t)((uint32_t)_mm512_reduce_add_epi32(sum) * (uint32_t)factor);
  }
}

/* Eight chains, as many as latency and two a cycle ask for, and more. */
static double probe(void) {
  enum { STEPS = 20000, CHAINS = 12 };
  __m512i sums[CHAINS];
  for (size_t i = 0; i < CHAINS; i++) {
    sums[i] = _mm512_setzero_si512();
  }
  __m512i a = _mm512_set1_epi8(1), w = _mm512_set1_epi8(1);
  for (size_t step = 0; step < STEPS; step++) {
    __asm__ __volatile__("" : "+v"(a), "+v"(w));
#pragma GCC unroll 12
    for (size_t i = 0; i < CHAINS; i++) {
      sums[i] = _mm512_dpbusd_epi32(sums[i], a, w);
    }
  }
  for (size_t i = 1; i < CHAINS; i++) {
    sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  }
  __asm__ __volatile__("" ::"v"(sums[0]));
  return 64.0 * CHAINS * STEPS;
}

const struct neonsim_family neonsim_family_avx512vnni = {
    .name = "avx512vnni",
    .features = NEONSIM_FEATURE_AVX512VNNI,
    .needs = "this processor has no AVX-512 with VNNI, BW and DQ",
    .lanes = 16,
    .depth = 4,
    .weight_bytes = 1,
    .most_vectors = 4,
    .most_rows = {12, 12, 8, 6},
    .product = find,
    .row_sums = row_sums,
    .depthwise_rows = {neonsim_depthwise_rows_q31_float__avx512vnni, neonsim_depthwise_rows_q31__avx512vnni,
                       neonsim_depthwise_rows_fp32__avx512vnni},
    .depthwise_taps = {neonsim_depthwise_taps_q31_float__avx512vnni, neonsim_depthwise_taps_q31__avx512vnni,
                       neonsim_depthwise_taps_fp32__avx512vnni},
    .add = neonsim_add__avx512,
    .sum = neonsim_sum__avx512,
    .max = neonsim_max__avx512,
    .probe = probe,
};
