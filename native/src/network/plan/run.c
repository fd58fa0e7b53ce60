/* Running: the threads of a run walk over the layers together and share the tasks of each. */
#define _DEFAULT_SOURCE /* clock_gettime, sched_yield under -std=c11 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if !defined(_WIN32)
#include <sched.h>
#endif

#include "network/plan/plan.h"

uint64_t neonsim_now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
#if defined(CLOCK_MONOTONIC)
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

struct run {
  struct neonsim_network *network;
  size_t members;
  size_t first, last;
  uint64_t *nanoseconds;
  uint64_t *idle, begun; /* NULL, or [last - first][members]: see neonsim_network_run_watched */
};

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
    for (size_t task;
         (task = step->tasks * owner / members + atomic_fetch_add_explicit(&slices[owner].next, 1, memory_order_relaxed)) < end;
         done++) {
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
  const uint64_t late = run->idle == NULL ? 0 : neonsim_now() - run->begun;
  for (size_t i = run->first; i < run->last; i++) {
    const struct neonsim_step *step = &network->steps[i];
    if (step->tasks == 0) {
      continue;
    }
    struct progress *progress = &network->progress[i];
    const size_t done = take_tasks(step, network->slices + i * network->members, run->members, member, scratch);
    /* The thread that brings the count to its end notes the time, of before: the next layer may be done while this thread is held up, and no
     * layer may seem to be done after it. The others may be there before it is written, the caller is not. */
    const uint64_t finished = run->nanoseconds == NULL ? 0 : neonsim_now();
    if (done != 0 && atomic_fetch_add_explicit(&progress->done, done, memory_order_acq_rel) + done == step->tasks &&
        run->nanoseconds != NULL) {
      run->nanoseconds[i - run->first] = finished;
    }
    if (run->idle == NULL) {
      wait_for(progress, step->tasks);
      continue;
    }
    const uint64_t nothing_left = neonsim_now();
    wait_for(progress, step->tasks);
    const uint64_t waited = neonsim_now() - nothing_left + (i == run->first ? late : 0);
    run->idle[(i - run->first) * run->members + member] = done == 0 ? UINT64_MAX : waited;
  }
}

/* Times at which layers were done to times that they took; they were done in order. Who is joined to another has noted none. */
static void differences(const struct neonsim_step *steps, uint64_t *times, size_t count, uint64_t before) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t after = steps[i].tasks == 0 ? before : times[i];
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
      run->nanoseconds[i - run->first] = neonsim_now();
    }
  }
}

