/* Test driver of the C library. It runs wherever the library does, also under QEMU user mode:
 *
 *   neonsim_driver variants            the variants, one line each: name, "available" or why not
 *   neonsim_driver arguments           what the entry points refuse
 *   neonsim_driver networks            random layers of the fast path: every family against the portable one, threads, several at once
 *   neonsim_driver threads             one network and many of many threads, and forks in between
 *   neonsim_driver network FAMILY N    a network from standard input, by a family and N threads; see saved.c
 *   neonsim_driver fuzz SEED COUNT     so many hostile calls of every entry point; see fuzz.c
 *   neonsim_driver sweep SEED [TEXT]   every variant (whose name contains TEXT) against the definition, all tile sizes and depths
 *   neonsim_driver cases [FILE]        calls described in FILE (or standard input), results to standard output
 *   neonsim_driver calls [FILE]        calls of any contract, likewise
 *
 * Exit status 0: no difference; 1: differences; 2: the driver could not do its work; 3: a memory fault or illegal instruction.
 *
 * Kernels are called directly, not through the entry points: buffers lie between pages that fault, registers without a defined
 * content hold rubbish, and callee-saved registers are compared after the call (on Arm).
 *
 * Cases and results are records without padding, integers little-endian:
 *
 *   case     char[4]  "NSC1"
 *            char[60] name of the variant, filled up with zero bytes
 *            u32      mr, nr, kc (qu8_sumrows: m, 1, k), a_stride, c_stride
 *            u32      bytes of a, of the packed w (qu8_sumrows: 0), of c (qu8_sumrows: 4 * m, the sums)
 *            i32      multiplier (qu8_sumrows, else 0)
 *            16 bytes struct neonsim_q31_params
 *            a, then w, then (qu8_gemm_xzp_q31 only) 4 * mr bytes of a_sum, then c as it is before the call
 *   result   char[4]  "NSR1"
 *            u32      0, or 1: no such variant, 2: it cannot run here, 3: two runs with different rubbish wrote different bytes
 *            u32      callee-saved registers that were changed: bit i the i-th of x19.. or r4.., bit 16 + i: d(8 + i)
 *            u32      bytes outside c that were changed
 *            c after the call
 *
 * A call of any contract, and its result:
 *
 *   call     char[4]  "NSC2"
 *            char[80] name of the variant, filled up with zero bytes
 *            u32      arguments, regions
 *            per argument  u32 kind (0 number, 1 address, 2 int32), u32 region (addresses), u64 number or offset
 *            per region    u32 bytes, u32 flags (1 written, 2 may be read over, 4 a table of pointers, 8 scratch), u32 pointers
 *                          then for a table per pointer u32 region, u32 offset; for others the bytes
 *   result   char[4]  "NSR2"
 *            u32      status, callee-saved registers, stray bytes as above
 *            then every region with flag 1 but not 8, after the call
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

const struct neonsim_variant *variant_named(const char *name) {
  for (size_t i = 0; i < neonsim_variant_count(); i++) {
    if (strcmp(neonsim_variant_at(i)->info.name, name) == 0) {
      return neonsim_variant_at(i);
    }
  }
  return NULL;
}

const char *variant_missing(const struct neonsim_variant *variant) {
  for (size_t i = 0; i < neonsim_variant_count(); i++) {
    struct neonsim_variant_info info;
    if (neonsim_variant_at(i) == variant && neonsim_variant_info(i, &info) == NEONSIM_SUCCESS) {
      return info.missing;
    }
  }
  return "not a variant";
}

static void list_variants(void) {
  for (size_t i = 0; i < neonsim_variant_count(); i++) {
    const char *missing = variant_missing(neonsim_variant_at(i));
    printf("%s: %s\n", neonsim_variant_at(i)->info.name, missing == NULL ? "available" : missing);
  }
}

/* ---- cases ---------------------------------------------------------------------------------------------------------- */

static void *read_bytes(FILE *file, size_t bytes) {
  void *memory = malloc(bytes + 1);
  if (memory == NULL || fread(memory, 1, bytes, file) != bytes) {
    fprintf(stderr, "the file of cases ends within a case\n");
    exit(2);
  }
  return memory;
}

