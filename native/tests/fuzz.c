/* Hostile calls: descriptions that are nearly right, or not at all. Whatever they say, a call answers with a status, in little time and
 * memory; what is accepted gives the same bytes on every family, and nothing changes but its output.
 *
 * Pointers are NULL or lead to as many bytes as the call says, allocated for it alone, at odd addresses where the header allows them:
 * with the sanitizers every byte too far is seen. Sizes that this needs more than MOST bytes for are tried without memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "neonsim_network.h"

enum { MOST = 1 << 22, MAX_WORK = 1 << 20, MAX_LAYERS = 4, CALLS = 4 };

static uint64_t state;

static uint64_t draw64(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint32_t draw(uint32_t below) { return (uint32_t)((draw64() >> 32) % below); }

static int one_in(uint32_t count) { return draw(count) == 0; }

/* A number that somebody forgot: ends of types and of limits, and their neighbours. */
static uint64_t hostile(uint64_t near) {
  static const uint64_t ends[] = {0,
                                  1,
                                  2,
                                  3,
                                  127,
                                  128,
                                  255,
                                  256,
                                  1 << 16,
                                  1 << 20,
                                  UINT64_C(1) << 30,
                                  INT32_MAX,
                                  UINT32_MAX,
                                  UINT64_C(1) << 32,
                                  UINT64_C(1) << 62,
                                  INT64_MAX,
                                  UINT64_MAX,
                                  SIZE_MAX / 2,
                                  SIZE_MAX,
                                  PTRDIFF_MAX};
  switch (draw(5)) {
    case 0: return near + 1;
    case 1: return near - 1;
    case 2: return draw64() >> draw(64);
    case 3: return ends[draw(sizeof ends / sizeof ends[0])] + draw(3) - 1;
    default: return ends[draw(sizeof ends / sizeof ends[0])];
  }
}

static uint64_t times(uint64_t x, uint64_t y) { return y != 0 && x > UINT64_MAX / y ? UINT64_MAX : x * y; }

static uint64_t plus(uint64_t x, uint64_t y) { return x > UINT64_MAX - y ? UINT64_MAX : x + y; }

/* ---- memory ----------------------------------------------------------------------------------------------------------- */

/* So many bytes that end with their block, `odd` bytes away from where malloc would put them; free block_of them. */
struct place {
  uint8_t *block, *data;
};

static struct place fill(uint64_t bytes, size_t odd) {
  struct place place = {NULL, NULL};
  if (bytes <= MOST) {
    place.block = malloc((size_t)bytes + odd + 1);
    if (place.block == NULL) {
      fprintf(stderr, "out of memory\n");
      exit(2);
    }
    /* The byte that malloc(0) needs lies in front. */
    place.data = place.block + 1 + odd;
    for (size_t i = 0; i < bytes; i++) {
      place.data[i] = (uint8_t)(draw64() >> 56);
    }
  }
  return place;
}

/* What the library has taken, the most of it, and how often it asked; no single piece is larger than a gigabyte. */
static size_t taken, max_taken, asked;

static void *count_and_allocate(size_t bytes) {
  enum { HEAD = 16, GIGABYTE = 1 << 30 };
  asked++;
  uint8_t *memory = bytes > GIGABYTE ? NULL : malloc(bytes + HEAD);
  if (memory == NULL) {
    return NULL;
  }
  memcpy(memory, &bytes, sizeof bytes);
  taken += bytes;
  max_taken = taken > max_taken ? taken : max_taken;
  return memory + HEAD;
}

static void count_and_release(void *memory) {
  size_t bytes;
  memcpy(&bytes, (uint8_t *)memory - 16, sizeof bytes);
  taken -= bytes;
  free((uint8_t *)memory - 16);
}

/* ---- what was wrong ----------------------------------------------------------------------------------------------------- */

static int failures;
static uint64_t case_seed;

static void fail(const char *what) {
  fprintf(stderr, "fuzz: %s; again with: fuzz %llu 1\n", what, (unsigned long long)case_seed);
  failures++;
}

static int known(int32_t status) { return status >= NEONSIM_SUCCESS && status <= NEONSIM_OUT_OF_MEMORY; }

/* ---- layers --------------------------------------------------------------------------------------------------------------- */

enum { ARRAYS = 4 };

struct description {
  struct neonsim_layer layers[MAX_LAYERS];
  struct place places[MAX_LAYERS][ARRAYS];
  size_t count;
  uint64_t arena_bytes, weights, work;
};

static uint64_t channels_bytes(uint32_t channels, int sums) { return (uint64_t)channels * (sums ? 4 : 1); }

/* Kinds that add, multiply or compare two tensors. */
static int takes_two(int32_t kind) {
  return kind == NEONSIM_LAYER_ADD || kind == NEONSIM_LAYER_MULTIPLY || kind == NEONSIM_LAYER_MAXIMUM ||
         kind == NEONSIM_LAYER_MINIMUM || kind == NEONSIM_LAYER_LUT_PAIR || kind == NEONSIM_LAYER_F32_ADD;
}

static int is_f32(int32_t kind) { return kind >= NEONSIM_LAYER_F32_CONV && kind <= NEONSIM_LAYER_F32_SOFTMAX; }

static int writes_int32(const struct neonsim_layer *layer) {
  return layer->rounding == NEONSIM_ROUND_NONE || layer->kind == NEONSIM_LAYER_DEQUANTIZE || layer->kind == NEONSIM_LAYER_ARGMAX ||
         layer->kind == NEONSIM_LAYER_ARGMIN || is_f32(layer->kind);
}

