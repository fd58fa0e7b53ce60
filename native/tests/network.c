/* Random layers and a small network: every family that runs here against the portable one, alone and shared among threads, several
 * networks at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEONSIM_HAVE_PTHREADS
#include <pthread.h>
#endif

#include "driver.h"
#include "neonsim_network.h"

static uint32_t state = 12345;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

enum { ARENA = 1 << 20, MAX_WEIGHTS = 1 << 18, MAX_CHANNELS = 1 << 10 };

struct parts {
  uint8_t *weights;
  int32_t *bias;
  float *scale;
  uint32_t shifts; /* how many of them there are */
};

/* A convolution, depthwise or not, of any geometry, from the start of the arena to its second half. */
static struct neonsim_layer any_layer(const struct parts *parts) {
  struct neonsim_layer layer = {.kind = (int32_t)draw(2), .batch = 1, .input_height = 1 + draw(12), .input_width = 1 + draw(12)};
  layer.groups = layer.kind == NEONSIM_LAYER_DEPTHWISE ? 1 + draw(150) : 1 + draw(3);
  const uint32_t depth = layer.kind == NEONSIM_LAYER_DEPTHWISE ? 1 : 1 + draw(70);
  layer.input_channels = layer.groups * depth;
  layer.output_channels = layer.kind == NEONSIM_LAYER_DEPTHWISE ? layer.groups : layer.groups * (1 + draw(130));
  layer.kernel_height = layer.kernel_width = 1 + 2 * draw(3);
  layer.stride_height = layer.stride_width = 1 + draw(2);
  layer.dilation_height = layer.dilation_width = 1 + (draw(4) == 0);
  layer.pad_top = layer.pad_left = layer.kernel_height / 2;
  layer.output_height = (layer.input_height - 1) / layer.stride_height + 1;
  layer.output_width = (layer.input_width - 1) / layer.stride_width + 1;
  layer.input_stride = layer.input_channels + draw(3);
  layer.output_stride = layer.output_channels + draw(3);
  layer.output = ARENA / 2;
  layer.input_zero_point = (int32_t)draw(256);
  layer.output_zero_point = (int32_t)draw(256);
  layer.output_max = (int32_t)(128 + draw(128));
  layer.output_min = (int32_t)draw(128);
  layer.weights_signed = (int32_t)draw(2);
  layer.weight_zero_point = layer.weights_signed ? 0 : (int32_t)draw(256);
  layer.rounding = (int32_t)draw(2);
  layer.multiplier = (int32_t)(0x40000000u + draw(0x800000) * 128u);
  layer.shift = (int32_t)draw(parts->shifts);
  layer.scales = draw(2) ? 1 : layer.output_channels;
  layer.scale = parts->scale;
  layer.weights = parts->weights;
  layer.bias = draw(2) ? parts->bias : NULL;
  return layer;
}

/* Runs layers by a family and compares the arena with `wanted`, or keeps it there. */
static int run(const struct neonsim_layer *layer, size_t count, const char *family, size_t threads, const uint8_t *input,
               uint8_t *wanted, int keep) {
  struct neonsim_network *network;
  const int32_t status = neonsim_network_create(layer, count, ARENA, family, &network, NULL);
  if (status != NEONSIM_SUCCESS) {
    fprintf(stderr, "%s: %s\n", family, neonsim_status_text(status));
    return 1;
  }
  uint8_t *arena = neonsim_network_arena(network);
  memcpy(arena, input, ARENA);
  enum { WATCHED = 16, THREADS = 3 };
  uint64_t took[WATCHED], idle[WATCHED * THREADS];
  if (count <= WATCHED && threads <= THREADS) {
    neonsim_network_run_watched(network, threads, took, idle);
  } else {
    neonsim_network_run(network, threads, NULL);
  }
  const int differs = !keep && memcmp(arena, wanted, ARENA) != 0;
  if (keep) {
    memcpy(wanted, arena, ARENA);
  }
  if (differs) {
    fprintf(stderr, "%s with %u threads differs from scalar: %u layers, kind %d, %ux%ux%u -> %u channels, window %u\n", family,
            (unsigned)threads, (unsigned)count, layer->kind, layer->input_height, layer->input_width, layer->input_channels,
            layer->output_channels, layer->kernel_height);
  }
  neonsim_network_destroy(network);
  return differs;
}

