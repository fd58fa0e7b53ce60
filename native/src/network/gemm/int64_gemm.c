/* Products wider than bytes: int16 by int8 with sums of 64 bits (16x8), and sums that are kept whole from layer to layer.
 *
 * packed: numbers, int64 [5][outputs], then weights, int16 [group][tap][depth][outputs of a group], so that a loop over outputs adds up
 * neighbours. A task is an output row.
 *
 * int16 by int8 is at most 2**22 in size: 256 products are added up in 32 bits, then drained into 64. */
#include <string.h>

#include "network/network.h"
#include "int64_accum.h"

enum { STRETCH = 256, NUMBERS = 5 };
enum number { BIAS, MULTIPLIER, MINUS_SHIFT, LEAST, MOST };

struct shape {
  size_t inputs, outputs, taps, depth, group_outputs, input_bytes, output_bytes;
};

static struct shape shape_of(const struct neonsim_layer *layer) {
  struct shape s = {.input_bytes = (size_t)layer->multiplier, .output_bytes = (size_t)layer->second_multiplier};
  s.inputs = layer->input_channels / s.input_bytes;
  s.outputs = layer->output_channels / s.output_bytes;
  s.taps = (size_t)layer->kernel_height * layer->kernel_width;
  s.depth = s.inputs / layer->groups;
  s.group_outputs = s.outputs / layer->groups;
  return s;
}

/* Channels by themselves, whose weights lie tap after tap: few enough taps for sums of 32 bits. */
static int per_channel(const struct shape *s) {
  return s->depth == 1 && s->group_outputs == 1 && s->input_bytes == sizeof(int16_t) && s->taps <= STRETCH;
}

static const int64_t *numbers_of(const struct neonsim_step *step, const struct shape *s, enum number which) {
  return (const int64_t *)(const void *)step->packed + (size_t)which * s->outputs;
}

static const int16_t *weights_of(const struct neonsim_step *step, const struct shape *s) {
  return (const int16_t *)(const void *)(step->packed + NUMBERS * s->outputs * sizeof(int64_t));
}

static void drain(size_t n, int32_t *few, uint64_t *sums) {
  for (size_t i = 0; i < n; i++) {
    sums[i] += (uint64_t)(int64_t)few[i];
    few[i] = 0;
  }
}

static void add_32(size_t n, int32_t x, const int16_t *weights, int32_t *few) {
  for (size_t i = 0; i < n; i++) {
    few[i] += x * weights[i];
  }
}

static void add_64(size_t n, uint64_t x, const int16_t *weights, uint64_t *sums) {
  for (size_t i = 0; i < n; i++) {
    sums[i] += x * (uint64_t)(int64_t)weights[i];
  }
}

/* Every channel by itself: of a tap, elements times weights. */
static void add_channels(size_t n, const uint8_t *row, const int16_t *weights, int32_t *few) {
  for (size_t i = 0; i < n; i++) {
    int16_t x;
    memcpy(&x, row + i * sizeof x, sizeof x);
    few[i] += x * weights[i];
  }
}

static int64_t element(const uint8_t *row, size_t i, size_t bytes) {
  return bytes == 1 ? (int64_t)row[i] - 128 : neonsim_read_int(row + i * bytes, bytes);
}

/* One group's share of a tap. Returns how many products the 32-bit sums hold. */
static size_t add_tap(const struct shape *s, const uint8_t *row, const int16_t *weights, size_t held, int32_t *few,
                      uint64_t *sums) {
  for (size_t d = 0; d < s->depth; d++) {
    const int64_t x = element(row, d, s->input_bytes);
    if (s->input_bytes > sizeof(int16_t)) {
      add_64(s->group_outputs, (uint64_t)x, weights + d * s->group_outputs, sums);
      continue;
    }
    add_32(s->group_outputs, (int32_t)x, weights + d * s->group_outputs, few);
    if (++held == STRETCH) {
      drain(s->group_outputs, few, sums);
      held = 0;
    }
  }
  return held;
}

static void put(const struct neonsim_step *step, const struct shape *s, const uint64_t *sums, uint8_t *out) {
  const int64_t *least = numbers_of(step, s, LEAST), *most = numbers_of(step, s, MOST);
  const int64_t *multiplier = numbers_of(step, s, MULTIPLIER), *minus_shift = numbers_of(step, s, MINUS_SHIFT);
  for (size_t i = 0; i < s->outputs; i++) {
    if (s->output_bytes == sizeof(int16_t)) {
      const int16_t value =
          neonsim_requantize_s64(sums[i], multiplier[i], (int)-minus_shift[i], (int32_t)least[i], (int32_t)most[i]);
      memcpy(out + i * sizeof value, &value, sizeof value);
    } else {
      neonsim_store_clamped(out + i * s->output_bytes, s->output_bytes, sums[i], least[i], most[i]);
    }
  }
}

