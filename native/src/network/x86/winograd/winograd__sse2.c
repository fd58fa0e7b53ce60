/* Winograd's transforms of integers on 128 bits, without what SSE4.1 brought. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_WINOGRAD_KERNELS_OF(sse2, neonsim_family_sse2, 0);
