/* Calls of any contract, described in records (see driver.c): memory is laid out, pointers are put into tables, and what the call
 * left behind is written. Built with the address sanitizer, every region is a block of its own, so that it watches all edges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MAX_REGIONS = 8, MAX_ARGUMENTS_OF_A_CALL = 16, ALIGNMENT = 8, CANARY = 0xA5 };
enum { WRITTEN = 1, READ_OVER = 2, TABLE = 4, SCRATCH = 8 };

struct region {
  uint32_t bytes, flags, pointers;
  uint8_t *contents; /* before the call; of a table pairs of region and offset */
  uint8_t *place;    /* where it lies in the call */
};

struct argument {
  uint32_t kind, region;
  uint64_t value;
};

static void must_read(FILE *file, void *memory, size_t bytes) {
  if (fread(memory, 1, bytes, file) != bytes) {
    fprintf(stderr, "the file of calls ends within a call\n");
    exit(2);
  }
}

static size_t size_of(const struct region *region) {
  return region->flags & TABLE ? region->pointers * sizeof(void *) : region->bytes;
}

/* The bytes of a table of pointers, now that everything else has its place. */
static void *resolved(const struct region *table, const struct region *regions) {
  const uint8_t **pointers = malloc(size_of(table) + 1);
  for (size_t i = 0; pointers != NULL && i < table->pointers; i++) {
    uint32_t where[2];
    memcpy(where, table->contents + i * sizeof where, sizeof where);
    pointers[i] = regions[where[0]].place + where[1];
  }
  return pointers;
}

static void one_run(const struct neonsim_variant *variant, struct region *regions, size_t count_regions,
                    const struct argument *arguments, size_t count, enum placement placement, uint64_t poison,
                    struct outcome *outcome, uint8_t **left) {
  void *tables[MAX_REGIONS] = {NULL};
  for (int pass = 0; pass < 2; pass++) { /* tables last: they point at the others */
    for (size_t i = 0; i < count_regions; i++) {
      struct region *r = &regions[i];
      if ((r->flags & TABLE ? 1 : 0) != pass) {
        continue;
      }
      const void *contents = pass ? (tables[i] = resolved(r, regions)) : r->contents;
      const size_t before = r->flags & READ_OVER ? variant->info.reads_before : 0;
      /* Bytes may lie anywhere; everything of 32 bits and more where C and assembly expect it. */
      const size_t alignment = r->flags & READ_OVER && !(r->flags & SCRATCH) && r->bytes % 4 ? 1 : ALIGNMENT;
      if (SANITIZED) {
        uint8_t *block = malloc(size_of(r) + before);
        if (block == NULL) {
          exit(2);
        }
        memset(block, CANARY, before);
        r->place = block + before;
        memcpy(r->place, contents, size_of(r));
      } else {
        r->place = place_region(i, contents, size_of(r), before, alignment, placement);
      }
    }
  }
  uint64_t values[MAX_ARGUMENTS_OF_A_CALL];
  char int32s[MAX_ARGUMENTS_OF_A_CALL];
  for (size_t i = 0; i < count; i++) {
    const struct argument *a = &arguments[i];
    values[i] = a->kind == 1 ? (uint64_t)(uintptr_t)(regions[a->region].place + a->value) : a->value;
    int32s[i] = a->kind == 2;
  }
  call_any(variant, values, count, int32s, poison, outcome);
  for (size_t i = 0; i < count_regions; i++) {
    struct region *r = &regions[i];
    if (r->flags & WRITTEN) {
      left[i] = malloc(r->bytes + 1);
      if (left[i] == NULL) {
        exit(2);
      }
      memcpy(left[i], r->place, r->bytes);
    }
    const void *expected = r->flags & WRITTEN ? NULL : r->flags & TABLE ? tables[i] : r->contents;
    if (SANITIZED) {
      outcome->stray += expected != NULL && memcmp(r->place, expected, size_of(r)) != 0;
      free(r->place - (r->flags & READ_OVER ? variant->info.reads_before : 0));
    } else {
      outcome->stray += clear_region(i, r->place, expected, size_of(r));
    }
  }
  for (size_t i = 0; i < count_regions; i++) {
    free(tables[i]);
  }
}

static void serve_call(FILE *file) {
  char name[81] = {0};
  uint32_t counts[2];
  struct argument arguments[MAX_ARGUMENTS_OF_A_CALL];
  struct region regions[MAX_REGIONS] = {{0, 0, 0, NULL, NULL}};
  must_read(file, name, 80);
  must_read(file, counts, sizeof counts);
  if (counts[0] > MAX_ARGUMENTS_OF_A_CALL || counts[1] > MAX_REGIONS) {
    fprintf(stderr, "a call has too many arguments or regions\n");
    exit(2);
  }
  for (size_t i = 0; i < counts[0]; i++) {
    must_read(file, &arguments[i].kind, 4);
    must_read(file, &arguments[i].region, 4);
    must_read(file, &arguments[i].value, 8);
  }
  for (size_t i = 0; i < counts[1]; i++) {
    struct region *r = &regions[i];
    must_read(file, &r->bytes, 4);
    must_read(file, &r->flags, 4);
    must_read(file, &r->pointers, 4);
    const size_t size = r->flags & TABLE ? (size_t)r->pointers * 8 : r->bytes;
    r->contents = malloc(size + 1);
    if (r->contents == NULL) {
      exit(2);
    }
    must_read(file, r->contents, size);
  }

  const struct neonsim_variant *variant = variant_named(name);
  uint32_t status = variant == NULL ? 1 : variant_missing(variant) != NULL ? 2 : 0;
  struct outcome outcome = {0, 0};
  uint8_t *left[2][MAX_REGIONS] = {{NULL}};
  if (status == 0) {
    one_run(variant, regions, counts[1], arguments, counts[0], AT_START, UINT64_C(0x0123456789ABCDEF), &outcome, left[0]);
    one_run(variant, regions, counts[1], arguments, counts[0], AT_END, UINT64_C(0xDEADBEEFCAFEF00D), &outcome, left[1]);
  }
  for (size_t i = 0; status == 0 && i < counts[1]; i++) {
    const int compared = (regions[i].flags & WRITTEN) && !(regions[i].flags & SCRATCH);
    if (compared && memcmp(left[0][i], left[1][i], regions[i].bytes) != 0) {
      status = 3;
    }
  }
  const uint32_t head[3] = {status, outcome.clobbered, outcome.stray};
  fwrite("NSR2", 1, 4, stdout);
  fwrite(head, sizeof head, 1, stdout);
  for (size_t i = 0; i < counts[1]; i++) {
    if ((regions[i].flags & WRITTEN) && !(regions[i].flags & SCRATCH)) {
      fwrite(left[0][i] != NULL ? left[0][i] : regions[i].contents, 1, regions[i].bytes, stdout);
    }
    free(regions[i].contents);
    free(left[0][i]);
    free(left[1][i]);
  }
}

int serve_calls(const char *path) {
  FILE *file = path == NULL ? stdin : fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 2;
  }
  char magic[4];
  while (fread(magic, 1, 4, file) == 4) {
    if (memcmp(magic, "NSC2", 4) != 0) {
      fprintf(stderr, "not a call: it does not begin with NSC2\n");
      return 2;
    }
    serve_call(file);
  }
  if (file != stdin) {
    fclose(file);
  }
  return 0;
}
