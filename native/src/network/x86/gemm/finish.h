/* Sums to bytes, on the registers of vector.h. */
#ifndef NEONSIM_X86_FINISH_H
#define NEONSIM_X86_FINISH_H

#include "network/x86/vector.h"

/* DO(name, it) for every finish, and a kernel's names by enum neonsim_finish. Without FMA both ways of Q31 are one. */
#if defined(__FMA__)
#define EACH_FINISH_TO_BYTES(DO) DO(q31_float, FINISH_Q31_FLOAT) DO(q31, FINISH_Q31) DO(fp32, FINISH_FP32)
#define BY_FINISH_TO_BYTES(kernel) kernel##_q31_float, kernel##_q31, kernel##_fp32
#else
#define EACH_FINISH_TO_BYTES(DO) DO(q31, FINISH_Q31) DO(fp32, FINISH_FP32)
#define BY_FINISH_TO_BYTES(kernel) kernel##_q31, kernel##_q31, kernel##_fp32
#endif
#define EACH_FINISH(DO) EACH_FINISH_TO_BYTES(DO) DO(sums, FINISH_S32)
#define BY_FINISH(kernel) BY_FINISH_TO_BYTES(kernel), kernel##_sums

/* FINISH_Q31_FLOAT rounds down, a mode that these processors have for all that a thread does and not for one instruction: it is set
 * around kernels, which compilers must not take apart, so these are calls that are not inlined. Returns what to go back to. */
#if defined(__FMA__) && !defined(__AVX512BW__)
NEONSIM_FORCE_INLINE unsigned round_down(enum neonsim_finish finish) {
  const unsigned before = finish == FINISH_Q31_FLOAT ? _mm_getcsr() : 0;
  if (finish == FINISH_Q31_FLOAT) {
    _mm_setcsr((before & ~(unsigned)_MM_ROUND_MASK) | _MM_ROUND_DOWN);
  }
  return before;
}

NEONSIM_FORCE_INLINE void round_as(enum neonsim_finish finish, unsigned before) {
  if (finish == FINISH_Q31_FLOAT) {
    _mm_setcsr(before);
  }
}
#else
/* Q31 is finished in integers here, or by instructions that round down themselves. */
NEONSIM_FORCE_INLINE unsigned round_down(enum neonsim_finish finish) { return (void)finish, 0; }
NEONSIM_FORCE_INLINE void round_as(enum neonsim_finish finish, unsigned before) { (void)finish, (void)before; }
#endif

#if defined(__AVX512BW__)
#include "network/x86/avx512.h"
#else
/* Constants of one requantization in registers. */
struct finish {
  vector zero_point, min, max;                     /* int16, uint8, uint8 */
  vector multiplier, first_half, last_half, signs; /* FINISH_Q31 */
  vector_float most;                               /* of floats before they become integers: max is among them */
  vector_float positive, negative;                 /* FINISH_Q31_FLOAT */
  __m128i shift, last_shift;
};

NEONSIM_FORCE_INLINE struct finish finish_begin(enum neonsim_finish finish, const struct neonsim_requant *requant) {
  struct finish f;
  f.zero_point = VECTOR(set1_epi16)(requant->zero_point);
  f.min = VECTOR(set1_epi8)((char)requant->min);
  f.max = VECTOR(set1_epi8)((char)requant->max);
  if (finish == FINISH_FP32) {
    f.most = VECTOR(set1_ps)((float)(requant->max - requant->zero_point));
  } else if (finish == FINISH_Q31_FLOAT) {
    f.most = VECTOR(set1_ps)((float)requant->max);
    f.positive = VECTOR(set1_ps)(requant->positive);
    f.negative = VECTOR(set1_ps)(requant->negative);
  } else {
    const int last = requant->shift != 0;
    f.multiplier = VECTOR(set1_epi32)(requant->multiplier);
    f.first_half = VECTOR(set1_epi64x)(INT64_C(1) << 30);
    f.last_half = VECTOR(set1_epi32)(last);
    f.signs = VECTOR(set1_epi32)(-last);
    f.shift = _mm_cvtsi32_si128(requant->shift - last);
    f.last_shift = _mm_cvtsi32_si128(last);
  }
  return f;
}

