/* One level of Strassen's algorithm, seven products of half the size for eight (E19).
 *
 *            left  right          left  right           M1 = (a11 + a22)(b11 + b22)     M5 = (a11 + a12) b22
 *   upper  [ a11   a12 ]   first  [ b11   b12 ]         M2 = (a21 + a22) b11            M6 = (a21 - a11)(b11 + b12)
 *   lower  [ a21   a22 ]   second [ b21   b22 ]         M3 = a11 (b12 - b22)            M7 = (a12 - a22)(b21 + b22)
 *                                                       M4 = a22 (b21 - b11)
 *   c11 = M1 + M4 - M5 + M7    c12 = M3 + M5            c21 = M2 + M4                   c22 = M1 - M2 + M3 + M6
 *
 * upper, lower: halves of a tile's rows; left, right of A: of its depths; of B: two panels of 16 columns, a pair.
 *
 * Nothing is lost. Bytes of rows and their sums lie within -255 and 510; weights less their zero point within -383 and 255, so their
 * sums within -766 and 766: both fit 16 bits, and two products of such 32 bits. What is added to sums may wrap at 32 bits on the way: all
 * that follows are additions modulo 2**32, and the last sums are those of the direct way. */
#include <string.h>

#include "network/gemm/strassen.h"

enum { MAX_BYTES = 2 * 255, MAX_WEIGHTS = 2 * (128 + 255) };
_Static_assert(MAX_WEIGHTS <= INT16_MAX, "sums of two weights fit 16 bits");
_Static_assert(2 * MAX_BYTES * MAX_WEIGHTS <= INT32_MAX, "two products of sums fit 32 bits");

/* What gained when it was measured: on AMD Zen 5, docs/families.md. */
enum { MIN_ROWS = 12, MIN_DEPTH = 48, MIN_COLUMNS = 32 };

size_t neonsim_strassen_scratch_bytes(const struct neonsim_step *step, size_t rows) {
  return neonsim_strassen_scratch(step, rows).bytes;
}

enum neonsim_strassen neonsim_choose_strassen(const struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  return layer->groups != 1                                                ? NEONSIM_STRASSEN_GROUPED
         : step->rows < MIN_ROWS                                           ? NEONSIM_STRASSEN_FEW_ROWS
         : neonsim_taps(layer) * (size_t)layer->input_channels < MIN_DEPTH ? NEONSIM_STRASSEN_FEW_DEPTHS
         : layer->output_channels < MIN_COLUMNS                            ? NEONSIM_STRASSEN_FEW_COLUMNS
                                                                           : NEONSIM_STRASSEN_USED;
}

int32_t neonsim_cut_strassen_panels(struct neonsim_step *step, size_t columns) {
  const size_t lanes = step->family->lanes, pairs = neonsim_pairs(columns);
  const size_t paired = neonsim_min(columns, pairs * NEONSIM_PAIR_VECTORS * lanes);
  step->panel_count = pairs + neonsim_ceil_div(columns - paired, NEONSIM_HALF_COLUMNS);
  step->panels = neonsim_allocate(step->panel_count * sizeof *step->panels);
  if (step->panels == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  const size_t pair_bytes =
      NEONSIM_LINE + NEONSIM_STRASSEN_PRODUCTS * neonsim_half_depth(step->tap_depth) * NEONSIM_HALF_COLUMNS * sizeof(int16_t);
  size_t first = 0, offset = 0;
  for (size_t i = 0; i < step->panel_count; i++) {
    const size_t most = i < pairs ? 2 * NEONSIM_HALF_COLUMNS : NEONSIM_HALF_COLUMNS, width = neonsim_min(most, columns - first);
    const size_t vectors = i < pairs ? NEONSIM_PAIR_VECTORS : neonsim_ceil_div(width, lanes);
    step->panels[i] = (struct neonsim_panel){offset, (uint32_t)first, (uint32_t)width, (uint32_t)vectors};
    const size_t plain_bytes = vectors * lanes * step->groups_per_tap * step->family->depth * sizeof(int16_t);
    first += width;
    offset += neonsim_lines(8 * vectors * lanes + (i < pairs ? pair_bytes : plain_bytes));
  }
  step->group_bytes = offset;
  return NEONSIM_SUCCESS;
}

static int32_t weight_of(const struct neonsim_step *step, size_t limit, size_t channel, size_t k) {
  return channel < limit && k < step->tap_depth ? neonsim_weight(&step->layer, channel * step->tap_depth + k) : 0;
}

void neonsim_pack_strassen(const struct neonsim_step *step, const struct neonsim_panel *panel, uint8_t *out) {
  const size_t half = neonsim_half_depth(step->tap_depth), lanes = step->family->lanes, limit = panel->column + panel->columns;
  const uint64_t groups = half / 2;
  memcpy(out, &groups, sizeof groups);
  int16_t *weights = (int16_t *)(void *)(out + NEONSIM_LINE);
  for (size_t position = 0; position < NEONSIM_HALF_COLUMNS; position++) {
    const size_t left = panel->column + neonsim_column_of(2, position / lanes, position % lanes),
                 right = left + NEONSIM_HALF_COLUMNS;
    for (size_t k = 0; k < half; k++) {
      const int32_t b11 = weight_of(step, limit, left, k), b12 = weight_of(step, limit, right, k);
      const int32_t b21 = weight_of(step, limit, left, half + k), b22 = weight_of(step, limit, right, half + k);
      const int32_t sums[NEONSIM_STRASSEN_PRODUCTS] = {b11 + b22, b11, b12 - b22, b21 - b11, b22, b11 + b12, b21 + b22};
      for (size_t product = 0; product < NEONSIM_STRASSEN_PRODUCTS; product++) {
        weights[((product * groups + k / 2) * NEONSIM_HALF_COLUMNS + position) * 2 + k % 2] = (int16_t)sums[product];
      }
    }
  }
}
