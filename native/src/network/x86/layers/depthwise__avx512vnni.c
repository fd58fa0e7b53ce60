/* Depthwise convolutions with VPDPBUSD, 64 channels at a time: bytes of four taps are interleaved so that each lane has its own. */
#include "network/x86/avx512.h"
#include "network/x86/x86.h"

/* Four times 64 channels to four registers of 16 lanes, a channel's four bytes in a lane; channels as finish_bytes leaves them. */
NEONSIM_FORCE_INLINE void interleave(__m512i t0, __m512i t1, __m512i t2, __m512i t3, __m512i column[4]) {
  const __m512i low01 = _mm512_unpacklo_epi8(t0, t1), high01 = _mm512_unpackhi_epi8(t0, t1);
  const __m512i low23 = _mm512_unpacklo_epi8(t2, t3), high23 = _mm512_unpackhi_epi8(t2, t3);
  column[0] = _mm512_unpacklo_epi16(low01, low23);
  column[1] = _mm512_unpackhi_epi16(low01, low23);
  column[2] = _mm512_unpacklo_epi16(high01, high23);
  column[3] = _mm512_unpackhi_epi16(high01, high23);
}

NEONSIM_FORCE_INLINE void multiply(__m512i sums[4], const __m512i column[4], const __m512i *weights) {
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    sums[v] = _mm512_dpbusd_epi32(sums[v], column[v], weights[v]);
  }
}

NEONSIM_FORCE_INLINE __m512i finish_sums4(enum neonsim_finish finish, const struct finish *f, const __m512i sums[4],
                                          const float *scale) {
  __m512i results[4];
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    results[v] = finish_sums(finish, f, sums[v], _mm512_load_ps(scale + 16 * v));
  }
  const __m512i low = finish_words(finish, f, results[0], results[1]), high = finish_words(finish, f, results[2], results[3]);
  return finish_bytes(f, low, high);
}

/* Pixels side by side in a register: one of up to 64 channels, two of up to 32, or four of up to 16, each `apart` columns further right
 * than the one before. */
struct sides {
  size_t count;
  ptrdiff_t apart;
  __mmask64 lanes; /* of each */
};

NEONSIM_FORCE_INLINE int is_inside(const struct neonsim_depthwise_call *call, ptrdiff_t x) {
  return x >= 0 && (size_t)x < call->width;
}

NEONSIM_FORCE_INLINE __m256i half_row(const struct neonsim_depthwise_call *call, size_t row, ptrdiff_t x, __mmask32 lanes) {
  return is_inside(call, x) ? _mm256_maskz_loadu_epi8(lanes, call->rows[row] + (size_t)x * call->stride + call->offset)
                            : _mm256_set1_epi8((char)call->zero_point);
}

NEONSIM_FORCE_INLINE __m128i quarter_row(const struct neonsim_depthwise_call *call, size_t row, ptrdiff_t x, __mmask16 lanes) {
  return is_inside(call, x) ? _mm_maskz_loadu_epi8(lanes, call->rows[row] + (size_t)x * call->stride + call->offset)
                            : _mm_set1_epi8((char)call->zero_point);
}

NEONSIM_FORCE_INLINE __m512i load_row(const struct neonsim_depthwise_call *call, const struct sides *sides, size_t row,
                                      ptrdiff_t x) {
  if (sides->count == 1) {
    return is_inside(call, x) ? _mm512_maskz_loadu_epi8(sides->lanes, call->rows[row] + (size_t)x * call->stride + call->offset)
                              : _mm512_set1_epi8((char)call->zero_point);
  }
  if (sides->count == 2) {
    const __m256i left = half_row(call, row, x, (__mmask32)sides->lanes);
    return _mm512_inserti64x4(_mm512_castsi256_si512(left), half_row(call, row, x + sides->apart, (__mmask32)sides->lanes), 1);
  }
  const __mmask16 lanes = (__mmask16)sides->lanes;
  const __m128i q0 = quarter_row(call, row, x, lanes), q1 = quarter_row(call, row, x + sides->apart, lanes);
  const __m128i q2 = quarter_row(call, row, x + 2 * sides->apart, lanes), q3 = quarter_row(call, row, x + 3 * sides->apart, lanes);
  const __m256i left = _mm256_inserti128_si256(_mm256_castsi128_si256(q0), q1, 1);
  const __m256i right = _mm256_inserti128_si256(_mm256_castsi128_si256(q2), q3, 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(left), right, 1);
}

/* A column of the input: four pixels above each other (three with stride 2: the fourth has no weight), or the zero point. */
NEONSIM_FORCE_INLINE void load_column(const struct neonsim_depthwise_call *call, const struct sides *sides, size_t step,
                                      ptrdiff_t x, __m512i column[4]) {
  interleave(load_row(call, sides, 0, x), load_row(call, sides, 1, x), load_row(call, sides, 2, x),
             step == 1 ? load_row(call, sides, 3, x) : _mm512_setzero_si512(), column);
}

/* The first `there` of the sides, `to_right` bytes from each other. */
NEONSIM_FORCE_INLINE void store_sides(const struct sides *sides, uint8_t *out, size_t to_right, size_t there, __m512i bytes) {
  if (sides->count == 1) {
    _mm512_mask_storeu_epi8(out, sides->lanes, bytes);
  } else if (sides->count == 2) {
    _mm256_mask_storeu_epi8(out, (__mmask32)sides->lanes, _mm512_castsi512_si256(bytes));
    if (there > 1) {
      _mm256_mask_storeu_epi8(out + to_right, (__mmask32)sides->lanes, _mm512_extracti64x4_epi64(bytes, 1));
    }
  } else {
    const __mmask16 lanes = (__mmask16)sides->lanes;
    _mm_mask_storeu_epi8(out, lanes, _mm512_castsi512_si128(bytes));
    if (there > 1) {
      _mm_mask_storeu_epi8(out + to_right, lanes, _mm512_extracti32x4_epi32(bytes, 1));
    }
    if (there > 2) {
      _mm_mask_storeu_epi8(out + 2 * to_right, lanes, _mm512_extracti32x4_epi32(bytes, 2));
    }
    if (there > 3) {
      _mm_mask_storeu_epi8(out + 3 * to_right, lanes, _mm512_extracti32x4_epi32(bytes, 3));
    }
  }
}