static int by_table(int32_t kind) { return kind == NEONSIM_LAYER_GATHER || kind == NEONSIM_LAYER_BILINEAR; }

/* How many numbers a layer has where others have scales. */
static uint32_t numbers_of(const struct neonsim_layer *layer) {
  if (is_f32(layer->kind)) {
    return 3;
  }
  switch (layer->kind) {
    case NEONSIM_LAYER_SOFTMAX:
    case NEONSIM_LAYER_DEQUANTIZE: return 256;
    case NEONSIM_LAYER_AVERAGE_POOL: return 2;
    case NEONSIM_LAYER_MULTIPLY: return 1;
    case NEONSIM_LAYER_QUANTIZE: return 3;
    case NEONSIM_LAYER_BILINEAR: return 3 * (layer->output_height + layer->output_width);
    case NEONSIM_LAYER_GATHER:
      return 1 + layer->groups + layer->batch * layer->output_height * layer->output_width + layer->groups - 1;
    default: return one_in(2) ? 1 : layer->output_channels;
  }
}

/* A layer that is right, its input at `input`, all else behind. */
static struct neonsim_layer right(uint64_t input, const struct neonsim_layer *before) {
  struct neonsim_layer layer = {.kind = (int32_t)draw(NEONSIM_LAYER_KINDS), .batch = 1 + draw(2), .input = input};
  if (before != NULL && before->rounding == NEONSIM_ROUND_NONE && !one_in(4)) {
    layer.kind = NEONSIM_LAYER_REQUANTIZE;
  }
  layer.input_height = 1 + draw(9);
  layer.input_width = 1 + draw(9);
  layer.groups = 1 + draw(4);
  layer.input_channels = layer.output_channels = layer.groups * (1 + draw(one_in(4) ? 40 : 9));
  layer.output_height = 1 + draw(9);
  layer.output_width = 1 + draw(9);
  layer.kernel_height = 1 + draw(4);
  layer.kernel_width = one_in(3) ? layer.kernel_height : 1 + draw(4);
  layer.stride_height = 1 + draw(3);
  layer.stride_width = one_in(2) ? layer.stride_height : 1 + draw(3);
  layer.dilation_height = layer.dilation_width = 1;
  layer.pad_top = draw(4);
  layer.pad_left = draw(4);
  layer.rounding = (int32_t)draw(2);
  const int windows = layer.kind == NEONSIM_LAYER_CONV || layer.kind == NEONSIM_LAYER_DEPTHWISE ||
                      layer.kind == NEONSIM_LAYER_IM2COL || layer.kind == NEONSIM_LAYER_AVERAGE_POOL ||
                      layer.kind == NEONSIM_LAYER_MAX_POOL || layer.kind == NEONSIM_LAYER_BILINEAR ||
                      layer.kind == NEONSIM_LAYER_F32_CONV || layer.kind == NEONSIM_LAYER_F32_DEPTHWISE ||
                      layer.kind == NEONSIM_LAYER_F32_AVERAGE_POOL || layer.kind == NEONSIM_LAYER_F32_MAX_POOL;
  if (!windows) {
    layer.output_height = layer.input_height;
    layer.output_width = layer.input_width;
  }
  switch (layer.kind) {
    case NEONSIM_LAYER_F32_CONV:
    case NEONSIM_LAYER_CONV: layer.output_channels = layer.groups * (1 + draw(one_in(3) ? 70 : 9)); break;
    case NEONSIM_LAYER_F32_DEPTHWISE:
    case NEONSIM_LAYER_DEPTHWISE:
      layer.groups = layer.input_channels = layer.output_channels = 1 + draw(one_in(3) ? 150 : 20);
      break;
    case NEONSIM_LAYER_IM2COL: layer.output_channels = layer.kernel_height * layer.kernel_width * layer.input_channels; break;
    case NEONSIM_LAYER_REQUANTIZE:
      if (before != NULL) {
        layer.batch = before->batch;
        layer.input_height = layer.output_height = before->output_height;
        layer.input_width = layer.output_width = before->output_width;
        layer.input_channels = layer.output_channels = before->output_channels;
        layer.groups = 1;
      }
      break;
    case NEONSIM_LAYER_ARGMAX:
    case NEONSIM_LAYER_ARGMIN: layer.output_channels = layer.groups = 1; break;
    default: break;
  }
  if (layer.kind <= NEONSIM_LAYER_DEPTHWISE && one_in(4)) {
    layer.rounding = NEONSIM_ROUND_NONE + (int32_t)draw(5);
  }
  if (layer.kind == NEONSIM_LAYER_CONV || layer.kind == NEONSIM_LAYER_DEPTHWISE || layer.kind == NEONSIM_LAYER_IM2COL ||
      (windows && is_f32(layer.kind))) {
    layer.dilation_height = 1 + draw(2);
    layer.dilation_width = 1 + draw(2);
  }
  layer.weights_signed = (int32_t)draw(2);
  layer.weight_zero_point = layer.weights_signed ? 0 : (int32_t)draw(256);
  layer.multiplier = one_in(2) ? (int32_t)(0x40000000u + draw(0x40000000)) : 0x40000000 + (int32_t)draw(0x800000) * 128;
  layer.shift = (int32_t)draw(32);
  if (layer.kind == NEONSIM_LAYER_ADD || layer.kind == NEONSIM_LAYER_AVERAGE_POOL) {
    layer.rounding =
        layer.kind == NEONSIM_LAYER_AVERAGE_POOL && one_in(3) ? NEONSIM_ROUND_FP32 : NEONSIM_ROUND_AWAY + (int32_t)draw(2);
    layer.multiplier = (int32_t)draw(1 << 22) - (1 << 21);
    layer.second_multiplier = (int32_t)draw(1 << 22) - (1 << 21);
  }
  if (layer.kind == NEONSIM_LAYER_SOFTMAX) {
    layer.rounding = NEONSIM_ROUND_AWAY + (int32_t)draw(2);
  }
  if (layer.kind == NEONSIM_LAYER_MULTIPLY) {
    layer.rounding = NEONSIM_ROUND_FP32;
  }
  if ((layer.kind == NEONSIM_LAYER_SOFTMAX || layer.kind == NEONSIM_LAYER_AVERAGE_POOL) && one_in(3)) {
    layer.rounding = NEONSIM_ROUND_GEMMLOWP;
  }
  layer.scales = numbers_of(&layer);
  layer.input_zero_point = (int32_t)draw(256);
  layer.second_zero_point = (int32_t)draw(256);
  layer.output_zero_point = (int32_t)draw(256);
  layer.output_min = (int32_t)draw(100);
  layer.output_max = 100 + (int32_t)draw(156);
  const int reads_sums = layer.kind == NEONSIM_LAYER_REQUANTIZE,
            reads_int32 = reads_sums || layer.kind == NEONSIM_LAYER_QUANTIZE || is_f32(layer.kind);
  const int dense = layer.kind == NEONSIM_LAYER_IM2COL || layer.kind == NEONSIM_LAYER_GATHER;
  layer.input_stride =
      (uint32_t)channels_bytes(layer.input_channels, reads_int32) + (layer.kind == NEONSIM_LAYER_GATHER ? 0 : 4 * draw(2));
  layer.second_stride = is_f32(layer.kind) ? 4 * (layer.input_channels + draw(2)) : layer.input_channels + draw(2);
  layer.output_stride = (uint32_t)channels_bytes(layer.output_channels, writes_int32(&layer)) + (dense ? 0 : 4 * draw(2));
  if (reads_sums && before != NULL) {
    layer.input = before->output;
    layer.input_stride = before->output_stride;
  }
  const uint64_t pixels = (uint64_t)layer.batch * layer.input_height * layer.input_width;
  layer.second = layer.input + pixels * layer.input_stride;
  layer.output = (layer.second + (takes_two(layer.kind) ? pixels * layer.second_stride : 0) + 3) / 4 * 4;
  if (takes_two(layer.kind) && one_in(2)) {
    layer.second_stride = one_in(2) ? layer.input_stride : layer.second_stride;
    layer.output = one_in(2) ? layer.input : layer.second;
    layer.output_stride = layer.output == layer.input ? layer.input_stride : layer.second_stride;
  }
  return layer;
}

