/* Runs one tile between guard pages. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call.h"
#include "driver.h"

enum { CANARY = 0xA5 };

/* Room between two pages that fault. */
struct room {
  uint8_t *start;
  size_t size;
};

static struct room new_room(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t size = (((size_t)1 << 17) + page - 1) / page * page;
  uint8_t *map = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || mprotect(map + page, size, PROT_READ | PROT_WRITE) != 0) {
    perror("guard pages");
    exit(2);
  }
  memset(map + page, CANARY, size);
  return (struct room){map + page, size};
}

/* A place of `bytes` bytes; `before` bytes in front of it may be read. Behind it, up to `alignment` - 1 bytes of slack. */
static uint8_t *place(const struct room *room, const void *contents, size_t bytes, size_t before, size_t alignment,
                      enum placement placement) {
  if (bytes + before + alignment > room->size) {
    fprintf(stderr, "a buffer of %zu bytes is more than the driver has room for\n", bytes);
    exit(2);
  }
  const size_t first = (before + alignment - 1) / alignment * alignment;
  uint8_t *data = placement == AT_START ? room->start + first : room->start + (room->size - bytes) / alignment * alignment;
  memcpy(data, contents, bytes);
  return data;
}

enum { REGIONS = 8 };

static struct room *region_room(size_t index) {
  static struct room rooms[REGIONS];
  if (index >= REGIONS) {
    fprintf(stderr, "a call has more than %d regions\n", REGIONS);
    exit(2);
  }
  if (rooms[index].start == NULL) {
    rooms[index] = new_room();
  }
  return &rooms[index];
}

uint8_t *place_region(size_t room, const void *contents, size_t bytes, size_t before, size_t alignment, enum placement placement) {
  return place(region_room(room), contents, bytes, before, alignment, placement);
}

/* Puts the canary back where the data was, and counts what changed: 1 for an input, and each byte of the neighbourhood. */
static uint32_t clear(const struct room *room, uint8_t *data, const void *expected, size_t bytes) {
  enum { NEIGHBORHOOD = 256 };
  uint32_t stray = expected != NULL && memcmp(data, expected, bytes) != 0;
  memset(data, CANARY, bytes);
  const size_t before = (size_t)(data - room->start);
  const size_t behind = room->size - before - bytes;
  uint8_t *last = data + bytes + (behind < NEIGHBORHOOD ? behind : NEIGHBORHOOD);
  for (uint8_t *byte = data - (before < NEIGHBORHOOD ? before : NEIGHBORHOOD); byte < last; byte++) {
    stray += *byte != CANARY;
    *byte = CANARY;
  }
  return stray;
}

uint32_t clear_region(size_t room, uint8_t *data, const void *expected, size_t bytes) {
  return clear(region_room(room), data, expected, bytes);
}

static const struct tile_case *announced;

static void on_fault(int number) {
  if (announced != NULL) {
    fprintf(stderr, "signal %d in %s mr %zu nr %zu kc %zu a_stride %zu c_stride %zu\n", number, announced->variant->info.name,
            announced->mr, announced->nr, announced->kc, announced->a_stride, announced->c_stride);
  }
  _exit(3);
}

void announce(const struct tile_case *tile) {
  if (announced == NULL) {
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    signal(SIGILL, on_fault);
  }
  announced = tile;
}

#if defined(__aarch64__) || defined(__arm__)
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
  return x ^ (x >> 29);
}

/* Fills what is undefined, calls, and compares what must be kept. */
static void call_and_compare(struct call *call, uintptr_t *next, uint64_t poison, struct outcome *outcome) {
  while (next < call->arguments + MAX_ARGUMENTS) {
    *next++ = (uintptr_t)mix(poison + 1);
  }
  for (size_t i = 0; i < KEPT_INTEGERS; i++) {
    call->integers[i] = (uintptr_t)mix(poison + 2 + i);
  }
  for (size_t i = 0; i < KEPT_VECTORS; i++) {
    call->vectors[i] = mix(poison + 100 + i);
  }
  struct call after = *call;
  checked_call(&after);
  for (size_t i = 0; i < KEPT_INTEGERS; i++) {
    outcome->clobbered |= (uint32_t)(after.integers[i] != call->integers[i]) << i;
  }
  for (size_t i = 0; i < KEPT_VECTORS; i++) {
    outcome->clobbered |= (uint32_t)(after.vectors[i] != call->vectors[i]) << (16 + i);
  }
}

void call_any(const struct neonsim_variant *variant, const uint64_t *arguments, size_t count, const char *int32s, uint64_t poison,
              struct outcome *outcome) {
  struct call call = {.poison = poison};
  for (size_t i = 0; i < count; i++) {
    call.arguments[i] = (uintptr_t)arguments[i];
#if defined(__aarch64__)
    if (int32s[i]) {
      call.arguments[i] = (uint32_t)arguments[i] | poison << 32; /* an int32 argument leaves the upper half undefined */
    }
#endif
  }
  (void)int32s;
  memcpy(&call.function, &variant->kernel, sizeof call.function); /* all members of the union are pointers to functions */
  call_and_compare(&call, call.arguments + count, poison, outcome);
}

