/* Products of the newer kernels: contracts whose kernels walk over all columns by themselves (neonsim/ukernel/contracts/symmetric.py).
 * Operands are bytes of either sign and the result bytes or floats, so the types here are those of all of them. */
#ifndef NEONSIM_PRODUCT_H
#define NEONSIM_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

typedef void (*neonsim_columns_kernel)(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c,
                                       size_t cm_stride, size_t cn_stride, const void *params);
/* Rows through a table [ks, MR] of pointers; a_offset is added to all of them but those that equal zero. */
typedef void (*neonsim_gather_kernel)(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c,
                                      size_t cm_stride, size_t cn_stride, size_t a_offset, const void *zero, const void *params);
/* Rows with a zero point and a scale each. */
typedef void (*neonsim_dynamic_kernel)(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c,
                                       size_t cm_stride, size_t cn_stride, const struct neonsim_qd8_row *rows, const void *params);
/* Pointers, and an image with a zero point and a scale: where a pointer equals zero, the row at zero_data is meant. */
typedef void (*neonsim_dynamic_gather_kernel)(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c,
                                              size_t cm_stride, size_t cn_stride, size_t a_offset, const void *zero,
                                              const void *zero_data, const struct neonsim_qd8_row *scheme, const void *params);

#define NEONSIM_DECLARE_PRODUCT(name)                                                                                          \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride,         \
            size_t cn_stride, const void *params)
#define NEONSIM_DECLARE_GATHER(name)                                                                                           \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, size_t cm_stride,        \
            size_t cn_stride, size_t a_offset, const void *zero, const void *params)
#define NEONSIM_DECLARE_DYNAMIC(name)                                                                                          \
  void name(size_t mr, size_t nc, size_t kc, const void *a, size_t a_stride, const void *w, void *c, size_t cm_stride,         \
            size_t cn_stride, const struct neonsim_qd8_row *rows, const void *params)
#define NEONSIM_DECLARE_DYNAMIC_GATHER(name)                                                                                    \
  void name(size_t mr, size_t nc, size_t kc, size_t ks, const void *const *a, const void *w, void *c, size_t cm_stride,        \
            size_t cn_stride, size_t a_offset, const void *zero, const void *zero_data, const struct neonsim_qd8_row *scheme,  \
            const void *params)

#endif
