/* The end of a GEMM whose kernels leave a tile's sums in memory, on 512 bits. */
#include "network/x86/gemm/finish512.h"
#include "network/x86/x86.h"

#define FINISH(name, finish, vectors) \
  static void finish_##name##_##vectors(size_t rows, const int32_t *sums, const int32_t *row_sums, const float *scale, \
                                        uint8_t *out, size_t out_stride, size_t columns, const struct neonsim_requant *requant) { \
    const struct finishing512 all = finishing_begin(finish, vectors, scale, out_stride, columns, requant); \
    finish_some(finish, vectors, &all, 0, rows, rows - 1, sums, row_sums, out); \
  }
#define WIDTHS(name, finish) FINISH(name, finish, 1) FINISH(name, finish, 2) FINISH(name, finish, 3) FINISH(name, finish, 4)
WIDTHS(q31_float, FINISH_Q31_FLOAT)
WIDTHS(q31, FINISH_Q31)
WIDTHS(fp32, FINISH_FP32)
WIDTHS(sums, FINISH_S32)

#define NAMES(name) {finish_##name##_1, finish_##name##_2, finish_##name##_3, finish_##name##_4}
const neonsim_finish_rows neonsim_finish__avx512[FINISHES][NEONSIM_MAX_VECTORS] = {NAMES(q31_float), NAMES(q31), NAMES(fp32),
                                                                                   NAMES(sums)};
