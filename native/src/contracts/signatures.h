/* How kernels are called: one signature for all contracts that take the same arguments (contracts.h says which takes
 * which), in the order of the contract and of the assembly files. `make headers` writes this file from
 * neonsim/ukernel/contracts.
 *
 * NEONSIM_SIGNATURE_x(name) declares a function `name`, or with (*name) a pointer to one. */
#ifndef NEONSIM_CONTRACTS_SIGNATURES_H
#define NEONSIM_CONTRACTS_SIGNATURES_H

#include "neonsim.h"

/* clang-format off */
#define NEONSIM_SIGNATURE_gemm(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c, \
            size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gemm_xzp(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum, const void *w, \
            uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_sumrows(name) \
  void name(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums)
#define NEONSIM_SIGNATURE_conv(name) \
  void name(size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a, const void *w, uint8_t *c, \
            size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_dwconv(name) \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, uint8_t *output, \
            size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_dwconv_mp(name) \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, int32_t *buffer, \
            uint8_t *output, size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gavgpool(name) \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, uint8_t *y, \
            const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_gavgpool_mp(name) \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, int32_t *buffer, uint8_t *y, \
            const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_avgpool(name) \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, uint8_t *y, \
            size_t x_increment, size_t y_increment, const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_avgpool_mp(name) \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, int32_t *buffer, \
            uint8_t *y, size_t x_increment, size_t y_increment, const struct neonsim_average_pool_params *params)
#define NEONSIM_SIGNATURE_maxpool(name) \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, void *y, size_t x_increment, size_t y_increment, \
            const struct neonsim_clamp_params *params)
#define NEONSIM_SIGNATURE_vadd(name) \
  void name(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *y, const struct neonsim_add_params *params)
#define NEONSIM_SIGNATURE_clamp(name) \
  void name(size_t n, const void *x, void *y, const struct neonsim_clamp_params *params)
#define NEONSIM_SIGNATURE_bytes(name) \
  void name(size_t n, const uint8_t *x, uint8_t *y)
#define NEONSIM_SIGNATURE_zip_xm(name) \
  void name(size_t n, size_t m, const uint8_t *x, uint8_t *y)
#define NEONSIM_SIGNATURE_lut(name) \
  void name(size_t n, const uint8_t *x, const uint8_t *t, uint8_t *y)
#define NEONSIM_SIGNATURE_lut32norm(name) \
  void name(size_t n, const uint8_t *x, const uint32_t *t, uint8_t *y)
#define NEONSIM_SIGNATURE_requantize(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const void *params)
#define NEONSIM_SIGNATURE_unary(name) \
  void name(size_t n, const void *x, void *y, const void *params)
#define NEONSIM_SIGNATURE_per_channel(name) \
  void name(size_t rows, size_t channels, const int32_t *x, size_t x_stride, const float *factor, const float *bias, \
            void *y, size_t y_stride, const struct neonsim_ncnn_params *params)
#define NEONSIM_SIGNATURE_gemm_columns_s32(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, int32_t *c, \
            size_t cm_stride, size_t cn_stride)
#define NEONSIM_SIGNATURE_igemm_s32(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, int32_t *c, \
            size_t cm_stride, size_t cn_stride, size_t a_offset, const void *zero)
#define NEONSIM_SIGNATURE_dwconv_s32(name) \
  void name(size_t channels, size_t output_width, const void *const *input, const void *w, int32_t *output, \
            size_t input_stride, size_t output_increment, size_t input_offset, const void *zero)
#define NEONSIM_SIGNATURE_gemm_s32(name) \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, int32_t *c, \
            size_t c_stride, size_t accumulate, const struct neonsim_q31_params *params)
#define NEONSIM_SIGNATURE_gemm_packed_s32(name) \
  void name(size_t k, const uint8_t *a, const uint8_t *w, int32_t *c, size_t c_stride, size_t accumulate, \
            size_t columns)
#define NEONSIM_SIGNATURE_gemm_16x8(name) \
  void name(size_t mr, size_t nr, size_t kc, const void *a, size_t a_stride, const int8_t *w, const void *q, void *c, \
            size_t c_stride, int32_t output_min, int32_t output_max)
#define NEONSIM_SIGNATURE_gemm_wide(name) \
  void name(size_t mr, size_t nr, size_t kc, const void *a, size_t a_stride, const int8_t *w, const void *q, void *c, \
            size_t c_stride)
#define NEONSIM_SIGNATURE_dynamic_gemm(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, const struct neonsim_qd8_row *rows, const struct neonsim_qd8_params *params)
#define NEONSIM_SIGNATURE_gemm_columns(name) \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride, \
            size_t cn_stride, const void *params)
#define NEONSIM_SIGNATURE_igemm(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, \
            size_t cm_stride, size_t cn_stride, size_t a_offset, const void *zero, const void *params)
#define NEONSIM_SIGNATURE_binary(name) \
  void name(size_t n, const void *a, const void *b, void *y, const void *params)
#define NEONSIM_SIGNATURE_dwconv_offset(name) \
  void name(size_t channels, size_t output_width, const void *const *input, const void *w, void *output, \
            size_t input_stride, size_t output_increment, size_t input_offset, const void *zero, const void *params)
#define NEONSIM_SIGNATURE_mean(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, void *y, \
            const struct neonsim_mean_params *params)
#define NEONSIM_SIGNATURE_mean_mp(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, int32_t *buffer, void *y, \
            const struct neonsim_mean_params *params)
