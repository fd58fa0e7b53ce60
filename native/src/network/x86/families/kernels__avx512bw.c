/* GEMM with VPMADDWD on 512 bits, for processors with AVX-512 that came before VNNI: two 16-bit products added to each of 16 lanes. */
#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/layers/depthwise.h"
#include "network/x86/x86.h"

NEONSIM_FORCE_INLINE void dot(__m512i *sums, __m512i words, __m512i weights) {
  *sums = _mm512_add_epi32(*sums, _mm512_madd_epi16(words, weights));
}

#include "network/x86/gemm/gemm512.h"

/* Rows come gathered as 16-bit numbers: many tiles at once, while a panel is in the first cache. */
enum { TILES_AT_ONCE = 16 };

/* Tiles one below the other, as even as can be. Rows are gathered for this family: there is one tap, and no correction. */
NEONSIM_FORCE_INLINE void tiles(size_t vectors, size_t most, size_t rows, size_t groups, const void *const *pointers,
                                const void *panel, uint8_t *out, size_t out_stride, size_t columns,
                                const struct neonsim_requant *requant) {
  for (size_t count = neonsim_ceil_div(rows, most), first = 0; count != 0; count--) {
    const size_t height = neonsim_ceil_div(rows - first, count);
    tiles_of[vectors - 1][height - 1](height, groups, 1, pointers + first, panel, NULL, out + first * out_stride, out_stride,
                                      columns, requant);
    first += height;
  }
}

#define TILES(vectors, most) \
  static NEONSIM_PANEL_KERNEL(tiles_##vectors) { \
    (void)taps; \
    (void)sums; \
    tiles(vectors, most, rows, groups, pointers, panel, out, out_stride, columns, requant); \
  }
TILES(1, 12)
TILES(2, 12)
TILES(3, 8)
TILES(4, 6)

static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  static const neonsim_panel_kernel table[NEONSIM_MAX_VECTORS] = {tiles_1, tiles_2, tiles_3, tiles_4};
  (void)finish; /* known to neonsim_finish__avx512 */
  (void)rows;
  return table[vectors - 1];
}

/* Nearly as many sums as in the largest tiles, operands in registers. */
static double probe(void) {
  enum { STEPS = 20000, AS = 5, WS = 4 };
  __m512i sums[AS][WS], a[AS], w[WS];
#pragma GCC unroll 5
  for (size_t i = 0; i < AS; i++) {
    a[i] = _mm512_set1_epi16(1);
#pragma GCC unroll 4
    for (size_t j = 0; j < WS; j++) {
      sums[i][j] = _mm512_setzero_si512();
      w[j] = _mm512_set1_epi16(1);
    }
  }
  for (size_t step = 0; step < STEPS; step++) {
    /* Operands that compilers know nothing of: every product is one of its own. */
    __asm__ __volatile__("" : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3]), "+v"(a[4]));
    __asm__ __volatile__("" : "+v"(w[0]), "+v"(w[1]), "+v"(w[2]), "+v"(w[3]));
#pragma GCC unroll 5
    for (size_t i = 0; i < AS; i++) {
#pragma GCC unroll 4
      for (size_t j = 0; j < WS; j++) {
        dot(&sums[i][j], a[i], w[j]);
      }
    }
  }
#pragma GCC unroll 5
  for (size_t i = 0; i < AS; i++) {
#pragma GCC unroll 4
    for (size_t j = 0; j < WS; j++) {
      __asm__ __volatile__("" ::"v"(sums[i][j]));
    }
  }
  return 32.0 * AS * WS * STEPS;
}

const struct neonsim_family neonsim_family_avx512bw = {
    .name = "avx512bw",
    .features = NEONSIM_FEATURE_AVX512BW,
    .needs = "this processor has no AVX-512 with BW, DQ and VL",
    .lanes = 16,
    .depth = 2,
    .weight_bytes = 2,
    .max_vectors = 4,
    .max_rows = {12, 12, 8, 6},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find,
    DEPTHWISE_KERNELS,
    AVX512_KERNELS,
    .winograd = &neonsim_winograd__avx512bw,
    .probe = probe,
};
