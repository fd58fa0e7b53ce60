/* Kernels of float32 in NEON intrinsics, four channels or columns at a time; nothing outside the rows is read. */
#include "contracts/neon/neon.h"

NEONSIM_INLINE float32x4_t within(float32x4_t x, float32x4_t low, float32x4_t high) { return vminq_f32(vmaxq_f32(x, low), high); }

/* The first n of four floats, then zeros. */
NEONSIM_INLINE float32x4_t load_some(const float *x, size_t n) {
  if (n >= 4) {
    return vld1q_f32(x);
  }
  float some[4] = {0};
  memcpy(some, x, n * sizeof some[0]);
  return vld1q_f32(some);
}

NEONSIM_INLINE void store_some(float *y, float32x4_t x, size_t n) {
  if (n >= 4) {
    vst1q_f32(y, x);
    return;
  }
  float some[4];
  vst1q_f32(some, x);
  memcpy(y, some, n * sizeof some[0]);
}

NEONSIM_INLINE const float *row_at(const void *place, const void *zero, size_t offset) {
  return place == zero ? place : (const void *)((const char *)place + offset);
}

/* Where row i of tap t begins is a + i * a_stride, or what the table [ks, mr_tile] says. Blocks of eight columns. */
NEONSIM_INLINE void multiply(size_t mr_tile, size_t mr, size_t nc, size_t kc, size_t ks, const void *a, size_t a_stride,
                             const void *const *table, size_t a_offset, const void *zero, const float *w, char *c, size_t cm_stride,
                             size_t cn_stride, const struct neonsim_float_params *params) {
  const float32x4_t low = vdupq_n_f32(params->output_min), high = vdupq_n_f32(params->output_max);
  for (;;) {
    for (size_t i = 0; i < mr; i++) {
      const float *weights = w + 8;
      float32x4_t left = vld1q_f32(w), right = vld1q_f32(w + 4);
      for (size_t tap = 0; tap < ks; tap++) {
        const float *row =
            table == NULL ? (const void *)((const char *)a + i * a_stride) : row_at(table[tap * mr_tile + i], zero, a_offset);
        for (size_t k = 0; k < kc; k++, weights += 8) {
          const float32x4_t x = vdupq_n_f32(row[k]);
          left = neonsim_fused_neon(left, x, vld1q_f32(weights));
          right = neonsim_fused_neon(right, x, vld1q_f32(weights + 4));
        }
      }
      float *out = (void *)(c + i * cm_stride);
      store_some(out, within(left, low, high), nc);
      if (nc > 4) {
        store_some(out + 4, within(right, low, high), nc - 4);
      }
    }
    if (nc <= 8) {
      return;
    }
    nc -= 8;
    w += 8 * (1 + ks * kc);
    c += cn_stride;
  }
}

#define GEMM(mr_tile, name) \
  NEONSIM_KERNEL(gemm_columns, name) { \
    multiply(mr_tile, mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, w, c, cm_stride, cn_stride, params); \
  }
#define IGEMM(mr_tile, name) \
  NEONSIM_KERNEL(igemm, name) { multiply(mr_tile, mr, nc, kc, ks, NULL, 0, a, a_offset, zero, w, c, cm_stride, cn_stride, params); }

GEMM(6, f32_gemm_6x8__neon)
GEMM(4, f32_gemm_4x8__neon)
IGEMM(6, f32_igemm_6x8__neon)
IGEMM(4, f32_igemm_4x8__neon)

/* Blocks of eight channels: their biases, then nine taps. */
NEONSIM_KERNEL(dwconv_offset, f32_dwconv_8x9__neon) {
  const struct neonsim_float_params *p = params;
  const float32x4_t low = vdupq_n_f32(p->output_min), high = vdupq_n_f32(p->output_max);
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    float *out = output;
    for (size_t c = 0; c < channels; c += 4) {
      const float *block = (const float *)w + c / 8 * 80 + c % 8;
      float32x4_t acc = vld1q_f32(block);
      for (size_t tap = 0; tap < 9; tap++) {
        const float *row = row_at(input[tap], zero, input_offset);
        acc = neonsim_fused_neon(acc, load_some(row + c, channels - c), vld1q_f32(block + 8 + 8 * tap));
      }
      store_some(out + c, within(acc, low, high), channels - c);
    }
    input = neonsim_next_pixel(input, input_stride);
    output = (char *)output + channels * sizeof(float) + output_increment;
  }
}

