/* Layers without weights: addition, products, pooling, tables, and moving pixels. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

enum { ADD_TASK = 16384, SHUFFLE_TASK = 4096, ENTRIES = 256 }; /* bytes of a task */

static size_t pixels_of(const struct neonsim_layer *layer) {
  return (size_t)layer->batch * layer->output_height * layer->output_width;
}

/* ---- addition ----------------------------------------------------------------------------------------------------------- */

/* Where nothing lies between pixels, in runs of bytes; else pixel by pixel, as many pixels to a task. */
static int touching(const struct neonsim_layer *layer) {
  const uint32_t channels = layer->output_channels;
  return layer->input_stride == channels && layer->second_stride == channels && layer->output_stride == channels;
}

static size_t pixels_per_task(const struct neonsim_layer *layer) { return 1 + ADD_TASK / layer->output_channels; }
static size_t pixels_per_shuffle(const struct neonsim_layer *layer) { return 1 + SHUFFLE_TASK / layer->output_channels; }

void neonsim_add_block(const struct neonsim_step *step, size_t begin, size_t end) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t run = touching(layer) ? end - begin : 1;
  for (size_t pixel = begin; pixel < end; pixel += run) {
    step->add_kernel(run * layer->output_channels, step->arena + layer->input + pixel * layer->input_stride,
                     step->arena + layer->second + pixel * layer->second_stride,
                     step->arena + layer->output + pixel * layer->output_stride, &step->add);
  }
}

static void run_add(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  neonsim_add_block(step, first, last);
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

/* The nearest integer, ties to even: it lies in the last bits of such a sum. The number must be small. */
static int32_t nearest(float number) {
  const float magic = number + 12582912.0f;
  int32_t bits;
  memcpy(&bits, &magic, sizeof bits);
  return bits - 0x4B400000;
}

/* high, where the number is none. Written as processors have it, so that compilers find their instructions. */
static float cut(float number, float low, float high) {
  const float below = number < high ? number : high;
  return below > low ? below : low;
}

static float number_of(const struct neonsim_step *step, size_t index) { return ((const float *)(const void *)step->packed)[index]; }

/* The loops over channels have all that they need in arguments: bytes that are written might else be any field of a layer. */
static void multiply_row(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t a_zero, int32_t b_zero, float scale,
                         float low, float high, int32_t zero_point) {
  for (size_t i = 0; i < n; i++) {
    out[i] = (uint8_t)(nearest(cut((float)((a[i] - a_zero) * (b[i] - b_zero)) * scale, low, high)) + zero_point);
  }
}

/* Where nothing lies between pixels, all pixels of a task at once: as additions. */
static void run_multiply(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const size_t run = touching(layer) ? last - first : 1;
  const int32_t zero_point = layer->output_zero_point;
  for (size_t pixel = first; pixel < last; pixel += run) {
    multiply_row(run * layer->output_channels, step->arena + layer->input + pixel * layer->input_stride,
                 step->arena + layer->second + pixel * layer->second_stride,
                 step->arena + layer->output + pixel * layer->output_stride, layer->input_zero_point, layer->second_zero_point,
                 number_of(step, 0), (float)(layer->output_min - zero_point), (float)(layer->output_max - zero_point), zero_point);
  }
}

/* Numbers of the caller's, kept: so many, all of them finite. */
static int32_t keep_numbers(struct neonsim_step *step, size_t count) {
  const struct neonsim_layer *layer = &step->layer;
  if (layer->scale == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its scale");
  }
  NEONSIM_CHECK(
      neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of scales", layer->scales, (double)count, (double)count));
  NEONSIM_CHECK(neonsim_allocate_step(step, sizeof(float) * count, 0, 0));
  memcpy(step->packed, layer->scale, step->packed_bytes);
  for (size_t i = 0; i < count; i++) {
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "scale", number_of(step, i), -FLT_MAX, FLT_MAX));
  }
  return NEONSIM_SUCCESS;
}

