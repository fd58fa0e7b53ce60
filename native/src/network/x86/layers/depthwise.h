/* Depthwise convolutions on the registers of vector.h, as a pass over a row of pixels for every PASS channels: bytes of DEPTH taps are
 * interleaved so that each lane has those of its channel.
 *
 *               DEPTH   PASS channels          four pixels above each other are
 *   SSE2, 4.1   2       8 in 2 registers       two steps (rows 0, 1; rows 2, 3) of 2 registers
 *   AVX2        2       16 in 2 registers      likewise
 *   AVX-512 BW  2       32 in 2 registers      likewise
 *   AVX-VNNI    4       32 in 4 registers      one step of 4 registers */
#ifndef NEONSIM_X86_DEPTHWISE_H
#define NEONSIM_X86_DEPTHWISE_H

#include "network/x86/gemm/finish.h"

enum { BLOCK = NEONSIM_DEPTHWISE_BLOCK, SUMS = DEPTH, PASS = SUMS * LANES, STEPS = 4 / DEPTH };

/* DEPTH pixels of PASS channels. Rows have room behind them. */
NEONSIM_FORCE_INLINE void interleave(const void *const *pixels, vector to[SUMS]) {
#if defined(__AVXVNNI__)
  const vector t0 = load_anywhere(pixels[0]), t1 = load_anywhere(pixels[1]);
  const vector t2 = load_anywhere(pixels[2]), t3 = load_anywhere(pixels[3]);
  const vector low01 = VECTOR(unpacklo_epi8)(t0, t1), high01 = VECTOR(unpackhi_epi8)(t0, t1);
  const vector low23 = VECTOR(unpacklo_epi8)(t2, t3), high23 = VECTOR(unpackhi_epi8)(t2, t3);
  to[0] = VECTOR(unpacklo_epi16)(low01, low23);
  to[1] = VECTOR(unpackhi_epi16)(low01, low23);
  to[2] = VECTOR(unpacklo_epi16)(high01, high23);
  to[3] = VECTOR(unpackhi_epi16)(high01, high23);
#elif defined(__AVX512BW__)
  /* Unpacking works within 128 bits: quarters 0 and 1 are brought to the lower halves of both, 2 and 3 to the upper ones. */
  const __m256i t0 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)pixels[0]), 0xd8);
  const __m256i t1 = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)pixels[1]), 0xd8);
  to[0] = _mm512_cvtepu8_epi16(_mm256_unpacklo_epi8(t0, t1));
  to[1] = _mm512_cvtepu8_epi16(_mm256_unpackhi_epi8(t0, t1));
#elif defined(__AVX2__)
  const __m128i t0 = load16(pixels[0]), t1 = load16(pixels[1]);
  to[0] = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(t0, t1));
  to[1] = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(t0, t1));
#else
  const __m128i both = _mm_unpacklo_epi8(load8(pixels[0]), load8(pixels[1]));
  to[0] = _mm_cvtepu8_epi16(both);
  to[1] = _mm_unpackhi_epi8(both, _mm_setzero_si128());
#endif
}

/* weights: of this pass. */
NEONSIM_FORCE_INLINE void multiply(vector sums[SUMS], const vector step[SUMS], const int32_t *weights) {
#pragma GCC unroll 4
  for (size_t v = 0; v < SUMS; v++) {
    sums[v] = multiply_add(sums[v], step[v], load(weights + LANES * v));
#if defined(__GNUC__)
    __asm__("" : "+" VECTOR_REGISTER(sums[v])); /* in this order: all products first would not fit the registers */
#endif
  }
}

/* A pixel's results, as 16-bit numbers. */
enum { WORDS = SUMS / 2, PIXELS = 2 / WORDS }; /* registers of a pixel; pixels that one register of bytes holds */
NEONSIM_FORCE_INLINE void int16_family_of(enum neonsim_finish finish, const struct finish *f, const vector sums[SUMS],
                                          const float *scale, vector words[WORDS]) {
#pragma GCC unroll 2
  for (size_t i = 0; i < WORDS; i++) {
    const vector_float even = VECTOR(loadu_ps)(scale + LANES * (2 * i)), odd = VECTOR(loadu_ps)(scale + LANES * (2 * i + 1));
    words[i] = finish_words(finish, f, finish_sums(finish, f, sums[2 * i], even), finish_sums(finish, f, sums[2 * i + 1], odd));
  }
}

