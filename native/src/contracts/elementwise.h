/* Element-wise kernels of the newer library (neonsim/ukernel/contracts/elementwise.py). Elements are bytes of either sign, so the types
 * here are those of all of them. */
#ifndef NEONSIM_ELEMENTWISE_H
#define NEONSIM_ELEMENTWISE_H

#include <stddef.h>

/* b: a vector, or one value for contracts whose names end in c. */
typedef void (*neonsim_binary_kernel)(size_t n, const void *a, const void *b, void *y, const void *params);
typedef void (*neonsim_unary_kernel)(size_t n, const void *x, void *y, const void *params);

#define NEONSIM_DECLARE_BINARY(name) void name(size_t n, const void *a, const void *b, void *y, const void *params)
#define NEONSIM_DECLARE_UNARY(name) void name(size_t n, const void *x, void *y, const void *params)

#endif
