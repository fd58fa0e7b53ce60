/* qu8_sumrows in portable C. */
#include "contracts/scalar/scalar.h"

NEONSIM_KERNEL(sumrows, qu8_sumrows_4x__scalar) {
  for (size_t row = 0; row < m; row++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < k; i++) {
      sum += a[row * stride + i];
    }
    sums[row] = neonsim_as_signed(sum * (uint32_t)multiplier);
  }
}
