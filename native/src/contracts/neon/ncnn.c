/* Numbers as ncnn has them in NEON intrinsics, eight at a time. */
#include "contracts/neon/neon.h"

NEONSIM_INLINE float32x4_t dequantize_one(int32x4_t sum, float32x4_t factor, float32x4_t bias,
                                          const struct neonsim_ncnn_params *p) {
  const float32x4_t found = neonsim_fused_neon(bias, vcvtq_f32_s32(sum), factor);
  return vminq_f32(vmaxq_f32(found, vdupq_n_f32(p->low)), vdupq_n_f32(p->high));
}

NEONSIM_KERNEL(unary, f32_qs8_quantize_8x__neon) {
  const struct neonsim_ncnn_params *p = params;
  const float *from = x;
  int8_t *to = y;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    vst1_s8(to + i,
            neonsim_quantize_ncnn_neon(vmulq_n_f32(vld1q_f32(from + i), p->steps), vmulq_n_f32(vld1q_f32(from + i + 4), p->steps)));
  }
  float rest[8] = {0};
  int8_t bytes[8];
  memcpy(rest, from + i, (n - i) * sizeof rest[0]);
  vst1_s8(bytes, neonsim_quantize_ncnn_neon(vmulq_n_f32(vld1q_f32(rest), p->steps), vmulq_n_f32(vld1q_f32(rest + 4), p->steps)));
  memcpy(to + i, bytes, n - i);
}

/* Eight channels of a row, or the last of them, to floats. */
NEONSIM_INLINE void floats_of(const int32_t *x, const float *factor, const float *bias, size_t channels,
                              const struct neonsim_ncnn_params *p, float32x4_t found[2]) {
  int32_t sums[8] = {0};
  float by[8] = {0}, plus[8] = {0};
  const size_t some = channels < 8 ? channels : 8;
  memcpy(sums, x, some * sizeof sums[0]);
  memcpy(by, factor, some * sizeof by[0]);
  memcpy(plus, bias, some * sizeof plus[0]);
  found[0] = dequantize_one(vld1q_s32(sums), vld1q_f32(by), vld1q_f32(plus), p);
  found[1] = dequantize_one(vld1q_s32(sums + 4), vld1q_f32(by + 4), vld1q_f32(plus + 4), p);
}

NEONSIM_KERNEL(per_channel, s32_f32_dequantize_8x__neon) {
  for (size_t i = 0; i < rows; i++) {
    const int32_t *from = (const int32_t *)(const void *)((const uint8_t *)x + i * x_stride);
    uint8_t *to = (uint8_t *)y + i * y_stride;
    for (size_t j = 0; j < channels; j += 8) {
      float32x4_t found[2];
      float eight[8];
      floats_of(from + j, factor + j, bias + j, channels - j, params, found);
      vst1q_f32(eight, found[0]);
      vst1q_f32(eight + 4, found[1]);
      memcpy(to + j * sizeof eight[0], eight, (channels - j < 8 ? channels - j : 8) * sizeof eight[0]);
    }
  }
}

NEONSIM_KERNEL(per_channel, s32_qs8_requantize_8x__neon) {
  const struct neonsim_ncnn_params *p = params;
  for (size_t i = 0; i < rows; i++) {
    const int32_t *from = (const int32_t *)(const void *)((const uint8_t *)x + i * x_stride);
    uint8_t *to = (uint8_t *)y + i * y_stride;
    for (size_t j = 0; j < channels; j += 8) {
      float32x4_t found[2];
      floats_of(from + j, factor + j, bias + j, channels - j, p, found);
      const int8x8_t bytes = neonsim_quantize_ncnn_neon(vmulq_n_f32(found[0], p->steps), vmulq_n_f32(found[1], p->steps));
      neonsim_store_columns(to + j, vreinterpret_u8_s8(bytes), channels - j);
    }
  }
}