static void serve_case(FILE *file) {
  char name[61] = {0};
  uint32_t sizes[8];
  struct tile_case t = {0};
  if (fread(name, 1, 60, file) != 60 || fread(sizes, sizeof sizes, 1, file) != 1 ||
      fread(&t.multiplier, sizeof t.multiplier, 1, file) != 1 || fread(&t.params, sizeof t.params, 1, file) != 1) {
    fprintf(stderr, "the file of cases ends within a header\n");
    exit(2);
  }
  t.mr = sizes[0], t.nr = sizes[1], t.kc = sizes[2], t.a_stride = sizes[3], t.c_stride = sizes[4];
  t.a_bytes = sizes[5], t.w_bytes = sizes[6], t.c_bytes = sizes[7];
  t.variant = variant_named(name);
  const int xzp = strstr(name, "_xzp_") != NULL;
  uint8_t *a = read_bytes(file, t.a_bytes);
  uint8_t *w = read_bytes(file, t.w_bytes);
  int32_t *a_sum = read_bytes(file, xzp ? t.mr * sizeof(int32_t) : 0);
  uint8_t *c = read_bytes(file, t.c_bytes);
  t.a = a, t.w = w, t.a_sum = xzp ? a_sum : NULL;

  uint32_t status = t.variant == NULL ? 1 : variant_missing(t.variant) != NULL ? 2 : 0;
  struct outcome outcome = {0, 0};
  if (status == 0) {
    struct outcome again;
    uint8_t *second = read_bytes(file, 0);
    second = realloc(second, t.c_bytes + 1);
    if (second == NULL) {
      exit(2);
    }
    memcpy(second, c, t.c_bytes);
    t.c = c;
    run_tile(&t, AT_START, UINT64_C(0x0123456789ABCDEF), &outcome);
    t.c = second;
    run_tile(&t, AT_END, UINT64_C(0xDEADBEEFCAFEF00D), &again);
    outcome.clobbered |= again.clobbered;
    outcome.stray += again.stray;
    status = memcmp(c, second, t.c_bytes) != 0 ? 3 : 0;
    free(second);
  }
  const uint32_t head[3] = {status, outcome.clobbered, outcome.stray};
  fwrite("NSR1", 1, 4, stdout);
  fwrite(head, sizeof head, 1, stdout);
  fwrite(c, 1, t.c_bytes, stdout);
  free(a);
  free(w);
  free(a_sum);
  free(c);
}

int serve_cases(const char *path) {
  FILE *file = path == NULL ? stdin : fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 2;
  }
  char magic[4];
  while (fread(magic, 1, 4, file) == 4) {
    if (memcmp(magic, "NSC1", 4) != 0) {
      fprintf(stderr, "not a case: it does not begin with NSC1\n");
      return 2;
    }
    serve_case(file);
  }
  if (file != stdin) {
    fclose(file);
  }
  return 0;
}

int main(int count, char **arguments) {
  const char *command = count > 1 ? arguments[1] : "";
  if (strcmp(command, "variants") == 0) {
    list_variants();
    return 0;
  }
  if (strcmp(command, "arguments") == 0) {
    return check_arguments();
  }
  if (strcmp(command, "networks") == 0) {
    return test_networks();
  }
  if (strcmp(command, "threads") == 0) {
    return test_threads();
  }
  if (strcmp(command, "network") == 0 && count > 3) {
    return run_saved(arguments[2], strtoul(arguments[3], NULL, 10));
  }
  if (strcmp(command, "fuzz") == 0 && count > 3) {
    return fuzz(strtoull(arguments[2], NULL, 10), strtoul(arguments[3], NULL, 10));
  }
  if (strcmp(command, "sweep") == 0 && count > 2) {
    return sweep((uint32_t)strtoul(arguments[2], NULL, 10), count > 3 ? arguments[3] : NULL);
  }
  if (strcmp(command, "cases") == 0) {
    return serve_cases(count > 2 ? arguments[2] : NULL);
  }
  if (strcmp(command, "calls") == 0) {
    return serve_calls(count > 2 ? arguments[2] : NULL);
  }
  fprintf(stderr,
          "usage: %s variants | arguments | networks | threads | network FAMILY THREADS | fuzz SEED COUNT | sweep SEED [TEXT] | "
          "cases [FILE] | calls [FILE]\n",
          arguments[0]);
  return 2;
}
