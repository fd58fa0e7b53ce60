/* GEMM, convolutions and fully connected layers: weights packed into panels (pack.c), rows cut into tiles (row_addressing.c), a kernel call for each tile of
 * each panel. */
#include <string.h>

#include "network/gemm/strassen.h"

/* CACHE_...: bytes that stay in a cache. */
enum {
  CACHE_ROWS = 128 * 1024,
  CACHE_PANELS = 24 * 1024,
  CACHE_PANEL = 40 * 1024,
  GATHERED = 192 * 1024,
  TASKS_PER_THREAD = 5,
  MIN_ROWS_OF_RUNS = 6,
  FEW_CHANNELS = 64
};

/* Depths of a tap, as the kernels count taps. */
static size_t depth_of_tap(const struct neonsim_layer *layer, enum neonsim_rows reading) {
  const size_t depth = layer->input_channels / layer->groups;
  return reading == ROWS_GATHERED ? neonsim_taps(layer) * depth : reading == ROWS_BY_LINE ? layer->kernel_width * depth : depth;
}

int32_t neonsim_cut_panels(struct neonsim_step *step, size_t columns, size_t lanes, size_t widest) {
  const size_t registers = neonsim_ceil_div(columns, lanes);
  step->group_bytes = 0;
  step->panel_count = neonsim_ceil_div(registers, widest);
  step->panels = neonsim_allocate(step->panel_count * sizeof *step->panels);
  if (step->panels == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  size_t first = 0;
  for (size_t i = 0; i < step->panel_count; i++) {
    struct neonsim_panel *panel = &step->panels[i];
    panel->vectors = (uint32_t)(registers / step->panel_count + (i < registers % step->panel_count));
    panel->column = (uint32_t)first;
    panel->columns = (uint32_t)neonsim_min(panel->vectors * lanes, columns - first);
    first += panel->columns;
  }
  return NEONSIM_SUCCESS;
}

static int32_t cut_columns(struct neonsim_step *step, size_t columns) {
  const struct neonsim_family *family = step->family;
  if (family->is_strassen) {
    return neonsim_cut_strassen_panels(step, columns);
  }
  const size_t register_bytes = step->taps * step->groups_per_tap * family->lanes * family->depth * family->weight_bytes;
  /* Deep panels are narrower and their tiles taller, so that a panel stays in the first cache while tiles pass. */
  const size_t widest = step->rows == 1 || family->int16_accumulation || register_bytes * family->max_vectors <= CACHE_PANEL
                            ? family->max_vectors
                            : (family->max_vectors + 1) / 2;
  NEONSIM_CHECK(neonsim_cut_panels(step, columns, family->lanes, widest));
  for (size_t i = 0; i < step->panel_count; i++) {
    struct neonsim_panel *panel = &step->panels[i];
    const size_t weights = family->int16_accumulation
                               ? neonsim_int16_run_bytes(&step->runs[i], (size_t)family->lanes * family->depth, panel->vectors)
                               : register_bytes * panel->vectors;
    panel->offset = step->group_bytes;
    step->group_bytes += neonsim_lines(8 * panel->vectors * family->lanes + weights);
  }
  return NEONSIM_SUCCESS;
}

/* Rows in blocks that stay in the cache while all panels pass, or all panels at once where they stay there; and at least
 * TASKS_PER_THREAD tasks for each thread as long as that leaves whole tiles (X42). */
static void cut_tasks(struct neonsim_step *step, size_t threads) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t tile = step->family->max_rows[step->panels[0].vectors - 1];
  const size_t row_bytes = neonsim_taps(layer) * layer->input_channels / layer->groups;
  const size_t wanted = threads == 1 ? 1 : TASKS_PER_THREAD * threads;
  size_t block = step->group_bytes <= CACHE_PANELS ? 8 * tile : CACHE_ROWS / (row_bytes + 1) / tile * tile;
  block = block < tile ? tile : block;
  const size_t others = layer->groups;
  if (wanted > 1 && others * neonsim_ceil_div(step->rows, block) < wanted) {
    const size_t share = neonsim_ceil_div(neonsim_ceil_div(step->rows * others, wanted), tile) * tile;
    block = neonsim_min(block, share < 4 * tile ? 4 * tile : share);
  }
  /* As even as whole tiles allow: every block passes over all weights, one of a single row too. */
  const size_t even = neonsim_ceil_div(step->rows, neonsim_ceil_div(step->rows, block)),
               whole = step->family->is_strassen ? 2 : tile;
  step->row_block = neonsim_min(neonsim_ceil_div(even, whole) * whole, step->rows);
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  const size_t panel_tasks = neonsim_min(step->panel_count, neonsim_ceil_div(wanted, others * step->row_blocks));
  step->panels_at_once = neonsim_ceil_div(step->panel_count, panel_tasks);
  step->panel_tasks = neonsim_ceil_div(step->panel_count, step->panels_at_once);
  step->tasks = others * step->row_blocks * step->panel_tasks;
}

