/* qu8_gemm_xzp_q31 in portable C: raw bytes are multiplied, the zero points come in through the bias and the row sums. */
#include "scalar.h"

enum { KR = 2, SR = 8 };

/* In each full group of SR depths, column n starts 2 * n depths further on (modulo SR): the kernels rotate a instead of
 * broadcasting it. The last, shorter group is in plain order, filled up to a multiple of KR with zeros. */
static void row_of_tile(size_t kc, const uint8_t *a, const uint8_t *w, uint32_t a_sum, uint32_t accumulators[NEONSIM_NR]) {
  neonsim_read_bias(w, accumulators);
  w += NEONSIM_NR * sizeof(int32_t);
  for (size_t column = 0; column < NEONSIM_NR; column++) {
    accumulators[column] += a_sum;
  }
  size_t k = 0;
  for (; kc - k >= SR; k += SR) {
    for (size_t step = 0; step < SR; step += KR) {
      for (size_t column = 0; column < NEONSIM_NR; column++) {
        const uint8_t *pair = a + k + (step + KR * column) % SR;
        accumulators[column] += (uint32_t)(pair[0] * w[KR * column] + pair[1] * w[KR * column + 1]);
      }
      w += NEONSIM_NR * KR;
    }
  }
  for (; k < kc; k += KR) {
    for (size_t column = 0; column < NEONSIM_NR; column++) {
      accumulators[column] += (uint32_t)(a[k] * w[KR * column]);
      if (k + 1 < kc) {
        accumulators[column] += (uint32_t)(a[k + 1] * w[KR * column + 1]);
      }
    }
    w += NEONSIM_NR * KR;
  }
}

NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__scalar) {
  uint32_t accumulators[1][NEONSIM_NR];
  for (size_t row = 0; row < mr; row++) {
    row_of_tile(kc, a + row * a_stride, w, (uint32_t)a_sum[row], accumulators[0]);
    neonsim_store_tile(1, nr, (const uint32_t(*)[NEONSIM_NR])accumulators, c + row * c_stride, c_stride, params);
  }
}
