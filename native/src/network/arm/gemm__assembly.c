/* GEMM by the files of kernels/ themselves, through their contracts: an indirect one for every tile of every panel, whatever the
 * layer, for its pointers are at hand.
 *
 *   Q31    qu8_conv_q31          a panel: neonsim_q31_params, then for every 8 columns int32 biases, bytes [depth][8] as they are given
 *   FP32   qs8_qc8w_igemm_fp32   a panel: int32 biases, int8 [depth][columns], float scales, as the kernel takes them
 *
 * The second multiplies int8: rows are gathered with their top bits flipped, and so are results. */
#include <string.h>

#include "network/arm/arm.h"
#include "contracts/variants.h"

#if defined(__aarch64__)
#define CONV_Q31 neonsim_qu8_conv_q31_8x8__aarch64_neon_mlal_lane
#define IGEMM_FP32 neonsim_qs8_qc8w_igemm_fp32_4x16__aarch64_neon_mlal_lane
enum { Q31_ROWS = 8, COLUMNS = 16 };
#else
#define CONV_Q31 neonsim_qu8_conv_q31_4x8__aarch32_neon_mlal_lane
#define IGEMM_FP32 neonsim_qs8_qc8w_igemm_fp32_4x8__aarch32_neon_mlal_lane
enum { Q31_ROWS = 4, COLUMNS = 8 };
#endif
enum { Q31_COLUMNS = 8, FP32_ROWS = 4, TOP = 0x80 };

/* Where the biases of a Q31 panel begin: both layouts fill what network.h says, 8 bytes a column and the weights. */
enum { Q31_HEAD = 4 * COLUMNS };

static int is_fp32(const struct neonsim_layer *layer) { return layer->rounding == NEONSIM_ROUND_FP32; }

static uint32_t bias_of(const struct neonsim_layer *layer, size_t channel, int32_t zero_point, uint32_t sum) {
  return (uint32_t)neonsim_bias(layer, channel) - (uint32_t)zero_point * sum;
}

/* One column into a block `width` columns wide. `added` makes of a weight less its zero point what is stored. */
static void pack_column(const struct neonsim_step *step, uint8_t *block, size_t width, size_t column, size_t channel,
                        int32_t zero_point, int32_t added) {
  const size_t depth = step->taps * step->tap_depth;
  uint32_t sum = 0;
  uint8_t *weights = block + 4 * width + column;
  for (size_t k = 0; k < depth; k++) {
    const int32_t weight = neonsim_weight(&step->layer, channel * depth + k);
    weights[k * width] = (uint8_t)(weight + added);
    sum += (uint32_t)weight;
  }
  const uint32_t bias = bias_of(&step->layer, channel, zero_point, sum);
  memcpy(block + 4 * column, &bias, sizeof bias);
}

static void pack_q31(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel) {
  const struct neonsim_layer *layer = &step->layer;
  const int32_t zero_point = layer->weights_signed ? TOP : layer->weight_zero_point;
  const struct neonsim_q31_params params = {.multiplier = layer->multiplier,
                                            .left_shift = -layer->shift,
                                            .output_zero_point = (int16_t)layer->output_zero_point,
                                            .output_max = (uint8_t)layer->output_max,
                                            .output_min = (uint8_t)layer->output_min,
                                            .w_zero_point = (uint8_t)zero_point,
                                            .a_zero_point = (uint8_t)layer->input_zero_point};
  memcpy(out, &params, sizeof params);
  const size_t block_bytes = Q31_COLUMNS * (4 + step->taps * step->tap_depth);
  for (size_t i = 0; i < panel->columns; i++) {
    pack_column(step, out + Q31_HEAD + i / Q31_COLUMNS * block_bytes, Q31_COLUMNS, i % Q31_COLUMNS, first + panel->column + i,
                layer->input_zero_point, zero_point);
  }
}

static void pack_fp32(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel) {
  const struct neonsim_layer *layer = &step->layer;
  uint8_t *scales = out + COLUMNS * (4 + step->taps * step->tap_depth);
  for (size_t i = 0; i < panel->columns; i++) {
    const size_t channel = first + panel->column + i;
    pack_column(step, out, COLUMNS, i, channel, layer->input_zero_point - TOP, 0);
    const float scale = neonsim_scale(layer, channel);
    memcpy(scales + 4 * i, &scale, sizeof scale);
  }
}