static int compare_with(const struct neonsim_layer *layers, size_t count, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  const char *name, *missing;
  for (size_t family = 0; neonsim_family_info(family, &name, &missing) == NEONSIM_SUCCESS; family++) {
    for (size_t threads = 1; missing == NULL && threads <= 3; threads++) {
      bad += run(layers, count, name, threads, input, wanted, 0);
    }
  }
  return bad;
}

static int compare(const struct neonsim_layer *layers, size_t count, const uint8_t *input, uint8_t *wanted) {
  return run(layers, count, "scalar", 1, input, wanted, 1) + compare_with(layers, count, input, wanted);
}

static int compare_families(const struct parts *parts, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  for (int i = 0; i < 60; i++) {
    const struct neonsim_layer layer = any_layer(parts);
    bad += compare(&layer, 1, input, wanted);
  }
  return bad;
}

/* Products by a level of Strassen, which the family that has them must have taken. */
static int compare_strassen(const struct parts *parts, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  for (int i = 0; i < 20; i++) {
    struct neonsim_layer layer = any_layer(parts);
    layer.kind = NEONSIM_LAYER_CONV;
    layer.groups = layer.stride_height = layer.stride_width = 1;
    layer.kernel_height = layer.kernel_width = 1 + 2 * draw(2);
    layer.pad_top = layer.pad_left = layer.kernel_height / 2;
    layer.input_height = layer.output_height = 4 + draw(12);
    layer.input_width = layer.output_width = 3 + draw(12);
    layer.input_channels = 48 + draw(90);
    layer.input_stride = layer.input_channels + draw(3);
    layer.output_channels = 32 + draw(100);
    layer.output_stride = layer.output_channels + draw(3);
    layer.scales = 1;
    bad += compare(&layer, 1, input, wanted);
    struct neonsim_network *network;
    struct neonsim_gemm_choice choice;
    if (neonsim_network_create(&layer, 1, ARENA, "avx2", &network, NULL) == NEONSIM_SUCCESS) {
      const int32_t status = neonsim_network_gemm_choice(network, 0, &choice);
      if (status != NEONSIM_SUCCESS || choice.strassen != NEONSIM_STRASSEN_USED) {
        fprintf(stderr, "a product that is not taken by halves\n");
        bad++;
      }
      neonsim_network_destroy(network);
    }
  }
  return bad;
}

/* Winograd's tiles of integers: the bytes of the direct way. */
static int compare_tiles(const struct parts *parts, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  for (int i = 0; i < 20; i++) {
    struct neonsim_layer layer = any_layer(parts);
    layer.kind = NEONSIM_LAYER_CONV;
    layer.groups = layer.stride_height = layer.stride_width = layer.dilation_height = layer.dilation_width = 1;
    static const uint32_t windows[][2] = {{3, 3}, {3, 3}, {1, 7}, {7, 1}};
    const uint32_t *window = windows[i % 4];
    layer.kernel_height = window[0];
    layer.kernel_width = window[1];
    layer.pad_top = window[0] / 2;
    layer.pad_left = window[1] / 2;
    layer.input_channels = 1 + draw(70);
    layer.input_stride = layer.input_channels + draw(3);
    layer.output_channels = 1 + draw(130);
    layer.output_stride = layer.output_channels + draw(3);
    layer.scales = 1;
    layer.output_height = layer.input_height;
    layer.output_width = layer.input_width;
    bad += run(&layer, 1, "scalar", 1, input, wanted, 1);
    const int32_t last = window[0] == 3 ? NEONSIM_ALGORITHM_WINOGRAD_4 : NEONSIM_ALGORITHM_WINOGRAD_2;
    for (layer.algorithm = NEONSIM_ALGORITHM_WINOGRAD_2; layer.algorithm <= last; layer.algorithm++) {
      bad += compare_with(&layer, 1, input, wanted);
    }
  }
  return bad;
}

