/* qu8_gemm_xzp_q31 in portable C: raw bytes are multiplied, the zero points come in through the bias and the row sums. */
#include "scalar.h"

enum { KR = 2, SR = 8 };

/* In each full group of SR depths, column n starts 2 * n depths further on (modulo SR): the kernels rotate a instead of
 * broadcasting it. The last, shorter group is in plain order, filled up to a multiple of KR with zeros. */

/* Column n of the tile: two products of the n-th pair of a with the n-th pair of weights. */
NEONSIM_INLINE void add_pairs(uint32_t accumulators[NEONSIM_NR], const uint8_t *a, const uint8_t *w) {
  for (size_t column = 0; column < NEONSIM_NR; column++) {
    accumulators[column] += (uint32_t)(a[KR * column] * w[KR * column] + a[KR * column + 1] * w[KR * column + 1]);
  }
}

static void row_of_tile(size_t kc, const uint8_t *a, const uint8_t *w, uint32_t a_sum, uint32_t accumulators[NEONSIM_NR]) {
  neonsim_read_bias(w, accumulators);
  w += NEONSIM_NR * sizeof(int32_t);
  for (size_t column = 0; column < NEONSIM_NR; column++) {
    accumulators[column] += a_sum;
  }
  for (; kc >= SR; kc -= SR, a += SR) {
    /* The group repeated, so that every rotation of it is a run of bytes. */
    uint8_t repeated[NEONSIM_NR * KR + SR];
    for (size_t i = 0; i < sizeof repeated; i += SR) {
      memcpy(repeated + i, a, SR);
    }
    for (size_t step = 0; step < SR; step += KR, w += NEONSIM_NR * KR) {
      add_pairs(accumulators, repeated + step, w);
    }
  }
  for (size_t k = 0; k < kc; k += KR, w += NEONSIM_NR * KR) {
    uint8_t repeated[NEONSIM_NR * KR];
    for (size_t i = 0; i < sizeof repeated; i += KR) {
      repeated[i] = a[k];
      repeated[i + 1] = k + 1 < kc ? a[k + 1] : 0;
    }
    add_pairs(accumulators, repeated, w);
  }
}

NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__scalar) {
  uint32_t accumulators[1][NEONSIM_NR];
  for (size_t row = 0; row < mr; row++) {
    row_of_tile(kc, a + row * a_stride, w, (uint32_t)a_sum[row], accumulators[0]);
    neonsim_store_tile(1, nr, (const uint32_t(*)[NEONSIM_NR])accumulators, c + row * c_stride, c_stride, params);
  }
}
