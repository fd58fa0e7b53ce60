/* Convolutions and matrix products: weights packed into panels, rows cut into tiles, a kernel call for each tile of each panel.
 *
 * Rows are output pixels. A row is read through one pointer per tap, worked out when its tile comes up: no table of pointers in memory
 * (A34 without its buffer). There are four ways of reading:
 *
 *   even       1x1 with stride 1: rows are pixels, one after the other
 *   by tap     a pointer for each tap, to its pixel or to zero points
 *   by line    the taps of a kernel's line are neighbours in memory and count as one tap; for few channels, which would not fill the
 *              instructions. At the sides of the image a line is put together in scratch memory
 *   gathered   all taps of a row copied side by side, once for all panels: what is left over, and families of 16-bit numbers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

enum { MOST_TAPS = 128, CACHE_ROWS = 128 * 1024, CACHE_PANELS = 24 * 1024, CACHE_PANEL = 40 * 1024, GATHERED = 192 * 1024, TASKS_PER_THREAD = 5, FEW_CHANNELS = 64, SOME_WEIGHTS = 512 };

static size_t taps_of(const struct neonsim_layer *layer) { return (size_t)layer->kernel_height * layer->kernel_width; }

/* Column of a panel that a lane of a register holds; see network.h. */
static size_t column_of(size_t vectors, size_t vector, size_t lane) { return 4 * vectors * (lane / 4) + 4 * vector + lane % 4; }

/* Depths of a tap, as the kernels count taps. */
static size_t depth_of_tap(const struct neonsim_layer *layer, enum neonsim_rows reading) {
  const size_t depth = layer->input_channels / layer->groups;
  return reading == ROWS_GATHERED ? taps_of(layer) * depth : reading == ROWS_BY_LINE ? layer->kernel_width * depth : depth;
}

/* Weights less their zero point. */
static void centre_weights(const struct neonsim_layer *layer, size_t first, size_t count, int16_t *to) {
  const int8_t *is_signed = (const int8_t *)layer->weights + first;
  const uint8_t *is_unsigned = (const uint8_t *)layer->weights + first;
  const int16_t zero = (int16_t)layer->weight_zero_point;
  for (size_t i = 0; i < count; i++) {
    to[i] = (int16_t)((layer->weights_signed ? is_signed[i] : is_unsigned[i]) - zero);
  }
}

static int32_t sum_weights(const struct neonsim_layer *layer, size_t first, size_t count) {
  int16_t some[SOME_WEIGHTS];
  int32_t sum = 0;
  for (size_t done = 0; done < count; done += SOME_WEIGHTS) {
    const size_t these = neonsim_min(SOME_WEIGHTS, count - done);
    centre_weights(layer, first + done, these, some);
    for (size_t i = 0; i < these; i++) {
      sum += some[i];
    }
  }
  return sum;
}

/* Four weights as they are stored, each less `centre`: bytes are subtracted without borrowing from their neighbours. */
static uint32_t four_less(uint32_t four, uint32_t centres) {
  const uint32_t top = 0x80808080;
  return ((four | top) - (centres & ~top)) ^ ((four ^ ~centres) & top);
}

/* One column of a panel of bytes, from the `position`-th lane on. */
static void pack_bytes(const struct neonsim_step *step, uint8_t *out, size_t per_register, size_t position, size_t start,
                       int32_t centre) {
  enum { FOUR = 4 };
  const size_t kr = step->family->depth, depth = step->tap_depth;
  const uint32_t centres = (uint32_t)(centre & 0xff) * 0x01010101u;
  const uint8_t *weights = (const uint8_t *)step->layer.weights + start;
  for (size_t tap = 0; tap < step->taps; tap++, weights += depth) {
    uint8_t *group = out + (tap * step->groups_per_tap * per_register + position) * kr;
    for (size_t first = 0; first < depth; first += kr, group += kr * per_register) {
      size_t k = 0;
      for (; k < kr && first + k + FOUR <= depth; k += FOUR) {
        uint32_t four;
        memcpy(&four, weights + first + k, FOUR);
        four = four_less(four, centres);
        memcpy(group + k, &four, FOUR);
      }
      for (; k < kr && first + k < depth; k++) {
        group[k] = (uint8_t)(weights[first + k] - centre);
      }
    }
  }
}

