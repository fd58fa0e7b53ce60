/* qu8_requantize_precise in NEON intrinsics: a product of 64 bits, one rounding. */
#include "contracts/neon/neon.h"

NEONSIM_KERNEL(requantize_precise, qu8_requantize_precise_16x__neon) {
  for (size_t i = 0; i < n; i += 8) {
    const int32x4_t low = neonsim_scale_exact_neon(vld1q_s32(x + i), params->multiplier, params->left_shift);
    const int32x4_t high = neonsim_scale_exact_neon(vld1q_s32(x + i + 4), params->multiplier, params->left_shift);
    vst1_u8(y + i, neonsim_narrow_neon(low, high, params->output_zero_point, params->output_min, params->output_max));
  }
}
