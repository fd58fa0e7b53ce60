/* Winograd's transforms of whole numbers on 256 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(avx2, neonsim_family_avx2, 0);
