/* Random layers: every family that runs here against the portable one, alone and shared among threads, several networks at once. */
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

enum { ARENA = 1 << 20, MOST_WEIGHTS = 1 << 18, MOST_CHANNELS = 1 << 10 };

struct parts {
  uint8_t *weights;
  int32_t *bias;
  float *scale;
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
  layer.shift = (int32_t)draw(14);
  layer.scales = draw(2) ? 1 : layer.output_channels;
  layer.scale = parts->scale;
  layer.weights = parts->weights;
  layer.bias = draw(2) ? parts->bias : NULL;
  return layer;
}

/* Runs `layer` by a family and compares the arena with `wanted`, or keeps it there. */
static int run(const struct neonsim_layer *layer, const char *family, size_t threads, const uint8_t *input, uint8_t *wanted, int keep) {
  struct neonsim_network *network;
  const int32_t status = neonsim_network_create(layer, 1, ARENA, family, &network);
  if (status != NEONSIM_SUCCESS) {
    fprintf(stderr, "%s: %s\n", family, neonsim_status_text(status));
    return 1;
  }
  uint8_t *arena = neonsim_network_arena(network);
  memcpy(arena, input, ARENA);
  neonsim_network_run(network, threads, NULL);
  const int differs = !keep && memcmp(arena, wanted, ARENA) != 0;
  if (keep) {
    memcpy(wanted, arena, ARENA);
  }
  if (differs) {
    fprintf(stderr, "%s with %u threads differs from scalar: kind %d, %ux%ux%u -> %u channels, window %u\n", family, (unsigned)threads,
            layer->kind, layer->input_height, layer->input_width, layer->input_channels, layer->output_channels, layer->kernel_height);
  }
  neonsim_network_destroy(network);
  return differs;
}

static int compare_families(const struct parts *parts, const uint8_t *input, uint8_t *wanted) {
  int bad = 0;
  for (int i = 0; i < 60; i++) {
    const struct neonsim_layer layer = any_layer(parts);
    bad += run(&layer, "scalar", 1, input, wanted, 1);
    const char *name, *missing;
    for (size_t family = 0; neonsim_family_info(family, &name, &missing) == NEONSIM_SUCCESS; family++) {
      for (size_t threads = 1; missing == NULL && threads <= 3; threads++) {
        bad += run(&layer, name, threads, input, wanted, 0);
      }
    }
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
  }
  return NULL;
}

static int run_at_once(const struct parts *parts) {
  const struct neonsim_layer layer = any_layer(parts);
  struct neonsim_network *networks[3];
  for (size_t i = 0; i < 3; i++) {
    if (neonsim_network_create(&layer, 1, ARENA, NULL, &networks[i]) != NEONSIM_SUCCESS) {
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

int test_networks(void) {
  const struct parts parts = {malloc(MOST_WEIGHTS * 4), calloc(MOST_CHANNELS, sizeof(int32_t)), calloc(MOST_CHANNELS, sizeof(float))};
  uint8_t *input = malloc(ARENA), *wanted = malloc(ARENA);
  if (parts.weights == NULL || parts.bias == NULL || parts.scale == NULL || input == NULL || wanted == NULL) {
    fprintf(stderr, "out of memory\n");
    return 2;
  }
  for (size_t i = 0; i < MOST_WEIGHTS * 4; i++) {
    parts.weights[i] = (uint8_t)draw(256);
  }
  for (size_t i = 0; i < MOST_CHANNELS; i++) {
    parts.bias[i] = (int32_t)draw(4000) - 2000;
    parts.scale[i] = 0.0001f * (float)(1 + draw(500));
  }
  for (size_t i = 0; i < ARENA; i++) {
    input[i] = (uint8_t)draw(256);
  }
  int bad = compare_families(&parts, input, wanted);
#ifdef NEONSIM_HAVE_PTHREADS
  for (int i = 0; i < 10; i++) {
    bad += run_at_once(&parts);
  }
#endif
  free(parts.weights);
  free(parts.bias);
  free(parts.scale);
  free(input);
  free(wanted);
  printf("networks: %d differences\n", bad);
  return bad != 0;
}
