/* Convolutions and fully connected layers of float32, the definition's own way: rows are output pixels, read through one pointer
 * per tap (row_addressing.c) or one per line of taps, columns are output channels in panels of registers, and each sum is one chain.
 *
 * Other algorithms are chosen in neonsim_plan_f32_conv. */
#include "network/gemm/gemm.h"
#include "network/float32/float32.h"

/* Bytes that stay in the second cache: all weights, while tiles pass; or those of a panel and the rows of a block. */
enum { CACHE_WEIGHTS = 640 * 1024, CACHE_ROWS = 256 * 1024, TASKS_PER_THREAD = 5, FEW_NUMBERS = 16, MAX_TAPS = 1024 };

static const struct neonsim_f32_kernels *kernels_of(const struct neonsim_step *step) { return step->family->f32; }

int32_t neonsim_cut_f32_panels(struct neonsim_step *step, size_t columns, size_t depth) {
  const size_t lanes = kernels_of(step)->lanes, register_bytes = (1 + depth) * lanes * sizeof(float);
  NEONSIM_CHECK(neonsim_cut_panels(step, columns, lanes, kernels_of(step)->max_vectors));
  for (size_t i = 0; i < step->panel_count; i++) {
    step->panels[i].offset = step->group_bytes;
    step->group_bytes += neonsim_lines(step->panels[i].vectors * register_bytes);
  }
  return NEONSIM_SUCCESS;
}

/* Blocks of rows, and of panels, so that there are tasks for all threads; whole tiles as far as that goes. */
static void cut_tasks(struct neonsim_step *step, size_t threads) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t tile = kernels_of(step)->max_rows, wanted = threads == 1 ? 1 : TASKS_PER_THREAD * threads;
  const size_t row_bytes = (size_t)layer->stride_height * layer->stride_width * layer->input_channels / layer->groups;
  size_t block = step->group_bytes <= CACHE_WEIGHTS ? step->rows : CACHE_ROWS / (row_bytes + 1) / tile * tile;
  if (step->group_bytes <= CACHE_WEIGHTS && wanted > 1) {
    block = neonsim_ceil_div(neonsim_ceil_div(step->rows * layer->groups, wanted), tile) * tile;
  }
  block = block < tile ? tile : block;
  const size_t even = neonsim_ceil_div(step->rows, neonsim_ceil_div(step->rows, block));
  step->row_block = neonsim_min(neonsim_ceil_div(even, tile) * tile, step->rows);
  step->row_blocks = neonsim_ceil_div(step->rows, step->row_block);
  const size_t panel_tasks = neonsim_min(step->panel_count, neonsim_ceil_div(wanted, layer->groups * step->row_blocks));
  step->panels_at_once = neonsim_ceil_div(step->panel_count, panel_tasks);
  step->panel_tasks = neonsim_ceil_div(step->panel_count, step->panels_at_once);
  step->tasks = layer->groups * step->row_blocks * step->panel_tasks;
}

static size_t pointer_bytes(const struct neonsim_step *step) {
  return neonsim_lines(step->taps * kernels_of(step)->max_rows * sizeof(void *));
}

/* Panels low .. high - 1 of rows begin .. end - 1. */
static void run_block(const struct neonsim_step *step, size_t group, size_t low, size_t high, size_t begin, size_t end,
                      uint8_t *scratch) {
  const struct neonsim_layer *layer = &step->layer;
  const struct neonsim_f32_kernels *f32 = kernels_of(step);
  const uint8_t *input = step->arena + layer->input + group * (layer->input_channels / layer->groups);
  const uint8_t *packed = step->packed + group * step->group_bytes;
  uint8_t *out = step->arena + layer->output + group * (layer->output_channels / layer->groups) * sizeof(float);
  const void **pointers = (const void **)(void *)scratch;
  const size_t tiles = neonsim_ceil_div(end - begin, f32->max_rows), rows = (end - begin) / tiles, taller = (end - begin) % tiles;
  struct neonsim_row_cursor walk = neonsim_start_at(step, input, begin);
  for (size_t row = begin, tile = 0; tile < tiles; tile++) {
    const size_t height = rows + (tile < taller);
    switch (step->reading) {
      case ROWS_EVEN: neonsim_find_even_rows(step, input, row, height, pointers); break;
      case ROWS_BY_LINE: neonsim_find_lines(step, &walk, height, pointers, scratch + pointer_bytes(step)); break;
      default: neonsim_find_rows(&walk, height, pointers); break;
    }
    for (size_t i = low; i < high; i++) {
      const struct neonsim_panel *panel = &step->panels[i];
      const struct neonsim_f32_tile call = {
          .taps = step->taps,
          .depth = step->tap_depth,
          .apart = height,
          .pointers = pointers,
          .panel = (const float *)(const void *)(packed + panel->offset),
          .out = out + row * layer->output_stride + panel->column * sizeof(float),
          .out_stride = layer->output_stride,
          .columns = panel->columns,
          .limits = step->limits,
      };
      f32->tiles[panel->vectors - 1][height - 1](&call);
    }
    row += height;
  }
}

