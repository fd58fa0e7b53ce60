/* qu8_gemm_s32 in portable C, and the tiles of qu8_gemm_q31 that are there for study: any number of columns side by side. */
#include "contracts/scalar/scalar.h"

/* One sum: bias and the products of one row and one column of weights packed in blocks of nr columns. */
NEONSIM_INLINE uint32_t sum_of(size_t nr, size_t column, size_t kc, const uint8_t *a, const uint8_t *w, uint8_t w_zero_point) {
  uint32_t sum;
  memcpy(&sum, w + column * sizeof sum, sizeof sum);
  w += nr * sizeof sum + column;
  for (size_t k = 0; k < kc; k++) {
    sum += (uint32_t)(a[k] * (w[k * nr] - w_zero_point));
  }
  return sum;
}

NEONSIM_INLINE void tile(size_t width, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w,
                         uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  for (size_t row = 0; row < mr; row++) {
    for (size_t column = 0; column < nr; column++) {
      const uint32_t sum = sum_of(width, column, kc, a + row * a_stride, w, params->w_zero_point);
      c[row * c_stride + column] = neonsim_requantize_q31(sum, params);
    }
  }
}

NEONSIM_KERNEL(gemm, qu8_gemm_q31_1x1__scalar) { tile(1, mr, nr, kc, a, a_stride, w, c, c_stride, params); }
NEONSIM_KERNEL(gemm, qu8_gemm_q31_1x8__scalar) { tile(8, mr, nr, kc, a, a_stride, w, c, c_stride, params); }
NEONSIM_KERNEL(gemm, qu8_gemm_q31_6x4__scalar) { tile(4, mr, nr, kc, a, a_stride, w, c, c_stride, params); }

NEONSIM_KERNEL(gemm_s32, qu8_gemm_s32_4x8__scalar) {
  neonsim_qu8_gemm_s32_8x8__scalar(mr, nr, kc, a, a_stride, w, c, c_stride, accumulate, params);
}

NEONSIM_KERNEL(gemm_s32, qu8_gemm_s32_8x8__scalar) {
  for (size_t row = 0; row < mr; row++) {
    int32_t *out = (int32_t *)(void *)((char *)c + row * c_stride);
    uint32_t accumulators[1][NEONSIM_NR];
    neonsim_read_bias(w, accumulators[0]);
    neonsim_multiply_tile(1, kc, a + row * a_stride, a_stride, (const uint8_t *)w + NEONSIM_NR * sizeof(int32_t),
                          params->w_zero_point, accumulators);
    for (size_t column = 0; column < nr; column++) {
      out[column] = neonsim_as_signed(accumulators[0][column] + (accumulate ? (uint32_t)out[column] : 0));
    }
  }
}
