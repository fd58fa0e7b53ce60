/* Winograd's transforms of whole numbers on 128 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(sse41, neonsim_family_sse41, 0);
