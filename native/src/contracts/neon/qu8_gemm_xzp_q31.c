/* qu8_gemm_xzp_q31 in NEON intrinsics: 8-bit multiply long, then pairwise add and accumulate long. */
#include "contracts/neon/neon.h"

enum { ROWS = 4 };

/* Four pairs of depths of one row against a pair of each of eight columns. */
NEONSIM_INLINE void pairs(uint32x4_t vacc[2], uint8x8_t va, uint8x16_t vw) {
  vacc[0] = vpadalq_u16(vacc[0], vmull_u8(va, vget_low_u8(vw)));
  vacc[1] = vpadalq_u16(vacc[1], vmull_u8(va, vget_high_u8(vw)));
}

NEONSIM_KERNEL(gemm_xzp, qu8_gemm_xzp_q31_4x8c2__neon_mull_padal) {
  const uint8_t *pw = w;
  const uint8_t *pa[ROWS];
  uint32_t bias[8];
  memcpy(bias, pw, sizeof bias);
  pw += sizeof bias;
  uint32x4_t vacc[ROWS][2];
  for (size_t row = 0; row < ROWS; row++) {
    const size_t source = row < mr ? row : mr - 1;
    pa[row] = a + source * a_stride;
    const uint32x4_t sum = vdupq_n_u32((uint32_t)a_sum[source]);
    vacc[row][0] = vaddq_u32(vld1q_u32(bias), sum);
    vacc[row][1] = vaddq_u32(vld1q_u32(bias + 4), sum);
  }

  for (; kc >= 8; kc -= 8) {
    uint8x8_t va[ROWS];
    for (size_t row = 0; row < ROWS; row++) {
      va[row] = vld1_u8(pa[row]);
      pa[row] += 8;
    }
    for (size_t step = 0; step < 4; step++) {
      const uint8x16_t vw = vld1q_u8(pw);
      pw += 16;
      for (size_t row = 0; row < ROWS; row++) {
        pairs(vacc[row], va[row], vw);
        /* The packed weights are rotated the other way, so that no lane of a need be broadcast. */
        va[row] = vext_u8(va[row], va[row], 2);
      }
    }
  }
  for (size_t k = 0; k < kc; k += 2) {
    const uint8x16_t vw = vld1q_u8(pw);
    pw += 16;
    for (size_t row = 0; row < ROWS; row++) {
      const uint16_t pair = (uint16_t)(pa[row][k] | (k + 1 < kc ? pa[row][k + 1] << 8 : 0));
      pairs(vacc[row], vreinterpret_u8_u16(vdup_n_u16(pair)), vw);
    }
  }

  for (size_t row = 0; row < ROWS; row++) {
    if (row < mr) {
      const uint8x8_t out =
          neonsim_requantize_q31_neon(vreinterpretq_s32_u32(vacc[row][0]), vreinterpretq_s32_u32(vacc[row][1]), params);
      neonsim_store_columns(c + row * c_stride, out, nr);
    }
  }
}
