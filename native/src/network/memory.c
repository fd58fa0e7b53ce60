/* Memory of networks: all of it comes from here, aligned, zero, and with room around it that kernels may read. */
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

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
