/* Winograd's transforms of whole numbers on 512 bits. */
#include "network/winograd/winograd_kernels.h"
#include "network/x86/x86.h"

NEONSIM_TILES_OF(avx512, neonsim_words__avx512vnni, 1);
