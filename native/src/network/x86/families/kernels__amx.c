/* GEMM with AMX: TDPBUSD multiplies a tile of 16 rows by 64 unsigned bytes and one of 64 signed bytes by 16 columns.
 *
 *                        tile 6           tile 7            tiles 6, 7: 16 groups of four depths by 16 columns, as packed
 *                      +---------+      +---------+
 *   tile 4, 16 rows    | tile 0  |      | tile 1  |         tiles 4, 5: bytes of a tap, where they lie in memory
 *   tile 5, 16 rows    | tile 2  |      | tile 3  |         tiles 0-3: sums; they begin as the bias, loaded with stride 0
 *                      +---------+      +---------+
 *
 * Depths of a tap come in equal chunks of at most 16 groups, so that one shape of tiles does for a whole layer: setting shapes
 * takes as long as some ten tile products. A tile reads rows a fixed stride apart: rows that are not, as at the border of an image or
 * the end of a line, are copied side by side first. Fewer than 8 rows at the end of a task go to the VNNI kernels, which read the same
 * panels; so do, in panels of their own, layers of so few rows, and taps of up to 16 depths, which would leave three quarters of a tile
 * empty.
 *
 * The processor begins these instructions in their order, or nearly so: a tile that is stored holds up what comes behind until its
 * last product is there. So while 32 rows multiply, the sums of the 32 before, of this panel or of the last, leave their tiles one
 * by one between the first products and become bytes, some rows at a time, between the others. */
#include <string.h>

#include "contracts/variants.h"
#include "network/float32/float32.h"
#include "network/winograd/winograd.h"
#include "network/x86/gemm/finish512.h"
#include "network/x86/x86.h"

/* WIDTH: bytes of a register of sums, and of a group's weights for one. */
enum { ROWS = 16, TILE_BYTES = 64, WIDTH = 64, MAX_GROUPS = 16, FEW_ROWS = 8, TILES_AT_ONCE = 8, MIN_GROUPS = 5 };

