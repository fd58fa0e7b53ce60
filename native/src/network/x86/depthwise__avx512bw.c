/* Depthwise convolutions with VPMADDWD on 512 bits, 32 channels at a time: bytes of two taps are interleaved as words, so that each lane
 * has those of its channel. */
#include "network/x86/avx512.h"
#include "network/x86/x86.h"

enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK, LANES = 16, SUMS = 2, PASS = SUMS * LANES, STEPS = 2 };

/* Two pixels of PASS channels. Rows have room behind them. */
NEONSIM_FORCE_INLINE void interleave(const uint8_t *first, const uint8_t *second, __m512i to[SUMS]) {
  /* Unpacking works within 128 bits: quarters 0 and 1 are brought to the lower halves of both, 2 and 3 to the upper ones. */
  const __m256i t0 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)(const void *)first), 0xd8);
  const __m256i t1 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)(const void *)second), 0xd8);
  to[0] = _mm512_cvtepu8_epi16(_mm256_unpacklo_epi8(t0, t1));
  to[1] = _mm512_cvtepu8_epi16(_mm256_unpackhi_epi8(t0, t1));
}

/* What a row of pixels takes of a block: constants of one pass. */
struct pass {
  const int32_t *bias, *weights;
  const float *scale;
  size_t offset;
  __mmask32 stored;
};

NEONSIM_FORCE_INLINE struct pass pass_at(const struct neonsim_depthwise_call *call, size_t first) {
  const int32_t *packed = (const int32_t *)call->packed + first;
  const size_t channels = neonsim_min(PASS, call->channels - first);
  return (struct pass){packed, packed + 2 * BLOCK, (const float *)packed + BLOCK, call->offset + first,
                       (__mmask32)(UINT32_MAX >> (PASS - channels))};
}

NEONSIM_FORCE_INLINE void start(const struct pass *pass, __m512i sums[SUMS]) {
  sums[0] = _mm512_load_si512(pass->bias);
  sums[1] = _mm512_load_si512(pass->bias + LANES);
}

NEONSIM_FORCE_INLINE void multiply(__m512i sums[SUMS], const __m512i step[SUMS], const int32_t *weights) {
#pragma GCC unroll 2
  for (size_t v = 0; v < SUMS; v++) {
    sums[v] = _mm512_add_epi32(sums[v], _mm512_madd_epi16(step[v], _mm512_load_si512(weights + LANES * v)));
  }
}

NEONSIM_FORCE_INLINE void finish_pass(enum neonsim_finish finish, const struct finish512 *f, const struct pass *pass,
                                      const __m512i sums[SUMS], uint8_t *out) {
  const __m512i first = finish_sums(finish, f, sums[0], _mm512_load_ps(pass->scale));
  const __m512i second = finish_sums(finish, f, sums[1], _mm512_load_ps(pass->scale + LANES));
  /* Within each 128 bits four bytes of each: those of the first, then those of the second. */
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
  const __m512i bytes = _mm512_permutexvar_epi32(order, finish_bytes(finish, f, first, second, first, second));
  _mm256_mask_storeu_epi8(out, pass->stored, _mm512_castsi512_si256(bytes));
}

/* A column of the input: four pixels above each other (with stride 2 the fourth has no weight), or zero points. */
NEONSIM_FORCE_INLINE void load_column(const struct neonsim_depthwise_call *call, const struct pass *pass, ptrdiff_t x,
                                      const uint8_t *zeros, __m512i column[STEPS][SUMS]) {
  const uint8_t *pixels[4] = {zeros, zeros, zeros, zeros};
  if (x >= 0 && (size_t)x < call->width) {
    const size_t at = (size_t)x * call->stride + pass->offset;
#pragma GCC unroll 4
    for (size_t row = 0; row < 4; row++) {
      pixels[row] = call->rows[row] + at;
    }
  }
  interleave(pixels[0], pixels[1], column[0]);
  interleave(pixels[2], pixels[3], column[1]);
}

