/* Depthwise convolutions with VPDPBUSD on 256 bits (AVX-VNNI, without AVX-512). */
#include "network/x86/depthwise.h"
#include "network/x86/x86.h"

DEPTHWISE_KERNELS(q31_float, FINISH_Q31_FLOAT, avxvnni)
DEPTHWISE_KERNELS(q31, FINISH_Q31, avxvnni)
DEPTHWISE_KERNELS(fp32, FINISH_FP32, avxvnni)
