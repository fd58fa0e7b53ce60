/* What the NEON kernels share. */
#ifndef NEONSIM_NEON_H
#define NEONSIM_NEON_H

#include <arm_neon.h>
#include <string.h>

#include "variants.h"

#define NEONSIM_INLINE static inline __attribute__((always_inline))

/* Requantisation "q31" of one row: eight accumulators to eight bytes. */
NEONSIM_INLINE uint8x8_t neonsim_requantise_q31_neon(int32x4_t low, int32x4_t high, const struct neonsim_q31_params *params) {
  const int32x4_t multiplier = vdupq_n_s32(params->multiplier);
  const int32x4_t shift = vdupq_n_s32(params->left_shift);
  /* All ones where the shift is 0: there the second rounding must not happen. */
  const int32x4_t no_shift = vreinterpretq_s32_u32(vceqq_s32(shift, vdupq_n_s32(0)));

  low = vqrdmulhq_s32(low, multiplier);
  high = vqrdmulhq_s32(high, multiplier);
  /* VRSHL rounds half up; one less for negative numbers makes that half away from zero. */
  low = vsraq_n_s32(low, vbicq_s32(low, no_shift), 31);
  high = vsraq_n_s32(high, vbicq_s32(high, no_shift), 31);
  low = vrshlq_s32(low, shift);
  high = vrshlq_s32(high, shift);

  const int16x8_t zero_point = vdupq_n_s16(params->output_zero_point);
  const int16x8_t narrow = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)), zero_point);
  uint8x8_t out = vqmovun_s16(narrow);
  out = vmax_u8(out, vdup_n_u8(params->output_min));
  return vmin_u8(out, vdup_n_u8(params->output_max));
}

/* The first nr of eight bytes. */
NEONSIM_INLINE void neonsim_store_columns(uint8_t *c, uint8x8_t out, size_t nr) {
  if (nr == 8) {
    vst1_u8(c, out);
    return;
  }
  uint8_t bytes[8];
  vst1_u8(bytes, out);
  memcpy(c, bytes, nr);
}

#endif
