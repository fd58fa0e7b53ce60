/* Convolutions of bytes with stride 1 by Winograd's F(n, k) in integers: the bytes of the direct way, with 36 products of a channel
 * in place of 16 * 9 for n = 4 and 3x3. A task is some tiles, from bytes to bytes. t = n + k - 1 along each axis; along one of a single
 * tap n = t = 1, and its transforms are left out.
 *
 *   pixels of a strip      bytes less their zero point, 0 outside     int16 [ty][columns][room]
 *   source, down           the rows of a tile                         int16 [ty][columns][room]
 *   source, along          a number of a tile beside that of the next int16 [ty * tx][tiles][room]
 *   products               one a number of a tile                     int32 [ty * tx][tiles][out]
 *   destination, down      [ny][tx][out] of a tile
 *   destination, along     [nx][out] of a tile's row; divided, bias added; to bytes as every sum
 *
 * room: channels, up to whole groups of depths. Numbers of tiles and weights fit 16 bits whatever the bytes are: each row of B and G is
 * whole by its own factor, and what that lacks of the common one is in A (neonsim.quant.winograd.bit_growth); other windows are refused. Sums are modulo 2**32, also those on
 * their way, so that only the wanted ones, times the shift's power of two, have to fit: a layer is refused where they might not.
 * Weights come as they are and are transformed here. */
#include <string.h>

#include "network/gemm/gemm.h"
#include "network/winograd/strips.h"
#include "network/winograd/winograd.h"

enum { CACHE = 1024 * 1024, TASKS_PER_THREAD = 4, MOST = NEONSIM_INTEGER_MAX_TILE, TAPS = NEONSIM_INTEGER_TAPS };

/* Of a transform along one axis: results, taps, how large B's and G's rows make numbers, the odd part's inverse, the shift. */
struct program {
  uint8_t n, k;
  uint16_t source, weights;
  uint32_t inverse, shift;
};
static const struct program programs[NEONSIM_INTEGER_PROGRAMS] = NEONSIM_INTEGER_SIZES;
static const int16_t matrices[NEONSIM_INTEGER_PROGRAMS][MOST][TAPS] = NEONSIM_INTEGER_WEIGHTS;

static size_t numbers_of(const struct neonsim_step *step) { return step->tile.t[0] * step->tile.t[1]; }
static const struct neonsim_family *int16_family_of(const struct neonsim_step *step) { return step->family->winograd->int16_gemm; }

/* Numbers of a pixel, its channels filled up. */
static size_t room_of(const struct neonsim_step *step) { return step->groups_per_tap * int16_family_of(step)->depth; }

static size_t max_rows(const struct neonsim_step *step) {
  const struct neonsim_family *int16_gemm = int16_family_of(step);
  return neonsim_min(NEONSIM_MAX_ROWS, int16_gemm->tiles_at_once * int16_gemm->max_rows[0]);
}

/* Where things lie in a member's own memory. */
struct room {
  const void **pointers;
  int16_t *pixels, *down, *numbers;
  int32_t *sums, *results, *line;
};

static size_t cut_room(const struct neonsim_step *step, uint8_t *scratch, struct room *room) {
  const struct neonsim_winograd_tile *tile = &step->tile;
  const size_t in = room_of(step), out = step->layer.output_channels, many = numbers_of(step) * step->row_block;
  /* Columns that the tiles of a task read, were they side by side. */
  const size_t columns = step->row_block * tile->n[1] + tile->k[1] - 1;
  const size_t pointers = neonsim_lines(max_rows(step) * sizeof(void *)), pixels = neonsim_lines(2 * tile->t[0] * columns * in);
  const size_t numbers = neonsim_lines(2 * many * in), sums = neonsim_lines(4 * many * out);
  const size_t results = neonsim_lines(4 * tile->n[0] * tile->t[1] * out);
  const size_t line = neonsim_lines(4 * (tile->n[1] + 1) * out);
  uint8_t *at = scratch;
  room->pointers = (const void **)(void *)at;
  room->pixels = (int16_t *)(void *)(at += pointers);
  room->down = (int16_t *)(void *)(at += pixels);
  room->numbers = (int16_t *)(void *)(at += pixels);
  room->sums = (int32_t *)(void *)(at += numbers);
  room->results = (int32_t *)(void *)(at += sums);
  room->line = (int32_t *)(void *)(at += results);
  return pointers + 2 * pixels + numbers + sums + results + line + NEONSIM_SLACK;
}