NEONSIM_FORCE_INLINE void copy_column(__m512i to[STEPS][SUMS], __m512i from[STEPS][SUMS]) {
#pragma GCC unroll 2
  for (size_t i = 0; i < STEPS; i++) {
    to[i][0] = from[i][0];
    to[i][1] = from[i][1];
  }
}

/* One output pixel of three columns. */
NEONSIM_FORCE_INLINE void pixel3x3(enum neonsim_finish finish, const struct finish512 *f, const struct pass *pass,
                                   const int32_t *weights, __m512i columns[3][STEPS][SUMS], uint8_t *out) {
  __m512i sums[SUMS];
  start(pass, sums);
#pragma GCC unroll 3
  for (size_t i = 0; i < 3; i++) {
    multiply(sums, columns[i][0], weights + STEPS * i * BLOCK);
    multiply(sums, columns[i][1], weights + (STEPS * i + 1) * BLOCK);
  }
  finish_pass(finish, f, pass, sums, out);
}

/* Three columns make an output pixel, and with stride 1 another one below it: weights (w0 w1 w2 0) and (0 w0 w1 w2). */
NEONSIM_FORCE_INLINE void rows3x3(enum neonsim_finish finish, size_t step, const struct neonsim_depthwise_call *call) {
  const struct finish512 f = finish_begin(finish, call->requant);
  uint8_t zeros[PASS];
  memset(zeros, call->zero_point, sizeof zeros);
  for (size_t first = 0; first < call->channels; first += PASS) {
    const struct pass pass = pass_at(call, first);
    uint8_t *out = call->out + first, *second = call->second_out == NULL ? NULL : call->second_out + first;
    ptrdiff_t x = call->first;
    __m512i columns[3][STEPS][SUMS];
    load_column(call, &pass, x, zeros, columns[step == 1 ? 1 : 2]);
    if (step == 1) {
      load_column(call, &pass, x + 1, zeros, columns[2]);
    }
    for (size_t pixel = 0; pixel < call->pixels; pixel++, x += (ptrdiff_t)step, out += call->out_stride) {
      copy_column(columns[0], columns[step == 1 ? 1 : 2]);
      if (step == 1) {
        copy_column(columns[1], columns[2]);
      } else {
        load_column(call, &pass, x + 1, zeros, columns[1]);
      }
      load_column(call, &pass, x + 2, zeros, columns[2]);
      pixel3x3(finish, &f, &pass, pass.weights, columns, out);
      if (step == 1 && second != NULL) {
        pixel3x3(finish, &f, &pass, pass.weights + 3 * STEPS * BLOCK, columns, second);
        second += call->out_stride;
      }
    }
  }
}

NEONSIM_FORCE_INLINE void by_taps(enum neonsim_finish finish, const struct neonsim_depthwise_call *call) {
  const struct finish512 f = finish_begin(finish, call->requant);
  for (size_t first = 0; first < call->channels; first += PASS) {
    const struct pass pass = pass_at(call, first);
    const uint8_t *const *rows = call->rows;
    for (size_t pixel = 0; pixel < call->pixels; pixel++) {
      __m512i sums[SUMS];
      start(&pass, sums);
      for (size_t tap = 0; tap < call->taps; tap += 2, rows += 2) {
        __m512i taps[SUMS];
        interleave(rows[0] + pass.offset, rows[1] + pass.offset, taps);
        multiply(sums, taps, pass.weights + tap / 2 * BLOCK);
      }
      finish_pass(finish, &f, &pass, sums, call->out + pixel * call->out_stride + first);
    }
  }
}

#define KERNELS(name, finish) \
  void neonsim_depthwise_rows_##name##__avx512bw(const struct neonsim_depthwise_call *call) { \
    if (call->step == 1) { \
      rows3x3(finish, 1, call); \
    } else { \
      rows3x3(finish, 2, call); \
    } \
  } \
  void neonsim_depthwise_taps_##name##__avx512bw(const struct neonsim_depthwise_call *call) { by_taps(finish, call); }
KERNELS(q31_float, FINISH_Q31_FLOAT)
KERNELS(q31, FINISH_Q31)
KERNELS(fp32, FINISH_FP32)
