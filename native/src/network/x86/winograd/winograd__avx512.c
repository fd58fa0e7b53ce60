/* Winograd's transforms of integers on 512 bits. */
#include "network/winograd/winograd_kernels.h"
#include "network/x86/x86.h"

NEONSIM_WINOGRAD_KERNELS_OF(avx512, neonsim_int16_gemm__avx512vnni, 1);
