/* qu8_sumrows in NEON intrinsics: pairwise add long, then pairwise add and accumulate long. */
#include "contracts/neon/neon.h"

NEONSIM_KERNEL(sumrows, qu8_sumrows_4x__neon) {
  for (size_t row = 0; row < m; row++) {
    const uint8_t *pa = a + row * stride;
    uint32x4_t vsum = vdupq_n_u32(0);
    size_t i = 0;
    for (; k - i >= 16; i += 16) {
      vsum = vpadalq_u16(vsum, vpaddlq_u8(vld1q_u8(pa + i)));
    }
    const uint32x2_t strassen = vadd_u32(vget_low_u32(vsum), vget_high_u32(vsum));
    uint32_t sum = vget_lane_u32(vpadd_u32(strassen, strassen), 0);
    for (; i < k; i++) {
      sum += pa[i];
    }
    sum *= (uint32_t)multiplier;
    memcpy(&sums[row], &sum, sizeof sum);
  }
}
