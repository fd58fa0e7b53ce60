/* The registers that a file is compiled for, so that kernels of several instruction sets are written once:
 *
 *                 registers   one multiplying step                                        weights
 *   SSE2, SSE4.1  128 bits    PMADDWD: two 16-bit products added to each 32-bit lane      int16
 *   SIMD128       128 bits    i32x4.dot_i16x8_s of WebAssembly, the same                  int16
 *   AVX2          256 bits    VPMADDWD                                                    int16
 *   AVX-VNNI      256 bits    VPDPBUSD: four products of bytes                            int8
 *   AVX-512 BW    512 bits    VPMADDWD; of depthwise.h only                               int16
 *
 * Both steps take 32 bits of a row, in all lanes, times 32 bits of weights in each lane. Sixteen bits are exact for bytes and for
 * differences of bytes; VPMADDUBSW, which looks quicker, saturates on the way. */
#ifndef NEONSIM_X86_VECTOR_H
#define NEONSIM_X86_VECTOR_H

#include <string.h>

#include "network/network.h"
#if defined(__wasm_simd128__)
#include "network/wasm/sse.h"
#define VECTOR_REGISTER "r" /* for text of the assembler */
#else
#include <immintrin.h>
#if !defined(__SSE4_1__)
#include "network/x86/sse2.h"
#endif
#define VECTOR_REGISTER "x"
#endif

#if defined(__AVX512BW__)
typedef __m512i vector;
typedef __m512 vector_float;
enum { LANES = 16 };
#define VECTOR(operation) _mm512_##operation
#define VECTOR_BITS(operation) _mm512_##operation##_si512
#elif defined(__AVX2__)
typedef __m256i vector;
typedef __m256 vector_float;
enum { LANES = 8 };
#define VECTOR(operation) _mm256_##operation
#define VECTOR_BITS(operation) _mm256_##operation##_si256
#else
typedef __m128i vector;
typedef __m128 vector_float;
enum { LANES = 4 };
#define VECTOR(operation) _mm_##operation
#define VECTOR_BITS(operation) _mm_##operation##_si128
#endif

#if defined(__AVXVNNI__)
enum { DEPTH = 4, WEIGHT_BYTES = 1 };
#else
enum { DEPTH = 2, WEIGHT_BYTES = 2 };
#endif

NEONSIM_FORCE_INLINE vector load(const void *from) { return VECTOR_BITS(load)((const vector *)from); }
NEONSIM_FORCE_INLINE vector load_anywhere(const void *from) { return VECTOR_BITS(loadu)((const vector *)from); }
NEONSIM_FORCE_INLINE void store_anywhere(void *to, vector value) { VECTOR_BITS(storeu)((vector *)to, value); }
NEONSIM_FORCE_INLINE __m128i load16(const void *from) { return _mm_loadu_si128((const __m128i *)from); }
NEONSIM_FORCE_INLINE __m128i load8(const void *from) { return _mm_loadl_epi64((const __m128i *)from); }

/* A quarter of a register of bytes as 32-bit numbers. */
NEONSIM_FORCE_INLINE vector widen_to_ints(const void *bytes) {
#if defined(__AVX512BW__)
  return _mm512_cvtepu8_epi32(load16(bytes));
#else
  return VECTOR(cvtepu8_epi32)(load8(bytes));
#endif
}

/* 32 bits in all lanes. */
NEONSIM_FORCE_INLINE vector broadcast(const void *from) {
  int32_t bits;
  memcpy(&bits, from, sizeof bits);
  return VECTOR(set1_epi32)(bits);
}

NEONSIM_FORCE_INLINE vector multiply_add(vector sums, vector bytes, vector weights) {
#if defined(__AVXVNNI__) && defined(__clang__)
  return _mm256_dpbusd_avx_epi32(sums, bytes, weights);
#elif defined(__AVXVNNI__)
  /* As text, for GCC copies registers around its own function. */
  __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums) : "x"(bytes), "xm"(weights));
  return sums;
#else
  return VECTOR(add_epi32)(sums, VECTOR(madd_epi16)(bytes, weights));
#endif
}

#if !defined(__AVX512BW__)
/* Half a register of bytes, as 16-bit numbers. */
NEONSIM_FORCE_INLINE vector widen(const void *bytes) {
#if defined(__AVX2__)
  return _mm256_cvtepu8_epi16(load16(bytes));
#else
  return _mm_cvtepu8_epi16(load8(bytes));
#endif
}

/* 32-bit lanes 0, 2 .. of `even`, 1, 3 .. of `odd`. */
NEONSIM_FORCE_INLINE vector every_second(vector even, vector odd) {
#if defined(__AVX2__)
  return _mm256_blend_epi32(even, odd, 0xaa);
#else
  return _mm_blend_epi16(even, odd, 0xcc);
#endif
}

/* Two registers of 16-bit numbers side by side within each 128 bits, to bytes in one register of their own: in order again. */
NEONSIM_FORCE_INLINE __m128i narrow_words(vector words) {
#if defined(__AVX2__)
  return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
#else
  return _mm_packus_epi16(words, words);
#endif
}
#endif

#endif
