/* Requantisation of a vector in NEON intrinsics, by each scheme; any number of eights. */
#include "contracts/neon/neon.h"

/* A product of 64 bits, one rounding. */
NEONSIM_INLINE int32x4_t scale_precise(int32x4_t x, const struct neonsim_precise_params *params) {
  return neonsim_scale_exact_neon(x, params->multiplier, params->left_shift);
}

/* A truncating high product between two shifts, the second one rounding. */
NEONSIM_INLINE int32x4_t scale_rndnu(int32x4_t x, const struct neonsim_rndnu_params *params) {
  return neonsim_scale_rndnu_neon(x, params->multiplier, params->pre_shift, params->post_shift);
}

/* Saturating rounding doubling high multiplication, then a rounding division by a power of two. */
NEONSIM_INLINE int32x4_t scale_gemmlowp(int32x4_t x, const struct neonsim_q31_params *params) {
  const int32x4_t shift = vdupq_n_s32(params->left_shift);
  x = vqrdmulhq_s32(x, vdupq_n_s32(params->multiplier));
  /* The sign bit of both: minus 1 where x is negative and something is shifted. */
  return vrshlq_s32(vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, shift), 31)), shift);
}

/* Single precision, and a constant that makes the adder round. */
/* Four integers, zero point included. */
NEONSIM_INLINE int32x4_t scale_fp32(int32x4_t x, const struct neonsim_fp32_params *params) {
  float32x4_t value = vmulq_n_f32(vcvtq_f32_s32(x), params->scale);
  value = vmaxq_f32(value, vdupq_n_f32(params->output_min_less_zero));
  value = vminq_f32(value, vdupq_n_f32(params->output_max_less_zero));
  /* Plus 12582912: the bits hold the integer, rounded to nearest, ties to even. */
  value = vaddq_f32(value, vdupq_n_f32(12582912.0f));
  return vsubq_s32(vreinterpretq_s32_f32(value), vdupq_n_s32(params->magic_less_zero));
}

#define REQUANTIZE(block, scale, zero_point, name) \
  NEONSIM_KERNEL(requantize, name) { \
    const struct neonsim_##block##_params *p = params; \
    for (size_t i = 0; i < n; i += 8) { \
      vst1_u8(y + i, neonsim_narrow_neon(scale(vld1q_s32(x + i), p), scale(vld1q_s32(x + i + 4), p), zero_point, p->output_min, \
                                         p->output_max)); \
    } \
  }

REQUANTIZE(precise, scale_precise, p->output_zero_point, qu8_requantize_precise_16x__neon)
REQUANTIZE(rndnu, scale_rndnu, p->output_zero_point, qu8_requantize_rndnu_16x__neon)
REQUANTIZE(q31, neonsim_scale_q31_neon, p->output_zero_point, qu8_requantize_q31_16x__neon)
REQUANTIZE(q31, scale_gemmlowp, p->output_zero_point, qu8_requantize_gemmlowp_16x__neon)
/* Its zero point is in the integers. */
REQUANTIZE(fp32, scale_fp32, 0, qu8_requantize_fp32_16x__neon)
