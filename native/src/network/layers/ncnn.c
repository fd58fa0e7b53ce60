/* Numbers as ncnn has them (F03, F04, F05): floats to bytes by steps per unit, half away from zero; int32 sums to floats with a float bias
 * and an activation; and both at once, without the floats in memory. This file is compiled without fused multiply-adds but those it
 * writes: a product that is to be rounded is rounded. */
#include <float.h>
#include <math.h>

#include "network/network.h"

enum { TASK_NUMBERS = 16384, LIMITS = 3 };

static const float below_half =
    0.49999997f; /* the float before 0.5: what it is added to reaches the next integer from a half on only */

int neonsim_is_ncnn(int32_t kind) {
  return kind == NEONSIM_LAYER_NCNN_QUANTIZE || kind == NEONSIM_LAYER_NCNN_DEQUANTIZE || kind == NEONSIM_LAYER_NCNN_REQUANTIZE;
}

/* ---- the scalar kernels: they judge the others ---------------------------------------------------------------------------- */

/* Half away from zero, within -127 and 127, as networks keep int8. Infinite is fine; NaN is not. */
static uint8_t quantize_one(float scaled) {
  const float cut = scaled < -127.0f ? -127.0f : scaled > 127.0f ? 127.0f : scaled;
  return (uint8_t)(128 + (int32_t)(cut + copysignf(below_half, cut)));
}

static float dequantize_one(int32_t sum, const struct neonsim_channel_scales *by, size_t channel) {
  const float found = fmaf((float)sum, by->factor[channel], by->bias[channel]);
  const float raised = found <= by->low ? by->low : found;
  return raised >= by->high ? by->high : raised;
}

static int quantize(size_t n, const float *in, float steps, uint8_t *out) {
  int odd = 0;
  for (size_t i = 0; i < n; i++) {
    odd |= in[i] != in[i];
    out[i] = quantize_one(in[i] != in[i] ? 0 : in[i] * steps);
  }
  return odd;
}

static void dequantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, float *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = dequantize_one(sums[i], by, i);
  }
}

static void requantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, uint8_t *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = quantize_one(dequantize_one(sums[i], by, i) * by->steps);
  }
}

const struct neonsim_ncnn_kernels neonsim_ncnn__scalar = {quantize, dequantize, requantize};

/* ---- layers --------------------------------------------------------------------------------------------------------------- */

static const struct neonsim_ncnn_kernels *kernels_of(const struct neonsim_step *step) {
  const struct neonsim_ncnn_kernels *own = step->family->ncnn;
  return own == NULL || own->quantize == NULL ? &neonsim_ncnn__scalar : own;
}

static size_t pixels_of(const struct neonsim_layer *layer) {
  return (size_t)layer->batch * layer->output_height * layer->output_width;
}

static size_t pixels_per_task(const struct neonsim_layer *layer) { return 1 + TASK_NUMBERS / layer->output_channels; }

static const void *read_at(const struct neonsim_step *step, size_t pixel) {
  return step->arena + step->layer.input + pixel * step->layer.input_stride;
}

static uint8_t *write_at(const struct neonsim_step *step, size_t pixel) {
  return step->arena + step->layer.output + pixel * step->layer.output_stride;
}

static const float *numbers_of(const struct neonsim_step *step) { return (const float *)(const void *)step->packed; }

/* Pixels that touch are one long row. */
static void run_quantize(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const size_t channels = layer->output_channels;
  const size_t run = layer->input_stride == channels * sizeof(float) && layer->output_stride == channels ? last - first : 1;
  for (size_t pixel = first; pixel < last; pixel += run) {
    if (kernels_of(step)->quantize(run * channels, read_at(step, pixel), numbers_of(step)[0], write_at(step, pixel))) {
      atomic_store_explicit(step->not_a_number, 1, memory_order_relaxed);
    }
  }
}

static void run_sums(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const size_t channels = layer->output_channels;
  const float *numbers = numbers_of(step), *limits = numbers + 2 * channels;
  const struct neonsim_channel_scales by = {numbers, numbers + channels, limits[0], limits[1], limits[2]};
  for (size_t pixel = first; pixel < last; pixel++) {
    if (layer->kind == NEONSIM_LAYER_NCNN_DEQUANTIZE) {
      kernels_of(step)->dequantize(channels, read_at(step, pixel), &by, (float *)(void *)write_at(step, pixel));
    } else {
      kernels_of(step)->requantize(channels, read_at(step, pixel), &by, write_at(step, pixel));
    }
  }
}

static int32_t check_scale(struct neonsim_step *step, float steps) {
  return neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of steps of one unit", steps, FLT_TRUE_MIN, FLT_MAX);
}

static int32_t check_channels(struct neonsim_step *step) {
  const float *numbers = numbers_of(step);
  const size_t count = 2 * (size_t)step->layer.output_channels;
  for (size_t i = 0; i < count; i++) {
    const char *name = i < count / 2 ? "factor of a channel" : "bias of a channel";
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, name, numbers[i], -FLT_MAX, FLT_MAX));
  }
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "lower limit", numbers[count], -INFINITY, FLT_MAX));
  NEONSIM_CHECK(
      neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "upper limit", numbers[count + 1], numbers[count], INFINITY));
  return check_scale(step, numbers[count + 2]);
}

int32_t neonsim_plan_ncnn(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const int sums = layer->kind != NEONSIM_LAYER_NCNN_QUANTIZE;
  const size_t count = sums ? 2 * (size_t)layer->output_channels + LIMITS : 1;
  if (layer->scale == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its scale");
  }
  NEONSIM_CHECK(
      neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of scales", layer->scales, (double)count, (double)count));
  NEONSIM_CHECK(neonsim_allocate_step(step, sizeof(float) * count, 0, 0));
  memcpy(step->packed, layer->scale, step->packed_bytes);
  step->tasks = neonsim_ceil_div(pixels_of(layer), pixels_per_task(layer));
  step->run = sums ? run_sums : run_quantize;
  return sums ? check_channels(step) : check_scale(step, numbers_of(step)[0]);
}
