/* GEMM and indirect GEMM over all columns, in NEON intrinsics: one way to multiply for each kind of packing, everything around it
 * written once.
 *
 *    technique      tile             eight depths of a row times a block of columns
 *    LANE           4x16, 4x8        widened to 16 bits, multiply-accumulate long by lane
 *    TURNED_PAIRS   4x8c2s4          two products in 16 bits, pairs added to 32; the row is turned by a pair four times
 *    EIGHTS         2x8c8            the same, eight bytes of a column at once; four partial sums a column, added up at the end
 *    DOT            4x16c4, 4x8c4    dot products of four bytes, by lane
 *    MATRIX         4x16c8           2x8 times 8x2 products
 *
 * Nothing outside the rows is read: the last depths come through a small copy, zeros behind them. */
#ifndef NEONSIM_NEON_GEMM_H
#define NEONSIM_NEON_GEMM_H

#include "contracts/neon/neon.h"

enum neonsim_technique { LANE, TURNED_PAIRS, EIGHTS, DOT, MATRIX };
enum neonsim_scheme { RNDNU, FP32, QC8W, TENGINE, RNDNU_U8, FP32_U8, QD8, SUMS };
enum { NEONSIM_MAX_SUMS = 16, NEONSIM_MAX_TILE_ROWS = 4 };

/* A tile as the compiler sees it: constants wherever this is inlined. */
struct neonsim_neon_tile {
  enum neonsim_technique technique;
  enum neonsim_scheme scheme;
  size_t mr, nr;
};

/* Sums on their way: LANE, TURNED_PAIRS and DOT row after row, four columns in each; EIGHTS a column in each; MATRIX two rows by
 * two columns in each. */
struct neonsim_neon_accumulators {
  int32x4_t x[NEONSIM_MAX_SUMS];
};

/* first: what each row begins with, [mr][nr]. */
NEONSIM_INLINE void neonsim_start(struct neonsim_neon_tile t, const int32_t (*first)[16], struct neonsim_neon_accumulators *sums) {
  for (size_t i = 0; i < t.mr; i++) {
    for (size_t n = 0; n < t.nr; n += 4) {
      const int32x4_t four = vld1q_s32(first[i] + n);
      if (t.technique == EIGHTS) {
        const int32x4_t none = vdupq_n_s32(0);
        sums->x[i * t.nr + n] = vsetq_lane_s32(vgetq_lane_s32(four, 0), none, 0);
        sums->x[i * t.nr + n + 1] = vsetq_lane_s32(vgetq_lane_s32(four, 1), none, 0);
        sums->x[i * t.nr + n + 2] = vsetq_lane_s32(vgetq_lane_s32(four, 2), none, 0);
        sums->x[i * t.nr + n + 3] = vsetq_lane_s32(vgetq_lane_s32(four, 3), none, 0);
      } else if (t.technique == MATRIX) {
        if (i % 2 == 0) {
          const int32x4_t next = vld1q_s32(first[i + 1] + n);
          sums->x[i / 2 * 8 + n / 2] = vcombine_s32(vget_low_s32(four), vget_low_s32(next));
          sums->x[i / 2 * 8 + n / 2 + 1] = vcombine_s32(vget_high_s32(four), vget_high_s32(next));
        }
      } else {
        sums->x[(i * t.nr + n) / 4] = four;
      }
    }
  }
}

/* Four registers of partial sums to the four sums. */
NEONSIM_INLINE int32x4_t neonsim_add_lanes(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
  const int32x2_t ab = vpadd_s32(vadd_s32(vget_low_s32(a), vget_high_s32(a)), vadd_s32(vget_low_s32(b), vget_high_s32(b)));
  const int32x2_t cd = vpadd_s32(vadd_s32(vget_low_s32(c), vget_high_s32(c)), vadd_s32(vget_low_s32(d), vget_high_s32(d)));
  return vcombine_s32(ab, cd);
}

/* Sums of row i, columns n to n + 3. */
NEONSIM_INLINE int32x4_t neonsim_accumulators_of(struct neonsim_neon_tile t, const struct neonsim_neon_accumulators *sums, size_t i,
                                                 size_t n) {
  if (t.technique == EIGHTS) {
    const int32x4_t *x = sums->x + i * t.nr + n;
    return neonsim_add_lanes(x[0], x[1], x[2], x[3]);
  }
  if (t.technique == MATRIX) {
    const int32x4_t *x = sums->x + i / 2 * 8 + n / 2;
    return i % 2 ? vcombine_s32(vget_high_s32(x[0]), vget_high_s32(x[1])) : vcombine_s32(vget_low_s32(x[0]), vget_low_s32(x[1]));
  }
  return sums->x[(i * t.nr + n) / 4];
}