/* Rows of pixels of a strip, with zeros outside and behind each pixel's channels. */
static void widen_pixels(const struct neonsim_step *step, const struct strip *strip, size_t columns, int16_t *to) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_winograd_tile *tile = &step->tile;
  const size_t in = layer->input_channels, room = room_of(step);
  for (size_t row = 0; row < tile->t[0]; row++, to += columns * room) {
    const struct strip_row pixels = strip_row_at(step, strip, tile->n[0], tile->n[1], row, columns);
    const size_t low = pixels.low, high = pixels.high;
    if (pixels.from == NULL) {
      memset(to, 0, columns * room * sizeof *to);
      continue;
    }
    memset(to, 0, low * room * sizeof *to);
    const int touch = layer->input_stride == in && room == in;
    const size_t run = touch ? high - low : 1;
    for (size_t i = low; i < high; i += run) {
      step->family->winograd->widen(run * in, pixels.from + (i - low) * layer->input_stride, layer->input_zero_point,
                                    to + i * room);
      for (size_t k = in; k < room; k++) {
        to[i * room + k] = 0;
      }
    }
    memset(to + high * room, 0, (columns - high) * room * sizeof *to);
  }
}

static void transform_pixels(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct neonsim_winograd_tile *tile = &step->tile;
  const size_t in = room_of(step), tiles = end - begin, plane = tiles * in;
  const neonsim_winograd_source down = step->family->winograd->source[tile->program[0]],
                                along = step->family->winograd->source[tile->program[1]];
  for (size_t at = begin; at < end;) {
    const struct strip strip = strip_at(step, at, end);
    const size_t columns = strip.tiles * tile->n[1] + tile->k[1] - 1, row = columns * in;
    int16_t *const numbers = room->numbers + (at - begin) * in;
    widen_pixels(step, &strip, columns, room->pixels);
    if (tile->k[1] == 1) {
      down(row, room->pixels, row, numbers, plane);
    } else {
      const int16_t *from = room->pixels;
      if (tile->k[0] > 1) {
        down(row, room->pixels, row, room->down, row);
        from = room->down;
      }
      for (size_t i = 0; i < tile->t[0]; i++) {
        for (size_t j = 0; j < strip.tiles; j++) {
          along(in, from + i * row + j * tile->n[1] * in, in, numbers + i * tile->t[1] * plane + j * in, plane);
        }
      }
    }
    at += strip.tiles;
  }
}

static void multiply(const struct neonsim_step *step, size_t tiles, const struct room *room) {
  const struct neonsim_family *int16_gemm = int16_family_of(step);
  const size_t in = room_of(step), out = step->layer.output_channels;
  const struct neonsim_requant requant = {.finish = FINISH_S32};
  for (size_t position = 0; position < numbers_of(step); position++) {
    const uint8_t *packed = step->packed + position * step->group_bytes;
    const int16_t *numbers = room->numbers + position * tiles * in;
    int32_t *sums = room->sums + position * tiles * out;
    for (size_t i = 0; i < step->panel_count; i++) {
      const struct neonsim_panel *panel = &step->panels[i];
      const size_t tallest = neonsim_min(max_rows(step), int16_gemm->tiles_at_once * int16_gemm->max_rows[panel->vectors - 1]);
      const size_t calls = neonsim_ceil_div(tiles, tallest), rows = tiles / calls, taller = tiles % calls;
      for (size_t row = 0, call = 0; call < calls; call++) {
        const size_t height = rows + (call < taller);
        for (size_t j = 0; j < height; j++) {
          room->pointers[j] = numbers + (row + j) * in;
        }
        int16_gemm->gemm(FINISH_S32, panel->vectors,
                         height)(height, step->groups_per_tap, 1, room->pointers, packed + panel->offset, NULL,
                                 (uint8_t *)(sums + row * out + panel->column), 4 * out, panel->columns, &requant);
        row += height;
      }
    }
  }
}

