/* A network from a file, run by any family: how whole networks of the Python side run under QEMU.
 *
 *   char[4]  "NSN1"
 *   u32      layers
 *   u64      bytes of the arena
 *   per layer   the fields of struct neonsim_layer in front of its pointers, which lie alike on all hosts,
 *               then u32 scales, u32 bytes of weights, u32 biases, and as much data
 *   the arena before the run
 *
 * The arena after it goes to standard output. Integers are little-endian. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "neonsim_network.h"

enum { FIXED = offsetof(struct neonsim_layer, scales) + sizeof(uint32_t), MAX_LAYERS = 1024, MAX_BYTES = 1 << 28 };

/* Memory of as many bytes of the file, NULL at its end. */
static void *take(size_t bytes) {
  void *memory = bytes > MAX_BYTES ? NULL : malloc(bytes + 1);
  if (memory != NULL && fread(memory, 1, bytes, stdin) == bytes) {
    return memory;
  }
  free(memory);
  return NULL;
}

/* Layers are kept to the end of the process. */
static int read_layer(struct neonsim_layer *layer) {
  uint32_t counts[3];
  memset(layer, 0, sizeof *layer);
  if (fread(layer, FIXED, 1, stdin) != 1 || fread(counts, sizeof counts, 1, stdin) != 1) {
    return 0;
  }
  const void *scale = take(counts[0] * sizeof(float)), *weights = take(counts[1]), *bias = take(counts[2] * sizeof(int32_t));
  if (scale == NULL || weights == NULL || bias == NULL) {
    return 0;
  }
  layer->scale = counts[0] == 0 ? NULL : scale;
  layer->weights = counts[1] == 0 ? NULL : weights;
  layer->bias = counts[2] == 0 ? NULL : bias;
  return 1;
}

int run_saved(const char *family, size_t threads) {
  char magic[4];
  uint32_t count;
  uint64_t arena_bytes;
  if (fread(magic, sizeof magic, 1, stdin) != 1 || memcmp(magic, "NSN1", 4) != 0 || fread(&count, sizeof count, 1, stdin) != 1 ||
      fread(&arena_bytes, sizeof arena_bytes, 1, stdin) != 1 || count > MAX_LAYERS || arena_bytes > MAX_BYTES) {
    fprintf(stderr, "not a network: it does not begin with NSN1, or is too large\n");
    return 2;
  }
  struct neonsim_layer *layers = calloc(count, sizeof *layers);
  for (size_t i = 0; i < count; i++) {
    if (layers == NULL || !read_layer(&layers[i])) {
      fprintf(stderr, "the file ends within a layer\n");
      return 2;
    }
  }
  void *before = take((size_t)arena_bytes);
  if (before == NULL) {
    fprintf(stderr, "the file ends within the arena\n");
    return 2;
  }
  struct neonsim_network *network;
  const int32_t status = neonsim_network_create(layers, count, (size_t)arena_bytes, family, &network, NULL);
  if (status != NEONSIM_SUCCESS) {
    fprintf(stderr, "%s: %s\n", family, neonsim_status_text(status));
    return 2;
  }
  memcpy(neonsim_network_arena(network), before, (size_t)arena_bytes);
  neonsim_network_run(network, threads, NULL);
  const int written = fwrite(neonsim_network_arena(network), 1, (size_t)arena_bytes, stdout) == arena_bytes;
  neonsim_network_destroy(network);
  free(before);
  return written ? 0 : 2;
}
