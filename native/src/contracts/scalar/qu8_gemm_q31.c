/* qu8_gemm_q31 in portable C: the definition every faster variant is judged by. */
#include "contracts/scalar/scalar.h"

/* A constant number of rows lets the compiler keep the accumulators in registers. */
NEONSIM_INLINE void rows_at_a_time(size_t step, size_t *row, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                                   const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  for (; mr - *row >= step; *row += step) {
    const uint8_t *weights = (const uint8_t *)w + NEONSIM_NR * sizeof(int32_t);
    uint32_t accumulators[4][NEONSIM_NR];
    for (size_t i = 0; i < step; i++) {
      neonsim_read_bias(w, accumulators[i]);
    }
    neonsim_multiply_tile(step, kc, a + *row * a_stride, a_stride, weights, params->w_zero_point, accumulators);
    neonsim_store_tile(step, nr, (const uint32_t (*)[NEONSIM_NR])accumulators, c + *row * c_stride, c_stride, params);
  }
}

NEONSIM_KERNEL(gemm, qu8_gemm_q31_4x8__scalar) {
  neonsim_qu8_gemm_q31_8x8__scalar(mr, nr, kc, a, a_stride, w, c, c_stride, params);
}

NEONSIM_KERNEL(gemm, qu8_gemm_q31_8x8__scalar) {
  size_t row = 0;
  rows_at_a_time(4, &row, mr, nr, kc, a, a_stride, w, c, c_stride, params);
  rows_at_a_time(1, &row, mr, nr, kc, a, a_stride, w, c, c_stride, params);
}
