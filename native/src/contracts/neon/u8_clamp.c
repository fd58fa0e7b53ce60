/* u8_clamp and s8_clamp in NEON intrinsics. */
#include "contracts/neon/neon.h"

NEONSIM_INLINE uint8x16_t limited(uint8x16_t x, uint8x16_t lowest, uint8x16_t highest, int is_signed) {
  if (!is_signed) {
    return vmaxq_u8(vminq_u8(x, highest), lowest);
  }
  const int8x16_t low = vreinterpretq_s8_u8(lowest), high = vreinterpretq_s8_u8(highest);
  return vreinterpretq_u8_s8(vmaxq_s8(vminq_s8(vreinterpretq_s8_u8(x), high), low));
}

NEONSIM_INLINE void clamp(size_t n, const uint8_t *x, uint8_t *y, const struct neonsim_clamp_params *params, int is_signed) {
  const uint8x16_t lowest = vdupq_n_u8(params->output_min), highest = vdupq_n_u8(params->output_max);
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    vst1q_u8(y + i, limited(vld1q_u8(x + i), lowest, highest, is_signed));
  }
  for (; i < n; i += 8) {
    const uint8x8_t some = neonsim_load_some(x + i, n - i);
    neonsim_store_columns(y + i, vget_low_u8(limited(vcombine_u8(some, some), lowest, highest, is_signed)), n - i);
  }
}

NEONSIM_KERNEL(clamp, u8_clamp_16x__neon) { clamp(n, x, y, params, 0); }
NEONSIM_KERNEL(clamp, s8_clamp_16x__neon) { clamp(n, x, y, params, 1); }
