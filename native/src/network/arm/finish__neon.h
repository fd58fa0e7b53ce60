/* What the NEON kernels of networks share: sums to bytes. */
#ifndef NEONSIM_ARM_FINISH_H
#define NEONSIM_ARM_FINISH_H

#include "contracts/neon/neon.h"
#include "network/network.h"

/* Four sums to four results before zero point and limits. scale: of these lanes; both Q31 finishes are done in integers. */
NEONSIM_INLINE int32x4_t finish_sums_neon(const struct neonsim_requant *requant, int32x4_t sums, float32x4_t scale) {
  if (requant->finish == FINISH_FP32) {
    /* Rounded by adding 1.5 * 2**23, to nearest even on every NEON; what is cut off first is beyond any byte. */
    const float32x4_t most = vdupq_n_f32(65536.0f), magic = vdupq_n_f32(12582912.0f);
    const float32x4_t product = vmulq_f32(vcvtq_f32_s32(sums), scale);
    const float32x4_t moved = vaddq_f32(vminq_f32(vmaxq_f32(product, vnegq_f32(most)), most), magic);
    return vsubq_s32(vreinterpretq_s32_f32(moved), vreinterpretq_s32_f32(magic));
  }
  const struct neonsim_q31_params params = {.multiplier = requant->multiplier, .left_shift = -requant->shift};
  return neonsim_scale_q31_neon(sums, &params);
}

/* Eight sums to eight bytes. */
NEONSIM_INLINE uint8x8_t finish_bytes_neon(const struct neonsim_requant *requant, int32x4_t low, int32x4_t high,
                                           const float *scale) {
  return neonsim_narrow_neon(finish_sums_neon(requant, low, vld1q_f32(scale)),
                             finish_sums_neon(requant, high, vld1q_f32(scale + 4)), requant->zero_point, requant->min,
                             requant->max);
}

/* A row's eight sums to at most eight bytes, or, FINISH_S32, left as they are. */
NEONSIM_INLINE void finish_row_neon(const struct neonsim_requant *requant, int32x4_t low, int32x4_t high, const float *scale,
                                    uint8_t *out, size_t columns) {
  if (requant->finish == FINISH_S32) {
    int32_t sums[8];
    vst1q_s32(sums, low);
    vst1q_s32(sums + 4, high);
    memcpy(out, sums, columns * sizeof sums[0]);
    return;
  }
  neonsim_store_columns(out, finish_bytes_neon(requant, low, high, scale), columns);
}

#endif
