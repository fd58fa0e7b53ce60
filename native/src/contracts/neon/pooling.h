/* What average pooling in NEON shares: sums of any number of rows, eight channels at a time, and their average. */
#ifndef NEONSIM_NEON_POOLING_H
#define NEONSIM_NEON_POOLING_H

#include "contracts/neon/neon.h"

/* Bytes are summed in 16 bits; 256 of them fit. */
enum { NEONSIM_ROWS_IN_16_BITS = 256 };

struct neonsim_accumulators {
  uint16x8_t few;       /* of the last `rows` rows */
  uint32x4_t low, high; /* of all before */
  size_t rows;
};

NEONSIM_INLINE struct neonsim_accumulators neonsim_zero_accumulators(void) {
  return (struct neonsim_accumulators){vdupq_n_u16(0), vdupq_n_u32(0), vdupq_n_u32(0), 0};
}

NEONSIM_INLINE void neonsim_widen_accumulators(struct neonsim_accumulators *sums) {
  sums->low = vaddw_u16(sums->low, vget_low_u16(sums->few));
  sums->high = vaddw_u16(sums->high, vget_high_u16(sums->few));
  sums->few = vdupq_n_u16(0);
  sums->rows = 0;
}

NEONSIM_INLINE void neonsim_add_row(struct neonsim_accumulators *sums, uint8x8_t row) {
  sums->few = vaddw_u8(sums->few, row);
  if (++sums->rows == NEONSIM_ROWS_IN_16_BITS) {
    neonsim_widen_accumulators(sums);
  }
}

/* (bias + sum) * multiplier / 2**shift, to nearest, ties away from zero; plus the zero point; clamped. */
NEONSIM_INLINE uint8x8_t neonsim_average_neon(struct neonsim_accumulators sums, const struct neonsim_average_pool_params *params) {
  neonsim_widen_accumulators(&sums);
  const int32x4_t bias = vdupq_n_s32(params->bias);
  const int32x4_t low = vaddq_s32(vreinterpretq_s32_u32(sums.low), bias);
  const int32x4_t high = vaddq_s32(vreinterpretq_s32_u32(sums.high), bias);
  return neonsim_narrow_neon(neonsim_scale_exact_neon(low, params->multiplier, params->left_shift),
                             neonsim_scale_exact_neon(high, params->multiplier, params->left_shift), params->output_zero_point,
                             params->output_min, params->output_max);
}

#endif
