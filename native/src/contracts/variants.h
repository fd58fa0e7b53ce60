/* Inside the library: kernels as the dispatch table sees them. */
#ifndef NEONSIM_VARIANTS_H
#define NEONSIM_VARIANTS_H

#include "contracts/contracts.h"
#include "contracts/signatures.h"

/* A kernel in C: its definition, and its row in the table of variants (native/cmake/variants.cmake finds the line). */
#define NEONSIM_KERNEL(signature, name) NEONSIM_SIGNATURE_##signature(neonsim_##name)

struct neonsim_variant {
  struct neonsim_variant_info info;
  union neonsim_kernel kernel;
  uint32_t features; /* all of these bits are needed */
};

/* Bits of the processor's features. */
enum {
  NEONSIM_FEATURE_NEON = 1,
  NEONSIM_FEATURE_SSE41 = 2,
  NEONSIM_FEATURE_AVX2 = 4, /* and FMA */
  NEONSIM_FEATURE_AVXVNNI = 8,
  NEONSIM_FEATURE_AVX512VNNI = 16, /* and F, BW, DQ, VL */
  NEONSIM_FEATURE_DOTPROD = 32,
  NEONSIM_FEATURE_I8MM = 64,
  NEONSIM_FEATURE_NEONV8 = 128,  /* Armv8 in 32-bit state: VCVTN and its kin */
  NEONSIM_FEATURE_AMXINT8 = 256, /* and the system lets this process use tiles */
  NEONSIM_FEATURE_SSE2 = 512,
  NEONSIM_FEATURE_AVX512BW = 1024, /* and F, DQ, VL */
  NEONSIM_FEATURE_SIMD128 = 2048   /* of WebAssembly */
};
/* Asked once. Those that the environment variable NEONSIM_WITHOUT names (separated by commas) count as absent, those of NEONSIM_WITH
 * as present if the processor has them after all: not every system tells (32-bit programs under QEMU 7 do not hear of dot products),
 * so on Arm one of their instructions is tried. What it lacks stays absent, and words that name no feature mean nothing. */
uint32_t neonsim_cpu_feature_bits(void);

/* The variant of that name (NULL: the default) if it can be called. */
int32_t neonsim_find_variant(int32_t contract, const char *name, const struct neonsim_variant **variant);
/* The variant of that name, of whatever contract. */
int32_t neonsim_find_any_variant(const char *name, const struct neonsim_variant **variant);
/* By index, callable or not. */
const struct neonsim_variant *neonsim_variant_at(size_t index);

/* Arguments of a GEMM of any size, judged; then one tile of it, which must be within the variant's, without another look. */
int32_t neonsim_check_gemm(const struct neonsim_variant *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                           const void *w, const uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_gemm(const struct neonsim_variant *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                      const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_sumrows(const struct neonsim_variant *variant, const uint8_t *a, size_t m, size_t k, size_t stride,
                         int32_t multiplier, int32_t *sums);

#define NEONSIM_ROW(constant, contract, signature, isa, mr, nr, kr, sr, reads_before, origin, feature, kernel) \
  NEONSIM_KERNEL(signature, kernel);
#include "variant_rows.h"
#undef NEONSIM_ROW

#endif
