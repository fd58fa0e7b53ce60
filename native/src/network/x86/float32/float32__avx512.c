/* Float32 on 512 bits: tiles of 14 rows by 2 registers. */
#include <immintrin.h>

#include "network/float32/float32.h"

typedef __m512 vfloat;
enum { LANES = 16, ROWS = 14, VECTORS = 2 };

NEONSIM_FORCE_INLINE __mmask16 first(size_t n) { return (__mmask16)((1u << n) - 1); }
NEONSIM_FORCE_INLINE vfloat all(float x) { return _mm512_set1_ps(x); }
NEONSIM_FORCE_INLINE vfloat load(const float *from) { return _mm512_loadu_ps(from); }
NEONSIM_FORCE_INLINE void store(float *to, vfloat v) { _mm512_storeu_ps(to, v); }
NEONSIM_FORCE_INLINE vfloat load_some(const float *from, size_t n) { return _mm512_maskz_loadu_ps(first(n), from); }
NEONSIM_FORCE_INLINE void store_some(float *to, vfloat v, size_t n) { _mm512_mask_storeu_ps(to, first(n), v); }
NEONSIM_FORCE_INLINE vfloat fused(vfloat a, vfloat b, vfloat c) { return _mm512_fmadd_ps(a, b, c); }
NEONSIM_FORCE_INLINE float fused_one(float a, float b, float c) { return fmaf(a, b, c); }
NEONSIM_FORCE_INLINE vfloat plus(vfloat a, vfloat b) { return _mm512_add_ps(a, b); }
NEONSIM_FORCE_INLINE vfloat minus(vfloat a, vfloat b) { return _mm512_sub_ps(a, b); }
NEONSIM_FORCE_INLINE vfloat times(vfloat a, vfloat b) { return _mm512_mul_ps(a, b); }
/* The second operand where it is NaN, or equal. */
NEONSIM_FORCE_INLINE vfloat at_least(vfloat low, vfloat v) { return _mm512_max_ps(low, v); }
NEONSIM_FORCE_INLINE vfloat at_most(vfloat high, vfloat v) { return _mm512_min_ps(high, v); }
/* Of two that are equal, which may be zeros, the bits that both have; of NaN the sum, which is one. */
NEONSIM_FORCE_INLINE vfloat larger(vfloat v, vfloat w) {
  const vfloat most = _mm512_mask_and_ps(_mm512_max_ps(v, w), _mm512_cmp_ps_mask(v, w, _CMP_EQ_OQ), v, w);
  return _mm512_mask_add_ps(most, _mm512_cmp_ps_mask(v, w, _CMP_UNORD_Q), v, w);
}
#define CARELESS
NEONSIM_FORCE_INLINE vfloat careless_larger(vfloat v, vfloat w) { return _mm512_max_ps(v, w); }
NEONSIM_FORCE_INLINE int doubtful(vfloat best, vfloat sum) {
  enum { QUIET_NAN = 0x01, MINUS_ZERO = 0x04, SIGNALING_NAN = 0x80 };
  return (_mm512_fpclass_ps_mask(best, MINUS_ZERO) | _mm512_fpclass_ps_mask(sum, QUIET_NAN | SIGNALING_NAN)) != 0;
}
NEONSIM_FORCE_INLINE vfloat leaked(vfloat v, vfloat slope) {
  return _mm512_mask_mul_ps(v, _mm512_cmp_ps_mask(v, all(0), _CMP_LT_OQ), v, slope);
}

#include "network/float32/float32_kernels.h"

NEONSIM_HEIGHTS_14(TILE, 1)
NEONSIM_HEIGHTS_14(TILE, 2)

const struct neonsim_f32_kernels neonsim_f32__avx512 = {KERNELS,
                                                        .tiles = {{NEONSIM_HEIGHTS_14(NAME, 1)}, {NEONSIM_HEIGHTS_14(NAME, 2)}}};
