/* u8_clamp in NEON intrinsics. */
#include "neon.h"

NEONSIM_DECLARE_CLAMP(neonsim_u8_clamp_16x__neon) {
  const uint8x16_t lowest = vdupq_n_u8(params->output_min), highest = vdupq_n_u8(params->output_max);
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    vst1q_u8(y + i, vmaxq_u8(vminq_u8(vld1q_u8(x + i), highest), lowest));
  }
  for (; i < n; i += 8) {
    const uint8x8_t some = vmin_u8(neonsim_load_some(x + i, n - i), vget_low_u8(highest));
    neonsim_store_columns(y + i, vmax_u8(some, vget_low_u8(lowest)), n - i);
  }
}
