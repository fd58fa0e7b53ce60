/* qs8_avgpool, qs8_avgpool_rndna, qs8_gavgpool and qs8_gavgpool_mp in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

struct sums {
  int32x4_t low, high;
};

NEONSIM_INLINE struct sums plus(struct sums sums, int8x8_t row) {
  const int16x8_t wide = vmovl_s8(row);
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(wide)), vaddw_s16(sums.high, vget_high_s16(wide))};
}

/* Of sums without their bias: scaled with one rounding, saturated, zero point added, within limits. */
NEONSIM_INLINE void store_means(int ties_away, uint8_t *y, struct sums sums, const void *params, size_t n) {
  uint8x8_t bytes;
  if (ties_away) {
    const struct neonsim_average_pool_params *p = params;
    const int32x4_t bias = vdupq_n_s32(p->bias);
    const int32x4_t low = neonsim_scale_exact_neon(vaddq_s32(sums.low, bias), p->multiplier, p->left_shift);
    const int32x4_t high = neonsim_scale_exact_neon(vaddq_s32(sums.high, bias), p->multiplier, p->left_shift);
    bytes = neonsim_narrow_signed_neon(low, high, p->output_zero_point, p->output_min, p->output_max);
  } else {
    const struct neonsim_mean_params *p = params;
    const int32x4_t bias = vdupq_n_s32(p->bias);
    const int32x4_t low = neonsim_scale_rndnu_neon(vaddq_s32(sums.low, bias), p->multiplier, p->pre_shift, p->post_shift);
    const int32x4_t high = neonsim_scale_rndnu_neon(vaddq_s32(sums.high, bias), p->multiplier, p->pre_shift, p->post_shift);
    bytes = neonsim_narrow_signed_neon(low, high, p->output_zero_point, p->output_min, p->output_max);
  }
  neonsim_store_columns(y, bytes, n);
}

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(int ties_away, size_t rows, size_t n, size_t ks, size_t kc, const void *const *input,
                                    const uint8_t *zero, uint8_t *y, size_t x_increment, size_t y_increment, const void *params) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 8) {
      struct sums sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sums = plus(sums, neonsim_load_some_signed(from + c, kc - c));
      }
      store_means(ties_away, y + c, sums, params, kc - c);
    }
    input = neonsim_next_pixel(input, x_increment);
    y += kc + y_increment;
  }
}

#define WINDOWS(ties_away, rows, name) \
  NEONSIM_KERNEL(window_mean, name) { \
    average_windows(ties_away, rows, n, ks, kc, input, zero, y, x_increment, y_increment, params); \
  }

WINDOWS(0, 9, qs8_avgpool_8x9__neon)
WINDOWS(0, ks, qs8_avgpool_8x__neon)
WINDOWS(1, 9, qs8_avgpool_rndna_8x9__neon)
WINDOWS(1, ks, qs8_avgpool_rndna_8x__neon)

NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y, const void *params) {
  for (size_t c = 0; c < n; c += 8) {
    struct sums sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (size_t row = 0; row < m; row++) {
      sums = plus(sums, neonsim_load_some_signed(x + row * x_stride + c, n - c));
    }
    store_means(0, y + c, sums, params, n - c);
  }
}

NEONSIM_KERNEL(mean, qs8_gavgpool_8x7__neon) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_KERNEL(mean_mp, qs8_gavgpool_mp_8x7__neon) {
  (void)zero;
  (void)buffer; /* the sums of eight channels stay in registers */
  average_rows(m, n, x, x_stride, y, params);
}
