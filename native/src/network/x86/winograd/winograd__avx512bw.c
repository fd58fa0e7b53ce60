/* Winograd's transforms of whole numbers on 512 bits, without VNNI. */
#include "network/winograd/winograd_kernels.h"

NEONSIM_TILES_OF(avx512bw, neonsim_family_avx512bw, 0);
