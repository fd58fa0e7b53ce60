/* Every argument an entry point refuses, and that it refuses it with the right status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static int failures;

static void expect(int line, int32_t status, int32_t expected) {
  if (status != expected) {
    fprintf(stderr, "arguments.c:%d: status %d (%s), not %d\n", line, (int)status, neonsim_status_text(status), (int)expected);
    failures++;
  }
}
#define EXPECT(call, status) expect(__LINE__, call, status)

int check_arguments(void) {
  uint8_t a[64] = {0};
  uint8_t c[64] = {0};
  int32_t w[64] = {0};
  int32_t sums[8] = {0};
  const struct neonsim_q31_params good = {0x40000000, 0, 0, 255, 0, 0, 0, {0, 0}};
  struct neonsim_q31_params bad;
  size_t index = 0;

  EXPECT((int32_t)neonsim_abi_version(), NEONSIM_ABI_VERSION);
  for (int32_t status = -1; status <= NEONSIM_OUT_OF_MEMORY + 1; status++) {
    failures += strlen(neonsim_status_text(status)) == 0;
  }

#define GEMM(name, mr, nr, kc, pa, as, pw, pc, cs, pp) neonsim_qu8_gemm_q31(name, mr, nr, kc, pa, as, pw, pc, cs, pp)
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, &good), NEONSIM_SUCCESS);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", 4, 8, 2, a, 2, w, c, 8, &good), NEONSIM_SUCCESS);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", 5, 8, 2, a, 2, w, c, 8, &good), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", 4, 9, 2, a, 2, w, c, 9, &good), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", SIZE_MAX, 8, 2, a, 2, w, c, 8, &good), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", 1, 8, SIZE_MAX, a, SIZE_MAX, w, c, 8, &good), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(GEMM("qu8_gemm_q31_4x8__scalar", 1, 8, SIZE_MAX / 4, a, SIZE_MAX, w, c, 8, &good), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(GEMM("qu8_gemm_xzp_q31_4x8c2__scalar", 4, 8, 2, a, 2, w, c, 8, &good), NEONSIM_UNKNOWN_VARIANT);
  EXPECT(GEMM("", 4, 8, 2, a, 2, w, c, 8, &good), NEONSIM_UNKNOWN_VARIANT);
  EXPECT(GEMM(NULL, 0, 1, 1, a, 1, w, c, 1, &good), NEONSIM_ZERO_SIZE);
  EXPECT(GEMM(NULL, 1, 0, 1, a, 1, w, c, 1, &good), NEONSIM_ZERO_SIZE);
  EXPECT(GEMM(NULL, 1, 1, 0, a, 1, w, c, 1, &good), NEONSIM_ZERO_SIZE);
  EXPECT(GEMM(NULL, 1, 1, 1, NULL, 1, w, c, 1, &good), NEONSIM_NULL_POINTER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, NULL, c, 1, &good), NEONSIM_NULL_POINTER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, NULL, 1, &good), NEONSIM_NULL_POINTER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, NULL), NEONSIM_NULL_POINTER);
  EXPECT(GEMM(NULL, 2, 1, 4, a, 3, w, c, 1, &good), NEONSIM_STRIDE_TOO_SMALL);
  EXPECT(GEMM(NULL, 2, 4, 1, a, 1, w, c, 3, &good), NEONSIM_STRIDE_TOO_SMALL);
  EXPECT(GEMM(NULL, 1, 4, 4, a, 0, w, c, 0, &good), NEONSIM_SUCCESS); /* one row: no stride is used */
  EXPECT(GEMM(NULL, 2, 1, 1, a, SIZE_MAX / 2, w, c, 1, &good), NEONSIM_SIZE_TOO_LARGE);