/* The same of 16-bit numbers; gathered, all taps are one. */
static void pack_words(const struct neonsim_step *step, int16_t *out, size_t per_register, size_t position, size_t start) {
  const size_t kr = step->family->depth;
  int16_t *group = out + position * kr;
  for (size_t k = 0; k < step->tap_depth; k += kr, group += kr * per_register) {
    centre_weights(&step->layer, start + k, neonsim_min(kr, step->tap_depth - k), group);
  }
}

static void pack_panel(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel, int32_t centre) {
  const struct neonsim_family *family = step->family;
  const struct neonsim_layer *layer = &step->layer;
  if (family->pack != NULL) {
    family->pack(step, out, first, panel);
    return;
  }
  const size_t depth = taps_of(layer) * (layer->input_channels / layer->groups);
  const size_t per_register = family->lanes * panel->vectors;
  uint32_t *bias = (uint32_t *)(void *)out;
  float *scale = (float *)(void *)(out + 4 * per_register);
  for (size_t vector = 0; vector < panel->vectors; vector++) {
    for (size_t lane = 0; lane < family->lanes; lane++) {
      const size_t column = column_of(panel->vectors, vector, lane), position = vector * family->lanes + lane;
      if (column >= panel->columns) {
        continue; /* packed memory is zero at first */
      }
      const size_t channel = first + panel->column + column;
      const int32_t sum = sum_weights(layer, channel * depth, depth);
      if (family->weight_bytes == 1) {
        pack_bytes(step, out + 8 * per_register, per_register, position, channel * depth, centre);
      } else {
        pack_words(step, (int16_t *)(void *)(out + 8 * per_register), per_register, position, channel * depth);
      }
      /* Kernels multiply (a - family->centre) * (weight - centre); row sums add what is missing of the weight. */
      const uint32_t moved = (uint32_t)sum + (uint32_t)depth * (uint32_t)(layer->weight_zero_point - centre);
      bias[position] = (layer->bias == NULL ? 0 : (uint32_t)layer->bias[channel]) - (uint32_t)layer->input_zero_point * (uint32_t)sum +
                       (uint32_t)family->centre * moved;
      scale[position] = layer->rounding == NEONSIM_ROUND_FP32 ? layer->scale[layer->scales == 1 ? 0 : channel]
                                                              : ldexpf((float)layer->multiplier, -31 - layer->shift);
    }
  }
}

/* Largest magnitude of a sum, and what weights are centred at: their zero point if all differences fit int8, else 128, and then rows
 * need a correction by their sums. */
static double judge_weights(const struct neonsim_layer *layer, int32_t *centre) {
  const size_t depth = taps_of(layer) * (layer->input_channels / layer->groups);
  const double reach = fmax(layer->input_zero_point, 255 - layer->input_zero_point);
  double limit = 0;
  int fits = 1;
  for (size_t channel = 0; channel < layer->output_channels; channel++) {
    int64_t sum = 0;
    for (size_t k = 0; k < depth; k += SOME_WEIGHTS) {
      int16_t some[SOME_WEIGHTS];
      const size_t these = neonsim_min(SOME_WEIGHTS, depth - k);
      centre_weights(layer, channel * depth + k, these, some);
      int32_t part = 0, beyond = 0;
      for (size_t i = 0; i < these; i++) {
        part += some[i] < 0 ? -some[i] : some[i];
        beyond |= some[i] < -128 || some[i] > 127;
      }
      sum += part;
      fits &= !beyond;
    }
    limit = fmax(limit, (double)sum * reach + (layer->bias == NULL ? 0 : fabs((double)layer->bias[channel])));
  }
  *centre = fits ? layer->weight_zero_point : 128;
  return limit;
}

