/* GEMM with VPMADDWD on 256 bits: two 16-bit products added to each of 8 lanes. */
#define NEONSIM_TILE_ROWS 6
#include "contracts/variants.h"
#include "network/real.h"
#include "network/winograd.h"
#include "network/x86/halves.h"
#include "network/x86/runs.h"
#include "network/x86/single.h"
#include "network/x86/x86.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

/* Of the same name: parts of one family. */
static const struct neonsim_family runs = {
    .name = "avx2",
    .features = NEONSIM_FEATURE_AVX2,
    .needs = "this processor has no AVX2 with FMA",
    .lanes = LANES,
    .depth = RUN_DEPTH,
    .weight_bytes = 1,
    .most_vectors = VECTORS,
    .most_rows = {RUN_ROWS, RUN_ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find_runs,
    .begin = begin_task,
    .end = end_task,
    .in_runs = 1,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
};

static const struct neonsim_family halves = {
    .name = "avx2",
    .features = NEONSIM_FEATURE_AVX2,
    .needs = "this processor has no AVX2 with FMA",
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = 1,
    .most_vectors = NEONSIM_PAIR_VECTORS,
    .most_rows = {2 * ROWS, 2 * ROWS, 2 * ROWS, 2 * ROWS},
    .tiles_at_once = TILES_AT_ONCE / 2,
    .gemm = find,
    .panels = panels_by_halves,
    .room = neonsim_bytes_of_halves,
    .begin = begin_task,
    .end = end_task,
    .in_halves = 1,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
};

static const struct neonsim_family single_rows = {
    .name = "avx2",
    .features = NEONSIM_FEATURE_AVX2,
    .needs = "this processor has no AVX2 with FMA",
    .lanes = LANES,
    .depth = SINGLE_DEPTH,
    .weight_bytes = 1,
    .most_vectors = VECTORS,
    .most_rows = {1, 1},
    .tiles_at_once = 1,
    .gemm = find_single,
    .begin = begin_task,
    .end = end_task,
    .row_sums = single_row_sums,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
};

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
    .begin = begin_task,
    .end = end_task,
    .runs = &runs,
    .halves = &halves,
    .shallow = &single_rows,
    .least_rows = 2,
    .depthwise_rows = {neonsim_depthwise_rows_q31_float__avx2, neonsim_depthwise_rows_q31__avx2, neonsim_depthwise_rows_fp32__avx2},
    .depthwise_taps = {neonsim_depthwise_taps_q31_float__avx2, neonsim_depthwise_taps_q31__avx2, neonsim_depthwise_taps_fp32__avx2},
    .add = neonsim_add__avx2,
    .sum = neonsim_sum__avx2,
    .max = neonsim_max__avx2,
    .interleave = neonsim_interleave__avx2,
    .widen = neonsim_widen__avx2,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
    .real = &neonsim_real__avx2,
    .tiles = &neonsim_tiles__avx2,
    .steps = &neonsim_steps__avx2,
    .probe = probe,
};
