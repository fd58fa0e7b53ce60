/* Products of 16-bit numbers with VPDPWSSD on 512 bits: two added to each of 16 sums. For winograd.c only: sums are left in memory,
 * columns lane after lane.
 *
 *   14 rows of 2 registers are 28 sums: with two of weights and one of a row all but one of the registers */
#include "network/winograd/winograd.h"
#include "network/x86/avx512.h"
#include "network/x86/x86.h"

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)

enum { LANES = 16, DEPTH = 2, WEIGHT_BYTES = 2, VECTORS = 2, ROWS = 14, AHEAD = 256 };
#define WIDTHS(DO) DO(1) DO(2)
#define HEIGHTS NEONSIM_HEIGHTS_14

NEONSIM_FORCE_INLINE __m512i two_depths(const void *row, size_t group) {
  int32_t two;
  memcpy(&two, (const uint8_t *)row + sizeof two * group, sizeof two);
  return _mm512_set1_epi32(two);
}

/* As text, for GCC copies registers around its own function. */
NEONSIM_FORCE_INLINE void dot(__m512i *sums, __m512i numbers, __m512i weights) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(*sums) : "v"(numbers), "v"(weights));
}

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, size_t groups, size_t taps, const void *const *pointers,
                               const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                               const struct neonsim_requant *requant) {
  (void)taps;
  (void)row_sums;
  (void)requant;
  const __m512i *weights = (const __m512i *)panel + 2 * vectors;
  __m512i sums[ROWS][VECTORS];
#define START(row) \
  if (row < rows) { \
    sums[row][0] = sums[row][1] = _mm512_setzero_si512(); \
  }
  EACH_ROW(START)
  for (size_t group = 0; group < groups; group++, weights += vectors) {
    const __m512i first = weights[0], second = weights[vectors - 1];
    /* Panels follow one another; where they come from memory each is read once. */
    _mm_prefetch((const char *)(weights + AHEAD), _MM_HINT_T0);
    _mm_prefetch((const char *)(weights + AHEAD + vectors - 1), _MM_HINT_T0);
#define MULTIPLY(row) \
  if (row < rows) { \
    const __m512i numbers = two_depths(pointers[row], group); \
    dot(&sums[row][0], numbers, first); \
    if (vectors == 2) { \
      dot(&sums[row][1], numbers, second); \
    } \
  }
    EACH_ROW(MULTIPLY)
  }
  const size_t last = columns - LANES * (vectors - 1); /* columns of the last register */
  const __mmask16 stored = (__mmask16)(last >= LANES ? 0xffff : (1u << last) - 1);
#define LEAVE(row) \
  if (row < rows) { \
    if (vectors == 2) { \
      _mm512_storeu_si512(out + row * out_stride, sums[row][0]); \
    } \
    _mm512_mask_storeu_epi32(out + row * out_stride + 64 * (vectors - 1), stored, sums[row][vectors - 1]); \
  }
  EACH_ROW(LEAVE)
}

#include "network/gemm/tile_kernels.h"

const struct neonsim_family neonsim_int16_gemm__avx512vnni = {
    .name = "avx512vnni",
    .needs = "",
    GEMM_KERNELS,
};
