/* qs8_avgpool, qs8_avgpool_rndna, qs8_gavgpool and qs8_gavgpool_mp in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

struct sums {
  int32x4_t low, high;
};

NEONSIM_INLINE struct sums plus(struct sums sums, int8x8_t row) {
  const int16x8_t wide = vmovl_s8(row);
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(wide)), vaddw_s16(sums.high, vget_high_s16(wide))};
}

/* Scaled with one rounding, ties up; saturated, zero point added, within limits. */
NEONSIM_INLINE void store_means(uint8_t *y, struct sums sums, const struct neonsim_mean_params *p, size_t n) {
  const int32x4_t low = neonsim_scale_rndnu_neon(sums.low, p->multiplier, p->pre_shift, p->post_shift);
  const int32x4_t high = neonsim_scale_rndnu_neon(sums.high, p->multiplier, p->pre_shift, p->post_shift);
  neonsim_store_columns(y, neonsim_narrow_signed_neon(low, high, p->output_zero_point, p->output_min, p->output_max), n);
}

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(size_t rows, size_t n, size_t ks, size_t kc, const void *const *input, const uint8_t *zero,
                                    uint8_t *y, size_t x_increment, size_t y_increment, const struct neonsim_mean_params *p) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 8) {
      struct sums sums = {vdupq_n_s32(p->bias), vdupq_n_s32(p->bias)};
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sums = plus(sums, neonsim_load_some_signed(from + c, kc - c));
      }
      store_means(y + c, sums, p, kc - c);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_8x9__neon) {
  average_windows(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_8x__neon) {
  average_windows(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                                 const struct neonsim_mean_params *p) {
  for (size_t c = 0; c < n; c += 8) {
    struct sums sums = {vdupq_n_s32(p->bias), vdupq_n_s32(p->bias)};
    for (size_t row = 0; row < m; row++) {
      sums = plus(sums, neonsim_load_some_signed(x + row * x_stride + c, n - c));
    }
    store_means(y + c, sums, p, n - c);
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

/* Windows again, scaled with one rounding, ties away from zero. */
NEONSIM_INLINE void average_windows_away(size_t rows, size_t n, size_t ks, size_t kc, const void *const *input, const uint8_t *zero,
                                         uint8_t *y, size_t x_increment, size_t y_increment,
                                         const struct neonsim_avgpool_params *p) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 8) {
      struct sums sums = {vdupq_n_s32(p->bias), vdupq_n_s32(p->bias)};
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sums = plus(sums, neonsim_load_some_signed(from + c, kc - c));
      }
      const int32x4_t low = neonsim_scale_exact_neon(sums.low, p->multiplier, p->left_shift);
      const int32x4_t high = neonsim_scale_exact_neon(sums.high, p->multiplier, p->left_shift);
      neonsim_store_columns(y + c, neonsim_narrow_signed_neon(low, high, p->output_zero_point, p->output_min, p->output_max),
                            kc - c);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_rndna_8x9__neon) {
  average_windows_away(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_KERNEL(window_mean, qs8_avgpool_rndna_8x__neon) {
  average_windows_away(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}
