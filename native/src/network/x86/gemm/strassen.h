/* GEMM by one level of Strassen: strassen.c has the algorithm and why it is exact. For a file that includes gemm.h and int16_accum.h.
 *
 * A tile of up to 96 rows is cut in halves and added up once, for all panels. Then, for every pair of panels, seven products of tiles of
 * gemm.h's size, in an order that lets the last four finish what they are part of in registers:
 *
 *                M1      M2      M3      M4              M5              M6              M7
 *   c11 upper    =                       + bias          -                               + finished
 *   c12                          = bias                  + finished
 *   c21 lower            =               + finished
 *   c22          =       -       +                                       + finished */
#ifndef NEONSIM_X86_STRASSEN_H
#define NEONSIM_X86_STRASSEN_H

#include "network/gemm/strassen.h"
#include "network/x86/gemm/int16_accum.h"

/* Of a pair of panels and a tile: where its halves' results go. */
struct pair {
  const vector *bias; /* [2][VECTORS] of columns left, right */
  const float *scale;
  uint8_t *upper, *lower;
  size_t out_stride, width, columns; /* width: bytes of a result */
  vector *quarters[2][2];
  const struct neonsim_requant *requant;
};

enum put { PUT_THERE, ADD_THERE, TAKE_THERE, TAKE_FROM };

/* A quarter's sums and those of a product. */
NEONSIM_FORCE_INLINE void put(enum put how, size_t rows, vector sums[][VECTORS], vector *quarter) {
#define PUT(row, v) \
  if (row < rows) { \
    vector *at = quarter + VECTORS * (row) + (v); \
    if (how == TAKE_FROM) { \
      sums[row][v] = VECTOR(add_epi32)(sums[row][v], *at); \
    } else { \
      *at = how == PUT_THERE   ? sums[row][v] \
            : how == ADD_THERE ? VECTOR(add_epi32)(*at, sums[row][v]) \
                               : VECTOR(sub_epi32)(*at, sums[row][v]); \
    } \
  }
  EACH(PUT)
}

/* To bytes, of one side of the columns. */
NEONSIM_FORCE_INLINE void finish_half(enum neonsim_finish finish, size_t rows, vector sums[][VECTORS], const struct pair *pair,
                                      size_t side, uint8_t *out) {
  const size_t columns = side == 0 ? NEONSIM_HALF_COLUMNS : pair->columns - NEONSIM_HALF_COLUMNS;
  finish_by(finish, rows, VECTORS, sums, pair->scale + side * NEONSIM_HALF_COLUMNS, out + side * NEONSIM_HALF_COLUMNS * pair->width,
            pair->out_stride, columns, pair->requant);
}