#define BAD(field, value) (bad = good, bad.field = (value), &bad)
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(multiplier, 0x3FFFFFFF)), NEONSIM_INVALID_PARAMETER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(multiplier, -1)), NEONSIM_INVALID_PARAMETER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(left_shift, 1)), NEONSIM_INVALID_PARAMETER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(left_shift, -32)), NEONSIM_INVALID_PARAMETER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(output_zero_point, 256)), NEONSIM_INVALID_PARAMETER);
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, BAD(output_zero_point, -1)), NEONSIM_INVALID_PARAMETER);
  bad = good;
  bad.output_min = 9;
  bad.output_max = 8;
  EXPECT(GEMM(NULL, 1, 1, 1, a, 1, w, c, 1, &bad), NEONSIM_INVALID_PARAMETER);

  EXPECT(neonsim_qu8_gemm_xzp_q31(NULL, 1, 1, 1, a, 1, sums, w, c, 1, &good), NEONSIM_SUCCESS);
  EXPECT(neonsim_qu8_gemm_xzp_q31(NULL, 1, 1, 1, a, 1, NULL, w, c, 1, &good), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_qu8_gemm_xzp_q31(NULL, 5, 1, 1, a, 1, sums, w, c, 1, &good), NEONSIM_SIZE_TOO_LARGE);

  EXPECT(neonsim_qu8_sumrows(NULL, a, 4, 16, 16, 1, sums), NEONSIM_SUCCESS);
  EXPECT(neonsim_qu8_sumrows(NULL, a, 5, 1, 1, 1, sums), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(neonsim_qu8_sumrows(NULL, a, 2, 4, 3, 1, sums), NEONSIM_STRIDE_TOO_SMALL);
  EXPECT(neonsim_qu8_sumrows(NULL, NULL, 1, 1, 1, 1, sums), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_qu8_sumrows(NULL, a, 1, 1, 1, 1, NULL), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_qu8_sumrows(NULL, a, 0, 1, 1, 1, sums), NEONSIM_ZERO_SIZE);
  EXPECT(neonsim_qu8_sumrows(NULL, a, 1, 0, 1, 1, sums), NEONSIM_ZERO_SIZE);

  EXPECT(neonsim_gemm_qu8_q31(NULL, 5, 3, 2, a, 2, w, c, 3, &good, 1), NEONSIM_SUCCESS);
  EXPECT(neonsim_gemm_qu8_q31(NULL, 5, 3, 2, a, 2, w, c, 3, &good, 1000), NEONSIM_SUCCESS);
  EXPECT(neonsim_gemm_qu8_q31(NULL, 5, 3, 2, a, 2, w, c, 3, &good, 0), NEONSIM_ZERO_SIZE);
  EXPECT(neonsim_gemm_qu8_q31(NULL, SIZE_MAX, 1, 1, a, 1, w, c, 1, &good, 1), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(neonsim_gemm_qu8_q31(NULL, 1, SIZE_MAX, 1, a, 1, w, c, SIZE_MAX, &good, 1), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(neonsim_gemm_qu8_xzp_q31(NULL, NULL, 5, 3, 2, a, 2, NULL, w, c, 3, &good, 2), NEONSIM_SUCCESS);
  EXPECT(neonsim_gemm_qu8_xzp_q31(NULL, NULL, 5, 3, 2, a, 2, sums, w, c, 3, &good, 1), NEONSIM_SUCCESS);
  EXPECT(neonsim_gemm_qu8_xzp_q31(NULL, "none", 5, 3, 2, a, 2, sums, w, c, 3, &good, 1), NEONSIM_UNKNOWN_VARIANT);

  EXPECT(neonsim_default_variant(NEONSIM_QU8_SUMROWS, &index), NEONSIM_SUCCESS);
  EXPECT(neonsim_default_variant(NEONSIM_CONTRACTS, &index), NEONSIM_INVALID_PARAMETER);
  EXPECT(neonsim_default_variant(-1, &index), NEONSIM_INVALID_PARAMETER);
  EXPECT(neonsim_default_variant(0, NULL), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_variant_info(0, NULL), NEONSIM_NULL_POINTER);
  struct neonsim_variant_info info;
  /* Any contract: two row maxima in one go, by one thread and by more threads than calls. */
  uint8_t largest[2] = {0, 0};
  const uint64_t maxima[2][3] = {{4, (uintptr_t)a, (uintptr_t)&largest[0]}, {3, (uintptr_t)a, (uintptr_t)&largest[1]}};
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 2, 3, &maxima[0][0], 1), NEONSIM_SUCCESS);
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 2, 3, &maxima[0][0], 9), NEONSIM_SUCCESS);
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 0, 3, NULL, 2), NEONSIM_SUCCESS);
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 2, 4, &maxima[0][0], 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 2, 3, &maxima[0][0], 0), NEONSIM_ZERO_SIZE);
  EXPECT(neonsim_call("u8_rmax_1x__scalar", 2, 3, NULL, 1), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_call(NULL, 2, 3, &maxima[0][0], 1), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_call("none", 2, 3, &maxima[0][0], 1), NEONSIM_UNKNOWN_VARIANT);
  EXPECT(neonsim_variant_info(neonsim_variant_count(), &info), NEONSIM_SIZE_TOO_LARGE);
  for (size_t i = 0; i < neonsim_variant_count(); i++) {
    EXPECT(neonsim_variant_info(i, &info), NEONSIM_SUCCESS);
    if (info.missing != NULL && info.contract == NEONSIM_QU8_GEMM_Q31) {
      EXPECT(GEMM(info.name, 1, 1, 1, a, 1, w, c, 1, &good), NEONSIM_UNAVAILABLE_VARIANT);
    }
  }
  if (neonsim_packed_size(9, 3, 8, 2) != 128 || neonsim_packed_size(SIZE_MAX, 1, 8, 1) != 0 || neonsim_packed_size(1, 1, 0, 1) != 0) {
    fprintf(stderr, "neonsim_packed_size\n");
    failures++;
  }
  printf("arguments: %d failures\n", failures);
  return failures != 0;
}
