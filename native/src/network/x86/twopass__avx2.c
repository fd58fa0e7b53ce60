/* What the two-pass way needs besides GEMM, on 256 bits. */
#include "network/x86/twopass.h"
#include "network/x86/x86.h"

TWO_PASS_KERNELS(avx2)
