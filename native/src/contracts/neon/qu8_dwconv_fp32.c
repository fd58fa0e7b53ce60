/* qu8_dwconv_fp32 in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

/* Weights: per block of 8 channels their int32 biases, taps. */
NEONSIM_INLINE void convolve(size_t taps, size_t channels, size_t output_width, const void *const *input, const uint8_t *w,
                             uint8_t *output, size_t input_stride, size_t output_increment, size_t input_offset, const void *zero,
                             const struct neonsim_fp32_gemm_params *params) {
  const uint8x8_t w_zero_point = vdup_n_u8(params->w_zero_point);
  const float32x4_t scale = vdupq_n_f32(params->scale);
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    const uint8_t *block = w;
    for (size_t c = 0; c < channels; c += 8) {
      int32_t bias[8];
      memcpy(bias, block, sizeof bias);
      block += sizeof bias;
      int32x4_t low = vld1q_s32(bias), high = vld1q_s32(bias + 4);
      for (size_t tap = 0; tap < taps; tap++, block += 8) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        const int16x8_t x = vreinterpretq_s16_u16(vmovl_u8(neonsim_load_some(row + c, channels - c)));
        const int16x8_t y = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(block), w_zero_point));
        low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(y));
        high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(y));
      }
      const uint8x8_t bytes = neonsim_narrow_neon(neonsim_scale_fp32_neon(low, scale), neonsim_scale_fp32_neon(high, scale),
                                                  params->output_zero_point, params->output_min, params->output_max);
      neonsim_store_columns(output + c, bytes, channels - c);
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(taps, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(taps, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, params); \
  }

DEPTHWISE(9, qu8_dwconv_fp32_8x9__neon_mul16)
DEPTHWISE(25, qu8_dwconv_fp32_8x25__neon_mul16)
