/* The newer products in NEON intrinsics that every NEON has (see product_neon.h). */
#include "contracts/neon/gemm.h"

NEONSIM_NEON_SYMMETRIC(LANE, 4, 16, 4x16__neon_mlal_lane)
NEONSIM_NEON_SYMMETRIC(LANE, 4, 8, 4x8__neon_mlal_lane)
NEONSIM_NEON_SYMMETRIC(TURNED_PAIRS, 4, 8, 4x8c2s4__neon_mlal_padal)
NEONSIM_NEON_SYMMETRIC(EIGHTS, 2, 8, 2x8c8__neon_mlal_padal)
NEONSIM_NEON_PRODUCTS(LANE, FP32, 4, 16, qs8_gemm_fp32, qs8_igemm_fp32, 4x16__neon_mlal_lane)
NEONSIM_NEON_PRODUCTS(LANE, FP32, 4, 8, qs8_gemm_fp32, qs8_igemm_fp32, 4x8__neon_mlal_lane)
NEONSIM_NEON_PRODUCTS(LANE, RNDNU_U8, 4, 16, qu8_gemm_rndnu, qu8_igemm_rndnu, 4x16__neon_mlal_lane)
NEONSIM_NEON_PRODUCTS(LANE, RNDNU_U8, 4, 8, qu8_gemm_rndnu, qu8_igemm_rndnu, 4x8__neon_mlal_lane)
NEONSIM_NEON_DYNAMIC(LANE, 4, 16, 4x16__neon_mlal_lane)
NEONSIM_NEON_DYNAMIC(LANE, 4, 8, 4x8__neon_mlal_lane)
NEONSIM_NEON_DYNAMIC(EIGHTS, 2, 8, 2x8c8__neon_mlal_padal)
