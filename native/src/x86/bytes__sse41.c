/* Addition, sums and maxima of bytes on 128 bits. */
#include "x86/bytes.h"
#include "x86/x86.h"

BYTES_KERNELS(sse41)