#define NEONSIM_SIGNATURE_dynamic_igemm(name) \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, \
            size_t cm_stride, size_t cn_stride, size_t a_offset, const void *zero, const void *zero_data, \
            const struct neonsim_qd8_row *scheme, const struct neonsim_qd8_params *params)
#define NEONSIM_SIGNATURE_window_mean(name) \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, const void *zero, void *y, size_t x_increment, \
            size_t y_increment, const void *params)
#define NEONSIM_SIGNATURE_softmax(name) \
  void name(size_t n, const void *x, const float *t, float *buffer, void *y)
#define NEONSIM_SIGNATURE_windows(name) \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, void *y, size_t x_increment, size_t y_increment, \
            const void *params)
#define NEONSIM_SIGNATURE_matrix_mean(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, void *y, \
            const struct neonsim_float_mean_params *params)
#define NEONSIM_SIGNATURE_gains(name) \
  void name(size_t m, size_t n, const float *x, size_t x_stride, const void *w, float *y, size_t y_stride, \
            const struct neonsim_float_params *params)
#define NEONSIM_SIGNATURE_scaled_rows(name) \
  void name(size_t rows, size_t channels, const int32_t *x, size_t x_stride, const float *factor, int8_t *y, \
            size_t y_stride, const struct neonsim_divide_params *params)
#define NEONSIM_SIGNATURE_transform(name) \
  void name(size_t count, const void *x, size_t x_stride, void *y, size_t y_stride, size_t inputs, size_t outputs, \
            size_t steps, const int32_t *program)
#define NEONSIM_SIGNATURE_transform_by(name) \
  void name(size_t count, const void *x, size_t x_stride, void *y, size_t y_stride, int32_t number, size_t inputs, \
            size_t outputs, size_t steps, const int32_t *program)
#define NEONSIM_SIGNATURE_gemm_s16(name) \
  void name(size_t mr, size_t nr, size_t kc, const int16_t *a, size_t a_stride, const int16_t *w, const int32_t *bias, \
            int32_t *c, size_t c_stride)

/* X(signature, how many arguments, which): N a size or stride, P an address, I an int32; each by its number. */
#define NEONSIM_EVERY_CALL(X) \
  X(gemm, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), P(8))) \
  X(gemm_xzp, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8), P(9))) \
  X(sumrows, 6, (P(0), N(1), N(2), N(3), I(4), P(5))) \
  X(conv, 9, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), P(8))) \
  X(dwconv, 8, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), P(7))) \
  X(dwconv_mp, 9, (N(0), N(1), P(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(gavgpool, 7, (N(0), N(1), P(2), N(3), P(4), P(5), P(6))) \
  X(gavgpool_mp, 8, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7))) \
  X(avgpool, 9, (N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(avgpool_mp, 10, (N(0), N(1), N(2), P(3), P(4), P(5), P(6), N(7), N(8), P(9))) \
  X(maxpool, 8, (N(0), N(1), N(2), P(3), P(4), N(5), N(6), P(7))) \
  X(vadd, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(clamp, 4, (N(0), P(1), P(2), P(3))) \
  X(bytes, 3, (N(0), P(1), P(2))) \
  X(zip_xm, 4, (N(0), N(1), P(2), P(3))) \
  X(lut, 4, (N(0), P(1), P(2), P(3))) \
  X(lut32norm, 4, (N(0), P(1), P(2), P(3))) \
  X(requantize, 4, (N(0), P(1), P(2), P(3))) \
  X(unary, 4, (N(0), P(1), P(2), P(3))) \
  X(per_channel, 9, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), N(7), P(8))) \
  X(gemm_columns_s32, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8))) \
  X(igemm_s32, 11, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10))) \
  X(dwconv_s32, 9, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), N(7), P(8))) \
  X(gemm_s32, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9))) \
  X(gemm_packed_s32, 7, (N(0), P(1), P(2), P(3), N(4), N(5), N(6))) \
  X(gemm_16x8, 11, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8), I(9), I(10))) \
  X(gemm_wide, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8))) \
  X(dynamic_gemm, 11, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9), P(10))) \
  X(gemm_columns, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9))) \
  X(igemm, 12, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11))) \
  X(binary, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(dwconv_offset, 10, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), N(7), P(8), P(9))) \
  X(mean, 7, (N(0), N(1), P(2), N(3), P(4), P(5), P(6))) \
  X(mean_mp, 8, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7))) \
  X(dynamic_igemm, 14, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11), P(12), P(13))) \
  X(window_mean, 9, (N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(softmax, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(windows, 8, (N(0), N(1), N(2), P(3), P(4), N(5), N(6), P(7))) \
  X(matrix_mean, 6, (N(0), N(1), P(2), N(3), P(4), P(5))) \
  X(gains, 8, (N(0), N(1), P(2), N(3), P(4), P(5), N(6), P(7))) \
  X(scaled_rows, 8, (N(0), N(1), P(2), N(3), P(4), P(5), N(6), P(7))) \
  X(transform, 9, (N(0), P(1), N(2), P(3), N(4), N(5), N(6), N(7), P(8))) \
  X(transform_by, 10, (N(0), P(1), N(2), P(3), N(4), I(5), N(6), N(7), N(8), P(9))) \
  X(gemm_s16, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8)))
/* clang-format on */

#define NEONSIM_MEMBER(signature, count, arguments) NEONSIM_SIGNATURE_##signature((*signature));
union neonsim_kernel {
  NEONSIM_EVERY_CALL(NEONSIM_MEMBER)
};
#undef NEONSIM_MEMBER

#endif
