/* Sums to bytes, on the registers of vector.h. */
#ifndef NEONSIM_X86_FINISH_H
#define NEONSIM_X86_FINISH_H

#include "network/x86/vector.h"

/* Constants of one requantisation in registers. */
struct finish {
  vector zero_point, multiplier, first_half, last_half, signs;
  vector_float most;
  __m128i min, max, shift, last_shift;
};

NEONSIM_FORCE_INLINE struct finish finish_begin(const struct neonsim_requant *requant) {
  struct finish f;
  f.zero_point = VECTOR(set1_epi16)(requant->zero_point);
  f.min = _mm_set1_epi8((char)requant->min);
  f.max = _mm_set1_epi8((char)requant->max);
  f.multiplier = VECTOR(set1_epi32)(requant->multiplier);
  f.first_half = VECTOR(set1_epi64x)(INT64_C(1) << 30);
  const int last = requant->shift != 0;
  f.last_half = VECTOR(set1_epi32)(last);
  f.signs = VECTOR(set1_epi32)(-last);
  f.shift = _mm_cvtsi32_si128(requant->shift - last);
  f.last_shift = _mm_cvtsi32_si128(last);
  f.most = VECTOR(set1_ps)(NEONSIM_BEYOND_BYTES);
  return f;
}

/* 32-bit sums, any, to 32-bit results before zero point and limits. FINISH_Q31_FLOAT needs a rounding mode that these processors cannot
 * give a single instruction; both Q31 finishes are done in integers. */
NEONSIM_FORCE_INLINE vector finish_sums(enum neonsim_finish finish, const struct finish *f, vector sums, const float *scale) {
  if (finish == FINISH_FP32) {
    /* What is below int32 becomes its lowest number, and so would what is above. */
    const vector_float products = VECTOR(mul_ps)(VECTOR(cvtepi32_ps)(sums), VECTOR(loadu_ps)(scale));
    return VECTOR(cvtps_epi32)(VECTOR(min_ps)(products, f->most));
  }
  const vector even = VECTOR(add_epi64)(VECTOR(mul_epi32)(sums, f->multiplier), f->first_half);
  const vector odd = VECTOR(add_epi64)(VECTOR(mul_epi32)(VECTOR(srli_epi64)(sums, 32), f->multiplier), f->first_half);
  /* Bits 31 to 62 of each 64: the shift need not know the sign. */
  const vector products = every_second(VECTOR(srli_epi64)(even, 31), VECTOR(slli_epi64)(odd, 1));
  const vector down = VECTOR_BITS (and)(VECTOR(srai_epi32)(sums, 31), f->signs);
  /* The last bit is shifted out alone: half a unit of all of them, added before, would leave 32 bits. */
  const vector all_but_one = VECTOR(sra_epi32)(VECTOR(add_epi32)(products, down), f->shift);
  return VECTOR(sra_epi32)(VECTOR(add_epi32)(all_but_one, f->last_half), f->last_shift);
}

/* Two registers of results, packed within 128 bits, to 2 * LANES bytes: with 256 bits 4 of the first, 4 of the second, and so on. */
NEONSIM_FORCE_INLINE __m128i finish_bytes(const struct finish *f, vector first, vector second) {
  const vector words = VECTOR(adds_epi16)(VECTOR(packs_epi32)(first, second), f->zero_point);
  return _mm_min_epu8(_mm_max_epu8(narrow_words(words), f->min), f->max);
}

/* At most 2 * LANES bytes. */
NEONSIM_FORCE_INLINE void store_bytes(uint8_t *out, __m128i bytes, size_t count) {
  if (count >= 2 * LANES) {
    memcpy(out, &bytes, 2 * LANES);
    return;
  }
  uint8_t room[16];
  memcpy(room, &bytes, sizeof room);
  memcpy(out, room, count);
}

#endif
