/* What the NEON kernels share. */
#ifndef NEONSIM_NEON_H
#define NEONSIM_NEON_H

#include <arm_neon.h>
#include <math.h>
#include <string.h>

#include "contracts/variants.h"

#define NEONSIM_INLINE static inline __attribute__((always_inline))

/* Eight scaled accumulators to eight bytes: saturated, zero point added, within limits. */
NEONSIM_INLINE uint8x8_t neonsim_narrow_neon(int32x4_t low, int32x4_t high, int16_t zero_point, uint8_t lowest, uint8_t highest) {
  const int16x8_t narrow = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)), vdupq_n_s16(zero_point));
  return vmin_u8(vmax_u8(vqmovun_s16(narrow), vdup_n_u8(lowest)), vdup_n_u8(highest));
}

/* x * multiplier / 2**-shift, to nearest, ties away from zero; shift is not positive. */
NEONSIM_INLINE int32x4_t neonsim_scale_exact_neon(int32x4_t x, int32_t multiplier, int64_t shift) {
  const int64x2_t by = vdupq_n_s64(shift);
  /* VRSHL rounds half up; one less for negative numbers makes that half away from zero. */
  const int32x4_t sign = vshrq_n_s32(x, 31);
  const int64x2_t low = vaddw_s32(vmull_s32(vget_low_s32(x), vdup_n_s32(multiplier)), vget_low_s32(sign));
  const int64x2_t high = vaddw_s32(vmull_s32(vget_high_s32(x), vdup_n_s32(multiplier)), vget_high_s32(sign));
  return vcombine_s32(vqmovn_s64(vrshlq_s64(low, by)), vqmovn_s64(vrshlq_s64(high, by)));
}

/* Four accumulators times multiplier / 2**31, rounded half up, then by 2**shift, rounded half away from zero. */
NEONSIM_INLINE int32x4_t neonsim_scale_q31_neon(int32x4_t x, const struct neonsim_q31_params *params) {
  const int32x4_t shift = vdupq_n_s32(params->left_shift);
  /* All ones where the shift is 0: there the second rounding must not happen. */
  const int32x4_t no_shift = vreinterpretq_s32_u32(vceqq_s32(shift, vdupq_n_s32(0)));
  x = vqrdmulhq_s32(x, vdupq_n_s32(params->multiplier));
  return vrshlq_s32(vsraq_n_s32(x, vbicq_s32(x, no_shift), 31), shift);
}

/* Requantisation "q31" of one row: eight accumulators to eight bytes. */
NEONSIM_INLINE uint8x8_t neonsim_requantize_q31_neon(int32x4_t low, int32x4_t high, const struct neonsim_q31_params *params) {
  return neonsim_narrow_neon(neonsim_scale_q31_neon(low, params), neonsim_scale_q31_neon(high, params), params->output_zero_point,
                             params->output_min, params->output_max);
}

/* acc + x * w, rounded once. Where the compiler is not told of the instruction (32-bit Arm, any NEON), one after the other. */
NEONSIM_INLINE float32x4_t neonsim_fused_neon(float32x4_t acc, float32x4_t x, float32x4_t w) {
#if defined(__aarch64__) || defined(__ARM_FEATURE_FMA)
  return vfmaq_f32(acc, x, w);
#else
  float a[4], b[4], c[4];
  vst1q_f32(a, acc);
  vst1q_f32(b, x);
  vst1q_f32(c, w);
  for (size_t i = 0; i < 4; i++) {
    a[i] = fmaf(b[i], c[i], a[i]);
  }
  return vld1q_f32(a);
#endif
}

/* Eight integers, half away from zero, within -127 and 127. Infinite is fine, and a NaN is 0. */
NEONSIM_INLINE int8x8_t neonsim_quantize_ncnn_neon(float32x4_t low, float32x4_t high) {
#if defined(__aarch64__)
  const int8x8_t bytes = vqmovn_s16(vcombine_s16(vqmovn_s32(vcvtaq_s32_f32(low)), vqmovn_s32(vcvtaq_s32_f32(high))));
#else
  /* No conversion of Armv7 rounds so. Twice the number, cut off, less one where it is negative, is halved and rounded up. */
  const int16x8_t twice = vcombine_s16(vqmovn_s32(vcvtq_n_s32_f32(low, 1)), vqmovn_s32(vcvtq_n_s32_f32(high, 1)));
  const int8x8_t bytes = vqrshrn_n_s16(vqaddq_s16(twice, vshrq_n_s16(twice, 15)), 1);
#endif
  return vmax_s8(bytes, vdup_n_s8(-127));
}

