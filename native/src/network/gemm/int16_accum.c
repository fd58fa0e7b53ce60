/* Sums of 16 bits where weights prove that they fit.
 *
 * PMADDUBSW multiplies twice the bytes that PMADDWD does, unsigned times signed, and adds neighbours to 16 bits, where it saturates:
 * right for most weights and wrong for some. Weights are known when a network is planned, bytes of rows are at most 255, so it is known
 * which: the sum of the positive weights, and that of the negative ones, times 255 must fit. That holds for
 *
 *   an entry   four depths of a panel's columns: two pairs, each at most MOST of either sign. Weights for which it does not, or that
 *              are no bytes, are taken in parts that add up to them: the entry comes as often as it has parts
 *   a run      entries whose sums may also be added to each other, in 16 bits, before they are widened to 32: the larger with the
 *              smaller ones, whatever their order in memory, since each entry has the place in the row that it multiplies
 *
 *      run of four     a[o0] * w0 + a[o1] * w1 + a[o2] * w2 + a[o3] * w3     16 bits, 5 multiplying instructions for 16 depths
 *      run of two      a[o4] * w4 + a[o5] * w5                               16 bits, 3 for 8 depths
 *      (PMADDWD                                                              32 bits, 4 for 8 depths)
 *
 * Runs that are not full have entries of zeros. Sums are exact, so their order does not matter. */
#include <stdlib.h>
#include <string.h>

#include "network/gemm/gemm.h"

enum {
  DEPTH = 4,           /* of an entry */
  MOST = 128,          /* 255 * 128 is the last product that fits */
  MAX_PARTS = 4,       /* weights are at most 255 */
  COLUMNS = 16,        /* of a panel at most */
  SIDES = 4 * COLUMNS, /* two pairs of every column, positive and negative */
  OPEN = 32,           /* runs that an entry is tried in */
  FOUR = 4,
  TWO = 2,
  ENOUGH = 4 /* panels to judge by */
};

/* What multiplying costs, in eighths of what PMADDWD takes for as much as an entry: measured on AMD Zen 3 and Zen 5. */
enum { COST_PLAIN = 8, COST_OF_FOUR = 20, COST_OF_TWO = 12, COST_WORTH_IT = 93 /* of a hundred */ };

/* The largest sum of weights of one sign, times 255, of every pair. */
struct sides {
  uint8_t of[SIDES];
};

struct entry {
  struct neonsim_int16_entry entry;
  struct sides sides;
  uint8_t largest;
};

struct run {
  struct sides sides;
  uint32_t count, entries[FOUR];
};

static int32_t weight_of(const struct neonsim_step *step, const struct neonsim_panel *panel, size_t column, size_t k) {
  const size_t depth = step->tap_depth;
  return column < panel->columns && k < depth ? neonsim_weight(&step->layer, (panel->column + column) * depth + k) : 0;
}

/* Parts add up to the weight and are as even as can be: the floor of (weight + part) / parts. */
int32_t neonsim_part_of_weight(int32_t weight, uint32_t part, uint32_t parts) {
  if (parts == 1) {
    return weight;
  }
  const int32_t sum = weight + (int32_t)part, by = (int32_t)parts;
  return sum >= 0 ? sum / by : -((by - 1 - sum) / by);
}

/* Sums of a part of a group; 0 if a pair, or a weight, is too large. */
static int sides_of(const int32_t weights[COLUMNS][DEPTH], uint32_t part, uint32_t parts, struct sides *sides, uint8_t *largest) {
  *largest = 0;
  for (size_t i = 0; i < SIDES / 2; i++) {
    const int32_t *pair = weights[i / 2] + 2 * (i % 2);
    int32_t positive = 0, negative = 0;
    for (size_t k = 0; k < 2; k++) {
      const int32_t weight = neonsim_part_of_weight(pair[k], part, parts);
      if (weight > INT8_MAX || weight < INT8_MIN) {
        return 0;
      }
      positive += weight > 0 ? weight : 0;
      negative += weight < 0 ? -weight : 0;
    }
    if (positive > MOST || negative > MOST) {
      return 0;
    }
    sides->of[2 * i] = (uint8_t)positive;
    sides->of[2 * i + 1] = (uint8_t)negative;
    *largest = (uint8_t)(positive > *largest ? positive : *largest);
    *largest = (uint8_t)(negative > *largest ? negative : *largest);
  }
  return 1;
}

