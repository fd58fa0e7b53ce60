/* Products with AMX: TDPBUSD multiplies a tile of 16 rows by 64 unsigned bytes and one of 64 signed bytes by 16 columns.
 *
 *                        tile 6           tile 7            tiles 6, 7: 16 groups of four depths by 16 columns, as packed
 *                      +---------+      +---------+
 *   tile 4, 16 rows    | tile 0  |      | tile 1  |         tiles 4, 5: bytes of a tap, where they lie in memory
 *   tile 5, 16 rows    | tile 2  |      | tile 3  |         tiles 0-3: sums; they begin as the bias, loaded with stride 0
 *                      +---------+      +---------+
 *
 * Depths of a tap come in equal chunks of at most 16 groups, so that one shape of tiles does for a whole layer: setting shapes
 * takes as long as some ten tile products. A tile reads rows a fixed stride apart: rows that are not, as at the border of an image or
 * the end of a line, are copied side by side first. Fewer than 8 rows go to the VNNI kernels, which read the same panels; so do, in
 * panels of their own, taps of up to 16 depths, which would leave three quarters of a tile empty. */
#include <string.h>

#include "variants.h"
#include "x86/avx512.h"
#include "x86/x86.h"

/* WIDTH: bytes of a register of sums, and of a group's weights for one. */
enum { ROWS = 16, TILE_BYTES = 64, WIDTH = 64, MOST_GROUPS = 16, FEW_ROWS = 8, TILES_AT_ONCE = 8, LEAST_GROUPS = 5 };

struct shapes {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

/* Compilers do not know that loading tiles and their shapes reads memory. */
NEONSIM_FORCE_INLINE void write_memory(void) { __asm__ __volatile__("" ::: "memory"); }

static size_t chunks_of(size_t groups) { return neonsim_ceil_div(groups, MOST_GROUPS); }

static size_t whole_groups(size_t groups) { return neonsim_ceil_div(groups, chunks_of(groups)) * chunks_of(groups); }

static void begin(size_t groups) {
  const size_t deep = groups / chunks_of(groups);
  struct shapes shapes = {.palette = 1};
  for (size_t tile = 0; tile < 8; tile++) {
    const int is_input = tile == 4 || tile == 5, is_weights = tile >= 6;
    shapes.row_bytes[tile] = (uint16_t)(is_input ? 4 * deep : TILE_BYTES);
    shapes.rows[tile] = (uint8_t)(is_weights ? deep : ROWS);
  }
  write_memory();
  _tile_loadconfig(&shapes);
}

static void end(void) { _tile_release(); }

/* What does not change from tile to tile of a call. */
struct product {
  size_t rows, taps, chunks, deep; /* deep: groups of a chunk */
  const void *const *pointers;
  const uint8_t *bias, *weights;
};

/* Sixteen rows of a tap, `stride` apart, or rows to be copied: stride is NOT_EVEN. */
enum { NOT_EVEN = -1 };

NEONSIM_FORCE_INLINE ptrdiff_t stride_of(const void *const *rows, size_t count) {
  const uint8_t *const *row = (const uint8_t *const *)rows;
  if (count < ROWS) {
    return NOT_EVEN;
  }
  const ptrdiff_t stride = row[1] - row[0];
  ptrdiff_t differs = stride >> (8 * sizeof stride - 1);
  for (size_t i = 2; i < ROWS; i++) {
    differs |= (row[i] - row[i - 1]) ^ stride;
  }
  return differs ? NOT_EVEN : stride;
}

/* Where a chunk of up to sixteen rows can be read, `*stride` apart. */
NEONSIM_FORCE_INLINE const uint8_t *find_chunk(const void *const *rows, size_t count, size_t offset, size_t bytes, ptrdiff_t *stride,
                                               uint8_t *copies) {
  const uint8_t *const *row = (const uint8_t *const *)rows;
  if (*stride != NOT_EVEN) {
    return row[0] + offset;
  }
  const __mmask64 there = bytes == TILE_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1;
  for (size_t i = 0; i < count; i++) {
    _mm512_store_si512(copies + TILE_BYTES * i, _mm512_maskz_loadu_epi8(there, row[i] + offset));
  }
  write_memory();
  *stride = TILE_BYTES;
  return copies;
}

/* Sums of `height` rows, two strips of sixteen: where there are fewer than 32 they overlap, and some sums come twice. */
NEONSIM_FORCE_INLINE void multiply(size_t vectors, const struct product *product, size_t start, size_t height) {
  _Alignas(64) uint8_t copies[2][ROWS * TILE_BYTES];
  const int wide = vectors == 2, tall = height > ROWS;
  const size_t count = tall ? ROWS : height, second = tall ? height - ROWS : 0, weight_stride = WIDTH * vectors;
  const size_t chunk_bytes = 4 * product->deep;
  const void *const *pointers = product->pointers + start;
  const uint8_t *weights = product->weights;
  _tile_loadd(0, product->bias, 0);
  if (wide) {
    _tile_loadd(1, product->bias + WIDTH, 0);
  }
  if (tall) {
    _tile_loadd(2, product->bias, 0);
    if (wide) {
      _tile_loadd(3, product->bias + WIDTH, 0);
    }
  }
  for (size_t tap = 0; tap < product->taps; tap++, pointers += product->rows) {
    const ptrdiff_t upper_stride = stride_of(pointers, count), lower_stride = tall ? stride_of(pointers + second, ROWS) : 0;
    for (size_t chunk = 0; chunk < product->chunks; chunk++, weights += product->deep * weight_stride) {
      ptrdiff_t stride = upper_stride;
      const uint8_t *upper = find_chunk(pointers, count, chunk_bytes * chunk, chunk_bytes, &stride, copies[0]);
      _tile_loadd(4, upper, stride);
      _tile_loadd(6, weights, weight_stride);
      _tile_dpbusd(0, 4, 6);
      if (wide) {
        _tile_loadd(7, weights + WIDTH, weight_stride);
        _tile_dpbusd(1, 4, 7);
      }
      if (tall) {
        stride = lower_stride;
        const uint8_t *lower = find_chunk(pointers + second, ROWS, chunk_bytes * chunk, chunk_bytes, &stride, copies[1]);
        _tile_loadd(5, lower, stride);
        _tile_dpbusd(2, 5, 6);
        if (wide) {
          _tile_dpbusd(3, 5, 7);
        }
      }
    }
  }
}

/* The sums to memory, as rows of registers. */
NEONSIM_FORCE_INLINE void leave(size_t vectors, size_t height, int32_t *sums) {
  const size_t row = 16 * vectors;
  int32_t *const second = sums + (height > ROWS ? height - ROWS : 0) * row;
  _tile_stored(0, sums, 4 * row);
  if (vectors == 2) {
    _tile_stored(1, sums + 16, 4 * row);
  }
  if (height > ROWS) {
    _tile_stored(2, second, 4 * row);
    if (vectors == 2) {
      _tile_stored(3, second + 16, 4 * row);
    }
  }
}

/* Tiles of 32 rows from the top; the last reaches back to be as high. While one multiplies, the one before is made bytes. */
NEONSIM_FORCE_INLINE void tiles(size_t vectors, size_t rows, size_t groups, size_t taps, const void *const *pointers,
                                const void *panel, const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                                const struct neonsim_requant *requant) {
  const struct product product = {.rows = rows, .taps = taps, .chunks = chunks_of(groups), .deep = groups / chunks_of(groups),
                                  .pointers = pointers, .bias = panel, .weights = (const uint8_t *)panel + 2 * WIDTH * vectors};
  const float *scale = (const float *)panel + 16 * vectors;
  const neonsim_finish_rows finish = neonsim_finish__avx512[requant->finish][vectors - 1];
  const size_t height = neonsim_min(rows, 2 * ROWS);
  _Alignas(64) int32_t sums[2][2 * ROWS * 2 * 16];
  size_t before = 0, turn = 0;
  for (size_t start = 0, next; start < rows; start = next, turn ^= 1) {
    next = start + height;
    const size_t from = neonsim_min(start, rows - height);
    multiply(vectors, &product, from, height);
    if (start != 0) {
      finish(height, sums[turn ^ 1], row_sums == NULL ? NULL : row_sums + before, scale, out + before * out_stride, out_stride,
             columns, requant);
    }
    leave(vectors, height, sums[turn]);
    before = from;
  }
  finish(height, sums[turn ^ 1], row_sums == NULL ? NULL : row_sums + before, scale, out + before * out_stride, out_stride, columns,
         requant);
}

#define TILES(vectors)                                                                                                      \
  static void tiles_##vectors(size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel,      \
                              const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,                     \
                              const struct neonsim_requant *requant) {                                                      \
    tiles(vectors, rows, groups, taps, pointers, panel, row_sums, out, out_stride, columns, requant);                       \
  }
