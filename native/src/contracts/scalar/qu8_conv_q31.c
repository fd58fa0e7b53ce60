/* qu8_conv_q31 in portable C: the product of qu8_gemm_q31 over rows that pointers find, tap after tap. */
#include "contracts/scalar/scalar.h"

enum { MAX_ROWS = 8 };

NEONSIM_INLINE void convolve(size_t table_rows, size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a, const void *w,
                             uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  const uint8_t *weights = (const uint8_t *)w + NEONSIM_NR * sizeof(int32_t);
  uint32_t accumulators[MAX_ROWS][NEONSIM_NR];
  for (size_t row = 0; row < mr; row++) {
    neonsim_read_bias(w, accumulators[row]);
  }
  for (size_t tap = 0; tap < ks; tap++) {
    for (size_t row = 0; row < mr; row++) {
      neonsim_multiply_tile(1, kc, a[tap * table_rows + row], kc, weights, params->w_zero_point, &accumulators[row]);
    }
    weights += kc * NEONSIM_NR;
  }
  neonsim_store_tile(mr, nr, (const uint32_t (*)[NEONSIM_NR])accumulators, c, c_stride, params);
}

NEONSIM_KERNEL(conv, qu8_conv_q31_4x8__scalar) { convolve(4, mr, nr, kc, ks, a, w, c, c_stride, params); }

NEONSIM_KERNEL(conv, qu8_conv_q31_8x8__scalar) { convolve(8, mr, nr, kc, ks, a, w, c, c_stride, params); }
