/* The kernels of AVX-512 that more than one file names. */
#ifndef NEONSIM_X86_H
#define NEONSIM_X86_H

#include "network/network.h"

/* A tile's sums, [rows][registers][lanes], to bytes. row_sums: what is added to every sum of a row, or NULL. */
typedef void (*neonsim_finish_rows)(size_t rows, const int32_t *sums, const int32_t *row_sums, const float *scale, uint8_t *out,
                                    size_t out_stride, size_t columns, const struct neonsim_requant *requant);
extern const neonsim_finish_rows neonsim_finish__avx512[FINISHES][NEONSIM_MAX_VECTORS];
extern const struct neonsim_family neonsim_int16_gemm__avx512vnni; /* products of 16-bit numbers, nothing else */
neonsim_panel_kernel neonsim_find_gemm__avx512vnni(enum neonsim_finish finish, size_t vectors, size_t rows);
void neonsim_row_sums__avx512vnni(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor,
                                  int32_t *sums);

#define NEONSIM_X86_DEPTHWISE(way, isa) \
  void neonsim_depthwise_##way##_q31_float__##isa(const struct neonsim_depthwise_call *call); \
  void neonsim_depthwise_##way##_q31__##isa(const struct neonsim_depthwise_call *call); \
  void neonsim_depthwise_##way##_fp32__##isa(const struct neonsim_depthwise_call *call)
NEONSIM_X86_DEPTHWISE(rows, avx512vnni);
NEONSIM_X86_DEPTHWISE(taps, avx512vnni);
void neonsim_add__avx512(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add);
void neonsim_sum__avx512(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums);
void neonsim_max__avx512(size_t n, const uint8_t *in, uint8_t *best);
void neonsim_interleave__avx512(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride, uint8_t *out,
                                size_t out_stride);
/* The second of two passes; native/src/network/gemm/im2col_two_pass.c */
void neonsim_requantize__avx512(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                const struct neonsim_requant *requant);
void neonsim_multiply_add__avx512(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums);

/* What their families name. */
#define AVX512_DEPTHWISE(way, isa) \
  {neonsim_depthwise_##way##_q31_float__##isa, neonsim_depthwise_##way##_q31__##isa, neonsim_depthwise_##way##_fp32__##isa}
#define AVX512_KERNELS \
  .add = neonsim_add__avx512, .sum = neonsim_sum__avx512, .max = neonsim_max__avx512, .interleave = neonsim_interleave__avx512, \
  .requantize = neonsim_requantize__avx512, .multiply_add = neonsim_multiply_add__avx512, .f32 = &neonsim_f32__avx512, \
  .ncnn = &neonsim_ncnn__avx512

#endif
