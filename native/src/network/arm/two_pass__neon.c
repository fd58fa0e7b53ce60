/* What the two-pass way needs besides GEMM, in NEON: sums to bytes, and one tap of a depthwise convolution. */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"

void neonsim_requantize__neon(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                              const struct neonsim_requant *requant) {
  float same[8];
  vst1q_f32(same, vdupq_n_f32(scale[0]));
  vst1q_f32(same + 4, vdupq_n_f32(scale[0]));
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    finish_row_neon(requant, vld1q_s32(sums + i), vld1q_s32(sums + i + 4), one_scale ? same : scale + i, out + i, 8);
  }
  neonsim_requantize__scalar(n - i, sums + i, one_scale ? scale : scale + i, one_scale, out + i, requant);
}

void neonsim_multiply_add__neon(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const int16x8_t a = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(in + i))), w = vld1q_s16(weights + i);
    vst1q_s32(sums + i, vmlal_s16(vld1q_s32(sums + i), vget_low_s16(a), vget_low_s16(w)));
    vst1q_s32(sums + i + 4, vmlal_s16(vld1q_s32(sums + i + 4), vget_high_s16(a), vget_high_s16(w)));
  }
  neonsim_multiply_add__scalar(n - i, in + i, weights + i, sums + i);
}
