/* Depthwise convolutions: every channel with its own taps, 64 channels at a time.
 *
 * Two ways, for families whose instruction adds four byte products to a lane, or two 16-bit ones:
 *
 *   by rows   3x3, any padding, strides 1 or 2. Four input rows are interleaved byte by byte, so that a lane holds four pixels above
 *             each other of its channel (or two lanes of two registers two each); three of these columns make an output pixel. With
 *             stride 1 they make two, one above the other: weights (w0 w1 w2 0) for the upper, (0 w0 w1 w2) for the lower.
 *             Weights less their zero point that do not fit int8 are sums of two bytes, each with its own pass over the column, or
 *             the layer is done by a family of 16-bit weights.
 *   by taps   any window: as many taps at a time, through pointers. A tap whose weight less its zero point does not fit int8 comes
 *             twice where weights are bytes, and three times for 255 = 127 + 127 + 1.
 *
 * packed, of a block:   int32 bias [64], float scale [64], then weights, int8 or int16, `depth` of the family's taps side by side:
 *   by rows   [first, second byte][upper, lower][column of the window][4 / depth][64][depth]
 *   by taps   [ceil(taps / depth)][64][depth]
 * where channels lie as registers of bytes interleave them, four registers at a time; those of 16-bit numbers in plain order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

enum {
  BLOCK = NEONSIM_DEPTHWISE_BLOCK,
  HEAD = 8 * BLOCK,
  MAX_ADDENDS = 3,
  ROWS_WEIGHTS = 6 * 4,
  POINTERS = 2048,
  PIXELS_AT_ONCE = 16
};

static size_t depth_of(const struct neonsim_family *family) {
  return family->depthwise_depth != 0 ? family->depthwise_depth : family->depth;
}

/* Where a channel of a block lies: bytes are dealt to four registers of sums as in a panel of that width. */
static size_t place_of(const struct neonsim_family *family, size_t channel) {
  if (family->weight_bytes == 2) {
    return channel;
  }
  const size_t four = 4 * family->lanes, within = channel % four;
  return channel - within + within / 4 % 4 * family->lanes + within / 16 * 4 + within % 4;
}

/* What the next turn of a tap takes of a weight where weights are bytes. */
static int32_t int8_addend(int32_t weight) { return weight > 127 ? 127 : weight < -128 ? -128 : weight; }

static size_t addends_of(int32_t weight) {
  size_t turns = 1;
  for (; (weight -= int8_addend(weight)) != 0; turns++) {
  }
  return turns;
}

static int32_t tap_weight(const struct neonsim_layer *layer, size_t channel, size_t tap) {
  return neonsim_weight(layer, channel * layer->kernel_height * layer->kernel_width + tap);
}

/* Weight number `at` of a channel's row of them. */
static void pack_weight(const struct neonsim_family *family, uint8_t *out, size_t at, size_t place, int32_t weight) {
  const size_t depth = depth_of(family), index = (at / depth * BLOCK + place) * depth + at % depth;
  if (family->weight_bytes == 2) {
    ((int16_t *)(void *)out)[index] = (int16_t)weight;
  } else {
    out[index] = (uint8_t)weight;
  }
}

/* One channel of a block, where `place` puts it. */
static void pack_channel(struct neonsim_step *step, uint8_t *out, size_t channel, size_t place) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t taps = (size_t)layer->kernel_height * layer->kernel_width;
  uint32_t sum = (uint32_t)neonsim_bias(layer, channel);
  for (size_t tap = 0; tap < taps; tap++) {
    sum -= (uint32_t)((layer->input_zero_point - step->family->center) * tap_weight(layer, channel, tap));
  }
  memcpy(out + 4 * place, &sum, sizeof sum);
  const float scale = neonsim_scale(layer, channel);
  memcpy(out + 4 * (BLOCK + place), &scale, sizeof scale);
  for (size_t at = 0; at < step->tap_count; at++) {
    const size_t tap = step->tap_list[at];
    int32_t weight = tap_weight(layer, channel, tap);
    size_t turn = 0;
    if (step->family->weight_bytes == 1) {
      for (; turn < at && step->tap_list[at - 1 - turn] == tap; turn++) {
        weight -= int8_addend(weight); /* what the turns before took */
      }
      weight = int8_addend(weight);
    }
    if (step->by_rows) {
      const size_t ky = tap / 3, kx = tap % 3, begin = ROWS_WEIGHTS * turn;
      pack_weight(step->family, out + HEAD, begin + 4 * kx + ky, place, weight);
      pack_weight(step->family, out + HEAD, begin + 4 * (3 + kx) + ky + 1, place, weight);
    } else {
      pack_weight(step->family, out + HEAD, at, place, weight);
    }
  }
}

