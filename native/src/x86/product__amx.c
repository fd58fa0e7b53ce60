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
 * the end of a line, are copied side by side first. Fewer than 8 rows go to the VNNI kernels, which read the same panels. */
#include <string.h>

#include "variants.h"
#include "x86/avx512.h"
#include "x86/x86.h"

enum { ROWS = 16, TILE_BYTES = 64, MOST_GROUPS = 16, FEW_ROWS = 8 };

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

/* Sixteen rows: the first, and how far apart. */
struct strip {
  const uint8_t *first;
  size_t stride;
};

/* Rows of a tap as the tile can read them, or copies of them. */
NEONSIM_FORCE_INLINE struct strip find_strip(const void *const *rows, size_t count, size_t offset, size_t bytes, uint8_t *copies) {
  const uint8_t *const *row = (const uint8_t *const *)rows;
  const ptrdiff_t stride = count == ROWS ? row[1] - row[0] : 0;
  int even = count == ROWS;
  for (size_t i = 2; i < count; i++) {
    even &= row[i] - row[i - 1] == stride;
  }
  if (even) {
    return (struct strip){row[0] + offset, (size_t)stride};
  }
  const __mmask64 there = bytes == TILE_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1;
  for (size_t i = 0; i < count; i++) {
    _mm512_store_si512(copies + TILE_BYTES * i, _mm512_maskz_loadu_epi8(there, row[i] + offset));
  }
  write_memory();
  return (struct strip){copies, TILE_BYTES};
}

NEONSIM_FORCE_INLINE void tile(size_t vectors, size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel,
                               const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,
                               const struct neonsim_requant *requant) {
  enum { WIDTH = 64 }; /* bytes of a register of sums, and of a group of weights for one */
  const size_t chunks = chunks_of(groups), deep = groups / chunks, weight_stride = WIDTH * vectors;
  const uint8_t *bias = panel, *weights = bias + 2 * WIDTH * vectors;
  /* Two strips of rows; where there are fewer than 32 they overlap, and the same sums come twice. */
  const int tall = rows > ROWS, wide = vectors == 2;
  const size_t second = tall ? rows - ROWS : 0, first_rows = tall ? ROWS : rows;
  _Alignas(64) uint8_t copies[2 * ROWS * TILE_BYTES];
  _Alignas(64) int32_t sums[2 * ROWS * 2 * 16];
  _tile_loadd(0, bias, 0);
  if (wide) {
    _tile_loadd(1, bias + WIDTH, 0);
  }
  if (tall) {
    _tile_loadd(2, bias, 0);
    if (wide) {
      _tile_loadd(3, bias + WIDTH, 0);
    }
  }
  for (size_t tap = 0; tap < taps; tap++, pointers += rows) {
    for (size_t chunk = 0; chunk < chunks; chunk++, weights += deep * weight_stride) {
      const struct strip upper = find_strip(pointers, first_rows, 4 * deep * chunk, 4 * deep, copies);
      _tile_loadd(4, upper.first, upper.stride);
      _tile_loadd(6, weights, weight_stride);
      _tile_dpbusd(0, 4, 6);
      if (wide) {
        _tile_loadd(7, weights + WIDTH, weight_stride);
        _tile_dpbusd(1, 4, 7);
      }
      if (tall) {
        const struct strip lower =
            find_strip(pointers + second, ROWS, 4 * deep * chunk, 4 * deep, copies + ROWS * TILE_BYTES);
        _tile_loadd(5, lower.first, lower.stride);
        _tile_dpbusd(2, 5, 6);
        if (wide) {
          _tile_dpbusd(3, 5, 7);
        }
      }
    }
  }
  _tile_stored(0, sums, weight_stride);
  if (wide) {
    _tile_stored(1, sums + 16, weight_stride);
  }
  if (tall) {
    _tile_stored(2, sums + 16 * vectors * second, weight_stride);
    if (wide) {
      _tile_stored(3, sums + 16 * vectors * second + 16, weight_stride);
    }
  }
  const float *scale = (const float *)panel + 16 * vectors;
  neonsim_finish__avx512[requant->finish][vectors - 1](rows, sums, row_sums, scale, out, out_stride, columns, requant);
}

#define TILE(vectors)                                                                                                      \
  static void tile_##vectors(size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel,      \
                             const int32_t *row_sums, uint8_t *out, size_t out_stride, size_t columns,                     \
                             const struct neonsim_requant *requant) {                                                      \
    tile(vectors, rows, groups, taps, pointers, panel, row_sums, out, out_stride, columns, requant);                       \
  }
TILE(1)
TILE(2)

static neonsim_product_kernel find(enum neonsim_finish finish, size_t vectors, size_t rows) {
  return rows < FEW_ROWS ? neonsim_find_product__avx512vnni(finish, vectors, rows) : vectors == 1 ? tile_1 : tile_2;
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
    .product = find,
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
    .probe = probe,
};
