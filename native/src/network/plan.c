/* Planning and running: layers are checked and packed once; a run walks over them, its threads sharing the tasks of each. */
#define _DEFAULT_SOURCE /* clock_gettime, sysconf, sched_yield under -std=c11 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if !defined(_WIN32)
#include <sched.h>
#include <unistd.h>
#endif

#include "network.h"

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

static void *(*allocate)(size_t) = malloc;
static void (*release)(void *) = free;

void neonsim_set_allocator(void *(*new_allocate)(size_t), void (*new_release)(void *)) {
  allocate = new_allocate == NULL ? malloc : new_allocate;
  release = new_release == NULL ? free : new_release;
}

/* The address that `allocate` gave lies in front of the slack. */
void *neonsim_allocate(size_t bytes) {
  if (bytes > PTRDIFF_MAX - 4 * NEONSIM_SLACK) {
    return NULL;
  }
  const size_t whole = bytes + 3 * NEONSIM_SLACK;
  unsigned char *memory = allocate(whole);
  if (memory == NULL) {
    return NULL;
  }
  memset(memory, 0, whole);
  unsigned char *start = memory + 2 * NEONSIM_SLACK - (uintptr_t)memory % NEONSIM_LINE;
  memcpy(start - NEONSIM_SLACK, &memory, sizeof memory);
  return start;
}

void neonsim_release(void *memory) {
  if (memory != NULL) {
    void *given;
    memcpy(&given, (unsigned char *)memory - NEONSIM_SLACK, sizeof given);
    release(given);
  }
}

/* ---- planning ----------------------------------------------------------------------------------------------------------- */

struct neonsim_network {
  const struct neonsim_family *family;
  uint8_t *arena;
  struct neonsim_step *steps;
  size_t count, packed_bytes, scratch_bytes;
  uint8_t *scratch; /* [NEONSIM_MOST_MEMBERS at most][scratch_bytes] */
  size_t members;
  /* One run at a time; 0 free, else 1 + the generation that took it. */
  atomic_uint taken;
  struct progress *progress; /* [count] */
  struct slice *slices;      /* [count][members] */
};

/* Of a layer in a run, and of one member's part of it; each on a line of its own. */
struct progress {
  _Alignas(64) atomic_size_t done; /* tasks */
};

struct slice {
  _Alignas(64) atomic_size_t next; /* task, from the slice's first */
};

int32_t neonsim_plan_requant(struct neonsim_step *step, double limit) {
  const struct neonsim_layer *layer = &step->layer;
  struct neonsim_requant *requant = &step->requant;
  *requant = (struct neonsim_requant){
      .zero_point = (int16_t)layer->output_zero_point, .min = (uint8_t)layer->output_min, .max = (uint8_t)layer->output_max,
      .multiplier = layer->multiplier, .shift = layer->shift,
  };
  if (limit >= 1073741824.0) {
    return NEONSIM_SIZE_TOO_LARGE; /* sums and half a unit more must fit int32 */
  }
  if (layer->rounding == NEONSIM_ROUND_FP32) {
    if (layer->scale == NULL) {
      return NEONSIM_NULL_POINTER;
    }
    if (layer->scales != 1 && layer->scales != layer->output_channels) {
      return NEONSIM_INVALID_PARAMETER;
    }
    for (size_t i = 0; i < layer->scales; i++) {
      /* What the product of sum and scale may be without leaving int32. */
      if (!(layer->scale[i] > 0) || limit * layer->scale[i] > 1073741824.0) {
        return NEONSIM_INVALID_PARAMETER;
      }
    }
    requant->finish = FINISH_FP32;
    return NEONSIM_SUCCESS;
  }
  if (layer->rounding != NEONSIM_ROUND_Q31 || layer->multiplier < 0x40000000 || layer->shift < 0 || layer->shift > 31) {
    return NEONSIM_INVALID_PARAMETER;
  }
  /* Sum, multiplier and what is added must be floats without rounding; zero points have 8 bits. */
  const int exact = limit < 16777216.0 && (layer->multiplier & 0x7f) == 0 && layer->shift + 1 + 8 <= 24;
  requant->finish = exact ? FINISH_Q31_FLOAT : FINISH_Q31;
  if (exact) {
    const float half = (float)layer->output_zero_point + 0.5f, bit = layer->shift == 0 ? 0 : ldexpf(1, -layer->shift - 1);
    requant->positive = half + bit;
    requant->negative = half - bit;
  }
  return NEONSIM_SUCCESS;
}

