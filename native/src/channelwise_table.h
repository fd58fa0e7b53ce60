/* The kernels of native/src/channelwise.h, one line each, as in products_table.h. */
#ifndef NEONSIM_CHANNELWISE_TABLE_H
#define NEONSIM_CHANNELWISE_TABLE_H

/* Portable twins. */
#define NEONSIM_SCALAR_CHANNELWISE(X) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "scalar", 16, 9, 0, 0, SCALAR, qs8_dwconv_rndnu_16x9__scalar) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "scalar", 8, 9, 0, 0, SCALAR, qs8_dwconv_rndnu_8x9__scalar) \
  X(NEONSIM_QS8_DWCONV_RNDNU, "qs8_dwconv_rndnu", channelwise, "scalar", 8, 25, 0, 0, SCALAR, qs8_dwconv_rndnu_8x25__scalar) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "scalar", 16, 9, 0, 0, SCALAR, qs8_qc8w_dwconv_fp32_16x9__scalar) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "scalar", 8, 9, 0, 0, SCALAR, qs8_qc8w_dwconv_fp32_8x9__scalar) \
  X(NEONSIM_QS8_QC8W_DWCONV_FP32, "qs8_qc8w_dwconv_fp32", channelwise, "scalar", 8, 25, 0, 0, SCALAR, qs8_qc8w_dwconv_fp32_8x25__scalar) \
  X(NEONSIM_QS8_GAVGPOOL, "qs8_gavgpool", mean, "scalar", 8, 7, 0, 0, SCALAR, qs8_gavgpool_8x7__scalar) \
  X(NEONSIM_QS8_GAVGPOOL_MP, "qs8_gavgpool_mp", mean_mp, "scalar", 8, 7, 0, 0, SCALAR, qs8_gavgpool_mp_8x7__scalar)

/* The files of kernels/. */
#define NEONSIM_KERNEL_CHANNELWISE(X) \
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
