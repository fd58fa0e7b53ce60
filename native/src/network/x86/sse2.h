/* What SSE4.1 has and SSE2 lacks, of what vector.h's kernels use: the same names, so that those are written once for both. */
#ifndef NEONSIM_X86_SSE2_H
#define NEONSIM_X86_SSE2_H

#include <emmintrin.h>

#include "network/network.h"

NEONSIM_FORCE_INLINE __m128i bytes_to_words(__m128i bytes) { return _mm_unpacklo_epi8(bytes, _mm_setzero_si128()); }
NEONSIM_FORCE_INLINE __m128i bytes_to_ints(__m128i bytes) { return _mm_unpacklo_epi16(bytes_to_words(bytes), _mm_setzero_si128()); }
/* Into the upper halves, and down with their signs. */
NEONSIM_FORCE_INLINE __m128i words_to_ints(__m128i words) { return _mm_srai_epi32(_mm_unpacklo_epi16(words, words), 16); }

/* Signed products of lanes 0 and 2. A negative factor, read as unsigned, is 2**32 too large: 2**32 times the other one is taken off. */
NEONSIM_FORCE_INLINE __m128i multiply_even(__m128i a, __m128i b) {
  const __m128i surplus = _mm_add_epi32(_mm_and_si128(_mm_srai_epi32(a, 31), b), _mm_and_si128(_mm_srai_epi32(b, 31), a));
  return _mm_sub_epi64(_mm_mul_epu32(a, b), _mm_slli_epi64(surplus, 32));
}

/* Words 2, 3, 6 and 7 of `second`, the others of `first`. */
NEONSIM_FORCE_INLINE __m128i odd_ints_of(__m128i first, __m128i second) {
  const __m128i odd = _mm_set_epi32(-1, 0, -1, 0);
  return _mm_or_si128(_mm_andnot_si128(odd, first), _mm_and_si128(odd, second));
}

#define _mm_cvtepu8_epi16 bytes_to_words
#define _mm_cvtepu8_epi32 bytes_to_ints
#define _mm_cvtepi16_epi32 words_to_ints
#define _mm_mul_epi32 multiply_even
#define _mm_extract_epi32(ints, at) _mm_cvtsi128_si32(_mm_shuffle_epi32(ints, at))
#define _mm_extract_epi64(longs, at) _mm_cvtsi128_si64(_mm_shuffle_epi32(longs, (at) == 0 ? 0x44 : 0xee))
/* Only this one mask. */
#define _mm_blend_epi16(first, second, mask) ((void)sizeof(char[(mask) == 0xcc ? 1 : -1]), odd_ints_of(first, second))

#endif
