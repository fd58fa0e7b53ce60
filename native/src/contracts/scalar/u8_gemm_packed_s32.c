/* u8_gemm_packed_s32 in portable C: both sides in cells of four by two depths, raw products. */
#include "contracts/scalar/scalar.h"

enum { CELL = 4, DEPTHS = 2, ROWS = 12 };

NEONSIM_INLINE void tile(size_t columns, size_t k, const uint8_t *a, const uint8_t *w, int32_t *c, size_t c_stride,
                         size_t accumulate) {
  for (size_t column = 0; column < columns; column++) {
    int32_t *out = (int32_t *)(void *)((char *)c + column * c_stride);
    uint32_t sums[ROWS] = {0};
    for (size_t pair = 0; pair < k / DEPTHS; pair++) {
      for (size_t depth = 0; depth < DEPTHS; depth++) {
        const uint8_t weight = w[((pair * (columns / CELL) + column / CELL) * DEPTHS + depth) * CELL + column % CELL];
        for (size_t row = 0; row < ROWS; row++) {
          sums[row] += (uint32_t)(weight * a[((pair * (ROWS / CELL) + row / CELL) * DEPTHS + depth) * CELL + row % CELL]);
        }
      }
    }
    for (size_t row = 0; row < ROWS; row++) {
      out[row] = neonsim_as_signed(sums[row] + (accumulate ? (uint32_t)out[row] : 0));
    }
  }
}

NEONSIM_KERNEL(gemm_packed_s32, u8_gemm_packed_s32_12x4__scalar) {
  (void)columns;
  tile(4, k, a, w, c, c_stride, accumulate);
}

NEONSIM_KERNEL(gemm_packed_s32, u8_gemm_packed_s32_12x8__scalar) {
  (void)columns;
  tile(8, k, a, w, c, c_stride, accumulate);
}
