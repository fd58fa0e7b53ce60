/* Depthwise convolutions with VPMADDWD on 256 bits. */
#include "network/x86/depthwise.h"
#include "network/x86/x86.h"

DEPTHWISE_KERNELS(q31_float, FINISH_Q31_FLOAT, avx2)
DEPTHWISE_KERNELS(q31, FINISH_Q31, avx2)
DEPTHWISE_KERNELS(fp32, FINISH_FP32, avx2)
