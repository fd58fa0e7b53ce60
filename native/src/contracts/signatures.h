/* How kernels are called: one signature for all contracts that take the same arguments (contracts.h says which takes which), in the
 * order of the contract and of the assembly files.
 *
 * NEONSIM_SIGNATURE_x(name) declares a function `name`, or with (*name) a pointer to one. */
#ifndef NEONSIM_CONTRACTS_SIGNATURES_H
#define NEONSIM_CONTRACTS_SIGNATURES_H

#include "neonsim.h"

/* Matrix products, GEMM: a tile of rows by columns. */
#define NEONSIM_SIGNATURE_gemm(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c, size_t c_stride, \
            const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gemm_xzp(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum, const void *w, uint8_t *c, \
            size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gemm_s32(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, int32_t *c, size_t c_stride, \
            size_t accumulate, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gemm_packed_s32(name) \
  void name(size_t k, const uint8_t *a, const uint8_t *w, int32_t *c, size_t c_stride, size_t accumulate, size_t columns)
/* Activations or sums wider than a byte; q: rows of as many numbers as the tile has columns, of the type of the sums. */
#define NEONSIM_SIGNATURE_gemm_wide(name) \
  void name(size_t mr, size_t nr, size_t kc, const void *a, size_t a_stride, const int8_t *w, const void *q, void *c, \
            size_t c_stride)
#define NEONSIM_SIGNATURE_gemm_16x8(name) \
  void name(size_t mr, size_t nr, size_t kc, const void *a, size_t a_stride, const int8_t *w, const void *q, void *c, \
            size_t c_stride, int32_t output_min, int32_t output_max)
/* Over all columns, tile by tile of them; operands are bytes of either sign and results bytes or floats. */
#define NEONSIM_SIGNATURE_gemm_columns(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, const void *params)
/* The same with rows through a table [ks, MR] of pointers; a_offset is added to all of them but those that equal zero. */
#define NEONSIM_SIGNATURE_igemm(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, size_t a_offset, const void *zero, const void *params)
/* Both without parameters, for sums that stay. */
#define NEONSIM_SIGNATURE_gemm_columns_s32(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, int32_t *c, size_t cm_stride, \
            size_t cn_stride)
#define NEONSIM_SIGNATURE_igemm_s32(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, int32_t *c, size_t cm_stride, \
            size_t cn_stride, size_t a_offset, const void *zero)
/* Rows with a zero point and a scale each. */
#define NEONSIM_SIGNATURE_dynamic_gemm(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, const struct neonsim_qd8_row *rows, const void *params)
/* Pointers, and an image with a zero point and a scale: where a pointer equals zero, the row at zero_data is meant. */
#define NEONSIM_SIGNATURE_dynamic_igemm(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, size_t a_offset, const void *zero, const void *zero_data, const struct neonsim_qd8_row *scheme, \
            const void *params)
#define NEONSIM_SIGNATURE_sumrows(name) \
  void name(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums)
/* Convolutions: rows through pointers; depthwise, every channel by itself. */
#define NEONSIM_SIGNATURE_conv(name) \
  void name(size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a, const void *w, uint8_t *c, size_t c_stride, \
            const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_dwconv(name) \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, uint8_t *output, \
            size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_dwconv_mp(name) \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, int32_t *buffer, uint8_t *output, \
            size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
/* Bytes of either sign; input_offset is added to all pointers but those that equal zero. */
#define NEONSIM_SIGNATURE_dwconv_offset(name) \
  void name(size_t channels, size_t output_width, const void *const *input, const void *w, void *output, size_t input_stride, \
            size_t output_increment, size_t input_offset, const void *zero, const void *params)
#define NEONSIM_SIGNATURE_dwconv_s32(name) \
  void name(size_t channels, size_t output_width, const void *const *input, const void *w, int32_t *output, size_t input_stride, \
            size_t output_increment, size_t input_offset, const void *zero)
/* Averages: of all rows; by one exact rounding, then (mean) ties up and for either sign; of windows; maxima. */
#define NEONSIM_SIGNATURE_gavgpool(name) \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, uint8_t *y, \
            const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_gavgpool_mp(name) \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, int32_t *buffer, uint8_t *y, \
            const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_mean(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, void *y, const void *params)
#define NEONSIM_SIGNATURE_mean_mp(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, int32_t *buffer, void *y, const void *params)
#define NEONSIM_SIGNATURE_avgpool(name) \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, uint8_t *y, size_t x_increment, \
            size_t y_increment, const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_avgpool_mp(name) \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, int32_t *buffer, uint8_t *y, \
            size_t x_increment, size_t y_increment, const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_window_mean(name) \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, const void *zero, void *y, size_t x_increment, \
            size_t y_increment, const void *params)
#define NEONSIM_SIGNATURE_maxpool(name) \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, uint8_t *y, size_t x_increment, size_t y_increment, \
            const struct neonsim_clamp_params *params)
