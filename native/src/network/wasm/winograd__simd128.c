/* Winograd's transforms of whole numbers on 128 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(simd128, neonsim_family_simd128, 0);
