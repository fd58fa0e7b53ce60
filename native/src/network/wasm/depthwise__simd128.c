/* Depthwise convolutions with i32x4.dot_i16x8_s. */
#include "network/x86/depthwise.h"
#include "network/wasm/simd128.h"

DEPTHWISE_KERNELS(q31, FINISH_Q31, simd128)
DEPTHWISE_KERNELS(fp32, FINISH_FP32, simd128)
