/* Averages of windows and of all rows, of bytes of either type, in portable C: the sum of the rows, channel by channel. */
#include "contracts/scalar/scalar.h"

enum scheme { QU8, QS8, QS8_RNDNA }; /* QS8: ties up; both others: away from zero */

/* (bias + sum) * multiplier / 2**shift, to nearest; plus the zero point; clamped. */
NEONSIM_INLINE uint8_t average(enum scheme scheme, uint32_t sum, const void *params) {
  if (scheme == QS8) {
    const struct neonsim_mean_params *p = params;
    const int32_t x = neonsim_as_signed(sum + (uint32_t)p->bias);
    const int64_t value = neonsim_round_rndnu(x, p->multiplier, -(p->pre_shift + p->post_shift));
    return neonsim_clamp(value + p->output_zero_point, p->output_min, p->output_max, 1);
  }
  const struct neonsim_average_pool_params *p = params;
  const int64_t value =
      neonsim_round_precise(neonsim_as_signed(sum + (uint32_t)p->bias), p->multiplier, -31 - (int32_t)p->left_shift);
  return neonsim_clamp(value + p->output_zero_point, p->output_min, p->output_max, scheme != QU8);
}

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(enum scheme scheme, size_t rows, size_t n, size_t ks, size_t kc, const void *const *input,
                                    const uint8_t *zero, uint8_t *y, size_t x_increment, size_t y_increment, const void *params) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t channel = 0; channel < kc; channel++) {
      uint32_t sum = rows == ks ? 0 : (uint32_t)(rows - ks) * (uint32_t)neonsim_byte_value(zero[channel], scheme != QU8);
      for (size_t tap = 0; tap < ks; tap++) {
        sum += (uint32_t)neonsim_byte_value(((const uint8_t *)input[tap])[channel], scheme != QU8);
      }
      y[channel] = average(scheme, sum, params);
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

/* `zero` fills up passes of vector kernels; here every row is real. */
NEONSIM_INLINE void average_rows(enum scheme scheme, size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                                 const void *params) {
  for (size_t channel = 0; channel < n; channel++) {
    uint32_t sum = 0;
    for (size_t row = 0; row < m; row++) {
      sum += (uint32_t)neonsim_byte_value(x[row * x_stride + channel], scheme != QU8);
    }
    y[channel] = average(scheme, sum, params);
  }
}

#define WINDOWS(signature, scheme, rows, name) \
  NEONSIM_KERNEL(signature, name) { \
    average_windows(scheme, rows, n, ks, kc, (const void *const *)input, zero, y, x_increment, y_increment, params); \
  }
#define ROWS(signature, scheme, name) \
  NEONSIM_KERNEL(signature, name) { \
    (void)zero; \
    average_rows(scheme, m, n, x, x_stride, y, params); \
  }
#define ROWS_MP(signature, scheme, name) \
  NEONSIM_KERNEL(signature, name) { \
    (void)zero; \
    (void)buffer; \
    average_rows(scheme, m, n, x, x_stride, y, params); \
  }

WINDOWS(avgpool, QU8, 9, qu8_avgpool_8x9__scalar)
WINDOWS(avgpool, QU8, ks, qu8_avgpool_8x__scalar)
WINDOWS(window_mean, QS8, 9, qs8_avgpool_8x9__scalar)
WINDOWS(window_mean, QS8, ks, qs8_avgpool_8x__scalar)
WINDOWS(window_mean, QS8_RNDNA, 9, qs8_avgpool_rndna_8x9__scalar)
WINDOWS(window_mean, QS8_RNDNA, ks, qs8_avgpool_rndna_8x__scalar)

NEONSIM_KERNEL(avgpool_mp, qu8_avgpool_mp_8x9__scalar) {
  (void)buffer;
  /* A pass of nine, then of eight. */
  const size_t rows = 9 + (ks - 9 + 7) / 8 * 8;
  average_windows(QU8, rows, n, ks, kc, (const void *const *)input, zero, y, x_increment, y_increment, params);
}

ROWS(gavgpool, QU8, qu8_gavgpool_8x7__scalar)
ROWS(gavgpool, QU8, qu8_gavgpool_8x__scalar)
ROWS_MP(gavgpool_mp, QU8, qu8_gavgpool_mp_8x7__scalar)
ROWS(mean, QS8, qs8_gavgpool_8x7__scalar)
ROWS_MP(mean_mp, QS8, qs8_gavgpool_mp_8x7__scalar)
