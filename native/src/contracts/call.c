/* Any contract, many calls: arguments come as integers and go to the kernel as what its contract says. */
#include "parallel.h"
#include "contracts/variants.h"

struct calls {
  const struct neonsim_variant *variant;
  const uint64_t *arguments; /* [calls][count] */
  size_t count;
};

/* The i-th argument of a call as a size or stride, an address, or an int32. */
#define N(i) ((size_t)v[i])
#define P(i) ((void *)(uintptr_t)v[i])
#define I(i) neonsim_as_int32((uint32_t)v[i])

static int32_t neonsim_as_int32(uint32_t x) { return x <= INT32_MAX ? (int32_t)x : -(int32_t)~x - 1; }

enum calls_by {
#define BY(signature, count, arguments) BY_##signature,
  NEONSIM_EVERY_CALL(BY)
#undef BY
};

/* By enum neonsim_contract. */
static const uint8_t signatures[NEONSIM_CONTRACTS] = {
#define BY(constant, name, signature, swizzle, guarded) [NEONSIM_##constant] = BY_##signature,
    NEONSIM_EVERY_CONTRACT(BY)
#undef BY
};

/* By enum calls_by. */
static const uint8_t counts[] = {
#define COUNT(signature, count, arguments) [BY_##signature] = count,
    NEONSIM_EVERY_CALL(COUNT)
#undef COUNT
};

static void call_one(const struct neonsim_variant *variant, const uint64_t *v) {
  const union neonsim_kernel *k = &variant->kernel;
  switch ((enum calls_by)signatures[variant->info.contract]) {
#define CALL(signature, count, arguments) \
  case BY_##signature: k->signature arguments; break;
    NEONSIM_EVERY_CALL(CALL)
#undef CALL
  }
}

/* Element by element, results may lie exactly where an operand lies, or apart from it: what else they would write over an element
 * that is still to be read, which one depends on the kernel. */
static int over_or_apart(uint64_t y, uint64_t x, uint64_t y_bytes, uint64_t x_bytes) {
  return (y == x && y_bytes == x_bytes) || (y >= x ? y - x >= x_bytes : x - y >= y_bytes);
}

static int operands_fit(enum neonsim_contract contract, const uint64_t *v) {
  const uint64_t n = N(0);
#define OVER(constant, result, operand, element, elements) \
  if (contract == NEONSIM_##constant && !over_or_apart(v[result], v[operand], element * n, element * (uint64_t)(elements))) { \
    return 0; \
  }
  NEONSIM_EVERY_OVERLAP(OVER)
#undef OVER
  return 1;
}

static void run_calls(const void *job, size_t first, size_t last) {
  const struct calls *calls = job;
  for (size_t i = first; i < last; i++) {
    call_one(calls->variant, calls->arguments + i * calls->count);
  }
}

int32_t neonsim_call(const char *name, size_t calls, size_t count, const uint64_t *arguments, size_t threads) {
  if (name == NULL || (arguments == NULL && calls != 0)) {
    return NEONSIM_NULL_POINTER;
  }
  const struct neonsim_variant *variant;
  const int32_t status = neonsim_find_any_variant(name, &variant);
  if (status != NEONSIM_SUCCESS) {
    return status;
  }
  if (count != counts[signatures[variant->info.contract]]) {
    return NEONSIM_INVALID_PARAMETER;
  }
  if (threads == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  for (size_t i = 0; i < calls; i++) {
    if (!operands_fit((enum neonsim_contract)variant->info.contract, arguments + i * count)) {
      return NEONSIM_INVALID_PARAMETER;
    }
  }
  const struct calls job = {variant, arguments, count};
  neonsim_parallel(calls, threads, run_calls, &job);
  return NEONSIM_SUCCESS;
}
