/* Tiles of Winograd's in the rows of an image, of bytes and of float32. */
#ifndef NEONSIM_NETWORK_STRIPS_H
#define NEONSIM_NETWORK_STRIPS_H

#include "network/network.h"

/* Some tiles side by side. */
struct strip {
  size_t image, y, x, tiles; /* y, x: of the first tile */
};

/* From a tile on, as far as one row of tiles and `end` go. Tiles of an image lie in `taps` columns and `tap_depth` rows. */
NEONSIM_FORCE_INLINE struct strip strip_at(const struct neonsim_step *step, size_t tile, size_t end) {
  const size_t wide = step->taps, high = step->tap_depth;
  struct strip found = {.image = tile / (wide * high), .y = tile / wide % high, .x = tile % wide};
  found.tiles = neonsim_min(wide - found.x, end - tile);
  return found;
}

/* A row of pixels that tiles read: those of columns low .. high - 1 lie inside, from `from` on; NULL: none does. */
struct strip_row {
  size_t low, high;
  const uint8_t *from;
};

/* Row number `row` of `columns` columns, of tiles of so many results. */
NEONSIM_FORCE_INLINE struct strip_row strip_row_at(const struct neonsim_step *step, const struct strip *strip, size_t high_tile,
                                                   size_t wide_tile, size_t row, size_t columns) {
  const struct neonsim_layer *layer = &step->layer;
  const ptrdiff_t left = (ptrdiff_t)(strip->x * wide_tile) - (ptrdiff_t)layer->pad_left;
  const ptrdiff_t y = (ptrdiff_t)(strip->y * high_tile + row) - (ptrdiff_t)layer->pad_top;
  const ptrdiff_t before = left < 0 ? -left : 0, last = (ptrdiff_t)layer->input_width - left;
  struct strip_row found = {.low = neonsim_min((size_t)before, columns)};
  found.high = last < (ptrdiff_t)found.low ? found.low : neonsim_min((size_t)last, columns);
  if (y >= 0 && y < (ptrdiff_t)layer->input_height) {
    const size_t x = (size_t)(left + (ptrdiff_t)found.low);
    const size_t pixel = (strip->image * layer->input_height + (size_t)y) * layer->input_width + x;
    found.from = step->arena + layer->input + pixel * layer->input_stride;
  }
  return found;
}

NEONSIM_FORCE_INLINE int32_t check_ones(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const double ones[] = {layer->stride_height, layer->stride_width, layer->dilation_height, layer->dilation_width, layer->groups};
  for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
    NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "its stride, dilation or groups", ones[i], 1, 1));
  }
  return NEONSIM_SUCCESS;
}

#endif
