/* Convolutions of float32, stride 1, by Winograd's F(n, k) along every axis on which windows have more than one tap, k = 3, 5 or
 * 7: a task is some tiles, from pixels to pixels. Along an axis of one tap nothing is transformed, and tiles are one pixel.
 *
 *   pixels of a strip      copied, zeros where there are none          [th][columns][in]
 *   source, down           the rows of a tile                          [th][columns][in]
 *   source, along          a number of a tile beside that of the next  [th * tw][tiles][in]
 *   products               one a number of a tile: chains of fused multiply-adds from the bias or from 0
 *   destination, down      [n][tw][tiles][out]
 *   destination, along     into the result, cut off at its limits
 *
 * Every operation of a transform is rounded by itself, in the order of float32_programs.h. Weights come transformed,
 * [th * tw][out][in]. */
#include "network/gemm/gemm.h"
#include "network/float32/float32.h"
#include "network/winograd/strips.h"

enum { CACHE = 640 * 1024, TASKS_PER_THREAD = 4 };

static const float unlimited[NEONSIM_LIMITS] = {-INFINITY, INFINITY, 0, -0.0f};

/* Results, taps and numbers of a tile along an axis; transforms: NULL where there is one tap. */
struct axis {
  size_t n, k, t;
  const struct neonsim_f32_axis *transforms;
};

static struct axis axis_of(const struct neonsim_step *step, uint32_t taps) {
  const size_t size = (size_t)(step->layer.algorithm - NEONSIM_ALGORITHM_WINOGRAD_2);
  if (taps == 1) {
    return (struct axis){1, 1, 1, NULL};
  }
  return (struct axis){size + 2, taps, size + 1 + taps, &step->family->f32->winograd[NEONSIM_TAPS_INDEX(taps)][size]};
}
static struct axis down_of(const struct neonsim_step *step) { return axis_of(step, step->layer.kernel_height); }
static struct axis along_of(const struct neonsim_step *step) { return axis_of(step, step->layer.kernel_width); }
static size_t numbers_of(const struct neonsim_step *step) { return down_of(step).t * along_of(step).t; }

static size_t line_of(size_t numbers) { return neonsim_lines(numbers * sizeof(float)); }

/* Where things lie in a member's own memory. */
struct room {
  const void **pointers;
  float *pixels, *down, *numbers, *sums, *results;
};

static size_t cut_room(const struct neonsim_step *step, uint8_t *scratch, struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const struct axis down = down_of(step), along = along_of(step);
  const size_t in = layer->input_channels, out = layer->output_channels, tiles = step->row_block, t = down.t * along.t;
  const size_t pointers = neonsim_lines(step->family->f32->max_rows * sizeof(void *));
  /* Columns that the tiles of a task read, were they side by side. */
  const size_t pixels = line_of(down.t * (tiles * along.n + along.k - 1) * in), numbers = line_of(t * tiles * in);
  const size_t sums = line_of(t * tiles * out), results = line_of(down.n * along.t * tiles * out);
  uint8_t *at = scratch;
  *room = (struct room){.pointers = (const void **)(void *)at};
  room->pixels = (float *)(void *)(at += pointers);
  room->down = (float *)(void *)(at += pixels);
  room->numbers = (float *)(void *)(at += pixels);
  room->sums = (float *)(void *)(at += numbers);
  room->results = (float *)(void *)(at += sums);
  return pointers + 2 * pixels + numbers + sums + results;
}

/* Rows of pixels of a strip, with zeros outside. */
static void copy_pixels(const struct neonsim_step *step, const struct strip *strip, size_t columns, float *to) {
  const struct neonsim_layer *layer = &step->layer;
  const struct axis down = down_of(step), along = along_of(step);
  const size_t in = layer->input_channels, bytes = in * sizeof(float);
  for (size_t row = 0; row < down.t; row++, to += columns * in) {
    const struct strip_row pixels = strip_row_at(step, strip, down.n, along.n, row, columns);
    const size_t low = pixels.low, high = pixels.high;
    if (pixels.from == NULL) {
      memset(to, 0, columns * bytes);
      continue;
    }
    memset(to, 0, low * bytes);
    if (layer->input_stride == bytes) {
      memcpy(to + low * in, pixels.from, (high - low) * bytes);
    } else {
      for (size_t i = low; i < high; i++) {
        memcpy(to + i * in, pixels.from + (i - low) * layer->input_stride, bytes);
      }
    }
    memset(to + high * in, 0, (columns - high) * bytes);
  }
}

static void transform_pixels(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct axis down = down_of(step), along = along_of(step);
  const size_t in = step->layer.input_channels, tiles = end - begin;
  for (size_t tile = begin; tile < end;) {
    const struct strip strip = strip_at(step, tile, end);
    const size_t columns = strip.tiles * along.n + along.k - 1, row = columns * in;
    float *numbers = room->numbers + (tile - begin) * in;
    copy_pixels(step, &strip, columns, room->pixels);
    tile += strip.tiles;
    if (along.transforms == NULL) {
      down.transforms->source(row, room->pixels, row, numbers, tiles * in);
      continue;
    }
    const float *lines = room->pixels;
    if (down.transforms != NULL) {
      down.transforms->source(row, room->pixels, row, room->down, row);
      lines = room->down;
    }
    for (size_t i = 0; i < down.t; i++) {
      for (size_t j = 0; j < strip.tiles; j++) {
        along.transforms->source(in, lines + i * row + j * along.n * in, in, numbers + (i * along.t * tiles + j) * in, tiles * in);
      }
    }
  }
}