/* Windows and matrices of float32, which nothing fills up. */
#define NEONSIM_SIGNATURE_windows(name) \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, void *y, size_t x_increment, size_t y_increment, \
            const void *params)
#define NEONSIM_SIGNATURE_matrix_mean(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, void *y, const void *params)
/* Rows of channels, each channel with words of its own. */
#define NEONSIM_SIGNATURE_gains(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *w, void *y, size_t y_stride, const void *params)
/* Element by element. binary: b is a vector, or one value for contracts whose names end in c. */
#define NEONSIM_SIGNATURE_vadd(name) \
  void name(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *y, const struct neonsim_add_params *params)
#define NEONSIM_SIGNATURE_binary(name) void name(size_t n, const void *a, const void *b, void *y, const void *params)
#define NEONSIM_SIGNATURE_unary(name) void name(size_t n, const void *x, void *y, const void *params)
#define NEONSIM_SIGNATURE_clamp(name) void name(size_t n, const uint8_t *x, uint8_t *y, const struct neonsim_clamp_params *params)
/* Row maximum, zips of 2, 3 and 4. */
#define NEONSIM_SIGNATURE_bytes(name) void name(size_t n, const uint8_t *x, uint8_t *y)
#define NEONSIM_SIGNATURE_zip_xm(name) void name(size_t n, size_t m, const uint8_t *x, uint8_t *y)
/* Tables, and sums to bytes. */
#define NEONSIM_SIGNATURE_lut(name) void name(size_t n, const uint8_t *x, const uint8_t *t, uint8_t *y)
#define NEONSIM_SIGNATURE_lut32norm(name) void name(size_t n, const uint8_t *x, const uint32_t *t, uint8_t *y)
#define NEONSIM_SIGNATURE_softmax(name) void name(size_t n, const void *x, const float *t, float *buffer, void *y)
#define NEONSIM_SIGNATURE_per_channel(name) \
  void name(size_t rows, size_t channels, const int32_t *x, size_t x_stride, const float *factor, const float *bias, void *y, \
            size_t y_stride, const void *params)
#define NEONSIM_SIGNATURE_scaled_rows(name) \
  void name(size_t rows, size_t channels, const int32_t *x, size_t x_stride, const float *factor, void *y, size_t y_stride, \
            const void *params)
#define NEONSIM_SIGNATURE_requantize_precise(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_precise_params *params)
#define NEONSIM_SIGNATURE_requantize_fp32(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_fp32_params *params)
#define NEONSIM_SIGNATURE_requantize_q31(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_requantize_rndnu(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_rndnu_params *params)

/* Rows of elements by a program of additions and multiplications; and a number: the zero point of bytes, how far
 * results are shifted to the right. */
#define NEONSIM_SIGNATURE_transform(name) \
  void name(size_t count, const void *x, size_t x_stride, void *y, size_t y_stride, size_t inputs, size_t outputs, size_t steps, \
            const int32_t *program)
#define NEONSIM_SIGNATURE_transform_by(name) \
  void name(size_t count, const void *x, size_t x_stride, void *y, size_t y_stride, int32_t number, size_t inputs, size_t outputs, \
            size_t steps, const int32_t *program)
#define NEONSIM_SIGNATURE_gemm_s16(name) \
  void name(size_t mr, size_t nr, size_t kc, const int16_t *a, size_t a_stride, const int16_t *w, const int32_t *bias, int32_t *c, \
            size_t c_stride)

/* clang-format off */
#define NEONSIM_EVERY_SIGNATURE(X) \
  X(gemm) X(gemm_xzp) X(gemm_s32) X(gemm_packed_s32) X(gemm_wide) X(gemm_16x8) X(gemm_columns) X(igemm) \
  X(dynamic_gemm) X(dynamic_igemm) X(sumrows) \
  X(conv) X(dwconv) X(dwconv_mp) X(dwconv_offset) X(gavgpool) X(gavgpool_mp) X(mean) X(mean_mp) X(avgpool) X(avgpool_mp) \
  X(window_mean) X(windows) X(matrix_mean) X(gains) X(maxpool) X(vadd) X(binary) X(unary) X(clamp) X(bytes) X(zip_xm) X(lut) X(lut32norm) X(softmax) \
  X(gemm_columns_s32) X(igemm_s32) X(dwconv_s32) X(per_channel) X(scaled_rows) \
  X(requantize_precise) X(requantize_fp32) X(requantize_q31) X(requantize_rndnu) \
  X(transform) X(transform_by) X(gemm_s16)
/* clang-format on */

#define NEONSIM_MEMBER(signature) NEONSIM_SIGNATURE_##signature((*signature));
union neonsim_kernel {
  NEONSIM_EVERY_SIGNATURE(NEONSIM_MEMBER)
};
#undef NEONSIM_MEMBER

#endif
