/* What the two-pass way needs besides GEMM, on 128 bits, of what SSE2 has. */
#include "network/x86/twopass.h"
#include "network/x86/x86.h"

TWO_PASS_KERNELS(sse2)
