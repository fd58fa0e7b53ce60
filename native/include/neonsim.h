/* neonsim: quantised micro-kernels with a C ABI.
 *
 * Contracts, each with several variants (portable C, NEON intrinsics, the assembly files of kernels/). All variants of a
 * contract compute the same bytes. No entry point keeps state. The entry points of matrix products check their arguments;
 * neonsim_call runs any contract, as many tiles as wanted, and leaves sizes and addresses to its caller.
 *
 *   qu8_gemm_q31      c <- requantize(a @ (w - w_zero_point) + bias')              one tile, weights packed nr 8, kr 1
 *   qu8_gemm_xzp_q31  c <- requantize(a @ w + a_sum + bias')                       one tile, weights packed nr 8, kr 2, sr 8
 *   qu8_sumrows       sums[i] <- multiplier * (sum of row i of a)
 *
 * bias' = bias + k * a_zero_point * w_zero_point - a_zero_point * (sum over k of w), and a_sum[i] = -w_zero_point * (sum of row i):
 * both contracts give sum((a - a_zero_point) * (w - w_zero_point)) + bias. All int32 arithmetic wraps.
 * Sizes are counts, strides are bytes. Parameter blocks and arrays of int32 and float are aligned as C wants them; bytes and packed
 * weights may lie anywhere. Results lie apart from all that is read. Any function may be called from any thread, also after fork.
 */
#ifndef NEONSIM_H
#define NEONSIM_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define NEONSIM_API __declspec(dllexport)
#else
#define NEONSIM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a signature, a struct or a meaning below changes. */
#define NEONSIM_ABI_VERSION 11

enum neonsim_status {
  NEONSIM_SUCCESS = 0,
  NEONSIM_NULL_POINTER = 1,
  NEONSIM_ZERO_SIZE = 2,
  NEONSIM_SIZE_TOO_LARGE = 3, /* more rows or columns than the variant's tile, or sizes whose product overflows */
  NEONSIM_STRIDE_TOO_SMALL = 4,
  NEONSIM_INVALID_PARAMETER = 5,   /* a field of the parameter block is out of range */
  NEONSIM_UNKNOWN_VARIANT = 6,     /* no variant of this contract has this name */
  NEONSIM_UNAVAILABLE_VARIANT = 7, /* known, but not compiled in or not supported by this processor */
  NEONSIM_UNKNOWN_ISA = 8,         /* the environment variable NEONSIM_ISA names nothing that is available for this contract */
  NEONSIM_OUT_OF_MEMORY = 9,
  NEONSIM_NOT_A_NUMBER = 10 /* a NaN is to become an integer */
};

