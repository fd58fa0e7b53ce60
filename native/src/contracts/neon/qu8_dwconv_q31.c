/* qu8_dwconv_q31 and qu8_dwconv_mp_q31 in NEON intrinsics: every channel with its own taps, eight channels at a time. */
#include "contracts/neon/neon.h"

struct sums {
  int32x4_t low, high;
};

NEONSIM_INLINE struct sums sums_at(const void *bytes) {
  int32_t values[8];
  memcpy(values, bytes, sizeof values);
  return (struct sums){vld1q_s32(values), vld1q_s32(values + 4)};
}

/* Eight channels, or the n that are left: acc += sum over taps of (x - a_zero_point) * (w - w_zero_point). */
NEONSIM_INLINE struct sums add_taps(struct sums acc, size_t taps, size_t n, const uint8_t *const *input, size_t channel,
                                    const uint8_t *w, uint8x8_t a_zero_point, uint8x8_t w_zero_point) {
  for (size_t tap = 0; tap < taps; tap++, w += 8) {
    const int16x8_t vx = vreinterpretq_s16_u16(vsubl_u8(neonsim_load_some(input[tap] + channel, n), a_zero_point));
    const int16x8_t vw = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point));
    acc.low = vmlal_s16(acc.low, vget_low_s16(vx), vget_low_s16(vw));
    acc.high = vmlal_s16(acc.high, vget_high_s16(vx), vget_high_s16(vw));
  }
  return acc;
}

NEONSIM_KERNEL(dwconv, qu8_dwconv_q31_8x9__neon_mlal) {
  enum { TAPS = 9 };
  const uint8x8_t w_zero_point = vdup_n_u8(params->w_zero_point);
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    const uint8_t *block = w;
    for (size_t channel = 0; channel < channels; channel += 8) {
      /* The zero point of the input is folded into the bias. */
      const struct sums acc = add_taps(sums_at(block), TAPS, channels - channel, input, channel, block + 8 * sizeof(int32_t),
                                       vdup_n_u8(0), w_zero_point);
      block += 8 * sizeof(int32_t) + 8 * TAPS;
      neonsim_store_columns(output + channel, neonsim_requantize_q31_neon(acc.low, acc.high, params), channels - channel);
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels + output_increment;
  }
}

/* The taps in passes; between two of them the sums of all channels are kept in `buffer`. Both zero points are subtracted here. */
NEONSIM_INLINE void several_passes(const size_t *passes, size_t count, size_t channels, size_t output_width,
                                   const uint8_t *const *input, const void *w, int32_t *buffer, uint8_t *output,
                                   size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params) {
  const uint8x8_t a_zero_point = vdup_n_u8(params->a_zero_point), w_zero_point = vdup_n_u8(params->w_zero_point);
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    const uint8_t *weights = w;
    const uint8_t *const *taps = input;
    for (size_t pass = 0; pass < count; pass++) {
      for (size_t channel = 0; channel < channels; channel += 8) {
        struct sums acc;
        if (pass == 0) {
          acc = sums_at(weights);
          weights += 8 * sizeof(int32_t);
        } else {
          acc = sums_at(buffer + channel);
        }
        acc = add_taps(acc, passes[pass], channels - channel, taps, channel, weights, a_zero_point, w_zero_point);
        weights += 8 * passes[pass];
        if (pass + 1 < count) {
          vst1q_s32(buffer + channel, acc.low);
          vst1q_s32(buffer + channel + 4, acc.high);
        } else {
          neonsim_store_columns(output + channel, neonsim_requantize_q31_neon(acc.low, acc.high, params), channels - channel);
        }
      }
      taps += passes[pass];
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels + output_increment;
  }
}

NEONSIM_KERNEL(dwconv_mp, qu8_dwconv_mp_q31_8x25__neon_mlal) {
  static const size_t passes[] = {10, 10, 5};
  several_passes(passes, 3, channels, output_width, input, w, buffer, output, input_stride, output_increment, params);
}

NEONSIM_KERNEL(dwconv_mp, qu8_dwconv_mp_q31_8x9__neon_mlal) {
  static const size_t passes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  several_passes(passes, 9, channels, output_width, input, w, buffer, output, input_stride, output_increment, params);
}
