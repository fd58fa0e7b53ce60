/* The contracts, in the order of enum neonsim_contract: X(constant, name, signature, swizzle, guarded).
 * `make headers` writes this file from neonsim/ukernel/contracts.
 *
 *   signature   how its kernels are called (signatures.h)
 *   swizzle     sr of packed weights where the tile of a kernel does not say it (4x8c2s4 does); 0: weights are not
 *               packed by groups
 *   guarded     1: entry points of its own keep what a kernel reads in front of a row inside the buffer (entry.c). The
 *               files of kernels/, most of which read there, are the default only of these: a tensor of a user need not
 *               have readable bytes before it
 *
 * native/cmake/variants.cmake reads these lines too. */
#ifndef NEONSIM_CONTRACTS_CONTRACTS_H
#define NEONSIM_CONTRACTS_CONTRACTS_H

/* clang-format off */
#define NEONSIM_EVERY_CONTRACT(X) \
  X(QU8_GEMM_Q31, qu8_gemm_q31, gemm, 1, 1) \
  X(QU8_GEMM_XZP_Q31, qu8_gemm_xzp_q31, gemm_xzp, 8, 1) \
  X(QU8_SUMROWS, qu8_sumrows, sumrows, 0, 1) \
  X(QU8_CONV_Q31, qu8_conv_q31, conv, 1, 0) \
  X(QU8_DWCONV_Q31, qu8_dwconv_q31, dwconv, 0, 0) \
  X(QU8_DWCONV_MP_Q31, qu8_dwconv_mp_q31, dwconv_mp, 0, 0) \
  X(QU8_GAVGPOOL, qu8_gavgpool, gavgpool, 0, 0) \
  X(QU8_GAVGPOOL_MP, qu8_gavgpool_mp, gavgpool_mp, 0, 0) \
  X(QU8_AVGPOOL, qu8_avgpool, avgpool, 0, 0) \
  X(QU8_AVGPOOL_MP, qu8_avgpool_mp, avgpool_mp, 0, 0) \
  X(U8_MAXPOOL, u8_maxpool, maxpool, 0, 0) \
  X(QU8_VADD, qu8_vadd, vadd, 0, 0) \
  X(U8_CLAMP, u8_clamp, clamp, 0, 0) \
  X(U8_RMAX, u8_rmax, bytes, 0, 0) \
  X(X8_ZIP_X2, x8_zip_x2, bytes, 0, 0) \
  X(X8_ZIP_X3, x8_zip_x3, bytes, 0, 0) \
  X(X8_ZIP_X4, x8_zip_x4, bytes, 0, 0) \
  X(X8_ZIP_XM, x8_zip_xm, zip_xm, 0, 0) \
  X(X8_LUT, x8_lut, lut, 0, 0) \
  X(U8_LUT32NORM, u8_lut32norm, lut32norm, 0, 0) \
  X(QU8_REQUANTIZE_PRECISE, qu8_requantize_precise, requantize, 0, 0) \
  X(QU8_REQUANTIZE_FP32, qu8_requantize_fp32, requantize, 0, 0) \
  X(QU8_REQUANTIZE_Q31, qu8_requantize_q31, requantize, 0, 0) \
  X(QU8_REQUANTIZE_GEMMLOWP, qu8_requantize_gemmlowp, requantize, 0, 0) \
  X(QU8_REQUANTIZE_RNDNU, qu8_requantize_rndnu, requantize, 0, 0) \
  X(F32_QS8_QUANTIZE, f32_qs8_quantize, unary, 0, 0) \
  X(S32_F32_DEQUANTIZE, s32_f32_dequantize, per_channel, 0, 0) \
  X(S32_QS8_REQUANTIZE, s32_qs8_requantize, per_channel, 0, 0) \
  X(QS8_GEMM_S32, qs8_gemm_s32, gemm_columns_s32, 1, 0) \
  X(QS8_IGEMM_S32, qs8_igemm_s32, igemm_s32, 1, 0) \
  X(QS8_DWCONV_S32, qs8_dwconv_s32, dwconv_s32, 0, 0) \
  X(QU8_GEMM_S32, qu8_gemm_s32, gemm_s32, 1, 0) \
  X(U8_GEMM_PACKED_S32, u8_gemm_packed_s32, gemm_packed_s32, 0, 0) \
  X(QS16_QC8W_GEMM_S64, qs16_qc8w_gemm_s64, gemm_16x8, 0, 0) \
  X(S8_GEMM_S32, s8_gemm_s32, gemm_wide, 0, 0) \
  X(S32_GEMM_S64, s32_gemm_s64, gemm_wide, 0, 0) \
  X(S64_GEMM_S64, s64_gemm_s64, gemm_wide, 0, 0) \
  X(QD8_F32_QC8W_GEMM, qd8_f32_qc8w_gemm, dynamic_gemm, 1, 0) \
  X(QS8_GEMM_FP32, qs8_gemm_fp32, gemm_columns, 1, 0) \
  X(QS8_GEMM_RNDNU, qs8_gemm_rndnu, gemm_columns, 1, 0) \
  X(QS8_IGEMM_FP32, qs8_igemm_fp32, igemm, 1, 0) \
  X(QS8_IGEMM_RNDNU, qs8_igemm_rndnu, igemm, 1, 0) \
  X(QS8_QC8W_GEMM_FP32, qs8_qc8w_gemm_fp32, gemm_columns, 1, 0) \
  X(QS8_QC8W_IGEMM_FP32, qs8_qc8w_igemm_fp32, igemm, 1, 0) \
  X(QS8_QC8W_GEMM_TENGINE, qs8_qc8w_gemm_tengine, gemm_columns, 1, 0) \
  X(QS8_QC8W_IGEMM_TENGINE, qs8_qc8w_igemm_tengine, igemm, 1, 0) \
  X(QU8_GEMM_RNDNU, qu8_gemm_rndnu, gemm_columns, 1, 0) \
  X(QU8_IGEMM_RNDNU, qu8_igemm_rndnu, igemm, 1, 0) \
  X(QS8_VADD, qs8_vadd, binary, 0, 0) \
  X(QS8_VADDC, qs8_vaddc, binary, 0, 0) \
  X(QS8_VCVT, qs8_vcvt, unary, 0, 0) \
  X(QS8_VLRELU, qs8_vlrelu, unary, 0, 0) \
  X(QS8_VMUL_FP32, qs8_vmul_fp32, binary, 0, 0) \
  X(QS8_VMUL_RNDNU, qs8_vmul_rndnu, binary, 0, 0) \
  X(QS8_VMULC_FP32, qs8_vmulc_fp32, binary, 0, 0) \
  X(QS8_VMULC_RNDNU, qs8_vmulc_rndnu, binary, 0, 0) \
  X(QU8_VMUL_FP32, qu8_vmul_fp32, binary, 0, 0) \
  X(QU8_VMULC_FP32, qu8_vmulc_fp32, binary, 0, 0) \
  X(QS8_DWCONV_RNDNU, qs8_dwconv_rndnu, dwconv_offset, 0, 0) \
  X(QS8_QC8W_DWCONV_FP32, qs8_qc8w_dwconv_fp32, dwconv_offset, 0, 0) \
  X(QS8_QC8W_DWCONV_TENGINE, qs8_qc8w_dwconv_tengine, dwconv_offset, 0, 0) \
  X(QS8_GAVGPOOL, qs8_gavgpool, mean, 0, 0) \
  X(QS8_GAVGPOOL_MP, qs8_gavgpool_mp, mean_mp, 0, 0) \
  X(QD8_F32_QC8W_IGEMM, qd8_f32_qc8w_igemm, dynamic_igemm, 1, 0) \
  X(QS8_AVGPOOL, qs8_avgpool, window_mean, 0, 0) \
  X(QU8_VMUL_RNDNU, qu8_vmul_rndnu, binary, 0, 0) \
  X(QU8_VMULC_RNDNU, qu8_vmulc_rndnu, binary, 0, 0) \
  X(QU8_VSUB, qu8_vsub, binary, 0, 0) \
  X(QU8_VSUBC, qu8_vsubc, binary, 0, 0) \
  X(S8_CLAMP, s8_clamp, clamp, 0, 0) \
  X(S8_MAXPOOL, s8_maxpool, maxpool, 0, 0) \
  X(QU8_GEMM_FP32, qu8_gemm_fp32, gemm_columns, 1, 0) \
  X(QU8_IGEMM_FP32, qu8_igemm_fp32, igemm, 1, 0) \
  X(QU8_DWCONV_FP32, qu8_dwconv_fp32, dwconv_offset, 0, 0) \
  X(QS8_AVGPOOL_RNDNA, qs8_avgpool_rndna, window_mean, 0, 0) \
  X(QS8_SOFTMAX, qs8_softmax, softmax, 0, 0) \
  X(QU8_SOFTMAX, qu8_softmax, softmax, 0, 0) \
  X(F32_GEMM, f32_gemm, gemm_columns, 1, 0) \
  X(F32_IGEMM, f32_igemm, igemm, 1, 0) \
  X(F32_DWCONV, f32_dwconv, dwconv_offset, 0, 0) \
  X(F32_VADD, f32_vadd, binary, 0, 0) \
  X(F32_CLAMP, f32_clamp, unary, 0, 0) \
  X(F32_MAXPOOL, f32_maxpool, windows, 0, 0) \
  X(F32_AVGPOOL, f32_avgpool, windows, 0, 0) \
  X(F32_GAVGPOOL, f32_gavgpool, matrix_mean, 0, 0) \
  X(F32_VLRELU, f32_vlrelu, unary, 0, 0) \
  X(F32_VMULCADDC, f32_vmulcaddc, gains, 0, 0) \
  X(F32_SOFTMAX, f32_softmax, unary, 0, 0) \
  X(F32_X8_VCVT, f32_x8_vcvt, unary, 0, 0) \
  X(X8_F32_VCVT, x8_f32_vcvt, unary, 0, 0) \
  X(QS16_F32_VCVT, qs16_f32_vcvt, unary, 0, 0) \
  X(F32_QS8_QUOTIENT, f32_qs8_quotient, unary, 0, 0) \
  X(F32_QS16_QUOTIENT, f32_qs16_quotient, unary, 0, 0) \
  X(S32_QS8_QUOTIENT, s32_qs8_quotient, scaled_rows, 0, 0) \
  X(QS8_VADD_QUOTIENT, qs8_vadd_quotient, binary, 0, 0) \
  X(QS8_CLAMP_QUOTIENT, qs8_clamp_quotient, unary, 0, 0) \
  X(QS8_AVGPOOL_QUOTIENT, qs8_avgpool_quotient, windows, 0, 0) \
  X(F32_WINOGRAD_SOURCE, f32_winograd_source, transform, 0, 0) \
  X(F32_WINOGRAD_DESTINATION, f32_winograd_destination, transform, 0, 0) \
  X(QS8_WINOGRAD_SOURCE, qs8_winograd_source, transform_by, 0, 0) \
  X(QU8_WINOGRAD_SOURCE, qu8_winograd_source, transform_by, 0, 0) \
  X(S16_WINOGRAD_SOURCE, s16_winograd_source, transform, 0, 0) \
  X(S32_WINOGRAD_DESTINATION, s32_winograd_destination, transform_by, 0, 0) \
  X(S16_GEMM_S32, s16_gemm_s32, gemm_s16, 0, 0)