/* Registers shared out among panels as evenly as can be: 9 are 3 + 3 + 3, not 4 + 4 + 1. */
static int32_t cut_columns(struct neonsim_step *step, size_t columns) {
  const struct neonsim_family *family = step->family;
  const size_t registers = neonsim_ceil_div(columns, family->lanes);
  const size_t register_bytes = step->taps * step->groups_per_tap * family->lanes * family->depth * family->weight_bytes;
  /* Deep panels are narrower and their tiles taller, so that a panel stays in the first cache while tiles pass. */
  const size_t widest = step->rows == 1 || register_bytes * family->most_vectors <= CACHE_PANEL ? family->most_vectors
                                                                                               : (family->most_vectors + 1) / 2;
  step->panel_count = neonsim_ceil_div(registers, widest);
  step->panels = neonsim_allocate(step->panel_count * sizeof *step->panels);
  if (step->panels == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  size_t first = 0, offset = 0;
  for (size_t i = 0; i < step->panel_count; i++) {
    const size_t vectors = registers / step->panel_count + (i < registers % step->panel_count);
    struct neonsim_panel *panel = &step->panels[i];
    panel->offset = offset;
    panel->vectors = (uint32_t)vectors;
    panel->column = (uint32_t)first;
    panel->columns = (uint32_t)neonsim_min(vectors * family->lanes, columns - first);
    const size_t weights = step->taps * step->groups_per_tap * vectors * family->lanes * family->depth * family->weight_bytes;
    first += panel->columns;
    offset += neonsim_ceil_div(8 * vectors * family->lanes + weights, NEONSIM_LINE) * NEONSIM_LINE;
  }
  step->group_bytes = offset;
  return NEONSIM_SUCCESS;
}

/* Rows in blocks that stay in the cache while all panels pass, or all panels at once where they stay there; and at least
 * TASKS_PER_THREAD tasks for each thread as long as that leaves whole tiles (X42). */
static void cut_tasks(struct neonsim_step *step, size_t threads) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t tile = step->family->most_rows[step->panels[0].vectors - 1];
  const size_t row_bytes = taps_of(layer) * layer->input_channels / layer->groups;
  const size_t wanted = threads == 1 ? 1 : TASKS_PER_THREAD * threads;
  size_t block = step->group_bytes <= CACHE_PANELS ? 8 * tile : CACHE_ROWS / (row_bytes + 1) / tile * tile;
  block = block < tile ? tile : block;
  const size_t others = layer->groups;
  if (wanted > 1 && others * neonsim_ceil_div(step->rows, block) < wanted) {
    const size_t share = neonsim_ceil_div(neonsim_ceil_div(step->rows * others, wanted), tile) * tile;
    block = neonsim_min(block, share < 4 * tile ? 4 * tile : share);
  }
  /* As even as whole tiles allow: every block passes over all weights, one of a single row too. */
  const size_t even = neonsim_ceil_div(step->rows, neonsim_ceil_div(step->rows, block));
  step->row_block = neonsim_min(neonsim_ceil_div(even, tile) * tile, step->rows);
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  const size_t panel_tasks = neonsim_min(step->panel_count, neonsim_ceil_div(wanted, others * step->row_blocks));
  step->panels_at_once = neonsim_ceil_div(step->panel_count, panel_tasks);
  step->panel_tasks = neonsim_ceil_div(step->panel_count, step->panels_at_once);
  step->tasks = others * step->row_blocks * step->panel_tasks;
}

/* An output pixel, and where its window's first tap lies in the input. Rows follow each other, so nothing is divided on the way. */
struct walker {
  const struct neonsim_layer *layer;
  const uint8_t *input, *zeros;
  size_t image;
  uint32_t row, column;
  ptrdiff_t y, x;
};

static struct walker start_at(const struct neonsim_step *step, const uint8_t *input, size_t row) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t pixels = (size_t)layer->output_height * layer->output_width, pixel = row % pixels;
  struct walker walk = {.layer = layer, .input = input, .zeros = step->zeros, .image = row / pixels};
  walk.row = (uint32_t)(pixel / layer->output_width);
  walk.column = (uint32_t)(pixel % layer->output_width);
  walk.y = (ptrdiff_t)walk.row * layer->stride_height - (ptrdiff_t)layer->pad_top;
  walk.x = (ptrdiff_t)walk.column * layer->stride_width - (ptrdiff_t)layer->pad_left;
  return walk;
}