static int32_t plan_multiply(struct neonsim_step *step) {
  if (step->layer.rounding != NEONSIM_ROUND_FP32) {
    return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER, "its rounding");
  }
  step->run = run_multiply;
  return keep_numbers(step, 1);
}

/* ---- larger and smaller ------------------------------------------------------------------------------------------------- */

/* The smaller of two is what the larger of what they lack lacks. */
static void larger_row(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, uint8_t flip) {
  for (size_t i = 0; i < n; i++) {
    const uint8_t x = a[i] ^ flip, y = b[i] ^ flip;
    out[i] = (x > y ? x : y) ^ flip;
  }
}

static void run_extreme(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const size_t run = touching(layer) ? last - first : 1;
  for (size_t pixel = first; pixel < last; pixel += run) {
    larger_row(run * layer->output_channels, step->arena + layer->input + pixel * layer->input_stride,
               step->arena + layer->second + pixel * layer->second_stride,
               step->arena + layer->output + pixel * layer->output_stride, layer->kind == NEONSIM_LAYER_MINIMUM ? 0xff : 0);
  }
}

static void run_find(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const uint8_t *in = step->arena + layer->input + task * layer->input_stride;
  const uint8_t flip = layer->kind == NEONSIM_LAYER_ARGMIN ? 0xff : 0;
  int32_t best = 0;
  for (uint32_t i = 1; i < layer->input_channels; i++) {
    best = (in[i] ^ flip) > (in[best] ^ flip) ? (int32_t)i : best;
  }
  memcpy(step->arena + layer->output + task * layer->output_stride, &best, sizeof best);
}

/* ---- between bytes and float32 ------------------------------------------------------------------------------------- */

static void quantize_row(size_t n, const float *in, uint8_t *out, float scale, float low, float high, int32_t zero_point) {
  for (size_t i = 0; i < n; i++) {
    out[i] = (uint8_t)(nearest(cut(in[i] * scale, low, high)) + zero_point);
  }
}

/* As LiteRT's vectors: by the product, ties to even; as its plain C: by the quotient in double precision, ties away from zero. */
static int32_t by_product(float number, float factor, float low, float high) { return nearest(cut(number * factor, low, high)); }

static int32_t by_quotient(float number, double divisor, double low, double high) {
  const double quotient = number / divisor, below = quotient < high ? quotient : high, steps = below > low ? below : low;
  return (int32_t)(steps + copysign(0.49999999999999994, steps));
}

/* By the quotient, ties away from zero: the float before a half reaches the next integer from a half on only (16 bits have halves in a
 * float, too). And the first `whole` elements by products, all others by quotients. */
#define DIVIDE_ROWS(name, type) \
  static void divide_row##name(size_t n, const float *in, type *out, float divisor, float low, float high, int32_t zero_point) { \
    for (size_t i = 0; i < n; i++) { \
      const float steps = cut(in[i] / divisor, low, high); \
      out[i] = (type)((int32_t)(steps + copysignf(0.49999997f, steps)) + zero_point); \
    } \
  } \
  static void eights_row##name(size_t n, size_t whole, const float *in, type *out, float scale, float low, float high, \
                               int32_t zero_point) { \
    for (size_t i = 0; i < n; i++) { \
      const int32_t steps = i < whole ? by_product(in[i], 1 / scale, low, high) : by_quotient(in[i], scale, low, high); \
      out[i] = (type)(steps + zero_point); \
    } \
  }
DIVIDE_ROWS(, uint8_t)
DIVIDE_ROWS(_to_int16, int16_t)

/* How many elements from a pixel on lie in whole eights of the tensor. */
static size_t in_eights(const struct neonsim_layer *layer, size_t pixel) {
  const size_t first = pixel * layer->output_channels, whole = pixels_of(layer) * layer->output_channels / 8 * 8;
  return first < whole ? whole - first : 0;
}

/* A NaN, or a number that is not below the limit. */
static int has_nan(size_t n, const float *in, float limit) {
  int found = 0;
  for (size_t i = 0; i < n; i++) {
    found |= !(fabsf(in[i]) < limit) && (in[i] != in[i] || limit < INFINITY);
  }
  return found;
}

