/* Kernels of float32 in portable C: the order of operations is that of the contracts, fmaf is one fused multiply-add. The loops run
 * over channels inside, so that a compiler may take vectors of them: every result is a chain of its own. */
#include <math.h>

#include "contracts/scalar/scalar.h"

enum { MAX_CHANNELS = 8 };

/* The larger of x and low, then the smaller of that and high; of zeros the larger is +0; NaN stays. */
NEONSIM_INLINE float within(float x, float low, float high) {
  x = x <= low ? low : x;
  return x > high ? high : x;
}

NEONSIM_INLINE const float *row_at(const void *place, const void *zero, size_t offset) {
  return place == zero ? place : (const void *)((const char *)place + offset);
}

/* acc += one element times the weights of as many columns. */
NEONSIM_INLINE void fused(size_t lanes, float x, const float *w, float acc[MAX_CHANNELS]) {
  for (size_t n = 0; n < lanes; n++) {
    acc[n] = fmaf(x, w[n], acc[n]);
  }
}

/* Where row i of tap t begins is a + i * a_stride, or what the table [ks, mr_tile] says. */
NEONSIM_INLINE void multiply(size_t mr_tile, size_t nr, size_t mr, size_t nc, size_t kc, size_t ks, const void *a, size_t a_stride,
                             const void *const *table, size_t a_offset, const void *zero, const float *w, char *c, size_t cm_stride,
                             size_t cn_stride, const struct neonsim_float_params *params) {
  for (;;) {
    const size_t columns = nc < nr ? nc : nr;
    for (size_t i = 0; i < mr; i++) {
      const float *weights = w + nr;
      float acc[MAX_CHANNELS];
      memcpy(acc, w, nr * sizeof acc[0]);
      for (size_t tap = 0; tap < ks; tap++) {
        const float *row =
            table == NULL ? (const void *)((const char *)a + i * a_stride) : row_at(table[tap * mr_tile + i], zero, a_offset);
        for (size_t k = 0; k < kc; k++, weights += nr) {
          fused(nr, row[k], weights, acc);
        }
      }
      float *out = (void *)(c + i * cm_stride);
      for (size_t n = 0; n < columns; n++) {
        out[n] = within(acc[n], params->output_min, params->output_max);
      }
    }
    if (nc <= nr) {
      return;
    }
    nc -= nr;
    w += nr * (1 + ks * kc);
    c += cn_stride;
  }
}

/* Where processors may have the fused multiply-add as an instruction, and the compiler is not told so for the whole file, a kernel is
 * compiled twice: fmaf is a call otherwise. The bits are the same. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define TWICE(signature, name, body, arguments) \
  static __attribute__((target("avx2,fma"))) NEONSIM_SIGNATURE_##signature(name##_fma){body} NEONSIM_KERNEL(signature, name) { \
    if (neonsim_cpu_feature_bits() & NEONSIM_FEATURE_AVX2) { \
      name##_fma arguments; \
      return; \
    } \
    body \
  }
#else
#define TWICE(signature, name, body, arguments) \
  NEONSIM_KERNEL(signature, name) { body }
#endif

#define GEMM(mr_tile, nr, name) \
  TWICE(gemm_columns, name, multiply(mr_tile, nr, mr, nc, kc, 1, a, a_stride, NULL, 0, NULL, w, c, cm_stride, cn_stride, params); \
        , (mr, nc, kc, a, a_stride, w, c, cm_stride, cn_stride, params))
#define IGEMM(mr_tile, nr, name) \
  TWICE(igemm, name, multiply(mr_tile, nr, mr, nc, kc, ks, NULL, 0, a, a_offset, zero, w, c, cm_stride, cn_stride, params); \
        , (mr, nc, kc, ks, a, w, c, cm_stride, cn_stride, a_offset, zero, params))

GEMM(6, 8, f32_gemm_6x8__scalar)
GEMM(4, 8, f32_gemm_4x8__scalar)
IGEMM(6, 8, f32_igemm_6x8__scalar)
IGEMM(4, 8, f32_igemm_4x8__scalar)

/* Weights: per block of `lanes` channels their biases, then the taps. */
NEONSIM_INLINE void convolve(size_t lanes, size_t taps, size_t channels, size_t output_width, const void *const *input,
                             const float *w, char *output, size_t input_stride, size_t output_increment, size_t input_offset,
                             const void *zero, const struct neonsim_float_params *params) {
  for (size_t pixel = 0; pixel < output_width; pixel++) {
    float *out = (void *)output;
    for (size_t c = 0; c < channels; c += lanes) {
      const size_t some = channels - c < lanes ? channels - c : lanes;
      const float *block = w + c * (1 + taps);
      float acc[MAX_CHANNELS];
      memcpy(acc, block, lanes * sizeof acc[0]);
      for (size_t tap = 0; tap < taps; tap++) {
        const float *row = row_at(input[tap], zero, input_offset) + c;
        block += lanes;
        for (size_t n = 0; n < some; n++) {
          acc[n] = fmaf(row[n], block[n], acc[n]);
        }
      }
      for (size_t n = 0; n < some; n++) {
        out[c + n] = within(acc[n], params->output_min, params->output_max);
      }
    }
    input = neonsim_next_pixel(input, input_stride);
    output += channels * sizeof(float) + output_increment;
  }
}

