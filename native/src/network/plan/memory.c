/* Memory of networks: all of it comes from here, aligned, zero, and with room around it that kernels may read. */
#define _DEFAULT_SOURCE /* madvise under -std=c11 */
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "network/network.h"

static void *(*allocate)(size_t) = malloc;
static void (*release)(void *) = free;

void neonsim_set_allocator(void *(*new_allocate)(size_t), void (*new_release)(void *)) {
  allocate = new_allocate == NULL ? malloc : new_allocate;
  release = new_release == NULL ? free : new_release;
}

/* Large memory in large pages, before its first touch: weights pass through once a run, and a page of 4096 bytes holds eight rows of a
 * panel. Only advice: nothing depends on it. */
static void ask_for_large_pages(unsigned char *memory, size_t bytes) {
#if defined(MADV_HUGEPAGE)
  enum { PAGE = 4096, LARGE = 2 << 20 };
  if (allocate == malloc && bytes >= 2 * (size_t)LARGE) {
    const size_t before = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    (void)madvise(memory + before, (bytes - before) / PAGE * PAGE, MADV_HUGEPAGE);
  }
#else
  (void)memory;
  (void)bytes;
#endif
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
  ask_for_large_pages(memory, whole);
  memset(memory, 0, whole);
  unsigned char *start = memory + 2 * NEONSIM_SLACK - (uintptr_t)memory % NEONSIM_LINE;
  memcpy(start - NEONSIM_SLACK, &memory, sizeof memory);
  return start;
}

int32_t neonsim_allocate_step(struct neonsim_step *step, size_t packed_bytes, size_t zero_bytes, int32_t zero_point) {
  step->packed_bytes = packed_bytes;
  step->zero_bytes = zero_bytes;
  step->packed = packed_bytes == 0 ? NULL : neonsim_allocate(packed_bytes);
  step->zeros = zero_bytes == 0 ? NULL : neonsim_allocate(zero_bytes);
  if ((packed_bytes != 0 && step->packed == NULL) || (zero_bytes != 0 && step->zeros == NULL)) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  if (zero_bytes != 0) {
    memset(step->zeros, zero_point, zero_bytes);
  }
  return NEONSIM_SUCCESS;
}

void neonsim_release(void *memory) {
  if (memory != NULL) {
    void *given;
    memcpy(&given, (unsigned char *)memory - NEONSIM_SLACK, sizeof given);
    release(given);
  }
}
