/* qu8_dwconv_q31 and qu8_dwconv_mp_q31 in portable C: every channel with its own taps, eight channels at a time. */
#include "contracts/scalar/scalar.h"

static size_t smaller(size_t x, size_t y) { return x < y ? x : y; }

/* acc[i] += (x - a_zero_point) * (w - w_zero_point) for up to eight channels; w is a row of eight. */
NEONSIM_INLINE void multiply_row(size_t channels, const uint8_t *x, const uint8_t *w, int32_t a_zero_point, int32_t w_zero_point,
                                 uint32_t *accumulators) {
  for (size_t i = 0; i < channels; i++) {
    accumulators[i] += (uint32_t)((x[i] - a_zero_point) * (w[i] - w_zero_point));
  }
}

NEONSIM_KERNEL(dwconv, qu8_dwconv_q31_8x9__scalar) {
  enum { TAPS = 9 };
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    const uint8_t *block = w;
    for (size_t channel = 0; channel < channels; channel += NEONSIM_NR) {
      const size_t lanes = smaller(channels - channel, NEONSIM_NR);
      uint32_t accumulators[NEONSIM_NR];
      neonsim_read_bias(block, accumulators);
      block += NEONSIM_NR * sizeof(int32_t);
      for (size_t tap = 0; tap < TAPS; tap++, block += NEONSIM_NR) {
        /* The zero point of the input is folded into the bias. */
        multiply_row(lanes, input[tap] + channel, block, 0, params->w_zero_point, accumulators);
      }
      for (size_t i = 0; i < lanes; i++) {
        output[channel + i] = neonsim_requantize_q31(accumulators[i], params);
      }
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels + output_increment;
  }
}

/* The taps in passes; between two of them the sums of all channels are kept in `buffer`. Both zero points are subtracted here. */
NEONSIM_INLINE void several_passes(const size_t *passes, size_t count, size_t channels, size_t output_width,
                                   const uint8_t *const *input, const void *w, int32_t *buffer, uint8_t *output,
                                   size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params) {
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    const uint8_t *weights = w;
    const uint8_t *const *taps = input;
    for (size_t pass = 0; pass < count; pass++) {
      for (size_t channel = 0; channel < channels; channel += NEONSIM_NR) {
        uint32_t accumulators[NEONSIM_NR];
        const void *sums = buffer + channel;
        if (pass == 0) {
          sums = weights;
          weights += NEONSIM_NR * sizeof(int32_t);
        }
        neonsim_read_bias(sums, accumulators);
        for (size_t tap = 0; tap < passes[pass]; tap++, weights += NEONSIM_NR) {
          multiply_row(smaller(channels - channel, NEONSIM_NR), taps[tap] + channel, weights, params->a_zero_point,
                       params->w_zero_point, accumulators);
        }
        memcpy(buffer + channel, accumulators, sizeof accumulators);
      }
      taps += passes[pass];
    }
    for (size_t channel = 0; channel < channels; channel++) {
      output[channel] = neonsim_requantize_q31((uint32_t)buffer[channel], params);
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels + output_increment;
  }
}

NEONSIM_KERNEL(dwconv_mp, qu8_dwconv_mp_q31_8x25__scalar) {
  static const size_t passes[] = {10, 10, 5};
  several_passes(passes, 3, channels, output_width, input, w, buffer, output, input_stride, output_increment, params);
}

NEONSIM_KERNEL(dwconv_mp, qu8_dwconv_mp_q31_8x9__scalar) {
  static const size_t passes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  several_passes(passes, 9, channels, output_width, input, w, buffer, output, input_stride, output_increment, params);
}
