/* Addition, sums and maxima of bytes by SIMD128. */
#include "network/x86/bytes.h"
#include "network/wasm/simd128.h"

BYTES_KERNELS(simd128)
