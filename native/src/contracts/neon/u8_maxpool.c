/* u8_maxpool and s8_maxpool in NEON intrinsics: the largest byte of the window, within limits, eight channels at a time. */
#include "contracts/neon/neon.h"

NEONSIM_INLINE uint8x8_t larger(uint8x8_t a, uint8x8_t b, int is_signed) {
  return is_signed ? vreinterpret_u8_s8(vmax_s8(vreinterpret_s8_u8(a), vreinterpret_s8_u8(b))) : vmax_u8(a, b);
}

NEONSIM_INLINE uint8x8_t smaller(uint8x8_t a, uint8x8_t b, int is_signed) {
  return is_signed ? vreinterpret_u8_s8(vmin_s8(vreinterpret_s8_u8(a), vreinterpret_s8_u8(b))) : vmin_u8(a, b);
}

NEONSIM_INLINE void largest_of_windows(int is_signed, size_t n, size_t ks, size_t kc, const void *const *table, uint8_t *y,
                                       size_t x_increment, size_t y_increment, const struct neonsim_clamp_params *params) {
  const uint8_t *const *input = (const uint8_t *const *)table;
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t channel = 0; channel < kc; channel += 8) {
      uint8x8_t largest = vdup_n_u8(params->output_min);
      for (size_t tap = 0; tap < ks; tap++) {
        largest = larger(largest, neonsim_load_some(input[tap] + channel, kc - channel), is_signed);
      }
      neonsim_store_columns(y + channel, smaller(largest, vdup_n_u8(params->output_max), is_signed), kc - channel);
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(maxpool, u8_maxpool_16x9__neon) { largest_of_windows(0, n, ks, kc, input, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(maxpool, u8_maxpool_16x__neon) { largest_of_windows(0, n, ks, kc, input, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(maxpool, s8_maxpool_16x9__neon) { largest_of_windows(1, n, ks, kc, input, y, x_increment, y_increment, params); }

NEONSIM_KERNEL(maxpool, s8_maxpool_16x__neon) { largest_of_windows(1, n, ks, kc, input, y, x_increment, y_increment, params); }
