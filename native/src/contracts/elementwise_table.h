/* The kernels of native/src/elementwise.h, one line each, as in products_table.h. */
#ifndef NEONSIM_ELEMENTWISE_TABLE_H
#define NEONSIM_ELEMENTWISE_TABLE_H

/* In C: NEON intrinsics first, then portable ones. */
#define NEONSIM_C_ELEMENTWISE(X) \
  X(NEONSIM_QS8_VADD, "qs8_vadd", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vadd_8x__neon) \
  X(NEONSIM_QU8_VSUB, "qu8_vsub", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vsub_8x__neon) \
  X(NEONSIM_QS8_VADD, "qs8_vadd", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vadd_1x__scalar) \
  X(NEONSIM_QU8_VSUB, "qu8_vsub", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vsub_1x__scalar) \
  X(NEONSIM_QS8_VADDC, "qs8_vaddc", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vaddc_8x__neon) \
  X(NEONSIM_QU8_VSUBC, "qu8_vsubc", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vsubc_8x__neon) \
  X(NEONSIM_QS8_VADDC, "qs8_vaddc", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vaddc_1x__scalar) \
  X(NEONSIM_QU8_VSUBC, "qu8_vsubc", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vsubc_1x__scalar) \
  X(NEONSIM_QS8_VCVT, "qs8_vcvt", unary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vcvt_8x__neon) \
  X(NEONSIM_QS8_VCVT, "qs8_vcvt", unary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vcvt_1x__scalar) \
  X(NEONSIM_QS8_VLRELU, "qs8_vlrelu", unary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vlrelu_8x__neon) \
  X(NEONSIM_QS8_VLRELU, "qs8_vlrelu", unary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vlrelu_1x__scalar) \
  X(NEONSIM_QS8_VMUL_FP32, "qs8_vmul_fp32", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vmul_fp32_8x__neon) \
  X(NEONSIM_QS8_VMUL_FP32, "qs8_vmul_fp32", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vmul_fp32_1x__scalar) \
  X(NEONSIM_QS8_VMUL_RNDNU, "qs8_vmul_rndnu", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vmul_rndnu_8x__neon) \
  X(NEONSIM_QU8_VMUL_RNDNU, "qu8_vmul_rndnu", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vmul_rndnu_8x__neon) \
  X(NEONSIM_QS8_VMUL_RNDNU, "qs8_vmul_rndnu", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vmul_rndnu_1x__scalar) \
  X(NEONSIM_QU8_VMUL_RNDNU, "qu8_vmul_rndnu", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vmul_rndnu_1x__scalar) \
  X(NEONSIM_QS8_VMULC_FP32, "qs8_vmulc_fp32", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vmulc_fp32_8x__neon) \
  X(NEONSIM_QS8_VMULC_FP32, "qs8_vmulc_fp32", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vmulc_fp32_1x__scalar) \
  X(NEONSIM_QS8_VMULC_RNDNU, "qs8_vmulc_rndnu", binary, "neon", 8, 0, 0, 0, INTRINSICS, qs8_vmulc_rndnu_8x__neon) \
  X(NEONSIM_QU8_VMULC_RNDNU, "qu8_vmulc_rndnu", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vmulc_rndnu_8x__neon) \
  X(NEONSIM_QS8_VMULC_RNDNU, "qs8_vmulc_rndnu", binary, "scalar", 1, 0, 0, 0, SCALAR, qs8_vmulc_rndnu_1x__scalar) \
  X(NEONSIM_QU8_VMULC_RNDNU, "qu8_vmulc_rndnu", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vmulc_rndnu_1x__scalar) \
  X(NEONSIM_QU8_VMUL_FP32, "qu8_vmul_fp32", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vmul_fp32_8x__neon) \
  X(NEONSIM_QU8_VMUL_FP32, "qu8_vmul_fp32", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vmul_fp32_1x__scalar) \
  X(NEONSIM_QU8_VMULC_FP32, "qu8_vmulc_fp32", binary, "neon", 8, 0, 0, 0, INTRINSICS, qu8_vmulc_fp32_8x__neon) \
  X(NEONSIM_QU8_VMULC_FP32, "qu8_vmulc_fp32", binary, "scalar", 1, 0, 0, 0, SCALAR, qu8_vmulc_fp32_1x__scalar)

