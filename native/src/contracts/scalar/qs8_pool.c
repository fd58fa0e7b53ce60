/* qs8_avgpool, qs8_avgpool_rndna, qs8_gavgpool and qs8_gavgpool_mp in portable C: the sum of the rows, channel by channel. */
#include "contracts/scalar/scalar.h"

NEONSIM_INLINE void average(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                            const struct neonsim_mean_params *p) {
  for (size_t c = 0; c < n; c++) {
    uint32_t sum = (uint32_t)p->bias;
    for (size_t i = 0; i < m; i++) {
      sum += (uint32_t)(int8_t)x[i * x_stride + c];
    }
    y[c] = neonsim_clamp_signed(neonsim_scale_rndnu(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point,
                                p->output_min, p->output_max);
  }
}

NEONSIM_KERNEL(mean, qs8_gavgpool_8x7__scalar) {
  (void)zero;
  average(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(mean_mp, qs8_gavgpool_mp_8x7__scalar) {
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
      y[c] = neonsim_clamp_signed(neonsim_scale_rndnu(sum, p->multiplier, p->pre_shift, p->post_shift) + p->output_zero_point,
                                  p->output_min, p->output_max);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_8x9__scalar) {
  average_windows(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_8x__scalar) {
  average_windows(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

/* The same, ties away from zero. The right shift of a negative number is arithmetic in every compiler we know. */
NEONSIM_INLINE void average_windows_away(size_t rows, size_t n, size_t ks, size_t kc, const void *const *input, const uint8_t *zero,
                                         uint8_t *y, size_t x_increment, size_t y_increment,
                                         const struct neonsim_avgpool_params *p) {
  const int shift = (int)-p->left_shift;
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c++) {
      uint32_t sum = (uint32_t)p->bias;
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sum += (uint32_t)(int8_t)from[c];
      }
      const int32_t x = neonsim_as_signed(sum);
      const int64_t value = (((int64_t)x * p->multiplier - (x < 0) + (INT64_C(1) << (shift - 1))) >> shift) + p->output_zero_point;
      y[c] = neonsim_clamp_signed(value, p->output_min, p->output_max);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_rndna_8x9__scalar) {
  average_windows_away(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_rndna_8x__scalar) {
  average_windows_away(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}
