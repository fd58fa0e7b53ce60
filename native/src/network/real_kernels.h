/* Kernels of real numbers, written once for all families. Who includes this has a register `reals` of `LANES` numbers, tiles of at most
 * ROWS by VECTORS of them, and
 *
 *   all(x)  load(p)  store(p, v)  load_some(p, n)  store_some(p, v, n)    n < LANES of them, no others are touched
 *   fused(a, b, c)      a * b + c, rounded once             fused_one   the same of single numbers
 *   plus  minus  times
 *   at_least(v, low)    low where v <= low, else v          at_most(v, high)    high where v >= high, else v
 *   larger(v, w)        NaN if one is, +0 above -0
 *   leaked(v, slope)    v * slope where v < 0, else v
 *
 *                 w0       w1         one register of weights each
 *             +--------+--------+
 *   row 0  x  | sum00  | sum01  |     x: a number of a row in all lanes, which a load does
 *   row 1  x  | sum10  | ...    |     sums, weights and x are as many registers as there are */
#ifndef NEONSIM_REAL_KERNELS_H
#define NEONSIM_REAL_KERNELS_H

#include "network/real.h"

/* Written out by the preprocessor, so that compilers see plain variables; what lies outside a tile falls away. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define EACH_OF_ROW(DO, row) DO(row, 0) DO(row, 1) DO(row, 2)
#define NUMBERS (LANES * sizeof(float)) /* bytes of a register */

NEONSIM_FORCE_INLINE reals cut(reals value, const float *limits) {
  return at_most(at_least(value, all(limits[NEONSIM_LOW])), all(limits[NEONSIM_HIGH]));
}

/* The first n of a register, or all. */
NEONSIM_FORCE_INLINE void put(float *to, reals value, size_t n) {
  if (n >= LANES) {
    store(to, value);
  } else {
    store_some(to, value, n);
  }
}

NEONSIM_FORCE_INLINE reals get(const float *from, size_t n) { return n >= LANES ? load(from) : load_some(from, n); }

/* ---- products ----------------------------------------------------------------------------------------------------------- */

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, const struct neonsim_real_tile *t) {
  const float *weights = t->panel + vectors * LANES;
  const void *const *pointers = t->pointers;
  const size_t depth = t->depth;
  reals sums[NEONSIM_REAL_MOST_ROWS][NEONSIM_REAL_MOST_VECTORS];
#define START(row, v) \
  if (row < rows && v < vectors) { \
    sums[row][v] = load(t->panel + v * LANES); \
  }
#define START_ROW(row) EACH_OF_ROW(START, row)
  EACH_ROW(START_ROW)
  for (size_t tap = 0; tap < t->taps; tap++, pointers += t->apart) {
    const float *from[NEONSIM_REAL_MOST_ROWS];
#define FROM(row) \
  if (row < rows) { \
    from[row] = pointers[row]; \
  }
    EACH_ROW(FROM)
    for (size_t k = 0; k < depth; k++, weights += vectors * LANES) {
      const reals w0 = load(weights), w1 = load(weights + (vectors > 1) * LANES),
                  w2 = load(weights + (vectors > 2 ? 2 : 0) * LANES);
#define MULTIPLY_ROW(row) \
  if (row < rows) { \
    const reals x = all(from[row][k]); \
    sums[row][0] = fused(x, w0, sums[row][0]); \
    if (vectors > 1) { \
      sums[row][1] = fused(x, w1, sums[row][1]); \
    } \
    if (vectors > 2) { \
      sums[row][2] = fused(x, w2, sums[row][2]); \
    } \
  }
      EACH_ROW(MULTIPLY_ROW)
    }
  }
#define FINISH(row, v) \
  if (row < rows && v < vectors && v * LANES < t->columns) { \
    put((float *)(void *)(t->out + row * t->out_stride) + v * LANES, cut(sums[row][v], t->limits), t->columns - v * LANES); \
  }
#define FINISH_ROW(row) EACH_OF_ROW(FINISH, row)
  EACH_ROW(FINISH_ROW)
}

#define TILE(rows, vectors) \
  static void tile_##rows##_##vectors(const struct neonsim_real_tile *t) { tile(rows, vectors, t); }

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

NEONSIM_FORCE_INLINE const float *at(const struct neonsim_real_windows *w, size_t pixel, size_t ky, size_t kx, size_t channel) {
  return (const float *)(const void *)(w->lines[ky] + pixel * w->pixel_step + kx * w->tap_step) + channel;
}

NEONSIM_FORCE_INLINE float *result(const struct neonsim_real_windows *w, size_t pixel, size_t channel) {
  return (float *)(void *)(w->out + pixel * w->out_stride) + channel;
}

