/* How it was done before, to measure against (A15, A33, A38): convolutions as GEMM of a matrix into which every window was copied,
 * their int32 sums written to memory, and a second pass that makes bytes of them. The GEMM kernels themselves are the same kernels.
 *
 *                  fused                                     in two passes
 *   image -> GEMM -> bytes                 image -> im2col -> matrix -> GEMM -> sums -> requantize -> bytes
 *
 * Depthwise: a row of sums in memory, to which one tap after the other is added. */
#include <math.h>
#include <string.h>

#include "network/network.h"

enum { PIXELS_BYTES = 16384 }; /* of a task that requantizes */

static const uint8_t *pixel_at(const struct neonsim_step *step, size_t image, ptrdiff_t y, ptrdiff_t x) {
  return neonsim_pixel(&step->layer, step->arena + step->layer.input, step->zeros, image, y, x);
}

/* ---- im2col ------------------------------------------------------------------------------------------------------------- */

/* Bytes in sixteens, beyond the last: what is written over comes later. */
static uint8_t *copy(uint8_t *to, const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 16) {
    memcpy(to + i, from + i, 16);
  }
  return to + bytes;
}

/* A window's line of `depth` channels a tap. whole: its taps are neighbours in memory. */
static uint8_t *copy_line(const struct neonsim_step *step, size_t image, ptrdiff_t y, ptrdiff_t x, size_t channel, size_t depth,
                          int whole, uint8_t *to) {
  const struct neonsim_layer *layer = &step->layer;
  if (whole && y >= 0 && y < (ptrdiff_t)layer->input_height) {
    return copy(to, pixel_at(step, image, y, x), layer->kernel_width * depth);
  }
  for (size_t kx = 0; kx < layer->kernel_width; kx++) {
    to = copy(to, pixel_at(step, image, y, x + (ptrdiff_t)(kx * layer->dilation_width)) + channel, depth);
  }
  return to;
}

/* A task is an output row. */
static void run_im2col(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t image = task / layer->output_height, row = task % layer->output_height;
  const size_t depth = layer->input_channels / layer->groups;
  const int touch = layer->groups == 1 && layer->input_stride == depth && layer->dilation_width == 1;
  const ptrdiff_t top = (ptrdiff_t)(row * layer->stride_height) - (ptrdiff_t)layer->pad_top;
  uint8_t *out = step->arena + layer->output + task * layer->output_width * layer->output_stride;
  for (size_t column = 0; column < layer->output_width; column++, out += layer->output_stride) {
    const ptrdiff_t x = (ptrdiff_t)(column * layer->stride_width) - (ptrdiff_t)layer->pad_left;
    const int whole = touch && x >= 0 && x + (ptrdiff_t)layer->kernel_width <= (ptrdiff_t)layer->input_width;
    /* Copies go up to fifteen bytes too far, and behind the last pixel lies another task's row. */
    const int near_end = (layer->output_width - 1 - column) * layer->output_stride < 16;
    uint8_t *to = near_end ? scratch : out;
    for (size_t group = 0; group < layer->groups; group++) {
      for (size_t ky = 0; ky < layer->kernel_height; ky++) {
        to = copy_line(step, image, top + (ptrdiff_t)(ky * layer->dilation_height), x, group * depth, depth, whole, to);
      }
    }
    if (near_end) {
      memcpy(out, scratch, layer->output_channels);
    }
  }
}

int32_t neonsim_plan_im2col(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  step->scratch_bytes = layer->output_channels + (size_t)NEONSIM_LINE;
  step->tasks = (size_t)layer->batch * layer->output_height;
  step->run = run_im2col;
  return neonsim_allocate_step(step, 0, layer->input_channels, layer->input_zero_point);
}

/* ---- depthwise, tap by tap ------------------------------------------------------------------------------------------------ */

/* packed: int32 bias [channels], int16 weights [tap][channels]. A task is an output row, whose sums stay in the member's own memory where
 * bytes are made of them at once. */