/* Some pixels on, not beyond the first of the next line. */
static void advance(struct walker *walk, size_t pixels) {
  const struct neonsim_layer *layer = walk->layer;
  walk->x += (ptrdiff_t)(pixels * layer->stride_width);
  walk->column += (uint32_t)pixels;
  if (walk->column == layer->output_width) {
    walk->column = 0;
    walk->x = -(ptrdiff_t)layer->pad_left;
    walk->y += layer->stride_height;
    if (++walk->row == layer->output_height) {
      walk->row = 0;
      walk->y = -(ptrdiff_t)layer->pad_top;
      walk->image++;
    }
  }
}

static const uint8_t *pixel_at(const struct walker *walk, ptrdiff_t y, ptrdiff_t x) {
  const struct neonsim_layer *layer = walk->layer;
  if (y < 0 || x < 0 || y >= (ptrdiff_t)layer->input_height || x >= (ptrdiff_t)layer->input_width) {
    return walk->zeros;
  }
  return walk->input + ((walk->image * layer->input_height + (size_t)y) * layer->input_width + (size_t)x) * layer->input_stride;
}

/* Neighbours, and nothing around them. */
static void find_even_rows(const struct neonsim_step *step, const uint8_t *input, size_t first, size_t rows, const void **pointers) {
  for (size_t row = 0; row < rows; row++) {
    pointers[row] = input + (first + row) * step->layer.input_stride;
  }
}

/* How many of the next pixels, at most `most` and all of one line, have windows `width` wide inside. */
static size_t run_inside(const struct walker *walk, size_t width, size_t most) {
  const struct neonsim_layer *layer = walk->layer;
  const ptrdiff_t last = (ptrdiff_t)layer->input_width - (ptrdiff_t)width; /* where a window may begin at most */
  if (walk->x < 0 || walk->x > last) {
    return 0;
  }
  const size_t run = (size_t)(last - walk->x) / layer->stride_width + 1;
  return neonsim_min(neonsim_min(run, layer->output_width - walk->column), most);
}

/* Pointers of a run of pixels to column x, and so on, of line y; at least one. */
static void point_at_run(const struct walker *walk, ptrdiff_t y, ptrdiff_t x, size_t run, const void **pointers) {
  const uint8_t *first = pixel_at(walk, y, x);
  const size_t apart = first == walk->zeros ? 0 : (size_t)walk->layer->stride_width * walk->layer->input_stride;
  pointers[0] = first;
  for (size_t i = 1; i < run; i++) {
    pointers[i] = first + i * apart;
  }
}

/* pointers[tap * rows + row] of the next tile: runs of pixels whose windows lie inside, others one by one. */
static void find_rows(struct walker *walk, size_t rows, const void **pointers) {
  const struct neonsim_layer *layer = walk->layer;
  for (size_t row = 0; row < rows;) {
    const size_t found = run_inside(walk, (layer->kernel_width - 1) * (size_t)layer->dilation_width + 1, rows - row);
    const size_t run = found == 0 ? 1 : found;
    const void **pointer = pointers + row;
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      for (size_t kx = 0; kx < layer->kernel_width; kx++, pointer += rows) {
        point_at_run(walk, walk->y + (ptrdiff_t)(ky * layer->dilation_height), walk->x + (ptrdiff_t)(kx * layer->dilation_width), run,
                     pointer);
      }
    }
    row += run;
    advance(walk, run);
  }
}

/* A line whose ends lie outside, put together. */
static void join_line(const struct walker *walk, ptrdiff_t y, uint8_t *to) {
  const struct neonsim_layer *layer = walk->layer;
  for (size_t kx = 0; kx < layer->kernel_width; kx++, to += layer->input_channels) {
    memcpy(to, pixel_at(walk, y, walk->x + (ptrdiff_t)kx), layer->input_channels);
  }
}

