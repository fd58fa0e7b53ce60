/* Between real numbers and integers in portable C, and shares of exponentials. Compiled without fused multiply-adds but those that are
 * written: every other step is rounded. */
#include <math.h>

#include "contracts/scalar/scalar.h"

/* ---- by a product ------------------------------------------------------------------------------------------------------- */

NEONSIM_KERNEL(unary, f32_x8_vcvt_1x__scalar) {
  const struct neonsim_quantize_params *p = params;
  const float *from = x;
  uint8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    const float steps = from[i] * p->factor;
    const float below = steps < p->high ? steps : p->high; /* of a NaN the upper end */
    const float cut = below > p->low ? below : p->low;
    const float magic = 12582912.0f; /* 1.5 * 2**23: adding it rounds to an integer, ties to even */
    const float rounded = cut + magic;
    to[i] = (uint8_t)((int32_t)(rounded - magic) + p->zero_point);
  }
}

NEONSIM_KERNEL(unary, x8_f32_vcvt_1x__scalar) {
  const struct neonsim_dequantize_params *p = params;
  const uint8_t *from = x;
  float *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = (float)((from[i] ^ p->flips) - p->flipped_zero_point) * p->scale;
  }
}

NEONSIM_KERNEL(unary, qs16_f32_vcvt_1x__scalar) {
  const struct neonsim_dequantize_params *p = params;
  const int16_t *from = x;
  float *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = (float)(from[i] - p->flipped_zero_point) * p->scale;
  }
}

/* ---- by a quotient -------------------------------------------------------------------------------------------------------- */

/* Half away from zero, within the limits; 0 of a NaN. Numbers of 16 bits and a half have all their digits in a float. */
NEONSIM_INLINE int32_t divide_to_int(float value, const struct neonsim_divide_params *p) {
  const float steps = value / p->divisor;
  const float raised = steps < p->output_min ? p->output_min : steps;
  const float cut = raised > p->output_max ? p->output_max : raised;
  return cut != cut ? 0 : (int32_t)roundf(cut);
}

NEONSIM_KERNEL(unary, f32_qs8_quotient_1x__scalar) {
  const float *from = x;
  int8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = (int8_t)divide_to_int(from[i], params);
  }
}

NEONSIM_KERNEL(unary, f32_qs16_quotient_1x__scalar) {
  const float *from = x;
  int16_t *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = (int16_t)divide_to_int(from[i], params);
  }
}

NEONSIM_KERNEL(scaled_rows, s32_qs8_quotient_1x__scalar) {
  for (size_t i = 0; i < rows; i++) {
    const int32_t *from = (const int32_t *)(const void *)((const uint8_t *)x + i * x_stride);
    int8_t *to = (int8_t *)y + i * y_stride;
    for (size_t j = 0; j < channels; j++) {
      to[j] = (int8_t)divide_to_int((float)from[j] * factor[j], params);
    }
  }
}

NEONSIM_KERNEL(binary, qs8_vadd_quotient_1x__scalar) {
  const struct neonsim_divide_params *p = params;
  const int8_t *first = a, *second = b;
  int8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = (int8_t)divide_to_int((float)first[i] * p->scale + (float)second[i] * p->other_scale, p);
  }
}

NEONSIM_KERNEL(unary, qs8_clamp_quotient_1x__scalar) {
  const struct neonsim_divide_params *p = params;
  const int8_t *from = x;
  int8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    const float value = (float)from[i] * p->scale;
    const float raised = value <= p->low ? p->low : value;
    to[i] = (int8_t)divide_to_int(raised > p->high ? p->high : raised, p);
  }
}

NEONSIM_KERNEL(windows, qs8_avgpool_quotient_1x__scalar) {
  const struct neonsim_divide_params *p = params;
  for (size_t pixel = 0; pixel < n; pixel++) {
    int8_t *to = y;
    for (size_t c = 0; c < kc; c++) {
      int32_t sum = 0;
      for (size_t row = 0; row < ks; row++) {
        sum += ((const int8_t *)input[row])[c];
      }
      to[c] = (int8_t)divide_to_int((float)sum * p->scale / p->count, p);
    }
    input = neonsim_next_pixel(input, x_increment);
    y = (char *)y + kc + y_increment;
  }
}

/* ---- shares of exponentials ------------------------------------------------------------------------------------------------ */

/* exp(x) of x <= 0: x = n ln 2 + t, then 2**n * (1 + t + t^2 p(t)). */
NEONSIM_INLINE float exponential(float x, const struct neonsim_float_share_params *p) {
  const float inside = x < p->least ? p->least : x;
  const float n = fmaf(inside, p->log2e, p->magic) - p->magic;
  const float t = fmaf(n, p->minus_ln2[1], fmaf(n, p->minus_ln2[0], inside));
  float found = p->polynomial[0];
  for (size_t i = 1; i < sizeof p->polynomial / sizeof p->polynomial[0]; i++) {
    found = fmaf(found, t, p->polynomial[i]);
  }
  const float tail = fmaf(t * t, found, t);
  const uint32_t bits = (uint32_t)((n == n ? (int32_t)n : 0) + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return x < p->least ? 0 : fmaf(scale, tail, scale);
}

NEONSIM_KERNEL(unary, f32_softmax_1x__scalar) {
  const struct neonsim_float_share_params *p = params;
  const float *from = x;
  float *to = y, most = from[0], sum = 0;
  for (size_t i = 1; i < n; i++) {
    most = from[i] > most || from[i] != from[i] ? from[i] : most;
  }
  for (size_t i = 0; i < n; i++) {
    to[i] = exponential((from[i] - most) * p->beta, p);
    sum += to[i];
  }
  for (size_t i = 0; i < n; i++) {
    to[i] /= sum;
  }
}