/* One register of channels, `n` of them, of all windows. */
NEONSIM_FORCE_INLINE void depthwise_channels(const struct neonsim_real_windows *w, size_t high, size_t wide, const float *packed,
                                             size_t channel, size_t n) {
  for (size_t pixel = 0; pixel < w->pixels; pixel++) {
    reals sum = load(packed);
    const float *weights = packed + LANES;
    for (size_t ky = 0; ky < high; ky++) {
      for (size_t kx = 0; kx < wide; kx++, weights += LANES) {
        sum = fused(get(at(w, pixel, ky, kx, channel), n), load(weights), sum);
      }
    }
    put(result(w, pixel, channel), cut(sum, w->limits), n);
  }
}

#define TAP(ky, kx) sum = fused(get((const float *)(const void *)(line##ky + kx * w->tap_step), n), w##ky##kx, sum);

/* The same of 3x3: weights stay in registers. */
NEONSIM_FORCE_INLINE void depthwise_3x3(const struct neonsim_real_windows *w, const float *packed, size_t channel, size_t n) {
  const reals bias = load(packed);
  const reals w00 = load(packed + LANES), w01 = load(packed + 2 * LANES), w02 = load(packed + 3 * LANES);
  const reals w10 = load(packed + 4 * LANES), w11 = load(packed + 5 * LANES), w12 = load(packed + 6 * LANES);
  const reals w20 = load(packed + 7 * LANES), w21 = load(packed + 8 * LANES), w22 = load(packed + 9 * LANES);
  const size_t begin = channel * sizeof(float);
  const uint8_t *line0 = w->lines[0] + begin, *line1 = w->lines[1] + begin, *line2 = w->lines[2] + begin;
  for (size_t pixel = 0; pixel < w->pixels; pixel++) {
    reals sum = bias;
    TAP(0, 0)
    TAP(0, 1)
    TAP(0, 2) TAP(1, 0) TAP(1, 1) TAP(1, 2) TAP(2, 0) TAP(2, 1) TAP(2, 2) put(result(w, pixel, channel), cut(sum, w->limits), n);
    line0 += w->pixel_step;
    line1 += w->pixel_step;
    line2 += w->pixel_step;
  }
}

NEONSIM_FORCE_INLINE void depthwise_some(const struct neonsim_real_windows *w, const float *packed, size_t channel, size_t n) {
  if (w->high == 3 && w->wide == 3) {
    depthwise_3x3(w, packed, channel, n);
  } else {
    depthwise_channels(w, w->high, w->wide, packed, channel, n);
  }
}

static void depthwise(const struct neonsim_real_windows *w) {
  const size_t block = (1 + w->high * w->wide) * LANES;
  size_t channel = 0;
  const float *packed = w->packed;
  for (; channel + LANES <= w->channels; channel += LANES, packed += block) {
    depthwise_some(w, packed, channel, LANES);
  }
  if (channel < w->channels) {
    depthwise_some(w, packed, channel, w->channels - channel);
  }
}

/* Of channels of one window, n of them. */
NEONSIM_FORCE_INLINE reals window_average(const struct neonsim_real_windows *w, size_t pixel, size_t channel, size_t n) {
  reals sum = all(0);
  for (size_t ky = 0; ky < w->high; ky++) {
    for (size_t kx = 0; kx < w->wide; kx++) {
      /* The first is taken as it is: zero and it would lose the sign of a zero. */
      const reals seen = get(at(w, pixel, ky, kx, channel), n);
      sum = ky + kx == 0 ? seen : plus(sum, seen);
    }
  }
  return times(sum, all(w->factor));
}

NEONSIM_FORCE_INLINE reals window_max(const struct neonsim_real_windows *w, size_t pixel, size_t channel, size_t n) {
  reals best = all(-INFINITY);
  for (size_t ky = 0; ky < w->high; ky++) {
    for (size_t kx = 0; kx < w->wide; kx++) {
      best = larger(get(at(w, pixel, ky, kx, channel), n), best);
    }
  }
  return best;
}