static uint64_t end_of(const struct neonsim_layer *layer) {
  return layer->output + (uint64_t)layer->batch * layer->output_height * layer->output_width * layer->output_stride;
}

/* One field of a layer, whichever, as it should not be. */
static void spoil(struct neonsim_layer *layer) {
  uint32_t *const small[] = {&layer->batch,          &layer->input_height,  &layer->input_width,     &layer->input_channels,
                             &layer->output_height,  &layer->output_width,  &layer->output_channels, &layer->kernel_height,
                             &layer->kernel_width,   &layer->stride_height, &layer->stride_width,    &layer->dilation_height,
                             &layer->dilation_width, &layer->pad_top,       &layer->pad_left,        &layer->groups,
                             &layer->input_stride,   &layer->second_stride, &layer->output_stride,   &layer->scales};
  int32_t *const numbers[] = {&layer->kind,
                              &layer->input_zero_point,
                              &layer->second_zero_point,
                              &layer->output_zero_point,
                              &layer->output_min,
                              &layer->output_max,
                              &layer->rounding,
                              &layer->weights_signed,
                              &layer->weight_zero_point,
                              &layer->multiplier,
                              &layer->second_multiplier,
                              &layer->shift,
                              &layer->fuse_with_previous,
                              &layer->algorithm};
  uint64_t *const offsets[] = {&layer->input, &layer->second, &layer->output};
  switch (draw(3)) {
    case 0: {
      uint32_t *field = small[draw(sizeof small / sizeof small[0])];
      *field = (uint32_t)hostile(*field);
      break;
    }
    case 1: {
      int32_t *field = numbers[draw(sizeof numbers / sizeof numbers[0])];
      const uint32_t bits = (uint32_t)hostile((uint32_t)*field);
      memcpy(field, &bits, sizeof bits);
      break;
    }
    default: {
      uint64_t *field = offsets[draw(3)];
      *field = one_in(2) ? *field + draw(9) - 4 : hostile(*field);
    }
  }
}

