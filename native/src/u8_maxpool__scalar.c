/* u8_maxpool in portable C: the largest byte of the window, within limits. */
#include "pooling.h"

NEONSIM_INLINE void largest_of_windows(size_t n, size_t ks, size_t kc, const uint8_t *const *input, uint8_t *y, size_t x_increment,
                                       size_t y_increment, const struct neonsim_clamp_params *params) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t channel = 0; channel < kc; channel++) {
      uint8_t largest = params->output_min;
      for (size_t tap = 0; tap < ks; tap++) {
        const uint8_t value = input[tap][channel];
        largest = value > largest ? value : largest;
      }
      y[channel] = largest < params->output_max ? largest : params->output_max;
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x9__scalar) {
  largest_of_windows(n, ks, kc, input, y, x_increment, y_increment, params);
}

NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x__scalar) {
  largest_of_windows(n, ks, kc, input, y, x_increment, y_increment, params);
}
