#include "parallel.h"

#ifdef NEONSIM_HAVE_PTHREADS
#include <pthread.h>
#endif

struct share {
  neonsim_range run;
  const void *job;
  size_t first, last;
};

static void *run_share(void *argument) {
  const struct share *share = argument;
  share->run(share->job, share->first, share->last);
  return NULL;
}

static size_t smaller(size_t x, size_t y) { return x < y ? x : y; }

/* More threads than this help nobody. */
enum { MAX_THREADS = 64 };

/* A thread that cannot be started is no error: the caller does its share. */
void neonsim_parallel(size_t count, size_t threads, neonsim_range run, const void *job) {
  threads = smaller(smaller(threads, MAX_THREADS), count);
  struct share shares[MAX_THREADS];
  for (size_t i = 0; i < threads; i++) {
    shares[i] = (struct share){run, job, count / threads * i + smaller(i, count % threads), 0};
    shares[i].last = shares[i].first + count / threads + (i < count % threads);
  }
#ifdef NEONSIM_HAVE_PTHREADS
  pthread_t ids[MAX_THREADS];
  size_t started = 1;
  while (started < threads && pthread_create(&ids[started], NULL, run_share, &shares[started]) == 0) {
    started++;
  }
#else
  const size_t started = 1;
#endif
  if (threads != 0) {
    run_share(&shares[0]);
  }
  for (size_t i = started; i < threads; i++) {
    run_share(&shares[i]);
  }
#ifdef NEONSIM_HAVE_PTHREADS
  for (size_t i = 1; i < started && i < threads; i++) {
    pthread_join(ids[i], NULL);
  }
#endif
}