/* pointers[line * rows + row]. */
static void find_lines(const struct neonsim_step *step, struct walker *walk, size_t rows, const void **pointers, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t room = step->groups_per_tap * step->family->depth;
  for (size_t row = 0; row < rows;) {
    const size_t run = run_inside(walk, layer->kernel_width, rows - row);
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      const ptrdiff_t y = walk->y + (ptrdiff_t)(ky * layer->dilation_height);
      const int outside = y < 0 || y >= (ptrdiff_t)layer->input_height;
      if (run == 0 && !outside) {
        join_line(walk, y, scratch);
        pointers[ky * rows + row] = scratch;
        scratch += room;
      } else {
        point_at_run(walk, y, walk->x, run, pointers + ky * rows + row);
      }
    }
    row += run == 0 ? 1 : run;
    advance(walk, run == 0 ? 1 : run);
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

/* Windows of a run of pixels, all inside: `lines` lines of `bytes` bytes, `line_step` apart, for pixels `pixel_step` apart. */
static void gather_run(uint8_t *to, size_t to_step, const uint8_t *from, size_t run, size_t pixel_step, size_t lines, size_t bytes,
                       size_t line_step, size_t width) {
  for (size_t i = 0; i < run; i++, to += to_step, from += pixel_step) {
    for (size_t line = 0; line < lines; line++) {
      gather_bytes(to + line * bytes * width, from + line * line_step, bytes, width);
    }
  }
}

/* The taps of every row of the next tile side by side; pointers go to the copies. */
static void gather_rows(const struct neonsim_step *step, struct walker *walk, size_t rows, const void **pointers, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t width = step->family->weight_bytes, bytes = layer->input_channels / layer->groups;
  const size_t row_bytes = step->groups_per_tap * step->family->depth * width;
  const int touch = layer->input_stride == bytes && layer->dilation_width == 1;
  const ptrdiff_t high = (ptrdiff_t)(layer->kernel_height - 1) * (ptrdiff_t)layer->dilation_height + 1;
  for (size_t row = 0; row < rows; row++) {
    pointers[row] = scratch + row * row_bytes;
  }
  for (size_t row = 0, run; row < rows; row += run, advance(walk, run)) {
    uint8_t *to = scratch + row * row_bytes;
    run = touch ? run_inside(walk, layer->kernel_width, rows - row) : 0;
    if (run != 0 && walk->y >= 0 && walk->y + high <= (ptrdiff_t)layer->input_height) {
      gather_run(to, row_bytes, pixel_at(walk, walk->y, walk->x), run, (size_t)layer->stride_width * layer->input_stride,
                 layer->kernel_height, layer->kernel_width * bytes,
                 (size_t)layer->dilation_height * layer->input_width * layer->input_stride, width);
      continue;
    }
    run = 1;
    for (size_t ky = 0; ky < layer->kernel_height; ky++) {
      for (size_t kx = 0; kx < layer->kernel_width; kx++, to += bytes * width) {
        const uint8_t *from = pixel_at(walk, walk->y + (ptrdiff_t)(ky * layer->dilation_height),
                                       walk->x + (ptrdiff_t)(kx * layer->dilation_width));
        gather_bytes(to, from, bytes, width);
      }
    }
  }
}

static void flip_rows(uint8_t *bytes, size_t count, uint8_t flip) {
  for (size_t i = 0; i < count; i++) {
    bytes[i] ^= flip;
  }
}

/* A kernel call for each panel of a tile of rows. */
static void run_tile(const struct neonsim_step *step, const uint8_t *packed, size_t low, size_t high, size_t rows,
                     const void *const *pointers, uint8_t *out) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_family *family = step->family;
  const size_t width = step->requant.finish == FINISH_SUMS ? sizeof(int32_t) : 1;
  int32_t sums[NEONSIM_MOST_ROWS];
  if (step->sum_factor != 0) {
    family->row_sums(rows, step->tap_depth, step->taps, pointers, step->sum_factor, sums);
  }
  const int32_t *corrections = step->sum_factor != 0 ? sums : NULL;
  if (family->panels != NULL && family->panels(step, low, high, rows, pointers, packed, corrections, out)) {
    return;
  }
  for (size_t i = low; i < high; i++) {
    const struct neonsim_panel *panel = &step->panels[i];
    family->product(step->requant.finish, panel->vectors, rows)(
        rows, step->groups_per_tap, step->taps, pointers, packed + panel->offset, corrections,
        out + panel->column * width, layer->output_stride, panel->columns, &step->requant);
  }
}