/* The table of a layer that has one: right, but for what was spoilt of its sizes. */
static void give_table(const struct neonsim_layer *layer, uint8_t *table) {
  for (uint32_t i = 0; i < layer->scales; i++) {
    const uint32_t rows = layer->output_height * 3;
    uint32_t number = i % 3 == 2 ? draw(2049) : draw(1 + (i < rows ? layer->input_height : layer->input_width) % 4096);
    if (layer->kind == NEONSIM_LAYER_GATHER) {
      /* A run is a pixel; the first axes are of one index, the last one is all pixels, in any order, with gaps. */
      const uint32_t head = 1 + layer->groups, pixels = layer->batch * layer->output_height * layer->output_width;
      number = i == 0                ? layer->input_channels
               : i < layer->groups   ? 1
               : i == layer->groups  ? pixels
               : i < head + head - 2 ? 0
               : one_in(9)           ? UINT32_MAX
                                     : draw(1 + pixels % 4096) * layer->input_channels;
    }
    number = one_in(2000) ? (uint32_t)hostile(number) : number;
    memcpy(table + 4 * (size_t)i, &number, sizeof number);
  }
}

/* As long as the layer says, of what nearly every layer could have. */
static void give_arrays(struct description *d, size_t i) {
  struct neonsim_layer *layer = &d->layers[i];
  const uint64_t depth = layer->groups == 0 ? 1 : layer->input_channels / layer->groups;
  const uint64_t filters = times(times(layer->output_channels, times(layer->kernel_height, layer->kernel_width)), depth);
  const int fixed = layer->kind == NEONSIM_LAYER_SOFTMAX && layer->rounding == NEONSIM_ROUND_GEMMLOWP;
  const uint64_t weights = is_f32(layer->kind)                     ? times(filters, 4)
                           : layer->kind == NEONSIM_LAYER_LUT      ? 256
                           : layer->kind == NEONSIM_LAYER_LUT_PAIR ? 65536
                           : fixed                                 ? 4 * 256
                                                                   : filters;
  struct place *places = d->places[i];
  places[0] = one_in(50) ? (struct place){NULL, NULL} : fill(weights, draw(4));
  const int table = by_table(layer->kind);
  places[1] =
      one_in(table ? 50 : 3) ? (struct place){NULL, NULL} : fill(times(table ? layer->scales : layer->output_channels, 4), draw(4));
  places[2] = one_in(50) ? (struct place){NULL, NULL} : fill(times(layer->scales, 4), draw(4));
  layer->weights = places[0].data;
  layer->bias = (const int32_t *)(const void *)places[1].data;
  layer->scale = (const float *)(const void *)places[2].data;
  places[3] = one_in(50) ? (struct place){NULL, NULL} : fill(times(layer->scales, 8), draw(4));
  layer->double_scale = (const double *)(const void *)places[3].data;
  const int rubbish = one_in(20);
  if (table && !rubbish && places[1].data != NULL) {
    give_table(layer, places[1].data);
  }
  for (size_t channel = 0; !table && !rubbish && places[1].data != NULL && channel < layer->output_channels; channel++) {
    const int32_t bias = (int32_t)draw(20000) - 10000;
    memcpy(places[1].data + 4 * channel, &bias, sizeof bias);
  }
  for (size_t channel = 0; !rubbish && places[2].data != NULL && channel < layer->scales; channel++) {
    const float scale = 1e-5f * (float)(1 + draw(2000));
    memcpy(places[2].data + 4 * channel, &scale, sizeof scale);
  }
  for (size_t channel = 0; !rubbish && places[3].data != NULL && channel < layer->scales; channel++) {
    const double exact = 1e-3 * draw(one_in(2) ? 20 : 2000);
    memcpy(places[3].data + 8 * channel, &exact, sizeof exact);
  }
  for (size_t entry = 0; !rubbish && fixed && places[0].data != NULL && entry < 256; entry++) {
    const int32_t share = entry == 0 ? INT32_MAX : (int32_t)draw(INT32_MAX);
    memcpy(places[0].data + 4 * entry, &share, sizeof share);
  }
  if (!rubbish && is_f32(layer->kind) && places[2].data != NULL && layer->scales > 1) {
    const float low = one_in(2) ? 0.0f : -INFINITY, high = one_in(2) ? 6.0f : INFINITY;
    memcpy(places[2].data, &low, sizeof low);
    memcpy(places[2].data + 4, &high, sizeof high);
  }
  if (layer->kind == NEONSIM_LAYER_QUANTIZE && places[2].data != NULL && layer->scales > 1) {
    const float supports_all = 0; /* or a NaN among its numbers ends the run */
    memcpy(places[2].data + 4, &supports_all, sizeof supports_all);
  }
  if (!rubbish && layer->kind == NEONSIM_LAYER_SOFTMAX && places[2].data != NULL && layer->scales != 0) {
    const float one = 1;
    memcpy(places[2].data, &one, sizeof one);
  }
  d->weights = plus(d->weights, places[0].data == NULL ? 0 : weights);
  const uint64_t taps = times(layer->kernel_height, layer->kernel_width);
  const uint64_t made = times(times(layer->batch, layer->output_height), times(layer->output_width, layer->output_channels));
  d->work = plus(d->work,
                 times(made, times(taps, layer->kind == NEONSIM_LAYER_CONV || layer->kind == NEONSIM_LAYER_F32_CONV ? depth : 1)));
}

