/* GEMM on the registers of vector.h: the micro-kernel and what calls it. A file that includes this says how many rows a tile has.
 *
 *             registers 0, 1 of a group of DEPTH depths
 *             +--------+--------+
 *   row 0  a  | sum00  | sum01  |     a: 32 bits of a row in all lanes, which a load does
 *   row 1  a  | sum10  | ...    |     6 rows of 2 registers are 12 sums: with weights, a and a product all sixteen registers
 *   ...       +--------+--------+ */
#ifndef NEONSIM_X86_GEMM_H
#define NEONSIM_X86_GEMM_H

#include "network/x86/gemm/finish.h"

#if NEONSIM_TILE_ROWS == 4
#define HEIGHTS NEONSIM_HEIGHTS_4
#elif NEONSIM_TILE_ROWS == 6
#define HEIGHTS NEONSIM_HEIGHTS_6
#else
#error "NEONSIM_TILE_ROWS: rows of the tallest tile"
#endif

/* Written out for every row and register by the preprocessor, so that compilers see plain variables; what lies outside the tile
 * falls away, since rows and vectors are constants once inlined. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define EACH(DO) DO(0, 0) DO(0, 1) DO(1, 0) DO(1, 1) DO(2, 0) DO(2, 1) DO(3, 0) DO(3, 1) DO(4, 0) DO(4, 1) DO(5, 0) DO(5, 1)

enum { ROWS = NEONSIM_TILE_ROWS, EACH_ROWS = 6, VECTORS = 2, CHAINS = 4 };

/* Rows `row` and those behind it that one register of bytes holds, two of two registers or four of one; a row that there is not is one
 * that is there, once more. */
NEONSIM_FORCE_INLINE void finish_some(enum neonsim_finish finish, const struct finish *f, size_t rows, size_t vectors, size_t row,
                                      vector sums[][VECTORS], const float *scale, uint8_t *out, size_t out_stride, size_t columns) {
  const size_t last = rows - 1, at_once = 4 / vectors;
#define FINISHED(i) \
  finish_sums(finish, f, sums[neonsim_min(row + (i) / vectors, last)][(i) % vectors], \
              VECTOR(loadu_ps)(scale + LANES * ((i) % vectors)))
  const vector low = finish_words(finish, f, FINISHED(0), FINISHED(1));
  const vector high = row + 2 / vectors < rows ? finish_words(finish, f, FINISHED(2), FINISHED(3)) : low;
  const vector bytes = finish_bytes(finish, f, low, high);
  const vector dealt = vectors == 2 ? deal_eights(bytes) : deal_fours(bytes);
#define STORE_ROW(i) \
  if ((i) < at_once && row + (i) < rows) { \
    store_part(out + (row + (i)) * out_stride, dealt, vectors * LANES, i, columns); \
  }
  STORE_ROW(0) STORE_ROW(1) STORE_ROW(2) STORE_ROW(3)
}

NEONSIM_FORCE_INLINE void finish_tile(enum neonsim_finish finish, size_t rows, size_t vectors, vector sums[][VECTORS],
                                      const float *scale, uint8_t *out, size_t out_stride, size_t columns,
                                      const struct neonsim_requant *requant) {
  const struct finish f = finish_begin(finish, requant);
#define FINISH_ROWS(row) \
  if ((row) < rows && (row) % (4 / vectors) == 0) { \
    finish_some(finish, &f, rows, vectors, row, sums, scale, out, out_stride, columns); \
  }
  EACH_ROW(FINISH_ROWS)
}

/* The sums themselves, columns in their order: with 256 bits fours of both registers take turns. */
NEONSIM_FORCE_INLINE void leave_row(size_t vectors, vector first, vector second, uint8_t *out, size_t columns) {
  vector left[VECTORS] = {first, second};
#if defined(__AVX2__)
  if (vectors == 2) {
    left[0] = _mm256_permute2x128_si256(first, second, 0x20);
    left[1] = _mm256_permute2x128_si256(first, second, 0x31);
  }
#endif
  const size_t bytes = columns * sizeof(int32_t), whole = vectors * sizeof left[0];
  memcpy(out, left, bytes >= whole ? whole : bytes);
}

NEONSIM_FORCE_INLINE void leave_tile(size_t rows, size_t vectors, vector sums[][VECTORS], uint8_t *out, size_t out_stride,
                                     size_t columns) {
#define LEAVE_ROW(row) \
  if (row < rows) { \
    leave_row(vectors, sums[row][0], sums[row][vectors - 1], out + row * out_stride, columns); \
  }
  EACH_ROW(LEAVE_ROW)
}