static void run_quantize(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const size_t channels = layer->output_channels, size = layer->second_multiplier == 2 ? 2 : 1;
  const int32_t zero_point = size == 2 ? (int32_t)number_of(step, 2) : layer->output_zero_point;
  const float low = (float)((size == 2 ? INT16_MIN : layer->output_min) - zero_point),
              high = (float)((size == 2 ? INT16_MAX : layer->output_max) - zero_point);
  const float scale = number_of(step, 0), limit = number_of(step, 1) == 2 ? 1073741824.0f * scale : INFINITY;
  const size_t run = layer->input_stride == channels * sizeof(float) && layer->output_stride == size * channels ? last - first : 1;
  for (size_t pixel = first; pixel < last; pixel += run) {
    const float *in = (const float *)(const void *)(step->arena + layer->input + pixel * layer->input_stride);
    uint8_t *out = step->arena + layer->output + pixel * layer->output_stride;
    if (layer->rounding == NEONSIM_ROUND_RUY8 && size == 2) {
      eights_row_to_int16(run * channels, in_eights(layer, pixel), in, (int16_t *)(void *)out, scale, low, high, zero_point);
    } else if (layer->rounding == NEONSIM_ROUND_RUY8) {
      eights_row(run * channels, in_eights(layer, pixel), in, out, scale, low, high, zero_point);
    } else if (size == 2) {
      divide_row_to_int16(run * channels, in, (int16_t *)(void *)out, scale, low, high, zero_point);
    } else if (layer->rounding == NEONSIM_ROUND_F32_QUOTIENT) {
      divide_row(run * channels, in, out, scale, low, high, zero_point);
    } else {
      quantize_row(run * channels, in, out, scale, low, high, zero_point);
    }
    if (number_of(step, 1) != 0 && has_nan(run * channels, in, limit)) {
      atomic_store_explicit(step->not_a_number, 1, memory_order_relaxed);
    }
  }
}

/* One table for whole eights of the tensor, and one for what is left over. */
static int by_place(const struct neonsim_layer *layer) { return layer->rounding == NEONSIM_ROUND_RUY8; }

static void run_dequantize(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const float *table = (const float *)(const void *)step->packed, *rest = table + (by_place(layer) ? ENTRIES : 0);
  for (size_t pixel = first; pixel < last; pixel++) {
    const uint8_t *in = step->arena + layer->input + pixel * layer->input_stride;
    float *out = (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride);
    const size_t whole = neonsim_min(in_eights(layer, pixel), layer->output_channels);
    for (size_t i = 0; i < whole; i++) {
      out[i] = table[in[i]];
    }
    for (size_t i = whole; i < layer->output_channels; i++) {
      out[i] = rest[in[i]];
    }
  }
}

/* Of 16 bits, for which a table is too large. */
static void run_dequantize_int16(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  const float scale = number_of(step, 0);
  for (size_t pixel = first; pixel < last; pixel++) {
    const int16_t *in = (const int16_t *)(const void *)(step->arena + layer->input + pixel * layer->input_stride);
    float *out = (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride);
    for (size_t i = 0; i < layer->output_channels; i++) {
      out[i] = (float)in[i] * scale;
    }
  }
}

/* ---- pooling ------------------------------------------------------------------------------------------------------------ */

/* The part of a window that lies inside: rows top .. bottom - 1, columns left .. right - 1 of the input. */
struct window {
  size_t image, top, bottom, left, right;
};

static void clip_axis(size_t at, uint32_t stride, uint32_t pad, uint32_t size, uint32_t limit, size_t *low, size_t *high) {
  const ptrdiff_t first = (ptrdiff_t)(at * stride) - (ptrdiff_t)pad, last = first + (ptrdiff_t)size;
  *low = first < 0 ? 0 : (size_t)first;
  *high = last < 0 ? 0 : neonsim_min((size_t)last, limit);
  *high = *high < *low ? *low : *high;
}

