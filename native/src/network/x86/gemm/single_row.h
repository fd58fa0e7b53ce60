/* GEMM of a single row on 256 bits: each weight is used once, so it is memory that takes time. Weights stay bytes, half of what 16 bits
 * take, and are widened on the way. For a file that includes gemm.h.
 *
 *   32 bytes, 4 depths of 8 columns    c0 c1 c2 c3 | c4 c5 c6 c7
 *   as 16 bits, times a0 a1 a2 a3      two sums of c0, two of c1 ..  added to those of the groups before; neighbours at the end */
#ifndef NEONSIM_X86_SINGLE_ROW_H
#define NEONSIM_X86_SINGLE_ROW_H

#include "network/x86/gemm/gemm.h"

enum { SINGLE_DEPTH = 4, STRASSEN = 2 };

NEONSIM_FORCE_INLINE void single_row(enum neonsim_finish finish, size_t vectors, size_t groups, size_t taps,
                                     const void *const *pointers, const void *panel, const int32_t *row_sums, uint8_t *out,
                                     size_t columns, const struct neonsim_requant *requant) {
  const float *scale = (const float *)panel + LANES * vectors;
  const uint8_t *weights = (const uint8_t *)((const vector *)panel + 2 * vectors);
  vector strassen[VECTORS][STRASSEN];
#define EACH_HALF(DO) DO(0, 0) DO(0, 1) DO(1, 0) DO(1, 1)
#define CLEAR_HALF(v, half) strassen[v][half] = VECTOR_BITS(setzero)();
  EACH_HALF(CLEAR_HALF)
  for (size_t tap = 0; tap < taps; tap++) {
    const uint8_t *row = (const uint8_t *)pointers[tap];
    for (size_t group = 0; group < groups; group++, row += SINGLE_DEPTH, weights += vectors * sizeof(vector)) {
      int32_t bytes;
      memcpy(&bytes, row, sizeof bytes);
      const vector depths = _mm256_cvtepu8_epi16(_mm_set1_epi32(bytes));
#define MULTIPLY_HALF(v, half) \
  if (v < vectors) { \
    const vector wide = _mm256_cvtepi8_epi16(load16(weights + v * sizeof(vector) + half * sizeof(__m128i))); \
    strassen[v][half] = VECTOR(add_epi32)(strassen[v][half], VECTOR(madd_epi16)(depths, wide)); \
  }
      EACH_HALF(MULTIPLY_HALF)
    }
  }
  const vector more = VECTOR(set1_epi32)(row_sums == NULL ? 0 : row_sums[0]);
  vector sums[1][VECTORS];
#define JOIN_HALVES(v) \
  if (v < vectors) { \
    const vector fuse_with_previous = deal_eights(VECTOR(hadd_epi32)(strassen[v][0], strassen[v][1])); \
    sums[0][v] = VECTOR(add_epi32)(VECTOR(add_epi32)(load((const vector *)panel + v), more), fuse_with_previous); \
  }
  JOIN_HALVES(0)
  JOIN_HALVES(1)
  finish_by(finish, 1, vectors, sums, scale, out, 0, columns, requant);
}

#define SINGLE(way, finish, vectors) \
  static NEONSIM_PANEL_KERNEL(single_##vectors##_##way) { \
    (void)rows; \
    (void)out_stride; \
    single_row(finish, vectors, groups, taps, pointers, panel, sums, out, columns, requant); \
  }
#define SINGLE_WIDTHS(way, finish) SINGLE(way, finish, 1) SINGLE(way, finish, 2)
EACH_FINISH(SINGLE_WIDTHS)
FIND(find_single, single)

/* Of weights that are no bytes less their zero point: their correction. */
static void single_row_sums(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums) {
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

#endif
