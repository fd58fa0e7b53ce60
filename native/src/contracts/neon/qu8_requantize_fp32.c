/* qu8_requantize_fp32 in NEON intrinsics: single precision, and a constant that makes the adder round. */
#include "contracts/neon/neon.h"

/* Four integers, zero point included. */
NEONSIM_INLINE int32x4_t scale(int32x4_t x, const struct neonsim_fp32_params *params) {
  float32x4_t value = vmulq_n_f32(vcvtq_f32_s32(x), params->scale);
  value = vmaxq_f32(value, vdupq_n_f32(params->output_min_less_zero));
  value = vminq_f32(value, vdupq_n_f32(params->output_max_less_zero));
  /* Plus 12582912: the bits hold the integer, rounded to nearest, ties to even. */
  value = vaddq_f32(value, vdupq_n_f32(12582912.0f));
  return vsubq_s32(vreinterpretq_s32_f32(value), vdupq_n_s32(params->magic_less_zero));
}

NEONSIM_KERNEL(requantize_fp32, qu8_requantize_fp32_16x__neon) {
  for (size_t i = 0; i < n; i += 8) {
    vst1_u8(y + i, neonsim_narrow_neon(scale(vld1q_s32(x + i), params), scale(vld1q_s32(x + i + 4), params), 0, params->output_min,
                                       params->output_max));
  }
}