/* Eight scaled accumulators to eight signed bytes: saturated, zero point added, within limits. */
NEONSIM_INLINE uint8x8_t neonsim_narrow_signed_neon(int32x4_t low, int32x4_t high, int16_t zero_point, uint8_t lowest,
                                                    uint8_t highest) {
  const int16x8_t narrow = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)), vdupq_n_s16(zero_point));
  const int8x8_t bytes = vmax_s8(vqmovn_s16(narrow), vreinterpret_s8_u8(vdup_n_u8(lowest)));
  return vreinterpret_u8_s8(vmin_s8(bytes, vreinterpret_s8_u8(vdup_n_u8(highest))));
}

/* Four accumulators times multiplier / 2**(31 - pre - post), one rounding, ties up; post is negative. */
NEONSIM_INLINE int32x4_t neonsim_scale_rndnu_neon(int32x4_t x, int32_t multiplier, int32_t pre_shift, int32_t post_shift) {
  x = vqdmulhq_s32(vqshlq_s32(x, vdupq_n_s32(pre_shift)), vdupq_n_s32(multiplier));
  return vrshlq_s32(x, vdupq_n_s32(post_shift));
}

/* Four accumulators times their scales, to the nearest integer, ties to even. */
NEONSIM_INLINE int32x4_t neonsim_scale_fp32_neon(int32x4_t x, float32x4_t scale) {
  const float32x4_t value = vmulq_f32(vcvtq_f32_s32(x), scale);
#ifdef __aarch64__
  return vcvtnq_s32_f32(value);
#else
  /* Plus 12582912 = 1.5 * 2**23: the integer stands in the low bits. Beyond 2**22 the sum only has to be large. */
  const int32x4_t bits = vreinterpretq_s32_f32(vaddq_f32(value, vdupq_n_f32(12582912.0f)));
  return vqsubq_s32(bits, vdupq_n_s32(0x4B400000));
#endif
}

/* Four accumulators by the multipliers and the shifts that the bits of their scales are, rounded twice, ties up. */
NEONSIM_INLINE int32x4_t neonsim_scale_tengine_neon(int32x4_t x, float32x4_t scale) {
  const uint32x4_t bits = vreinterpretq_u32_f32(scale);
  const int32x4_t left = vsubq_s32(vreinterpretq_s32_u32(vshrq_n_u32(bits, 23)), vdupq_n_s32(126));
  const uint32x4_t multiplier = vshrq_n_u32(vorrq_u32(vshlq_n_u32(bits, 8), vdupq_n_u32(0x80000000)), 1);
  return vrshlq_s32(vqrdmulhq_s32(x, vreinterpretq_s32_u32(multiplier)), left);
}

/* The first n of eight bytes, then zeros; nothing behind them is read. */
NEONSIM_INLINE uint8x8_t neonsim_load_some(const uint8_t *x, size_t n) {
  if (n >= 8) {
    return vld1_u8(x);
  }
  uint8_t bytes[8] = {0};
  memcpy(bytes, x, n);
  return vld1_u8(bytes);
}

NEONSIM_INLINE int8x8_t neonsim_load_some_signed(const uint8_t *row, size_t n) {
  return vreinterpret_s8_u8(neonsim_load_some(row, n));
}

/* The first nr of eight bytes; all of them if nr is larger. */
NEONSIM_INLINE void neonsim_store_columns(uint8_t *c, uint8x8_t out, size_t nr) {
  if (nr >= 8) {
    vst1_u8(c, out);
    return;
  }
  uint8_t bytes[8];
  vst1_u8(bytes, out);
  memcpy(c, bytes, nr);
}

/* From one pixel's pointers to the next pixel's. */
NEONSIM_INLINE const void *neonsim_next_pixel(const void *pointers, size_t bytes) { return (const char *)pointers + bytes; }

#endif
