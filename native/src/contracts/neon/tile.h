/* Rows of bytes times packed weights in NEON: widen to 16 bits, multiply-accumulate long by lane. */
#ifndef NEONSIM_NEON_TILE_H
#define NEONSIM_NEON_TILE_H

#include "contracts/neon/neon.h"

enum { NEONSIM_NEON_ROWS = 8 };

/* One depth: eight weights against lane `lane` of four depths of each row. */
#define NEONSIM_DEPTH(lane, half) \
  do { \
    const int16x8_t vw = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point)); \
    w += 8; \
    for (size_t row = 0; row < rows; row++) { \
      vacc[row][0] = vmlal_lane_s16(vacc[row][0], vget_low_s16(vw), vget_##half##_s16(va[row]), lane); \
      vacc[row][1] = vmlal_lane_s16(vacc[row][1], vget_high_s16(vw), vget_##half##_s16(va[row]), lane); \
    } \
  } while (0)

/* Every row starts from the biases in front of the weights; returns where the weights begin. */
NEONSIM_INLINE const uint8_t *neonsim_start_rows(const size_t rows, const uint8_t *w, int32x4_t vacc[][2]) {
  int32_t bias[8];
  memcpy(bias, w, sizeof bias);
  for (size_t row = 0; row < rows; row++) {
    vacc[row][0] = vld1q_s32(bias);
    vacc[row][1] = vld1q_s32(bias + 4);
  }
  return w + sizeof bias;
}

/* vacc += rows of kc bytes by kc times eight weights; returns where the next weights are. `rows` is a constant where this is
 * inlined, so the arrays are registers. */
NEONSIM_INLINE const uint8_t *neonsim_multiply_rows(const size_t rows, size_t kc, const uint8_t *const *a, const uint8_t *w,
                                                    uint8x8_t w_zero_point, int32x4_t vacc[][2]) {
  const uint8_t *pa[NEONSIM_NEON_ROWS];
  int16x8_t va[NEONSIM_NEON_ROWS];
  for (size_t row = 0; row < rows; row++) {
    pa[row] = a[row];
  }
  for (; kc >= 8; kc -= 8) {
    for (size_t row = 0; row < rows; row++) {
      va[row] = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(pa[row])));
      pa[row] += 8;
    }
    NEONSIM_DEPTH(0, low);
    NEONSIM_DEPTH(1, low);
    NEONSIM_DEPTH(2, low);
    NEONSIM_DEPTH(3, low);
    NEONSIM_DEPTH(0, high);
    NEONSIM_DEPTH(1, high);
    NEONSIM_DEPTH(2, high);
    NEONSIM_DEPTH(3, high);
  }
  for (size_t k = 0; k < kc; k++) {
    const int16x8_t vw = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point));
    w += 8;
    for (size_t row = 0; row < rows; row++) {
      vacc[row][0] = vmlal_n_s16(vacc[row][0], vget_low_s16(vw), (int16_t)pa[row][k]);
      vacc[row][1] = vmlal_n_s16(vacc[row][1], vget_high_s16(vw), (int16_t)pa[row][k]);
    }
  }
  return w;
}

/* The first mr rows, nr columns of each. */
NEONSIM_INLINE void neonsim_store_rows(const size_t rows, size_t mr, size_t nr, int32x4_t vacc[][2], uint8_t *c, size_t c_stride,
                                       const struct neonsim_q31_params *params) {
  for (size_t row = 0; row < rows; row++) {
    if (row < mr) {
      neonsim_store_columns(c + row * c_stride, neonsim_requantize_q31_neon(vacc[row][0], vacc[row][1], params), nr);
    }
  }
}

#endif
