/* What the AVX2 kernels share: sums to bytes. */
#ifndef NEONSIM_AVX2_H
#define NEONSIM_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "network/network.h"

/* Constants of one requantisation in registers. */
struct finish256 {
  __m256i zero_point, multiplier, first_half, second_half, signs;
  __m128i min, max, shift;
};

NEONSIM_FORCE_INLINE struct finish256 finish_begin256(const struct neonsim_requant *requant) {
  struct finish256 f;
  f.zero_point = _mm256_set1_epi16(requant->zero_point);
  f.min = _mm_set1_epi8((char)requant->min);
  f.max = _mm_set1_epi8((char)requant->max);
  f.multiplier = _mm256_set1_epi32(requant->multiplier);
  f.first_half = _mm256_set1_epi64x(INT64_C(1) << 30);
  f.second_half = _mm256_set1_epi32(requant->shift == 0 ? 0 : INT32_C(1) << (requant->shift - 1));
  f.signs = _mm256_set1_epi32(requant->shift == 0 ? 0 : -1);
  f.shift = _mm_cvtsi32_si128(requant->shift);
  return f;
}

/* 32-bit sums to 32-bit results before zero point and limits. FINISH_Q31_FLOAT needs a rounding mode that these processors cannot
 * give a single instruction; both Q31 finishes are done in integers. */
NEONSIM_FORCE_INLINE __m256i finish_sums256(enum neonsim_finish finish, const struct finish256 *f, __m256i sums, __m256 scale) {
  if (finish == FINISH_FP32) {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale));
  }
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(sums, f->multiplier), f->first_half);
  const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sums, 32), f->multiplier), f->first_half);
  /* Bits 31 to 62 of each 64: the shift need not know the sign. */
  const __m256i products = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
  const __m256i down = _mm256_and_si256(_mm256_srai_epi32(sums, 31), f->signs);
  return _mm256_sra_epi32(_mm256_add_epi32(_mm256_add_epi32(products, f->second_half), down), f->shift);
}

/* Two registers of results, packed within 128 bits, to sixteen bytes in the order of low 4, high 4, low 4, high 4. */
NEONSIM_FORCE_INLINE __m128i finish_bytes256(const struct finish256 *f, __m256i low, __m256i high) {
  const __m256i words = _mm256_adds_epi16(_mm256_packs_epi32(low, high), f->zero_point);
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  return _mm_min_epu8(_mm_max_epu8(bytes, f->min), f->max);
}

NEONSIM_FORCE_INLINE void store_bytes(uint8_t *out, __m128i bytes, size_t count) {
  if (count >= 16) {
    _mm_storeu_si128((__m128i *)(void *)out, bytes);
    return;
  }
  uint8_t room[16];
  _mm_storeu_si128((__m128i *)(void *)room, bytes);
  memcpy(out, room, count);
}

#endif