static void call_kernel(const struct tile_case *t, const uint8_t *a, const uint8_t *w, const int32_t *a_sum, uint8_t *c,
                        const struct neonsim_q31_params *params, uint64_t poison, struct outcome *outcome) {
  struct call call = {.poison = poison};
  uintptr_t *next = call.arguments;
  switch (t->variant->info.contract) {
    case NEONSIM_QU8_SUMROWS: {
      const uintptr_t list[] = {(uintptr_t)a, t->mr, t->kc, t->a_stride, (uint32_t)t->multiplier, (uintptr_t)c};
      memcpy(next, list, sizeof list);
#if defined(__aarch64__)
      next[4] |= poison << 32; /* an int32 argument leaves the upper half undefined */
#endif
      next += sizeof list / sizeof list[0];
      call.function = (void (*)(void))t->variant->kernel.sumrows;
      break;
    }
    case NEONSIM_QU8_GEMM_Q31: {
      const uintptr_t list[] = {t->mr,        t->nr,        t->kc,       (uintptr_t)a,     t->a_stride,
                                (uintptr_t)w, (uintptr_t)c, t->c_stride, (uintptr_t)params};
      memcpy(next, list, sizeof list);
      next += sizeof list / sizeof list[0];
      call.function = (void (*)(void))t->variant->kernel.gemm;
      break;
    }
    default: {
      const uintptr_t list[] = {t->mr,        t->nr,        t->kc,       (uintptr_t)a,     t->a_stride, (uintptr_t)a_sum,
                                (uintptr_t)w, (uintptr_t)c, t->c_stride, (uintptr_t)params};
      memcpy(next, list, sizeof list);
      next += sizeof list / sizeof list[0];
      call.function = (void (*)(void))t->variant->kernel.gemm_xzp;
    }
  }
  call_and_compare(&call, next, poison, outcome);
}
#else
void call_any(const struct neonsim_variant *variant, const uint64_t *arguments, size_t count, const char *int32s, uint64_t poison,
              struct outcome *outcome) {
  (void)int32s;
  (void)poison;
  (void)outcome;
  if (neonsim_call(variant->info.name, 1, count, arguments, 1) != NEONSIM_SUCCESS) {
    fprintf(stderr, "%s does not take %zu arguments\n", variant->info.name, count);
    exit(2);
  }
}

static void call_kernel(const struct tile_case *t, const uint8_t *a, const uint8_t *w, const int32_t *a_sum, uint8_t *c,
                        const struct neonsim_q31_params *params, uint64_t poison, struct outcome *outcome) {
  (void)poison;
  (void)outcome;
  switch (t->variant->info.contract) {
    case NEONSIM_QU8_SUMROWS: t->variant->kernel.sumrows(a, t->mr, t->kc, t->a_stride, t->multiplier, (int32_t *)(void *)c); break;
    case NEONSIM_QU8_GEMM_Q31: t->variant->kernel.gemm(t->mr, t->nr, t->kc, a, t->a_stride, w, c, t->c_stride, params); break;
    default: t->variant->kernel.gemm_xzp(t->mr, t->nr, t->kc, a, t->a_stride, a_sum, w, c, t->c_stride, params);
  }
}
#endif

void run_tile(struct tile_case *t, enum placement placement, uint64_t poison, struct outcome *outcome) {
  static struct room rooms[5];
  if (rooms[0].start == NULL) {
    for (size_t i = 0; i < 5; i++) {
      rooms[i] = new_room();
    }
  }
  announce(t);
  *outcome = (struct outcome){0, 0};
  const int sumrows = t->variant->info.contract == NEONSIM_QU8_SUMROWS;
  const size_t sum_bytes = t->a_sum == NULL ? 0 : t->mr * sizeof(int32_t);
  uint8_t *a = place(&rooms[0], t->a, t->a_bytes, t->variant->info.reads_before, 1, placement);
  uint8_t *w = place(&rooms[1], t->w, t->w_bytes, 0, 4, placement);
  uint8_t *sums = place(&rooms[2], t->a_sum == NULL ? (const void *)"" : t->a_sum, sum_bytes, 0, 4, placement);
  uint8_t *c = place(&rooms[3], t->c, t->c_bytes, 0, sumrows ? 4 : 1, placement);
  uint8_t *params = place(&rooms[4], &t->params, sizeof t->params, 0, 4, placement);
  call_kernel(t, a, w, (const int32_t *)(void *)sums, c, (const struct neonsim_q31_params *)(void *)params, poison, outcome);
  memcpy(t->c, c, t->c_bytes);
  outcome->stray = clear(&rooms[0], a, t->a, t->a_bytes) + clear(&rooms[1], w, t->w, t->w_bytes) +
                   clear(&rooms[2], sums, t->a_sum, sum_bytes) + clear(&rooms[3], c, NULL, t->c_bytes) +
                   clear(&rooms[4], params, &t->params, sizeof t->params);
}
