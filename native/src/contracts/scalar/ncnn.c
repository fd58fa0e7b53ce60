/* Numbers as ncnn has them in portable C: floats to int8, sums to floats and to int8. Compiled without fused multiply-adds but the one
 * that is written. */
#include <math.h>

#include "contracts/scalar/scalar.h"

/* Half away from zero, within -127 and 127; 0 of a NaN. The float before 0.5 reaches the next integer from a half on only. */
NEONSIM_INLINE int8_t quantize_one(float scaled) {
  const float cut = scaled < -127.0f ? -127.0f : scaled > 127.0f ? 127.0f : scaled;
  return cut != cut ? 0 : (int8_t)(cut + copysignf(0.49999997f, cut));
}

NEONSIM_INLINE float dequantize_one(int32_t sum, float factor, float bias, const struct neonsim_ncnn_params *p) {
  const float found = fmaf((float)sum, factor, bias);
  const float raised = found <= p->low ? p->low : found;
  return raised >= p->high ? p->high : raised;
}

NEONSIM_KERNEL(unary, f32_qs8_quantize_1x__scalar) {
  const struct neonsim_ncnn_params *p = params;
  const float *from = x;
  int8_t *to = y;
  for (size_t i = 0; i < n; i++) {
    to[i] = quantize_one(from[i] * p->steps);
  }
}

NEONSIM_KERNEL(per_channel, s32_f32_dequantize_1x__scalar) {
  for (size_t i = 0; i < rows; i++) {
    const int32_t *from = (const int32_t *)(const void *)((const uint8_t *)x + i * x_stride);
    float *to = (float *)(void *)((uint8_t *)y + i * y_stride);
    for (size_t j = 0; j < channels; j++) {
      to[j] = dequantize_one(from[j], factor[j], bias[j], params);
    }
  }
}

NEONSIM_KERNEL(per_channel, s32_qs8_requantize_1x__scalar) {
  const struct neonsim_ncnn_params *p = params;
  for (size_t i = 0; i < rows; i++) {
    const int32_t *from = (const int32_t *)(const void *)((const uint8_t *)x + i * x_stride);
    int8_t *to = (int8_t *)y + i * y_stride;
    for (size_t j = 0; j < channels; j++) {
      to[j] = quantize_one(dequantize_one(from[j], factor[j], bias[j], p) * p->steps);
    }
  }
}