/* Convolutions of float32, directly and by Winograd's tiles along either axis or both: one set of bits for all families. What is in
 * the arena and in `parts` is written over. */
static int compare_f32(const struct parts *parts, uint8_t *input, uint8_t *wanted) {
  static const uint32_t windows[][3] = {{1, 7, 4}, {7, 1, 4}, {3, 3, 8}, {1, 3, 8},
                                        {5, 5, 4}, {7, 7, 4}, {3, 7, 4}}; /* largest n */
  static const float limits[] = {-0.5f, 6.0f, 1.0f};
  int bad = 0;
  for (size_t i = 0; i < MAX_WEIGHTS + MAX_CHANNELS + ARENA / sizeof(float); i++) {
    const float value = (float)draw(1 << 16) / 32768.0f - 1.0f;
    uint8_t *to = i < MAX_WEIGHTS ? parts->weights + i * sizeof value : input + (i - MAX_WEIGHTS) * sizeof value;
    if (i >= MAX_WEIGHTS + ARENA / sizeof(float)) {
      to = (uint8_t *)&parts->bias[i - MAX_WEIGHTS - ARENA / sizeof(float)];
    }
    memcpy(to, &value, sizeof value);
  }
  for (size_t i = 0; i < 2 * sizeof windows / sizeof windows[0]; i++) {
    const uint32_t *window = windows[i / 2];
    struct neonsim_layer layer = {
        .kind = NEONSIM_LAYER_F32_CONV, .batch = 1, .input_height = 1 + draw(14), .input_width = 1 + draw(14)};
    layer.groups = layer.stride_height = layer.stride_width = layer.dilation_height = layer.dilation_width = 1;
    layer.kernel_height = window[0];
    layer.kernel_width = window[1];
    layer.pad_top = window[0] / 2;
    layer.pad_left = window[1] / 2;
    layer.output_height = layer.input_height;
    layer.output_width = layer.input_width;
    layer.input_channels = 1 + draw(40);
    layer.output_channels = 1 + draw(40);
    layer.input_stride = layer.input_channels * (uint32_t)sizeof(float);
    layer.output_stride = layer.output_channels * (uint32_t)sizeof(float);
    layer.output = ARENA / 2;
    layer.output_max = 255;
    layer.scales = 3;
    layer.scale = limits;
    layer.weights = parts->weights;
    layer.bias = parts->bias;
    bad += compare(&layer, 1, input, wanted);
    for (uint32_t n = 2; n <= window[2]; n++) {
      layer.algorithm = NEONSIM_ALGORITHM_WINOGRAD_2 + (int32_t)n - 2;
      bad += compare(&layer, 1, input, wanted);
    }
  }
  return bad;
}

