/* Any contract, many calls: arguments come as integers and go to the kernel as what its contract says. */
#include "parallel.h"
#include "contracts/variants.h"

struct calls {
  const struct neonsim_variant *variant;
  const uint64_t *arguments; /* [calls][count] */
  size_t count;
};

/* The i-th argument of a call as a size or stride, an address, or an int32. */
#define N(i) ((size_t)v[i])
#define P(i) ((void *)(uintptr_t)v[i])
#define I(i) neonsim_as_int32((uint32_t)v[i])

static int32_t neonsim_as_int32(uint32_t x) { return x <= INT32_MAX ? (int32_t)x : -(int32_t)~x - 1; }

/* X(signature, how many arguments, which). */
#define EVERY_CALL(X) \
  X(gemm, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), P(8))) \
  X(gemm_xzp, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8), P(9))) \
  X(gemm_s32, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9))) \
  X(gemm_packed_s32, 7, (N(0), P(1), P(2), P(3), N(4), N(5), N(6))) \
  X(gemm_wide, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8))) \
  X(gemm_16x8, 11, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8), I(9), I(10))) \
  X(gemm_columns, 10, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9))) \
  X(igemm, 12, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11))) \
  X(dynamic_gemm, 11, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9), P(10))) \
  X(dynamic_igemm, 14, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11), P(12), P(13))) \
  X(sumrows, 6, (P(0), N(1), N(2), N(3), I(4), P(5))) \
  X(conv, 9, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), P(8))) \
  X(dwconv, 8, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), P(7))) \
  X(dwconv_mp, 9, (N(0), N(1), P(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(dwconv_offset, 10, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), N(7), P(8), P(9))) \
  X(gavgpool, 7, (N(0), N(1), P(2), N(3), P(4), P(5), P(6))) \
  X(gavgpool_mp, 8, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7))) \
  X(mean, 7, (N(0), N(1), P(2), N(3), P(4), P(5), P(6))) \
  X(mean_mp, 8, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7))) \
  X(avgpool, 9, (N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(avgpool_mp, 10, (N(0), N(1), N(2), P(3), P(4), P(5), P(6), N(7), N(8), P(9))) \
  X(window_mean, 9, (N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8))) \
  X(windows, 8, (N(0), N(1), N(2), P(3), P(4), N(5), N(6), P(7))) \
  X(matrix_mean, 6, (N(0), N(1), P(2), N(3), P(4), P(5))) \
  X(gains, 8, (N(0), N(1), P(2), N(3), P(4), P(5), N(6), P(7))) \
  X(maxpool, 8, (N(0), N(1), N(2), P(3), P(4), N(5), N(6), P(7))) \
  X(vadd, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(binary, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(unary, 4, (N(0), P(1), P(2), P(3))) \
  X(clamp, 4, (N(0), P(1), P(2), P(3))) \
  X(bytes, 3, (N(0), P(1), P(2))) \
  X(zip_xm, 4, (N(0), N(1), P(2), P(3))) \
  X(lut, 4, (N(0), P(1), P(2), P(3))) \
  X(lut32norm, 4, (N(0), P(1), P(2), P(3))) \
  X(softmax, 5, (N(0), P(1), P(2), P(3), P(4))) \
  X(gemm_columns_s32, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8))) \
  X(igemm_s32, 11, (N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10))) \
  X(dwconv_s32, 9, (N(0), N(1), P(2), P(3), P(4), N(5), N(6), N(7), P(8))) \
  X(per_channel, 9, (N(0), N(1), P(2), N(3), P(4), P(5), P(6), N(7), P(8))) \
  X(scaled_rows, 8, (N(0), N(1), P(2), N(3), P(4), P(5), N(6), P(7))) \
  X(requantize_precise, 4, (N(0), P(1), P(2), P(3))) \
  X(requantize_fp32, 4, (N(0), P(1), P(2), P(3))) \
  X(requantize_q31, 4, (N(0), P(1), P(2), P(3))) \
  X(requantize_rndnu, 4, (N(0), P(1), P(2), P(3))) \
  X(transform, 9, (N(0), P(1), N(2), P(3), N(4), N(5), N(6), N(7), P(8))) \
  X(transform_by, 10, (N(0), P(1), N(2), P(3), N(4), I(5), N(6), N(7), N(8), P(9))) \
  X(gemm_s16, 9, (N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8)))

