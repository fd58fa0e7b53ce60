/* Inside the fast path: what families of kernels provide, and what layers look like once planned.
 *
 * A family is one instruction set's kernels behind one table. A GEMM (convolution, fully connected layer) is cut into panels of columns,
 * each of 1 to `max_vectors` registers of `lanes` sums, and tiles of rows; one kernel call computes one tile of one panel:
 *
 *          panel 0      panel 1              a panel in memory, `vectors` registers wide:
 *        +----------+----------+               int32  bias    [vectors][lanes]
 *   rows | tile     | tile     |               float  scale   [vectors][lanes]
 *        +----------+----------+               weights [tap][group][vectors][lanes][depth]     int8 or int16
 *        | tile     | tile     |             where `depth` neighbouring products are added by one instruction, and depths of a tap
 *        +----------+----------+             are filled up with zero weights to whole groups.
 *
 * Columns are dealt to lanes so that packing 32-bit sums to bytes, which works within 128 bits, leaves them in order:
 * lane 4 * l + i of register j holds column 4 * vectors * l + 4 * j + i.
 */
#ifndef NEONSIM_NETWORK_INTERNAL_H
#define NEONSIM_NETWORK_INTERNAL_H

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "neonsim_network.h"

#if defined(__GNUC__)
#define NEONSIM_FORCE_INLINE static inline __attribute__((always_inline))
#define NEONSIM_NO_INLINE __attribute__((noinline))
#else
#define NEONSIM_FORCE_INLINE static inline
#define NEONSIM_NO_INLINE
#endif

#define NEONSIM_TAPS_OF_KERNEL "number of taps of the kernel" /* for refusals */

enum {
  NEONSIM_MAX_VECTORS = 4,
  NEONSIM_MAX_INTERLEAVED = 4, /* groups */
  NEONSIM_MAX_ROWS = 256,      /* of a kernel call */
  NEONSIM_MAX_TAPS = 128,      /* of a kernel */
  NEONSIM_MAX_AXES = 8,        /* of what is gathered */
  NEONSIM_BILINEAR_ONE = 2048,
  NEONSIM_SLACK = 256, /* bytes before and behind the arena and packed data that kernels may read */
  NEONSIM_LINE = 64,
  NEONSIM_DEPTHWISE_BLOCK = 64,    /* channels */
  NEONSIM_DEPTHWISE_NARROW = 32,   /* by rows, blocks of so few come twice: for two pixels at a time */
  NEONSIM_DEPTHWISE_NARROWEST = 16 /* and of so few four times */
};

/* How a kernel turns sums into bytes. The first two are Q31; which of them is exact for a layer is known when it is planned.
 * FINISH_S32 leaves int32 sums, columns in their order, where the bytes would be; strides count bytes all the same. */
enum neonsim_finish { FINISH_Q31_FLOAT, FINISH_Q31, FINISH_FP32, FINISH_S32, FINISHES };

/* What products of sum and scale may be cut off at before they become int32: further from zero than any byte and zero point. */
#define NEONSIM_BEYOND_BYTES 65536.0f

struct neonsim_requant {
  enum neonsim_finish finish;
  int16_t zero_point;
  uint8_t min, max;
  int32_t multiplier, shift; /* FINISH_Q31 */
  /* FINISH_Q31_FLOAT: floor(sum * scale + a half and a bit, the bit's sign that of the sum), in a fused multiply-add that rounds
   * down. */
  float positive, negative; /* zero point + 0.5 +- 2**-(shift + 1) */
};

/* pointers: [taps][rows of the tile], each `groups` groups of depths long. sums: for every row what its zero-point correction adds,
 * or NULL. columns: how many of the panel's are stored. */
#define NEONSIM_PANEL_KERNEL(name) \
  void name(size_t rows, size_t groups, size_t taps, const void *const *pointers, const void *panel, const int32_t *sums, \
            uint8_t *out, size_t out_stride, size_t columns, const struct neonsim_requant *requant)
typedef NEONSIM_PANEL_KERNEL((*neonsim_panel_kernel));

