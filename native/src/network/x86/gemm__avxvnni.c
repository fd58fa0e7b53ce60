/* GEMM with VPDPBUSD on 256 bits, as processors without AVX-512 have it: four products of unsigned and signed bytes added to each
 * of 8 lanes; rows are read where they lie. */
#define NEONSIM_TILE_ROWS 6
#include "contracts/variants.h"
#include "network/real.h"
#include "network/winograd.h"
#include "network/x86/gemm.h"
#include "network/x86/x86.h"

enum { TILES_AT_ONCE = 1 };

static void row_sums(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums) {
  const __m256i ones = _mm256_set1_epi8(1);
  for (size_t row = 0; row < rows; row++) {
    __m256i wide = _mm256_setzero_si256();
    uint32_t sum = 0;
    for (size_t tap = 0; tap < taps; tap++) {
      const uint8_t *a = pointers[tap * rows + row];
      size_t i = 0;
      for (; i + 32 <= bytes; i += 32) {
        wide = multiply_add(wide, load_anywhere(a + i), ones);
      }
      for (; i < bytes; i++) {
        sum += a[i];
      }
    }
    const __m128i half = _mm_add_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    const __m128i pair = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    sum += (uint32_t)_mm_cvtsi128_si32(pair) + (uint32_t)_mm_extract_epi32(pair, 1);
    sums[row] = (int32_t)(sum * (uint32_t)factor);
  }
}

const struct neonsim_family neonsim_family_avxvnni = {
    .name = "avxvnni",
    .features = NEONSIM_FEATURE_AVXVNNI,
    .needs = "this processor has no AVX-VNNI",
    .lanes = LANES,
    .depth = DEPTH,
    .weight_bytes = WEIGHT_BYTES,
    .most_vectors = VECTORS,
    .most_rows = {ROWS, ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = find,
    .begin = begin_task,
    .end = end_task,
    .row_sums = row_sums,
    .depthwise_rows = {neonsim_depthwise_rows_q31_float__avxvnni, neonsim_depthwise_rows_q31__avxvnni,
                       neonsim_depthwise_rows_fp32__avxvnni},
#ifdef NEONSIM_HAVE_AVX2
    .depthwise_wide = &neonsim_family_avx2,
#endif
    .depthwise_taps = {neonsim_depthwise_taps_q31_float__avxvnni, neonsim_depthwise_taps_q31__avxvnni,
                       neonsim_depthwise_taps_fp32__avxvnni},
    .add = neonsim_add__avx2,
    .sum = neonsim_sum__avx2,
    .max = neonsim_max__avx2,
    .interleave = neonsim_interleave__avx2,
    .requantize = neonsim_requantize__avx2,
    .multiply_add = neonsim_multiply_add__avx2,
    .real = &neonsim_real__avx2,
    .tiles = &neonsim_tiles__avx2,
    .steps = &neonsim_steps__avx2,
    .probe = probe,
};
