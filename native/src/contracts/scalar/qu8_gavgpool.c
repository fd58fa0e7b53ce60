/* qu8_gavgpool and qu8_gavgpool_mp in portable C: the sum of the rows, channel by channel. */
#include "contracts/scalar/pooling.h"

NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                                 const struct neonsim_avgpool_params *params) {
  for (size_t channel = 0; channel < n; channel++) {
    uint32_t sum = 0;
    for (size_t row = 0; row < m; row++) {
      sum += x[row * x_stride + channel];
    }
    y[channel] = neonsim_average(sum, params);
  }
}

/* `zero` fills up passes of vector kernels; here every row is real. */
NEONSIM_KERNEL(gavgpool, qu8_gavgpool_8x7__scalar) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(gavgpool, qu8_gavgpool_8x__scalar) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(gavgpool_mp, qu8_gavgpool_mp_8x7__scalar) {
  (void)zero;
  (void)buffer;
  average_rows(m, n, x, x_stride, y, params);
}
