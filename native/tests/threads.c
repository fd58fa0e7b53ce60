/* What the library promises of threads: runs of one network follow each other, networks live side by side, the child of a fork runs
 * on. Built with NEONSIM_SANITIZE_THREADS, races are seen too. */
#define _DEFAULT_SOURCE /* fork, alarm under -std=c11 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "neonsim_network.h"

#if !defined(NEONSIM_HAVE_PTHREADS) || defined(_WIN32)

int test_threads(void) {
  printf("threads: there are none here\n");
  return 0;
}

#else

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 8, RUNS = 12, SIDE = 40, CHANNELS = 32, BYTES = SIDE * SIDE * CHANNELS, FORKS = 10, PATIENCE = 60 };

/* The thread sanitizer takes threads that a child starts for those of its parent: under it children run alone. */
#if defined(__has_feature)
#define UNDER_CLANG_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_CLANG_TSAN 0
#endif
#if defined(__SANITIZE_THREAD__) || UNDER_CLANG_TSAN
enum { CHILDREN_START_THREADS = 0 };
#else
enum { CHILDREN_START_THREADS = 1 };
#endif

/* a <- a + b: every run leaves its mark, so that none is lost and none runs into another. */
static struct neonsim_network *counter(void) {
  const struct neonsim_layer layer = {.kind = NEONSIM_LAYER_ADD,
                                      .batch = 1,
                                      .input_height = SIDE,
                                      .input_width = SIDE,
                                      .input_channels = CHANNELS,
                                      .output_height = SIDE,
                                      .output_width = SIDE,
                                      .output_channels = CHANNELS,
                                      .kernel_height = 1,
                                      .kernel_width = 1,
                                      .stride_height = 1,
                                      .stride_width = 1,
                                      .dilation_height = 1,
                                      .dilation_width = 1,
                                      .groups = 1,
                                      .input_stride = CHANNELS,
                                      .second_stride = CHANNELS,
                                      .output_stride = CHANNELS,
                                      .second = BYTES,
                                      .output_max = 255,
                                      .rounding = NEONSIM_ROUND_UP,
                                      .multiplier = 1 << 10,
                                      .second_multiplier = 1 << 10,
                                      .shift = 10};
  struct neonsim_network *network = NULL;
  if (neonsim_network_create(&layer, 1, 2 * BYTES, NULL, &network, NULL) != NEONSIM_SUCCESS) {
    return NULL;
  }
  memset(neonsim_network_arena(network), 3, BYTES);
  memset(neonsim_network_arena(network) + BYTES, 1, BYTES);
  return network;
}

/* Bytes of the sum that are not what so many runs leave. */
static int wrong(struct neonsim_network *network, int runs) {
  int bad = 0;
  for (size_t i = 0; i < BYTES; i++) {
    bad += neonsim_network_arena(network)[i] != 3 + runs;
  }
  return bad != 0;
}

static atomic_int failures, stop;

static void *run_one(void *network) {
  for (size_t i = 0; i < RUNS; i++) {
    failures += neonsim_network_run(network, 1 + i % 3, NULL) != NEONSIM_SUCCESS;
  }
  return NULL;
}

/* What each moves in is what it moves out, doubled and more: nobody comes between. */
static void *run_between(void *network) {
  uint8_t mine[2 * BYTES];
  memset(mine, 3, BYTES);
  memset(mine + BYTES, 1, BYTES);
  const struct neonsim_transfer both[] = {{0, SIDE * SIDE, CHANNELS, CHANNELS, 0, mine},
                                          {BYTES, SIDE * SIDE, CHANNELS, CHANNELS, 0, mine + BYTES},
                                          {0, SIDE * SIDE, CHANNELS, CHANNELS, 0, mine}};
  for (int i = 0; i < RUNS; i++) {
    failures += neonsim_network_run_bound(network, both, 2, 1, 1 + (size_t)i % 3, NULL) != NEONSIM_SUCCESS;
    for (size_t at = 0; at < BYTES; at++) {
      failures += mine[at] != 4 + i;
    }
  }
  return NULL;
}