/* DO(.., height) for every height of a tile. */
#define NEONSIM_HEIGHTS_4(DO, ...) DO(__VA_ARGS__, 1) DO(__VA_ARGS__, 2) DO(__VA_ARGS__, 3) DO(__VA_ARGS__, 4)
#define NEONSIM_HEIGHTS_6(DO, ...) NEONSIM_HEIGHTS_4(DO, __VA_ARGS__) DO(__VA_ARGS__, 5) DO(__VA_ARGS__, 6)
#define NEONSIM_HEIGHTS_7(DO, ...) NEONSIM_HEIGHTS_6(DO, __VA_ARGS__) DO(__VA_ARGS__, 7)
#define NEONSIM_HEIGHTS_8(DO, ...) NEONSIM_HEIGHTS_7(DO, __VA_ARGS__) DO(__VA_ARGS__, 8)
#define NEONSIM_HEIGHTS_12(DO, ...) \
  NEONSIM_HEIGHTS_8(DO, __VA_ARGS__) DO(__VA_ARGS__, 9) DO(__VA_ARGS__, 10) DO(__VA_ARGS__, 11) DO(__VA_ARGS__, 12)
#define NEONSIM_HEIGHTS_14(DO, ...) NEONSIM_HEIGHTS_12(DO, __VA_ARGS__) DO(__VA_ARGS__, 13) DO(__VA_ARGS__, 14)

/* A tile of rows of panels low .. high - 1, for kernels that do not wait for the end of one panel before they begin the next.
 * packed, out: of panel 0; room: of the thread's own, as much as the family asked for; the rest as above. Returns 0 if it has done
 * nothing: then panel by panel. */
struct neonsim_step;
typedef int (*neonsim_panels_kernel)(const struct neonsim_step *step, size_t low, size_t high, size_t rows,
                                     const void *const *pointers, const uint8_t *packed, const int32_t *sums, uint8_t *out,
                                     uint8_t *room);

/* Some output pixels of one row, one block of up to 64 channels. rows: [taps of the kernel] pointers for every pixel, or, for the
 * 3x3 kernels, see depthwise.c. */
struct neonsim_depthwise_call {
  const uint8_t *const *rows; /* row kernels: 4 input rows; tap kernels: pixels * taps pointers */
  const void *packed;         /* of this block of channels */
  size_t offset;              /* of the block's first channel in a pixel */
  size_t channels;            /* 1 .. 64 */
  size_t taps;                /* tap kernels */
  size_t pixels;
  size_t stride;   /* bytes from input pixel to input pixel */
  ptrdiff_t first; /* row kernels: column of the first pixel's leftmost tap, -1 .. */
  size_t width;    /* row kernels: columns of the input; those outside hold the zero point */
  size_t step;     /* row kernels: columns from output pixel to output pixel, 1 or 2 */
  int twice;       /* row kernels: weights are sums of two bytes, those of the second behind all of the first */
  uint8_t zero_point;
  uint8_t *out, *second_out; /* row kernels of stride 1: the output row below, or NULL */
  size_t out_stride;
  const struct neonsim_requant *requant;
};
typedef void (*neonsim_depthwise_kernel)(const struct neonsim_depthwise_call *call);

struct neonsim_add {
  int32_t a_zero_point, b_zero_point, a_multiplier, b_multiplier, shift, away;
  int16_t zero_point;
  uint8_t min, max;
};
typedef void (*neonsim_add_kernel)(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add);
/* sums[i] += the bytes of `rows` rows, `stride` apart. */
typedef void (*neonsim_sum_kernel)(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums);
/* best[i] = max(best[i], in[i]) */
typedef void (*neonsim_max_kernel)(size_t n, const uint8_t *in, uint8_t *best);
/* Of each pixel byte i of group g to i * groups + g, for 2 to NEONSIM_MAX_INTERLEAVED groups of 16 channels or more. */
typedef void (*neonsim_interleave_kernel)(size_t groups, size_t pixels, size_t channels, const uint8_t *in, size_t in_stride,
                                          uint8_t *out, size_t out_stride);
/* Windows of pixels `step` bytes apart: `lines` lines of `bytes` bytes, `line_step` bytes apart. */
struct neonsim_windows {
  size_t step, lines, bytes, line_step;
};
/* Windows of `run` pixels as 16-bit numbers, lines side by side, `to_step` bytes from window to window. Both sides have room behind. */
typedef void (*neonsim_widen_kernel)(uint8_t *to, size_t to_step, const uint8_t *from, size_t run,
                                     const struct neonsim_windows *windows);
/* factor * the sum of `bytes` bytes of each row of a tile, over all taps. */
typedef void (*neonsim_row_sum_kernel)(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor,
                                       int32_t *sums);

