/* Addition, sums and maxima of bytes on 256 bits. */
#include "x86/bytes.h"
#include "x86/x86.h"

BYTES_KERNELS(avx2)
