/* qu8_gemm_xzp_q31 in portable C: raw bytes are multiplied, the zero points come in through the bias and the row sums.
 *
 * The assembly rotates a and multiplies it by rotated weights. Compilers make nothing good of that; here the weights are put
 * back into plain order, some depths at a time, and multiplied like those of qu8_gemm_q31.
 */
#include "contracts/scalar/scalar.h"

enum { KR = 2, SR = 8, PAIRS = SR / KR, CHUNK = 16 * SR };

/* Depths are packed in pairs. In each full group of SR depths, column n begins with the n-th pair (modulo PAIRS) and goes round;
 * the last, shorter group is in plain order. */
static void unpack(size_t kc, const uint8_t *w, uint8_t plain[CHUNK][NEONSIM_NR]) {
  const size_t whole = kc - kc % SR;
  for (size_t k = 0; k < kc; k++) {
    const uint8_t *pairs = w + (k < whole ? k - k % SR : k - k % KR) * NEONSIM_NR;
    for (size_t column = 0; column < NEONSIM_NR; column++) {
      const size_t step = k < whole ? (k / KR - column) % PAIRS : 0;
      plain[k][column] = pairs[(step * NEONSIM_NR + column) * KR + k % KR];
    }
  }
}

NEONSIM_INLINE void rows_at_a_time(size_t step, size_t *row, size_t mr, size_t depths, const uint8_t *a, size_t a_stride,
                                   const uint8_t *plain, uint32_t accumulators[][NEONSIM_NR]) {
  for (; mr - *row >= step; *row += step) {
    neonsim_multiply_tile(step, depths, a + *row * a_stride, a_stride, plain, 0, accumulators + *row);
  }
}

NEONSIM_KERNEL(gemm_xzp, qu8_gemm_xzp_q31_4x8c2__scalar) {
  uint32_t accumulators[4][NEONSIM_NR];
  for (size_t row = 0; row < mr; row++) {
    neonsim_read_bias(w, accumulators[row]);
    for (size_t column = 0; column < NEONSIM_NR; column++) {
      accumulators[row][column] += (uint32_t)a_sum[row];
    }
  }
  const uint8_t *weights = (const uint8_t *)w + NEONSIM_NR * sizeof(int32_t);
  for (size_t k = 0; k < kc; k += CHUNK) {
    uint8_t plain[CHUNK][NEONSIM_NR];
    const size_t depths = kc - k < CHUNK ? kc - k : CHUNK;
    unpack(depths, weights + k * NEONSIM_NR, plain);
    size_t row = 0;
    rows_at_a_time(4, &row, mr, depths, a + k, a_stride, plain[0], accumulators);
    rows_at_a_time(1, &row, mr, depths, a + k, a_stride, plain[0], accumulators);
  }
  neonsim_store_tile(mr, nr, (const uint32_t (*)[NEONSIM_NR])accumulators, c, c_stride, params);
}
