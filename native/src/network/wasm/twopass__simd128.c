/* What the two-pass way needs besides GEMM, by SIMD128. */
#include "network/x86/twopass.h"
#include "network/wasm/simd128.h"

TWO_PASS_KERNELS(simd128)
