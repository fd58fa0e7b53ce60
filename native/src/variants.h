/* Inside the library: kernels as the dispatch table sees them. */
#ifndef NEONSIM_VARIANTS_H
#define NEONSIM_VARIANTS_H

#include "neonsim.h"

/* Argument order is that of the contract, and of the assembly files. */
typedef void (*neonsim_gemm_kernel)(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c,
                                    size_t c_stride, const struct neonsim_q31_params *params);
typedef void (*neonsim_gemm_xzp_kernel)(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum,
                                        const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
typedef void (*neonsim_sumrows_kernel)(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums);

union neonsim_kernel {
  neonsim_gemm_kernel gemm;
  neonsim_gemm_xzp_kernel gemm_xzp;
  neonsim_sumrows_kernel sumrows;
};

struct neonsim_variant {
  struct neonsim_variant_info info;
  union neonsim_kernel kernel;
  uint32_t features; /* all of these bits are needed */
};

/* Bits of the processor's features. */
enum { NEONSIM_FEATURE_NEON = 1 };
uint32_t neonsim_cpu_feature_bits(void);

/* The variant of that name (NULL: the default) if it can be called. */
int32_t neonsim_find_variant(int32_t contract, const char *name, const struct neonsim_variant **variant);
/* By index, callable or not. */
const struct neonsim_variant *neonsim_variant_at(size_t index);

/* Arguments of a GEMM of any size, judged; then one tile of it, which must be within the variant's, without another look. */
int32_t neonsim_check_gemm(const struct neonsim_variant *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                           const void *w, const uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_gemm(const struct neonsim_variant *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                      const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_sumrows(const struct neonsim_variant *variant, const uint8_t *a, size_t m, size_t k, size_t stride,
                         int32_t multiplier, int32_t *sums);

#define NEONSIM_DECLARE_GEMM(name)                                                                                            \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c, size_t c_stride, \
            const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_GEMM_XZP(name)                                                                                        \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum, const void *w,         \
            uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_SUMROWS(name) \
  void name(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums)

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__scalar);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__scalar);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__scalar);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__scalar);

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__neon_mlal_lane);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__neon_mlal_lane);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__neon_mull_padal);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__neon);

/* kernels/gemm, one wrapper each (cmake/kernel.S.in), where the target's assembler takes them. */
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__aarch32_neon);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__aarch64_neon_mlal_lane);

#endif
