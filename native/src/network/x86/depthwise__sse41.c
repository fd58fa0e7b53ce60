/* Depthwise convolutions with PMADDWD on 128 bits. */
#include "network/x86/depthwise.h"
#include "network/x86/x86.h"

DEPTHWISE_KERNELS(q31, FINISH_Q31, sse41)
DEPTHWISE_KERNELS(fp32, FINISH_FP32, sse41)
