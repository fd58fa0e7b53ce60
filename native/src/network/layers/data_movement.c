/* Bytes picked axis by axis, and images of another size: both go by tables, which were checked before (check.c). */
#include "network/network.h"

enum { TASK_BYTES = 16384 };

/* The caller's table, kept: its numbers are aligned from now on. */
static int32_t keep_table(struct neonsim_step *step) {
  NEONSIM_CHECK(neonsim_allocate_step(step, sizeof(int32_t) * step->layer.scales, 0, 0));
  memcpy(step->packed, step->layer.bias, step->packed_bytes);
  return NEONSIM_SUCCESS;
}

static const int32_t *table_of(const struct neonsim_step *step) { return (const int32_t *)(const void *)step->packed; }

/* ---- picked ------------------------------------------------------------------------------------------------------------- */

/* Runs along the last axis. places: where they begin, or -1; in: what the other axes add up to, or NULL where there is nothing. */
static void put_runs(const uint8_t *in, const int32_t *places, size_t count, size_t run, uint8_t fill, uint8_t *out) {
  if (in == NULL) {
    memset(out, fill, count * run);
    return;
  }
  if (run == 1) {
    for (size_t i = 0; i < count; i++) {
      out[i] = places[i] < 0 ? fill : in[places[i]];
    }
    return;
  }
  for (size_t i = 0; i < count; i++, out += run) {
    if (places[i] < 0) {
      memset(out, fill, run);
    } else {
      memcpy(out, in + places[i], run);
    }
  }
}

/* A line: all indices of the last axis, for one choice of the others. */
static size_t lines_per_task(const struct neonsim_step *step) {
  const int32_t *table = table_of(step);
  return 1 + TASK_BYTES / ((size_t)table[0] * (size_t)table[step->layer.groups]);
}

static size_t lines_of(const struct neonsim_step *step) {
  size_t lines = 1;
  for (size_t axis = 1; axis < step->layer.groups; axis++) {
    lines *= (size_t)table_of(step)[axis];
  }
  return lines;
}

static void run_gather(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const int32_t *table = table_of(step), *sizes = table + 1, *places[NEONSIM_MAX_AXES];
  const size_t last = layer->groups - 1, run = (size_t)table[0], count = (size_t)sizes[last];
  places[0] = sizes + layer->groups;
  for (size_t axis = 1; axis <= last; axis++) {
    places[axis] = places[axis - 1] + sizes[axis - 1];
  }
  const size_t first = task * lines_per_task(step), end = neonsim_min(first + lines_per_task(step), lines_of(step));
  for (size_t line = first; line < end; line++) {
    const uint8_t *in = step->arena + layer->input;
    for (size_t axis = last, rest = line; axis-- > 0 && in != NULL; rest /= (size_t)sizes[axis]) {
      const int32_t place = places[axis][rest % (size_t)sizes[axis]];
      in = place < 0 ? NULL : in + place;
    }
    put_runs(in, places[last], count, run, (uint8_t)layer->input_zero_point, step->arena + layer->output + line * count * run);
  }
}

int32_t neonsim_plan_gather(struct neonsim_step *step) {
  NEONSIM_CHECK(keep_table(step));
  step->tasks = neonsim_ceil_div(lines_of(step), lines_per_task(step));
  step->run = run_gather;
  return NEONSIM_SUCCESS;
}

/* ---- resized ------------------------------------------------------------------------------------------------------------ */

/* A pixel between four others. Sums are at most 255 * 2**22 and half of that: an int32. */
static void blend(size_t channels, const uint8_t *const corners[4], int32_t across, int32_t down, uint8_t *out) {
  const uint8_t *top_left = corners[0], *top_right = corners[1], *bottom_left = corners[2], *bottom_right = corners[3];
  for (size_t i = 0; i < channels; i++) {
    const int32_t above = top_left[i] * NEONSIM_BILINEAR_ONE + (top_right[i] - top_left[i]) * across;
    const int32_t below = bottom_left[i] * NEONSIM_BILINEAR_ONE + (bottom_right[i] - bottom_left[i]) * across;
    out[i] = (uint8_t)((above * NEONSIM_BILINEAR_ONE + (below - above) * down + (1 << 21)) >> 22);
  }
}

/* A task is a row of the output. */
static void run_bilinear(const struct neonsim_step *step, size_t task, uint8_t *scratch) {
  (void)scratch;
  const struct neonsim_layer *layer = &step->layer;
  const size_t image = task / layer->output_height, y = task % layer->output_height;
  const int32_t *row = table_of(step) + 3 * y, *column = table_of(step) + 3 * (size_t)layer->output_height;
  const uint8_t *in = step->arena + layer->input + image * layer->input_height * layer->input_width * layer->input_stride;
  const uint8_t *top = in + (size_t)row[0] * layer->input_width * layer->input_stride;
  const uint8_t *bottom = in + (size_t)row[1] * layer->input_width * layer->input_stride;
  uint8_t *out = step->arena + layer->output + task * layer->output_width * layer->output_stride;
  for (size_t x = 0; x < layer->output_width; x++, column += 3, out += layer->output_stride) {
    const size_t left = (size_t)column[0] * layer->input_stride, right = (size_t)column[1] * layer->input_stride;
    const uint8_t *const corners[4] = {top + left, top + right, bottom + left, bottom + right};
    blend(layer->output_channels, corners, column[2], row[2], out);
  }
}

int32_t neonsim_plan_bilinear(struct neonsim_step *step) {
  NEONSIM_CHECK(keep_table(step));
  step->tasks = (size_t)step->layer.batch * step->layer.output_height;
  step->run = run_bilinear;
  return NEONSIM_SUCCESS;
}
