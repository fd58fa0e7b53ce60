/* An int8 matrix product by intrinsics: c[m][n] = requantised a[m][k] * b[k][n], b packed in panels of eight columns. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

/* b[k][n] into panels: eight columns of one depth side by side, zeros behind the last column. */
void pack(const int8_t *b, size_t k, size_t n, int8_t *packed) {
    for (size_t j = 0; j < n; j += 8)
        for (size_t p = 0; p < k; p++)
            for (size_t i = 0; i < 8; i++) *packed++ = (int8_t)(j + i < n ? b[p * n + j + i] : 0);
}

static inline int32x4_t scaled(int32x4_t x, int32_t multiplier, int32_t shift) {
    x = vqrdmulhq_n_s32(x, multiplier);
    const int32x4_t by = vdupq_n_s32(-shift);
    x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, by), 31)); /* ties away from zero */
    return vrshlq_s32(x, by);
}

static inline int8x8_t narrowed(int32x4_t low, int32x4_t high, int16_t zero) {
    const int16x8_t words = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)), vdupq_n_s16(zero));
    return vqmovn_s16(words);
}

/* One tile of up to four rows and eight columns; scale: {multiplier, shift, zero point}. */
static void tile(size_t rows, size_t columns, size_t k, const int8_t *a, size_t a_stride, const int8_t *panel,
                 const int32_t *bias, int8_t *c, size_t c_stride, const int32_t *scale) {
    int32x4_t low[4], high[4];
    for (size_t r = 0; r < 4; r++) {
        low[r] = vld1q_s32(bias);
        high[r] = vld1q_s32(bias + 4);
    }
    const int8_t *row[4];
    for (size_t r = 0; r < 4; r++) row[r] = a + (r < rows ? r : rows - 1) * a_stride;
    for (size_t p = 0; p < k; p++) {
        const int16x8_t b = vmovl_s8(vld1_s8(panel + 8 * p));
        for (size_t r = 0; r < 4; r++) {
            const int16x4_t x = vdup_n_s16(row[r][p]);
            low[r] = vmlal_s16(low[r], vget_low_s16(b), x);
            high[r] = vmlal_s16(high[r], vget_high_s16(b), x);
        }
    }
    for (size_t r = 0; r < rows; r++) {
        int8_t result[8];
        vst1_s8(result, narrowed(scaled(low[r], scale[0], scale[1]), scaled(high[r], scale[0], scale[1]),
                                 (int16_t)scale[2]));
        for (size_t j = 0; j < columns; j++) c[r * c_stride + j] = result[j];
    }
}

/* bias has a multiple of eight entries; shape: {m, n, k}. */
void gemm(const size_t *shape, const int8_t *a, const int8_t *packed, const int32_t *bias, int8_t *c,
          const int32_t *scale) {
    const size_t m = shape[0], n = shape[1], k = shape[2];
    for (size_t i = 0; i < m; i += 4)
        for (size_t j = 0; j < n; j += 8)
            tile(m - i < 4 ? m - i : 4, n - j < 8 ? n - j : 8, k, a + i * k, k, packed + j * k, bias + j, c + i * n + j,
                 n, scale);
}