#define POOL(name) \
  static void name(const struct neonsim_real_windows *w) { \
    for (size_t pixel = 0; pixel < w->pixels; pixel++) { \
      size_t channel = 0; \
      for (; channel + LANES <= w->channels; channel += LANES) { \
        store(result(w, pixel, channel), cut(window_##name(w, pixel, channel, LANES), w->limits)); \
      } \
      if (channel < w->channels) { \
        const size_t n = w->channels - channel; \
        store_some(result(w, pixel, channel), cut(window_##name(w, pixel, channel, n), w->limits), n); \
      } \
    } \
  }
POOL(average)
POOL(max)

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

#define ROW(name, value) \
  NEONSIM_FORCE_INLINE void name##_some(const float *a, const float *b, const float *c, float *out, const float *limits, \
                                        size_t n) { \
    (void)b; \
    (void)c; \
    put(out, cut(value, limits), n); \
  } \
  static void name(size_t n, const float *a, const float *b, const float *c, float *out, const float *limits) { \
    size_t i = 0; \
    for (; i + LANES <= n; i += LANES) { \
      name##_some(a + i, b + i, c + i, out + i, limits, LANES); \
    } \
    if (i < n) { \
      name##_some(a + i, b + i, c + i, out + i, limits, n - i); \
    } \
  }
ROW(add, plus(get(a, n), get(b, n)))
ROW(norm, fused(get(a, n), get(b, n), get(c, n)))
ROW(clamp, get(a, n))
ROW(leaky, leaked(get(a, n), all(limits[NEONSIM_NUMBER])))

/* ---- softmax ------------------------------------------------------------------------------------------------------------ */

/* exp(x) of x <= 0 as neonsim.quant.floating.exponential has it: x = n ln 2 + t, then 2**n * (1 + t + t^2 p(t)). */
NEONSIM_FORCE_INLINE float exponential(float x) {
  const float least = -87.33654f, magic = 12582912.0f; /* below it no normal number; adding 1.5 * 2**23 rounds to a whole one */
  const float inside = x < least ? least : x;
  const float n = fused_one(inside, 1.44269504f, magic) - magic;
  const float t = fused_one(n, -1.42860677e-06f, fused_one(n, -0.693145752f, inside));
  float p = 0.0013814467f;
  p = fused_one(p, t, 0.008368781f);
  p = fused_one(p, t, 0.041668393f);
  p = fused_one(p, t, 0.1666652f);
  p = fused_one(p, t, 0.49999994f);
  const float tail = fused_one(t * t, p, t);
  const int32_t power = (n == n ? (int32_t)n : 0) + 127, bits = (int32_t)((uint32_t)power << 23);
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return x < least ? 0 : fused_one(scale, tail, scale);
}

static void softmax(size_t n, const float *a, const float *b, const float *c, float *out, const float *limits) {
  (void)b;
  (void)c;
  float most = a[0];
  for (size_t i = 1; i < n; i++) {
    most = a[i] > most || a[i] != a[i] ? a[i] : most;
  }
  for (size_t i = 0; i < n; i++) {
    out[i] = exponential((a[i] - most) * limits[NEONSIM_NUMBER]);
  }
  float sum = out[0];
  for (size_t i = 1; i < n; i++) {
    sum += out[i];
  }
  for (size_t i = 0; i < n; i++) {
    const float share = out[i] / sum, raised = share <= limits[NEONSIM_LOW] ? limits[NEONSIM_LOW] : share;
    out[i] = raised >= limits[NEONSIM_HIGH] ? limits[NEONSIM_HIGH] : raised;
  }
}

static double probe(void) {
  enum { DEPTH = 64, TURNS = 100 };
  static const float x[DEPTH], panel[(1 + DEPTH) * LANES * VECTORS], limits[NEONSIM_LIMITS];
  float out[ROWS * VECTORS * LANES];
  const void *pointers[ROWS];
  for (size_t row = 0; row < ROWS; row++) {
    pointers[row] = x;
  }
  const struct neonsim_real_tile t = {.taps = 1,
                                      .depth = DEPTH,
                                      .apart = ROWS,
                                      .pointers = pointers,
                                      .panel = panel,
                                      .out = (uint8_t *)(void *)out,
                                      .out_stride = VECTORS * NUMBERS,
                                      .columns = VECTORS * LANES,
                                      .limits = limits};
  for (size_t turn = 0; turn < TURNS; turn++) {
    tile(ROWS, VECTORS, &t);
#if defined(__GNUC__)
    __asm__ __volatile__("" ::"r"(out) : "memory"); /* somebody reads it, as far as compilers know */
#endif
  }
  return (double)ROWS * VECTORS * LANES * DEPTH * TURNS;
}

#include "network/real_winograd.h"

#define KERNELS \
  .lanes = LANES, .most_rows = ROWS, .most_vectors = VECTORS, .depthwise = depthwise, .average = average, .max = max, .add = add, \
  .norm = norm, .clamp = clamp, .leaky = leaky, .softmax = softmax, .probe = probe, .winograd_ones = NEONSIM_WINOGRAD_ONES, \
  .winograd_source = EACH_TRANSFORM(source), .winograd_destination = EACH_TRANSFORM(destination)

#endif
