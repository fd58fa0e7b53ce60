/* Depthwise convolutions with VPMADDWD: two taps of 16 channels at a time, as 16-bit numbers. */
#include "x86/avx2.h"
#include "x86/x86.h"

enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK };

/* Sixteen bytes of a pixel as 16-bit numbers. Rows have room behind them. */
NEONSIM_FORCE_INLINE __m256i widen(const uint8_t *in) { return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)in)); }

NEONSIM_FORCE_INLINE __m256i weights_at(const int16_t *w) { return _mm256_load_si256((const __m256i *)(const void *)w); }

NEONSIM_FORCE_INLINE void taps(enum neonsim_finish finish, const struct neonsim_depthwise_call *call) {
  const struct finish256 f = finish_begin256(call->requant);
  const int32_t *bias = call->packed;
  const float *scale = (const float *)call->packed + BLOCK;
  const int16_t *weights = (const int16_t *)call->packed + 4 * BLOCK;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const uint8_t *const *rows = call->rows + pixel * call->taps;
    for (size_t i = 0; i < call->channels; i += 16) {
      /* Unpacking works within 128 bits: channels 0-3 and 8-11 go low, 4-7 and 12-15 high. */
      const __m256i first = _mm256_load_si256((const __m256i *)(const void *)(bias + i));
      const __m256i last = _mm256_load_si256((const __m256i *)(const void *)(bias + i + 8));
      __m256i low = _mm256_permute2x128_si256(first, last, 0x20), high = _mm256_permute2x128_si256(first, last, 0x31);
      const int16_t *w = weights + i;
      for (size_t tap = 0; tap < call->taps; tap += 2, w += 2 * BLOCK) {
        const __m256i x0 = widen(rows[tap] + call->offset + i), x1 = widen(rows[tap + 1] + call->offset + i);
        const __m256i w0 = weights_at(w), w1 = weights_at(w + BLOCK);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(x0, x1), _mm256_unpacklo_epi16(w0, w1)));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(x0, x1), _mm256_unpackhi_epi16(w0, w1)));
      }
      const __m256 s0 = _mm256_load_ps(scale + i), s1 = _mm256_load_ps(scale + i + 8);
      const __m256i bytes_low = finish_sums256(finish, &f, low, _mm256_permute2f128_ps(s0, s1, 0x20));
      const __m256i bytes_high = finish_sums256(finish, &f, high, _mm256_permute2f128_ps(s0, s1, 0x31));
      store_bytes(call->out + pixel * call->out_stride + i, finish_bytes256(&f, bytes_low, bytes_high),
                  neonsim_min(16, call->channels - i));
    }
  }
}

void neonsim_depthwise_taps_q31__avx2(const struct neonsim_depthwise_call *call) { taps(FINISH_Q31, call); }

void neonsim_depthwise_taps_fp32__avx2(const struct neonsim_depthwise_call *call) { taps(FINISH_FP32, call); }
