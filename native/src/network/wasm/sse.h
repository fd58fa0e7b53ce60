/* The operations of SSE that vector.h's kernels use, as those of WebAssembly's SIMD128: the same names, so that kernels are written once.
 * Nearly all are one instruction there too; PMADDWD is i32x4.dot_i16x8_s. */
#ifndef NEONSIM_WASM_SSE_H
#define NEONSIM_WASM_SSE_H

#include <wasm_simd128.h>

typedef v128_t __m128i;
typedef v128_t __m128;

#define _mm_setzero_si128() wasm_i32x4_splat(0)
#define _mm_set1_epi8 wasm_i8x16_splat
#define _mm_set1_epi16 wasm_i16x8_splat
#define _mm_set1_epi32 wasm_i32x4_splat
#define _mm_set1_epi64x wasm_i64x2_splat
#define _mm_set1_ps wasm_f32x4_splat
#define _mm_cvtsi32_si128(value) wasm_i32x4_make(value, 0, 0, 0)
#define _mm_cvtsi128_si32(ints) wasm_i32x4_extract_lane(ints, 0)
#define _mm_cvtsi128_si64(longs) wasm_i64x2_extract_lane(longs, 0)
#define _mm_extract_epi32 wasm_i32x4_extract_lane
#define _mm_extract_epi64 wasm_i64x2_extract_lane
#define _mm_load_si128 wasm_v128_load
#define _mm_loadu_si128 wasm_v128_load
#define _mm_loadl_epi64 wasm_v128_load64_zero
#define _mm_loadu_ps wasm_v128_load
#define _mm_storeu_si128 wasm_v128_store
#define _mm_storeu_ps wasm_v128_store
#define _mm_and_si128 wasm_v128_and

#define _mm_add_epi32 wasm_i32x4_add
#define _mm_add_epi64 wasm_i64x2_add
#define _mm_adds_epi16 wasm_i16x8_add_sat
#define _mm_sub_epi16 wasm_i16x8_sub
#define _mm_madd_epi16 wasm_i32x4_dot_i16x8
#define _mm_min_epu8 wasm_u8x16_min
#define _mm_max_epu8 wasm_u8x16_max
#define _mm_mul_ps wasm_f32x4_mul
/* a < b ? a : b */
#define _mm_min_ps(a, b) wasm_f32x4_pmin(b, a)
/* Signed products of lanes 0 and 2. */
#define _mm_mul_epi32(a, b) wasm_i64x2_extmul_low_i32x4(wasm_i32x4_shuffle(a, a, 0, 2, 0, 2), wasm_i32x4_shuffle(b, b, 0, 2, 0, 2))

/* Counts are less than the width of a lane. */
#define _mm_slli_epi32 wasm_i32x4_shl
#define _mm_slli_epi64 wasm_i64x2_shl
#define _mm_srli_epi64 wasm_u64x2_shr
#define _mm_srai_epi32 wasm_i32x4_shr
#define _mm_sra_epi32(lanes, count) wasm_i32x4_shr(lanes, (uint32_t)wasm_i32x4_extract_lane(count, 0))

#define _mm_cvtepu8_epi16 wasm_u16x8_extend_low_u8x16
#define _mm_cvtepu8_epi32(bytes) wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes))
#define _mm_cvtepi16_epi32 wasm_i32x4_extend_low_i16x8
#define _mm_cvtepi32_ps wasm_f32x4_convert_i32x4
#define _mm_cvtps_epi32(vfloat) wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(vfloat))
#define _mm_packs_epi32 wasm_i16x8_narrow_i32x4
#define _mm_packus_epi16 wasm_u8x16_narrow_i16x8

#define _mm_unpacklo_epi8(a, b) wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define _mm_unpackhi_epi8(a, b) wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define _mm_unpacklo_epi16(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define _mm_unpackhi_epi16(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define _MM_SHUFFLE(d, c, b, a) ((d) << 6 | (c) << 4 | (b) << 2 | (a))
#define _mm_shuffle_epi32(v, from) wasm_i32x4_shuffle(v, v, (from) & 3, (from) >> 2 & 3, (from) >> 4 & 3, (from) >> 6)
/* Words of the second where the mask has a bit. */
#define FROM_EITHER(mask, word) ((word) + ((mask) >> (word) & 1) * 8)
#define _mm_blend_epi16(a, b, mask) \
  wasm_i16x8_shuffle(a, b, FROM_EITHER(mask, 0), FROM_EITHER(mask, 1), FROM_EITHER(mask, 2), FROM_EITHER(mask, 3), \
                     FROM_EITHER(mask, 4), FROM_EITHER(mask, 5), FROM_EITHER(mask, 6), FROM_EITHER(mask, 7))

/* There is no such thing. */
enum { _MM_HINT_T0 };
#define _mm_prefetch(address, hint) ((void)(address), (void)(hint))

#endif