static void pack(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel) {
  (is_fp32(&step->layer) ? pack_fp32 : pack_q31)(step, out, first, panel);
}

/* [taps][height] pointers of some of a tile's rows; those beyond the last are its last, as the contracts ask. */
static void list_rows(const void **list, size_t height, size_t taps, const void *const *pointers, size_t rows, size_t first) {
  for (size_t tap = 0; tap < taps; tap++) {
    for (size_t i = 0; i < height; i++) {
      list[tap * height + i] = pointers[tap * rows + neonsim_min(first + i, rows - 1)];
    }
  }
}

static NEONSIM_PANEL_KERNEL(gemm_q31) {
  (void)sums;
  (void)requant;
  const void *list[NEONSIM_MAX_TAPS * Q31_ROWS];
  list_rows(list, Q31_ROWS, taps, pointers, rows, 0);
  const uint8_t *block = (const uint8_t *)panel + Q31_HEAD;
  for (size_t i = 0; i < columns; i += Q31_COLUMNS, block += Q31_COLUMNS * (4 + taps * groups)) {
    CONV_Q31(rows, neonsim_min(Q31_COLUMNS, columns - i), groups, taps, (const uint8_t *const *)list, block, out + i, out_stride,
             panel);
  }
}

static NEONSIM_PANEL_KERNEL(gemm_fp32) {
  (void)sums;
  const struct neonsim_qc8w_params params = {.output_min_less_zero = (float)(requant->min - requant->zero_point),
                                             .output_max_less_zero = (float)(requant->max - requant->zero_point),
                                             .magic_less_zero = 0x4b400000 - (requant->zero_point - TOP),
                                             .output_zero_point = (int16_t)(requant->zero_point - TOP),
                                             .output_max = requant->max ^ TOP,
                                             .output_min = requant->min ^ TOP};
  const void *list[NEONSIM_MAX_TAPS * FP32_ROWS];
  for (size_t first = 0; first < rows; first += FP32_ROWS) {
    const size_t height = neonsim_min(FP32_ROWS, rows - first);
    list_rows(list, FP32_ROWS, taps, pointers, rows, first);
    uint8_t *tile = out + first * out_stride;
    IGEMM_FP32(height, columns, groups, taps, list, panel, tile, out_stride, COLUMNS, 0, NULL, &params);
    for (size_t row = 0; row < height; row++) {
      for (size_t i = 0; i < columns; i++) {
        tile[row * out_stride + i] ^= TOP;
      }
    }
  }
}

static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  (void)vectors;
  (void)rows;
  return finish == FINISH_FP32 ? gemm_fp32 : gemm_q31;
}

/* GEMM whose weights a kernel takes as they are; the rest is done in intrinsics. */
static int supports(const struct neonsim_layer *layer) {
  return layer->kind == NEONSIM_LAYER_CONV && layer->algorithm == NEONSIM_ALGORITHM_DIRECT &&
         (layer->rounding == NEONSIM_ROUND_Q31 || (is_fp32(layer) && layer->weights_signed));
}

static int flips(const struct neonsim_layer *layer) { return is_fp32(layer); }

/* The Q31 kernel's tallest tile. */
static double probe(void) {
  enum { STEPS = 2000 };
  static const uint8_t a[STEPS + 8], panel[2 * Q31_HEAD + COLUMNS * STEPS];
  const void *pointers[Q31_ROWS];
  for (size_t row = 0; row < Q31_ROWS; row++) {
    pointers[row] = a + 8; /* it reads as much in front of a row */
  }
  uint8_t out[Q31_ROWS * COLUMNS];
  gemm_q31(Q31_ROWS, STEPS, 1, pointers, panel, NULL, out, COLUMNS, COLUMNS, NULL);
  return (double)STEPS * COLUMNS * Q31_ROWS;
}

const struct neonsim_family neonsim_family_assembly = {
    .name = "assembly",
    .features = NEONSIM_FEATURE_NEON,
    .needs = "this processor has no NEON",
    .lanes = COLUMNS,
    .depth = 1,
    .weight_bytes = 1,
    .max_vectors = 1,
    .max_rows = {Q31_ROWS},
    .tiles_at_once = 1,
    .supports = supports,
    .fallback = &neonsim_family_neon,
    .flips = flips,
    .pack = pack,
    .gemm = find,
    .probe = probe,
};
