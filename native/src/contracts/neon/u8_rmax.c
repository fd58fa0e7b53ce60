/* u8_rmax in NEON intrinsics: sixteen maxima side by side, then the largest of them by pairs. */
#include "contracts/neon/neon.h"

NEONSIM_KERNEL(bytes, u8_rmax_16x__neon) {
  uint8x16_t maxima = vdupq_n_u8(0);
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    maxima = vmaxq_u8(maxima, vld1q_u8(x + i));
  }
  uint8x8_t largest = vmax_u8(vget_low_u8(maxima), vget_high_u8(maxima));
  for (; i < n; i += 8) {
    /* Zeros behind the end are never larger. */
    largest = vmax_u8(largest, neonsim_load_some(x + i, n - i));
  }
  largest = vpmax_u8(largest, largest);
  largest = vpmax_u8(largest, largest);
  largest = vpmax_u8(largest, largest);
  *y = vget_lane_u8(largest, 0);
}
