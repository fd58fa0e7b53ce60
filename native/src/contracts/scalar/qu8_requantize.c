/* Requantisation of a vector in portable C, by each scheme. The right shift of a negative number is arithmetic, as everywhere here. */
#include "contracts/scalar/scalar.h"

NEONSIM_INLINE uint8_t finish(int64_t value, int32_t zero_point, uint8_t lowest, uint8_t highest) {
  value += zero_point;
  value = value < lowest ? lowest : value;
  return (uint8_t)(value > highest ? highest : value);
}

NEONSIM_KERNEL(requantize_precise, qu8_requantize_precise_16x__scalar) {
  const int shift = (int)-params->left_shift;
  const int64_t half = INT64_C(1) << (shift - 1);
  for (size_t i = 0; i < n; i++) {
    /* One less for negative products takes ties away from zero. */
    const int64_t product = (int64_t)x[i] * params->multiplier - (x[i] < 0);
    y[i] = finish((product + half) >> shift, params->output_zero_point, params->output_min, params->output_max);
  }
}

NEONSIM_KERNEL(requantize_rndnu, qu8_requantize_rndnu_16x__scalar) {
  const int shift = 31 - params->pre_shift - params->post_shift;
  const int64_t half = INT64_C(1) << (shift - 1);
  for (size_t i = 0; i < n; i++) {
    const int64_t product = (int64_t)x[i] * params->multiplier;
    y[i] = finish((product + half) >> shift, params->output_zero_point, params->output_min, params->output_max);
  }
}

NEONSIM_KERNEL(requantize_q31, qu8_requantize_q31_16x__scalar) {
  for (size_t i = 0; i < n; i++) {
    y[i] = neonsim_requantise_q31((uint32_t)x[i], params);
  }
}

/* SRDHM, then RDivPOT: the same values on another way. */
NEONSIM_KERNEL(requantize_q31, qu8_requantize_gemmlowp_16x__scalar) {
  const int shift = -params->left_shift;
  const int32_t mask = (int32_t)((UINT32_C(1) << shift) - 1);
  for (size_t i = 0; i < n; i++) {
    const int32_t high = (int32_t)(((int64_t)x[i] * params->multiplier + (INT64_C(1) << 30)) >> 31);
    const int32_t threshold = (mask >> 1) + (high < 0);
    const int32_t value = (high >> shift) + ((high & mask) > threshold);
    y[i] = finish(value, params->output_zero_point, params->output_min, params->output_max);
  }
}

NEONSIM_KERNEL(requantize_fp32, qu8_requantize_fp32_16x__scalar) {
  for (size_t i = 0; i < n; i++) {
    float value = (float)x[i] * params->scale;
    value = value < params->output_min_less_zero ? params->output_min_less_zero : value;
    value = value > params->output_max_less_zero ? params->output_max_less_zero : value;
    /* Plus 12582912: the bits hold the integer, rounded as the processor rounds: to nearest, ties to even. */
    value += 12582912.0f;
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    y[i] = (uint8_t)(bits - params->magic_less_zero);
  }
}