/* Product number `product`, from 0, of rows of a half from row `first` on. */
NEONSIM_FORCE_INLINE void multiply_half(enum neonsim_finish finish, size_t rows, size_t product, size_t first, size_t groups,
                                        const int16_t *a, size_t a_step, const vector *weights, size_t ahead,
                                        const struct pair *pair) {
  static const vector zeros[VECTORS];
  const vector *start = product == 2 ? pair->bias + VECTORS : product == 3 ? pair->bias : zeros;
  vector sums[EACH_ROWS][VECTORS];
#define START_HALF(row, v) \
  if (row < rows) { \
    sums[row][v] = load(start + (v)); \
  }
  EACH(START_HALF)
  for (size_t group = 0; group < groups; group++, weights += VECTORS) {
    const vector w0 = load(weights), w1 = load(weights + 1);
    _mm_prefetch((const char *)weights + ahead, _MM_HINT_T0);
#define MULTIPLY_SUMS(row) \
  if (row < rows) { \
    const vector depths = broadcast(a + (row) * a_step + DEPTH * group); \
    sums[row][0] = multiply_add(sums[row][0], depths, w0); \
    sums[row][1] = multiply_add(sums[row][1], depths, w1); \
  }
    EACH_ROW(MULTIPLY_SUMS)
  }
  /* What is added to memory hereafter must not draw sums into memory above: GCC 12 takes 1.6 times as long. */
#define HIDE_HALF(row, v) \
  if (row < rows) { \
    sums[row][v] = in_order(sums[row][v]); \
  }
  EACH(HIDE_HALF)
  vector *c11 = pair->quarters[0][0] + VECTORS * first, *c12 = pair->quarters[0][1] + VECTORS * first;
  vector *c21 = pair->quarters[1][0] + VECTORS * first, *c22 = pair->quarters[1][1] + VECTORS * first;
  uint8_t *upper = pair->upper + first * pair->out_stride, *lower = pair->lower + first * pair->out_stride;
  switch (product) {
    case 0:
      put(PUT_THERE, rows, sums, c11);
      put(PUT_THERE, rows, sums, c22);
      break;
    case 1:
      put(PUT_THERE, rows, sums, c21);
      put(TAKE_THERE, rows, sums, c22);
      break;
    case 2:
      put(PUT_THERE, rows, sums, c12);
      put(ADD_THERE, rows, sums, c22);
      break;
    case 3:
      put(ADD_THERE, rows, sums, c11);
      put(TAKE_FROM, rows, sums, c21);
      finish_half(finish, rows, sums, pair, 0, lower);
      break;
    case 4:
      put(TAKE_THERE, rows, sums, c11);
      put(TAKE_FROM, rows, sums, c12);
      finish_half(finish, rows, sums, pair, 1, upper);
      break;
    case 5:
      put(TAKE_FROM, rows, sums, c22);
      finish_half(finish, rows, sums, pair, 1, lower);
      break;
    default:
      put(TAKE_FROM, rows, sums, c11);
      finish_half(finish, rows, sums, pair, 0, upper);
      break;
  }
}

typedef void (*half_kernel)(size_t product, size_t first, size_t groups, const int16_t *a, size_t a_step, const vector *weights,
                            size_t ahead, const struct pair *pair);

#define HALF_TILE(way, finish, rows) \
  static void half_##way##_##rows(size_t product, size_t first, size_t groups, const int16_t *a, size_t a_step, \
                                  const vector *weights, size_t ahead, const struct pair *pair) { \
    multiply_half(finish, rows, product, first, groups, a, a_step, weights, ahead, pair); \
  }
#define HALF_TILES(way, finish) HEIGHTS(HALF_TILE, way, finish)
EACH_FINISH(HALF_TILES)

#define HALF_NAME(way, finish, rows) half_##way##_##rows,
#define HALF_NAMES(way, finish) [finish] = {HEIGHTS(HALF_NAME, way, finish)},
static const half_kernel half_kernels[FINISHES][ROWS] = {EACH_FINISH(HALF_NAMES)};

/* All rows of a half, tile below tile, while the weights of a product are in the first cache; the last one fetches the next weights. */
static void multiply_pair(const half_kernel *kernels, const struct neonsim_strassen_scratch *room, const int16_t *sums,
                          const uint8_t *panel, const struct pair *pair) {
  uint64_t groups;
  memcpy(&groups, panel, sizeof groups);
  const vector *weights = (const vector *)(const void *)(panel + NEONSIM_LINE);
  for (size_t product = 0; product < NEONSIM_STRASSEN_PRODUCTS; product++, weights += VECTORS * groups) {
    for (size_t count = neonsim_ceil_div(room->half_rows, ROWS), first = 0; count != 0; count--) {
      const size_t height = neonsim_ceil_div(room->half_rows - first, count);
      const int16_t *a = sums + (product * room->half_rows + first) * room->half_step;
      kernels[height - 1](product, first, groups, a, room->half_step, weights, count == 1 ? VECTORS * groups * sizeof(vector) : 0,
                          pair);
      first += height;
    }
  }
}

/* Bytes of a row of either half to their sums, one line of each product's. Each is read once: what lies behind a row may be any bytes,
 * even such as another thread is writing, but must be the same ones in all sums. */
