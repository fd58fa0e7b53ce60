/* GEMM and indirect GEMM over all columns, for int8 and for rndnu, in portable C: any tile and packing, written once; a constant tile
 * lets the compiler unroll it. */
#include "contracts/scalar/scalar.h"

enum scheme { RNDNU, FP32, QC8W, TENGINE, RNDNU_U8, FP32_U8, QD8, SUMS };
enum { MAX_COLUMNS = 16 };

struct tile {
  size_t mr, nr, kr, sr; /* sr: groups of kr depths within which columns are rotated */
};

/* sums += one row of kc bytes times the columns of a block. Weights: groups of kr depths, nr columns each; column n of the group that
 * begins at depth k0 holds the depths from base + (k0 - base + n * kr) mod (kr * sr) on. */
NEONSIM_INLINE void one_row(struct tile t, size_t kc, const uint8_t *a, const uint8_t *w, int is_signed, int32_t w_zero_point,
                            uint32_t sums[MAX_COLUMNS]) {
  const size_t turn = t.kr * t.sr;
  for (size_t k = 0; k < kc; k++) {
    const size_t base = k / turn * turn;
    const int32_t value = neonsim_byte_value(a[k], is_signed);
    for (size_t n = 0; n < t.nr; n++) {
      const size_t group = (base + (k - base + t.nr * turn - n * t.kr) % turn) / t.kr;
      const int32_t weight = neonsim_byte_value(w[(group * t.nr + n) * t.kr + k % t.kr], is_signed) - w_zero_point;
      sums[n] += (uint32_t)(value * weight);
    }
  }
}

/* Bytes of the weights of one block for one tap. */
NEONSIM_INLINE size_t tap_bytes(struct tile t, size_t kc) {
  const size_t turn = t.kr * t.sr;
  return (kc + turn - 1) / turn * turn * t.nr;
}

/* ((x * multiplier) / 2**(31 + shift), rounded, ties up) + zero point, clamped. */
NEONSIM_INLINE uint8_t requantize_rndnu(uint32_t sum, const struct neonsim_rndnu_gemm_params *p, int is_signed) {
  const int64_t value = neonsim_round_rndnu(neonsim_as_signed(sum), p->multiplier, -(p->pre_shift + p->post_shift));
  return neonsim_clamp(value + p->output_zero_point, p->output_min, p->output_max, is_signed);
}

NEONSIM_INLINE float word(const uint8_t *words, size_t n) {
  float value;
  memcpy(&value, words + n * sizeof value, sizeof value);
  return value;
}

/* One row of a block: nr sums to as many results; tail: what lies behind the weights of the block. */
NEONSIM_INLINE void finish(enum scheme scheme, struct tile t, size_t columns, const uint32_t *sums, const uint8_t *tail,
                           const void *params, float row_scale, uint8_t *c) {
  for (size_t n = 0; n < columns; n++) {
    if (scheme == SUMS) {
      memcpy(c + n * sizeof sums[n], &sums[n], sizeof sums[n]);
    } else if (scheme == RNDNU || scheme == RNDNU_U8) {
      c[n] = requantize_rndnu(sums[n], params, scheme == RNDNU);
    } else if (scheme == FP32 || scheme == FP32_U8) {
      const struct neonsim_fp32_gemm_params *p = params;
      c[n] = neonsim_requantize_fp32(sums[n], p->scale, p->output_min_less_zero, p->output_max_less_zero, p->magic_less_zero);
    } else if (scheme == QC8W) {
      const struct neonsim_qc8w_params *p = params;
      c[n] = neonsim_requantize_fp32(sums[n], word(tail, n), p->output_min_less_zero, p->output_max_less_zero, p->magic_less_zero);
    } else if (scheme == TENGINE) {
      const struct neonsim_qc8w_params *p = params;
      c[n] = neonsim_clamp(neonsim_scale_tengine(sums[n], word(tail, n)) + p->output_zero_point, p->output_min, p->output_max, 1);
    } else {
      const struct neonsim_qd8_params *p = params;
      float value = (float)neonsim_as_signed(sums[n]) * row_scale;
      value *= word(tail, n);
      value += word(tail, t.nr + n);
      value = value < p->output_min ? p->output_min : value;
      value = value > p->output_max ? p->output_max : value;
      memcpy(c + n * sizeof value, &value, sizeof value);
    }
  }
}

