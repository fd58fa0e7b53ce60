/* Threads that share the work of a run: they wait for the next one spinning for a moment, then asleep.
 *
 * One pool serves the whole process. A run that finds it taken by another thread's run does its work alone: the bytes are the same.
 * Nobody waits for a member to arrive: a late one finds nothing left to do. A run ends when all that arrived have left.
 * After fork the child has none of the parent's threads: it begins with a pool of its own. */
#define _DEFAULT_SOURCE /* clock_gettime, sysconf, sched_yield under -std=c11 */
#include "network/network.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

void neonsim_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ __volatile__("yield");
#endif
}

#ifndef NEONSIM_HAVE_PTHREADS

unsigned neonsim_thread_pool_generation(void) { return 0; }

void neonsim_thread_pool_prepare(void) {}

void neonsim_thread_pool_run(size_t threads, neonsim_thread_pool_member member, void *job) {
  (void)threads;
  member(job, 0);
}

#else

#include <pthread.h>
#include <time.h>

/* Waiting members spin as long as a network's next run may be expected. */
enum { SPIN_NANOSECONDS = 50000, PAUSES_PER_LOOK = 32 };

static struct {
  pthread_mutex_t owner; /* held for the length of a run */
  pthread_mutex_t sleep;
  pthread_cond_t wake;
  size_t started;
  neonsim_thread_pool_member member;
  void *job;
  atomic_size_t wanted; /* members that may still join; they take numbers from here */
  atomic_size_t inside; /* members that have joined and not left */
  atomic_uint run;      /* number of the run; changes when there is work */
  atomic_size_t asleep;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER, .sleep = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static atomic_uint generation;

unsigned neonsim_thread_pool_generation(void) { return atomic_load_explicit(&generation, memory_order_relaxed); }

static void forget_after_fork(void) {
  pthread_mutex_init(&pool.owner, NULL);
  pthread_mutex_init(&pool.sleep, NULL);
  pthread_cond_init(&pool.wake, NULL);
  pool.started = 0;
  atomic_store(&pool.wanted, 0);
  atomic_store(&pool.inside, 0);
  atomic_store(&pool.asleep, 0);
  atomic_fetch_add(&generation, 1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* The number of the run after `seen`. */
static unsigned next_run(unsigned seen) {
  const uint64_t begin = now();
  do {
    for (int i = 0; i < PAUSES_PER_LOOK; i++) {
      if (atomic_load(&pool.run) != seen) {
        return atomic_load(&pool.run);
      }
      neonsim_pause();
    }
  } while (now() - begin < SPIN_NANOSECONDS);
  pthread_mutex_lock(&pool.sleep);
  atomic_fetch_add(&pool.asleep, 1);
  while (atomic_load(&pool.run) == seen) {
    pthread_cond_wait(&pool.wake, &pool.sleep);
  }
  atomic_fetch_sub(&pool.asleep, 1);
  pthread_mutex_unlock(&pool.sleep);
  return atomic_load(&pool.run);
}

static void *serve(void *argument) {
  unsigned seen = (unsigned)(uintptr_t)argument;
  for (;;) {
    seen = next_run(seen);
    /* First inside, then a number: the owner closes the run by taking all numbers, then waits until nobody is inside. */
    atomic_fetch_add(&pool.inside, 1);
    size_t wanted = atomic_load(&pool.wanted);
    while (wanted != 0 && !atomic_compare_exchange_weak(&pool.wanted, &wanted, wanted - 1)) {
    }
    if (wanted != 0) {
      pool.member(pool.job, wanted);
    }
    atomic_fetch_sub(&pool.inside, 1);
  }
  return NULL;
}

static void notice_forks(void) { pthread_atfork(NULL, NULL, forget_after_fork); }

void neonsim_thread_pool_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, notice_forks);
}

static void start_members(size_t count) {
  while (pool.started < count) {
    pthread_t id;
    if (pthread_create(&id, NULL, serve, (void *)(uintptr_t)atomic_load(&pool.run)) != 0) {
      return; /* fewer than asked for is no error */
    }
    pthread_detach(id);
    pool.started++;
  }
}

void neonsim_thread_pool_run(size_t threads, neonsim_thread_pool_member member, void *job) {
  if (threads <= 1 || pthread_mutex_trylock(&pool.owner) != 0) {
    member(job, 0);
    return;
  }
  start_members(neonsim_min(threads, NEONSIM_MAX_MEMBERS) - 1);
  pool.member = member;
  pool.job = job;
  atomic_store(&pool.wanted, neonsim_min(neonsim_min(threads, NEONSIM_MAX_MEMBERS) - 1, pool.started));
  atomic_fetch_add(&pool.run, 1);
  if (atomic_load(&pool.asleep) != 0) {
    pthread_mutex_lock(&pool.sleep);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.sleep);
  }
  member(job, 0);
  /* A store and the load after it must not change places. QEMU lets STLR and LDAR do so; nobody lets an exchange. */
  (void)atomic_exchange(&pool.wanted, 0);
  while (atomic_load(&pool.inside) != 0) {
    neonsim_pause();
  }
  pthread_mutex_unlock(&pool.owner);
}

#endif
