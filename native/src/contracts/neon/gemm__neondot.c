/* GEMM over all columns in NEON intrinsics with dot products of four bytes (see gemm.h). */
#include "contracts/neon/gemm.h"

NEONSIM_NEON_GEMM(DOT, RNDNU, 4, 16, qs8_gemm_rndnu_4x16c4__neon_dot)
NEONSIM_NEON_GEMM(DOT, RNDNU, 4, 8, qs8_gemm_rndnu_4x8c4__neon_dot)
NEONSIM_NEON_IGEMM(DOT, RNDNU, 4, 16, qs8_igemm_rndnu_4x16c4__neon_dot)
NEONSIM_NEON_IGEMM(DOT, RNDNU, 4, 8, qs8_igemm_rndnu_4x8c4__neon_dot)
NEONSIM_NEON_GEMM(DOT, QC8W, 4, 16, qs8_qc8w_gemm_fp32_4x16c4__neon_dot)
NEONSIM_NEON_GEMM(DOT, QC8W, 4, 8, qs8_qc8w_gemm_fp32_4x8c4__neon_dot)
NEONSIM_NEON_IGEMM(DOT, QC8W, 4, 16, qs8_qc8w_igemm_fp32_4x16c4__neon_dot)
NEONSIM_NEON_IGEMM(DOT, QC8W, 4, 8, qs8_qc8w_igemm_fp32_4x8c4__neon_dot)
NEONSIM_NEON_DYNAMIC_GEMM(DOT, 4, 16, qd8_f32_qc8w_gemm_4x16c4__neon_dot)
NEONSIM_NEON_DYNAMIC_GEMM(DOT, 4, 8, qd8_f32_qc8w_gemm_4x8c4__neon_dot)
NEONSIM_NEON_DYNAMIC_IGEMM(DOT, 4, 16, qd8_f32_qc8w_igemm_4x16c4__neon_dot)
NEONSIM_NEON_DYNAMIC_IGEMM(DOT, 4, 8, qd8_f32_qc8w_igemm_4x8c4__neon_dot)
NEONSIM_NEON_S32_GEMM(DOT, 4, 16, qs8_gemm_s32_4x16c4__neon_dot)
NEONSIM_NEON_S32_GEMM(DOT, 4, 8, qs8_gemm_s32_4x8c4__neon_dot)
NEONSIM_NEON_S32_IGEMM(DOT, 4, 16, qs8_igemm_s32_4x16c4__neon_dot)
NEONSIM_NEON_S32_IGEMM(DOT, 4, 8, qs8_igemm_s32_4x8c4__neon_dot)
