/* Layers of float32 but for products (float32_gemm.c): windows, rows of numbers, shares. */
#include <float.h>

#include "network/float32/float32.h"

enum { TASK_NUMBERS = 8192 };

int32_t neonsim_keep_limits(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  if (layer->scale == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its limits");
  }
  NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "number of scales", layer->scales, NEONSIM_GIVEN, NEONSIM_GIVEN));
  for (size_t i = 0; i < NEONSIM_GIVEN; i++) {
    step->limits[i] = neonsim_number(layer->scale, i) + 0.0f; /* -0 becomes +0 */
  }
  step->limits[NEONSIM_ZERO] = step->limits[NEONSIM_LOW] == 0 || step->limits[NEONSIM_HIGH] == 0 ? 0.0f : -0.0f;
  /* Neither may be NaN. */
  return step->limits[NEONSIM_LOW] <= step->limits[NEONSIM_HIGH]
             ? NEONSIM_SUCCESS
             : neonsim_refuse(&step->refusal, wrong, "its limits, low above high");
}

static size_t pixels_of(const struct neonsim_layer *layer) {
  return (size_t)layer->batch * layer->output_height * layer->output_width;
}

static const float *floats_at(const struct neonsim_step *step, uint64_t first, uint64_t pixel, uint32_t stride) {
  return (const float *)(const void *)(step->arena + first + pixel * stride);
}

/* ---- rows of numbers -------------------------------------------------------------------------------------------------------- */

static neonsim_f32_row_kernel row_kernel(const struct neonsim_step *step) {
  const struct neonsim_f32_kernels *f32 = step->family->f32;
  switch (step->layer.kind) {
    case NEONSIM_LAYER_F32_ADD: return f32->add;
    case NEONSIM_LAYER_F32_BATCH_NORM: return f32->norm;
    case NEONSIM_LAYER_F32_LEAKY_RELU: return f32->leaky;
    case NEONSIM_LAYER_F32_SOFTMAX: return f32->softmax;
    default: return f32->clamp;
  }
}

static size_t pixels_per_task(const struct neonsim_layer *layer) { return 1 + TASK_NUMBERS / layer->output_channels; }

/* Where nothing lies between pixels and they are all alike, in one run; else pixel by pixel. */
static void run_rows(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const int adds = layer->kind == NEONSIM_LAYER_F32_ADD;
  const int alike = adds || layer->kind == NEONSIM_LAYER_F32_CLAMP || layer->kind == NEONSIM_LAYER_F32_LEAKY_RELU;
  const uint32_t channels = layer->output_channels, bytes = channels * (uint32_t)sizeof(float);
  const int touch = layer->input_stride == bytes && layer->output_stride == bytes && (!adds || layer->second_stride == bytes);
  const size_t begin = task * pixels_per_task(layer), end = neonsim_min(begin + pixels_per_task(layer), pixels_of(layer));
  const size_t run = alike && touch ? end - begin : 1;
  const neonsim_f32_row_kernel kernel = row_kernel(step);
  const float *gains = (const float *)(const void *)step->packed; /* of normalisation; offsets behind them */
  for (size_t pixel = begin; pixel < end; pixel += run) {
    const float *a = floats_at(step, layer->input, pixel, layer->input_stride);
    const float *b = adds ? floats_at(step, layer->second, pixel, layer->second_stride) : alike ? a : gains;
    kernel(run * channels, a, b, alike ? a : gains + channels,
           (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride), step->limits);
  }
}

static int32_t plan_norm(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t channels = layer->output_channels;
  if (layer->weights == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its weights");
  }
  NEONSIM_CHECK(neonsim_allocate_step(step, 2 * channels * sizeof(float), 0, 0));
  float *gains = (float *)(void *)step->packed;
  for (size_t i = 0; i < channels; i++) {
    gains[i] = neonsim_number(layer->weights, i);
    gains[channels + i] = neonsim_number(layer->bias, i);
  }
  return NEONSIM_SUCCESS;
}

