/* The end of every GEMM on 512 bits: sums in memory, [rows][registers][lanes], to bytes.
 *
 * Four registers of sums make one of bytes: one row of 3 or 4 registers, two rows of 2, four rows of 1. */
#ifndef NEONSIM_FINISH512_H
#define NEONSIM_FINISH512_H

#include "network/x86/avx512.h"

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
    _mm256_mask_storeu_epi8(out, (__mmask32)stored,
                            part == 0 ? _mm512_castsi512_si256(bytes) : _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    const __m128i quarter = part == 0   ? _mm512_castsi512_si128(bytes)
                            : part == 1 ? _mm512_extracti32x4_epi32(bytes, 1)
                            : part == 2 ? _mm512_extracti32x4_epi32(bytes, 2)
                                        : _mm512_extracti32x4_epi32(bytes, 3);
    _mm_mask_storeu_epi8(out, (__mmask16)stored, quarter);
  }
}

/* What the rows of a panel's tiles are finished with. */
struct finishing512 {
  struct finish f;
  __m512i order;
  __m512 scales[4]; /* of the registers; their number divides four or is three */
  __mmask64 stored;
  size_t out_stride, columns;
};

NEONSIM_FORCE_INLINE struct finishing512 finishing_begin(enum neonsim_finish finish, size_t vectors, const float *scale,
                                                         size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  struct finishing512 all = {
      .f = finish_begin(finish, requant), .order = order_of(vectors), .out_stride = out_stride, .columns = columns};
  all.stored = columns >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << columns) - 1;
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    all.scales[v] = _mm512_load_ps(scale + 16 * (v % vectors));
  }
  return all;
}

/* The rows of one register of bytes: `row` and those behind it. Beyond `last` there is none: that one is done again. */
NEONSIM_FORCE_INLINE void finish_register(enum neonsim_finish finish, size_t vectors, const struct finishing512 *all, size_t row,
                                          size_t last, const int32_t *sums, const int32_t *row_sums, uint8_t *out) {
  const size_t at_once = 4 / vectors;
  __m512i results[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
#pragma GCC unroll 4
  for (size_t i = 0; i < at_once * vectors; i++) {
    const size_t at = i < vectors ? row : neonsim_min(row + i / vectors, last);
    __m512i sum = _mm512_load_si512(sums + 16 * (at * vectors + i % vectors));
    if (row_sums != NULL) {
      sum = _mm512_add_epi32(sum, _mm512_set1_epi32(row_sums[at]));
    }
    results[i] = finish_sums(finish, &all->f, sum, all->scales[i]);
  }
  const __m512i low = finish_words(finish, &all->f, results[0], results[1]);
  __m512i bytes = finish_bytes(&all->f, low, finish_words(finish, &all->f, results[2], results[3]));
  bytes = vectors == 4 ? bytes : _mm512_permutexvar_epi32(all->order, bytes);
#pragma GCC unroll 4
  for (size_t part = 0; part < at_once; part++) {
    const size_t at = part == 0 ? row : neonsim_min(row + part, last);
    store_part(at_once, part, out + at * all->out_stride, bytes, all->stored);
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
NEONSIM_FORCE_INLINE void leave_rows(size_t vectors, size_t first, size_t end, const int32_t *sums, const int32_t *row_sums,
                                     uint8_t *out, size_t out_stride, size_t columns) {
  for (size_t row = first; row < end; row++) {
    const __m512i more = _mm512_set1_epi32(row_sums == NULL ? 0 : row_sums[row]);
#pragma GCC unroll 4
    for (size_t number = 0; number < vectors; number++) {
      const __m512i lanes = lanes_of(vectors, number);
      __m512i found = _mm512_setzero_si512();
#pragma GCC unroll 4
      for (size_t vector = 0; vector < vectors; vector++) {
        const __m512i some = _mm512_load_si512(sums + 16 * (row * vectors + vector));
        found = _mm512_mask_permutexvar_epi64(found, blocks_of(vectors, number, vector), lanes, some);
      }
      const size_t left = columns < 16 * number ? 0 : columns - 16 * number;
      const __mmask16 stored = (__mmask16)(left >= 16 ? 0xffff : (1u << left) - 1);
      _mm512_mask_storeu_epi32(out + row * out_stride + 64 * number, stored, _mm512_add_epi32(found, more));
    }
  }
}

/* Rows first .. end - 1 of the `last` + 1 there are. */
NEONSIM_FORCE_INLINE void finish_some(enum neonsim_finish finish, size_t vectors, const struct finishing512 *all, size_t first,
                                      size_t end, size_t last, const int32_t *sums, const int32_t *row_sums, uint8_t *out) {
  if (finish == FINISH_S32) {
    leave_rows(vectors, first, end, sums, row_sums, out, all->out_stride, all->columns);
    return;
  }
  for (size_t row = first; row < end; row += 4 / vectors) {
    finish_register(finish, vectors, all, row, last, sums, row_sums, out);
  }
}

#endif
