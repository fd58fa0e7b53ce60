/* qu8_gemm_q31 in NEON intrinsics: widen to 16 bits, multiply-accumulate long by lane. The twin of the assembly kernels. */
#include "neon.h"

/* One depth: eight weights against lane `lane` of four depths of each row. */
#define DEPTH(rows, lane, half)                                                                       \
  do {                                                                                                \
    const int16x8_t vw = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point));                   \
    w += 8;                                                                                           \
    for (size_t row = 0; row < (rows); row++) {                                                       \
      vacc[row][0] = vmlal_lane_s16(vacc[row][0], vget_low_s16(vw), vget_##half##_s16(va[row]), lane);  \
      vacc[row][1] = vmlal_lane_s16(vacc[row][1], vget_high_s16(vw), vget_##half##_s16(va[row]), lane); \
    }                                                                                                 \
  } while (0)

/* `rows` is a constant where this is inlined, so the arrays below are registers. */
NEONSIM_INLINE void tile(const size_t rows, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const uint8_t *w,
                         uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  const uint8x8_t w_zero_point = vdup_n_u8(params->w_zero_point);
  const uint8_t *pa[8];
  for (size_t row = 0; row < rows; row++) {
    /* Surplus rows repeat the last one: computed for nothing, stored nowhere. */
    pa[row] = a + (row < mr ? row : mr - 1) * a_stride;
  }
  int32_t bias[8];
  memcpy(bias, w, sizeof bias);
  w += sizeof bias;
  int32x4_t vacc[8][2];
  for (size_t row = 0; row < rows; row++) {
    vacc[row][0] = vld1q_s32(bias);
    vacc[row][1] = vld1q_s32(bias + 4);
  }

  int16x8_t va[8];
  for (; kc >= 8; kc -= 8) {
    for (size_t row = 0; row < rows; row++) {
      va[row] = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(pa[row])));
      pa[row] += 8;
    }
    DEPTH(rows, 0, low);
    DEPTH(rows, 1, low);
    DEPTH(rows, 2, low);
    DEPTH(rows, 3, low);
    DEPTH(rows, 0, high);
    DEPTH(rows, 1, high);
    DEPTH(rows, 2, high);
    DEPTH(rows, 3, high);
  }
  for (size_t k = 0; k < kc; k++) {
    const int16x8_t vw = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point));
    w += 8;
    for (size_t row = 0; row < rows; row++) {
      vacc[row][0] = vmlal_n_s16(vacc[row][0], vget_low_s16(vw), (int16_t)pa[row][k]);
      vacc[row][1] = vmlal_n_s16(vacc[row][1], vget_high_s16(vw), (int16_t)pa[row][k]);
    }
  }

  for (size_t row = 0; row < rows; row++) {
    if (row < mr) {
      neonsim_store_columns(c + row * c_stride, neonsim_requantise_q31_neon(vacc[row][0], vacc[row][1], params), nr);
    }
  }
}

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__neon_mlal_lane) {
  tile(4, mr, nr, kc, a, a_stride, w, c, c_stride, params);
}

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__neon_mlal_lane) {
  tile(8, mr, nr, kc, a, a_stride, w, c, c_stride, params);
}