enum calls_by {
#define BY(signature) BY_##signature,
  NEONSIM_EVERY_SIGNATURE(BY)
#undef BY
};

/* By enum neonsim_contract. */
static const uint8_t signatures[NEONSIM_CONTRACTS] = {
#define BY(constant, name, signature, swizzle, guarded) [NEONSIM_##constant] = BY_##signature,
    NEONSIM_EVERY_CONTRACT(BY)
#undef BY
};

/* By enum calls_by. */
static const uint8_t counts[] = {
#define COUNT(signature, count, arguments) [BY_##signature] = count,
    EVERY_CALL(COUNT)
#undef COUNT
};

static void call_one(const struct neonsim_variant *variant, const uint64_t *v) {
  const union neonsim_kernel *k = &variant->kernel;
  switch ((enum calls_by)signatures[variant->info.contract]) {
#define CALL(signature, count, arguments) \
  case BY_##signature: k->signature arguments; break;
    EVERY_CALL(CALL)
#undef CALL
  }
}

/* Element by element, results may lie exactly where an operand lies, or apart from it: what else they would write over an element
 * that is still to be read, which one depends on the kernel. */
static int over_or_apart(uint64_t y, uint64_t x, uint64_t y_bytes, uint64_t x_bytes) {
  return (y == x && y_bytes == x_bytes) || (y >= x ? y - x >= x_bytes : x - y >= y_bytes);
}

static int operands_fit(enum neonsim_contract contract, const uint64_t *v) {
  const uint64_t n = N(0);
  switch (contract) {
    case NEONSIM_QU8_VADD:
    case NEONSIM_QS8_VADD:
    case NEONSIM_QU8_VSUB:
    case NEONSIM_QS8_VADD_QUOTIENT:
    case NEONSIM_QS8_VMUL_FP32:
    case NEONSIM_QS8_VMUL_RNDNU:
    case NEONSIM_QU8_VMUL_FP32:
    case NEONSIM_QU8_VMUL_RNDNU: return over_or_apart(v[3], v[1], n, n) && over_or_apart(v[3], v[2], n, n);
    case NEONSIM_F32_VADD: return over_or_apart(v[3], v[1], 4 * n, 4 * n) && over_or_apart(v[3], v[2], 4 * n, 4 * n);
    case NEONSIM_QS8_VADDC:
    case NEONSIM_QU8_VSUBC:
    case NEONSIM_QS8_VMULC_FP32:
    case NEONSIM_QS8_VMULC_RNDNU:
    case NEONSIM_QU8_VMULC_FP32:
    case NEONSIM_QU8_VMULC_RNDNU: return over_or_apart(v[3], v[1], n, n) && over_or_apart(v[3], v[2], n, 1);
    case NEONSIM_QS8_VCVT:
    case NEONSIM_QS8_VLRELU:
    case NEONSIM_QS8_CLAMP_QUOTIENT:
    case NEONSIM_S8_CLAMP:
    case NEONSIM_U8_CLAMP: return over_or_apart(v[2], v[1], n, n);
    case NEONSIM_F32_VLRELU:
    case NEONSIM_F32_SOFTMAX:
    case NEONSIM_F32_CLAMP: return over_or_apart(v[2], v[1], 4 * n, 4 * n);
    default: return 1;
  }
}

static void run_calls(const void *job, size_t first, size_t last) {
  const struct calls *calls = job;
  for (size_t i = first; i < last; i++) {
    call_one(calls->variant, calls->arguments + i * calls->count);
  }
}

int32_t neonsim_call(const char *name, size_t calls, size_t count, const uint64_t *arguments, size_t threads) {
  if (name == NULL || (arguments == NULL && calls != 0)) {
    return NEONSIM_NULL_POINTER;
  }
  const struct neonsim_variant *variant;
  const int32_t status = neonsim_find_any_variant(name, &variant);
  if (status != NEONSIM_SUCCESS) {
    return status;
  }
  if (count != counts[signatures[variant->info.contract]]) {
    return NEONSIM_INVALID_PARAMETER;
  }
  if (threads == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  for (size_t i = 0; i < calls; i++) {
    if (!operands_fit((enum neonsim_contract)variant->info.contract, arguments + i * count)) {
      return NEONSIM_INVALID_PARAMETER;
    }
  }
  const struct calls job = {variant, arguments, count};
  neonsim_parallel(calls, threads, run_calls, &job);
  return NEONSIM_SUCCESS;
}
