/* Numbers as ncnn has them on 256 bits: see ncnn.c. */
#include "network/x86/vector.h"

enum { BATCH = 4 * LANES };

NEONSIM_FORCE_INLINE vector_float numbers(const float *from) { return VECTOR(loadu_ps)(from); }

/* Integers, half away from zero, within -127 and 127: the float before 0.5, with the sign of what it is added to, then cut off. */
NEONSIM_FORCE_INLINE vector whole(vector_float scaled) {
  const vector_float sign = VECTOR(and_ps)(scaled, VECTOR(set1_ps)(-0.0f));
  const vector_float cut = VECTOR(max_ps)(VECTOR(min_ps)(scaled, VECTOR(set1_ps)(127.0f)), VECTOR(set1_ps)(-127.0f));
  return VECTOR(cvttps_epi32)(VECTOR(add_ps)(cut, VECTOR(or_ps)(sign, VECTOR(set1_ps)(0.49999997f))));
}

/* Four registers of small numbers to bytes, 128 added: packing works within 128 bits, so fours are put in order afterwards. */
NEONSIM_FORCE_INLINE void store_quantized(uint8_t *out, const vector found[4]) {
  const vector words[2] = {_mm256_packs_epi32(found[0], found[1]), _mm256_packs_epi32(found[2], found[3])};
  const vector bytes = _mm256_xor_si256(_mm256_packs_epi16(words[0], words[1]), _mm256_set1_epi8((char)0x80));
  store_anywhere(out, _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

static int quantize(size_t n, const float *in, float steps, uint8_t *out) {
  const vector_float by = VECTOR(set1_ps)(steps);
  vector_float odd = VECTOR(setzero_ps)();
  size_t i = 0;
  for (; i + BATCH <= n; i += BATCH) {
    vector found[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
      const vector_float x = numbers(in + i + v * LANES);
      odd = VECTOR(or_ps)(odd, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
      found[v] = whole(VECTOR(mul_ps)(x, by));
    }
    store_quantized(out + i, found);
  }
  return (_mm256_movemask_ps(odd) != 0) | neonsim_ncnn__scalar.quantize(n - i, in + i, steps, out + i);
}

NEONSIM_FORCE_INLINE vector_float dequantize_one(const int32_t *sums, const struct neonsim_channel_scales *by, size_t channel) {
  const vector_float sum = VECTOR(cvtepi32_ps)(load_anywhere(sums + channel));
  const vector_float found = VECTOR(fmadd_ps)(sum, numbers(by->factor + channel), numbers(by->bias + channel));
  /* Where both are equal, -0 and +0 among them, the limit is taken. */
  return VECTOR(min_ps)(VECTOR(max_ps)(found, VECTOR(set1_ps)(by->low)), VECTOR(set1_ps)(by->high));
}

static struct neonsim_channel_scales behind(const struct neonsim_channel_scales *by, size_t channel) {
  return (struct neonsim_channel_scales){by->factor + channel, by->bias + channel, by->low, by->high, by->steps};
}

static void dequantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, float *out) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR(storeu_ps)(out + i, dequantize_one(sums, by, i));
  }
  const struct neonsim_channel_scales rest = behind(by, i);
  neonsim_ncnn__scalar.dequantize(n - i, sums + i, &rest, out + i);
}

static void requantize(size_t n, const int32_t *sums, const struct neonsim_channel_scales *by, uint8_t *out) {
  const vector_float steps = VECTOR(set1_ps)(by->steps);
  size_t i = 0;
  for (; i + BATCH <= n; i += BATCH) {
    vector found[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; v++) {
      found[v] = whole(VECTOR(mul_ps)(dequantize_one(sums, by, i + v * LANES), steps));
    }
    store_quantized(out + i, found);
  }
  const struct neonsim_channel_scales rest = behind(by, i);
  neonsim_ncnn__scalar.requantize(n - i, sums + i, &rest, out + i);
}

const struct neonsim_ncnn_kernels neonsim_ncnn__avx2 = {quantize, dequantize, requantize};
