/* Winograd's convolutions of bytes: what families provide. */
#ifndef NEONSIM_WINOGRAD_H
#define NEONSIM_WINOGRAD_H

#include "network/network.h"
#include "network/winograd/integer_sizes.h"

/* Transforms along one axis: n numbers of rows that lie so many numbers apart. */
typedef void (*neonsim_winograd_source)(size_t n, const int16_t *x, size_t x_step, int16_t *y, size_t y_step);
typedef void (*neonsim_winograd_destination)(size_t n, const int32_t *x, size_t x_step, int32_t *y, size_t y_step);

/* words: who multiplies numbers of 16 bits, by FINISH_S32 only, columns of panels lane after lane if `in_order`.
 * widen: bytes less a zero point. settle: sums are multiplied by `inverse`, shifted to the right, and a bias each is added. */
struct neonsim_winograd_kernels {
  const struct neonsim_family *int16_gemm;
  int in_order;
  void (*widen)(size_t n, const uint8_t *in, int32_t zero_point, int16_t *out);
  neonsim_winograd_source source[NEONSIM_INTEGER_PROGRAMS];
  neonsim_winograd_destination destination[NEONSIM_INTEGER_PROGRAMS];
  void (*divide)(size_t n, const int32_t *sums, const int32_t *bias, uint32_t inverse, uint32_t shift, int32_t *out);
};

extern const struct neonsim_winograd_kernels neonsim_winograd__avx512;
extern const struct neonsim_winograd_kernels neonsim_winograd__avx512bw;
extern const struct neonsim_winograd_kernels neonsim_winograd__avx2;
extern const struct neonsim_winograd_kernels neonsim_winograd__sse41;
extern const struct neonsim_winograd_kernels neonsim_winograd__sse2;
extern const struct neonsim_winograd_kernels neonsim_winograd__simd128;
extern const struct neonsim_winograd_kernels neonsim_winograd__neon;
extern const struct neonsim_winograd_kernels neonsim_winograd__scalar;

#endif