/* Behind the panels: int32 biases and float scales of all channels. */
static int32_t *biases_of(const struct neonsim_step *step) {
  return (int32_t *)(void *)(step->packed + numbers_of(step) * step->group_bytes);
}
static float *scales_of(const struct neonsim_step *step) {
  return (float *)(void *)(biases_of(step) + step->layer.output_channels);
}

/* A pixel's sums to bytes, or to sums with the bias. */
static void finish_pixel(const struct neonsim_step *step, const int32_t *sums, int32_t *room, uint8_t *out) {
  const size_t channels = step->layer.output_channels;
  const struct neonsim_winograd_kernels *tiles = step->family->winograd;
  const int stay = step->double_scale == NULL && step->requant.finish == FINISH_S32;
  tiles->divide(channels, sums, biases_of(step), step->tile.inverse, step->tile.shift, stay ? (int32_t *)(void *)out : room);
  if (step->double_scale != NULL) {
    neonsim_finish_double_scale(step, 0, 1, channels, (const uint8_t *)room, 0, out, 0);
  } else if (!stay) {
    step->family->requantize(channels, room, scales_of(step), 0, out, &step->requant);
  }
}

/* The numbers of a tile, each with all its channels, to the rows of its results, and those to pixels; what lies between stays in the
 * first cache. */
static void transform_sums(const struct neonsim_step *step, size_t begin, size_t end, const struct room *room) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_winograd_tile *tile = &step->tile;
  const size_t out = layer->output_channels, plane = (end - begin) * out, line = tile->t[1] * out;
  const neonsim_winograd_destination down = step->family->winograd->destination[tile->program[0]];
  const neonsim_winograd_destination along = step->family->winograd->destination[tile->program[1]];
  int32_t *const divided = room->line + tile->n[1] * out;
  for (size_t at = begin; at < end; at++) {
    const struct strip strip = strip_at(step, at, end);
    const int32_t *const sums = room->sums + (at - begin) * out;
    const size_t wide = neonsim_min(tile->n[1], layer->output_width - strip.x * tile->n[1]);
    for (size_t i = 0; tile->k[0] > 1 && i < tile->t[1]; i++) {
      down(out, sums + i * plane, tile->t[1] * plane, room->results + i * out, line);
    }
    for (size_t i = 0; i < tile->n[0] && strip.y * tile->n[0] + i < layer->output_height; i++) {
      const size_t y = strip.image * layer->output_height + strip.y * tile->n[0] + i;
      uint8_t *to = step->arena + layer->output + (y * layer->output_width + strip.x * tile->n[1]) * layer->output_stride;
      const int32_t *row = tile->k[0] > 1 ? room->results + i * line : sums;
      if (tile->k[1] > 1) {
        along(out, row, tile->k[0] > 1 ? out : plane, room->line, out);
        row = room->line;
      }
      for (size_t j = 0; j < wide; j++) {
        finish_pixel(step, row + j * out, divided, to + j * layer->output_stride);
      }
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

/* ---- planning --------------------------------------------------------------------------------------------------------------- */

/* A window of one channel to the numbers of a tile. */
static void transform_window(const struct neonsim_step *step, size_t channel, size_t k, int16_t numbers[MOST * MOST]) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_winograd_tile *tile = &step->tile;
  const size_t in = layer->input_channels, taps = tile->k[1];
  int32_t down[MOST][TAPS];
  for (size_t i = 0; i < tile->t[0]; i++) {
    for (size_t x = 0; x < taps; x++) {
      down[i][x] = 0;
      for (size_t y = 0; y < tile->k[0]; y++) {
        const int32_t factor = tile->k[0] > 1 ? matrices[tile->program[0]][i][y] : 1;
        down[i][x] += factor * neonsim_weight(layer, ((channel * tile->k[0] + y) * taps + x) * in + k);
      }
    }
  }
  for (size_t i = 0; i < numbers_of(step); i++) {
    int32_t sum = 0;
    for (size_t x = 0; x < taps; x++) {
      sum += (taps > 1 ? matrices[tile->program[1]][i % tile->t[1]][x] : 1) * down[i / tile->t[1]][x];
    }
    numbers[i] = (int16_t)sum;
  }
}

/* The lane of a panel's registers that holds one of its columns; see network.h. */
static size_t position_of(const struct neonsim_step *step, const struct neonsim_panel *panel, size_t column) {
  const size_t lanes = int16_family_of(step)->lanes, four = column / 4;
  return step->family->winograd->in_order ? column : four % panel->vectors * lanes + 4 * (four / panel->vectors) + column % 4;
}

/* The weights of every number of a tile as panels without biases; biases and scales behind them. */
static void pack(const struct neonsim_step *step) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_family *int16_gemm = int16_family_of(step);
  const size_t many = numbers_of(step), depth = int16_gemm->depth;
  for (size_t i = 0; i < step->panel_count; i++) {
    const struct neonsim_panel *panel = &step->panels[i];
    const size_t per_register = panel->vectors * int16_gemm->lanes;
    for (size_t column = 0; column < panel->columns; column++) {
      const size_t lane = position_of(step, panel, column);
      for (size_t k = 0; k < layer->input_channels; k++) {
        int16_t numbers[MOST * MOST];
        transform_window(step, panel->column + column, k, numbers);
        const size_t at = (k / depth * per_register + lane) * depth + k % depth;
        for (size_t position = 0; position < many; position++) {
          int16_t *to = (int16_t *)(void *)(step->packed + position * step->group_bytes + panel->offset + 8 * per_register);
          to[at] = numbers[position];
        }
      }
    }
  }
  for (size_t channel = 0; channel < layer->output_channels; channel++) {
    biases_of(step)[channel] = neonsim_bias(layer, channel);
    scales_of(step)[channel] = neonsim_scale(layer, channel);
  }
}

