/* Depthwise convolutions and averages of int8 in portable C: any number of taps, in blocks of 8 or 16 channels. */
#include "contracts/scalar/scalar.h"

NEONSIM_INLINE uint8_t clamp(int64_t value, uint8_t least, uint8_t most) {
  value = value < (int8_t)least ? (int8_t)least : value;
  return (uint8_t)(value > (int8_t)most ? (int8_t)most : value);
}

/* x * multiplier / 2**(31 - pre - post), rounded, ties up; post is not positive. */
NEONSIM_INLINE int64_t scaled(uint32_t sum, int32_t multiplier, int32_t pre, int32_t post) {
  const int shift = 31 - pre - post;
  return ((int64_t)neonsim_as_signed(sum) * multiplier + (INT64_C(1) << (shift - 1))) >> shift;
}

NEONSIM_INLINE uint8_t requantise_rndnu(uint32_t sum, const struct neonsim_rndnu_gemm_params *p) {
  return clamp(scaled(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point, p->output_min, p->output_max);
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

/* Weights: per block of `lanes` channels their int32 biases, taps, and with has_scales their scales. */
NEONSIM_INLINE void convolve(size_t lanes, size_t taps, int has_scales, size_t channels, size_t output_width, const void *const *input,
                             const uint8_t *w, uint8_t *output, size_t input_stride, size_t output_increment, size_t input_offset,
                             const void *zero, const void *params) {
  const size_t behind = lanes * sizeof(int32_t), block_bytes = behind + lanes * taps + (has_scales ? lanes * sizeof(float) : 0);
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
      if (has_scales) {
        float scale;
        memcpy(&scale, block + behind + lanes * taps + lane * sizeof scale, sizeof scale);
        output[c] = requantise_fp32(sum, scale, params);
      } else {
        output[c] = requantise_rndnu(sum, params);
      }
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(lanes, taps, has_scales, name)                                                                               \
  NEONSIM_DECLARE_CHANNELWISE(neonsim_##name) {                                                                                \
    convolve(lanes, taps, has_scales, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, \
             params);                                                                                                          \
  }

DEPTHWISE(16, 9, 0, qs8_dwconv_rndnu_16x9__scalar)
DEPTHWISE(8, 9, 0, qs8_dwconv_rndnu_8x9__scalar)
DEPTHWISE(8, 25, 0, qs8_dwconv_rndnu_8x25__scalar)
DEPTHWISE(16, 9, 1, qs8_qc8w_dwconv_fp32_16x9__scalar)
DEPTHWISE(8, 9, 1, qs8_qc8w_dwconv_fp32_8x9__scalar)
DEPTHWISE(8, 25, 1, qs8_qc8w_dwconv_fp32_8x25__scalar)

NEONSIM_INLINE void average(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y, const struct neonsim_mean_params *p) {
  for (size_t c = 0; c < n; c++) {
    uint32_t sum = (uint32_t)p->bias;
    for (size_t i = 0; i < m; i++) {
      sum += (uint32_t)(int8_t)x[i * x_stride + c];
    }
    y[c] = clamp(scaled(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point, p->output_min, p->output_max);
  }
}

NEONSIM_DECLARE_MEAN(neonsim_qs8_gavgpool_8x7__scalar) {
  (void)zero;
  average(m, n, x, x_stride, y, params);
}

NEONSIM_DECLARE_MEAN_MP(neonsim_qs8_gavgpool_mp_8x7__scalar) {
  (void)zero;
  (void)buffer;
  average(m, n, x, x_stride, y, params);
}

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(size_t rows, size_t n, size_t ks, size_t kc, const void *const *input, const uint8_t *zero,
                                    uint8_t *y, size_t x_increment, size_t y_increment, const struct neonsim_mean_params *p) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c++) {
      uint32_t sum = (uint32_t)p->bias;
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sum += (uint32_t)(int8_t)from[c];
      }
      y[c] = clamp(scaled(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point, p->output_min, p->output_max);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_DECLARE_WINDOW_MEAN(neonsim_qs8_avgpool_8x9__scalar) {
  average_windows(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_DECLARE_WINDOW_MEAN(neonsim_qs8_avgpool_8x__scalar) {
  average_windows(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}
