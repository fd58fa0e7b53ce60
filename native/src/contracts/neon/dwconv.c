/* Depthwise convolutions of int8, and of uint8 with one rounding, in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

struct sums {
  int32x4_t low, high;
};

/* MUL16: taps and weights widened to 16 bits, products added to 32-bit sums. MUL8: products of bytes, each added by itself.
 * MLA8: two taps added up in 16 bits before (weights are -127..127, so they fit). */
enum technique { MUL16, MUL8, MLA8 };

NEONSIM_INLINE struct sums times_wide(struct sums sums, int16x8_t x, int16x8_t w) {
  return (struct sums){vmlal_s16(sums.low, vget_low_s16(x), vget_low_s16(w)),
                       vmlal_s16(sums.high, vget_high_s16(x), vget_high_s16(w))};
}

NEONSIM_INLINE struct sums times(enum technique technique, struct sums sums, int8x8_t x, int8x8_t w, int8x8_t x2, int8x8_t w2) {
  if (technique == MUL16) {
    return times_wide(sums, vmovl_s8(x), vmovl_s8(w));
  }
  int16x8_t products = vmull_s8(x, w);
  products = technique == MLA8 ? vmlal_s8(products, x2, w2) : products;
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(products)), vaddw_s16(sums.high, vget_high_s16(products))};
}

/* BY_QC8W, BY_TENGINE: with a scale for each channel. BY_FP32_U8: of uint8, MUL16 only. AS_SUMS: as they are. */
enum scheme { BY_RNDNU, BY_QC8W, BY_TENGINE, BY_FP32_U8, AS_SUMS };

/* Eight results, or the n that are left. tail: scales of these channels, if they have some. */
NEONSIM_INLINE void leave(enum scheme scheme, struct sums sums, const uint8_t *tail, const void *params, uint8_t *out, size_t n) {
  uint8x8_t bytes;
  if (scheme == AS_SUMS) {
    int32_t eight[8];
    vst1q_s32(eight, sums.low);
    vst1q_s32(eight + 4, sums.high);
    memcpy(out, eight, (n < 8 ? n : 8) * sizeof eight[0]);
    return;
  }
  if (scheme == BY_FP32_U8) {
    const struct neonsim_fp32_gemm_params *p = params;
    const float32x4_t scale = vdupq_n_f32(p->scale);
    bytes = neonsim_narrow_neon(neonsim_scale_fp32_neon(sums.low, scale), neonsim_scale_fp32_neon(sums.high, scale),
                                p->output_zero_point, p->output_min, p->output_max);
  } else if (scheme == BY_RNDNU) {
    const struct neonsim_rndnu_gemm_params *p = params;
    bytes = neonsim_narrow_signed_neon(neonsim_scale_rndnu_neon(sums.low, p->multiplier, p->pre_shift, p->post_shift),
                                       neonsim_scale_rndnu_neon(sums.high, p->multiplier, p->pre_shift, p->post_shift),
                                       p->output_zero_point, p->output_min, p->output_max);
  } else {
    const struct neonsim_qc8w_params *p = params;
    float scales[8];
    memcpy(scales, tail, sizeof scales);
    const float32x4_t low = vld1q_f32(scales), high = vld1q_f32(scales + 4);
    const int tengine = scheme == BY_TENGINE;
    bytes =
        neonsim_narrow_signed_neon(tengine ? neonsim_scale_tengine_neon(sums.low, low) : neonsim_scale_fp32_neon(sums.low, low),
                                   tengine ? neonsim_scale_tengine_neon(sums.high, high) : neonsim_scale_fp32_neon(sums.high, high),
                                   p->output_zero_point, p->output_min, p->output_max);
  }
  neonsim_store_columns(out, bytes, n);
}