/* The second of two passes: n sums to bytes. scale: of every one of them, or one for all. */
typedef void (*neonsim_requantize_kernel)(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                          const struct neonsim_requant *requant);
/* sums[i] += in[i] * weights[i] */
typedef void (*neonsim_multiply_add_kernel)(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums);

/* first: channel of the group's first column. */
struct neonsim_panel;
typedef void (*neonsim_pack)(const struct neonsim_step *step, uint8_t *out, size_t first, const struct neonsim_panel *panel);

/* Products in runs, int16_accum.c: which depths of a row, DEPTH * group and on, and which part of their weights; no parts: zeros. */
struct neonsim_int16_entry {
  uint32_t group;
  uint16_t part, parts;
};
/* Of a panel: entries of runs of four, then of two. split: groups whose weights come in parts. */
struct neonsim_int16_runs {
  uint32_t quad_runs, pair_runs, split_groups;
  struct neonsim_int16_entry *entries;
};

struct neonsim_f32_kernels;
struct neonsim_winograd_kernels;
/* Numbers as ncnn has them, ncnn.c: n floats to bytes (128 added), whether there was a NaN; n channels' sums to floats, to bytes. */
struct neonsim_channel_scales {
  const float *factor, *bias;
  float low, high, steps;
};
struct neonsim_ncnn_kernels {
  int (*quantize)(size_t n, const float *in, float steps, uint8_t *out);
  void (*dequantize)(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, float *out);
  void (*requantize)(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, uint8_t *out);
};

struct neonsim_family {
  const char *name;
  uint32_t features; /* NEONSIM_FEATURE_...: all are needed */
  const char *needs; /* the same for readers */
  uint32_t lanes, depth, weight_bytes;
  uint32_t depthwise_depth; /* taps of a channel side by side, where that is not `depth`; else 0 */
  int32_t center;           /* what kernels take off every byte of a row: 0, or 128 where they multiply signed bytes only */
  uint32_t max_vectors, max_rows[NEONSIM_MAX_VECTORS];
  uint32_t tiles_at_once; /* that a kernel takes in a call, one below the other */
  /* Families whose kernels were there first, with ways of their own; NULL: none. Which layers they do, who does the others; whether
   * rows are to be gathered with their top bits flipped; how they pack a panel, in as much room as here. */
  int (*supports)(const struct neonsim_layer *layer);
  const struct neonsim_family *fallback;
  int (*flips)(const struct neonsim_layer *layer);
  neonsim_pack pack;
  neonsim_panel_kernel (*gemm)(enum neonsim_finish finish, size_t vectors, size_t rows);
  neonsim_panels_kernel panels; /* NULL: panel by panel */
  /* Bytes that `panels` wants for a tile of so many rows, at 64-byte boundaries; NULL: none. */
  size_t (*room)(const struct neonsim_step *step, size_t rows);
  const struct neonsim_family *shallow; /* who multiplies where taps have fewer than `min_groups` groups or there are fewer than
                                          * `min_rows` rows, or NULL */
  uint32_t min_groups, min_rows;
  const struct neonsim_family *int16_family; /* who multiplies in runs (int16_accum.c) where that is quicker, or NULL */
  int int16_accumulation;                    /* whether this is such a one */
  const struct neonsim_family *strassen;     /* who multiplies by a level of Strassen (strassen.c) where that is quicker, or NULL */
  int is_strassen;     /* whether this is such a one: rows are bytes, weights 16-bit numbers, panels finish by themselves */
  uint32_t max_groups; /* of a tap, that are multiplied at once: more are filled up to chunks of one size; 0: any number will do */
  /* Before the GEMM kernels of a task, on its thread, and after them, with what the first has returned; NULL: nothing to do. */
  unsigned (*begin)(size_t groups, enum neonsim_finish finish);
  void (*end)(enum neonsim_finish finish, unsigned begun);
  neonsim_row_sum_kernel row_sums;              /* NULL where weights are int16 and need none */
  neonsim_depthwise_kernel depthwise_rows[3];   /* by finish; 3x3, stride 1 or 2; NULL: there is none */
  int rows_twice;                               /* whether those take weights that are sums of two bytes */
  const struct neonsim_family *depthwise_int16; /* with weights of 16 bits: who does 3x3 whose weights are too wide, or NULL */
  neonsim_depthwise_kernel depthwise_taps[3];
  neonsim_add_kernel add;
  neonsim_sum_kernel sum;
  neonsim_max_kernel max;
  neonsim_interleave_kernel interleave;            /* NULL: byte by byte */
  neonsim_widen_kernel widen;                      /* of families with int16 weights; NULL: those of row_addressing.c */
  neonsim_requantize_kernel requantize;            /* NULL: its GEMM does not know FINISH_S32 */
  neonsim_multiply_add_kernel multiply_add;        /* with it */
  const struct neonsim_f32_kernels *f32;           /* kernels of float32: float32.h */
  const struct neonsim_winograd_kernels *winograd; /* Winograd's of integers: winograd.h */
  const struct neonsim_ncnn_kernels *ncnn;         /* NULL: those of the scalar family */
  double (*probe)(void);                           /* multiply-accumulates of one burst of the inner instruction */
};

