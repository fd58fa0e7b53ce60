/* The x86 kernels that more than one file names. */
#ifndef NEONSIM_X86_H
#define NEONSIM_X86_H

#include "network/network.h"

/* q31_float: with FMA only, not of SSE4.1. */
#define NEONSIM_X86_DEPTHWISE(way, isa) \
  void neonsim_depthwise_##way##_q31_float__##isa(const struct neonsim_depthwise_call *call); \
  void neonsim_depthwise_##way##_q31__##isa(const struct neonsim_depthwise_call *call); \
  void neonsim_depthwise_##way##_fp32__##isa(const struct neonsim_depthwise_call *call)
#define NEONSIM_X86_BYTES(isa) \
  void neonsim_add__##isa(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add); \
  void neonsim_sum__##isa(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums); \
  void neonsim_max__##isa(size_t n, const uint8_t *in, uint8_t *best)
#define NEONSIM_X86_WIDEN(isa) \
  void neonsim_widen__##isa(uint8_t *to, size_t to_step, const uint8_t *from, size_t run, const struct neonsim_windows *windows)
#define NEONSIM_X86_INTERLEAVE(isa) \
  void neonsim_interleave__##isa(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride, uint8_t *out, \
                                 size_t out_stride)
/* The second of two passes; native/src/network/twopass.c */
#define NEONSIM_X86_TWO_PASS(isa) \
  void neonsim_requantize__##isa(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out, \
                                 const struct neonsim_requant *requant); \
  void neonsim_multiply_add__##isa(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums)

/* A tile's sums, [rows][registers][lanes], to bytes. row_sums: what is added to every sum of a row, or NULL. */
typedef void (*neonsim_finish_rows)(size_t rows, const int32_t *sums, const int32_t *row_sums, const float *scale, uint8_t *out,
                                    size_t out_stride, size_t columns, const struct neonsim_requant *requant);
extern const neonsim_finish_rows neonsim_finish__avx512[FINISHES][NEONSIM_MOST_VECTORS];
extern const struct neonsim_family neonsim_words__avx512vnni; /* products of 16-bit numbers, nothing else */
neonsim_panel_kernel neonsim_find_gemm__avx512vnni(enum neonsim_finish finish, size_t vectors, size_t rows);
void neonsim_row_sums__avx512vnni(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor,
                                  int32_t *sums);

NEONSIM_X86_DEPTHWISE(rows, avx512vnni);
NEONSIM_X86_DEPTHWISE(taps, avx512vnni);
NEONSIM_X86_DEPTHWISE(rows, avx512bw);
NEONSIM_X86_DEPTHWISE(taps, avx512bw);
NEONSIM_X86_DEPTHWISE(rows, avxvnni);
NEONSIM_X86_DEPTHWISE(taps, avxvnni);
NEONSIM_X86_DEPTHWISE(rows, avx2);
NEONSIM_X86_DEPTHWISE(taps, avx2);
NEONSIM_X86_DEPTHWISE(rows, sse41);
NEONSIM_X86_DEPTHWISE(taps, sse41);
NEONSIM_X86_DEPTHWISE(rows, sse2);
NEONSIM_X86_DEPTHWISE(taps, sse2);
NEONSIM_X86_BYTES(avx512);
NEONSIM_X86_BYTES(avx2);
NEONSIM_X86_BYTES(sse41);
NEONSIM_X86_BYTES(sse2);
NEONSIM_X86_INTERLEAVE(avx2);
NEONSIM_X86_INTERLEAVE(sse41);
NEONSIM_X86_WIDEN(avx2);
NEONSIM_X86_WIDEN(sse41);
NEONSIM_X86_TWO_PASS(avx512);
NEONSIM_X86_TWO_PASS(avx2);
NEONSIM_X86_TWO_PASS(sse41);
NEONSIM_X86_TWO_PASS(sse2);

#endif
