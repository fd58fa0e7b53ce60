/* Averages of int8 in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
#include "neon.h"

struct sums {
  int32x4_t low, high;
};

NEONSIM_INLINE struct sums plus(struct sums sums, int8x8_t row) {
  const int16x8_t wide = vmovl_s8(row);
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(wide)), vaddw_s16(sums.high, vget_high_s16(wide))};
}

NEONSIM_INLINE int32x4_t scaled(int32x4_t x, const struct neonsim_mean_params *p) {
  x = vqdmulhq_s32(vqshlq_s32(x, vdupq_n_s32(p->pre_shift)), vdupq_n_s32(p->multiplier));
  return vrshlq_s32(x, vdupq_n_s32(p->post_shift));
}

/* Scaled with one rounding, ties up; saturated, zero point added, within limits. */
NEONSIM_INLINE void store_means(uint8_t *y, struct sums sums, const struct neonsim_mean_params *p, size_t n) {
  const int16x8_t narrow = vcombine_s16(vqmovn_s32(scaled(sums.low, p)), vqmovn_s32(scaled(sums.high, p)));
  const int8x8_t bytes = vqmovn_s16(vqaddq_s16(narrow, vdupq_n_s16(p->output_zero_point)));
  const int8x8_t least = vreinterpret_s8_u8(vdup_n_u8(p->output_min)), most = vreinterpret_s8_u8(vdup_n_u8(p->output_max));
  neonsim_store_columns(y, vreinterpret_u8_s8(vmin_s8(vmax_s8(bytes, least), most)), n);
}

NEONSIM_INLINE int8x8_t some_of(const uint8_t *row, size_t n) { return vreinterpret_s8_u8(neonsim_load_some(row, n)); }

/* rows: how many are in the bias; those that no tap fills are rows of `zero`, which hold the zero point. */
NEONSIM_INLINE void average_windows(size_t rows, size_t n, size_t ks, size_t kc, const void *const *input, const uint8_t *zero,
                                    uint8_t *y, size_t x_increment, size_t y_increment, const struct neonsim_mean_params *p) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 8) {
      struct sums sums = {vdupq_n_s32(p->bias), vdupq_n_s32(p->bias)};
      for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = row < ks ? input[row] : zero;
        sums = plus(sums, some_of(from + c, kc - c));
      }
      store_means(y + c, sums, p, kc - c);
    }
    input = (const void *const *)((const char *)input + x_increment);
    y += kc + y_increment;
  }
}

NEONSIM_DECLARE_WINDOW_MEAN(neonsim_qs8_avgpool_8x9__neon) {
  average_windows(9, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_DECLARE_WINDOW_MEAN(neonsim_qs8_avgpool_8x__neon) {
  average_windows(ks, n, ks, kc, input, zero, y, x_increment, y_increment, params);
}

NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y, const struct neonsim_mean_params *p) {
  for (size_t c = 0; c < n; c += 8) {
    struct sums sums = {vdupq_n_s32(p->bias), vdupq_n_s32(p->bias)};
    for (size_t row = 0; row < m; row++) {
      sums = plus(sums, some_of(x + row * x_stride + c, n - c));
    }
    store_means(y + c, sums, p, n - c);
  }
}

NEONSIM_DECLARE_MEAN(neonsim_qs8_gavgpool_8x7__neon) {
  (void)zero;
  average_rows(m, n, x, x_stride, y, params);
}

NEONSIM_DECLARE_MEAN_MP(neonsim_qs8_gavgpool_mp_8x7__neon) {
  (void)zero;
  (void)buffer; /* the sums of eight channels stay in registers */
  average_rows(m, n, x, x_stride, y, params);
}
