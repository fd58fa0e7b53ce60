/* What the AVX-512 kernels share: sums to bytes. */
#ifndef NEONSIM_AVX512_H
#define NEONSIM_AVX512_H

#include <immintrin.h>

#include "network/network.h"

/* Constants of one requantization in registers. */
struct finish {
  __m512i zero_point, min, max;        /* int16, uint8, uint8 */
  __m512i multiplier, rounding, below; /* FINISH_Q31 */
  __m512 positive, negative;           /* FINISH_Q31_FLOAT */
  __m128i even_shift;
};

NEONSIM_FORCE_INLINE struct finish finish_begin(enum neonsim_finish finish, const struct neonsim_requant *requant) {
  struct finish f;
  f.zero_point = _mm512_set1_epi16(requant->zero_point);
  f.min = _mm512_set1_epi8((char)requant->min);
  f.max = _mm512_set1_epi8((char)requant->max);
  if (finish == FINISH_Q31_FLOAT) {
    f.positive = _mm512_set1_ps(requant->positive);
    f.negative = _mm512_set1_ps(requant->negative);
  } else if (finish == FINISH_Q31) {
    /* (sum * multiplier + 2**30) / 2**31 rounded down, then half away from zero: both roundings in one shift of the 64-bit product. */
    const int64_t second = requant->shift == 0 ? 0 : INT64_C(1) << (30 + requant->shift);
    f.multiplier = _mm512_set1_epi32(requant->multiplier);
    f.rounding = _mm512_set1_epi64((INT64_C(1) << 30) + second);
    f.below = _mm512_set1_epi64(requant->shift == 0 ? 0 : INT64_C(1) << 31);
    f.even_shift = _mm_cvtsi32_si128(31 + requant->shift);
  }
  return f;
}

/* 32-bit sums, any, to 32-bit results before zero point (FINISH_Q31_FLOAT: after it) and limits. scale: of these lanes. */
NEONSIM_FORCE_INLINE __m512i finish_sums(enum neonsim_finish finish, const struct finish *f, __m512i sums, __m512 scale) {
  if (finish == FINISH_FP32) {
    /* What is below int32 becomes its lowest number, and so would what is above. */
    const __m512 products = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
    return _mm512_cvtps_epi32(_mm512_min_ps(products, _mm512_set1_ps(NEONSIM_BEYOND_BYTES)));
  }
  if (finish == FINISH_Q31_FLOAT) {
    const __m512 start = _mm512_mask_blend_ps(_mm512_movepi32_mask(sums), f->positive, f->negative);
    /* Rounded down twice is rounded down once: integers are floats, so the first time never falls below one. */
    const __m512 down = _mm512_fmadd_round_ps(_mm512_cvtepi32_ps(sums), scale, start, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_cvt_roundps_epi32(down, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  const __m512i even = _mm512_mul_epi32(sums, f->multiplier);
  const __m512i odd = _mm512_mul_epi32(_mm512_srli_epi64(sums, 32), f->multiplier);
  const __m512i even_sum = _mm512_add_epi64(even, f->rounding), odd_sum = _mm512_add_epi64(odd, f->rounding);
  const __m512i even_down = _mm512_mask_sub_epi64(even_sum, _mm512_movepi64_mask(even), even_sum, f->below);
  const __m512i odd_down = _mm512_mask_sub_epi64(odd_sum, _mm512_movepi64_mask(odd), odd_sum, f->below);
  const __m512i low = _mm512_sra_epi64(even_down, f->even_shift);
  const __m512i high = _mm512_slli_epi64(_mm512_sra_epi64(odd_down, f->even_shift), 32);
  return _mm512_mask_blend_epi32(0xaaaa, low, high);
}

/* Two registers of results to one of 16 bits, packed within 128 bits. */
NEONSIM_FORCE_INLINE __m512i finish_words(enum neonsim_finish finish, const struct finish *f, __m512i first, __m512i second) {
  const __m512i words = _mm512_packs_epi32(first, second);
  return finish == FINISH_Q31_FLOAT ? words : _mm512_adds_epi16(words, f->zero_point);
}

/* Two registers of those to 64 bytes: within each 128 bits four bytes of each register of results. */
NEONSIM_FORCE_INLINE __m512i finish_bytes(const struct finish *f, __m512i low, __m512i high) {
  return _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(low, high), f->min), f->max);
}

#endif
