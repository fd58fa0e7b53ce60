/* What the parts of GEMM share: packing (pack.c), finding rows (row_addressing.c), cutting and running (gemm.c). */
#ifndef NEONSIM_NETWORK_GEMM_H
#define NEONSIM_NETWORK_GEMM_H

#include "network/network.h"

NEONSIM_FORCE_INLINE size_t neonsim_taps(const struct neonsim_layer *layer) {
  return (size_t)layer->kernel_height * layer->kernel_width;
}

/* A 1x1 convolution: whether its rows are the pixels of the input, one after the other. */
NEONSIM_FORCE_INLINE int neonsim_pixels_are_rows(const struct neonsim_layer *layer) {
  return layer->stride_height == 1 && layer->stride_width == 1 && layer->pad_top == 0 && layer->pad_left == 0 &&
         layer->input_height == layer->output_height && layer->input_width == layer->output_width;
}

/* Registers of columns shared out among panels as evenly as can be, at most `widest` to each: 9 are 3 + 3 + 3, not 4 + 4 + 1. Where
 * panels lie is left to the caller. */
int32_t neonsim_cut_panels(struct neonsim_step *step, size_t columns, size_t lanes, size_t widest);
/* Largest magnitude of a sum before it wraps, and what weights are centred at. */
double neonsim_judge_weights(const struct neonsim_layer *layer, int32_t *center);
/* Column of a panel that a lane of a register holds; see network.h. */
size_t neonsim_column_of(size_t vectors, size_t vector, size_t lane);
/* int16_accum.c. The first finds runs for all panels, or leaves none if they would not be quicker; bytes of a panel's weights and places, of
 * registers of so many bytes; those themselves, into memory that is zero. */
int32_t neonsim_plan_int16_runs(struct neonsim_step *step, const struct neonsim_family *family);
void neonsim_release_int16_runs(struct neonsim_step *step);
size_t neonsim_int16_run_bytes(const struct neonsim_int16_runs *runs, size_t register_bytes, size_t vectors);
void neonsim_pack_int16_runs(const struct neonsim_step *step, const struct neonsim_panel *panel, uint8_t *out);
int32_t neonsim_part_of_weight(int32_t weight, uint32_t part, uint32_t parts);
/* Into memory that is zero. first: output channel of the group's first column. */
void neonsim_pack_panel(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel,
                        int32_t center);

/* An output pixel, and where its window's first tap lies in the input. Rows follow each other, so nothing is divided on the way. */
struct neonsim_row_cursor {
  const struct neonsim_layer *layer;
  const uint8_t *input, *zeros;
  size_t image;
  uint32_t row, column;
  ptrdiff_t y, x;
};

struct neonsim_row_cursor neonsim_start_at(const struct neonsim_step *step, const uint8_t *input, size_t row);
/* The next `rows` rows, one pointer for each and each tap: pointers[tap * rows + row]. scratch: room for copies. */
void neonsim_find_even_rows(const struct neonsim_step *step, const uint8_t *input, size_t first, size_t rows,
                            const void **pointers);
void neonsim_find_rows(struct neonsim_row_cursor *walk, size_t rows, const void **pointers);
void neonsim_find_lines(const struct neonsim_step *step, struct neonsim_row_cursor *walk, size_t rows, const void **pointers,
                        uint8_t *scratch);
void neonsim_gather_rows(const struct neonsim_step *step, struct neonsim_row_cursor *walk, size_t rows, const void **pointers,
                         uint8_t *scratch);

#endif
