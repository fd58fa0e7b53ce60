/* Numbers as ncnn has them on 512 bits: see ncnn.c. */
#include <immintrin.h>

#include "network/network.h"

enum { LANES = 16 };

NEONSIM_FORCE_INLINE __mmask16 lanes_left(size_t n, size_t i) { return (__mmask16)(n - i >= LANES ? 0xffff : (1u << (n - i)) - 1); }

/* Integers, half away from zero, within -127 and 127: the float before 0.5, with the sign of what it is added to, then cut off. As
 * bytes, 128 added. */
NEONSIM_FORCE_INLINE __m128i steps_of(__m512 scaled) {
  const __m512 sign = _mm512_and_ps(scaled, _mm512_set1_ps(-0.0f));
  const __m512 cut = _mm512_max_ps(_mm512_min_ps(scaled, _mm512_set1_ps(127.0f)), _mm512_set1_ps(-127.0f));
  const __m512i whole = _mm512_cvttps_epi32(_mm512_add_ps(cut, _mm512_or_ps(sign, _mm512_set1_ps(0.49999997f))));
  return _mm_xor_si128(_mm512_cvtepi32_epi8(whole), _mm_set1_epi8((char)0x80));
}

static int quantize(size_t n, const float *in, float steps, uint8_t *out) {
  const __m512 by = _mm512_set1_ps(steps);
  __mmask16 odd = 0;
  for (size_t i = 0; i < n; i += LANES) {
    const __mmask16 there = lanes_left(n, i);
    const __m512 x = _mm512_maskz_loadu_ps(there, in + i);
    odd = (__mmask16)(odd | _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q));
    _mm_mask_storeu_epi8(out + i, there, steps_of(_mm512_mul_ps(x, by)));
  }
  return odd != 0;
}

NEONSIM_FORCE_INLINE __m512 dequantize_one(__mmask16 there, const int32_t *sums, const struct neonsim_channel_scales *by,
                                           size_t channel) {
  const __m512 sum = _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(there, sums + channel));
  const __m512 factor = _mm512_maskz_loadu_ps(there, by->factor + channel);
  const __m512 found = _mm512_fmadd_ps(sum, factor, _mm512_maskz_loadu_ps(there, by->bias + channel));
  /* Where both are equal, -0 and +0 among them, the limit is taken. */
  return _mm512_min_ps(_mm512_max_ps(found, _mm512_set1_ps(by->low)), _mm512_set1_ps(by->high));
}

static void dequantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, float *out) {
  for (size_t i = 0; i < n; i += LANES) {
    const __mmask16 there = lanes_left(n, i);
    _mm512_mask_storeu_ps(out + i, there, dequantize_one(there, sums, by, i));
  }
}

static void requantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, uint8_t *out) {
  const __m512 steps = _mm512_set1_ps(by->steps);
  for (size_t i = 0; i < n; i += LANES) {
    const __mmask16 there = lanes_left(n, i);
    _mm_mask_storeu_epi8(out + i, there, steps_of(_mm512_mul_ps(dequantize_one(there, sums, by, i), steps)));
  }
}

const struct neonsim_ncnn_kernels neonsim_ncnn__avx512 = {quantize, dequantize, requantize};
