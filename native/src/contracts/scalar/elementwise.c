/* Element-wise kernels of int8, and of uint8 with one rounding, in portable C. Each may write over its input: every element is read before
 * it is written. */
#include "contracts/scalar/scalar.h"

/* step: 1 for a vector b, 0 for a constant. */
NEONSIM_INLINE void add(size_t n, const uint8_t *a, const uint8_t *b, size_t step, uint8_t *y,
                        const struct neonsim_scaled_add_params *p, int is_signed) {
  const int shift = -p->left_shift;
  for (size_t i = 0; i < n; i++) {
    const int64_t x =
        (int64_t)p->a_multiplier * (neonsim_byte_value(a[i], is_signed) - neonsim_byte_value(p->a_zero_point, is_signed));
    const int64_t sum = x + (int64_t)p->b_multiplier *
                                (neonsim_byte_value(b[i * step], is_signed) - neonsim_byte_value(p->b_zero_point, is_signed));
    const int64_t value = ((sum + (INT64_C(1) << (shift - 1))) >> shift) + p->output_zero_point;
    y[i] = neonsim_clamp(value, p->output_min, p->output_max, is_signed);
  }
}

NEONSIM_INLINE void multiply_fp32(size_t n, const uint8_t *a, const uint8_t *b, size_t step, uint8_t *y,
                                  const struct neonsim_multiply_fp32_params *p, int is_signed) {
  const int32_t za = neonsim_byte_value(p->a_zero_point, is_signed), zb = neonsim_byte_value(p->b_zero_point, is_signed);
  /* Far beyond any byte, and within the range in which adding 12582912 gives the integer. */
  const float most = 1048576.0f;
  for (size_t i = 0; i < n; i++) {
    const int32_t product = (neonsim_byte_value(a[i], is_signed) - za) * (neonsim_byte_value(b[i * step], is_signed) - zb);
    float value = (float)product * p->scale;
    value = value < -most ? -most : value;
    value = value > most ? most : value;
    y[i] = neonsim_clamp(neonsim_round_by_magic(value) - p->magic_less_zero, p->output_min, p->output_max, is_signed);
  }
}

NEONSIM_INLINE void multiply_rndnu(size_t n, const uint8_t *a, const uint8_t *b, size_t step, uint8_t *y,
                                   const struct neonsim_multiply_rndnu_params *params, int is_signed) {
  const struct neonsim_multiply_rndnu_params p = *params; /* bytes that are written might else be any field of it */
  const int32_t za = neonsim_byte_value(p.a_zero_point, is_signed), zb = neonsim_byte_value(p.b_zero_point, is_signed);
  for (size_t i = 0; i < n; i++) {
    const int32_t product = (neonsim_byte_value(a[i], is_signed) - za) * (neonsim_byte_value(b[i * step], is_signed) - zb);
    const int64_t value = neonsim_round_rndnu(product, p.multiplier, -(p.pre_shift + p.post_shift));
    y[i] = neonsim_clamp(value + p.output_zero_point, p.output_min, p.output_max, is_signed);
  }
}

/* Its zero point taken off, times a factor in steps of 1/256, rounded up at ties. */
NEONSIM_INLINE uint8_t rescale(int32_t centered, int32_t multiplier, int32_t zero) {
  return neonsim_clamp(((centered * multiplier + 128) >> 8) + zero, 0x80, 0x7f, 1);
}

NEONSIM_KERNEL(binary, qs8_vadd_1x__scalar) { add(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vaddc_1x__scalar) { add(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vsub_1x__scalar) { add(n, a, b, 1, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vsubc_1x__scalar) { add(n, a, b, 0, y, params, 0); }
NEONSIM_KERNEL(binary, qs8_vmul_fp32_1x__scalar) { multiply_fp32(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vmulc_fp32_1x__scalar) { multiply_fp32(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vmul_fp32_1x__scalar) { multiply_fp32(n, a, b, 1, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vmulc_fp32_1x__scalar) { multiply_fp32(n, a, b, 0, y, params, 0); }
NEONSIM_KERNEL(binary, qs8_vmul_rndnu_1x__scalar) { multiply_rndnu(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vmulc_rndnu_1x__scalar) { multiply_rndnu(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vmul_rndnu_1x__scalar) { multiply_rndnu(n, a, b, 1, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vmulc_rndnu_1x__scalar) { multiply_rndnu(n, a, b, 0, y, params, 0); }

NEONSIM_KERNEL(unary, qs8_vcvt_1x__scalar) {
  const struct neonsim_convert_params *p = params;
  const uint8_t *from = x;
  uint8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = rescale(neonsim_byte_value(from[i], 1) - p->input_zero_point, -p->minus_multiplier, p->output_zero_point);
  }
}

NEONSIM_KERNEL(unary, qs8_vlrelu_1x__scalar) {
  const struct neonsim_leaky_params *p = params;
  const uint8_t *from = x;
  uint8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    const int32_t centered = neonsim_byte_value(from[i], 1) - p->input_zero_point;
    to[i] = rescale(centered, -(centered > 0 ? p->minus_positive_multiplier : p->minus_negative_multiplier), p->output_zero_point);
  }
}
