/* What the scalar kernels share: wrapping arithmetic, packed weights, requantization. */
#ifndef NEONSIM_SCALAR_H
#define NEONSIM_SCALAR_H

#include <string.h>

#include "contracts/variants.h"

#if defined(__GNUC__)
#define NEONSIM_INLINE static inline __attribute__((always_inline))
#else
#define NEONSIM_INLINE static inline
#endif

#include "contracts/scalar/roundings.h"

enum { NEONSIM_NR = 8 };

/* Accumulators are uint32_t: addition of those wraps, addition of int32_t must not overflow. */
NEONSIM_INLINE int32_t neonsim_as_signed(uint32_t x) { return x <= INT32_MAX ? (int32_t)x : -(int32_t)~x - 1; }

/* The biases in front of a block of packed weights. */
NEONSIM_INLINE void neonsim_read_bias(const uint8_t *w, uint32_t bias[NEONSIM_NR]) {
  memcpy(bias, w, NEONSIM_NR * sizeof(uint32_t));
}

/* accumulators += a @ (w - w_zero_point), weights in plain order: NEONSIM_NR columns of one depth after another. Columns beyond nr
 * are computed from the padding and not stored later. Written so that compilers vectorise over columns; with a constant mr they
 * keep the accumulators in registers. */
NEONSIM_INLINE void neonsim_multiply_tile(size_t mr, size_t kc, const uint8_t *a, size_t a_stride, const uint8_t *w,
                                          uint8_t w_zero_point, uint32_t accumulators[][NEONSIM_NR]) {
  for (size_t k = 0; k < kc; k++) {
    int16_t weights[NEONSIM_NR];
    for (size_t column = 0; column < NEONSIM_NR; column++) {
      weights[column] = (int16_t)(w[column] - w_zero_point);
    }
    w += NEONSIM_NR;
    for (size_t row = 0; row < mr; row++) {
      const int16_t value = a[row * a_stride + k];
      for (size_t column = 0; column < NEONSIM_NR; column++) {
        accumulators[row][column] += (uint32_t)(value * weights[column]);
      }
    }
  }
}

/* By q31, plus the zero point, within limits. */
NEONSIM_INLINE uint8_t neonsim_requantize_q31(uint32_t accumulator, const struct neonsim_q31_params *params) {
  int64_t y = neonsim_round_q31(neonsim_as_signed(accumulator), params->multiplier, -params->left_shift);
  const int32_t lowest = params->output_min - params->output_zero_point;
  const int32_t highest = params->output_max - params->output_zero_point;
  y = y < lowest ? lowest : y;
  y = y > highest ? highest : y;
  return (uint8_t)(y + params->output_zero_point);
}

/* A byte of either type as the number it stands for. */
NEONSIM_INLINE int32_t neonsim_byte_value(uint8_t byte, int is_signed) { return is_signed ? (int8_t)byte : byte; }

/* Within limits that are bytes of either type. */
NEONSIM_INLINE uint8_t neonsim_clamp(int64_t value, uint8_t least, uint8_t most, int is_signed) {
  const int32_t lowest = neonsim_byte_value(least, is_signed), highest = neonsim_byte_value(most, is_signed);
  value = value < lowest ? lowest : value;
  return (uint8_t)(value > highest ? highest : value);
}

/* Plus 12582912 = 1.5 * 2**23: the bits hold the integer, rounded as the processor rounds: to nearest, ties to even. */
NEONSIM_INLINE int32_t neonsim_round_by_magic(float value) {
  value += 12582912.0f;
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Requantisation "fp32": limits come less the zero point, as does what the bits are too large by. */
NEONSIM_INLINE uint8_t neonsim_requantize_fp32(uint32_t sum, float scale, float lowest, float highest, int32_t magic_less_zero) {
  float value = (float)neonsim_as_signed(sum) * scale;
  value = value < lowest ? lowest : value;
  value = value > highest ? highest : value;
  return (uint8_t)(neonsim_round_by_magic(value) - magic_less_zero);
}

/* From one pixel's pointers to the next pixel's. */
NEONSIM_INLINE const void *neonsim_next_pixel(const void *pointers, size_t bytes) { return (const char *)pointers + bytes; }

/* x by the multiplier and the shift that a float's own bits are, rounded twice, ties up: C's frexp, VQRDMULH, VRSHL. */
NEONSIM_INLINE int64_t neonsim_scale_tengine(uint32_t sum, float scale) {
  uint32_t bits;
  memcpy(&bits, &scale, sizeof bits);
  const int32_t multiplier = (int32_t)(((bits & 0x7fffff) | 0x800000) << 7);
  return neonsim_round_tengine(neonsim_as_signed(sum), multiplier, 126 - (int32_t)(bits >> 23));
}

NEONSIM_INLINE void neonsim_store_tile(size_t mr, size_t nr, const uint32_t (*accumulators)[NEONSIM_NR], uint8_t *c,
                                       size_t c_stride, const struct neonsim_q31_params *params) {
  for (size_t row = 0; row < mr; row++) {
    uint8_t out[NEONSIM_NR];
    for (size_t column = 0; column < NEONSIM_NR; column++) {
      out[column] = neonsim_requantize_q31(accumulators[row][column], params);
    }
    for (size_t column = 0; column < nr; column++) {
      c[row * c_stride + column] = out[column];
    }
  }
}

#endif
