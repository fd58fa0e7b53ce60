/* Kernels of int8 that take every channel by itself: depthwise convolutions and averages (neonsim/ukernel/contracts/channelwise.py,
 * pool.py). */
#ifndef NEONSIM_CHANNELWISE_H
#define NEONSIM_CHANNELWISE_H

#include <stddef.h>
#include <stdint.h>

/* Rows through a table of pointers; input_offset is added to all of them but those that equal zero. */
typedef void (*neonsim_channelwise_kernel)(size_t channels, size_t output_width, const void *const *input, const void *w, void *output,
                                           size_t input_stride, size_t output_increment, size_t input_offset, const void *zero,
                                           const void *params);
typedef void (*neonsim_mean_kernel)(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, void *y, const void *params);
typedef void (*neonsim_mean_mp_kernel)(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, int32_t *buffer, void *y,
                                       const void *params);
/* Averages of gathered rows, as those of uint8 in variants.h. */
typedef void (*neonsim_window_mean_kernel)(size_t n, size_t ks, size_t kc, const void *const *input, const void *zero, void *y,
                                           size_t x_increment, size_t y_increment, const void *params);

#define NEONSIM_DECLARE_WINDOW_MEAN(name)                                                                               \
  void name(size_t n, size_t ks, size_t kc, const void *const *input, const void *zero, void *y, size_t x_increment,     \
            size_t y_increment, const void *params)
#define NEONSIM_DECLARE_CHANNELWISE(name)                                                                                \
  void name(size_t channels, size_t output_width, const void *const *input, const void *w, void *output,                 \
            size_t input_stride, size_t output_increment, size_t input_offset, const void *zero, const void *params)
#define NEONSIM_DECLARE_MEAN(name) \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, void *y, const void *params)
#define NEONSIM_DECLARE_MEAN_MP(name)                                                                                    \
  void name(size_t m, size_t n, const void *x, size_t x_stride, const void *zero, int32_t *buffer, void *y, const void *params)

#endif
