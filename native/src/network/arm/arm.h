/* The NEON kernels of networks that more than one file names. */
#ifndef NEONSIM_ARM_H
#define NEONSIM_ARM_H

#include "network/float32/float32.h"

/* Float32, which 32-bit NEON does not do. */
#if defined(__aarch64__)
#define NEONSIM_F32_NEON &neonsim_f32__neon
#else
#define NEONSIM_F32_NEON &neonsim_f32__portable
#endif

/* Of the tallest tile: AArch32 has half the registers. */
#if defined(__aarch64__)
enum { ROWS = 8 };
#define HEIGHTS NEONSIM_HEIGHTS_8
#else
enum { ROWS = 4 };
#define HEIGHTS NEONSIM_HEIGHTS_4
#endif

void neonsim_add__neon(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const struct neonsim_add *add);
void neonsim_sum__neon(size_t channels, size_t rows, const uint8_t *in, size_t stride, int32_t *sums);
void neonsim_max__neon(size_t n, const uint8_t *in, uint8_t *best);
void neonsim_row_sums__neon(size_t rows, size_t bytes, size_t taps, const void *const *pointers, int32_t factor, int32_t *sums);
void neonsim_requantize__neon(size_t n, const int32_t *sums, const float *scale, int one_scale, uint8_t *out,
                              const struct neonsim_requant *requant);
void neonsim_multiply_add__neon(size_t n, const uint8_t *in, const int16_t *weights, int32_t *sums);

/* What all families of NEON have besides their products. */
#define NEON_KERNELS \
  .add = neonsim_add__neon, .sum = neonsim_sum__neon, .max = neonsim_max__neon, .requantize = neonsim_requantize__neon, \
  .multiply_add = neonsim_multiply_add__neon, .f32 = NEONSIM_F32_NEON, .winograd = &neonsim_winograd__neon, \
  .ncnn = &neonsim_ncnn__neon

#endif