static struct window window_of(const struct neonsim_layer *layer, size_t pixel) {
  const size_t pixels = (size_t)layer->output_height * layer->output_width;
  struct window window = {.image = pixel / pixels};
  clip_axis(pixel % pixels / layer->output_width, layer->stride_height, layer->pad_top, layer->kernel_height, layer->input_height,
            &window.top, &window.bottom);
  clip_axis(pixel % layer->output_width, layer->stride_width, layer->pad_left, layer->kernel_width, layer->input_width,
            &window.left, &window.right);
  return window;
}

static const uint8_t *pixel_at(const struct neonsim_step *step, size_t image, size_t y, size_t x) {
  const struct neonsim_layer *layer = &step->layer;
  return step->arena + layer->input + ((image * layer->input_height + y) * layer->input_width + x) * layer->input_stride;
}

static uint8_t average(const struct neonsim_step *step, int32_t sum) {
  const struct neonsim_layer *layer = &step->layer;
  if (layer->rounding == NEONSIM_ROUND_FP32) {
    /* In single precision, the product rounded before the sum (this file is compiled without fused multiply-adds). */
    const float low = (float)(layer->output_min - layer->output_zero_point),
                high = (float)(layer->output_max - layer->output_zero_point);
    const float product = (float)sum * number_of(step, 0);
    return (uint8_t)(nearest(cut(product + number_of(step, 1), low, high)) + layer->output_zero_point);
  }
  int64_t product = (int64_t)sum * layer->multiplier;
  if (layer->rounding == NEONSIM_ROUND_GEMMLOWP) {
    product = (product + (INT64_C(1) << 30)) >> 31;
  }
  const int64_t half = (INT64_C(1) << layer->shift) >> 1;
  const int64_t down = layer->rounding != NEONSIM_ROUND_UP && product < 0 && layer->shift != 0;
  /* Half up for negative numbers less one unit is half away from zero. */
  const int64_t rounded = (product + half - down) >> layer->shift;
  const int64_t moved = rounded + layer->output_zero_point;
  return (uint8_t)(moved < layer->output_min ? layer->output_min : moved > layer->output_max ? layer->output_max : moved);
}

/* A task is an output pixel's block of channels. */
enum { POOL_CHANNELS = 256 };

static void run_average(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t blocks = neonsim_ceil_div(layer->output_channels, POOL_CHANNELS);
  const size_t pixel = task / blocks, first = task % blocks * POOL_CHANNELS;
  const size_t channels = neonsim_min(POOL_CHANNELS, layer->output_channels - first);
  const struct window in = window_of(layer, pixel);
  const size_t rows = in.bottom - in.top, columns = in.right - in.left;
  const int32_t outside = (int32_t)((size_t)layer->kernel_height * layer->kernel_width - rows * columns);
  int32_t sums[POOL_CHANNELS];
  for (size_t i = 0; i < channels; i++) {
    sums[i] = -(int32_t)(layer->kernel_height * layer->kernel_width - (uint32_t)outside) * layer->input_zero_point;
  }
  for (size_t y = in.top; y < in.bottom; y++) {
    step->family->sum(channels, columns, pixel_at(step, in.image, y, in.left) + first, layer->input_stride, sums);
  }
  uint8_t *out = step->arena + layer->output + pixel * layer->output_stride + first;
  for (size_t i = 0; i < channels; i++) {
    out[i] = average(step, sums[i]);
  }
}

static void run_max(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  for (size_t x = 0; x < layer->output_width; x++) {
    const size_t pixel = task * layer->output_width + x;
    const struct window in = window_of(layer, pixel);
    uint8_t *out = step->arena + layer->output + pixel * layer->output_stride;
    memset(out, layer->output_min, layer->output_channels);
    for (size_t y = in.top; y < in.bottom; y++) {
      for (size_t column = in.left; column < in.right; column++) {
        step->family->max(layer->output_channels, pixel_at(step, in.image, y, column), out);
      }
    }
    for (size_t i = 0; layer->output_max < 255 && i < layer->output_channels; i++) {
      out[i] = out[i] > layer->output_max ? (uint8_t)layer->output_max : out[i];
    }
  }
}