/* Every byte of the copies, for kernels that multiply signed ones. */
static void flip_rows(uint8_t *bytes, size_t count, uint8_t flip) {
  for (size_t i = 0; i < count; i++) {
    bytes[i] ^= flip;
  }
}

/* Bytes of a result in the arena. */
static size_t result_bytes(const struct neonsim_step *step) {
  return step->double_scale != NULL ? 1 : neonsim_result_bytes(step->requant.finish);
}

/* The widest row of a panel's sums. */
static size_t sums_stride(const struct neonsim_step *step) {
  return sizeof(int32_t) * step->family->max_vectors * step->family->lanes;
}

/* A kernel call for each panel of a tile of rows. channel: the group's first; room: for a panel's sums. */
static void run_tile(const struct neonsim_step *step, const uint8_t *packed, size_t low, size_t high, size_t rows,
                     const void *const *pointers, size_t channel, uint8_t *out, uint8_t *room) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_family *family = step->family;
  const size_t width = result_bytes(step);
  int32_t sums[NEONSIM_MAX_ROWS];
  if (step->sum_factor != 0) {
    family->row_sums(rows, step->tap_depth, step->taps, pointers, step->sum_factor, sums);
  }
  const int32_t *corrections = step->sum_factor != 0 ? sums : NULL;
  const int by_panels = family->panels != NULL && (step->double_scale == NULL || family->is_strassen);
  if (by_panels && family->panels(step, low, high, rows, pointers, packed, corrections, out, room)) {
    return;
  }
  for (size_t i = low; i < high; i++) {
    const struct neonsim_panel *panel = &step->panels[i];
    if (step->double_scale != NULL) {
      family->gemm(FINISH_S32, panel->vectors, rows)(rows, step->groups_per_tap, step->taps, pointers, packed + panel->offset,
                                                     corrections, room, sums_stride(step), panel->columns, &step->requant);
      neonsim_finish_double_scale(step, channel + panel->column, rows, panel->columns, room, sums_stride(step), out + panel->column,
                                  layer->output_stride);
      continue;
    }
    family->gemm(step->requant.finish, panel->vectors, rows)(rows, step->groups_per_tap, step->taps, pointers,
                                                             packed + panel->offset, corrections, out + panel->column * width,
                                                             layer->output_stride, panel->columns, &step->requant);
  }
}

/* Rows of a kernel call; gathered ones stay in the second cache. Their pointers come first in scratch memory. */
static size_t max_rows(const struct neonsim_step *step) {
  const struct neonsim_family *family = step->family;
  const size_t tile = family->max_rows[0], width = family->is_strassen ? sizeof(int16_t) : family->weight_bytes;
  const size_t row_bytes = step->groups_per_tap * family->depth * width;
  const size_t room = step->reading == ROWS_GATHERED || family->is_strassen ? GATHERED / (tile * row_bytes) : family->tiles_at_once;
  return neonsim_min(NEONSIM_MAX_ROWS, tile * neonsim_min(family->tiles_at_once, room < 1 ? 1 : room));
}

static size_t pointer_bytes(const struct neonsim_step *step) { return neonsim_lines(step->taps * max_rows(step) * sizeof(void *)); }

/* What a family asks for, or the sums of a tile; behind the pointers. */
static size_t room_bytes(const struct neonsim_step *step) {
  return step->family->room != NULL   ? step->family->room(step, max_rows(step))
         : step->double_scale == NULL ? 0
                                      : max_rows(step) * sums_stride(step);
}

static void run_gemm(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
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
  const size_t width = result_bytes(step);
  uint8_t *out = step->arena + layer->output + group * columns * width;
  /* All panels while a tile is at hand if they stay in the cache, or if the kernels take them in one go; else panel by panel over the
   * block. */
  const int tile_first = step->reading == ROWS_GATHERED || step->group_bytes <= CACHE_PANELS || family->panels != NULL;
  const void **pointers = (const void **)(void *)scratch;
  scratch += pointer_bytes(step);
  uint8_t *const room = scratch;
  scratch += room_bytes(step);
  const unsigned begun = family->begin != NULL ? family->begin(step->groups_per_tap, step->requant.finish) : 0;
  for (size_t low = first_panel, high; low < last_panel; low = high) {
    high = tile_first ? last_panel : low + 1;
    /* The tallest tile that all these panels take; tiles as even as can be. */
    size_t tallest = max_rows(step);
    for (size_t i = low; i < high; i++) {
      tallest = neonsim_min(tallest, family->tiles_at_once * family->max_rows[step->panels[i].vectors - 1]);
    }
    const size_t tiles = neonsim_ceil_div(end - begin, tallest), even = (end - begin) / tiles, taller = (end - begin) % tiles;
    struct neonsim_row_cursor walk = neonsim_start_at(step, input, begin);
    for (size_t row = begin, tile = 0; tile < tiles; tile++) {
      const size_t rows = even + (tile < taller);
      switch (step->reading) {
        case ROWS_EVEN: neonsim_find_even_rows(step, input, row, rows, pointers); break;
        case ROWS_BY_TAP: neonsim_find_rows(&walk, rows, pointers); break;
        case ROWS_BY_LINE: neonsim_find_lines(step, &walk, rows, pointers, scratch); break;
        case ROWS_GATHERED: neonsim_gather_rows(step, &walk, rows, pointers, scratch); break;
      }
      if (step->flip != 0) {
        flip_rows(scratch, rows * step->tap_depth, step->flip);
      }
      run_tile(step, packed, low, high, rows, pointers, group * columns, out + row * layer->output_stride, room);
      row += rows;
    }
  }
  if (family->end != NULL) {
    family->end(step->requant.finish, begun);
  }
  if (step->fused_add != NULL) {
    neonsim_add_block(step->fused_add, begin, end);
  }
}