/* Where row i of tap t begins is a + i * a_stride, or what the table says: instead for pointers that equal zero. rows: one for
 * every row of a, of an image one for all. */
NEONSIM_INLINE void multiply(enum scheme scheme, struct tile t, size_t mr, size_t nc, size_t kc, size_t ks, const uint8_t *a,
                             size_t a_stride, const void *const *table, size_t a_offset, const void *zero, const uint8_t *instead,
                             const uint8_t *w, uint8_t *c, size_t cm_stride, size_t cn_stride, const struct neonsim_qd8_row *rows,
                             const void *params) {
  const int is_signed = scheme != RNDNU_U8 && scheme != FP32_U8;
  const int32_t w_zero_point = scheme == RNDNU_U8  ? ((const struct neonsim_rndnu_gemm_params *)params)->w_zero_point
                               : scheme == FP32_U8 ? ((const struct neonsim_fp32_gemm_params *)params)->w_zero_point
                                                   : 0;
  const size_t words = (scheme == QC8W || scheme == TENGINE ? 1 : scheme == QD8 ? 2 : 0) * t.nr * sizeof(float);
  for (;;) {
    const uint8_t *weights = w + t.nr * sizeof(int32_t), *tail = weights + ks * tap_bytes(t, kc);
    const size_t columns = nc < t.nr ? nc : t.nr;
    for (size_t i = 0; i < mr; i++) {
      const struct neonsim_qd8_row *own = table == NULL ? rows + i : rows;
      uint32_t sums[MAX_COLUMNS];
      memcpy(sums, w, t.nr * sizeof sums[0]);
      for (size_t n = 0; scheme == QD8 && n < t.nr; n++) {
        sums[n] *= (uint32_t)own->zero_point;
      }
      for (size_t tap = 0; tap < ks; tap++) {
        const uint8_t *row = a + i * a_stride;
        if (table != NULL) {
          const uint8_t *place = table[tap * t.mr + i];
          row = place == (const uint8_t *)zero ? instead : place + a_offset;
        }
        one_row(t, kc, row, weights + tap * tap_bytes(t, kc), is_signed, w_zero_point, sums);
      }
      finish(scheme, t, columns, sums, tail, params, scheme == QD8 ? own->scale : 0.0f, c + i * cm_stride);
    }
    if (nc <= t.nr) {
      return;
    }
    nc -= t.nr;
    w = tail + words;
    c += cn_stride;
  }
}

#define TILE(mr, nr, kr, sr) ((struct tile){mr, nr, kr, sr})
#define GEMM(scheme, mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(gemm_columns, name) { \
    multiply(scheme, TILE(mr_, nr, kr, sr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, c, cm_stride, cn_stride, NULL, \
             params); \
  }
#define IGEMM(scheme, mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(igemm, name) { \
    multiply(scheme, TILE(mr_, nr, kr, sr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero, w, c, cm_stride, cn_stride, NULL, \
             params); \
  }
#define SUMS_GEMM(mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(gemm_columns_s32, name) { \
    multiply(SUMS, TILE(mr_, nr, kr, sr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, (uint8_t *)c, cm_stride, cn_stride, \
             NULL, NULL); \
  }
#define SUMS_IGEMM(mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(igemm_s32, name) { \
    multiply(SUMS, TILE(mr_, nr, kr, sr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero, w, (uint8_t *)c, cm_stride, cn_stride, \
             NULL, NULL); \
  }
#define DYNAMIC_GEMM(mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(dynamic_gemm, name) { \
    multiply(QD8, TILE(mr_, nr, kr, sr), mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, NULL, w, c, cm_stride, cn_stride, rows, \
             params); \
  }
#define DYNAMIC_IGEMM(mr_, nr, kr, sr, name) \
  NEONSIM_KERNEL(dynamic_igemm, name) { \
    multiply(QD8, TILE(mr_, nr, kr, sr), mr, nc, kc, ks, NULL, 0, a, a_offset, zero, zero_data, w, c, cm_stride, cn_stride, \
             scheme, params); \
  }