extern const struct neonsim_family neonsim_family_scalar;
extern const struct neonsim_family neonsim_family_amx;
extern const struct neonsim_family neonsim_family_avx512vnni;
extern const struct neonsim_family neonsim_family_avx512bw;
extern const struct neonsim_family neonsim_family_avxvnni;
extern const struct neonsim_family neonsim_family_avx2;
extern const struct neonsim_family neonsim_family_sse41;
extern const struct neonsim_family neonsim_family_sse2;
extern const struct neonsim_family neonsim_family_simd128;
extern const struct neonsim_family neonsim_family_i8mm;
extern const struct neonsim_family neonsim_family_neondot;
extern const struct neonsim_family neonsim_family_neon;
extern const struct neonsim_family neonsim_family_assembly;

/* What families without better take. */
void neonsim_add__scalar(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add);
void neonsim_sum__scalar(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums);
void neonsim_max__scalar(size_t n, const uint8_t *in, uint8_t *best);
void neonsim_requantize__scalar(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                                const struct neonsim_requant *requant);
void neonsim_multiply_add__scalar(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums);

extern const struct neonsim_ncnn_kernels neonsim_ncnn__scalar;
extern const struct neonsim_ncnn_kernels neonsim_ncnn__avx2;
extern const struct neonsim_ncnn_kernels neonsim_ncnn__avx512;
extern const struct neonsim_ncnn_kernels neonsim_ncnn__neon;

/* NULL if it can run here. */
const char *neonsim_family_missing(const struct neonsim_family *family);
int32_t neonsim_find_family(const char *name, const struct neonsim_family **family);

/* ---- memory, time ------------------------------------------------------------------------------------------------ */

/* 64-byte aligned and zero, with slack on both sides; NULL if there is none. */
void *neonsim_allocate(size_t bytes);
void neonsim_release(void *memory);

/* Nanoseconds of a clock that only goes forward. */
uint64_t neonsim_now(void);

/* ---- threads (thread_pool.c) ---------------------------------------------------------------------------------------------------- */

typedef void (*neonsim_thread_pool_member)(void *job, size_t member);
/* Calls `member` on this thread (number 0) and on up to threads - 1 others, numbered from 1; some of them may come late or not at all.
 * Returns when all that came have left. */
void neonsim_thread_pool_run(size_t threads, neonsim_thread_pool_member member, void *job);
/* Before anything is locked: from now on a fork is noticed. */
void neonsim_thread_pool_prepare(void);
void neonsim_pause(void);
/* Grows when this process was forked: locks held by threads of the parent are void. */
unsigned neonsim_thread_pool_generation(void);
enum { NEONSIM_MAX_MEMBERS = 64 };

/* ---- layers ----------------------------------------------------------------------------------------------------------------- */

struct neonsim_step;
/* Does task number `task` of a step. scratch: the member's own. */
typedef void (*neonsim_task)(const struct neonsim_step *step, size_t task, uint8_t *scratch);

struct neonsim_panel {
  size_t offset; /* in packed */
  uint32_t column, columns, vectors;
};

/* Tiles of Winograd's, of integers: results, taps and numbers along y and x, which transforms those are, and what sums are divided
 * by: times an odd number modulo 2**32, then a shift. */
struct neonsim_winograd_tile {
  size_t n[2], k[2], t[2], program[2];
  uint32_t inverse, shift;
};