static void pack_block(struct neonsim_step *step, uint8_t *out, size_t first, size_t channels) {
  const size_t apart = !step->by_rows || channels > NEONSIM_DEPTHWISE_NARROW ? (size_t)BLOCK
                       : channels > NEONSIM_DEPTHWISE_NARROWEST              ? (size_t)NEONSIM_DEPTHWISE_NARROW
                                                                             : (size_t)NEONSIM_DEPTHWISE_NARROWEST;
  for (size_t i = 0; i < channels; i++) {
    for (size_t place = i; place < BLOCK; place += apart) {
      pack_channel(step, out, first + i, place_of(step->family, place));
    }
  }
}

/* Taps in order, each as often as its weights need; returns the largest magnitude of a sum. */
static double list_taps(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t taps = (size_t)layer->kernel_height * layer->kernel_width;
  const double reach = neonsim_max_abs_input(layer);
  double limit = 0;
  for (size_t channel = 0; channel < layer->output_channels; channel++) {
    double sum = fabs((double)neonsim_bias(layer, channel));
    for (size_t tap = 0; tap < taps; tap++) {
      sum += reach * abs(tap_weight(layer, channel, tap));
    }
    limit = fmax(limit, sum);
  }
  step->tap_count = step->max_addends = 0;
  for (size_t tap = 0; tap < taps; tap++) {
    size_t turns = 1;
    for (size_t channel = 0; step->family->weight_bytes == 1 && channel < layer->output_channels; channel++) {
      const size_t own = addends_of(tap_weight(layer, channel, tap));
      turns = own > turns ? own : turns;
    }
    step->max_addends = turns > step->max_addends ? turns : step->max_addends;
    for (; turns != 0; turns--) {
      step->tap_list[step->tap_count++] = (uint16_t)tap;
    }
  }
  return limit;
}

static const uint8_t *row_or_zeros(const struct neonsim_step *step, size_t image, ptrdiff_t y) {
  const struct neonsim_layer *layer = &step->layer;
  if (y < 0 || y >= (ptrdiff_t)layer->input_height) {
    return step->zeros;
  }
  return step->arena + layer->input + (image * layer->input_height + (size_t)y) * layer->input_width * layer->input_stride;
}

static void run_blocks(const struct neonsim_step *step, neonsim_depthwise_kernel kernel, struct neonsim_depthwise_call *call) {
  uint8_t *const out = call->out, *const second = call->second_out;
  for (size_t first = 0; first < step->layer.output_channels; first += BLOCK) {
    call->offset = first;
    call->channels = neonsim_min(BLOCK, step->layer.output_channels - first);
    call->packed = step->packed + first / BLOCK * step->block_bytes;
    call->out = out + first;
    call->second_out = second == NULL ? NULL : second + first;
    kernel(call);
  }
}

/* A task is an output row, or two of them with stride 1. */
static void run_by_rows(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t at_once = layer->stride_height == 1 ? 2 : 1;
  const size_t per_image = neonsim_ceil_div(layer->output_height, at_once);
  const size_t image = task / per_image, y = task % per_image * at_once;
  const ptrdiff_t top = (ptrdiff_t)(y * layer->stride_height) - (ptrdiff_t)layer->pad_top;
  const uint8_t *rows[4];
  for (size_t i = 0; i < 4; i++) {
    rows[i] = row_or_zeros(step, image, top + (ptrdiff_t)i);
  }
  uint8_t *out = step->arena + layer->output + (image * layer->output_height + y) * layer->output_width * layer->output_stride;
  struct neonsim_depthwise_call call = {
      .rows = rows,
      .pixels = layer->output_width,
      .stride = layer->input_stride,
      .first = -(ptrdiff_t)layer->pad_left,
      .width = layer->input_width,
      .step = layer->stride_width,
      .twice = step->max_addends > 1,
      .zero_point = (uint8_t)layer->input_zero_point,
      .out = out,
      .second_out = at_once == 2 && y + 1 < layer->output_height ? out + layer->output_width * layer->output_stride : NULL,
      .out_stride = layer->output_stride,
      .requant = &step->requant,
  };
  run_blocks(step, step->family->depthwise_rows[step->requant.finish], &call);
}