/* What each computes is said in neonsim/ukernel/contracts (`neonsim kernels explain`), argument by argument. */
enum neonsim_contract {
  NEONSIM_QU8_GEMM_Q31 = 0,
  NEONSIM_QU8_GEMM_XZP_Q31,
  NEONSIM_QU8_SUMROWS,
  NEONSIM_QU8_CONV_Q31,
  NEONSIM_QU8_DWCONV_Q31,
  NEONSIM_QU8_DWCONV_MP_Q31,
  NEONSIM_QU8_GAVGPOOL,
  NEONSIM_QU8_GAVGPOOL_MP,
  NEONSIM_QU8_AVGPOOL,
  NEONSIM_QU8_AVGPOOL_MP,
  NEONSIM_U8_MAXPOOL,
  NEONSIM_QU8_VADD,
  NEONSIM_U8_CLAMP,
  NEONSIM_U8_RMAX,
  NEONSIM_X8_ZIP_X2,
  NEONSIM_X8_ZIP_X3,
  NEONSIM_X8_ZIP_X4,
  NEONSIM_X8_ZIP_XM,
  NEONSIM_X8_LUT,
  NEONSIM_U8_LUT32NORM,
  NEONSIM_QU8_REQUANTIZE_PRECISE,
  NEONSIM_QU8_REQUANTIZE_FP32,
  NEONSIM_QU8_REQUANTIZE_Q31,
  NEONSIM_QU8_REQUANTIZE_GEMMLOWP,
  NEONSIM_QU8_REQUANTIZE_RNDNU,
  NEONSIM_F32_QS8_QUANTIZE,
  NEONSIM_S32_F32_DEQUANTIZE,
  NEONSIM_S32_QS8_REQUANTIZE,
  NEONSIM_QS8_GEMM_S32,
  NEONSIM_QS8_IGEMM_S32,
  NEONSIM_QS8_DWCONV_S32,
  NEONSIM_QU8_GEMM_S32,
  NEONSIM_U8_GEMM_PACKED_S32,
  NEONSIM_QS16_QC8W_GEMM_S64,
  NEONSIM_S8_GEMM_S32,
  NEONSIM_S32_GEMM_S64,
  NEONSIM_S64_GEMM_S64,
  NEONSIM_QD8_F32_QC8W_GEMM,
  NEONSIM_QS8_GEMM_FP32,
  NEONSIM_QS8_GEMM_RNDNU,
  NEONSIM_QS8_IGEMM_FP32,
  NEONSIM_QS8_IGEMM_RNDNU,
  NEONSIM_QS8_QC8W_GEMM_FP32,
  NEONSIM_QS8_QC8W_IGEMM_FP32,
  NEONSIM_QS8_QC8W_GEMM_TENGINE,
  NEONSIM_QS8_QC8W_IGEMM_TENGINE,
  NEONSIM_QU8_GEMM_RNDNU,
  NEONSIM_QU8_IGEMM_RNDNU,
  NEONSIM_QS8_VADD,
  NEONSIM_QS8_VADDC,
  NEONSIM_QS8_VCVT,
  NEONSIM_QS8_VLRELU,
  NEONSIM_QS8_VMUL_FP32,
  NEONSIM_QS8_VMUL_RNDNU,
  NEONSIM_QS8_VMULC_FP32,
  NEONSIM_QS8_VMULC_RNDNU,
  NEONSIM_QU8_VMUL_FP32,
  NEONSIM_QU8_VMULC_FP32,
  NEONSIM_QS8_DWCONV_RNDNU,
  NEONSIM_QS8_QC8W_DWCONV_FP32,
  NEONSIM_QS8_QC8W_DWCONV_TENGINE,
  NEONSIM_QS8_GAVGPOOL,
  NEONSIM_QS8_GAVGPOOL_MP,
  NEONSIM_QD8_F32_QC8W_IGEMM,
  NEONSIM_QS8_AVGPOOL,
  NEONSIM_QU8_VMUL_RNDNU,
  NEONSIM_QU8_VMULC_RNDNU,
  NEONSIM_QU8_VSUB,
  NEONSIM_QU8_VSUBC,
  NEONSIM_S8_CLAMP,
  NEONSIM_S8_MAXPOOL,
  NEONSIM_QU8_GEMM_FP32,
  NEONSIM_QU8_IGEMM_FP32,
  NEONSIM_QU8_DWCONV_FP32,
  NEONSIM_QS8_AVGPOOL_RNDNA,
  NEONSIM_QS8_SOFTMAX,
  NEONSIM_QU8_SOFTMAX,
  NEONSIM_F32_GEMM,
  NEONSIM_F32_IGEMM,
  NEONSIM_F32_DWCONV,
  NEONSIM_F32_VADD,
  NEONSIM_F32_CLAMP,
  NEONSIM_F32_MAXPOOL,
  NEONSIM_F32_AVGPOOL,
  NEONSIM_F32_GAVGPOOL,
  NEONSIM_F32_VLRELU,
  NEONSIM_F32_VMULCADDC,
  NEONSIM_F32_SOFTMAX,
  NEONSIM_F32_X8_VCVT,
  NEONSIM_X8_F32_VCVT,
  NEONSIM_QS16_F32_VCVT,
  NEONSIM_F32_QS8_QUOTIENT,
  NEONSIM_F32_QS16_QUOTIENT,
  NEONSIM_S32_QS8_QUOTIENT,
  NEONSIM_QS8_VADD_QUOTIENT,
  NEONSIM_QS8_CLAMP_QUOTIENT,
  NEONSIM_QS8_AVGPOOL_QUOTIENT,
  NEONSIM_F32_WINOGRAD_SOURCE,
  NEONSIM_F32_WINOGRAD_DESTINATION,
  NEONSIM_QS8_WINOGRAD_SOURCE,
  NEONSIM_QU8_WINOGRAD_SOURCE,
  NEONSIM_S16_WINOGRAD_SOURCE,
  NEONSIM_S32_WINOGRAD_DESTINATION,
  NEONSIM_S16_GEMM_S32,
  NEONSIM_CONTRACTS
};

