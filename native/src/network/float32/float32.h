/* Layers of float32: what a family's kernels of float32 do, and what their layers share. Every result is one chain of fused
 * multiply-adds, one after another, so that all families give the same bits: registers hold different results, never parts of one. */
#ifndef NEONSIM_FLOAT32_H
#define NEONSIM_FLOAT32_H

#include "network/network.h"

/* Of `limits`: at which results are cut off, and a number, see neonsim_layer; and the zero that is added in the end: +0 where a limit
 * is zero, so that no -0 is left, else -0, which changes nothing. */
enum { NEONSIM_LOW, NEONSIM_HIGH, NEONSIM_NUMBER, NEONSIM_GIVEN, NEONSIM_ZERO = NEONSIM_GIVEN, NEONSIM_LIMITS };

/* Rows by a panel of columns.
 *
 *   pointers   [taps][apart] to `depth` numbers each, of which the first of the tile's rows come first
 *   panel      bias [vectors][lanes], then weights [taps][depth][vectors][lanes] */
struct neonsim_f32_tile {
  size_t taps, depth, apart;
  const void *const *pointers;
  const float *panel;
  uint8_t *out;
  size_t out_stride, columns; /* in bytes; of the panel's that are stored */
  const float *limits;
};
typedef void (*neonsim_f32_tile_kernel)(const struct neonsim_f32_tile *tile);

/* Windows side by side, each of `high` lines of `wide` taps.
 *
 *   lines    to the first window's first tap in every line; the next is tap_step bytes on, the next window pixel_step
 *   packed   depthwise: for every register of channels bias [lanes], then weights [high * wide][lanes] */
struct neonsim_f32_windows {
  const uint8_t *const *lines;
  size_t high, wide, tap_step, pixel_step, pixels, channels;
  const float *packed;
  float factor; /* of averages */
  uint8_t *out;
  size_t out_stride;
  const float *limits;
};
typedef void (*neonsim_f32_windows_kernel)(const struct neonsim_f32_windows *windows);

/* n numbers in a row. b: of addition the second operand, of normalisation the gains; c: offsets. out may be a or b. */
typedef void (*neonsim_f32_row_kernel)(size_t n, const float *a, const float *b, const float *c, float *out, const float *limits);

/* Winograd's transforms along one axis: count numbers of rows that lie so many numbers apart. rows: of results that are stored. */
typedef void (*neonsim_f32_source)(size_t count, const float *x, size_t x_step, float *y, size_t y_step);
typedef void (*neonsim_f32_destination)(size_t count, const float *x, size_t x_step, float *y, size_t y_step, size_t rows,
                                        const float *limits);

/* Both of F(n, k), NULL where there are none, and which number of a tile along an axis comes once into every result. */
struct neonsim_f32_axis {
  neonsim_f32_source source;
  neonsim_f32_destination destination;
  uint32_t ones;
};

/* Of 3, 5 and 7 taps. */
#define NEONSIM_TAPS_INDEX(k) (((k) - 3) / 2)
enum { NEONSIM_WINOGRAD_SIZES = 7, NEONSIM_WINOGRAD_TAPS = 3, NEONSIM_F32_MAX_ROWS = 14, NEONSIM_F32_MAX_VECTORS = 3 };

struct neonsim_f32_kernels {
  uint32_t lanes, max_rows, max_vectors;
  neonsim_f32_tile_kernel tiles[NEONSIM_F32_MAX_VECTORS][NEONSIM_F32_MAX_ROWS]; /* [vectors - 1][rows - 1] */
  neonsim_f32_windows_kernel depthwise, average, max;
  neonsim_f32_row_kernel add, norm, clamp, leaky, softmax;
  double (*probe)(void); /* multiply-accumulates of a burst of the tallest and widest tile, its operands in the first cache */
  struct neonsim_f32_axis winograd[NEONSIM_WINOGRAD_TAPS][NEONSIM_WINOGRAD_SIZES]; /* by taps, by n from 2 on */
};

/* AVX-512; AVX2 with FMA; 64-bit NEON; C for all others: SSE4.1 has no fused multiply-add, and 32-bit NEON makes zeros of what lies
 * below the normal numbers. */
extern const struct neonsim_f32_kernels neonsim_f32__avx512;
extern const struct neonsim_f32_kernels neonsim_f32__avx2;
extern const struct neonsim_f32_kernels neonsim_f32__neon;
extern const struct neonsim_f32_kernels neonsim_f32__portable;

/* Registers of columns shared out among panels, each as even as can be; depth: of a column's weights. */
int32_t neonsim_cut_f32_panels(struct neonsim_step *step, size_t columns, size_t depth);
int32_t neonsim_plan_f32_winograd(struct neonsim_step *step, size_t threads);
/* Limits of a layer, kept in its step. */
int32_t neonsim_keep_limits(struct neonsim_step *step);
/* A number of the caller's, which need not be aligned; those of a bias that is not there are zeros. */
NEONSIM_FORCE_INLINE float neonsim_number(const void *numbers, size_t index) {
  float number = 0;
  if (numbers != NULL) {
    memcpy(&number, (const uint8_t *)numbers + sizeof number * index, sizeof number);
  }
  return number;
}

#endif
