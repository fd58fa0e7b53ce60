/* Depthwise convolutions of int8, and of uint8 with one rounding, in portable C: any number of taps, in blocks of 8 or 16 channels. */
#include "contracts/scalar/scalar.h"

/* QC8W and TENGINE: with a scale for each channel. SUMS: as they are. */
enum scheme { RNDNU, QC8W, TENGINE, FP32_U8, SUMS };

/* scale: of the channel, if it has one. */
NEONSIM_INLINE uint8_t requantize(enum scheme scheme, uint32_t sum, const uint8_t *scale_of, const void *params) {
  if (scheme == RNDNU) {
    const struct neonsim_rndnu_gemm_params *p = params;
    const int64_t value = neonsim_round_rndnu(neonsim_as_signed(sum), p->multiplier, -(p->pre_shift + p->post_shift));
    return neonsim_clamp(value + p->output_zero_point, p->output_min, p->output_max, 1);
  }
  if (scheme == FP32_U8) {
    const struct neonsim_fp32_gemm_params *p = params;
    return neonsim_requantize_fp32(sum, p->scale, p->output_min_less_zero, p->output_max_less_zero, p->magic_less_zero);
  }
  const struct neonsim_qc8w_params *p = params;
  float scale;
  memcpy(&scale, scale_of, sizeof scale);
  return scheme == QC8W ? neonsim_requantize_fp32(sum, scale, p->output_min_less_zero, p->output_max_less_zero, p->magic_less_zero)
                        : neonsim_clamp(neonsim_scale_tengine(sum, scale) + p->output_zero_point, p->output_min, p->output_max, 1);
}

/* Weights: per block of `lanes` channels their int32 biases, taps, and their scales. */
NEONSIM_INLINE void convolve(size_t lanes, size_t taps, enum scheme scheme, size_t channels, size_t output_width,
                             const void *const *input, const uint8_t *w, uint8_t *output, size_t input_stride,
                             size_t output_increment, size_t input_offset, const void *zero, const void *params) {
  const int is_signed = scheme != FP32_U8;
  const int32_t w_zero_point = is_signed ? 0 : ((const struct neonsim_fp32_gemm_params *)params)->w_zero_point;
  const size_t behind = lanes * sizeof(int32_t), scales = scheme == QC8W || scheme == TENGINE ? lanes : 0;
  const size_t block_bytes = behind + lanes * taps + scales * sizeof(float), size = scheme == SUMS ? sizeof(int32_t) : 1;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c++) {
      const uint8_t *block = w + c / lanes * block_bytes;
      const size_t lane = c % lanes;
      uint32_t sum;
      memcpy(&sum, block + lane * sizeof sum, sizeof sum);
      for (size_t tap = 0; tap < taps; tap++) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        const int32_t weight = neonsim_byte_value(block[behind + tap * lanes + lane], is_signed) - w_zero_point;
        sum += (uint32_t)(neonsim_byte_value(row[c], is_signed) * weight);
      }
      if (scheme == SUMS) {
        memcpy(output + c * size, &sum, size);
      } else {
        output[c] = requantize(scheme, sum, block + behind + lanes * taps + lane * sizeof(float), params);
      }
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels * size + output_increment;
  }
}

#define DEPTHWISE(lanes, taps, scheme, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(lanes, taps, scheme, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, \
             params); \
  }
#define DEPTHWISE_SUMS(lanes, taps, name) \
  NEONSIM_KERNEL(dwconv_s32, name) { \
    convolve(lanes, taps, SUMS, channels, output_width, input, w, (uint8_t *)output, input_stride, output_increment, input_offset, \
             zero, NULL); \
  }

DEPTHWISE(16, 9, RNDNU, qs8_dwconv_rndnu_16x9__scalar)
DEPTHWISE(8, 9, RNDNU, qs8_dwconv_rndnu_8x9__scalar)
DEPTHWISE(8, 25, RNDNU, qs8_dwconv_rndnu_8x25__scalar)
DEPTHWISE(16, 9, QC8W, qs8_qc8w_dwconv_fp32_16x9__scalar)
DEPTHWISE(8, 9, QC8W, qs8_qc8w_dwconv_fp32_8x9__scalar)
DEPTHWISE(8, 25, QC8W, qs8_qc8w_dwconv_fp32_8x25__scalar)
DEPTHWISE(8, 9, TENGINE, qs8_qc8w_dwconv_tengine_8x9__scalar)
DEPTHWISE(8, 25, TENGINE, qs8_qc8w_dwconv_tengine_8x25__scalar)

DEPTHWISE(8, 9, FP32_U8, qu8_dwconv_fp32_8x9__scalar)
DEPTHWISE(8, 25, FP32_U8, qu8_dwconv_fp32_8x25__scalar)

DEPTHWISE_SUMS(8, 9, qs8_dwconv_s32_8x9__scalar)
DEPTHWISE_SUMS(8, 25, qs8_dwconv_s32_8x25__scalar)