/* Requantisation "q31" as the kernels read it; 16 bytes, the same in C and in assembly. */
struct neonsim_q31_params {
  int32_t multiplier;        /*  0  Q31 mantissa, 2**30 .. 2**31 - 1 */
  int32_t left_shift;        /*  4  minus the right shift, -31 .. 0 */
  int16_t output_zero_point; /*  8  0 .. 255 */
  uint8_t output_max;        /* 10 */
  uint8_t output_min;        /* 11 */
  uint8_t w_zero_point;      /* 12  not read by qu8_gemm_xzp_q31 */
  uint8_t a_zero_point;      /* 13  read by qu8_dwconv_mp_q31 only; elsewhere it is in the packed bias */
  uint8_t reserved[2];       /* 14  zero */
};

/* Average pooling: one rounding of (bias + sum) * multiplier / 2**shift, to nearest, ties away from zero; 24 bytes. */
struct neonsim_average_pool_params {
  int32_t bias;              /*  0  minus rows * input zero point */
  int32_t multiplier;        /*  4  24-bit mantissa */
  int64_t left_shift;        /*  8  minus the right shift, -55 .. -16 */
  int16_t output_zero_point; /* 16 */
  uint8_t output_max;        /* 18 */
  uint8_t output_min;        /* 19 */
  uint8_t reserved[4];       /* 20  zero */
};

/* Addition: one rounding of (a_m * (a - a_zp) + b_m * (b - b_zp)) / 2**shift, to nearest, ties away from zero; 20 bytes. */
struct neonsim_add_params {
  uint8_t a_zero_point;      /*  0 */
  uint8_t b_zero_point;      /*  1 */
  int16_t output_zero_point; /*  2 */
  int32_t a_multiplier;      /*  4 */
  int32_t b_multiplier;      /*  8 */
  int32_t left_shift;        /* 12  minus the right shift, -31 .. -13 */
  uint8_t output_max;        /* 16 */
  uint8_t output_min;        /* 17 */
  uint8_t reserved[2];       /* 18  zero */
};

/* Limits; 4 bytes. */
struct neonsim_clamp_params {
  uint8_t output_max;  /*  0 */
  uint8_t output_min;  /*  1 */
  uint8_t reserved[2]; /*  2  zero */
};

/* Requantisation with one exact rounding, ties away from zero; 16 bytes. */
struct neonsim_precise_params {
  int32_t multiplier;        /*  0  24-bit mantissa */
  int16_t output_zero_point; /*  4 */
  uint8_t output_max;        /*  6 */
  uint8_t output_min;        /*  7 */
  int64_t left_shift;        /*  8  minus the right shift, -55 .. -24 */
};

/* Requantisation with one exact rounding, ties up; 16 bytes. */
struct neonsim_rndnu_params {
  int32_t multiplier;        /*  0  Q31 mantissa, 2**30 .. 2**31 - 1 */
  int32_t pre_shift;         /*  4  to the left, saturating, 0 .. 9 */
  int32_t post_shift;        /*  8  minus the right shift, -31 .. -1 */
  int16_t output_zero_point; /* 12 */
  uint8_t output_max;        /* 14 */
  uint8_t output_min;        /* 15 */
};

/* Requantisation in single precision, ties to even; 20 bytes. */
struct neonsim_fp32_params {
  float scale;                /*  0 */
  float output_min_less_zero; /*  4  output_min - output_zero_point */
  float output_max_less_zero; /*  8 */
  int32_t magic_less_zero;    /* 12  bits of 12582912.0f, less output_zero_point */
  int16_t output_zero_point;  /* 16 */
  uint8_t output_max;         /* 18 */
  uint8_t output_min;         /* 19 */
};

