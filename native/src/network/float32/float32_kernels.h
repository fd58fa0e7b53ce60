/* Kernels of float32, written once for all families. Who includes this has a register `vfloat` of `LANES` numbers, tiles of at most
 * ROWS by VECTORS of them, and
 *
 *   all(x)  load(p)  store(p, v)  load_some(p, n)  store_some(p, v, n)    n < LANES of them, no others are touched
 *   fused(a, b, c)      a * b + c, rounded once             fused_one   the same of single numbers
 *   plus  minus  times
 *   at_least(low, v)    low where v < low, else v           at_most(high, v)    high where v > high, else v; NaN stays, and of two
 *                       zeros either may be taken
 *   larger(v, w)        NaN if one is, +0 above -0
 *   leaked(v, slope)    v * slope where v < 0, else v
 *
 * and, with CARELESS defined, careless_larger(v, w), which need not care for NaN and the sign of zeros, and doubtful(best, sum):
 * whether any of `best` is -0 or any of `sum` NaN.
 *
 *                 w0       w1         one register of weights each
 *             +--------+--------+
 *   row 0  x  | sum00  | sum01  |     x: a number of a row in all lanes, which a load does
 *   row 1  x  | sum10  | ...    |     sums, weights and x are as many registers as there are */
#ifndef NEONSIM_FLOAT32_KERNELS_H
#define NEONSIM_FLOAT32_KERNELS_H

#include "network/float32/float32.h"

/* Written out by the preprocessor, so that compilers see plain variables; what lies outside a tile falls away. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define EACH_OF_ROW(DO, row) DO(row, 0) DO(row, 1) DO(row, 2)
#define NUMBERS (LANES * sizeof(float)) /* bytes of a register */

/* Limits in registers. */
struct cut {
  vfloat low, high, zero;
};

NEONSIM_FORCE_INLINE struct cut cut_of(const float *limits) {
  const struct cut found = {all(limits[NEONSIM_LOW]), all(limits[NEONSIM_HIGH]), all(limits[NEONSIM_ZERO])};
  return found;
}

NEONSIM_FORCE_INLINE vfloat cut_at(vfloat value, struct cut at) { return plus(at_most(at.high, at_least(at.low, value)), at.zero); }

NEONSIM_FORCE_INLINE vfloat cut(vfloat value, const float *limits) { return cut_at(value, cut_of(limits)); }

/* The first n of a register, or all. */
NEONSIM_FORCE_INLINE void put(float *to, vfloat value, size_t n) {
  if (n >= LANES) {
    store(to, value);
  } else {
    store_some(to, value, n);
  }
}

NEONSIM_FORCE_INLINE vfloat get(const float *from, size_t n) { return n >= LANES ? load(from) : load_some(from, n); }

/* Weights that are wanted soon: panels follow one another, and where they come from memory each is read once. */
#if defined(__GNUC__)
#define fetch(from) __builtin_prefetch(from)
#else
#define fetch(from) (void)(from)
#endif
enum { AHEAD = 4096 };

/* ---- products ----------------------------------------------------------------------------------------------------------- */

