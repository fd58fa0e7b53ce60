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

static void call_one(const struct neonsim_variant *variant, const uint64_t *v) {
  const union neonsim_kernel *k = &variant->kernel;
  switch ((enum neonsim_contract)variant->info.contract) {
    case NEONSIM_QU8_GEMM_Q31: k->gemm(N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), P(8)); break;
    case NEONSIM_QU8_GEMM_XZP_Q31: k->gemm_xzp(N(0), N(1), N(2), P(3), N(4), P(5), P(6), P(7), N(8), P(9)); break;
    case NEONSIM_QU8_SUMROWS: k->sumrows(P(0), N(1), N(2), N(3), I(4), P(5)); break;
    case NEONSIM_QU8_CONV_Q31: k->conv(N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), P(8)); break;
    case NEONSIM_QU8_DWCONV_Q31: k->dwconv(N(0), N(1), P(2), P(3), P(4), N(5), N(6), P(7)); break;
    case NEONSIM_QU8_DWCONV_MP_Q31: k->dwconv_mp(N(0), N(1), P(2), P(3), P(4), P(5), N(6), N(7), P(8)); break;
    case NEONSIM_QU8_GAVGPOOL: k->gavgpool(N(0), N(1), P(2), N(3), P(4), P(5), P(6)); break;
    case NEONSIM_QU8_GAVGPOOL_MP: k->gavgpool_mp(N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7)); break;
    case NEONSIM_QU8_AVGPOOL: k->avgpool(N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8)); break;
    case NEONSIM_QU8_AVGPOOL_MP: k->avgpool_mp(N(0), N(1), N(2), P(3), P(4), P(5), P(6), N(7), N(8), P(9)); break;
    case NEONSIM_S8_MAXPOOL:
    case NEONSIM_U8_MAXPOOL: k->maxpool(N(0), N(1), N(2), P(3), P(4), N(5), N(6), P(7)); break;
    case NEONSIM_QU8_VADD: k->vadd(N(0), P(1), P(2), P(3), P(4)); break;
    case NEONSIM_S8_CLAMP:
    case NEONSIM_U8_CLAMP: k->clamp(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_U8_RMAX:
    case NEONSIM_X8_ZIP_X2:
    case NEONSIM_X8_ZIP_X3:
    case NEONSIM_X8_ZIP_X4: k->bytes(N(0), P(1), P(2)); break;
    case NEONSIM_X8_ZIP_XM: k->zip_xm(N(0), N(1), P(2), P(3)); break;
    case NEONSIM_X8_LUT: k->lut(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_U8_LUT32NORM: k->lut32norm(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QU8_REQUANTIZE_PRECISE: k->requantize_precise(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QU8_REQUANTIZE_FP32: k->requantize_fp32(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QU8_REQUANTIZE_Q31:
    case NEONSIM_QU8_REQUANTIZE_GEMMLOWP: k->requantize_q31(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QU8_REQUANTIZE_RNDNU: k->requantize_rndnu(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QU8_GEMM_S32: k->gemm_s32(N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9)); break;
    case NEONSIM_U8_GEMM_PACKED_S32: k->gemm_packed_s32(N(0), P(1), P(2), P(3), N(4), N(5), N(6)); break;
    case NEONSIM_QS8_GEMM_FP32:
    case NEONSIM_QS8_GEMM_RNDNU:
    case NEONSIM_QS8_QC8W_GEMM_FP32:
    case NEONSIM_QU8_GEMM_RNDNU: k->product(N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9)); break;
    case NEONSIM_QS8_IGEMM_FP32:
    case NEONSIM_QS8_IGEMM_RNDNU:
    case NEONSIM_QS8_QC8W_IGEMM_FP32:
    case NEONSIM_QU8_IGEMM_RNDNU:
      k->gather(N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11));
      break;
    case NEONSIM_QD8_F32_QC8W_GEMM: k->dynamic(N(0), N(1), N(2), P(3), N(4), P(5), P(6), N(7), N(8), P(9), P(10)); break;
    case NEONSIM_QD8_F32_QC8W_IGEMM:
      k->dynamic_gather(N(0), N(1), N(2), N(3), P(4), P(5), P(6), N(7), N(8), N(9), P(10), P(11), P(12), P(13));
      break;
    case NEONSIM_QS8_VADD:
    case NEONSIM_QS8_VADDC:
    case NEONSIM_QS8_VMUL_FP32:
    case NEONSIM_QS8_VMUL_RNDNU:
    case NEONSIM_QS8_VMULC_FP32:
    case NEONSIM_QS8_VMULC_RNDNU:
    case NEONSIM_QU8_VMUL_FP32:
    case NEONSIM_QU8_VMUL_RNDNU:
    case NEONSIM_QU8_VMULC_RNDNU:
    case NEONSIM_QU8_VSUB:
    case NEONSIM_QU8_VSUBC:
    case NEONSIM_QU8_VMULC_FP32: k->binary(N(0), P(1), P(2), P(3), P(4)); break;
    case NEONSIM_QS8_VCVT:
    case NEONSIM_QS8_VLRELU: k->unary(N(0), P(1), P(2), P(3)); break;
    case NEONSIM_QS8_DWCONV_RNDNU:
    case NEONSIM_QS8_QC8W_DWCONV_FP32: k->channelwise(N(0), N(1), P(2), P(3), P(4), N(5), N(6), N(7), P(8), P(9)); break;
    case NEONSIM_QS8_GAVGPOOL: k->mean(N(0), N(1), P(2), N(3), P(4), P(5), P(6)); break;
    case NEONSIM_QS8_GAVGPOOL_MP: k->mean_mp(N(0), N(1), P(2), N(3), P(4), P(5), P(6), P(7)); break;
    case NEONSIM_QS8_AVGPOOL: k->window_mean(N(0), N(1), N(2), P(3), P(4), P(5), N(6), N(7), P(8)); break;
    case NEONSIM_CONTRACTS: break;
  }
}

/* How many arguments each contract has, by enum neonsim_contract. */
static const size_t counts[NEONSIM_CONTRACTS] = {9, 10, 6, 9, 8, 9, 7, 8, 9, 10, 8, 5, 4,
                                                3,  3,  3, 3, 4, 4, 4, 4, 4, 4,  4, 4, 10, 7,
                                                11, 10, 10, 12, 12, 10, 12, 10, 12,
                                                5, 5, 4, 4, 5, 5, 5, 5, 5, 5, 10, 10, 7, 8, 14, 9, 5, 5, 5,
                                                5, 4, 8};

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
    case NEONSIM_QS8_VMUL_FP32:
    case NEONSIM_QS8_VMUL_RNDNU:
    case NEONSIM_QU8_VMUL_FP32:
    case NEONSIM_QU8_VMUL_RNDNU: return over_or_apart(v[3], v[1], n, n) && over_or_apart(v[3], v[2], n, n);
    case NEONSIM_QS8_VADDC:
    case NEONSIM_QU8_VSUBC:
    case NEONSIM_QS8_VMULC_FP32:
    case NEONSIM_QS8_VMULC_RNDNU:
    case NEONSIM_QU8_VMULC_FP32:
    case NEONSIM_QU8_VMULC_RNDNU: return over_or_apart(v[3], v[1], n, n) && over_or_apart(v[3], v[2], n, 1);
    case NEONSIM_QS8_VCVT:
    case NEONSIM_QS8_VLRELU:
    case NEONSIM_S8_CLAMP:
    case NEONSIM_U8_CLAMP: return over_or_apart(v[2], v[1], n, n);
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
  if (count != counts[variant->info.contract]) {
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
