/* Depthwise convolutions of int8 in portable C: any number of taps, in blocks of 8 or 16 channels. */
#include "contracts/scalar/scalar.h"

NEONSIM_INLINE uint8_t requantise_rndnu(uint32_t sum, const struct neonsim_rndnu_gemm_params *p) {
  return neonsim_clamp_signed(neonsim_scale_rndnu(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point,
                              p->output_min, p->output_max);
}

NEONSIM_INLINE uint8_t requantise_fp32(uint32_t sum, float scale, const struct neonsim_qc8w_params *p) {
  float value = (float)neonsim_as_signed(sum) * scale;
  value = value < p->output_min_less_zero ? p->output_min_less_zero : value;
  value = value > p->output_max_less_zero ? p->output_max_less_zero : value;
  /* Plus 12582912: the bits hold the integer, rounded as the processor rounds: to nearest, ties to even. */
  value += 12582912.0f;
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint8_t)(bits - p->magic_less_zero);
}

NEONSIM_INLINE uint8_t requantise_tengine(uint32_t sum, float scale, const struct neonsim_qc8w_params *p) {
  return neonsim_clamp_signed(neonsim_scale_tengine(sum, scale) + p->output_zero_point, p->output_min, p->output_max);
}

enum scheme { RNDNU, FP32, TENGINE }; /* all but the first with a scale for each channel */

/* Weights: per block of `lanes` channels their int32 biases, taps, and their scales. */
NEONSIM_INLINE void convolve(size_t lanes, size_t taps, enum scheme scheme, size_t channels, size_t output_width,
                             const void *const *input, const uint8_t *w, uint8_t *output, size_t input_stride,
                             size_t output_increment, size_t input_offset, const void *zero, const void *params) {
  const size_t behind = lanes * sizeof(int32_t),
               block_bytes = behind + lanes * taps + (scheme == RNDNU ? 0 : lanes * sizeof(float));
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c++) {
      const uint8_t *block = w + c / lanes * block_bytes;
      const size_t lane = c % lanes;
      uint32_t sum;
      memcpy(&sum, block + lane * sizeof sum, sizeof sum);
      for (size_t tap = 0; tap < taps; tap++) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        sum += (uint32_t)((int8_t)row[c] * (int8_t)block[behind + tap * lanes + lane]);
      }
      if (scheme == RNDNU) {
        output[c] = requantise_rndnu(sum, params);
        continue;
      }
      float scale;
      memcpy(&scale, block + behind + lanes * taps + lane * sizeof scale, sizeof scale);
      output[c] = scheme == FP32 ? requantise_fp32(sum, scale, params) : requantise_tengine(sum, scale, params);
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(lanes, taps, scheme, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(lanes, taps, scheme, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, \
             params); \
  }

DEPTHWISE(16, 9, RNDNU, qs8_dwconv_rndnu_16x9__scalar)
DEPTHWISE(8, 9, RNDNU, qs8_dwconv_rndnu_8x9__scalar)
DEPTHWISE(8, 25, RNDNU, qs8_dwconv_rndnu_8x25__scalar)
DEPTHWISE(16, 9, FP32, qs8_qc8w_dwconv_fp32_16x9__scalar)
DEPTHWISE(8, 9, FP32, qs8_qc8w_dwconv_fp32_8x9__scalar)
DEPTHWISE(8, 25, FP32, qs8_qc8w_dwconv_fp32_8x25__scalar)
DEPTHWISE(8, 9, TENGINE, qs8_qc8w_dwconv_tengine_8x9__scalar)
DEPTHWISE(8, 25, TENGINE, qs8_qc8w_dwconv_tengine_8x25__scalar)

/* The same without what follows the sums. */
NEONSIM_INLINE void add_up(size_t lanes, size_t taps, size_t channels, size_t output_width, const void *const *input,
                           const uint8_t *w, int32_t *output, size_t input_stride, size_t output_increment, size_t input_offset,
                           const void *zero) {
  const size_t behind = lanes * sizeof(int32_t), block_bytes = behind + lanes * taps;
  uint8_t *out = (uint8_t *)output;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c++) {
      const uint8_t *block = w + c / lanes * block_bytes;
      const size_t lane = c % lanes;
      uint32_t sum;
      memcpy(&sum, block + lane * sizeof sum, sizeof sum);
      for (size_t tap = 0; tap < taps; tap++) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        sum += (uint32_t)((int8_t)row[c] * (int8_t)block[behind + tap * lanes + lane]);
      }
      memcpy(out + c * sizeof sum, &sum, sizeof sum);
    }
    input = (const void *const *)((const char *)input + input_stride);
    out += channels * sizeof(int32_t) + output_increment;
  }
}

#define DEPTHWISE_SUMS(lanes, taps, name) \
  NEONSIM_KERNEL(dwconv_sums, name) { \
    add_up(lanes, taps, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero); \
  }

DEPTHWISE_SUMS(8, 9, qs8_dwconv_s32_8x9__scalar)
DEPTHWISE_SUMS(8, 25, qs8_dwconv_s32_8x25__scalar)