/* Every tile of kernels/, for every scheme that a kernel of it has. */
GEMM(RNDNU, 4, 16, 1, 1, qs8_gemm_rndnu_4x16__scalar)
GEMM(RNDNU, 4, 8, 1, 1, qs8_gemm_rndnu_4x8__scalar)
GEMM(RNDNU, 4, 16, 4, 1, qs8_gemm_rndnu_4x16c4__scalar)
GEMM(RNDNU, 4, 8, 4, 1, qs8_gemm_rndnu_4x8c4__scalar)
GEMM(RNDNU, 4, 16, 8, 1, qs8_gemm_rndnu_4x16c8__scalar)
GEMM(RNDNU, 2, 8, 8, 1, qs8_gemm_rndnu_2x8c8__scalar)
GEMM(RNDNU, 2, 8, 16, 1, qs8_gemm_rndnu_2x8c16__scalar)
GEMM(RNDNU, 4, 8, 2, 1, qs8_gemm_rndnu_4x8c2__scalar)
GEMM(RNDNU, 4, 8, 2, 4, qs8_gemm_rndnu_4x8c2s4__scalar)

IGEMM(RNDNU, 4, 16, 1, 1, qs8_igemm_rndnu_4x16__scalar)
IGEMM(RNDNU, 4, 8, 1, 1, qs8_igemm_rndnu_4x8__scalar)
IGEMM(RNDNU, 4, 16, 4, 1, qs8_igemm_rndnu_4x16c4__scalar)
IGEMM(RNDNU, 4, 8, 4, 1, qs8_igemm_rndnu_4x8c4__scalar)
IGEMM(RNDNU, 4, 16, 8, 1, qs8_igemm_rndnu_4x16c8__scalar)
IGEMM(RNDNU, 2, 8, 8, 1, qs8_igemm_rndnu_2x8c8__scalar)
IGEMM(RNDNU, 2, 8, 16, 1, qs8_igemm_rndnu_2x8c16__scalar)
IGEMM(RNDNU, 4, 8, 2, 1, qs8_igemm_rndnu_4x8c2__scalar)
IGEMM(RNDNU, 4, 8, 2, 4, qs8_igemm_rndnu_4x8c2s4__scalar)

GEMM(QC8W, 4, 16, 1, 1, qs8_qc8w_gemm_fp32_4x16__scalar)
GEMM(QC8W, 4, 8, 1, 1, qs8_qc8w_gemm_fp32_4x8__scalar)
GEMM(QC8W, 4, 16, 4, 1, qs8_qc8w_gemm_fp32_4x16c4__scalar)
GEMM(QC8W, 4, 8, 4, 1, qs8_qc8w_gemm_fp32_4x8c4__scalar)
GEMM(QC8W, 4, 16, 8, 1, qs8_qc8w_gemm_fp32_4x16c8__scalar)
GEMM(QC8W, 2, 8, 8, 1, qs8_qc8w_gemm_fp32_2x8c8__scalar)
GEMM(QC8W, 2, 8, 16, 1, qs8_qc8w_gemm_fp32_2x8c16__scalar)
GEMM(QC8W, 4, 8, 2, 1, qs8_qc8w_gemm_fp32_4x8c2__scalar)
GEMM(QC8W, 4, 8, 2, 4, qs8_qc8w_gemm_fp32_4x8c2s4__scalar)

GEMM(TENGINE, 4, 16, 1, 1, qs8_qc8w_gemm_tengine_4x16__scalar)
GEMM(TENGINE, 4, 8, 1, 1, qs8_qc8w_gemm_tengine_4x8__scalar)
IGEMM(TENGINE, 4, 16, 1, 1, qs8_qc8w_igemm_tengine_4x16__scalar)
IGEMM(TENGINE, 4, 8, 1, 1, qs8_qc8w_igemm_tengine_4x8__scalar)
IGEMM(QC8W, 4, 16, 1, 1, qs8_qc8w_igemm_fp32_4x16__scalar)
IGEMM(QC8W, 4, 8, 1, 1, qs8_qc8w_igemm_fp32_4x8__scalar)
IGEMM(QC8W, 4, 16, 4, 1, qs8_qc8w_igemm_fp32_4x16c4__scalar)
IGEMM(QC8W, 4, 8, 4, 1, qs8_qc8w_igemm_fp32_4x8c4__scalar)
IGEMM(QC8W, 4, 16, 8, 1, qs8_qc8w_igemm_fp32_4x16c8__scalar)
IGEMM(QC8W, 2, 8, 8, 1, qs8_qc8w_igemm_fp32_2x8c8__scalar)
IGEMM(QC8W, 2, 8, 16, 1, qs8_qc8w_igemm_fp32_2x8c16__scalar)
IGEMM(QC8W, 4, 8, 2, 1, qs8_qc8w_igemm_fp32_4x8c2__scalar)
IGEMM(QC8W, 4, 8, 2, 4, qs8_qc8w_igemm_fp32_4x8c2s4__scalar)

