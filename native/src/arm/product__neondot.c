/* Products with SDOT by lane (FEAT_DotProd): signed weights times bytes less 128, which is their top bit flipped. That moves the input's
 * zero point by as much, and what it adds to a column's sums lies in the bias: uint8 with zero points runs as fast as int8. */
#include <arm_neon.h>

#define ROW_BYTES int8x8_t
#define BYTES(bytes) vreinterpret_s8_u8(veor_u8(bytes, vdup_n_u8(0x80)))
#define DOT(sums, weights, bytes, lane) vdotq_lane_s32(sums, weights, bytes, lane)
#include "arm/product_dot.h"

const struct neonsim_family neonsim_family_neondot = {
    .name = "neondot",
    .features = NEONSIM_FEATURE_DOTPROD,
    .needs = "this processor has no dot products of 8-bit integers (FEAT_DotProd)",
    .lanes = LANES,
    .depth = 4,
    .weight_bytes = 1,
    .centre = 128,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = 1,
    .product = find,
    .row_sums = neonsim_row_sums__neon,
    .depthwise_taps = {neonsim_depthwise_taps__neondot, neonsim_depthwise_taps__neondot, neonsim_depthwise_taps__neondot},
    .add = neonsim_add__neon,
    .sum = neonsim_sum__neon,
    .max = neonsim_max__neon,
    .requantize = neonsim_requantize__neon,
    .multiply_add = neonsim_multiply_add__neon,
    .probe = probe,
};
