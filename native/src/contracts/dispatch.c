/* The table of variants, and which of them this processor can run. The table is constant; what is chosen is worked out once. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contracts/variants.h"

const char *neonsim_cpu_family(void) {
#if defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#elif defined(__arm__)
  return "arm";
#elif defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__i386__) || defined(_M_IX86)
  return "x86";
#elif defined(__riscv)
  return "riscv";
#elif defined(__wasm__)
  return "wasm";
#else
  return "unknown";
#endif
}

/* ---- the table ------------------------------------------------------------------------------------------------------ */

#define GEMM(text, isa, mr, kernel, features, missing, reads_before) \
  {{text, isa, missing, NEONSIM_QU8_GEMM_Q31, mr, 8, 1, 1, reads_before, "qu8_gemm_q31"}, {.gemm = kernel}, features}
#define GEMM_XZP(text, isa, mr, kernel, features, missing, reads_before) \
  {{text, isa, missing, NEONSIM_QU8_GEMM_XZP_Q31, mr, 8, 2, 8, reads_before, "qu8_gemm_xzp_q31"}, {.gemm_xzp = kernel}, features}
#define SUMROWS(text, isa, mr, kernel, features, missing, reads_before) \
  {{text, isa, missing, NEONSIM_QU8_SUMROWS, mr, 0, 0, 0, reads_before, "qu8_sumrows"}, {.sumrows = kernel}, features}
#define CONV(text, isa, mr, kernel, features, missing, reads_before) \
  {{text, isa, missing, NEONSIM_QU8_CONV_Q31, mr, 8, 1, 1, reads_before, "qu8_conv_q31"}, {.conv = kernel}, features}
/* All other contracts pack no columns. `member` is the kernel's type in union neonsim_kernel. */
#define PLAIN(contract, contract_text, member, text, isa, mr, nr, kernel, features, missing, reads_before) \
  {{text, isa, missing, contract, mr, nr, 0, 0, reads_before, contract_text}, {.member = kernel}, features}

/* Products of any tile whose weights are packed in blocks of nr columns. */
#define PACKS(contract, contract_text, member, text, isa, mr, nr, kernel, features, missing, reads_before) \
  {{text, isa, missing, contract, mr, nr, 1, 1, reads_before, contract_text}, {.member = kernel}, features}

/* CMake defines these: the first where it compiles the intrinsics, the others where it assembles the files of kernels/. */
#ifdef NEONSIM_HAVE_NEON
#define INTRINSICS(kernel) neonsim_##kernel, NEONSIM_FEATURE_NEON, NULL, 0
#else
#define INTRINSICS(kernel) NULL, 0, "not compiled in: NEON intrinsics need an Arm target with NEON", 0
#endif
#ifdef NEONSIM_HAVE_NEONDOT
#define INTRINSICS_DOT(kernel) neonsim_##kernel, NEONSIM_FEATURE_NEON | NEONSIM_FEATURE_DOTPROD, NULL, 0
#else
#define INTRINSICS_DOT(kernel) NULL, 0, "not compiled in: these intrinsics need an Arm target and a compiler with dot products", 0
#endif
#ifdef NEONSIM_HAVE_I8MM
#define INTRINSICS_I8MM(kernel) neonsim_##kernel, NEONSIM_FEATURE_NEON | NEONSIM_FEATURE_I8MM, NULL, 0
#else
#define INTRINSICS_I8MM(kernel) NULL, 0, "not compiled in: these intrinsics need an Arm target and a compiler with matrix products", 0
#endif
#ifdef NEONSIM_ASSEMBLY_AARCH32
#define AARCH32(kernel) neonsim_##kernel, NEONSIM_FEATURE_NEON, NULL, READS_BEFORE_##kernel
#else
#define AARCH32(kernel) NULL, 0, "not compiled in: this assembly needs a 32-bit Arm target with NEON", 0
#endif
#ifdef NEONSIM_ASSEMBLY_AARCH64
#define AARCH64(kernel) neonsim_##kernel, NEONSIM_FEATURE_NEON, NULL, READS_BEFORE_##kernel
#else
#define AARCH64(kernel) NULL, 0, "not compiled in: this assembly needs a 64-bit Arm target", 0
#endif

