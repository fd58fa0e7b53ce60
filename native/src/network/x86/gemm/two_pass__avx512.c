/* What the two-pass way needs besides GEMM, on 512 bits: sums to bytes, and one tap of a depthwise convolution. */
#include "network/x86/avx512.h"
#include "network/x86/x86.h"

NEONSIM_FORCE_INLINE __mmask16 lanes_left(size_t n, size_t i) {
  return (__mmask16)(n >= i + 16 ? 0xffff : n <= i ? 0 : (1u << (n - i)) - 1);
}

NEONSIM_FORCE_INLINE void requantize(enum neonsim_finish finish, size_t n, const int32_t *sums, const float *scale, int one_scale,
                                     uint8_t *out, const struct neonsim_requant *requant) {
  const struct finish f = finish_begin(finish, requant);
  const __m512 one = _mm512_set1_ps(scale[0]);
  /* Packing puts four bytes of each of four registers into each 128 bits. */
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (size_t i = 0; i < n; i += 64) {
    __m512i results[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
      const __mmask16 there = lanes_left(n, i + 16 * v);
      const __m512 scales = one_scale ? one : _mm512_maskz_loadu_ps(there, scale + i + 16 * v);
      results[v] = finish_sums(finish, &f, _mm512_maskz_loadu_epi32(there, sums + i + 16 * v), scales);
    }
    const __m512i low = finish_words(finish, &f, results[0], results[1]), high = finish_words(finish, &f, results[2], results[3]);
    const __m512i bytes = finish_bytes(&f, low, high);
    const __mmask64 stored = n - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (n - i)) - 1;
    _mm512_mask_storeu_epi8(out + i, stored, _mm512_permutexvar_epi32(order, bytes));
  }
}

void neonsim_requantize__avx512(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                const struct neonsim_requant *requant) {
  switch (requant->finish) {
    case FINISH_Q31_FLOAT: requantize(FINISH_Q31_FLOAT, n, sums, scale, one_scale, out, requant); break;
    case FINISH_Q31: requantize(FINISH_Q31, n, sums, scale, one_scale, out, requant); break;
    default: requantize(FINISH_FP32, n, sums, scale, one_scale, out, requant); break;
  }
}

void neonsim_multiply_add__avx512(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums) {
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 there = lanes_left(n, i);
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, in + i));
    const __m512i words = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(there, weights + i));
    /* The upper halves of the bytes' lanes are zero. */
    const __m512i sum = _mm512_add_epi32(_mm512_maskz_loadu_epi32(there, sums + i), _mm512_madd_epi16(bytes, words));
    _mm512_mask_storeu_epi32(sums + i, there, sum);
  }
}