struct neonsim_step {
  struct neonsim_layer layer;     /* its pointers are void once planned */
  struct neonsim_refusal refusal; /* while it is planned */
  const struct neonsim_family *family;
  struct neonsim_requant requant;
  double limit; /* largest magnitude of a sum, were it not modulo 2**32; GEMM and depthwise */
  struct neonsim_double_scale
      *double_scale; /* of every channel, where double_scale.c makes the bytes of sums that kernels leave; else NULL */
  struct neonsim_add add;
  neonsim_add_kernel add_kernel;
  float limits[4]; /* of float32: float32.h */
  uint8_t *arena;
  atomic_uint *not_a_number; /* of the network: set where a NaN is met */
  uint8_t *packed;           /* weights, biases, scales */
  uint8_t *zeros;            /* a row of the input's zero point */
  size_t packed_bytes, zero_bytes, scratch_bytes;
  neonsim_task run;
  size_t tasks;                         /* 0: fused with the step before */
  const struct neonsim_step *fused_add; /* an addition that is fused with this GEMM, or NULL */
  /* GEMM */
  struct neonsim_panel *panels; /* of one group */
  size_t panel_count, group_bytes, panels_at_once, panel_tasks;
  struct neonsim_int16_runs *runs; /* [panel_count] while weights are packed, of families in runs */
  struct neonsim_gemm_choice choice;
  size_t rows, row_block, row_blocks, taps, tap_depth, groups_per_tap;
  struct neonsim_winograd_tile tile;
  int32_t sum_factor;
  uint8_t flip;                                                                      /* of gathered bytes */
  enum neonsim_rows { ROWS_EVEN, ROWS_BY_TAP, ROWS_BY_LINE, ROWS_GATHERED } reading; /* row_addressing.c */
  /* depthwise */
  uint16_t *tap_list; /* which tap each packed tap is: one whose weight does not fit 8 bits comes again */
  size_t tap_count, block_bytes;
  size_t max_addends; /* depthwise: of bytes that a weight is the sum of; 1 where weights have 16 bits */
  int by_rows;
};

/* A step's packed data, which are zero, and its row of the input's zero point (of float32: of zeros), of so many bytes; 0: none. */
int32_t neonsim_allocate_step(struct neonsim_step *step, size_t packed_bytes, size_t zero_bytes, int32_t zero_point);
/* Each plans one kind: checks, packs, says how many tasks there are. */
int32_t neonsim_plan_gemm(struct neonsim_step *step, size_t threads);
int32_t neonsim_plan_winograd(struct neonsim_step *step, size_t threads);
int32_t neonsim_plan_depthwise(struct neonsim_step *step);
int32_t neonsim_plan_weightless(struct neonsim_step *step);
/* Gathering and resizing: data_movement.c. */
int32_t neonsim_plan_gather(struct neonsim_step *step);
int32_t neonsim_plan_bilinear(struct neonsim_step *step);
/* Float32: float32_gemm.c, float32.c. */
int32_t neonsim_plan_f32_conv(struct neonsim_step *step, size_t threads);
int32_t neonsim_plan_f32_depthwise(struct neonsim_step *step);
int32_t neonsim_plan_f32(struct neonsim_step *step);
/* ncnn.c: is it one of its kinds; they. */
int neonsim_is_ncnn(int32_t kind);
int32_t neonsim_plan_ncnn(struct neonsim_step *step);
/* Products wider than bytes: int64_gemm.c. */
int32_t neonsim_plan_int64_gemm(struct neonsim_step *step);
/* Whether the tasks of a GEMM make rows as wide as the result: additions of parts of rows cost more than going over them later. */
int neonsim_writes_full_rows(const struct neonsim_step *step);
/* An addition, of some pixels. */
void neonsim_add_block(const struct neonsim_step *step, size_t begin, size_t end);
int32_t neonsim_plan_im2col(struct neonsim_step *step);
int32_t neonsim_plan_depthwise_passes(struct neonsim_step *step);
int32_t neonsim_plan_requantize(struct neonsim_step *step, double limit);
/* double_scale.c: is it one of its roundings; its constants; `rows` rows of sums of channels channel .. channel + columns - 1 to bytes, strides in
 * bytes. */
int neonsim_is_double_scale(int32_t rounding);
int32_t neonsim_plan_double_scale(struct neonsim_step *step);
void neonsim_finish_double_scale(const struct neonsim_step *step, size_t channel, size_t rows, size_t columns, const uint8_t *sums,
                                 size_t stride, uint8_t *out, size_t out_stride);
