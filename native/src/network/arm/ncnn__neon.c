/* Numbers as ncnn has them in NEON: see ncnn.c. */
#include "contracts/neon/neon.h"
#include "network/network.h"

#if defined(__aarch64__) || defined(__ARM_FEATURE_FMA)

/* As bytes, 128 added. */
NEONSIM_FORCE_INLINE uint8x8_t steps_of(float32x4_t low, float32x4_t high) {
  return veor_u8(vreinterpret_u8_s8(neonsim_quantize_ncnn_neon(low, high)), vdup_n_u8(0x80));
}

static int quantize(size_t n, const float *in, float steps, uint8_t *out) {
  uint32x4_t even = vdupq_n_u32(UINT32_MAX);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const float32x4_t low = vld1q_f32(in + i), high = vld1q_f32(in + i + 4);
    even = vandq_u32(even, vandq_u32(vceqq_f32(low, low), vceqq_f32(high, high)));
    vst1_u8(out + i, steps_of(vmulq_n_f32(low, steps), vmulq_n_f32(high, steps)));
  }
  const uint32x2_t least = vand_u32(vget_low_u32(even), vget_high_u32(even));
  const int odd = (vget_lane_u32(least, 0) & vget_lane_u32(least, 1)) != UINT32_MAX;
  return odd | neonsim_ncnn__scalar.quantize(n - i, in + i, steps, out + i);
}

NEONSIM_FORCE_INLINE float32x4_t dequantize_one(const int32_t *sums, const struct neonsim_channel_scales *by, size_t channel) {
  const float32x4_t sum = vcvtq_f32_s32(vld1q_s32(sums + channel));
  const float32x4_t found = vfmaq_f32(vld1q_f32(by->bias + channel), sum, vld1q_f32(by->factor + channel));
  return vminq_f32(vmaxq_f32(found, vdupq_n_f32(by->low)), vdupq_n_f32(by->high));
}

static struct neonsim_channel_scales behind(const struct neonsim_channel_scales *by, size_t channel) {
  return (struct neonsim_channel_scales){by->factor + channel, by->bias + channel, by->low, by->high, by->steps};
}

static void dequantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, float *out) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    vst1q_f32(out + i, dequantize_one(sums, by, i));
  }
  const struct neonsim_channel_scales rest = behind(by, i);
  neonsim_ncnn__scalar.dequantize(n - i, sums + i, &rest, out + i);
}

static void requantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, uint8_t *out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    vst1_u8(out + i,
            steps_of(vmulq_n_f32(dequantize_one(sums, by, i), by->steps), vmulq_n_f32(dequantize_one(sums, by, i + 4), by->steps)));
  }
  const struct neonsim_channel_scales rest = behind(by, i);
  neonsim_ncnn__scalar.requantize(n - i, sums + i, &rest, out + i);
}

const struct neonsim_ncnn_kernels neonsim_ncnn__neon = {quantize, dequantize, requantize};

#else

/* Armv7 without fused multiply-adds. */
const struct neonsim_ncnn_kernels neonsim_ncnn__neon = {NULL, NULL, NULL};

#endif