/* The files of kernels/. */
#define NEONSIM_KERNEL_ELEMENTWISE(X) \
  X(NEONSIM_QS8_VADD, "qs8_vadd", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vadd_16x__aarch32_neon) \
  X(NEONSIM_QU8_VSUB, "qu8_vsub", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vsub_16x__aarch32_neon) \
  X(NEONSIM_QS8_VADD, "qs8_vadd", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vadd_32x__aarch64_neon) \
  X(NEONSIM_QU8_VSUB, "qu8_vsub", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vsub_32x__aarch64_neon) \
  X(NEONSIM_QS8_VADDC, "qs8_vaddc", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vaddc_16x__aarch32_neon) \
  X(NEONSIM_QU8_VSUBC, "qu8_vsubc", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vsubc_16x__aarch32_neon) \
  X(NEONSIM_QS8_VADDC, "qs8_vaddc", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vaddc_32x__aarch64_neon) \
  X(NEONSIM_QU8_VSUBC, "qu8_vsubc", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vsubc_32x__aarch64_neon) \
  X(NEONSIM_QS8_VCVT, "qs8_vcvt", unary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vcvt_16x__aarch32_neon) \
  X(NEONSIM_QS8_VCVT, "qs8_vcvt", unary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vcvt_32x__aarch64_neon) \
  X(NEONSIM_QS8_VLRELU, "qs8_vlrelu", unary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vlrelu_16x__aarch32_neon) \
  X(NEONSIM_QS8_VLRELU, "qs8_vlrelu", unary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vlrelu_32x__aarch64_neon) \
  X(NEONSIM_QS8_VMUL_FP32, "qs8_vmul_fp32", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vmul_fp32_16x__aarch32_neon) \
  X(NEONSIM_QS8_VMUL_FP32, "qs8_vmul_fp32", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vmul_fp32_32x__aarch64_neon) \
  X(NEONSIM_QS8_VMUL_RNDNU, "qs8_vmul_rndnu", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vmul_rndnu_16x__aarch32_neon) \
  X(NEONSIM_QU8_VMUL_RNDNU, "qu8_vmul_rndnu", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vmul_rndnu_16x__aarch32_neon) \
  X(NEONSIM_QS8_VMUL_RNDNU, "qs8_vmul_rndnu", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vmul_rndnu_32x__aarch64_neon) \
  X(NEONSIM_QU8_VMUL_RNDNU, "qu8_vmul_rndnu", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vmul_rndnu_32x__aarch64_neon) \
  X(NEONSIM_QS8_VMULC_FP32, "qs8_vmulc_fp32", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vmulc_fp32_16x__aarch32_neon) \
  X(NEONSIM_QS8_VMULC_FP32, "qs8_vmulc_fp32", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vmulc_fp32_32x__aarch64_neon) \
  X(NEONSIM_QS8_VMULC_RNDNU, "qs8_vmulc_rndnu", binary, "aarch32", 16, 0, 0, 0, AARCH32, qs8_vmulc_rndnu_16x__aarch32_neon) \
  X(NEONSIM_QU8_VMULC_RNDNU, "qu8_vmulc_rndnu", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vmulc_rndnu_16x__aarch32_neon) \
  X(NEONSIM_QS8_VMULC_RNDNU, "qs8_vmulc_rndnu", binary, "aarch64", 32, 0, 0, 0, AARCH64, qs8_vmulc_rndnu_32x__aarch64_neon) \
  X(NEONSIM_QU8_VMULC_RNDNU, "qu8_vmulc_rndnu", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vmulc_rndnu_32x__aarch64_neon) \
  X(NEONSIM_QU8_VMUL_FP32, "qu8_vmul_fp32", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vmul_fp32_16x__aarch32_neon) \
  X(NEONSIM_QU8_VMUL_FP32, "qu8_vmul_fp32", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vmul_fp32_32x__aarch64_neon) \
  X(NEONSIM_QU8_VMULC_FP32, "qu8_vmulc_fp32", binary, "aarch32", 16, 0, 0, 0, AARCH32, qu8_vmulc_fp32_16x__aarch32_neon) \
  X(NEONSIM_QU8_VMULC_FP32, "qu8_vmulc_fp32", binary, "aarch64", 32, 0, 0, 0, AARCH64, qu8_vmulc_fp32_32x__aarch64_neon)

#endif