struct shapes {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

/* Compilers do not know that loading tiles and their shapes reads memory. */
NEONSIM_FORCE_INLINE void write_memory(void) { __asm__ __volatile__("" ::: "memory"); }

static size_t chunks_of(size_t groups) { return neonsim_ceil_div(groups, MAX_GROUPS); }

static unsigned begin(size_t groups, enum neonsim_finish finish) {
  (void)finish;
  const size_t deep = groups / chunks_of(groups);
  struct shapes shapes = {.palette = 1};
  for (size_t tile = 0; tile < 8; tile++) {
    const int is_input = tile == 4 || tile == 5, is_weights = tile >= 6;
    shapes.row_bytes[tile] = (uint16_t)(is_input ? 4 * deep : TILE_BYTES);
    shapes.rows[tile] = (uint8_t)(is_weights ? deep : ROWS);
  }
  write_memory();
  _tile_loadconfig(&shapes);
  return 0;
}

static void end(enum neonsim_finish finish, unsigned begun) {
  (void)finish;
  (void)begun;
  _tile_release();
}

/* What does not change from tile to tile of a call. */
struct product {
  size_t rows, taps, chunks, deep; /* deep: groups of a chunk */
  const void *const *pointers;
};

/* Sixteen rows of a tap, `stride` apart, or rows to be copied: stride is NOT_EVEN. */
enum { NOT_EVEN = -1 };

NEONSIM_FORCE_INLINE ptrdiff_t stride_of(const void *const *rows, size_t count) {
  if (count < ROWS) {
    return NOT_EVEN;
  }
  const ptrdiff_t stride = (const uint8_t *)rows[1] - (const uint8_t *)rows[0];
  const __m512i upper = _mm512_sub_epi64(_mm512_loadu_si512(rows + 1), _mm512_loadu_si512(rows));
  const __m512i lower = _mm512_sub_epi64(_mm512_loadu_si512(rows + 8), _mm512_loadu_si512(rows + 7));
  const __m512i even = _mm512_set1_epi64(stride);
  return stride < 0 || (_mm512_cmpneq_epi64_mask(upper, even) | _mm512_cmpneq_epi64_mask(lower, even)) ? NOT_EVEN : stride;
}

/* Where a chunk of up to sixteen rows can be read, `*stride` apart. */
NEONSIM_FORCE_INLINE const uint8_t *find_chunk(const void *const *rows, size_t count, size_t offset, size_t bytes,
                                               ptrdiff_t *stride, uint8_t *copies) {
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

/* Sums that are still in tiles, or being made bytes. */
struct leaving {
  size_t height, done; /* rows; those that are bytes */
  size_t second;       /* row at which the second strip begins */
  const float *scale;
  size_t columns;
  const int32_t *row_sums;
  uint8_t *out;
};

/* Tile number 0 to 3 to memory, as rows of registers. Where there is no second strip nobody looks at what comes there. */
#define STORE(tile) _tile_stored(tile, sums + ((tile) / 2 * before->second * vectors + (tile) % 2) * 16, WIDTH * vectors)

/* The first products store what the tiles hold, if there is something, and begin with the bias. */
#define PRODUCT(tile, input, weight, row_there, column_there) \
  if (column_there) { \
    if (first && before->height != 0) { \
      STORE(tile); \
    } \
    if (first && (row_there)) { \
      _tile_loadd(tile, bias + (tile) % 2 * WIDTH, 0); \
    } \
    if (row_there) { \
      _tile_dpbusd(tile, input, weight); \
    } \
  }

/* Sums of `height` rows, two strips of sixteen (`tall`) or one, while the rows before leave. */
NEONSIM_FORCE_INLINE void multiply(enum neonsim_finish finish, size_t vectors, int tall, const struct product *product,
                                   size_t start, size_t height, const uint8_t *bias, int32_t *sums, struct leaving *before,
                                   const struct finishing512 *finishing) {
  _Alignas(64) uint8_t copies[2][ROWS * TILE_BYTES];
  const int wide = vectors == 2;
  const size_t count = tall ? ROWS : height, second = tall ? height - ROWS : 0, weight_stride = WIDTH * vectors;
  const size_t chunk_bytes = 4 * product->deep, at_once = 4 / vectors;
  const size_t some = neonsim_ceil_div(before->height, product->taps * product->chunks * at_once) * at_once;
  const void *const *pointers = product->pointers + start;
  const uint8_t *weights = bias + 2 * WIDTH * vectors;
  int first = 1;
  for (size_t tap = 0; tap < product->taps; tap++, pointers += product->rows) {
    const ptrdiff_t upper_stride = stride_of(pointers, count), lower_stride = tall ? stride_of(pointers + second, ROWS) : 0;
    for (size_t chunk = 0; chunk < product->chunks; chunk++, weights += product->deep * weight_stride, first = 0) {
      ptrdiff_t stride = upper_stride;
      const uint8_t *upper = find_chunk(pointers, count, chunk_bytes * chunk, chunk_bytes, &stride, copies[0]);
      _tile_loadd(4, upper, stride);
      _tile_loadd(6, weights, weight_stride);
      if (wide) {
        _tile_loadd(7, weights + WIDTH, weight_stride);
      }
      if (tall) {
        stride = lower_stride;
        const uint8_t *lower = find_chunk(pointers + second, ROWS, chunk_bytes * chunk, chunk_bytes, &stride, copies[1]);
        _tile_loadd(5, lower, stride);
      }
      PRODUCT(0, 4, 6, 1, 1)
      PRODUCT(1, 4, 7, 1, wide)
      PRODUCT(2, 5, 6, tall, 1)
      PRODUCT(3, 5, 7, tall, wide)
      const size_t end = neonsim_min(before->done + some, before->height);
      finish_some(finish, vectors, finishing, before->done, end, before->height - 1, sums, before->row_sums, before->out);
      before->done = end;
    }
  }
}

NEONSIM_FORCE_INLINE void store(size_t vectors, const struct leaving *before, int32_t *sums) {
  STORE(0);
  STORE(2);
  if (vectors == 2) {
    STORE(1);
    STORE(3);
  }
}

/* Panels low .. high - 1, all `vectors` registers wide. Of each, two strips of sixteen rows at a time from the top; what is left in
 * the end reaches back to make a strip, or two that overlap. */
NEONSIM_FORCE_INLINE void run_panels(enum neonsim_finish finish, size_t vectors, const struct neonsim_step *step, size_t low,
                                     size_t high, size_t rows, const void *const *pointers, const uint8_t *packed,
                                     const int32_t *row_sums, uint8_t *out) {
  const size_t width = neonsim_result_bytes(finish);
  const struct product product = {.rows = rows,
                                  .taps = step->taps,
                                  .chunks = chunks_of(step->groups_per_tap),
                                  .deep = step->groups_per_tap / chunks_of(step->groups_per_tap),
                                  .pointers = pointers};
  const size_t out_stride = step->layer.output_stride;
  _Alignas(64) int32_t sums[2 * ROWS * 2 * 16];
  struct leaving before = {.height = 0, .scale = (const float *)(const void *)(packed + step->panels[low].offset)};
  for (size_t i = low; i < high; i++) {
    const struct neonsim_panel *panel = &step->panels[i];
    const uint8_t *bias = packed + panel->offset;
    for (size_t start = 0; start < rows; start += 2 * ROWS) {
      const size_t height = neonsim_min(rows - start > ROWS ? rows - start : neonsim_min(rows, ROWS), 2 * ROWS);
      const size_t from = neonsim_min(start, rows - height);
      const struct finishing512 finishing =
          finishing_begin(finish, vectors, before.scale, out_stride, before.columns, &step->requant);
      if (height > ROWS) {
        multiply(finish, vectors, 1, &product, from, height, bias, sums, &before, &finishing);
      } else {
        multiply(finish, vectors, 0, &product, from, height, bias, sums, &before, &finishing);
      }
      before = (struct leaving){.height = height,
                                .second = height > ROWS ? height - ROWS : ROWS,
                                .scale = (const float *)(const void *)(bias + WIDTH * vectors),
                                .columns = panel->columns,
                                .row_sums = row_sums == NULL ? NULL : row_sums + from,
                                .out = out + panel->column * width + from * out_stride};
    }
  }
  store(vectors, &before, sums);
  const struct finishing512 finishing = finishing_begin(finish, vectors, before.scale, out_stride, before.columns, &step->requant);
  finish_some(finish, vectors, &finishing, 0, before.height, before.height - 1, sums, before.row_sums, before.out);
}

#define RUN(name, finish, vectors) \
  static void run_##name##_##vectors(const struct neonsim_step *step, size_t low, size_t high, size_t rows, \
                                     const void *const *pointers, const uint8_t *packed, const int32_t *row_sums, uint8_t *out) { \
    run_panels(finish, vectors, step, low, high, rows, pointers, packed, row_sums, out); \
  }
#define WIDTHS(name, finish) RUN(name, finish, 1) RUN(name, finish, 2)
WIDTHS(q31_float, FINISH_Q31_FLOAT)
WIDTHS(q31, FINISH_Q31)
WIDTHS(fp32, FINISH_FP32)
WIDTHS(sums, FINISH_S32)

static int panels(const struct neonsim_step *step, size_t low, size_t high, size_t rows, const void *const *pointers,
                  const uint8_t *packed, const int32_t *row_sums, uint8_t *out, uint8_t *room) {
  typedef void (*runner)(const struct neonsim_step *, size_t, size_t, size_t, const void *const *, const uint8_t *, const int32_t *,
                         uint8_t *);
#define NAMES(name) \
  { \
    run_##name##_1, run_##name##_2 \
  }
  static const runner runners[FINISHES][2] = {NAMES(q31_float), NAMES(q31), NAMES(fp32), NAMES(sums)};
  (void)room;
  if (rows < FEW_ROWS) {
    return 0;
  }
  for (size_t first = low, end; first < high; first = end) {
    const size_t vectors = step->panels[first].vectors;
    for (end = first + 1; end < high && step->panels[end].vectors == vectors; end++) {
    }
    runners[step->requant.finish][vectors - 1](step, first, end, rows, pointers, packed, row_sums, out);
  }
  return 1;
}

/* Four tiles of sums, as in the loop, operands in registers. */
static double probe(void) {
  enum { STEPS = 4000 };
  static const uint8_t ones[ROWS * TILE_BYTES] = {1};
  const unsigned begun = begin(MAX_GROUPS, FINISH_S32);
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
  end(FINISH_S32, begun);
  return 4.0 * STEPS * ROWS * 16 * TILE_BYTES;
}

const struct neonsim_family neonsim_family_amx = {
    .name = "amx",
    .features = NEONSIM_FEATURE_AMXINT8 | NEONSIM_FEATURE_AVX512VNNI,
    .needs = "this processor has no AMX with 8-bit integers, or the system does not grant tiles",
    .lanes = 16,
    .depth = 4,
    .weight_bytes = 1,
    .max_vectors = 2,
    .max_rows = {2 * ROWS, 2 * ROWS},
    .tiles_at_once = TILES_AT_ONCE,
    .gemm = neonsim_find_gemm__avx512vnni,
    .panels = panels,
    .shallow = &neonsim_family_avx512vnni,
    .min_groups = MIN_GROUPS,
    .min_rows = FEW_ROWS,
    .max_groups = MAX_GROUPS,
    .begin = begin,
    .end = end,
    .row_sums = neonsim_row_sums__avx512vnni,
    .depthwise_rows = AVX512_DEPTHWISE(rows, avx512vnni),
    .rows_twice = 1,
#ifdef NEONSIM_HAVE_AVX2
    .depthwise_int16 = &neonsim_family_avx2,
#endif
    .depthwise_taps = AVX512_DEPTHWISE(taps, avx512vnni),
    AVX512_KERNELS,
    .winograd = &neonsim_winograd__avx512,
    .probe = probe,
};