/* Rows of a kernel call; gathered ones stay in the second cache. Their pointers come first in scratch memory. */
static size_t most_rows(const struct neonsim_step *step) {
  const struct neonsim_family *family = step->family;
  const size_t tile = family->most_rows[0], row_bytes = step->groups_per_tap * family->depth * family->weight_bytes;
  const size_t room = step->reading == ROWS_GATHERED ? GATHERED / (tile * row_bytes) : family->tiles_at_once;
  return neonsim_min(NEONSIM_MOST_ROWS, tile * neonsim_min(family->tiles_at_once, room < 1 ? 1 : room));
}

static size_t pointer_bytes(const struct neonsim_step *step) { return step->taps * most_rows(step) * sizeof(void *); }

static void run_product(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_family *family = step->family;
  const size_t group = task / (step->row_blocks * step->panel_tasks);
  const size_t within = task % (step->row_blocks * step->panel_tasks);
  /* Tasks of the same rows follow each other, so that a thread, which begins with neighbouring tasks, finds rows that it wrote in the
   * layer before: fetching a line from another processor takes as long as hundreds of instructions. */
  const size_t first_panel = within % step->panel_tasks * step->panels_at_once;
  const size_t last_panel = neonsim_min(first_panel + step->panels_at_once, step->panel_count);
  const size_t begin = within / step->panel_tasks * step->row_block;
  const size_t end = neonsim_min(begin + step->row_block, step->rows);
  const size_t depth = layer->input_channels / layer->groups, columns = layer->output_channels / layer->groups;
  const uint8_t *input = step->arena + layer->input + group * depth;
  const uint8_t *packed = step->packed + group * step->group_bytes;
  const size_t width = step->requant.finish == FINISH_SUMS ? sizeof(int32_t) : 1;
  uint8_t *out = step->arena + layer->output + group * columns * width;
  /* All panels while a tile is at hand if they stay in the cache, or if the kernels take them in one go; else panel by panel over the
   * block. */
  const int tile_first = step->reading == ROWS_GATHERED || step->group_bytes <= CACHE_PANELS || family->panels != NULL;
  const void **pointers = (const void **)(void *)scratch;
  scratch += pointer_bytes(step);
  if (family->begin != NULL) {
    family->begin(step->groups_per_tap);
  }
  for (size_t low = first_panel, high; low < last_panel; low = high) {
    high = tile_first ? last_panel : low + 1;
    /* The tallest tile that all these panels take; tiles as even as can be. */
    size_t tallest = most_rows(step);
    for (size_t i = low; i < high; i++) {
      tallest = neonsim_min(tallest, family->tiles_at_once * family->most_rows[step->panels[i].vectors - 1]);
    }
    const size_t tiles = neonsim_ceil_div(end - begin, tallest), even = (end - begin) / tiles, taller = (end - begin) % tiles;
    struct walker walk = start_at(step, input, begin);
    for (size_t row = begin, tile = 0; tile < tiles; tile++) {
      const size_t rows = even + (tile < taller);
      switch (step->reading) {
        case ROWS_EVEN: find_even_rows(step, input, row, rows, pointers); break;
        case ROWS_BY_TAP: find_rows(&walk, rows, pointers); break;
        case ROWS_BY_LINE: find_lines(step, &walk, rows, pointers, scratch); break;
        case ROWS_GATHERED: gather_rows(step, &walk, rows, pointers, scratch); break;
      }
      if (step->flip != 0) {
        flip_rows(scratch, rows * step->tap_depth, step->flip);
      }
      run_tile(step, packed, low, high, rows, pointers, out + row * layer->output_stride);
      row += rows;
    }
  }
  if (family->end != NULL) {
    family->end();
  }
  if (step->then != NULL) {
    neonsim_add_block(step->then, begin, end);
  }
}