static void describe(struct description *d) {
  memset(d, 0, sizeof *d);
  d->count = 1 + (one_in(3) ? draw(MAX_LAYERS) : 0);
  for (size_t i = 0; i < d->count; i++) {
    const struct neonsim_layer *before = i == 0 ? NULL : &d->layers[i - 1];
    d->layers[i] = right(before == NULL ? 4 * draw(3) : before->input, before);
    if (before != NULL && before->kind == NEONSIM_LAYER_CONV && one_in(2)) {
      /* A sum of the product's output and itself behind it. */
      struct neonsim_layer *add = &d->layers[i];
      *add = right(before->output, before);
      add->kind = NEONSIM_LAYER_ADD;
      add->batch = before->batch;
      add->input_height = add->output_height = before->output_height;
      add->input_width = add->output_width = before->output_width;
      add->input_channels = add->output_channels = before->output_channels;
      add->groups = add->dilation_height = add->dilation_width = 1;
      add->rounding = NEONSIM_ROUND_UP;
      add->multiplier = add->second_multiplier = 1 << 20;
      add->input = before->output;
      add->input_stride = add->second_stride = add->output_stride = before->output_stride;
      add->second = end_of(before);
      add->output = one_in(2) ? add->second : add->input;
      add->fuse_with_previous = 1;
    }
    const uint64_t end = end_of(&d->layers[i]);
    d->arena_bytes = end > d->arena_bytes ? end : d->arena_bytes;
  }
  d->arena_bytes += draw(8);
  for (uint32_t spoiled = one_in(3) ? 0 : draw(4); spoiled != 0; spoiled--) {
    spoil(&d->layers[draw((uint32_t)d->count)]);
  }
  if (one_in(10)) {
    d->arena_bytes = hostile(d->arena_bytes);
  }
  for (size_t i = 0; i < d->count; i++) {
    give_arrays(d, i);
  }
}

static void forget(struct description *d) {
  for (size_t i = 0; i < d->count; i++) {
    for (size_t j = 0; j < ARRAYS; j++) {
      free(d->places[i][j].block);
    }
  }
}

/* Bytes that no layer writes are as they were. */
static int only_outputs_changed(const struct description *d, const uint8_t *before, const uint8_t *after, size_t bytes) {
  uint8_t *may = calloc(bytes, 1);
  if (may == NULL) {
    exit(2);
  }
  for (size_t i = 0; i < d->count; i++) {
    const struct neonsim_layer *layer = &d->layers[i];
    const size_t pixels = (size_t)layer->batch * layer->output_height * layer->output_width;
    for (size_t pixel = 0; pixel < pixels; pixel++) {
      memset(may + layer->output + pixel * layer->output_stride, 1,
             (size_t)channels_bytes(layer->output_channels, writes_int32(layer)));
    }
  }
  int fine = 1;
  for (size_t i = 0; i < bytes; i++) {
    fine &= may[i] || before[i] == after[i];
  }
  free(may);
  return fine;
}

/* Runs with numbers that may be refused; then all of it, which must not be. */
static void run_wildly(const struct description *d, struct neonsim_network *network, uint64_t *nanoseconds) {
  const size_t first = one_in(4) ? (size_t)hostile(d->count) : draw((uint32_t)d->count + 1);
  const size_t last = one_in(4) ? (size_t)hostile(d->count) : draw((uint32_t)d->count + 1);
  const size_t threads = one_in(4) ? (size_t)hostile(1) : draw(4);
  const int fine = threads != 0 && first <= last && last <= d->count;
  const int32_t status = neonsim_network_run_part(network, first, last, threads, one_in(2) ? nanoseconds : NULL);
  if (!known(status) || (status == NEONSIM_SUCCESS) != fine) {
    fail("a run answered wrongly");
  }
}

/* Tensors of the caller's, of sizes that may be anything: refused, or moved within what is theirs. Memory is as long as a record says,
 * so that the sanitizers see every byte too far. */
static void run_between(struct neonsim_network *network, uint64_t arena_bytes) {
  enum { RECORDS = 3 };
  struct neonsim_transfer records[RECORDS];
  struct place memory[RECORDS];
  int fine = 1;
  for (size_t i = 0; i < RECORDS; i++) {
    struct neonsim_transfer *record = &records[i];
    *record = (struct neonsim_transfer){.rows = 1 + draw(9), .row_bytes = 1 + draw(40), .flips = one_in(2) ? 0x80 : 0};
    record->stride = record->row_bytes + draw(3) * draw(30);
    const uint64_t whole = (record->rows - 1) * record->stride + record->row_bytes;
    record->offset = whole <= arena_bytes ? draw((uint32_t)(arena_bytes - whole + 1)) : 0;
    if (one_in(6)) {
      uint64_t *const fields[] = {&record->offset, &record->rows, &record->row_bytes, &record->stride};
      uint64_t *field = fields[draw(sizeof fields / sizeof fields[0])];
      *field = hostile(*field);
    }
    record->flips = one_in(30) ? (uint32_t)hostile(255) : record->flips;
    memory[i] = fill(times(record->rows, record->row_bytes), draw(8));
    record->memory = one_in(40) ? NULL : memory[i].data;
    const uint64_t last = plus(record->offset, plus(times(record->rows - 1, record->stride), record->row_bytes));
    fine &= record->rows != 0 && record->row_bytes != 0 && record->stride >= record->row_bytes && record->flips <= 255 &&
            record->memory != NULL && last <= arena_bytes;
  }
  uint64_t nanoseconds[3];
  const size_t inputs = draw(RECORDS + 1), threads = draw(4);
  const int32_t status =
      neonsim_network_run_bound(network, records, inputs, RECORDS - inputs, threads, one_in(2) ? nanoseconds : NULL);
  if (!known(status) || (status == NEONSIM_SUCCESS) != (fine && threads != 0)) {
    fail("a run between arrays answered wrongly");
  }
  if (neonsim_network_run_bound(network, records, (size_t)hostile(SIZE_MAX / 2) | SIZE_MAX / 4, SIZE_MAX / 2, 1, NULL) ==
          NEONSIM_SUCCESS ||
      neonsim_network_run_bound(NULL, records, 0, 0, 1, NULL) != NEONSIM_NULL_POINTER ||
      neonsim_network_run_bound(network, NULL, 0, 0, 1, NULL) != NEONSIM_NULL_POINTER) {
    fail("a run between arrays that are not there");
  }
  for (size_t i = 0; i < RECORDS; i++) {
    free(memory[i].block);
  }
}

