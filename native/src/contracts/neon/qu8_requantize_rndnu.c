/* qu8_requantize_rndnu in NEON intrinsics: a truncating high product between two shifts, the second one rounding. */
#include "contracts/neon/neon.h"

NEONSIM_INLINE int32x4_t scale(int32x4_t x, const struct neonsim_rndnu_params *params) {
  x = vqdmulhq_s32(vqshlq_s32(x, vdupq_n_s32(params->pre_shift)), vdupq_n_s32(params->multiplier));
  return vrshlq_s32(x, vdupq_n_s32(params->post_shift));
}

NEONSIM_KERNEL(requantize_rndnu, qu8_requantize_rndnu_16x__neon) {
  for (size_t i = 0; i < n; i += 8) {
    vst1_u8(y + i, neonsim_narrow_neon(scale(vld1q_s32(x + i), params), scale(vld1q_s32(x + i + 4), params),
                                       params->output_zero_point, params->output_min, params->output_max));
  }
}