/* Pixels x channels at `offset`: do they lie in the arena? */
static int32_t check_tensor(uint64_t offset, uint64_t pixels, uint32_t channels, uint32_t stride, size_t arena_bytes) {
  if (pixels == 0 || channels == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (stride < channels) {
    return NEONSIM_STRIDE_TOO_SMALL;
  }
  const uint64_t before_last = pixels - 1;
  if (offset > arena_bytes || channels > arena_bytes || before_last > arena_bytes / stride ||
      before_last * stride + channels > arena_bytes - offset) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  return NEONSIM_SUCCESS;
}

static int is_byte(int32_t value) { return value >= 0 && value <= 255; }

#define CHECK(expression)                   \
  do {                                      \
    const int32_t status_ = (expression);   \
    if (status_ != NEONSIM_SUCCESS) {       \
      return status_;                       \
    }                                       \
  } while (0)

static int32_t check_layer(const struct neonsim_layer *layer, size_t arena_bytes) {
  enum { MOST = 1 << 20 };
  const uint32_t sizes[] = {layer->batch, layer->input_height, layer->input_width, layer->input_channels, layer->output_height,
                            layer->output_width, layer->output_channels, layer->kernel_height, layer->kernel_width,
                            layer->stride_height, layer->stride_width, layer->dilation_height, layer->dilation_width, layer->groups};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i] == 0) {
      return NEONSIM_ZERO_SIZE;
    }
    if (sizes[i] > MOST) {
      return NEONSIM_SIZE_TOO_LARGE;
    }
  }
  if (layer->kind < 0 || layer->kind >= NEONSIM_LAYER_KINDS || layer->pad_top > MOST || layer->pad_left > MOST) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const uint64_t before = (uint64_t)layer->batch * layer->input_height, after = (uint64_t)layer->batch * layer->output_height;
  if (before > UINT32_MAX || after > UINT32_MAX || (uint64_t)layer->kernel_height * layer->kernel_width > MOST) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  CHECK(check_tensor(layer->input, before * layer->input_width, layer->input_channels, layer->input_stride, arena_bytes));
  CHECK(check_tensor(layer->output, after * layer->output_width, layer->output_channels, layer->output_stride, arena_bytes));
  if (!is_byte(layer->input_zero_point) || !is_byte(layer->output_zero_point) || !is_byte(layer->output_min) ||
      !is_byte(layer->output_max) || layer->output_min > layer->output_max) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const int multiplies = layer->kind == NEONSIM_LAYER_CONV || layer->kind == NEONSIM_LAYER_DEPTHWISE;
  if (multiplies) {
    if (layer->weights == NULL) {
      return NEONSIM_NULL_POINTER;
    }
    const int wrong_groups = layer->input_channels % layer->groups != 0 || layer->output_channels % layer->groups != 0 ||
                             (layer->kind == NEONSIM_LAYER_DEPTHWISE &&
                              (layer->groups != layer->input_channels || layer->groups != layer->output_channels));
    if (wrong_groups || (layer->weights_signed ? layer->weight_zero_point != 0 : !is_byte(layer->weight_zero_point))) {
      return NEONSIM_INVALID_PARAMETER;
    }
    return NEONSIM_SUCCESS;
  }
  if (layer->input_channels != layer->output_channels || layer->output_channels % layer->groups != 0) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const int same_size = layer->input_height == layer->output_height && layer->input_width == layer->output_width;
  const int windows = layer->kind == NEONSIM_LAYER_AVERAGE || layer->kind == NEONSIM_LAYER_MAX;
  if (windows ? layer->dilation_height != 1 || layer->dilation_width != 1 : !same_size) {
    return NEONSIM_INVALID_PARAMETER;
  }
  if (layer->kind == NEONSIM_LAYER_ADD) {
    const int32_t most = 1 << 22; /* so that no sum leaves int32 */
    if (!is_byte(layer->second_zero_point) || layer->multiplier < -most || layer->multiplier > most ||
        layer->second_multiplier < -most || layer->second_multiplier > most) {
      return NEONSIM_INVALID_PARAMETER;
    }
    CHECK(check_tensor(layer->second, before * layer->input_width, layer->input_channels, layer->second_stride, arena_bytes));
  }
  return NEONSIM_SUCCESS;
}

/* Layers may read and write the same place only where each byte depends on that byte alone. */
static int32_t check_overlap(const struct neonsim_layer *layer) {
  if (layer->kind == NEONSIM_LAYER_ADD) {
    return NEONSIM_SUCCESS;
  }
  const uint64_t before = (uint64_t)layer->batch * layer->input_height * layer->input_width - 1;
  const uint64_t after = (uint64_t)layer->batch * layer->output_height * layer->output_width - 1;
  const uint64_t input_end = layer->input + before * layer->input_stride + layer->input_channels;
  const uint64_t output_end = layer->output + after * layer->output_stride + layer->output_channels;
  /* Parts of one concatenation share a range of addresses but no byte. */
  const int interleaved = layer->input_stride == layer->output_stride && layer->input_stride > layer->input_channels &&
                          layer->output_stride > layer->output_channels;
  const int apart = input_end <= layer->output || output_end <= layer->input;
  return apart || interleaved ? NEONSIM_SUCCESS : NEONSIM_INVALID_PARAMETER;
}

