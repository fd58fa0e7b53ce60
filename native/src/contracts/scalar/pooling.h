/* What pooling in portable C shares: the way from a sum to an average. */
#ifndef NEONSIM_POOLING_H
#define NEONSIM_POOLING_H

#include "contracts/scalar/scalar.h"

/* (bias + sum) * multiplier / 2**shift, to nearest, ties away from zero; plus the zero point; clamped.
 *
 * The right shift of a negative number is arithmetic in every compiler we know. */
NEONSIM_INLINE uint8_t neonsim_average(uint32_t sum, const struct neonsim_avgpool_params *params) {
  const int32_t x = neonsim_as_signed(sum + (uint32_t)params->bias);
  const int64_t product = (int64_t)x * params->multiplier;
  const int shift = (int)-params->left_shift;
  int64_t y = (product - (x < 0) + (INT64_C(1) << (shift - 1))) >> shift;
  const int64_t lowest = params->output_min - params->output_zero_point;
  const int64_t highest = params->output_max - params->output_zero_point;
  y = y < lowest ? lowest : y;
  y = y > highest ? highest : y;
  return (uint8_t)(y + params->output_zero_point);
}

NEONSIM_INLINE const uint8_t *const *neonsim_next_pixel(const uint8_t *const *pointers, size_t bytes) {
  return (const uint8_t *const *)((const char *)pointers + bytes);
}

#endif
