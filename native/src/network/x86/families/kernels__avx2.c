/* The family of AVX2 with FMA: VPMADDWD on 256 bits, two 16-bit products added to each of 8 lanes. */
#define NEONSIM_TILE_ROWS 6
#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/layers/bytes.h"
#include "network/x86/layers/depthwise.h"
#include "network/x86/gemm/strassen.h"
#include "network/x86/layers/interleave.h"
#include "network/x86/gemm/int16_accum.h"
#include "network/x86/gemm/single_row.h"
#include "network/x86/gemm/two_pass.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

/* Parts of one family. */
#define AVX2 .name = "avx2", .features = NEONSIM_FEATURE_AVX2, .needs = "this processor has no AVX2 with FMA"

static const struct neonsim_family runs = {
    AVX2,
    .lanes = LANES,
    .depth = RUN_DEPTH,
    .weight_bytes = 1,
    .max_vectors = VECTORS,
    .max_rows = {RUN_ROWS, RUN_ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find_runs,
    .begin = begin_task,
    .end = end_task,
    .int16_accumulation = 1,
    TWO_PASS_KERNELS,
};

static const struct neonsim_family strassen = {
    AVX2,
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = 1,
    .max_vectors = NEONSIM_PAIR_VECTORS,
    .max_rows = {2 * ROWS, 2 * ROWS, 2 * ROWS, 2 * ROWS},
    .tiles_at_once = TILES_AT_ONCE / 2,
    .gemm = find,
    .panels = strassen_panels,
    .room = neonsim_strassen_scratch_bytes,
    .begin = begin_task,
    .end = end_task,
    .is_strassen = 1,
    TWO_PASS_KERNELS,
};

static const struct neonsim_family single_rows = {
    AVX2,
    .lanes = LANES,
    .depth = SINGLE_DEPTH,
    .weight_bytes = 1,
    .max_vectors = VECTORS,
    .max_rows = {1, 1},
    .tiles_at_once = 1,
    .gemm = find_single,
    .begin = begin_task,
    .end = end_task,
    .row_sums = single_row_sums,
    TWO_PASS_KERNELS,
};

const struct neonsim_family neonsim_family_avx2 = {
    AVX2,
    GEMM_KERNELS,
    .tiles_at_once = TILES_AT_ONCE,
    .begin = begin_task,
    .end = end_task,
    .int16_family = &runs,
    .strassen = &strassen,
    .shallow = &single_rows,
    .min_rows = 2,
    DEPTHWISE_KERNELS,
    BYTES_KERNELS,
    .interleave = interleave_groups,
    .widen = widen_windows,
    TWO_PASS_KERNELS,
    .f32 = &neonsim_f32__avx2,
    .winograd = &neonsim_winograd__avx2,
    .ncnn = &neonsim_ncnn__avx2,
};
