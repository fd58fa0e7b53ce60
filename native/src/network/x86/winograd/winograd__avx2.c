/* Winograd's transforms of integers on 256 bits. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_WINOGRAD_KERNELS_OF(avx2, neonsim_family_avx2, 0);
