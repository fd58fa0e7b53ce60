/* Winograd's transforms of rows of numbers, written once for all families: float32_kernels.h includes this. */
#ifndef NEONSIM_FLOAT32_WINOGRAD_H
#define NEONSIM_FLOAT32_WINOGRAD_H

#include "network/winograd/float32_programs.h"

#define TRANSFORMS(n, k, ones) \
  static void winograd_source_##n##x##k(size_t count, const float *x, size_t x_step, float *y, size_t y_step) { \
    size_t i = 0; \
    for (; i + LANES <= count; i += LANES) { \
      source_##n##x##k(x + i, x_step, y + i, y_step, LANES); \
    } \
    if (i < count) { \
      source_##n##x##k(x + i, x_step, y + i, y_step, count - i); \
    } \
  } \
  static void winograd_destination_##n##x##k(size_t count, const float *x, size_t x_step, float *y, size_t y_step, size_t rows, \
                                             const float *limits) { \
    size_t i = 0; \
    for (; i + LANES <= count; i += LANES) { \
      destination_##n##x##k(x + i, x_step, y + i, y_step, LANES, rows, limits); \
    } \
    if (i < count) { \
      destination_##n##x##k(x + i, x_step, y + i, y_step, count - i, rows, limits); \
    } \
  }
NEONSIM_WINOGRAD_EACH(TRANSFORMS)

#define TRANSFORMED(n, k, ones) [NEONSIM_TAPS_INDEX(k)][n - 2] = {winograd_source_##n##x##k, winograd_destination_##n##x##k, ones},
#define WINOGRAD {NEONSIM_WINOGRAD_EACH(TRANSFORMED)}

#endif
