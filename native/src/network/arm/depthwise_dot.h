/* Depthwise convolutions by dot products: bytes of four taps are interleaved so that each lane has its channel's, 16 channels at a time.
 * A file that includes this defines DOT(sums, weights, bytes) of whole registers and BYTES(uint8x16_t), which makes of a pixel's bytes
 * what DOT takes. */
#ifndef NEONSIM_ARM_DEPTHWISE_DOT_H
#define NEONSIM_ARM_DEPTHWISE_DOT_H

#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"

enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK, CHANNELS = 16 };

NEONSIM_INLINE void depthwise_taps(const struct neonsim_depthwise_call *call) {
  const int32_t *bias = call->packed;
  const float *scale = (const float *)call->packed + BLOCK;
  const int8_t *weights = (const int8_t *)call->packed + 8 * BLOCK;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const uint8_t *const *rows = call->rows + pixel * call->taps;
    uint8_t *out = call->out + pixel * call->out_stride;
    for (size_t i = 0; i < call->channels; i += CHANNELS) {
      int32x4_t sums[4];
      for (size_t v = 0; v < 4; v++) {
        sums[v] = vld1q_s32(bias + i + 4 * v);
      }
      for (size_t tap = 0; tap < call->taps; tap += 4) {
        uint8x16_t t[4];
        for (size_t j = 0; j < 4; j++) {
          t[j] = BYTES(vld1q_u8(rows[tap + j] + call->offset + i));
        }
        const uint8x16x2_t t01 = vzipq_u8(t[0], t[1]), t23 = vzipq_u8(t[2], t[3]);
        for (size_t half = 0; half < 2; half++) {
          const uint16x8x2_t four = vzipq_u16(vreinterpretq_u16_u8(t01.val[half]), vreinterpretq_u16_u8(t23.val[half]));
          const int8_t *w = weights + (tap / 4 * BLOCK + i + 8 * half) * 4;
          sums[2 * half] = DOT(sums[2 * half], vld1q_s8(w), vreinterpretq_u8_u16(four.val[0]));
          sums[2 * half + 1] = DOT(sums[2 * half + 1], vld1q_s8(w + 16), vreinterpretq_u8_u16(four.val[1]));
        }
      }
      for (size_t half = 0; half < 2 && i + 8 * half < call->channels; half++) {
        neonsim_store_columns(out + i + 8 * half,
                              finish_bytes_neon(call->requant, sums[2 * half], sums[2 * half + 1], scale + i + 8 * half),
                              call->channels - i - 8 * half);
      }
    }
  }
}

#endif
