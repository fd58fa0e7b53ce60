/* Inside the library: kernels as the dispatch table sees them. */
#ifndef NEONSIM_VARIANTS_H
#define NEONSIM_VARIANTS_H

#include "neonsim.h"

/* Argument order is that of the contract, and of the assembly files. */
typedef void (*neonsim_gemm_kernel)(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c,
                                    size_t c_stride, const struct neonsim_q31_params *params);
typedef void (*neonsim_gemm_xzp_kernel)(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum,
                                        const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
typedef void (*neonsim_sumrows_kernel)(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums);
typedef void (*neonsim_conv_kernel)(size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a, const void *w, uint8_t *c,
                                    size_t c_stride, const struct neonsim_q31_params *params);
typedef void (*neonsim_dwconv_kernel)(size_t channels, size_t output_width, const uint8_t *const *input, const void *w,
                                      uint8_t *output, size_t input_stride, size_t output_increment,
                                      const struct neonsim_q31_params *params);
typedef void (*neonsim_dwconv_mp_kernel)(size_t channels, size_t output_width, const uint8_t *const *input, const void *w,
                                         int32_t *buffer, uint8_t *output, size_t input_stride, size_t output_increment,
                                         const struct neonsim_q31_params *params);
typedef void (*neonsim_gavgpool_kernel)(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, uint8_t *y,
                                        const struct neonsim_avgpool_params *params);
typedef void (*neonsim_gavgpool_mp_kernel)(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, int32_t *buffer,
                                           uint8_t *y, const struct neonsim_avgpool_params *params);
typedef void (*neonsim_avgpool_kernel)(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, uint8_t *y,
                                       size_t x_increment, size_t y_increment, const struct neonsim_avgpool_params *params);
typedef void (*neonsim_avgpool_mp_kernel)(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero,
                                          int32_t *buffer, uint8_t *y, size_t x_increment, size_t y_increment,
                                          const struct neonsim_avgpool_params *params);
typedef void (*neonsim_maxpool_kernel)(size_t n, size_t ks, size_t kc, const uint8_t *const *input, uint8_t *y, size_t x_increment,
                                       size_t y_increment, const struct neonsim_clamp_params *params);
typedef void (*neonsim_vadd_kernel)(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *y, const struct neonsim_add_params *params);
typedef void (*neonsim_clamp_kernel)(size_t n, const uint8_t *x, uint8_t *y, const struct neonsim_clamp_params *params);
typedef void (*neonsim_bytes_kernel)(size_t n, const uint8_t *x, uint8_t *y); /* row maximum, zips of 2, 3 and 4 */
typedef void (*neonsim_zip_xm_kernel)(size_t n, size_t m, const uint8_t *x, uint8_t *y);
typedef void (*neonsim_lut_kernel)(size_t n, const uint8_t *x, const uint8_t *t, uint8_t *y);
typedef void (*neonsim_lut32norm_kernel)(size_t n, const uint8_t *x, const uint32_t *t, uint8_t *y);
typedef void (*neonsim_requantize_precise_kernel)(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_precise_params *params);
typedef void (*neonsim_requantize_fp32_kernel)(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_fp32_params *params);
typedef void (*neonsim_requantize_q31_kernel)(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_q31_params *params);
typedef void (*neonsim_requantize_rndnu_kernel)(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_rndnu_params *params);
typedef void (*neonsim_gemm_s32_kernel)(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, int32_t *c,
                                        size_t c_stride, size_t accumulate, const struct neonsim_q31_params *params);
typedef void (*neonsim_gemm_packed_s32_kernel)(size_t k, const uint8_t *a, const uint8_t *w, int32_t *c, size_t c_stride,
                                               size_t accumulate, size_t columns);

/* The newer kernels: types of their own, one line for each kernel. */
#include "contracts/dwconv.h"
#include "contracts/channelwise_table.h"
#include "contracts/elementwise.h"
#include "contracts/elementwise_table.h"
#include "contracts/gemm.h"
#include "contracts/products_table.h"

union neonsim_kernel {
  neonsim_gemm_kernel gemm;
  neonsim_gemm_xzp_kernel gemm_xzp;
  neonsim_sumrows_kernel sumrows;
  neonsim_conv_kernel conv;
  neonsim_dwconv_kernel dwconv;
  neonsim_dwconv_mp_kernel dwconv_mp;
  neonsim_gavgpool_kernel gavgpool;
  neonsim_gavgpool_mp_kernel gavgpool_mp;
  neonsim_avgpool_kernel avgpool;
  neonsim_avgpool_mp_kernel avgpool_mp;
  neonsim_maxpool_kernel maxpool;
  neonsim_vadd_kernel vadd;
  neonsim_clamp_kernel clamp;
  neonsim_bytes_kernel bytes;
  neonsim_zip_xm_kernel zip_xm;
  neonsim_lut_kernel lut;
  neonsim_lut32norm_kernel lut32norm;
  neonsim_requantize_precise_kernel requantize_precise;
  neonsim_requantize_fp32_kernel requantize_fp32;
  neonsim_requantize_q31_kernel requantize_q31; /* and gemmlowp */
  neonsim_requantize_rndnu_kernel requantize_rndnu;
  neonsim_gemm_s32_kernel gemm_s32;
  neonsim_gemm_packed_s32_kernel gemm_packed_s32;
  neonsim_columns_kernel product;
  neonsim_gather_kernel gather;
  neonsim_dynamic_kernel dynamic;
  neonsim_dynamic_gather_kernel dynamic_gather;
  neonsim_binary_kernel binary;
  neonsim_unary_kernel unary;
  neonsim_channelwise_kernel channelwise;
  neonsim_mean_kernel mean;
  neonsim_mean_mp_kernel mean_mp;
  neonsim_window_mean_kernel window_mean;
};

struct neonsim_variant {
  struct neonsim_variant_info info;
  union neonsim_kernel kernel;
  uint32_t features; /* all of these bits are needed */
};

/* Bits of the processor's features. */
enum {
  NEONSIM_FEATURE_NEON = 1,
  NEONSIM_FEATURE_SSE41 = 2,
  NEONSIM_FEATURE_AVX2 = 4, /* and FMA */
  NEONSIM_FEATURE_AVXVNNI = 8,
  NEONSIM_FEATURE_AVX512VNNI = 16, /* and F, BW, DQ, VL */
  NEONSIM_FEATURE_DOTPROD = 32,
  NEONSIM_FEATURE_I8MM = 64,
  NEONSIM_FEATURE_NEONV8 = 128, /* Armv8 in 32-bit state: VCVTN and its kin */
  NEONSIM_FEATURE_AMXINT8 = 256 /* and the system lets this process use tiles */
};
/* Asked once. Those that the environment variable NEONSIM_WITHOUT names (separated by commas) count as absent, those of NEONSIM_WITH
 * as present if the processor has them after all: not every system tells (32-bit programs under QEMU 7 do not hear of dot products),
 * so on Arm one of their instructions is tried. What it lacks stays absent, and words that name no feature mean nothing. */
uint32_t neonsim_cpu_feature_bits(void);

/* The variant of that name (NULL: the default) if it can be called. */
int32_t neonsim_find_variant(int32_t contract, const char *name, const struct neonsim_variant **variant);
/* The variant of that name, of whatever contract. */
int32_t neonsim_find_any_variant(const char *name, const struct neonsim_variant **variant);
/* By index, callable or not. */
const struct neonsim_variant *neonsim_variant_at(size_t index);

/* Arguments of a GEMM of any size, judged; then one tile of it, which must be within the variant's, without another look. */
int32_t neonsim_check_gemm(const struct neonsim_variant *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                           const void *w, const uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_gemm(const struct neonsim_variant *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                      const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
void neonsim_run_sumrows(const struct neonsim_variant *variant, const uint8_t *a, size_t m, size_t k, size_t stride,
                         int32_t multiplier, int32_t *sums);

#define NEONSIM_DECLARE_GEMM(name)                                                                                            \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, uint8_t *c, size_t c_stride, \
            const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_GEMM_XZP(name)                                                                                        \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const int32_t *a_sum, const void *w,         \
            uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_SUMROWS(name) \
  void name(const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier, int32_t *sums)

#define NEONSIM_DECLARE_CONV(name)                                                                                             \
  void name(size_t mr, size_t nr, size_t kc, size_t ks, const uint8_t *const *a, const void *w, uint8_t *c, size_t c_stride, \
            const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_DWCONV(name)                                                                                  \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, uint8_t *output,      \
            size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_DWCONV_MP(name)                                                                                           \
  void name(size_t channels, size_t output_width, const uint8_t *const *input, const void *w, int32_t *buffer, uint8_t *output, \
            size_t input_stride, size_t output_increment, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_GAVGPOOL(name)                                                                          \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, uint8_t *y,           \
            const struct neonsim_avgpool_params *params)
#define NEONSIM_DECLARE_GAVGPOOL_MP(name)                                                                            \
  void name(size_t m, size_t n, const uint8_t *x, size_t x_stride, const uint8_t *zero, int32_t *buffer, uint8_t *y, \
            const struct neonsim_avgpool_params *params)
#define NEONSIM_DECLARE_AVGPOOL(name)                                                                                            \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, uint8_t *y, size_t x_increment, \
            size_t y_increment, const struct neonsim_avgpool_params *params)
#define NEONSIM_DECLARE_AVGPOOL_MP(name)                                                                                        \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, const uint8_t *zero, int32_t *buffer, uint8_t *y,    \
            size_t x_increment, size_t y_increment, const struct neonsim_avgpool_params *params)
#define NEONSIM_DECLARE_MAXPOOL(name)                                                                              \
  void name(size_t n, size_t ks, size_t kc, const uint8_t *const *input, uint8_t *y, size_t x_increment,         \
            size_t y_increment, const struct neonsim_clamp_params *params)
#define NEONSIM_DECLARE_VADD(name) \
  void name(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *y, const struct neonsim_add_params *params)
#define NEONSIM_DECLARE_CLAMP(name) void name(size_t n, const uint8_t *x, uint8_t *y, const struct neonsim_clamp_params *params)
#define NEONSIM_DECLARE_BYTES(name) void name(size_t n, const uint8_t *x, uint8_t *y)
#define NEONSIM_DECLARE_ZIP_XM(name) void name(size_t n, size_t m, const uint8_t *x, uint8_t *y)
#define NEONSIM_DECLARE_LUT(name) void name(size_t n, const uint8_t *x, const uint8_t *t, uint8_t *y)
#define NEONSIM_DECLARE_LUT32NORM(name) void name(size_t n, const uint8_t *x, const uint32_t *t, uint8_t *y)
#define NEONSIM_DECLARE_REQUANTIZE_PRECISE(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_precise_params *params)
#define NEONSIM_DECLARE_REQUANTIZE_FP32(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_fp32_params *params)
#define NEONSIM_DECLARE_REQUANTIZE_Q31(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_REQUANTIZE_RNDNU(name) \
  void name(size_t n, const int32_t *x, uint8_t *y, const struct neonsim_rndnu_params *params)
#define NEONSIM_DECLARE_GEMM_S32(name)                                                                                          \
  void name(size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w, int32_t *c, size_t c_stride, \
            size_t accumulate, const struct neonsim_q31_params *params)
#define NEONSIM_DECLARE_GEMM_PACKED_S32(name)                                                                                  \
  void name(size_t k, const uint8_t *a, const uint8_t *w, int32_t *c, size_t c_stride, size_t accumulate, size_t columns)

#define NEONSIM_DECLARE_product(name) NEONSIM_DECLARE_PRODUCT(name)
#define NEONSIM_DECLARE_gather(name) NEONSIM_DECLARE_GATHER(name)
#define NEONSIM_DECLARE_dynamic(name) NEONSIM_DECLARE_DYNAMIC(name)
#define NEONSIM_DECLARE_dynamic_gather(name) NEONSIM_DECLARE_DYNAMIC_GATHER(name)
#define NEONSIM_DECLARE_binary(name) NEONSIM_DECLARE_BINARY(name)
#define NEONSIM_DECLARE_unary(name) NEONSIM_DECLARE_UNARY(name)
#define NEONSIM_DECLARE_channelwise(name) NEONSIM_DECLARE_CHANNELWISE(name)
#define NEONSIM_DECLARE_mean(name) NEONSIM_DECLARE_MEAN(name)
#define NEONSIM_DECLARE_window_mean(name) NEONSIM_DECLARE_WINDOW_MEAN(name)
#define NEONSIM_DECLARE_maxpool(name) NEONSIM_DECLARE_MAXPOOL(name)
#define NEONSIM_DECLARE_clamp(name) NEONSIM_DECLARE_CLAMP(name)
#define NEONSIM_DECLARE_mean_mp(name) NEONSIM_DECLARE_MEAN_MP(name)
#define NEONSIM_DECLARE_ROW(contract, text, member, isa, mr, nr, kr, sr, origin, kernel) NEONSIM_DECLARE_##member(neonsim_##kernel);
NEONSIM_C_PRODUCTS(NEONSIM_DECLARE_ROW)
NEONSIM_KERNEL_PRODUCTS(NEONSIM_DECLARE_ROW)
NEONSIM_C_ELEMENTWISE(NEONSIM_DECLARE_ROW)
NEONSIM_KERNEL_ELEMENTWISE(NEONSIM_DECLARE_ROW)
NEONSIM_C_CHANNELWISE(NEONSIM_DECLARE_ROW)
NEONSIM_KERNEL_CHANNELWISE(NEONSIM_DECLARE_ROW)

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x1__scalar);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x8__scalar);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_6x4__scalar);
NEONSIM_DECLARE_GEMM_S32(neonsim_qu8_gemm_s32_4x8__scalar);
NEONSIM_DECLARE_GEMM_S32(neonsim_qu8_gemm_s32_8x8__scalar);
NEONSIM_DECLARE_GEMM_PACKED_S32(neonsim_u8_gemm_packed_s32_12x4__scalar);
NEONSIM_DECLARE_GEMM_PACKED_S32(neonsim_u8_gemm_packed_s32_12x8__scalar);
NEONSIM_DECLARE_REQUANTIZE_PRECISE(neonsim_qu8_requantize_precise_16x__scalar);
NEONSIM_DECLARE_REQUANTIZE_FP32(neonsim_qu8_requantize_fp32_16x__scalar);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_q31_16x__scalar);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_gemmlowp_16x__scalar);
NEONSIM_DECLARE_REQUANTIZE_RNDNU(neonsim_qu8_requantize_rndnu_16x__scalar);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__scalar);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__scalar);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__scalar);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__scalar);
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_4x8__scalar);
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_8x8__scalar);
NEONSIM_DECLARE_DWCONV(neonsim_qu8_dwconv_q31_8x9__scalar);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x25__scalar);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x9__scalar);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x7__scalar);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x__scalar);
NEONSIM_DECLARE_GAVGPOOL_MP(neonsim_qu8_gavgpool_mp_8x7__scalar);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x9__scalar);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x__scalar);
NEONSIM_DECLARE_AVGPOOL_MP(neonsim_qu8_avgpool_mp_8x9__scalar);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x9__scalar);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x__scalar);
NEONSIM_DECLARE_VADD(neonsim_qu8_vadd_1x__scalar);
NEONSIM_DECLARE_CLAMP(neonsim_u8_clamp_1x__scalar);
NEONSIM_DECLARE_BYTES(neonsim_u8_rmax_1x__scalar);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x2_1x__scalar);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x3_1x__scalar);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x4_1x__scalar);
NEONSIM_DECLARE_ZIP_XM(neonsim_x8_zip_xm_1x__scalar);
NEONSIM_DECLARE_LUT(neonsim_x8_lut_1x__scalar);
NEONSIM_DECLARE_LUT32NORM(neonsim_u8_lut32norm_1x__scalar);

NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__neon_mlal_lane);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__neon_mlal_lane);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__neon_mull_padal);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__neon);
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_8x8__neon_mlal_lane);
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_4x8__neon_mlal_lane);
NEONSIM_DECLARE_DWCONV(neonsim_qu8_dwconv_q31_8x9__neon_mlal);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x25__neon_mlal);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x9__neon_mlal);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x7__neon);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x__neon);
NEONSIM_DECLARE_GAVGPOOL_MP(neonsim_qu8_gavgpool_mp_8x7__neon);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x9__neon);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x__neon);
NEONSIM_DECLARE_AVGPOOL_MP(neonsim_qu8_avgpool_mp_8x9__neon);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x9__neon);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x__neon);
NEONSIM_DECLARE_VADD(neonsim_qu8_vadd_8x__neon);
NEONSIM_DECLARE_CLAMP(neonsim_u8_clamp_16x__neon);
NEONSIM_DECLARE_BYTES(neonsim_u8_rmax_16x__neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x2_8x__neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x3_8x__neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x4_8x__neon);
NEONSIM_DECLARE_ZIP_XM(neonsim_x8_zip_xm_8x__neon);
NEONSIM_DECLARE_REQUANTIZE_PRECISE(neonsim_qu8_requantize_precise_16x__neon);
NEONSIM_DECLARE_REQUANTIZE_FP32(neonsim_qu8_requantize_fp32_16x__neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_q31_16x__neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_gemmlowp_16x__neon);
NEONSIM_DECLARE_REQUANTIZE_RNDNU(neonsim_qu8_requantize_rndnu_16x__neon);