/* What conv and depthwise share: limit is the largest magnitude that a sum can have. Beyond 2**31 sums wrap, as those of the contracts;
 * every kernel takes any int32, so that no layer is refused for its sums. */
int32_t neonsim_plan_requant(struct neonsim_step *step, double limit);

/* Both note what is wrong. The second: success if value is in least .. most. */
NEONSIM_FORCE_INLINE int32_t neonsim_refuse(struct neonsim_refusal *refusal, int32_t status, const char *quantity) {
  *refusal = (struct neonsim_refusal){.quantity = quantity, .least = 1};
  return status;
}
NEONSIM_FORCE_INLINE int32_t neonsim_require(struct neonsim_refusal *refusal, int32_t status, const char *quantity, double value,
                                             double least, double most) {
  if (value >= least && value <= most) {
    return NEONSIM_SUCCESS;
  }
  *refusal = (struct neonsim_refusal){.quantity = quantity, .value = value, .least = least, .most = most};
  return status;
}

/* Leaves the function with any status but success. */
#define NEONSIM_CHECK(expression) \
  do { \
    const int32_t status_ = (expression); \
    if (status_ != NEONSIM_SUCCESS) { \
      return status_; \
    } \
  } while (0)

NEONSIM_FORCE_INLINE size_t neonsim_min(size_t x, size_t y) { return x < y ? x : y; }
/* The product, or SIZE_MAX where that is more than it. */
NEONSIM_FORCE_INLINE size_t neonsim_times(size_t x, size_t y) { return y != 0 && x > SIZE_MAX / y ? SIZE_MAX : x * y; }
NEONSIM_FORCE_INLINE size_t neonsim_ceil_div(size_t x, size_t y) { return (x + y - 1) / y; }
/* Filled up to whole lines of a cache. */
NEONSIM_FORCE_INLINE size_t neonsim_lines(size_t bytes) { return neonsim_ceil_div(bytes, NEONSIM_LINE) * NEONSIM_LINE; }
/* Weight minus zero point. */
NEONSIM_FORCE_INLINE int32_t neonsim_weight(const struct neonsim_layer *layer, size_t index) {
  const int32_t raw = layer->weights_signed ? ((const int8_t *)layer->weights)[index] : ((const uint8_t *)layer->weights)[index];
  return raw - layer->weight_zero_point;
}
/* A channel's bias or 0. The caller's numbers may lie anywhere: nothing says that they are aligned. */
NEONSIM_FORCE_INLINE int32_t neonsim_bias(const struct neonsim_layer *layer, size_t channel) {
  int32_t bias = 0;
  if (layer->bias != NULL) {
    memcpy(&bias, (const uint8_t *)(const void *)layer->bias + sizeof bias * channel, sizeof bias);
  }
  return bias;
}
/* From sums to results, before the zero point is added; where sums stay, 1. */
NEONSIM_FORCE_INLINE float neonsim_scale(const struct neonsim_layer *layer, size_t channel) {
  if (layer->rounding != NEONSIM_ROUND_FP32) {
    return layer->rounding != NEONSIM_ROUND_Q31 ? 1 : ldexpf((float)layer->multiplier, -31 - layer->shift);
  }
  float scale;
  memcpy(&scale, (const uint8_t *)(const void *)layer->scale + sizeof scale * (layer->scales == 1 ? 0 : channel), sizeof scale);
  return scale;
}
/* Largest magnitude of an input less its zero point. */
NEONSIM_FORCE_INLINE double neonsim_max_abs_input(const struct neonsim_layer *layer) {
  return fmax(layer->input_zero_point, 255 - layer->input_zero_point);
}
NEONSIM_FORCE_INLINE size_t neonsim_result_bytes(enum neonsim_finish finish) { return finish == FINISH_S32 ? sizeof(int32_t) : 1; }
/* Pixel (y, x) of an image; outside it `zeros`. */
NEONSIM_FORCE_INLINE const uint8_t *neonsim_pixel(const struct neonsim_layer *layer, const uint8_t *input, const uint8_t *zeros,
                                                  size_t image, ptrdiff_t y, ptrdiff_t x) {
  if (y < 0 || x < 0 || y >= (ptrdiff_t)layer->input_height || x >= (ptrdiff_t)layer->input_width) {
    return zeros;
  }
  return input + ((image * layer->input_height + (size_t)y) * layer->input_width + (size_t)x) * layer->input_stride;
}

#endif