/* Weights of eight columns of one depth as int16, less their zero point if they have one. */
NEONSIM_INLINE int16x8_t neonsim_widen_weights(const uint8_t *w, int is_signed, uint8x8_t w_zero_point) {
  return is_signed ? vmovl_s8(vld1_s8((const int8_t *)w)) : vreinterpretq_s16_u16(vsubl_u8(vld1_u8(w), w_zero_point));
}

NEONSIM_INLINE int16x8_t neonsim_widen_row(uint8x8_t row, int is_signed) {
  return is_signed ? vmovl_s8(vreinterpret_s8_u8(row)) : vreinterpretq_s16_u16(vmovl_u8(row));
}

#define NEONSIM_ONE_DEPTH(lane, half) \
  if (depths > 4 * (#half[0] == 'h') + (lane)) { \
    for (size_t n = 0; n < t.nr; n += 8, w += 8) { \
      const int16x8_t vw = neonsim_widen_weights(w, is_signed, w_zero_point); \
      for (size_t i = 0; i < t.mr; i++) { \
        int32x4_t *x = sums->x + (i * t.nr + n) / 4; \
        x[0] = vmlal_lane_s16(x[0], vget_low_s16(vw), vget_##half##_s16(va[i]), lane); \
        x[1] = vmlal_lane_s16(x[1], vget_high_s16(vw), vget_##half##_s16(va[i]), lane); \
      } \
    } \
  }

/* Up to eight depths by lane; there are no weights of depths that are not there. */
NEONSIM_INLINE const uint8_t *neonsim_multiply_by_lane(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                       const uint8x8_t *rows, size_t depths, const uint8_t *w,
                                                       uint8x8_t w_zero_point) {
  const int is_signed = t.scheme != RNDNU_U8 && t.scheme != FP32_U8;
  int16x8_t va[NEONSIM_MAX_TILE_ROWS];
  for (size_t i = 0; i < t.mr; i++) {
    va[i] = neonsim_widen_row(rows[i], is_signed);
  }
  NEONSIM_ONE_DEPTH(0, low)
  NEONSIM_ONE_DEPTH(1, low)
  NEONSIM_ONE_DEPTH(2, low)
  NEONSIM_ONE_DEPTH(3, low)
  NEONSIM_ONE_DEPTH(0, high)
  NEONSIM_ONE_DEPTH(1, high)
  NEONSIM_ONE_DEPTH(2, high)
  NEONSIM_ONE_DEPTH(3, high)
  return w;
}

/* Eight depths in pairs, and eight more where `second` has them: weights are -127..127, so two products fit 16 bits
 * (2 * 128 * 127). */
NEONSIM_INLINE const uint8_t *neonsim_multiply_by_pairs(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                        const uint8x8_t *rows, const uint8x8_t *second, const uint8_t *w) {
  for (size_t group = 0; group < 4; group++, w += 16) {
    for (size_t n = 0; n < 2; n++) {
      const int8x8_t vw = vld1_s8((const int8_t *)w + 8 * n);
      const int8x8_t next = second ? vld1_s8((const int8_t *)w + 64 + 8 * n) : vw;
      for (size_t i = 0; i < t.mr; i++) {
        const int8x8_t a = vreinterpret_s8_u8(rows[i]), b = second ? vreinterpret_s8_u8(second[i]) : a;
        int16x8_t products;
        /* EXT takes a constant. */
        switch (group) {
          case 0: products = vmull_s8(vw, a); break;
          case 1: products = vmull_s8(vw, vext_s8(a, a, 2)); break;
          case 2: products = vmull_s8(vw, vext_s8(a, a, 4)); break;
          default: products = vmull_s8(vw, vext_s8(a, a, 6)); break;
        }
        if (second) {
          switch (group) {
            case 0: products = vmlal_s8(products, next, b); break;
            case 1: products = vmlal_s8(products, next, vext_s8(b, b, 2)); break;
            case 2: products = vmlal_s8(products, next, vext_s8(b, b, 4)); break;
            default: products = vmlal_s8(products, next, vext_s8(b, b, 6)); break;
          }
        }
        sums->x[2 * i + n] = vpadalq_s16(sums->x[2 * i + n], products);
      }
    }
  }
  return w + (second ? 64 : 0);
}

/* Eight depths of every column by themselves, and eight more. */
NEONSIM_INLINE const uint8_t *neonsim_multiply_by_eights(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                         const uint8x8_t *rows, const uint8x8_t *second, const uint8_t *w) {
  for (size_t n = 0; n < t.nr; n++, w += 8) {
    const int8x8_t vw = vld1_s8((const int8_t *)w);
    for (size_t i = 0; i < t.mr; i++) {
      int16x8_t products = vmull_s8(vw, vreinterpret_s8_u8(rows[i]));
      if (second) {
        products = vmlal_s8(products, vld1_s8((const int8_t *)w + 64), vreinterpret_s8_u8(second[i]));
      }
      sums->x[i * t.nr + n] = vpadalq_s16(sums->x[i * t.nr + n], products);
    }
  }
  return w + (second ? 64 : 0);
}

#ifdef __ARM_FEATURE_DOTPROD
#define NEONSIM_ONE_GROUP(group) \
  for (size_t n = 0; n < t.nr; n += 4, w += 16) { \
    const int8x16_t vw = vld1q_s8((const int8_t *)w); \
    for (size_t i = 0; i < t.mr; i++) { \
      int32x4_t *x = sums->x + (i * t.nr + n) / 4; \
      *x = vdotq_lane_s32(*x, vw, vreinterpret_s8_u8(rows[i]), group); \
    } \
  }

/* Up to eight depths: one group of four, or two. */
NEONSIM_INLINE const uint8_t *neonsim_multiply_by_dot(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                      const uint8x8_t *rows, size_t depths, const uint8_t *w) {
  NEONSIM_ONE_GROUP(0)
  if (depths > 4) {
    NEONSIM_ONE_GROUP(1)
  }
  return w;
}
#endif

#ifdef __ARM_FEATURE_MATMUL_INT8
NEONSIM_INLINE const uint8_t *neonsim_multiply_by_matrix(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                         const uint8x8_t *rows, const uint8_t *w) {
  for (size_t n = 0; n < t.nr; n += 2, w += 16) {
    const int8x16_t vw = vld1q_s8((const int8_t *)w);
    for (size_t i = 0; i < t.mr; i += 2) {
      const int8x16_t va = vreinterpretq_s8_u8(vcombine_u8(rows[i], rows[i + 1]));
      sums->x[i / 2 * 8 + n / 2] = vmmlaq_s32(sums->x[i / 2 * 8 + n / 2], va, vw);
    }
  }
  return w;
}
#endif

/* sums += rows of kc bytes times their weights; returns where the next weights are. */
NEONSIM_INLINE const uint8_t *neonsim_multiply_tap(struct neonsim_neon_tile t, struct neonsim_neon_accumulators *sums,
                                                   const uint8_t *const *a, size_t kc, const uint8_t *w, uint8x8_t w_zero_point) {
  uint8x8_t rows[NEONSIM_MAX_TILE_ROWS], second[NEONSIM_MAX_TILE_ROWS];
  const int pairs = t.technique == TURNED_PAIRS || t.technique == EIGHTS;
  for (size_t k = 0; k < kc;) {
    const size_t depths = kc - k < 8 ? kc - k : 8;
    const int two = pairs && kc - k >= 16;
    for (size_t i = 0; i < t.mr; i++) {
      rows[i] = neonsim_load_some(a[i] + k, kc - k);
      second[i] = two ? vld1_u8(a[i] + k + 8) : rows[i];
    }
    if (t.technique == LANE) {
      w = neonsim_multiply_by_lane(t, sums, rows, depths, w, w_zero_point);
    } else if (t.technique == TURNED_PAIRS) {
      w = two ? neonsim_multiply_by_pairs(t, sums, rows, second, w) : neonsim_multiply_by_pairs(t, sums, rows, NULL, w);
    } else if (t.technique == EIGHTS) {
      w = two ? neonsim_multiply_by_eights(t, sums, rows, second, w) : neonsim_multiply_by_eights(t, sums, rows, NULL, w);
    }
#ifdef __ARM_FEATURE_DOTPROD
    if (t.technique == DOT) {
      w = neonsim_multiply_by_dot(t, sums, rows, depths, w);
    }
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
    if (t.technique == MATRIX) {
      w = neonsim_multiply_by_matrix(t, sums, rows, w);
    }
#endif
    k += two ? 16 : 8;
  }
  return w;
}

/* Eight results of one row from column n on; tail: what lies behind the weights of the block. */
NEONSIM_INLINE void neonsim_finish_row(struct neonsim_neon_tile t, int32x4_t low, int32x4_t high, const float *tail,
                                       const void *params, float row_scale, uint8_t *c, size_t n, size_t columns) {
  if (t.scheme == SUMS) {
    int32_t eight[8];
    vst1q_s32(eight, low);
    vst1q_s32(eight + 4, high);
    memcpy(c + n * sizeof eight[0], eight, (columns - n < 8 ? columns - n : 8) * sizeof eight[0]);
    return;
  }
  if (t.scheme == QD8) {
    const struct neonsim_qd8_params *p = params;
    const float32x4_t least = vdupq_n_f32(p->output_min), most = vdupq_n_f32(p->output_max);
    float32x4_t two[2] = {vmulq_n_f32(vcvtq_f32_s32(low), row_scale), vmulq_n_f32(vcvtq_f32_s32(high), row_scale)};
    float results[8];
    for (size_t i = 0; i < 2; i++) {
      const float32x4_t scaled = vmulq_f32(two[i], vld1q_f32(tail + n + 4 * i));
      const float32x4_t value = vaddq_f32(scaled, vld1q_f32(tail + t.nr + n + 4 * i));
      vst1q_f32(results + 4 * i, vminq_f32(vmaxq_f32(value, least), most));
    }
    memcpy(c + n * sizeof(float), results, (columns - n < 8 ? columns - n : 8) * sizeof(float));
    return;
  }
  uint8x8_t bytes;
  if (t.scheme == FP32_U8) {
    const struct neonsim_fp32_gemm_params *p = params;
    const float32x4_t scale = vdupq_n_f32(p->scale);
    bytes = neonsim_narrow_neon(neonsim_scale_fp32_neon(low, scale), neonsim_scale_fp32_neon(high, scale), p->output_zero_point,
                                p->output_min, p->output_max);
  } else if (t.scheme == TENGINE) {
    const struct neonsim_qc8w_params *p = params;
    bytes = neonsim_narrow_signed_neon(neonsim_scale_tengine_neon(low, vld1q_f32(tail + n)),
                                       neonsim_scale_tengine_neon(high, vld1q_f32(tail + n + 4)), p->output_zero_point,
                                       p->output_min, p->output_max);
  } else if (t.scheme == FP32 || t.scheme == QC8W) {
    const struct neonsim_fp32_gemm_params *one = params;
    const struct neonsim_qc8w_params *many = params;
    const float32x4_t a = t.scheme == FP32 ? vdupq_n_f32(one->scale) : vld1q_f32(tail + n);
    const float32x4_t b = t.scheme == FP32 ? a : vld1q_f32(tail + n + 4);
    bytes = neonsim_narrow_signed_neon(neonsim_scale_fp32_neon(low, a), neonsim_scale_fp32_neon(high, b),
                                       t.scheme == FP32 ? one->output_zero_point : many->output_zero_point,
                                       t.scheme == FP32 ? one->output_min : many->output_min,
                                       t.scheme == FP32 ? one->output_max : many->output_max);
  } else {
    const struct neonsim_rndnu_gemm_params *p = params;
    low = neonsim_scale_rndnu_neon(low, p->multiplier, p->pre_shift, p->post_shift);
    high = neonsim_scale_rndnu_neon(high, p->multiplier, p->pre_shift, p->post_shift);
    bytes = t.scheme == RNDNU ? neonsim_narrow_signed_neon(low, high, p->output_zero_point, p->output_min, p->output_max)
                              : neonsim_narrow_neon(low, high, p->output_zero_point, p->output_min, p->output_max);
  }
  neonsim_store_columns(c + n, bytes, columns - n);
}

/* Where row i of tap t begins is a + i * a_stride, or what the table says: instead for pointers that equal zero. Rows that are
 * missing are computed as the last one and not stored. rows: zero point and scale of every row of a, of an image one for all. */
NEONSIM_INLINE void neonsim_multiply_neon(struct neonsim_neon_tile t, size_t mr, size_t nc, size_t kc, size_t ks, const uint8_t *a,
                                          size_t a_stride, const void *const *table, size_t a_offset, const void *zero,
                                          const uint8_t *instead, const uint8_t *w, uint8_t *c, size_t cm_stride, size_t cn_stride,
                                          const struct neonsim_qd8_row *rows, const void *params) {
  const struct neonsim_rndnu_gemm_params *by_rndnu = params;
  const struct neonsim_fp32_gemm_params *by_fp32 = params;
  const uint8x8_t w_zero_point = vdup_n_u8(t.scheme == RNDNU_U8  ? by_rndnu->w_zero_point
                                           : t.scheme == FP32_U8 ? by_fp32->w_zero_point
                                                                 : 0);
  for (;;) {
    int32_t first[NEONSIM_MAX_TILE_ROWS][16];
    for (size_t i = 0; i < t.mr; i++) {
      memcpy(first[i], w, t.nr * sizeof(int32_t));
      if (t.scheme == QD8) {
        const int32_t zero_point = rows[table == NULL && i < mr ? i : 0].zero_point;
        for (size_t n = 0; n < t.nr; n += 4) {
          vst1q_s32(first[i] + n, vmulq_n_s32(vld1q_s32(first[i] + n), zero_point));
        }
      }
    }
    struct neonsim_neon_accumulators sums;
    neonsim_start(t, (const int32_t (*)[16])first, &sums);
    const uint8_t *next = w + t.nr * sizeof(int32_t);
    for (size_t tap = 0; tap < ks; tap++) {
      const uint8_t *here[NEONSIM_MAX_TILE_ROWS];
      for (size_t i = 0; i < t.mr; i++) {
        const size_t row = i < mr ? i : mr - 1;
        if (table == NULL) {
          here[i] = a + row * a_stride;
        } else {
          const uint8_t *place = table[tap * t.mr + row];
          here[i] = place == (const uint8_t *)zero ? instead : place + a_offset;
        }
      }
      next = neonsim_multiply_tap(t, &sums, here, kc, next, w_zero_point);
    }
    float tail[2 * 16] = {0};
    const size_t words = t.scheme == QC8W || t.scheme == TENGINE ? t.nr : t.scheme == QD8 ? 2 * t.nr : 0;
    memcpy(tail, next, words * sizeof(float));
    const size_t columns = nc < t.nr ? nc : t.nr;
    for (size_t i = 0; i < mr; i++) {
      const float scale = t.scheme == QD8 ? rows[table == NULL ? i : 0].scale : 0.0f;
      for (size_t n = 0; n < columns; n += 8) {
        const int32x4_t low = neonsim_accumulators_of(t, &sums, i, n), high = neonsim_accumulators_of(t, &sums, i, n + 4);
        neonsim_finish_row(t, low, high, tail, params, scale, c + i * cm_stride, n, columns);
      }
    }
    if (nc <= t.nr) {
      return;
    }
    nc -= t.nr;
    w = next + words * sizeof(float);
    c += cn_stride;
  }
}

#define NEONSIM_TILE(technique, scheme, mr, nr) ((struct neonsim_neon_tile){technique, scheme, mr, nr})
/* Rows as they lie, and through pointers. */
#define NEONSIM_NEON_GEMM(technique, scheme, mr_, nr, name) \
  NEONSIM_KERNEL(gemm_columns, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, scheme, mr_, nr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, c, \
                          cm_stride, cn_stride, NULL, params); \
  }
#define NEONSIM_NEON_IGEMM(technique, scheme, mr_, nr, name) \
  NEONSIM_KERNEL(igemm, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, scheme, mr_, nr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero, w, c, \
                          cm_stride, cn_stride, NULL, params); \
  }
#define NEONSIM_NEON_S32_GEMM(technique, mr_, nr, name) \
  NEONSIM_KERNEL(gemm_columns_s32, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, SUMS, mr_, nr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, \
                          (uint8_t *)c, cm_stride, cn_stride, NULL, NULL); \
  }
#define NEONSIM_NEON_S32_IGEMM(technique, mr_, nr, name) \
  NEONSIM_KERNEL(igemm_s32, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, SUMS, mr_, nr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero, w, \
                          (uint8_t *)c, cm_stride, cn_stride, NULL, NULL); \
  }
#define NEONSIM_NEON_DYNAMIC_GEMM(technique, mr_, nr, name) \
  NEONSIM_KERNEL(dynamic_gemm, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, QD8, mr_, nr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, c, cm_stride, \
                          cn_stride, rows, params); \
  }
#define NEONSIM_NEON_DYNAMIC_IGEMM(technique, mr_, nr, name) \
  NEONSIM_KERNEL(dynamic_igemm, name) { \
    neonsim_multiply_neon(NEONSIM_TILE(technique, QD8, mr_, nr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero_data, w, c, \
                          cm_stride, cn_stride, scheme, params); \
  }

#endif