static void run_conv(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  const size_t group = task / (step->row_blocks * step->panel_tasks), within = task % (step->row_blocks * step->panel_tasks);
  /* Tasks of the same rows follow each other where they share weights that stay in the cache. */
  const size_t low = within % step->panel_tasks * step->panels_at_once;
  const size_t high = neonsim_min(low + step->panels_at_once, step->panel_count);
  const size_t begin = within / step->panel_tasks * step->row_block, end = neonsim_min(begin + step->row_block, step->rows);
  if (step->group_bytes <= CACHE_WEIGHTS) {
    run_block(step, group, low, high, begin, end, scratch);
    return;
  }
  for (size_t panel = low; panel < high; panel++) {
    run_block(step, group, panel, panel + 1, begin, end, scratch);
  }
}

static enum neonsim_rows choose_reading(const struct neonsim_layer *layer) {
  const size_t depth = layer->input_channels / layer->groups;
  if (neonsim_taps(layer) == 1) {
    return neonsim_pixels_are_rows(layer) ? ROWS_EVEN : ROWS_BY_TAP;
  }
  const int touch = layer->input_stride == depth && layer->dilation_width == 1 && layer->kernel_width > 1;
  return touch && depth < FEW_NUMBERS * sizeof(float) ? ROWS_BY_LINE : ROWS_BY_TAP;
}

/* Weights of a panel: tap by tap, depth by depth, a register after the other. Those of columns that are not there stay zero. */
static void pack_panel(const struct neonsim_step *step, float *out, size_t first, const struct neonsim_panel *panel) {
  const size_t lanes = kernels_of(step)->lanes * panel->vectors, depths = step->taps * step->tap_depth;
  for (size_t column = 0; column < panel->columns; column++) {
    const size_t channel = first + panel->column + column;
    out[column] = neonsim_number(step->layer.bias, channel);
    for (size_t i = 0; i < depths; i++) {
      out[(1 + i) * lanes + column] = neonsim_number(step->layer.weights, channel * depths + i);
    }
  }
}

static int32_t plan_direct(struct neonsim_step *step, size_t threads) {
  struct neonsim_layer *layer = &step->layer;
  const size_t columns = layer->output_channels / layer->groups, tile = kernels_of(step)->max_rows;
  /* From here on channels of the input count bytes, as those of all other layers: row_addressing.c moves bytes. */
  layer->input_channels *= (uint32_t)sizeof(float);
  layer->input_zero_point = 0;
  step->rows = (size_t)layer->batch * layer->output_height * layer->output_width;
  step->reading = choose_reading(layer);
  step->taps = step->reading == ROWS_BY_LINE ? layer->kernel_height : neonsim_taps(layer);
  const size_t depths = neonsim_taps(layer) * (layer->input_channels / layer->groups) / sizeof(float);
  step->tap_depth = depths / step->taps;
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_SIZE_TOO_LARGE, NEONSIM_TAPS_OF_KERNEL, (double)step->taps, 1, MAX_TAPS));
  const size_t row_bytes = step->tap_depth * sizeof(float);
  step->groups_per_tap = neonsim_ceil_div(row_bytes, step->family->depth); /* room for a line, as row_addressing.c counts it */
  step->scratch_bytes = pointer_bytes(step) + NEONSIM_SLACK;
  if (step->reading == ROWS_BY_LINE) {
    step->scratch_bytes += tile * step->taps * step->groups_per_tap * step->family->depth;
  }
  const size_t lanes = kernels_of(step)->lanes, whole = neonsim_ceil_div(columns, lanes) * lanes * layer->groups;
  if (neonsim_times(whole * sizeof(float), depths + 2 + NEONSIM_LINE) > PTRDIFF_MAX / 2) {
    return neonsim_refuse(&step->refusal, NEONSIM_SIZE_TOO_LARGE, "the size of its packed weights");
  }
  NEONSIM_CHECK(neonsim_cut_f32_panels(step, columns, step->taps * step->tap_depth));
  cut_tasks(step, threads);
  NEONSIM_CHECK(neonsim_allocate_step(step, step->group_bytes * layer->groups, row_bytes, 0));
  for (size_t group = 0; group < layer->groups; group++) {
    for (size_t i = 0; i < step->panel_count; i++) {
      uint8_t *panel = step->packed + group * step->group_bytes + step->panels[i].offset;
      pack_panel(step, (float *)(void *)panel, group * columns, &step->panels[i]);
    }
  }
  step->run = run_conv;
  return NEONSIM_SUCCESS;
}

int32_t neonsim_plan_f32_conv(struct neonsim_step *step, size_t threads) {
  NEONSIM_CHECK(neonsim_keep_limits(step));
  switch (step->layer.algorithm) {
    case NEONSIM_ALGORITHM_DIRECT: return plan_direct(step, threads);
    case NEONSIM_ALGORITHM_WINOGRAD_2:
    case NEONSIM_ALGORITHM_WINOGRAD_3:
    case NEONSIM_ALGORITHM_WINOGRAD_4:
    case NEONSIM_ALGORITHM_WINOGRAD_5:
    case NEONSIM_ALGORITHM_WINOGRAD_6:
    case NEONSIM_ALGORITHM_WINOGRAD_7:
    case NEONSIM_ALGORITHM_WINOGRAD_8: return neonsim_plan_f32_winograd(step, threads);
    default: return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER, "its algorithm");
  }
}