/* The halves or quarters of the row of pixels side by side, if the channels leave room. */
NEONSIM_FORCE_INLINE void rows3x3(enum neonsim_finish finish, size_t step, size_t count,
                                  const struct neonsim_depthwise_call *call) {
  const struct finish f = finish_begin(finish, call->requant);
  const __m512i *bias = call->packed;
  const float *scale = (const float *)call->packed + 64;
  const __m512i *upper = (const __m512i *)call->packed + 8, *lower = upper + 12;
  const size_t pixels = neonsim_ceil_div(call->pixels, count), to_right = pixels * call->out_stride;
  const struct sides sides = {.count = count,
                              .apart = (ptrdiff_t)(pixels * step),
                              .lanes = call->channels == 64 ? ~UINT64_C(0) : (UINT64_C(1) << call->channels) - 1};
  uint8_t *out = call->out, *second = call->second_out;
  __m512i column[3][4];
  ptrdiff_t x = call->first;
  load_column(call, &sides, step, x, column[step == 1 ? 1 : 2]);
  if (step == 1) {
    load_column(call, &sides, step, x + 1, column[2]);
  }
  for (size_t pixel = 0; pixel < pixels; pixel++, x += (ptrdiff_t)step) {
    size_t there = 1; /* sides that have such a pixel */
    for (size_t side = 1; side < count; side++) {
      there += side * pixels + pixel < call->pixels;
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
      column[0][v] = step == 1 ? column[1][v] : column[2][v];
      column[1][v] = column[2][v];
    }
    if (step == 2) {
      load_column(call, &sides, step, x + 1, column[1]);
    }
    load_column(call, &sides, step, x + 2, column[2]);
    __m512i sums[4] = {bias[0], bias[1], bias[2], bias[3]};
#pragma GCC unroll 3
    for (size_t i = 0; i < 3; i++) {
      multiply(sums, column[i], upper + 4 * i);
      if (call->twice) {
        multiply(sums, column[i], upper + 24 + 4 * i);
      }
    }
    store_sides(&sides, out, to_right, there, finish_sums4(finish, &f, sums, scale));
    out += call->out_stride;
    if (step == 1 && second != NULL) {
      __m512i more[4] = {bias[0], bias[1], bias[2], bias[3]};
#pragma GCC unroll 3
      for (size_t i = 0; i < 3; i++) {
        multiply(more, column[i], lower + 4 * i);
        if (call->twice) {
          multiply(more, column[i], lower + 24 + 4 * i);
        }
      }
      store_sides(&sides, second, to_right, there, finish_sums4(finish, &f, more, scale));
      second += call->out_stride;
    }
  }
}

NEONSIM_FORCE_INLINE void taps(enum neonsim_finish finish, const struct neonsim_depthwise_call *call) {
  const struct finish f = finish_begin(finish, call->requant);
  const __m512i *bias = call->packed;
  const float *scale = (const float *)call->packed + 64;
  const __mmask64 lanes = call->channels == 64 ? ~UINT64_C(0) : (UINT64_C(1) << call->channels) - 1;
  const uint8_t *const *rows = call->rows;
  for (size_t pixel = 0; pixel < call->pixels; pixel++) {
    const __m512i *weights = (const __m512i *)call->packed + 8;
    __m512i sums[4] = {bias[0], bias[1], bias[2], bias[3]};
    for (size_t tap = 0; tap < call->taps; tap += 4, rows += 4, weights += 4) {
      __m512i column[4];
      interleave(_mm512_maskz_loadu_epi8(lanes, rows[0] + call->offset), _mm512_maskz_loadu_epi8(lanes, rows[1] + call->offset),
                 _mm512_maskz_loadu_epi8(lanes, rows[2] + call->offset), _mm512_maskz_loadu_epi8(lanes, rows[3] + call->offset),
                 column);
      multiply(sums, column, weights);
    }
    _mm512_mask_storeu_epi8(call->out + pixel * call->out_stride, lanes, finish_sums4(finish, &f, sums, scale));
  }
}

#define KERNELS(name, finish) \
  void neonsim_depthwise_rows_##name##__avx512vnni(const struct neonsim_depthwise_call *call) { \
    const size_t count = call->channels <= NEONSIM_DEPTHWISE_NARROWEST ? 4 : call->channels <= NEONSIM_DEPTHWISE_NARROW ? 2 : 1; \
    switch (2 * count + call->step) { \
      case 3: rows3x3(finish, 1, 1, call); break; \
      case 4: rows3x3(finish, 2, 1, call); break; \
      case 5: rows3x3(finish, 1, 2, call); break; \
      case 6: rows3x3(finish, 2, 2, call); break; \
      case 9: rows3x3(finish, 1, 4, call); break; \
      default: rows3x3(finish, 2, 4, call); break; \
    } \
  } \
  void neonsim_depthwise_taps_##name##__avx512vnni(const struct neonsim_depthwise_call *call) { taps(finish, call); }
KERNELS(q31_float, FINISH_Q31_FLOAT)
KERNELS(q31, FINISH_Q31)
KERNELS(fp32, FINISH_FP32)
