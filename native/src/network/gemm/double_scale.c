/* Sums to bytes by multipliers of 31 bits, one or one per channel, and by scales in double precision: the arithmetic of TensorFlow Lite
 * (M02), and of Tengine (F10). Kernels of every family leave a tile's sums (FINISH_S32) in the member's own memory, where these are read while they are in
 * the first cache.
 *
 *   GEMMLOWP   (sum << left) * multiplier / 2**31, ties up; then / 2**right, ties away from zero
 *   RUY        the same, ties up both times
 *   RUY8       RUY in whole eights of channels, GEMMLOWP in those left over
 *   FP64       sum * scale in double precision, ties away from zero
 *   TENGINE    sum * multiplier / 2**31, ties up; then << left, or / 2**right, ties up
 *   F32_QUOTIENT   (float)sum * scale / divisor, each step in single precision, ties away from zero */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

enum { EIGHT = 8, MAX_SHIFT = 30 };

/* A scale, and the same in integers; half and down: what is added before the shift to the right, and taken off again where the number
 * is negative. */
struct neonsim_double_scale {
  double scale;
  int64_t multiplier, half, down;
  int32_t left, right;
  float divisor; /* F32_QUOTIENT */
};

int neonsim_is_double_scale(int32_t rounding) {
  return rounding == NEONSIM_ROUND_GEMMLOWP || rounding == NEONSIM_ROUND_RUY || rounding == NEONSIM_ROUND_RUY8 ||
         rounding == NEONSIM_ROUND_FP64 || rounding == NEONSIM_ROUND_TENGINE || rounding == NEONSIM_ROUND_F32_QUOTIENT;
}

/* The nearest mantissa of 31 bits; scales below 2**-32 are 0. */
static struct neonsim_double_scale decompose(double scale, int away) {
  int exponent;
  int64_t multiplier = (int64_t)floor(ldexp(frexp(scale, &exponent), 31) + 0.5);
  if (multiplier == INT64_C(1) << 31) {
    multiplier >>= 1;
    exponent++;
  }
  if (exponent < -31 || multiplier == 0) {
    multiplier = 0;
    exponent = 0;
  }
  struct neonsim_double_scale parts = {.scale = scale, .multiplier = multiplier};
  parts.left = exponent > 0 ? exponent : 0;
  parts.right = exponent > 0 ? 0 : -exponent;
  parts.half = parts.right == 0 ? 0 : INT64_C(1) << (parts.right - 1);
  parts.down = parts.right != 0 && away;
  return parts;
}

static double scale_of(const struct neonsim_layer *layer, size_t channel) {
  double scale;
  memcpy(&scale, (const uint8_t *)(const void *)layer->double_scale + sizeof scale * (layer->scales == 1 ? 0 : channel),
         sizeof scale);
  return scale;
}

int32_t neonsim_plan_double_scale(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t channels = layer->output_channels;
  if (layer->double_scale == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its scales in double precision");
  }
  if (layer->scales != 1) {
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of scales", layer->scales,
                                  layer->output_channels, layer->output_channels));
  }
  const int through = layer->rounding == NEONSIM_ROUND_F32_QUOTIENT;
  if (through && layer->scale == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to what its products are divided by");
  }
  float divisor = 1;
  if (through) {
    memcpy(&divisor, (const void *)layer->scale, sizeof divisor);
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "what its products are divided by", (double)divisor,
                                  (double)FLT_MIN, (double)FLT_MAX));
  }
  step->double_scale = neonsim_allocate(channels * sizeof *step->double_scale);
  if (step->double_scale == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < channels; i++) {
    const double scale = scale_of(layer, i);
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "scale of a channel", scale, 0,
                                  nextafter(ldexp(1, MAX_SHIFT), 0)));
    const int away =
        layer->rounding == NEONSIM_ROUND_GEMMLOWP || (layer->rounding == NEONSIM_ROUND_RUY8 && i >= channels / EIGHT * EIGHT);
    step->double_scale[i] = decompose(scale, away);
    step->double_scale[i].divisor = divisor;
  }
  return NEONSIM_SUCCESS;
}

static uint8_t limited(int64_t value, const struct neonsim_requant *requant) {
  value += requant->zero_point;
  return (uint8_t)(value < requant->min ? requant->min : value > requant->max ? requant->max : value);
}

static int32_t sum_at(const uint8_t *sums, size_t i) {
  int32_t sum;
  memcpy(&sum, sums + sizeof sum * i, sizeof sum);
  return sum;
}

static int64_t twice(int32_t sum, const struct neonsim_double_scale *parts) {
  const uint32_t shifted = (uint32_t)sum << parts->left; /* what leaves 32 bits is lost */
  int32_t moved;
  memcpy(&moved, &shifted, sizeof moved);
  const int64_t high = (moved * parts->multiplier + (INT64_C(1) << 30)) >> 31;
  return (high + parts->half - (high < 0 ? parts->down : 0)) >> parts->right;
}

/* What lies beyond int32 becomes its nearest end. */
static int64_t once(int32_t sum, const struct neonsim_double_scale *parts) {
  const double product = fabs((double)sum * parts->scale), most = product < INT32_MAX ? product : INT32_MAX;
  const double whole = floor(most);
  const int64_t rounded = (int64_t)whole + (most - whole >= 0.5);
  return sum < 0 ? -rounded : rounded;
}

/* The shift to the left comes last, where the others have it first. */
static int64_t shifted_last(int32_t sum, const struct neonsim_double_scale *parts) {
  const int64_t high = (sum * parts->multiplier + (INT64_C(1) << 30)) >> 31;
  const uint32_t moved = (uint32_t)high << parts->left; /* what leaves 32 bits is lost */
  int32_t kept;
  memcpy(&kept, &moved, sizeof kept);
  return (kept + parts->half) >> parts->right;
}

static int64_t f32_quotient(int32_t sum, const struct neonsim_double_scale *parts) {
  const float product = (float)sum * (float)parts->scale;
  const float steps = product / parts->divisor;
  const double size = fabs((double)steps), most = size < INT32_MAX ? size : INT32_MAX;
  const int64_t rounded = (int64_t)floor(most + 0.5); /* 24 bits and a half: nothing is lost */
  return steps < 0 ? -rounded : rounded;
}

/* One rule for a row: the compiler has a loop for each. */
#define FINISH_ROW(rule) \
  for (size_t i = 0; i < columns; i++) { \
    out[i] = limited(rule(sum_at(sums, i), &parts[i]), &requant); \
  }

void neonsim_finish_double_scale(const struct neonsim_step *step, size_t channel, size_t rows, size_t columns, const uint8_t *sums,
                                 size_t stride, uint8_t *out, size_t out_stride) {
  const struct neonsim_double_scale *parts = step->double_scale + channel;
  const struct neonsim_requant requant = step->requant; /* bytes that are written could be anything's: kept apart from them */
  for (size_t row = 0; row < rows; row++, sums += stride, out += out_stride) {
    switch (step->layer.rounding) {
      case NEONSIM_ROUND_FP64: FINISH_ROW(once) break;
      case NEONSIM_ROUND_TENGINE: FINISH_ROW(shifted_last) break;
      case NEONSIM_ROUND_F32_QUOTIENT: FINISH_ROW(f32_quotient) break;
      default: FINISH_ROW(twice)
    }
  }
}