/* What a kernel needs beyond NEON. */
#ifdef NEONSIM_ASSEMBLY_AARCH64
#define AARCH64_WITH(kernel, feature) neonsim_##kernel, NEONSIM_FEATURE_NEON | feature, NULL, READS_BEFORE_##kernel
#else
#define AARCH64_WITH(kernel, feature) AARCH64(kernel)
#endif
#ifdef NEONSIM_ASSEMBLY_AARCH32
#define AARCH32_WITH(kernel, feature) neonsim_##kernel, NEONSIM_FEATURE_NEON | feature, NULL, READS_BEFORE_##kernel
#else
#define AARCH32_WITH(kernel, feature) AARCH32(kernel)
#endif
#define AARCH64_DOT(kernel) AARCH64_WITH(kernel, NEONSIM_FEATURE_DOTPROD)
#define AARCH64_I8MM(kernel) AARCH64_WITH(kernel, NEONSIM_FEATURE_I8MM)
#define AARCH32_DOT(kernel) AARCH32_WITH(kernel, NEONSIM_FEATURE_DOTPROD)
#define AARCH32_V8(kernel) AARCH32_WITH(kernel, NEONSIM_FEATURE_NEONV8)

#define SCALAR(kernel) neonsim_##kernel, 0, NULL, 0
/* EXPAND lets the four arguments that these make count as four: function, features, what is missing, bytes read before a row. */
#define EXPAND(macro, ...) macro(__VA_ARGS__)