GEMM(FP32, 4, 16, 1, 1, qs8_gemm_fp32_4x16__scalar)
GEMM(FP32, 4, 8, 1, 1, qs8_gemm_fp32_4x8__scalar)

IGEMM(FP32, 4, 16, 1, 1, qs8_igemm_fp32_4x16__scalar)
IGEMM(FP32, 4, 8, 1, 1, qs8_igemm_fp32_4x8__scalar)

GEMM(RNDNU_U8, 4, 16, 1, 1, qu8_gemm_rndnu_4x16__scalar)
GEMM(RNDNU_U8, 4, 8, 1, 1, qu8_gemm_rndnu_4x8__scalar)

IGEMM(RNDNU_U8, 4, 16, 1, 1, qu8_igemm_rndnu_4x16__scalar)
IGEMM(RNDNU_U8, 4, 8, 1, 1, qu8_igemm_rndnu_4x8__scalar)

GEMM(FP32_U8, 4, 16, 1, 1, qu8_gemm_fp32_4x16__scalar)
GEMM(FP32_U8, 4, 8, 1, 1, qu8_gemm_fp32_4x8__scalar)

IGEMM(FP32_U8, 4, 16, 1, 1, qu8_igemm_fp32_4x16__scalar)
IGEMM(FP32_U8, 4, 8, 1, 1, qu8_igemm_fp32_4x8__scalar)

DYNAMIC_GEMM(4, 16, 1, 1, qd8_f32_qc8w_gemm_4x16__scalar)
DYNAMIC_GEMM(4, 8, 1, 1, qd8_f32_qc8w_gemm_4x8__scalar)
DYNAMIC_GEMM(4, 16, 4, 1, qd8_f32_qc8w_gemm_4x16c4__scalar)
DYNAMIC_GEMM(4, 8, 4, 1, qd8_f32_qc8w_gemm_4x8c4__scalar)
DYNAMIC_GEMM(4, 16, 8, 1, qd8_f32_qc8w_gemm_4x16c8__scalar)
DYNAMIC_GEMM(2, 8, 8, 1, qd8_f32_qc8w_gemm_2x8c8__scalar)

DYNAMIC_IGEMM(4, 16, 1, 1, qd8_f32_qc8w_igemm_4x16__scalar)
DYNAMIC_IGEMM(4, 8, 1, 1, qd8_f32_qc8w_igemm_4x8__scalar)
DYNAMIC_IGEMM(4, 16, 4, 1, qd8_f32_qc8w_igemm_4x16c4__scalar)
DYNAMIC_IGEMM(4, 8, 4, 1, qd8_f32_qc8w_igemm_4x8c4__scalar)
DYNAMIC_IGEMM(4, 16, 8, 1, qd8_f32_qc8w_igemm_4x16c8__scalar)
DYNAMIC_IGEMM(2, 8, 8, 1, qd8_f32_qc8w_igemm_2x8c8__scalar)

SUMS_GEMM(4, 16, 1, 1, qs8_gemm_s32_4x16__scalar)
SUMS_GEMM(4, 8, 1, 1, qs8_gemm_s32_4x8__scalar)
SUMS_GEMM(4, 16, 4, 1, qs8_gemm_s32_4x16c4__scalar)
SUMS_GEMM(4, 8, 4, 1, qs8_gemm_s32_4x8c4__scalar)
SUMS_IGEMM(4, 16, 1, 1, qs8_igemm_s32_4x16__scalar)
SUMS_IGEMM(4, 8, 1, 1, qs8_igemm_s32_4x8__scalar)
SUMS_IGEMM(4, 16, 4, 1, qs8_igemm_s32_4x16c4__scalar)
SUMS_IGEMM(4, 8, 4, 1, qs8_igemm_s32_4x8c4__scalar)
