/* Winograd's transforms of rows of numbers, written once for all families: real_kernels.h includes this. */
#ifndef NEONSIM_REAL_WINOGRAD_H
#define NEONSIM_REAL_WINOGRAD_H

#include "network/winograd_programs.h"

#define TRANSFORMS(n) \
  static void winograd_source_##n(size_t count, const float *x, size_t x_step, float *y, size_t y_step) { \
    size_t i = 0; \
    for (; i + LANES <= count; i += LANES) { \
      source_##n(x + i, x_step, y + i, y_step, LANES); \
    } \
    if (i < count) { \
      source_##n(x + i, x_step, y + i, y_step, count - i); \
    } \
  } \
  static void winograd_destination_##n(size_t count, const float *x, size_t x_step, float *y, size_t y_step, size_t rows, \
                                       const float *limits) { \
    size_t i = 0; \
    for (; i + LANES <= count; i += LANES) { \
      destination_##n(x + i, x_step, y + i, y_step, LANES, rows, limits); \
    } \
    if (i < count) { \
      destination_##n(x + i, x_step, y + i, y_step, count - i, rows, limits); \
    } \
  }
TRANSFORMS(2)
TRANSFORMS(3)
TRANSFORMS(4)
TRANSFORMS(5)
TRANSFORMS(6)
TRANSFORMS(7)
TRANSFORMS(8)

#define EACH_TRANSFORM(side) \
  {winograd_##side##_2, winograd_##side##_3, winograd_##side##_4, winograd_##side##_5, \
   winograd_##side##_6, winograd_##side##_7, winograd_##side##_8}

#endif
