/* Float32 on 256 bits, with FMA: tiles of 6 rows by 2 registers. */
#include <immintrin.h>

#include "network/float32/float32.h"

typedef __m256 vfloat;
enum { LANES = 8, ROWS = 6, VECTORS = 2 };

NEONSIM_FORCE_INLINE __m256i first(size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
NEONSIM_FORCE_INLINE vfloat all(float x) { return _mm256_set1_ps(x); }
NEONSIM_FORCE_INLINE vfloat load(const float *from) { return _mm256_loadu_ps(from); }
NEONSIM_FORCE_INLINE void store(float *to, vfloat v) { _mm256_storeu_ps(to, v); }
NEONSIM_FORCE_INLINE vfloat load_some(const float *from, size_t n) { return _mm256_maskload_ps(from, first(n)); }
NEONSIM_FORCE_INLINE void store_some(float *to, vfloat v, size_t n) { _mm256_maskstore_ps(to, first(n), v); }
NEONSIM_FORCE_INLINE vfloat fused(vfloat a, vfloat b, vfloat c) { return _mm256_fmadd_ps(a, b, c); }
NEONSIM_FORCE_INLINE float fused_one(float a, float b, float c) { return fmaf(a, b, c); }
NEONSIM_FORCE_INLINE vfloat plus(vfloat a, vfloat b) { return _mm256_add_ps(a, b); }
NEONSIM_FORCE_INLINE vfloat minus(vfloat a, vfloat b) { return _mm256_sub_ps(a, b); }
NEONSIM_FORCE_INLINE vfloat times(vfloat a, vfloat b) { return _mm256_mul_ps(a, b); }
/* The second operand where it is NaN, or equal. */
NEONSIM_FORCE_INLINE vfloat at_least(vfloat low, vfloat v) { return _mm256_max_ps(low, v); }
NEONSIM_FORCE_INLINE vfloat at_most(vfloat high, vfloat v) { return _mm256_min_ps(high, v); }
/* Of two that are equal, which may be zeros, the bits that both have; of NaN the sum, which is one. */
NEONSIM_FORCE_INLINE vfloat larger(vfloat v, vfloat w) {
  const vfloat most = _mm256_blendv_ps(_mm256_max_ps(v, w), _mm256_and_ps(v, w), _mm256_cmp_ps(v, w, _CMP_EQ_OQ));
  return _mm256_blendv_ps(most, _mm256_add_ps(v, w), _mm256_cmp_ps(v, w, _CMP_UNORD_Q));
}
#define CARELESS
NEONSIM_FORCE_INLINE vfloat careless_larger(vfloat v, vfloat w) { return _mm256_max_ps(v, w); }
NEONSIM_FORCE_INLINE int doubtful(vfloat best, vfloat sum) {
  const __m256i minus_zero = _mm256_cmpeq_epi32(_mm256_castps_si256(best), _mm256_set1_epi32(INT32_MIN));
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_castsi256_ps(minus_zero), _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q))) != 0;
}
NEONSIM_FORCE_INLINE vfloat leaked(vfloat v, vfloat slope) {
  return _mm256_blendv_ps(v, _mm256_mul_ps(v, slope), _mm256_cmp_ps(v, all(0), _CMP_LT_OQ));
}

#include "network/float32/float32_kernels.h"

NEONSIM_HEIGHTS_6(TILE, 1)
NEONSIM_HEIGHTS_6(TILE, 2)

const struct neonsim_f32_kernels neonsim_f32__avx2 = {KERNELS,
                                                      .tiles = {{NEONSIM_HEIGHTS_6(NAME, 1)}, {NEONSIM_HEIGHTS_6(NAME, 2)}}};
