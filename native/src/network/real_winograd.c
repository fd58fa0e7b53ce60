/* Convolutions of real numbers, 3x3 with stride 1, by Winograd's F(n, 3): a task is some tiles, from pixels to pixels.
 *
 *   pixels of a strip      copied, zeros where there are none          [t][columns][in]
 *   source, down           the rows of a tile                          [t][columns][in]
 *   source, along          a number of a tile beside that of the next  [t * t][tiles][in]
 *   products               one a number of a tile: chains of fused multiply-adds from the bias or from 0
 *   destination, down      [n][t][tiles][out]
 *   destination, along     into the result, cut off at its limits
 *
 * Every operation of a transform is rounded by itself, in the order of winograd_programs.h. Weights come transformed,
 * [t * t][out][in]. */
#include "network/gemm.h"
#include "network/real.h"

enum { CACHE = 640 * 1024, TASKS_PER_THREAD = 4, TAPS = 3 };

static const float unlimited[NEONSIM_LIMITS] = {-INFINITY, INFINITY, 0, -0.0f};

static size_t results_of(const struct neonsim_layer *layer) {
  return 2 + (size_t)(layer->algorithm - NEONSIM_ALGORITHM_WINOGRAD_2);
}

static size_t line_of(size_t numbers) { return neonsim_ceil_div(numbers * sizeof(float), NEONSIM_LINE) * NEONSIM_LINE; }

/* Where things lie in a member's own memory. */
struct room {
  const void **pointers;
  float *pixels, *down, *numbers, *sums, *results;
};

/* Columns that the tiles of a task read, were they side by side: a tile alone has two more. */
static size_t most_columns(const struct neonsim_step *step) { return step->row_block * results_of(&step->layer) + TAPS - 1; }

static size_t cut_room(const struct neonsim_step *step, uint8_t *scratch, struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t n = results_of(layer), t = n + TAPS - 1, in = layer->input_channels, out = layer->output_channels;
  const size_t pointers = neonsim_ceil_div(step->family->real->most_rows * sizeof(void *), NEONSIM_LINE) * NEONSIM_LINE;
  const size_t pixels = line_of(t * most_columns(step) * in), numbers = line_of(t * t * step->row_block * in);
  const size_t sums = line_of(t * t * step->row_block * out), results = line_of(n * t * step->row_block * out);
  uint8_t *at = scratch;
  *room = (struct room){.pointers = (const void **)(void *)at};
  room->pixels = (float *)(void *)(at += pointers);
  room->down = (float *)(void *)(at += pixels);
  room->numbers = (float *)(void *)(at += pixels);
  room->sums = (float *)(void *)(at += numbers);
  room->results = (float *)(void *)(at += sums);
  return pointers + 2 * pixels + numbers + sums + results;
}

/* Some tiles of one strip. */
struct strip {
  size_t image, y, x, tiles; /* y, x: of the first tile */
};

static struct strip strip_at(const struct neonsim_step *step, size_t tile, size_t end) {
  const size_t wide = step->taps, high = step->tap_depth; /* tiles of an image, see plan */
  struct strip found = {.image = tile / (wide * high), .y = tile / wide % high, .x = tile % wide};
  found.tiles = neonsim_min(wide - found.x, end - tile);
  return found;
}

