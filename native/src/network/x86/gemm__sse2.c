/* GEMM with PMADDWD on 128 bits: two 16-bit products added to each of 4 lanes. */
#define NEONSIM_TILE_ROWS 4
#include "contracts/variants.h"
#include "network/real.h"
#include "network/winograd.h"
#include "network/x86/gemm.h"
#include "network/x86/x86.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

const struct neonsim_family neonsim_family_sse2 = {
    .name = "sse2",
    .features = NEONSIM_FEATURE_SSE2,
    .needs = "this processor has no SSE2",
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = WEIGHT_BYTES,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find,
    .depthwise_rows = {neonsim_depthwise_rows_q31__sse2, neonsim_depthwise_rows_q31__sse2, neonsim_depthwise_rows_fp32__sse2},
    .depthwise_taps = {neonsim_depthwise_taps_q31__sse2, neonsim_depthwise_taps_q31__sse2, neonsim_depthwise_taps_fp32__sse2},
    .add = neonsim_add__sse2,
    .sum = neonsim_sum__sse2,
    .max = neonsim_max__sse2,
    .requantize = neonsim_requantize__sse2,
    .multiply_add = neonsim_multiply_add__sse2,
    .real = &neonsim_real__portable,
    .tiles = &neonsim_tiles__sse2,
    .probe = probe,
};
