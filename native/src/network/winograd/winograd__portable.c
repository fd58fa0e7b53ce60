/* Winograd's transforms of whole numbers, for any processor. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(scalar, neonsim_family_scalar, 0);
