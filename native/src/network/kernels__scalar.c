/* The family that every processor runs, written so that compilers vectorise over columns and channels. It judges the others. */
#include <math.h>
#include <string.h>

#include "network/network.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "contracts/scalar/scalar.h"

enum { LANES = 16, DEPTH = 1, WEIGHT_BYTES = 2, VECTORS = 1, ROWS = 4, BLOCK = NEONSIM_DEPTHWISE_BLOCK };
#define WIDTHS(DO) DO(1)
#define HEIGHTS NEONSIM_HEIGHTS_4

static uint8_t limit(int64_t value, const struct neonsim_requant *requant) {
  value += requant->zero_point;
  return (uint8_t)(value < requant->min ? requant->min : value > requant->max ? requant->max : value);
}

static void finish_lanes(size_t count, const uint32_t *sums, const float *scale, uint8_t *out,
                         const struct neonsim_requant *requant) {
  if (requant->finish == FINISH_FP32) {
    for (size_t i = 0; i < count; i++) {
      /* In two steps: a fused product would not be rounded to single precision. */
      volatile float product = (float)neonsim_as_signed(sums[i]) * scale[i];
      out[i] = limit((int64_t)rintf(fmaxf(fminf(product, NEONSIM_BEYOND_BYTES), -NEONSIM_BEYOND_BYTES)), requant);
    }
    return;
  }
  const struct neonsim_q31_params params = {.multiplier = requant->multiplier,
                                            .left_shift = -requant->shift,
                                            .output_zero_point = requant->zero_point,
                                            .output_min = requant->min,
                                            .output_max = requant->max};
  for (size_t i = 0; i < count; i++) {
    out[i] = neonsim_requantize_q31(sums[i], &params);
  }
}

/* Rows are gathered for this family: there is one tap, and no correction. */
NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                               const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                               const struct neonsim_requant *requant) {
  (void)vectors;
  (void)taps;
  (void)row_sums;
  const uint32_t *bias = panel;
  const float *scale = (const float *)panel + LANES;
  const int16_t *weights = (const int16_t *)panel + 4 * LANES;
  uint32_t sums[ROWS][LANES];
  for (size_t row = 0; row < rows; row++) {
    memcpy(sums[row], bias, sizeof sums[row]);
  }
  for (size_t group = 0; group < groups; group++, weights += LANES) {
    for (size_t row = 0; row < rows; row++) {
      const int32_t a = ((const int16_t *)pointers[row])[group];
      for (size_t lane = 0; lane < LANES; lane++) {
        sums[row][lane] += (uint32_t)(a * weights[lane]);
      }
    }
  }
  for (size_t row = 0; row < rows; row++) {
    if (requant->finish == FINISH_S32) {
      memcpy(out + row * out_stride, sums[row], columns * sizeof sums[row][0]);
      continue;
    }
    uint8_t bytes[LANES];
    finish_lanes(LANES, sums[row], scale, bytes, requant);
    memcpy(out + row * out_stride, bytes, columns);
  }
}

#include "network/gemm/tile_kernels.h"

static void depthwise(const struct neonsim_depthwise_call *call) {
  const uint32_t *bias = call->packed;
  const float *scale = (const float *)call->packed + BLOCK;
  const uint8_t *const *rows = call->rows;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const int16_t *weights = (const int16_t *)call->packed + 4 * BLOCK;
    uint32_t sums[BLOCK];
    memcpy(sums, bias, sizeof sums);
    for (size_t tap = 0; tap < call->taps; tap++, rows++, weights += BLOCK) {
      const uint8_t *in = *rows + call->offset;
      for (size_t i = 0; i < call->channels; i++) {
        sums[i] += (uint32_t)(in[i] * weights[i]);
      }
    }
    finish_lanes(call->channels, sums, scale, call->out + pixel * call->out_stride, call->requant);
  }
}

void neonsim_add__scalar(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add) {
  const int64_t half = (INT64_C(1) << add->shift) >> 1;
  for (size_t i = 0; i < n; i++) {
    const int64_t sum =
        (int64_t)add->a_multiplier * (a[i] - add->a_zero_point) + (int64_t)add->b_multiplier * (b[i] - add->b_zero_point);
    const int64_t down = add->away && add->shift != 0 && sum < 0;
    const int64_t moved = ((sum + half - down) >> add->shift) + add->zero_point;
    out[i] = (uint8_t)(moved < add->min ? add->min : moved > add->max ? add->max : moved);
  }
}

void neonsim_sum__scalar(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums) {
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < channels; i++) {
      sums[i] += in[row * stride + i];
    }
  }
}

void neonsim_max__scalar(size_t n, const uint8_t *in, uint8_t *best) {
  for (size_t i = 0; i < n; i++) {
    best[i] = in[i] > best[i] ? in[i] : best[i];
  }
}

void neonsim_requantize__scalar(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                const struct neonsim_requant *requant) {
  for (size_t i = 0; i < n; i += LANES) {
    const size_t count = neonsim_min(LANES, n - i);
    uint32_t some[LANES];
    float scales[LANES];
    for (size_t lane = 0; lane < count; lane++) {
      some[lane] = (uint32_t)sums[i + lane];
      scales[lane] = scale[one_scale ? 0 : i + lane];
    }
    finish_lanes(count, some, scales, out + i, requant);
  }
}

void neonsim_multiply_add__scalar(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums) {
  for (size_t i = 0; i < n; i++) {
    sums[i] = neonsim_as_signed((uint32_t)sums[i] + (uint32_t)(in[i] * weights[i]));
  }
}

const struct neonsim_family neonsim_family_scalar = {
    .name = "scalar",
    .needs = "",
    GEMM_KERNELS,
    .depthwise_taps = {depthwise, depthwise, depthwise},
    .add = neonsim_add__scalar,
    .sum = neonsim_sum__scalar,
    .max = neonsim_max__scalar,
    .requantize = neonsim_requantize__scalar,
    .multiply_add = neonsim_multiply_add__scalar,
    .f32 = &neonsim_f32__portable,
    .winograd = &neonsim_winograd__scalar,
};
