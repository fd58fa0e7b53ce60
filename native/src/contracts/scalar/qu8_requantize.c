/* Requantisation of a vector in portable C, by each scheme. The right shift of a negative number is arithmetic, as everywhere here. */
#include "contracts/scalar/scalar.h"

/* block: the word of its parameters; shift: to the right, as they have it */
#define REQUANTIZE(scheme, block, shift, name) \
  NEONSIM_KERNEL(requantize, name) { \
    const struct neonsim_##block##_params p = *(const struct neonsim_##block##_params *)params; \
    for (size_t i = 0; i < n; i++) { \
      const int64_t value = neonsim_round_##scheme(x[i], p.multiplier, shift); \
      y[i] = neonsim_clamp(value + p.output_zero_point, p.output_min, p.output_max, 0); \
    } \
  }

REQUANTIZE(precise, precise, -31 - (int32_t)p.left_shift, qu8_requantize_precise_16x__scalar)
REQUANTIZE(rndnu, rndnu, -(p.pre_shift + p.post_shift), qu8_requantize_rndnu_16x__scalar)
REQUANTIZE(q31, q31, -p.left_shift, qu8_requantize_q31_16x__scalar)
REQUANTIZE(gemmlowp, q31, -p.left_shift, qu8_requantize_gemmlowp_16x__scalar)

NEONSIM_KERNEL(requantize, qu8_requantize_fp32_16x__scalar) {
  const struct neonsim_fp32_params p = *(const struct neonsim_fp32_params *)params;
  for (size_t i = 0; i < n; i++) {
    y[i] = neonsim_requantize_fp32((uint32_t)x[i], p.scale, p.output_min_less_zero, p.output_max_less_zero, p.magic_less_zero);
  }
}