/* Within a contract the best comes first: the first one that can be called is the default. */
#define VARIANT(contract, isa, mr, origin, kernel) EXPAND(contract, #kernel, isa, mr, origin(kernel))
#define OTHER(contract, contract_text, member, isa, mr, nr, origin, kernel) \
  EXPAND(PLAIN, contract, contract_text, member, #kernel, isa, mr, nr, origin(kernel))
#define SMALL(member, contract, contract_text, isa, mr, nr, origin, kernel) \
  EXPAND(PACKS, contract, contract_text, member, #kernel, isa, mr, nr, origin(kernel))
#define PRODUCT_ROW(contract, contract_text, member, text, isa, mr, nr, kr, sr, kernel, features, missing, reads_before) \
  {{text, isa, missing, contract, mr, nr, kr, sr, reads_before, contract_text}, {.member = kernel}, features},
#define PRODUCT(contract, contract_text, member, isa, mr, nr, kr, sr, origin, kernel) \
  EXPAND(PRODUCT_ROW, contract, contract_text, member, #kernel, isa, mr, nr, kr, sr, origin(kernel))
static const struct neonsim_variant variants[] = {
    VARIANT(GEMM, "aarch64", 8, AARCH64, qu8_gemm_q31_8x8__aarch64_neon_mlal_lane),
    VARIANT(GEMM, "aarch32", 4, AARCH32, qu8_gemm_q31_4x8__aarch32_neon_mlal_lane),
    VARIANT(GEMM, "neon", 8, INTRINSICS, qu8_gemm_q31_8x8__neon_mlal_lane),
    VARIANT(GEMM, "neon", 4, INTRINSICS, qu8_gemm_q31_4x8__neon_mlal_lane),
    VARIANT(GEMM, "scalar", 4, SCALAR, qu8_gemm_q31_4x8__scalar),
    VARIANT(GEMM, "scalar", 8, SCALAR, qu8_gemm_q31_8x8__scalar),

    VARIANT(GEMM_XZP, "aarch32", 4, AARCH32, qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal),
    VARIANT(GEMM_XZP, "neon", 4, INTRINSICS, qu8_gemm_xzp_q31_4x8c2__neon_mull_padal),
    VARIANT(GEMM_XZP, "scalar", 4, SCALAR, qu8_gemm_xzp_q31_4x8c2__scalar),

    VARIANT(SUMROWS, "aarch32", 4, AARCH32, qu8_sumrows_4x__aarch32_neon),
    VARIANT(SUMROWS, "neon", 4, INTRINSICS, qu8_sumrows_4x__neon),
    VARIANT(SUMROWS, "scalar", 4, SCALAR, qu8_sumrows_4x__scalar),

#include "contracts/neon_table.h"

    VARIANT(CONV, "scalar", 4, SCALAR, qu8_conv_q31_4x8__scalar),
    VARIANT(CONV, "scalar", 8, SCALAR, qu8_conv_q31_8x8__scalar),

    OTHER(NEONSIM_QU8_DWCONV_Q31, "qu8_dwconv_q31", dwconv, "scalar", 8, 9, SCALAR, qu8_dwconv_q31_8x9__scalar),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "scalar", 8, 25, SCALAR, qu8_dwconv_mp_q31_8x25__scalar),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "scalar", 8, 9, SCALAR, qu8_dwconv_mp_q31_8x9__scalar),

    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "scalar", 8, 7, SCALAR, qu8_gavgpool_8x7__scalar),
    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "scalar", 8, 0, SCALAR, qu8_gavgpool_8x__scalar),
    OTHER(NEONSIM_QU8_GAVGPOOL_MP, "qu8_gavgpool_mp", gavgpool_mp, "scalar", 8, 7, SCALAR, qu8_gavgpool_mp_8x7__scalar),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "scalar", 8, 9, SCALAR, qu8_avgpool_8x9__scalar),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "scalar", 8, 0, SCALAR, qu8_avgpool_8x__scalar),
    OTHER(NEONSIM_QU8_AVGPOOL_MP, "qu8_avgpool_mp", avgpool_mp, "scalar", 8, 9, SCALAR, qu8_avgpool_mp_8x9__scalar),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "scalar", 16, 9, SCALAR, u8_maxpool_16x9__scalar),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "scalar", 16, 0, SCALAR, u8_maxpool_16x__scalar),

    OTHER(NEONSIM_QU8_VADD, "qu8_vadd", vadd, "scalar", 1, 0, SCALAR, qu8_vadd_1x__scalar),
    OTHER(NEONSIM_U8_CLAMP, "u8_clamp", clamp, "scalar", 1, 0, SCALAR, u8_clamp_1x__scalar),
    OTHER(NEONSIM_U8_RMAX, "u8_rmax", bytes, "scalar", 1, 0, SCALAR, u8_rmax_1x__scalar),
    OTHER(NEONSIM_X8_ZIP_X2, "x8_zip_x2", bytes, "scalar", 1, 0, SCALAR, x8_zip_x2_1x__scalar),
    OTHER(NEONSIM_X8_ZIP_X3, "x8_zip_x3", bytes, "scalar", 1, 0, SCALAR, x8_zip_x3_1x__scalar),
    OTHER(NEONSIM_X8_ZIP_X4, "x8_zip_x4", bytes, "scalar", 1, 0, SCALAR, x8_zip_x4_1x__scalar),
    OTHER(NEONSIM_X8_ZIP_XM, "x8_zip_xm", zip_xm, "scalar", 1, 0, SCALAR, x8_zip_xm_1x__scalar),
    OTHER(NEONSIM_X8_LUT, "x8_lut", lut, "scalar", 1, 0, SCALAR, x8_lut_1x__scalar),
    OTHER(NEONSIM_U8_LUT32NORM, "u8_lut32norm", lut32norm, "scalar", 1, 0, SCALAR, u8_lut32norm_1x__scalar),

    /* Tiles for study: too small or too tall to be anybody's default. */
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "scalar", 1, 1, SCALAR, qu8_gemm_q31_1x1__scalar),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "scalar", 1, 8, SCALAR, qu8_gemm_q31_1x8__scalar),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "scalar", 6, 4, SCALAR, qu8_gemm_q31_6x4__scalar),
    SMALL(gemm_s32, NEONSIM_QU8_GEMM_S32, "qu8_gemm_s32", "scalar", 4, 8, SCALAR, qu8_gemm_s32_4x8__scalar),
    SMALL(gemm_s32, NEONSIM_QU8_GEMM_S32, "qu8_gemm_s32", "scalar", 8, 8, SCALAR, qu8_gemm_s32_8x8__scalar),
    OTHER(NEONSIM_U8_GEMM_PACKED_S32, "u8_gemm_packed_s32", gemm_packed_s32, "scalar", 12, 4, SCALAR,
          u8_gemm_packed_s32_12x4__scalar),
    OTHER(NEONSIM_U8_GEMM_PACKED_S32, "u8_gemm_packed_s32", gemm_packed_s32, "scalar", 12, 8, SCALAR,
          u8_gemm_packed_s32_12x8__scalar),
    OTHER(NEONSIM_QU8_REQUANTIZE_PRECISE, "qu8_requantize_precise", requantize_precise, "scalar", 16, 0, SCALAR,
          qu8_requantize_precise_16x__scalar),
    OTHER(NEONSIM_QU8_REQUANTIZE_FP32, "qu8_requantize_fp32", requantize_fp32, "scalar", 16, 0, SCALAR,
          qu8_requantize_fp32_16x__scalar),
    OTHER(NEONSIM_QU8_REQUANTIZE_Q31, "qu8_requantize_q31", requantize_q31, "scalar", 16, 0, SCALAR,
          qu8_requantize_q31_16x__scalar),
    OTHER(NEONSIM_QU8_REQUANTIZE_GEMMLOWP, "qu8_requantize_gemmlowp", requantize_q31, "scalar", 16, 0, SCALAR,
          qu8_requantize_gemmlowp_16x__scalar),
    OTHER(NEONSIM_QU8_REQUANTIZE_RNDNU, "qu8_requantize_rndnu", requantize_rndnu, "scalar", 16, 0, SCALAR,
          qu8_requantize_rndnu_16x__scalar),

    NEONSIM_C_PRODUCTS(PRODUCT)
    NEONSIM_C_ELEMENTWISE(PRODUCT)
    NEONSIM_C_CHANNELWISE(PRODUCT)

    /* The files of kernels/. They come last: a tensor of a user need not have readable bytes before it, and most of them read there. */
    VARIANT(CONV, "aarch32", 4, AARCH32, qu8_conv_q31_4x8__aarch32_neon_mlal_lane),
    VARIANT(CONV, "aarch64", 8, AARCH64, qu8_conv_q31_8x8__aarch64_neon_mlal_lane),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "aarch32", 8, 25, AARCH32,
          qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "aarch64", 8, 25, AARCH64,
          qu8_dwconv_mp_q31_8x25__aarch64_neon_mlal),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "aarch32", 8, 9, AARCH32,
          qu8_dwconv_mp_q31_8x9__aarch32_neon_tap_by_tap),
    OTHER(NEONSIM_QU8_DWCONV_MP_Q31, "qu8_dwconv_mp_q31", dwconv_mp, "aarch64", 8, 9, AARCH64,
          qu8_dwconv_mp_q31_8x9__aarch64_neon_tap_by_tap),
    OTHER(NEONSIM_QU8_DWCONV_Q31, "qu8_dwconv_q31", dwconv, "aarch32", 8, 9, AARCH32,
          qu8_dwconv_q31_8x9__aarch32_neon_mlal),
    OTHER(NEONSIM_QU8_DWCONV_Q31, "qu8_dwconv_q31", dwconv, "aarch64", 8, 9, AARCH64,
          qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch32", 1, 1, AARCH32, qu8_gemm_q31_1x1__aarch32_mla),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch64", 1, 1, AARCH64, qu8_gemm_q31_1x1__aarch64_madd),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch32", 1, 8, AARCH32, qu8_gemm_q31_1x8__aarch32_neon_mlal_lane),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch64", 1, 8, AARCH64, qu8_gemm_q31_1x8__aarch64_neon_mlal_lane),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch32", 6, 4, AARCH32, qu8_gemm_q31_6x4__aarch32_neon_mlal_lane),
    SMALL(gemm, NEONSIM_QU8_GEMM_Q31, "qu8_gemm_q31", "aarch64", 6, 4, AARCH64, qu8_gemm_q31_6x4__aarch64_neon_mlal_lane),
    SMALL(gemm_s32, NEONSIM_QU8_GEMM_S32, "qu8_gemm_s32", "aarch32", 4, 8, AARCH32, qu8_gemm_s32_4x8__aarch32_neon_mlal_lane),
    SMALL(gemm_s32, NEONSIM_QU8_GEMM_S32, "qu8_gemm_s32", "aarch64", 8, 8, AARCH64, qu8_gemm_s32_8x8__aarch64_neon_mlal_lane),
    VARIANT(SUMROWS, "aarch64", 4, AARCH64, qu8_sumrows_4x__aarch64_neon),
    OTHER(NEONSIM_U8_GEMM_PACKED_S32, "u8_gemm_packed_s32", gemm_packed_s32, "aarch32", 12, 4, AARCH32,
          u8_gemm_packed_s32_12x4__aarch32_neon_cells),
    OTHER(NEONSIM_U8_GEMM_PACKED_S32, "u8_gemm_packed_s32", gemm_packed_s32, "aarch64", 12, 8, AARCH64,
          u8_gemm_packed_s32_12x8__aarch64_neon_cells),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "aarch32", 8, 9, AARCH32,
          qu8_avgpool_8x9__aarch32_neon),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "aarch64", 8, 9, AARCH64,
          qu8_avgpool_8x9__aarch64_neon),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "aarch32", 8, 0, AARCH32,
          qu8_avgpool_8x__aarch32_neon_few_channels),
    OTHER(NEONSIM_QU8_AVGPOOL, "qu8_avgpool", avgpool, "aarch64", 8, 0, AARCH64,
          qu8_avgpool_8x__aarch64_neon_few_channels),
    OTHER(NEONSIM_QU8_AVGPOOL_MP, "qu8_avgpool_mp", avgpool_mp, "aarch32", 8, 9, AARCH32,
          qu8_avgpool_mp_8x9__aarch32_neon),
    OTHER(NEONSIM_QU8_AVGPOOL_MP, "qu8_avgpool_mp", avgpool_mp, "aarch64", 8, 9, AARCH64,
          qu8_avgpool_mp_8x9__aarch64_neon),
    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "aarch32", 8, 7, AARCH32,
          qu8_gavgpool_8x7__aarch32_neon),
    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "aarch64", 8, 7, AARCH64,
          qu8_gavgpool_8x7__aarch64_neon),
    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "aarch32", 8, 0, AARCH32,
          qu8_gavgpool_8x__aarch32_neon_few_channels),
    OTHER(NEONSIM_QU8_GAVGPOOL, "qu8_gavgpool", gavgpool, "aarch64", 8, 0, AARCH64,
          qu8_gavgpool_8x__aarch64_neon_few_channels),
    OTHER(NEONSIM_QU8_GAVGPOOL_MP, "qu8_gavgpool_mp", gavgpool_mp, "aarch32", 8, 7, AARCH32,
          qu8_gavgpool_mp_8x7__aarch32_neon),
    OTHER(NEONSIM_QU8_GAVGPOOL_MP, "qu8_gavgpool_mp", gavgpool_mp, "aarch64", 8, 7, AARCH64,
          qu8_gavgpool_mp_8x7__aarch64_neon),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "aarch32", 16, 9, AARCH32,
          u8_maxpool_16x9__aarch32_neon),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "aarch64", 16, 9, AARCH64,
          u8_maxpool_16x9__aarch64_neon),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "aarch32", 16, 0, AARCH32,
          u8_maxpool_16x__aarch32_neon_few_channels),
    OTHER(NEONSIM_U8_MAXPOOL, "u8_maxpool", maxpool, "aarch64", 16, 0, AARCH64,
          u8_maxpool_16x__aarch64_neon_few_channels),
    OTHER(NEONSIM_QU8_REQUANTIZE_FP32, "qu8_requantize_fp32", requantize_fp32, "aarch32", 16, 0, AARCH32,
          qu8_requantize_fp32_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_FP32, "qu8_requantize_fp32", requantize_fp32, "aarch64", 16, 0, AARCH64,
          qu8_requantize_fp32_16x__aarch64_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_GEMMLOWP, "qu8_requantize_gemmlowp", requantize_q31, "aarch32", 16, 0, AARCH32,
          qu8_requantize_gemmlowp_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_GEMMLOWP, "qu8_requantize_gemmlowp", requantize_q31, "aarch64", 16, 0, AARCH64,
          qu8_requantize_gemmlowp_16x__aarch64_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_PRECISE, "qu8_requantize_precise", requantize_precise, "aarch32", 16, 0, AARCH32,
          qu8_requantize_precise_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_PRECISE, "qu8_requantize_precise", requantize_precise, "aarch64", 16, 0, AARCH64,
          qu8_requantize_precise_16x__aarch64_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_Q31, "qu8_requantize_q31", requantize_q31, "aarch32", 16, 0, AARCH32,
          qu8_requantize_q31_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_Q31, "qu8_requantize_q31", requantize_q31, "aarch64", 16, 0, AARCH64,
          qu8_requantize_q31_16x__aarch64_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_RNDNU, "qu8_requantize_rndnu", requantize_rndnu, "aarch32", 16, 0, AARCH32,
          qu8_requantize_rndnu_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_REQUANTIZE_RNDNU, "qu8_requantize_rndnu", requantize_rndnu, "aarch64", 16, 0, AARCH64,
          qu8_requantize_rndnu_16x__aarch64_neon),
    OTHER(NEONSIM_QU8_VADD, "qu8_vadd", vadd, "aarch32", 16, 0, AARCH32,
          qu8_vadd_16x__aarch32_neon),
    OTHER(NEONSIM_QU8_VADD, "qu8_vadd", vadd, "aarch64", 32, 0, AARCH64,
          qu8_vadd_32x__aarch64_neon),
    OTHER(NEONSIM_U8_CLAMP, "u8_clamp", clamp, "aarch32", 64, 0, AARCH32,
          u8_clamp_64x__aarch32_neon),
    OTHER(NEONSIM_U8_CLAMP, "u8_clamp", clamp, "aarch64", 64, 0, AARCH64,
          u8_clamp_64x__aarch64_neon),
    OTHER(NEONSIM_U8_LUT32NORM, "u8_lut32norm", lut32norm, "aarch32", 1, 0, AARCH32,
          u8_lut32norm_1x__aarch32_umlal),
    OTHER(NEONSIM_U8_LUT32NORM, "u8_lut32norm", lut32norm, "aarch64", 1, 0, AARCH64,
          u8_lut32norm_1x__aarch64_umulh),
    OTHER(NEONSIM_U8_RMAX, "u8_rmax", bytes, "aarch32", 16, 0, AARCH32,
          u8_rmax_16x__aarch32_neon),
    OTHER(NEONSIM_U8_RMAX, "u8_rmax", bytes, "aarch64", 16, 0, AARCH64,
          u8_rmax_16x__aarch64_neon),
    OTHER(NEONSIM_X8_LUT, "x8_lut", lut, "aarch32", 4, 0, AARCH32,
          x8_lut_4x__aarch32_ldrb),
    OTHER(NEONSIM_X8_LUT, "x8_lut", lut, "aarch64", 4, 0, AARCH64,
          x8_lut_4x__aarch64_ldrb),
    OTHER(NEONSIM_X8_ZIP_X2, "x8_zip_x2", bytes, "aarch32", 8, 0, AARCH32,
          x8_zip_x2_8x__aarch32_neon),
    OTHER(NEONSIM_X8_ZIP_X2, "x8_zip_x2", bytes, "aarch64", 8, 0, AARCH64,
          x8_zip_x2_8x__aarch64_neon),
    OTHER(NEONSIM_X8_ZIP_X3, "x8_zip_x3", bytes, "aarch32", 8, 0, AARCH32,
          x8_zip_x3_8x__aarch32_neon),
    OTHER(NEONSIM_X8_ZIP_X3, "x8_zip_x3", bytes, "aarch64", 8, 0, AARCH64,
          x8_zip_x3_8x__aarch64_neon),
    OTHER(NEONSIM_X8_ZIP_X4, "x8_zip_x4", bytes, "aarch32", 8, 0, AARCH32,
          x8_zip_x4_8x__aarch32_neon),
    OTHER(NEONSIM_X8_ZIP_X4, "x8_zip_x4", bytes, "aarch64", 8, 0, AARCH64,
          x8_zip_x4_8x__aarch64_neon),
    OTHER(NEONSIM_X8_ZIP_XM, "x8_zip_xm", zip_xm, "aarch32", 8, 0, AARCH32,
          x8_zip_xm_8x__aarch32_neon),
    OTHER(NEONSIM_X8_ZIP_XM, "x8_zip_xm", zip_xm, "aarch64", 8, 0, AARCH64,
          x8_zip_xm_8x__aarch64_neon),
    NEONSIM_KERNEL_PRODUCTS(PRODUCT)
    NEONSIM_KERNEL_ELEMENTWISE(PRODUCT)
    NEONSIM_KERNEL_CHANNELWISE(PRODUCT)
};

