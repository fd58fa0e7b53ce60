/* Addition, sums, maxima and groups of bytes on 512 bits. */
#include <immintrin.h>

#include "network/x86/layers/interleave.h"
#include "network/x86/x86.h"

/* Sixteen results: pairs of (a - za, b - zb) by both multipliers, which are cut in two so that 16-bit products do:
 * m = high * 2**11 + low, low 0 .. 2047. */
NEONSIM_FORCE_INLINE __m512i weigh(__m512i pairs, __m512i high, __m512i low, __m512i half, __m128i shift, int away) {
  const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(_mm512_madd_epi16(pairs, high), 11), _mm512_madd_epi16(pairs, low));
  const __m512i down = away ? _mm512_srai_epi32(sum, 31) : _mm512_setzero_si512();
  return _mm512_sra_epi32(_mm512_add_epi32(_mm512_add_epi32(sum, half), down), shift);
}

NEONSIM_FORCE_INLINE int32_t both(int32_t a, int32_t b) { return (int32_t)((uint32_t)a & 0xffff) | (int32_t)((uint32_t)b << 16); }

void neonsim_add__avx512(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add) {
  const __m512i a_zero = _mm512_set1_epi16((short)add->a_zero_point), b_zero = _mm512_set1_epi16((short)add->b_zero_point);
  const __m512i high = _mm512_set1_epi32(both(add->a_multiplier >> 11, add->b_multiplier >> 11));
  const __m512i low = _mm512_set1_epi32(both(add->a_multiplier & 2047, add->b_multiplier & 2047));
  const __m512i half = _mm512_set1_epi32(add->shift == 0 ? 0 : (int32_t)(UINT32_C(1) << (add->shift - 1)));
  const __m512i zero = _mm512_set1_epi16(add->zero_point);
  const __m256i min = _mm256_set1_epi8((char)add->min), max = _mm256_set1_epi8((char)add->max);
  const __m128i shift = _mm_cvtsi32_si128(add->shift);
  for (size_t i = 0; i < n; i += 32) {
    const __mmask32 there = n - i >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << (n - i)) - 1;
    const __m512i x = _mm512_sub_epi16(_mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(there, a + i)), a_zero);
    const __m512i y = _mm512_sub_epi16(_mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(there, b + i)), b_zero);
    const int away = add->away && add->shift != 0;
    const __m512i first = weigh(_mm512_unpacklo_epi16(x, y), high, low, half, shift, away);
    const __m512i last = weigh(_mm512_unpackhi_epi16(x, y), high, low, half, shift, away);
    const __m512i sum = _mm512_adds_epi16(_mm512_packs_epi32(first, last), zero);
    const __m256i bytes = _mm512_cvtusepi16_epi8(_mm512_max_epi16(sum, _mm512_setzero_si512()));
    _mm256_mask_storeu_epi8(out + i, there, _mm256_min_epu8(_mm256_max_epu8(bytes, min), max));
  }
}

void neonsim_sum__avx512(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums) {
  for (size_t i = 0; i < channels; i += 16) {
    const __mmask16 there = (__mmask16)(channels - i >= 16 ? 0xffff : (1u << (channels - i)) - 1);
    __m512i sum = _mm512_maskz_loadu_epi32(there, sums + i);
    for (size_t row = 0; row < rows; row++) {
      sum = _mm512_add_epi32(sum, _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, in + row * stride + i)));
    }
    _mm512_mask_storeu_epi32(sums + i, there, sum);
  }
}

void neonsim_max__avx512(size_t n, const uint8_t *in, uint8_t *best) {
  for (size_t i = 0; i < n; i += 64) {
    const __mmask64 there = n - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (n - i)) - 1;
    const __m512i found = _mm512_max_epu8(_mm512_maskz_loadu_epi8(there, in + i), _mm512_maskz_loadu_epi8(there, best + i));
    _mm512_mask_storeu_epi8(best + i, there, found);
  }
}

void neonsim_interleave__avx512(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride, uint8_t *out,
                                size_t out_stride) {
  interleave_groups(groups, pixels, channels, in, in_stride, out, out_stride);
}
