/* Depthwise convolutions with USDOT (FEAT_I8MM): unsigned bytes times signed weights. */
#include <arm_neon.h>

#define DOT(sums, weights, bytes) vusdotq_s32(sums, bytes, weights)
#define BYTES(bytes) (bytes)
#include "network/arm/depthwise_dot.h"

void neonsim_depthwise_taps__i8mm(const struct neonsim_depthwise_call *call) { depthwise_taps(call); }