static const char *any_family(void) {
  const char *name = NULL, *missing;
  static const char *const strange[] = {"", "none", "avx", "scalar ", "amx"};
  if (one_in(20)) {
    return strange[draw(sizeof strange / sizeof strange[0])];
  }
  if (one_in(5)) {
    return NULL;
  }
  uint32_t count = 0;
  while (neonsim_family_info(count, &name, &missing) == NEONSIM_SUCCESS) {
    count++;
  }
  neonsim_family_info(draw(count), &name, &missing);
  return name;
}

/* Networks are planned for any processor; they run where it has what their family needs. */
static int runs_here(const char *family) {
  const char *name, *missing;
  for (size_t i = 0; neonsim_family_info(i, &name, &missing) == NEONSIM_SUCCESS; i++) {
    if (strcmp(name, family) == 0) {
      return missing == NULL;
    }
  }
  return 1;
}

/* Every NaN that a layer of float32 left becomes one and the same: which one it is families need not agree upon. */
static void make_nans_alike(struct neonsim_network *network, const struct neonsim_layer *layer) {
  const uint64_t pixels = (uint64_t)layer->batch * layer->output_height * layer->output_width;
  for (uint64_t pixel = 0; pixel < pixels; pixel++) {
    uint8_t *at = neonsim_network_arena(network) + layer->output + pixel * layer->output_stride;
    for (uint32_t i = 0; i < layer->output_channels; i++, at += 4) {
      uint32_t bits;
      memcpy(&bits, at, sizeof bits);
      bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
      memcpy(at, &bits, sizeof bits);
    }
  }
}

/* All layers, those of float32 one after another. */
static int32_t run_alike(struct neonsim_network *network, const struct description *d, size_t threads) {
  size_t first = 0;
  int32_t status = NEONSIM_SUCCESS;
  for (size_t i = 0; i < d->count && status == NEONSIM_SUCCESS; i++) {
    if (is_f32(d->layers[i].kind)) {
      status = neonsim_network_run_part(network, first, i + 1, threads, NULL);
      make_nans_alike(network, &d->layers[i]);
      first = i + 1;
    }
  }
  return status != NEONSIM_SUCCESS ? status
         : first == 0              ? neonsim_network_run(network, threads, NULL)
                                   : neonsim_network_run_part(network, first, d->count, threads, NULL);
}

static void check_network(size_t *accepted) {
  struct description d;
  describe(&d);
  struct neonsim_network *network = NULL, *other = NULL;
  const char *family = any_family();
  struct neonsim_refusal refusal = {.layer = SIZE_MAX};
  taken = max_taken = 0;
  const int32_t status = neonsim_network_create(one_in(200) ? NULL : d.layers, d.count, (size_t)d.arena_bytes, family, &network,
                                                one_in(4) ? NULL : &refusal);
  const uint64_t bound = plus(plus(d.arena_bytes, UINT64_C(1) << 24), times(d.weights, 1024));
  if (!known(status) || (status == NEONSIM_SUCCESS) != (network != NULL)) {
    fail("a network's status is none, or does not fit what was made");
  }
  if (refusal.layer < d.count && (status == NEONSIM_SUCCESS || (refusal.quantity == NULL && status != NEONSIM_OUT_OF_MEMORY))) {
    fail("a refusal does not say what is refused");
  }
  if (max_taken > bound) {
    fail("a network takes more memory than its arena and weights explain");
  }
  if (status != NEONSIM_SUCCESS && taken != 0) {
    fail("a network that was refused keeps memory");
  }
  if (status == NEONSIM_SUCCESS && !runs_here(neonsim_network_family(network))) {
    if (neonsim_network_run(network, 1, NULL) != NEONSIM_UNAVAILABLE_VARIANT) {
      fail("a network ran whose family is not here");
    }
  } else if (status == NEONSIM_SUCCESS && d.work <= MAX_WORK && d.arena_bytes <= MOST) {
    const size_t bytes = (size_t)d.arena_bytes;
    struct place before = fill(bytes, 0);
    struct place times_taken = fill(sizeof(uint64_t) * d.count, 7);
    ++*accepted;
    if (neonsim_network_create(d.layers, d.count, bytes, "scalar", &other, NULL) != NEONSIM_SUCCESS) {
      fail("one family takes a network that the portable one refuses");
    } else {
      memcpy(neonsim_network_arena(network), before.data, bytes);
      memcpy(neonsim_network_arena(other), before.data, bytes);
      const size_t asked_before = asked;
      if (run_alike(network, &d, 1 + draw(3)) != NEONSIM_SUCCESS || run_alike(other, &d, 1) != NEONSIM_SUCCESS) {
        fail("a run that must not be refused was");
      }
      if (asked != asked_before) {
        fail("a run asks for memory");
      }
      if (memcmp(neonsim_network_arena(network), neonsim_network_arena(other), bytes) != 0) {
        fail("two families differ");
      }
      if (!only_outputs_changed(&d, before.data, neonsim_network_arena(network), bytes)) {
        fail("something outside the outputs was written");
      }
      run_wildly(&d, network, (uint64_t *)(void *)times_taken.data);
      run_between(network, d.arena_bytes);
    }
    free(before.block);
    free(times_taken.block);
  }
  neonsim_network_destroy(other);
  neonsim_network_destroy(network);
  if (taken != 0) {
    fail("a network that was destroyed keeps memory");
  }
  forget(&d);
}

