/* What winograd.h asks for, written once: a file that includes this says its instruction set by how it is compiled, and
 * NEONSIM_WINOGRAD_KERNELS_OF(name, who multiplies, in order) defines its table. */
#ifndef NEONSIM_WINOGRAD_KERNELS_H
#define NEONSIM_WINOGRAD_KERNELS_H

#include <string.h>

#include "network/winograd/winograd.h"

#if defined(__GNUC__)
#define NEONSIM_RESTRICT __restrict__
#else
#define NEONSIM_RESTRICT
#endif

/* Registers of integers: whatever the file is compiled for. */
#if !defined(__GNUC__)
enum { REGISTER = 4 };
typedef uint16_t vint16;
typedef uint32_t vint32;
#else
#if defined(__AVX512BW__)
enum { REGISTER = 64 };
#elif defined(__AVX2__)
enum { REGISTER = 32 };
#else
enum { REGISTER = 16 };
#endif
typedef uint16_t vint16 __attribute__((vector_size(REGISTER)));
typedef uint32_t vint32 __attribute__((vector_size(REGISTER)));
#endif

#define ACCESS(bits) \
  enum { LANES##bits = sizeof(vint##bits) / sizeof(int##bits##_t) }; \
  NEONSIM_FORCE_INLINE vint##bits get##bits(const int##bits##_t *from, size_t n) { \
    vint##bits made = {0}; \
    memcpy(&made, from, n * sizeof *from); \
    return made; \
  } \
  NEONSIM_FORCE_INLINE void put##bits(int##bits##_t *to, vint##bits value, size_t n) { memcpy(to, &value, n * sizeof *to); }
ACCESS(16)
ACCESS(32)

#include "network/winograd/integer_programs.h"

/* The last register overlaps the one before it. */
#define LOOP(side, size, bits) \
  static void side##_##size##_loop(size_t n, const int##bits##_t *x, size_t x_step, int##bits##_t *y, size_t y_step) { \
    size_t i = 0; \
    for (; i + LANES##bits <= n; i += LANES##bits) { \
      side##_##size(x + i, x_step, y + i, y_step, LANES##bits); \
    } \
    if (i < n && n > LANES##bits) { \
      side##_##size(x + n - LANES##bits, x_step, y + n - LANES##bits, y_step, LANES##bits); \
    } else if (i < n) { \
      side##_##size(x + i, x_step, y + i, y_step, n - i); \
    } \
  }
#define LOOPS(n, k) LOOP(source, n##x##k, 16) LOOP(destination, n##x##k, 32)
NEONSIM_INTEGER_EACH(LOOPS)

static void widen(size_t n, const uint8_t *NEONSIM_RESTRICT in, int32_t zero_point, int16_t *NEONSIM_RESTRICT out) {
  const int16_t zero = (int16_t)zero_point;
  for (size_t i = 0; i < n; i++) {
    out[i] = (int16_t)(in[i] - zero);
  }
}

static void divide(size_t n, const int32_t *NEONSIM_RESTRICT sums, const int32_t *NEONSIM_RESTRICT bias, uint32_t inverse,
                   uint32_t shift, int32_t *NEONSIM_RESTRICT out) {
  for (size_t i = 0; i < n; i++) {
    const int32_t whole = (int32_t)((uint32_t)sums[i] * inverse) >> shift;
    out[i] = (int32_t)((uint32_t)whole + (uint32_t)bias[i]);
  }
}

#define SOURCE(n, k) source_##n##x##k##_loop,
#define DESTINATION(n, k) destination_##n##x##k##_loop,
#define NEONSIM_WINOGRAD_KERNELS_OF(isa, multiplies, ordered) \
  const struct neonsim_winograd_kernels neonsim_winograd__##isa = { \
      .int16_gemm = &multiplies, \
      .in_order = ordered, \
      .widen = widen, \
      .source = {NEONSIM_INTEGER_EACH(SOURCE)}, \
      .destination = {NEONSIM_INTEGER_EACH(DESTINATION)}, \
      .divide = divide, \
  }

#endif
