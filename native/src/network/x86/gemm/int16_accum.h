/* GEMM with PMADDUBSW, in runs whose sums fit 16 bits: int16_accum.c has what is proved, and how a panel lies. For a file that includes gemm.h.
 *
 *             w of an entry, registers 0, 1
 *             +--------+--------+
 *   row 0  a  | 16 bit | 16 bit |     a: 32 bits of a row, four depths, in all lanes
 *   row 1  a  | sums of a run   |     3 rows of 2 registers: 6 sums of the run, 6 of all runs, weights, a and a product are all sixteen
 *   row 2  a  |        |        |     registers */
#ifndef NEONSIM_X86_INT16_ACCUM_H
#define NEONSIM_X86_INT16_ACCUM_H

#include "network/x86/gemm/gemm.h"

enum { RUN_ROWS = 3, RUN_DEPTH = 4, MAX_OF_RUN = 4 };

#define EACH_OF_RUN(DO) DO(0, 0) DO(0, 1) DO(1, 0) DO(1, 1) DO(2, 0) DO(2, 1)

/* Before what is computed later: all products first would not fit the registers. */
NEONSIM_FORCE_INLINE vector in_order(vector value) {
#if defined(__GNUC__)
  __asm__ __volatile__("" : "+x"(value));
#endif
  return value;
}

/* A run of `count` entries. */
NEONSIM_FORCE_INLINE void add_run(size_t count, size_t rows, size_t vectors, const void *const *pointers, const uint32_t *offsets,
                                  const vector *weights, vector sums[][VECTORS]) {
  const vector ones = VECTOR(set1_epi16)(1);
  vector run[RUN_ROWS][VECTORS];
#pragma GCC unroll 4
  for (size_t i = 0; i < MAX_OF_RUN; i++) {
    if (i < count) {
      const vector w0 = load(weights + i * vectors), w1 = load(weights + (i + 1) * vectors - 1);
#define MULTIPLY_BYTES(row) \
  if (row < rows) { \
    const vector depths = broadcast((const uint8_t *)pointers[row] + offsets[i]); \
    const vector first = VECTOR(maddubs_epi16)(depths, w0); \
    run[row][0] = in_order(i == 0 ? first : VECTOR(add_epi16)(run[row][0], first)); \
    if (vectors == 2) { \
      const vector second = VECTOR(maddubs_epi16)(depths, w1); \
      run[row][1] = in_order(i == 0 ? second : VECTOR(add_epi16)(run[row][1], second)); \
    } \
  }
      MULTIPLY_BYTES(0) MULTIPLY_BYTES(1) MULTIPLY_BYTES(2)
    }
  }
#define WIDEN_RUN(row, v) \
  if (row < rows && v < vectors) { \
    sums[row][v] = VECTOR(add_epi32)(sums[row][v], VECTOR(madd_epi16)(run[row][v], ones)); \
  }
  EACH_OF_RUN(WIDEN_RUN)
}

NEONSIM_FORCE_INLINE void run_tile(enum neonsim_finish finish, size_t rows, size_t vectors, const void *const *pointers,
                                   const void *panel, uint8_t *out, size_t out_stride, size_t columns,
                                   const struct neonsim_requant *requant) {
  const float *scale = (const float *)panel + LANES * vectors;
  const uint32_t *counts = (const uint32_t *)panel + 2 * LANES * vectors;
  const vector *weights = (const vector *)(const void *)((const uint8_t *)counts + NEONSIM_LINE);
  const uint32_t *offsets = (const uint32_t *)(weights + (4 * (size_t)counts[0] + 2 * (size_t)counts[1]) * vectors);
  const void *const some[RUN_ROWS] = {pointers[0], pointers[rows > 1 ? 1 : 0], pointers[rows > 2 ? 2 : 0]};
  vector sums[EACH_ROWS][VECTORS];
#define START_RUNS(row, v) \
  if (row < rows && v < vectors) { \
    sums[row][v] = load((const vector *)panel + v); \
  }
  EACH_OF_RUN(START_RUNS)
  for (size_t run = counts[0]; run != 0; run--, weights += 4 * vectors, offsets += 4) {
    add_run(4, rows, vectors, some, offsets, weights, sums);
  }
  for (size_t run = counts[1]; run != 0; run--, weights += 2 * vectors, offsets += 2) {
    add_run(2, rows, vectors, some, offsets, weights, sums);
  }
  finish_by(finish, rows, vectors, sums, scale, out, out_stride, columns, requant);
}

typedef void (*run_kernel)(const void *const *pointers, const void *panel, uint8_t *out, size_t out_stride, size_t columns,
                           const struct neonsim_requant *requant);

#define RUN_TILE(way, finish, vectors, rows) \
  static void run_tile_##vectors##_##way##_##rows(const void *const *pointers, const void *panel, uint8_t *out, size_t out_stride, \
                                                  size_t columns, const struct neonsim_requant *requant) { \
    run_tile(finish, rows, vectors, pointers, panel, out, out_stride, columns, requant); \
  }

NEONSIM_FORCE_INLINE void run_tiles(const run_kernel *kernels, size_t rows, const void *const *pointers, const void *panel,
                                    uint8_t *out, size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  for (size_t first = 0, height; first < rows; first += height) {
    height = neonsim_min(RUN_ROWS, rows - first);
    kernels[height - 1](pointers + first, panel, out + first * out_stride, out_stride, columns, requant);
  }
}

#define RUN_TILES(way, finish, vectors) \
  RUN_TILE(way, finish, vectors, 1) \
  RUN_TILE(way, finish, vectors, 2) \
  RUN_TILE(way, finish, vectors, 3) \
  static NEONSIM_PANEL_KERNEL(runs_##vectors##_##way) { \
    static const run_kernel kernels[RUN_ROWS] = {run_tile_##vectors##_##way##_1, run_tile_##vectors##_##way##_2, \
                                                 run_tile_##vectors##_##way##_3}; \
    (void)groups; \
    (void)taps; \
    (void)sums; \
    run_tiles(kernels, rows, pointers, panel, out, out_stride, columns, requant); \
  }
#define RUN_WIDTHS(way, finish) RUN_TILES(way, finish, 1) RUN_TILES(way, finish, 2)
EACH_FINISH(RUN_WIDTHS)
FIND(find_runs, runs)

#endif