enum { VARIANTS = sizeof variants / sizeof variants[0], CONTRACTS = NEONSIM_CONTRACTS };

static const char *missing(const struct neonsim_variant *variant) {
  if (variant->info.missing != NULL) {
    return variant->info.missing;
  }
  return (variant->features & ~neonsim_cpu_feature_bits()) ? "this processor has no NEON" : NULL;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

static int32_t choose(int32_t contract, size_t *index) {
  const char *isa = getenv("NEONSIM_ISA");
  const int any = isa == NULL || isa[0] == '\0';
  for (size_t i = 0; i < VARIANTS; i++) {
    const struct neonsim_variant *variant = &variants[i];
    if (variant->info.contract == contract && missing(variant) == NULL && (any || strcmp(variant->info.isa, isa) == 0)) {
      *index = i;
      return NEONSIM_SUCCESS;
    }
  }
  return NEONSIM_UNKNOWN_ISA;
}

int32_t neonsim_default_variant(int32_t contract, size_t *index) {
  /* 0: not chosen yet, else index + 1. Two threads may both choose; they choose the same. */
  static atomic_size_t chosen[CONTRACTS];
  if (index == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (contract < 0 || contract >= CONTRACTS) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const size_t known = atomic_load_explicit(&chosen[contract], memory_order_relaxed);
  if (known != 0) {
    *index = known - 1;
    return NEONSIM_SUCCESS;
  }
  const int32_t status = choose(contract, index);
  if (status == NEONSIM_SUCCESS) {
    atomic_store_explicit(&chosen[contract], *index + 1, memory_order_relaxed);
  }
  return status;
}

int32_t neonsim_find_variant(int32_t contract, const char *name, const struct neonsim_variant **variant) {
  if (name == NULL) {
    size_t index = 0;
    const int32_t status = neonsim_default_variant(contract, &index);
    *variant = &variants[index];
    return status;
  }
  for (size_t i = 0; i < VARIANTS; i++) {
    if (variants[i].info.contract == contract && strcmp(variants[i].info.name, name) == 0) {
      *variant = &variants[i];
      return missing(*variant) == NULL ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
    }
  }
  return NEONSIM_UNKNOWN_VARIANT;
}

int32_t neonsim_find_any_variant(const char *name, const struct neonsim_variant **variant) {
  for (size_t i = 0; i < VARIANTS; i++) {
    if (strcmp(variants[i].info.name, name) == 0) {
      *variant = &variants[i];
      return missing(*variant) == NULL ? NEONSIM_SUCCESS : NEONSIM_UNAVAILABLE_VARIANT;
    }
  }
  return NEONSIM_UNKNOWN_VARIANT;
}

const struct neonsim_variant *neonsim_variant_at(size_t index) { return index < VARIANTS ? &variants[index] : NULL; }

size_t neonsim_variant_count(void) { return VARIANTS; }

int32_t neonsim_variant_info(size_t index, struct neonsim_variant_info *info) {
  if (info == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (index >= VARIANTS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  *info = variants[index].info;
  info->missing = missing(&variants[index]);
  return NEONSIM_SUCCESS;
}
