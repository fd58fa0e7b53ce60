/* What the two-pass way needs besides GEMM, on the registers of vector.h: sums to bytes, one tap of a depthwise convolution. */
#ifndef NEONSIM_X86_TWO_PASS_H
#define NEONSIM_X86_TWO_PASS_H

#include "network/x86/gemm/finish.h"

NEONSIM_FORCE_INLINE void requantize_by(enum neonsim_finish finish, size_t n, const int32_t *sums, const float *scale,
                                        int one_scale, uint8_t *out, const struct neonsim_requant *requant) {
  const struct finish f = finish_begin(finish, requant);
  float same[LANES];
  VECTOR(storeu_ps)(same, VECTOR(set1_ps)(scale[0]));
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    const vector first = finish_sums(finish, &f, load_anywhere(sums + i), VECTOR(loadu_ps)(one_scale ? same : scale + i));
    const vector second =
        finish_sums(finish, &f, load_anywhere(sums + i + LANES), VECTOR(loadu_ps)(one_scale ? same : scale + i + LANES));
    const vector words = finish_words(finish, &f, first, second);
    store_part(out + i, deal_fours(finish_bytes(finish, &f, words, words)), 2 * LANES, 0, 2 * LANES);
  }
  neonsim_requantize__scalar(n - i, sums + i, one_scale ? scale : scale + i, one_scale, out + i, requant);
}

NEONSIM_FORCE_INLINE void requantize(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                     const struct neonsim_requant *requant) {
  if (requant->finish == FINISH_FP32) {
    requantize_by(FINISH_FP32, n, sums, scale, one_scale, out, requant);
  } else {
    requantize_by(FINISH_Q31, n, sums, scale, one_scale, out, requant);
  }
}

NEONSIM_FORCE_INLINE void multiply_add_bytes(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums) {
  size_t i = 0;
  for (; i + 8 <= n; i += LANES) {
    /* The upper halves of the bytes' lanes are zero. */
    const vector products = VECTOR(madd_epi16)(VECTOR(cvtepu8_epi32)(load8(in + i)), VECTOR(cvtepi16_epi32)(load16(weights + i)));
    store_anywhere(sums + i, VECTOR(add_epi32)(load_anywhere(sums + i), products));
  }
  neonsim_multiply_add__scalar(n - i, in + i, weights + i, sums + i);
}

#define TWO_PASS_KERNELS .requantize = requantize, .multiply_add = multiply_add_bytes

#endif
