/* The table of variants, and which of them this processor can run. The table is constant; what is chosen is worked out once. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contracts/variants.h"

const char *neonsim_cpu_family(void) {
#if defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#elif defined(__arm__)
  return "arm";
#elif defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__i386__) || defined(_M_IX86)
  return "x86";
#elif defined(__riscv)
  return "riscv";
#elif defined(__wasm__)
  return "wasm";
#else
  return "unknown";
#endif
}

/* ---- the table ------------------------------------------------------------------------------------------------------ */

/* Whether kernels of an origin are compiled in, as CMake says: the function, or why there is none. */
#define KERNEL_SCALAR(member, kernel) {.member = kernel}, NULL
#ifdef NEONSIM_HAVE_NEON
#define KERNEL_NEON(member, kernel) {.member = kernel}, NULL
#else
#define KERNEL_NEON(member, kernel) {NULL}, "not compiled in: NEON intrinsics need an Arm target with NEON"
#endif
#ifdef NEONSIM_HAVE_NEONDOT
#define KERNEL_NEONDOT(member, kernel) {.member = kernel}, NULL
#else
#define KERNEL_NEONDOT(member, kernel) \
  {NULL}, "not compiled in: these intrinsics need an Arm target and a compiler with dot products"
#endif
#ifdef NEONSIM_HAVE_I8MM
#define KERNEL_I8MM(member, kernel) {.member = kernel}, NULL
#else
#define KERNEL_I8MM(member, kernel) \
  {NULL}, "not compiled in: these intrinsics need an Arm target and a compiler with matrix products"
#endif
#ifdef NEONSIM_ASSEMBLY_AARCH32
#define KERNEL_AARCH32(member, kernel) {.member = kernel}, NULL
#else
#define KERNEL_AARCH32(member, kernel) {NULL}, "not compiled in: this assembly needs a 32-bit Arm target with NEON"
#endif
#ifdef NEONSIM_ASSEMBLY_AARCH64
#define KERNEL_AARCH64(member, kernel) {.member = kernel}, NULL
#else
#define KERNEL_AARCH64(member, kernel) {NULL}, "not compiled in: this assembly needs a 64-bit Arm target"
#endif

/* What headers of kernels call a feature. */
enum {
  NEEDS_none = 0,
  NEEDS_neon = NEONSIM_FEATURE_NEON,
  NEEDS_neonv8 = NEEDS_neon | NEONSIM_FEATURE_NEONV8,
  NEEDS_dotprod = NEEDS_neon | NEONSIM_FEATURE_DOTPROD,
  NEEDS_i8mm = NEEDS_neon | NEONSIM_FEATURE_I8MM
};

#define NEONSIM_ROW(constant, contract, signature, isa, mr, nr, kr, sr, reads_before, origin, feature, kernel) \
  ENTRY(KERNEL_##origin(signature, neonsim_##kernel), #kernel, #isa, NEONSIM_##constant, mr, nr, kr, sr, reads_before, #contract, \
        NEEDS_##feature)
/* Another macro, so that the function and what is missing count as two arguments. */
#define ENTRY(...) ENTRY_OF(__VA_ARGS__)
#define ENTRY_OF(function, missing, kernel, isa, constant, mr, nr, kr, sr, reads_before, contract, features) \
  {{kernel, isa, missing, constant, mr, nr, kr, sr, reads_before, contract}, function, features},

static const struct neonsim_variant variants[] = {
#include "variant_rows.h"
};

enum { VARIANTS = sizeof variants / sizeof variants[0], CONTRACTS = NEONSIM_CONTRACTS };

static const char *missing(const struct neonsim_variant *variant) {
  if (variant->info.missing != NULL) {
    return variant->info.missing;
  }
  return (variant->features & ~neonsim_cpu_feature_bits()) ? "this processor has no NEON" : NULL;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

static int32_t choose(int32_t contract, size_t *index) {
  const char *isa = getenv("NEONSIM_ISA");
  const int any = isa == NULL || isa[0] == '\0';
  for (size_t i = 0; i < VARIANTS; i++) {
    const struct neonsim_variant *variant = &variants[i];
    if (variant->info.contract == contract && missing(variant) == NULL && (any || strcmp(variant->info.isa, isa) == 0)) {
      *index = i;
      return NEONSIM_SUCCESS;
    }
  }
  return NEONSIM_UNKNOWN_ISA;
}

int32_t neonsim_default_variant(int32_t contract, size_t *index) {
  /* 0: not chosen yet, else index + 1. Two threads may both choose; they choose the same. */
  static atomic_size_t choice[CONTRACTS];
  if (index == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (contract < 0 || contract >= CONTRACTS) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const size_t known = atomic_load_explicit(&choice[contract], memory_order_relaxed);
  if (known != 0) {
    *index = known - 1;
    return NEONSIM_SUCCESS;
  }
  const int32_t status = choose(contract, index);
  if (status == NEONSIM_SUCCESS) {
    atomic_store_explicit(&choice[contract], *index + 1, memory_order_relaxed);
  }
  return status;
}

int32_t neonsim_find_variant(int32_t contract, const char *name, const struct neonsim_variant **variant) {
  if (name == NULL) {
    size_t index = 0;
    const int32_t status = neonsim_default_variant(contract, &index);
    *variant = &variants[index];
    return status;
  }
  for (size_t i = 0; i < VARIANTS; i++) {
    if (variants[i].info.contract == contract && strcmp(variants[i].info.name, name) == 0) {
      *variant = &variants[i];
      return missing(*variant) == NULL ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
    }
  }
  return NEONSIM_UNKNOWN_VARIANT;
}

int32_t neonsim_find_any_variant(const char *name, const struct neonsim_variant **variant) {
  for (size_t i = 0; i < VARIANTS; i++) {
    if (strcmp(variants[i].info.name, name) == 0) {
      *variant = &variants[i];
      return missing(*variant) == NULL ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
    }
  }
  return NEONSIM_UNKNOWN_VARIANT;
}

const struct neonsim_variant *neonsim_variant_at(size_t index) { return index < VARIANTS ? &variants[index] : NULL; }

size_t neonsim_variant_count(void) { return VARIANTS; }

int32_t neonsim_variant_info(size_t index, struct neonsim_variant_info *info) {
  if (info == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (index >= VARIANTS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  *info = variants[index].info;
  info->missing = missing(&variants[index]);
  return NEONSIM_SUCCESS;
}
