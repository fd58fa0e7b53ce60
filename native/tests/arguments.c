/* Every argument an entry point refuses, and that it refuses it with the right status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "neonsim_network.h"

static int failures;

static void expect(int line, int32_t status, int32_t expected) {
  if (status != expected) {
    fprintf(stderr, "arguments.c:%d: status %d (%s), not %d\n", line, (int)status, neonsim_status_text(status), (int)expected);
    failures++;
  }
}
#define EXPECT(call, status) expect(__LINE__, call, status)

/* What a description of one layer, or of some, is answered with; a network that is made runs. */
static int32_t plan(const struct neonsim_layer *layers, size_t count, size_t arena_bytes) {
  struct neonsim_network *network = NULL;
  int32_t status = neonsim_network_create(layers, count, arena_bytes, NULL, &network, NULL);
  status = status == NEONSIM_SUCCESS ? neonsim_network_run(network, 2, NULL) : status;
  neonsim_network_destroy(network);
  return status;
}

static size_t largest_piece;

static void *note_size(size_t bytes) {
  largest_piece = bytes > largest_piece ? bytes : largest_piece;
  return bytes > 1 << 28 ? NULL : malloc(bytes);
}

static void check_networks(void) {
  enum { CHANNELS = 8, PIXELS = 4, BYTES = CHANNELS * PIXELS, ARENA = 8 * BYTES };
  const struct neonsim_layer plain = {.batch = 1,
                                      .input_height = 2,
                                      .input_width = 2,
                                      .input_channels = CHANNELS,
                                      .output_height = 2,
                                      .output_width = 2,
                                      .output_channels = CHANNELS,
                                      .kernel_height = 1,
                                      .kernel_width = 1,
                                      .stride_height = 1,
                                      .stride_width = 1,
                                      .dilation_height = 1,
                                      .dilation_width = 1,
                                      .groups = 1,
                                      .input_stride = CHANNELS,
                                      .second_stride = CHANNELS,
                                      .output_stride = CHANNELS,
                                      .second = BYTES,
                                      .output = 2 * BYTES,
                                      .output_max = 255,
                                      .multiplier = 1 << 30,
                                      .second_multiplier = 1 << 10,
                                      .shift = 10};
  struct neonsim_layer add = plain, conv = plain, single;
#define WITH(layer, field, value) (single = layer, single.field = (value), plan(&single, 1, ARENA))

  /* Sums lie exactly where an operand lies, or where none does. */
  add.kind = NEONSIM_LAYER_ADD;
  add.rounding = NEONSIM_ROUND_UP;
  add.multiplier = 1 << 10;
  EXPECT(WITH(add, output, 2 * BYTES), NEONSIM_SUCCESS);
  EXPECT(WITH(add, output, 0), NEONSIM_SUCCESS);
  EXPECT(WITH(add, output, BYTES), NEONSIM_SUCCESS);
  EXPECT(WITH(add, output, 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, output, CHANNELS), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, output, BYTES - 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, output, 2 * BYTES - 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, second, 2 * BYTES + 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, second, 1), NEONSIM_SUCCESS); /* operands are only read */
  EXPECT(WITH(add, output, ARENA - BYTES + 1), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(WITH(add, output, UINT64_MAX), NEONSIM_SIZE_TOO_LARGE);
  /* Parts of a concatenation: sixteen bytes to a pixel, eight of each; then seven of them shared. */
  add.input_stride = add.second_stride = add.output_stride = 2 * CHANNELS;
  add.second = 2 * BYTES;
  EXPECT(WITH(add, output, CHANNELS), NEONSIM_SUCCESS);
  EXPECT(WITH(add, output, CHANNELS - 1), NEONSIM_INVALID_PARAMETER);
  add.kind = NEONSIM_LAYER_COPY;
  EXPECT(WITH(add, output, CHANNELS), NEONSIM_SUCCESS);
  EXPECT(WITH(add, output, CHANNELS + 1), NEONSIM_INVALID_PARAMETER);
  EXPECT(WITH(add, output, 0), NEONSIM_INVALID_PARAMETER);

  /* Numbers of the caller's at odd addresses; sizes that leave what coordinates hold; a stride that nothing uses. */
  uint8_t odd[1 + 4 * CHANNELS], weights[9 * CHANNELS * CHANNELS];
  memset(odd, 0, sizeof odd);
  memset(weights, 1, sizeof weights);
  for (size_t i = 0; i < CHANNELS; i++) {
    const float scale = 0.5f;
    memcpy(odd + 1 + 4 * i, &scale, sizeof scale); /* and 2**24 and more as a bias */
  }
  conv.weights = weights;
  EXPECT(WITH(conv, bias, (const int32_t *)(const void *)(odd + 1)), NEONSIM_SUCCESS);
  conv.rounding = NEONSIM_ROUND_FP32;
  conv.scales = CHANNELS;
  EXPECT(WITH(conv, scale, (const float *)(const void *)(odd + 1)), NEONSIM_SUCCESS);
  conv.rounding = NEONSIM_ROUND_Q31;
  EXPECT(WITH(conv, stride_height, 1 << 20), NEONSIM_SUCCESS);
  conv.output_height = 1 << 12;
  conv.output_width = 1;
  single = conv;
  single.stride_height = 1 << 20;
  EXPECT(plan(&single, 1, 1 << 20), NEONSIM_SIZE_TOO_LARGE);
  conv = plain;
  conv.kind = NEONSIM_LAYER_DEPTHWISE;
  conv.weights = weights;
  conv.groups = CHANNELS;
  conv.input_height = conv.input_width = conv.output_height = conv.output_width = 1;
  neonsim_set_allocator(note_size, NULL);
  for (conv.kernel_height = conv.kernel_width = 1; conv.kernel_width <= 3; conv.kernel_height = conv.kernel_width += 2) {
    EXPECT(WITH(conv, input_stride, UINT32_MAX), NEONSIM_SUCCESS);
  }
  if (largest_piece > 1 << 20) {
    fprintf(stderr, "a stride that nothing uses costs %llu bytes\n", (unsigned long long)largest_piece);
    failures++;
  }
  /* Sums are all that the layer before left, and nothing else. */
  struct neonsim_layer sums[2] = {plain, plain};
  sums[0].rounding = NEONSIM_ROUND_NONE;
  sums[0].weights = weights;
  sums[0].output_stride = sums[1].input_stride = 4 * CHANNELS;
  sums[1].kind = NEONSIM_LAYER_REQUANTIZE;
  sums[1].input = sums[0].output = BYTES;
  sums[1].output = 6 * BYTES;
  EXPECT(plan(sums, 2, ARENA), NEONSIM_SUCCESS);
  sums[1].input_height = sums[1].output_height = 1;
  EXPECT(plan(sums, 2, ARENA), NEONSIM_INVALID_PARAMETER);
  /* An arena that nobody has is not asked for when a layer is wrong. */
  EXPECT(plan(&conv, 1, PTRDIFF_MAX / 2 - 1), NEONSIM_OUT_OF_MEMORY);
  conv.groups = 3;
  EXPECT(plan(&conv, 1, PTRDIFF_MAX / 2 - 1), NEONSIM_INVALID_PARAMETER);
  neonsim_set_allocator(NULL, NULL);
}

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

  const char *record, *name, *type;
  size_t offset, bytes, fields = 0;
  int32_t value;
  while (neonsim_field_info(fields, &record, &name, &type, &offset, &bytes) == NEONSIM_SUCCESS) {
    failures += bytes == 0 || (name[0] != 0 && type[0] == 0);
    fields++;
  }
  failures += fields == 0;
  EXPECT(neonsim_field_info(fields, &record, &name, &type, &offset, &bytes), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(neonsim_field_info(0, NULL, &name, &type, &offset, &bytes), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_field_info(0, &record, &name, &type, &offset, NULL), NEONSIM_NULL_POINTER);
  EXPECT(neonsim_enumerator_info(0, &record, &name, &value), NEONSIM_SUCCESS);
  EXPECT(neonsim_enumerator_info(SIZE_MAX, &record, &name, &value), NEONSIM_SIZE_TOO_LARGE);
  EXPECT(neonsim_enumerator_info(0, &record, &name, NULL), NEONSIM_NULL_POINTER);

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
  /* Results over an operand, apart from it, and neither. */
  const struct neonsim_add_params sum = {0, 0, 0, 1 << 20, 1 << 20, -20, 255, 0, {0, 0}};
  const struct neonsim_clamp_params limits = {255, 0, {0, 0}};
#define ADD(x, y) \
  neonsim_call("qu8_vadd_1x__scalar", 1, 5, (uint64_t[]){8, (uintptr_t)a, (uintptr_t)(x), (uintptr_t)(y), (uintptr_t)&sum}, 1)
  EXPECT(ADD(a + 8, a + 16), NEONSIM_SUCCESS);
  EXPECT(ADD(a + 3, a), NEONSIM_INVALID_PARAMETER);
  EXPECT(ADD(a + 8, a), NEONSIM_SUCCESS);
  EXPECT(ADD(a + 8, a + 8), NEONSIM_SUCCESS);
  EXPECT(ADD(a + 9, a + 8), NEONSIM_INVALID_PARAMETER);
  EXPECT(ADD(a + 8, a + 7), NEONSIM_INVALID_PARAMETER);
  EXPECT(neonsim_call("u8_clamp_1x__scalar", 1, 4, (uint64_t[]){8, (uintptr_t)a, (uintptr_t)(a + 1), (uintptr_t)&limits}, 1),
         NEONSIM_INVALID_PARAMETER);
  check_networks();
  for (size_t i = 0; i < neonsim_variant_count(); i++) {
    EXPECT(neonsim_variant_info(i, &info), NEONSIM_SUCCESS);
    if (info.missing != NULL && info.contract == NEONSIM_QU8_GEMM_Q31) {
      EXPECT(GEMM(info.name, 1, 1, 1, a, 1, w, c, 1, &good), NEONSIM_UNAVAILABLE_VARIANT);
    }
  }
  if (neonsim_packed_size(9, 3, 8, 2) != 128 || neonsim_packed_size(SIZE_MAX, 1, 8, 1) != 0 ||
      neonsim_packed_size(1, 1, 0, 1) != 0) {
    fprintf(stderr, "neonsim_packed_size\n");
    failures++;
  }
  printf("arguments: %d failures\n", failures);
  return failures != 0;
}
