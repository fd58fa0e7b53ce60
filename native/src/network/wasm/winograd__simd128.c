/* Winograd's transforms of whole numbers on 128 bits. */
#include "network/winograd_kernels.h"
#include "network/wasm/simd128.h"

NEONSIM_TILES_OF(simd128, neonsim_family_simd128, 0);
