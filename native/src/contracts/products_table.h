/* The kernels of native/src/product.h, one line each: X(contract, its name, member of union neonsim_kernel, isa, mr, nr, kr, sr, origin,
 * kernel). sr counts groups of kr depths, as tiles are written: 4x8c2s4. */
#ifndef NEONSIM_PRODUCTS_TABLE_H
#define NEONSIM_PRODUCTS_TABLE_H

/* Both products of a scheme for one tile: rows as they lie, and through pointers; rest: what follows the tile in their names. */
#define NEONSIM_BOTH(X, CONTRACT, gemm, INDIRECT, igemm, isa, mr, nr, kr, sr, origin, rest) \
  X(CONTRACT, #gemm, product, isa, mr, nr, kr, sr, origin, gemm##_##rest) \
  X(INDIRECT, #igemm, gather, isa, mr, nr, kr, sr, origin, igemm##_##rest)
#define NEONSIM_RNDNU_PRODUCTS(X, ...) \
  NEONSIM_BOTH(X, NEONSIM_QS8_GEMM_RNDNU, qs8_gemm_rndnu, NEONSIM_QS8_IGEMM_RNDNU, qs8_igemm_rndnu, __VA_ARGS__)
#define NEONSIM_FP32_PRODUCTS(X, ...) \
  NEONSIM_BOTH(X, NEONSIM_QS8_GEMM_FP32, qs8_gemm_fp32, NEONSIM_QS8_IGEMM_FP32, qs8_igemm_fp32, __VA_ARGS__)
#define NEONSIM_QC8W_PRODUCTS(X, ...) \
  NEONSIM_BOTH(X, NEONSIM_QS8_QC8W_GEMM_FP32, qs8_qc8w_gemm_fp32, NEONSIM_QS8_QC8W_IGEMM_FP32, qs8_qc8w_igemm_fp32, __VA_ARGS__)
#define NEONSIM_QU8_PRODUCTS(X, ...) \
  NEONSIM_BOTH(X, NEONSIM_QU8_GEMM_RNDNU, qu8_gemm_rndnu, NEONSIM_QU8_IGEMM_RNDNU, qu8_igemm_rndnu, __VA_ARGS__)
#define NEONSIM_DYNAMIC_PRODUCTS(X, isa, mr, nr, kr, sr, origin, rest) \
  X(NEONSIM_QD8_F32_QC8W_GEMM, "qd8_f32_qc8w_gemm", dynamic, isa, mr, nr, kr, sr, origin, qd8_f32_qc8w_gemm_##rest) \
  X(NEONSIM_QD8_F32_QC8W_IGEMM, "qd8_f32_qc8w_igemm", dynamic_gather, isa, mr, nr, kr, sr, origin, qd8_f32_qc8w_igemm_##rest)
#define NEONSIM_SYMMETRIC_PRODUCTS(X, ...) NEONSIM_RNDNU_PRODUCTS(X, __VA_ARGS__) NEONSIM_QC8W_PRODUCTS(X, __VA_ARGS__)
#define NEONSIM_INT8_PRODUCTS(X, ...) NEONSIM_SYMMETRIC_PRODUCTS(X, __VA_ARGS__) NEONSIM_DYNAMIC_PRODUCTS(X, __VA_ARGS__)
#define NEONSIM_ALL_PRODUCTS(X, ...) \
  NEONSIM_INT8_PRODUCTS(X, __VA_ARGS__) NEONSIM_FP32_PRODUCTS(X, __VA_ARGS__) NEONSIM_QU8_PRODUCTS(X, __VA_ARGS__)

/* In C. The first of a contract that can run is its default: intrinsics by what one instruction multiplies, then portable ones. */
#define NEONSIM_C_PRODUCTS(X) \
  NEONSIM_INT8_PRODUCTS(X, "neon", 4, 16, 8, 1, INTRINSICS_I8MM, 4x16c8__neon_i8mm) \
  NEONSIM_INT8_PRODUCTS(X, "neon", 4, 16, 4, 1, INTRINSICS_DOT, 4x16c4__neon_dot) \
  NEONSIM_INT8_PRODUCTS(X, "neon", 4, 8, 4, 1, INTRINSICS_DOT, 4x8c4__neon_dot) \
  NEONSIM_ALL_PRODUCTS(X, "neon", 4, 16, 1, 1, INTRINSICS, 4x16__neon_mlal_lane) \
  NEONSIM_ALL_PRODUCTS(X, "neon", 4, 8, 1, 1, INTRINSICS, 4x8__neon_mlal_lane) \
  NEONSIM_INT8_PRODUCTS(X, "neon", 2, 8, 8, 1, INTRINSICS, 2x8c8__neon_mlal_padal) \
  NEONSIM_SYMMETRIC_PRODUCTS(X, "neon", 4, 8, 2, 4, INTRINSICS, 4x8c2s4__neon_mlal_padal) \
  NEONSIM_ALL_PRODUCTS(X, "scalar", 4, 16, 1, 1, SCALAR, 4x16__scalar) \
  NEONSIM_ALL_PRODUCTS(X, "scalar", 4, 8, 1, 1, SCALAR, 4x8__scalar) \
  NEONSIM_INT8_PRODUCTS(X, "scalar", 4, 16, 4, 1, SCALAR, 4x16c4__scalar) \
  NEONSIM_INT8_PRODUCTS(X, "scalar", 4, 8, 4, 1, SCALAR, 4x8c4__scalar) \
  NEONSIM_INT8_PRODUCTS(X, "scalar", 4, 16, 8, 1, SCALAR, 4x16c8__scalar) \
  NEONSIM_INT8_PRODUCTS(X, "scalar", 2, 8, 8, 1, SCALAR, 2x8c8__scalar) \
  NEONSIM_SYMMETRIC_PRODUCTS(X, "scalar", 2, 8, 16, 1, SCALAR, 2x8c16__scalar) \
  NEONSIM_SYMMETRIC_PRODUCTS(X, "scalar", 4, 8, 2, 1, SCALAR, 4x8c2__scalar) \
  NEONSIM_SYMMETRIC_PRODUCTS(X, "scalar", 4, 8, 2, 4, SCALAR, 4x8c2s4__scalar)

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
