/* Transforms of Winograd's convolutions by their programs, and the product of what was transformed, in portable C.
 *
 * A program's steps are done for a few elements at a time, one after another; every operation on floats is rounded by itself (this
 * file is compiled without contraction). What reads a value that there is none of, or writes beyond the results, is left out: the
 * definitions never hold such a step. */
#include "contracts/scalar/scalar.h"

enum { LANES = 8, VALUES = 288, INPUTS = 16, ADD = 0, SUBTRACT, MULTIPLY, STORE };

/* One kind of numbers. LOAD: an input as a value; PLUS, LESS, TIMES: operations; CONSTANT: from the bits of a word; DONE: what is stored. */
#define TRANSFORM(name, value, source, LOAD, PLUS, LESS, TIMES, CONSTANT, DONE) \
  static void name(size_t count, const void *x, size_t x_stride, void *y, size_t y_stride, int32_t number, size_t inputs, \
                   size_t outputs, size_t steps, const int32_t *program) { \
    value v[VALUES][LANES]; \
    (void)number; \
    if (inputs > INPUTS || steps > VALUES - INPUTS) { \
      return; \
    } \
    for (size_t at = 0; at < count; at += LANES) { \
      const size_t width = count - at < LANES ? count - at : LANES; \
      size_t known = inputs; \
      memset(v, 0, inputs * sizeof v[0]); \
      for (size_t row = 0; row < inputs; row++) { \
        const char *from = (const char *)x + row * x_stride + at * sizeof(source); \
        for (size_t lane = 0; lane < width; lane++) { \
          source read; \
          memcpy(&read, from + lane * sizeof read, sizeof read); \
          v[row][lane] = LOAD(read); \
        } \
      } \
      for (size_t step = 0; step < steps; step++) { \
        const int32_t *word = program + 4 * step; \
        const size_t a = (size_t)word[1], b = (size_t)word[2]; \
        if (a >= known || (word[0] == STORE ? b >= outputs : b >= known)) { \
          continue; \
        } \
        if (word[0] == STORE) { \
          for (size_t lane = 0; lane < width; lane++) { \
            const value made = DONE(v[a][lane]); \
            memcpy((char *)y + b * y_stride + (at + lane) * sizeof made, &made, sizeof made); \
          } \
          continue; \
        } \
        for (size_t lane = 0; lane < LANES; lane++) { \
          const value left = v[a][lane], right = v[b][lane]; \
          switch (word[0]) { \
            case ADD: v[known][lane] = PLUS(left, right); break; \
            case SUBTRACT: v[known][lane] = LESS(left, right); break; \
            default: v[known][lane] = TIMES(left, CONSTANT(word[3])); break; \
          } \
        } \
        known++; \
      } \
    } \
  }

static inline float float_of(int32_t bits) {
  float found;
  memcpy(&found, &bits, sizeof found);
  return found;
}
static inline int16_t as_int16(uint32_t x) {
  return (int16_t)(x & 0x8000 ? (int32_t)(x & 0xFFFF) - 0x10000 : (int32_t)(x & 0xFFFF));
}

#define SAME(x) (x)
#define LESS_ZERO(x) ((int16_t)((x) - number))
#define F32_PLUS(a, b) ((a) + (b))
#define F32_LESS(a, b) ((a) - (b))
#define F32_TIMES(a, b) ((a) * (b))
#define SHORT_PLUS(a, b) as_int16((uint32_t)(a) + (uint32_t)(b))
#define SHORT_LESS(a, b) as_int16((uint32_t)(a) - (uint32_t)(b))
#define SHORT_TIMES(a, b) as_int16((uint32_t)(a) * (uint32_t)(b))
#define LONG_PLUS(a, b) neonsim_as_signed((uint32_t)(a) + (uint32_t)(b))
#define LONG_LESS(a, b) neonsim_as_signed((uint32_t)(a) - (uint32_t)(b))
#define LONG_TIMES(a, b) neonsim_as_signed((uint32_t)(a) * (uint32_t)(b))
#define SHIFTED(x) ((x) >> (number & 31))

TRANSFORM(vfloat, float, float, SAME, F32_PLUS, F32_LESS, F32_TIMES, float_of, SAME)
TRANSFORM(signed_bytes, int16_t, int8_t, LESS_ZERO, SHORT_PLUS, SHORT_LESS, SHORT_TIMES, SAME, SAME)
TRANSFORM(bytes, int16_t, uint8_t, LESS_ZERO, SHORT_PLUS, SHORT_LESS, SHORT_TIMES, SAME, SAME)
TRANSFORM(shorts, int16_t, int16_t, SAME, SHORT_PLUS, SHORT_LESS, SHORT_TIMES, SAME, SAME)
TRANSFORM(longs, int32_t, int32_t, SAME, LONG_PLUS, LONG_LESS, LONG_TIMES, SAME, SHIFTED)

#define ALL(number) count, x, x_stride, y, y_stride, number, inputs, outputs, steps, program

NEONSIM_KERNEL(transform, f32_winograd_source_2x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform, f32_winograd_source_4x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform, f32_winograd_source_6x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform, f32_winograd_destination_2x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform, f32_winograd_destination_4x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform, f32_winograd_destination_6x3__scalar) { vfloat(ALL(0)); }
NEONSIM_KERNEL(transform_by, qs8_winograd_source_2x3__scalar) { signed_bytes(ALL(number)); }
NEONSIM_KERNEL(transform_by, qu8_winograd_source_2x3__scalar) { bytes(ALL(number)); }
NEONSIM_KERNEL(transform, s16_winograd_source_2x3__scalar) { shorts(ALL(0)); }
NEONSIM_KERNEL(transform_by, s32_winograd_destination_2x3__scalar) { longs(ALL(number)); }

NEONSIM_KERNEL(gemm_s16, s16_gemm_s32_4x8__scalar) {
  for (size_t row = 0; row < mr; row++) {
    const char *from = (const char *)a + row * a_stride;
    uint32_t sums[NEONSIM_NR];
    memcpy(sums, bias, sizeof sums);
    for (size_t k = 0; k < kc; k++) {
      int16_t value;
      memcpy(&value, from + k * sizeof value, sizeof value);
      for (size_t column = 0; column < NEONSIM_NR; column++) {
        sums[column] += (uint32_t)((int32_t)value * w[k * NEONSIM_NR + column]);
      }
    }
    memcpy((char *)c + row * c_stride, sums, nr * sizeof sums[0]);
  }
}
