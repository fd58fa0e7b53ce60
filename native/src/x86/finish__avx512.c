/* The end of every product on 512 bits: a tile's sums, left in memory by its kernel, to bytes.
 *
 * Four registers of sums make one of bytes: one row of 3 or 4 registers, two rows of 2, four rows of 1. */
#include "x86/avx512.h"
#include "x86/x86.h"

/* Packing leaves 32 bits of each register in each 128; this brings those of a row together. */
NEONSIM_FORCE_INLINE __m512i order_of(size_t vectors) {
  switch (vectors) {
    case 1: return _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    case 2: return _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    case 3: return _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    default: return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
}

/* Part number `part` of the register, where a register is cut into as many as it holds rows. */
NEONSIM_FORCE_INLINE void store_part(size_t rows, size_t part, uint8_t *out, __m512i bytes, __mmask64 stored) {
  if (rows == 1) {
    _mm512_mask_storeu_epi8(out, stored, bytes);
  } else if (rows == 2) {
    _mm256_mask_storeu_epi8(out, (__mmask32)stored, part == 0 ? _mm512_castsi512_si256(bytes) : _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    const __m128i quarter = part == 0   ? _mm512_castsi512_si128(bytes)
                            : part == 1 ? _mm512_extracti32x4_epi32(bytes, 1)
                            : part == 2 ? _mm512_extracti32x4_epi32(bytes, 2)
                                        : _mm512_extracti32x4_epi32(bytes, 3);
    _mm_mask_storeu_epi8(out, (__mmask16)stored, quarter);
  }
}

NEONSIM_FORCE_INLINE void finish_rows(enum neonsim_finish finish, size_t vectors, size_t rows, const int32_t *sums,
                                      const int32_t *row_sums, const float *scale, uint8_t *out, size_t out_stride, size_t columns,
                                      const struct neonsim_requant *requant) {
  const size_t at_once = 4 / vectors;
  const struct finish512 f = finish_begin(finish, requant);
  const __mmask64 stored = columns >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << columns) - 1;
  const __m512i order = order_of(vectors);
  __m512 scales[4];
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    scales[v] = _mm512_load_ps(scale + 16 * (v % vectors));
  }
  for (size_t row = 0; row < rows; row += at_once) {
    __m512i results[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
#pragma GCC unroll 4
    for (size_t i = 0; i < at_once * vectors; i++) {
      /* What is left over at the end is done again rather than left out. */
      const size_t at = neonsim_min(row + (i / vectors) % at_once, rows - 1);
      __m512i sum = _mm512_load_si512(sums + 16 * (at * vectors + i % vectors));
      if (row_sums != NULL) {
        sum = _mm512_add_epi32(sum, _mm512_set1_epi32(row_sums[at]));
      }
      results[i] = finish_sums(finish, &f, sum, scales[i]);
    }
    __m512i bytes = finish_bytes(finish, &f, results[0], results[1], results[2], results[3]);
    bytes = vectors == 4 ? bytes : _mm512_permutexvar_epi32(order, bytes);
#pragma GCC unroll 4
    for (size_t part = 0; part < at_once; part++) {
      store_part(at_once, part, out + neonsim_min(row + part, rows - 1) * out_stride, bytes, stored);
    }
  }
}

/* Block `block` of a row in its order, four columns, is lanes 4 * (block / vectors) .. of register block % vectors: the lanes that
 * blocks 4 * number .. 4 * number + 3 are in, as halves of blocks. */
NEONSIM_FORCE_INLINE __m512i lanes_of(size_t vectors, size_t number) {
  const long long a = (long long)(4 * number / vectors), b = (long long)((4 * number + 1) / vectors);
  const long long c = (long long)((4 * number + 2) / vectors), d = (long long)((4 * number + 3) / vectors);
  return _mm512_setr_epi64(2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1);
}

/* Which of those blocks are in a register. */
NEONSIM_FORCE_INLINE __mmask8 blocks_of(size_t vectors, size_t number, size_t vector) {
  unsigned mask = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    mask |= (4 * number + i) % vectors == vector ? 3u << (2 * i) : 0;
  }
  return (__mmask8)mask;
}

/* The sums themselves, columns in their order. */
NEONSIM_FORCE_INLINE void leave_rows(size_t vectors, size_t rows, const int32_t *sums, const int32_t *row_sums, uint8_t *out,
                                     size_t out_stride, size_t columns) {
  for (size_t row = 0; row < rows; row++, sums += 16 * vectors) {
    const __m512i more = _mm512_set1_epi32(row_sums == NULL ? 0 : row_sums[row]);
#pragma GCC unroll 4
    for (size_t number = 0; number < vectors; number++) {
      const __m512i lanes = lanes_of(vectors, number);
      __m512i found = _mm512_setzero_si512();
#pragma GCC unroll 4
      for (size_t vector = 0; vector < vectors; vector++) {
        found = _mm512_mask_permutexvar_epi64(found, blocks_of(vectors, number, vector), lanes, _mm512_load_si512(sums + 16 * vector));
      }
      const size_t left = columns < 16 * number ? 0 : columns - 16 * number;
      const __mmask16 stored = (__mmask16)(left >= 16 ? 0xffff : (1u << left) - 1);
      _mm512_mask_storeu_epi32(out + row * out_stride + 64 * number, stored, _mm512_add_epi32(found, more));
    }
  }
}

#define LEAVE(vectors)                                                                                                          \
  static void leave_##vectors(size_t rows, const int32_t *sums, const int32_t *row_sums, const float *scale, uint8_t *out,      \
                              size_t out_stride, size_t columns, const struct neonsim_requant *requant) {                       \
    (void)scale;                                                                                                                \
    (void)requant;                                                                                                              \
    leave_rows(vectors, rows, sums, row_sums, out, out_stride, columns);                                                        \
  }
LEAVE(1)
LEAVE(2)
LEAVE(3)
LEAVE(4)

#define FINISH(name, finish, vectors)                                                                                           \
  static void finish_##name##_##vectors(size_t rows, const int32_t *sums, const int32_t *row_sums, const float *scale,          \
                                        uint8_t *out, size_t out_stride, size_t columns, const struct neonsim_requant *requant) { \
    finish_rows(finish, vectors, rows, sums, row_sums, scale, out, out_stride, columns, requant);                               \
  }
#define WIDTHS(name, finish) FINISH(name, finish, 1) FINISH(name, finish, 2) FINISH(name, finish, 3) FINISH(name, finish, 4)
WIDTHS(q31_float, FINISH_Q31_FLOAT)
WIDTHS(q31, FINISH_Q31)
WIDTHS(fp32, FINISH_FP32)

#define NAMES(name) {finish_##name##_1, finish_##name##_2, finish_##name##_3, finish_##name##_4}
const neonsim_finish_rows neonsim_finish__avx512[FINISHES][NEONSIM_MOST_VECTORS] = {NAMES(q31_float), NAMES(q31), NAMES(fp32),
                                                                                     {leave_1, leave_2, leave_3, leave_4}};