/* Contracts whose results may lie exactly where an operand lies, arguments by their number:
 * OVER(constant, result, operand, bytes of an element, elements of the operand). */
#define NEONSIM_EVERY_OVERLAP(OVER) \
  OVER(QU8_VADD, 3, 1, 1, n) \
  OVER(QU8_VADD, 3, 2, 1, n) \
  OVER(U8_CLAMP, 2, 1, 1, n) \
  OVER(X8_LUT, 3, 1, 1, n) \
  OVER(U8_LUT32NORM, 3, 1, 1, n) \
  OVER(QS8_VADD, 3, 1, 1, n) \
  OVER(QS8_VADD, 3, 2, 1, n) \
  OVER(QS8_VADDC, 3, 1, 1, n) \
  OVER(QS8_VADDC, 3, 2, 1, 1) \
  OVER(QS8_VCVT, 2, 1, 1, n) \
  OVER(QS8_VLRELU, 2, 1, 1, n) \
  OVER(QS8_VMUL_FP32, 3, 1, 1, n) \
  OVER(QS8_VMUL_FP32, 3, 2, 1, n) \
  OVER(QS8_VMUL_RNDNU, 3, 1, 1, n) \
  OVER(QS8_VMUL_RNDNU, 3, 2, 1, n) \
  OVER(QS8_VMULC_FP32, 3, 1, 1, n) \
  OVER(QS8_VMULC_FP32, 3, 2, 1, 1) \
  OVER(QS8_VMULC_RNDNU, 3, 1, 1, n) \
  OVER(QS8_VMULC_RNDNU, 3, 2, 1, 1) \
  OVER(QU8_VMUL_FP32, 3, 1, 1, n) \
  OVER(QU8_VMUL_FP32, 3, 2, 1, n) \
  OVER(QU8_VMULC_FP32, 3, 1, 1, n) \
  OVER(QU8_VMULC_FP32, 3, 2, 1, 1) \
  OVER(QU8_VMUL_RNDNU, 3, 1, 1, n) \
  OVER(QU8_VMUL_RNDNU, 3, 2, 1, n) \
  OVER(QU8_VMULC_RNDNU, 3, 1, 1, n) \
  OVER(QU8_VMULC_RNDNU, 3, 2, 1, 1) \
  OVER(QU8_VSUB, 3, 1, 1, n) \
  OVER(QU8_VSUB, 3, 2, 1, n) \
  OVER(QU8_VSUBC, 3, 1, 1, n) \
  OVER(QU8_VSUBC, 3, 2, 1, 1) \
  OVER(S8_CLAMP, 2, 1, 1, n) \
  OVER(QS8_SOFTMAX, 4, 1, 1, n) \
  OVER(QU8_SOFTMAX, 4, 1, 1, n) \
  OVER(F32_VADD, 3, 1, 4, n) \
  OVER(F32_VADD, 3, 2, 4, n) \
  OVER(F32_CLAMP, 2, 1, 4, n) \
  OVER(F32_VLRELU, 2, 1, 4, n) \
  OVER(F32_SOFTMAX, 2, 1, 4, n) \
  OVER(QS8_VADD_QUOTIENT, 3, 1, 1, n) \
  OVER(QS8_VADD_QUOTIENT, 3, 2, 1, n) \
  OVER(QS8_CLAMP_QUOTIENT, 2, 1, 1, n)
/* clang-format on */

#endif