TILES(1)
TILES(2)

static neonsim_product_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  return rows < FEW_ROWS ? neonsim_find_product__avx512vnni(finish, vectors, rows) : vectors == 1 ? tiles_1 : tiles_2;
}

/* Four tiles of sums, as in the loop, operands in registers. */
static double probe(void) {
  enum { STEPS = 4000 };
  static const uint8_t ones[ROWS * TILE_BYTES] = {1};
  begin(MOST_GROUPS);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, ones, TILE_BYTES);
  _tile_loadd(5, ones, TILE_BYTES);
  _tile_loadd(6, ones, TILE_BYTES);
  _tile_loadd(7, ones, TILE_BYTES);
  for (size_t step = 0; step < STEPS; step++) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  end();
  return 4.0 * STEPS * ROWS * 16 * TILE_BYTES;
}

const struct neonsim_family neonsim_family_amx = {
    .name = "amx",
    .features = NEONSIM_FEATURE_AMXINT8 | NEONSIM_FEATURE_AVX512VNNI,
    .needs = "this processor has no AMX with 8-bit integers, or the system does not grant tiles",
    .lanes = 16,
    .depth = 4,
    .weight_bytes = 1,
    .most_vectors = 2,
    .most_rows = {2 * ROWS, 2 * ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .product = find,
    .shallow = &neonsim_family_avx512vnni,
    .least_groups = LEAST_GROUPS,
    .whole_groups = whole_groups,
    .begin = begin,
    .end = end,
    .row_sums = neonsim_row_sums__avx512vnni,
    .depthwise_rows = {neonsim_depthwise_rows_q31_float__avx512vnni, neonsim_depthwise_rows_q31__avx512vnni,
                       neonsim_depthwise_rows_fp32__avx512vnni},
    .depthwise_taps = {neonsim_depthwise_taps_q31_float__avx512vnni, neonsim_depthwise_taps_q31__avx512vnni,
                       neonsim_depthwise_taps_fp32__avx512vnni},
    .add = neonsim_add__avx512,
    .sum = neonsim_sum__avx512,
    .max = neonsim_max__avx512,
    .requantize = neonsim_requantize__avx512,
    .multiply_add = neonsim_multiply_add__avx512,
    .probe = probe,
};
