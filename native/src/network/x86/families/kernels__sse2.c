/* The family of SSE2: PMADDWD on 128 bits, two 16-bit products added to each of 4 lanes. */
#define NEONSIM_TILE_ROWS 4
#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/layers/bytes.h"
#include "network/x86/layers/depthwise.h"
#include "network/x86/gemm/gemm.h"
#include "network/x86/gemm/two_pass.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

const struct neonsim_family neonsim_family_sse2 = {
    .name = "sse2",
    .features = NEONSIM_FEATURE_SSE2,
    .needs = "this processor has no SSE2",
    GEMM_KERNELS,
    .tiles_at_once = TILES_AT_ONCE,
    DEPTHWISE_KERNELS,
    BYTES_KERNELS,
    TWO_PASS_KERNELS,
    .f32 = &neonsim_f32__portable,
    .winograd = &neonsim_winograd__sse2,
};
