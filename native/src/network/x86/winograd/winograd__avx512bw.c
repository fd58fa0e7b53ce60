/* Winograd's transforms of integers on 512 bits, without VNNI. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_WINOGRAD_KERNELS_OF(avx512bw, neonsim_family_avx512bw, 0);