/* Columns number at most vectors * LANES. Whole panels are most: they ask once. */
NEONSIM_FORCE_INLINE void finish_by(enum neonsim_finish finish, size_t rows, size_t vectors, vector sums[][VECTORS],
                                    const float *scale, uint8_t *out, size_t out_stride, size_t columns,
                                    const struct neonsim_requant *requant) {
  if (finish == FINISH_S32) {
    leave_tile(rows, vectors, sums, out, out_stride, columns);
  } else if (columns == vectors * LANES) {
    finish_tile(finish, rows, vectors, sums, scale, out, out_stride, vectors * LANES, requant);
  } else {
    finish_tile(finish, rows, vectors, sums, scale, out, out_stride, columns, requant);
  }
}

/* apart: from a tap's pointers to the next one's; ahead: bytes from weights to those that will be wanted next. */
NEONSIM_FORCE_INLINE void tile(enum neonsim_finish finish, size_t rows, size_t vectors, size_t groups, size_t taps,
                               const void *const *pointers, size_t apart, size_t ahead, const void *panel, const int32_t *row_sums,
                               uint8_t *out, size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  const float *scale = (const float *)panel + LANES * vectors;
  const vector *weights = (const vector *)panel + 2 * vectors;
  vector sums[EACH_ROWS][VECTORS];
#define START(row, v) \
  if (row < rows && v < vectors) { \
    const vector bias = load((const vector *)panel + v); \
    sums[row][v] = row_sums == NULL ? bias : VECTOR(add_epi32)(bias, VECTOR(set1_epi32)(row_sums[row])); \
  }
  EACH(START)
  for (size_t tap = 0; tap < taps; tap++, pointers += apart) {
    for (size_t group = 0; group < groups; group++, weights += vectors) {
      const vector w0 = load(weights), w1 = load(weights + vectors - 1);
      _mm_prefetch((const char *)weights + ahead, _MM_HINT_T0);
#define MULTIPLY_ROW(row) \
  if (row < rows) { \
    const vector depths = broadcast((const uint8_t *)pointers[row] + 4 * group); \
    sums[row][0] = multiply_add(sums[row][0], depths, w0); \
    if (vectors == 2) { \
      sums[row][1] = multiply_add(sums[row][1], depths, w1); \
    } \
  }
      EACH_ROW(MULTIPLY_ROW)
    }
  }
  finish_by(finish, rows, vectors, sums, scale, out, out_stride, columns, requant);
}

/* A single row has too few sums to keep the multipliers busy: four groups of depths at a time, each with sums of its own. */
NEONSIM_FORCE_INLINE void single(enum neonsim_finish finish, size_t vectors, size_t groups, size_t taps,
                                 const void *const *pointers, size_t apart, const void *panel, const int32_t *row_sums,
                                 uint8_t *out, size_t columns, const struct neonsim_requant *requant) {
  const float *scale = (const float *)panel + LANES * vectors;
  const vector *weights = (const vector *)panel + 2 * vectors;
  vector sums[CHAINS][VECTORS];
  const vector more = VECTOR(set1_epi32)(row_sums == NULL ? 0 : row_sums[0]);
#define EACH_CHAIN(DO) DO(0, 0) DO(0, 1) DO(1, 0) DO(1, 1) DO(2, 0) DO(2, 1) DO(3, 0) DO(3, 1)
#define START_CHAIN(chain, v) \
  if (v < vectors) { \
    sums[chain][v] = chain == 0 ? VECTOR(add_epi32)(load((const vector *)panel + v), more) : VECTOR_BITS(setzero)(); \
  }
  EACH_CHAIN(START_CHAIN)
  for (size_t tap = 0; tap < taps; tap++, pointers += apart) {
    size_t group = 0;
#define MULTIPLY_CHAIN(chain, v) \
  if (v < vectors) { \
    sums[chain][v] = multiply_add(sums[chain][v], broadcast((const uint8_t *)pointers[0] + 4 * (group + chain)), \
                                  load(weights + chain * vectors + v)); \
  }
    for (; group + CHAINS <= groups; group += CHAINS, weights += CHAINS * vectors) {
      EACH_CHAIN(MULTIPLY_CHAIN)
    }
    for (; group < groups; group++, weights += vectors) {
      MULTIPLY_CHAIN(0, 0)
      MULTIPLY_CHAIN(0, 1)
    }
  }
#define JOIN(chain, v) \
  if (chain != 0 && v < vectors) { \
    sums[0][v] = VECTOR(add_epi32)(sums[0][v], sums[chain][v]); \
  }
  EACH_CHAIN(JOIN)
  finish_by(finish, 1, vectors, sums, scale, out, 0, columns, requant);
}

