/* Depthwise convolutions of int8 in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

struct sums {
  int32x4_t low, high;
};

/* MUL16: taps and weights widened to 16 bits, products added to 32-bit sums. MUL8: products of bytes, each added by itself.
 * MLA8: two taps added up in 16 bits before (weights are -127..127, so they fit). */
enum technique { MUL16, MUL8, MLA8 };

NEONSIM_INLINE struct sums times(enum technique technique, struct sums sums, int8x8_t x, int8x8_t w, int8x8_t x2, int8x8_t w2) {
  if (technique == MUL16) {
    const int16x8_t wide = vmovl_s8(x), weights = vmovl_s8(w);
    return (struct sums){vmlal_s16(sums.low, vget_low_s16(wide), vget_low_s16(weights)),
                         vmlal_s16(sums.high, vget_high_s16(wide), vget_high_s16(weights))};
  }
  int16x8_t products = vmull_s8(x, w);
  products = technique == MLA8 ? vmlal_s8(products, x2, w2) : products;
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(products)), vaddw_s16(sums.high, vget_high_s16(products))};
}

enum scheme { BY_RNDNU, BY_FP32, BY_TENGINE }; /* all but the first with a scale for each channel */

/* Weights: per block of `lanes` channels their int32 biases, taps, and their scales. */
NEONSIM_INLINE void convolve(enum technique technique, size_t lanes, size_t taps, enum scheme scheme, size_t channels,
                             size_t output_width, const void *const *input, const uint8_t *w, uint8_t *output, size_t input_stride,
                             size_t output_increment, size_t input_offset, const void *zero, const void *params) {
  const size_t behind = lanes * sizeof(int32_t),
               block_bytes = behind + lanes * taps + (scheme == BY_RNDNU ? 0 : lanes * sizeof(float));
  const size_t step = technique == MLA8 ? 2 : 1;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c += 8) {
      const uint8_t *block = w + c / lanes * block_bytes, *weights = block + behind + c % lanes;
      int32_t bias[8];
      memcpy(bias, block + c % lanes * sizeof(int32_t), sizeof bias);
      struct sums sums = {vld1q_s32(bias), vld1q_s32(bias + 4)};
      for (size_t tap = 0; tap < taps; tap += step) {
        int8x8_t x[2] = {vdup_n_s8(0), vdup_n_s8(0)}, y[2] = {vdup_n_s8(0), vdup_n_s8(0)};
        for (size_t i = 0; i < step && tap + i < taps; i++) {
          const uint8_t *row = input[tap + i];
          row = row == (const uint8_t *)zero ? row : row + input_offset;
          x[i] = neonsim_load_some_signed(row + c, channels - c);
          y[i] = vld1_s8((const int8_t *)weights + (tap + i) * lanes);
        }
        sums = times(technique, sums, x[0], y[0], x[1], y[1]);
      }
      uint8x8_t bytes;
      if (scheme != BY_RNDNU) {
        const struct neonsim_qc8w_params *p = params;
        float scales[8];
        memcpy(scales, block + behind + taps * lanes + c % lanes * sizeof(float), sizeof scales);
        const float32x4_t low = vld1q_f32(scales), high = vld1q_f32(scales + 4);
        const int tengine = scheme == BY_TENGINE;
        bytes = neonsim_narrow_signed_neon(
            tengine ? neonsim_scale_tengine_neon(sums.low, low) : neonsim_scale_fp32_neon(sums.low, low),
            tengine ? neonsim_scale_tengine_neon(sums.high, high) : neonsim_scale_fp32_neon(sums.high, high), p->output_zero_point,
            p->output_min, p->output_max);
      } else {
        const struct neonsim_rndnu_gemm_params *p = params;
        bytes = neonsim_narrow_signed_neon(neonsim_scale_rndnu_neon(sums.low, p->multiplier, p->pre_shift, p->post_shift),
                                           neonsim_scale_rndnu_neon(sums.high, p->multiplier, p->pre_shift, p->post_shift),
                                           p->output_zero_point, p->output_min, p->output_max);
      }
      neonsim_store_columns(output + c, bytes, channels - c);
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(technique, lanes, taps, scheme, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(technique, lanes, taps, scheme, channels, output_width, input, w, output, input_stride, output_increment, \
             input_offset, zero, params); \
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
DEPTHWISE(MLA8, 16, 9, BY_FP32, qs8_qc8w_dwconv_fp32_16x9__neon_mla8)
DEPTHWISE(MLA8, 8, 9, BY_FP32, qs8_qc8w_dwconv_fp32_8x9__neon_mla8)
DEPTHWISE(MLA8, 8, 25, BY_FP32, qs8_qc8w_dwconv_fp32_8x25__neon_mla8)
DEPTHWISE(MUL8, 16, 9, BY_FP32, qs8_qc8w_dwconv_fp32_16x9__neon_mul8)
DEPTHWISE(MUL8, 8, 9, BY_FP32, qs8_qc8w_dwconv_fp32_8x9__neon_mul8)
DEPTHWISE(MUL8, 8, 25, BY_FP32, qs8_qc8w_dwconv_fp32_8x25__neon_mul8)
DEPTHWISE(MUL16, 16, 9, BY_FP32, qs8_qc8w_dwconv_fp32_16x9__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_FP32, qs8_qc8w_dwconv_fp32_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_FP32, qs8_qc8w_dwconv_fp32_8x25__neon_mul16)
DEPTHWISE(MUL16, 8, 9, BY_TENGINE, qs8_qc8w_dwconv_tengine_8x9__neon_mul16)
DEPTHWISE(MUL16, 8, 25, BY_TENGINE, qs8_qc8w_dwconv_tengine_8x25__neon_mul16)

/* The same without what follows the sums. */
NEONSIM_INLINE void add_up(size_t taps, size_t channels, size_t output_width, const void *const *input, const uint8_t *w,
                           int32_t *output, size_t input_stride, size_t output_increment, size_t input_offset, const void *zero) {
  enum { LANES = 8 };
  const size_t behind = LANES * sizeof(int32_t), block_bytes = behind + LANES * taps;
  uint8_t *out = (uint8_t *)output;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c += LANES) {
      const uint8_t *block = w + c / LANES * block_bytes;
      int32_t eight[LANES];
      memcpy(eight, block, sizeof eight);
      struct sums sums = {vld1q_s32(eight), vld1q_s32(eight + 4)};
      for (size_t tap = 0; tap < taps; tap++) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        const int8x8_t none = vdup_n_s8(0);
        sums = times(MUL16, sums, neonsim_load_some_signed(row + c, channels - c),
                     vld1_s8((const int8_t *)block + behind + tap * LANES), none, none);
      }
      vst1q_s32(eight, sums.low);
      vst1q_s32(eight + 4, sums.high);
      memcpy(out + c * sizeof eight[0], eight, (channels - c < LANES ? channels - c : LANES) * sizeof eight[0]);
    }
    input = (const void *const *)((const char *)input + input_stride);
    out += channels * sizeof(int32_t) + output_increment;
  }
}

#define DEPTHWISE_SUMS(taps, name) \
  NEONSIM_KERNEL(dwconv_sums, name) { \
    add_up(taps, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero); \
  }

DEPTHWISE_SUMS(9, qs8_dwconv_s32_8x9__neon_mul16)
DEPTHWISE_SUMS(25, qs8_dwconv_s32_8x25__neon_mul16)