static int32_t plan_rows(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  step->run = run_rows;
  step->tasks = neonsim_ceil_div(pixels_of(layer), pixels_per_task(layer));
  return layer->kind == NEONSIM_LAYER_F32_BATCH_NORM ? plan_norm(step) : NEONSIM_SUCCESS;
}

static void run_softmax(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const float *in = floats_at(step, layer->input, task, layer->input_stride);
  step->family->f32->softmax(layer->output_channels, in, in, in,
                             (float *)(void *)(step->arena + layer->output + task * layer->output_stride), step->limits);
}

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

/* Taps of a window that lie inside, along one axis: low .. high - 1. */
struct part {
  size_t low, high;
};

static struct part inside(size_t at, uint32_t stride, uint32_t pad, uint32_t taps, uint32_t dilation, uint32_t size) {
  const ptrdiff_t first = (ptrdiff_t)(at * stride) - (ptrdiff_t)pad, left = (ptrdiff_t)size - first;
  const size_t high = left <= 0 ? 0 : neonsim_min(taps, neonsim_ceil_div((size_t)left, dilation));
  const size_t low = first >= 0 ? 0 : neonsim_min(high, neonsim_ceil_div((size_t)-first, dilation));
  return (struct part){low, high};
}

static struct part inside_across(const struct neonsim_layer *layer, size_t x) {
  return inside(x, layer->stride_width, layer->pad_left, layer->kernel_width, layer->dilation_width, layer->input_width);
}

/* How many output pixels from x on have windows that lie inside from side to side. */
static size_t run_inside(const struct neonsim_layer *layer, size_t x) {
  size_t run = 0;
  for (; x + run < layer->output_width; run++) {
    const struct part part = inside_across(layer, x + run);
    if (part.high - part.low != layer->kernel_width) {
      break;
    }
  }
  return run;
}

/* Where tap (ky, kx) of the window of output pixel (y, x) lies. */
static const uint8_t *tap_at(const struct neonsim_step *step, size_t image, size_t y, size_t x, size_t ky, size_t kx) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t row = y * layer->stride_height + ky * layer->dilation_height - layer->pad_top;
  const size_t column = x * layer->stride_width + kx * layer->dilation_width - layer->pad_left;
  return step->arena + layer->input + ((image * layer->input_height + row) * layer->input_width + column) * layer->input_stride;
}

/* What all windows of a layer have in common; lines are the caller's. */
static struct neonsim_f32_windows windows_of(const struct neonsim_step *step, size_t row, size_t x, const uint8_t *const *lines) {
  const struct neonsim_layer *layer = &step->layer;
  return (struct neonsim_f32_windows){
      .lines = lines,
      .tap_step = (size_t)layer->dilation_width * layer->input_stride,
      .pixel_step = (size_t)layer->stride_width * layer->input_stride,
      .channels = layer->output_channels,
      .packed = (const float *)(const void *)step->packed,
      .out = step->arena + layer->output + (row * layer->output_width + x) * layer->output_stride,
      .out_stride = layer->output_stride,
      .limits = step->limits,
  };
}

/* A task is an output row. Windows that lie inside from side to side are done in one go, others one by one, each as far as it lies
 * inside. */
static void run_pool(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_f32_kernels *f32 = step->family->f32;
  const uint8_t **lines = (const uint8_t **)(void *)scratch;
  const size_t image = task / layer->output_height, y = task % layer->output_height;
  const struct part down =
      inside(y, layer->stride_height, layer->pad_top, layer->kernel_height, layer->dilation_height, layer->input_height);
  for (size_t x = 0, run; x < layer->output_width; x += run) {
    const struct part across = inside_across(layer, x);
    run = run_inside(layer, x);
    run = run == 0 ? 1 : run;
    struct neonsim_f32_windows windows = windows_of(step, task, x, lines);
    windows.high = across.high == across.low ? 0 : down.high - down.low;
    windows.wide = across.high - across.low;
    windows.pixels = run;
    windows.factor = (float)(1.0 / (double)(windows.high * windows.wide));
    for (size_t i = 0; i < windows.high; i++) {
      lines[i] = tap_at(step, image, y, x, down.low + i, across.low);
    }
    (layer->kind == NEONSIM_LAYER_F32_MAX_POOL ? f32->max : f32->average)(&windows);
  }
}