static size_t processors(void) {
#if defined(_SC_NPROCESSORS_ONLN)
  const long found = sysconf(_SC_NPROCESSORS_ONLN);
  return found < 1 ? 1 : neonsim_min((size_t)found, NEONSIM_MOST_MEMBERS);
#else
  return 1;
#endif
}

static int32_t plan_layer(struct neonsim_network *network, struct neonsim_step *step, const struct neonsim_layer *layer,
                          size_t arena_bytes) {
  CHECK(check_layer(layer, arena_bytes));
  CHECK(check_overlap(layer));
  step->layer = *layer;
  step->family = network->family;
  step->arena = network->arena;
  switch (layer->kind) {
    case NEONSIM_LAYER_CONV: CHECK(neonsim_plan_product(step, processors())); break;
    case NEONSIM_LAYER_DEPTHWISE: CHECK(neonsim_plan_depthwise(step)); break;
    default: CHECK(neonsim_plan_simple(step)); break;
  }
  step->layer.weights = NULL;
  step->layer.bias = NULL;
  step->layer.scale = NULL;
  network->packed_bytes += step->packed_bytes + step->zero_bytes;
  network->scratch_bytes = step->scratch_bytes > network->scratch_bytes ? step->scratch_bytes : network->scratch_bytes;
  return NEONSIM_SUCCESS;
}

void neonsim_network_destroy(struct neonsim_network *network) {
  if (network == NULL) {
    return;
  }
  for (size_t i = 0; network->steps != NULL && i < network->count; i++) {
    neonsim_release(network->steps[i].packed);
    neonsim_release(network->steps[i].zeros);
    neonsim_release(network->steps[i].panels);
    neonsim_release(network->steps[i].tap_list);
  }
  neonsim_release(network->steps);
  neonsim_release(network->progress);
  neonsim_release(network->slices);
  neonsim_release(network->scratch);
  neonsim_release(network->arena);
  neonsim_release(network);
}