static int32_t cut_columns(struct neonsim_step *step) {
  const struct neonsim_family *int16_gemm = int16_family_of(step);
  NEONSIM_CHECK(neonsim_cut_panels(step, step->layer.output_channels, int16_gemm->lanes, int16_gemm->max_vectors));
  for (size_t i = 0; i < step->panel_count; i++) {
    step->panels[i].offset = step->group_bytes;
    step->group_bytes += neonsim_lines((8 + 2 * room_of(step)) * step->panels[i].vectors * int16_gemm->lanes);
  }
  return NEONSIM_SUCCESS;
}

/* What the member with most to do has to do where tiles are cut in blocks of so many and tasks are shared as run.c does: tiles, and what a
 * pass over the weights costs for each call of a kernel and each task, in tiles. */
static size_t max_work(size_t tiles, size_t block, size_t height, size_t members) {
  enum { CALL = 2, TASK = 1 };
  const size_t tasks = neonsim_ceil_div(tiles, block), last = tiles - (tasks - 1) * block;
  size_t most = 0;
  for (size_t member = 0; member < members; member++) {
    const size_t first = tasks * member / members, end = tasks * (member + 1) / members;
    const size_t whole = end - first - (end == tasks && end > first);
    size_t work = whole * (block + CALL * neonsim_ceil_div(block, height) + TASK);
    if (end == tasks && end > first) {
      work += last + CALL * neonsim_ceil_div(last, height) + TASK;
    }
    most = work > most ? work : most;
  }
  return most;
}

/* Tiles in blocks whose numbers stay in the second cache; each task passes over all weights once, so that where these are too many for
 * it there are no more tasks than threads. Of those the blocks that leave the least to the busiest, the largest if several do. */
static void cut_tasks(struct neonsim_step *step, size_t threads) {
  const size_t many = numbers_of(step), height = int16_family_of(step)->max_rows[0];
  const size_t in = room_of(step), out = step->layer.output_channels;
  const size_t bytes = many * (2 * in + 4 * out), weights = 2 * many * in * out;
  const size_t wanted = threads == 1 ? 1 : weights < CACHE ? TASKS_PER_THREAD * threads : threads;
  const size_t share = neonsim_ceil_div(neonsim_ceil_div(step->rows, wanted), height) * height;
  const size_t room = CACHE / bytes < height ? height : CACHE / bytes / height * height;
  const size_t largest = neonsim_min(neonsim_min(share, room), step->rows);
  step->row_block = largest;
  size_t least = max_work(step->rows, largest, height, threads);
  for (size_t block = largest - 1; block >= (largest + 1) / 2; block--) {
    const size_t work = max_work(step->rows, block, height, threads);
    if (work < least) {
      least = work;
      step->row_block = block;
    }
  }
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  step->tasks = step->row_blocks;
}

