/* The family of WebAssembly's SIMD128: i32x4.dot_i16x8_s, two 16-bit products added to each of 4 lanes. */
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

/* The inner loop of the tallest tile: engines see through constant operands, and leave out what is done again. */
static double probe(void) {
  enum { GROUPS = 400, TURNS = 100 };
  static _Alignas(16) int32_t panel[LANES * VECTORS * (2 + GROUPS)];
  static uint16_t a[ROWS][DEPTH * GROUPS];
  const void *pointers[ROWS] = {a[0], a[1], a[2], a[3]};
  const struct neonsim_requant requant = {.finish = FINISH_S32};
  int32_t out[ROWS][LANES * VECTORS];
  for (size_t turn = 0; turn < TURNS; turn++) {
    tiles_2_sums(ROWS, GROUPS, 1, pointers, panel, NULL, (uint8_t *)out, sizeof out[0], LANES * VECTORS, &requant);
    a[0][0] = (uint16_t)out[0][0];
  }
  return (double)LANES * DEPTH * ROWS * VECTORS * GROUPS * TURNS;
}

const struct neonsim_family neonsim_family_simd128 = {
    .name = "simd128",
    .features = NEONSIM_FEATURE_SIMD128,
    .needs = "this library was built without SIMD128",
    GEMM_KERNELS,
    .tiles_at_once = TILES_AT_ONCE,
    DEPTHWISE_KERNELS,
    BYTES_KERNELS,
    TWO_PASS_KERNELS,
    .f32 = &neonsim_f32__portable,
    .winograd = &neonsim_winograd__simd128,
};
