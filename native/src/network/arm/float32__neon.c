/* Float32 on 128 bits of 64-bit NEON: tiles of 7 rows by 3 registers. (32-bit NEON makes zeros of what lies below the normal
 * numbers: float32__portable.c.) */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "network/float32/float32.h"

typedef float32x4_t vfloat;
enum { LANES = 4, ROWS = 7, VECTORS = 3 };

NEONSIM_FORCE_INLINE vfloat all(float x) { return vdupq_n_f32(x); }
NEONSIM_FORCE_INLINE vfloat load(const float *from) { return vld1q_f32(from); }
NEONSIM_FORCE_INLINE void store(float *to, vfloat v) { vst1q_f32(to, v); }
NEONSIM_FORCE_INLINE vfloat load_some(const float *from, size_t n) {
  float some[LANES] = {0};
  memcpy(some, from, n * sizeof *some);
  return load(some);
}
NEONSIM_FORCE_INLINE void store_some(float *to, vfloat v, size_t n) {
  float some[LANES];
  store(some, v);
  memcpy(to, some, n * sizeof *some);
}
NEONSIM_FORCE_INLINE vfloat fused(vfloat a, vfloat b, vfloat c) { return vfmaq_f32(c, a, b); }
NEONSIM_FORCE_INLINE float fused_one(float a, float b, float c) { return fmaf(a, b, c); }
NEONSIM_FORCE_INLINE vfloat plus(vfloat a, vfloat b) { return vaddq_f32(a, b); }
NEONSIM_FORCE_INLINE vfloat minus(vfloat a, vfloat b) { return vsubq_f32(a, b); }
NEONSIM_FORCE_INLINE vfloat times(vfloat a, vfloat b) { return vmulq_f32(a, b); }
/* FMAX and FMIN: NaN stays, -0 lies below +0. */
NEONSIM_FORCE_INLINE vfloat at_least(vfloat low, vfloat v) { return vmaxq_f32(low, v); }
NEONSIM_FORCE_INLINE vfloat at_most(vfloat high, vfloat v) { return vminq_f32(high, v); }
NEONSIM_FORCE_INLINE vfloat larger(vfloat v, vfloat w) { return vmaxq_f32(v, w); }
NEONSIM_FORCE_INLINE vfloat leaked(vfloat v, vfloat slope) { return vbslq_f32(vcltq_f32(v, all(0)), vmulq_f32(v, slope), v); }

#include "network/float32/float32_kernels.h"

NEONSIM_HEIGHTS_7(TILE, 1)
NEONSIM_HEIGHTS_7(TILE, 2)
NEONSIM_HEIGHTS_7(TILE, 3)

const struct neonsim_f32_kernels neonsim_f32__neon = {
    KERNELS, .tiles = {{NEONSIM_HEIGHTS_7(NAME, 1)}, {NEONSIM_HEIGHTS_7(NAME, 2)}, {NEONSIM_HEIGHTS_7(NAME, 3)}}};
#else
typedef int neonsim_f32_neon_is_of_64_bits; /* no file is empty */
#endif