/* ---- matrices --------------------------------------------------------------------------------------------------------------- */

static size_t size_or_hostile(uint32_t below) { return one_in(8) ? (size_t)hostile(draw(below)) : 1 + draw(below); }

static uint64_t rows_need(uint64_t rows, uint64_t stride, uint64_t row) {
  return rows == 0 ? 0 : plus(times(rows - 1, stride), row);
}

static void check_matrix(size_t *accepted) {
  const int with_sums = one_in(2), whole = one_in(2);
  const int32_t contract = with_sums ? NEONSIM_QU8_GEMM_XZP_Q31 : NEONSIM_QU8_GEMM_Q31;
  struct neonsim_variant_info info;
  const char *name = NULL;
  size_t index;
  if (neonsim_default_variant(contract, &index) != NEONSIM_SUCCESS || neonsim_variant_info(index, &info) != NEONSIM_SUCCESS) {
    return; /* NEONSIM_ISA allows none */
  }
  if (one_in(2)) {
    neonsim_variant_info(draw((uint32_t)neonsim_variant_count()), &info);
    name = info.name;
  }
  const size_t m = size_or_hostile(whole ? 40 : info.mr + 1), n = size_or_hostile(whole ? 40 : info.nr + 1),
               k = size_or_hostile(40);
  const size_t a_stride = one_in(8) ? (size_t)hostile(k) : k + draw(3), c_stride = one_in(8) ? (size_t)hostile(n) : n + draw(3);
  const size_t threads = one_in(8) ? (size_t)hostile(1) : 1 + draw(3);
  struct neonsim_q31_params params = {
      0x40000000 + (int32_t)draw(1 << 30), -(int32_t)draw(32), (int16_t)draw(256), 255, 0, (uint8_t)draw(256), 0, {0, 0}};
  if (one_in(10)) {
    const struct place rubbish = fill(sizeof params, 0);
    memcpy(&params, rubbish.data, sizeof params);
    free(rubbish.block);
  }
  const uint32_t nr = info.nr == 0 ? 1 : info.nr, kr = info.kr == 0 ? 1 : info.kr;
  const uint64_t columns = times(plus(n, nr - 1) / nr, nr), column = plus(times(plus(k, kr - 1) / kr, kr), 4);
  const uint64_t needs[3] = {rows_need(m, a_stride, k), times(columns, column), rows_need(m, c_stride, n)};
  const int impossible = needs[0] > PTRDIFF_MAX || needs[1] > PTRDIFF_MAX || needs[2] > PTRDIFF_MAX;
  if (!impossible && (needs[0] > MOST || needs[1] > MOST || needs[2] > MOST || times(times(m, n), k) > MAX_WORK)) {
    return; /* a matrix that somebody else may have */
  }
  const struct place a = fill(impossible || one_in(60) ? MOST + 1 : needs[0], draw(4)),
                     c = fill(impossible ? 1 : needs[2], draw(4));
  const struct place w = fill(impossible ? 1 : needs[1], draw(4)), sums = fill(m <= MOST / 4 ? 4 * m : MOST + 1, 3);
  const struct neonsim_q31_params *given = one_in(60) ? NULL : &params;
  int32_t *room = one_in(2) ? (int32_t *)(void *)sums.data : NULL;
  int32_t status;
  if (whole) {
    status = with_sums
                 ? neonsim_gemm_qu8_xzp_q31(name, NULL, m, n, k, a.data, a_stride, room, w.data, c.data, c_stride, given, threads)
                 : neonsim_gemm_qu8_q31(name, m, n, k, a.data, a_stride, w.data, c.data, c_stride, given, threads);
  } else {
    status = with_sums ? neonsim_qu8_gemm_xzp_q31(name, m, n, k, a.data, a_stride, room, w.data, c.data, c_stride, given)
                       : neonsim_qu8_gemm_q31(name, m, n, k, a.data, a_stride, w.data, c.data, c_stride, given);
  }
  if (!known(status) ||
      (status == NEONSIM_SUCCESS && (impossible || a.data == NULL || given == NULL || m == 0 || n == 0 || k == 0))) {
    fail("a matrix product answered wrongly");
  }
  *accepted += status == NEONSIM_SUCCESS;
  const int32_t summed = neonsim_qu8_sumrows(NULL, a.data, m, k, a_stride, (int32_t)hostile(0), room);
  if (!known(summed) || (summed == NEONSIM_SUCCESS && (a.data == NULL || room == NULL))) {
    fail("sums of rows answered wrongly");
  }
  const size_t packed = neonsim_packed_size(n, k, info.nr, info.kr);
  if (packed != 0 && info.nr != 0 && packed != times(columns, column)) {
    fail("a packed size is wrong");
  }
  free(a.block);
  free(w.block);
  free(c.block);
  free(sums.block);
}

/* ---- any contract ------------------------------------------------------------------------------------------------------------- */