NEONSIM_KERNEL(binary, f32_vadd_4x__neon) {
  const struct neonsim_float_params *p = params;
  const float32x4_t low = vdupq_n_f32(p->output_min), high = vdupq_n_f32(p->output_max);
  const float *first = a, *second = b;
  float *out = y;
  for (size_t i = 0; i < n; i += 4) {
    store_some(out + i, within(vaddq_f32(load_some(first + i, n - i), load_some(second + i, n - i)), low, high), n - i);
  }
}

NEONSIM_KERNEL(unary, f32_clamp_4x__neon) {
  const struct neonsim_float_params *p = params;
  const float32x4_t low = vdupq_n_f32(p->output_min), high = vdupq_n_f32(p->output_max);
  const float *in = x;
  float *out = y;
  for (size_t i = 0; i < n; i += 4) {
    store_some(out + i, within(load_some(in + i, n - i), low, high), n - i);
  }
}

NEONSIM_KERNEL(windows, f32_maxpool_4x__neon) {
  const struct neonsim_float_params *p = params;
  const float32x4_t low = vdupq_n_f32(p->output_min), high = vdupq_n_f32(p->output_max);
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 4) {
      float32x4_t best = load_some((const float *)input[0] + c, kc - c);
      for (size_t row = 1; row < ks; row++) {
        best = vmaxq_f32(best, load_some((const float *)input[row] + c, kc - c));
      }
      store_some((float *)y + c, within(best, low, high), kc - c);
    }
    input = neonsim_next_pixel(input, x_increment);
    y = (char *)y + kc * sizeof(float) + y_increment;
  }
}

NEONSIM_INLINE float32x4_t mean(float32x4_t sum, const struct neonsim_float_mean_params *p) {
  return within(vmulq_f32(sum, vdupq_n_f32(p->scale)), vdupq_n_f32(p->output_min), vdupq_n_f32(p->output_max));
}

NEONSIM_KERNEL(windows, f32_avgpool_4x__neon) {
  for (size_t pixel = 0; pixel < n; pixel++) {
    for (size_t c = 0; c < kc; c += 4) {
      float32x4_t sum = load_some((const float *)input[0] + c, kc - c);
      for (size_t row = 1; row < ks; row++) {
        sum = vaddq_f32(sum, load_some((const float *)input[row] + c, kc - c));
      }
      store_some((float *)y + c, mean(sum, params), kc - c);
    }
    input = neonsim_next_pixel(input, x_increment);
    y = (char *)y + kc * sizeof(float) + y_increment;
  }
}

NEONSIM_KERNEL(matrix_mean, f32_gavgpool_4x__neon) {
  const char *rows = x;
  for (size_t c = 0; c < n; c += 4) {
    float32x4_t sum = load_some((const float *)(const void *)rows + c, n - c);
    for (size_t row = 1; row < m; row++) {
      sum = vaddq_f32(sum, load_some((const float *)(const void *)(rows + row * x_stride) + c, n - c));
    }
    store_some((float *)y + c, mean(sum, params), n - c);
  }
}

NEONSIM_KERNEL(unary, f32_vlrelu_4x__neon) {
  const struct neonsim_float_slope_params *p = params;
  const float *in = x;
  float *out = y;
  for (size_t i = 0; i < n; i += 4) {
    const float32x4_t some = load_some(in + i, n - i);
    const uint32x4_t negative = vcltq_f32(some, vdupq_n_f32(0));
    store_some(out + i, vbslq_f32(negative, vmulq_f32(some, vdupq_n_f32(p->slope)), some), n - i);
  }
}

/* Weights: per block of four channels their offsets, then their gains. */
NEONSIM_KERNEL(gains, f32_vmulcaddc_4x__neon) {
  const struct neonsim_float_params *p = params;
  const float32x4_t low = vdupq_n_f32(p->output_min), high = vdupq_n_f32(p->output_max);
  for (size_t i = 0; i < m; i++) {
    const float *in = (const void *)((const char *)x + i * x_stride);
    float *out = (void *)((char *)y + i * y_stride);
    for (size_t c = 0; c < n; c += 4) {
      const float *word = (const float *)w + 2 * c;
      store_some(out + c, within(neonsim_fused_neon(vld1q_f32(word), load_some(in + c, n - c), vld1q_f32(word + 4)), low, high),
                 n - c);
    }
  }
}
