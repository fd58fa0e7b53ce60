/* Depthwise convolutions with VPDPBUSD, 64 channels at a time: bytes of four taps are interleaved so that each lane has its own. */
#include "x86/avx512.h"
#include "x86/x86.h"

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

NEONSIM_FORCE_INLINE void finish_store(enum neonsim_finish finish, const struct finish512 *f, const __m512i sums[4], const float *scale,
                                       uint8_t *out, __mmask64 lanes) {
  __m512i results[4];
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    results[v] = finish_sums(finish, f, sums[v], _mm512_load_ps(scale + 16 * v));
  }
  _mm512_mask_storeu_epi8(out, lanes, finish_bytes(finish, f, results[0], results[1], results[2], results[3]));
}

/* A column of the input: four pixels above each other (three with stride 2: the fourth has no weight), or the zero point. */
NEONSIM_FORCE_INLINE void load_column(const struct neonsim_depthwise_call *call, size_t step, ptrdiff_t x, __mmask64 lanes,
                                      __m512i column[4]) {
  if (x < 0 || (size_t)x >= call->width) {
    column[0] = column[1] = column[2] = column[3] = _mm512_set1_epi8((char)call->zero_point);
    return;
  }
  const size_t at = (size_t)x * call->stride + call->offset;
  const __m512i fourth = step == 1 ? _mm512_maskz_loadu_epi8(lanes, call->rows[3] + at) : _mm512_setzero_si512();
  interleave(_mm512_maskz_loadu_epi8(lanes, call->rows[0] + at), _mm512_maskz_loadu_epi8(lanes, call->rows[1] + at),
             _mm512_maskz_loadu_epi8(lanes, call->rows[2] + at), fourth, column);
}

NEONSIM_FORCE_INLINE void rows3x3(enum neonsim_finish finish, size_t step, const struct neonsim_depthwise_call *call) {
  const struct finish512 f = finish_begin(finish, call->requant);
  const __m512i *bias = call->packed;
  const float *scale = (const float *)call->packed + 64;
  const __m512i *upper = (const __m512i *)call->packed + 8, *lower = upper + 12;
  const __mmask64 lanes = call->channels == 64 ? ~UINT64_C(0) : (UINT64_C(1) << call->channels) - 1;
  uint8_t *out = call->out, *second = call->second_out;
  __m512i column[3][4];
  ptrdiff_t x = call->first;
  load_column(call, step, x, lanes, column[step == 1 ? 1 : 2]);
  if (step == 1) {
    load_column(call, step, x + 1, lanes, column[2]);
  }
  for (size_t pixel = 0; pixel < call->pixels; pixel++, x += (ptrdiff_t)step) {
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
      column[0][v] = step == 1 ? column[1][v] : column[2][v];
      column[1][v] = column[2][v];
    }
    if (step == 2) {
      load_column(call, step, x + 1, lanes, column[1]);
    }
    load_column(call, step, x + 2, lanes, column[2]);
    __m512i sums[4] = {bias[0], bias[1], bias[2], bias[3]};
#pragma GCC unroll 3
    for (size_t i = 0; i < 3; i++) {
      multiply(sums, column[i], upper + 4 * i);
    }
    finish_store(finish, &f, sums, scale, out, lanes);
    out += call->out_stride;
    if (step == 1 && second != NULL) {
      __m512i more[4] = {bias[0], bias[1], bias[2], bias[3]};
#pragma GCC unroll 3
      for (size_t i = 0; i < 3; i++) {
        multiply(more, column[i], lower + 4 * i);
      }
      finish_store(finish, &f, more, scale, second, lanes);
      second += call->out_stride;
    }
  }
}

NEONSIM_FORCE_INLINE void taps(enum neonsim_finish finish, const struct neonsim_depthwise_call *call) {
  const struct finish512 f = finish_begin(finish, call->requant);
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
    finish_store(finish, &f, sums, scale, call->out + pixel * call->out_stride, lanes);
  }
}

#define KERNELS(name, finish)                                                                        \
  void neonsim_depthwise_rows_##name##__avx512vnni(const struct neonsim_depthwise_call *call) {      \
    if (call->step == 1) {                                                                           \
      rows3x3(finish, 1, call);                                                                      \
    } else {                                                                                         \
      rows3x3(finish, 2, call);                                                                      \
    }                                                                                                \
  }                                                                                                  \
  void neonsim_depthwise_taps_##name##__avx512vnni(const struct neonsim_depthwise_call *call) { taps(finish, call); }
KERNELS(q31_float, FINISH_Q31_FLOAT)
KERNELS(q31, FINISH_Q31)
KERNELS(fp32, FINISH_FP32)
