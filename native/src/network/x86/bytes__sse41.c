/* Addition, sums, maxima and groups of bytes on 128 bits. */
#include "network/x86/bytes.h"
#include "network/x86/interleave.h"
#include "network/x86/x86.h"

BYTES_KERNELS(sse41)
INTERLEAVE_KERNEL(sse41)