/* Rows of pixels of a strip, with zeros outside. */
static void copy_pixels(const struct neonsim_step *step, const struct strip *strip, size_t columns, float *to) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t n = results_of(layer), t = n + TAPS - 1, in = layer->input_channels, bytes = in * sizeof(float);
  const ptrdiff_t left = (ptrdiff_t)(strip->x * n) - (ptrdiff_t)layer->pad_left;
  const ptrdiff_t top = (ptrdiff_t)(strip->y * n) - (ptrdiff_t)layer->pad_top;
  const ptrdiff_t before = left < 0 ? -left : 0, last = (ptrdiff_t)layer->input_width - left;
  const size_t low = neonsim_min((size_t)before, columns);
  const size_t high = last < (ptrdiff_t)low ? low : neonsim_min((size_t)last, columns);
  for (size_t row = 0; row < t; row++, to += columns * in) {
    const ptrdiff_t y = top + (ptrdiff_t)row;
    if (y < 0 || y >= (ptrdiff_t)layer->input_height) {
      memset(to, 0, columns * bytes);
      continue;
    }
    const size_t pixel = (strip->image * layer->input_height + (size_t)y) * layer->input_width + (size_t)(left + (ptrdiff_t)low);
    const uint8_t *from = step->arena + layer->input + pixel * layer->input_stride;
    memset(to, 0, low * bytes);
    if (layer->input_stride == bytes) {
      memcpy(to + low * in, from, (high - low) * bytes);
    } else {
      for (size_t i = low; i < high; i++) {
        memcpy(to + i * in, from + (i - low) * layer->input_stride, bytes);
      }
    }
    memset(to + high * in, 0, (columns - high) * bytes);
  }
}

static void transform_pixels(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t n = results_of(layer), t = n + TAPS - 1, in = layer->input_channels, tiles = end - begin;
  const neonsim_real_source source = step->family->real->winograd_source[n - 2];
  for (size_t tile = begin; tile < end;) {
    const struct strip strip = strip_at(step, tile, end);
    const size_t columns = strip.tiles * n + TAPS - 1, row = columns * in;
    copy_pixels(step, &strip, columns, room->pixels);
    source(row, room->pixels, row, room->down, row);
    for (size_t i = 0; i < t; i++) {
      for (size_t j = 0; j < strip.tiles; j++) {
        source(in, room->down + i * row + j * n * in, in, room->numbers + (i * t * tiles + tile - begin + j) * in, tiles * in);
      }
    }
    tile += strip.tiles;
  }
}

static void multiply(const struct neonsim_step *step, size_t tiles, const struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_real *real = step->family->real;
  const size_t n = results_of(layer), t = n + TAPS - 1, in = layer->input_channels, out = layer->output_channels;
  const size_t calls = neonsim_ceil_div(tiles, real->most_rows), rows = tiles / calls, taller = tiles % calls;
  for (size_t position = 0; position < t * t; position++) {
    const uint8_t *packed = step->packed + position * step->group_bytes;
    const float *numbers = room->numbers + position * tiles * in;
    float *sums = room->sums + position * tiles * out;
    for (size_t i = 0; i < step->panel_count; i++) {
      const struct neonsim_panel *panel = &step->panels[i];
      for (size_t row = 0, call = 0; call < calls; call++) {
        const size_t height = rows + (call < taller);
        for (size_t j = 0; j < height; j++) {
          room->pointers[j] = numbers + (row + j) * in;
        }
        const struct neonsim_real_tile tile = {
            .taps = 1,
            .depth = in,
            .apart = height,
            .pointers = room->pointers,
            .panel = (const float *)(const void *)(packed + panel->offset),
            .out = (uint8_t *)(sums + row * out + panel->column),
            .out_stride = out * sizeof(float),
            .columns = panel->columns,
            .limits = unlimited,
        };
        real->tiles[panel->vectors - 1][height - 1](&tile);
        row += height;
      }
    }
  }
}

static void transform_sums(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t n = results_of(layer), t = n + TAPS - 1, out = layer->output_channels, tiles = end - begin, plane = tiles * out;
  const neonsim_real_destination destination = step->family->real->winograd_destination[n - 2];
  for (size_t j = 0; j < t; j++) {
    destination(plane, room->sums + j * plane, t * plane, room->results + j * plane, t * plane, n, unlimited);
  }
  for (size_t tile = begin; tile < end; tile++) {
    const struct strip strip = strip_at(step, tile, end);
    const size_t wide = neonsim_min(n, layer->output_width - strip.x * n);
    for (size_t i = 0; i < n && strip.y * n + i < layer->output_height; i++) {
      const size_t pixel = (strip.image * layer->output_height + strip.y * n + i) * layer->output_width + strip.x * n;
      destination(out, room->results + i * t * plane + (tile - begin) * out, plane,
                  (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride),
                  layer->output_stride / sizeof(float), wide, step->limits);
    }
  }
}