static int32_t plan_all(struct neonsim_network *network, const struct neonsim_layer *layers, size_t arena_bytes) {
  network->arena = neonsim_allocate(arena_bytes);
  network->steps = neonsim_allocate(network->count * sizeof *network->steps);
  network->members = processors();
  network->progress = neonsim_allocate(network->count * sizeof *network->progress);
  network->slices = neonsim_allocate(network->count * network->members * sizeof *network->slices);
  if (network->arena == NULL || network->steps == NULL || network->progress == NULL || network->slices == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < network->count; i++) {
    CHECK(plan_layer(network, &network->steps[i], &layers[i], arena_bytes));
  }
  network->scratch_bytes = neonsim_ceil_div(network->scratch_bytes, NEONSIM_LINE) * NEONSIM_LINE;
  if (network->scratch_bytes > PTRDIFF_MAX / NEONSIM_MOST_MEMBERS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  network->scratch = neonsim_allocate(network->members * network->scratch_bytes);
  return network->scratch == NULL ? NEONSIM_OUT_OF_MEMORY : NEONSIM_SUCCESS;
}

int32_t neonsim_network_create(const struct neonsim_layer *layers, size_t count, size_t arena_bytes, const char *family,
                               struct neonsim_network **network) {
  if (layers == NULL || network == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  *network = NULL;
  if (count == 0 || arena_bytes == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (count > 1 << 20 || arena_bytes > PTRDIFF_MAX / 2) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  const struct neonsim_family *found;
  CHECK(neonsim_find_family(family, &found));
  struct neonsim_network *made = neonsim_allocate(sizeof *made);
  if (made == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  made->family = found;
  made->count = count;
  const int32_t status = plan_all(made, layers, arena_bytes);
  if (status != NEONSIM_SUCCESS) {
    neonsim_network_destroy(made);
    return status;
  }
  *network = made;
  return NEONSIM_SUCCESS;
}

uint8_t *neonsim_network_arena(struct neonsim_network *network) { return network == NULL ? NULL : network->arena; }

const char *neonsim_network_family(const struct neonsim_network *network) { return network == NULL ? "" : network->family->name; }

size_t neonsim_network_packed_bytes(const struct neonsim_network *network) { return network == NULL ? 0 : network->packed_bytes; }

/* ---- running ------------------------------------------------------------------------------------------------------------ */

struct run {
  struct neonsim_network *network;
  size_t members;
  size_t first, last;
  uint64_t *nanoseconds;
};

static uint64_t now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
#if defined(CLOCK_MONOTONIC)
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* Until every task of a layer is done; on a machine with more threads than processors the others get their turn. */
static void wait_for(const struct progress *progress, size_t tasks) {
  for (unsigned i = 1; atomic_load_explicit(&progress->done, memory_order_acquire) < tasks; i++) {
    neonsim_pause();
#if !defined(_WIN32)
    if (i % 1024 == 0) {
      sched_yield();
    }
#endif
  }
}

/* Takes tasks of a layer while there are any; returns how many it did. A member begins with a slice of its own, the same in every
 * run: the weights there, and the rows that it wrote in the layer before, are in its processor's cache. Then it helps the others. */
static size_t take_tasks(const struct neonsim_step *step, struct slice *slices, size_t members, size_t member, uint8_t *scratch) {
  size_t done = 0;
  for (size_t i = 0; i < members; i++) {
    const size_t owner = (member + i) % members;
    const size_t end = step->tasks * (owner + 1) / members;
    for (size_t task; (task = step->tasks * owner / members +
                              atomic_fetch_add_explicit(&slices[owner].next, 1, memory_order_relaxed)) < end; done++) {
      step->run(step, task, scratch);
    }
  }
  return done;
}

/* Every member walks over all layers and goes on when all tasks of a layer are done. */
static void walk(void *job, size_t member) {
  const struct run *run = job;
  const struct neonsim_network *network = run->network;
  uint8_t *scratch = network->scratch + member * network->scratch_bytes;
  for (size_t i = run->first; i < run->last; i++) {
    const struct neonsim_step *step = &network->steps[i];
    struct progress *progress = &network->progress[i];
    const size_t done = take_tasks(step, network->slices + i * network->members, run->members, member, scratch);
    /* Whoever brings the count to its end notes the time; the others may be there before it is written, the caller is not. */
    if (done != 0 && atomic_fetch_add_explicit(&progress->done, done, memory_order_acq_rel) + done == step->tasks &&
        run->nanoseconds != NULL) {
      run->nanoseconds[i - run->first] = now();
    }
    wait_for(progress, step->tasks);
  }
}

/* Times at which layers were done to times that they took; they were done in order. */
static void differences(uint64_t *times, size_t count, uint64_t before) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t after = times[i];
    times[i] = after - before;
    before = after;
  }
}

/* Alone there is nobody to count for. */
static void walk_alone(const struct run *run) {
  const struct neonsim_network *network = run->network;
  for (size_t i = run->first; i < run->last; i++) {
    const struct neonsim_step *step = &network->steps[i];
    for (size_t task = 0; task < step->tasks; task++) {
      step->run(step, task, network->scratch);
    }
    if (run->nanoseconds != NULL) {
      run->nanoseconds[i - run->first] = now();
    }
  }
}

static void take(struct neonsim_network *network) {
  for (;;) {
    const unsigned mine = 1 + neonsim_team_generation();
    unsigned found = 0;
    if (atomic_compare_exchange_strong(&network->taken, &found, mine)) {
      return;
    }
    /* Taken by a thread of the process that this one was forked from: it will never give it back. */
    if (found != mine && atomic_compare_exchange_strong(&network->taken, &found, mine)) {
      return;
    }
    neonsim_pause();
#if !defined(_WIN32)
    sched_yield();
#endif
  }
}

int32_t neonsim_network_run_part(struct neonsim_network *network, size_t first, size_t last, size_t threads, uint64_t *nanoseconds) {
  if (network == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (threads == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (first > last || last > network->count) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  const size_t members = neonsim_min(threads, network->members);
  struct run run = {network, members, first, last, nanoseconds};
  take(network);
  const uint64_t before = nanoseconds == NULL ? 0 : now();
  if (members == 1) {
    walk_alone(&run);
  } else {
    for (size_t i = first; i < last; i++) {
      atomic_store_explicit(&network->progress[i].done, 0, memory_order_relaxed);
      for (size_t member = 0; member < members; member++) {
        atomic_store_explicit(&network->slices[i * network->members + member].next, 0, memory_order_relaxed);
      }
    }
    neonsim_team_run(members, walk, &run);
  }
  if (nanoseconds != NULL) {
    differences(nanoseconds, last - first, before);
  }
  atomic_store(&network->taken, 0);
  return NEONSIM_SUCCESS;
}

int32_t neonsim_network_run(struct neonsim_network *network, size_t threads, uint64_t *nanoseconds) {
  return neonsim_network_run_part(network, 0, network == NULL ? 0 : network->count, threads, nanoseconds);
}

double neonsim_probe_peak(const char *family, size_t repeats) {
  const struct neonsim_family *found;
  if (neonsim_find_family(family, &found) != NEONSIM_SUCCESS || found->probe == NULL) {
    return 0;
  }
  double best = 0;
  for (size_t i = 0; i < repeats; i++) {
    const uint64_t before = now();
    const double macs = found->probe();
    const uint64_t took = now() - before;
    best = took != 0 && macs / (double)took > best ? macs / (double)took : best;
  }
  return best * 1e9;
}
