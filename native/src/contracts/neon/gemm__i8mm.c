/* The newer products in NEON intrinsics with products of 2x8 by 8x2 bytes (see product_neon.h). */
#include "contracts/neon/gemm.h"

NEONSIM_NEON_SYMMETRIC(MATRIX, 4, 16, 4x16c8__neon_i8mm)
NEONSIM_NEON_DYNAMIC(MATRIX, 4, 16, 4x16c8__neon_i8mm)