/* A convolution as it was done before: windows copied, sums, bytes; or depthwise, tap by tap. */
static int compare_two_passes(const struct parts *parts, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  for (int i = 0; i < 40; i++) {
    enum { MATRIX, PRODUCT, BYTES };
    const struct neonsim_layer fused = any_layer(parts);
    const int single = fused.kind == NEONSIM_LAYER_DEPTHWISE;
    struct neonsim_layer layers[] = {fused, fused, fused};
    const uint32_t columns = fused.kernel_height * fused.kernel_width * fused.input_channels;
    layers[MATRIX].kind = NEONSIM_LAYER_IM2COL;
    layers[MATRIX].rounding = NEONSIM_ROUND_Q31;
    layers[MATRIX].output_channels = layers[MATRIX].output_stride = columns;
    if (!single) {
      layers[PRODUCT].input = fused.output;
      layers[PRODUCT].input_height = fused.output_height;
      layers[PRODUCT].input_width = fused.output_width;
      layers[PRODUCT].input_channels = layers[PRODUCT].input_stride = columns;
      layers[PRODUCT].kernel_height = layers[PRODUCT].kernel_width = layers[PRODUCT].stride_height = 1;
      layers[PRODUCT].stride_width = layers[PRODUCT].dilation_height = layers[PRODUCT].dilation_width = 1;
      layers[PRODUCT].pad_top = layers[PRODUCT].pad_left = 0;
    }
    layers[PRODUCT].rounding = NEONSIM_ROUND_NONE;
    layers[PRODUCT].output = 3 * (ARENA / 4);
    layers[PRODUCT].output_stride = 4 * (fused.output_channels + draw(3));
    layers[BYTES].kind = NEONSIM_LAYER_REQUANTIZE;
    layers[BYTES].groups = 1;
    layers[BYTES].input = layers[PRODUCT].output;
    layers[BYTES].input_height = fused.output_height;
    layers[BYTES].input_width = fused.output_width;
    layers[BYTES].input_channels = fused.output_channels;
    layers[BYTES].input_stride = layers[PRODUCT].output_stride;
    const size_t pixels = (size_t)fused.output_height * fused.output_width;
    if (pixels * columns > ARENA / 4 || pixels * layers[BYTES].input_stride > ARENA / 4) {
      continue;
    }
    /* The bytes of this way, and those of the fused one. */
    layers[BYTES].output = ARENA / 4;
    bad += compare(single ? layers + 1 : layers, single ? 2 : 3, input, wanted);
    bad += run(&fused, 1, "scalar", 1, input, wanted + ARENA, 1);
    for (size_t pixel = 0; pixel < pixels; pixel++) {
      const size_t at = pixel * fused.output_stride;
      bad += memcmp(wanted + ARENA / 4 + at, wanted + ARENA + fused.output + at, fused.output_channels) != 0;
    }
  }
  return bad;
}

/* The next layer of a network: from where the last one wrote to a place of its own. */
static struct neonsim_layer follow(const struct neonsim_layer *last, int32_t kind, uint32_t window, uint32_t stride,
                                   uint32_t channels) {
  struct neonsim_layer layer = *last;
  layer.kind = kind;
  layer.input = last->output;
  layer.output = last->output + ARENA / 16;
  layer.input_height = last->output_height;
  layer.input_width = last->output_width;
  layer.input_channels = layer.input_stride = last->output_channels;
  layer.output_channels = layer.output_stride = channels;
  layer.groups = kind == NEONSIM_LAYER_DEPTHWISE ? channels : 1;
  layer.kernel_height = layer.kernel_width = window;
  layer.stride_height = layer.stride_width = stride;
  layer.pad_top = layer.pad_left = window % 2 == 1 ? window / 2 : 0;
  layer.output_height = (layer.input_height + 2 * layer.pad_top - window) / stride + 1;
  layer.output_width = layer.output_height;
  layer.input_zero_point = last->output_zero_point;
  return layer;
}