int neonsim_whole_rows(const struct neonsim_step *step) { return step->layer.groups == 1 && step->panel_tasks == 1; }

static enum neonsim_rows choose_reading(const struct neonsim_layer *layer, const struct neonsim_family *family) {
  const size_t depth = layer->input_channels / layer->groups, taps = taps_of(layer);
  if (family->weight_bytes == 2 || (family->flips != NULL && family->flips(layer))) {
    return ROWS_GATHERED;
  }
  if (taps == 1) {
    const int even = layer->stride_height == 1 && layer->stride_width == 1 && layer->pad_top == 0 && layer->pad_left == 0 &&
                     layer->input_height == layer->output_height && layer->input_width == layer->output_width;
    return even ? ROWS_EVEN : ROWS_BY_TAP;
  }
  const int touch = layer->input_stride == depth && layer->dilation_width == 1;
  if (touch && layer->kernel_width > 1 && depth < FEW_CHANNELS) {
    return ROWS_BY_LINE;
  }
  return depth % family->depth == 0 ? ROWS_BY_TAP : ROWS_GATHERED;
}

int32_t neonsim_plan_product(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  if (taps_of(layer) > MOST_TAPS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  step->rows = (size_t)layer->batch * layer->output_height * layer->output_width;
  const size_t groups = neonsim_ceil_div(depth_of_tap(layer, choose_reading(layer, step->family)), step->family->depth);
  if (step->family->shallow != NULL && (groups < step->family->least_groups || step->rows < step->family->least_rows)) {
    step->family = step->family->shallow;
  }
  const struct neonsim_family *family = step->family;
  int32_t centre = 0;
  const int32_t status = neonsim_plan_requant(step, judge_weights(layer, &centre));
  if (status != NEONSIM_SUCCESS) {
    return status;
  }
  step->reading = choose_reading(layer, family);
  step->tap_depth = depth_of_tap(layer, step->reading);
  step->taps = taps_of(layer) * (layer->input_channels / layer->groups) / step->tap_depth;
  step->groups_per_tap = neonsim_ceil_div(step->tap_depth, family->depth);
  if (family->whole_groups != NULL) {
    step->groups_per_tap = family->whole_groups(step->groups_per_tap);
  }
  step->scratch_bytes = pointer_bytes(step) + NEONSIM_SLACK;
  if (step->reading == ROWS_GATHERED || step->reading == ROWS_BY_LINE) {
    step->scratch_bytes += most_rows(step) * step->taps * step->groups_per_tap * family->depth * family->weight_bytes;
  }
  step->sum_factor = family->row_sums != NULL ? centre - layer->weight_zero_point : 0;
  step->flip = family->flips != NULL && family->flips(layer) ? 0x80 : 0;
  const int32_t cut = cut_columns(step, layer->output_channels / layer->groups);
  if (cut != NEONSIM_SUCCESS) {
    return cut;
  }
  cut_tasks(step, threads);
  step->packed_bytes = step->group_bytes * layer->groups;
  step->zero_bytes = step->tap_depth;
  step->packed = neonsim_allocate(step->packed_bytes);
  step->zeros = neonsim_allocate(step->zero_bytes);
  if (step->packed == NULL || step->zeros == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  memset(step->zeros, layer->input_zero_point, step->zero_bytes);
  for (size_t group = 0; group < layer->groups; group++) {
    for (size_t i = 0; i < step->panel_count; i++) {
      pack_panel(step, step->packed + group * step->group_bytes + step->panels[i].offset,
                 group * (layer->output_channels / layer->groups), &step->panels[i], centre);
    }
  }
  step->run = run_product;
  return NEONSIM_SUCCESS;
}
