/* Where the rows of a tile are read:
 *
 * Rows are output pixels. A row is read through one pointer per tap, worked out when its tile comes up: no table of pointers in memory,
 * which is the indirect convolution (A34) without its buffer. There are four ways of reading:
 *
 *   even       1x1 with stride 1: rows are pixels, one after the other
 *   by tap     a pointer for each tap, to its pixel or to zero points
 *   by line    the taps of a kernel's line are neighbours in memory and count as one tap; for few channels, which would not fill the
 *              instructions. At the sides of the image a line is put together in scratch memory
 *   gathered   all taps of a row copied side by side, once for all panels: what is left over, and families of 16-bit numbers */
#include <string.h>

#include "network/gemm/gemm.h"

struct neonsim_row_cursor neonsim_start_at(const struct neonsim_step *step, const uint8_t *input, size_t row) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t pixels = (size_t)layer->output_height * layer->output_width, pixel = row % pixels;
  struct neonsim_row_cursor cursor = {.layer = layer, .input = input, .zeros = step->zeros, .image = row / pixels};
  cursor.row = (uint32_t)(pixel / layer->output_width);
  cursor.column = (uint32_t)(pixel % layer->output_width);
  cursor.y = (ptrdiff_t)cursor.row * layer->stride_height - (ptrdiff_t)layer->pad_top;
  cursor.x = (ptrdiff_t)cursor.column * layer->stride_width - (ptrdiff_t)layer->pad_left;
  return cursor;
}

/* Some pixels on, not beyond the first of the next line. */
static void advance(struct neonsim_row_cursor *cursor, size_t pixels) {
  const struct neonsim_layer *layer = cursor->layer;
  cursor->x += (ptrdiff_t)(pixels * layer->stride_width);
  cursor->column += (uint32_t)pixels;
  if (cursor->column == layer->output_width) {
    cursor->column = 0;
    cursor->x = -(ptrdiff_t)layer->pad_left;
    cursor->y += layer->stride_height;
    if (++cursor->row == layer->output_height) {
      cursor->row = 0;
      cursor->y = -(ptrdiff_t)layer->pad_top;
      cursor->image++;
    }
  }
}

static const uint8_t *pixel_at(const struct neonsim_row_cursor *cursor, ptrdiff_t y, ptrdiff_t x) {
  return neonsim_pixel(cursor->layer, cursor->input, cursor->zeros, cursor->image, y, x);
}

/* Neighbours, and nothing around them. */
void neonsim_find_even_rows(const struct neonsim_step *step, const uint8_t *input, size_t first, size_t rows,
                            const void **pointers) {
  for (size_t row = 0; row < rows; row++) {
    pointers[row] = input + (first + row) * step->layer.input_stride;
  }
}

/* How many of the next pixels, at most `most` and all of one line, have windows `width` wide inside. */
static size_t run_inside(const struct neonsim_row_cursor *cursor, size_t width, size_t most) {
  const struct neonsim_layer *layer = cursor->layer;
  const ptrdiff_t last = (ptrdiff_t)layer->input_width - (ptrdiff_t)width; /* where a window may begin at most */
  if (cursor->x < 0 || cursor->x > last) {
    return 0;
  }
  /* Steps of one and two are most; a division takes as long as the pointers of a line. */
  const size_t room = (size_t)(last - cursor->x), step = layer->stride_width;
  const size_t run = (step == 1 ? room : step == 2 ? room / 2 : room / step) + 1;
  return neonsim_min(neonsim_min(run, layer->output_width - cursor->column), most);
}

/* Pointers of a run of pixels to column x, and so on, of line y; at least one. */
static void point_at_run(const struct neonsim_row_cursor *cursor, ptrdiff_t y, ptrdiff_t x, size_t run, const void **pointers) {
  const uint8_t *first = pixel_at(cursor, y, x);
  const size_t apart = first == cursor->zeros ? 0 : (size_t)cursor->layer->stride_width * cursor->layer->input_stride;
  pointers[0] = first;
  for (size_t i = 1; i < run; i++) {
    first += apart;
#if defined(__GNUC__)
    __asm__("" : "+r"(first)); /* one by one: runs are too short for vectors, which take long to begin */
#endif
    pointers[i] = first;
  }
}

/* pointers[tap * rows + row] of the next tile: runs of pixels whose windows lie inside, others one by one. */
void neonsim_find_rows(struct neonsim_row_cursor *cursor, size_t rows, const void **pointers) {
  const struct neonsim_layer *layer = cursor->layer;
  for (size_t row = 0; row < rows;) {
    const size_t found = run_inside(cursor, (layer->kernel_width - 1) * (size_t)layer->dilation_width + 1, rows - row);
    const size_t run = found == 0 ? 1 : found;
    const void **pointer = pointers + row;
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      for (size_t kx = 0; kx < layer->kernel_width; kx++, pointer += rows) {
        point_at_run(cursor, cursor->y + (ptrdiff_t)(ky * layer->dilation_height),
                     cursor->x + (ptrdiff_t)(kx * layer->dilation_width), run, pointer);
      }
    }
    row += run;
    advance(cursor, run);
  }
}