#if defined(__AVX512BW__)
NEONSIM_FORCE_INLINE void store_pixel(const struct finish *f, vector words, uint8_t *out, size_t channels) {
  /* Within each 128 bits four bytes of either register of sums, twice: those of the first, then those of the second. */
  const vector order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
  const vector bytes = _mm512_permutexvar_epi32(order, finish_bytes(f, words, words));
  _mm256_mask_storeu_epi8(out, (__mmask32)(UINT32_MAX >> (PASS - channels)), _mm512_castsi512_si256(bytes));
}

NEONSIM_FORCE_INLINE void store_pixels(enum neonsim_finish finish, const struct finish *f, const vector first[WORDS],
                                       const vector second[WORDS], uint8_t *out, uint8_t *below, size_t channels) {
  (void)finish;
  store_pixel(f, first[0], out, channels);
  if (below != NULL) {
    store_pixel(f, second[0], below, channels);
  }
}
#else
/* One pixel, and a second one below it or NULL. */
NEONSIM_FORCE_INLINE void store_pixels(enum neonsim_finish finish, const struct finish *f, const vector first[WORDS],
                                       const vector second[WORDS], uint8_t *out, uint8_t *below, size_t channels) {
  if (PIXELS == 2) {
    const vector bytes = deal_fours(finish_bytes(finish, f, first[0], below == NULL ? first[0] : second[0]));
    store_part(out, bytes, PASS, 0, channels);
    if (below != NULL) {
      store_part(below, bytes, PASS, 1, channels);
    }
  } else {
    store_part(out, finish_bytes(finish, f, first[0], first[WORDS - 1]), PASS, 0, channels);
    if (below != NULL) {
      store_part(below, finish_bytes(finish, f, second[0], second[WORDS - 1]), PASS, 0, channels);
    }
  }
}

#endif

/* What a row of pixels takes of a block: constants of one pass. */
struct pass {
  const int32_t *bias, *weights;
  const float *scale;
  size_t offset, channels;
};

NEONSIM_FORCE_INLINE struct pass pass_at(const struct neonsim_depthwise_call *call, size_t first) {
  const int32_t *packed = (const int32_t *)call->packed + first;
#if defined(__GNUC__)
  /* One register that everything lies at constant distances from: GCC would keep an address of each in memory. */
  __asm__("" : "+r"(packed));
#endif
  return (struct pass){packed, packed + 2 * BLOCK, (const float *)packed + BLOCK, call->offset + first,
                       neonsim_min(PASS, call->channels - first)};
}

NEONSIM_FORCE_INLINE void start(const struct pass *pass, vector sums[SUMS]) {
#pragma GCC unroll 4
  for (size_t v = 0; v < SUMS; v++) {
    sums[v] = load(pass->bias + LANES * v);
  }
}

/* A column of the input: four pixels above each other, or zero points. With stride 2 the fourth has no weight: whatever stands in its
 * place, zeros make registers of 16-bit pairs in one step. */
NEONSIM_FORCE_INLINE void load_column(const struct neonsim_depthwise_call *call, const struct pass *pass, size_t step, ptrdiff_t x,
                                      const uint8_t *zeros, vector column[STEPS][SUMS]) {
  const void *pixels[4] = {zeros, zeros, zeros, zeros};
  if (x >= 0 && (size_t)x < call->width) {
    const size_t at = (size_t)x * call->stride + pass->offset;
#pragma GCC unroll 4
    for (size_t row = 0; row < 4; row++) {
      if (row < 3 || step == 1) {
        pixels[row] = call->rows[row] + at;
      }
    }
  }
  interleave(pixels, column[0]);
  if (STEPS == 2 && step == 1) {
    interleave(pixels + DEPTH, column[STEPS - 1]);
  } else if (STEPS == 2) {
#pragma GCC unroll 2
    for (size_t v = 0; v < SUMS; v++) {
      column[STEPS - 1][v] = widen_to_ints((const uint8_t *)pixels[2] + LANES * v);
    }
  }
}

/* One output pixel of three columns. */
NEONSIM_FORCE_INLINE void pixel3x3(enum neonsim_finish finish, const struct finish *f, const struct pass *pass,
                                   const int32_t *weights, vector columns[3][STEPS][SUMS], vector words[WORDS]) {
  vector sums[SUMS];
  start(pass, sums);
#pragma GCC unroll 3
  for (size_t i = 0; i < 3; i++) {
#pragma GCC unroll 2
    for (size_t j = 0; j < STEPS; j++) {
      multiply(sums, columns[i][j], weights + (STEPS * i + j) * BLOCK);
    }
  }
  int16_family_of(finish, f, sums, pass->scale, words);
}

