/* qu8_gemm_q31 in NEON intrinsics: widen to 16 bits, multiply-accumulate long by lane. The twin of the assembly kernels. */
#include "contracts/neon/tile.h"

NEONSIM_INLINE void tile(const size_t rows, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const uint8_t *w,
                         uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  const uint8_t *pa[NEONSIM_NEON_ROWS];
  for (size_t row = 0; row < rows; row++) {
    /* Surplus rows repeat the last one: computed for nothing, stored nowhere. */
    pa[row] = a + (row < mr ? row : mr - 1) * a_stride;
  }
  int32x4_t vacc[NEONSIM_NEON_ROWS][2];
  w = neonsim_start_rows(rows, w, vacc);
  neonsim_multiply_rows(rows, kc, pa, w, vdup_n_u8(params->w_zero_point), vacc);
  neonsim_store_rows(rows, mr, nr, vacc, c, c_stride, params);
}

NEONSIM_KERNEL(gemm, qu8_gemm_q31_8x8__neon_mlal_lane) { tile(8, mr, nr, kc, a, a_stride, w, c, c_stride, params); }

NEONSIM_KERNEL(gemm, qu8_gemm_q31_4x8__neon_mlal_lane) { tile(4, mr, nr, kc, a, a_stride, w, c, c_stride, params); }
