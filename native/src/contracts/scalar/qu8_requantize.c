/* Requantisation of a vector in portable C, by each scheme. The right shift of a negative number is arithmetic, as everywhere here. */
#include "contracts/scalar/scalar.h"

NEONSIM_KERNEL(requantize_precise, qu8_requantize_precise_16x__scalar) {
  const struct neonsim_precise_params p = *params;
  for (size_t i = 0; i < n; i++) {
    const int64_t value = neonsim_round_precise(x[i], p.multiplier, -31 - (int32_t)p.left_shift);
    y[i] = neonsim_clamp(value + p.output_zero_point, p.output_min, p.output_max, 0);
  }
}

NEONSIM_KERNEL(requantize_rndnu, qu8_requantize_rndnu_16x__scalar) {
  const struct neonsim_rndnu_params p = *params;
  for (size_t i = 0; i < n; i++) {
    const int64_t value = neonsim_round_rndnu(x[i], p.multiplier, -(p.pre_shift + p.post_shift));
    y[i] = neonsim_clamp(value + p.output_zero_point, p.output_min, p.output_max, 0);
  }
}

NEONSIM_KERNEL(requantize_q31, qu8_requantize_q31_16x__scalar) {
  for (size_t i = 0; i < n; i++) {
    y[i] = neonsim_requantize_q31((uint32_t)x[i], params);
  }
}

NEONSIM_KERNEL(requantize_q31, qu8_requantize_gemmlowp_16x__scalar) {
  for (size_t i = 0; i < n; i++) {
    const int64_t value = neonsim_round_gemmlowp(x[i], params->multiplier, -params->left_shift);
    y[i] = neonsim_clamp(value + params->output_zero_point, params->output_min, params->output_max, 0);
  }
}

NEONSIM_KERNEL(requantize_fp32, qu8_requantize_fp32_16x__scalar) {
  for (size_t i = 0; i < n; i++) {
    y[i] = neonsim_requantize_fp32((uint32_t)x[i], params->scale, params->output_min_less_zero, params->output_max_less_zero,
                                   params->magic_less_zero);
  }
}
