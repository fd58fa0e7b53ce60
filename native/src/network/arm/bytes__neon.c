/* Addition, sums and maxima of bytes in NEON, and sums of rows. */
#include "network/arm/arm.h"
#include "contracts/neon/neon.h"

/* Four results: both differences by their multipliers, rounded half up or half away from zero. */
NEONSIM_INLINE int32x4_t weigh(int16x4_t a, int16x4_t b, const struct neonsim_add *add) {
  const int32x4_t sum = vmlaq_n_s32(vmulq_n_s32(vmovl_s16(a), add->a_multiplier), vmovl_s16(b), add->b_multiplier);
  const int32x4_t half = vdupq_n_s32((int32_t)((UINT32_C(1) << add->shift) >> 1));
  const int32x4_t down = add->away && add->shift != 0 ? vshrq_n_s32(sum, 31) : vdupq_n_s32(0);
  return vshlq_s32(vaddq_s32(vaddq_s32(sum, half), down), vdupq_n_s32(-add->shift));
}

void neonsim_add__neon(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add) {
  const uint8x8_t a_zero = vdup_n_u8((uint8_t)add->a_zero_point), b_zero = vdup_n_u8((uint8_t)add->b_zero_point);
  for (size_t i = 0; i < n; i += 8) {
    const int16x8_t x = vreinterpretq_s16_u16(vsubl_u8(neonsim_load_some(a + i, n - i), a_zero));
    const int16x8_t y = vreinterpretq_s16_u16(vsubl_u8(neonsim_load_some(b + i, n - i), b_zero));
    const int32x4_t low = weigh(vget_low_s16(x), vget_low_s16(y), add), high = weigh(vget_high_s16(x), vget_high_s16(y), add);
    neonsim_store_columns(out + i, neonsim_narrow_neon(low, high, add->zero_point, add->min, add->max), n - i);
  }
}

void neonsim_sum__neon(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums) {
  size_t i = 0;
  for (; i + 8 <= channels; i += 8) {
    int32x4_t low = vld1q_s32(sums + i), high = vld1q_s32(sums + i + 4);
    for (size_t row = 0; row < rows; row++) {
      const int16x8_t x = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(in + row * stride + i)));
      low = vaddw_s16(low, vget_low_s16(x));
      high = vaddw_s16(high, vget_high_s16(x));
    }
    vst1q_s32(sums + i, low);
    vst1q_s32(sums + i + 4, high);
  }
  neonsim_sum__scalar(channels - i, rows, in + i, stride, sums + i);
}

void neonsim_max__neon(size_t n, const uint8_t *in, uint8_t *best) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    vst1q_u8(best + i, vmaxq_u8(vld1q_u8(in + i), vld1q_u8(best + i)));
  }
  neonsim_max__scalar(n - i, in + i, best + i);
}

void neonsim_row_sums__neon(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums) {
  for (size_t row = 0; row < rows; row++) {
    uint32x4_t wide = vdupq_n_u32(0);
    uint32_t sum = 0;
    for (size_t tap = 0; tap < taps; tap++) {
      const uint8_t *a = pointers[tap * rows + row];
      size_t i = 0;
      for (; i + 16 <= bytes; i += 16) {
        wide = vpadalq_u16(wide, vpaddlq_u8(vld1q_u8(a + i)));
      }
      for (; i < bytes; i++) {
        sum += a[i];
      }
    }
    const uint64x2_t pairs = vpaddlq_u32(wide);
    sum += (uint32_t)(vgetq_lane_u64(pairs, 0) + vgetq_lane_u64(pairs, 1));
    sums[row] = (int32_t)(sum * (uint32_t)factor);
  }
}