static void run_tiles(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  struct room room;
  cut_room(step, scratch, &room);
  const size_t begin = task * step->row_block, end = neonsim_min(begin + step->row_block, step->rows);
  transform_pixels(step, begin, end, &room);
  multiply(step, end - begin, &room);
  transform_sums(step, begin, end, &room);
}

/* The weights of every position as panels: the bias, or zeros, then depth by depth. */
static void pack(const struct neonsim_step *step, size_t positions, size_t ones) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t in = layer->input_channels, out = layer->output_channels;
  for (size_t position = 0; position < positions; position++) {
    for (size_t i = 0; i < step->panel_count; i++) {
      const struct neonsim_panel *panel = &step->panels[i];
      const size_t lanes = step->family->real->lanes * panel->vectors;
      float *to = (float *)(void *)(step->packed + position * step->group_bytes + panel->offset);
      for (size_t column = 0; column < panel->columns; column++) {
        const size_t channel = panel->column + column;
        to[column] = position == ones ? neonsim_number(layer->bias, channel) : 0;
        for (size_t k = 0; k < in; k++) {
          to[(1 + k) * lanes + column] = neonsim_number(layer->weights, (position * out + channel) * in + k);
        }
      }
    }
  }
}

/* Tiles in blocks whose numbers stay in the second cache; each task passes over all weights once, so that where these are too many for
 * it there are no more tasks than threads. */
static void cut_tasks(struct neonsim_step *step, size_t threads) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t t = results_of(layer) + TAPS - 1, rows = step->family->real->most_rows;
  const size_t in = layer->input_channels, out = layer->output_channels;
  const size_t bytes = t * t * (in + out) * sizeof(float), weights = t * t * in * out * sizeof(float);
  const size_t wanted = threads == 1 ? 1 : weights < CACHE ? TASKS_PER_THREAD * threads : threads;
  const size_t share = neonsim_ceil_div(neonsim_ceil_div(step->rows, wanted), rows) * rows;
  const size_t block = neonsim_min(share, CACHE / bytes < rows ? rows : CACHE / bytes / rows * rows);
  step->row_blocks = neonsim_ceil_div(step->rows, block);
  step->row_block = neonsim_ceil_div(step->rows, step->row_blocks);
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  step->tasks = step->row_blocks;
}

int32_t neonsim_plan_real_winograd(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  const size_t n = results_of(layer), t = n + TAPS - 1, in = layer->input_channels, out = layer->output_channels;
  const double sizes[] = {layer->kernel_height, layer->kernel_width};
  for (size_t i = 0; i < 2; i++) {
    NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "taps of its kernel along an axis", sizes[i], TAPS, TAPS));
  }
  const double ones[] = {layer->stride_height, layer->stride_width, layer->dilation_height, layer->dilation_width, layer->groups};
  for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
    NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "its stride, dilation or groups", ones[i], 1, 1));
  }
  if (layer->weights == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its weights");
  }
  /* Tiles of an image lie in `taps` columns and `tap_depth` rows. */
  step->taps = neonsim_ceil_div(layer->output_width, n);
  step->tap_depth = neonsim_ceil_div(layer->output_height, n);
  step->rows = (size_t)layer->batch * step->taps * step->tap_depth;
  const size_t lanes = step->family->real->lanes;
  if (neonsim_times(neonsim_times(in + 1 + NEONSIM_LINE, out + lanes), t * t * sizeof(float)) > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights");
  }
  cut_tasks(step, threads);
  struct room room;
  step->scratch_bytes = cut_room(step, NULL, &room);
  NEONSIM_CHECK(neonsim_cut_real_panels(step, out, in));
  step->packed_bytes = step->group_bytes * t * t;
  step->packed = neonsim_allocate(step->packed_bytes);
  if (step->packed == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  pack(step, t * t, step->family->real->winograd_ones[n - 2] * (t + 1));
  step->run = run_tiles;
  return NEONSIM_SUCCESS;
}
