/* Panel kernels of every width and height of a tile. A file that includes this has said before:
 *
 *   LANES, DEPTH, WEIGHT_BYTES, VECTORS, ROWS   of its family; ROWS: of the tallest tile, whatever its width
 *   WIDTHS(DO), HEIGHTS(DO, ..)                 DO(1) to DO(VECTORS); DO(.., 1) to DO(.., ROWS)
 *   tile(rows, vectors, groups, ..)             what a panel kernel does, inlined: rows and vectors are constants there */
#ifndef NEONSIM_NETWORK_TILE_KERNELS_H
#define NEONSIM_NETWORK_TILE_KERNELS_H

#include "network/network.h"

#define TILE(vectors, height) \
  static NEONSIM_PANEL_KERNEL(tile_##vectors##_##height) { \
    (void)rows; \
    tile(height, vectors, groups, taps, pointers, panel, sums, out, out_stride, columns, requant); \
  }
#define TILES(vectors) HEIGHTS(TILE, vectors)
WIDTHS(TILES)

static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
#define NAME(vectors, height) tile_##vectors##_##height,
#define NAMES(vectors) {HEIGHTS(NAME, vectors)},
  static const neonsim_panel_kernel table[VECTORS][ROWS] = {WIDTHS(NAMES)};
  (void)finish;
  return table[vectors - 1][rows - 1];
}

/* The inner loop of the tallest and widest tile. */
static double probe(void) {
  enum { GROUP_BYTES = DEPTH * WEIGHT_BYTES, GROUPS = 64 * 1024 / (LANES * VECTORS * GROUP_BYTES) };
  static _Alignas(NEONSIM_LINE) const uint8_t row_bytes[GROUPS * GROUP_BYTES + NEONSIM_LINE];
  static _Alignas(NEONSIM_LINE) const uint8_t panel[LANES * VECTORS * (8 + GROUPS * GROUP_BYTES)];
  const void *pointers[ROWS];
  for (size_t row = 0; row < ROWS; row++) {
    pointers[row] = row_bytes;
  }
  const struct neonsim_requant requant = {.finish = FINISH_Q31, .max = 255, .multiplier = 1 << 30};
  uint8_t out[ROWS * VECTORS * LANES];
  size_t groups = GROUPS;
#if defined(__GNUC__)
  __asm__ __volatile__("" : "+r"(groups)); /* not to be unrolled for this one call */
#endif
  find(FINISH_Q31, VECTORS, ROWS)(ROWS, groups, 1, pointers, panel, NULL, out, VECTORS * LANES, VECTORS * LANES, &requant);
  return (double)GROUPS * DEPTH * VECTORS * LANES * ROWS;
}

#define GEMM_KERNELS \
  .lanes = LANES, .depth = DEPTH, .weight_bytes = WEIGHT_BYTES, .max_vectors = VECTORS, .max_rows = {ROWS, ROWS}, \
  .tiles_at_once = 1, .gemm = find, .probe = probe

#endif