int neonsim_writes_full_rows(const struct neonsim_step *step) { return step->layer.groups == 1 && step->panel_tasks == 1; }

static enum neonsim_rows choose_reading(const struct neonsim_layer *layer, const struct neonsim_family *family) {
  const size_t depth = layer->input_channels / layer->groups, taps = neonsim_taps(layer);
  if (family->weight_bytes == 2 || ((family->int16_accumulation || family->is_strassen) && taps > 1) ||
      (family->flips != NULL && family->flips(layer))) {
    return ROWS_GATHERED;
  }
  if (taps == 1) {
    return neonsim_pixels_are_rows(layer) ? ROWS_EVEN : ROWS_BY_TAP;
  }
  const int touch = layer->input_stride == depth && layer->dilation_width == 1;
  if (touch && layer->kernel_width > 1 && depth < FEW_CHANNELS) {
    return ROWS_BY_LINE;
  }
  return depth % family->depth == 0 ? ROWS_BY_TAP : ROWS_GATHERED;
}

int32_t neonsim_plan_gemm(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_SIZE_TOO_LARGE, NEONSIM_TAPS_OF_KERNEL, (double)neonsim_taps(layer), 1,
                                NEONSIM_MAX_TAPS));
  step->rows = (size_t)layer->batch * layer->output_height * layer->output_width;
  const size_t groups = neonsim_ceil_div(depth_of_tap(layer, choose_reading(layer, step->family)), step->family->depth);
  if (step->family->shallow != NULL && (groups < step->family->min_groups || step->rows < step->family->min_rows)) {
    step->family = step->family->shallow;
  }
  if (step->family->int16_family != NULL && step->rows >= MIN_ROWS_OF_RUNS) {
    NEONSIM_CHECK(neonsim_plan_int16_runs(step, step->family->int16_family));
    step->family = step->runs != NULL ? step->family->int16_family : step->family;
  }
  if (step->family->strassen != NULL) {
    step->choice.strassen = neonsim_choose_strassen(step);
    step->family = step->choice.strassen == NEONSIM_STRASSEN_USED ? step->family->strassen : step->family;
  }
  const struct neonsim_family *family = step->family;
  int32_t center = 0;
  NEONSIM_CHECK(neonsim_plan_requant(step, neonsim_judge_weights(layer, &center)));
  step->reading = choose_reading(layer, family);
  step->tap_depth = depth_of_tap(layer, step->reading);
  step->taps = neonsim_taps(layer) * (layer->input_channels / layer->groups) / step->tap_depth;
  step->groups_per_tap = neonsim_ceil_div(step->tap_depth, family->depth);
  if (family->max_groups != 0) {
    const size_t chunks = neonsim_ceil_div(step->groups_per_tap, family->max_groups);
    step->groups_per_tap = neonsim_ceil_div(step->groups_per_tap, chunks) * chunks;
  }
  step->scratch_bytes = pointer_bytes(step) + room_bytes(step) + NEONSIM_SLACK;
  const size_t row_bytes = step->taps * step->groups_per_tap * family->depth * family->weight_bytes;
  const size_t columns = neonsim_ceil_div(layer->output_channels / layer->groups, family->lanes) * family->lanes;
  if (neonsim_times(columns * layer->groups, row_bytes + 3 * NEONSIM_LINE) > PTRDIFF_MAX / 2 ||
      neonsim_times(max_rows(step), row_bytes) > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights or gathered rows");
  }
  if (step->reading == ROWS_GATHERED || step->reading == ROWS_BY_LINE) {
    step->scratch_bytes += max_rows(step) * row_bytes;
  }
  step->sum_factor = family->row_sums != NULL ? center - layer->weight_zero_point : 0;
  step->flip = family->flips != NULL && family->flips(layer) ? 0x80 : 0;
  NEONSIM_CHECK(cut_columns(step, layer->output_channels / layer->groups));
  cut_tasks(step, threads);
  NEONSIM_CHECK(neonsim_allocate_step(step, step->group_bytes * layer->groups, step->tap_depth, layer->input_zero_point));
  for (size_t group = 0; group < layer->groups; group++) {
    for (size_t i = 0; i < step->panel_count; i++) {
      neonsim_pack_panel(step, step->packed + group * step->group_bytes + step->panels[i].offset,
                         group * (layer->output_channels / layer->groups), &step->panels[i], center);
    }
  }
  neonsim_release_int16_runs(step);
  step->run = run_gemm;
  return NEONSIM_SUCCESS;
}
