/* Depthwise convolutions with PMADDWD on 128 bits, for processors without SSE4.1. */
#include "network/x86/depthwise.h"
#include "network/x86/x86.h"

DEPTHWISE_KERNELS(q31, FINISH_Q31, sse2)
DEPTHWISE_KERNELS(fp32, FINISH_FP32, sse2)