/* ---- moving ------------------------------------------------------------------------------------------------------------- */

static void run_shuffle(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_shuffle(layer);
  const size_t pixels = neonsim_min(pixels_per_shuffle(layer), pixels_of(layer) - first);
  const size_t groups = layer->groups, channels = layer->output_channels / groups;
  const uint8_t *in = step->arena + layer->input + first * layer->input_stride;
  uint8_t *out = step->arena + layer->output + first * layer->output_stride;
  if (step->family->interleave != NULL && groups > 1 && groups <= NEONSIM_MAX_INTERLEAVED && channels >= 16) {
    step->family->interleave(groups, pixels, channels, in, layer->input_stride, out, layer->output_stride);
    return;
  }
  for (size_t pixel = 0; pixel < pixels; pixel++, in += layer->input_stride, out += layer->output_stride) {
    for (size_t channel = 0; channel < channels; channel++) {
      for (size_t group = 0; group < groups; group++) {
        out[channel * groups + group] = in[group * channels + channel];
      }
    }
  }
}

static void run_copy(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  for (size_t pixel = first; pixel < last; pixel++) {
    memcpy(step->arena + layer->output + pixel * layer->output_stride, step->arena + layer->input + pixel * layer->input_stride,
           layer->output_channels);
  }
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

enum { MAX_FIXED = 4095 };

/* A table of the caller's, kept. */
static int32_t keep(struct neonsim_step *step, const void *table, size_t entry) {
  if (table == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its table");
  }
  NEONSIM_CHECK(neonsim_allocate_step(step, ENTRIES * entry, 0, 0));
  memcpy(step->packed, table, step->packed_bytes);
  return NEONSIM_SUCCESS;
}

static void run_table(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  for (size_t pixel = first; pixel < last; pixel++) {
    const uint8_t *in = step->arena + layer->input + pixel * layer->input_stride;
    uint8_t *out = step->arena + layer->output + pixel * layer->output_stride;
    for (size_t i = 0; i < layer->output_channels; i++) {
      out[i] = step->packed[in[i]];
    }
  }
}

static int32_t plan_table(struct neonsim_step *step) {
  step->run = run_table;
  return keep(step, step->layer.weights, 1);
}

static void run_pairs(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t first = task * pixels_per_task(layer), last = neonsim_min(first + pixels_per_task(layer), pixels_of(layer));
  for (size_t pixel = first; pixel < last; pixel++) {
    const uint8_t *a = step->arena + layer->input + pixel * layer->input_stride;
    const uint8_t *b = step->arena + layer->second + pixel * layer->second_stride;
    uint8_t *out = step->arena + layer->output + pixel * layer->output_stride;
    for (size_t i = 0; i < layer->output_channels; i++) {
      out[i] = step->packed[ENTRIES * a[i] + b[i]];
    }
  }
}

static int32_t plan_pairs(struct neonsim_step *step) {
  step->run = run_pairs;
  return keep(step, step->layer.weights, ENTRIES);
}

static uint8_t largest_of(size_t n, const uint8_t *in) {
  uint8_t most = 0;
  for (size_t i = 0; i < n; i++) {
    most = in[i] > most ? in[i] : most;
  }
  return most;
}

/* In single precision and in the order of channels: other orders give other bytes. */
static void run_softmax(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const float *table = (const float *)(const void *)step->packed;
  const uint8_t *in = step->arena + layer->input + task * layer->input_stride;
  uint8_t *out = step->arena + layer->output + task * layer->output_stride;
  const uint8_t most = largest_of(layer->output_channels, in);
  float sum = 0;
  for (size_t i = 0; i < layer->output_channels; i++) {
    sum += table[most - in[i]];
  }
  const float unit = 1.0f / (sum * (1.0f / 256.0f));
  for (size_t i = 0; i < layer->output_channels; i++) {
    const float share = table[most - in[i]] * unit;
    const int32_t steps = layer->rounding == NEONSIM_ROUND_UP ? (int32_t)(share + 0.5f) : (int32_t)((double)share + 0.5);
    out[i] = (uint8_t)(steps > 255 ? 255 : steps);
  }
}

/* ---- softmax in fixed point: see neonsim.quant.requant.fixed_softmax (Y19, Y20) ------------------------------------------------------ */

static int64_t half_away(int64_t x, int shift) { return (x + ((INT64_C(1) << shift) >> 1) - (x < 0)) >> shift; }

static int64_t high_product(int64_t a, int64_t b) { return (a * b + (INT64_C(1) << 30)) >> 31; }

static int64_t saturated(int64_t x) { return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x; }

/* 1 / sum = result / 2**(31 + bits), sum of at least 1 with 19 bits behind the point: three steps of Newton's method. */
static int64_t reciprocal(uint32_t sum, int *bits) {
  int headroom = 0;
  for (; sum < UINT32_C(1) << 31; sum <<= 1) {
    headroom++;
  }
  *bits = 12 - headroom;
  const int64_t whole = (int64_t)sum - (INT64_C(1) << 31) + INT32_MAX, half = (whole + 1) >> 1; /* neither is negative */
  int64_t x = 1515870810 + high_product(half, -1010580540);                                     /* 48/17 - 32/17 * half */
  for (int i = 0; i < 3; i++) {
    x += saturated(high_product(x, (1 << 29) - high_product(half, x)) * 4);
  }
  return saturated(x * 2);
}

static void run_fixed_softmax(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const int32_t *table = (const int32_t *)(const void *)step->packed;
  const uint8_t *in = step->arena + layer->input + task * layer->input_stride;
  uint8_t *out = step->arena + layer->output + task * layer->output_stride;
  const uint8_t most = largest_of(layer->output_channels, in);
  uint32_t sum = 0;
  for (size_t i = 0; i < layer->output_channels; i++) {
    sum += (uint32_t)half_away(table[most - in[i]], 12);
  }
  int bits;
  const int64_t unit = reciprocal(sum, &bits);
  for (size_t i = 0; i < layer->output_channels; i++) {
    const int64_t share = half_away(high_product(unit, table[most - in[i]]), bits + 31 - 8);
    out[i] = (uint8_t)(share > 255 ? 255 : share);
  }
}

static int32_t plan_fixed_softmax(struct neonsim_step *step) {
  NEONSIM_CHECK(keep(step, step->layer.weights, sizeof(int32_t)));
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "number of channels of the input",
                                step->layer.input_channels, 1, MAX_FIXED));
  const int32_t *table = (const int32_t *)(const void *)step->packed;
  for (size_t i = 0; i < ENTRIES; i++) {
    /* The largest byte's share is 1, so that every sum is 1 at least. */
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "entry of its table", table[i], i == 0 ? INT32_MAX : 0,
                                  INT32_MAX));
  }
  step->tasks = pixels_of(&step->layer);
  step->run = run_fixed_softmax;
  return NEONSIM_SUCCESS;
}