/* Products with one scale, one exact rounding, ties up; 20 bytes. Limits and zero points are bytes of the result's type. */
struct neonsim_rndnu_gemm_params {
  int32_t multiplier;        /*  0  Q31 mantissa, 2**30 .. 2**31 - 1 */
  int32_t pre_shift;         /*  4  to the left, saturating, 0 .. 9 */
  int32_t post_shift;        /*  8  minus the right shift, -31 .. -1 */
  int16_t output_zero_point; /* 12 */
  uint8_t output_max;        /* 14 */
  uint8_t output_min;        /* 15 */
  uint8_t w_zero_point;      /* 16  0 for int8 */
  uint8_t a_zero_point;      /* 17  it is in the packed bias */
  uint8_t reserved[2];       /* 18  zero */
};

/* Products with one scale, in single precision, ties to even; 24 bytes. */
struct neonsim_fp32_gemm_params {
  float scale;                /*  0 */
  float output_min_less_zero; /*  4  output_min - output_zero_point */
  float output_max_less_zero; /*  8 */
  int32_t magic_less_zero;    /* 12  bits of 12582912.0f, less output_zero_point */
  int16_t output_zero_point;  /* 16 */
  uint8_t output_max;         /* 18 */
  uint8_t output_min;         /* 19 */
  uint8_t w_zero_point;       /* 20 */
  uint8_t a_zero_point;       /* 21 */
  uint8_t reserved[2];        /* 22  zero */
};

/* Products with a scale for each column, which lies behind the weights; 16 bytes. */
struct neonsim_qc8w_params {
  float output_min_less_zero; /*  0 */
  float output_max_less_zero; /*  4 */
  int32_t magic_less_zero;    /*  8 */
  int16_t output_zero_point;  /* 12 */
  uint8_t output_max;         /* 14 */
  uint8_t output_min;         /* 15 */
};

/* Products with floating-point results: limits, and what every row brings along. */
struct neonsim_qd8_params {
  float output_min; /*  0 */
  float output_max; /*  4 */
};
struct neonsim_qd8_row {
  int32_t zero_point;
  float scale;
};

/* Kernels of float32: limits; of means what a sum is multiplied by. */
struct neonsim_float_params {
  float output_min; /*  0 */
  float output_max; /*  4 */
};
struct neonsim_float_slope_params {
  float slope; /* 0  of negative numbers */
};
struct neonsim_float_share_params {
  float beta;          /*  0  of differences */
  float least;         /*  4  exponents below it have an exponential of 0 */
  float log2e;         /*  8 */
  float magic;         /* 12  1.5 * 2**23: adding it rounds to an integer */
  float minus_ln2[2];  /* 16  in two parts */
  float polynomial[5]; /* 24  from the last coefficient to the first */
};
struct neonsim_float_mean_params {
  float scale;      /*  0  1 / rows */
  float output_min; /*  4 */
  float output_max; /*  8 */
};

/* Element-wise kernels of int8, and of uint8 with one rounding, ties up; limits and zero points are bytes of the result's type unless a type says more. */

/* One rounding of (a_m * (a - a_zp) + b_m * (b - b_zp)) / 2**shift, to nearest, ties up; 20 bytes. */
struct neonsim_scaled_add_params {
  uint8_t a_zero_point;      /*  0 */
  uint8_t b_zero_point;      /*  1 */
  int16_t output_zero_point; /*  2 */
  int32_t a_multiplier;      /*  4  -2**21 .. 2**21 */
  int32_t b_multiplier;      /*  8 */
  int32_t left_shift;        /* 12  minus the right shift, -30 .. -12 */
  uint8_t output_max;        /* 16 */
  uint8_t output_min;        /* 17 */
  uint8_t reserved[2];       /* 18  zero */
};

/* Products in single precision, ties to even; 16 bytes. */
struct neonsim_multiply_fp32_params {
  float scale;               /*  0 */
  int32_t magic_less_zero;   /*  4  bits of 12582912.0f, less output_zero_point */
  int16_t output_zero_point; /*  8 */
  uint8_t output_max;        /* 10 */
  uint8_t output_min;        /* 11 */
  uint8_t a_zero_point;      /* 12 */
  uint8_t b_zero_point;      /* 13 */
  uint8_t reserved[2];       /* 14  zero */
};

