/* Winograd's transforms of whole numbers on 128 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(neon, neonsim_family_neon, 0);