/* Every group of a panel as one entry, or as few as are safe. Returns how many. */
static size_t list_entries(const struct neonsim_step *step, const struct neonsim_panel *panel, size_t groups,
                           struct entry *entries) {
  size_t count = 0;
  for (size_t group = 0; group < groups; group++) {
    int32_t weights[COLUMNS][DEPTH];
    for (size_t i = 0; i < COLUMNS * DEPTH; i++) {
      weights[i / DEPTH][i % DEPTH] = weight_of(step, panel, i / DEPTH, DEPTH * group + i % DEPTH);
    }
    for (uint32_t parts = 1; parts <= MAX_PARTS; parts++) {
      uint32_t part = 0;
      for (; part < parts; part++) {
        struct entry *entry = &entries[count + part];
        entry->entry = (struct neonsim_int16_entry){(uint32_t)group, (uint16_t)part, (uint16_t)parts};
        if (!sides_of(weights, part, parts, &entry->sides, &entry->largest)) {
          break;
        }
      }
      if (part == parts) {
        count += parts;
        break;
      }
    }
  }
  return count;
}

/* 1 if the entry's sums may be added to the run's, which they then are. */
static int add_to_run(struct run *run, const struct entry *entry, uint32_t number) {
  int beyond = 0;
  for (size_t i = 0; i < SIDES; i++) {
    beyond |= run->sides.of[i] + entry->sides.of[i] > MOST;
  }
  if (beyond) {
    return 0;
  }
  for (size_t i = 0; i < SIDES; i++) {
    run->sides.of[i] = (uint8_t)(run->sides.of[i] + entry->sides.of[i]);
  }
  run->entries[run->count++] = number;
  return 1;
}

static int larger_first(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return x->largest != y->largest ? (int)y->largest - (int)x->largest : (int)x->entry.group - (int)y->entry.group;
}

/* The larger entries first, each to the first of the last few runs that has room for it. Returns how many runs. */
static size_t fill_runs(const struct entry *entries, size_t count, struct run *runs) {
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    size_t run = made, looked = 0;
    for (size_t back = made; back-- != 0 && looked < OPEN;) {
      if (runs[back].count < FOUR) {
        looked++;
        run = add_to_run(&runs[back], &entries[i], (uint32_t)i) ? back : run;
        if (run != made) {
          break;
        }
      }
    }
    if (run == made) {
      runs[made] = (struct run){.sides = entries[i].sides, .count = 1, .entries = {(uint32_t)i}};
      made++;
    }
  }
  return made;
}

