/* The kernels of native/src/channelwise.h, one line each, as in products_table.h. */
#ifndef NEONSIM_CHANNELWISE_TABLE_H
#define NEONSIM_CHANNELWISE_TABLE_H

/* Depthwise kernels of one kind and of every tile there is; rest: what follows the tile in their names. */
#define NEONSIM_DEPTHWISE(X, isa, origin, rest) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, isa, 16, 9, 0, 0, origin, qs8_dwconv_rndnu_16x9__##rest) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, isa, 8, 9, 0, 0, origin, qs8_dwconv_rndnu_8x9__##rest) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, isa, 8, 25, 0, 0, origin, qs8_dwconv_rndnu_8x25__##rest) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, isa, 16, 9, 0, 0, origin, qs8_qc8w_dwconv_fp32_16x9__##rest) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, isa, 8, 9, 0, 0, origin, qs8_qc8w_dwconv_fp32_8x9__##rest) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, isa, 8, 25, 0, 0, origin, qs8_qc8w_dwconv_fp32_8x25__##rest)

/* In C: NEON intrinsics ahead of portable ones. */
#define NEONSIM_C_CHANNELWISE(X) \
  NEONSIM_DEPTHWISE(X, "neon", INTRINSICS, neon_mla8) \
  NEONSIM_DEPTHWISE(X, "neon", INTRINSICS, neon_mul8) \
  NEONSIM_DEPTHWISE(X, "neon", INTRINSICS, neon_mul16) \
  NEONSIM_DEPTHWISE(X, "scalar", SCALAR, scalar) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "neon", 8, 9, 0, 0, INTRINSICS, qs8_avgpool_8x9__neon) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "neon", 8, 0, 0, 0, INTRINSICS, qs8_avgpool_8x__neon) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "scalar", 8, 9, 0, 0, SCALAR, qs8_avgpool_8x9__scalar) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "scalar", 8, 0, 0, 0, SCALAR, qs8_avgpool_8x__scalar) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "neon", 16, 9, 0, 0, INTRINSICS, s8_maxpool_16x9__neon) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "neon", 16, 0, 0, 0, INTRINSICS, s8_maxpool_16x__neon) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "scalar", 16, 9, 0, 0, SCALAR, s8_maxpool_16x9__scalar) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "scalar", 16, 0, 0, 0, SCALAR, s8_maxpool_16x__scalar) \
  X(NEONSIM_S8_CLAMP, "s8_clamp", clamp, "neon", 16, 0, 0, 0, INTRINSICS, s8_clamp_16x__neon) \
  X(NEONSIM_S8_CLAMP, "s8_clamp", clamp, "scalar", 1, 0, 0, 0, SCALAR, s8_clamp_1x__scalar) \
  X(NEONSIM_QS8_GAVGPOOL, "qs8_gavgpool", mean, "neon", 8, 7, 0, 0, INTRINSICS, qs8_gavgpool_8x7__neon) \
  X(NEONSIM_QS8_GAVGPOOL_MP, "qs8_gavgpool_mp", mean_mp, "neon", 8, 7, 0, 0, INTRINSICS, qs8_gavgpool_mp_8x7__neon) \
  X(NEONSIM_QS8_GAVGPOOL, "qs8_gavgpool", mean, "scalar", 8, 7, 0, 0, SCALAR, qs8_gavgpool_8x7__scalar) \
  X(NEONSIM_QS8_GAVGPOOL_MP, "qs8_gavgpool_mp", mean_mp, "scalar", 8, 7, 0, 0, SCALAR, qs8_gavgpool_mp_8x7__scalar)

