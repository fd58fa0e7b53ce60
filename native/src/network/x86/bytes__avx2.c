/* Addition, sums and maxima of bytes on 256 bits. */
#include "network/x86/bytes.h"
#include "network/x86/x86.h"

BYTES_KERNELS(avx2)