NEONSIM_FORCE_INLINE void tile(size_t rows, size_t vectors, const struct neonsim_f32_tile *t) {
  const float *weights = t->panel + vectors * LANES;
  const void *const *pointers = t->pointers;
  const size_t depth = t->depth;
  vfloat sums[NEONSIM_F32_MAX_ROWS][NEONSIM_F32_MAX_VECTORS];
#define START(row, v) \
  if (row < rows && v < vectors) { \
    sums[row][v] = load(t->panel + v * LANES); \
  }
#define START_ROW(row) EACH_OF_ROW(START, row)
  EACH_ROW(START_ROW)
  for (size_t tap = 0; tap < t->taps; tap++, pointers += t->apart) {
    const float *from[NEONSIM_F32_MAX_ROWS];
#define FROM(row) \
  if (row < rows) { \
    from[row] = pointers[row]; \
  }
    EACH_ROW(FROM)
    for (size_t k = 0; k < depth; k++, weights += vectors * LANES) {
      const vfloat w0 = load(weights), w1 = load(weights + (vectors > 1) * LANES),
                   w2 = load(weights + (vectors > 2 ? 2 : 0) * LANES);
      fetch(weights + AHEAD);
      if (vectors > 1) {
        fetch(weights + AHEAD + LANES);
      }
#define MULTIPLY_ROW(row) \
  if (row < rows) { \
    const vfloat x = all(from[row][k]); \
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
  const struct cut limits = cut_of(t->limits);
#define FINISH(row, v) \
  if (row < rows && v < vectors && v * LANES < t->columns) { \
    put((float *)(void *)(t->out + row * t->out_stride) + v * LANES, cut_at(sums[row][v], limits), t->columns - v * LANES); \
  }
#define FINISH_ROW(row) EACH_OF_ROW(FINISH, row)
  EACH_ROW(FINISH_ROW)
}

#define TILE(vectors, rows) \
  static void tile_##vectors##_##rows(const struct neonsim_f32_tile *t) { tile(rows, vectors, t); }
#define NAME(vectors, rows) tile_##vectors##_##rows,

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

NEONSIM_FORCE_INLINE const float *at(const struct neonsim_f32_windows *w, size_t pixel, size_t ky, size_t kx, size_t channel) {
  return (const float *)(const void *)(w->lines[ky] + pixel * w->pixel_step + kx * w->tap_step) + channel;
}

NEONSIM_FORCE_INLINE float *result(const struct neonsim_f32_windows *w, size_t pixel, size_t channel) {
  return (float *)(void *)(w->out + pixel * w->out_stride) + channel;
}

/* Four windows of 3x3 side by side, `step` columns apart: columns that they share are loaded once.
 *
 *   column   0  1  2  3  4  5        step 1
 *   window   0--------
 *               1--------
 *                  2--------
 *                     3-------- */
#define COLUMN(line, i) \
  const vfloat x##i = i < columns ? get((const float *)(const void *)(line + i * tap_step) + channel, n) : all(0);
#define COLUMNS(line) \
  COLUMN(line, 0) \
  COLUMN(line, 1) COLUMN(line, 2) COLUMN(line, 3) COLUMN(line, 4) COLUMN(line, 5) COLUMN(line, 6) COLUMN(line, 7) COLUMN(line, 8)
#define LINE_OF_TAPS(line, weights) \
  { \
    COLUMNS(line) \
    const vfloat w0 = load(weights), w1 = load(weights + LANES), w2 = load(weights + 2 * LANES); \
    sum0 = fused(x2, w2, fused(x1, w1, fused(x0, w0, sum0))); \
    if (step == 1) { \
      sum1 = fused(x3, w2, fused(x2, w1, fused(x1, w0, sum1))); \
      sum2 = fused(x4, w2, fused(x3, w1, fused(x2, w0, sum2))); \
      sum3 = fused(x5, w2, fused(x4, w1, fused(x3, w0, sum3))); \
    } else { \
      sum1 = fused(x4, w2, fused(x3, w1, fused(x2, w0, sum1))); \
      sum2 = fused(x6, w2, fused(x5, w1, fused(x4, w0, sum2))); \
      sum3 = fused(x8, w2, fused(x7, w1, fused(x6, w0, sum3))); \
    } \
  }

NEONSIM_FORCE_INLINE float *moved(float *from, size_t bytes) { return (float *)(void *)((uint8_t *)(void *)from + bytes); }

/* Of channels first .. last - 1. */
NEONSIM_FORCE_INLINE void depthwise_four(const struct neonsim_f32_windows *w, size_t step, size_t pixel, size_t first,
                                         size_t last) {
  const size_t columns = 3 * step + 3, tap_step = w->tap_step, out_stride = w->out_stride;
  const uint8_t *line0 = w->lines[0] + pixel * w->pixel_step, *line1 = w->lines[1] + pixel * w->pixel_step,
                *line2 = w->lines[2] + pixel * w->pixel_step;
  float *out = result(w, pixel, 0);
  const float *packed = w->packed + first * 10;
  const struct cut limits = cut_of(w->limits);
#define FOUR(count) \
  { \
    const size_t n = count; \
    const vfloat bias = load(packed); \
    vfloat sum0 = bias, sum1 = bias, sum2 = bias, sum3 = bias; \
    LINE_OF_TAPS(line0, packed + LANES) \
    LINE_OF_TAPS(line1, packed + 4 * LANES) \
    LINE_OF_TAPS(line2, packed + 7 * LANES) \
    put(out + channel, cut_at(sum0, limits), n); \
    put(moved(out, out_stride) + channel, cut_at(sum1, limits), n); \
    put(moved(out, 2 * out_stride) + channel, cut_at(sum2, limits), n); \
    put(moved(out, 3 * out_stride) + channel, cut_at(sum3, limits), n); \
  }
  size_t channel = first;
  for (; channel + LANES <= last; channel += LANES, packed += 10 * LANES) {
    FOUR(LANES)
  }
  if (channel < last) {
    FOUR(last - channel)
  }
}

/* One window of nine taps. */
#define NINE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)
#define NINTH(i) \
  const float *tap##i = (const float *)(const void *)(w->lines[i / w->wide] + pixel * w->pixel_step + i % w->wide * w->tap_step);
#define NINTH_STEP(i) sum = fused(get(tap##i + channel, n), load(packed + (1 + i) * LANES), sum);

NEONSIM_FORCE_INLINE void depthwise_nine(const struct neonsim_f32_windows *w, size_t pixel, size_t first, size_t last) {
  NINE(NINTH)
  float *out = result(w, pixel, 0);
  const float *packed = w->packed + first * 10;
  const struct cut limits = cut_of(w->limits);
#define ONE_OF_NINE(count) \
  { \
    const size_t n = count; \
    vfloat sum = load(packed); \
    NINE(NINTH_STEP) \
    put(out + channel, cut_at(sum, limits), n); \
  }
  size_t channel = first;
  for (; channel + LANES <= last; channel += LANES, packed += 10 * LANES) {
    ONE_OF_NINE(LANES)
  }
  if (channel < last) {
    ONE_OF_NINE(last - channel)
  }
}

/* One window of any size; taps lie where `lines` says, and beside. */
NEONSIM_FORCE_INLINE void depthwise_one(const struct neonsim_f32_windows *w, size_t pixel, size_t first, size_t last) {
  const size_t high = w->high, wide = w->wide, tap_step = w->tap_step, begin = pixel * w->pixel_step;
  const uint8_t *const *lines = w->lines;
  float *out = result(w, pixel, 0);
  const float *weights = w->packed + first * (1 + high * wide);
  const struct cut limits = cut_of(w->limits);
#define ONE(count) \
  { \
    const size_t n = count; \
    vfloat sum = load(weights); \
    weights += LANES; \
    for (size_t ky = 0; ky < high; ky++) { \
      const uint8_t *tap = lines[ky] + begin + channel * sizeof(float); \
      for (size_t kx = 0; kx < wide; kx++, tap += tap_step, weights += LANES) { \
        sum = fused(get((const float *)(const void *)tap, n), load(weights), sum); \
      } \
    } \
    put(out + channel, cut_at(sum, limits), n); \
  }
  size_t channel = first;
  for (; channel + LANES <= last; channel += LANES) {
    ONE(LANES)
  }
  if (channel < last) {
    ONE(last - channel)
  }
}

static void depthwise_channels(const struct neonsim_f32_windows *w, size_t first, size_t last) {
  const size_t quad_runs = w->high == 3 && w->wide == 3 ? w->pixels / 4 * 4 : 0;
  size_t pixel = 0;
  if (w->pixel_step == w->tap_step) {
    for (; pixel < quad_runs; pixel += 4) {
      depthwise_four(w, 1, pixel, first, last);
    }
  } else if (w->pixel_step == 2 * w->tap_step) {
    for (; pixel < quad_runs; pixel += 4) {
      depthwise_four(w, 2, pixel, first, last);
    }
  }
  for (; pixel < w->pixels; pixel++) {
    if (w->high * w->wide == 9) {
      depthwise_nine(w, pixel, first, last);
    } else {
      depthwise_one(w, pixel, first, last);
    }
  }
}

/* So many channels at a time that the taps of four windows, weights and results stay in the first cache. */
enum { CHANNELS_AT_ONCE = 128 };

static void depthwise(const struct neonsim_f32_windows *w) {
  for (size_t first = 0; first < w->channels; first += CHANNELS_AT_ONCE) {
    depthwise_channels(w, first, neonsim_min(first + CHANNELS_AT_ONCE, w->channels));
  }
}

/* Of channels of one window, n of them. */
NEONSIM_FORCE_INLINE vfloat window_average(const struct neonsim_f32_windows *w, size_t pixel, size_t channel, size_t n) {
  vfloat sum = all(0);
  for (size_t ky = 0; ky < w->high; ky++) {
    for (size_t kx = 0; kx < w->wide; kx++) {
      /* The first is taken as it is: zero and it would lose the sign of a zero. */
      const vfloat seen = get(at(w, pixel, ky, kx, channel), n);
      sum = ky + kx == 0 ? seen : plus(sum, seen);
    }
  }
  return times(sum, all(w->factor));
}

NEONSIM_FORCE_INLINE vfloat window_larger(const struct neonsim_f32_windows *w, size_t pixel, size_t channel, size_t n) {
  vfloat best = all(-INFINITY);
  for (size_t ky = 0; ky < w->high; ky++) {
    for (size_t kx = 0; kx < w->wide; kx++) {
      best = larger(get(at(w, pixel, ky, kx, channel), n), best);
    }
  }
  return best;
}

/* Where the processor's own maximum loses a NaN, or may take -0 for +0, windows that have such are done again with care: a sum shows
 * NaN, of which only infinities of both signs make one where there was none. */
NEONSIM_FORCE_INLINE vfloat window_max(const struct neonsim_f32_windows *w, size_t pixel, size_t channel, size_t n) {
#if defined(CARELESS)
  vfloat best = all(-INFINITY), sum = all(0);
  for (size_t ky = 0; ky < w->high; ky++) {
    for (size_t kx = 0; kx < w->wide; kx++) {
      const vfloat seen = get(at(w, pixel, ky, kx, channel), n);
      best = careless_larger(seen, best);
      sum = plus(sum, seen);
    }
  }
  if (!doubtful(best, sum)) {
    return best;
  }
#endif
  return window_larger(w, pixel, channel, n);
}

#define POOL(name) \
  static void name(const struct neonsim_f32_windows *w) { \
    const struct cut limits = cut_of(w->limits); \
    for (size_t pixel = 0; pixel < w->pixels; pixel++) { \
      size_t channel = 0; \
      for (; channel + LANES <= w->channels; channel += LANES) { \
        store(result(w, pixel, channel), cut_at(window_##name(w, pixel, channel, LANES), limits)); \
      } \
      if (channel < w->channels) { \
        const size_t n = w->channels - channel; \
        store_some(result(w, pixel, channel), cut_at(window_##name(w, pixel, channel, n), limits), n); \
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

/* exp(x) of x <= 0 as neonsim.quant.float32.exponential has it: x = n ln 2 + t, then 2**n * (1 + t + t^2 p(t)). */
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
  const struct neonsim_f32_tile t = {.taps = 1,
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

#include "network/float32/float32_winograd.h"

#define KERNELS \
  .lanes = LANES, .max_rows = ROWS, .max_vectors = VECTORS, .depthwise = depthwise, .average = average, .max = max, .add = add, \
  .norm = norm, .clamp = clamp, .leaky = leaky, .softmax = softmax, .probe = probe, .winograd = WINOGRAD

#endif