#define DEPTHWISE(lanes, taps, name) \
  TWICE( \
      dwconv_offset, name, \
      convolve(lanes, taps, channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, params); \
      , (channels, output_width, input, w, output, input_stride, output_increment, input_offset, zero, params))

DEPTHWISE(8, 9, f32_dwconv_8x9__scalar)

NEONSIM_KERNEL(binary, f32_vadd_1x__scalar) {
  const struct neonsim_float_params *p = params;
  const float *x = a, *z = b;
  float *out = y;
  for (size_t i = 0; i < n; i++) {
    out[i] = within(x[i] + z[i], p->output_min, p->output_max);
  }
}

NEONSIM_KERNEL(unary, f32_clamp_1x__scalar) {
  const struct neonsim_float_params *p = params;
  const float *in = x;
  float *out = y;
  for (size_t i = 0; i < n; i++) {
    out[i] = within(in[i], p->output_min, p->output_max);
  }
}

NEONSIM_KERNEL(windows, f32_maxpool_4x__scalar) {
  const struct neonsim_float_params *p = params;
  for (size_t pixel = 0; pixel < n; pixel++) {
    float *out = y;
    for (size_t c = 0; c < kc; c++) {
      float best = ((const float *)input[0])[c];
      for (size_t row = 1; row < ks; row++) {
        const float seen = ((const float *)input[row])[c];
        const int larger = seen > best || isnan(seen) || (seen == best && !signbit(seen));
        best = larger && !isnan(best) ? seen : best;
      }
      out[c] = within(best, p->output_min, p->output_max);
    }
    input = neonsim_next_pixel(input, x_increment);
    y = (char *)y + kc * sizeof(float) + y_increment;
  }
}

NEONSIM_KERNEL(windows, f32_avgpool_4x__scalar) {
  const struct neonsim_float_mean_params *p = params;
  for (size_t pixel = 0; pixel < n; pixel++) {
    float *out = y;
    for (size_t c = 0; c < kc; c++) {
      float sum = ((const float *)input[0])[c];
      for (size_t row = 1; row < ks; row++) {
        sum += ((const float *)input[row])[c];
      }
      out[c] = within(sum * p->scale, p->output_min, p->output_max);
    }
    input = neonsim_next_pixel(input, x_increment);
    y = (char *)y + kc * sizeof(float) + y_increment;
  }
}

NEONSIM_KERNEL(matrix_mean, f32_gavgpool_4x__scalar) {
  const struct neonsim_float_mean_params *p = params;
  const char *rows = x;
  float *out = y;
  for (size_t c = 0; c < n; c++) {
    float sum = ((const float *)(const void *)rows)[c];
    for (size_t row = 1; row < m; row++) {
      sum += ((const float *)(const void *)(rows + row * x_stride))[c];
    }
    out[c] = within(sum * p->scale, p->output_min, p->output_max);
  }
}

NEONSIM_KERNEL(unary, f32_vlrelu_1x__scalar) {
  const struct neonsim_float_slope_params *p = params;
  const float *in = x;
  float *out = y;
  for (size_t i = 0; i < n; i++) {
    out[i] = in[i] < 0 ? in[i] * p->slope : in[i];
  }
}

/* Weights: per block of four channels their offsets, then their gains. */
NEONSIM_KERNEL(gains, f32_vmulcaddc_4x__scalar) {
  const struct neonsim_float_params *p = params;
  const float *words = w;
  for (size_t i = 0; i < m; i++) {
    const float *in = (const void *)((const char *)x + i * x_stride);
    float *out = (void *)((char *)y + i * y_stride);
    for (size_t c = 0; c < n; c++) {
      const float *word = words + c / 4 * 8 + c % 4;
      out[c] = within(fmaf(in[c], word[4], word[0]), p->output_min, p->output_max);
    }
  }
}
