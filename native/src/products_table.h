/* The kernels of native/src/product.h, one line each: X(contract, its name, member of union neonsim_kernel, isa, mr, nr, kr, sr, origin,
 * kernel). sr counts groups of kr depths, as tiles are written: 4x8c2s4. */
#ifndef NEONSIM_PRODUCTS_TABLE_H
#define NEONSIM_PRODUCTS_TABLE_H

/* Portable twins; the first of a contract is its default. */
#define NEONSIM_SCALAR_PRODUCTS(X) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 4, 16, 4, 1, SCALAR, qd8_f32_qc8w_gemm_4x16c4__scalar) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 4, 16, 1, 1, SCALAR, qd8_f32_qc8w_gemm_4x16__scalar) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 4, 16, 8, 1, SCALAR, qd8_f32_qc8w_gemm_4x16c8__scalar) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 4, 8, 1, 1, SCALAR, qd8_f32_qc8w_gemm_4x8__scalar) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 4, 8, 4, 1, SCALAR, qd8_f32_qc8w_gemm_4x8c4__scalar) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "scalar", 2, 8, 8, 1, SCALAR, qd8_f32_qc8w_gemm_2x8c8__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 4, 16, 4, 1, SCALAR, qd8_f32_qc8w_igemm_4x16c4__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 4, 16, 1, 1, SCALAR, qd8_f32_qc8w_igemm_4x16__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 4, 16, 8, 1, SCALAR, qd8_f32_qc8w_igemm_4x16c8__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 4, 8, 1, 1, SCALAR, qd8_f32_qc8w_igemm_4x8__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 4, 8, 4, 1, SCALAR, qd8_f32_qc8w_igemm_4x8c4__scalar) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "scalar", 2, 8, 8, 1, SCALAR, qd8_f32_qc8w_igemm_2x8c8__scalar) \
  X(NEONSIM_QS8_GEMM_FP32, "qs8_gemm_fp32", product, "scalar", 4, 16, 1, 1, SCALAR, qs8_gemm_fp32_4x16__scalar) \
  X(NEONSIM_QS8_GEMM_FP32, "qs8_gemm_fp32", product, "scalar", 4, 8, 1, 1, SCALAR, qs8_gemm_fp32_4x8__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 16, 1, 1, SCALAR, qs8_gemm_rndnu_4x16__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 8, 1, 1, SCALAR, qs8_gemm_rndnu_4x8__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 16, 4, 1, SCALAR, qs8_gemm_rndnu_4x16c4__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 8, 4, 1, SCALAR, qs8_gemm_rndnu_4x8c4__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 16, 8, 1, SCALAR, qs8_gemm_rndnu_4x16c8__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 2, 8, 8, 1, SCALAR, qs8_gemm_rndnu_2x8c8__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 2, 8, 16, 1, SCALAR, qs8_gemm_rndnu_2x8c16__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 8, 2, 1, SCALAR, qs8_gemm_rndnu_4x8c2__scalar) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "scalar", 4, 8, 2, 4, SCALAR, qs8_gemm_rndnu_4x8c2s4__scalar) \
  X(NEONSIM_QS8_IGEMM_FP32, "qs8_igemm_fp32", gather, "scalar", 4, 16, 1, 1, SCALAR, qs8_igemm_fp32_4x16__scalar) \
  X(NEONSIM_QS8_IGEMM_FP32, "qs8_igemm_fp32", gather, "scalar", 4, 8, 1, 1, SCALAR, qs8_igemm_fp32_4x8__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 16, 1, 1, SCALAR, qs8_igemm_rndnu_4x16__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 8, 1, 1, SCALAR, qs8_igemm_rndnu_4x8__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 16, 4, 1, SCALAR, qs8_igemm_rndnu_4x16c4__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 8, 4, 1, SCALAR, qs8_igemm_rndnu_4x8c4__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 16, 8, 1, SCALAR, qs8_igemm_rndnu_4x16c8__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 2, 8, 8, 1, SCALAR, qs8_igemm_rndnu_2x8c8__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 2, 8, 16, 1, SCALAR, qs8_igemm_rndnu_2x8c16__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 8, 2, 1, SCALAR, qs8_igemm_rndnu_4x8c2__scalar) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "scalar", 4, 8, 2, 4, SCALAR, qs8_igemm_rndnu_4x8c2s4__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 4, 16, 1, 1, SCALAR, qs8_qc8w_gemm_fp32_4x16__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 4, 8, 1, 1, SCALAR, qs8_qc8w_gemm_fp32_4x8__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 4, 16, 4, 1, SCALAR, qs8_qc8w_gemm_fp32_4x16c4__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 4, 8, 4, 1, SCALAR, qs8_qc8w_gemm_fp32_4x8c4__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 4, 16, 8, 1, SCALAR, qs8_qc8w_gemm_fp32_4x16c8__scalar) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "scalar", 2, 8, 8, 1, SCALAR, qs8_qc8w_gemm_fp32_2x8c8__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 4, 16, 1, 1, SCALAR, qs8_qc8w_igemm_fp32_4x16__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 4, 8, 1, 1, SCALAR, qs8_qc8w_igemm_fp32_4x8__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 4, 16, 4, 1, SCALAR, qs8_qc8w_igemm_fp32_4x16c4__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 4, 8, 4, 1, SCALAR, qs8_qc8w_igemm_fp32_4x8c4__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 4, 16, 8, 1, SCALAR, qs8_qc8w_igemm_fp32_4x16c8__scalar) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "scalar", 2, 8, 8, 1, SCALAR, qs8_qc8w_igemm_fp32_2x8c8__scalar) \
  X(NEONSIM_QU8_GEMM_RNDNU, "qu8_gemm_rndnu", product, "scalar", 4, 16, 1, 1, SCALAR, qu8_gemm_rndnu_4x16__scalar) \
  X(NEONSIM_QU8_GEMM_RNDNU, "qu8_gemm_rndnu", product, "scalar", 4, 8, 1, 1, SCALAR, qu8_gemm_rndnu_4x8__scalar) \
  X(NEONSIM_QU8_IGEMM_RNDNU, "qu8_igemm_rndnu", gather, "scalar", 4, 16, 1, 1, SCALAR, qu8_igemm_rndnu_4x16__scalar) \
  X(NEONSIM_QU8_IGEMM_RNDNU, "qu8_igemm_rndnu", gather, "scalar", 4, 8, 1, 1, SCALAR, qu8_igemm_rndnu_4x8__scalar)