/* Weights: per block of `lanes` channels their int32 biases, taps, and their scales. */
NEONSIM_INLINE void convolve(enum technique technique, size_t lanes, size_t taps, enum scheme scheme, size_t channels,
                             size_t output_width, const void *const *input, const uint8_t *w, uint8_t *output, size_t input_stride,
                             size_t output_increment, size_t input_offset, const void *zero, const void *params) {
  const struct neonsim_fp32_gemm_params *of_bytes = params;
  const uint8x8_t w_zero_point = vdup_n_u8(scheme == BY_FP32_U8 ? of_bytes->w_zero_point : 0);
  const size_t scales = scheme == BY_QC8W || scheme == BY_TENGINE ? lanes : 0, size = scheme == AS_SUMS ? sizeof(int32_t) : 1;
  const size_t behind = lanes * sizeof(int32_t), block_bytes = behind + lanes * taps + scales * sizeof(float);
  const size_t step = technique == MLA8 ? 2 : 1;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c += 8) {
      const uint8_t *block = w + c / lanes * block_bytes, *weights = block + behind + c % lanes;
      int32_t bias[8];
      memcpy(bias, block + c % lanes * sizeof(int32_t), sizeof bias);
      struct sums sums = {vld1q_s32(bias), vld1q_s32(bias + 4)};
      for (size_t tap = 0; tap < taps; tap += step) {
        uint8x8_t x[2] = {vdup_n_u8(0), vdup_n_u8(0)}, y[2] = {vdup_n_u8(0), vdup_n_u8(0)};
        for (size_t i = 0; i < step && tap + i < taps; i++) {
          const uint8_t *row = input[tap + i];
          row = row == (const uint8_t *)zero ? row : row + input_offset;
          x[i] = neonsim_load_some(row + c, channels - c);
          y[i] = vld1_u8(weights + (tap + i) * lanes);
        }
        if (scheme == BY_FP32_U8) {
          sums = times_wide(sums, vreinterpretq_s16_u16(vmovl_u8(x[0])), vreinterpretq_s16_u16(vsubl_u8(y[0], w_zero_point)));
        } else {
          sums = times(technique, sums, vreinterpret_s8_u8(x[0]), vreinterpret_s8_u8(y[0]), vreinterpret_s8_u8(x[1]),
                       vreinterpret_s8_u8(y[1]));
        }
      }
      leave(scheme, sums, block + behind + taps * lanes + c % lanes * sizeof(float), params, output + c * size, channels - c);
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels * size + output_increment;
  }
}

#define DEPTHWISE(technique, lanes, taps, scheme, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(technique, lanes, taps, scheme, channels, output_width, input, w, output, input_stride, output_increment, \
             input_offset, zero, params); \
  }
#define DEPTHWISE_SUMS(taps, name) \
  NEONSIM_KERNEL(dwconv_s32, name) { \
    convolve(MUL16, 8, taps, AS_SUMS, channels, output_width, input, w, (uint8_t *)output, input_stride, output_increment, \
             input_offset, zero, NULL); \
  }

DEPTHWISE(MLA8, 16, 9, BY_RNDNU, qs8_dwconv_rndnu_16x9__neon_mla8)
DEPTHWISE(MLA8, 8, 9, BY_RNDNU, qs8_dwconv_rndnu_8x9__neon_mla8)
DEPTHWISE(MLA8, 8, 25, BY_RNDNU, qs8_dwconv_rndnu_8x25__neon_mla8)
DEPTHWISE(MUL8, 16, 9, BY_RNDNU, qs8_dwconv_rndnu_16x9__neon_mul8)
DEPTHWISE(MUL8, 8, 9, BY_RNDNU, qs8_dwconv_rndnu_8x9__neon_mul8)
DEPTHWISE(MUL8, 8, 25, BY_RNDNU, qs8_dwconv_rndnu_8x25__neon_mul8)
DEPTHWISE(MUL16, 16, 9, BY_RNDNU, qs8_dwconv_rndnu_16x9__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_RNDNU, qs8_dwconv_rndnu_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_RNDNU, qs8_dwconv_rndnu_8x25__neon_mul16)
DEPTHWISE(MLA8, 16, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_16x9__neon_mla8)
DEPTHWISE(MLA8, 8, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_8x9__neon_mla8)
DEPTHWISE(MLA8, 8, 25, BY_QC8W, qs8_qc8w_dwconv_fp32_8x25__neon_mla8)
DEPTHWISE(MUL8, 16, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_16x9__neon_mul8)
DEPTHWISE(MUL8, 8, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_8x9__neon_mul8)
DEPTHWISE(MUL8, 8, 25, BY_QC8W, qs8_qc8w_dwconv_fp32_8x25__neon_mul8)
DEPTHWISE(MUL16, 16, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_16x9__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_QC8W, qs8_qc8w_dwconv_fp32_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_QC8W, qs8_qc8w_dwconv_fp32_8x25__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_TENGINE, qs8_qc8w_dwconv_tengine_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_TENGINE, qs8_qc8w_dwconv_tengine_8x25__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_FP32_U8, qu8_dwconv_fp32_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_FP32_U8, qu8_dwconv_fp32_8x25__neon_mul16)

DEPTHWISE_SUMS(9, qs8_dwconv_s32_8x9__neon_mul16)
DEPTHWISE_SUMS(25, qs8_dwconv_s32_8x25__neon_mul16)