/* The files of kernels/. */
#define NEONSIM_KERNEL_CHANNELWISE(X) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "aarch64", 8, 9, 0, 0, AARCH64, qs8_avgpool_8x9__aarch64_neon) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "aarch64", 8, 0, 0, 0, AARCH64, qs8_avgpool_8x__aarch64_neon_row_by_row) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "aarch64", 16, 9, 0, 0, AARCH64, s8_maxpool_16x9__aarch64_neon) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "aarch64", 16, 0, 0, 0, AARCH64, s8_maxpool_16x__aarch64_neon_few_channels) \
  X(NEONSIM_S8_CLAMP, "s8_clamp", clamp, "aarch64", 64, 0, 0, 0, AARCH64, s8_clamp_64x__aarch64_neon) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "aarch32", 8, 9, 0, 0, AARCH32, qs8_avgpool_8x9__aarch32_neon) \
  X(NEONSIM_QS8_AVGPOOL, "qs8_avgpool", window_mean, "aarch32", 8, 0, 0, 0, AARCH32, qs8_avgpool_8x__aarch32_neon_row_by_row) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "aarch32", 16, 9, 0, 0, AARCH32, s8_maxpool_16x9__aarch32_neon) \
  X(NEONSIM_S8_MAXPOOL, "s8_maxpool", maxpool, "aarch32", 16, 0, 0, 0, AARCH32, s8_maxpool_16x__aarch32_neon_few_channels) \
  X(NEONSIM_S8_CLAMP, "s8_clamp", clamp, "aarch32", 64, 0, 0, 0, AARCH32, s8_clamp_64x__aarch32_neon) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_16x9__aarch64_neon_mla8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_16x9__aarch64_neon_mul16) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_16x9__aarch64_neon_mul8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_8x9__aarch64_neon_mla8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_dwconv_rndnu_8x9__aarch32_neon_mla8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_8x9__aarch64_neon_mul16) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_dwconv_rndnu_8x9__aarch32_neon_mul16) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_dwconv_rndnu_8x9__aarch64_neon_mul8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_dwconv_rndnu_8x9__aarch32_neon_mul8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_dwconv_rndnu_8x25__aarch64_neon_mla8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_dwconv_rndnu_8x25__aarch32_neon_mla8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_dwconv_rndnu_8x25__aarch64_neon_mul16) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_dwconv_rndnu_8x25__aarch32_neon_mul16) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_dwconv_rndnu_8x25__aarch64_neon_mul8) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_dwconv_rndnu_8x25__aarch32_neon_mul8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_16x9__aarch64_neon_mla8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_16x9__aarch64_neon_mul16) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 16, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_16x9__aarch64_neon_mul8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mla8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x9__aarch32_neon_mla8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mul16) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x9__aarch32_neon_mul16) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 9, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x9__aarch64_neon_mul8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 9, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x9__aarch32_neon_mul8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x25__aarch64_neon_mla8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x25__aarch32_neon_mla8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x25__aarch64_neon_mul16) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x25__aarch32_neon_mul16) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch64", 8, 25, 0, 0, AARCH64, qs8_qc8w_dwconv_fp32_8x25__aarch64_neon_mul8) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "aarch32", 8, 25, 0, 0, AARCH32, qs8_qc8w_dwconv_fp32_8x25__aarch32_neon_mul8) \
  X(NEONSIM_QS8_GAVGPOOL, "qs8_gavgpool", mean, "aarch64", 8, 7, 0, 0, AARCH64, qs8_gavgpool_8x7__aarch64_neon) \
  X(NEONSIM_QS8_GAVGPOOL, "qs8_gavgpool", mean, "aarch32", 8, 7, 0, 0, AARCH32, qs8_gavgpool_8x7__aarch32_neon) \
  X(NEONSIM_QS8_GAVGPOOL_MP, "qs8_gavgpool_mp", mean_mp, "aarch64", 8, 7, 0, 0, AARCH64, qs8_gavgpool_mp_8x7__aarch64_neon) \
  X(NEONSIM_QS8_GAVGPOOL_MP, "qs8_gavgpool_mp", mean_mp, "aarch32", 8, 7, 0, 0, AARCH32, qs8_gavgpool_mp_8x7__aarch32_neon)

#endif