static int32_t plan_pool(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  step->scratch_bytes = layer->kernel_height * sizeof(void *);
  step->tasks = (size_t)layer->batch * layer->output_height;
  step->run = run_pool;
  return NEONSIM_SUCCESS;
}

/* ---- depthwise convolutions --------------------------------------------------------------------------------------------- */

/* A task is an output row. Zeros outside take part: lines above and below are lines of zeros, and windows beyond the sides are windows
 * of one column, tap below tap. */
static void run_depthwise(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const uint8_t **lines = (const uint8_t **)(void *)scratch;
  const size_t image = task / layer->output_height, y = task % layer->output_height, wide = layer->kernel_width;
  const struct part down =
      inside(y, layer->stride_height, layer->pad_top, layer->kernel_height, layer->dilation_height, layer->input_height);
  for (size_t x = 0, run; x < layer->output_width; x += run) {
    const struct part across = inside_across(layer, x);
    struct neonsim_f32_windows windows = windows_of(step, task, x, lines);
    run = run_inside(layer, x);
    if (run != 0) {
      windows.high = layer->kernel_height;
      windows.wide = wide;
      windows.pixels = run;
      for (size_t ky = 0; ky < layer->kernel_height; ky++) {
        lines[ky] = ky >= down.low && ky < down.high ? tap_at(step, image, y, x, ky, 0) : step->zeros;
      }
    } else {
      run = 1;
      windows.high = (size_t)layer->kernel_height * wide;
      windows.wide = 1;
      windows.pixels = 1;
      for (size_t tap = 0; tap < windows.high; tap++) {
        const size_t ky = tap / wide, kx = tap % wide;
        const int there = ky >= down.low && ky < down.high && kx >= across.low && kx < across.high;
        lines[tap] = there ? tap_at(step, image, y, x, ky, kx) : step->zeros;
      }
    }
    step->family->f32->depthwise(&windows);
  }
}

int32_t neonsim_plan_f32_depthwise(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t lanes = step->family->f32->lanes, channels = layer->output_channels;
  const size_t taps = (size_t)layer->kernel_height * layer->kernel_width, blocks = neonsim_ceil_div(channels, lanes);
  NEONSIM_CHECK(neonsim_keep_limits(step));
  step->scratch_bytes = taps * sizeof(void *);
  const size_t packed_bytes = neonsim_times(blocks * lanes * sizeof(float), 1 + taps);
  /* What a line reads: its last pixel ends with its channels, whatever its stride. */
  const size_t line_bytes = neonsim_times(layer->input_width - 1, layer->input_stride) + channels * sizeof(float);
  if (packed_bytes > PTRDIFF_MAX / 2 || line_bytes > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights or of a line of zeros");
  }
  NEONSIM_CHECK(neonsim_allocate_step(step, packed_bytes, line_bytes, 0));
  float *packed = (float *)(void *)step->packed;
  for (size_t channel = 0; channel < channels; channel++) {
    float *block = packed + channel / lanes * lanes * (1 + taps) + channel % lanes;
    block[0] = neonsim_number(layer->bias, channel);
    for (size_t tap = 0; tap < taps; tap++) {
      block[(1 + tap) * lanes] = neonsim_number(layer->weights, channel * taps + tap);
    }
  }
  step->tasks = (size_t)layer->batch * layer->output_height;
  step->run = run_depthwise;
  return NEONSIM_SUCCESS;
}

int32_t neonsim_plan_f32(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  NEONSIM_CHECK(neonsim_keep_limits(step));
  switch (layer->kind) {
    case NEONSIM_LAYER_F32_AVERAGE_POOL:
    case NEONSIM_LAYER_F32_MAX_POOL: return plan_pool(step);
    case NEONSIM_LAYER_F32_SOFTMAX:
      step->tasks = pixels_of(layer);
      step->run = run_softmax;
      return NEONSIM_SUCCESS;
    default: return plan_rows(step);
  }
}
