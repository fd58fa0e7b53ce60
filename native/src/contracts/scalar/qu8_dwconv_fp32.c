/* qu8_dwconv_fp32 in portable C: any number of taps, in blocks of 8 channels. */
#include "contracts/scalar/scalar.h"

NEONSIM_INLINE uint8_t requantise(uint32_t sum, const struct neonsim_fp32_gemm_params *p) {
  float value = (float)neonsim_as_signed(sum) * p->scale;
  value = value < p->output_min_less_zero ? p->output_min_less_zero : value;
  value = value > p->output_max_less_zero ? p->output_max_less_zero : value;
  /* Plus 12582912: the bits hold the integer, rounded as the processor rounds: to nearest, ties to even. */
  value += 12582912.0f;
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint8_t)(bits - p->magic_less_zero);
}

/* Weights: per block of 8 channels their int32 biases, taps. */
NEONSIM_INLINE void convolve(size_t taps, size_t channels, size_t output_width, const void *const *input, const uint8_t *w,
                             uint8_t *output, size_t input_stride, size_t output_increment, size_t input_offset, const void *zero,
                             const struct neonsim_fp32_gemm_params *params) {
  const size_t behind = NEONSIM_NR * sizeof(int32_t), block_bytes = behind + NEONSIM_NR * taps;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c++) {
      const uint8_t *block = w + c / NEONSIM_NR * block_bytes;
      const size_t lane = c % NEONSIM_NR;
      uint32_t sum;
      memcpy(&sum, block + lane * sizeof sum, sizeof sum);
      for (size_t tap = 0; tap < taps; tap++) {
        const uint8_t *row = input[tap];
        row = row == (const uint8_t *)zero ? row : row + input_offset;
        sum += (uint32_t)(row[c] * (block[behind + tap * NEONSIM_NR + lane] - params->w_zero_point));
      }
      output[c] = requantise(sum, params);
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(taps, name) \
  NEONSIM_KERNEL(dwconv_offset, name) { \
    convolve(taps, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, params); \
  }

DEPTHWISE(9, qu8_dwconv_fp32_8x9__scalar)
DEPTHWISE(25, qu8_dwconv_fp32_8x25__scalar)