/* The place of a tap, or NULL where it lies outside: nothing is added then. */
static const uint8_t *tap_at(const struct neonsim_step *step, size_t image, size_t row, size_t column, size_t tap) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t ky = tap / layer->kernel_width, kx = tap % layer->kernel_width;
  const ptrdiff_t y = (ptrdiff_t)(row * layer->stride_height + ky * layer->dilation_height) - (ptrdiff_t)layer->pad_top;
  const ptrdiff_t x = (ptrdiff_t)(column * layer->stride_width + kx * layer->dilation_width) - (ptrdiff_t)layer->pad_left;
  return neonsim_pixel(layer, step->arena + layer->input, NULL, image, y, x);
}

static void pixel(const struct neonsim_step *step, const struct shape *s, const uint8_t *const *rows, uint64_t *sums,
                  int32_t *few) {
  const int16_t *weights = weights_of(step, s);
  memcpy(sums, numbers_of(step, s, BIAS), s->outputs * sizeof *sums);
  memset(few, 0, s->outputs * sizeof *few);
  if (per_channel(s)) {
    for (size_t tap = 0; tap < s->taps; tap++) {
      if (rows[tap] != NULL) {
        add_channels(s->outputs, rows[tap], weights + tap * s->outputs, few);
      }
    }
    drain(s->outputs, few, sums);
    return;
  }
  for (size_t group = 0; group < step->layer.groups; group++) {
    const size_t first = group * s->group_outputs;
    size_t held = 0;
    for (size_t tap = 0; tap < s->taps; tap++) {
      if (rows[tap] != NULL) {
        held = add_tap(s, rows[tap] + group * s->depth * s->input_bytes,
                       weights + (group * s->taps + tap) * s->depth * s->group_outputs, held, few + first, sums + first);
      }
    }
    drain(s->group_outputs, few + first, sums + first);
  }
}

static size_t row_bytes(const struct shape *s) { return neonsim_lines(s->taps * sizeof(uint8_t *)); }

static void run_int64_gemm(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const struct shape s = shape_of(layer);
  const uint8_t **rows = (const uint8_t **)(void *)scratch;
  uint64_t *sums = (uint64_t *)(void *)(scratch + row_bytes(&s));
  int32_t *few = (int32_t *)(void *)(sums + s.outputs);
  const size_t image = task / layer->output_height, row = task % layer->output_height;
  uint8_t *out = step->arena + layer->output + task * layer->output_width * (size_t)layer->output_stride;
  for (size_t column = 0; column < layer->output_width; column++, out += layer->output_stride) {
    for (size_t tap = 0; tap < s.taps; tap++) {
      rows[tap] = tap_at(step, image, row, column, tap);
    }
    pixel(step, &s, rows, sums, few);
    put(step, &s, sums, out);
  }
}

/* Multipliers and shifts of 16x8, and limits, as the result's type has them. */
static int32_t check_numbers(struct neonsim_step *step, const struct shape *s) {
  const int bits = 8 * (int)s->output_bytes;
  const double end = bits == 64 ? 9223372036854775807.0 : (double)((INT64_C(1) << (bits - 1)) - 1);
  for (size_t i = 0; i < s->outputs; i++) {
    struct neonsim_refusal *refusal = &step->refusal;
    const int32_t wrong = NEONSIM_INVALID_PARAMETER;
    if (s->output_bytes == sizeof(int16_t)) {
      NEONSIM_CHECK(
          neonsim_require(refusal, wrong, "multiplier of a channel", (double)numbers_of(step, s, MULTIPLIER)[i], 0, 32767));
      NEONSIM_CHECK(
          neonsim_require(refusal, wrong, "minus the shift of a channel", (double)numbers_of(step, s, MINUS_SHIFT)[i], -46, -8));
    }
    NEONSIM_CHECK(
        neonsim_require(refusal, wrong, "lower limit of a channel", (double)numbers_of(step, s, LEAST)[i], -end - 1, end));
    NEONSIM_CHECK(neonsim_require(refusal, wrong, "upper limit of a channel", (double)numbers_of(step, s, MOST)[i], -end - 1, end));
  }
  return NEONSIM_SUCCESS;
}

int32_t neonsim_plan_int64_gemm(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const struct shape s = shape_of(layer);
  const size_t numbers = NUMBERS * s.outputs * sizeof(int64_t), row = s.taps * s.depth, count = row * s.outputs;
  NEONSIM_CHECK(neonsim_allocate_step(step, numbers + count * sizeof(int16_t), 0, 0));
  memcpy(step->packed, layer->bias, numbers);
  NEONSIM_CHECK(check_numbers(step, &s));
  int16_t *to = (int16_t *)(void *)(step->packed + numbers);
  const int8_t *from = layer->weights;
  for (size_t output = 0; output < s.outputs; output++) {
    const size_t group = output / s.group_outputs, inside = output % s.group_outputs;
    for (size_t k = 0; k < row; k++) {
      const size_t place = per_channel(&s) ? k * s.outputs + output : (group * row + k) * s.group_outputs + inside;
      to[place] = from[output * row + k];
    }
  }
  step->scratch_bytes = row_bytes(&s) + s.outputs * (sizeof(uint64_t) + sizeof(int32_t));
  step->tasks = (size_t)layer->batch * layer->output_height;
  step->run = run_int64_gemm;
  return NEONSIM_SUCCESS;
}
