/* The family of SSE4.1: PMADDWD on 128 bits, two 16-bit products added to each of 4 lanes. */
#define NEONSIM_TILE_ROWS 4
#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/layers/bytes.h"
#include "network/x86/layers/depthwise.h"
#include "network/x86/layers/interleave.h"
#include "network/x86/gemm/int16_accum.h"
#include "network/x86/gemm/two_pass.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

/* Parts of one family. */
#define SSE41 .name = "sse41", .features = NEONSIM_FEATURE_SSE41, .needs = "this processor has no SSE4.1"

static const struct neonsim_family runs = {
    SSE41,
    .lanes = LANES,
    .depth = RUN_DEPTH,
    .weight_bytes = 1,
    .max_vectors = VECTORS,
    .max_rows = {RUN_ROWS, RUN_ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find_runs,
    .int16_accumulation = 1,
    TWO_PASS_KERNELS,
};

const struct neonsim_family neonsim_family_sse41 = {
    SSE41,
    GEMM_KERNELS,
    .tiles_at_once = TILES_AT_ONCE,
    .int16_family = &runs,
    DEPTHWISE_KERNELS,
    BYTES_KERNELS,
    .interleave = interleave_groups,
    .widen = widen_windows,
    TWO_PASS_KERNELS,
    .f32 = &neonsim_f32__portable,
    .winograd = &neonsim_winograd__sse41,
};