static void take(struct neonsim_network *network) {
  for (;;) {
    const unsigned mine = 1 + neonsim_thread_pool_generation();
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

static void give_back(struct neonsim_network *network) { atomic_store(&network->taken, 0); }

/* What layers met in a run. */
static int32_t problem_of(struct neonsim_network *network) {
  return atomic_exchange(&network->not_a_number, 0) ? NEONSIM_NOT_A_NUMBER : NEONSIM_SUCCESS;
}

/* Layers first .. last - 1 of a network that is taken. */
static int32_t run_layers(struct neonsim_network *network, size_t first, size_t last, size_t threads, uint64_t *nanoseconds,
                          uint64_t *idle) {
  const size_t members = neonsim_min(threads, network->members);
  struct run run = {network, members, first, last, nanoseconds, idle, idle == NULL ? 0 : neonsim_now()};
  for (size_t i = 0; idle != NULL && i < (last - first) * members; i++) {
    idle[i] = members == 1 ? 0 : UINT64_MAX;
  }
  atomic_store(&network->not_a_number, 0); /* what a run left that ended with its process */
  if (members == 1) {
    walk_alone(&run);
    return problem_of(network);
  }
  for (size_t i = first; i < last; i++) {
    atomic_store_explicit(&network->progress[i].done, 0, memory_order_relaxed);
    for (size_t member = 0; member < members; member++) {
      atomic_store_explicit(&network->slices[i * network->members + member].next, 0, memory_order_relaxed);
    }
  }
  neonsim_thread_pool_run(members, walk, &run);
  return problem_of(network);
}

static int32_t runs_here(const struct neonsim_network *network) {
  return neonsim_family_missing(network->family) == NULL ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
}

/* idle: see neonsim_network_run_watched, or NULL. */
static int32_t run_part(struct neonsim_network *network, size_t first, size_t last, size_t threads, uint64_t *nanoseconds,
                        uint64_t *idle) {
  if (network == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (threads == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (first > last || last > network->count) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  NEONSIM_CHECK(runs_here(network));
  take(network);
  const uint64_t before = nanoseconds == NULL ? 0 : neonsim_now();
  const int32_t status = run_layers(network, first, last, threads, nanoseconds, idle);
  if (nanoseconds != NULL) {
    differences(network->steps + first, nanoseconds, last - first, before);
  }
  give_back(network);
  return status;
}

int32_t neonsim_network_run_part(struct neonsim_network *network, size_t first, size_t last, size_t threads,
                                 uint64_t *nanoseconds) {
  return run_part(network, first, last, threads, nanoseconds, NULL);
}

size_t neonsim_network_members(const struct neonsim_network *network, size_t threads) {
  return network == NULL ? 0 : neonsim_min(threads, network->members);
}

int32_t neonsim_network_run_watched(struct neonsim_network *network, size_t threads, uint64_t *nanoseconds, uint64_t *idle) {
  if (nanoseconds == NULL || idle == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  return run_part(network, 0, network == NULL ? 0 : network->count, threads, nanoseconds, idle);
}

/* ---- networks side by side ------------------------------------------------------------------------------------------------ */

struct together {
  struct neonsim_network *networks[NEONSIM_MAX_MEMBERS];
  size_t count;
  atomic_size_t next;
};

/* Who comes takes the next network: where nobody else does, one thread does them all. */
static void walk_next(void *job, size_t member) {
  struct together *together = job;
  (void)member;
  for (size_t i; (i = atomic_fetch_add(&together->next, 1)) < together->count;) {
    const struct run run = {together->networks[i], 1, 0, together->networks[i]->count, NULL, NULL, 0};
    walk_alone(&run);
  }
}

static int by_address(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t)*(struct neonsim_network *const *)a, y = (uintptr_t)*(struct neonsim_network *const *)b;
  return (x > y) - (x < y);
}

int32_t neonsim_network_run_together(struct neonsim_network *const *networks, size_t count) {
  if (networks == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (count == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (count > NEONSIM_MAX_MEMBERS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  struct together together = {.count = count};
  memcpy(together.networks, networks, count * sizeof *networks);
  /* Everybody takes networks in one order, so that no two wait for each other. */
  qsort(together.networks, count, sizeof *together.networks, by_address);
  for (size_t i = 0; i < count; i++) {
    if (together.networks[i] == NULL) {
      return NEONSIM_NULL_POINTER;
    }
    if (i != 0 && together.networks[i] == together.networks[i - 1]) {
      return NEONSIM_INVALID_PARAMETER;
    }
    NEONSIM_CHECK(runs_here(together.networks[i]));
  }
  for (size_t i = 0; i < count; i++) {
    take(together.networks[i]);
    atomic_store(&together.networks[i]->not_a_number, 0);
  }
  neonsim_thread_pool_run(count, walk_next, &together);
  int32_t status = NEONSIM_SUCCESS;
  for (size_t i = count; i-- != 0;) {
    const int32_t problem = problem_of(together.networks[i]);
    status = problem != NEONSIM_SUCCESS ? problem : status;
    give_back(together.networks[i]);
  }
  return status;
}

int32_t neonsim_network_run(struct neonsim_network *network, size_t threads, uint64_t *nanoseconds) {
  return neonsim_network_run_part(network, 0, network == NULL ? 0 : network->count, threads, nanoseconds);
}

/* ---- tensors of the caller's -------------------------------------------------------------------------------------------- */

static int32_t check_transfer(const struct neonsim_network *network, const struct neonsim_transfer *transfer) {
  if (transfer->rows == 0 || transfer->row_bytes == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (transfer->memory == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (transfer->stride < transfer->row_bytes) {
    return NEONSIM_STRIDE_TOO_SMALL;
  }
  if (transfer->flips > UINT8_MAX) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const uint64_t bytes = network->arena_bytes;
  const int inside = transfer->offset <= bytes && transfer->row_bytes <= bytes - transfer->offset &&
                     (transfer->rows - 1) <= (bytes - transfer->offset - transfer->row_bytes) / transfer->stride;
  return inside ? NEONSIM_SUCCESS : NEONSIM_SIZE_TOO_LARGE;
}

static void move_bytes(uint8_t *to, const uint8_t *from, size_t count, uint8_t flips) {
  if (flips == 0) {
    memcpy(to, from, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i] ^ flips;
  }
}

static void transfer_rows(const struct neonsim_network *network, const struct neonsim_transfer *transfer, int in) {
  const int dense = transfer->stride == transfer->row_bytes;
  const size_t rows = dense ? 1 : (size_t)transfer->rows;
  const size_t bytes = (size_t)(dense ? transfer->rows * transfer->row_bytes : transfer->row_bytes);
  uint8_t *there = network->arena + transfer->offset, *here = transfer->memory;
  for (size_t row = 0; row < rows; row++, there += transfer->stride, here += bytes) {
    move_bytes(in ? there : here, in ? here : there, bytes, (uint8_t)transfer->flips);
  }
}

int32_t neonsim_network_run_bound(struct neonsim_network *network, const struct neonsim_transfer *transfers, size_t inputs,
                                  size_t results, size_t threads, uint64_t *nanoseconds) {
  if (network == NULL || transfers == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (threads == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (inputs > SIZE_MAX / sizeof *transfers || results > SIZE_MAX / sizeof *transfers - inputs) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  for (size_t i = 0; i < inputs + results; i++) {
    NEONSIM_CHECK(check_transfer(network, &transfers[i]));
  }
  NEONSIM_CHECK(runs_here(network));
  take(network);
  uint64_t times[4] = {nanoseconds == NULL ? 0 : neonsim_now()};
  for (size_t i = 0; i < inputs; i++) {
    transfer_rows(network, &transfers[i], 1);
  }
  times[1] = nanoseconds == NULL ? 0 : neonsim_now();
  const int32_t status = run_layers(network, 0, network->count, threads, NULL, NULL);
  times[2] = nanoseconds == NULL ? 0 : neonsim_now();
  for (size_t i = inputs; status == NEONSIM_SUCCESS && i < inputs + results; i++) {
    transfer_rows(network, &transfers[i], 0);
  }
  if (nanoseconds != NULL) {
    times[3] = neonsim_now();
    for (size_t i = 0; i < 3; i++) {
      nanoseconds[i] = times[i + 1] - times[i];
    }
  }
  give_back(network);
  return status;
}