/* A panel's entries run after run, those of four first. Runs of one and of two are twos. */
static int32_t keep_runs(const struct entry *entries, const struct run *runs, size_t count, struct neonsim_int16_runs *kept) {
  for (size_t i = 0; i < count; i++) {
    kept->quad_runs += runs[i].count > TWO;
    kept->pair_runs += runs[i].count <= TWO;
  }
  kept->entries = neonsim_allocate((FOUR * kept->quad_runs + TWO * kept->pair_runs) * sizeof *kept->entries);
  if (kept->entries == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  size_t four = 0, two = FOUR * kept->quad_runs;
  for (size_t i = 0; i < count; i++) {
    size_t *at = runs[i].count > TWO ? &four : &two;
    const size_t room = runs[i].count > TWO ? FOUR : TWO;
    for (size_t j = 0; j < room; j++, ++*at) {
      /* No parts: zeros, times any depths of the row. */
      kept->entries[*at] = j < runs[i].count ? entries[runs[i].entries[j]].entry : (struct neonsim_int16_entry){0, 0, 0};
      kept->split_groups += j < runs[i].count && kept->entries[*at].part == 1;
    }
  }
  return NEONSIM_SUCCESS;
}

static int32_t plan_panel(const struct neonsim_step *step, const struct neonsim_panel *panel, size_t groups, struct entry *entries,
                          struct run *runs, struct neonsim_int16_runs *kept) {
  const size_t count = list_entries(step, panel, groups, entries);
  qsort(entries, count, sizeof *entries, larger_first);
  return keep_runs(entries, runs, fill_runs(entries, count, runs), kept);
}

void neonsim_release_int16_runs(struct neonsim_step *step) {
  for (size_t i = 0; step->runs != NULL && i < step->panel_count; i++) {
    neonsim_release(step->runs[i].entries);
  }
  neonsim_release(step->runs);
  step->runs = NULL;
}

int32_t neonsim_plan_int16_runs(struct neonsim_step *step, const struct neonsim_family *family) {
  const struct neonsim_layer *layer = &step->layer;
  const size_t registers = neonsim_ceil_div(layer->output_channels, family->lanes), panels = neonsim_ceil_div(registers, TWO);
  const size_t groups = neonsim_ceil_div(neonsim_taps(layer) * layer->input_channels, DEPTH);
  if (layer->groups != 1 || family->lanes * TWO > COLUMNS || groups > UINT16_MAX) {
    return NEONSIM_SUCCESS;
  }
  step->tap_depth = neonsim_taps(layer) * layer->input_channels;
  step->panel_count = panels;
  step->runs = neonsim_allocate(panels * sizeof *step->runs);
  struct entry *entries = neonsim_allocate(MAX_PARTS * groups * sizeof *entries);
  struct run *runs = neonsim_allocate(MAX_PARTS * groups * sizeof *runs);
  int32_t status = step->runs == NULL || entries == NULL || runs == NULL ? NEONSIM_OUT_OF_MEMORY : NEONSIM_SUCCESS;
  size_t cost = 0, plain = 0;
  for (size_t i = 0; status == NEONSIM_SUCCESS && i < panels; i++) {
    const size_t first = i * TWO * family->lanes, vectors = neonsim_min(TWO, registers - i * TWO);
    const struct neonsim_panel panel = {.column = (uint32_t)first,
                                        .columns = (uint32_t)neonsim_min(vectors * family->lanes, layer->output_channels - first)};
    status = plan_panel(step, &panel, groups, entries, runs, &step->runs[i]);
    cost += vectors * (COST_OF_FOUR * step->runs[i].quad_runs + COST_OF_TWO * step->runs[i].pair_runs);
    plain += vectors * COST_PLAIN * groups;
    if (i + 1 >= ENOUGH && 100 * cost > COST_WORTH_IT * plain) {
      break; /* the others are like these */
    }
  }
  neonsim_release(entries);
  neonsim_release(runs);
  step->choice = (struct neonsim_gemm_choice){.groups = panels * groups};
  for (size_t i = 0; status == NEONSIM_SUCCESS && i < panels; i++) {
    step->choice.quad_runs += step->runs[i].quad_runs;
    step->choice.pair_runs += step->runs[i].pair_runs;
    step->choice.split_groups += step->runs[i].split_groups;
  }
  step->choice.percent = plain == 0 ? 100 : (uint32_t)(100 * cost / plain);
  if (status != NEONSIM_SUCCESS || 100 * cost > COST_WORTH_IT * plain) {
    neonsim_release_int16_runs(step);
    step->panel_count = 0;
  }
  return status;
}

size_t neonsim_int16_run_bytes(const struct neonsim_int16_runs *runs, size_t register_bytes, size_t vectors) {
  const size_t entries = FOUR * (size_t)runs->quad_runs + TWO * (size_t)runs->pair_runs;
  return NEONSIM_LINE + entries * (vectors * register_bytes + sizeof(uint32_t));
}

void neonsim_pack_int16_runs(const struct neonsim_step *step, const struct neonsim_panel *panel, uint8_t *out) {
  const struct neonsim_int16_runs *runs = &step->runs[panel - step->panels];
  const size_t lanes = step->family->lanes, entries = FOUR * (size_t)runs->quad_runs + TWO * (size_t)runs->pair_runs;
  const uint32_t counts[2] = {runs->quad_runs, runs->pair_runs};
  memcpy(out, counts, sizeof counts);
  uint8_t *weights = out + NEONSIM_LINE, *offsets = weights + entries * panel->vectors * lanes * DEPTH;
  for (size_t i = 0; i < entries; i++, offsets += sizeof(uint32_t)) {
    const struct neonsim_int16_entry *entry = &runs->entries[i];
    const uint32_t offset = DEPTH * entry->group;
    memcpy(offsets, &offset, sizeof offset);
    for (size_t position = 0; position < panel->vectors * lanes; position++, weights += DEPTH) {
      const size_t column = neonsim_column_of(panel->vectors, position / lanes, position % lanes);
      for (size_t k = 0; entry->parts != 0 && k < DEPTH; k++) {
        weights[k] = (uint8_t)neonsim_part_of_weight(weight_of(step, panel, column, offset + k), entry->part, entry->parts);
      }
    }
  }
}
