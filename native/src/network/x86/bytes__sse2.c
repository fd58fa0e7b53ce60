/* Addition, sums and maxima of bytes on 128 bits, of what SSE2 has. */
#include "network/x86/bytes.h"
#include "network/x86/x86.h"

BYTES_KERNELS(sse2)