static int32_t plan_softmax(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  if (layer->rounding == NEONSIM_ROUND_GEMMLOWP) {
    return plan_fixed_softmax(step);
  }
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of scales", layer->scales, ENTRIES, ENTRIES));
  NEONSIM_CHECK(keep(step, layer->scale, sizeof(float)));
  const float *table = (const float *)(const void *)step->packed;
  for (size_t i = 0; i < ENTRIES; i++) {
    /* The largest byte's share is 1, so that every sum is 1 at least. */
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "entry of its table", table[i], i == 0, 1));
  }
  step->tasks = pixels_of(layer);
  step->run = run_softmax;
  return NEONSIM_SUCCESS;
}

int32_t neonsim_plan_weightless(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const int f32 = layer->kind == NEONSIM_LAYER_AVERAGE_POOL && layer->rounding == NEONSIM_ROUND_FP32;
  const int shifts = layer->kind == NEONSIM_LAYER_ADD || (layer->kind == NEONSIM_LAYER_AVERAGE_POOL && !f32);
  const int rounds = shifts || layer->kind == NEONSIM_LAYER_SOFTMAX;
  const int twice = layer->rounding == NEONSIM_ROUND_GEMMLOWP && layer->kind != NEONSIM_LAYER_ADD;
  if (rounds && !twice && layer->rounding != NEONSIM_ROUND_AWAY && layer->rounding != NEONSIM_ROUND_UP) {
    return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER, "its rounding");
  }
  if (shifts) {
    const double most = layer->kind == NEONSIM_LAYER_ADD || twice ? 31 : 62;
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "shift", layer->shift, 0, most));
  }
  step->tasks = neonsim_ceil_div(pixels_of(layer), pixels_per_task(layer));
  switch (layer->kind) {
    case NEONSIM_LAYER_ADD:
      step->add = (struct neonsim_add){
          .a_zero_point = layer->input_zero_point,
          .b_zero_point = layer->second_zero_point,
          .a_multiplier = layer->multiplier,
          .b_multiplier = layer->second_multiplier,
          .shift = layer->shift,
          .away = layer->rounding == NEONSIM_ROUND_AWAY,
          .zero_point = (int16_t)layer->output_zero_point,
          .min = (uint8_t)layer->output_min,
          .max = (uint8_t)layer->output_max,
      };
      step->add_kernel = step->family->add;
      /* Kernels add half a unit in 32 bits. */
      if (255.0 * (abs(layer->multiplier) + abs(layer->second_multiplier)) + ldexp(0.5, layer->shift) >= 2147483648.0) {
        step->add_kernel = neonsim_family_scalar.add;
      }
      step->run = run_add;
      return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_AVERAGE_POOL:
      step->tasks = pixels_of(layer) * neonsim_ceil_div(layer->output_channels, POOL_CHANNELS);
      step->run = run_average;
      return f32 ? keep_numbers(step, 2) : NEONSIM_SUCCESS;
    case NEONSIM_LAYER_MAX_POOL:
      step->tasks = (size_t)layer->batch * layer->output_height;
      step->run = run_max;
      return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_SHUFFLE:
      step->tasks = neonsim_ceil_div(pixels_of(layer), pixels_per_shuffle(layer));
      step->run = run_shuffle;
      return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_COPY: step->run = run_copy; return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_LUT: return plan_table(step);
    case NEONSIM_LAYER_LUT_PAIR: return plan_pairs(step);
    case NEONSIM_LAYER_SOFTMAX: return plan_softmax(step);
    case NEONSIM_LAYER_MULTIPLY: return plan_multiply(step);
    case NEONSIM_LAYER_MAXIMUM:
    case NEONSIM_LAYER_MINIMUM: step->run = run_extreme; return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_ARGMAX:
    case NEONSIM_LAYER_ARGMIN:
      step->tasks = pixels_of(layer);
      step->run = run_find;
      return NEONSIM_SUCCESS;
    case NEONSIM_LAYER_QUANTIZE:
      step->run = run_quantize;
      NEONSIM_CHECK(keep_numbers(step, 3));
      return layer->second_multiplier != 2 ? NEONSIM_SUCCESS
                                           : neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "zero point of 16 bits",
                                                             number_of(step, 2), INT16_MIN, INT16_MAX);
    case NEONSIM_LAYER_DEQUANTIZE:
      step->run = layer->multiplier == 2 ? run_dequantize_int16 : run_dequantize;
      return keep_numbers(step, layer->multiplier == 2 ? 1 : by_place(layer) ? 2 * ENTRIES : ENTRIES);
    case NEONSIM_LAYER_GATHER: return neonsim_plan_gather(step);
    case NEONSIM_LAYER_BILINEAR: return neonsim_plan_bilinear(step);
    case NEONSIM_LAYER_INT64_GEMM: return neonsim_plan_int64_gemm(step);
    default: return NEONSIM_INVALID_PARAMETER;
  }
}
