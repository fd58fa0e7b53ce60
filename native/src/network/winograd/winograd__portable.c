/* Winograd's transforms of integers, for any processor. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_WINOGRAD_KERNELS_OF(scalar, neonsim_family_scalar, 0);
