/* qu8_vadd in NEON intrinsics: both differences widened, times their factors, one rounding. */
#include "contracts/neon/neon.h"

/* Four sums of products, shifted right with rounding, ties away from zero. */
NEONSIM_INLINE int32x4_t add_and_scale(int16x4_t a, int16x4_t b, const struct neonsim_add_params *params) {
  int32x4_t sum = vmulq_n_s32(vmovl_s16(a), params->a_multiplier);
  sum = vmlaq_n_s32(sum, vmovl_s16(b), params->b_multiplier);
  /* VRSHL rounds half up; one less for negative numbers makes that half away from zero. */
  return vrshlq_s32(vsraq_n_s32(sum, sum, 31), vdupq_n_s32(params->left_shift));
}

NEONSIM_KERNEL(vadd, qu8_vadd_8x__neon) {
  const uint8x8_t a_zero_point = vdup_n_u8(params->a_zero_point), b_zero_point = vdup_n_u8(params->b_zero_point);
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t va = vreinterpretq_s16_u16(vsubl_u8(neonsim_load_some(a + i, n - i), a_zero_point));
    const int16x8_t vb = vreinterpretq_s16_u16(vsubl_u8(neonsim_load_some(b + i, n - i), b_zero_point));
    const int32x4_t low = add_and_scale(vget_low_s16(va), vget_low_s16(vb), params);
    const int32x4_t high = add_and_scale(vget_high_s16(va), vget_high_s16(vb), params);
    neonsim_store_columns(y + i, neonsim_narrow_neon(low, high, params->output_zero_point, params->output_min, params->output_max),
                          n - i);
  }
}
