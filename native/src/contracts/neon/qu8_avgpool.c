/* qu8_avgpool and qu8_avgpool_mp in NEON intrinsics: the sum of the window, eight channels at a time. */
#include "contracts/neon/pooling.h"

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(size_t rows, size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero,
                                    uint8_t *y, size_t x_increment, size_t y_increment,
                                    const struct neonsim_average_pool_params *params) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t channel = 0; channel < kc; channel += 8) {
      struct neonsim_accumulators sums = neonsim_zero_accumulators();
      for (size_t row = 0; row < rows; row++) {
        neonsim_add_row(&sums, neonsim_load_some((row < ks ? input[row] : zero) + channel, kc - channel));
      }
      neonsim_store_columns(y + channel, neonsim_average_neon(sums, params), kc - channel);
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(avgpool, qu8_avgpool_8x9__neon) { average_windows(9, n, ks, kc, input, zero, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(avgpool, qu8_avgpool_8x__neon) { average_windows(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(avgpool_mp, qu8_avgpool_mp_8x9__neon) {
  (void)buffer; /* the sums of eight channels stay in registers */
  /* A pass of nine, then of eight. */
  average_windows(9 + (ks - 9 + 7) / 8 * 8, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}
