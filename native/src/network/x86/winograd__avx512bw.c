/* Winograd's transforms of whole numbers on 512 bits, without VNNI. */
#include "network/winograd_kernels.h"
#include "network/x86/x86.h"

NEONSIM_TILES_OF(avx512bw, neonsim_family_avx512bw, 0);
