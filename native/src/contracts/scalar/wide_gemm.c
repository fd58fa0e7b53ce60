/* Products wider than bytes in portable C: 16x8 with sums of 64 bits, and sums that are kept whole. Sums wrap. */
#include "contracts/scalar/scalar.h"

#include "int64_accum.h"

enum { MAX_COLUMNS = 8 };

/* Sums of one row by one block of `columns` columns, modulo 2**64; of 32 bits the lower half is right as well. size: bytes of an
 * element of a. */
NEONSIM_INLINE void row_sums(size_t columns, size_t size, size_t kc, const char *a, const int8_t *w, uint64_t *sums) {
  for (size_t k = 0; k < kc; k++) {
    const uint64_t x = (uint64_t)neonsim_read_int(a + k * size, size);
    for (size_t n = 0; n < columns; n++) {
      sums[n] += x * (uint64_t)(int64_t)w[k * columns + n];
    }
  }
}

NEONSIM_INLINE void whole(size_t columns, size_t a_size, size_t c_size, size_t mr, size_t nr, size_t kc, const void *a,
                          size_t a_stride, const int8_t *w, const void *q, void *c, size_t c_stride) {
  const char *numbers = q;
  for (size_t row = 0; row < mr; row++) {
    uint64_t sums[MAX_COLUMNS] = {0};
    for (size_t n = 0; n < columns; n++) {
      sums[n] = (uint64_t)neonsim_read_int(numbers + n * c_size, c_size);
    }
    row_sums(columns, a_size, kc, (const char *)a + row * a_stride, w, sums);
    for (size_t n = 0; n < nr; n++) {
      neonsim_store_clamped((char *)c + row * c_stride + n * c_size, c_size, sums[n],
                            neonsim_read_int(numbers + (columns + n) * c_size, c_size),
                            neonsim_read_int(numbers + (2 * columns + n) * c_size, c_size));
    }
  }
}

NEONSIM_KERNEL(gemm_16x8, qs16_qc8w_gemm_s64_4x4__scalar) {
  enum { COLUMNS = 4 };
  int64_t numbers[3][COLUMNS];
  memcpy(numbers, q, sizeof numbers);
  for (size_t row = 0; row < mr; row++) {
    uint64_t sums[COLUMNS];
    memcpy(sums, numbers[0], sizeof sums);
    row_sums(COLUMNS, sizeof(int16_t), kc, (const char *)a + row * a_stride, w, sums);
    for (size_t n = 0; n < nr; n++) {
      const int16_t value = neonsim_requantize_s64(sums[n], numbers[1][n], (int)-numbers[2][n], output_min, output_max);
      memcpy((char *)c + row * c_stride + n * sizeof value, &value, sizeof value);
    }
  }
}

NEONSIM_KERNEL(gemm_wide, s8_gemm_s32_4x8__scalar) { whole(8, 1, 4, mr, nr, kc, a, a_stride, w, q, c, c_stride); }
NEONSIM_KERNEL(gemm_wide, s32_gemm_s64_4x4__scalar) { whole(4, 4, 8, mr, nr, kc, a, a_stride, w, q, c, c_stride); }
NEONSIM_KERNEL(gemm_wide, s64_gemm_s64_4x4__scalar) { whole(4, 8, 8, mr, nr, kc, a, a_stride, w, q, c, c_stride); }
