/* Addition, sums, maxima and groups of bytes on 256 bits. */
#include "network/x86/bytes.h"
#include "network/x86/interleave.h"
#include "network/x86/x86.h"

BYTES_KERNELS(avx2)
INTERLEAVE_KERNEL(avx2)
