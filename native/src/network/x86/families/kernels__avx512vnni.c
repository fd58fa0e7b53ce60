/* GEMM with VPDPBUSD on 512 bits: four products of unsigned and signed bytes added to each of 16 lanes. */
#include <string.h>

#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/avx512.h"
#include "network/x86/x86.h"

/* sums += four products in each lane. As text, for GCC copies registers around its own function. */
NEONSIM_FORCE_INLINE void dot(__m512i *sums, __m512i bytes, __m512i weights) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*sums) : "v"(bytes), "v"(weights));
}

#include "network/x86/gemm/gemm512.h"

neonsim_panel_kernel neonsim_find_gemm__avx512vnni(enum neonsim_finish finish, size_t vectors, size_t rows) {
  (void)finish; /* known to neonsim_finish__avx512 */
  return tiles_of[vectors - 1][rows - 1];
}

/* Four partial sums of the bytes of a row, a tap in registers of `width` bytes: one, or as many as it takes of 64. */
NEONSIM_FORCE_INLINE __m128i partial_sums(size_t width, size_t bytes, __mmask64 last, size_t taps, size_t apart,
                                          const void *const *pointers) {
  if (width == 16) {
    __m128i sum = _mm_setzero_si128();
    for (size_t tap = 0; tap < taps; tap++, pointers += apart) {
      sum = _mm_dpbusd_epi32(sum, _mm_maskz_loadu_epi8((__mmask16)last, *pointers), _mm_set1_epi8(1));
    }
    return sum;
  }
  __m256i half = _mm256_setzero_si256();
  if (width == 32) {
    for (size_t tap = 0; tap < taps; tap++, pointers += apart) {
      half = _mm256_dpbusd_epi32(half, _mm256_maskz_loadu_epi8((__mmask32)last, *pointers), _mm256_set1_epi8(1));
    }
  } else {
    __m512i sum = _mm512_setzero_si512();
    for (size_t tap = 0; tap < taps; tap++, pointers += apart) {
      const uint8_t *a = *pointers;
      size_t i = 0;
      for (; i + 64 < bytes; i += 64) {
        sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(a + i), _mm512_set1_epi8(1));
      }
      sum = _mm512_dpbusd_epi32(sum, _mm512_maskz_loadu_epi8(last, a + i), _mm512_set1_epi8(1));
    }
    half = _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
  }
  return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* Four rows at a time; beyond the last there is none: that one is summed again. */
NEONSIM_FORCE_INLINE void sum_rows(size_t width, size_t rows, size_t bytes, size_t taps, const void *const *pointers,
                                   int32_t factor, int32_t *sums) {
  enum { AT_ONCE = 4 };
  const __m128i factors = _mm_set1_epi32(factor);
  const __mmask64 last = ~UINT64_C(0) >> (63 - (bytes - 1) % 64); /* of the bytes that the last register holds */
  for (size_t row = 0; row < rows; row += AT_ONCE) {
    const size_t left = rows - row - 1;
    const __m128i a = partial_sums(width, bytes, last, taps, rows, pointers + row);
    const __m128i b = partial_sums(width, bytes, last, taps, rows, pointers + row + neonsim_min(1, left));
    const __m128i c = partial_sums(width, bytes, last, taps, rows, pointers + row + neonsim_min(2, left));
    const __m128i d = partial_sums(width, bytes, last, taps, rows, pointers + row + neonsim_min(3, left));
    const __m128i whole = _mm_mullo_epi32(_mm_hadd_epi32(_mm_hadd_epi32(a, b), _mm_hadd_epi32(c, d)), factors);
    if (left >= AT_ONCE - 1) {
      _mm_storeu_si128((__m128i *)(void *)(sums + row), whole);
    } else {
      _mm_mask_storeu_epi32(sums + row, (__mmask8)((2u << left) - 1), whole);
    }
  }
}

void neonsim_row_sums__avx512vnni(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor,
                                  int32_t *sums) {
  if (bytes <= 16) {
    sum_rows(16, rows, bytes, taps, pointers, factor, sums);
  } else if (bytes <= 32) {
    sum_rows(32, rows, bytes, taps, pointers, factor, sums);
  } else {
    sum_rows(64, rows, bytes, taps, pointers, factor, sums);
  }
}

/* Eight chains, as many as latency and two a cycle ask for, and more. */
static double probe(void) {
  enum { STEPS = 20000, CHAINS = 12 };
  __m512i sums[CHAINS];
  for (size_t i = 0; i < CHAINS; i++) {
    sums[i] = _mm512_setzero_si512();
  }
  __m512i a = _mm512_set1_epi8(1), w = _mm512_set1_epi8(1);
  for (size_t step = 0; step < STEPS; step++) {
    __asm__ __volatile__("" : "+v"(a), "+v"(w));
#pragma GCC unroll 12
    for (size_t i = 0; i < CHAINS; i++) {
      sums[i] = _mm512_dpbusd_epi32(sums[i], a, w);
    }
  }
  for (size_t i = 1; i < CHAINS; i++) {
    sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  }
  __asm__ __volatile__("" ::"v"(sums[0]));
  return 64.0 * CHAINS * STEPS;
}

const struct neonsim_family neonsim_family_avx512vnni = {
    .name = "avx512vnni",
    .features = NEONSIM_FEATURE_AVX512VNNI,
    .needs = "this processor has no AVX-512 with VNNI, BW and DQ",
    .lanes = 16,
    .depth = 4,
    .weight_bytes = 1,
    .max_vectors = 4,
    .max_rows = {12, 12, 8, 6},
    .tiles_at_once = 1,
    .gemm = neonsim_find_gemm__avx512vnni,
    .row_sums = neonsim_row_sums__avx512vnni,
    .depthwise_rows = AVX512_DEPTHWISE(rows, avx512vnni),
    .rows_twice = 1,
#ifdef NEONSIM_HAVE_AVX2
    .depthwise_int16 = &neonsim_family_avx2,
#endif
    .depthwise_taps = AVX512_DEPTHWISE(taps, avx512vnni),
    AVX512_KERNELS,
    .winograd = &neonsim_winograd__avx512,
    .probe = probe,
};