static void add_halves(const struct neonsim_strassen_scratch *room, const uint8_t *upper, const uint8_t *lower, int16_t *to) {
  const size_t apart = room->half_rows * room->half_step;
  for (size_t k = 0; k < room->half; k += NEONSIM_INT16_AT_ONCE, to += NEONSIM_INT16_AT_ONCE) {
    const vector a11 = widen(upper + k), a12 = widen(upper + room->half + k);
    const vector a21 = widen(lower + k), a22 = widen(lower + room->half + k);
    store_anywhere(to, VECTOR(add_epi16)(a11, a22));
    store_anywhere(to + apart, VECTOR(add_epi16)(a21, a22));
    store_anywhere(to + 2 * apart, a11);
    store_anywhere(to + 3 * apart, a22);
    store_anywhere(to + 4 * apart, VECTOR(add_epi16)(a11, a12));
    store_anywhere(to + 5 * apart, VECTOR(sub_epi16)(a21, a11));
    store_anywhere(to + 6 * apart, VECTOR(sub_epi16)(a12, a22));
  }
}

static void widen_row(const uint8_t *from, size_t depth, int16_t *to) {
  for (size_t k = 0; k < depth; k += NEONSIM_INT16_AT_ONCE) {
    store_anywhere(to + k, widen(from + k));
  }
}

/* Panels low .. high - 1 of a tile of bytes. Of an odd number of rows the one in the middle is in both halves. */
static int strassen_panels(const struct neonsim_step *step, size_t low, size_t high, size_t rows, const void *const *pointers,
                           const uint8_t *packed, const int32_t *row_sums, uint8_t *out, uint8_t *scratch) {
  (void)row_sums;
  const struct neonsim_strassen_scratch room = neonsim_strassen_scratch(step, rows);
  const enum neonsim_finish finish = step->requant.finish;
  const size_t width = step->double_scale != NULL ? 1 : neonsim_result_bytes(finish), lower = rows - room.half_rows;
  const size_t left_stride = 2 * NEONSIM_HALF_COLUMNS * sizeof(int32_t);
  int16_t *const sums = (int16_t *)(void *)scratch, *const int16_rows = (int16_t *)(void *)(scratch + room.int16_rows);
  vector *const quarters = (vector *)(void *)(scratch + room.quarters);
  const void *wide_rows[NEONSIM_MAX_ROWS];
  if (step->panels[low].vectors == NEONSIM_PAIR_VECTORS) {
    for (size_t row = 0; row < room.half_rows; row++) {
      add_halves(&room, pointers[row], pointers[lower + row], sums + row * room.half_step);
    }
  }
  for (size_t row = 0; row < rows && step->panels[high - 1].vectors != NEONSIM_PAIR_VECTORS; row++) {
    widen_row(pointers[row], step->tap_depth, int16_rows + row * room.row_int16);
    wide_rows[row] = int16_rows + row * room.row_int16;
  }
  for (size_t i = low; i < high; i++) {
    const struct neonsim_panel *panel = &step->panels[i];
    const uint8_t *here = packed + panel->offset;
    uint8_t *const to = step->double_scale != NULL ? scratch + room.left : out + panel->column * width;
    const size_t stride = step->double_scale != NULL ? left_stride : step->layer.output_stride;
    if (panel->vectors == NEONSIM_PAIR_VECTORS) {
      const struct pair pair = {
          .bias = (const vector *)(const void *)here,
          .scale = (const float *)(const void *)here + NEONSIM_PAIR_VECTORS * LANES,
          .upper = to,
          .lower = to + lower * stride,
          .out_stride = stride,
          .width = neonsim_result_bytes(finish),
          .columns = panel->columns,
          .quarters = {{quarters, quarters + VECTORS * room.half_rows},
                       {quarters + 2 * VECTORS * room.half_rows, quarters + 3 * VECTORS * room.half_rows}},
          .requant = &step->requant,
      };
      multiply_pair(half_kernels[finish], &room, sums, here + 8 * NEONSIM_PAIR_VECTORS * LANES, &pair);
    } else {
      find(finish, panel->vectors, rows)(rows, step->groups_per_tap, 1, wide_rows, here, NULL, to, stride, panel->columns,
                                         &step->requant);
    }
    if (step->double_scale != NULL) {
      neonsim_finish_double_scale(step, panel->column, rows, panel->columns, to, stride, out + panel->column,
                                  step->layer.output_stride);
    }
  }
  return 1;
}

#endif