typedef void (*tile_kernel)(size_t groups, size_t taps, const void *const *pointers, size_t apart, size_t ahead, const void *panel,
                            const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                            const struct neonsim_requant *requant);

#define TILE(way, finish, vectors, rows) \
  static void tile_##vectors##_##way##_##rows(size_t groups, size_t taps, const void *const *pointers, size_t apart, size_t ahead, \
                                              const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, \
                                              size_t columns, const struct neonsim_requant *requant) { \
    (void)ahead; \
    if (rows == 1) { \
      single(finish, vectors, groups, taps, pointers, apart, panel, row_sums, out, columns, requant); \
    } else { \
      tile(finish, rows, vectors, groups, taps, pointers, apart, ahead, panel, row_sums, out, out_stride, columns, requant); \
    } \
  }
#define NAME(way, finish, vectors, rows) tile_##vectors##_##way##_##rows,

/* Tiles one below the other, as even as can be, while the panel is in the first cache; the last one fetches the next panel. */
NEONSIM_FORCE_INLINE void tiles(const tile_kernel *kernels, size_t vectors, size_t rows, size_t groups, size_t taps,
                                const void *const *pointers, const void *panel, const int32_t *row_sums, uint8_t *out,
                                size_t out_stride, size_t columns, const struct neonsim_requant *requant) {
  for (size_t count = neonsim_ceil_div(rows, ROWS), first = 0; count != 0; count--) {
    const size_t height = neonsim_ceil_div(rows - first, count);
    const size_t ahead = count == 1 ? vectors * sizeof(vector) * (taps * groups + 2) : 0;
    kernels[height - 1](groups, taps, pointers + first, rows, ahead, panel, row_sums == NULL ? NULL : row_sums + first,
                        out + first * out_stride, out_stride, columns, requant);
    first += height;
  }
}

#define TILES(way, finish, vectors) \
  HEIGHTS(TILE, way, finish, vectors) \
  static NEONSIM_PANEL_KERNEL(tiles_##vectors##_##way) { \
    static const tile_kernel kernels[ROWS] = {HEIGHTS(NAME, way, finish, vectors)}; \
    tiles(kernels, vectors, rows, groups, taps, pointers, panel, sums, out, out_stride, columns, requant); \
  }
#define WIDTHS(way, finish) TILES(way, finish, 1) TILES(way, finish, 2)
EACH_FINISH(WIDTHS)

#define FIND(find, kernel) \
  static neonsim_panel_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) { \
    static const neonsim_panel_kernel kernels[VECTORS][FINISHES] = {{BY_FINISH(kernel##_1)}, {BY_FINISH(kernel##_2)}}; \
    (void)rows; \
    return kernels[vectors - 1][finish]; \
  }
FIND(find, tiles)

/* The rounding mode of a task: setting it takes as long as a small tile. */
NEONSIM_FORCE_INLINE unsigned begin_task(size_t groups, enum neonsim_finish finish) {
  (void)groups;
  return round_down(finish);
}

NEONSIM_FORCE_INLINE void end_task(enum neonsim_finish finish, unsigned begun) { round_as(finish, begun); }

#if !defined(__wasm__)
/* As many sums as in the tallest tile, operands in registers. */
static double probe(void) {
  enum { TURNS = 20000 };
  vector sums[EACH_ROWS][VECTORS];
#define CLEAR(row, v) sums[row][v] = VECTOR_BITS(setzero)();
  EACH(CLEAR)
  const vector a = VECTOR(set1_epi8)(1), w = VECTOR(set1_epi8)(1);
  for (size_t turn = 0; turn < TURNS; turn++) {
    /* Every product is one of its own, as far as compilers know. */
#define MULTIPLY(row, v) \
  if (row < ROWS) { \
    vector own; \
    __asm__ __volatile__("" : "=x"(own) : "0"(a)); \
    sums[row][v] = multiply_add(sums[row][v], own, w); \
  }
    EACH(MULTIPLY)
  }
#define KEEP(row, v) __asm__ __volatile__("" ::"x"(sums[row][v]));
  EACH(KEEP)
  return (double)LANES * DEPTH * ROWS * VECTORS * TURNS;
}
#endif

#define GEMM_KERNELS \
  .lanes = LANES, .depth = DEPTH, .weight_bytes = WEIGHT_BYTES, .max_vectors = VECTORS, .max_rows = {ROWS, ROWS}, .gemm = find, \
  .probe = probe

#endif
