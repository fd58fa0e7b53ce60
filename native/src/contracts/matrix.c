/* Whole matrices: a loop over tiles, shared out among threads in equal runs. */
#include <stdlib.h>

#include "parallel.h"
#include "contracts/variants.h"

struct job {
  const struct neonsim_variant *variant;
  size_t m, n, k;
  const uint8_t *a;
  size_t a_stride;
  const int32_t *a_sum;
  const uint8_t *w;
  uint8_t *c;
  size_t c_stride;
  const struct neonsim_q31_params *params;
  size_t row_tiles, tiles; /* tile number = column tile * row_tiles + row tile: a block of weights stays in the cache */
};

static size_t smaller(size_t x, size_t y) { return x < y ? x : y; }

static void run_tiles(const void *argument, size_t first, size_t last) {
  const struct job *job = argument;
  const struct neonsim_variant_info *tile = &job->variant->info;
  const size_t block_bytes = neonsim_packed_size(tile->nr, job->k, tile->nr, tile->kr);
  for (size_t number = first; number < last; number++) {
    const size_t column_tile = number / job->row_tiles;
    const size_t row = number % job->row_tiles * tile->mr;
    const size_t column = column_tile * tile->nr;
    neonsim_run_gemm(job->variant, smaller(job->m - row, tile->mr), smaller(job->n - column, tile->nr), job->k,
                     job->a + row * job->a_stride, job->a_stride, job->a_sum == NULL ? NULL : job->a_sum + row,
                     job->w + column_tile * block_bytes, job->c + row * job->c_stride + column, job->c_stride, job->params);
  }
}

static void run_matrix(const struct neonsim_variant *variant, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride,
                       const int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params,
                       size_t threads) {
  const size_t row_tiles = (m - 1) / variant->info.mr + 1;
  const size_t column_tiles = (n - 1) / variant->info.nr + 1;
  const struct job job = {
      .variant = variant,
      .m = m,
      .n = n,
      .k = k,
      .a = a,
      .a_stride = a_stride,
      .a_sum = a_sum,
      .w = w,
      .c = c,
      .c_stride = c_stride,
      .params = params,
      .row_tiles = row_tiles,
      .tiles = row_tiles * column_tiles,
  };
  neonsim_parallel(job.tiles, threads, run_tiles, &job);
}

int32_t neonsim_gemm_qu8_q31(const char *name, size_t m, size_t n, size_t k, const uint8_t *a, size_t a_stride, const void *w,
                             uint8_t *c, size_t c_stride, const struct neonsim_q31_params *params, size_t threads) {
  const struct neonsim_variant *variant;
  int32_t status = neonsim_find_variant(NEONSIM_QU8_GEMM_Q31, name, &variant);
  if (status == NEONSIM_SUCCESS) {
    status = neonsim_check_gemm(variant, m, n, k, a, a_stride, w, c, c_stride, params);
  }
  if (status == NEONSIM_SUCCESS && threads == 0) {
    status = NEONSIM_ZERO_SIZE;
  }
  if (status == NEONSIM_SUCCESS) {
    run_matrix(variant, m, n, k, a, a_stride, NULL, w, c, c_stride, params, threads);
  }
  return status;
}

int32_t neonsim_gemm_qu8_xzp_q31(const char *name, const char *sumrows_name, size_t m, size_t n, size_t k, const uint8_t *a,
                                 size_t a_stride, int32_t *a_sum, const void *w, uint8_t *c, size_t c_stride,
                                 const struct neonsim_q31_params *params, size_t threads) {
  const struct neonsim_variant *variant;
  const struct neonsim_variant *sumrows;
  int32_t status = neonsim_find_variant(NEONSIM_QU8_GEMM_XZP_Q31, name, &variant);
  if (status == NEONSIM_SUCCESS) {
    status = neonsim_find_variant(NEONSIM_QU8_SUMROWS, sumrows_name, &sumrows);
  }
  if (status == NEONSIM_SUCCESS) {
    status = neonsim_check_gemm(variant, m, n, k, a, a_stride, w, c, c_stride, params);
  }
  if (status == NEONSIM_SUCCESS && threads == 0) {
    status = NEONSIM_ZERO_SIZE;
  }
  if (status != NEONSIM_SUCCESS) {
    return status;
  }
  int32_t *allocated = NULL;
  if (a_sum == NULL) {
    if (m > SIZE_MAX / sizeof *a_sum) {
      return NEONSIM_SIZE_TOO_LARGE;
    }
    a_sum = allocated = malloc(m * sizeof *a_sum);
    if (allocated == NULL) {
      return NEONSIM_OUT_OF_MEMORY;
    }
  }
  for (size_t row = 0; row < m; row += sumrows->info.mr) {
    neonsim_run_sumrows(sumrows, a + row * a_stride, smaller(m - row, sumrows->info.mr), k, a_stride,
                        -(int32_t)params->w_zero_point, a_sum + row);
  }
  run_matrix(variant, m, n, k, a, a_stride, a_sum, w, c, c_stride, params, threads);
  free(allocated);
  return NEONSIM_SUCCESS;
}
