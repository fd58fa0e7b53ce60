/* The entry points: arguments are checked here, so the kernels need not. */
#include <string.h>

#include "contracts/variants.h"

uint32_t neonsim_abi_version(void) { return NEONSIM_ABI_VERSION; }

const char *neonsim_status_text(int32_t status) {
  switch (status) {
    case NEONSIM_SUCCESS: return "success";
    case NEONSIM_NULL_POINTER: return "a pointer is NULL";
    case NEONSIM_ZERO_SIZE: return "a size is 0";
    case NEONSIM_SIZE_TOO_LARGE: return "a size is too large: for the tile of the variant, for a layer, or for memory";
    case NEONSIM_STRIDE_TOO_SMALL: return "a stride is smaller than a row";
    case NEONSIM_INVALID_PARAMETER: return "a field of the parameter block is out of range";
    case NEONSIM_UNKNOWN_VARIANT: return "no variant of this contract has this name";
    case NEONSIM_UNAVAILABLE_VARIANT: return "this variant cannot run here";
    case NEONSIM_UNKNOWN_ISA: return "NEONSIM_ISA names no instruction set that is available here for this contract";
    case NEONSIM_OUT_OF_MEMORY: return "out of memory";
    case NEONSIM_NOT_A_NUMBER: return "a NaN is to become an integer, and there is none for it";
    default: return "unknown status";
  }
}

#define CHECK(expression) \
  do { \
    const int32_t status_ = (expression); \
    if (status_ != NEONSIM_SUCCESS) { \
      return status_; \
    } \
  } while (0)

static int32_t check_params(const struct neonsim_q31_params *params) {
  if (params == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  const int fine = params->multiplier >= INT32_C(0x40000000) && params->left_shift <= 0 && params->left_shift >= -31 &&
                   params->output_zero_point >= 0 && params->output_zero_point <= 255 && params->output_min <= params->output_max;
  return fine ? NEONSIM_SUCCESS : NEONSIM_INVALID_PARAMETER;
}

/* rows x columns bytes in rows `stride` apart: is the stride wide enough and the whole addressable? */
static int32_t check_rows(size_t rows, size_t columns, size_t stride) {
  if (columns > PTRDIFF_MAX) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  if (rows == 1) {
    return NEONSIM_SUCCESS; /* the stride is not used */
  }
  if (stride < columns) {
    return NEONSIM_STRIDE_TOO_SMALL;
  }
  return rows > PTRDIFF_MAX / stride ? NEONSIM_SIZE_TOO_LARGE : NEONSIM_SUCCESS;
}

size_t neonsim_packed_size(size_t n, size_t k, uint32_t nr, uint32_t kr) {
  if (nr == 0 || kr == 0 || n > SIZE_MAX - nr || k > SIZE_MAX - kr - 4) {
    return 0;
  }
  const size_t columns = (n + nr - 1) / nr * nr;
  const size_t bytes = (k + kr - 1) / kr * kr + sizeof(int32_t);
  return columns > SIZE_MAX / bytes ? 0 : columns * bytes;
}

int32_t neonsim_check_gemm(const struct neonsim_variant *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                           const void *w, const uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  if (a == NULL || w == NULL || c == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (m == 0 || n == 0 || k == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  CHECK(check_params(params));
  const size_t packed = neonsim_packed_size(n, k, variant->info.nr, variant->info.kr);
  if (packed == 0 || packed > PTRDIFF_MAX) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  CHECK(check_rows(m, k, a_stride));
  return check_rows(m, n, c_stride);
}

/* Kernels may load the last, short group of a row as eight bytes that end with the row. With eight or more depths these lie in
 * the row; with fewer they would begin before it, so such a tile is copied to a place with room in front. */
enum { GROUP = 8, MAX_ROWS = 8 };

static const uint8_t *with_room_before(uint8_t room[MAX_ROWS][2 * GROUP], size_t mr, size_t k, const uint8_t *a, size_t *a_stride) {
  memset(room, 0, MAX_ROWS * sizeof room[0]);
  for (size_t row = 0; row < mr; row++) {
    memcpy(room[row] + GROUP, a + row * *a_stride, k);
  }
  *a_stride = sizeof room[0];
  return room[0] + GROUP;
}

void neonsim_run_gemm(const struct neonsim_variant *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                      const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  uint8_t room[MAX_ROWS][2 * GROUP];
  if (variant->info.reads_before != 0 && kc < GROUP) {
    a = with_room_before(room, mr, kc, a, &a_stride);
  }
  if (variant->info.contract == NEONSIM_QU8_GEMM_Q31) {
    variant->kernel.gemm(mr, nr, kc, a, a_stride, w, c, c_stride, params);
  } else {
    variant->kernel.gemm_xzp(mr, nr, kc, a, a_stride, a_sum, w, c, c_stride, params);
  }
}

void neonsim_run_sumrows(const struct neonsim_variant *variant, const uint8_t *a, size_t m, size_t k, size_t stride,
                         int32_t multiplier, int32_t *sums) {
  uint8_t room[MAX_ROWS][2 * GROUP];
  if (variant->info.reads_before != 0 && k < GROUP) {
    a = with_room_before(room, m, k, a, &stride);
  }
  variant->kernel.sumrows(a, m, k, stride, multiplier, sums);
}

int32_t neonsim_qu8_gemm_q31(const char *name, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride, const void *w,
                             uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params) {
  const struct neonsim_variant *variant;
  CHECK(neonsim_find_variant(NEONSIM_QU8_GEMM_Q31, name, &variant));
  CHECK(neonsim_check_gemm(variant, mr, nr, kc, a, a_stride, w, c, c_stride, params));
  if (mr > variant->info.mr || nr > variant->info.nr) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  neonsim_run_gemm(variant, mr, nr, kc, a, a_stride, NULL, w, c, c_stride, params);
  return NEONSIM_SUCCESS;
}

int32_t neonsim_qu8_gemm_xzp_q31(const char *name, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                                 const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride,
                                 const struct neonsim_q31_params *params) {
  const struct neonsim_variant *variant;
  CHECK(neonsim_find_variant(NEONSIM_QU8_GEMM_XZP_Q31, name, &variant));
  CHECK(neonsim_check_gemm(variant, mr, nr, kc, a, a_stride, w, c, c_stride, params));
  if (a_sum == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (mr > variant->info.mr || nr > variant->info.nr) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  neonsim_run_gemm(variant, mr, nr, kc, a, a_stride, a_sum, w, c, c_stride, params);
  return NEONSIM_SUCCESS;
}

int32_t neonsim_qu8_sumrows(const char *name, const uint8_t *a, size_t m, size_t k, size_t stride, int32_t multiplier,
                            int32_t *sums) {
  const struct neonsim_variant *variant;
  CHECK(neonsim_find_variant(NEONSIM_QU8_SUMROWS, name, &variant));
  if (a == NULL || sums == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (m == 0 || k == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  CHECK(check_rows(m, k, stride));
  if (m > variant->info.mr) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  neonsim_run_sumrows(variant, a, m, k, stride, multiplier, sums);
  return NEONSIM_SUCCESS;
}
