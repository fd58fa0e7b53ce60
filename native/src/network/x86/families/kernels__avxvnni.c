/* The family of AVX-VNNI, which processors without AVX-512 have: VPDPBUSD on 256 bits, four products of unsigned and signed bytes added
 * to each of 8 lanes; rows are read where they lie. */
#define NEONSIM_TILE_ROWS 6
#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/layers/bytes.h"
#include "network/x86/layers/depthwise.h"
#include "network/x86/gemm/gemm.h"
#include "network/x86/layers/interleave.h"
#include "network/x86/gemm/two_pass.h"

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
    GEMM_KERNELS,
    .tiles_at_once = 1,
    .begin = begin_task,
    .end = end_task,
    .row_sums = row_sums,
    DEPTHWISE_KERNELS,
#ifdef NEONSIM_HAVE_AVX2
    .depthwise_int16 = &neonsim_family_avx2,
#endif
    BYTES_KERNELS,
    .interleave = interleave_groups,
    TWO_PASS_KERNELS,
    .f32 = &neonsim_f32__avx2,
    .winograd = &neonsim_winograd__avx2,
    .ncnn = &neonsim_ncnn__avx2,
};
