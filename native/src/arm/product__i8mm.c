/* Products with SUDOT by lane (FEAT_I8MM): signed weights times unsigned bytes. */
#include <arm_neon.h>

#define ROW_BYTES uint8x8_t
#define BYTES(bytes) (bytes)
#define DOT(sums, weights, bytes, lane) vsudotq_lane_s32(sums, weights, bytes, lane)
#include "arm/product_dot.h"

const struct neonsim_family neonsim_family_i8mm = {
    .name = "i8mm",
    .features = NEONSIM_FEATURE_I8MM,
    .needs = "this processor has no matrix products of 8-bit integers (FEAT_I8MM)",
    .lanes = LANES,
    .depth = 4,
    .weight_bytes = 1,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = 1,
    .product = find,
    .row_sums = neonsim_row_sums__neon,
    .depthwise_taps = {neonsim_depthwise_taps__i8mm, neonsim_depthwise_taps__i8mm, neonsim_depthwise_taps__i8mm},
    .add = neonsim_add__neon,
    .sum = neonsim_sum__neon,
    .max = neonsim_max__neon,
    .requantize = neonsim_requantize__neon,
    .multiply_add = neonsim_multiply_add__neon,
    .probe = probe,
};