/* 32-bit sums, any, to 32-bit results before zero point (FINISH_Q31_FLOAT: after it) and limits. */
NEONSIM_FORCE_INLINE vector finish_sums(enum neonsim_finish finish, const struct finish *f, vector sums, vector_float scale) {
  if (finish == FINISH_FP32) {
    /* What is below int32 becomes its lowest number, and so would what is above. Integers bound what is rounded, too. */
    const vector_float products = VECTOR(mul_ps)(VECTOR(cvtepi32_ps)(sums), scale);
    return VECTOR(cvtps_epi32)(VECTOR(min_ps)(products, f->most));
  }
#if defined(__FMA__)
  if (finish == FINISH_Q31_FLOAT) {
    const vector_float start = VECTOR(blendv_ps)(f->positive, f->negative, _mm256_castsi256_ps(sums));
    /* Rounded down twice is rounded down once: integers are floats, so the first time never falls below one. */
    const vector_float down = VECTOR(fmadd_ps)(VECTOR(cvtepi32_ps)(sums), scale, start);
    return VECTOR(cvtps_epi32)(VECTOR(min_ps)(down, f->most));
  }
#endif
  const vector even = VECTOR(add_epi64)(VECTOR(mul_epi32)(sums, f->multiplier), f->first_half);
  const vector odd = VECTOR(add_epi64)(VECTOR(mul_epi32)(VECTOR(srli_epi64)(sums, 32), f->multiplier), f->first_half);
  /* Bits 31 to 62 of each 64: the shift need not know the sign. */
  const vector products = every_second(VECTOR(srli_epi64)(even, 31), VECTOR(slli_epi64)(odd, 1));
  const vector down = VECTOR_BITS (and)(VECTOR(srai_epi32)(sums, 31), f->signs);
  /* The last bit is shifted out alone: half a unit of all of them, added before, would leave 32 bits. */
  const vector all_but_one = VECTOR(sra_epi32)(VECTOR(add_epi32)(products, down), f->shift);
  return VECTOR(sra_epi32)(VECTOR(add_epi32)(all_but_one, f->last_half), f->last_shift);
}

/* Two registers of results to one of 16 bits, packed within 128 bits. */
NEONSIM_FORCE_INLINE vector finish_words(enum neonsim_finish finish, const struct finish *f, vector first, vector second) {
  const vector words = VECTOR(packs_epi32)(first, second);
  return finish == FINISH_Q31_FLOAT ? words : VECTOR(adds_epi16)(words, f->zero_point);
}

/* Two registers of those to one of bytes, packed within 128 bits. */
NEONSIM_FORCE_INLINE vector finish_bytes(enum neonsim_finish finish, const struct finish *f, vector first, vector second) {
  const vector bytes = VECTOR(max_epu8)(VECTOR(packus_epi16)(first, second), f->min);
  return finish == FINISH_Q31 ? VECTOR(min_epu8)(bytes, f->max) : bytes; /* the others' were bounded before */
}

/* 32-bit lanes of a register in the order that rows of one register, of two, and pixels of a depthwise convolution need: packing within
 * 128 bits has dealt fours of bytes to both halves. */
NEONSIM_FORCE_INLINE vector deal_fours(vector bytes) {
#if defined(__AVX2__)
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
  return bytes;
#endif
}

NEONSIM_FORCE_INLINE vector deal_eights(vector bytes) {
#if defined(__AVX2__)
  return _mm256_permute4x64_epi64(bytes, _MM_SHUFFLE(3, 1, 2, 0));
#else
  return bytes;
#endif
}

/* Bytes number part * size of a register and those behind it: `size` of them, or only `count`. */
NEONSIM_FORCE_INLINE void store_part(uint8_t *out, vector bytes, size_t size, size_t part, size_t count) {
#if defined(__AVX2__)
  const size_t at = size == 32 ? 0 : part * size % 16;
  const __m128i half = size == 32 || part * size < 16 ? _mm256_castsi256_si128(bytes) : _mm256_extracti128_si256(bytes, 1);
#else
  const size_t at = part * size;
  const __m128i half = bytes;
#endif
  if (count < size) {
    uint8_t room[sizeof bytes];
    store_anywhere(room, bytes);
    memcpy(out, room + part * size % sizeof room, count);
  } else if (size == sizeof bytes) {
    store_anywhere(out, bytes);
  } else if (size == 16) {
    _mm_storeu_si128((__m128i *)(void *)out, half);
  } else if (size == 8) {
    const int64_t eight = at == 0 ? _mm_cvtsi128_si64(half) : _mm_extract_epi64(half, 1);
    memcpy(out, &eight, sizeof eight);
  } else {
    const int32_t four = at == 0   ? _mm_cvtsi128_si32(half)
                         : at == 4 ? _mm_extract_epi32(half, 1)
                         : at == 8 ? _mm_extract_epi32(half, 2)
                                   : _mm_extract_epi32(half, 3);
    memcpy(out, &four, sizeof four);
  }
}
#endif

#endif
