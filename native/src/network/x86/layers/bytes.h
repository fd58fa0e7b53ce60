/* Addition, sums and maxima of bytes on the registers of vector.h. */
#ifndef NEONSIM_X86_BYTES_H
#define NEONSIM_X86_BYTES_H

#include "network/x86/vector.h"

/* LANES results, see bytes__avx512.c: multipliers cut in two, so that 16-bit products do. */
NEONSIM_FORCE_INLINE vector weigh(vector pairs, vector high, vector low, vector half, __m128i shift, int away) {
  const vector sum = VECTOR(add_epi32)(VECTOR(slli_epi32)(VECTOR(madd_epi16)(pairs, high), 11), VECTOR(madd_epi16)(pairs, low));
  const vector down = away ? VECTOR(srai_epi32)(sum, 31) : VECTOR_BITS(setzero)();
  return VECTOR(sra_epi32)(VECTOR(add_epi32)(VECTOR(add_epi32)(sum, half), down), shift);
}

NEONSIM_FORCE_INLINE int32_t both(int32_t a, int32_t b) { return (int32_t)((uint32_t)a & 0xffff) | (int32_t)((uint32_t)b << 16); }

NEONSIM_FORCE_INLINE void add_bytes(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add) {
  const vector a_zero = VECTOR(set1_epi16)((short)add->a_zero_point), b_zero = VECTOR(set1_epi16)((short)add->b_zero_point);
  const vector high = VECTOR(set1_epi32)(both(add->a_multiplier >> 11, add->b_multiplier >> 11));
  const vector low = VECTOR(set1_epi32)(both(add->a_multiplier & 2047, add->b_multiplier & 2047));
  const vector half = VECTOR(set1_epi32)(add->shift == 0 ? 0 : (int32_t)(UINT32_C(1) << (add->shift - 1)));
  const vector zero = VECTOR(set1_epi16)(add->zero_point);
  const __m128i min = _mm_set1_epi8((char)add->min), max = _mm_set1_epi8((char)add->max), shift = _mm_cvtsi32_si128(add->shift);
  const int away = add->away && add->shift != 0;
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    const vector x = VECTOR(sub_epi16)(widen(a + i), a_zero), y = VECTOR(sub_epi16)(widen(b + i), b_zero);
    const vector first = weigh(VECTOR(unpacklo_epi16)(x, y), high, low, half, shift, away);
    const vector last = weigh(VECTOR(unpackhi_epi16)(x, y), high, low, half, shift, away);
    const __m128i bytes = narrow_words(VECTOR(adds_epi16)(VECTOR(packs_epi32)(first, last), zero));
    const __m128i limited = _mm_min_epu8(_mm_max_epu8(bytes, min), max);
    memcpy(out + i, &limited, 2 * LANES);
  }
  neonsim_add__scalar(n - i, a + i, b + i, out + i, add);
}

NEONSIM_FORCE_INLINE void sum_bytes(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums) {
  size_t i = 0;
  for (; i + 8 <= channels; i += LANES) {
    vector sum = load_anywhere(sums + i);
    for (size_t row = 0; row < rows; row++) {
      sum = VECTOR(add_epi32)(sum, VECTOR(cvtepu8_epi32)(load8(in + row * stride + i)));
    }
    store_anywhere(sums + i, sum);
  }
  neonsim_sum__scalar(channels - i, rows, in + i, stride, sums + i);
}

NEONSIM_FORCE_INLINE void max_bytes(size_t n, const uint8_t *in, uint8_t *best) {
  size_t i = 0;
  for (; i + sizeof(vector) <= n; i += sizeof(vector)) {
    store_anywhere(best + i, VECTOR(max_epu8)(load_anywhere(in + i), load_anywhere(best + i)));
  }
  neonsim_max__scalar(n - i, in + i, best + i);
}

NEONSIM_FORCE_INLINE void widen_line(uint8_t *to, const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 2 * LANES) {
    store_anywhere(to + 2 * i, widen(from + i));
  }
}

/* Lines in order: what a register writes too much is written over by the next one. */
NEONSIM_FORCE_INLINE void widen_windows(uint8_t *to, size_t to_step, const uint8_t *from, size_t run,
                                        const struct neonsim_windows *windows) {
  for (size_t i = 0; i < run; i++, to += to_step, from += windows->step) {
    for (size_t line = 0; line < windows->lines; line++) {
      widen_line(to + line * 2 * windows->bytes, from + line * windows->line_step, windows->bytes);
    }
  }
}

#define BYTES_KERNELS .add = add_bytes, .sum = sum_bytes, .max = max_bytes

#endif