static void multiply(const struct neonsim_step *step, size_t tiles, const struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_f32_kernels *f32 = step->family->f32;
  const size_t in = layer->input_channels, out = layer->output_channels, positions = numbers_of(step);
  const size_t calls = neonsim_ceil_div(tiles, f32->max_rows), rows = tiles / calls, taller = tiles % calls;
  for (size_t position = 0; position < positions; position++) {
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
        const struct neonsim_f32_tile tile = {
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
        f32->tiles[panel->vectors - 1][height - 1](&tile);
        row += height;
      }
    }
  }
}

/* Of one tile: from its rows of results, or from its sums where windows have one row, into the image. */
static void transform_along(const struct neonsim_step *step, const struct strip *strip, const float *from, size_t plane) {
  const struct neonsim_layer *layer = &step->layer;
  const struct axis down = down_of(step), along = along_of(step);
  const size_t wide = neonsim_min(along.n, layer->output_width - strip->x * along.n);
  for (size_t i = 0; i < down.n && strip->y * down.n + i < layer->output_height; i++) {
    const size_t row = strip->image * layer->output_height + strip->y * down.n + i;
    const size_t pixel = row * layer->output_width + strip->x * along.n;
    along.transforms->destination(layer->output_channels, from + i * along.t * plane, plane,
                                  (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride),
                                  layer->output_stride / sizeof(float), wide, step->limits);
  }
}

/* The same of windows of one column. */
static void transform_down(const struct neonsim_step *step, const struct strip *strip, const float *from, size_t plane) {
  const struct neonsim_layer *layer = &step->layer;
  const struct axis down = down_of(step);
  const size_t high = neonsim_min(down.n, layer->output_height - strip->y * down.n);
  const size_t row = strip->image * layer->output_height + strip->y * down.n, pixel = row * layer->output_width + strip->x;
  down.transforms->destination(layer->output_channels, from, plane,
                               (float *)(void *)(step->arena + layer->output + pixel * layer->output_stride),
                               layer->output_width * (layer->output_stride / sizeof(float)), high, step->limits);
}

static void transform_sums(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct axis down = down_of(step), along = along_of(step);
  const size_t out = step->layer.output_channels, plane = (end - begin) * out;
  const int both = down.transforms != NULL && along.transforms != NULL;
  for (size_t j = 0; both && j < along.t; j++) {
    down.transforms->destination(plane, room->sums + j * plane, along.t * plane, room->results + j * plane, along.t * plane, down.n,
                                 unlimited);
  }
  for (size_t tile = begin; tile < end; tile++) {
    const struct strip strip = strip_at(step, tile, end);
    const float *from = (both ? room->results : room->sums) + (tile - begin) * out;
    if (along.transforms != NULL) {
      transform_along(step, &strip, from, plane);
    } else {
      transform_down(step, &strip, from, plane);
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
      const size_t lanes = step->family->f32->lanes * panel->vectors;
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
  const size_t t = numbers_of(step), rows = step->family->f32->max_rows;
  const size_t in = layer->input_channels, out = layer->output_channels;
  const size_t bytes = t * (in + out) * sizeof(float), weights = t * in * out * sizeof(float);
  const size_t wanted = threads == 1 ? 1 : weights < CACHE ? TASKS_PER_THREAD * threads : threads;
  const size_t share = neonsim_ceil_div(neonsim_ceil_div(step->rows, wanted), rows) * rows;
  const size_t block = neonsim_min(share, CACHE / bytes < rows ? rows : CACHE / bytes / rows * rows);
  step->row_blocks = neonsim_ceil_div(step->rows, block);
  step->row_block = neonsim_ceil_div(step->rows, step->row_blocks);
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  step->tasks = step->row_blocks;
}

static int32_t check(struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  const uint32_t taps[] = {layer->kernel_height, layer->kernel_width};
  for (size_t i = 0; i < 2; i++) {
    const double most = 1 + 2 * NEONSIM_WINOGRAD_TAPS;
    NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "taps of its kernel along an axis", taps[i], 1, most));
    if (taps[i] % 2 == 0 || (taps[i] > 1 && axis_of(step, taps[i]).transforms->source == NULL) || taps[0] * taps[1] == 1) {
      return neonsim_refuse(&step->refusal, wrong,
                            "taps of its kernel along an axis, for which tiles of this size have no transforms");
    }
  }
  NEONSIM_CHECK(check_ones(step));
  if (layer->weights == NULL) {
    return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its weights");
  }
  return NEONSIM_SUCCESS;
}

/* Where the bias is added: the number of a tile that comes once into every result. */
static size_t ones_of(const struct neonsim_step *step) {
  const struct axis down = down_of(step), along = along_of(step);
  return (down.transforms == NULL ? 0 : down.transforms->ones) * along.t + (along.transforms == NULL ? 0 : along.transforms->ones);
}

int32_t neonsim_plan_f32_winograd(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  NEONSIM_CHECK(check(step));
  const size_t t = numbers_of(step), in = layer->input_channels, out = layer->output_channels;
  /* Tiles of an image lie in `taps` columns and `tap_depth` rows. */
  step->taps = neonsim_ceil_div(layer->output_width, along_of(step).n);
  step->tap_depth = neonsim_ceil_div(layer->output_height, down_of(step).n);
  step->rows = (size_t)layer->batch * step->taps * step->tap_depth;
  const size_t lanes = step->family->f32->lanes;
  if (neonsim_times(neonsim_times(in + 1 + NEONSIM_LINE, out + lanes), t * sizeof(float)) > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights");
  }
  cut_tasks(step, threads);
  struct room room;
  step->scratch_bytes = cut_room(step, NULL, &room);
  NEONSIM_CHECK(neonsim_cut_f32_panels(step, out, in));
  NEONSIM_CHECK(neonsim_allocate_step(step, step->group_bytes * t, 0, 0));
  pack(step, t, ones_of(step));
  step->run = run_tiles;
  return NEONSIM_SUCCESS;
}