static void run_passes(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t image = task / layer->output_height, row = task % layer->output_height, channels = layer->output_channels;
  const int16_t *weights = (const int16_t *)(const void *)(step->packed + 4 * channels);
  uint8_t *const out = step->arena + layer->output + task * layer->output_width * layer->output_stride;
  uint8_t *const sums = step->double_scale != NULL ? scratch : out;
  const size_t stride = step->double_scale != NULL ? 4 * channels : layer->output_stride;
  for (size_t column = 0; column < layer->output_width; column++) {
    memcpy(sums + column * stride, step->packed, 4 * channels);
  }
  for (size_t ky = 0; ky < layer->kernel_height; ky++) {
    const ptrdiff_t y = (ptrdiff_t)(row * layer->stride_height + ky * layer->dilation_height) - (ptrdiff_t)layer->pad_top;
    for (size_t kx = 0; kx < layer->kernel_width; kx++, weights += channels) {
      for (size_t column = 0; column < layer->output_width; column++) {
        const ptrdiff_t x = (ptrdiff_t)(column * layer->stride_width + kx * layer->dilation_width) - (ptrdiff_t)layer->pad_left;
        step->family->multiply_add(channels, pixel_at(step, image, y, x), weights, (int32_t *)(void *)(sums + column * stride));
      }
    }
  }
  if (step->double_scale != NULL) {
    neonsim_finish_double_scale(step, 0, layer->output_width, channels, sums, stride, out, layer->output_stride);
  }
}

int32_t neonsim_plan_depthwise_passes(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t channels = layer->output_channels, taps = (size_t)layer->kernel_height * layer->kernel_width;
  const double reach = neonsim_max_abs_input(layer);
  NEONSIM_CHECK(neonsim_allocate_step(step, neonsim_times(4 + 2 * taps, channels), layer->input_channels, layer->input_zero_point));
  int32_t *bias = (int32_t *)(void *)step->packed;
  int16_t *weights = (int16_t *)(void *)(step->packed + 4 * channels);
  double limit = 0;
  for (size_t channel = 0; channel < channels; channel++) {
    uint32_t start = (uint32_t)neonsim_bias(layer, channel);
    double most = fabs((double)neonsim_bias(layer, channel));
    for (size_t tap = 0; tap < taps; tap++) {
      const int32_t weight = neonsim_weight(layer, channel * taps + tap);
      weights[tap * channels + channel] = (int16_t)weight;
      start -= (uint32_t)(layer->input_zero_point * weight);
      most += reach * fabs((double)weight);
    }
    memcpy(&bias[channel], &start, sizeof start);
    limit = fmax(limit, most);
  }
  step->tasks = (size_t)layer->batch * layer->output_height;
  step->run = run_passes;
  step->scratch_bytes = neonsim_is_double_scale(layer->rounding) ? neonsim_times(4 * channels, layer->output_width) : 0;
  return neonsim_plan_requant(step, limit);
}

/* ---- sums to bytes ---------------------------------------------------------------------------------------------------------- */

static size_t pixels_per_task(const struct neonsim_layer *layer) { return 1 + PIXELS_BYTES / layer->output_channels; }

/* packed: float scale [channels]. With one scale for all, pixels that touch are one long row. */
static void run_requantize(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t channels = layer->output_channels, pixels = (size_t)layer->batch * layer->output_height * layer->output_width;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels);
  const int one_scale = layer->rounding != NEONSIM_ROUND_FP32 || layer->scales == 1;
  const size_t run = one_scale && layer->input_stride == 4 * channels && layer->output_stride == channels ? last - first : 1;
  for (size_t pixel = first; pixel < last; pixel += run) {
    step->family->requantize(run * channels,
                             (const int32_t *)(const void *)(step->arena + layer->input + pixel * layer->input_stride),
                             (const float *)(const void *)step->packed, one_scale,
                             step->arena + layer->output + pixel * layer->output_stride, &step->requant);
  }
}

int32_t neonsim_plan_requantize(struct neonsim_step *step, double limit) {
  const struct neonsim_layer *layer = &step->layer;
  NEONSIM_CHECK(neonsim_plan_requant(step, fmax(limit, 1)));
  NEONSIM_CHECK(neonsim_allocate_step(step, 4 * (size_t)layer->output_channels, 0, 0));
  float *scale = (float *)(void *)step->packed;
  for (size_t i = 0; i < layer->output_channels; i++) {
    scale[i] = neonsim_scale(layer, i);
  }
  step->tasks = neonsim_ceil_div((size_t)layer->batch * layer->output_height * layer->output_width, pixels_per_task(layer));
  step->run = run_requantize;
  return NEONSIM_SUCCESS;
}
