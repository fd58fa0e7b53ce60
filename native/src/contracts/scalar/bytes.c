/* Contracts on rows of bytes in portable C: addition, limits, largest, zips, tables, softmax. Each may write over its input where its contract
 * says so: every element is read before it is written. */
#include "contracts/scalar/scalar.h"

NEONSIM_KERNEL(vadd, qu8_vadd_1x__scalar) {
  const int shift = -params->left_shift;
  const int32_t mask = (int32_t)((UINT32_C(1) << shift) - 1);
  const int32_t lowest = params->output_min - params->output_zero_point;
  const int32_t highest = params->output_max - params->output_zero_point;
  for (size_t i = 0; i < n; i++) {
    /* Factors are below 2**22 and differences below 2**8: two products fit 31 bits. */
    const int32_t sum = (a[i] - params->a_zero_point) * params->a_multiplier + (b[i] - params->b_zero_point) * params->b_multiplier;
    const int32_t remainder = (sum & mask) - (sum < 0);
    int32_t value = (sum >> shift) + (remainder > (mask >> 1));
    value = value < lowest ? lowest : value;
    value = value > highest ? highest : value;
    y[i] = (uint8_t)(value + params->output_zero_point);
  }
}

/* flip: 0x80 for signed bytes, which puts them in the order of unsigned ones. */
NEONSIM_INLINE void clamp(size_t n, const uint8_t *x, uint8_t *y, const struct neonsim_clamp_params *params, uint8_t flip) {
  const uint8_t lowest = params->output_min ^ flip, highest = params->output_max ^ flip;
  for (size_t i = 0; i < n; i++) {
    const uint8_t byte = x[i] ^ flip, value = byte < highest ? byte : highest;
    y[i] = (value > lowest ? value : lowest) ^ flip;
  }
}

NEONSIM_KERNEL(clamp, u8_clamp_1x__scalar) { clamp(n, x, y, params, 0); }
NEONSIM_KERNEL(clamp, s8_clamp_1x__scalar) { clamp(n, x, y, params, 0x80); }

NEONSIM_KERNEL(bytes, u8_rmax_1x__scalar) {
  uint8_t largest = 0;
  for (size_t i = 0; i < n; i++) {
    largest = x[i] > largest ? x[i] : largest;
  }
  *y = largest;
}

NEONSIM_INLINE void zip(size_t n, size_t m, const uint8_t *x, uint8_t *y) {
  for (size_t i = 0; i < n; i++) {
    for (size_t group = 0; group < m; group++) {
      y[i * m + group] = x[group * n + i];
    }
  }
}

NEONSIM_KERNEL(bytes, x8_zip_x2_1x__scalar) { zip(n, 2, x, y); }
NEONSIM_KERNEL(bytes, x8_zip_x3_1x__scalar) { zip(n, 3, x, y); }
NEONSIM_KERNEL(bytes, x8_zip_x4_1x__scalar) { zip(n, 4, x, y); }
NEONSIM_KERNEL(zip_xm, x8_zip_xm_1x__scalar) { zip(n, m, x, y); }

NEONSIM_KERNEL(lut, x8_lut_1x__scalar) {
  for (size_t i = 0; i < n; i++) {
    y[i] = t[x[i]];
  }
}

NEONSIM_KERNEL(lut32norm, u8_lut32norm_1x__scalar) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += t[x[i]];
  }
  for (size_t i = 0; i < n; i++) {
    const uint64_t share = (UINT64_C(256) * t[x[i]] + sum / 2) / sum;
    y[i] = share < 255 ? (uint8_t)share : 255;
  }
}

/* flip: 0x80 for signed bytes, which puts them in the order of unsigned ones. Shares of signed bytes are rounded exactly, of unsigned
 * ones cut off after a half was added in single precision. */
NEONSIM_INLINE void softmax(size_t n, const uint8_t *x, const float *t, float *buffer, uint8_t *y, uint8_t flip) {
  uint8_t largest = 0;
  for (size_t i = 0; i < n; i++) {
    const uint8_t byte = x[i] ^ flip;
    largest = byte > largest ? byte : largest;
  }
  float sum = 0.0f;
  for (size_t i = 0; i < n; i++) {
    buffer[i] = t[largest - (x[i] ^ flip)];
    sum += buffer[i];
  }
  const float factor = 1.0f / (sum * (1.0f / 256.0f));
  for (size_t i = 0; i < n; i++) {
    const float share = buffer[i] * factor, more = share + 0.5f;
    const uint32_t steps = flip ? (uint32_t)((double)share + 0.5) : (uint32_t)more;
    y[i] = (steps < 255 ? (uint8_t)steps : 255) ^ flip;
  }
}

NEONSIM_KERNEL(softmax, qs8_softmax_8x__scalar) { softmax(n, x, t, buffer, y, 0x80); }
NEONSIM_KERNEL(softmax, qu8_softmax_8x__scalar) { softmax(n, x, t, buffer, y, 0); }