/* The files of kernels/. */
#define NEONSIM_KERNEL_PRODUCTS(X) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qd8_f32_qc8w_gemm_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qd8_f32_qc8w_gemm_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch64", 4, 16, 1, 1, AARCH64, qd8_f32_qc8w_gemm_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch64", 2, 8, 8, 1, AARCH64, qd8_f32_qc8w_gemm_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, "aarch32", 4, 8, 1, 1, AARCH32, qd8_f32_qc8w_gemm_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qd8_f32_qc8w_igemm_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qd8_f32_qc8w_igemm_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch64", 4, 16, 1, 1, AARCH64, qd8_f32_qc8w_igemm_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch64", 2, 8, 8, 1, AARCH64, qd8_f32_qc8w_igemm_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qd8_f32_qc8w_igemm_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, "aarch32", 4, 8, 1, 1, AARCH32, qd8_f32_qc8w_igemm_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_GEMM_FP32, "qs8_gemm_fp32", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_gemm_fp32_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_GEMM_FP32, "qs8_gemm_fp32", product, "aarch32", 4, 8, 1, 1, AARCH32, qs8_gemm_fp32_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_GEMM_FP32, "qs8_gemm_fp32", product, "aarch32", 4, 8, 1, 1, AARCH32_V8, qs8_gemm_fp32_4x8__aarch32_neonv8_mlal_lane) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 2, 8, 16, 1, AARCH64, qs8_gemm_rndnu_2x8c16__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 2, 8, 8, 1, AARCH64, qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 2, 8, 8, 1, AARCH64, qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal_prfm) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 2, 8, 8, 1, AARCH64, qs8_gemm_rndnu_2x8c8__aarch64_neon_mull_padal) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a53) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a55) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_prfm) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_gemm_rndnu_4x16c4__aarch64_neondot_cortex_a55) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld128) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld32) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch32", 4, 8, 1, 1, AARCH32, qs8_gemm_rndnu_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 8, 2, 1, AARCH64, qs8_gemm_rndnu_4x8c2__aarch64_neon_mlal_padal_dup) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 8, 2, 1, AARCH64, qs8_gemm_rndnu_4x8c2__aarch64_neon_mull_padal_dup) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 8, 2, 4, AARCH64, qs8_gemm_rndnu_4x8c2s4__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch64", 4, 8, 2, 4, AARCH64, qs8_gemm_rndnu_4x8c2s4__aarch64_neon_mull_padal) \
  X(NEONSIM_QS8_GEMM_RNDNU, "qs8_gemm_rndnu", product, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qs8_gemm_rndnu_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QS8_IGEMM_FP32, "qs8_igemm_fp32", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_igemm_fp32_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_IGEMM_FP32, "qs8_igemm_fp32", gather, "aarch32", 4, 8, 1, 1, AARCH32, qs8_igemm_fp32_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_IGEMM_FP32, "qs8_igemm_fp32", gather, "aarch32", 4, 8, 1, 1, AARCH32_V8, qs8_igemm_fp32_4x8__aarch32_neonv8_mlal_lane) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 2, 8, 16, 1, AARCH64, qs8_igemm_rndnu_2x8c16__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 2, 8, 8, 1, AARCH64, qs8_igemm_rndnu_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 2, 8, 8, 1, AARCH64, qs8_igemm_rndnu_2x8c8__aarch64_neon_mlal_padal_prfm) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 2, 8, 8, 1, AARCH64, qs8_igemm_rndnu_2x8c8__aarch64_neon_mull_padal) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_igemm_rndnu_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_igemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a53) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_igemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a55) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_igemm_rndnu_4x16__aarch64_neon_mlal_lane_prfm) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_igemm_rndnu_4x16c4__aarch64_neondot_cortex_a55) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_igemm_rndnu_4x16c4__aarch64_neondot_ld128) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_igemm_rndnu_4x16c4__aarch64_neondot_ld32) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_igemm_rndnu_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qs8_igemm_rndnu_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch32", 4, 8, 1, 1, AARCH32, qs8_igemm_rndnu_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 8, 2, 1, AARCH64, qs8_igemm_rndnu_4x8c2__aarch64_neon_mlal_padal_dup) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 8, 2, 1, AARCH64, qs8_igemm_rndnu_4x8c2__aarch64_neon_mull_padal_dup) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 8, 2, 4, AARCH64, qs8_igemm_rndnu_4x8c2s4__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch64", 4, 8, 2, 4, AARCH64, qs8_igemm_rndnu_4x8c2s4__aarch64_neon_mull_padal) \
  X(NEONSIM_QS8_IGEMM_RNDNU, "qs8_igemm_rndnu", gather, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qs8_igemm_rndnu_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 2, 8, 8, 1, AARCH64, qs8_qc8w_gemm_fp32_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_gemm_fp32_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_gemm_fp32_4x16__aarch64_neon_mlal_lane_cortex_a53) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_gemm_fp32_4x16__aarch64_neon_mlal_lane_cortex_a55) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_gemm_fp32_4x16c4__aarch64_neondot_cortex_a55) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_gemm_fp32_4x16c4__aarch64_neondot_ld128) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_gemm_fp32_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qs8_qc8w_gemm_fp32_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch32", 4, 8, 1, 1, AARCH32, qs8_qc8w_gemm_fp32_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch32", 4, 8, 1, 1, AARCH32_V8, qs8_qc8w_gemm_fp32_4x8__aarch32_neonv8_mlal_lane) \
  X(NEONSIM_QS8_QC8W_GEMM_FP32, "qs8_qc8w_gemm_fp32", product, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qs8_qc8w_gemm_fp32_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 2, 8, 8, 1, AARCH64, qs8_qc8w_igemm_fp32_2x8c8__aarch64_neon_mlal_padal) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_igemm_fp32_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_igemm_fp32_4x16__aarch64_neon_mlal_lane_cortex_a53) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 1, 1, AARCH64, qs8_qc8w_igemm_fp32_4x16__aarch64_neon_mlal_lane_cortex_a55) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_igemm_fp32_4x16c4__aarch64_neondot_cortex_a55) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_igemm_fp32_4x16c4__aarch64_neondot_ld128) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 4, 1, AARCH64_DOT, qs8_qc8w_igemm_fp32_4x16c4__aarch64_neondot_ld64) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch64", 4, 16, 8, 1, AARCH64_I8MM, qs8_qc8w_igemm_fp32_4x16c8__aarch64_neoni8mm) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch32", 4, 8, 1, 1, AARCH32, qs8_qc8w_igemm_fp32_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch32", 4, 8, 1, 1, AARCH32_V8, qs8_qc8w_igemm_fp32_4x8__aarch32_neonv8_mlal_lane) \
  X(NEONSIM_QS8_QC8W_IGEMM_FP32, "qs8_qc8w_igemm_fp32", gather, "aarch32", 4, 8, 4, 1, AARCH32_DOT, qs8_qc8w_igemm_fp32_4x8c4__aarch32_neondot_ld64) \
  X(NEONSIM_QU8_GEMM_RNDNU, "qu8_gemm_rndnu", product, "aarch64", 4, 16, 1, 1, AARCH64, qu8_gemm_rndnu_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QU8_GEMM_RNDNU, "qu8_gemm_rndnu", product, "aarch32", 4, 8, 1, 1, AARCH32, qu8_gemm_rndnu_4x8__aarch32_neon_mlal_lane) \
  X(NEONSIM_QU8_IGEMM_RNDNU, "qu8_igemm_rndnu", gather, "aarch64", 4, 16, 1, 1, AARCH64, qu8_igemm_rndnu_4x16__aarch64_neon_mlal_lane) \
  X(NEONSIM_QU8_IGEMM_RNDNU, "qu8_igemm_rndnu", gather, "aarch32", 4, 8, 1, 1, AARCH32, qu8_igemm_rndnu_4x8__aarch32_neon_mlal_lane)

#endif