/* A line inside the image whose ends may lie outside, put together: zero points, pixels that touch each other, zero points. */
static void join_line(const struct neonsim_row_cursor *cursor, ptrdiff_t y, uint8_t *to) {
  const struct neonsim_layer *layer = cursor->layer;
  const size_t bytes = layer->input_channels, whole = layer->kernel_width * bytes;
  const ptrdiff_t right = (ptrdiff_t)layer->input_width - cursor->x; /* the first tap beyond the image */
  const size_t begin = neonsim_min(cursor->x < 0 ? (size_t)-cursor->x * bytes : 0, whole);
  const size_t end = right <= 0 ? begin : neonsim_min((size_t)right * bytes, whole);
  memset(to, layer->input_zero_point, whole);
  if (end > begin) {
    memcpy(to + begin, pixel_at(cursor, y, cursor->x < 0 ? 0 : cursor->x), end - begin);
  }
}

/* pointers[line * rows + row]. */
void neonsim_find_lines(const struct neonsim_step *step, struct neonsim_row_cursor *cursor, size_t rows, const void **pointers,
                        uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t room = step->groups_per_tap * step->family->depth;
  for (size_t row = 0; row < rows;) {
    const size_t run = run_inside(cursor, layer->kernel_width, rows - row);
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      const ptrdiff_t y = cursor->y + (ptrdiff_t)(ky * layer->dilation_height);
      const int outside = y < 0 || y >= (ptrdiff_t)layer->input_height;
      if (run == 0 && !outside) {
        join_line(cursor, y, scratch);
        pointers[ky * rows + row] = scratch;
        scratch += room;
      } else {
        point_at_run(cursor, y, cursor->x, run, pointers + ky * rows + row);
      }
    }
    row += run == 0 ? 1 : run;
    advance(cursor, run == 0 ? 1 : run);
  }
}

/* Bytes as bytes or as 16-bit numbers, sixteen at a time: there is room behind, and what is written over comes later. */
static void gather_bytes(uint8_t *to, const uint8_t *from, size_t bytes, size_t width) {
  enum { AT_ONCE = 16 };
  for (size_t i = 0; i < bytes; i += AT_ONCE) {
    uint8_t some[AT_ONCE];
    memcpy(some, from + i, sizeof some);
    if (width == 1) {
      memcpy(to + i, some, sizeof some);
    } else {
      uint16_t wide[AT_ONCE];
      for (size_t j = 0; j < AT_ONCE; j++) {
        wide[j] = some[j];
      }
      memcpy(to + 2 * i, wide, sizeof wide);
    }
  }
}

/* Windows of a run of pixels, all inside. Windows of one line that touch each other, and so do their copies, are one long one. */
static void gather_run(const struct neonsim_family *family, uint8_t *to, size_t to_step, const uint8_t *from, size_t run,
                       struct neonsim_windows windows) {
  const size_t width = family->weight_bytes;
  if (windows.lines == 1 && windows.step == windows.bytes && to_step == windows.bytes * width) {
    windows.bytes *= run;
    run = 1;
  }
  if (width == 2 && family->widen != NULL) {
    family->widen(to, to_step, from, run, &windows);
    return;
  }
  for (size_t i = 0; i < run; i++, to += to_step, from += windows.step) {
    for (size_t line = 0; line < windows.lines; line++) {
      gather_bytes(to + line * windows.bytes * width, from + line * windows.line_step, windows.bytes, width);
    }
  }
}

/* The taps of every row of the next tile side by side; pointers go to the copies. */
void neonsim_gather_rows(const struct neonsim_step *step, struct neonsim_row_cursor *cursor, size_t rows, const void **pointers,
                         uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t width = step->family->weight_bytes, bytes = layer->input_channels / layer->groups;
  const size_t row_bytes = step->groups_per_tap * step->family->depth * width;
  const int touch = layer->input_stride == bytes && layer->dilation_width == 1;
  const ptrdiff_t high = (ptrdiff_t)(layer->kernel_height - 1) * (ptrdiff_t)layer->dilation_height + 1;
  const struct neonsim_windows windows = {
      .step = (size_t)layer->stride_width * layer->input_stride,
      .lines = layer->kernel_height,
      .bytes = layer->kernel_width * bytes,
      .line_step = (size_t)layer->dilation_height * layer->input_width * layer->input_stride,
  };
  for (size_t row = 0; row < rows; row++) {
    pointers[row] = scratch + row * row_bytes;
  }
  for (size_t row = 0, run; row < rows; row += run, advance(cursor, run)) {
    uint8_t *to = scratch + row * row_bytes;
    run = touch ? run_inside(cursor, layer->kernel_width, rows - row) : 0;
    if (run != 0 && cursor->y >= 0 && cursor->y + high <= (ptrdiff_t)layer->input_height) {
      gather_run(step->family, to, row_bytes, pixel_at(cursor, cursor->y, cursor->x), run, windows);
      continue;
    }
    run = 1;
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      for (size_t kx = 0; kx < layer->kernel_width; kx++, to += bytes * width) {
        const uint8_t *from = pixel_at(cursor, cursor->y + (ptrdiff_t)(ky * layer->dilation_height),
                                       cursor->x + (ptrdiff_t)(kx * layer->dilation_width));
        gather_bytes(to, from, bytes, width);
      }
    }
  }
}
