/* Depthwise convolutions with SDOT: bytes less 128 times signed weights; what is missing is in the bias. */
#include <arm_neon.h>

#define DOT(sums, weights, bytes) vdotq_s32(sums, vreinterpretq_s8_u8(bytes), weights)
#define BYTES(bytes) veorq_u8(bytes, vdupq_n_u8(0x80))
#include "network/arm/depthwise_dot.h"

void neonsim_depthwise_taps__neondot(const struct neonsim_depthwise_call *call) { depthwise_taps(call); }
