/* Weights of a GEMM into panels, with bias and scale; see network.h. */
#include <math.h>
#include <string.h>

#include "network/gemm/strassen.h"

enum { SOME_WEIGHTS = 512 };

size_t neonsim_column_of(size_t vectors, size_t vector, size_t lane) { return 4 * vectors * (lane / 4) + 4 * vector + lane % 4; }

/* Weights less their zero point. */
static void center_weights(const struct neonsim_layer *layer, size_t first, size_t count, int16_t *to) {
  const int8_t *is_signed = (const int8_t *)layer->weights + first;
  const uint8_t *is_unsigned = (const uint8_t *)layer->weights + first;
  const int16_t zero = (int16_t)layer->weight_zero_point;
  for (size_t i = 0; i < count; i++) {
    to[i] = (int16_t)((layer->weights_signed ? is_signed[i] : is_unsigned[i]) - zero);
  }
}

/* Modulo 2**32, as all sums. */
static uint32_t sum_weights(const struct neonsim_layer *layer, size_t first, size_t count) {
  int16_t some[SOME_WEIGHTS];
  uint32_t sum = 0;
  for (size_t done = 0; done < count; done += SOME_WEIGHTS) {
    const size_t these = neonsim_min(SOME_WEIGHTS, count - done);
    center_weights(layer, first + done, these, some);
    for (size_t i = 0; i < these; i++) {
      sum += (uint32_t)some[i];
    }
  }
  return sum;
}

/* Four weights as they are stored, each less `center`: bytes are subtracted without borrowing from their neighbours. */
static uint32_t four_less(uint32_t four, uint32_t centers) {
  const uint32_t top = 0x80808080;
  return ((four | top) - (centers & ~top)) ^ ((four ^ ~centers) & top);
}

/* One column of a panel of bytes, from the `position`-th lane on. */
static void pack_bytes(const struct neonsim_step *step, uint8_t *out, size_t per_register, size_t position, size_t start,
                       int32_t center) {
  enum { FOUR = 4 };
  const size_t kr = step->family->depth, depth = step->tap_depth;
  const uint32_t centers = (uint32_t)(center & 0xff) * 0x01010101u;
  const uint8_t *weights = (const uint8_t *)step->layer.weights + start;
  for (size_t tap = 0; tap < step->taps; tap++, weights += depth) {
    uint8_t *group = out + (tap * step->groups_per_tap * per_register + position) * kr;
    for (size_t first = 0; first < depth; first += kr, group += kr * per_register) {
      size_t k = 0;
      for (; k < kr && first + k + FOUR <= depth; k += FOUR) {
        uint32_t four;
        memcpy(&four, weights + first + k, FOUR);
        four = four_less(four, centers);
        memcpy(group + k, &four, FOUR);
      }
      for (; k < kr && first + k < depth; k++) {
        group[k] = (uint8_t)(weights[first + k] - center);
      }
    }
  }
}

/* The same of 16-bit numbers; gathered, all taps are one. */
static void pack_int16(const struct neonsim_step *step, int16_t *out, size_t per_register, size_t position, size_t start) {
  const size_t kr = step->family->depth;
  int16_t *group = out + position * kr;
  for (size_t k = 0; k < step->tap_depth; k += kr, group += kr * per_register) {
    center_weights(&step->layer, start + k, neonsim_min(kr, step->tap_depth - k), group);
  }
}

/* A pair is two panels of half its registers, one behind the other. */
static size_t column_in(const struct neonsim_family *family, size_t vectors, size_t vector, size_t lane) {
  if (family->is_strassen && vectors == NEONSIM_PAIR_VECTORS) {
    return NEONSIM_HALF_COLUMNS * (vector / 2) + neonsim_column_of(2, vector % 2, lane);
  }
  return neonsim_column_of(vectors, vector, lane);
}

void neonsim_pack_panel(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel,
                        int32_t center) {
  const struct neonsim_family *family = step->family;
  const struct neonsim_layer *layer = &step->layer;
  if (family->pack != NULL) {
    family->pack(step, out, first, panel);
    return;
  }
  const size_t depth = neonsim_taps(layer) * (layer->input_channels / layer->groups);
  const size_t per_register = family->lanes * panel->vectors;
  const int is_pair = family->is_strassen && panel->vectors == NEONSIM_PAIR_VECTORS;
  uint32_t *bias = (uint32_t *)(void *)out;
  float *scale = (float *)(void *)(out + 4 * per_register);
  for (size_t vector = 0; vector < panel->vectors; vector++) {
    for (size_t lane = 0; lane < family->lanes; lane++) {
      const size_t column = column_in(family, panel->vectors, vector, lane), position = vector * family->lanes + lane;
      if (column >= panel->columns) {
        continue; /* packed memory is zero at first */
      }
      const size_t channel = first + panel->column + column;
      const uint32_t sum = sum_weights(layer, channel * depth, depth);
      if (family->int16_accumulation || is_pair) {
        /* all columns at once, below */
      } else if (family->weight_bytes == 1 && !family->is_strassen) {
        pack_bytes(step, out + 8 * per_register, per_register, position, channel * depth, center);
      } else {
        pack_int16(step, (int16_t *)(void *)(out + 8 * per_register), per_register, position, channel * depth);
      }
      /* Kernels multiply (a - family->center) * (weight - center); row sums add what is missing of the weight. */
      const uint32_t moved = (uint32_t)sum + (uint32_t)depth * (uint32_t)(layer->weight_zero_point - center);
      bias[position] = (uint32_t)neonsim_bias(layer, channel) - (uint32_t)layer->input_zero_point * (uint32_t)sum +
                       (uint32_t)family->center * moved;
      scale[position] = neonsim_scale(layer, channel);
    }
  }
  if (family->int16_accumulation) {
    neonsim_pack_int16_runs(step, panel, out + 8 * per_register);
  } else if (is_pair) {
    neonsim_pack_strassen(step, panel, out + 8 * per_register);
  }
}

/* Largest magnitude of a sum, and what weights are centred at: their zero point if all differences fit int8, else 128, and then rows
 * need a correction by their sums. */
double neonsim_judge_weights(const struct neonsim_layer *layer, int32_t *center) {
  const size_t depth = neonsim_taps(layer) * (layer->input_channels / layer->groups);
  const double reach = neonsim_max_abs_input(layer);
  double limit = 0;
  int fits = 1;
  for (size_t channel = 0; channel < layer->output_channels; channel++) {
    int64_t sum = 0;
    for (size_t k = 0; k < depth; k += SOME_WEIGHTS) {
      int16_t some[SOME_WEIGHTS];
      const size_t these = neonsim_min(SOME_WEIGHTS, depth - k);
      center_weights(layer, channel * depth + k, these, some);
      int32_t part = 0, beyond = 0;
      for (size_t i = 0; i < these; i++) {
        part += some[i] < 0 ? -some[i] : some[i];
        beyond |= some[i] < -128 || some[i] > 127;
      }
      sum += part;
      fits &= !beyond;
    }
    limit = fmax(limit, (double)sum * reach + fabs((double)neonsim_bias(layer, channel)));
  }
  *center = fits ? layer->weight_zero_point : 128;
  return limit;
}