/* A task is an output row. */
static void run_by_taps(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t image = task / layer->output_height, y = task % layer->output_height;
  const size_t depth = depth_of(step->family);
  const size_t taps = neonsim_ceil_div(step->tap_count, depth) * depth; /* those beyond the last read zeros, with weight zero */
  const size_t at_once = neonsim_min(PIXELS_AT_ONCE, POINTERS / taps);
  const uint8_t *pointers[POINTERS];
  for (size_t x = 0; x < layer->output_width; x += at_once) {
    const size_t pixels = neonsim_min(at_once, layer->output_width - x);
    for (size_t i = 0; i < pixels * taps; i++) {
      const size_t at = i % taps, tap = at < step->tap_count ? step->tap_list[at] : 0;
      const ptrdiff_t iy =
          (ptrdiff_t)(y * layer->stride_height + tap / layer->kernel_width * layer->dilation_height) - (ptrdiff_t)layer->pad_top;
      const ptrdiff_t ix = (ptrdiff_t)((x + i / taps) * layer->stride_width + tap % layer->kernel_width * layer->dilation_width) -
                           (ptrdiff_t)layer->pad_left;
      const int outside = at >= step->tap_count || ix < 0 || ix >= (ptrdiff_t)layer->input_width;
      const uint8_t *row = row_or_zeros(step, image, iy);
      pointers[i] = outside || row == step->zeros ? step->zeros : row + (size_t)ix * layer->input_stride;
    }
    struct neonsim_depthwise_call call = {
        .rows = pointers,
        .taps = taps,
        .pixels = pixels,
        .out_stride = layer->output_stride,
        .requant = &step->requant,
        .out = step->arena + layer->output + ((image * layer->output_height + y) * layer->output_width + x) * layer->output_stride,
    };
    run_blocks(step, step->family->depthwise_taps[step->requant.finish], &call);
  }
}

/* How many bytes a weight may be the sum of by rows; 0: there is no such way. */
static size_t addends_by_rows(const struct neonsim_family *family) {
  return family->depthwise_rows[0] == NULL ? 0 : family->rows_twice ? 2 : 1;
}

int32_t neonsim_plan_depthwise(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t taps = (size_t)layer->kernel_height * layer->kernel_width;
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_SIZE_TOO_LARGE, NEONSIM_TAPS_OF_KERNEL, (double)taps, 1, NEONSIM_MAX_TAPS));
  step->tap_list = neonsim_allocate(MAX_ADDENDS * taps * sizeof *step->tap_list);
  if (step->tap_list == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  const int simple = layer->kernel_height == 3 && layer->kernel_width == 3 && layer->dilation_height == 1 &&
                     layer->dilation_width == 1 && layer->stride_height == layer->stride_width && layer->stride_width <= 2;
  double limit = list_taps(step);
  const struct neonsim_family *wide = step->family->depthwise_int16;
  if (simple && step->max_addends > addends_by_rows(step->family) && wide != NULL && neonsim_family_missing(wide) == NULL) {
    step->family = wide; /* three rows at a time are quicker than tap after tap, with narrower registers too */
    limit = list_taps(step);
  }
  NEONSIM_CHECK(neonsim_plan_requant(step, limit));
  step->by_rows = simple && step->max_addends <= addends_by_rows(step->family);
  const size_t depth = depth_of(step->family),
               taps_packed = step->by_rows ? ROWS_WEIGHTS * step->max_addends : neonsim_ceil_div(step->tap_count, depth) * depth;
  step->block_bytes = HEAD + taps_packed * BLOCK * step->family->weight_bytes;
  /* What a row reads: its last pixel ends with its channels, whatever its stride. */
  const size_t row_bytes = (step->by_rows ? layer->input_width - 1 : 0) * (size_t)layer->input_stride + layer->input_channels;
  NEONSIM_CHECK(neonsim_allocate_step(step, step->block_bytes * neonsim_ceil_div(layer->output_channels, BLOCK), row_bytes,
                                      layer->input_zero_point));
  for (size_t first = 0; first < layer->output_channels; first += BLOCK) {
    pack_block(step, step->packed + first / BLOCK * step->block_bytes, first, neonsim_min(BLOCK, layer->output_channels - first));
  }
  const size_t at_once = step->by_rows && layer->stride_height == 1 ? 2 : 1;
  step->tasks = layer->batch * neonsim_ceil_div(layer->output_height, at_once);
  step->run = step->by_rows ? run_by_rows : run_by_taps;
  return NEONSIM_SUCCESS;
}