/* Networks, matrices and questions of one's own. */
static void *live(void *nothing) {
  (void)nothing;
  for (int i = 0; i < RUNS; i++) {
    struct neonsim_network *network = counter();
    if (network == NULL) {
      failures++;
      continue;
    }
    for (int run = 0; run < 3; run++) {
      failures += neonsim_network_run(network, 3, NULL) != NEONSIM_SUCCESS;
    }
    failures += wrong(network, 3);
    neonsim_network_destroy(network);
    enum { M = 13, N = 11, K = 9 };
    uint8_t a[M * K], c[M * N], w[16 * (4 + K)] = {0};
    memset(a, 1, sizeof a);
    memset(c, 0, sizeof c);
    const struct neonsim_q31_params params = {0x40000000, 0, 7, 255, 0, 0, 0, {0, 0}};
    failures += neonsim_gemm_qu8_q31("qu8_gemm_q31_4x8__scalar", M, N, K, a, K, w, c, N, &params, 3) != NEONSIM_SUCCESS;
    for (size_t at = 0; at < sizeof c; at++) {
      failures += c[at] != 7;
    }
    size_t index;
    failures += neonsim_default_variant(NEONSIM_U8_CLAMP, &index) != NEONSIM_SUCCESS || neonsim_cpu_features() == NULL;
  }
  return NULL;
}

static void at_once(void *(*work)(void *), void *argument) {
  pthread_t ids[WORKERS];
  for (size_t i = 0; i < WORKERS; i++) {
    if (pthread_create(&ids[i], NULL, work, argument) != 0) {
      fprintf(stderr, "threads: there is no room for %d threads\n", (int)WORKERS);
      exit(2);
    }
  }
  for (size_t i = 0; i < WORKERS; i++) {
    pthread_join(ids[i], NULL);
  }
}

static _Atomic size_t members = 1;

static void *run_on(void *network) {
  while (!stop) {
    neonsim_network_run(network, members, NULL);
  }
  return NULL;
}

/* The child has neither the thread that runs nor the team that helps it, and both networks are to run. */
static int forked(struct neonsim_network *busy, struct neonsim_network *idle, size_t threads) {
  const pid_t child = fork();
  if (child == 0) {
    threads = CHILDREN_START_THREADS ? threads : 1;
    alarm(PATIENCE);
    memset(neonsim_network_arena(busy), 3, BYTES);
    memset(neonsim_network_arena(idle), 3, BYTES);
    for (int i = 0; i < 2; i++) {
      neonsim_network_run(busy, threads, NULL);
      neonsim_network_run(idle, threads, NULL);
    }
    struct neonsim_network *own = counter();
    neonsim_network_run(own, threads, NULL);
    const int bad = wrong(busy, 2) + wrong(idle, 2) + wrong(own, 1);
    neonsim_network_destroy(own);
    _exit(bad);
  }
  int status = 1;
  return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void fork_meanwhile(size_t threads) {
  struct neonsim_network *busy = counter(), *idle = counter();
  pthread_t other;
  stop = 0;
  members = threads;
  if (busy == NULL || idle == NULL || pthread_create(&other, NULL, run_on, busy) != 0) {
    failures++;
    return;
  }
  int bad = 0;
  for (int i = 0; i < FORKS && !bad; i++) {
    usleep(2000);
    bad = forked(busy, idle, threads);
  }
  if (bad) {
    fprintf(stderr, "threads: the child of a fork does not run on, with %d threads\n", (int)threads);
  }
  failures += bad;
  stop = 1;
  pthread_join(other, NULL);
  neonsim_network_destroy(busy);
  neonsim_network_destroy(idle);
}

int test_threads(void) {
  fork_meanwhile(1); /* before any team was needed */
  at_once(live, NULL);
  struct neonsim_network *common = counter();
  at_once(run_one, common);
  failures += wrong(common, WORKERS * RUNS);
  at_once(run_between, common);
  neonsim_network_destroy(common);
  fork_meanwhile(3);
  printf("threads: %d failures\n", (int)failures);
  return failures != 0;
}

#endif
