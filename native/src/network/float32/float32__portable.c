/* Float32 in C: where no instruction multiplies and adds with one rounding, and where none does so below the normal numbers. */
#include <float.h>

#include "network/float32/float32.h"

enum { LANES = 4, ROWS = 4, VECTORS = 1 };
typedef struct {
  float lane[LANES];
} vfloat;

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || FLT_EVAL_METHOD != 0
static inline float fused_one(float a, float b, float c) { return fmaf(a, b, c); }
#else
/* a * b is exact in double precision and the sum rounded there; rounding it again goes wrong only where that made a tie of single
 * precision of what was none, and below the normal numbers, where ties lie elsewhere. There the sum is made odd in the direction of
 * what was rounded away (round to odd: Boldo and Melquiond). As neonsim.quant.float32.fused; libm's own takes ten times as long. */
static float fused_with_care(double product, double c, double sum) {
  const double part = sum - product, rest = (product - (sum - part)) + (c - part);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (rest != 0 && (bits & 1) == 0) {
    bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
  }
  memcpy(&sum, &bits, sizeof sum);
  return (float)sum;
}

static inline float fused_one(float a, float b, float c) {
  const double product = (double)a * b, sum = product + c;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  const int tie = (bits & 0x1fffffff) == 0x10000000, small = fabs(sum) < FLT_MIN && sum != 0;
  return tie || small ? fused_with_care(product, c, sum) : (float)sum;
}
#endif

static inline float larger_one(float v, float w) { return v != v || w != w ? v + w : v > w || (v == w && !signbit(v)) ? v : w; }

#define LANE_BY_LANE(name, parameters, value) \
  static inline vfloat name parameters { \
    vfloat found; \
    for (size_t i = 0; i < LANES; i++) { \
      found.lane[i] = (value); \
    } \
    return found; \
  }
LANE_BY_LANE(all, (float x), x)
LANE_BY_LANE(load, (const float *from), from[i])
LANE_BY_LANE(load_some, (const float *from, size_t n), i < n ? from[i] : 0)
LANE_BY_LANE(fused, (vfloat a, vfloat b, vfloat c), fused_one(a.lane[i], b.lane[i], c.lane[i]))
LANE_BY_LANE(plus, (vfloat a, vfloat b), a.lane[i] + b.lane[i])
LANE_BY_LANE(minus, (vfloat a, vfloat b), a.lane[i] - b.lane[i])
LANE_BY_LANE(times, (vfloat a, vfloat b), a.lane[i] * b.lane[i])
LANE_BY_LANE(at_least, (vfloat low, vfloat v), v.lane[i] < low.lane[i] ? low.lane[i] : v.lane[i])
LANE_BY_LANE(at_most, (vfloat high, vfloat v), v.lane[i] > high.lane[i] ? high.lane[i] : v.lane[i])
LANE_BY_LANE(larger, (vfloat v, vfloat w), larger_one(v.lane[i], w.lane[i]))
LANE_BY_LANE(leaked, (vfloat v, vfloat slope), v.lane[i] < 0 ? v.lane[i] * slope.lane[i] : v.lane[i])
static inline void store_some(float *to, vfloat v, size_t n) { memcpy(to, v.lane, n * sizeof *to); }
static inline void store(float *to, vfloat v) { store_some(to, v, LANES); }

#include "network/float32/float32_kernels.h"

NEONSIM_HEIGHTS_4(TILE, 1)

const struct neonsim_f32_kernels neonsim_f32__portable = {KERNELS, .tiles = {{NEONSIM_HEIGHTS_4(NAME, 1)}}};
