/* Winograd's transforms of integers on 128 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_WINOGRAD_KERNELS_OF(sse41, neonsim_family_sse41, 0);