/* The transforms along one axis; false: there are none. */
static int find(struct neonsim_winograd_tile *tile, size_t axis, size_t n, size_t taps) {
  tile->k[axis] = taps;
  tile->n[axis] = taps > 1 ? n : 1;
  tile->t[axis] = tile->n[axis] + taps - 1;
  tile->program[axis] = 0;
  for (size_t i = 0; taps > 1 && i < NEONSIM_INTEGER_PROGRAMS; i++) {
    if (programs[i].n == n && programs[i].k == taps) {
      tile->program[axis] = i;
      tile->inverse *= programs[i].inverse;
      tile->shift += programs[i].shift;
      return 1;
    }
  }
  return taps == 1;
}

static int32_t check(struct neonsim_step *step) {
  enum { LARGEST = 255 /* of a byte or a weight less its zero point */ };
  const struct neonsim_layer *layer = &step->layer;
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  struct neonsim_winograd_tile *tile = &step->tile;
  const size_t taps[] = {layer->kernel_height, layer->kernel_width};
  const size_t n = 2 + (size_t)(layer->algorithm - NEONSIM_ALGORITHM_WINOGRAD_2);
  double source = LARGEST, weights = LARGEST;
  tile->inverse = 1;
  tile->shift = 0;
  NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "its algorithm", layer->algorithm, NEONSIM_ALGORITHM_WINOGRAD_2,
                                NEONSIM_ALGORITHM_WINOGRAD_8));
  for (size_t i = 0; i < 2; i++) {
    if (!find(tile, i, n, taps[i])) {
      return neonsim_refuse(&step->refusal, wrong, "taps of its kernel along an axis, of which there are no such tiles");
    }
    source *= taps[i] > 1 ? programs[tile->program[i]].source : 1;
    weights *= taps[i] > 1 ? programs[tile->program[i]].weights : 1;
  }
  NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "taps of its kernel", (double)(taps[0] * taps[1]), 2, TAPS * TAPS));
  NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "the largest number of its tiles", source, 0, INT16_MAX));
  NEONSIM_CHECK(neonsim_require(&step->refusal, wrong, "the largest of its transformed weights", weights, 0, INT16_MAX));
  return check_ones(step);
}

int32_t neonsim_plan_winograd(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  NEONSIM_CHECK(check(step));
  const size_t many = numbers_of(step), out = layer->output_channels;
  int32_t center = 0;
  const double limit = neonsim_judge_weights(layer, &center);
  /* What is left of 32 bits when the shift has taken its own. */
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the largest sum of its products", limit, 0,
                                (double)(INT32_MAX >> step->tile.shift)));
  NEONSIM_CHECK(neonsim_plan_requant(step, limit));
  /* Tiles of an image lie in `taps` columns and `tap_depth` rows. */
  step->taps = neonsim_ceil_div(layer->output_width, step->tile.n[1]);
  step->tap_depth = neonsim_ceil_div(layer->output_height, step->tile.n[0]);
  step->rows = (size_t)layer->batch * step->taps * step->tap_depth;
  step->groups_per_tap = neonsim_ceil_div(layer->input_channels, int16_family_of(step)->depth);
  const size_t lanes = int16_family_of(step)->lanes;
  if (neonsim_times(neonsim_times(room_of(step) + 4 + NEONSIM_LINE, out + lanes), 2 * many) > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights");
  }
  cut_tasks(step, threads);
  struct room room;
  step->scratch_bytes = cut_room(step, NULL, &room);
  NEONSIM_CHECK(cut_columns(step));
  NEONSIM_CHECK(neonsim_allocate_step(step, step->group_bytes * many + 8 * out, 0, 0));
  pack(step);
  step->run = run_tiles;
  return NEONSIM_SUCCESS;
}
