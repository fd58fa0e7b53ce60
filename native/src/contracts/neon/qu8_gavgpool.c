/* qu8_gavgpool and qu8_gavgpool_mp in NEON intrinsics: the sum of the rows, eight channels at a time. */
#include "contracts/neon/pooling.h"

/* `zero` fills up passes of the assembly kernels; here every row is real, and sums stay in registers. */
NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                                 const struct neonsim_average_pool_params *params) {
  for (size_t channel = 0; channel < n; channel += 8) {
    struct neonsim_accumulators sums = neonsim_zero_accumulators();
    for (size_t row = 0; row < m; row++) {
      neonsim_add_row(&sums, neonsim_load_some(x + row * x_stride + channel, n - channel));
    }
    neonsim_store_columns(y + channel, neonsim_average_neon(sums, params), n - channel);
  }
}

NEONSIM_KERNEL(gavgpool, qu8_gavgpool_8x7__neon) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(gavgpool, qu8_gavgpool_8x__neon) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(gavgpool_mp, qu8_gavgpool_mp_8x7__neon) {
  (void)zero;
  (void)buffer;
  average_rows(m, n, x, x_stride, y, params);
}
