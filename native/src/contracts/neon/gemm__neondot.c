/* The newer products in NEON intrinsics with dot products of four bytes (see product_neon.h). */
#include "contracts/neon/gemm.h"

NEONSIM_NEON_SYMMETRIC(DOT, 4, 16, 4x16c4__neon_dot)
NEONSIM_NEON_SYMMETRIC(DOT, 4, 8, 4x8c4__neon_dot)
NEONSIM_NEON_DYNAMIC(DOT, 4, 16, 4x16c4__neon_dot)
NEONSIM_NEON_DYNAMIC(DOT, 4, 8, 4x8c4__neon_dot)
