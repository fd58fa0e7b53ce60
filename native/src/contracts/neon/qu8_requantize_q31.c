/* qu8_requantize_q31 and qu8_requantize_gemmlowp in NEON intrinsics: the same values on two ways. */
#include "contracts/neon/neon.h"

NEONSIM_KERNEL(requantize_q31, qu8_requantize_q31_16x__neon) {
  for (size_t i = 0; i < n; i += 8) {
    vst1_u8(y + i, neonsim_requantise_q31_neon(vld1q_s32(x + i), vld1q_s32(x + i + 4), params));
  }
}

/* Saturating rounding doubling high multiplication, then a rounding division by a power of two. */
NEONSIM_INLINE int32x4_t divide(int32x4_t x, const struct neonsim_q31_params *params) {
  const int32x4_t shift = vdupq_n_s32(params->left_shift);
  x = vqrdmulhq_s32(x, vdupq_n_s32(params->multiplier));
  /* The sign bit of both: minus 1 where x is negative and something is shifted. */
  return vrshlq_s32(vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, shift), 31)), shift);
}

NEONSIM_KERNEL(requantize_q31, qu8_requantize_gemmlowp_16x__neon) {
  for (size_t i = 0; i < n; i += 8) {
    vst1_u8(y + i, neonsim_narrow_neon(divide(vld1q_s32(x + i), params), divide(vld1q_s32(x + i + 4), params),
                                       params->output_zero_point, params->output_min, params->output_max));
  }
}
