/* GEMM on 512 bits: the micro-kernel, whatever multiplies. A file that includes this defines dot() before: 32 bits of a row, in all
 * lanes, times 32 bits of weights in each lane, added to the sums.
 *
 *               panel registers 0 .. V-1 of a group: four bytes deep with VNNI, two words without
 *             +--------+--------+--------+--------+
 *   row 0  a  | sum00  | sum01  | sum02  | sum03  |     a: 32 bits of a row, in all lanes (a load does that)
 *   row 1  a  | sum10  | ...                      |     rows x registers sums stay in registers: at most 24
 *   ...       +--------+--------+--------+--------+
 */
#ifndef NEONSIM_X86_GEMM512_H
#define NEONSIM_X86_GEMM512_H

#include <string.h>

#include "network/x86/avx512.h"
#include "network/x86/x86.h"

/* Written out for every row and register by the preprocessor, so that compilers see plain variables; what lies outside the tile
 * falls away, since rows and vectors are constants once inlined. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define EACH_VECTOR(DO, row) DO(row, 0) DO(row, 1) DO(row, 2) DO(row, 3)

enum { MAX_ROWS = 12, MAX_SUMS = 24 };

NEONSIM_FORCE_INLINE __m512i four_bytes(const void *row, size_t group) {
  int32_t four;
  memcpy(&four, (const uint8_t *)row + 4 * group, sizeof four);
  return _mm512_set1_epi32(four);
}

NEONSIM_FORCE_INLINE void finish(size_t rows, size_t vectors, const int32_t *sums, const void *panel, uint8_t *out,
                                 size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  const float *scale = (const float *)panel + 16 * vectors;
  neonsim_finish__avx512[requant->finish][vectors - 1](rows, sums, NULL, scale, out, out_stride, columns, requant);
}

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                               const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                               const struct neonsim_requant *requant) {
  const __m512i *bias = panel;
  const __m512i *weights = (const __m512i *)panel + 2 * vectors;
  __m512i sums[MAX_ROWS][NEONSIM_MAX_VECTORS], w[NEONSIM_MAX_VECTORS];
#define START(row, v) \
  if (row < rows && v < vectors) { \
    sums[row][v] = row_sums == NULL ? bias[v] : _mm512_add_epi32(bias[v], _mm512_set1_epi32(row_sums[row])); \
  }
#define START_ROW(row) EACH_VECTOR(START, row)
  EACH_ROW(START_ROW)
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t group = 0; group < groups; group++, weights += vectors) {
#define LOAD(row, v) \
  if (v < vectors) { \
    w[v] = weights[v]; \
  }
#define MULTIPLY(row, v) \
  if (v < vectors) { \
    dot(&sums[row][v], depths, w[v]); \
  }
#define MULTIPLY_ROW(row) \
  if (row < rows) { \
    const __m512i depths = four_bytes(pointers[row], group); \
    EACH_VECTOR(MULTIPLY, row) \
  }
      EACH_VECTOR(LOAD, 0)
      EACH_ROW(MULTIPLY_ROW)
    }
  }
  __m512i left[MAX_SUMS];
#define LEAVE(row, v) \
  if (row < rows && v < vectors) { \
    left[row * vectors + v] = sums[row][v]; \
  }
#define LEAVE_ROW(row) EACH_VECTOR(LEAVE, row)
  EACH_ROW(LEAVE_ROW)
  finish(rows, vectors, (const int32_t *)left, panel, out, out_stride, columns, requant);
}

/* A single row has too few sums to keep the multipliers busy: four groups of depths at a time, each with sums of its own. */
NEONSIM_FORCE_INLINE void single(size_t vectors, size_t groups, size_t taps, const void *const *pointers, const void *panel,
                                 const int32_t *row_sums, uint8_t *out, size_t columns, const struct neonsim_requant *requant) {
  const __m512i *bias = panel;
  const __m512i *weights = (const __m512i *)panel + 2 * vectors;
  __m512i sums[4][NEONSIM_MAX_VECTORS];
  const __m512i more = row_sums == NULL ? _mm512_setzero_si512() : _mm512_set1_epi32(row_sums[0]);
#define START_CHAIN(chain, v) \
  if (v < vectors) { \
    sums[chain][v] = chain == 0 ? _mm512_add_epi32(bias[v], more) : _mm512_setzero_si512(); \
  }
#define FOUR_CHAINS(DO) EACH_VECTOR(DO, 0) EACH_VECTOR(DO, 1) EACH_VECTOR(DO, 2) EACH_VECTOR(DO, 3)
  FOUR_CHAINS(START_CHAIN)
  for (size_t tap = 0; tap < taps; tap++, pointers++) {
    size_t group = 0;
#define MULTIPLY_CHAIN(chain, v) \
  if (v < vectors) { \
    dot(&sums[chain][v], four_bytes(pointers[0], group + chain), weights[chain * vectors + v]); \
  }
    for (; group + 4 <= groups; group += 4, weights += 4 * vectors) {
      FOUR_CHAINS(MULTIPLY_CHAIN)
    }
    for (; group < groups; group++, weights += vectors) {
      EACH_VECTOR(MULTIPLY_CHAIN, 0)
    }
  }
  __m512i left[NEONSIM_MAX_VECTORS];
#define JOIN(chain, v) \
  if (v < vectors) { \
    left[v] = _mm512_add_epi32(_mm512_add_epi32(sums[0][v], sums[1][v]), _mm512_add_epi32(sums[2][v], sums[3][v])); \
  }
  EACH_VECTOR(JOIN, 0)
  finish(1, vectors, (const int32_t *)left, panel, out, 0, columns, requant);
}

#define TILE(vectors, height) \
  static NEONSIM_PANEL_KERNEL(tile_##vectors##_##height) { \
    (void)rows; \
    if (height == 1) { \
      single(vectors, groups, taps, pointers, panel, sums, out, columns, requant); \
    } else { \
      tile(height, vectors, groups, taps, pointers, panel, sums, out, out_stride, columns, requant); \
    } \
  }
#define NAME(vectors, height) tile_##vectors##_##height,
NEONSIM_HEIGHTS_12(TILE, 1)
NEONSIM_HEIGHTS_12(TILE, 2)
NEONSIM_HEIGHTS_8(TILE, 3)
NEONSIM_HEIGHTS_6(TILE, 4)

/* By width, then height. */
static const neonsim_panel_kernel tiles_of[NEONSIM_MAX_VECTORS][MAX_ROWS] = {
    {NEONSIM_HEIGHTS_12(NAME, 1)}, {NEONSIM_HEIGHTS_12(NAME, 2)}, {NEONSIM_HEIGHTS_8(NAME, 3)}, {NEONSIM_HEIGHTS_6(NAME, 4)}};

#endif
