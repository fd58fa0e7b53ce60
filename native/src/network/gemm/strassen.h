/* One level of Strassen: where things lie. strassen.c has when and why. */
#ifndef NEONSIM_NETWORK_STRASSEN_H
#define NEONSIM_NETWORK_STRASSEN_H

#include "network/gemm/gemm.h"

enum {
  NEONSIM_STRASSEN_PRODUCTS = 7, /* of halves, for eight */
  NEONSIM_PAIR_VECTORS = 4,      /* a pair of panels, the halves of the columns, is a panel of so many registers */
  NEONSIM_HALF_COLUMNS = 16,     /* of either */
  NEONSIM_INT16_AT_ONCE = 16     /* that rows are added by: lines of sums are filled up to as many */
};

/* Depths of a half: pairs of them are multiplied. Beyond the last depth weights are zeros, so that any bytes will do. */
NEONSIM_FORCE_INLINE size_t neonsim_half_depth(size_t depth) { return 2 * neonsim_ceil_div(depth, 4); }
/* 16-bit numbers from line to line of such. */
NEONSIM_FORCE_INLINE size_t neonsim_half_step(size_t half) {
  return neonsim_ceil_div(half, NEONSIM_INT16_AT_ONCE) * NEONSIM_INT16_AT_ONCE;
}
/* Pairs of panels: columns left over, at most three registers, are quicker in panels of their own. */
NEONSIM_FORCE_INLINE size_t neonsim_pairs(size_t columns) { return (columns + 7) / (2 * NEONSIM_HALF_COLUMNS); }

/* A tile's part of a task's room, all of it at multiples of lines:
 *
 *   sums       int16  [7][rows / 2][half_step]      of rows, one array for each product
 *   quarters   int32  [4][rows / 2][16]             sums of products
 *   left       int32  [rows][32]                    sums of a panel, for roundings of double_scale.c
 *   words      int16  [rows][row_words]             rows as they are, for panels that make no pair */
struct neonsim_strassen_scratch {
  size_t half, half_step, half_rows, row_int16;
  size_t quarters, left, int16_rows, bytes; /* offsets; sums come first */
};

NEONSIM_FORCE_INLINE struct neonsim_strassen_scratch neonsim_strassen_scratch(const struct neonsim_step *step, size_t rows) {
  struct neonsim_strassen_scratch room = {.half = neonsim_half_depth(step->tap_depth), .half_rows = neonsim_ceil_div(rows, 2)};
  const size_t columns = step->layer.output_channels, paired = 2 * NEONSIM_HALF_COLUMNS * neonsim_pairs(columns);
  room.half_step = neonsim_half_step(room.half);
  room.row_int16 = neonsim_half_step(step->tap_depth);
  room.quarters =
      NEONSIM_LINE * neonsim_ceil_div(NEONSIM_STRASSEN_PRODUCTS * room.half_rows * room.half_step * sizeof(int16_t), NEONSIM_LINE);
  room.left = room.quarters + 4 * room.half_rows * NEONSIM_HALF_COLUMNS * sizeof(int32_t);
  room.int16_rows = room.left + (step->double_scale == NULL ? 0 : rows * 2 * NEONSIM_HALF_COLUMNS * sizeof(int32_t));
  room.bytes = room.int16_rows + (paired >= columns ? 0 : rows * room.row_int16 * sizeof(int16_t));
  room.bytes = NEONSIM_LINE * neonsim_ceil_div(room.bytes, NEONSIM_LINE);
  return room;
}

/* Its bytes, for planning, where the family's own instructions may be missing. */
size_t neonsim_strassen_scratch_bytes(const struct neonsim_step *step, size_t rows);

/* Whether a layer's product takes a level of Strassen, and if not, why. */
enum neonsim_strassen neonsim_choose_strassen(const struct neonsim_step *step);
/* Panels of one group: pairs, then what is left over. */
int32_t neonsim_cut_strassen_panels(struct neonsim_step *step, size_t columns);
/* Weights of a pair behind its biases and scales: depths of a half in groups of two, then those sums. */
void neonsim_pack_strassen(const struct neonsim_step *step, const struct neonsim_panel *panel, uint8_t *out);

#endif
