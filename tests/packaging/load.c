/* load LIBRARY: loads the C library as Python would, by its path, and lets every variant of one product that runs here compute it,
 * alone and shared by four threads. Prints "abi N, variants V, wrong 0". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "neonsim.h"

#if defined(_WIN32)
#include <windows.h>
static void *open_library(const char *path) { return (void *)LoadLibraryA(path); }
static void *find(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW); }
static void *find(void *library, const char *name) { return dlsym(library, name); }
#endif

enum { M = 37, N = 21, K = 19, PANELS = (N + 7) / 8, PANEL_BYTES = 8 * 4 + 8 * K };

static uint8_t a_at(int i, int k) { return (uint8_t)((i * 7 + k * 3) % 11); }
static uint8_t w_at(int k, int j) { return (uint8_t)((k * 5 + j) % 9); }

/* Half the sum, a tie up; one byte. */
static uint8_t wanted(int i, int j) {
  int sum = j;
  for (int k = 0; k < K; k++) {
    sum += a_at(i, k) * w_at(k, j);
  }
  const int half = (sum + 1) / 2;
  return (uint8_t)(half > 255 ? 255 : half);
}

int main(int count, char **words) {
  void *library = count == 2 ? open_library(words[1]) : NULL;
  if (library == NULL) {
    fprintf(stderr, "cannot be loaded\n");
    return 1;
  }
  uint32_t (*abi)(void) = (uint32_t(*)(void))find(library, "neonsim_abi_version");
  size_t (*variants)(void) = (size_t(*)(void))find(library, "neonsim_variant_count");
  int32_t (*info)(size_t, struct neonsim_variant_info *) =
      (int32_t(*)(size_t, struct neonsim_variant_info *))find(library, "neonsim_variant_info");
  int32_t (*gemm)(const char *, size_t, size_t, size_t, const uint8_t *, size_t, const void *, uint8_t *, size_t,
                  const struct neonsim_q31_params *, size_t) =
      (int32_t(*)(const char *, size_t, size_t, size_t, const uint8_t *, size_t, const void *, uint8_t *, size_t,
                  const struct neonsim_q31_params *, size_t))find(library, "neonsim_gemm_qu8_q31");
  if (abi == NULL || variants == NULL || info == NULL || gemm == NULL) {
    fprintf(stderr, "a function is not there\n");
    return 1;
  }
  static uint8_t a[M * K + 64], c[M * N];
  static int32_t w[PANELS * PANEL_BYTES / 4];
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < K; k++) {
      a[32 + i * K + k] = a_at(i, k);
    }
  }
  for (int j = 0; j < N; j++) { /* of every eight columns: eight biases, then eight bytes of each depth */
    unsigned char *panel = (unsigned char *)w + j / 8 * PANEL_BYTES;
    const int32_t bias = j;
    memcpy(panel + 4 * (j % 8), &bias, 4);
    for (int k = 0; k < K; k++) {
      panel[32 + 8 * k + j % 8] = w_at(k, j);
    }
  }
  const struct neonsim_q31_params params = {.multiplier = 1 << 30, .output_max = 255};
  size_t ran = 0, wrong = 0;
  for (size_t v = 0; v < variants(); v++) {
    struct neonsim_variant_info one;
    if (info(v, &one) != NEONSIM_SUCCESS || one.contract != NEONSIM_QU8_GEMM_Q31 || one.missing != NULL || one.nr != 8) {
      continue;
    }
    for (size_t threads = 1; threads <= 4; threads += 3) {
      memset(c, 99, sizeof c);
      wrong += gemm(one.name, M, N, K, a + 32, K, w, c, N, &params, threads) != NEONSIM_SUCCESS;
      for (int i = 0; i < M * N; i++) {
        wrong += c[i] != wanted(i / N, i % N);
      }
    }
    ran++;
  }
  printf("abi %u, variants %u, wrong %u\n", (unsigned)abi(), (unsigned)ran, (unsigned)wrong);
  return wrong != 0 || ran == 0;
}