NEONSIM_FORCE_INLINE void copy_column(vector to[STEPS][SUMS], vector from[STEPS][SUMS]) {
#pragma GCC unroll 2
  for (size_t i = 0; i < STEPS; i++) {
#pragma GCC unroll 4
    for (size_t v = 0; v < SUMS; v++) {
      to[i][v] = from[i][v];
    }
  }
}

/* Three columns make an output pixel, and with stride 1 another one below it: weights (w0 w1 w2 0) and (0 w0 w1 w2). */
NEONSIM_FORCE_INLINE void rows3x3(enum neonsim_finish finish, size_t step, const struct neonsim_depthwise_call *call) {
  const struct finish f = finish_begin(finish, call->requant);
  uint8_t zeros[PASS + 8]; /* loads of half a register may begin at any of its lanes */
  memset(zeros, call->zero_point, sizeof zeros);
  for (size_t first = 0; first < call->channels; first += PASS) {
    const struct pass pass = pass_at(call, first);
    uint8_t *out = call->out + first, *second = call->second_out == NULL ? NULL : call->second_out + first;
    ptrdiff_t x = call->first;
    vector columns[3][STEPS][SUMS];
    load_column(call, &pass, step, x, zeros, columns[step == 1 ? 1 : 2]);
    if (step == 1) {
      load_column(call, &pass, step, x + 1, zeros, columns[2]);
    }
    for (size_t pixel = 0; pixel < call->pixels; pixel++, x += (ptrdiff_t)step, out += call->out_stride) {
      copy_column(columns[0], columns[step == 1 ? 1 : 2]);
      if (step == 1) {
        copy_column(columns[1], columns[2]);
      } else {
        load_column(call, &pass, step, x + 1, zeros, columns[1]);
      }
      load_column(call, &pass, step, x + 2, zeros, columns[2]);
      vector words[WORDS], words_below[WORDS];
      pixel3x3(finish, &f, &pass, pass.weights, columns, words);
      if (step == 1 && second != NULL) {
        pixel3x3(finish, &f, &pass, pass.weights + 3 * STEPS * BLOCK, columns, words_below);
        store_pixels(finish, &f, words, words_below, out, second, pass.channels);
        second += call->out_stride;
      } else {
        store_pixels(finish, &f, words, words, out, NULL, pass.channels);
      }
    }
  }
}

NEONSIM_FORCE_INLINE void by_taps(enum neonsim_finish finish, const struct neonsim_depthwise_call *call) {
  const struct finish f = finish_begin(finish, call->requant);
  for (size_t first = 0; first < call->channels; first += PASS) {
    const struct pass pass = pass_at(call, first);
    const uint8_t *const *rows = call->rows;
    for (size_t pixel = 0; pixel < call->pixels; pixel++) {
      vector sums[SUMS];
      start(&pass, sums);
      for (size_t tap = 0; tap < call->taps; tap += DEPTH, rows += DEPTH) {
        const void *pixels[DEPTH];
        vector taps[SUMS];
#pragma GCC unroll 4
        for (size_t i = 0; i < DEPTH; i++) {
          pixels[i] = rows[i] + pass.offset;
        }
        interleave(pixels, taps);
        multiply(sums, taps, pass.weights + tap / DEPTH * BLOCK);
      }
      vector words[WORDS];
      int16_family_of(finish, &f, sums, pass.scale, words);
      store_pixels(finish, &f, words, words, call->out + pixel * call->out_stride + first, NULL, pass.channels);
    }
  }
}

#define DEPTHWISE(way, finish) \
  static NEONSIM_NO_INLINE void rounded_rows_##way(const struct neonsim_depthwise_call *call) { \
    if (call->step == 1) { \
      rows3x3(finish, 1, call); \
    } else { \
      rows3x3(finish, 2, call); \
    } \
  } \
  static NEONSIM_NO_INLINE void rounded_taps_##way(const struct neonsim_depthwise_call *call) { by_taps(finish, call); } \
  static void rows_##way(const struct neonsim_depthwise_call *call) { \
    const unsigned before = round_down(finish); \
    rounded_rows_##way(call); \
    round_as(finish, before); \
  } \
  static void taps_##way(const struct neonsim_depthwise_call *call) { \
    const unsigned before = round_down(finish); \
    rounded_taps_##way(call); \
    round_as(finish, before); \
  }
EACH_FINISH_TO_BYTES(DEPTHWISE)

#define DEPTHWISE_KERNELS .depthwise_rows = {BY_FINISH_TO_BYTES(rows)}, .depthwise_taps = {BY_FINISH_TO_BYTES(taps)}

#endif