/* Inverted bottlenecks as in MobileNetV2, 3x3 of 3 channels in front, addition, mean and classifier behind. */
static int compare_network(const struct parts *parts, int32_t rounding, const uint8_t *input, uint8_t *wanted) {
  const struct neonsim_layer image = {.batch = 1,
                                      .output_height = 32,
                                      .output_width = 32,
                                      .output_channels = 3,
                                      .output_zero_point = 128,
                                      .output_max = 255,
                                      .dilation_height = 1,
                                      .dilation_width = 1,
                                      .weights_signed = rounding == NEONSIM_ROUND_FP32,
                                      .weight_zero_point = rounding == NEONSIM_ROUND_FP32 ? 0 : 125,
                                      .rounding = rounding,
                                      .multiplier = 1 << 30,
                                      .shift = 8,
                                      .scales = 1,
                                      .scale = parts->scale,
                                      .weights = parts->weights,
                                      .bias = parts->bias};
  const struct {
    int32_t kind;
    uint32_t window, stride, channels;
  } shapes[] = {{NEONSIM_LAYER_CONV, 3, 2, 16},  {NEONSIM_LAYER_DEPTHWISE, 3, 1, 16},  {NEONSIM_LAYER_CONV, 1, 1, 8},
                {NEONSIM_LAYER_CONV, 1, 1, 48},  {NEONSIM_LAYER_DEPTHWISE, 3, 2, 48},  {NEONSIM_LAYER_CONV, 1, 1, 24},
                {NEONSIM_LAYER_CONV, 1, 1, 144}, {NEONSIM_LAYER_DEPTHWISE, 5, 1, 144}, {NEONSIM_LAYER_CONV, 1, 1, 24},
                {NEONSIM_LAYER_ADD, 1, 1, 24},   {NEONSIM_LAYER_MAX_POOL, 3, 1, 24},   {NEONSIM_LAYER_AVERAGE_POOL, 8, 1, 24},
                {NEONSIM_LAYER_CONV, 1, 1, 101}};
  enum { COUNT = sizeof shapes / sizeof shapes[0] };
  struct neonsim_layer layers[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    layers[i] = follow(i == 0 ? &image : &layers[i - 1], shapes[i].kind, shapes[i].window, shapes[i].stride, shapes[i].channels);
    layers[i].rounding = rounding;
    layers[i].multiplier = image.multiplier;
    layers[i].shift = image.shift;
    if (shapes[i].kind == NEONSIM_LAYER_ADD || shapes[i].kind == NEONSIM_LAYER_AVERAGE_POOL) {
      const int sums = shapes[i].kind == NEONSIM_LAYER_ADD;
      layers[i].rounding = rounding == NEONSIM_ROUND_FP32 ? NEONSIM_ROUND_UP : NEONSIM_ROUND_AWAY;
      layers[i].multiplier = layers[i].second_multiplier = sums ? 1 << 20 : 1 << 15;
      layers[i].shift = 21;
    }
    if (shapes[i].kind == NEONSIM_LAYER_ADD) {
      layers[i].second = layers[i - 4].output; /* the bottleneck before */
      layers[i].second_stride = layers[i].input_stride;
      layers[i].second_zero_point = layers[i].input_zero_point;
    }
  }
  int bad = compare(layers, COUNT, input, wanted);
  for (size_t i = 0; i < COUNT; i++) {
    layers[i].fuse_with_previous = layers[i].kind == NEONSIM_LAYER_ADD; /* the same bytes, block by block */
  }
  bad += compare_with(layers, COUNT, input, wanted);
  return bad;
}

/* Copies side by side, and what is refused of them. */
static int run_copies(const struct parts *parts, const uint8_t *input) {
  enum { COPIES = 3 };
  const struct neonsim_layer layer = any_layer(parts);
  struct neonsim_network *networks[COPIES + 1];
  int bad = 0;
  for (size_t i = 0; i <= COPIES; i++) {
    if (neonsim_network_create(&layer, 1, ARENA, NULL, &networks[i], NULL) != NEONSIM_SUCCESS) {
      return 1;
    }
    memcpy(neonsim_network_arena(networks[i]), input, ARENA);
  }
  neonsim_network_run(networks[COPIES], 1, NULL);
  for (int again = 0; again < 3; again++) {
    bad += neonsim_network_run_together(networks, COPIES) != NEONSIM_SUCCESS;
  }
  struct neonsim_network *const twice[] = {networks[1], networks[0], networks[1]}, *const none[] = {networks[0], NULL};
  bad += neonsim_network_run_together(twice, 3) != NEONSIM_INVALID_PARAMETER;
  bad += neonsim_network_run_together(none, 2) != NEONSIM_NULL_POINTER;
  bad += neonsim_network_run_together(NULL, 2) != NEONSIM_NULL_POINTER;
  bad += neonsim_network_run_together(networks, 0) != NEONSIM_ZERO_SIZE;
  bad += neonsim_network_run_together(networks, 65) != NEONSIM_SIZE_TOO_LARGE;
  for (size_t i = 0; i < COPIES; i++) {
    bad += memcmp(neonsim_network_arena(networks[i]), neonsim_network_arena(networks[COPIES]), ARENA) != 0;
  }
  for (size_t i = 0; i <= COPIES; i++) {
    neonsim_network_destroy(networks[i]);
  }
  return bad;
}

