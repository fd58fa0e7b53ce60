/* Element-wise kernels of int8, and of uint8 with one rounding, in NEON intrinsics, eight elements at a time; nothing outside the vectors is read. */
#include "contracts/neon/neon.h"

/* Eight elements less a zero point, as int16. */
NEONSIM_INLINE int16x8_t centered(const uint8_t *x, size_t n, uint8_t zero_point, int is_signed) {
  const uint8x8_t bytes = neonsim_load_some(x, n), zero = vdup_n_u8(zero_point);
  return is_signed ? vsubl_s8(vreinterpret_s8_u8(bytes), vreinterpret_s8_u8(zero)) : vreinterpretq_s16_u16(vsubl_u8(bytes, zero));
}

NEONSIM_INLINE int16x8_t constant(const uint8_t *b, uint8_t zero_point, int is_signed) {
  return vdupq_n_s16((int16_t)(is_signed ? (int8_t)*b - (int8_t)zero_point : *b - zero_point));
}

/* Eight scaled results to bytes: saturated, zero point added, within limits. */
NEONSIM_INLINE void store(uint8_t *y, int32x4_t low, int32x4_t high, int16_t zero_point, uint8_t least, uint8_t most, int is_signed,
                          size_t n) {
  const uint8x8_t bytes = is_signed ? neonsim_narrow_signed_neon(low, high, zero_point, least, most)
                                    : neonsim_narrow_neon(low, high, zero_point, least, most);
  neonsim_store_columns(y, bytes, n);
}

NEONSIM_INLINE void add(size_t n, const uint8_t *a, const uint8_t *b, int is_constant, uint8_t *y,
                        const struct neonsim_scaled_add_params *p, int is_signed) {
  const int32x4_t shift = vdupq_n_s32(p->left_shift);
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t va = centered(a + i, n - i, p->a_zero_point, is_signed);
    const int16x8_t vb = is_constant ? constant(b, p->b_zero_point, is_signed) : centered(b + i, n - i, p->b_zero_point, is_signed);
    int32x4_t low = vmulq_n_s32(vmovl_s16(vget_low_s16(va)), p->a_multiplier);
    int32x4_t high = vmulq_n_s32(vmovl_s16(vget_high_s16(va)), p->a_multiplier);
    low = vmlaq_n_s32(low, vmovl_s16(vget_low_s16(vb)), p->b_multiplier);
    high = vmlaq_n_s32(high, vmovl_s16(vget_high_s16(vb)), p->b_multiplier);
    low = vrshlq_s32(low, shift);
    high = vrshlq_s32(high, shift);
    store(y + i, low, high, p->output_zero_point, p->output_min, p->output_max, is_signed, n - i);
  }
}

NEONSIM_INLINE void multiply_fp32(size_t n, const uint8_t *a, const uint8_t *b, int is_constant, uint8_t *y,
                                  const struct neonsim_multiply_fp32_params *p, int is_signed) {
  const float32x4_t scale = vdupq_n_f32(p->scale);
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t va = centered(a + i, n - i, p->a_zero_point, is_signed);
    const int16x8_t vb = is_constant ? constant(b, p->b_zero_point, is_signed) : centered(b + i, n - i, p->b_zero_point, is_signed);
    const int32x4_t low = neonsim_scale_fp32_neon(vmull_s16(vget_low_s16(va), vget_low_s16(vb)), scale);
    const int32x4_t high = neonsim_scale_fp32_neon(vmull_s16(vget_high_s16(va), vget_high_s16(vb)), scale);
    store(y + i, low, high, p->output_zero_point, p->output_min, p->output_max, is_signed, n - i);
  }
}

NEONSIM_INLINE void multiply_rndnu(size_t n, const uint8_t *a, const uint8_t *b, int is_constant, uint8_t *y,
                                   const struct neonsim_multiply_rndnu_params *p, int is_signed) {
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t va = centered(a + i, n - i, p->a_zero_point, is_signed);
    const int16x8_t vb = is_constant ? constant(b, p->b_zero_point, is_signed) : centered(b + i, n - i, p->b_zero_point, is_signed);
    int32x4_t low = vmull_s16(vget_low_s16(va), vget_low_s16(vb)), high = vmull_s16(vget_high_s16(va), vget_high_s16(vb));
    low = neonsim_scale_rndnu_neon(low, p->multiplier, p->pre_shift, p->post_shift);
    high = neonsim_scale_rndnu_neon(high, p->multiplier, p->pre_shift, p->post_shift);
    store(y + i, low, high, p->output_zero_point, p->output_min, p->output_max, is_signed, n - i);
  }
}

/* (zx - x) << 7 fills 16 bits; the high half of twice its product with minus a factor is the rounded result. */
NEONSIM_INLINE void rescale(uint8_t *y, int16x8_t turned, int16x8_t minus_multiplier, int16_t zero_point, size_t n) {
  const int16x8_t scaled = vqrdmulhq_s16(vshlq_n_s16(turned, 7), minus_multiplier);
  neonsim_store_columns(y, vreinterpret_u8_s8(vqmovn_s16(vqaddq_s16(scaled, vdupq_n_s16(zero_point)))), n);
}

NEONSIM_INLINE int16x8_t turned(const uint8_t *x, size_t n, int16_t zero_point) {
  return vsubw_s8(vdupq_n_s16(zero_point), vreinterpret_s8_u8(neonsim_load_some(x, n)));
}

NEONSIM_KERNEL(binary, qs8_vadd_8x__neon) { add(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vaddc_8x__neon) { add(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vsub_8x__neon) { add(n, a, b, 0, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vsubc_8x__neon) { add(n, a, b, 1, y, params, 0); }
NEONSIM_KERNEL(binary, qs8_vmul_fp32_8x__neon) { multiply_fp32(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vmulc_fp32_8x__neon) { multiply_fp32(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vmul_fp32_8x__neon) { multiply_fp32(n, a, b, 0, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vmulc_fp32_8x__neon) { multiply_fp32(n, a, b, 1, y, params, 0); }
NEONSIM_KERNEL(binary, qs8_vmul_rndnu_8x__neon) { multiply_rndnu(n, a, b, 0, y, params, 1); }
NEONSIM_KERNEL(binary, qs8_vmulc_rndnu_8x__neon) { multiply_rndnu(n, a, b, 1, y, params, 1); }
NEONSIM_KERNEL(binary, qu8_vmul_rndnu_8x__neon) { multiply_rndnu(n, a, b, 0, y, params, 0); }
NEONSIM_KERNEL(binary, qu8_vmulc_rndnu_8x__neon) { multiply_rndnu(n, a, b, 1, y, params, 0); }

NEONSIM_KERNEL(unary, qs8_vcvt_8x__neon) {
  const struct neonsim_convert_params *p = params;
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t x8 = turned((const uint8_t *)x + i, n - i, p->input_zero_point);
    rescale((uint8_t *)y + i, x8, vdupq_n_s16(p->minus_multiplier), p->output_zero_point, n - i);
  }
}

NEONSIM_KERNEL(unary, qs8_vlrelu_8x__neon) {
  const struct neonsim_leaky_params *p = params;
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t x8 = turned((const uint8_t *)x + i, n - i, p->input_zero_point);
    const uint16x8_t above = vcltq_s16(x8, vdupq_n_s16(0));
    const int16x8_t by = vbslq_s16(above, vdupq_n_s16(p->minus_positive_multiplier), vdupq_n_s16(p->minus_negative_multiplier));
    rescale((uint8_t *)y + i, x8, by, p->output_zero_point, n - i);
  }
}
