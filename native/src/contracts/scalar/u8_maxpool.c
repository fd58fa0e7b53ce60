/* u8_maxpool and s8_maxpool in portable C: the largest byte of the window, within limits. */
#include "contracts/scalar/scalar.h"

/* flip: 0x80 for signed bytes, which puts them in the order of unsigned ones. */
NEONSIM_INLINE void largest_of_windows(uint8_t flip, size_t n, size_t ks, size_t kc, const void *const *table, uint8_t *y,
                                       size_t x_increment, size_t y_increment, const struct neonsim_clamp_params *params) {
  const uint8_t *const *input = (const uint8_t *const *)table;
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t channel = 0; channel < kc; channel++) {
      const uint8_t most = params->output_max ^ flip;
      uint8_t largest = params->output_min ^ flip;
      for (size_t tap = 0; tap < ks; tap++) {
        const uint8_t value = input[tap][channel] ^ flip;
        largest = value > largest ? value : largest;
      }
      y[channel] = (largest < most ? largest : most) ^ flip;
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(maxpool, u8_maxpool_16x9__scalar) { largest_of_windows(0, n, ks, kc, input, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(maxpool, u8_maxpool_16x__scalar) { largest_of_windows(0, n, ks, kc, input, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(maxpool, s8_maxpool_16x9__scalar) {
  largest_of_windows(0x80, n, ks, kc, input, y, x_increment, y_increment, params);
}

NEONSIM_KERNEL(maxpool, s8_maxpool_16x__scalar) { largest_of_windows(0x80, n, ks, kc, input, y, x_increment, y_increment, params); }
