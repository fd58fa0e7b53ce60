/* qu8_conv_q31 in NEON intrinsics: the product of qu8_gemm_q31 over rows that pointers find, tap after tap. */
#include "contracts/neon/tile.h"

NEONSIM_INLINE void convolve(const size_t rows, size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a,
                             const uint8_t *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  const uint8x8_t w_zero_point = vdup_n_u8(params->w_zero_point);
  int32x4_t vacc[NEONSIM_NEON_ROWS][2];
  w = neonsim_start_rows(rows, w, vacc);
  for (size_t tap = 0; tap < ks; tap++) {
    /* The table has a pointer for every row of the tile: surplus ones repeat the last. */
    w = neonsim_multiply_rows(rows, kc, a + tap * rows, w, w_zero_point, vacc);
  }
  neonsim_store_rows(rows, mr, nr, vacc, c, c_stride, params);
}

NEONSIM_KERNEL(conv, qu8_conv_q31_8x8__neon_mlal_lane) { convolve(8, mr, nr, kc, ks, a, w, c, c_stride, params); }

NEONSIM_KERNEL(conv, qu8_conv_q31_4x8__neon_mlal_lane) { convolve(4, mr, nr, kc, ks, a, w, c, c_stride, params); }
