/* GEMM over all columns in NEON intrinsics with products of 2x8 by 8x2 bytes (see gemm.h). */
#include "contracts/neon/gemm.h"

NEONSIM_NEON_GEMM(MATRIX, RNDNU, 4, 16, qs8_gemm_rndnu_4x16c8__neon_i8mm)
NEONSIM_NEON_IGEMM(MATRIX, RNDNU, 4, 16, qs8_igemm_rndnu_4x16c8__neon_i8mm)
NEONSIM_NEON_GEMM(MATRIX, QC8W, 4, 16, qs8_qc8w_gemm_fp32_4x16c8__neon_i8mm)
NEONSIM_NEON_IGEMM(MATRIX, QC8W, 4, 16, qs8_qc8w_igemm_fp32_4x16c8__neon_i8mm)
NEONSIM_NEON_DYNAMIC_GEMM(MATRIX, 4, 16, qd8_f32_qc8w_gemm_4x16c8__neon_i8mm)
NEONSIM_NEON_DYNAMIC_IGEMM(MATRIX, 4, 16, qd8_f32_qc8w_igemm_4x16c8__neon_i8mm)
