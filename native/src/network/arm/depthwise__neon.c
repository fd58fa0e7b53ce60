/* Depthwise convolutions with SMLAL, eight channels at a time. */
#include "network/arm/arm.h"
#include "network/arm/finish__neon.h"

enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK };

void neonsim_depthwise_taps__neon(const struct neonsim_depthwise_call *call) {
  const int32_t *bias = call->packed;
  const float *scale = (const float *)call->packed + BLOCK;
  const int16_t *weights = (const int16_t *)call->packed + 4 * BLOCK;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const uint8_t *const *rows = call->rows + pixel * call->taps;
    for (size_t i = 0; i < call->channels; i += 8) {
      int32x4_t low = vld1q_s32(bias + i), high = vld1q_s32(bias + i + 4);
      for (size_t tap = 0; tap < call->taps; tap++) {
        const int16x8_t x = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(rows[tap] + call->offset + i)));
        const int16x8_t w = vld1q_s16(weights + tap * BLOCK + i);
        low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(w));
        high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(w));
      }
      neonsim_store_columns(call->out + pixel * call->out_stride + i, finish_bytes_neon(call->requant, low, high, scale + i),
                            call->channels - i);
    }
  }
}