/* Additions whose operands and result lie in one buffer: where they may, the portable kernel's sum; else nothing happens. */
static void check_calls(size_t *accepted) {
  struct neonsim_variant_info info;
  neonsim_variant_info(draw((uint32_t)neonsim_variant_count()), &info);
  size_t calls = draw(CALLS + 1);
  const size_t n = 1 + draw(70), threads = one_in(8) ? (size_t)hostile(1) : 1 + draw(3);
  const struct neonsim_add_params params = {
      (uint8_t)draw(256), (uint8_t)draw(256), (int16_t)(64 + draw(128)), 1 << 19, 1 << 18, -20, 255, 0, {0, 0}};
  uint64_t arguments[CALLS][5];
  uint32_t at[3];
  struct place memory = fill(300, draw(4)), wanted = fill(300, 0);
  memcpy(wanted.data, memory.data, 300);
  for (size_t i = 0; i < 3; i++) {
    at[i] = one_in(3) && i == 2 ? at[draw(2)] : draw(230);
  }
  if (at[2] == at[0] || at[2] == at[1]) {
    calls = calls < 1 ? calls : 1; /* a second one would add to the first one's result */
  }
  if (calls > 1 && threads > 1) {
    calls = 1; /* all write the same bytes: several threads are for calls with outputs of their own */
  }
  int fine = 1;
  for (size_t i = 0; i < 2; i++) {
    fine &= at[2] == at[i] || at[2] >= at[i] + n || at[i] >= at[2] + n;
  }
  for (size_t i = 0; i < CALLS; i++) {
    const uint64_t one[5] = {n, (uintptr_t)(memory.data + at[0]), (uintptr_t)(memory.data + at[1]),
                             (uintptr_t)(memory.data + at[2]), (uintptr_t)&params};
    memcpy(arguments[i], one, sizeof one);
  }
  const int32_t status = neonsim_call("qu8_vadd_1x__scalar", calls, 5, arguments[0], threads);
  if (status != (calls != 0 && !fine ? NEONSIM_INVALID_PARAMETER
                 : threads == 0      ? NEONSIM_ZERO_SIZE
                                     : NEONSIM_SUCCESS) &&
      !(threads == 0 && status == NEONSIM_ZERO_SIZE)) {
    fail("an addition answered wrongly");
  }
  for (size_t i = 0; status == NEONSIM_SUCCESS && calls != 0 && i < n; i++) {
    const int32_t sum = (wanted.data[at[0] + i] - params.a_zero_point) * params.a_multiplier +
                        (wanted.data[at[1] + i] - params.b_zero_point) * params.b_multiplier;
    const int32_t value = (sum + (1 << 19) - (sum < 0)) / (1 << 20) - ((sum + (1 << 19) - (sum < 0)) % (1 << 20) < 0);
    const int32_t moved = value + params.output_zero_point;
    if (memory.data[at[2] + i] != (moved < 0 ? 0 : moved > 255 ? 255 : moved)) {
      fail("an addition is wrong");
      break;
    }
  }
  *accepted += status == NEONSIM_SUCCESS;
  /* Counts that no contract of so many arguments has, and names. */
  const size_t count = (size_t)hostile(5);
  const int32_t other = neonsim_call(one_in(30) ? NULL : one_in(20) ? "qu8_vadd" : info.name, 0, count, NULL, threads);
  if (!known(other) || (other == NEONSIM_SUCCESS && (threads == 0 || count < 3 || count > 14))) {
    fail("a call answered wrongly");
  }
  free(memory.block);
  free(wanted.block);
}

/* What only tells. */
static void check_questions(void) {
  struct neonsim_variant_info info;
  const char *name, *missing;
  size_t index;
  const size_t number = (size_t)hostile(neonsim_variant_count());
  const int32_t contract = (int32_t)(uint32_t)hostile(NEONSIM_CONTRACTS);
  if ((neonsim_variant_info(number, &info) == NEONSIM_SUCCESS) != (number < neonsim_variant_count()) ||
      !known(neonsim_default_variant(contract, &index)) ||
      !known(neonsim_family_info(number, &name, one_in(9) ? NULL : &missing)) || neonsim_status_text(contract)[0] == '\0') {
    fail("a question was answered wrongly");
  }
  if (neonsim_network_run(NULL, number, NULL) != NEONSIM_NULL_POINTER || neonsim_network_arena(NULL) != NULL ||
      neonsim_network_packed_bytes(NULL) != 0 || neonsim_network_family(NULL)[0] != '\0' ||
      neonsim_probe_peak("none", number) != 0 || neonsim_probe_f32_peak("none", number) != 0) {
    fail("no network is taken for one");
  }
  neonsim_network_destroy(NULL);
}

int fuzz(uint64_t seed, size_t count) {
  size_t networks = 0, matrices = 0, calls = 0;
  neonsim_set_allocator(count_and_allocate, count_and_release);
  for (size_t i = 0; i < count && failures < 20; i++) {
    case_seed = seed + i;
    state = (case_seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    draw64();
    check_network(&networks);
    check_matrix(&matrices);
    check_calls(&calls);
    check_questions();
  }
  neonsim_set_allocator(NULL, NULL);
  printf("fuzz: %d failures; accepted of %llu each: %llu networks, %llu matrices, %llu calls\n", failures,
         (unsigned long long)count, (unsigned long long)networks, (unsigned long long)matrices, (unsigned long long)calls);
  return failures != 0;
}
