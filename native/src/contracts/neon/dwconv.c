/* Depthwise convolutions and averages of int8 in NEON intrinsics, eight channels at a time; nothing outside the rows is read. */
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

NEONSIM_INLINE void average_rows(size_t m, size_t n, const uint8_t *x, size_t x_stride, uint8_t *y,
                                 const struct neonsim_mean_params *p) {
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

/* MUL16: taps and weights widened to 16 bits, products added to 32-bit sums. MUL8: products of bytes, each added by itself.
 * MLA8: two taps added up in 16 bits before (weights are -127..127, so they fit). */
enum technique { MUL16, MUL8, MLA8 };

NEONSIM_INLINE struct sums times(enum technique technique, struct sums sums, int8x8_t x, int8x8_t w, int8x8_t x2, int8x8_t w2) {
  if (technique == MUL16) {
    const int16x8_t wide = vmovl_s8(x), weights = vmovl_s8(w);
    return (struct sums){vmlal_s16(sums.low, vget_low_s16(wide), vget_low_s16(weights)),
                         vmlal_s16(sums.high, vget_high_s16(wide), vget_high_s16(weights))};
  }
  int16x8_t products = vmull_s8(x, w);
  products = technique == MLA8 ? vmlal_s8(products, x2, w2) : products;
  return (struct sums){vaddw_s16(sums.low, vget_low_s16(products)), vaddw_s16(sums.high, vget_high_s16(products))};
}

/* Weights: per block of `lanes` channels their int32 biases, taps, and with has_scales their scales. */
NEONSIM_INLINE void convolve(enum technique technique, size_t lanes, size_t taps, int has_scales, size_t channels,
                             size_t output_width, const void *const *input, const uint8_t *w, uint8_t *output, size_t input_stride,
                             size_t output_increment, size_t input_offset, const void *zero, const void *params) {
  const size_t behind = lanes * sizeof(int32_t), block_bytes = behind + lanes * taps + (has_scales ? lanes * sizeof(float) : 0);
  const size_t step = technique == MLA8 ? 2 : 1;
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    for (size_t c = 0; c < channels; c += 8) {
      const uint8_t *block = w + c / lanes * block_bytes, *weights = block + behind + c % lanes;
      int32_t bias[8];
      memcpy(bias, block + c % lanes * sizeof(int32_t), sizeof bias);
      struct sums sums = {vld1q_s32(bias), vld1q_s32(bias + 4)};
      for (size_t tap = 0; tap < taps; tap += step) {
        int8x8_t x[2] = {vdup_n_s8(0), vdup_n_s8(0)}, y[2] = {vdup_n_s8(0), vdup_n_s8(0)};
        for (size_t i = 0; i < step && tap + i < taps; i++) {
          const uint8_t *row = input[tap + i];
          row = row == (const uint8_t *)zero ? row : row + input_offset;
          x[i] = some_of(row + c, channels - c);
          y[i] = vld1_s8((const int8_t *)weights + (tap + i) * lanes);
        }
        sums = times(technique, sums, x[0], y[0], x[1], y[1]);
      }
      uint8x8_t bytes;
      if (has_scales) {
        const struct neonsim_qc8w_params *p = params;
        float scales[8];
        memcpy(scales, block + behind + taps * lanes + c % lanes * sizeof(float), sizeof scales);
        bytes = neonsim_narrow_signed_neon(neonsim_scale_fp32_neon(sums.low, vld1q_f32(scales)),
                                           neonsim_scale_fp32_neon(sums.high, vld1q_f32(scales + 4)), p->output_zero_point,
                                           p->output_min, p->output_max);
      } else {
        const struct neonsim_rndnu_gemm_params *p = params;
        bytes = neonsim_narrow_signed_neon(neonsim_scale_rndnu_neon(sums.low, p->multiplier, p->pre_shift, p->post_shift),
                                           neonsim_scale_rndnu_neon(sums.high, p->multiplier, p->pre_shift, p->post_shift),
                                           p->output_zero_point, p->output_min, p->output_max);
      }
      neonsim_store_columns(output + c, bytes, channels - c);
    }
    input = (const void *const *)((const char *)input + input_stride);
    output += channels + output_increment;
  }
}

#define DEPTHWISE(technique, lanes, taps, has_scales, name)                                                                    \
  NEONSIM_DECLARE_CHANNELWISE(neonsim_##name) {                                                                                \
    convolve(technique, lanes, taps, has_scales, channels, output_width, input, w, output, input_stride, output_increment,     \
             input_offset, zero, params);                                                                                      \
  }
#define EVERY_TILE(technique, word)                                              \
  DEPTHWISE(technique, 16, 9, 0, qs8_dwconv_rndnu_16x9__neon_##word)             \
  DEPTHWISE(technique, 8, 9, 0, qs8_dwconv_rndnu_8x9__neon_##word)               \
  DEPTHWISE(technique, 8, 25, 0, qs8_dwconv_rndnu_8x25__neon_##word)             \
  DEPTHWISE(technique, 16, 9, 1, qs8_qc8w_dwconv_fp32_16x9__neon_##word)         \
  DEPTHWISE(technique, 8, 9, 1, qs8_qc8w_dwconv_fp32_8x9__neon_##word)           \
  DEPTHWISE(technique, 8, 25, 1, qs8_qc8w_dwconv_fp32_8x25__neon_##word)

EVERY_TILE(MUL16, mul16)
EVERY_TILE(MUL8, mul8)
EVERY_TILE(MLA8, mla8)