#ifdef NEONSIM_HAVE_PTHREADS
/* Two threads with networks of their own, and both with one in common. */
struct shared {
  struct neonsim_network *own, *common;
};

static void *run_often(void *argument) {
  const struct shared *shared = argument;
  for (int i = 0; i < 50; i++) {
    neonsim_network_run(shared->own, 2, NULL);
    neonsim_network_run(shared->common, 2, NULL);
    struct neonsim_network *const both[] = {shared->common, shared->own};
    neonsim_network_run_together(both, 2);
  }
  return NULL;
}

static int run_at_once(const struct parts *parts) {
  const struct neonsim_layer layer = any_layer(parts);
  struct neonsim_network *networks[3];
  for (size_t i = 0; i < 3; i++) {
    if (neonsim_network_create(&layer, 1, ARENA, NULL, &networks[i], NULL) != NEONSIM_SUCCESS) {
      return 1;
    }
  }
  struct shared jobs[2] = {{networks[0], networks[2]}, {networks[1], networks[2]}};
  pthread_t other;
  const int started = pthread_create(&other, NULL, run_often, &jobs[0]) == 0;
  run_often(&jobs[1]);
  if (started) {
    pthread_join(other, NULL);
  }
  const size_t bytes = (size_t)layer.output_height * layer.output_width * layer.output_stride;
  int bad = 0;
  for (size_t i = 1; i < 3; i++) {
    bad += memcmp(neonsim_network_arena(networks[0]) + ARENA / 2, neonsim_network_arena(networks[i]) + ARENA / 2, bytes) != 0;
  }
  for (size_t i = 0; i < 3; i++) {
    neonsim_network_destroy(networks[i]);
  }
  return bad;
}
#endif

/* Biases to where sums wrap, weights 0 and 255, scales from the least to more than operators take, every shift. */
static void go_to_extremes(struct parts *parts) {
  parts->shifts = 32;
  for (size_t i = 0; i < MAX_CHANNELS; i++) {
    const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -(1 << 30), (1 << 30) - 1, 1 << 30, INT32_MAX, 0, 1000};
    parts->bias[i] = edges[draw(sizeof edges / sizeof edges[0])];
    parts->scale[i] = ldexpf(1 + (float)draw(8) / 8, (int)draw(60) - 40);
  }
  for (size_t i = 0; i < MAX_WEIGHTS * 4; i++) {
    parts->weights[i] = draw(2) ? (uint8_t)draw(256) : draw(2) ? 255 : 0;
  }
}

static int refused(const struct neonsim_layer *layers, size_t count, int32_t status, size_t layer, const char *quantity,
                   double value, double most) {
  struct neonsim_network *network;
  struct neonsim_refusal refusal;
  const int32_t found = neonsim_network_create(layers, count, ARENA, NULL, &network, &refusal);
  neonsim_network_destroy(network);
  if (found == status && refusal.layer == layer &&
      (quantity == NULL ? refusal.quantity == NULL
                        : refusal.quantity != NULL && strcmp(refusal.quantity, quantity) == 0 && refusal.value == value &&
                              refusal.most == most)) {
    return 0;
  }
  fprintf(stderr, "status %d of layer %u, not %d of layer %u: %s is %g, at most %g\n", found, (unsigned)refusal.layer, status,
          (unsigned)layer, refusal.quantity == NULL ? "nothing" : refusal.quantity, refusal.value, refusal.most);
  return 1;
}

