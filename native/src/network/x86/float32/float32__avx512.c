/* Real numbers on 512 bits: tiles of 14 rows by 2 registers. */
#include <immintrin.h>

#include "network/float32/float32.h"

typedef __m512 reals;
enum { LANES = 16, ROWS = 14, VECTORS = 2 };

NEONSIM_FORCE_INLINE __mmask16 first(size_t n) { return (__mmask16)((1u << n) - 1); }
NEONSIM_FORCE_INLINE reals all(float x) { return _mm512_set1_ps(x); }
NEONSIM_FORCE_INLINE reals load(const float *from) { return _mm512_loadu_ps(from); }
NEONSIM_FORCE_INLINE void store(float *to, reals v) { _mm512_storeu_ps(to, v); }
NEONSIM_FORCE_INLINE reals load_some(const float *from, size_t n) { return _mm512_maskz_loadu_ps(first(n), from); }
NEONSIM_FORCE_INLINE void store_some(float *to, reals v, size_t n) { _mm512_mask_storeu_ps(to, first(n), v); }
NEONSIM_FORCE_INLINE reals fused(reals a, reals b, reals c) { return _mm512_fmadd_ps(a, b, c); }
NEONSIM_FORCE_INLINE float fused_one(float a, float b, float c) { return fmaf(a, b, c); }
NEONSIM_FORCE_INLINE reals plus(reals a, reals b) { return _mm512_add_ps(a, b); }
NEONSIM_FORCE_INLINE reals minus(reals a, reals b) { return _mm512_sub_ps(a, b); }
NEONSIM_FORCE_INLINE reals times(reals a, reals b) { return _mm512_mul_ps(a, b); }
/* The second operand where it is NaN, or equal. */
NEONSIM_FORCE_INLINE reals at_least(reals low, reals v) { return _mm512_max_ps(low, v); }
NEONSIM_FORCE_INLINE reals at_most(reals high, reals v) { return _mm512_min_ps(high, v); }
/* Of two that are equal, which may be zeros, the bits that both have; of NaN the sum, which is one. */
NEONSIM_FORCE_INLINE reals larger(reals v, reals w) {
  const reals most = _mm512_mask_and_ps(_mm512_max_ps(v, w), _mm512_cmp_ps_mask(v, w, _CMP_EQ_OQ), v, w);
  return _mm512_mask_add_ps(most, _mm512_cmp_ps_mask(v, w, _CMP_UNORD_Q), v, w);
}
#define CARELESS
NEONSIM_FORCE_INLINE reals careless_larger(reals v, reals w) { return _mm512_max_ps(v, w); }
NEONSIM_FORCE_INLINE int doubtful(reals best, reals sum) {
  enum { QUIET_NAN = 0x01, MINUS_ZERO = 0x04, SIGNALING_NAN = 0x80 };
  return (_mm512_fpclass_ps_mask(best, MINUS_ZERO) | _mm512_fpclass_ps_mask(sum, QUIET_NAN | SIGNALING_NAN)) != 0;
}
NEONSIM_FORCE_INLINE reals leaked(reals v, reals slope) {
  return _mm512_mask_mul_ps(v, _mm512_cmp_ps_mask(v, all(0), _CMP_LT_OQ), v, slope);
}

#include "network/float32/float32_kernels.h"

NEONSIM_HEIGHTS_14(TILE, 1)
NEONSIM_HEIGHTS_14(TILE, 2)

const struct neonsim_real neonsim_real__avx512 = {KERNELS, .tiles = {{NEONSIM_HEIGHTS_14(NAME, 1)}, {NEONSIM_HEIGHTS_14(NAME, 2)}}};