/* kernels/, one wrapper each (cmake/kernel.S.in), where the target's assembler takes them. */
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_4x8__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_CONV(neonsim_qu8_conv_q31_8x8__aarch64_neon_mlal_lane);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x25__aarch64_neon_mlal);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap);
NEONSIM_DECLARE_DWCONV_MP(neonsim_qu8_dwconv_mp_q31_8x9__aarch64_neon_tap_by_tap);
NEONSIM_DECLARE_DWCONV(neonsim_qu8_dwconv_q31_8x9__aarch32_neon_mlal);
NEONSIM_DECLARE_DWCONV(neonsim_qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x1__aarch32_mla);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x1__aarch64_madd);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x8__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_1x8__aarch64_neon_mlal_lane);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_6x4__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_6x4__aarch64_neon_mlal_lane);
NEONSIM_DECLARE_GEMM_S32(neonsim_qu8_gemm_s32_4x8__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_GEMM_S32(neonsim_qu8_gemm_s32_8x8__aarch64_neon_mlal_lane);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__aarch64_neon);
NEONSIM_DECLARE_GEMM_PACKED_S32(neonsim_u8_gemm_packed_s32_12x4__aarch32_neon_cells);
NEONSIM_DECLARE_GEMM_PACKED_S32(neonsim_u8_gemm_packed_s32_12x8__aarch64_neon_cells);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x9__aarch32_neon);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x9__aarch64_neon);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x__aarch32_neon_few_channels);
NEONSIM_DECLARE_AVGPOOL(neonsim_qu8_avgpool_8x__aarch64_neon_few_channels);
NEONSIM_DECLARE_AVGPOOL_MP(neonsim_qu8_avgpool_mp_8x9__aarch32_neon);
NEONSIM_DECLARE_AVGPOOL_MP(neonsim_qu8_avgpool_mp_8x9__aarch64_neon);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x7__aarch32_neon);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x7__aarch64_neon);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x__aarch32_neon_few_channels);
NEONSIM_DECLARE_GAVGPOOL(neonsim_qu8_gavgpool_8x__aarch64_neon_few_channels);
NEONSIM_DECLARE_GAVGPOOL_MP(neonsim_qu8_gavgpool_mp_8x7__aarch32_neon);
NEONSIM_DECLARE_GAVGPOOL_MP(neonsim_qu8_gavgpool_mp_8x7__aarch64_neon);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x9__aarch32_neon);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x9__aarch64_neon);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x__aarch32_neon_few_channels);
NEONSIM_DECLARE_MAXPOOL(neonsim_u8_maxpool_16x__aarch64_neon_few_channels);
NEONSIM_DECLARE_REQUANTIZE_FP32(neonsim_qu8_requantize_fp32_16x__aarch32_neon);
NEONSIM_DECLARE_REQUANTIZE_FP32(neonsim_qu8_requantize_fp32_16x__aarch64_neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_gemmlowp_16x__aarch32_neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_gemmlowp_16x__aarch64_neon);
NEONSIM_DECLARE_REQUANTIZE_PRECISE(neonsim_qu8_requantize_precise_16x__aarch32_neon);
NEONSIM_DECLARE_REQUANTIZE_PRECISE(neonsim_qu8_requantize_precise_16x__aarch64_neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_q31_16x__aarch32_neon);
NEONSIM_DECLARE_REQUANTIZE_Q31(neonsim_qu8_requantize_q31_16x__aarch64_neon);
NEONSIM_DECLARE_REQUANTIZE_RNDNU(neonsim_qu8_requantize_rndnu_16x__aarch32_neon);
NEONSIM_DECLARE_REQUANTIZE_RNDNU(neonsim_qu8_requantize_rndnu_16x__aarch64_neon);
NEONSIM_DECLARE_VADD(neonsim_qu8_vadd_16x__aarch32_neon);
NEONSIM_DECLARE_VADD(neonsim_qu8_vadd_32x__aarch64_neon);
NEONSIM_DECLARE_CLAMP(neonsim_u8_clamp_64x__aarch32_neon);
NEONSIM_DECLARE_CLAMP(neonsim_u8_clamp_64x__aarch64_neon);
NEONSIM_DECLARE_LUT32NORM(neonsim_u8_lut32norm_1x__aarch32_umlal);
NEONSIM_DECLARE_LUT32NORM(neonsim_u8_lut32norm_1x__aarch64_umulh);
NEONSIM_DECLARE_BYTES(neonsim_u8_rmax_16x__aarch32_neon);
NEONSIM_DECLARE_BYTES(neonsim_u8_rmax_16x__aarch64_neon);
NEONSIM_DECLARE_LUT(neonsim_x8_lut_4x__aarch32_ldrb);
NEONSIM_DECLARE_LUT(neonsim_x8_lut_4x__aarch64_ldrb);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x2_8x__aarch32_neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x2_8x__aarch64_neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x3_8x__aarch32_neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x3_8x__aarch64_neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x4_8x__aarch32_neon);
NEONSIM_DECLARE_BYTES(neonsim_x8_zip_x4_8x__aarch64_neon);
NEONSIM_DECLARE_ZIP_XM(neonsim_x8_zip_xm_8x__aarch32_neon);
NEONSIM_DECLARE_ZIP_XM(neonsim_x8_zip_xm_8x__aarch64_neon);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_4x8__aarch32_neon_mlal_lane);
NEONSIM_DECLARE_GEMM_XZP(neonsim_qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal);
NEONSIM_DECLARE_SUMROWS(neonsim_qu8_sumrows_4x__aarch32_neon);
NEONSIM_DECLARE_GEMM(neonsim_qu8_gemm_q31_8x8__aarch64_neon_mlal_lane);

#endif
