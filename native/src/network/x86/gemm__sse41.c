/* GEMM with PMADDWD on 128 bits: two 16-bit products added to each of 4 lanes. */
#define NEONSIM_TILE_ROWS 4
#include "contracts/variants.h"
#include "network/real.h"
#include "network/winograd.h"
#include "network/x86/runs.h"
#include "network/x86/x86.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

/* Of the same name: parts of one family. */
static const struct neonsim_family runs = {
    .name = "sse41",
    .features = NEONSIM_FEATURE_SSE41,
    .needs = "this processor has no SSE4.1",
    .lanes = LANES,
    .depth = RUN_DEPTH,
    .weight_bytes = 1,
    .most_vectors = VECTORS,
    .most_rows = {RUN_ROWS, RUN_ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find_runs,
    .in_runs = 1,
    .requantize = neonsim_requantize__sse41,
    .multiply_add = neonsim_multiply_add__sse41,
};

const struct neonsim_family neonsim_family_sse41 = {
    .name = "sse41",
    .features = NEONSIM_FEATURE_SSE41,
    .needs = "this processor has no SSE4.1",
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = WEIGHT_BYTES,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find,
    .runs = &runs,
    .depthwise_rows = {neonsim_depthwise_rows_q31__sse41, neonsim_depthwise_rows_q31__sse41, neonsim_depthwise_rows_fp32__sse41},
    .depthwise_taps = {neonsim_depthwise_taps_q31__sse41, neonsim_depthwise_taps_q31__sse41, neonsim_depthwise_taps_fp32__sse41},
    .add = neonsim_add__sse41,
    .sum = neonsim_sum__sse41,
    .max = neonsim_max__sse41,
    .interleave = neonsim_interleave__sse41,
    .widen = neonsim_widen__sse41,
    .requantize = neonsim_requantize__sse41,
    .multiply_add = neonsim_multiply_add__sse41,
    .real = &neonsim_real__portable,
    .tiles = &neonsim_tiles__sse41,
    .probe = probe,
};
