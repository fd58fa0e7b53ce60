/* Addition, sums and maxima of bytes on 256 bits. */
#include <immintrin.h>

#include "network/network.h"
#include "x86/x86.h"

/* Eight results, see bytes__avx512.c: multipliers cut in two, so that 16-bit products do. */
NEONSIM_FORCE_INLINE __m256i weigh(__m256i pairs, __m256i high, __m256i low, __m256i half, __m128i shift, int away) {
  const __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(_mm256_madd_epi16(pairs, high), 11), _mm256_madd_epi16(pairs, low));
  const __m256i down = away ? _mm256_srai_epi32(sum, 31) : _mm256_setzero_si256();
  return _mm256_sra_epi32(_mm256_add_epi32(_mm256_add_epi32(sum, half), down), shift);
}

NEONSIM_FORCE_INLINE int32_t both(int32_t a, int32_t b) { return (int32_t)((uint32_t)a & 0xffff) | (int32_t)((uint32_t)b << 16); }

NEONSIM_FORCE_INLINE __m256i widen(const uint8_t *in) { return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)in)); }

void neonsim_add__avx2(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add) {
  const __m256i a_zero = _mm256_set1_epi16((short)add->a_zero_point), b_zero = _mm256_set1_epi16((short)add->b_zero_point);
  const __m256i high = _mm256_set1_epi32(both(add->a_multiplier >> 11, add->b_multiplier >> 11));
  const __m256i low = _mm256_set1_epi32(both(add->a_multiplier & 2047, add->b_multiplier & 2047));
  const __m256i half = _mm256_set1_epi32(add->shift == 0 ? 0 : (int32_t)(UINT32_C(1) << (add->shift - 1)));
  const __m256i zero = _mm256_set1_epi16(add->zero_point);
  const __m128i min = _mm_set1_epi8((char)add->min), max = _mm_set1_epi8((char)add->max), shift = _mm_cvtsi32_si128(add->shift);
  const int away = add->away && add->shift != 0;
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i x = _mm256_sub_epi16(widen(a + i), a_zero), y = _mm256_sub_epi16(widen(b + i), b_zero);
    const __m256i first = weigh(_mm256_unpacklo_epi16(x, y), high, low, half, shift, away);
    const __m256i last = weigh(_mm256_unpackhi_epi16(x, y), high, low, half, shift, away);
    const __m256i sum = _mm256_adds_epi16(_mm256_packs_epi32(first, last), zero);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_min_epu8(_mm_max_epu8(bytes, min), max));
  }
  neonsim_add__scalar(n - i, a + i, b + i, out + i, add);
}

void neonsim_sum__avx2(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums) {
  size_t i = 0;
  for (; i + 8 <= channels; i += 8) {
    __m256i sum = _mm256_loadu_si256((const __m256i *)(const void *)(sums + i));
    for (size_t row = 0; row < rows; row++) {
      const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(in + row * stride + i));
      sum = _mm256_add_epi32(sum, _mm256_cvtepu8_epi32(bytes));
    }
    _mm256_storeu_si256((__m256i *)(void *)(sums + i), sum);
  }
  neonsim_sum__scalar(channels - i, rows, in + i, stride, sums + i);
}

void neonsim_max__avx2(size_t n, const uint8_t *in, uint8_t *best) {
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m256i found = _mm256_max_epu8(_mm256_loadu_si256((const __m256i *)(const void *)(in + i)),
                                          _mm256_loadu_si256((const __m256i *)(const void *)(best + i)));
    _mm256_storeu_si256((__m256i *)(void *)(best + i), found);
  }
  neonsim_max__scalar(n - i, in + i, best + i);
}