/* Products with one exact rounding, ties up; 20 bytes. */
struct neonsim_multiply_rndnu_params {
  int32_t multiplier;        /*  0  Q31 mantissa, 2**30 .. 2**31 - 1 */
  int32_t pre_shift;         /*  4  to the left, saturating, 0 .. 9 */
  int32_t post_shift;        /*  8  minus the right shift, -31 .. -1 */
  int16_t output_zero_point; /* 12 */
  uint8_t output_max;        /* 14 */
  uint8_t output_min;        /* 15 */
  uint8_t a_zero_point;      /* 16 */
  uint8_t b_zero_point;      /* 17 */
  uint8_t reserved[2];       /* 18  zero */
};

/* ((x - input_zp) * m + 128) >> 8, plus output_zp, saturated; 8 bytes. */
struct neonsim_convert_params {
  int16_t input_zero_point;  /*  0 */
  int16_t minus_multiplier;  /*  2  -32767 .. -1 */
  int16_t output_zero_point; /*  4 */
  uint8_t reserved[2];       /*  6  zero */
};

/* The same, m by the sign of x - input_zp; 8 bytes. */
struct neonsim_leaky_params {
  int16_t input_zero_point;          /*  0 */
  int16_t minus_positive_multiplier; /*  2 */
  int16_t minus_negative_multiplier; /*  4 */
  int16_t output_zero_point;         /*  6 */
};

/* Numbers as ncnn has them: steps per unit of what is written, limits of an activation; 12 bytes. Kernels that quantise read the first. */
struct neonsim_ncnn_params {
  float steps; /*  0 */
  float low;   /*  4 */
  float high;  /*  8 */
};

/* Real numbers to bytes by a product; 16 bytes. */
struct neonsim_quantize_params {
  float factor;       /*  0  1 / scale */
  float low;          /*  4  limits less the zero point */
  float high;         /*  8 */
  int32_t zero_point; /* 12 */
};

/* Integers to real numbers; 12 bytes. */
struct neonsim_dequantize_params {
  float scale;                /*  0 */
  int32_t flipped_zero_point; /*  4  of int8 plus 128 */
  int32_t flips;              /*  8  XORed with every byte first: 128 of int8, else 0 */
};

/* Real numbers to integers by a quotient, and what they are computed from before; 32 bytes. */
struct neonsim_divide_params {
  float divisor;     /*  0  scale of the result */
  float output_min;  /*  4  limits of the result */
  float output_max;  /*  8 */
  float scale;       /* 12  of the first operand, of the second */
  float other_scale; /* 16 */
  float count;       /* 20  elements of a mean */
  float low;         /* 24  limits of the real number */
  float high;        /* 28 */
};

/* Averages: one rounding of (bias + sum) * scale, to nearest, ties up; 20 bytes. */
struct neonsim_mean_params {
  int32_t bias;              /*  0  minus rows * input zero point */
  int32_t multiplier;        /*  4  Q31 mantissa, 2**30 .. 2**31 - 1 */
  int32_t pre_shift;         /*  8  to the left, saturating, 0 .. 9 */
  int32_t post_shift;        /* 12  minus the right shift, -31 .. -1 */
  int16_t output_zero_point; /* 16 */
  uint8_t output_max;        /* 18 */
  uint8_t output_min;        /* 19 */
};

/* What neonsim_variant_info tells. The texts are static. */
struct neonsim_variant_info {
  const char *name;      /* contract_tile__isa_technique */
  const char *isa;       /* "scalar", "neon", "aarch32", "aarch64": what NEONSIM_ISA selects by */
  const char *missing;   /* NULL if the variant can be called, otherwise why not */
  int32_t contract;      /* enum neonsim_contract */
  uint32_t mr, nr;       /* largest tile: rows and columns, or channels and taps; nr is 0 where there is no second size */
  uint32_t kr, sr;       /* packing of the weights; 0 without */
  uint32_t reads_before; /* bytes the kernel itself may read before a row; the checked entry points never let it leave the buffer */
  const char *contract_name;
};