/* Who refuses what, and why. */
static int check_refusals(const struct parts *parts) {
  struct neonsim_layer layers[2] = {any_layer(parts), any_layer(parts)};
  int bad = refused(layers, 0, NEONSIM_ZERO_SIZE, 0, NULL, 0, 0);
  layers[1].output_zero_point = 256;
  bad += refused(layers, 2, NEONSIM_INVALID_PARAMETER, 1, "zero point of the output", 256, 255);
  layers[1].output_zero_point = 0;
  layers[1].kernel_width = 1000;
  layers[1].kernel_height = 1;
  bad += refused(layers, 2, NEONSIM_SIZE_TOO_LARGE, 1, "number of taps of the kernel", 1000, 128);
  layers[0].output = ARENA - 1;
  layers[0].output_width = 2;
  layers[0].output_stride = layers[0].output_channels;
  layers[0].output_height = 1;
  bad += refused(layers, 2, NEONSIM_SIZE_TOO_LARGE, 0, "byte of the arena at which the output ends",
                 ARENA - 1 + 2.0 * layers[0].output_channels, ARENA);
  return bad;
}

/* Few weights are large: then products are in runs whose sums fit 16 bits, and some of their weights in parts. */
static void mostly_small(const struct parts *parts) {
  for (size_t i = 0; i < MAX_WEIGHTS * 4; i++) {
    parts->weights[i] = (uint8_t)(draw(32) == 0 ? draw(256) : draw(15) - 7);
  }
}

int test_networks(void) {
  struct parts parts = {malloc(MAX_WEIGHTS * 4), calloc(MAX_CHANNELS, sizeof(int32_t)), calloc(MAX_CHANNELS, sizeof(float)), 14};
  uint8_t *input = malloc(ARENA), *wanted = malloc(2 * ARENA);
  if (parts.weights == NULL || parts.bias == NULL || parts.scale == NULL || input == NULL || wanted == NULL) {
    fprintf(stderr, "out of memory\n");
    return 2;
  }
  for (size_t i = 0; i < MAX_WEIGHTS * 4; i++) {
    parts.weights[i] = (uint8_t)draw(256);
  }
  for (size_t i = 0; i < MAX_CHANNELS; i++) {
    parts.bias[i] = (int32_t)draw(4000) - 2000;
    parts.scale[i] = 0.0001f * (float)(1 + draw(500));
  }
  for (size_t i = 0; i < ARENA; i++) {
    input[i] = (uint8_t)draw(256);
  }
  int bad = compare_families(&parts, input, wanted);
  bad += compare_tiles(&parts, input, wanted);
  bad += compare_strassen(&parts, input, wanted);
  bad += compare_two_passes(&parts, input, wanted);
  bad += compare_network(&parts, NEONSIM_ROUND_Q31, input, wanted);
  bad += compare_network(&parts, NEONSIM_ROUND_FP32, input, wanted);
  for (int i = 0; i < 4; i++) {
    bad += run_copies(&parts, input);
  }
#ifdef NEONSIM_HAVE_PTHREADS
  for (int i = 0; i < 10; i++) {
    bad += run_at_once(&parts);
  }
#endif
  go_to_extremes(&parts);
  bad += compare_families(&parts, input, wanted);
  bad += compare_strassen(&parts, input, wanted);
  bad += compare_two_passes(&parts, input, wanted);
  bad += compare_network(&parts, NEONSIM_ROUND_FP32, input, wanted);
  mostly_small(&parts);
  bad += compare_families(&parts, input, wanted);
  bad += compare_network(&parts, NEONSIM_ROUND_FP32, input, wanted);
  bad += check_refusals(&parts);
  bad += compare_f32(&parts, input, wanted);
  free(parts.weights);
  free(parts.bias);
  free(parts.scale);
  free(input);
  free(wanted);
  printf("networks: %d differences by", bad);
  const char *name, *missing;
  for (size_t i = 0; neonsim_family_info(i, &name, &missing) == NEONSIM_SUCCESS; i++) {
    printf(missing == NULL ? " %s" : "", name);
  }
  printf("\n");
  return bad != 0;
}
