/* What the parts of the test driver share. */
#ifndef NEONSIM_TEST_DRIVER_H
#define NEONSIM_TEST_DRIVER_H

#include "contracts/variants.h"

/* One call of one kernel. Buffers are the caller's; the kernel gets copies between pages that must not be touched. */
struct tile_case {
  const struct neonsim_variant *variant;
  size_t mr, nr, kc, a_stride, c_stride;
  size_t a_bytes, w_bytes, c_bytes;
  int32_t multiplier; /* of qu8_sumrows */
  struct neonsim_q31_params params;
  const uint8_t *a, *w;
  const int32_t *a_sum;
  uint8_t *c; /* before the call what the output holds, after it what was written */
};

enum placement { AT_START, AT_END }; /* of the buffers, next to the forbidden page before or behind them */

struct outcome {
  uint32_t clobbered; /* bit i: i-th callee-saved integer register; bit 16 + i: d(8 + i) */
  uint32_t stray;     /* bytes changed in front of or behind the output, or in an input */
};

void run_tile(struct tile_case *tile, enum placement placement, uint64_t poison, struct outcome *outcome);
/* Says on stderr what a memory fault from now on belongs to. */
void announce(const struct tile_case *tile);
const struct neonsim_variant *variant_named(const char *name);
/* Why the variant cannot be called here, or NULL. */
const char *variant_missing(const struct neonsim_variant *variant);

int check_arguments(void);
int test_networks(void);
int run_saved(const char *family, size_t threads);
int fuzz(uint64_t seed, size_t count);
int test_threads(void);
int sweep(uint32_t seed, const char *only);
int serve_cases(const char *path);
int serve_calls(const char *path);
/* A place between pages that fault, of its own for each `room`; see run.c. */
uint8_t *place_region(size_t room, const void *contents, size_t bytes, size_t before, size_t alignment, enum placement placement);
uint32_t clear_region(size_t room, uint8_t *data, const void *expected, size_t bytes);
/* One call with arguments as integers, undefined registers poisoned and saved ones compared (on Arm). */
void call_any(const struct neonsim_variant *variant, const uint64_t *arguments, size_t count, const char *int32s, uint64_t poison,
              struct outcome *outcome);

#endif