NEONSIM_API uint32_t neonsim_abi_version(void);
NEONSIM_API const char *neonsim_status_text(int32_t status);

/* The structs that callers fill or read, of this header and neonsim_network.h, field by field: which struct, the field's name, its type
 * ("signed" "unsigned" "real" "pointer"), where it lies in how many bytes. A field without a name is the struct as a whole. For callers
 * in other languages, to compare with their own. NEONSIM_SIZE_TOO_LARGE beyond the last. */
NEONSIM_API int32_t neonsim_field_info(size_t index, const char **record, const char **name, const char **type, size_t *offset,
                                       size_t *bytes);
/* The same of statuses, kinds of layers and their roundings: the enumeration, the name that stands behind its prefix, the number. */
NEONSIM_API int32_t neonsim_enumerator_info(size_t index, const char **enumeration, const char **name, int32_t *value);

/* CPU features the dispatch asked for, separated by blanks, and the processor family ("x86_64", "aarch64", ...). */
NEONSIM_API const char *neonsim_cpu_family(void);
NEONSIM_API const char *neonsim_cpu_features(void);

NEONSIM_API size_t neonsim_variant_count(void);
NEONSIM_API int32_t neonsim_variant_info(size_t index, struct neonsim_variant_info *info);
/* The variant a call with variant NULL uses; chosen once. */
NEONSIM_API int32_t neonsim_default_variant(int32_t contract, size_t *index);

/* One tile. variant: a name, or NULL for the default one. 1 <= mr <= MR, 1 <= nr <= NR, kc >= 1. */
NEONSIM_API int32_t neonsim_qu8_gemm_q31(const char *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a, size_t a_stride,
                                         const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params);
NEONSIM_API int32_t neonsim_qu8_gemm_xzp_q31(const char *variant, size_t mr, size_t nr, size_t kc, const uint8_t *a,
                                             size_t a_stride, const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride,
                                             const struct neonsim_q31_params *params);
NEONSIM_API int32_t neonsim_qu8_sumrows(const char *variant, const uint8_t *a, size_t m, size_t k, size_t stride,
                                        int32_t multiplier, int32_t *sums);

/* Bytes of packed weights of an n x k matrix for a GEMM variant: ceil(n / nr) * nr * (4 + k rounded up to kr); 0 on overflow. */
NEONSIM_API size_t neonsim_packed_size(size_t n, size_t k, uint32_t nr, uint32_t kr);

/* A whole matrix, tile by tile: a [m, k], packed w, c [m, n]. threads: how many share the tiles (1: the caller alone). */
NEONSIM_API int32_t neonsim_gemm_qu8_q31(const char *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                                         const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params,
                                         size_t threads);
/* The same with row sums. a_sum: room for m int32, or NULL to let the call allocate it. Multiplier is -params->w_zero_point. */
NEONSIM_API int32_t neonsim_gemm_qu8_xzp_q31(const char *variant, const char *sumrows_variant, size_t m, size_t n, size_t k,
                                             const uint8_t *a, size_t a_stride, int32_t *a_sum, const void *w, uint8_t *c,
                                             size_t c_stride, const struct neonsim_q31_params *params, size_t threads);

/* Any contract: `calls` calls of a kernel, each with `count` arguments in the contract's order, as integers: addresses, sizes, and
 * int32 numbers sign-extended. arguments: [calls][count]. The calls must not depend on each other; threads share them out.
 * Checked are the variant, the count and NULL pointers of this call; sizes and addresses are the caller's business. Kernels that read
 * before a row do so. Results lie apart from all that is read; only element-wise ones (additions, products, conversions, limits) may
 * lie exactly where an operand lies, and NEONSIM_INVALID_PARAMETER refuses any of these calls whose result overlaps one otherwise. */
NEONSIM_API int32_t neonsim_call(const char *variant, size_t calls, size_t count, const uint64_t *arguments, size_t threads);

#ifdef __cplusplus
}
#endif
#endif
