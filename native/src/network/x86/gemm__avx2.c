/* GEMM with VPMADDWD on 256 bits: two 16-bit products added to each of 8 lanes. */
#define NEONSIM_TILE_ROWS 6
#include "contracts/variants.h"
#include "network/real.h"
#include "network/winograd.h"
#include "network/x86/gemm.h"
#include "network/x86/x86.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

const struct neonsim_family neonsim_family_avx2 = {
    .name = "avx2",
    .features = NEONSIM_FEATURE_AVX2,
    .needs = "this processor has no AVX2 with FMA",
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = WEIGHT_BYTES,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find,
    .depthwise_rows = {neonsim_depthwise_rows_q31__avx2, neonsim_depthwise_rows_q31__avx2, neonsim_depthwise_rows_fp32__avx2},
    .depthwise_taps = {neonsim_depthwise_taps_q31__avx2, neonsim_depthwise_taps_q31__avx2, neonsim_depthwise_taps_fp32__avx2},
    .add = neonsim_add__avx2,
    .sum = neonsim_sum__avx2,
    .max = neonsim_max__avx2,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
    .real = &neonsim_real__avx2,
    .tiles = &neonsim_tiles__avx2,
    .steps = &neonsim_steps__avx2,
    .probe = probe,
};
